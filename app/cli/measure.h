// Measuring from the command line: runs that Ctrl+C ends, and how busy the machine is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/cli/options.h"
#include "app/cli/output.h"
#include "engine/lab/samples.h"
#include "engine/lab/time_table.h"
#include "engine/models/models.h"
#include "engine/session/engine.h"

namespace speclens::cli {

// `k`, or what the head of `drafter` can draft at most where that is less; then it says so if --k was typed.
[[nodiscard]] int possible_k(const Options& options, const Models& models, const std::string& drafter, int k);

// Prints and flushes what was measured; a reader that went away does not cost the files that follow.
void print_results(std::string_view text);

// Runs to the end. Throws Interrupted.
[[nodiscard]] Sample measure(const std::shared_ptr<const Models>& models, const RunSettings& settings);
// Decodes for a tenth of a second before anything is timed: weights and caches are touched, and the cores are
// at their pace.
void warm_up(const std::shared_ptr<const Models>& models, RunSettings settings);

// The window's engine on a terminal: it says how far it is, and Ctrl+C ends what it does. Each throws Error and Interrupted.
class TerminalEngine final : private EngineHost {
  public:
    explicit TerminalEngine(std::shared_ptr<const Models> models, RepeatPlan repeats = {});
    void answer(const speclens::Command& command); // to its end
    void begin(const speclens::Command& command);
    bool step();
    [[nodiscard]] Engine& engine() { return engine_; }
    [[nodiscard]] const Snapshot& shown() const { return engine_.shown(); }

  private:
    Call called() const override;
    void published(const Snapshot& now) override;
    void check();

    ProgressBar bar_;
    Engine engine_;
};

[[nodiscard]] double now_ms(); // steady clock

// CPU cores kept busy by other processes during the next 300 ms, which it waits, and what to say about it (empty: quiet).
[[nodiscard]] double busy_cores();
[[nodiscard]] std::string busy_warning(double cores);

} // namespace speclens::cli
