// A scene draws one story from a trace and returns commands; it never calls the engine. A frame is a pure
// function of SceneInput (and of the scene's own State struct, which holds what the user dragged), so step
// back, deep links, headless rendering, golden files and text descriptions are all this one mechanism.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/batch/sweep.h"
#include "engine/lab/head_training.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/race.h"
#include "engine/lab/study.h"
#include "engine/published/ablations.h"
#include "engine/published/published.h"
#include "engine/run/answers.h"
#include "engine/run/control.h"
#include "engine/run/cycle_view.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/run/trace.h"
#include "engine/run/replay.h"
#include "remote/client/server_view.h"
#include "ui/widgets.h"

namespace speclens {

// Plain decoding of the same prompt, measured in the same process: what the lower Gantt lane shows.
struct PlainTiming {
    double ms_per_token = 0; // median; 0 = not measured
};

// One column of a cycle: draft `index`, or the target's own token when index equals the number of drafts.
struct Position {
    int cycle = 0;
    int index = 0;
    bool operator==(const Position&) const = default;
};

// What the user has done since the window opened; a task of a beat is ticked when its deed is.
enum class Deed : std::uint32_t {
    stepped,
    stepped_back,
    found_rejection,
    selected,
    changed_run,
    forked,
    scrubbed
};
[[nodiscard]] constexpr std::uint32_t deed_bit(Deed deed) {
    return 1U << static_cast<std::uint32_t>(deed);
}

// A step that is not at rest yet.
struct StepMotion {
    std::size_t event = 0; // its index in the trace
    float t = 1;           // 0 … <1, by the clock
};

struct SceneInfo; // below

// Everything a frame depends on.
struct SceneInput : Answers {
    const Trace* trace = nullptr;         // never null; may be empty while models load
    const CycleView* view = nullptr;      // fold(trace, cursor), made once per frame by the caller
    const CycleView* whole = nullptr;     // fold(trace, available)
    std::size_t cursor = 0;               // events shown
    std::size_t available = 0;            // trace size of this frame
    int beat = 0;                         // story beat, for scenes that are not driven by the cursor
    std::vector<StepMotion> moving;       // steps that are still in motion; see motion.h
    std::map<ui::Id, ui::Rect>* places = nullptr; // where tokens are drawn, told by the scene for the output; may be null
    const RunSettings* settings =
        nullptr; // what the controls show (may differ from the header until restart)
    const std::vector<EarlierSettings>* earlier = nullptr; // of the rounds before a fork; may be null
    const EngineStatus* status = nullptr;
    PlainTiming plain;
    std::optional<Position> selected; // column that was clicked; absent: the one the last event is about
    std::uint32_t deeds = 0;          // set of deed_bit()
    ui::Rect stage;                   // logical px
    ui::Rect story;                   // empty rectangles: region hidden (small window, presenter)
    ui::Rect details;
    ui::Rect controls;
    ui::Rect stage_clip;    // part of the stage that nothing covers; what lies outside is not drawn
    bool banner = false;    // a banner stands where the title would be
    bool strip = false;     // the story rectangle is the two-line strip of the compact layout
    bool presenter = false; // large type for a room: fewer parts, and the story is one sentence
    bool still = false;     // a picture, no window: nobody will press a key
    bool kept = false;      // a picture that is sent to others: by then nothing in it is live
    bool lecture = false;   // a step of a lecture, which is turned to and not worked at
    bool reduced_motion = false;
    bool letters_article =
        false; // notation switch: false: p target / q draft (papers), true: swapped letters

    // Of the race scene.
    const RaceView* race = nullptr;     // null: none was started yet
    double race_ms = 0;                 // the clock of all lanes; of a stepped race: the number of the step
    bool race_rounds = false;           // the clock counts rounds of every lane instead of ms
    int race_lane = 0;                  // the lane with the focus
    double race_pace = 0;               // shown ms per second while it runs; 0: it does not
    const Published* figures = nullptr; // published figures; null: not loaded
    const std::vector<GalleryPrompt>* gallery = nullptr; // ready-made prompts; may be null
    const ServerView* server = nullptr;                  // somebody's server; null: none was asked for
    const Ablations* ablations = nullptr;                // the recipe's training experiments; may be null

    const SceneInfo* next = nullptr; // the scene that the last beat leads to; null: none
    bool playing = false;   // by itself, at the pace of a reader
    std::size_t told = 0;   // StoryTold::text of the story on screen, as the shell knows it
};

// What the user asked for in this frame. Engine commands go to the Mailbox, the rest is the shell's.
enum class Move : std::uint8_t { step, back, cycle, cycle_back, verify, rejection, first, last, play };
struct Go {
    Move move;
};
struct SetCursor {
    std::size_t cursor;
};
struct SetBeat {
    int beat;
};
struct Select {
    std::optional<Position> position;
};
struct OpenScene {
    std::string name;
};
struct SetRaceClock {
    double ms;
};
struct ToggleRaceClock {}; // ms or rounds
struct ToggleStepped {};   // lanes one after another and timed, or all together step by step
struct FocusLane {
    int lane;
};
struct ToggleLane {
    std::string drafter;
};
struct OpenLane { // the run of this lane in the loop scene
    int lane;
};
struct PickRacePrompt { // of the gallery
    int row;
};
struct EditPrompt {};  // open the prompt editor
struct ShowDetails {}; // what was asked for is written there: open the drawer
struct ToggleLetters {};
struct StoryTold { // while it plays: a story that was not on screen before, which takes its time to read
    std::size_t text = 0; // hash of its words
    int words = 0;        // that are shown
};
using SceneCommand = std::variant<Command, Go, SetCursor, SetBeat, Select, OpenScene, SetRaceClock,
                                  ToggleRaceClock, ToggleStepped, FocusLane, ToggleLane, OpenLane,
                                  PickRacePrompt, EditPrompt, ShowDetails, ToggleLetters, StoryTold, ServerOrder>;

// What a beat tells of and what is not measured yet. Who asks the engine for it, and when, is decided in one place for all
// scenes: app/frame/ask_ahead.h for a window, frame_wants() for a picture.
struct Measurement {
    std::string name;
    Command ask;
    int beat = 0;     // the first that tells of it
    int pictured = 0; // the first whose picture shows it
};

class Scene {
  public:
    virtual ~Scene() = default;
    // Story beats; 0 for a scene that the cursor drives.
    [[nodiscard]] virtual int beats(const SceneInput& input) const = 0;
    // Draws stage, story, details and controls, and returns what was clicked, dragged or typed.
    virtual std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) = 0;
    // Whether the stage takes the whole window between menu and status bar.
    [[nodiscard]] virtual bool whole_window() const { return false; }
    // Whether it is about the run on screen; else output and timeline would be of something else, and the stage has their room.
    [[nodiscard]] virtual bool shows_run() const { return true; }
    // The same frame in words: every number that is visible, in reading order.
    [[nodiscard]] virtual std::string describe(const SceneInput& input) const = 0;
    // Whether a new run is looked at from its first round on; else where it shows most.
    [[nodiscard]] virtual bool from_the_beginning() const { return false; }
    // Where to look first in a finished run, as an event count; none: where other scenes look.
    [[nodiscard]] virtual std::optional<std::size_t> first_look(const CycleView&) const { return {}; }
    // The guess that the beat of `input` is about, where another round than the one on screen has what the beat must
    // show; none: what is on screen will do, or the run has no such guess.
    [[nodiscard]] virtual std::optional<Position> example(const SceneInput&) const { return {}; }
    // What is still to be measured for its beats; empty without models.
    [[nodiscard]] virtual std::vector<Measurement> missing(const SceneInput&) const { return {}; }
    // Undo and redo of what was set on this scene's own controls, before anything of the run is taken back.
    [[nodiscard]] virtual bool can_take_back(bool /*forward*/) const { return false; }
    virtual void take_back(bool /*forward*/) {}
    // Keys of this scene only, for the panel that `?` opens: "C", "flip the coin once".
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> keys() const { return {}; }
};

struct SceneInfo {
    int number = 0;    // S1 … S17
    const char* name;  // "loop", "accept-rule": render argument and link
    const char* title; // rail label
    const char* group; // "One round"
    const char* about; // "one round from guess to output", behind the title
    std::unique_ptr<Scene> (*make)();
};
// In the order of their numbers; generated from scenes.inc.
[[nodiscard]] const std::vector<SceneInfo>& scene_list();
// In rail order: what speculative decoding is good for, one round, who drafts, where it ends, and a server of one's own.
struct SceneGroup {
    const char* title;
    std::vector<const SceneInfo*> scenes;
};
[[nodiscard]] const std::vector<SceneGroup>& scene_groups();
// The scene `by` places further on in rail order; behind the last comes the first. `name` must be a scene's.
[[nodiscard]] const SceneInfo& scene_beside(const std::string& name, int by);
// By name or number ("S9"); nullptr: unknown.
[[nodiscard]] const SceneInfo* find_scene(const std::string& name);

} // namespace speclens
