#include "app/frame/controller_race.h"

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "scenes/race/race_model.h"

namespace speclens {
namespace {

constexpr double kRaceSeconds = 12;  // a race that was over sooner is slowed down to this
constexpr double kStepSeconds = 0.4; // between two steps of a stepped race that plays, at speed 1

bool same_race(const RaceSettings& a, const RaceSettings& b) {
    return a.base.prompt == b.base.prompt && a.base.seed == b.base.seed && a.base.sampling == b.base.sampling &&
           a.base.draft_sampling == b.base.draft_sampling && a.base.rule_params == b.base.rule_params && a.base.options == b.base.options &&
           a.base.max_tokens == b.base.max_tokens && a.lanes == b.lanes;
}

// The same text, as `run` writes it.
void write_as(RunSettings& base, const RunSettings& run) {
    base.prompt = run.prompt;
    base.seed = run.seed;
    base.sampling = run.sampling;
    base.draft_sampling = run.draft_sampling;
    base.max_tokens = run.max_tokens;
}

} // namespace

// ---- what is asked for ----

std::vector<std::string> RacePart::lanes() const {
    std::vector<std::string> names;
    for (const RaceEntry& lane : wish_.lanes) names.push_back(lane.drafter);
    return names.empty() ? default_racers(common_.status.ready_drafters) : names;
}

void RacePart::end_stepped(bool stepped) const {
    if (wish_.stepped && !stepped) common_.send(EndSteppedRace{});
}

void RacePart::start_with(RunSettings base) {
    common_.dismiss();
    begin_with(std::move(base));
}

void RacePart::begin_with(RunSettings base) {
    const bool default_lanes = default_lanes_ || wish_.lanes.empty();
    wish_.base = std::move(base);
    wish_.lanes = race_entries(lanes(), wish_.base);
    send(wish_);
    default_lanes_ = default_lanes;
}

void RacePart::change(RunSettings base) {
    if (!(base == wish_.base) && !wish_.lanes.empty()) history_.keep(wish_);
    start_with(std::move(base));
}

void RacePart::start(RaceSettings settings) {
    common_.dismiss();
    send(std::move(settings));
}

void RacePart::send(RaceSettings settings) {
    end_stepped(settings.stepped);
    wish_ = std::move(settings);
    saved_ = nullptr;
    ms_ = -1;
    common_.player.playing = false;
    sent_ = common_.has_engine();
    default_lanes_ = false;
    common_.send(StartRace{wish_});
}

void RacePart::enter() {
    if (common_.chrome.opening.open) return; // its motion would be in the times
    const EngineStatus& status = common_.status;
    if (sent_ || saved_ || !common_.has_engine() || status.ready_drafters.empty() || status.state == EngineStatus::State::loading) return;
    begin_with(wish_.base); // what is complained about stays: nobody did anything
}

void RacePart::follow(const RunSettings& run) {
    if (sent_ || saved_ || asked_) return;
    write_as(wish_.base, run);
    for (RaceEntry& lane : wish_.lanes) lane = race_entries({lane.drafter}, wish_.base).front();
}

void RacePart::drafters_came(const std::vector<std::string>& before) {
    if (!sent_ || !default_lanes_ || saved_ || ms_ >= 0 || common_.player.playing) return;
    if (default_racers(before) == default_racers(common_.status.ready_drafters)) return;
    wish_.lanes.clear();
    sent_ = false; // enter() starts it
}

void RacePart::view(RaceSettings settings) {
    asked_ = true;
    const std::vector<std::string>& ready = common_.status.ready_drafters;
    const bool default_lanes = settings.lanes.empty();
    if (default_lanes && !ready.empty()) settings.lanes = race_entries(default_racers(ready), settings.base);
    if (sent_ && !saved_ && wish_.stepped == settings.stepped && same_race(wish_, settings)) return;
    if (!settings.lanes.empty()) {
        start(std::move(settings));
        default_lanes_ = default_lanes;
        return;
    }
    end_stepped(settings.stepped);
    wish_ = std::move(settings); // started once it is known who can run
    sent_ = false;
    saved_ = nullptr;
}

// Where no lane, or not every one, is home, it is none to come back to.
void RacePart::leave() {
    if (!goes_on() || in_steps()) return;
    common_.send(StopRace{});
    if (!shown()->lanes_finished()) sent_ = false;
}

void RacePart::open(std::shared_ptr<const RaceView> saved) {
    saved_ = std::move(saved);
    ms_ = -1;
    rounds_ = false;
}

void RacePart::forget(const RunSettings& base, const std::vector<GalleryPrompt>& prompts) {
    history_ = {};
    saved_ = nullptr;
    wish_.base = base;
    wish_.lanes.clear();
    if (!wish_.prompts.empty()) wish_.prompts = prompts;
    sent_ = false;
    ms_ = -1;
    lane_ = kRaceLanes - 1;
}

// A race that was of that already is only shown.
void RacePart::view_prompt_of(const RunSettings& run) {
    RaceSettings wish = wish_;
    write_as(wish.base, run);
    wish.stepped = false;
    wish.lanes = race_entries(lanes(), wish.base);
    if (!wish_.lanes.empty() && !same_race(wish_, wish)) history_.keep(wish_);
    view(std::move(wish));
}

void RacePart::toggle_lane(const std::string& drafter, double now) {
    std::vector<std::string> names;
    for (const RaceEntry& lane : wish_.lanes) names.push_back(lane.drafter);
    const auto found = std::ranges::find(names, drafter);
    if (found != names.end()) {
        if (names.size() == 1) return common_.say(frame_says("notice.needs_lane"_t), now);
        names.erase(found);
    } else {
        const std::vector<std::string>& ready = common_.status.ready_drafters;
        if (!is_ready(ready, drafter)) return common_.say(shared_says("other_drafter.cannot_run"_t, "drafter"_v = drafter), now);
        if (static_cast<int>(names.size()) >= kRaceLanes) return common_.say(frame_says("notice.lanes"_t, "lanes"_v = kRaceLanes), now);
        names.push_back(drafter);
    }
    history_.keep(wish_);
    wish_.lanes = race_entries(names, wish_.base);
    start(wish_);
}

void RacePart::toggle_stepped() {
    common_.player.playing = false;
    ms_ = -1;
    saved_ = nullptr;
    wish_.stepped = !wish_.stepped;
    if (!common_.has_engine()) return;
    if (!wish_.stepped) common_.send(EndSteppedRace{});
    // Back to a timed race that was measured with the same wishes: it is still there.
    if (wish_.stepped || !timed_ || !same_race(timed_->settings, wish_)) start(wish_);
}

void RacePart::take_back(bool forward) {
    RaceSettings to = history_.take(forward, wish_);
    to.stepped = wish_.stepped;
    start(std::move(to));
}

// ---- what is there ----

void RacePart::observe(const Snapshot& published) {
    timed_ = published.race;
    stepped_ = published.stepped;
}

void RacePart::fill(SceneInput& in, bool open) const {
    in.race = shown().get();
    in.race_ms = clock();
    in.race_rounds = by_rounds();
    in.race_lane = lane_;
    in.race_pace = common_.player.playing && open && !by_rounds() ? pace() : 0;
}

bool RacePart::settle(std::size_t step) {
    if (!shown()) return false;
    if (!in_steps() || step == 0) return true;
    if (!shown()->lanes_over()) {
        if (ms_ < 0) common_.send(StepRace{Stride::end});
        ms_ = 0; // asked once
        return false;
    }
    ms_ = std::min(race_end(*shown()), static_cast<double>(step));
    return true;
}

// ---- the clock ----

bool RacePart::by_rounds() const { return rounds_ || (shown() && race_of_table(*shown())); }

double RacePart::clock() const {
    if (!shown()) return 0;
    if (ms_ >= 0) return ms_;
    return in_steps() ? race_end(*shown()) : race_rest(*shown(), by_rounds());
}

double RacePart::pace() const {
    if (!shown()) return 0;
    const double end = race_end(*shown(), by_rounds());
    return (by_rounds() ? end / kRaceSeconds : std::min(1000.0, end / kRaceSeconds)) * common_.player.speed;
}

std::optional<std::size_t> RacePart::step() const {
    if (!in_steps() || ms_ < 0) return {};
    return static_cast<std::size_t>(ms_);
}

void RacePart::set_clock(double ms) {
    common_.player.playing = false;
    ms_ = ms;
}

void RacePart::toggle_clock(double now) {
    if (shown() && race_of_table(*shown())) return common_.say(frame_says("notice.table"_t), now);
    rounds_ = !rounds_;
    set_clock(-1);
}

void RacePart::tick(double now) {
    enter(); // the models may have come, or the opening is over
    Player& player = common_.player;
    if (!player.playing || !shown()) {
        tick_ = -1;
        return;
    }
    if (in_steps()) {
        if (now < player.next) return;
        player.next = now + kStepSeconds / player.speed;
        if (shown()->lanes_over() && clock() >= race_end(*shown()))
            player.playing = false;
        else
            step_lanes(Stride::phase);
        return;
    }
    const double end = race_end(*shown(), by_rounds());
    if (tick_ >= 0) ms_ = std::min(end, clock() + (now - tick_) * pace());
    tick_ = now;
    if (ms_ >= end && shown()->lanes_over()) player.playing = false;
}

void RacePart::step_lanes(Stride stride) {
    const double at = clock(), end = race_end(*shown());
    if (at < end && stride != Stride::end) {
        ms_ = stride == Stride::phase ? at + 1 : next_round(*shown(), at);
    } else {
        ms_ = -1;
        if (!saved_ && !shown()->lanes_over()) common_.send(StepRace{stride});
    }
}

void RacePart::move(Move where, double now) {
    if (!shown()) return;
    if (where == Move::verify || where == Move::rejection) common_.say(frame_says("notice.open_lane"_t), now);
    if (where == Move::step) common_.did(Deed::stepped);
    if (where == Move::back) common_.did(Deed::stepped_back);
    if (where == Move::first) ms_ = 0;
    common_.player.playing = where == Move::play && !common_.player.playing;
    in_steps() ? move_stepped(where, now) : move_timed(where, now);
}

void RacePart::move_stepped(Move where, double now) {
    const double at = clock();
    if (where == Move::step) step_lanes(Stride::phase);
    if (where == Move::round) step_lanes(Stride::round);
    if (where == Move::last) step_lanes(Stride::end);
    if (where == Move::back) ms_ = std::max(0.0, at - 1);
    if (where == Move::round_back) ms_ = previous_round(*shown(), at);
    if (where != Move::play) return;
    common_.player.next = now;
    if (common_.player.playing && shown()->lanes_over() && at >= race_end(*shown())) ms_ = 0;
}

void RacePart::move_timed(Move where, double now) {
    const double at = clock(), end = race_end(*shown(), by_rounds());
    const auto next = [&](int lane) {
        for (const double stop : race_stops(*shown(), lane, by_rounds()))
            if (stop > at + 1e-6) return stop;
        return end;
    };
    const auto previous = [&](int lane) {
        double found = 0;
        for (const double stop : race_stops(*shown(), lane, by_rounds()))
            if (stop < at - 1e-6) found = stop;
        return found;
    };
    const int lane = std::min(lane_, static_cast<int>(shown()->lanes.size()) - 1);
    if (where == Move::step) ms_ = next(-1);
    if (where == Move::back) ms_ = previous(-1);
    if (where == Move::round) ms_ = next(lane);
    if (where == Move::round_back) ms_ = previous(lane);
    if (where == Move::last) ms_ = end;
    if (where != Move::play) return;
    tick_ = now;
    // Where nobody has put the clock it rests at a finish, which is no place to begin.
    if (common_.player.playing && (ms_ < 0 || at >= end - 1e-6)) ms_ = 0;
}

} // namespace speclens
