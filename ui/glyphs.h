// Role marks, arrows and icons as paths: Inter and JetBrains Mono miss several of them as characters.
#pragma once

#include <cstdint>
#include <string_view>

#include "ui/theme.h"

namespace speclens::ui {

enum class Icon : std::uint8_t {
    none,
    // roles: ◇ ■ ✓ ✕ ↻ ★ ·
    diamond,
    square,
    check,
    cross,
    redo,
    star,
    dot,
    // transport
    play,
    pause,
    back,
    step_back,
    step,
    first,
    last,
    // user interface
    chevron_down,
    chevron_up,
    chevron_right,
    search,
    plus,
    minus,
    menu,
    close,
    warning,
    // methods: ● ▲ ▼ ✚ ◆ ◗ ▶ ⬟ ⬢ ⏢ ⑂ (■ is `square`)
    circle,
    triangle_up,
    triangle_down,
    cross_fat,
    diamond_solid,
    half_disc,
    triangle_right,
    pentagon,
    hexagon,
    trapezoid,
    fork,
    // whitespace marks inside tokens
    newline,
    tab,
};
[[nodiscard]] Icon role_icon(Role role);
// A method's mark by its name above: "hexagon". Another name is a diamond.
[[nodiscard]] Icon icon_called(std::string_view name);

// Drawn inside the square of side `size` around `center`.
void icon(Canvas& canvas, Icon which, Vec2 center, float size, Color color);
// The same outline hollow, with diagonal hatch: published marks. Method marks and square/diamond only.
void hollow_icon(Canvas& canvas, Icon which, Vec2 center, float size, Color color);

// A line with a solid head at `to`; the tip touches `to`.
void arrow(Canvas& canvas, Vec2 from, Vec2 to, const Stroke& stroke, float head = 7);
// Low bracket ⎵ for a visible space, one mono cell wide. `at` = left end on the baseline.
void space_mark(Canvas& canvas, Vec2 at, float mono_size, Color color);

} // namespace speclens::ui
