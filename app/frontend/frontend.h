// What the command line asks of the drawing side: open the window, render a frame to a file, describe a
// frame. Implemented in app/window/shell.cpp and app/render/render.cpp; the command line itself knows no ImGui.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/batch/sweep.h"
#include "engine/lab/head_training.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/race.h"
#include "engine/lab/study.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/engine_status.h"
#include "engine/run/other_drafter_round.h"
#include "engine/run/replay.h"
#include "engine/run/session_commands.h"
#include "engine/run/trace.h"
#include "remote/client/server_view.h"

namespace speclens {

// A place within a scene, as links name it.
struct FramePlace {
    int beat = 0;                                     // from 1; of a scene that the cursor drives: a step; 0: none named
    std::size_t at = 0;                               // events shown; of a stepped race: steps; 0: none named
    std::optional<std::pair<int, int>> selected = {}; // cycle and draft token, from 0
};

// A frame of the window: a scene, a place in it, and the run that it shows.
struct SceneView {
    std::string scene = "loop";
    FramePlace place = {};
    RunSettings settings = {};
    RaceSettings race = {};                  // lanes may be empty: the default ones
    std::string model = {};                  // what it is of (engine/models/model_names.h); empty: whatever is loaded
    std::optional<Precision> precision = {}; // of products in it; nothing: not said, which of the built-in model means f32
};

// A lecture as the window goes through it: one frame after another.
struct LectureView {
    struct Step {
        std::string title, notes;
        double minutes = 0; // planned; 0: not said
        SceneView view;
        // For a model that it was not written on (app/views/lecture.h).
        std::string needs = {};              // the drafter, without which it shows nothing of what it tells; empty: anything will do
        std::string find = {};               // the place in that model's run
        std::string found_notes = {};        // what is said there; empty: the notes
        std::filesystem::path recorded = {}; // the run that it was written on; empty: it was not kept
    };
    std::string title;
    std::vector<Step> steps; // empty: no lecture
};

// How the window reads what only the command line understands. Each throws Error; may be empty.
struct ViewReader {
    std::function<SceneView(const std::string& link)> link;
    std::function<LectureView(const std::string& file)> lecture;
    std::vector<std::pair<std::string, std::string>> lectures;              // title and file of those that came with the program
    std::function<std::vector<std::pair<std::string, std::string>>()> list; // the same anew, when another language is spoken
};

struct WindowRequest {
    ModelPaths models;
    SceneView view;
    LectureView lecture;
    ViewReader read;
    std::vector<std::pair<std::string, std::string>> folders; // "model" or a drafter, and its folder as typed: for links
    std::filesystem::path session;                            // a saved trace to open instead of a live run; empty: live; "-": one that
                                                              // arrives on standard input
    const std::atomic<bool>* stop = nullptr;                  // set: waiting for that ends
    std::string attach;                                       // address of a server to attach to; empty: none
    std::string server_key;                                   // sent with what it is asked; empty: none
    bool introduces = false;                                  // nothing particular is asked for: who has not seen the opening sees it
    bool remembers = false;           // preferences are read and kept (app/frame/preferences.h); below, what goes first
    std::optional<std::string> theme; // dark, light, contrast
    std::optional<float> zoom;
    std::string language = "en";                     // in which the window opens: language_of_window()
    std::optional<std::string> chosen_language = {}; // by an option, which is kept; empty: that of the environment
    std::optional<std::string> links_to = {};        // address of a page, by an option, which is kept; empty: speclens://
    bool presenter = false;
    int width = 1600, height = 1000;
};
// Which language a window opens in: `asked` ("de", "auto"), else the one that was chosen in a window before, else that of the
// environment. Throws Error (usage) for one without texts.
[[nodiscard]] std::string language_of_window(const std::optional<std::string>& asked, bool remembers);
// From now on pictures speak this language (docs/languages.md). Throws Error.
void speak(const std::string& language);
// What of stories and labels is not translated, or was translated from an English text that has changed: one line each.
[[nodiscard]] std::vector<std::string> texts_to_translate(const std::string& language);

// Blocks until the window is closed. Throws Error(Exit::display) when there is no display.
void open_window(const WindowRequest& request);

struct FrameRequest {
    std::string scene;                                // "loop"
    int beat = -1;                                    // story beat or step; -1: the most telling one (a rejection if there is one)
    std::size_t cursor = 0;                           // events shown; 0: chosen by the beat
    float moving = 1;                                 // how far the motion of the last of them is; 1: at rest
    std::optional<std::pair<int, int>> selected = {}; // cycle and draft token, from 0; absent: as the scene chooses
    int width = 1600, height = 1000;
    std::string theme = "dark";
    float zoom = 0;         // 0: as it fits the size
    bool presenter = false; // large type, fewer parts
    bool kept = false;      // somebody else looks at it later: what was live is recorded by then, and there is nothing to do
    double plain_ms_per_token = 0;
    std::shared_ptr<const RaceView> race = {};     // for the scene "race"
    double race_ms = -1;                           // its clock; -1: the moment at which the first lane finishes
    Answers answers = {};                          // to what frame_wants() asked for
    std::shared_ptr<const ServerView> server = {}; // for the scene "server"; may be null
};
// What a frame is drawn of; the trace may be null.
struct FrameRun {
    std::shared_ptr<const Trace> trace;
    RunSettings settings;
    EngineStatus status;
};
// Draws one frame of a finished or stepped trace; the file's ending decides PNG or SVG. Needs no display.
// Without distributions among its answers the scene of the accept rule uses the recorded heads.
void render_frame(const FrameRequest& request, const FrameRun& run, const std::filesystem::path& file);
// What to say of a frame that shows a part of its scene only, because the size is small for the zoom; empty:
// it shows all.
[[nodiscard]] std::string part_words(const FrameRequest& request);
// How many beats or steps the scene has with this run: what `beat` may be, from 1.
[[nodiscard]] int frame_beats(const FrameRequest& request, const FrameRun& run);
// How long the step moves that leads to this frame, in seconds; 0: nothing moves there.
[[nodiscard]] double frame_motion(const FrameRequest& request, const FrameRun& run);
// The same for several frames, one after another: by the ending of `file` an animated GIF or a film (.mp4, .webm), which an
// encoder of the distribution writes.
struct AnimationFrame {
    FrameRequest request;
    int ms = 1500; // how long it is shown
};
void render_animation(const std::vector<AnimationFrame>& frames, const FrameRun& run, const std::filesystem::path& file);
// Films count time in so many milliseconds; GIFs, which readers show no faster, in more.
inline constexpr int kVideoTick = 40, kGifTick = 50;
// Throws Error where no encoder for films is installed.
void check_video(const std::filesystem::path& file);
// What this frame would show more with: cycles to replay, runs to measure. The caller answers in the request.
[[nodiscard]] std::vector<Command> frame_wants(const FrameRequest& request, const FrameRun& run);
// The same frame in words.
[[nodiscard]] std::string describe_frame(const FrameRequest& request, const FrameRun& run);
// The same as data: "speclens-words/1", docs/languages.md.
[[nodiscard]] std::string frame_messages(const FrameRequest& request, const FrameRun& run);
// The numbers of each plot in it, as it is drawn: a table, and a specification of Vega-Lite 5 with the same numbers in it.
struct PlotFiles {
    std::string csv, specification;
};
[[nodiscard]] std::vector<PlotFiles> frame_plots(const FrameRequest& request, const FrameRun& run);
// The position the accept-rule scene shows for this request: (cycle, index), so that the caller can fetch its
// distributions.
[[nodiscard]] std::optional<std::pair<int, int>> shown_position(const FrameRequest& request, const Trace& trace);

// Ends of the rounds of all lanes on the race's clock, ascending from 0.
[[nodiscard]] std::vector<double> race_stop_times(const RaceView& race);

struct SceneName {
    int number;
    std::string name;
    std::string title;
};
[[nodiscard]] std::vector<SceneName> scene_names();              // scenes that exist
[[nodiscard]] std::string scene_called(const std::string& word); // "loop" for loop and S1; empty: there is none
[[nodiscard]] std::string font_report();                         // which font files were found, for `speclens check`
[[nodiscard]] std::string display_report();                      // whether a window can be opened, and why not

} // namespace speclens
