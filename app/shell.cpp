// The window: GLFW and OpenGL 3 around the controller. Frames are drawn on input, while something moves, and
// when the engine says that something changed; otherwise the loop sleeps.
#define GLFW_INCLUDE_NONE
#include "app/shell.h"

#include <GLFW/glfw3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

#include "app/headless_frame.h"
#include "app/shell_gl.h"
#include "app/shell_keys.h"
#include "app/shell_signals.h"
#include "app/ui/fonts.h"
#include "app/ui/utf8.h"
#include "engine/gallery.h"
#include "engine/models.h"
#include "engine/race_json.h"
#include "engine/saved_settings.h"
#include "engine/trace_follower.h"
#include "kernels/error.h"
#include "remote/server_session.h"

namespace speclens {
namespace {

const char* kNoDisplay = "Draw files instead with: speclens render --all DIR; print a run with: speclens "
                         "run; or connect with: ssh -X.";

std::string& last_glfw_error() {
    static std::string text; // GLFW's error callback has no user pointer
    return text;
}

// GLFW initialised for the life of this object.
struct GlfwLibrary {
    GlfwLibrary() {
        glfwSetErrorCallback([](int, const char* words) { last_glfw_error() = words; });
        if (!glfwInit())
            throw Error("no window can be opened: " + last_glfw_error(), kNoDisplay, Exit::display);
    }
    ~GlfwLibrary() { glfwTerminate(); }
};

struct Window {
    GLFWwindow* handle = nullptr;
    InputQueue queue;
    bool dirty = true;
    float pixel_ratio = 1;                                      // framebuffer pixels per window unit
    float scale = 1;                                            // device pixels per logical pixel
    int width = 0, height = 0;                                  // device pixels
    int window_x = 0, window_y = 0, window_w = 0, window_h = 0; // before full screen

    Window(int w, int h) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE); // on dense screens the window grows with the scale
        fit_to_screen(w, h);
        handle = glfwCreateWindow(w, h, "SpecLens", nullptr, nullptr);
        if (!handle)
            throw Error("no OpenGL 3.3 window: " + last_glfw_error(),
                        std::string("Try LIBGL_ALWAYS_SOFTWARE=1. ") + kNoDisplay, Exit::display);
        glfwMakeContextCurrent(handle);
        glfwSwapInterval(1);
        glfwSetWindowUserPointer(handle, this);
        glfwSetWindowSizeLimits(handle, 480, 320, GLFW_DONT_CARE, GLFW_DONT_CARE);
        listen();
        measure();
    }
    ~Window() { glfwDestroyWindow(handle); }

    // Not larger than the usable part of the screen.
    static void fit_to_screen(int& w, int& h) {
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        int x = 0, y = 0, area_w = 0, area_h = 0;
        if (monitor) glfwGetMonitorWorkarea(monitor, &x, &y, &area_w, &area_h);
        if (area_w >= 480) w = std::min(w, area_w);
        if (area_h >= 320) h = std::min(h, area_h);
    }

    static Window& of(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }

    void push(RawEvent event) {
        queue.push(std::move(event));
        dirty = true;
    }

    void listen() {
        glfwSetCursorPosCallback(handle, [](GLFWwindow* w, double x, double y) {
            Window& self = of(w);
            const float by = self.pixel_ratio / self.scale;
            self.push({.kind = RawEvent::Kind::move,
                       .at = {static_cast<float>(x) * by, static_cast<float>(y) * by}});
        });
        glfwSetCursorEnterCallback(handle, [](GLFWwindow* w, int inside) {
            if (!inside) of(w).push({.kind = RawEvent::Kind::move, .at = {-1, -1}});
        });
        glfwSetMouseButtonCallback(handle, [](GLFWwindow* w, int button, int change, int) {
            if (button == GLFW_MOUSE_BUTTON_LEFT)
                of(w).push({.kind = RawEvent::Kind::button, .down = change == GLFW_PRESS});
        });
        glfwSetScrollCallback(handle, [](GLFWwindow* w, double, double y) {
            of(w).push({.kind = RawEvent::Kind::wheel, .wheel = static_cast<float>(y)});
        });
        glfwSetKeyCallback(handle, [](GLFWwindow* w, int key, int scancode, int change, int mods) {
            if (change == GLFW_RELEASE) return;
            const ui::Key known = key_from_glfw(key, scancode);
            if (known == ui::Key::none) return;
            of(w).push({.kind = RawEvent::Kind::key,
                        .key = {.key = known,
                                .shift = (mods & GLFW_MOD_SHIFT) != 0,
                                .ctrl = (mods & GLFW_MOD_CONTROL) != 0,
                                .alt = (mods & GLFW_MOD_ALT) != 0,
                                .repeat = change == GLFW_REPEAT}});
        });
        glfwSetCharCallback(handle, [](GLFWwindow* w, unsigned code) {
            std::string text;
            ui::append(text, static_cast<char32_t>(code));
            of(w).push({.kind = RawEvent::Kind::text, .text = text});
        });
        glfwSetFramebufferSizeCallback(handle, [](GLFWwindow* w, int, int) { of(w).dirty = true; });
        glfwSetWindowRefreshCallback(handle, [](GLFWwindow* w) { of(w).dirty = true; });
        glfwSetWindowFocusCallback(handle, [](GLFWwindow* w, int) { of(w).dirty = true; });
    }

    void measure() {
        int units = 1, ignored = 1;
        glfwGetWindowSize(handle, &units, &ignored);
        glfwGetFramebufferSize(handle, &width, &height);
        pixel_ratio = units > 0 ? static_cast<float>(width) / static_cast<float>(units) : 1;
    }

    // What the system asks for on high-density screens, once.
    [[nodiscard]] float content_scale() const {
        float x = 1, y = 1;
        glfwGetWindowContentScale(handle, &x, &y);
        return std::clamp(x, 1.0F, 3.0F);
    }

    void toggle_fullscreen() {
        if (glfwGetWindowMonitor(handle)) {
            glfwSetWindowMonitor(handle, nullptr, window_x, window_y, window_w, window_h, 0);
            return;
        }
        glfwGetWindowPos(handle, &window_x, &window_y);
        glfwGetWindowSize(handle, &window_w, &window_h);
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
        if (mode) glfwSetWindowMonitor(handle, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }

    [[nodiscard]] ui::Mods held() const {
        const auto down = [&](int a, int b) {
            return glfwGetKey(handle, a) == GLFW_PRESS || glfwGetKey(handle, b) == GLFW_PRESS;
        };
        return {.shift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
                .ctrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
                .alt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT)};
    }
};

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

} // namespace

ShellReport run_window(const WindowRequest& request, const ShellScript& script) {
    const ShellSignals signals;
    GlfwLibrary library;
    const double began = glfwGetTime();
    ShellReport report;
    // A wrong file or theme is an error of the command line, before any window appears.
    Preferences liked = request.remembers ? load_preferences(preferences_file()) : Preferences();
    if (request.theme) liked.theme = theme_named(*request.theme);
    if (request.zoom) liked.zoom = *request.zoom;
    std::shared_ptr<const Trace> saved;
    std::string notice;
    std::shared_ptr<const RaceView> race;
    std::atomic<bool> grew{false};
    std::unique_ptr<TraceFollower> follower;
    if (request.session == "-") {
        follower = std::make_unique<TraceFollower>(
            STDIN_FILENO, "standard input",
            [&] {
                grew = true;
                glfwPostEmptyEvent();
            },
            request.stop);
        saved = follower->trace();
    } else if (!request.session.empty() && is_race_file(request.session))
        race = std::make_shared<const RaceView>(load_race(request.session));
    else if (!request.session.empty())
        saved = load_trace(request.session, &notice);

    Window window(request.width, request.height);
    const ui::FontSet fonts;
    GlRenderer renderer(fonts);
    report.gl = renderer.description();

    std::unique_ptr<Session> session;
    EnginePort port;
    if (request.session.empty()) {
        // Without a session (the first picture) there is nobody to tell.
        port.send = [&](Command command) {
            if (session) session->send(std::move(command));
        };
        port.set_budget = [&](std::int64_t steps) {
            if (session) session->gate().set(steps);
        };
        port.add_budget = [&](std::int64_t steps) {
            if (session) session->gate().add(steps);
        };
        port.cancel_loading = [&] {
            if (session) session->cancel_loading();
        };
    }
    std::unique_ptr<ServerSession> servers; // made when the first server is asked for
    std::atomic<bool> server_changed{false};
    port.server = [&](ServerOrder order) {
        if (!servers)
            servers = std::make_unique<ServerSession>(request.models, request.view.settings,
                                                      request.server_key, [&] {
                                                          server_changed = true;
                                                          glfwPostEmptyEvent();
                                                      });
        servers->send(std::move(order));
    };
    Controller controller(port, request.view.settings, request.view.scene);
    controller.expect_place(request.view.place);
    controller.folders = request.folders;
    controller.read = request.read;
    if (!request.attach.empty()) port.server(AttachServer{request.attach});
    controller.prefer(liked);
    controller.expect_race(request.view.race);
    if (!request.lecture.steps.empty()) controller.begin_lecture(request.lecture, began);
    controller.chrome.layout.presenter = request.presenter;
    liked = controller.preferences();
    controller.gallery = load_gallery(assets_folder() / "prompts" / "gallery.jsonl");
    try {
        controller.glossary = load_glossary(assets_folder() / "glossary.json");
        controller.quiz = load_quiz(assets_folder() / "quiz.json");
    } catch (const Error&) { // a window without them is better than none
    }
    try { // pictures without published figures are better than no window
        controller.figures =
            std::make_shared<const Published>(Published::load(assets_folder() / "published"));
    } catch (const Error&) {
    }
    try {
        controller.ablations =
            std::make_shared<const Ablations>(load_ablations(assets_folder() / "models" / "ablations.json"));
    } catch (const Error&) {
    }
    if (race) controller.show_race(race);
    if (saved)
        controller.show_saved(saved, saved->header() ? settings_of(*saved->header()) : request.view.settings,
                              follower != nullptr);

    ui::WidgetState widgets;
    controller.export_frame = [&](const std::filesystem::path& file) {
        draw_to_file(controller.frame(glfwGetTime()), controller.chrome, window.width, window.height, file);
    };
    std::atomic<bool> changed{false};
    std::uint64_t revision = 0;
    const float density = window.content_scale();
    std::vector<double> frame_times;
    double wake_at = 0;
    ui::Vec2 last_mouse;

    constexpr double kSignalCheck = 0.2; // at most so many seconds until a signal is noticed
    while (!glfwWindowShouldClose(window.handle) && !signals.came()) {
        const double now = glfwGetTime();
        const bool frame_now =
            window.dirty || !window.queue.empty() || changed.load() || server_changed.load() || grew.load();
        double wait = frame_now ? 0 : kSignalCheck;
        const double next = controller.next_change(now);
        if (next >= 0) wait = std::min(wait, next);
        if (wake_at > 0) wait = std::min(wait, std::max(0.0, wake_at - now));
        if (script) wait = std::min(wait, 0.01);
        if (wait > 0)
            glfwWaitEventsTimeout(std::max(0.001, wait));
        else
            glfwPollEvents();

        // The session starts behind the first picture: the window never waits for a model.
        if (report.frames == 1 && !saved && !session)
            session = std::make_unique<Session>(request.models, request.view.settings, [&] {
                changed = true;
                glfwPostEmptyEvent();
            });
        if (changed.exchange(false) && session) {
            const Snapshot published = session->published();
            if (published.revision != revision) {
                revision = published.revision;
                controller.observe(published, glfwGetTime());
            }
            window.dirty = true;
        }
        if (grew.exchange(false) && follower) {
            if (const auto end = follower->end()) {
                if (end->what.empty())
                    controller.saved_is_over(end->notice, glfwGetTime());
                else
                    controller.saved_is_broken(end->what, end->remedy);
                follower.reset();
            }
            window.dirty = true;
        }
        if (server_changed.exchange(false)) {
            controller.observe_server(servers->view());
            window.dirty = true;
        }
        const double time = glfwGetTime();
        if (script && !script(window.queue, controller, report.frames, time - began)) break;
        const bool moving = controller.next_change(time) == 0;
        const bool due = (wake_at > 0 && time >= wake_at) ||
                         (controller.next_change(time) > 0 && next >= 0 && time >= now + next);
        if (!window.dirty && window.queue.empty() && !moving && !due && !script) continue;
        if (glfwGetWindowAttrib(window.handle, GLFW_ICONIFIED)) continue;

        window.dirty = false;
        window.measure();
        controller.window = {static_cast<float>(window.width) / density,
                             static_cast<float>(window.height) / density};
        window.scale = controller.scale() * density;
        controller.tick(time);
        for (const ui::KeyPress& key : controller.take_keys(widgets))
            window.queue.push({.kind = RawEvent::Kind::key, .key = key});
        const ui::Input input = window.queue.next(time, window.held());
        const double build = glfwGetTime();
        const ui::Theme& colours = ui::theme(controller.theme);
        ui::Canvas& canvas = renderer.begin(window.width, window.height, window.scale);
        ui::Ui ui(canvas, input, colours, widgets,
                  {0, 0, static_cast<float>(window.width) / window.scale,
                   static_cast<float>(window.height) / window.scale});
        ui.reduced_motion = controller.reduced_motion;
        ui.clipboard.get = [&] {
            const char* text = glfwGetClipboardString(window.handle);
            return std::string(text ? text : "");
        };
        ui.clipboard.set = [&](const std::string& text) {
            glfwSetClipboardString(window.handle, text.c_str());
        };
        const std::vector<FrameCommand> commands = compose(controller.frame(time), controller.chrome, ui);
        frame_times.push_back((glfwGetTime() - build) * 1000);
        if (frame_times.size() > 4096) frame_times.erase(frame_times.begin(), frame_times.begin() + 2048);
        renderer.end(colours.bg);
        glfwSwapBuffers(window.handle);
        if (++report.frames == 1) {
            report.first_frame_s = glfwGetTime() - began;
            window.dirty = true;
        }
        wake_at = widgets.wake_at;
        // Widgets and scenes change their own state while they draw: one more frame shows it.
        const bool dragged = input.down && (input.mouse.x != last_mouse.x || input.mouse.y != last_mouse.y);
        const bool acted = input.pressed || input.released || dragged || input.wheel != 0 ||
                           !input.keys.empty() || !input.typed.empty();
        last_mouse = input.mouse;
        if (acted) window.dirty = true;

        if (!commands.empty()) {
            controller.perform(commands, glfwGetTime());
            window.dirty = true; // show what the commands did
        }
        if (const Preferences now_liked = controller.preferences(); request.remembers && !(now_liked == liked)) {
            liked = now_liked;
            try {
                save_preferences(liked, preferences_file());
            } catch (const Error& error) {
                controller.complain(error.what(), error.remedy());
            }
        }
        if (!controller.clipboard.empty()) {
            glfwSetClipboardString(window.handle, controller.clipboard.c_str());
            controller.clipboard.clear();
        }
        if (!controller.told.empty()) {
            std::fputs(controller.told.c_str(), stdout);
            std::fflush(stdout);
            controller.told.clear();
        }
        for (const WindowOrder order : std::exchange(controller.orders, {})) {
            if (order == WindowOrder::quit) glfwSetWindowShouldClose(window.handle, GLFW_TRUE);
            if (order == WindowOrder::fullscreen) window.toggle_fullscreen();
        }
    }
    session.reset(); // before what their notifications touch
    servers.reset();
    report.frame_ms = median(frame_times);
    return report;
}

void open_window(const WindowRequest& request) {
    (void)run_window(request);
}

std::string display_report() {
    const char* x11 = std::getenv("DISPLAY");
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if ((!x11 || !*x11) && (!wayland || !*wayland))
        return std::string("none (DISPLAY is not set). ") + kNoDisplay;
    try {
        GlfwLibrary library;
        glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
        const Window window(64, 64);
        return "window and " + gl_version();
    } catch (const Error& error) {
        return std::string(error.what()) + ". " + error.remedy();
    }
}

} // namespace speclens
