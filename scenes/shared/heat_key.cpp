#include "scenes/shared/heat_key.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "ui/tokens.h"

namespace speclens {
namespace {

double own_scale(const Internals::Strip& strip) { return std::max({1e-12, std::abs(strip.low), std::abs(strip.high)}); }

void draw_cells(ui::Ui& ui, ui::Rect rect, const Internals::Strip& strip, double scale, ui::HeatKind kind) {
    std::vector<float> cells;
    for (const double cell : strip.cells) cells.push_back(static_cast<float>(cell / scale));
    ui::heat_strip(ui.canvas, ui.theme, rect, cells, kind);
}

} // namespace

void draw_heat_key(const SceneInput& input, ui::Ui& ui, const Message& subtitle) {
    const Message low = shared_says("strip.below"_t), high = shared_says("strip.above"_t);
    const auto width = [&](const Message& words) { return ui.canvas.text_width(words, ui::Font::text, 14); };
    constexpr float kCells = 90, kGap = 8;
    const float right = input.stage.right() - 24, left = right - width(low) - width(high) - kCells - 2 * kGap, y = input.stage.y + 64;
    if (left < input.stage.x + 24 + width(subtitle) + 24) return;
    std::array<float, 9> cells{};
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = 2 * static_cast<float>(i) / static_cast<float>(cells.size() - 1) - 1;
    ui.canvas.text({left, y}, low, ui::Font::text, 14, ui.theme.muted);
    const ui::Rect strip{left + width(low) + kGap, y - 10, kCells, 10};
    ui::heat_strip(ui.canvas, ui.theme, strip, cells, ui::HeatKind::signed_values);
    ui::tooltip(ui, strip, shared_says("strip.key"_t));
    ui.canvas.text({right, y}, high, ui::Font::text, 14, ui.theme.muted, ui::Align::right);
}

double strip_scale(const HeadModel& model, std::initializer_list<const char*> names) {
    double scale = 1e-12;
    for (const DraftSlot& slot : model.round->drafts)
        for (const char* name : names)
            if (const Internals::Strip* s = slot.draft->internals.strip(name)) scale = std::max(scale, own_scale(*s));
    return scale;
}

void draw_strip(ui::Ui& ui, ui::Rect rect, const Internals::Strip* strip, double scale, const Message& what, ui::HeatKind kind) {
    if (!strip) return ui::slot(ui.canvas, ui.theme, rect, {});
    if (scale <= 0) scale = own_scale(*strip);
    draw_cells(ui, rect, *strip, scale, kind);
    ui::thing(ui, rect,
              shared_says("strip.told"_t, "what"_v = what, "values"_v = strip->values, "cells"_v = strip->cells.size(),
                          "low"_v = strip->low, "high"_v = strip->high,
                          "scale"_v = kind == ui::HeatKind::gate ? std::nullopt : std::optional(scale)));
}

int layer_of(const Internals::Strip& tap) { return std::atoi(tap.name.c_str() + Internals::Strip::kTap.size()); }

void draw_taps(ui::Ui& ui, ui::Rect box, const HeadModel& model) {
    if (model.taps.empty()) return;
    const float each = (box.h - 4) / static_cast<float>(model.taps.size());
    float y = box.y + 2;
    for (const Internals::Strip* tap : model.taps) {
        draw_cells(ui, {box.x + 2, y, box.w - 4, each - 1}, *tap, own_scale(*tap), ui::HeatKind::signed_values);
        y += each;
    }
    ui.canvas.outline(box, {ui.theme.role(ui::Role::target), 1.5F}, 3);
    ui::thing(ui, box, shared_says("strip.taps"_t, "layers"_v = each_said(model.taps, [](const Internals::Strip* tap) {
                                                       return shared_says("strip.layer"_t, "layer"_v = layer_of(*tap));
                                                   })));
}

} // namespace speclens
