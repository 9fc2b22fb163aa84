#include "scenes/systems/adaptive_draw.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/panel.h"
#include "scenes/shared/reported_speed.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr Chooser kClocked[] = {Chooser::article, Chooser::formula, Chooser::margin, Chooser::gain}; // whose K is drawn, in this order

ui::Stroke stroke_of(const ui::Theme& t, Chooser chooser) {
    if (chooser == Chooser::article) return {t.muted, 1.5F};
    if (chooser == Chooser::formula) return {t.role(Role::target), 2};
    if (chooser == Chooser::margin) return {t.role(Role::accepted), 2};
    return {t.ink, 2.5F};
}

Message bar_words(const AdaptiveBar& bar) {
    const AdaptiveWay& way = *bar.way;
    const bool rounds = !way.rounds.empty();
    return systems_says("way.row"_t, "way"_v = way_words(way), "doubt"_v = bar.doubt, "times"_v = bar.times, "rate"_v = way.rate(),
                        "best"_v = bar.best, "drafts"_v = rounds ? std::optional(mean_k(way)) : std::nullopt,
                        "tokens"_v = rounds ? std::optional(way.tokens_per_round) : std::nullopt, "auc"_v = way.auc);
}

void draw_bars(const SystemsDraw& d, Rect area, const AdaptiveResult& result) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    part_head(d.ui, area, systems_says("way.title"_t), {systems_says("way.under"_t)});
    const std::vector<AdaptiveBar> bars = adaptive_bars(result);
    double most = 1;
    for (const AdaptiveBar& bar : bars) most = std::max(most, bar.times);
    const float label = 132, number = 60, line = std::min(30.0F, (area.h - 54) / static_cast<float>(std::max<std::size_t>(1, bars.size())));
    const ui::Scale x{0, most * 1.02, area.x + label, area.right() - number};
    float y = area.y + 54;
    c.line({x(1), y - 6}, {x(1), y + line * static_cast<float>(bars.size())}, {t.muted, 1});
    for (const AdaptiveBar& bar : bars) {
        const Rect box{x(0), y, x(bar.times) - x(0), std::max(4.0F, line - 9)};
        const float base = y + box.h / 2 + 5;
        const bool fixed = bar.way->chooser == Chooser::fixed;
        const bool marked = bar.best || !fixed;
        cell(d.ui, {area.x, base}, way_words(*bar.way), label - 8, {marked ? t.ink : t.muted, 14, marked ? Font::text_bold : Font::text});
        if (bar.way->chooser == Chooser::oracle) {
            c.hatch(box, t.role(Role::accepted), 5);
            c.outline(box, {t.role(Role::accepted), 1}, 1);
        } else {
            c.fill(box, t.role(fixed ? Role::target : Role::accepted).alpha(fixed && !bar.best ? 0.4F : 0.85F), 1);
        }
        const bool sure = bar.doubt.empty();
        c.print({area.right(), base}, systems_says("way.times"_t, "doubt"_v = bar.doubt, "times"_v = bar.times), Font::mono, 14,
                sure ? t.ink : t.muted, Align::right);
        ui::tooltip(d.ui, {area.x, y, area.w, line}, bar_words(bar));
        y += line;
    }
}

// K of the controllers by the clock; the area behind them: texts that decode.
void draw_choices(const SystemsDraw& d, Rect area, const AdaptiveResult& result) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    part_head(d.ui, area, systems_says("clock.title"_t), {systems_says("clock.under"_t)});
    const Rect plot{area.x + 30, area.y + 54, area.w - 30 - 28, area.h - 54 - 26}; // the unit stands behind the last mark
    double until = 1, most = 1;
    for (const AdaptiveWay& way : result.ways) {
        if (way.chooser == Chooser::fixed || way.rounds.empty()) continue;
        until = std::max(until, way.rounds.back().at_ms);
        for (const AdaptiveRound& round : way.rounds) most = std::max({most, round.k, static_cast<double>(round.texts)});
    }
    if (plot.h < 40) return;
    const ui::Scale x{0, until, plot.x, plot.right()}, y{0, most + 0.5, plot.bottom(), plot.y};
    if (const AdaptiveWay* gain = result.way(Chooser::gain))
        for (std::size_t i = 0; i < gain->rounds.size(); ++i) {
            const double from = i == 0 ? 0 : gain->rounds[i - 1].at_ms, texts = gain->rounds[i].texts;
            c.fill({x(from), y(texts), std::max(1.0F, x(gain->rounds[i].at_ms) - x(from)), plot.bottom() - y(texts)}, t.line.alpha(0.5F),
                   0);
        }
    ui::axis_y(c, t, y, plot.x, ui::ticks(0, most, 3), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(c, t, x, plot.bottom(), ui::ticks(0, until, 4), {.unit = "ms"});
    for (const Chooser chooser : kClocked) {
        const AdaptiveWay* way = result.way(chooser);
        if (!way) continue;
        ui::plotted(c, plot, ui::PlotMark::line, way_words(*way), way->rounds,
                    [](const AdaptiveRound& round) { return ui::PlotDatum{.x = round.at_ms, .y = std::round(round.k)}; });
        std::vector<Vec2> points;
        double last = -1;
        for (const AdaptiveRound& round : way->rounds) {
            const double k = std::round(round.k);
            if (!points.empty() && k != last) points.push_back({x(round.at_ms), y(last)});
            points.push_back({x(round.at_ms), y(k)});
            last = k;
        }
        c.polyline(points, stroke_of(t, chooser));
    }
}

} // namespace

Message way_words(const AdaptiveWay& way) {
    switch (way.chooser) {
    case Chooser::fixed: return way.k == 0 ? systems_says("way.name:plain"_t) : systems_says("way.name:fixed"_t, "k"_v = way.k);
    case Chooser::article: return systems_says("way.name:article"_t);
    case Chooser::formula: return systems_says("way.name:formula"_t);
    case Chooser::gain: return systems_says("way.name:gain"_t);
    case Chooser::margin: return systems_says("way.name:margin"_t);
    case Chooser::confidence: return systems_says("way.name:confidence"_t);
    case Chooser::automatic: return systems_says("way.name:automatic"_t);
    case Chooser::oracle: break;
    }
    return systems_says("way.name:oracle"_t);
}

double mean_k(const AdaptiveWay& way) {
    double drafts = 0, texts = 0;
    for (const AdaptiveRound& round : way.rounds) drafts += round.k * round.texts, texts += round.texts;
    return texts > 0 ? drafts / texts : 0;
}

std::vector<AdaptiveBar> adaptive_bars(const AdaptiveResult& result) {
    std::vector<AdaptiveBar> bars;
    if (result.ways.empty() || result.ways.front().rates.empty()) return bars;
    for (const AdaptiveWay& way : result.ways) {
        if (way.rates.empty()) continue;
        const SweepInterval speed = result.speed_up(way);
        bars.push_back({&way, speed.value, &way == result.best_fixed(), times_doubt(result.busy_cores, speed.spread(), 0)});
    }
    return bars;
}

Message adaptive_doubt(const AdaptiveResult& result) {
    for (const AdaptiveBar& bar : adaptive_bars(result))
        if ((bar.best || bar.way->chooser == Chooser::gain || bar.way->chooser == Chooser::article) && !bar.doubt.empty()) return bar.doubt;
    return {};
}

void draw_adaptive(const SystemsDraw& d, Rect area) {
    const AdaptiveResult* result = d.model.adaptive; // there is one
    const float gap = 40, left = area.w * 0.42F;
    draw_bars(d, {area.x, area.y, left, area.h}, *result);
    draw_choices(d, {area.x + left + gap, area.y, area.w - left - gap, area.h}, *result);
}

void tell_adaptive(const SystemsDraw& d) {
    const AdaptiveResult& result = *d.model.adaptive;
    const auto tell = [&](const Message& message) { d.ui.canvas.tell(message, d.input.stage); };
    tell(systems_says("way.told"_t, "drafter"_v = result.drafter, "texts"_v = result.texts, "seats"_v = result.seats));
    for (const AdaptiveBar& bar : adaptive_bars(result)) tell(bar_words(bar));
    for (const Chooser chooser : kClocked) {
        const AdaptiveWay* way = result.way(chooser);
        if (!way || way->rounds.empty()) continue;
        const auto [least, most] = std::ranges::minmax(way->rounds, {}, &AdaptiveRound::k);
        const AdaptiveRound& last = way->rounds.back();
        tell(systems_says("clock.told"_t, "way"_v = way_words(*way), "rounds"_v = way->rounds.size(), "least"_v = std::lround(least.k),
                          "most"_v = std::lround(most.k), "last"_v = std::lround(last.k), "ms"_v = last.at_ms,
                          "texts"_v = std::ranges::max(way->rounds, {}, &AdaptiveRound::texts).texts));
    }
}

} // namespace speclens
