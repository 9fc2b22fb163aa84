// Conditional acceptance by draft position: the chance that guess i stays once all before it did, with 95 %
// score intervals. A line ends where fewer than thirty rounds arrive. Where the first guess is the hardest, a
// line of words says after what.
#include <algorithm>
#include <cmath>

#include "scenes/race/race_draw.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;

struct Line {
    const RaceLaneModel* lane;
    std::vector<double> value, low, high;
};

// Whether the first guess is harder than the second beyond doubt, and what is before it makes a difference.
bool first_guess_differs(const RaceLaneModel& lane) {
    if (lane.plain() || !lane.lane->average) return false;
    const Totals& t = lane.lane->average->totals;
    if (t.judged_at.size() < 2 || t.judged_at[1] < kEnoughRounds) return false;
    if (wilson(t.accepted_at[0], t.judged_at[0]).high >= wilson(t.accepted_at[1], t.judged_at[1]).low)
        return false;
    double low = 1, high = 0;
    const auto see = [&](int kept, int of) {
        if (of < kEnoughRounds) return;
        low = std::min(low, static_cast<double>(kept) / of);
        high = std::max(high, static_cast<double>(kept) / of);
    };
    see(t.first.kept_at_start, t.first.at_start);
    see(t.first.kept_after_full, t.first.after_full);
    see(t.first.kept_after_refusal, t.first.after_refusal);
    return high - low >= 0.03;
}

} // namespace

const RaceLaneModel* first_guess_lane(const RaceModel& m) {
    const auto chosen = static_cast<std::size_t>(m.focus);
    if (chosen < m.lanes.size() && first_guess_differs(m.lanes[chosen])) return &m.lanes[chosen];
    const auto other = std::ranges::find_if(m.lanes, first_guess_differs);
    return other == m.lanes.end() ? nullptr : &*other;
}

std::string first_guess_words(const RaceLaneModel& lane) {
    const FirstGuesses& f = lane.lane->average->totals.first;
    std::string words;
    const auto say = [&](const char* before, int kept, int of) {
        if (of == 0) return;
        words += words.empty() ? "guess 1 after: " : ", ";
        words += before + (" " + ui::probability(static_cast<double>(kept) / of));
    };
    say("prompt", f.kept_at_start, f.at_start);
    say("full round", f.kept_after_full, f.after_full);
    say("refusal", f.kept_after_refusal, f.after_refusal);
    return words;
}

void draw_race_positions(const RaceDraw& d, Rect card) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const std::string skipped = skipped_words(d.model);
    const std::string over = averages_words(d.model);
    const Rect in = race_card(d, card, positions_title(d.model),
                              {skipped.empty() ? over + " · chance to stay once all before did" : skipped,
                               skipped.empty() ? over.substr(over.starts_with("over ") ? 5 : 0) +
                                                     " · chance to stay once all before did"
                                               : skipped});
    std::vector<Line> lines;
    std::size_t longest = 1;
    double lowest = 1;
    for (const RaceLaneModel& lane : d.model.lanes) {
        if (lane.plain() || !lane.lane->average) continue;
        const Totals& totals = lane.lane->average->totals;
        Line line{&lane, {}, {}, {}};
        for (std::size_t i = 0; i < totals.judged_at.size() && totals.judged_at[i] >= kEnoughRounds; ++i) {
            const Interval interval = wilson(totals.accepted_at[i], totals.judged_at[i]);
            line.value.push_back(totals.conditional[i]);
            line.low.push_back(interval.low);
            line.high.push_back(interval.high);
            lowest = std::min(lowest, interval.low);
        }
        if (line.value.empty()) continue;
        longest = std::max(longest, line.value.size());
        lines.push_back(std::move(line));
    }
    if (lines.empty()) {
        ui::slot(c, t, {in.x, in.y + 8, in.w, 32}, no_averages_words(d.model));
        return;
    }
    const RaceLaneModel* first = in.h > 170 ? first_guess_lane(d.model) : nullptr;
    if (first)
        ui::fitted_text(c, {in.x, in.bottom() - 2}, capital(first->title) + ", " + first_guess_words(*first),
                        Font::text, 14, t.muted, in.w);
    const double bottom = std::max(0.0, std::floor(lowest * 10) / 10);
    const ui::Scale x{.lo = 1,
                      .hi = static_cast<double>(std::max<std::size_t>(2, longest)),
                      .a = in.x + 44,
                      .b = in.right() - 100};
    const ui::Scale y{.lo = bottom, .hi = 1, .a = in.bottom() - (first ? 50 : 26), .b = in.y + 12};
    ui::axis_y(c, t, y, in.x + 30, ui::ticks(bottom, 1, in.h > 180 ? 5 : 3),
               {.grid_to = x.b, .grid = true, .base_line = false});
    ui::Ticks positions;
    const std::size_t step = longest > 8 ? 2 : 1;
    for (std::size_t i = 1; i <= longest; i += step) positions.values.push_back(static_cast<double>(i));
    ui::axis_x(c, t, x, y.a, positions, {.unit = "", .label_offset = 18});
    c.text({x.b + 12, y.a + 18}, "position i", Font::text, 14, t.muted);

    struct Label {
        float y;
        const RaceLaneModel* lane;
        float x;
    };
    std::vector<Label> labels;
    for (const Line& line : lines) {
        const bool chosen = &d.model.lanes[static_cast<std::size_t>(d.model.focus)] == line.lane;
        const ui::Color ink = chosen ? t.ink : ui::mix(t.ink, t.panel, 0.6F);
        std::vector<ui::Vec2> middle, upper, lower;
        for (std::size_t i = 0; i < line.value.size(); ++i) {
            const float at = x(static_cast<double>(i + 1));
            middle.push_back({at, y(line.value[i])});
            upper.push_back({at, y(line.high[i])});
            lower.push_back({at, y(line.low[i])});
        }
        ui::band(c, upper, lower, t.ink.alpha(chosen ? 0.16F : 0.08F));
        if (middle.size() > 1) c.polyline(middle, {ink, 1.5F});
        for (const ui::Vec2 p : middle) {
            c.disc(p, 6, t.panel);
            ui::icon(c, line.lane->mark, p, 9, ink);
        }
        labels.push_back({middle.back().y, line.lane, middle.back().x});
    }
    // Names at the ends of the lines, pushed apart.
    std::ranges::sort(labels, {}, &Label::y);
    for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + 18);
    const float beyond = labels.back().y - (y.a - 4);
    if (beyond > 0)
        for (Label& label : labels) label.y -= beyond;
    for (const Label& label : labels) {
        const bool chosen = &d.model.lanes[static_cast<std::size_t>(d.model.focus)] == label.lane;
        ui::fitted_text(c, {x.b + 12, label.y + 5}, label.lane->title, chosen ? Font::text_bold : Font::text,
                        14, chosen ? t.ink : t.muted, in.right() - x.b - 12);
    }
}

} // namespace speclens
