// Acceptance along a long answer: the run on screen, and what was recorded of a model whose answers are long enough.
#include <algorithm>

#include "engine/base/display_name.h"
#include "scenes/dflash/dflash_model.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using ui::Vec2;

struct LongLine {
    Message name;
    std::vector<Stretch> points;
    bool live = false, hollow = false;
};

std::vector<LongLine> lines_of(const SceneInput& input) {
    std::vector<LongLine> lines;
    if (const LongAnswers* recorded = recorded_long_answers(input))
        for (const LongAnswers::Series& series : recorded->series)
            lines.push_back(
                {.name = series.window == 0 ? dflash_says("along.all"_t) : dflash_says("along.window"_t, "tokens"_v = series.window),
                 .points = series.stretches,
                 .hollow = series.window != 0});
    // A short answer is one point, of another model mostly: nothing to see along it.
    if (std::vector<Stretch> own = stretches_of(*input.whole); own.size() > 1 || (!own.empty() && lines.empty()))
        lines.push_back({.name = shared_says("charts.this_run"_t), .points = std::move(own), .live = true});
    return lines;
}

float middle_of(const ui::Scale& x, const Stretch& one) { return x((one.from + one.to) / 2.0); }

void draw_line(const DFlashDraw& d, const LongLine& line, const ui::Scale& x, const ui::Scale& y) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Color ink = line.live ? d.ui.theme.ink : d.ui.theme.muted;
    for (std::size_t i = 0; i < line.points.size(); ++i) {
        const Stretch& one = line.points[i];
        const Vec2 at{middle_of(x, one), y(one.tokens)};
        if (i > 0) {
            const Stretch& before = line.points[i - 1];
            canvas.line({middle_of(x, before), y(before.tokens)}, at, {ink, 1.5F, line.hollow ? 4.0F : 0.0F, 3});
        }
        if (one.high > 0) canvas.line({at.x, y(one.low)}, {at.x, y(one.high)}, {ink.alpha(0.5F), 1.5F});
        line.hollow ? canvas.ring(at, 5, {ink, 1.5F}) : canvas.disc(at, 4, ink);
        ui::thing(d.ui, {at.x - 8, at.y - 8, 16, 16},
                  dflash_says("along.point"_t, "series"_v = line.name, "from"_v = one.from, "to"_v = one.to, "tokens"_v = one.tokens,
                              "low"_v = one.low, "high"_v = if_measured(one.high), "rounds"_v = one.rounds,
                              "draft"_v = if_measured(one.draft_ms)));
    }
}

// Names at the right ends, apart from each other.
void name_lines(const DFlashDraw& d, const std::vector<LongLine>& lines, Rect plot, const ui::Scale& y) {
    std::vector<const LongLine*> order;
    for (const LongLine& line : lines) order.push_back(&line);
    std::ranges::sort(order, std::ranges::greater(), [](const LongLine* line) { return line->points.back().tokens; });
    float next = plot.y + 10;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const float lowest = plot.bottom() - 18 * static_cast<float>(order.size() - 1 - i);
        next = std::min(std::max(y(order[i]->points.back().tokens) + 5, next), lowest);
        d.ui.canvas.print({plot.right() + 10, next}, order[i]->name.words(), order[i]->live ? Font::text_bold : Font::text, 14,
                          order[i]->live ? d.ui.theme.ink : d.ui.theme.muted);
        next += 18;
    }
}

Message source_words(const LongAnswers& recorded) {
    const Message weights = recorded.weights.empty() ? Message() : dflash_says("along.weights"_t, "english"_v = recorded.weights);
    return dflash_says("along.source"_t, "weights"_v = weights, "target"_v = recorded.target, "k"_v = recorded.k,
                       "temperature"_v = recorded.temperature, "answers"_v = recorded.answers,
                       "interval"_v = recorded.series.front().stretches.front().high > 0, "machine"_v = machine_said(recorded.machine),
                       "date"_v = recorded.date);
}

} // namespace

std::vector<Stretch> stretches_of(const RunView& view) {
    std::vector<Stretch> found;
    int before = 0;
    double tokens = 0;
    for (const RoundSummary& round : view.round_list) {
        if (!round.commit) break;
        const int brought = static_cast<int>(round.commit->tokens.size());
        if (round.verify) { // a round, and not the token of the prompt's own pass
            if (found.empty() || before >= found.back().to) {
                const int from = before / kStretch * kStretch;
                found.push_back({.from = from, .to = from + kStretch});
                tokens = 0;
            }
            Stretch& one = found.back();
            const double rounds = one.rounds++;
            tokens += brought;
            one.tokens = tokens / one.rounds;
            one.draft_ms += (round.draft_ms - one.draft_ms) / (rounds + 1);
            one.verify_ms += (round.verify_ms - one.verify_ms) / (rounds + 1);
        }
        before += brought;
    }
    if (!found.empty()) found.back().to = std::min(found.back().to, before);
    return found;
}

const LongAnswers* recorded_long_answers(const SceneInput& input) {
    if (!input.ablations) return nullptr;
    for (const LongAnswers& one : input.ablations->long_answers)
        if (one.drafter == "dflash") return &one;
    return nullptr;
}

void draw_dflash_long(const DFlashDraw& d, Rect card) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<LongLine> lines = lines_of(d.input);
    const LongAnswers* recorded = recorded_long_answers(d.input);
    ui::fitted_text(canvas, {card.x, card.y + 12}, dflash_says("along.title"_t), Font::text_bold, 14, theme.ink, card.w);
    if (lines.empty()) return ui::slot(canvas, theme, {card.x, card.y + 26, card.w, card.h - 30}, dflash_says("along.nothing"_t));
    double most = 1.5;
    int length = kStretch;
    for (const LongLine& line : lines)
        for (const Stretch& one : line.points) most = std::max({most, one.tokens, one.high}), length = std::max(length, one.to);
    const Rect plot{card.x + 38, card.y + 30, card.w - 38 - 84, card.h - 30 - 48};
    const ui::Scale x{0, static_cast<double>(length), plot.x, plot.right()}, y{1, 1 + (most - 1) * 1.1, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(1, 1 + (most - 1) * 1.1, 4), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(canvas, theme, x, plot.bottom(), ui::ticks(0, length, plot.w > 500 ? 6 : 3), {});
    for (const LongLine& line : lines) {
        draw_line(d, line, x, y);
        ui::plotted(canvas, plot, ui::PlotMark::line, line.name, line.points, [](const Stretch& one) {
            ui::PlotDatum datum{.x = (one.from + one.to) / 2.0, .y = one.tokens};
            if (one.high > 0) datum.low = one.low, datum.high = one.high;
            return datum;
        });
    }
    name_lines(d, lines, plot, y);
    ui::fitted_text(canvas, {card.x, card.bottom() - 6}, recorded ? source_words(*recorded) : dflash_says("along.run_only"_t), Font::text,
                    14, theme.muted, card.w);
}

} // namespace speclens
