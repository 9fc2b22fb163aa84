// One generation, synchronous: decoders, drafter, rule and cycle built from RunSettings, stepped by the caller.
// The command line uses it directly, Session runs it on the engine thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/run/cycle.h"
#include "engine/run/prepared_run.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

struct Fork;     // engine/run/session_commands.h
struct Models;   // engine/models/models.h
struct RuleInfo; // engine/rules/verify.h

class Run {
  public:
    // Throws as prepared_run(). A drafter that these models cannot run is replaced by `none`, and Header::notice says why.
    Run(std::shared_ptr<const Models> models, const RunSettings& settings);
    // A branch of `base`: its events before `round` are copied, the rest is generated anew with the changes.
    // `replay` (for full_distributions) overrides the rule and forces the drafts that `base` recorded in that round.
    Run(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& base, const Fork& fork,
        const RuleInfo* replay = nullptr);
    // A branch of `base`, which remembers what the rounds before the fork were made with.
    Run(std::shared_ptr<const Models> models, const Run& base, const Fork& fork);
    // With a target that `make` gives for so many positions, a place in a batch (engine/batch); empty: with one of its own.
    using MakeTarget = std::function<std::unique_ptr<Decoder>(int capacity)>;
    Run(std::shared_ptr<const Models> models, PreparedRun prepared, MakeTarget make = {});
    ~Run();

    // As in Cycle: a round whose pass of the target is made elsewhere.
    [[nodiscard]] const PassInput* ask() { return round_index_->ask(); }
    void finish_round() { round_index_->finish_round(); }
    [[nodiscard]] std::vector<int> taps() const { return round_index_->taps(); }

    bool step();   // one phase; false once stopped
    void finish(); // steps until stopped
    void stop(const std::string& reason);
    void go_on(Cycle::GoOn go_on) { round_index_->go_on(std::move(go_on)); }                  // see there; before the first step
    void in_company(int texts) { round_index_->in_company(texts); }                           // as in Cycle
    void on_reading(Cycle::Reading reading) { round_index_->on_reading(std::move(reading)); } // see there; before the first step
    void on_draft_pass(std::function<void()> pass) { round_index_->on_draft_pass(std::move(pass)); }
    void between_passes(const std::function<void()>& ask) { // both of them; what it throws ends the run
        on_reading([ask](int, int) { ask(); });
        on_draft_pass(ask);
    }
    void set_plain_ms(double ms) { trace_->set_plain_ms(ms); }
    [[nodiscard]] bool stopped() const;
    [[nodiscard]] const Trace& trace() const { return *trace_; }
    [[nodiscard]] std::shared_ptr<const Trace> shared_trace() const { return trace_; }
    [[nodiscard]] const RunSettings& settings() const { return settings_; }
    [[nodiscard]] const std::vector<EarlierSettings>& earlier() const { return earlier_; }
    // That `round` was made with: the settings of the run, or those from before a fork behind it.
    [[nodiscard]] const RunSettings& settings_at(int round) const { return speclens::settings_at(round, earlier_, settings_); }
    [[nodiscard]] const std::vector<int>& sequence() const;
    [[nodiscard]] std::string output_text() const; // new tokens only, special tokens left out
    [[nodiscard]] long residual_fallbacks() const;
    [[nodiscard]] double deciding_ms() const { return round_index_->deciding_ms(); } // as in Cycle
    [[nodiscard]] std::size_t memory_bytes() const;

  private:
    void build(PreparedRun prepared, const Trace* base, const Fork* fork, const RuleInfo* replay);

    std::shared_ptr<const Models> models_;
    RunSettings settings_;
    MakeTarget make_target_; // empty: with a cache of its own
    std::vector<EarlierSettings> earlier_;
    std::unique_ptr<Decoder> target_;
    std::unique_ptr<Drafter> drafter_;
    std::shared_ptr<Trace> trace_;
    std::unique_ptr<Cycle> round_index_;
};

} // namespace speclens
