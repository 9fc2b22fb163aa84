// Everything that a frame of a scene depends on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/batch/sweep.h"
#include "engine/doctor/diagnosis.h"
#include "engine/lab/head_training.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/race.h"
#include "engine/lab/study.h"
#include "engine/published/ablations.h"
#include "engine/published/published.h"
#include "engine/run/answers.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/engine_status.h"
#include "engine/run/gallery.h"
#include "engine/run/other_drafter_round.h"
#include "engine/run/replay.h"
#include "engine/run/run_settings.h"
#include "engine/run/run_view.h"
#include "engine/run/trace.h"
#include "remote/client/server_view.h"
#include "ui/widgets.h"

namespace speclens {

// What pictures are made of: the scenes and the frame around them need no prefix for it.
using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

// Plain decoding of the same prompt, measured in the same process: what the lower Gantt lane shows.
struct PlainTiming {
    double ms_per_token = 0; // median; 0 = not measured
};

// One column of a round: draft `index`, or the target's own token when index equals the number of drafts.
struct Position {
    int round = 0;
    int index = 0;
    bool operator==(const Position&) const = default;
};

// What the user has done since the window opened; a task of a beat is ticked when its deed is.
enum class Deed : std::uint32_t { stepped, stepped_back, found_rejection, selected, changed_run, forked, scrubbed };
[[nodiscard]] constexpr std::uint32_t deed_bit(Deed deed) { return 1U << static_cast<std::uint32_t>(deed); }

// A step that is not at rest yet.
struct StepMotion {
    std::size_t event = 0; // its index in the trace
    float t = 1;           // 0 … <1, by the clock
};

struct SceneInfo; // scenes/shared/scene.h

struct SceneInput : Answers {
    const Trace* trace = nullptr;                          // never null; may be empty while models load
    const RunView* view = nullptr;                         // fold(trace, cursor), made once per frame by the caller
    const RunView* whole = nullptr;                        // fold(trace, available)
    std::size_t cursor = 0;                                // events shown
    std::size_t available = 0;                             // trace size of this frame
    int beat = 0;                                          // story beat, for scenes that are not driven by the cursor
    std::vector<StepMotion> moving;                        // steps that are still in motion; see motion.h
    std::map<ui::Id, ui::Rect>* places = nullptr;          // where tokens are drawn, told by the scene for the output; may be null
    const RunSettings* settings = nullptr;                 // what the controls show (may differ from the header until restart)
    const std::vector<EarlierSettings>* earlier = nullptr; // of the rounds before a fork; may be null
    const EngineStatus* status = nullptr;
    PlainTiming plain;
    std::optional<Position> selected;             // column that was clicked; absent: the one the last event is about
    std::uint32_t deeds = 0;                      // set of deed_bit()
    const std::set<std::string>* asked = nullptr; // studies that whoever sits before this scene asked for in it; "": passes. May be null
    ui::Rect stage;                               // logical px
    ui::Rect story;                               // empty rectangles: region hidden (small window, presenter)
    ui::Rect details;
    ui::Rect controls;
    ui::Rect stage_clip;     // part of the stage that nothing covers; what lies outside is not drawn
    bool banner = false;     // a banner stands where the title would be
    bool strip = false;      // the story rectangle is the two-line strip of the compact layout
    bool presenter = false;  // large type for a room: fewer parts, and the story is one sentence
    bool still = false;      // a picture, no window: nobody will press a key
    bool kept = false;       // a picture that is sent to others: by then nothing in it is live
    bool lecture = false;    // a step of a lecture, which is turned to and not worked at
    std::string recorded_of; // the model of a recorded run that stands for such a step where the loaded one lacks a drafter; empty: none
    bool reduced_motion = false;
    bool letters_article = false; // notation switch: false: p target / q draft (papers), true: swapped letters

    // Of the race scene.
    const RaceView* race = nullptr;                      // null: none was started yet
    double race_ms = 0;                                  // the clock of all lanes; of a stepped race: the number of the step
    bool race_rounds = false;                            // the clock counts rounds of every lane instead of ms
    int race_lane = 0;                                   // the lane with the focus
    double race_pace = 0;                                // shown ms per second while it runs; 0: it does not
    const Published* figures = nullptr;                  // published figures; null: not loaded
    const std::vector<GalleryPrompt>* gallery = nullptr; // ready-made prompts; may be null
    const ServerView* server = nullptr;                  // somebody's server; null: none was asked for
    const Ablations* ablations = nullptr;                // the recipe's training experiments; may be null

    const SceneInfo* next = nullptr; // the scene that the last beat leads to; null: none
    bool playing = false;            // by itself, at the pace of a reader
    std::size_t told = 0;            // StoryTold::text of the story on screen, as the shell knows it

    // Whether this study, or passes, were asked for here and not by the page itself; a picture has nobody who could.
    [[nodiscard]] bool by_task(const std::string& study) const { return still || (asked && asked->contains(study)); }
};

} // namespace speclens
