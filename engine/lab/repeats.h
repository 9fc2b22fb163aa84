// Repeats a run to know what it takes: the same seed gives the same tokens, so the same passes can be timed again. The
// run and plain decoding of its prompt take turns, a few rounds each, so that whatever else the machine does meets both.
#pragma once

#include <memory>

#include "engine/base/busy.h"
#include "engine/base/clock.h"
#include "engine/lab/time_table.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/speed_up.h"

namespace speclens {

struct RepeatPlan {
    double seconds = 0.7;                    // of measuring, at most: what is long enough to be timed well in it is
    int generations = 12;                    // of each, at most
    double most_busy_cores = kMostBusyCores; // where other programs keep more, the same run is timed again when it comes back
    double most_seconds = 5;                 // one whole generation of each, however long, but no longer than this
};

class Repeats {
  public:
    // Neither distributions nor insides are recorded. Throws Error as Run does.
    Repeats(std::shared_ptr<const Models> models, const RunSettings& settings, TimeTable& table, RepeatPlan plan = {});
    bool step(); // a phase of one side; false: enough
    void finish() {
        while (step()) {
        }
    }
    [[nodiscard]] double done() const; // share of the plan

  private:
    struct Side {
        PreparedRun prepared;
        std::unique_ptr<Run> run;
        std::size_t taken = 0; // events whose times the table has
        std::size_t until = 0; // tokens at which its turn is over; 0: it has not begun
        int generations = 0;   // whole ones
        bool fresh = true;     // the next pass finds the caches as the other side left them
    };
    [[nodiscard]] bool advance(Side& side); // a phase; true: its turn is over
    [[nodiscard]] bool enough() const;

    std::shared_ptr<const Models> models_;
    TimeTable& table_;
    RepeatPlan plan_;
    Side run_, plain_;
    bool plains_turn_ = false;
    Stopwatch watch_;
    BusyMeter busy_;
};

} // namespace speclens
