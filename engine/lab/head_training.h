// Trains a head for the loaded target, here and now, on text that it writes itself: Medusa heads (medusa_training.h) or an MTP layer
// (mtp_training.h); the recipe in assets/recipe trains the others, in PyTorch. Texts are drawn at a temperature and read back for the
// target's last states; then Adam, with its rate falling to 0. What the head is worth is measured on greedy answers to prompts that
// training never sees: teacher-forced, which for greedy text is what a run would keep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/run/gallery.h"
#include "engine/text/chat.h"

namespace speclens {

enum class HeadKind : std::uint8_t; // engine/run/session_commands.h
struct TrainHeads;
class DraftNetwork; // engine/drafters/draft_network.h
struct Models;      // engine/models/models.h

[[nodiscard]] const char* name_of(HeadKind kind); // of the drafter

struct HeadPlan {
    HeadKind kind = {};                  // medusa
    std::vector<GalleryPrompt> prompts;  // trained on
    std::vector<GalleryPrompt> held_out; // measured on; never trained on
    int heads = 4;                       // Medusa's; MTP: how many draft tokens ahead its layer is trained for
    int texts = 4;                       // of each prompt, with dice of their own
    int max_tokens = 64;                 // of each text
    int steps = 600;
    int batch = 128;    // places a step; MTP: at least, in whole texts
    double rate = 3e-3; // of Adam, after 20 steps of warm-up
    double temperature = 0.8;
    std::uint64_t seed = 7;
    bool operator==(const HeadPlan&) const = default;
};
// Throws Error (usage): no prompts, a number outside its range, a target that is no checkpoint.
void check_plan(const HeadPlan& plan, const Models& models);
[[nodiscard]] HeadPlan plan_for(HeadKind kind); // its usual numbers, without prompts
// The built-in prompts for it: trained on assets/prompts/heldout.jsonl and showcase.jsonl, measured on gallery.jsonl; chats are text
// where the model's format is not known.
[[nodiscard]] HeadPlan default_head_plan(const TrainHeads& asked, const ChatFormat& format = {});

// Throws Error (usage) where save() would replace somebody else's model: `folder` holds a config.json that
// save() did not write, or weights without one. To be asked before training.
void check_heads_folder(const std::filesystem::path& folder);

// What the heads are worth on the held-out answers.
struct HeadWorth {
    std::vector<double> shares;    // of each head or draft token: places where it names the target's token
    double tokens_per_round = 0;   // of greedy runs over the same answers, all of them drafting
    std::vector<int> judged, kept; // of each draft token, in those runs: rounds in which all before it stayed, and in which it stayed, too
};
struct HeadTrainingPoint {
    int step = 0;
    double seconds = 0; // of training, measuring left out
    double loss = 0;    // mean over the steps since the last point; 0 at step 0
    HeadWorth worth;
};
struct HeadTrainingView {
    HeadPlan plan;
    int texts_done = 0, texts = 0;        // written and read so far, of all
    int states = 0, held_states = 0;      // places that are trained on, measured on
    double text_seconds = 0;              // for writing and reading the texts
    std::vector<HeadTrainingPoint> curve; // the first one is at step 0
    HeadWorth shipped;                    // the head that was loaded, on the same places; no shares: there is none
    bool complete = false;
    bool ended_early = false; // ended before its last step
};

class HeadTraining {
  public:
    virtual ~HeadTraining() = default;
    bool step(); // one text, or one step of Adam; false once complete. Throws Error (memory)
    void stop(); // complete with what there is
    [[nodiscard]] const HeadTrainingView& view() const { return view_; }
    [[nodiscard]] std::size_t revision() const { return revision_; } // grows with every text and every point
    // As it is now, rounded to bf16 as a file would keep it.
    [[nodiscard]] virtual std::shared_ptr<const DraftNetwork> network() const = 0;
    // config.json and model.safetensors, which load with --drafter NAME=FOLDER. The folder is made; what was saved there is replaced.
    // Throws Error, and what check_heads_folder throws.
    void save(const std::filesystem::path& folder) const;

  protected:
    HeadTraining(std::shared_ptr<const Models> models, HeadPlan plan); // throws what check_plan throws

    struct Text {
        std::vector<int> tokens;
        int prompt = 0;            // tokens of the prompt, the first ones
        std::vector<float> states; // (tokens - 1, h): the target's, after its final norm
        // A place is the state before token first + 2; head k drafts that token + k. There are tokens - 2 - first of them.
        int first = 0;
        [[nodiscard]] int places() const { return std::max(0, static_cast<int>(tokens.size()) - 2 - first); }
    };
    using Predictions = std::vector<std::vector<int>>; // of each head: a token for every held-out place, text after text

    virtual void keep(Text&& text, bool held) = 0;
    virtual void start() = 0; // texts are there; sets view_.shipped
    // One batch and one step of Adam; the loss. `step` counts from 1.
    virtual double optimise(int step, double rate) = 0;
    [[nodiscard]] virtual Predictions predictions() = 0;
    virtual void write_files(const std::filesystem::path& folder) const = 0;
    [[nodiscard]] HeadWorth worth_of(const Predictions& predictions) const;

    std::shared_ptr<const Models> models_;
    HeadTrainingView view_;

  private:
    void read_text(const GalleryPrompt& prompt, bool held, int number);
    void add_point();

    std::vector<std::vector<int>> held_labels_; // of each head, a place each; -1: behind the text
    std::vector<std::size_t> held_starts_;      // the first place of each text
    std::size_t revision_ = 0;
    bool started_ = false;
    int done_ = 0;
    double seconds_ = 0, loss_sum_ = 0;
    int loss_count_ = 0;
};

[[nodiscard]] std::unique_ptr<HeadTraining> make_head_training(std::shared_ptr<const Models> models, HeadPlan plan);

// ---- for both kinds ----
inline constexpr const char* kMadeBy = "speclens train"; // stands in config.json: these files may be replaced
// One step of Adam (Kingma and Ba 2015, algorithm 1).
void adam(std::vector<float>& value, const std::vector<float>& slope, std::vector<float>& mean, std::vector<float>& square, double rate,
          int step);
[[nodiscard]] std::vector<std::uint16_t> narrowed(const std::vector<float>& values); // to bf16

} // namespace speclens
