// The controller's side of the race: what is asked of the engine, and the clock that all lanes share.
#include <algorithm>

#include "app/frame/controller.h"
#include "engine/drafters/drafter.h"
#include "scenes/race/race_model.h"

namespace speclens {
namespace {

constexpr double kRaceSeconds = 12;  // a race that was over sooner is slowed down to this
constexpr double kStepSeconds = 0.4; // between two steps of a stepped race that plays, at speed 1

bool same_race(const RaceSettings& a, const RaceSettings& b) {
    return a.base.prompt == b.base.prompt && a.base.token_ids == b.base.token_ids &&
           a.base.chat == b.base.chat && a.base.system == b.base.system &&
           a.base.thinking == b.base.thinking && a.base.seed == b.base.seed &&
           a.base.sampling == b.base.sampling && a.base.draft_sampling == b.base.draft_sampling &&
           a.base.rule_params == b.base.rule_params && a.base.options == b.base.options &&
           a.base.max_tokens == b.base.max_tokens && a.lanes == b.lanes;
}

} // namespace

void Controller::wish_race(RunSettings base) {
    race_wish_.base = std::move(base);
    std::vector<std::string> names;
    for (const RaceEntry& lane : race_wish_.lanes) names.push_back(lane.drafter);
    if (names.empty()) names = usual_racers(status_.ready_drafters);
    race_wish_.lanes = race_entries(names, race_wish_.base);
    start_race(race_wish_);
}

void Controller::start_race(RaceSettings settings) {
    // An open stepped race would keep a timed one waiting.
    if (race_wish_.stepped && !settings.stepped && port_.send) port_.send(EndSteppedRace{});
    race_wish_ = std::move(settings);
    saved_race_ = nullptr;
    race_ms_ = -1;
    playing_ = false;
    race_sent_ = has_engine();
    dismiss();
    if (port_.send) port_.send(StartRace{race_wish_});
}

void Controller::enter_race() {
    if (chrome.opening.open) return; // its motion would be in the times
    if (race_sent_ || saved_race_ || !has_engine() || status_.ready_drafters.empty() ||
        status_.state == EngineStatus::State::loading)
        return;
    wish_race(race_wish_.base);
}

void Controller::view_race(RaceSettings settings) {
    if (settings.lanes.empty() && !status_.ready_drafters.empty())
        settings.lanes = race_entries(usual_racers(status_.ready_drafters), settings.base);
    if (race_sent_ && !saved_race_ && race_wish_.stepped == settings.stepped &&
        same_race(race_wish_, settings))
        return;
    if (race_wish_.stepped && !settings.stepped && port_.send) port_.send(EndSteppedRace{});
    race_wish_.stepped = settings.stepped;
    if (!settings.lanes.empty()) return start_race(std::move(settings));
    race_wish_ = std::move(settings); // started once it is known who can run
    race_sent_ = false;
    saved_race_ = nullptr;
}

void Controller::show_race(std::shared_ptr<const RaceView> race) {
    saved_race_ = std::move(race);
    race_ms_ = -1;
    race_rounds_ = false;
    open_scene("race");
}

void Controller::observe_race(const Snapshot& published) {
    timed_ = published.race;
    stepped_ = published.stepped;
    if (in_race()) enter_race(); // the models may have come just now
}

bool Controller::race_by_rounds() const {
    return race_rounds_ || (race() && race_of_table(*race()));
}

double Controller::race_clock() const {
    if (!race()) return 0;
    if (race_ms_ >= 0) return race_ms_;
    return in_steps() ? race_end(*race()) : race_rest(*race(), race_by_rounds());
}

double Controller::race_pace() const {
    if (!race()) return 0;
    const double end = race_end(*race(), race_by_rounds());
    return (race_by_rounds() ? end / kRaceSeconds : std::min(1000.0, end / kRaceSeconds)) * speed_;
}

void Controller::tick_race(double now) {
    if (in_race()) enter_race(); // once the opening is over
    if (!in_race() || !playing_ || !race()) {
        race_tick_ = -1;
        return;
    }
    if (in_steps()) {
        if (now < next_play_) return;
        next_play_ = now + kStepSeconds / speed_;
        if (race()->lanes_over() && race_clock() >= race_end(*race()))
            playing_ = false;
        else
            step_lanes(Stride::phase);
        return;
    }
    const double end = race_end(*race(), race_by_rounds());
    if (race_tick_ >= 0) race_ms_ = std::min(end, race_clock() + (now - race_tick_) * race_pace());
    race_tick_ = now;
    if (race_ms_ >= end && race()->lanes_over()) playing_ = false;
}

void Controller::toggle_stepped() {
    playing_ = false;
    race_ms_ = -1;
    saved_race_ = nullptr;
    race_wish_.stepped = !race_wish_.stepped;
    if (!port_.send) return;
    if (!race_wish_.stepped) port_.send(EndSteppedRace{});
    // Back to a timed race that was measured with the same wishes: it is still there.
    if (race_wish_.stepped || !timed_ || !same_race(timed_->settings, race_wish_)) start_race(race_wish_);
}

void Controller::step_lanes(Stride stride) {
    const double at = race_clock(), end = race_end(*race());
    if (at < end && stride != Stride::end) {
        race_ms_ = stride == Stride::phase ? at + 1 : next_round(*race(), at);
    } else {
        race_ms_ = -1;
        if (!saved_race_ && !race()->lanes_over() && port_.send) port_.send(StepRace{stride});
    }
}

void Controller::move_stepped(Move where, double now) {
    const double at = race_clock();
    switch (where) {
    case Move::step:
        did(Deed::stepped);
        step_lanes(Stride::phase);
        break;
    case Move::cycle:
        step_lanes(Stride::round);
        break;
    case Move::back:
        did(Deed::stepped_back);
        race_ms_ = std::max(0.0, at - 1);
        break;
    case Move::cycle_back:
        race_ms_ = previous_round(*race(), at);
        break;
    case Move::first:
        race_ms_ = 0;
        break;
    case Move::last:
        step_lanes(Stride::end);
        break;
    case Move::play:
        playing_ = !playing_;
        next_play_ = now;
        if (playing_ && race()->lanes_over() && at >= race_end(*race())) race_ms_ = 0;
        break;
    case Move::verify:
    case Move::rejection:
        say("Open a lane with Enter to look at its rounds", now);
        break;
    }
}

void Controller::move_race(Move where, double now) {
    if (!race()) return;
    if (where != Move::play) playing_ = false;
    if (in_steps()) return move_stepped(where, now);
    const double at = race_clock(), end = race_end(*race(), race_by_rounds());
    const auto next = [&](int lane) {
        for (const double stop : race_stops(*race(), lane, race_by_rounds()))
            if (stop > at + 1e-6) return stop;
        return end;
    };
    const auto previous = [&](int lane) {
        double found = 0;
        for (const double stop : race_stops(*race(), lane, race_by_rounds()))
            if (stop < at - 1e-6) found = stop;
        return found;
    };
    const int lane =
        std::min(race_lane_ >= 0 ? race_lane_ : kRaceLanes - 1, static_cast<int>(race()->lanes.size()) - 1);
    switch (where) {
    case Move::step:
        did(Deed::stepped);
        race_ms_ = next(-1);
        break;
    case Move::back:
        did(Deed::stepped_back);
        race_ms_ = previous(-1);
        break;
    case Move::cycle:
        race_ms_ = next(lane);
        break;
    case Move::cycle_back:
        race_ms_ = previous(lane);
        break;
    case Move::first:
        race_ms_ = 0;
        break;
    case Move::last:
        race_ms_ = end;
        break;
    case Move::play:
        playing_ = !playing_;
        race_tick_ = now;
        // Where nobody has put the clock it rests at a finish, which is no place to begin.
        if (playing_ && (race_ms_ < 0 || at >= end - 1e-6)) race_ms_ = 0;
        break;
    case Move::verify:
    case Move::rejection:
        say("Open a lane with Enter to look at its rounds", now);
        break;
    }
}

// By the lanes that raced last, else the usual ones. A race that was of that already is only shown.
void Controller::race_prompt(double now) {
    if (in_race()) return say("This prompt is in the race: Ctrl+N writes another", now);
    RaceSettings wish = race_wish_;
    const RunSettings& shown = settings_;
    wish.base.prompt = shown.prompt;
    wish.base.system = shown.system;
    wish.base.token_ids = shown.token_ids;
    wish.base.chat = shown.chat;
    wish.base.chat_if_possible = shown.chat_if_possible;
    wish.base.thinking = shown.thinking;
    wish.base.seed = shown.seed;
    wish.base.sampling = shown.sampling;
    wish.base.draft_sampling = shown.draft_sampling;
    wish.base.max_tokens = shown.max_tokens;
    wish.stepped = false;
    std::vector<std::string> names;
    for (const RaceEntry& lane : wish.lanes) names.push_back(lane.drafter);
    if (names.empty()) names = usual_racers(status_.ready_drafters);
    wish.lanes = race_entries(names, wish.base);
    if (!race_wish_.lanes.empty() && !same_race(race_wish_, wish)) race_history_.keep(race_wish_);
    view_race(std::move(wish));
    open_scene("race");
}

void Controller::toggle_lane(const std::string& drafter, double now) {
    std::vector<std::string> names;
    for (const RaceEntry& lane : race_wish_.lanes) names.push_back(lane.drafter);
    const auto found = std::ranges::find(names, drafter);
    if (found != names.end()) {
        if (names.size() == 1) return say("A race needs a lane", now);
        names.erase(found);
    } else {
        if (std::ranges::find(status_.ready_drafters, drafter) == status_.ready_drafters.end())
            return say(drafter + " cannot run with these models", now);
        if (static_cast<int>(names.size()) >= kRaceLanes)
            return say("There are " + std::to_string(kRaceLanes) + " lanes: take one out first", now);
        names.push_back(drafter);
    }
    race_history_.keep(race_wish_);
    race_wish_.lanes = race_entries(names, race_wish_.base);
    start_race(race_wish_);
}

void Controller::open_lane(int lane) {
    if (!race() || lane < 0 || lane >= static_cast<int>(race()->lanes.size())) return;
    RunSettings settings = race()->lanes[static_cast<std::size_t>(lane)].settings;
    settings.trace_top = settings_.trace_top;
    settings.timing = settings_.timing;
    open_scene("loop");
    restart(std::move(settings));
}

} // namespace speclens
