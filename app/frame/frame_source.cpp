#include "app/frame/frame_source.h"

#include <algorithm>

namespace speclens {

void FrameSource::update(std::shared_ptr<const Trace> trace, std::size_t cursor) {
    const std::size_t available = trace->size();
    cursor = std::min(cursor, available);
    const bool other = trace != trace_;
    const std::uint64_t times = trace->times_revision();
    trace_ = std::move(trace);
    if (other || whole_.events != available || whole_.times_revision != times) {
        if (other) whole_ = RunView();
        fold_on(whole_, *trace_, available);
        altered_ = whole_.stopped && whole_.header && whole_.header->tier == "RECORDED" && !trace_->intact();
    }
    if (other || view_.events != cursor || view_.times_revision != times) {
        if (other || view_.events > cursor) view_ = RunView(); // events cannot be taken back
        fold_on(view_, *trace_, cursor);
        hashed_ = false;
    }
}

std::uint64_t FrameSource::hash() {
    // Behind its end a run has the hash that it was stopped with, which the terminal prints.
    if (!hashed_) hash_ = view_.stopped ? view_.stopped->hash : trace_->hash(view_.events);
    hashed_ = true;
    return hash_;
}

void FrameSource::fill(SceneInput& input) const {
    input.trace = trace_.get();
    input.view = &view_;
    input.whole = &whole_;
    input.cursor = view_.events;
    input.available = whole_.events;
}

std::shared_ptr<const Trace> empty_trace() {
    return std::make_shared<Trace>([](int) { return std::string(); });
}

namespace {

// One past the replacement of this round: its end without the commit, where ghosts and replacement are both
// fresh.
std::size_t before_commit(const RoundSummary& round) { return round.complete() ? round.end_event - 1 : round.end_event; }

const RoundSummary* telling_round(const RunView& whole, bool& settled) {
    const RoundSummary* rejected = nullptr;
    for (const RoundSummary& round : whole.round_list) {
        const bool lost = std::ranges::any_of(round.drafts, [](const DraftSlot& s) { return s.state == DraftSlot::State::rejected; });
        if (!lost || !round.complete()) continue;
        if (round.accepted > 0) {
            settled = true;
            return &round;
        }
        if (!rejected) rejected = &round;
    }
    settled = whole.stopped || whole.failed;
    if (rejected) return rejected;
    return whole.round_list.empty() ? nullptr : &whole.round_list.front();
}

} // namespace

MostInstructive telling_cursor(const RunView& whole) {
    MostInstructive telling;
    const RoundSummary* round = telling_round(whole, telling.settled);
    if (!round) return {whole.events, telling.settled};
    telling.cursor = round->complete() && round->resample && round->resample->from != TargetToken::From::target ? before_commit(*round)
                                                                                                                : round->end_event;
    return telling;
}

MostInstructive opening_cursor(const RunView& whole) {
    if (whole.round_list.empty()) return {whole.events, whole.stopped != nullptr || whole.failed != nullptr};
    const RoundSummary& first = whole.round_list.front();
    return {std::min(first.end_event, first.first_event + 1), true};
}

std::size_t telling_step(const RunView& whole, int step) {
    bool settled = false;
    const RoundSummary* round = telling_round(whole, settled);
    if (!round) return whole.events;
    return std::min(round->end_event, round->first_event + static_cast<std::size_t>(std::max(0, step)));
}

int telling_steps(const RunView& whole) {
    bool settled = false;
    const RoundSummary* round = telling_round(whole, settled);
    return round ? static_cast<int>(round->end_event - round->first_event) : 0;
}

const RoundSummary* chosen_round(const SceneInput& input) {
    const RoundSummary* now = input.view->current();
    if (!input.selected && !now) return nullptr;
    const int round = input.selected ? input.selected->round : now->round;
    const auto found = std::ranges::find(input.whole->round_list, round, &RoundSummary::round);
    return found == input.whole->round_list.end() ? nullptr : &*found;
}

} // namespace speclens
