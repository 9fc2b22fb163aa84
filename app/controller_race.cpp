// The controller's side of the race: what is asked of the engine, and the clock that all lanes share.
#include <algorithm>

#include "app/controller.h"
#include "engine/drafter.h"
#include "scenes/race_model.h"

namespace speclens {
namespace {

constexpr double kRaceSeconds = 12; // a race that was over sooner is slowed down to this

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
    race_wish_ = std::move(settings);
    race_ms_ = -1;
    playing_ = false;
    race_sent_ = has_engine();
    if (port_.send) port_.send(StartRace{race_wish_});
}

void Controller::enter_race() {
    if (race_sent_ || !has_engine() || status_.ready_drafters.empty() ||
        status_.state == EngineStatus::State::loading)
        return;
    wish_race(race_wish_.base);
}

void Controller::observe_race(const std::shared_ptr<const RaceView>& race) {
    race_ = race;
    if (in_race()) enter_race(); // the models may have come just now
}

double Controller::race_clock() const {
    if (!race_) return 0;
    return race_ms_ < 0 ? race_rest(*race_, race_rounds_) : race_ms_;
}

double Controller::race_pace() const {
    if (!race_) return 0;
    const double end = race_end(*race_, race_rounds_);
    return (race_rounds_ ? end / kRaceSeconds : std::min(1000.0, end / kRaceSeconds)) * speed_;
}

void Controller::tick_race(double now) {
    if (!in_race() || !playing_ || !race_) {
        race_tick_ = -1;
        return;
    }
    const double end = race_end(*race_, race_rounds_);
    if (race_tick_ >= 0) race_ms_ = std::min(end, race_clock() + (now - race_tick_) * race_pace());
    race_tick_ = now;
    if (race_ms_ >= end && race_->lanes_finished()) playing_ = false;
}

void Controller::move_race(Move where, double now) {
    if (!race_) return;
    if (where != Move::play) playing_ = false;
    const double at = race_clock(), end = race_end(*race_, race_rounds_);
    const auto next = [&](int lane) {
        for (const double stop : race_stops(*race_, lane, race_rounds_))
            if (stop > at + 1e-6) return stop;
        return end;
    };
    const auto previous = [&](int lane) {
        double found = 0;
        for (const double stop : race_stops(*race_, lane, race_rounds_))
            if (stop < at - 1e-6) found = stop;
        return found;
    };
    const int lane =
        std::min(race_lane_ >= 0 ? race_lane_ : kRaceLanes - 1, static_cast<int>(race_->lanes.size()) - 1);
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
        if (playing_ && at >= end - 1e-6) race_ms_ = 0;
        break;
    case Move::verify:
    case Move::rejection:
        say("Open a lane with Enter to look at its rounds", now);
        break;
    }
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
    race_wish_.lanes = race_entries(names, race_wish_.base);
    start_race(race_wish_);
}

void Controller::open_lane(int lane) {
    if (!race_ || lane < 0 || lane >= static_cast<int>(race_->lanes.size())) return;
    RunSettings settings = race_->lanes[static_cast<std::size_t>(lane)].settings;
    settings.trace_top = settings_.trace_top;
    settings.timing = settings_.timing;
    open_scene("loop");
    restart(std::move(settings));
}

} // namespace speclens
