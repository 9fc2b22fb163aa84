// The cursor over the events of a run: steps, jumps, and looking for what is not there yet.
#include <algorithm>

#include "app/frame/controller.h"
#include "scenes/shared/motion.h"

namespace speclens {
namespace {

// Commands are recorded in the trace but are no step to look at.
bool is_step(const Event& event) {
    return !std::holds_alternative<Commanded>(event);
}

} // namespace

void Controller::go_to(std::size_t cursor, double now, bool with_motion) {
    cursor = std::clamp<std::size_t>(cursor, std::min<std::size_t>(1, source_.trace().size()),
                                     source_.trace().size());
    if (cursor == cursor_ && !with_motion) return;
    const CycleSummary* before = source_.view().current();
    const int cycle_before = before ? before->cycle : -1;
    cursor_ = cursor;
    source_.update(source_.shared(), cursor_);
    const CycleSummary* after = source_.view().current();
    if ((after ? after->cycle : -1) != cycle_before) selected_.reset();
    if (!with_motion) in_motion_.clear();
    std::erase_if(in_motion_, [&](const Stepped& step) { return now - step.at > 1; });
    if (with_motion && cursor > 0) in_motion_.push_back({cursor - 1, now});
}

std::vector<StepMotion> Controller::moving(double now) const {
    std::vector<StepMotion> steps;
    const Trace& trace = source_.trace();
    for (const Stepped& step : in_motion_) {
        if (step.event >= trace.size()) continue; // of a run that was replaced
        const double t = (now - step.at) / motion_seconds(trace[step.event], reduced_motion);
        if (t < 1) steps.push_back({step.event, static_cast<float>(std::max(0.0, t))});
    }
    return steps;
}

void Controller::step_forward(double now) {
    const std::size_t available = source_.trace().size();
    std::size_t next = cursor_;
    while (next < available && !is_step(source_.trace()[next])) ++next;
    if (next < available) {
        selected_.reset();
        go_to(next + 1, now, true);
    } else if (!ended() && seek_ == Seek::none) {
        seek(Seek::step, now);
    }
}

std::optional<std::size_t> Controller::found(Seek what) const {
    const Trace& trace = source_.trace();
    const std::size_t size = trace.size();
    for (std::size_t i = seek_from_; i < size; ++i) {
        const Event& e = trace[i];
        switch (what) {
        case Seek::step:
            if (is_step(e)) return i + 1;
            break;
        case Seek::rejection:
            if (const auto* check = std::get_if<Checked>(&e); check && !check->accepted) return i + 1;
            break;
        case Seek::verify:
            if (std::holds_alternative<Verified>(e)) return i + 1;
            break;
        case Seek::cycle:
            if (std::holds_alternative<Committed>(e)) return i + 1;
            break;
        case Seek::none:
            break;
        }
    }
    return std::nullopt;
}

// Goes to the event if it is there, else lets the engine run until it is.
void Controller::seek(Seek what, double now) {
    seek_ = what;
    seek_from_ = cursor_;
    selected_.reset();
    if (!found(what) && !ended() && port_.set_budget) {
        if (what == Seek::step && port_.add_budget)
            port_.add_budget(1);
        else
            port_.set_budget(Gate::kUnlimited);
    }
    tick(now);
}

// Goes to the round that the beat is about. A run that still grows may have it later.
void Controller::show_example(double now) {
    if (!example_due_ || in_race() || arriving_ || place_) return;
    const auto at = scene().example(scene_input(now));
    example_due_ = !at && !ended();
    if (!at) return;
    for (const CycleSummary& cycle : source_.whole().cycles)
        if (cycle.cycle == at->cycle) go_to(cycle.end_event, now, false);
    selected_ = at;
}

void Controller::move(Move where, double now) {
    place_.reset(); // the user goes where the user wants
    example_due_ = false;
    if (in_race()) return move_race(where, now);
    arriving_ = unmoved_ = false;
    if (where != Move::play) playing_ = false;
    switch (where) {
    case Move::step:
        did(Deed::stepped);
        step_forward(now);
        break;
    case Move::back: {
        did(Deed::stepped_back);
        std::size_t to = cursor_;
        while (to > 1 && !is_step(source_.trace()[to - 1])) --to;
        selected_.reset();
        go_to(to > 1 ? to - 1 : 1, now, false);
        break;
    }
    case Move::cycle:
        seek(Seek::cycle, now);
        break;
    case Move::cycle_back:
        go_to(previous_cycle_end(source_.trace(), cursor_), now, false);
        break;
    case Move::verify:
        did(Deed::stepped);
        seek(Seek::verify, now);
        break;
    case Move::rejection:
        seek(Seek::rejection, now);
        break;
    case Move::first:
        go_to(1, now, false);
        break;
    case Move::last:
        go_to(source_.trace().size(), now, false);
        break;
    case Move::play:
        playing_ = !playing_;
        next_play_ = now;
        told_ = 0;
        if (!playing_) break;
        if (const int count = beats(now); count > 0 && beats_[scene_name_] + 1 >= count)
            beats_[scene_name_] = 0;
        else if (count == 0 && cursor_ >= source_.trace().size() && ended())
            go_to(1, now, false);
        break;
    }
}

} // namespace speclens
