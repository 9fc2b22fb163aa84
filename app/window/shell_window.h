// A GLFW window with an OpenGL 3.3 context: what happens to it becomes raw events, its size is in device
// pixels.
#pragma once

#include "app/window/shell_input.h"
#include "ui/ui.h"

struct GLFWwindow;

namespace speclens {

// What to do where no window can be opened.
inline constexpr const char* kNoDisplay = "Draw files instead with: speclens render --all DIR; print a run with: speclens "
                                          "run; or connect with: ssh -X.";

// GLFW initialised for the life of this object. Throws Error (display).
struct GlfwLibrary {
    GlfwLibrary();
    ~GlfwLibrary();
    GlfwLibrary(const GlfwLibrary&) = delete;
    GlfwLibrary& operator=(const GlfwLibrary&) = delete;
};

class ShellWindow {
  public:
    // Of this many window units, less where the screen is smaller. Throws Error (display).
    ShellWindow(int width, int height);
    ~ShellWindow();
    ShellWindow(const ShellWindow&) = delete;
    ShellWindow& operator=(const ShellWindow&) = delete;

    void measure();   // before a frame
    void fill_page(); // in a browser: takes the size of its window
    // What the system asks for on high-density screens, once.
    [[nodiscard]] float content_scale() const;
    [[nodiscard]] bool minimised() const;
    [[nodiscard]] ui::Mods held() const;
    [[nodiscard]] ui::Clipboard clipboard() const;
    void toggle_fullscreen();
    void push(RawEvent event);

    GLFWwindow* handle = nullptr;
    InputQueue queue;
    bool dirty = true;         // something to show has changed
    float scale = 1;           // device pixels per logical pixel; set before a frame
    int width = 0, height = 0; // device pixels

  private:
    void listen();
    void point_at(double x, double y); // window units

    float pixel_ratio_ = 1;                                         // framebuffer pixels per window unit
    int window_x_ = 0, window_y_ = 0, window_w_ = 0, window_h_ = 0; // before full screen
};

} // namespace speclens
