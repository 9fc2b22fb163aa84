// One table of times for everything that runs on the loaded models. A pass over so many rows behind so many tokens costs
// the same whenever it is made; what differs from one time to the next is what else the machine did. So each kind of
// pass has one entry, every run of it adds a sample, and its time is the lower quartile: half of the disturbances would
// have to hit the quick half of the samples to move it. Runs, races, studies and benchmarks share the table, so no two
// pictures disagree about what a pass costs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "engine/run/run_view.h"
#include "engine/run/trace.h"

namespace speclens {

// What one entry is about. Passes of the same kind cost the same, whatever the tokens are.
struct PassKind {
    enum class Part : std::uint8_t {
        draft,  // a draft step
        head,   // the correcting head, or a search, of a draft step
        silent, // drafting that proposed nothing
        verify, // the target's pass
        accept, // distributions, verdicts and resampling of a round
        commit, // dropping rejected rows, and what the drafter keeps of the target's states
    } part = Part::verify;
    std::string who; // drafter and its options; verify: what taps the target's layers; accept: rule and sampling
    int count = 0;   // draft, head: index of the draft token; verify: rows; accept: draft tokens judged; commit: accepted ones
    int before = 0;  // draft, head: tokens of the round before, which some drafters catch up on; verify: 1 for a tree
    int context = 0; // tokens in the cache, in steps that grow
    auto operator<=>(const PassKind&) const = default;
};

// Milliseconds of one kind.
struct PassSamples {
    double ms = 0; // lower quartile
    double median = 0;
    int count = 0;
    // How far repeats lie apart: (median - lower quartile) ÷ lower quartile.
    [[nodiscard]] double spread() const { return ms > 0 ? (median - ms) / ms : 0; }
};

class TimeTable {
  public:
    // Takes the own times of the events [from, to) of a run that was timed here, and knows of `from` on what the events
    // before it say. Complete or not.
    void add(const Trace& trace, std::size_t from, std::size_t to);
    void add(const Trace& trace) { add(trace, 0, trace.size()); }
    // Of how busy other programs kept the cores while samples were taken; the last value counts.
    void set_busy(double cores) { busy_cores_ = cores; }
    void clear();

    [[nodiscard]] PassSamples of(const PassKind& kind) const; // count 0: never timed
    // Times for every event of `trace`; what the table does not know keeps its own. `plain_ms` is what a token of plain
    // decoding takes at the places of this text, 0 where no pass over one row was timed.
    [[nodiscard]] TraceTimes times_of(const Trace& trace) const;
    // Hands them to the trace, where they differ from what it has.
    void time(const Trace& trace) const;
    // Grows with every sample.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }

  private:
    struct Samples {
        std::deque<double> ms; // the latest
        mutable PassSamples known;
        mutable bool fresh = false;
    };
    void add(const PassKind& kind, double ms);

    std::map<PassKind, Samples> entries_;
    double busy_cores_ = 0;
    std::uint64_t revision_ = 0;
};

} // namespace speclens
