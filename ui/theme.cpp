#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace speclens::ui {

namespace {

constexpr Color rgb(unsigned hex) {
    return {static_cast<std::uint8_t>(hex >> 16U), static_cast<std::uint8_t>(hex >> 8U), static_cast<std::uint8_t>(hex)};
}

constexpr std::array<Color, 7> kDarkRoles = {rgb(0xFBCC4B), rgb(0x4678F3), rgb(0x18A476), rgb(0xF62B51),
                                             rgb(0xB8FAFD), rgb(0xCD8FB9), rgb(0x7D8694)};
constexpr std::array<Color, 7> kLightRoles = {rgb(0xD77A0F), rgb(0x1448BE), rgb(0x147A62), rgb(0x910333),
                                              rgb(0x4199BB), rgb(0x681D54), rgb(0x7A808A)};

Theme make_dark() {
    Theme t;
    t.kind = ThemeKind::dark;
    t.bg = rgb(0x12161C);
    t.panel = rgb(0x1A2029);
    t.raised = rgb(0x232B36);
    t.line = rgb(0x343E4B);
    t.ink = rgb(0xE8ECF1);
    t.muted = rgb(0xA3ADBA);
    t.pen = rgb(0xFF5FCB);
    t.roles = kDarkRoles;
    t.on_fill.fill(t.bg);
    t.on_fill[static_cast<std::size_t>(Role::discarded)] = t.ink;
    t.tint_amount = 0.18F;
    return t;
}

Theme make_light() {
    Theme t;
    t.kind = ThemeKind::light;
    t.bg = rgb(0xFBFAF7);
    t.panel = rgb(0xFFFFFF);
    t.raised = rgb(0xF1EFEA);
    t.line = rgb(0xD5D2CA);
    t.ink = rgb(0x1A1D21);
    t.muted = rgb(0x5B626C);
    t.pen = rgb(0xC4128C);
    t.roles = kLightRoles;
    const Color white = rgb(0xFFFFFF);
    t.on_fill = {t.ink, white, white, white, t.ink, white, t.ink};
    t.tint_amount = 0.14F;
    return t;
}

Theme make_contrast() {
    Theme t = make_dark();
    t.kind = ThemeKind::contrast;
    t.bg = t.panel = rgb(0x000000);
    t.raised = rgb(0x1C1C1C);
    t.line = rgb(0x9A9A9A);
    t.ink = rgb(0xFFFFFF);
    t.muted = rgb(0xD8D8D8);
    t.on_fill.fill(t.bg);
    t.on_fill[static_cast<std::size_t>(Role::discarded)] = t.ink;
    t.edge_width = 2;
    return t;
}

Theme make_contrast_light() {
    Theme t = make_light();
    t.kind = ThemeKind::contrast_light;
    t.bg = t.panel = rgb(0xFFFFFF);
    t.raised = rgb(0xEAEAEA);
    t.line = rgb(0x5C5C5C);
    t.ink = rgb(0x000000);
    t.muted = rgb(0x2E2E2E);
    t.on_fill = {t.ink, t.bg, t.bg, t.bg, t.ink, t.bg, t.ink};
    t.edge_width = 2;
    return t;
}

} // namespace

const char* theme_name(ThemeKind kind) {
    switch (kind) {
    case ThemeKind::dark: return "dark";
    case ThemeKind::light: return "light";
    case ThemeKind::contrast: return "contrast";
    case ThemeKind::contrast_light: return "contrast-light";
    }
    return "";
}

std::optional<ThemeKind> theme_of(std::string_view name) {
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light, ThemeKind::contrast, ThemeKind::contrast_light})
        if (name == theme_name(kind)) return kind;
    return {};
}

Stroke Theme::edge(Role r) const {
    const float solid = std::max(1.5F, edge_width);
    switch (r) {
    case Role::draft: return {role(r), solid, 5, 3};
    case Role::residual: return {role(r), 2, 2, 2.5F};
    case Role::bonus:
    case Role::discarded: return {role(r), edge_width};
    default: return {role(r), solid};
    }
}

const Theme& theme(ThemeKind kind) {
    static const std::array<Theme, 4> kThemes = {make_dark(), make_light(), make_contrast(), make_contrast_light()};
    return kThemes[static_cast<std::size_t>(kind)];
}

Color diverging(const Theme& theme, float value) {
    const float step = std::round(std::clamp(value, -1.0F, 1.0F) * 5) / 5;
    // Cyan of the dark theme is nearly white: its middle tone carries the scale in both themes.
    const Color cold = rgb(theme.bg.r < 128 ? 0x6FD3E4 : 0x4199BB);
    return mix(step < 0 ? cold : theme.role(Role::draft), theme.raised, std::abs(step) * 0.92F);
}

Color gate_color(const Theme& theme, float value) { return mix(theme.role(Role::target), theme.raised, std::clamp(value, 0.0F, 1.0F)); }

} // namespace speclens::ui
