#include "scenes/failures/published_load.h"

#include <algorithm>
#include <cmath>

#include "engine/published/published_words.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/point_labels.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// Both over the plain decoding of the same table.
PublishedLoad::Curve curve_of(const PublishedFigure& with, const PublishedFigure& plain) {
    PublishedLoad::Curve curve{
        failures_says("published.curve_name"_t, "method"_v = method_title(with.method).words(), "variant"_v = variant_said(with)),
        &with,
        {}};
    for (std::size_t i = 0; i < with.positions.size(); ++i)
        if (const auto same = std::ranges::find(plain.positions, with.positions[i]); same != plain.positions.end())
            curve.points.emplace_back(with.positions[i],
                                      with.values[i] / plain.values[static_cast<std::size_t>(same - plain.positions.begin())]);
    return curve;
}

ui::Stroke stroke_of(const ui::Theme& theme, std::size_t curve) {
    if (curve == 0) return {theme.role(Role::draft), 2, 6, 4};
    return {theme.role(Role::accepted), 2, 2, 4};
}

// The curves by their variants, in the colours and strokes of the plot.
void draw_curve_key(const FailuresDraw& d, const PublishedLoad& load, Vec2 at) {
    ui::Canvas& c = d.ui.canvas;
    for (std::size_t i = 0; i < load.curves.size(); ++i) {
        const ui::Stroke stroke = stroke_of(d.ui.theme, i);
        c.line({at.x, at.y - 5}, {at.x + 24, at.y - 5}, stroke);
        c.ring({at.x + 12, at.y - 5}, 4, {stroke.color, 1.5F});
        const std::string variant = failures_says("published.variant"_t, "variant"_v = variant_said(*load.curves[i].figure)).words();
        c.print({at.x + 30, at.y}, variant, Font::text, 14, d.ui.theme.muted);
        at.x += 30 + c.printed_width(variant, Font::text, 14) + 14;
    }
}

// With what it says, on what, and where it stands.
Message cited(const Published& figures, const PublishedFigure& figure, const Message& what) {
    return failures_says("published.cited"_t, "what"_v = what, "claim"_v = claim_said(figure), "conditions"_v = conditions_said(figure),
                         "source"_v = citation_said(figure, figures.source_of(figure)));
}

Message at_requests(const std::pair<double, double>& point) {
    return failures_says("published.point"_t, "times"_v = point.second, "requests"_v = point.first);
}

} // namespace

PublishedLoad published_load(const Published* figures) {
    PublishedLoad load;
    if (!figures) return load;
    const PublishedFigure* const plain = figures->find("adaptive-dspark-plain");
    for (const char* id : {"adaptive-dspark-fixed", "adaptive-dspark-adaptive"})
        if (const PublishedFigure* with = figures->find(id); with && plain) load.curves.push_back(curve_of(*with, *plain));
    for (const PublishedFigure& figure : figures->figures()) {
        const bool told = figure.standing == Standing::as_published || figure.standing == Standing::second_hand;
        if (told && figure.quantity == "speedup" && figure.form != Form::list && figure.batch.value_or(1) > 1)
            load.figures.push_back(&figure);
    }
    return load;
}

Message method_words(const PublishedFigure& figure) {
    return failures_says("published.method"_t, "method"_v = method_title(figure.method).words(), "requests"_v = figure.batch);
}

Message figure_words(const Published& figures, const PublishedFigure& figure) {
    return cited(figures, figure, failures_says("published.figure"_t, "method"_v = method_words(figure), "value"_v = value_said(figure)));
}

void tell_published_load(const FailuresDraw& d, const PublishedLoad& load, Rect area) {
    const Published& figures = *d.input.figures;
    for (const PublishedLoad::Curve& curve : load.curves)
        d.ui.canvas.tell(
            cited(figures, *curve.figure,
                  failures_says("published.curve"_t, "curve"_v = curve.name, "points"_v = each_said(curve.points, at_requests))),
            area);
    for (const PublishedFigure* figure : load.figures) d.ui.canvas.tell(figure_words(figures, *figure), area);
}

void draw_published_load(const FailuresDraw& d, const PublishedLoad& load, Rect area) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const Published& figures = *d.input.figures;
    const bool narrow = area.w < 340; // no room for names beside the curves
    std::vector<Message> key;
    if (narrow)
        draw_curve_key(d, load, {area.x, area.y + 34});
    else
        key = {failures_says("published.key:whole"_t), failures_says("published.key:short"_t), failures_says("published.key:least"_t)};
    const std::vector<Message> titles{failures_says("published.title:whole"_t), failures_says("published.title:short"_t)};
    part_head(d.ui, area, ui::fitting(c, titles, Font::text_bold, 15, area.w), key);
    const Rect plot{area.x + 34, area.y + 48, area.w - 46, area.h - 48 - 42};
    tell_published_load(d, load, plot);
    if (plot.h < 40 || plot.w < 80) return;
    double low = 1, high = 1, most = 1;
    for (const auto& curve : load.curves)
        for (const auto& [requests, times] : curve.points)
            low = std::min(low, times), high = std::max(high, times), most = std::max(most, requests);
    for (const PublishedFigure* figure : load.figures)
        high = std::max(high, middle(*figure)), low = std::min(low, middle(*figure)),
        most = std::max(most, static_cast<double>(*figure->batch));
    const ui::Scale x{0, std::log2(most) + 0.3, plot.x, plot.right()},
        y{std::log2(low) - 0.6, std::log2(high) + 0.3, plot.bottom(), plot.y};
    for (int power = static_cast<int>(std::ceil(y.lo)); power <= y.hi; ++power) {
        const float at = y(power);
        c.line({plot.x, at}, {plot.right(), at}, power == 0 ? ui::Stroke{t.ink, 1.5F} : t.hairline());
        c.print({plot.x - 8, at + 5}, ui::number(std::exp2(power), power < 0 ? 1 : 0) + "×", Font::mono, 14, t.muted, Align::right);
    }
    for (int power = 0; power <= x.hi; power += 2)
        c.print({x(power), plot.bottom() + 18}, std::to_string(1 << power), Font::mono, 14, t.muted, Align::center);
    std::vector<Message> below{failures_says("published.axis:whole"_t), failures_says("published.axis:short"_t),
                               shared_says("words.at_a_time"_t)};
    if (narrow) below = {failures_says("published.axis:server"_t), failures_says("published.axis:curves"_t)};
    one_of(d.ui, {area.x, plot.bottom() + 38}, area.w, below, t.muted);

    const auto at = [&](double requests, double times) { return Vec2{x(std::log2(requests)), y(std::log2(times))}; };
    std::vector<Vec2> marks;
    for (const auto& curve : load.curves)
        for (const auto& [requests, times] : curve.points) marks.push_back(at(requests, times));
    for (const PublishedFigure* figure : load.figures) marks.push_back(at(*figure->batch, middle(*figure)));
    PointLabels names(c, plot, marks);
    for (std::size_t i = 0; i < load.curves.size(); ++i) {
        const PublishedLoad::Curve& curve = load.curves[i];
        std::vector<Vec2> points;
        for (const auto& [requests, times] : curve.points) points.push_back(at(requests, times));
        const ui::Stroke stroke = stroke_of(t, i);
        c.polyline(points, stroke);
        ui::plotted(c, plot, ui::PlotMark::line, curve.name, curve.points,
                    [](const auto& point) { return ui::PlotDatum{.x = point.first, .y = point.second}; });
        for (std::size_t j = 0; j < points.size(); ++j) {
            c.disc(points[j], 4, t.bg);
            c.ring(points[j], 4, {stroke.color, 1.5F});
            ui::tooltip(d.ui, {points[j].x - 8, points[j].y - 8, 16, 16}, cited(figures, *curve.figure, at_requests(curve.points[j])));
        }
        if (!narrow) (void)names.name(points.back(), curve.name, Font::text, stroke.color, t.bg);
    }
    for (const PublishedFigure* figure : load.figures) {
        const Vec2 place = at(*figure->batch, middle(*figure));
        ui::hollow_icon(c, method_mark(figure->method), place, 12, t.ink);
        ui::plotted(c, plot, ui::PlotMark::points, method_title(figure->method), std::span(&figure, 1),
                    [](const PublishedFigure* one) { return ui::PlotDatum{.x = static_cast<double>(*one->batch), .y = middle(*one)}; });
        (void)names.name(place, method_title(figure->method), Font::text, t.ink, t.bg);
        ui::tooltip(d.ui, {place.x - 9, place.y - 9, 18, 18}, figure_words(figures, *figure));
    }
}

} // namespace speclens
