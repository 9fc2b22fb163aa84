#define GLFW_INCLUDE_NONE
#include "app/window/shell_window.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <string>
#include <utility>

#if defined(__EMSCRIPTEN__)
#include "app/window/page.h"
#endif
#include "app/window/shell_keys.h"
#include "kernels/error.h"
#include "ui/utf8.h"

namespace speclens {
namespace {

std::string& last_glfw_error() {
    static std::string text; // GLFW's error callback has no user pointer
    return text;
}

ShellWindow& of(GLFWwindow* window) { return *static_cast<ShellWindow*>(glfwGetWindowUserPointer(window)); }

// Not larger than the usable part of the screen.
void fit_to_screen(int& w, int& h) {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    int x = 0, y = 0, area_w = 0, area_h = 0;
    if (monitor) glfwGetMonitorWorkarea(monitor, &x, &y, &area_w, &area_h);
    if (area_w >= 480) w = std::min(w, area_w);
    if (area_h >= 320) h = std::min(h, area_h);
}

} // namespace

GlfwLibrary::GlfwLibrary() {
    glfwSetErrorCallback([](int, const char* words) { last_glfw_error() = words; });
    if (!glfwInit()) throw Error("no window can be opened: " + last_glfw_error(), kNoDisplay, Exit::display);
}

GlfwLibrary::~GlfwLibrary() { glfwTerminate(); }

ShellWindow::ShellWindow(int w, int h) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE); // on dense screens the window grows with the scale
    fit_to_screen(w, h);
    handle = glfwCreateWindow(w, h, "SpecLens", nullptr, nullptr);
    if (!handle)
        throw Error("no OpenGL 3.3 window: " + last_glfw_error(), std::string("Try LIBGL_ALWAYS_SOFTWARE=1. ") + kNoDisplay, Exit::display);
    glfwMakeContextCurrent(handle);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(handle, this);
    glfwSetWindowSizeLimits(handle, 480, 320, GLFW_DONT_CARE, GLFW_DONT_CARE);
    listen();
    measure();
}

ShellWindow::~ShellWindow() { glfwDestroyWindow(handle); }

void ShellWindow::push(RawEvent event) {
    queue.push(std::move(event));
    dirty = true;
}

void ShellWindow::listen() {
    glfwSetCursorPosCallback(handle, [](GLFWwindow* w, double x, double y) { of(w).point_at(x, y); });
    glfwSetCursorEnterCallback(handle, [](GLFWwindow* w, int inside) {
        if (!inside) of(w).push({.kind = RawEvent::Kind::move, .at = {-1, -1}});
    });
    glfwSetMouseButtonCallback(handle, [](GLFWwindow* w, int button, int change, int) {
        if (button != GLFW_MOUSE_BUTTON_LEFT) return;
#if defined(__EMSCRIPTEN__) // a finger comes down where no pointer was before
        double x = 0, y = 0;
        glfwGetCursorPos(w, &x, &y);
        of(w).point_at(x, y);
#endif
        of(w).push({.kind = RawEvent::Kind::button, .down = change == GLFW_PRESS});
    });
    glfwSetScrollCallback(
        handle, [](GLFWwindow* w, double, double y) { of(w).push({.kind = RawEvent::Kind::wheel, .wheel = static_cast<float>(y)}); });
    glfwSetKeyCallback(handle, [](GLFWwindow* w, int key, int scancode, int change, int mods) {
        if (change == GLFW_RELEASE) return;
        const ui::Key known = key_from_glfw(key, scancode);
        if (known == ui::Key::none || (mods & GLFW_MOD_SUPER) != 0) return; // the desktop's own
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
    glfwSetDropCallback(handle, [](GLFWwindow* w, int count, const char** paths) {
        for (int i = 0; i < count; ++i) of(w).push({.kind = RawEvent::Kind::drop, .text = paths[i]});
    });
    glfwSetFramebufferSizeCallback(handle, [](GLFWwindow* w, int, int) { of(w).dirty = true; });
    glfwSetWindowRefreshCallback(handle, [](GLFWwindow* w) { of(w).dirty = true; });
    glfwSetWindowFocusCallback(handle, [](GLFWwindow* w, int) { of(w).dirty = true; });
}

void ShellWindow::point_at(double x, double y) {
    const float by = pixel_ratio_ / scale;
    push({.kind = RawEvent::Kind::move, .at = {static_cast<float>(x) * by, static_cast<float>(y) * by}});
}

void ShellWindow::measure() {
    int units = 1, ignored = 1;
    glfwGetWindowSize(handle, &units, &ignored);
    glfwGetFramebufferSize(handle, &width, &height);
    pixel_ratio_ = units > 0 ? static_cast<float>(width) / static_cast<float>(units) : 1;
}

float ShellWindow::content_scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(handle, &x, &y);
    return std::clamp(x, 1.0F, 3.0F);
}

bool ShellWindow::minimised() const { return glfwGetWindowAttrib(handle, GLFW_ICONIFIED) != 0; }

ui::Mods ShellWindow::held() const {
    const auto down = [&](int a, int b) { return glfwGetKey(handle, a) == GLFW_PRESS || glfwGetKey(handle, b) == GLFW_PRESS; };
    return {.shift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
            .ctrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
            .alt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT)};
}

ui::Clipboard ShellWindow::clipboard() const {
#if defined(__EMSCRIPTEN__)
    return {.get = page::clipboard, .set = page::set_clipboard};
#else
    return {.get =
                [this] {
                    const char* text = glfwGetClipboardString(handle);
                    return std::string(text ? text : "");
                },
            .set = [this](const std::string& text) { glfwSetClipboardString(handle, text.c_str()); }};
#endif
}

void ShellWindow::toggle_fullscreen() {
#if defined(__EMSCRIPTEN__)
    page::toggle_fullscreen();
#else
    if (glfwGetWindowMonitor(handle)) {
        glfwSetWindowMonitor(handle, nullptr, window_x_, window_y_, window_w_, window_h_, 0);
        return;
    }
    glfwGetWindowPos(handle, &window_x_, &window_y_);
    glfwGetWindowSize(handle, &window_w_, &window_h_);
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (mode) glfwSetWindowMonitor(handle, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
#endif
}

#if defined(__EMSCRIPTEN__)
void ShellWindow::fill_page() {
    const page::Size now = page::size();
    int width_now = 0, height_now = 0;
    glfwGetWindowSize(handle, &width_now, &height_now);
    if (width_now == now.width && height_now == now.height) return;
    glfwSetWindowSize(handle, now.width, now.height);
    dirty = true;
}
#endif

} // namespace speclens
