// Several drafters on the same prompt with the same dice, in step: every request takes each lane one phase or one
// round further, so that their texts grow together. Nothing is timed: the lanes share the caches of one machine, and
// a time measured here would say nothing about a drafter. Timed races are engine/lab/race.h. Synchronous, as that one.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "engine/lab/race.h"
#include "engine/run/run.h"

namespace speclens {

class SteppedRace {
  public:
    // Throws Error as Race does. A lane that cannot run gets a problem instead.
    SteppedRace(std::shared_ptr<const Models> models, RaceSettings settings);

    void ask(Stride stride) { asked_.push_back(stride); } // done after what was asked before
    bool step();                                          // one phase of one lane; false: nothing that was asked for is left to do
    void finish() {
        while (step()) {
        }
    }
    [[nodiscard]] bool waiting() const { return ready_ && asked_.empty(); }
    [[nodiscard]] const RaceView& view() const { return view_; }
    [[nodiscard]] std::size_t revision() const { return revision_; } // grows when view() has something new

  private:
    void prepare();         // the next lane: its run, and the prompt
    bool advance(int lane); // one phase; true: this lane has gone as far as the stride says
    [[nodiscard]] bool over() const;
    void record(); // the end of a step

    std::shared_ptr<const Models> models_;
    RaceView view_;
    std::vector<std::unique_ptr<Run>> runs_; // null: cannot run
    std::deque<Stride> asked_;               // the first one is under way
    std::size_t lane_ = 0;                   // whose turn it is
    bool ready_ = false;                     // every lane has read its prompt
    std::size_t revision_ = 0;
};

} // namespace speclens
