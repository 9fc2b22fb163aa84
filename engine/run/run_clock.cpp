#include "engine/run/run_clock.h"

#include <algorithm>

namespace speclens {

RunClock::RunClock(const Trace& trace, const RunView& whole, Unit unit) : trace_(trace), whole_(whole), unit_(unit) {
    for (const RoundSummary& round : whole.round_list)
        if (round.total_ms() > 0) {
            timed_ = true;
            break;
        }
    if (!whole.round_list.empty()) total_ = span(whole.round_list.back()).end();
}

double RunClock::length(const RoundSummary& round, std::size_t event) const {
    if (!timed_) return 1;
    const Event& e = trace_[event];
    if (const auto* draft = std::get_if<Drafted>(&e)) {
        const auto at = std::ranges::find(round.drafts, draft, &DraftSlot::draft);
        return at == round.drafts.end() ? 0 : at->ms + at->head_ms;
    }
    if (std::holds_alternative<Verified>(e)) return round.empty_draft_ms + round.verify_ms;
    return std::holds_alternative<Committed>(e) ? round.other_ms : 0;
}

double RunClock::scale(const RoundSummary& round) const {
    if (unit_ == Unit::ms) return 1;
    const Span all = raw(round);
    const double length = all.end() - all.start;
    return length > 0 ? 1 / length : 1;
}

RunClock::Span RunClock::span(const RoundSummary& round) const {
    const Span all = raw(round);
    if (unit_ == Unit::ms) return all;
    const double by = scale(round);
    const auto at = std::ranges::lower_bound(whole_.round_list, round.first_event, {}, &RoundSummary::first_event);
    return {static_cast<double>(at - whole_.round_list.begin()), all.draft * by, all.verify * by, all.rest * by};
}

RunClock::Span RunClock::raw(const RoundSummary& round) const {
    if (timed_) return {round.start_ms, round.draft_ms, round.verify_ms, round.other_ms};
    const double first = static_cast<double>(round.first_event - whole_.round_list.front().first_event);
    const double drafts = static_cast<double>(round.drafts.size()), verify = round.verify ? 1 : 0;
    const double events = static_cast<double>(round.end_event - round.first_event);
    return {first, drafts, verify, std::max(0.0, events - drafts - verify)};
}

double RunClock::at(std::size_t cursor) const {
    const auto& rounds = whole_.round_list;
    // The last round that began before the cursor.
    auto it = std::ranges::upper_bound(rounds, cursor, {}, &RoundSummary::first_event);
    if (it == rounds.begin()) return 0;
    --it;
    if (it->first_event >= cursor) return span(*it).start;
    double time = span(*it).start;
    for (std::size_t i = it->first_event; i < std::min(cursor, it->end_event); ++i) time += length(*it, i) * scale(*it);
    return std::min(time, total_);
}

std::size_t RunClock::cursor(double time) const {
    const auto& rounds = whole_.round_list;
    if (rounds.empty()) return whole_.events;
    std::size_t best = 0;
    for (std::size_t lo = 0, hi = rounds.size(); lo < hi;) {
        const std::size_t mid = (lo + hi) / 2;
        if (span(rounds[mid]).start <= time) {
            best = mid;
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    const RoundSummary& round = rounds[best];
    double at = span(round).start;
    for (std::size_t i = round.first_event; i < round.end_event; ++i) {
        at += length(round, i) * scale(round);
        if (at >= time) return i + 1;
    }
    return round.end_event;
}

} // namespace speclens
