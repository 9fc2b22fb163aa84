// Where one looks: what moves the cursor of a run, the beat of a story or the clock of a race, and what is gone to by itself.
#include <algorithm>
#include <utility>

#include "app/frame/controller.h"

namespace speclens {
namespace {

constexpr double kPlayStep = 0.55; // least seconds per step at speed 1

} // namespace

bool Controller::ended() const {
    const RunView& whole = cursor_.source.whole();
    return whole.stopped || whole.failed || !run_.grows();
}

int Controller::beats(double now) { return scene().beats(scene_input(now)); }

void Controller::step_beat(int by) {
    place_.reset(); // a run that is not over would lead back to its beat
    int& at = beats_[scene_name_];
    if (at + by >= beats(0)) {
        const SceneInfo& next = scene_beside(scene_name_, 1);
        beats_[next.name] = 0;
        open_scene(next.name);
    } else {
        at = std::max(0, at + by);
    }
}

void Controller::step_forward(double now) {
    if (!cursor_.step(now) && !ended() && !cursor_.seeking()) seek(CursorPart::Seek::step, now);
}

// Goes to the event if it is there, else lets the engine run until it is.
void Controller::seek(CursorPart::Seek what, double now) {
    cursor_.seek(what, ended());
    tick(now);
}

void Controller::move(Move where, double now) {
    using Seek = CursorPart::Seek;
    place_.reset(); // the user goes where the user wants
    arrival_.example_due = false;
    if (in_race()) return race_.move(where, now);
    arrival_.due = arrival_.unmoved = false;
    if (where != Move::play) common_.player.playing = false;
    if (where == Move::step || where == Move::verify) common_.did(Deed::stepped);
    if (where == Move::back) common_.did(Deed::stepped_back);
    switch (where) {
    case Move::step: return step_forward(now);
    case Move::back: return cursor_.step_back(now);
    case Move::round: return seek(Seek::round, now);
    case Move::round_back: return cursor_.go_to(previous_round_end(cursor_.source.trace(), cursor_.at()), now, false);
    case Move::verify: return seek(Seek::verify, now);
    case Move::rejection: return seek(Seek::rejection, now);
    case Move::first: return cursor_.go_to(1, now, false);
    case Move::last: return cursor_.go_to(cursor_.end(), now, false);
    case Move::play: return play(now);
    }
}

void Controller::play(double now) {
    Player& player = common_.player;
    player.playing = !player.playing;
    player.next = now;
    player.told = 0;
    if (!player.playing) return;
    const int count = beats(now);
    if (count > 0 && beats_[scene_name_] + 1 >= count)
        beats_[scene_name_] = 0;
    else if (count == 0 && cursor_.at() >= cursor_.end() && ended())
        cursor_.go_to(1, now, false);
}

void Controller::play_on(double now) {
    Player& player = common_.player;
    player.next = now + kPlayStep / player.speed;
    const int count = beats(now);
    const bool over = count > 0 ? beats_[scene_name_] + 1 >= count : cursor_.at() >= cursor_.end() && ended();
    if (over)
        player.playing = false;
    else
        count > 0 ? step_beat(1) : step_forward(now);
}

// Shows the first event worth seeing as soon as it is there; until then the end of what is there.
void Controller::arrive(double now) {
    const RunView& whole = cursor_.source.whole();
    if (arrival_.round) {
        if (run_.live() == arrival_.from) return; // the branch is not there yet
        for (const RoundSummary& round : whole.round_list) {
            if (round.round != *arrival_.round) continue;
            if (!round.complete() && !whole.stopped) break;
            arrival_.due = arrival_.unmoved = false;
            arrival_.round.reset();
            cursor_.go_to(round.complete() ? round.end_event - 1 : round.end_event, now, false);
            cursor_.selected = std::exchange(arrival_.draft, {});
            return;
        }
        if (!whole.stopped) return cursor_.go_to(cursor_.end(), now, false);
        arrival_.round.reset();
    }
    const MostInstructive telling = scene().from_the_beginning() ? opening_cursor(whole) : telling_cursor(whole);
    if (telling.settled || (!common_.run_ahead && whole.events >= 2) || whole.round_list.size() > 24) arrival_.due = false;
    cursor_.go_to(telling.cursor, now, false);
}

// Goes to the round that the beat is about. A run that still grows may have it later.
void Controller::show_example(double now) {
    if (!arrival_.example_due || in_race() || arrival_.due || place_) return;
    const auto at = scene().example(scene_input(now));
    arrival_.example_due = !at && !ended();
    if (!at) return;
    cursor_.show_round(at->round, now);
    cursor_.selected = at;
}

// A place is gone to once the run is there and long enough, or has come to its end.
void Controller::settle_place(double now) {
    if (in_race()) {
        if (race_.settle(place_->at)) place_.reset();
        return;
    }
    const RunView& whole = cursor_.source.whole();
    if (run_.due() || !whole.header) return;
    FramePlace place = *place_;
    const auto found = place_that_shows(place_shows_, whole);
    if (found) place.at = *found;
    if (place.at > 0 ? whole.events < place.at && !ended() : !ended()) return;
    place_.reset();
    if (std::exchange(place_shows_, Shows::nothing) != Shows::nothing && !found && lecture_.open())
        common_.say(frame_says("notice.not_shown"_t), now);
    const int beats = this->beats(now);
    if (beats > 0) beats_[scene_name_] = std::clamp(place.beat - 1, 0, beats - 1);
    const auto first = scene().first_look(whole);
    arrival_.example_due = beats > 0 && place.at == 0 && !place.selected;
    if (place.at > 0)
        cursor_.go_to(place.at, now, false);
    else if (beats == 0 && place.beat > 0)
        cursor_.go_to(telling_step(whole, place.beat), now, false);
    else if (beats > 0 && place.beat > 0 && first)
        cursor_.go_to(*first, now, false);
    else
        return; // where the window looks by itself
    arrival_.due = arrival_.unmoved = false;
    if (place.selected) cursor_.selected = Position{place.selected->first, place.selected->second};
}

} // namespace speclens
