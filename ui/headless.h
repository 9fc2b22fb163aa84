// Frames without a window: an ImGui context of its own, a canvas of a given size and zoom, pixels out.
// Needs no display and no OpenGL. One context is current at a time, so use it from one thread.
#pragma once

#include <memory>

#include "ui/canvas.h"
#include "ui/raster.h"

namespace speclens::ui {

class FontSet;

class HeadlessFrame {
  public:
    explicit HeadlessFrame(const FontSet& fonts);
    ~HeadlessFrame();
    HeadlessFrame(const HeadlessFrame&) = delete;
    HeadlessFrame& operator=(const HeadlessFrame&) = delete;

    // width, height in device pixels; the canvas covers width / zoom × height / zoom logical pixels.
    [[nodiscard]] Canvas& begin(int width, int height, float zoom, Color clear);
    [[nodiscard]] Image end();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace speclens::ui
