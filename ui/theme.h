// Colours: neutrals, the seven roles (hue + glyph + edge, never hue alone) and the two heat maps.
// Values and their contrast are recomputed by tests/ui/palette_test.cpp. A hue always means a role:
// selection, focus and primary buttons are ink.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ui/canvas.h"

namespace speclens::ui {

enum class Role : std::uint8_t { draft, target, accepted, rejected, residual, bonus, discarded };
inline constexpr std::array<Role, 7> kRoles = {Role::draft,    Role::target, Role::accepted, Role::rejected,
                                               Role::residual, Role::bonus,  Role::discarded};

enum class ThemeKind : std::uint8_t { dark, light, contrast, contrast_light };
[[nodiscard]] const char* theme_name(ThemeKind kind); // dark, light, contrast, contrast-light
[[nodiscard]] std::optional<ThemeKind> theme_of(std::string_view name);

struct Theme {
    ThemeKind kind = ThemeKind::dark;
    Color bg, panel, raised, line, ink, muted;
    Color pen;                      // of strokes drawn by hand over a picture: no role has this hue
    std::array<Color, 7> roles{};   // full strength
    std::array<Color, 7> on_fill{}; // text on a solid fill of the role
    float tint_amount = 0.18F;      // 18 % dark, 14 % light
    float edge_width = 1;           // 1; 2 in the high-contrast themes: thinner edges are drawn this wide

    [[nodiscard]] Color role(Role r) const { return roles[static_cast<std::size_t>(r)]; }
    [[nodiscard]] Color on(Role r) const { return on_fill[static_cast<std::size_t>(r)]; }
    [[nodiscard]] Color tint(Role r) const { return mix(role(r), bg, tint_amount); }
    [[nodiscard]] Color live() const { return role(Role::accepted); } // the live dot, the one hue that is no verdict
    [[nodiscard]] Stroke edge(Role r) const;                          // dashed, solid, dotted … as the role asks
    // Ground of a pressed button or the row under the cursor: `line`, except where that is too bright for
    // ink.
    [[nodiscard]] Color active() const { return edge_width > 1 ? mix(ink, bg, 0.3F) : line; }
    [[nodiscard]] Stroke hairline() const { return {line, edge_width}; }
};
[[nodiscard]] const Theme& theme(ThemeKind kind);

// Signed values, -1…1: cyan <- raised -> amber in 5 steps each way.
[[nodiscard]] Color diverging(const Theme& theme, float value);
// Gates, 0…1: raised -> target.
[[nodiscard]] Color gate_color(const Theme& theme, float value);

} // namespace speclens::ui
