#include "engine/lab/repeats.h"

#include <algorithm>
#include <utility>

namespace speclens {
namespace {

constexpr std::size_t kTurn = 12; // tokens between two changes of sides, at least

} // namespace

Repeats::Repeats(std::shared_ptr<const Models> models, const RunSettings& settings, TimeTable& table, RepeatPlan plan)
    : models_(std::move(models)), table_(table), plan_(plan) {
    RunSettings own = settings;
    own.trace_top = 0;
    own.internals = false;
    own.timing = true;
    run_.prepared = prepared_run(*models_, own);
    own.drafter = kNoDrafter;
    own.k = 0;
    own.options = {};
    plain_.prepared = prepared_run(*models_, std::move(own));
    if (run_.prepared.settings.k == 0) run_.generations = plan_.generations; // there is one side only
}

bool Repeats::enough() const {
    const bool all = std::min(run_.generations, plain_.generations) >= plan_.generations;
    const bool once = std::min(run_.generations, plain_.generations) > 0;
    const double seconds = watch_.ms() / 1000;
    return all || (once && seconds >= plan_.seconds) || seconds >= plan_.most_seconds;
}

double Repeats::done() const {
    const int both = std::min(run_.generations, plain_.generations); // until there is one of both sides it may take longer
    const double by_time = watch_.ms() / 1000 / (both > 0 ? plan_.seconds : plan_.most_seconds);
    return std::min(1.0, std::max(static_cast<double>(both) / plan_.generations, by_time));
}

// A turn lasts until so many more tokens are written; a generation that ends is begun again at the next one.
bool Repeats::advance(Side& side) {
    if (!side.run) {
        side.run = std::make_unique<Run>(models_, side.prepared);
        side.taken = 0;
    }
    if (side.until == 0) side.until = side.run->sequence().size() + kTurn, side.fresh = true;
    const bool more = side.run->step();
    const Trace& trace = side.run->trace();
    const Event& last = trace[trace.size() - 1];
    // The last commit of a run brings its end with it.
    if (std::holds_alternative<Committed>(last) || std::holds_alternative<Stopped>(last)) {
        // Plain passes follow each other: the first one finds what the other side left in the caches.
        if (!std::exchange(side.fresh, false) || side.prepared.settings.k > 0) table_.add(trace, side.taken, trace.size());
        side.taken = trace.size();
    }
    if (more && side.run->sequence().size() < side.until) return false;
    side.until = 0;
    if (!more) {
        side.run.reset();
        ++side.generations;
    }
    return true;
}

bool Repeats::step() {
    Side& side = plains_turn_ ? plain_ : run_;
    if (!plains_turn_ && side.until == 0 && enough()) return false;
    if (side.generations < plan_.generations && !advance(side)) return true;
    if (plains_turn_) table_.set_busy(busy_.cores());
    plains_turn_ = !plains_turn_;
    return true;
}

} // namespace speclens
