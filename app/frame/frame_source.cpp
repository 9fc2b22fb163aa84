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
        if (other) whole_ = CycleView();
        fold_on(whole_, *trace_, available);
        altered_ = whole_.stopped && whole_.header && whole_.header->tier == "RECORDED" && !trace_->intact();
    }
    if (other || view_.events != cursor || view_.times_revision != times) {
        if (other || view_.events > cursor) view_ = CycleView(); // events cannot be taken back
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

// One past the replacement of this cycle: its end without the commit, where ghosts and replacement are both
// fresh.
std::size_t before_commit(const CycleSummary& cycle) {
    return cycle.complete() ? cycle.end_event - 1 : cycle.end_event;
}

const CycleSummary* telling_cycle(const CycleView& whole, bool& settled) {
    const CycleSummary* rejected = nullptr;
    for (const CycleSummary& cycle : whole.cycles) {
        const bool lost = std::ranges::any_of(
            cycle.drafts, [](const DraftSlot& s) { return s.state == DraftSlot::State::rejected; });
        if (!lost || !cycle.complete()) continue;
        if (cycle.accepted > 0) {
            settled = true;
            return &cycle;
        }
        if (!rejected) rejected = &cycle;
    }
    settled = whole.stopped || whole.failed;
    if (rejected) return rejected;
    return whole.cycles.empty() ? nullptr : &whole.cycles.front();
}

} // namespace

MostInstructive telling_cursor(const CycleView& whole) {
    MostInstructive telling;
    const CycleSummary* cycle = telling_cycle(whole, telling.settled);
    if (!cycle) return {whole.events, telling.settled};
    telling.cursor = cycle->complete() && cycle->resample && cycle->resample->from != TargetToken::From::target
                         ? before_commit(*cycle)
                         : cycle->end_event;
    return telling;
}

MostInstructive opening_cursor(const CycleView& whole) {
    if (whole.cycles.empty()) return {whole.events, whole.stopped != nullptr || whole.failed != nullptr};
    const CycleSummary& first = whole.cycles.front();
    return {std::min(first.end_event, first.first_event + 1), true};
}

std::size_t telling_step(const CycleView& whole, int step) {
    bool settled = false;
    const CycleSummary* cycle = telling_cycle(whole, settled);
    if (!cycle) return whole.events;
    return std::min(cycle->end_event, cycle->first_event + static_cast<std::size_t>(std::max(0, step)));
}

int telling_steps(const CycleView& whole) {
    bool settled = false;
    const CycleSummary* cycle = telling_cycle(whole, settled);
    return cycle ? static_cast<int>(cycle->end_event - cycle->first_event) : 0;
}

const CycleSummary* shown_round(const SceneInput& input) {
    const CycleSummary* now = input.view->current();
    if (!input.selected && !now) return nullptr;
    const int cycle = input.selected ? input.selected->cycle : now->cycle;
    const auto found = std::ranges::find(input.whole->cycles, cycle, &CycleSummary::cycle);
    return found == input.whole->cycles.end() ? nullptr : &*found;
}

} // namespace speclens
