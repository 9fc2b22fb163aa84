// One frame of the whole window: menu, rail, scene, output ribbon, timeline, status bar and popups. Pure: it
// draws FrameInput, keeps what it must in FrameUi, and returns what the user asked for. Knows no window.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/frame/actions.h"
#include "app/frame/frame_layout.h"
#include "app/frame/keys.h"
#include "app/frame/model_choices.h"
#include "app/frame/opening.h"
#include "app/frame/overlay.h"
#include "app/frame/saved_files.h"
#include "app/frontend/frontend.h"
#include "app/views/glossary.h"
#include "app/views/quiz.h"
#include "engine/fetch/fetch_job.h"
#include "engine/run/engine_status.h"
#include "engine/run/prompt_room.h"
#include "scenes/shared/scene.h"

namespace speclens {

enum class Popup : std::uint8_t {
    none,
    palette,
    prompt,
    keys,
    description,
    open_file,
    models,
    export_frame,
    fork,
    glossary,
    quiz,
    lengths
};

// What lives between frames of the chrome; owned by the shell.
struct FrameUi {
    int menu = -1;           // open menu
    bool menu_keyed = false; // it was opened by a key: its first row is chosen
    ui::Vec2 menu_mouse;     // where the pointer was when it was drawn last
    Popup popup = Popup::none;
    bool opened_now = false; // first frame of the popup: takes the focus
    std::string query;       // palette, paths
    Message problem, remedy; // why the Open dialog could not open that; empty: nothing failed
    QuizRound quiz;
    int row = 0;                              // chosen row of the palette or fork list
    std::string prompt, system;               // prompt editor
    bool chat = false, chat_at_first = false; // as the prompt editor has it, and as it opened
    RunSettings counted;                      // what `room` was counted of; a prompt is long to count
    PromptRoom room;
    std::string no_room; // why it cannot be counted: that run cannot start
    bool notes = false;  // of the lecture's step, beside everything else
    LayoutWish layout;
    int jump = 0; // regions that the focus is to go on; negative: back
    Overlay overlay;
    Opening opening;
    bool introduced = false;           // it was seen
    Density density = Density::full;   // of the last frame
    bool too_small_to_present = false; // it was, and does not
    Message message;                   // one line above the ribbon, "saved to …"
    double message_until = 0;
};

// A lecture that is gone through, and which of its steps is shown.
struct LecturePlace {
    const LectureView* lecture = nullptr;
    int step = 0;
    bool tried = false;       // live, on a model that was loaded for it alone: there is a way back
    bool found = false;       // its place, in a run of another model than it was written on
    std::string instead = {}; // the scene that stayed open because the step could not be shown; empty: it was
    [[nodiscard]] const std::string& notes() const { return found && !now().found_notes.empty() ? now().found_notes : now().notes; }
    [[nodiscard]] const LectureView::Step& now() const { return lecture->steps[static_cast<std::size_t>(step)]; }
    [[nodiscard]] int steps() const { return static_cast<int>(lecture->steps.size()); }
    // Another scene was opened since: the next turn of a page leads back to the step.
    [[nodiscard]] bool away(const std::string& scene) const {
        return find_scene(scene) != find_scene(now().view.scene) && scene != instead;
    }
};

// A question of the window that nothing waits for, in the place of the banner.
struct Offer {
    Message words; // "This link is of tiny: load it? …"; empty: there is none
    Message yes;   // of the button that accepts it
};

struct FrameInput {
    SceneInput scene; // regions are filled in here
    std::string scene_name;
    Scene* active = nullptr;
    const std::vector<GalleryPrompt>* gallery = nullptr;  // may be null
    const std::vector<GlossaryEntry>* glossary = nullptr; // may be null
    const std::vector<QuizQuestion>* quiz = nullptr;      // may be null
    const std::vector<SavedFile>* saved = nullptr;        // may be null
    bool playing = false;
    double speed = 1;
    bool engine = false; // an engine thread is there: stepping past the end goes on
    bool run_ahead = true;
    bool can_undo = false, can_redo = false; // changes of settings
    const RunSettings* served = nullptr;     // what this program was asked to serve last; may be null
    std::uint64_t hash = 0;                  // of the events shown
    bool altered = false;                    // the recorded run does not match its hash
    Density density = Density::full;         // decides which actions have a place
    bool too_small_to_present = false;
    float zoom = 1;
    bool zoom_fits = false; // nobody chose it
    ui::ThemeKind theme = ui::ThemeKind::dark;
    std::optional<LecturePlace> lecture;
    const ViewReader* read = nullptr;                                           // may be null
    const std::function<PromptRoom(const RunSettings&)>* prompt_room = nullptr; // null: no models yet
    Message banner, remedy;                                                     // a problem of the window itself ("could not save …")
    Offer offer;
    bool can_browse = false;                          // there is a file dialog
    const std::vector<ModelChoice>* models = nullptr; // may be null
    std::string model;                                // the one that is loaded, as links name it
    const FetchView* fetch = nullptr;                 // a model that is on its way; null: none is
    Message work;                                     // beside the run, and how long it takes (scenes/shared/shown_work.h); empty: none
};

struct OpenFile {
    std::string path;
};
struct ExportFile {
    std::string path;
};
struct CopyText {
    std::string text;
};
struct DismissBanner {};
struct AnswerOffer {
    bool yes = false;
};
struct PickModel { // to open, or to fetch where it is not there
    std::string word;
};
struct AskPrompt { // of the prompt editor: a run of these settings, where its answer can be seen
    RunSettings settings;
};
struct UseCosts { // of rounds, of a file
    std::string path;
};
struct MeasureCosts {}; // anew
struct CancelFetch {};
struct BrowseFiles {}; // for the path that the open dialog asks for
struct PickAction {
    Action action;
    int number = 0;
};
struct PressKey { // of the scene
    ui::Key key;
};
using FrameCommand = std::variant<SceneCommand, PickAction, OpenFile, ExportFile, CopyText, DismissBanner, PressKey, AnswerOffer, PickModel,
                                  CancelFetch, BrowseFiles, UseCosts, MeasureCosts, AskPrompt>;

std::vector<FrameCommand> compose(const FrameInput& input, FrameUi& state, ui::Ui& ui);

// "Qwen2.5-Coder 1.5B, 0.4 of 1.0 GB"; without a total only what is done.
[[nodiscard]] Message job_line(const EngineJob& job);
// Whether something is measured or trained beside the run; all may be null.
[[nodiscard]] bool measuring(const Answers& answers, const EngineStatus* status);
// Why this action is not possible now; empty when it is.
[[nodiscard]] Message why_not(const FrameInput& input, Action action);

// A way into the program; its last command alone leads there too. The first screen (opening.cpp) and the palette call them alike.
struct Door {
    Message title, words;
    std::vector<FrameCommand> leads;
};
[[nodiscard]] std::vector<Door> doors_of(const FrameInput& input);

// ---- parts, one file each ----
struct FrameDraw {
    const FrameInput& input;
    FrameUi& state;
    const FrameLayout& layout;
    ui::Ui& ui;
    std::vector<FrameCommand>& out;
    void pick(Action action, int number = 0) const { out.push_back(PickAction{action, number}); }
};
void draw_menu_bar(const FrameDraw& d);
void draw_open_menu(const FrameDraw& d); // on top of everything
void draw_rail(const FrameDraw& d);
void draw_ribbon(const FrameDraw& d);
void draw_timeline(const FrameDraw& d);
// First, back, play and last, of buttons of this size; returns where they end.
float draw_transport(const FrameDraw& d, float x, float y, float size);
void draw_status(const FrameDraw& d);
void draw_popup(const FrameDraw& d);
// Notes of the lecture's step. Nothing below them gets the pointer; keys go where they always go.
void cover_notes(const FrameDraw& d); // before the scene
void draw_notes(const FrameDraw& d);  // after it
// The keyboard's ways over the window (frame_focus.cpp), once everything is drawn: from region to region, and
// over a stage that is larger than the window.
void move_between_regions(const FrameDraw& d);
void pan_stage(const FrameDraw& d); // behind the scene
struct Problem {
    Message what, remedy, action = {}; // of its button; empty: none
};
// What the engine says in English, below what kind of problem it is where that is known.
[[nodiscard]] Problem problem_of(ErrorKind kind, const std::string& what, const std::string& remedy);
// "domino K = 7 · T 0.8 · token rule"; a draft temperature of its own is told behind the target's.
[[nodiscard]] Message run_words(const std::string& drafter, int k, double temperature, double draft_temperature, const std::string& rule,
                                bool k_auto = false);
[[nodiscard]] Message products_words(Precision precision); // "bf16 products"
[[nodiscard]] Message speculation_state(const SceneInput& input,
                                        bool& on); // "active, 3.00 tokens per round"

} // namespace speclens
