// The shell without a window: cursor, playing, seeking, popups, settings. Takes snapshots of the engine and
// the user's commands, gives frames to draw and orders for the engine. Owns no thread and reads no clock, so
// tests drive it with plain calls. Its parts know their own subject; what concerns several of them is said here.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/frame/ask_ahead.h"
#include "app/frame/controller_cursor.h"
#include "app/frame/controller_files.h"
#include "app/frame/controller_lecture.h"
#include "app/frame/controller_race.h"
#include "app/frame/controller_run.h"
#include "app/frame/controller_undo.h"
#include "app/frame/preferences.h"
#include "app/frontend/share.h"
#include "app/views/link.h"
#include "app/views/shown_round.h"
#include "scenes/shared/shown_work.h"

namespace speclens {

// What only the window can do.
enum class WindowOrder : std::uint8_t { quit, fullscreen, screenshot, words_page };

class Controller {
  public:
    Controller(EnginePort port, const RunSettings& settings, const std::string& scene);
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    void observe(const Snapshot& published, double now); // a new snapshot of the engine
    void observe_server(std::shared_ptr<const ServerView> view) { server_ = std::move(view); }
    // What was chosen in the file dialog; empty: nothing.
    void chose(const std::string& path, double now);
    // How far a model is that was asked for with EnginePort::fetch.
    void observe_fetch(const std::shared_ptr<const FetchView>& view, double now);
    // `growing`: more of it may come, until saved_is_over().
    void show_saved(std::shared_ptr<const Trace> trace, const RunSettings& settings, bool growing = false);
    void saved_is_over(const std::string& notice, double now);                                    // a line to say; empty: none
    void saved_is_broken(const std::string& what, const std::string& remedy);                     // shown up to there
    void complain(const Message& what, const Message& remedy) { common_.complain(what, remedy); } // until it is dismissed
    void complain(const Error& error) { common_.complain(problem_of(error.kind(), error.what(), error.remedy())); }
    void say(const Message& words, double now) { common_.say(words, now); } // in passing
    void show_race(std::shared_ptr<const RaceView> race);                   // a saved one, in the race scene
    void tick(double now);                                                  // motion, playing, seeking
    void perform(const std::vector<FrameCommand>& commands, double now);
    [[nodiscard]] FrameInput frame(double now);
    // Keys that were chosen by their words, to be pressed in this frame; none while something covers the scene.
    [[nodiscard]] std::vector<ui::KeyPress> take_keys(const ui::WidgetState& widgets);
    // Seconds until something moves by itself: 0 now, negative: never.
    [[nodiscard]] double next_change(double now) const;

    // Loads "tiny", "smollm2" or the model of a path in the place of the one that is there; fetches it first, if it can be.
    // `keep`: what is there stays in memory beside it.
    void open_model(const std::string& word, double now, bool keep = false);

    // Goes to a scene and, as soon as the run is there, to a place in it; a run of other settings is started. A view of
    // another known model asks whether that is to be loaded. `shows`: the place that is looked for in that run instead of one by number.
    void show_view(const SceneView& view, double now, Shows shows = Shows::nothing);
    // Where the first run is to be looked at; it has the settings of the constructor.
    void expect_place(const FramePlace& place) { place_ = place; }
    void begin_lecture(LectureView lecture, double now); // the first step is what the window was opened with
    // The frame on screen as a link, from which a command is made, too. Throws Error, which names what was asked for, where no link can
    // lead to it.
    enum class LinkFor : std::uint8_t { itself, command };
    [[nodiscard]] Link link(LinkFor asked = LinkFor::itself) const;
    [[nodiscard]] std::map<std::string, std::string> places() const; // for command_of(): what its name alone does not find

    // What the last ServeHere is to serve: the settings on screen when it was ordered. Null: none was ordered.
    [[nodiscard]] const RunSettings* served() const { return served_ ? &*served_ : nullptr; }

    // What the first race will be; lanes may be empty: the default ones, as soon as it is known what can run.
    void expect_race(RaceSettings settings) { race_.expect(std::move(settings)); }

    FrameUi chrome;                     // kept between frames
    std::vector<GalleryPrompt> gallery; // of the built-in model
    std::vector<GalleryPrompt> general; // of any other
    std::vector<GlossaryEntry> glossary;
    std::vector<QuizQuestion> quiz;
    std::shared_ptr<const Published> figures;   // may be null
    std::shared_ptr<const Ablations> ablations; // may be null
    std::vector<WindowOrder> orders;            // taken by the window after each frame
    std::string clipboard;                      // text to copy; taken by the window
    std::string spoken;                         // for the terminal that the window was started from; taken by the window
    ViewReader read;                            // of links and lectures; set by the shell
    LinkOptions folders;                        // of models and heads that were given, for links; of the opened model alone, once one is
    ModelPaths started_with;     // on the command line: backend, threads and form of every model, and the way back to the first
    float zoom = 0;              // chosen by hand; 0: as it fits the window
    ui::Vec2 window{1280, 720};  // its size in px at zoom 1; decides how large the presenter draws
    [[nodiscard]] float scale(); // of the picture
    [[nodiscard]] float zoom_now() const { return zoom > 0 ? zoom : window_scale(window); }
    [[nodiscard]] Preferences preferences() const;
    void prefer(const Preferences& preferences);
    ui::ThemeKind theme = ui::ThemeKind::dark;
    bool reduced_motion = false;
    // How the window writes a frame: set by the shell, absent in tests.
    std::function<void(const std::filesystem::path&)> export_frame;
    // How it writes what is shared of a round, into that folder: the same. It may go on for a while, and then tells.
    std::function<void(SharedRound, const std::filesystem::path&)> share_round;
    void observe_share(double done, double now); // 0 to 1
    void shared(const SharedFiles& files, double now);
    bool downloads = false; // what is written is handed to the reader of a page, who needs no folder

  private:
    // What each action does, by subject; false: it is of another (controller_actions.cpp).
    void action(Action action, int number, double now);
    bool popup_action(Action action, int number);
    bool move_action(Action action, double now);
    bool run_action(Action action, int number, double now);
    bool lecture_action(Action action, int number, double now);
    bool file_action(Action action, double now);
    bool look_action(Action action, double now);
    void stop_work();
    void change_zoom(int by); // a step up or down from what is seen
    void next_region(int by);
    void speak_next(double now); // the next language there is

    // Where one looks: the cursor of a run, the beat of a story, the clock of a race.
    void move(Move where, double now);
    void step_forward(double now);
    void seek(CursorPart::Seek what, double now);
    void play(double now);
    void play_on(double now); // one step, or one beat, of what plays
    void step_beat(int by);   // from the last one on to the next scene
    void arrive(double now);
    void show_example(double now);
    void settle_place(double now); // controller_views.cpp, with all about links and lectures
    [[nodiscard]] bool ended() const;

    // The run and the race, and what is taken back of them.
    void restart(RunSettings settings);                // a change that can be taken back
    void change_run(RunSettings settings, double now); // the same, and says what follows from it
    void begin_run(RunSettings settings, bool measure = false);
    void begin_branch(Fork fork);
    void fork_run(const Fork& fork, double now);
    void change_length(int by, double now); // of drafts
    void change_heat(double by, double now);
    void use_costs(const std::string& path, double now); // of rounds, of a file; the dialog says what is wrong with it
    void measure_costs(double now);
    void pick_drafter(const std::string& name, double now); // once its head is there, where that is on its way
    void ask(const Command& command, double now);           // what a scene asks of the engine
    void open_lane(int lane);
    void race_prompt(double now);             // of the run on screen
    void take_back(bool forward, double now); // of the scene, then of the run or the race
    void take_back_settings(bool forward, double now);
    [[nodiscard]] RunVersion version() const;             // that is on screen
    [[nodiscard]] Message next_words(bool forward) const; // what taking back would lead to; empty: nowhere
    void made_with(Precision precision);                  // which is not that of the loaded models
    void made_by_other_kernels(const Header& run);        // than a run has here
    [[nodiscard]] bool in_race() const { return scene_name_ == "race"; }
    // What the controls of the open scene change.
    [[nodiscard]] const RunSettings& wished() const { return in_race() ? race_.wish().base : run_.settings(); }

    void open_popup(Popup popup);
    [[nodiscard]] bool asks_as_chat() const; // what the prompt editor begins with
    void open_scene(const std::string& name);
    void open_file(const std::string& path, double now); // throws Error
    void save(double now);
    void share(double now);
    void lecture_step(int step, double now);
    void show_step(double now); // of the lecture, on whatever model is loaded
    void show_wanted(double now);
    void try_live(double now); // a step that plays elsewhere, on the model that it was written on; or back
    void show_recorded(const LectureView::Step& step, double now);
    [[nodiscard]] bool played_elsewhere(const LectureView::Step& step) const; // than on the model that it was written on
    void ask_ahead(double now);                                               // for what the next page tells of
    void put_work_first(bool first);
    void guarded(const std::function<void()>& work); // what fails stands in the banner

    // Models (controller_models.cpp).
    [[nodiscard]] std::string model_word() const;                    // of the one that is loaded, as links name it
    [[nodiscard]] const std::vector<GalleryPrompt>& prompts() const; // of the gallery that suits it
    void get_model(const std::string& name, double now);
    void open_built_in(const std::string& drafter, double now); // for the open scene, with a run of this drafter
    void observe_opening(const Snapshot& published);            // a model that was asked for came, or did not
    void begin_with_other_model(const RunSettings& settings);
    void answer_offer(bool yes, double now);
    // Heads that the page fetches later (EnginePort::fetch_head). What needs some is done when they are there, unless something else
    // is opened first; false: none of them is still to come.
    [[nodiscard]] bool awaits_heads(const std::vector<std::string>& drafters, std::function<void(double)> then, double now);
    [[nodiscard]] bool comes_later(const std::string& drafter) const; // and it is asked for
    void heads_may_have_come(double now);
    [[nodiscard]] bool knows(const std::string& prompt) const; // it is one of the gallery
    void offer_real_model();                                   // where the built-in one was asked for what it cannot know
    [[nodiscard]] bool needs_own_model(const LectureView::Step& step) const;
    [[nodiscard]] bool suits_model(const SceneView& view, double now); // else it was asked what to do
    void offer_model_of(const SceneView& view);
    void offer_own_model(const SceneView& step, double now);
    void withdraw_offer();

    [[nodiscard]] Scene& scene();
    [[nodiscard]] int beats(double now); // of the open scene; 0: the cursor drives it
    [[nodiscard]] SceneInput scene_input(double now) const;

    ControllerCommon common_;
    RunPart run_;
    CursorPart cursor_;
    RacePart race_;
    ShownWork work_;
    LecturePart lecture_;
    UndoPart undo_;
    FilesPart files_;

    // Scenes.
    std::map<std::string, std::unique_ptr<Scene>> scenes_;
    std::map<std::string, int> beats_; // of each scene that has beats
    std::string scene_name_;
    std::vector<ui::KeyPress> keys_;
    std::map<std::string, std::set<std::string>> asked_in_; // by scene, as SceneInput::asked
    std::map<std::string, const SceneInfo*> step_studies_;  // asked for by steps of a lecture, and the scene that tells of each
    bool scene_took_back_ = false;                          // and the next is the run's, which is said before it is done
    bool letters_article_ = false;
    std::string language_; // that was chosen; empty: that of the environment
    std::string links_to_; // as in Preferences

    // Places that are gone to as soon as they are there.
    struct Arrival {
        bool due = false;                       // looking for the first event worth seeing
        bool example_due = false;               // the beat has just been opened: it may want another round than this one
        bool unmoved = true;                    // it was chosen by the window, for the scene that was open then
        std::optional<int> round = {};          // of a fork
        std::shared_ptr<const Trace> from = {}; // the run that it was made on
        std::optional<Position> draft = {};     // that was forced there
    } arrival_;
    std::optional<FramePlace> place_;
    Shows place_shows_ = Shows::nothing; // of place_, where it is to be found
    std::string recorded_of_;            // the model of a saved run that stands for a step of the lecture; empty: none does

    // Models.
    std::function<PromptRoom(const RunSettings&)> prompt_room_; // empty: no models yet
    std::vector<ModelChoice> models_;                           // when a list of them appeared
    std::shared_ptr<const FetchView> fetch_;                    // null: none is under way
    int opened_seen_ = 0;
    std::filesystem::path opening_;            // the last that was asked for
    std::filesystem::path loaded_from_;        // the one that is there, once another was opened
    std::optional<LinkOptions> first_folders_; // before another model was opened
    Offer offer_;
    std::string offered_; // the model
    struct WayBack {
        std::string word, path; // of the model before, as links name it and as it is opened
        int step = 0;           // of the lecture
        FramePlace place;       // in its recorded run
    };
    std::optional<WayBack> back_;          // from a step that is tried live
    bool returning_ = false;               // on it
    std::set<std::string> asked_;          // models that a step of the lecture offered: once in a lecture
    std::optional<SceneView> wanted_view_; // once that is loaded
    struct Awaited {
        std::vector<std::string> drafters; // whose heads are on their way
        std::function<void(double now)> then;
    } awaited_;
    bool own_prompt_ = false, said_small_world_ = false; // of the run on screen; once for a window

    std::shared_ptr<const ServerView> server_;
    std::optional<RunSettings> served_;
    AskAhead ahead_;
    std::size_t ahead_of_ = 0; // what was asked for last, so that it is only thought of again when something changed
    bool work_first_ = false;  // as it was told last
};

} // namespace speclens
