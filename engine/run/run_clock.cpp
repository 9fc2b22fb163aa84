#include "engine/run/run_clock.h"

#include <algorithm>

namespace speclens {

RunClock::RunClock(const Trace& trace, const CycleView& whole, Unit unit)
    : trace_(trace), whole_(whole), unit_(unit) {
    for (const CycleSummary& cycle : whole.cycles)
        if (cycle.total_ms() > 0) {
            timed_ = true;
            break;
        }
    if (!whole.cycles.empty()) total_ = span(whole.cycles.back()).end();
}

double RunClock::length(const CycleSummary& cycle, std::size_t event) const {
    if (!timed_) return 1;
    const Event& e = trace_[event];
    if (const auto* draft = std::get_if<Drafted>(&e)) {
        const auto at = std::ranges::find(cycle.drafts, draft, &DraftSlot::draft);
        return at == cycle.drafts.end() ? 0 : at->ms + at->head_ms;
    }
    if (std::holds_alternative<Verified>(e)) return cycle.empty_draft_ms + cycle.verify_ms;
    return std::holds_alternative<Committed>(e) ? cycle.other_ms : 0;
}

double RunClock::scale(const CycleSummary& cycle) const {
    if (unit_ == Unit::ms) return 1;
    const Span all = raw(cycle);
    const double length = all.end() - all.start;
    return length > 0 ? 1 / length : 1;
}

RunClock::Span RunClock::span(const CycleSummary& cycle) const {
    const Span all = raw(cycle);
    if (unit_ == Unit::ms) return all;
    const double by = scale(cycle);
    const auto at = std::ranges::lower_bound(whole_.cycles, cycle.first_event, {}, &CycleSummary::first_event);
    return {static_cast<double>(at - whole_.cycles.begin()), all.draft * by, all.verify * by, all.rest * by};
}

RunClock::Span RunClock::raw(const CycleSummary& cycle) const {
    if (timed_) return {cycle.start_ms, cycle.draft_ms, cycle.verify_ms, cycle.other_ms};
    const double first = static_cast<double>(cycle.first_event - whole_.cycles.front().first_event);
    const double drafts = static_cast<double>(cycle.drafts.size()), verify = cycle.verify ? 1 : 0;
    const double events = static_cast<double>(cycle.end_event - cycle.first_event);
    return {first, drafts, verify, std::max(0.0, events - drafts - verify)};
}

double RunClock::at(std::size_t cursor) const {
    const auto& cycles = whole_.cycles;
    // The last cycle that began before the cursor.
    auto it = std::ranges::upper_bound(cycles, cursor, {}, &CycleSummary::first_event);
    if (it == cycles.begin()) return 0;
    --it;
    if (it->first_event >= cursor) return span(*it).start;
    double time = span(*it).start;
    for (std::size_t i = it->first_event; i < std::min(cursor, it->end_event); ++i) time += length(*it, i) * scale(*it);
    return std::min(time, total_);
}

std::size_t RunClock::cursor(double time) const {
    const auto& cycles = whole_.cycles;
    if (cycles.empty()) return whole_.events;
    std::size_t best = 0;
    for (std::size_t lo = 0, hi = cycles.size(); lo < hi;) {
        const std::size_t mid = (lo + hi) / 2;
        if (span(cycles[mid]).start <= time) {
            best = mid;
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    const CycleSummary& cycle = cycles[best];
    double at = span(cycle).start;
    for (std::size_t i = cycle.first_event; i < cycle.end_event; ++i) {
        at += length(cycle, i) * scale(cycle);
        if (at >= time) return i + 1;
    }
    return cycle.end_event;
}

} // namespace speclens
