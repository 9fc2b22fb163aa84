// OpenGL side of the window: an ImGui context with one draw list, the canvas on it, and the glyph texture.
// Needs a current GL 3.3 context for its whole life.
#pragma once

#include <memory>
#include <string>

#include "ui/canvas.h"
#include "ui/theme.h"

namespace speclens {

namespace ui {
class FontSet;
}

class GlRenderer {
  public:
    explicit GlRenderer(const ui::FontSet& fonts); // throws Error (display)
    ~GlRenderer();
    GlRenderer(const GlRenderer&) = delete;
    GlRenderer& operator=(const GlRenderer&) = delete;

    [[nodiscard]] ui::Canvas& begin(int width, int height, float scale);
    void end(ui::Color ground); // draws into the back buffer
    [[nodiscard]] std::string description() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

[[nodiscard]] std::string gl_version(); // of the current context

} // namespace speclens
