// Shapes as points, shared by the back ends: rounded outlines, circles, dashes, hatch lines. Pure functions.
#pragma once

#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "ui/canvas.h"

namespace speclens::ui {

using Line = std::pair<Vec2, Vec2>;

inline constexpr float kPi = std::numbers::pi_v<float>;

// Clockwise (y down) from the left end of the top edge; `tolerance` = largest distance from the true arc.
[[nodiscard]] std::vector<Vec2> rounded_outline(Rect rect, float radius, float tolerance = 0.08F);
[[nodiscard]] std::vector<Vec2> circle(Vec2 center, float radius, float tolerance = 0.08F);
// Points on an arc; angles in radians, 0 = right, growing clockwise on the screen.
[[nodiscard]] std::vector<Vec2> arc(Vec2 center, float radius, float from, float to, float tolerance = 0.08F);

[[nodiscard]] float path_length(std::span<const Vec2> points, bool closed);
// Dash and gap stretched a little so that a whole number of them closes the path without a seam.
[[nodiscard]] std::pair<float, float> fitted_dash(float length, float dash, float gap);
// The visible pieces of a dashed path.
[[nodiscard]] std::vector<std::vector<Vec2>> dashes(std::span<const Vec2> points, bool closed, float dash, float gap);
// 45° lines x + y = n · spacing inside the rectangle: neighbours with the same spacing continue each other.
[[nodiscard]] std::vector<Line> hatch_lines(Rect rect, float spacing);
[[nodiscard]] float signed_area(std::span<const Vec2> points); // > 0: clockwise on the screen

} // namespace speclens::ui
