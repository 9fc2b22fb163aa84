#include "app/frame/controller_cursor.h"

#include <algorithm>
#include <utility>

#include "scenes/shared/motion.h"

namespace speclens {
namespace {

// Commands are recorded in the trace but are no step to look at.
bool is_step(const Event& event) { return !std::holds_alternative<Commanded>(event); }

bool is_sought(const Event& event, CursorPart::Seek what) {
    using Seek = CursorPart::Seek;
    const auto* check = std::get_if<Checked>(&event);
    return what == Seek::step        ? is_step(event)
           : what == Seek::rejection ? check && !check->accepted
           : what == Seek::verify    ? std::holds_alternative<Verified>(event)
                                     : std::holds_alternative<Committed>(event);
}

} // namespace

void CursorPart::stand(std::shared_ptr<const Trace> trace, std::size_t cursor) {
    source.update(std::move(trace), 0);
    at_ = cursor;
    selected.reset();
    seek_ = Seek::none;
}

void CursorPart::go_to(std::size_t cursor, double now, bool with_motion) {
    cursor = std::clamp<std::size_t>(cursor, std::min<std::size_t>(1, end()), end());
    if (cursor == at_ && !with_motion) return;
    const RoundSummary* before = source.view().current();
    const int round_before = before ? before->round : -1;
    at_ = cursor;
    source.update(source.shared(), at_);
    const RoundSummary* after = source.view().current();
    if ((after ? after->round : -1) != round_before) selected.reset();
    if (!with_motion) in_motion_.clear();
    std::erase_if(in_motion_, [&](const Stepped& step) { return now - step.at > 1; });
    if (with_motion && cursor > 0) in_motion_.push_back({cursor - 1, now});
}

void CursorPart::show_round(int round, double now) {
    for (const RoundSummary& one : source.whole().round_list)
        if (one.round == round) return go_to(one.end_event, now, false);
}

std::vector<StepMotion> CursorPart::moving(double now, bool reduced) const {
    std::vector<StepMotion> steps;
    for (const Stepped& step : in_motion_) {
        if (step.event >= end()) continue; // of a run that was replaced
        const double t = (now - step.at) / motion_seconds(source.trace()[step.event], reduced);
        if (t < 1) steps.push_back({step.event, static_cast<float>(std::max(0.0, t))});
    }
    return steps;
}

bool CursorPart::step(double now) {
    std::size_t next = at_;
    while (next < end() && !is_step(source.trace()[next])) ++next;
    if (next == end()) return false;
    selected.reset();
    go_to(next + 1, now, true);
    return true;
}

void CursorPart::step_back(double now) {
    std::size_t to = at_;
    while (to > 1 && !is_step(source.trace()[to - 1])) --to;
    selected.reset();
    go_to(to > 1 ? to - 1 : 1, now, false);
}

std::optional<std::size_t> CursorPart::found() const {
    for (std::size_t i = seek_from_; i < end(); ++i)
        if (is_sought(source.trace()[i], seek_)) return i + 1;
    return std::nullopt;
}

void CursorPart::seek(Seek what, bool over) {
    seek_ = what;
    seek_from_ = at_;
    selected.reset();
    const EnginePort& port = common_.port;
    if (found() || over || !port.set_budget) return;
    if (what == Seek::step && port.add_budget)
        port.add_budget(1);
    else
        port.set_budget(kUnlimitedPhases);
}

void CursorPart::follow_seek(bool over, double now) {
    const auto there = found();
    if (!there && !over) return;
    const Seek sought = std::exchange(seek_, Seek::none);
    if (there) {
        if (common_.port.set_budget && !common_.run_ahead && sought != Seek::step) common_.port.set_budget(0);
        go_to(*there, now, true);
        if (sought != Seek::rejection) return;
        common_.did(Deed::found_rejection);
        // Every scene shows the draft token that was asked for, also one that would choose another.
        const Checked& check = std::get<Checked>(source.trace()[*there - 1]);
        selected = Position{check.round, check.index};
    } else if (sought == Seek::rejection) { // what is not there is no place to go to; a step goes as far as it can
        common_.say(frame_says("notice.no_rejection"_t), now);
    } else {
        go_to(end(), now, false);
    }
}

} // namespace speclens
