// The upper bands of the Domino picture: columns, masks, backbone with the target's taps, features, LM head.
#include <algorithm>
#include <cmath>

#include "scenes/domino/domino_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {

namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

void down(const DominoDraw& d, float x, float from, float to) {
    ui::arrow(d.ui.canvas, {x, from}, {x, to}, {d.ui.theme.muted, 1.5F}, 6);
}

int tap_count(const DominoColumn& column) {
    const Lens* lens = column.lens();
    return lens ? static_cast<int>(std::ranges::count_if(
                      lens->strips, [](const Lens::Strip& s) { return s.name.starts_with("tap "); }))
                : 0;
}

void draw_taps(const DominoDraw& d, float y, float h) {
    const Lens* lens = d.column(0).lens();
    std::vector<const Lens::Strip*> taps;
    if (lens)
        for (const Lens::Strip& s : lens->strips)
            if (s.name.starts_with("tap ")) taps.push_back(&s);
    const Rect box{d.grid.gutter, y, 84, h};
    std::string names;
    for (const Lens::Strip* tap : taps) names += (names.empty() ? "" : ", ") + tap->name.substr(4);
    if (taps.empty()) {
        domino_row_name(d, y + h / 2 + 5, "Backbone", "");
        return;
    }
    const float each = (h - 4) / static_cast<float>(taps.size());
    for (std::size_t i = 0; i < taps.size(); ++i) {
        const double scale = std::max({1e-12, std::abs(taps[i]->low), std::abs(taps[i]->high)});
        std::vector<float> cells;
        for (const double cell : taps[i]->cells) cells.push_back(static_cast<float>(cell / scale));
        ui::heat_strip(d.ui.canvas, d.ui.theme,
                       {box.x + 2, box.y + 2 + each * static_cast<float>(i), box.w - 4, each - 1}, cells,
                       ui::HeatKind::signed_values);
    }
    d.ui.canvas.outline(box, {d.ui.theme.role(Role::target), 1.5F}, 3);
    ui::arrow(d.ui.canvas, {box.right() + 4, box.center().y}, {d.grid.left - 3, box.center().y},
              {d.ui.theme.role(Role::target), 1.5F}, 6);
    ui::tooltip(d.ui, box,
                "Hidden states of the target at its newest position, layers " + names +
                    ": injected as keys and values of every backbone layer");
}

} // namespace

// Signed values of one strip against the largest size that any strip of that name has in this cycle.
void domino_strip(const DominoDraw& d, int column, const char* name, Rect rect, ui::HeatKind kind) {
    const Lens* lens = d.column(column).lens();
    const Lens::Strip* found = lens ? lens->strip(name) : nullptr;
    if (!found) return;
    double scale = 1e-12;
    if (kind == ui::HeatKind::gate) {
        scale = 1;
    } else {
        for (const DominoColumn& other : d.model.columns)
            if (const Lens::Strip* s = other.lens() ? other.lens()->strip(name) : nullptr)
                scale = std::max({scale, std::abs(s->low), std::abs(s->high)});
    }
    std::vector<float> cells;
    for (const double cell : found->cells) cells.push_back(static_cast<float>(cell / scale));
    ui::heat_strip(d.ui.canvas, d.ui.theme, rect, cells, kind);
    ui::tooltip(d.ui, rect,
                std::string(name) + ": " + ui::integer(found->values) + " values, mean-pooled to " +
                    std::to_string(found->cells.size()) + " cells, " + ui::number(found->low, 2) + " to " +
                    ui::number(found->high, 2) +
                    (kind == ui::HeatKind::gate ? "" : "; full colour at ± " + ui::number(scale, 2)));
}

void domino_row_name(const DominoDraw& d, float y, const std::string& name, const std::string& detail,
                     float room) {
    ui::fitted_text(d.ui.canvas, {d.grid.gutter, y}, name, Font::text_bold, 15, d.ui.theme.ink, room);
    if (!detail.empty())
        ui::fitted_text(d.ui.canvas, {d.grid.gutter, y + 18}, detail, Font::text, 14, d.ui.theme.muted, room);
}

DominoGrid domino_grid(const SceneInput& input, const DominoModel& model) {
    const Rect stage = input.stage;
    DominoGrid g;
    g.spare = input.presenter;
    g.gutter = stage.x + 24;
    g.left = stage.x + 152;
    g.limit = stage.right() - 24;
    const int total = std::max(1, static_cast<int>(model.columns.size()));
    const float room = g.limit - g.left + 48;
    g.count = std::clamp(static_cast<int>(room / 200), 1, total);
    if (g.spare) g.count = std::min(g.count, 2);
    // few columns are wide: the words of the backbone and of the clock go across them
    g.pitch = std::min(g.spare || g.count == 2 ? 380.0F
                       : g.count == 1          ? 640.0F
                                               : 264.0F,
                       std::floor(room / static_cast<float>(g.count) / 4) * 4);
    g.width = g.pitch - 48;
    // the chosen position and what came before it
    g.first = std::clamp(model.selected - (g.count > 2 ? 1 : g.count - 1), 0, total - g.count);
    const float y = stage.y;
    g.tall = stage.h >= 640;
    g.rows = g.tall || stage.h >= 560 ? 3 : 2;
    const float law = 23.0F * static_cast<float>(g.rows);
    g.labels = y + 98;
    if (g.spare) {
        g.rows = 2;
        g.labels = y + 92, g.block = g.backbone = g.features = g.head = 0, g.base = y + 108;
        g.head_shown = input.beat < kDominoBothBeat;
        g.both = input.beat == kDominoBothBeat;
        g.state = g.mixed = g.base + 46 + 18;
        g.delta = g.head_shown ? g.state + 47 : g.state + 6;
        g.final = g.delta + 7;
        g.draft = g.final + 46 + 8;
        g.off = g.draft + (g.both ? 46 : 42), g.on = g.both ? g.off + 32 : g.off;
        g.clock = input.beat > kDominoBothBeat ? g.on + 40 : stage.bottom();
        g.tall = false;
    } else if (g.tall) {
        g.block = y + 106, g.backbone = y + 144, g.features = y + 186, g.head = y + 208, g.base = y + 240;
        g.state = g.base + law + 23;
        g.mixed = g.state + 38, g.delta = g.state + 69, g.final = g.state + 77;
        g.draft = g.final + law + 8;
        g.off = g.draft + 50, g.on = g.off + 34, g.clock = g.on + 44;
    } else {
        g.block = y + 106, g.backbone = y + 138, g.features = g.head = g.backbone, g.base = y + 172;
        g.state = g.base + law + 16;
        g.mixed = g.state, g.delta = g.state + 47, g.final = g.state + 54;
        g.draft = g.final + law + 6;
        g.off = g.draft + 46, g.on = g.off + 32, g.clock = g.on + 36;
    }
    g.bottom = stage.bottom();
    return g;
}

void draw_domino_columns(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect band{g.x(i) - 12, g.labels - 18, g.width + 24, g.on + 36 - (g.labels - 18)};
        const bool selected = i == d.model.selected;
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("column " + std::to_string(i)), band);
        if (selected)
            d.ui.canvas.fill(band, d.ui.theme.raised.alpha(0.75F), 6);
        else if (touched.hovered)
            d.ui.canvas.fill(band, d.ui.theme.raised.alpha(0.35F), 6);
        if (touched.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, band);
        if (touched.clicked) d.out.push_back(Select{Position{d.model.cycle->cycle, i}});
        const DominoColumn& c = d.column(i);
        d.ui.canvas.text({g.x(i), g.labels}, "position " + std::to_string(i + 1),
                         selected ? Font::text_bold : Font::text, 14,
                         selected ? d.ui.theme.ink : d.ui.theme.muted);
        d.ui.canvas.text({g.x(i) + g.width, g.labels},
                         c.corrected ? (c.changed ? "changed" : "corrected") : "base only", Font::text, 14,
                         c.changed ? d.ui.theme.ink : d.ui.theme.muted, Align::right);
    }
    const int total = static_cast<int>(d.model.columns.size());
    if (g.count < total)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.labels},
                        std::to_string(g.first + 1) + "–" + std::to_string(g.first + g.count) + " of " +
                            std::to_string(total),
                        Font::mono, 14, d.ui.theme.muted, 100);
}

void draw_domino_block(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    if (g.spare) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float chip = g.tall ? 28 : 26, bar = g.tall ? 30 : 26;
    domino_row_name(d, g.block + 19, "Block", "", 100);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), g.block, g.width, chip};
        if (i == 0 && d.model.anchor >= 0) {
            ui::chip(canvas, theme, box, label_of(*d.input.trace, d.model.anchor), {.neutral = true});
            canvas.text({box.right() - 10, ui::baseline(box.y, box.h, 14)}, "anchor", Font::text, 14,
                        theme.muted, Align::right);
        } else {
            ui::mask_chip(canvas, theme, box);
        }
        if (g.tall) down(d, g.middle(i), box.bottom() + 1, g.backbone - 2);
    }
    // One pass over the whole block; both directions.
    const Rect backbone{g.x(g.first), g.backbone, g.right() - g.x(g.first), bar};
    draw_taps(d, g.backbone - 2, bar + 4);
    canvas.fill(backbone, theme.panel, 4);
    canvas.outline(backbone, {theme.role(Role::draft), 1.5F}, 4);
    const float base = ui::baseline(backbone.y, backbone.h, 15);
    canvas.text({backbone.x + 12, base}, "Backbone", Font::text_bold, 15, theme.ink);
    const std::string ms = d.model.backbone_ms > 0 ? ui::milliseconds(d.model.backbone_ms) + " ms" : "";
    canvas.text({backbone.right() - 12, base}, ms, Font::mono, 14, theme.ink, Align::right);
    const float words = backbone.x + 12 + canvas.text_width("Backbone", Font::text_bold, 15) + 10;
    ui::fitted_text(canvas, {words, base},
                    g.tall ? "one pass, every row sees the text and the whole block"
                           : "one pass; the target's frozen LM head reads every row",
                    Font::text, 14, theme.muted,
                    backbone.right() - 24 - canvas.text_width(ms, Font::mono, 14) - words);
    if (!g.tall) return;
    if (const int taps = tap_count(d.column(0)); taps > 0)
        ui::fitted_text(canvas, {g.gutter, g.features + 12}, counted(taps, "target tap"), Font::text, 14,
                        theme.muted, 100);
    canvas.text({g.left - 12, g.features + 12}, "H", Font::text_bold, 15, theme.ink, Align::right);
    for (int i = g.first; i < g.first + g.count; ++i) {
        domino_strip(d, i, "row", {g.x(i), g.features, g.width, 14}, ui::HeatKind::signed_values);
        if (!d.column(i).lens()) ui::slot(canvas, theme, {g.x(i), g.features, g.width, 14}, "");
    }
    const Rect head{backbone.x, g.head, backbone.w, 24};
    canvas.fill(head, theme.panel, 4);
    canvas.outline(head, {theme.role(Role::target), 1.5F}, 4);
    ui::icon(canvas, ui::Icon::square, {head.x + 18, head.center().y}, 10, theme.role(Role::target));
    canvas.text({head.x + 30, head.y + 17}, "LM head", Font::text_bold, 15, theme.ink);
    const int vocab = d.model.header->vocab;
    ui::fitted_text(canvas, {head.x + 40 + canvas.text_width("LM head", Font::text_bold, 15), head.y + 17},
                    "frozen, the target's own: " + counted(static_cast<int>(d.model.columns.size()), "row") +
                        " of " + ui::integer(vocab) + " logits",
                    Font::text, 14, theme.muted, head.w - 130);
}

} // namespace speclens
