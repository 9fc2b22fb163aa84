// The shell without a window: cursor, playing, seeking, popups, settings. Takes snapshots of the engine and
// the user's commands, gives frames to draw and orders for the engine. Owns no thread and reads no clock, so
// tests drive it with plain calls.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/frame/ask_ahead.h"
#include "app/frame/frame.h"
#include "app/frame/file_question.h"
#include "app/frame/frame_source.h"
#include "app/frame/history.h"
#include "app/frame/preferences.h"
#include "app/frontend/frontend.h"
#include "app/views/link.h"
#include "engine/session/session.h"

namespace speclens {

// What the controller may say to the engine; all empty for a window without one.
struct EnginePort {
    std::function<void(Command)> send;
    std::function<void(std::int64_t)> set_budget, add_budget;
    std::function<void()> cancel_loading;
    std::function<void(ServerOrder)> server = {}; // to whoever watches servers; may be empty
    std::function<void(const std::string& name)> fetch = {}; // a model that engine/fetch knows; may be empty
    std::function<void()> cancel_fetch = {};
    std::function<void(const FileQuestion&)> browse = {}; // answered by Controller::chose; empty: no file dialog
};

// What only the window can do.
enum class WindowOrder : std::uint8_t { quit, fullscreen, screenshot };

class Controller {
  public:
    Controller(EnginePort port, const RunSettings& settings, const std::string& scene);

    void observe(const Snapshot& published, double now); // a new snapshot of the engine
    void observe_server(std::shared_ptr<const ServerView> view) { server_ = std::move(view); }
    // What was chosen in the file dialog; empty: nothing.
    void chose(const std::string& path, double now);
    // How far a model is that was asked for with EnginePort::fetch.
    void observe_fetch(const std::shared_ptr<const FetchView>& view, double now);
    // `growing`: more of it may come, until saved_is_over().
    void show_saved(std::shared_ptr<const Trace> trace, const RunSettings& settings, bool growing = false);
    void saved_is_over(const std::string& notice, double now);              // a line to say; empty: none
    void saved_is_broken(const std::string& what, const std::string& remedy); // shown up to there
    void complain(const std::string& what, const std::string& remedy);        // until it is dismissed
    void show_race(std::shared_ptr<const RaceView> race); // a saved one, in the race scene
    void tick(double now);                                // motion, playing, seeking
    void perform(const std::vector<FrameCommand>& commands, double now);
    [[nodiscard]] FrameInput frame(double now);
    // Keys that were chosen by their words, to be pressed in this frame; none while something covers the scene.
    [[nodiscard]] std::vector<ui::KeyPress> take_keys(const ui::WidgetState& widgets);
    // Seconds until something moves by itself: 0 now, negative: never.
    [[nodiscard]] double next_change(double now) const;

    // Loads "tiny", "smollm2" or the model of a path in the place of the one that is there; fetches it first, if it can be.
    void open_model(const std::string& word, double now);

    // Goes to a scene and, as soon as the run is there, to a place in it; a run of other settings is started. A view of
    // another known model asks whether that is to be loaded.
    void show_view(const SceneView& view, double now);
    // Where the first run is to be looked at; it has the settings of the constructor.
    void expect_place(const FramePlace& place) { place_ = place; }
    void begin_lecture(LectureView lecture, double now); // the first step is what the window was opened with
    // The frame on screen as a link. Throws Error where no link can lead to it.
    [[nodiscard]] Link link() const;

    // What the last ServeHere is to serve: the settings on screen when it was ordered. Null: none was ordered.
    [[nodiscard]] const RunSettings* served() const { return served_ ? &*served_ : nullptr; }

    // What the first race will be; lanes may be empty: the usual ones, as soon as it is known what can run.
    void expect_race(RaceSettings settings) { race_wish_ = std::move(settings); }

    FrameUi chrome; // kept between frames
    std::vector<GalleryPrompt> gallery; // of the built-in model
    std::vector<GalleryPrompt> general; // of any other
    std::vector<GlossaryEntry> glossary;
    std::vector<QuizQuestion> quiz;
    std::shared_ptr<const Published> figures;   // may be null
    std::shared_ptr<const Ablations> ablations; // may be null
    std::vector<WindowOrder> orders;            // taken by the window after each frame
    std::string clipboard;                      // text to copy; taken by the window
    std::string told;    // for the terminal that the window was started from; taken by the window
    ViewReader read;                 // of links and lectures; set by the shell
    LinkOptions folders; // of models and heads that were given, for links; of the opened model alone, once one is
    ModelPaths started_with; // on the command line: backend, threads and form of every model, and the way back to the first
    float zoom = 0;              // chosen by hand; 0: as it fits the window
    ui::Vec2 window{1280, 720};  // its size in px at zoom 1; decides how large the presenter draws
    [[nodiscard]] float scale(); // of the picture
    [[nodiscard]] Preferences preferences() const;
    void prefer(const Preferences& preferences);
    ui::ThemeKind theme = ui::ThemeKind::dark;
    bool reduced_motion = false;
    // How the window writes a frame: set by the shell, absent in tests.
    std::function<void(const std::filesystem::path&)> export_frame;

  private:
    static constexpr std::int64_t kFirstSteps = 2; // prefill and the first guess, when the engine waits for the user
    enum class Seek : std::uint8_t { none, step, rejection, verify, cycle };
    void action(Action action, int number, double now);
    void stop_work();
    [[nodiscard]] bool suits_saved(const Command& command, double now);
    [[nodiscard]] bool saved_in_other_precision() const;
    void made_with(Precision precision); // which is not that of the loaded models
    void move(Move where, double now);
    void go_to(std::size_t cursor, double now, bool with_motion);
    void show_example(double now);
    void step_forward(double now);
    void play_on(double now);   // one step, or one beat, of what plays
    void step_beat(int by);     // from the last one on to the next scene
    void seek(Seek what, double now);
    [[nodiscard]] std::optional<std::size_t> found(Seek what) const;
    void arrive(double now);
    void keep_to_limit(double now);
    [[nodiscard]] bool at_limit(double now); // K is all that the drafter can guess; says so
    void restart(RunSettings settings); // a change that can be taken back
    void change_zoom(int by); // a step up or down from what is seen
    void change_run(RunSettings settings, double now); // the same, and says what follows from it
    void begin_run(RunSettings settings);
    void begin_branch(Fork fork);
    // What can be taken back (controller_views.cpp).
    void fork_run(Fork fork, double now);
    void take_back(bool forward, double now); // of the scene, then of the run or the race
    void take_back_settings(bool forward, double now);
    [[nodiscard]] RunVersion version() const; // that is on screen
    [[nodiscard]] std::string next_words(bool forward) const; // what taking back would lead to; empty: nowhere
    // The race (controller_race.cpp): its wish, its clock, its lanes.
    [[nodiscard]] bool in_race() const { return scene_name_ == "race"; }
    void wish_race(RunSettings base); // and start it
    void start_race(RaceSettings settings);
    void enter_race();                     // starts one when none fits
    void view_race(RaceSettings settings); // the same, for settings that were asked for
    void observe_race(const Snapshot& published);
    void move_stepped(Move where, double now);
    void step_lanes(Stride stride); // to the next step; the engine makes it where there is none yet
    void toggle_stepped();
    [[nodiscard]] const std::shared_ptr<const RaceView>& race() const {
        return saved_race_ ? saved_race_ : race_wish_.stepped ? stepped_ : timed_;
    }
    [[nodiscard]] bool in_steps() const {
        return saved_race_ ? saved_race_->settings.stepped : race_wish_.stepped;
    }
    void move_race(Move where, double now);
    void tick_race(double now);
    void toggle_lane(const std::string& drafter, double now);
    void race_prompt(double now); // of the run on screen
    void open_lane(int lane);
    [[nodiscard]] bool race_by_rounds() const; // its clock
    [[nodiscard]] double race_clock() const;
    [[nodiscard]] double race_pace() const; // ms of the race per second
    // What the controls of the open scene change.
    [[nodiscard]] const RunSettings& wished() const { return in_race() ? race_wish_.base : settings_; }
    void say(const std::string& words, double now);
    void dismiss(); // the banner
    void open_popup(Popup popup);
    void open_scene(const std::string& name);
    void open_file(const std::string& path, double now); // throws Error
    void save(double now);
    void screenshot(double now);
    // Models (controller_models.cpp).
    [[nodiscard]] std::string model_word() const; // of the one that is loaded, as links name it
    [[nodiscard]] const std::vector<GalleryPrompt>& prompts() const; // of the gallery that suits it
    void get_model(const std::string& name, double now);
    void observe_opening(const Snapshot& published); // a model that was asked for came, or did not
    void begin_with_other_model(const RunSettings& settings);
    void answer_offer(bool yes, double now);
    [[nodiscard]] bool knows(const std::string& prompt) const; // it is one of the gallery
    void offer_real_model(); // where the built-in one was asked for what it cannot know
    void browse();           // for the dialog that is open
    [[nodiscard]] bool suits_model(const SceneView& view); // else it was asked what to do
    void settle_place(double now); // controller_views.cpp, with all about links and lectures
    void lecture_step(int step, double now);
    void ask_ahead(double now); // for what the next page tells of
    void tell_step(double now);
    void guarded(double now, const std::function<void()>& work);
    [[nodiscard]] bool ended() const;
    [[nodiscard]] bool has_engine() const { return static_cast<bool>(port_.send); }
    [[nodiscard]] Scene& scene();
    [[nodiscard]] int beats(double now); // of the open scene; 0: the cursor drives it
    [[nodiscard]] SceneInput scene_input(double now) const;
    [[nodiscard]] std::vector<StepMotion> moving(double now) const;
    void did(Deed deed) { deeds_ |= deed_bit(deed); }

    EnginePort port_;
    FrameSource source_;
    std::shared_ptr<const Trace> saved_; // an opened file hides the live run
    std::shared_ptr<const Trace> live_;
    Answers answers_;
    std::shared_ptr<const std::vector<EarlierSettings>> earlier_;
    std::shared_ptr<const ServerView> server_;
    std::optional<RunSettings> served_;
    std::function<PromptRoom(const RunSettings&)> prompt_room_; // empty: no models yet
    EngineStatus status_, saved_status_; // a saved run has no timings of this machine
    RunSettings settings_;
    std::vector<SavedFile> saved_files_; // when the Open dialog appeared
    std::map<std::string, int> most_in_a_row_; // by drafter, as its runs showed
    RunSettings root_;         // of the run that the forks were made on
    std::vector<Fork> forks_;  // that led to the run on screen
    History<RunVersion> run_history_;
    History<RaceSettings> race_history_;
    std::vector<ui::KeyPress> keys_;
    bool scene_took_back_ = false; // and the next is the run's, which is said before it is done
    std::map<std::string, std::unique_ptr<Scene>> scenes_;
    std::map<std::string, int> beats_; // of each scene that has beats
    std::string scene_name_;
    std::size_t cursor_ = 0;
    std::optional<Position> selected_;
    std::uint32_t deeds_ = 0;
    bool letters_article_ = false;
    bool run_ahead_ = true;
    bool playing_ = false;
    double speed_ = 1;
    double next_play_ = 0;
    std::size_t told_ = 0; // StoryTold::text of what is read while it plays
    struct Stepped {
        std::size_t event;
        double at;
    };
    std::vector<Stepped> in_motion_; // the last steps: what they brought may still move
    int restarts_ = 0; // sent, not answered by a new run yet
    std::vector<Command> questions_; // about a run that may be replaced before they arrive: not sent yet
    std::uint64_t runs_seen_ = 0;
    Seek seek_ = Seek::none;
    std::size_t seek_from_ = 0;
    bool growing_ = false;            // of the saved run more may come
    bool arriving_ = false;           // looking for the first event worth seeing
    bool example_due_ = false;        // the beat has just been opened: it may want another round than this one
    bool unmoved_ = true;             // it was chosen by the window, for the scene that was open then
    std::optional<int> arrive_cycle_;       // of a fork
    std::shared_ptr<const Trace> arrive_from_; // the run that it was made on
    std::optional<Position> arrive_guess_;  // that was forced there
    std::string banner_, remedy_;
    std::vector<ModelChoice> models_; // when a list of them appeared
    std::shared_ptr<const FetchView> fetch_; // null: none is under way
    int opened_seen_ = 0;
    std::filesystem::path opening_; // the last that was asked for
    std::optional<LinkOptions> first_folders_; // before another model was opened
    Offer offer_;
    std::string offered_;                 // the model
    bool own_prompt_ = false, told_small_world_ = false; // of the run on screen; once for a window
    Popup browsed_ = Popup::none;                        // the dialog that asked for a file
    std::optional<SceneView> wanted_view_; // once that is loaded
    std::optional<FramePlace> place_; // to go to when the run is long enough
    LectureView lecture_;
    int lecture_at_ = 0;
    double lecture_began_ = 0;
    AskAhead ahead_;
    std::size_t ahead_of_ = 0; // what was asked for last, so that it is only thought of again when something changed

    RaceSettings race_wish_; // no lanes: not decided yet
    bool race_sent_ = false; // what race_wish_ says was asked for
    std::shared_ptr<const RaceView> timed_, stepped_;
    std::shared_ptr<const RaceView> saved_race_; // hides them until another race is started
    double race_ms_ = -1; // -1: where it rests by itself; of a stepped race a number of steps, -1: the newest
    double race_tick_ = -1; // last tick while it plays
    bool race_rounds_ = false;
    int race_lane_ = -1; // -1: the last lane
};

// Folder for saved runs and pictures; created when needed.
[[nodiscard]] std::filesystem::path data_folder(const std::string& kind);

} // namespace speclens
