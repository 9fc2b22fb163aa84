// The window: GLFW and OpenGL 3 around the controller. Frames are drawn on input, while something moves, and
// when the engine says that something changed; otherwise the loop sleeps.
#define GLFW_INCLUDE_NONE
#include "app/window/shell.h"

#include <GLFW/glfw3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "app/frame/window_assets.h"
#include "app/render/headless_frame.h"
#include "app/render/round_share.h"
#include "app/views/languages.h"
#include "app/window/file_dialog.h"
#if defined(__EMSCRIPTEN__)
#include "app/window/page.h"
#endif
#include "app/window/shell_gl.h"
#include "app/window/shell_signals.h"
#include "app/window/shell_window.h"
#include "engine/base/json.h"
#include "engine/base/quantile.h"
#include "engine/fetch/fetch.h"
#include "engine/fetch/fetch_job.h"
#include "engine/lab/race_json.h"
#include "engine/models/models.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_follower.h"
#include "engine/session/session.h"
#include "kernels/error.h"
#include "remote/client/server_session.h"
#include "remote/serving/page_server.h"
#include "ui/fonts.h"
#include "ui/language/language.h"

namespace speclens {
namespace {

constexpr double kSignalCheck = 0.2; // at most so many seconds until a signal is noticed
#if defined(__EMSCRIPTEN__)
constexpr bool kPage = true;
#else
constexpr bool kPage = false;
#endif

// Set by other threads, taken by the loop that each one wakes.
class Notice {
  public:
    void give() {
        came_ = true;
        glfwPostEmptyEvent();
    }
    [[nodiscard]] bool waits() const { return came_; }
    bool take() { return came_.exchange(false); }

  private:
    std::atomic<bool> came_{false};
};

// What the window was started with. A wrong file or theme is an error of the command line, before any window
// appears.
struct Opening {
    explicit Opening(const WindowRequest& request) : liked(request.remembers ? load_preferences(preferences_file()) : Preferences()) {
        if (request.theme) liked.theme = theme_named(*request.theme);
        if (request.zoom) liked.zoom = *request.zoom;
        if (request.chosen_language) liked.language = *request.chosen_language;
        if (request.links_to) liked.links_to = *request.links_to;
        if (request.session == "-") {
            follower = std::make_unique<TraceFollower>(
                STDIN_FILENO, "standard input", [this] { grew.give(); }, request.stop);
            saved = follower->trace();
        } else if (!request.session.empty() && is_race_file(request.session)) {
            race = std::make_shared<const RaceView>(load_race(request.session));
        } else if (!request.session.empty()) {
            saved = load_trace(request.session, &notice);
        }
    }
    Preferences liked;
    std::shared_ptr<const Trace> saved;
    std::string notice; // what of it could not be read; empty: nothing
    std::shared_ptr<const RaceView> race;
    Notice grew;
    std::unique_ptr<TraceFollower> follower; // of a run that still comes
};

class Shell {
  public:
    Shell(const WindowRequest& request, const ShellScript& script, std::shared_ptr<const Models> models = {})
        : request_(request), script_(script), models_(std::move(models)), opening_(request), window_(request.width, request.height),
          renderer_(fonts_), controller_(port(), request.view.settings, request.view.scene), density_(window_.content_scale()) {
        report_.gl = renderer_.description();
        set_up_controller();
        load_assets();
        if (opening_.race) controller_.show_race(opening_.race);
        if (const auto& saved = opening_.saved)
            controller_.show_saved(saved, saved->header() ? repeated(settings_of(*saved->header()), *saved) : request.view.settings,
                                   opening_.follower != nullptr);
        if (!opening_.notice.empty()) controller_.saved_is_over(opening_.notice, began_);
    }

    ShellReport run() {
        while (turn()) {
        }
        report_.frame_ms = median(frame_times_);
        return report_;
    }

    // Once around the loop. False: the window is to be closed.
    bool turn() {
        if (glfwWindowShouldClose(window_.handle) || signals_.came()) return false;
        const double next = wait();
        observe();
        const double time = glfwGetTime();
        if (script_ && !script_(window_.queue, controller_, report_.frames, time - began_)) return false;
        if (!must_draw(next, time) || window_.minimised()) return true;
        perform(draw(time));
        keep_preferences();
        hand_over();
        if (words_ && controller_.next_change(glfwGetTime()) != 0) tell_words(); // at rest
        return true;
    }

#if defined(__EMSCRIPTEN__)
    // What a browser calls for every picture. Without threads the engine works in what is left of it.
    void page_turn() {
        window_.fill_page();
        if (page::more_models() && session_) session_->send(LoadHeads{}); // without a session: it loads them with all others
        if (const std::string link = page::opened_link(); !link.empty()) open_link(link);
        if (page::pasted()) window_.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::v, .ctrl = true}});
        take_fingers();
        take_typed();
        take_files();
        const int before = report_.frames;
        (void)turn(); // a page is closed by its browser
        if (report_.frames == before) return work();
        page::built(frame_times_.back());
        if (report_.frames == 1) page::first_picture();
        if (controller_.next_change(glfwGetTime()) != 0) { // at rest
            const FrameInput frame = controller_.frame(glfwGetTime());
            const std::string problem = frame.banner.empty() ? "" : frame.banner + ". " + frame.remedy + "\n";
            page::say(problem + (frame.active ? frame.active->describe(frame.scene) : ""));
            // Where drafters are listed, all of them are asked for.
            const Popup popup = controller_.chrome.popup;
            const bool lists = popup == Popup::palette || (popup == Popup::none && widgets_.top_layer > 0);
            page::want(lists ? "drafters" : frame.scene_name);
            show_link();
        }
        work();
    }
#endif

  private:
#if defined(__EMSCRIPTEN__)
    void work() {
        constexpr double kShare = 12; // ms of the 16.7 that a picture has
        if (session_ && !threads_possible()) (void)session_->work_for(kShare);
    }
    // What was dropped waits for models that are being loaded.
    void take_files() {
        for (std::string file = page::dropped(); !file.empty(); file = page::dropped()) dropped_.push_back(file);
        if (dropped_.empty()) return;
        const FrameInput frame = controller_.frame(glfwGetTime());
        if (frame.scene.status && frame.scene.status->state == EngineStatus::State::loading) return;
        for (const std::string& file : std::exchange(dropped_, {})) window_.push({.kind = RawEvent::Kind::drop, .text = file});
    }
    // Two fingers enlarge and shift; in a dialog they scroll. What the first of them had pressed is let go elsewhere.
    void take_fingers() {
        const page::Fingers now = page::fingers();
        if (!now.down) {
            fingers_ = false;
            return;
        }
        if (!std::exchange(fingers_, true)) {
            window_.push({.kind = RawEvent::Kind::move, .at = {-1, -1}});
            window_.push({.kind = RawEvent::Kind::button, .down = false});
        }
        if (now.apart != 1) controller_.zoom = std::clamp(controller_.zoom_now() * static_cast<float>(now.apart), 0.7F, 3.0F);
        constexpr float kNotch = 40; // px of a wheel's
        ui::Vec2& pan = controller_.chrome.layout.pan;
        if (controller_.chrome.popup != Popup::none)
            window_.push({.kind = RawEvent::Kind::wheel, .wheel = static_cast<float>(now.dy) / kNotch});
        else
            pan = {pan.x - static_cast<float>(now.dx) / window_.scale, pan.y - static_cast<float>(now.dy) / window_.scale};
        window_.dirty = true;
    }
    // The keyboard of a phone comes where text is asked for, and says what it wrote instead of keys. A frame takes text before keys, so
    // what follows a character that was taken back waits for the next one.
    void take_typed() {
        page::typing(widgets_.text_focus);
        typed_ += page::typed();
        const std::size_t back = std::min(typed_.find_first_not_of('\b'), typed_.size());
        for (std::size_t i = 0; i < back; ++i) window_.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::backspace}});
        const std::size_t end = back > 0 ? back : std::min(typed_.find('\b'), typed_.size());
        if (end > back) window_.push({.kind = RawEvent::Kind::text, .text = typed_.substr(0, end)});
        typed_.erase(0, end);
    }
    void open_link(const std::string& link) {
        controller_.chrome.opening = {}; // whoever follows a link is shown that
        try {
            controller_.show_view(controller_.read.link(link), glfwGetTime());
        } catch (const Error& error) {
            controller_.complain(error);
        }
        window_.dirty = true;
    }
    void show_link() {
        try {
            page::show_link(to_text(controller_.link()));
        } catch (const Error&) { // no link leads here: the last one stays
        }
    }
#endif
    [[nodiscard]] EnginePort port() {
        EnginePort port;
        if (request_.session.empty()) {
            // Without a session (the first picture) there is nobody to tell.
            port.send = [this](Command command) {
                if (session_) session_->send(std::move(command));
            };
            port.set_budget = [this](std::int64_t steps) {
                if (session_) session_->gate().set(steps);
            };
            port.add_budget = [this](std::int64_t steps) {
                if (session_) session_->gate().add(steps);
            };
            port.cancel_loading = [this] {
                if (session_) session_->cancel_loading();
            };
            port.put_work_first = [this](bool first) {
                if (session_) session_->gate().put_work_first(first);
            };
        }
        port.fetch = [this](const std::string& name) { fetch(name); };
        port.cancel_fetch = [this] {
            if (fetch_) fetch_->cancel();
        };
#if defined(__EMSCRIPTEN__)
        port.fetch_head = [](const std::string& drafter) { return page::fetch_head(drafter); };
#endif
        if (FileDialog::possible()) port.browse = [this](const FileQuestion& question) { browse(question); };
        port.server = [this](ServerOrder order) { tell_server(std::move(order)); };
        return port;
    }

    void browse(const FileQuestion& question) {
        if (dialog_) return controller_.complain(frame_says("problem.dialog_open"_t), frame_says("remedy.dialog_open"_t));
        try {
            dialog_ = std::make_unique<FileDialog>(question, [this] { chosen_.give(); });
        } catch (const Error& error) {
            controller_.complain(error);
        }
    }

    void fetch(const std::string& name) {
        if (kPage) return controller_.complain(frame_says("problem.page_fetch"_t), frame_says("remedy.page_fetch"_t));
        const Fetchable* known = find_fetchable(name);
        if (!known) return;
        try {
            fetch_ = std::make_unique<FetchJob>(*known, fetched_folder(), FetchSettings{.licences = assets_folder() / "licences"},
                                                [this] { fetched_.give(); });
        } catch (const Error& error) {
            controller_.complain(error);
        }
    }

    void tell_server(ServerOrder order) {
        if (kPage) return controller_.complain(frame_says("problem.page_server"_t), frame_says("remedy.page_server"_t));
        const bool serves = std::holds_alternative<ServeHere>(order) && controller_.served();
        // One serves what it was made with. It can be asked for only where none is served, so this one is at
        // rest.
        if (serves && !(*controller_.served() == served_)) servers_.reset();
        if (serves) served_ = *controller_.served();
        if (!servers_)
            servers_ = std::make_unique<ServerSession>(models_to_serve(), served_, request_.server_key, [this] { server_changed_.give(); });
        servers_->send(std::move(order));
    }

    [[nodiscard]] ModelSource models_to_serve() const {
        if (opening_.saved) return load_from(request_.models); // no engine runs beside a saved run
        return [this](const std::atomic<bool>& cancelled) { return models_of_engine(cancelled); };
    }

    // What the engine of this window runs with, once that is loaded. On the thread of servers_.
    [[nodiscard]] std::shared_ptr<const Models> models_of_engine(const std::atomic<bool>& cancelled) const {
        constexpr std::chrono::milliseconds kLook{20};
        while (!cancelled) {
            if (const Session* engine = engine_) {
                if (auto models = engine->models()) return models;
                const EngineStatus status = engine->published().status;
                if (status.state == EngineStatus::State::failed) throw Error(status.error, status.remedy);
            }
            std::this_thread::sleep_for(kLook);
        }
        throw Cancelled();
    }

    void set_up_controller() {
        controller_.expect_place(request_.view.place);
        controller_.folders = request_.folders;
        controller_.started_with = request_.models;
        controller_.read = request_.read;
        if (!request_.attach.empty()) tell_server(AttachServer{request_.attach});
        controller_.prefer(opening_.liked);
        controller_.expect_race(request_.view.race);
        if (!request_.lecture.steps.empty()) controller_.begin_lecture(request_.lecture, began_);
        controller_.chrome.layout.presenter = request_.presenter;
        controller_.chrome.opening.open = request_.introduces && !opening_.liked.introduced;
        liked_ = controller_.preferences();
        if (request_.chosen_language && request_.remembers) liked_.language = load_preferences(preferences_file()).language;
        if (request_.links_to && request_.remembers) liked_.links_to = load_preferences(preferences_file()).links_to;
        controller_.export_frame = [this](const std::filesystem::path& file) {
            draw_to_file(controller_.frame(glfwGetTime()), controller_.chrome, window_.width, window_.height, file);
        };
        controller_.downloads = kPage;
        controller_.share_round = [this](SharedRound round, const std::filesystem::path& folder) { begin_share(std::move(round), folder); };
    }

    void begin_share(SharedRound round, const std::filesystem::path& folder) {
        if (sharing_) return controller_.complain(frame_says("problem.shares"_t), frame_says("remedy.shares"_t));
#if defined(__EMSCRIPTEN__)
        round.shown_link = page::address_of(round.link);
#endif
        sharing_ = std::make_unique<RoundShare>(std::move(round), folder, fonts_);
    }

    // A picture of it before each one of the window.
    void go_on_sharing() {
        if (!sharing_) return;
        window_.dirty = true;
        try {
            const bool goes_on = sharing_->step();
            if (goes_on) return controller_.observe_share(sharing_->done(), glfwGetTime());
            controller_.shared(sharing_->files(), glfwGetTime());
        } catch (const Error& error) {
            controller_.complain(error);
        }
        sharing_.reset();
    }

    void load_assets() {
        WindowAssets loaded = load_window_assets(assets_folder(), request_.language);
        controller_.gallery = std::move(loaded.gallery);
        controller_.general = std::move(loaded.general);
        controller_.glossary = std::move(loaded.glossary);
        controller_.quiz = std::move(loaded.quiz);
        controller_.figures = std::move(loaded.figures);
        controller_.ablations = std::move(loaded.ablations);
        if (!loaded.problem.empty()) controller_.complain(loaded.problem, loaded.remedy);
    }

    // Sleeps until something happens or has to move; seconds until the next thing that moves by itself, as
    // Controller::next_change said before.
    double wait() {
        const bool frame_now = window_.dirty || sharing_ || !window_.queue.empty() || changed_.waits() || server_changed_.waits() ||
                               fetched_.waits() || chosen_.waits() || opening_.grew.waits();
        const double now = glfwGetTime(), next = controller_.next_change(now);
        double wait = frame_now ? 0 : kSignalCheck;
        if (next >= 0) wait = std::min(wait, next);
        if (wake_at_ > 0) wait = std::min(wait, std::max(0.0, wake_at_ - now));
        if (script_) wait = std::min(wait, 0.01);
        waited_from_ = now;
#if defined(__EMSCRIPTEN__)
        wait = 0; // the browser does that
#endif
        if (wait > 0)
            glfwWaitEventsTimeout(std::max(0.001, wait));
        else
            glfwPollEvents();
        return next;
    }

    void observe() {
        go_on_sharing();
        // The session starts behind the first picture: the window never waits for a model.
        if (report_.frames == 1 && !opening_.saved && !session_) {
            const auto notify = [this] { changed_.give(); };
            session_ = models_ ? std::make_unique<Session>(request_.view.settings, notify, std::move(models_))
                               : std::make_unique<Session>(request_.models, request_.view.settings, notify);
            engine_ = session_.get();
        }
        if (changed_.take() && session_) {
            const Snapshot published = session_->published();
            if (std::exchange(revision_, published.revision) != published.revision) controller_.observe(published, glfwGetTime());
            window_.dirty = true;
        }
        if (opening_.grew.take() && opening_.follower) {
            if (const auto end = opening_.follower->end()) {
                if (end->what.empty())
                    controller_.saved_is_over(end->notice, glfwGetTime());
                else
                    controller_.saved_is_broken(end->what, end->remedy);
                opening_.follower.reset();
            }
            window_.dirty = true;
        }
        if (fetched_.take() && fetch_) {
            const auto view = fetch_->view();
            if (view->over) fetch_.reset();
            controller_.observe_fetch(view, glfwGetTime());
            window_.dirty = true;
        }
        if (chosen_.take() && dialog_) {
            const FileAnswer answer = dialog_->answer().value_or(FileAnswer{});
            dialog_.reset();
            if (!answer.problem.empty())
                controller_.complain(problem_of(ErrorKind::other, answer.problem, "").what, frame_says("remedy.type_path"_t));
            else
                controller_.chose(answer.path, glfwGetTime());
            window_.dirty = true;
        }
        if (server_changed_.take()) {
            controller_.observe_server(servers_->view());
            window_.dirty = true;
        }
    }

    [[nodiscard]] bool must_draw(double next, double time) const {
        const double then = controller_.next_change(time);
        const bool due = (wake_at_ > 0 && time >= wake_at_) || (then > 0 && next >= 0 && time >= waited_from_ + next);
        return window_.dirty || !window_.queue.empty() || then == 0 || due || script_;
    }

    std::vector<FrameCommand> draw(double time) {
        window_.dirty = false;
        window_.measure();
        controller_.window = {static_cast<float>(window_.width) / density_, static_cast<float>(window_.height) / density_};
        window_.scale = controller_.scale() * density_;
        controller_.tick(time);
        for (const ui::KeyPress& key : controller_.take_keys(widgets_)) window_.queue.push({.kind = RawEvent::Kind::key, .key = key});
        const ui::Input input = window_.queue.next(time, window_.held());
        const double build = glfwGetTime();
        const ui::Theme& colours = ui::theme(controller_.theme);
        ui::Canvas& canvas = renderer_.begin(window_.width, window_.height, window_.scale);
        ui::Ui ui(canvas, input, colours, widgets_,
                  {0, 0, static_cast<float>(window_.width) / window_.scale, static_cast<float>(window_.height) / window_.scale});
        ui.reduced_motion = controller_.reduced_motion;
        ui.clipboard = window_.clipboard();
        std::vector<FrameCommand> commands = compose(controller_.frame(time), controller_.chrome, ui);
        frame_times_.push_back((glfwGetTime() - build) * 1000);
        if (frame_times_.size() > 4096) frame_times_.erase(frame_times_.begin(), frame_times_.begin() + 2048);
        renderer_.end(colours.bg);
        glfwSwapBuffers(window_.handle);
        if (++report_.frames == 1) {
            report_.first_frame_s = glfwGetTime() - began_;
            window_.dirty = true;
        }
        wake_at_ = widgets_.wake_at;
        // Widgets and scenes change their own state while they draw: one more frame shows it.
        const bool dragged = input.down && (input.mouse.x != last_mouse_.x || input.mouse.y != last_mouse_.y);
        if (input.pressed || input.released || dragged || input.wheel != 0 || !input.keys.empty() || !input.typed.empty())
            window_.dirty = true;
        last_mouse_ = input.mouse;
        return commands;
    }

    void perform(const std::vector<FrameCommand>& commands) {
        if (commands.empty()) return;
        controller_.perform(commands, glfwGetTime());
        window_.dirty = true; // show what the commands did
    }

    void keep_preferences() {
        const Preferences now = controller_.preferences();
        if (!request_.remembers || now == liked_) return;
        liked_ = now;
        try {
            save_preferences(liked_, preferences_file());
        } catch (const Error& error) {
            controller_.complain(error);
        }
    }

    // What only the window can do.
    void hand_over() {
        if (!controller_.clipboard.empty()) {
            window_.clipboard().set(controller_.clipboard);
            controller_.clipboard.clear();
        }
        if (!controller_.spoken.empty()) {
            std::fputs(controller_.spoken.c_str(), stdout);
            std::fflush(stdout);
            controller_.spoken.clear();
        }
        for (const WindowOrder order : std::exchange(controller_.orders, {})) {
            if (order == WindowOrder::quit) glfwSetWindowShouldClose(window_.handle, GLFW_TRUE);
            if (order == WindowOrder::fullscreen) window_.toggle_fullscreen();
            if (order == WindowOrder::words_page) open_words();
        }
    }

    // The frame in words on a page that follows it, for screen readers.
    void open_words() {
        if (kPage) return controller_.complain(frame_says("problem.page_words"_t), frame_says("remedy.page_words"_t));
        try {
            if (!words_) words_ = std::make_unique<WordsServer>();
        } catch (const Error& error) {
            return controller_.complain(error);
        }
        tell_words();
        const std::string start = "command -v xdg-open >/dev/null && { xdg-open '" + words_->address() + "' </dev/null >/dev/null 2>&1 & }";
        if (std::system(start.c_str()) == 0) return;
        window_.clipboard().set(words_->address());
        controller_.say(frame_says("notice.no_browser"_t), glfwGetTime());
        window_.dirty = true;
    }

    void tell_words() {
        const FrameInput frame = controller_.frame(glfwGetTime());
        const SceneInfo* scene = find_scene(frame.scene_name);
        if (!scene || !frame.active) return;
        const std::string problem = frame.banner.empty() ? "" : frame.banner + ". " + frame.remedy + "\n";
        words_->show(OrderedJson{{"language", ui::language().name},
                                 {"title", message(scene->title) + " – SpecLens"},
                                 {"text", problem + frame_words(frame)},
                                 {"closed", frame_says("notice.closed"_t).words()}}
                         .dump(-1, BadUtf8::replaced));
    }

    const ShellSignals signals_;
    std::unique_ptr<WordsServer> words_; // once somebody asked for it; ends when the window is gone
    const GlfwLibrary library_;
    const double began_ = glfwGetTime();
    const WindowRequest& request_;
    const ShellScript& script_;
    std::shared_ptr<const Models> models_; // given, until the session has them
    Opening opening_;
    ShellWindow window_;
    const ui::FontSet fonts_;
    GlRenderer renderer_;
    Notice changed_, server_changed_, fetched_, chosen_; // by the threads of these
    std::unique_ptr<FileDialog> dialog_;                 // while somebody chooses
    RunSettings served_;                                 // that it was made with
    std::unique_ptr<Session> session_;
    std::atomic<const Session*> engine_ = nullptr; // the same, for the thread of servers_
    std::unique_ptr<ServerSession> servers_;       // made when the first server is asked for; serves models of session_
    std::unique_ptr<FetchJob> fetch_;              // while a model is on its way
    bool fingers_ = false;                         // two of them are on a page
    std::string typed_;                            // on the keyboard of a phone, and not taken yet
    std::vector<std::string> dropped_;             // on a page, and not opened yet
    std::unique_ptr<RoundShare> sharing_;          // while a round is drawn for others
    Controller controller_;
    const float density_;
    ShellReport report_;
    Preferences liked_; // that are written down
    ui::WidgetState widgets_;
    std::uint64_t revision_ = 0;
    std::vector<double> frame_times_;
    double wake_at_ = 0;     // when a widget wants to be drawn again; 0: no time
    double waited_from_ = 0; // when the loop last fell asleep
    ui::Vec2 last_mouse_;
};

} // namespace

ShellReport run_window(const WindowRequest& request, const ShellScript& script, std::shared_ptr<const Models> models) {
    return Shell(request, script, std::move(models)).run();
}

std::string language_of_window(const std::optional<std::string>& asked, bool remembers) {
    if (asked) return language_named(*asked);
    const std::string kept = remembers ? load_preferences(preferences_file()).language : "";
    return language_named(kept);
}

void open_window(const WindowRequest& request) {
#if defined(__EMSCRIPTEN__) // the page owns the loop: this returns at once, and what it made lives as long as the page
    static const WindowRequest kept = request;
    static const ShellScript nobody;
    static Shell shell(kept, nobody);
    page::for_every_picture([] { shell.page_turn(); });
#else
    (void)run_window(request);
#endif
}

std::string display_report() {
    const char* x11 = std::getenv("DISPLAY");
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if ((!x11 || !*x11) && (!wayland || !*wayland)) return std::string("none (DISPLAY is not set). ") + kNoDisplay;
    try {
        GlfwLibrary library;
        glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
        const ShellWindow window(64, 64);
        return "window and " + gl_version();
    } catch (const Error& error) {
        return std::string(error.what()) + ". " + error.remedy();
    }
}

} // namespace speclens
