#include "scenes/systems/audits_draw.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "engine/published/published_words.h"
#include "scenes/shared/panel.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr const char *kDsparkGain = "adaptive-dspark-gain", *kDflash2Gain = "adaptive-dflash2-gain";

ui::Stroke stroke_of(const ui::Theme& theme, std::size_t audit) {
    if (audit == 0) return {theme.role(Role::accepted), 2, 7, 4};
    return {theme.role(Role::draft), 2, 2, 4};
}

// Published: hollow.
void ring(ui::Canvas& canvas, const ui::Theme& theme, Vec2 at, const ui::Stroke& stroke) {
    canvas.disc(at, 5, theme.bg);
    canvas.ring(at, 5, {stroke.color, 1.5F});
}

Message point_words(const Audit& audit, std::size_t i) {
    return systems_says("audit.point"_t, "times"_v = audit.figure->values[i], "requests"_v = std::lround(audit.figure->positions[i]));
}

void draw_curves(const SystemsDraw& d, Rect area, const std::vector<Audit>& all) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, area, systems_says("audit.title"_t));
    const Rect plot{area.x + 44, area.y + 64, area.w - 60, area.h - 64 - 46};
    if (plot.h < 60) return;
    double low = 1, high = 1, most = 1;
    for (const Audit& audit : all)
        for (std::size_t i = 0; i < audit.figure->values.size(); ++i) {
            low = std::min(low, audit.figure->values[i]), high = std::max(high, audit.figure->values[i]);
            most = std::max(most, audit.figure->positions[i]);
        }
    const ui::Scale x{0, std::log2(most), plot.x, plot.right()}, y{low - 0.1, high + 0.1, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(y.lo, y.hi, 5), {.unit = "×", .grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (int power = 0; power <= static_cast<int>(x.hi); power += plot.w < 420 ? 2 : 1)
        canvas.print({x(power), plot.bottom() + 20}, std::to_string(1 << power), Font::mono, 14, theme.muted, Align::center);
    ui::fitted_text(canvas, {plot.center().x, plot.bottom() + 42}, shared_says("words.at_a_time"_t), Font::text, 14, theme.muted, plot.w,
                    Align::center);
    canvas.line({plot.x, y(1)}, {plot.right(), y(1)}, {theme.ink, 1.5F});
    float key = area.x;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const PublishedFigure& figure = *all[i].figure;
        std::vector<Vec2> points;
        for (std::size_t j = 0; j < figure.values.size(); ++j) points.push_back({x(std::log2(figure.positions[j])), y(figure.values[j])});
        ui::plotted(canvas, plot, ui::PlotMark::line, all[i].name, std::views::iota(std::size_t{0}, figure.values.size()),
                    [&](std::size_t j) { return ui::PlotDatum{.x = figure.positions[j], .y = figure.values[j]}; });
        const ui::Stroke stroke = stroke_of(theme, i);
        canvas.polyline(points, stroke);
        for (std::size_t j = 0; j < points.size(); ++j) {
            ring(canvas, theme, points[j], stroke);
            ui::tooltip(d.ui, {points[j].x - 10, points[j].y - 10, 20, 20},
                        systems_says("audit.of"_t, "name"_v = all[i].name, "point"_v = point_words(all[i], j)));
        }
        canvas.line({key, area.y + 34}, {key + 24, area.y + 34}, stroke);
        ring(canvas, theme, {key + 12, area.y + 34}, stroke);
        ui::fitted_text(canvas, {key + 32, area.y + 39}, all[i].name, Font::text, 14, theme.muted, area.right() - key - 32);
        key += 32 + canvas.text_width(all[i].name, Font::text, 14) + 24;
    }
}

// A figure that stands beside the curves: what it is of, in the words of the scene.
struct Claim {
    const char* id;
    Message words;
};
std::vector<Claim> claims() {
    return {{kDsparkGain, systems_says("audit.claim:dspark"_t)},
            {kDflash2Gain, systems_says("audit.claim:dflash2"_t)},
            {"adaptive-zero-overhead", systems_says("audit.claim:zero"_t)},
            {"adaptive-recipe-k3", systems_says("audit.claim:recipe"_t)}};
}

// "4: 0.93×, 8: 0.92×": by requests at a time; "10.3 % more speed".
Message value_words(const PublishedFigure& figure) {
    if (figure.quantity == "relative_gain") return systems_says("audit.gain"_t, "percent"_v = figure.values.front());
    const bool times = figure.unit == "x";
    std::vector<Said> values;
    for (std::size_t i = 0; i < figure.values.size(); ++i) {
        const auto value = "value"_v = figure.values[i];
        const auto requests = "requests"_v = i < figure.positions.size() ? std::lround(figure.positions[i]) : 0;
        values.push_back(
            (times ? systems_says("audit.value:times"_t, requests, value) : systems_says("audit.value:percent"_t, requests, value)).said);
    }
    return systems_says("audit.values"_t, "values"_v = values);
}

// What stands beside the curves: a claim, its figures and where they stand.
void draw_claims(const SystemsDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, area, systems_says("audit.where"_t), {systems_says("audit.colon"_t)});
    float y = area.y + 60;
    for (const Claim& claim : claims()) {
        const PublishedFigure* figure = d.input.figures->find(claim.id);
        if (!figure || y + 40 > area.bottom()) return;
        y = ui::paragraph(canvas, {area.x, y}, area.w, claim.words, {.size = 14, .color = theme.ink, .max_lines = 2});
        y = ui::paragraph(canvas, {area.x, y}, area.w, value_words(*figure),
                          {.font = Font::mono, .size = 14, .color = theme.ink, .max_lines = 3});
        ui::fitted_text(canvas, {area.x, y}, systems_says("audit.source"_t, "source"_v = d.input.figures->source_of(*figure).identifier),
                        Font::text, 14, theme.muted, area.w);
        y += 36;
    }
}

} // namespace

std::vector<Audit> audits(const Published* figures) {
    std::vector<Audit> all;
    if (!figures) return all;
    const std::pair<const char*, Message> wanted[] = {{kDsparkGain, systems_says("audit.name:dspark"_t)},
                                                      {kDflash2Gain, systems_says("audit.name:dflash2"_t)}};
    for (const auto& [id, name] : wanted)
        if (const PublishedFigure* figure = figures->find(id); figure && figure->positions.size() == figure->values.size())
            all.push_back({figure, name});
    return all;
}

AuditEnds ends_of(const Audit& audit) {
    return {audit.figure->values.front(), audit.figure->positions.front(), audit.figure->values.back(), audit.figure->positions.back()};
}

void draw_audits(const SystemsDraw& d, Rect area) {
    const std::vector<Audit> all = audits(d.input.figures);
    if (all.empty()) return ui::slot(d.ui.canvas, d.ui.theme, area, shared_says("figures.none"_t));
    for (const Audit& audit : all) {
        std::vector<Said> points;
        for (std::size_t i = 0; i < audit.figure->values.size(); ++i) points.push_back(point_words(audit, i).said);
        d.ui.canvas.tell(systems_says("audit.told"_t, "name"_v = audit.name, "points"_v = points,
                                      "citation"_v = citation_said(*audit.figure, d.input.figures->source_of(*audit.figure))),
                         area);
    }
    if (d.input.presenter) return draw_curves(d, area, all); // one picture for a room
    const float gap = 40, left = area.w * 0.56F;
    draw_curves(d, {area.x, area.y, left, area.h}, all);
    draw_claims(d, {area.x + left + gap, area.y, area.w - left - gap, area.h});
}

} // namespace speclens
