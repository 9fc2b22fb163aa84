// Shapes with soft edges as triangles: the colour fades out over one pixel across every edge. Our own
// geometry instead of ImGui's, so pictures are the same with every ImGui version and on every processor.
#pragma once

#include <cstdint>
#include <span>

#include "ui/canvas.h"

struct ImDrawList;

namespace speclens::ui {

[[nodiscard]] std::uint32_t packed(Color color); // in the order of channels that ImGui was built with

// Convex, at least a pixel wide; either direction of turn. Device pixels.
void soft_fill(ImDrawList& list, std::span<const Vec2> points, Color color);
// Centre line of the given width; turns must not be sharper than about 100° (the caller cuts there).
void soft_stroke(ImDrawList& list, std::span<const Vec2> points, float width, Color color, bool closed);

} // namespace speclens::ui
