// From a trace and a cursor to the folds a frame needs. Both are kept and grow with the trace and the cursor: a frame
// costs what is new of them. Only another trace or a step back folds anew.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/run/run_view.h"
#include "engine/run/trace.h"
#include "scenes/shared/scene.h"

namespace speclens {

class FrameSource {
  public:
    void update(std::shared_ptr<const Trace> trace, std::size_t cursor);
    [[nodiscard]] const Trace& trace() const { return *trace_; }
    [[nodiscard]] std::shared_ptr<const Trace> shared() const { return trace_; }
    [[nodiscard]] const RunView& view() const { return view_; }   // up to the cursor
    [[nodiscard]] const RunView& whole() const { return whole_; } // everything that is there
    [[nodiscard]] std::size_t cursor() const { return view_.events; }
    [[nodiscard]] std::uint64_t hash();                     // of the events shown; computed when asked for, then kept
    [[nodiscard]] bool altered() const { return altered_; } // a recorded run that does not match its hash
    // Fills the trace part of a scene's input.
    void fill(SceneInput& input) const;

  private:
    std::shared_ptr<const Trace> trace_;
    RunView view_, whole_;
    std::uint64_t hash_ = 0;
    bool hashed_ = false, altered_ = false;
};

// A trace without events, shown until there is a run.
[[nodiscard]] std::shared_ptr<const Trace> empty_trace();

// The event to look at first: the replacement in the first round that keeps some draft tokens and loses one; else
// the first rejection, else the end of the first round. `settled` says that more events would not change the
// choice.
struct MostInstructive {
    std::size_t cursor = 0;
    bool settled = false;
};
[[nodiscard]] MostInstructive telling_cursor(const RunView& whole);
// The first step of the first round: the first draft token, or the pass of a round without one.
[[nodiscard]] MostInstructive opening_cursor(const RunView& whole);
// Step `step` (from 1) of the round that telling_cursor chooses; 0: before the first round.
[[nodiscard]] std::size_t telling_step(const RunView& whole, int step);
// The round that a frame is about: of the place that was chosen in it, else of its last event. In input.whole; null: there is none.
[[nodiscard]] const RoundSummary* chosen_round(const SceneInput& input);
[[nodiscard]] int telling_steps(const RunView& whole); // how many that round has

} // namespace speclens
