// The race: what is asked of the engine, and the clock that all its lanes share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/frame/controller_common.h"
#include "engine/lab/race.h"
#include "engine/session/snapshot.h"
#include "scenes/shared/history.h"

namespace speclens {

class RacePart {
  public:
    RacePart(ControllerCommon& common, const RunSettings& base) : common_(common) { wish_.base = base; }

    void observe(const Snapshot& published);
    void tick(double now); // of the open race scene
    void fill(SceneInput& in, bool open) const;
    [[nodiscard]] const std::shared_ptr<const RaceView>& shown() const { return saved_ ? saved_ : wish_.stepped ? stepped_ : timed_; }
    [[nodiscard]] bool saved() const { return saved_ != nullptr; }
    [[nodiscard]] bool in_steps() const { return saved_ ? saved_->settings.stepped : wish_.stepped; }
    [[nodiscard]] bool goes_on() const { return !saved_ && shown() && !shown()->ended_early && !shown()->finished(); }

    // What the next race is, or the one on screen was. No lanes: not decided yet.
    [[nodiscard]] const RaceSettings& wish() const { return wish_; }
    void expect(RaceSettings settings) { wish_ = std::move(settings); } // asks for nothing yet
    void enter();                                                       // starts one when none fits
    void follow(const RunSettings& run); // the first one is of this run's prompt and dice, unless somebody asked for another
    // Others can run than before: a race of the usual lanes that nobody looked into is made again, with them.
    void drafters_came(const std::vector<std::string>& before);
    void start(RaceSettings settings);
    void start_with(RunSettings base); // the lanes that there are, else the default ones
    void change(RunSettings base);     // the same, and can be taken back
    void view(RaceSettings settings);  // starts it where none like it is there
    void open(std::shared_ptr<const RaceView> saved);
    [[nodiscard]] bool settle(std::size_t step);                                     // goes there, as soon as it is there; false: not yet
    void forget(const RunSettings& base, const std::vector<GalleryPrompt>& prompts); // it was of other models

    void view_prompt_of(const RunSettings& run); // by the lanes that raced last
    void leave();                                // a step of a lecture: what the race measures still would be beside the next one
    void toggle_lane(const std::string& drafter, double now);
    void toggle_stepped();
    void toggle_clock(double now);
    void set_clock(double ms);
    void focus(int lane) { lane_ = lane >= 0 ? lane : kRaceLanes - 1; }
    void from_the_start() { rounds_ = false; }
    [[nodiscard]] std::optional<std::size_t> step() const; // of a stepped race, where somebody put it
    void move(Move where, double now);

    [[nodiscard]] const RaceSettings* next(bool forward) const { return history_.next(forward); } // taking back leads there
    void take_back(bool forward);

  private:
    [[nodiscard]] bool by_rounds() const; // its clock
    [[nodiscard]] double clock() const;
    [[nodiscard]] double pace() const;                    // ms of the race per second
    void end_stepped(bool stepped) const;                 // where the next one is timed: an open stepped race would keep it waiting
    [[nodiscard]] std::vector<std::string> lanes() const; // drafters; the default ones where none was chosen
    void begin_with(RunSettings base);
    void send(RaceSettings settings);
    void step_lanes(Stride stride); // to the next step; the engine makes it where there is none yet
    void move_stepped(Move where, double now);
    void move_timed(Move where, double now);

    ControllerCommon& common_;
    RaceSettings wish_;
    bool asked_ = false;         // for a race of certain settings, by a link or a lecture
    bool sent_ = false;          // what wish_ says was asked for
    bool default_lanes_ = false; // nobody chose the lanes
    std::shared_ptr<const RaceView> timed_, stepped_;
    std::shared_ptr<const RaceView> saved_; // hides them until another race is started
    double ms_ = -1;                        // -1: where it rests by itself; of a stepped race a number of steps, -1: the newest
    double tick_ = -1;                      // last tick while it plays
    bool rounds_ = false;
    int lane_ = kRaceLanes - 1;
    History<RaceSettings> history_;
};

} // namespace speclens
