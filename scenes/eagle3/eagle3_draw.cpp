// The picture of EAGLE-3: taps, fuse, and one pass of the head after another, each on its own last output.
#include <algorithm>

#include "scenes/eagle3/eagle3_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/published_round.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

Message step_words(const SceneInput& input, const Eagle3Model& m, int i) {
    const DraftSlot& slot = m.slot(i);
    return eagle3_says("steps.told"_t, "step"_v = i + 1, "selected"_v = i == m.selected, "read"_v = word(input, m.read_by(i)),
                       "first"_v = i == 0, "took"_v = if_measured(slot.ms),
                       "guess"_v = guessed_words(input, slot, shares_said(input, at_one(*slot.draft), 2)), "off"_v = m.known_error(i));
}

// The title of a chart, in one line.
void head(const Eagle3Draw& d, Rect r, const Message& title) {
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 12}, title, Font::text_bold, 14, d.ui.theme.ink, r.w);
}
void small(const Eagle3Draw& d, Vec2 at, const Message& words) { d.ui.canvas.text(at, words, Font::text, 14, d.ui.theme.muted); }

} // namespace

float draw_eagle3_steps(const Eagle3Draw& d, float top) {
    const Eagle3Model& m = d.model;
    const GuessColumns g = guess_columns(d.input.stage, m, {.least = 150, .most = 320, .gap = 32});
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const bool tall = d.input.stage.h >= 600;
    const int rows = tall ? 2 : 1;
    const double scale = strip_scale(m, {"feature", "output"}); // all of them share one
    // the target's taps and what they fuse to
    const float fuse = top, token = fuse + (tall ? 72.0F : 46.0F), feature = token + 40, layer = feature + 26, output = layer + 36,
                distributions = output + 24, drafts = distributions + 23 * static_cast<float>(rows) + 6, verdicts = drafts + 36;
    row_name(d.ui, g, fuse + 12, eagle3_says("taps.name"_t),
             m.taps.empty() || !tall ? Message() : eagle3_says("taps.count"_t, "taps"_v = m.taps.size()));
    float x = g.left();
    const float w =
        std::min(150.0F, (d.input.stage.right() - 24 - g.left() - 220) / static_cast<float>(std::max<std::size_t>(1, m.taps.size())) - 12);
    for (const Internals::Strip* tap : m.taps) {
        const auto of = "layer"_v = layer_of(*tap);
        draw_strip(d.ui, {x, fuse, w, 14}, tap, 0, eagle3_says("taps.strip"_t, of));
        if (tall) small(d, {x, fuse + 31}, eagle3_says("taps.layer"_t, of));
        x += w + 12;
    }
    if (!m.taps.empty()) {
        ui::arrow(canvas, {x, fuse + 7}, {x + 26, fuse + 7}, {theme.role(Role::target), 1.5F}, 6);
        const Message fuses = eagle3_says("taps.fuse"_t);
        small(d, {x + 34, fuse + 12}, fuses);
        x += std::max(68.0F, 38 + canvas.text_width(fuses, Font::text, 14));
        if (const Internals::Strip* fused = g.first == 0 ? m.slot(0).draft->internals.strip("feature") : nullptr) {
            draw_strip(d.ui, {x, fuse, std::min(120.0F, d.input.stage.right() - 24 - x), 14}, fused, scale, eagle3_says("taps.fused"_t));
            if (tall) small(d, {x, fuse + 31}, eagle3_says("taps.read"_t));
        }
    } else if (!m.internals) {
        small(d, {g.left(), fuse + 14}, eagle3_says("taps.none"_t));
    }
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DraftSlot& slot = m.slot(i);
        const Internals& internals = slot.draft->internals;
        const float at = g.x(i), cw = g.width(i);
        const Rect band{at - 8, token - 24, cw + 16, verdicts + 34 - (token - 24)};
        const bool selected = guess_band(d.ui, m, i, band, d.out);
        canvas.tell(step_words(d.input, m, i), band);
        const auto step = "step"_v = i + 1;
        canvas.print({at, token - 7}, eagle3_says("steps.step"_t, step).words(), selected ? Font::text_bold : Font::text, 14,
                     selected ? theme.ink : theme.muted);
        if (slot.ms > 0) canvas.print({at + cw, token - 7}, ui::number(slot.ms, 2) + " ms", Font::mono, 14, theme.muted, Align::right);
        if (const int read = m.read_by(i); read >= 0)
            ui::chip(canvas, theme, {at, token, cw, 28}, label_of(*d.input.trace, read), {.role = Role::draft, .neutral = i == 0});
        draw_strip(d.ui, {at, feature, cw, 14}, internals.strip("feature"), scale, eagle3_says("steps.feature_of"_t, step));
        const Rect box{at, layer, cw, 26};
        part_box(d.ui, box, Role::draft);
        canvas.print({box.center().x, box.y + 18}, eagle3_says("steps.layer"_t).words(), Font::text, 14, theme.ink, Align::center);
        ui::arrow(canvas, {box.center().x, feature + 15}, {box.center().x, layer - 1}, {theme.muted, 1.5F}, 5);
        ui::arrow(canvas, {box.center().x, layer + 27}, {box.center().x, output - 1}, {theme.muted, 1.5F}, 5);
        draw_strip(d.ui, {at, output, cw, 14}, internals.strip("output"), scale, eagle3_says("steps.output_of"_t, step));
        draw_shares(d.input, d.ui, {at, distributions}, cw, at_one(*slot.draft), rows);
        plot_shares(d.input, d.ui, {g.left(), distributions + 14, g.right() - g.left(), 23 * static_cast<float>(rows)},
                    eagle3_says("steps.step"_t, step), at_one(*slot.draft));
        draw_guess(d.input, d.ui, slot, {at, drafts, cw, 30}, {at, verdicts, cw, 28}, selected);
        // the output goes on as the next step's feature
        goes_on(d.ui, g, i, output + 7, feature + 7);
    }
    for (int i = 0; i < m.guesses(); ++i) // those that have no column, too
        if (!g.has(i)) canvas.tell(step_words(d.input, m, i), d.input.stage);
    columns_shown(d.ui, g, token - 7, m.guesses());
    row_name(d.ui, g, token + 19, eagle3_says("steps.token"_t));
    row_name(d.ui, g, feature + 12, eagle3_says("steps.feature"_t));
    row_name(d.ui, g, layer + 18, eagle3_says("steps.head"_t));
    row_name(d.ui, g, output + 12, eagle3_says("steps.output"_t));
    row_name(d.ui, g, distributions + 13, shared_says("guess.next"_t));
    row_name(d.ui, g, drafts + 20, shared_says("guess.draft"_t));
    row_name(d.ui, g, verdicts + 19, shared_says("guess.verified"_t));
    return verdicts + 28;
}

void draw_eagle3_clock(const Eagle3Draw& d, Rect r, bool seen) {
    const Eagle3Model& m = d.model;
    const Message words = passes_words(m);
    if (!seen) {
        d.ui.canvas.tell(words, r);
        return tell_times(d.ui, r, time_series(d.input, "eagle3"));
    }
    head(d, r, eagle3_says("clock.title"_t));
    if (!m.timed()) return small(d, {r.x, r.y + 40}, words);
    draw_passes(d.ui, {r.x, r.y + 24, r.w, 26}, m);
    const bool above_times = r.h - 88 >= kEagle3Times;
    ui::paragraph(d.ui.canvas, {r.x, r.y + 68}, r.w, words, {.size = 14, .color = d.ui.theme.muted, .max_lines = above_times ? 1 : 2});
    if (above_times) draw_eagle3_times(d, {r.x, r.y + 84, r.w, r.h - 84});
}

void draw_eagle3_times(const Eagle3Draw& d, Rect r) {
    head(d, r, shared_says("charts.times"_t));
    const Rect plot{r.x, r.y + 20, r.w, r.h - 22};
    const std::vector<TimeSeries> series = time_series(d.input, "eagle3");
    if (!series.empty()) return draw_times(d.ui, plot, series);
    ui::slot(d.ui.canvas, d.ui.theme, {plot.x, plot.y + 4, plot.w, plot.h - 10},
             unmeasured_words(d.input, study_named(d.input, kTimeStudy), eagle3_says("draft_times.how"_t)));
}

void draw_eagle3_errors(const Eagle3Draw& d, Rect r, bool seen) {
    const Eagle3Model& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const bool run = m.instead_of.empty(), note = r.h >= 130;
    const auto told = [&](std::size_t i) {
        const auto step = "step"_v = i + 1;
        const auto error = "error"_v = m.errors[i];
        return run ? eagle3_says("drift.bar:run"_t, step, error, "rounds"_v = m.known[i], "here"_v = m.known_error(static_cast<int>(i)))
                   : eagle3_says("drift.bar:round"_t, step, error);
    };
    if (!seen) {
        for (std::size_t i = 0; i < m.errors.size(); ++i) canvas.tell(told(i), r);
        return;
    }
    const Message title = note ? eagle3_says("drift.title"_t) : eagle3_says("drift.short_title"_t);
    head(d, r, title);
    if (m.errors.empty())
        return ui::slot(canvas, theme, {r.x, r.y + 24, r.w, r.h - 32},
                        m.internals ? eagle3_says("drift.unknown"_t) : shared_says("head.no_lens"_t));
    const double high = std::max(0.1, m.highest_error());
    const float beside = canvas.text_width(title, Font::text_bold, 14) + 12;
    if (!note)
        ui::fitted_text(canvas, {r.x + beside, r.y + 12}, run ? eagle3_says("drift.key:run"_t) : eagle3_says("drift.key:round"_t),
                        Font::text, 14, theme.muted, r.w - beside);
    const Rect plot{r.x + 34, r.y + 24, r.w - 42, r.h - 24 - (note ? 50.0F : 24.0F)};
    if (plot.h < 36) return draw_eagle3_errors(d, r, false);
    const ui::Scale y{0, high * 1.1, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, high * 1.1, plot.h > 90 ? 4 : 2),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::plotted_by_place(canvas, plot, ui::PlotMark::bars, {}, m.errors);
    const float step = plot.w / static_cast<float>(m.errors.size());
    for (std::size_t i = 0; i < m.errors.size(); ++i) {
        const float x = plot.x + step * (static_cast<float>(i) + 0.5F);
        const bool chosen = static_cast<int>(i) == m.selected;
        const float w = std::min(28.0F, step - 4), topy = y(m.errors[i]);
        canvas.fill({x - w / 2, topy, w, plot.bottom() - topy}, chosen ? theme.ink : theme.muted.alpha(0.55F), 1);
        if (const double here = m.error(static_cast<int>(i)); here >= 0) {
            const Vec2 at{x, y(here)};
            canvas.disc(at, 6, theme.bg); // the bar behind it may have the colour of the ring
            canvas.ring(at, 4, {theme.ink, 1.5F});
        }
        if (step >= 20 || i % 2 == 0)
            canvas.print({x, plot.bottom() + 19}, std::to_string(i + 1), Font::mono, 14, chosen ? theme.ink : theme.muted, Align::center);
        ui::thing(d.ui, {x - step / 2, plot.y, step, plot.h + 20}, told(i));
    }
    if (note)
        ui::fitted_text(canvas, {r.x, r.bottom() - 8}, run ? eagle3_says("drift.note:run"_t) : eagle3_says("drift.note:round"_t),
                        Font::text, 14, theme.muted, r.w);
}

ui::Rect eagle3_below_taps(ui::Rect stage, float end) {
    const float y = stage.y + 88 + (stage.h >= 600 ? 46.0F : 24.0F);
    return {stage.x, y, stage.w, end + 6 - y};
}

void draw_trained_steps(const Eagle3Draw& d, Rect r) {
    const std::optional<TrainedSteps> heads = trained_steps(d.input);
    if (!heads) return;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    head(d, r, eagle3_says("trained.title"_t));
    const float names = 84;
    const Rect plot{r.x + 34, r.y + 24, r.w - 42 - names, r.h - 24 - 44};
    if (plot.h < 30) return;
    const ui::Scale y{0, 1, plot.bottom(), plot.y};
    const std::size_t most = std::max(heads->one->conditional.size(), heads->many->conditional.size());
    const ui::Scale x{1, static_cast<double>(most), plot.x + 6, plot.right() - 6};
    ui::axis_y(c, t, y, plot.x, ui::ticks(0, 1, plot.h > 80 ? 4 : 2), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (std::size_t i = 1; i <= most; ++i)
        c.print({x(static_cast<double>(i)), plot.bottom() + 18}, std::to_string(i), Font::mono, 14, t.muted, Align::center);
    ui::fitted_text(c, {r.x, r.bottom() - 4}, eagle3_says("trained.axis"_t), Font::text, 14, t.muted, r.w);
    const auto line = [&](const ServedResult& head, bool hollow, const Message& name) {
        ui::plotted(c, plot, ui::PlotMark::line, name, head.conditional,
                    [place = 0.0](double p) mutable { return ui::PlotDatum{.x = ++place, .y = p < 0 ? ui::PlotDatum::kNone : p}; });
        std::vector<Vec2> points;
        for (std::size_t i = 0; i < head.conditional.size(); ++i) {
            const double p = head.conditional[i];
            if (p < 0) continue;
            const Vec2 at = points.emplace_back(x(static_cast<double>(i + 1)), y(p));
            ui::thing(d.ui, {at.x - 8, at.y - 8, 16, 16}, eagle3_says("trained.point"_t, "head"_v = name, "step"_v = i + 1, "p"_v = p));
        }
        c.polyline(points, {hollow ? t.muted : t.ink, 2, hollow ? 5.0F : 0.0F, hollow ? 4.0F : 0.0F});
        for (const Vec2 at : points) c.disc(at, 3.5F, hollow ? t.muted : t.ink);
        if (!points.empty())
            c.text({hollow ? points.back().x + 8 : plot.right() + 6, points.back().y + (hollow ? -6.0F : 5.0F)}, name, Font::text, 14,
                   hollow ? t.muted : t.ink);
    };
    line(*heads->one, true, eagle3_says("trained.one"_t));
    line(*heads->many, false, eagle3_says("trained.many"_t));
}

void draw_eagle3_details(const Eagle3Draw& d) {
    const ui::Rect r = d.input.details;
    const AcceptanceSeries all = acceptance_of(*d.input.whole, shared_says("charts.this_run"_t));
    const float below = r.h > 330 && !all.judged.empty() ? rounds_height(*d.input.whole, d.input.figures) : 0;
    draw_kept_details(d.ui, r, shared_says("charts.kept_here"_t), all, below);
    if (below > 0) draw_rounds_beside(d.ui, {r.x + 24, r.bottom() - below - 4, r.w - 48, below}, *d.input.whole, d.input.figures);
}

void draw_eagle3_controls(const Eagle3Draw& d) {
    ControlRow row(d.input.controls);
    guess_stepper(d.ui, d.model, eagle3_says("controls.step"_t), row, d.out);
    guesses_slider(d.input, d.ui, d.model, 15, row, d.out);
    measure_button(d.input, d.ui, {"times", eagle3_says("controls.times"_t), "M"}, time_study(d.input), row, d.out);
}

} // namespace speclens
