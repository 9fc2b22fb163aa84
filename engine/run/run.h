// One generation, synchronous: decoders, drafter, rule and cycle built from RunSettings, stepped by the caller.
// The command line uses it directly, Session runs it on the engine thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/run/cycle.h"
#include "engine/run/models.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"
#include "kernels/error.h"

namespace speclens {

struct Fork; // engine/run/session_commands.h

// The prompt leaves no room for a new token in the context of one of the models. Another prompt may fit.
class PromptTooLong final : public Error {
  public:
    PromptTooLong(int tokens, std::string model, int context);
    [[nodiscard]] const std::string& model() const { return model_; }  // whose context it is

  private:
    std::string model_;
};

// How much of the contexts a prompt takes.
struct PromptRoom {
    int tokens = 0;
    int holds = 0;                 // of the smallest context; the prompt leaves at least one place in it
    [[nodiscard]] bool fits() const { return tokens < holds; }
};
[[nodiscard]] PromptRoom prompt_room(const Models& models, const RunSettings& settings);  // no prompt: no tokens
// The same for any thread, and for whoever outlives the models: it keeps no weights, whose memory is the engine thread's to
// release. Throws Error where the prompt cannot be read.
[[nodiscard]] std::function<PromptRoom(const RunSettings&)> prompt_counter(const Models& models);

// Throws Error where the constructor of Run would for these settings, but takes no memory.
void check_run(const Models& models, const RunSettings& settings);

class Run {
  public:
    // Throws Error for an empty prompt, unknown names, bad numbers, and PromptTooLong. A drafter that these models
    // cannot run is replaced by `none`, and Header::notice says why.
    Run(std::shared_ptr<const Models> models, const RunSettings& settings);
    // A branch of `base`: its events before `cycle` are copied, the rest is generated anew with the changes.
    // `replay` (for full_distributions) overrides the rule and forces the drafts that `base` recorded in that cycle.
    Run(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& base, const Fork& fork,
        const RuleInfo* replay = nullptr);
    // A branch of `base`, which remembers what the rounds before the fork were made with.
    Run(std::shared_ptr<const Models> models, const Run& base, const Fork& fork);
    // With a target that `make` gives for so many positions: a place in a batch (engine/batch).
    using MakeTarget = std::function<std::unique_ptr<Decoder>(int capacity)>;
    Run(std::shared_ptr<const Models> models, const RunSettings& settings, MakeTarget make);
    ~Run();

    // Positions that the target's cache of such a run may take. Throws as the constructor does.
    [[nodiscard]] static int capacity_for(const Models& models, const RunSettings& settings);

    // As in Cycle: a round whose pass of the target is made elsewhere.
    [[nodiscard]] const PassInput* ask() { return cycle_->ask(); }
    void finish_round() { cycle_->finish_round(); }
    [[nodiscard]] std::vector<int> taps() const { return cycle_->taps(); }

    bool step();             // one phase; false once stopped
    void finish();           // steps until stopped
    void stop(const std::string& reason);
    void go_on(Cycle::GoOn go_on) { cycle_->go_on(std::move(go_on)); } // see there; before the first step
    void on_reading(Cycle::Reading reading) { cycle_->on_reading(std::move(reading)); } // see there; before the first step
    void set_plain_ms(double ms) { trace_->set_plain_ms(ms); }
    [[nodiscard]] bool stopped() const;
    [[nodiscard]] const Trace& trace() const { return *trace_; }
    [[nodiscard]] std::shared_ptr<const Trace> shared_trace() const { return trace_; }
    [[nodiscard]] const RunSettings& settings() const { return settings_; }
    [[nodiscard]] const std::vector<EarlierSettings>& earlier() const { return earlier_; }
    // That `cycle` was made with: the settings of the run, or those from before a fork behind it.
    [[nodiscard]] const RunSettings& settings_at(int cycle) const {
        return speclens::settings_at(cycle, earlier_, settings_);
    }
    [[nodiscard]] const std::vector<int>& sequence() const;
    [[nodiscard]] std::string output_text() const;  // new tokens only, special tokens left out
    [[nodiscard]] long residual_fallbacks() const;
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    void build(const Trace* base, const Fork* fork, const RuleInfo* replay);

    std::shared_ptr<const Models> models_;
    RunSettings settings_;
    MakeTarget make_target_; // empty: with a cache of its own
    std::vector<EarlierSettings> earlier_;
    std::unique_ptr<Decoder> target_;
    std::unique_ptr<Drafter> drafter_;
    std::shared_ptr<Trace> trace_;
    std::unique_ptr<Cycle> cycle_;
};

// The prompt as the model gets it: chat turns or raw text or token ids. Throws Error.
struct PromptTokens {
    std::vector<int> ids;
    std::string text;
    bool chat = false;   // asked as a chat
    std::string notice;  // why a chat is asked as text (RunSettings::chat_if_possible)
};
[[nodiscard]] PromptTokens prompt_tokens(const Models& models, const RunSettings& settings);

}  // namespace speclens
