// A scene draws one story from a trace and returns commands; it never calls the engine. A frame is a pure
// function of SceneInput (and of the scene's own State struct, which holds what the user dragged), so step
// back, deep links, headless rendering, golden files and text descriptions are all this one mechanism.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/run/session_commands.h"
#include "remote/client/server_view.h"
#include "scenes/shared/scene_input.h"
#include "ui/canvas_record.h"
#include "ui/widgets.h"

namespace speclens {

// What the user asked for in this frame. Engine commands go to the mailbox, the rest is the shell's.
enum class Move : std::uint8_t { step, back, round, round_back, verify, rejection, first, last, play };
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
struct EditLengths {}; // how K is chosen
struct NextStep {};    // of the lecture
struct OnBuiltIn {     // the same scene on the built-in model, which has every head, in a run that drafts with this one
    std::string drafter;
};
struct ShowDetails {}; // what was asked for is written there: open the drawer
struct ToggleLetters {};
struct StoryTold {        // while it plays: a story that was not on screen before, which takes its time to read
    std::size_t text = 0; // hash of its words
    int words = 0;        // that are shown
};
using SceneCommand = std::variant<Command, Go, SetCursor, SetBeat, Select, OpenScene, SetRaceClock, ToggleRaceClock, ToggleStepped,
                                  FocusLane, ToggleLane, OpenLane, PickRacePrompt, EditPrompt, ShowDetails, ToggleLetters, StoryTold,
                                  ServerOrder, EditLengths, OnBuiltIn, NextStep>;

// What a beat tells of and what is not measured yet. Who asks the engine for it, and when, is decided in one place for all
// scenes: app/frame/ask_ahead.h for a window, frame_wants() for a picture.
struct Measurement {
    std::string name;
    Command ask;
    int beat = 0;     // the first that tells of it
    int pictured = 0; // the first whose picture shows it
};

using KeyRows = std::vector<std::pair<std::string, Message>>;

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
    [[nodiscard]] std::string describe(const SceneInput& input) const;
    // The messages that say so, in the order of drawing (told_by() in in_words.h).
    [[nodiscard]] virtual std::vector<ui::ToldMessage> told(const SceneInput&) const { return {}; }
    // Whether a new run is looked at from its first round on; else where it shows most.
    [[nodiscard]] virtual bool from_the_beginning() const { return false; }
    // Where to look first in a finished run, as an event count; none: where other scenes look.
    [[nodiscard]] virtual std::optional<std::size_t> first_look(const RunView&) const { return {}; }
    // The guess that the beat of `input` is about, where another round than the one on screen has what the beat must
    // show; none: what is on screen will do, or the run has no such guess.
    [[nodiscard]] virtual std::optional<Position> example(const SceneInput&) const { return {}; }
    // What is still to be measured for its beats; empty without models.
    [[nodiscard]] virtual std::vector<Measurement> missing(const SceneInput&) const { return {}; }
    // Undo and redo of what was set on this scene's own controls, before anything of the run is taken back.
    [[nodiscard]] virtual bool can_take_back(bool /*forward*/) const { return false; }
    virtual void take_back(bool /*forward*/) {}
    // Keys of this scene only, for the panel that `?` opens: "C", "flip the coin once".
    [[nodiscard]] virtual KeyRows keys() const { return {}; }
};

// In rail order: what speculative decoding is good for, one round, who drafts, where it ends, and a server of one's own.
enum class RailGroup : std::uint8_t { why, round, drafters, limits, server };

struct SceneInfo {
    int number = 0;   // S1 … S19
    const char* name; // "loop", "accept-rule": render argument and link
    Said title;       // rail label
    Said about;       // "one round from guess to output", behind the title
    RailGroup group;
    std::unique_ptr<Scene> (*make)();
};
// In the order of their numbers; generated from scenes.inc.
[[nodiscard]] const std::vector<SceneInfo>& scene_list();
struct SceneGroup {
    Said title;
    std::vector<const SceneInfo*> scenes;
};
[[nodiscard]] const std::vector<SceneGroup>& scene_groups(); // in rail order
// The scene `by` places further on in rail order; behind the last comes the first. `name` must be a scene's.
[[nodiscard]] const SceneInfo& scene_beside(const std::string& name, int by);
// By name or number ("S9"); nullptr: unknown.
[[nodiscard]] const SceneInfo* find_scene(const std::string& name);

} // namespace speclens
