// Trains Medusa heads for the loaded target, here and now, on text that it writes itself: the smallest
// drafter that can be trained, and the only one that this program trains (the recipe in assets/recipe trains
// the others, in PyTorch). Texts are drawn at a temperature and read back for the target's last states; then
// Adam on the loss of engine/lab/medusa_gradient.h, with its rate falling to 0. What the heads are worth is
// measured on greedy answers to prompts that training never sees: teacher-forced, which for greedy text is
// what a run would keep.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/drafters/draft_network.h"
#include "engine/lab/medusa_gradient.h"
#include "engine/run/control.h"
#include "engine/run/models.h"
#include "engine/run/run.h"

namespace speclens {

struct MedusaPlan {
    std::vector<GalleryPrompt> prompts;  // trained on
    std::vector<GalleryPrompt> held_out; // measured on; never trained on
    int heads = 4;
    int texts = 4;       // of each prompt, with dice of their own
    int max_tokens = 64; // of each text
    int steps = 600;
    int batch = 128;    // states a step
    double rate = 3e-3; // of Adam, after 20 steps of warm-up
    double temperature = 0.8;
    std::uint64_t seed = 7;
    bool operator==(const MedusaPlan&) const = default;
};
// Throws Error (usage): no prompts, a number outside its range, a target that is no checkpoint.
void check_plan(const MedusaPlan& plan, const Models& models);

// Throws Error (usage) where save() would replace somebody else's model: `folder` holds a config.json that
// save() did not write, or weights without one. To be asked before training.
void check_heads_folder(const std::filesystem::path& folder);

// What the heads are worth on the held-out answers.
struct HeadWorth {
    std::vector<double> shares;  // of each head: places where it names the target's token
    double tokens_per_round = 0; // of greedy runs over the same answers, all heads guessing
};
struct MedusaPoint {
    int step = 0;
    double seconds = 0; // of training, measuring left out
    double loss = 0;    // mean over the steps since the last point; 0 at step 0
    HeadWorth worth;
};
struct MedusaView {
    MedusaPlan plan;
    int texts_done = 0, texts = 0;   // written and read so far, of all
    int states = 0, held_states = 0; // places that are trained on, measured on
    double text_seconds = 0;         // for writing and reading the texts
    std::vector<MedusaPoint> curve;  // the first one is at step 0: heads that repeat the target's own guess
    HeadWorth shipped; // the heads that were loaded, on the same places; no shares: there are none
    bool complete = false;
    bool cut = false; // ended before its last step
};

class MedusaTraining {
  public:
    MedusaTraining(std::shared_ptr<const Models> models, MedusaPlan plan); // throws what check_plan throws
    bool step(); // one text, or one step of Adam; false once complete. Throws Error (memory)
    void stop(); // complete with what there is
    [[nodiscard]] const MedusaView& view() const { return view_; }
    [[nodiscard]] std::size_t revision() const { return revision_; } // grows with every text and every point
    // As they are now, rounded to bf16 as a file would keep them.
    [[nodiscard]] std::shared_ptr<const DraftNetwork> network() const;
    // config.json and model.safetensors, the layout of Medusa's authors with one shared output matrix; loads
    // with
    // --drafter medusa=FOLDER. The folder is made; heads that were saved there are replaced. Throws Error,
    // and what check_heads_folder throws.
    void save(const std::filesystem::path& folder) const;

  private:
    struct Places {
        std::vector<float> states;            // (places, h)
        std::vector<std::vector<int>> labels; // of each head
        std::vector<std::size_t> starts;      // the first place of each text
    };
    void read_text(const GalleryPrompt& prompt, bool held, int number);
    // `guesses_of`: of a head for every held-out place.
    [[nodiscard]] HeadWorth worth_of(std::size_t heads,
                                     const std::function<std::vector<int>(std::size_t)>& guesses_of) const;
    void start();
    void optimise();
    void add_point();

    std::shared_ptr<const Models> models_;
    MedusaView view_;
    std::size_t revision_ = 0;
    Places trained_, held_;
    std::unique_ptr<MedusaGradient> gradient_;
    std::vector<MedusaWeights> heads_, slope_, mean_, square_; // Adam's two moments
    int done_ = 0;
    double seconds_ = 0, loss_sum_ = 0;
    int loss_count_ = 0;
};

// The built-in prompts for it: trained on assets/prompts/heldout.jsonl and showcase.jsonl, measured on
// gallery.jsonl; chats are text where the model's format is not known.
[[nodiscard]] MedusaPlan usual_medusa_plan(const TrainHeads& asked = {}, const ChatFormat& format = {});

} // namespace speclens
