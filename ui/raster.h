// CPU renderer of ImGui draw data: pictures without a window, a display or OpenGL, with the same bytes every
// time. Pixel centres, top-left rule, 1/256 pixel vertices. User textures are not supported; there are none.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/canvas.h"

struct ImDrawData;
struct ImFontAtlas;

namespace speclens::ui {

struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba; // (height, width, 4)
    bool operator==(const Image&) const = default;
};

[[nodiscard]] Image rasterize(const ImDrawData& data, const ImFontAtlas& atlas, int width, int height, Color clear);

} // namespace speclens::ui
