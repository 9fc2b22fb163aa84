// The picture of EAGLE-3: taps, fuse, and one pass of the head after another, each on its own last output.
#include "scenes/eagle3/eagle3_draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/run_controls.h"
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
using ui::Vec2;

void strip(const Eagle3Draw& d, const Internals::Strip* found, double scale, Rect rect) {
    if (!found) {
        ui::slot(d.ui.canvas, d.ui.theme, rect, "");
        return;
    }
    std::vector<float> cells;
    for (const double cell : found->cells) cells.push_back(static_cast<float>(cell / scale));
    ui::heat_strip(d.ui.canvas, d.ui.theme, rect, cells, ui::HeatKind::signed_values);
    ui::tooltip(d.ui, rect,
                found->name + ": " + ui::integer(found->values) + " values, mean-pooled to " + std::to_string(found->cells.size()) +
                    " cells, " + ui::number(found->low, 2) + " to " + ui::number(found->high, 2) +
                    "; amber above 0, cyan below, full colour at ± " + ui::number(scale, 2));
}

// The largest cell of the features of this cycle: all of them share one scale.
double feature_scale(const Eagle3Model& m) {
    double scale = 1e-12;
    for (const DraftSlot& slot : m.round->drafts)
        for (const char* name : {"feature", "output"})
            if (const Internals::Strip* s = slot.draft->internals.strip(name))
                scale = std::max({scale, std::abs(s->low), std::abs(s->high)});
    return scale;
}

} // namespace

float draw_eagle3_steps(const Eagle3Draw& d, float top) {
    const Eagle3Model& m = d.model;
    const GuessColumns g = guess_columns(d.input.stage, m, {.least = 150, .most = 320, .gap = 32});
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const bool tall = d.input.stage.h >= 600;
    const int rows = tall ? 2 : 1;
    const double scale = feature_scale(m);
    // the target's taps and what they fuse to
    const float fuse = top, token = fuse + (tall ? 72.0F : 46.0F), feature = token + 40, layer = feature + 26, output = layer + 36,
                distributions = output + 24, drafts = distributions + 23 * static_cast<float>(rows) + 6, verdicts = drafts + 36;
    row_name(d.ui, g, fuse + 12, "Target", m.taps.empty() || !tall ? "" : counted(static_cast<int>(m.taps.size()), "tap"));
    float x = g.left();
    const float w =
        std::min(150.0F, (d.input.stage.right() - 24 - g.left() - 220) / static_cast<float>(std::max<std::size_t>(1, m.taps.size())) - 12);
    for (const Internals::Strip* tap : m.taps) {
        strip(d, tap, std::max({1e-12, std::abs(tap->low), std::abs(tap->high)}), {x, fuse, w, 14});
        if (tall) canvas.text({x, fuse + 31}, "layer " + tap->name.substr(4), Font::text, 14, theme.muted);
        x += w + 12;
    }
    if (!m.taps.empty()) {
        ui::arrow(canvas, {x, fuse + 7}, {x + 26, fuse + 7}, {theme.role(Role::target), 1.5F}, 6);
        canvas.text({x + 34, fuse + 12}, "fuse", Font::text, 14, theme.muted);
        const Internals::Strip* fused = g.first == 0 ? m.slot(0).draft->internals.strip("feature") : nullptr;
        if (fused) strip(d, fused, scale, {x + 68, fuse, std::min(120.0F, d.input.stage.right() - 24 - x - 68), 14});
        if (tall) canvas.text({x + 68, fuse + 31}, fused ? "feature f, step 1 reads it" : "", Font::text, 14, theme.muted);
    } else {
        canvas.text({g.left(), fuse + 14}, m.internals ? "" : "this run recorded no lens", Font::text, 14, theme.muted);
    }
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DraftSlot& slot = m.slot(i);
        const Internals& internals = slot.draft->internals;
        const float at = g.x(i), cw = g.width(i);
        const Rect band{at - 8, token - 24, cw + 16, verdicts + 34 - (token - 24)};
        const bool selected = i == m.selected;
        if (choosable(d.ui, "step " + std::to_string(i), band, selected, kGuessColumn))
            d.out.push_back(Select{Position{m.round->round, i}});
        canvas.text({at, token - 7}, "step " + std::to_string(i + 1), selected ? Font::text_bold : Font::text, 14,
                    selected ? theme.ink : theme.muted);
        if (slot.ms > 0) canvas.text({at + cw, token - 7}, ui::number(slot.ms, 2) + " ms", Font::mono, 14, theme.muted, Align::right);
        const int read = i == 0 ? m.anchor : m.slot(i - 1).draft->token;
        if (read >= 0)
            ui::chip(canvas, theme, {at, token, cw, 28}, label_of(*d.input.trace, read), {.role = Role::draft, .neutral = i == 0});
        strip(d, internals.strip("feature"), scale, {at, feature, cw, 14});
        const Rect box{at, layer, cw, 26};
        canvas.fill(box, theme.panel, 4);
        canvas.outline(box, {theme.role(Role::draft), 1.5F}, 4);
        canvas.text({box.center().x, box.y + 18}, "1 layer", Font::text, 14, theme.ink, Align::center);
        ui::arrow(canvas, {box.center().x, feature + 15}, {box.center().x, layer - 1}, {theme.muted, 1.5F}, 5);
        ui::arrow(canvas, {box.center().x, layer + 27}, {box.center().x, output - 1}, {theme.muted, 1.5F}, 5);
        strip(d, internals.strip("output"), scale, {at, output, cw, 14});
        const TopEntries& top_distribution = at_one(*slot.draft);
        float y = distributions;
        for (int e = 0; e < rows && e < static_cast<int>(top_distribution.entries.size()); ++e, y += 23) {
            const TopEntries::Entry& entry = top_distribution.entries[static_cast<std::size_t>(e)];
            const double p = std::exp(entry.logp);
            const ui::Color ink = e == 0 ? theme.ink : theme.muted;
            ui::token_text(canvas, {at, y + 13}, ui::fit_token(canvas, label_of(*d.input.trace, entry.id), 15, cw - 46), 15, ink);
            canvas.text({at + cw, y + 13}, ui::probability(p), Font::mono, 14, ink, Align::right);
            canvas.fill({at, y + 17, std::max(2.0F, cw * static_cast<float>(p)), 4}, theme.role(Role::draft), 1);
        }
        if (top_distribution.entries.empty()) canvas.text({at, y + 13}, "no rows", Font::text, 14, theme.muted);
        ui::chip(canvas, theme, {at, drafts, cw, 30}, label_of(*d.input.trace, slot.draft->token),
                 {.role = Role::draft, .selected = selected});
        const Rect out{at, verdicts, cw, 28};
        if (slot.state == DraftSlot::State::drafted)
            ui::slot(canvas, theme, out, "");
        else
            ui::chip(canvas, theme, out, label_of(*d.input.trace, slot.draft->token), {.role = role_of(slot.state)});
        // the output goes on as the next step's feature
        goes_on(d.ui, g, i, output + 7, feature + 7);
    }
    columns_shown(d.ui, g, token - 7, m.steps());
    row_name(d.ui, g, token + 19, "Token");
    row_name(d.ui, g, feature + 12, "Feature");
    row_name(d.ui, g, layer + 18, "Head");
    row_name(d.ui, g, output + 12, "Output");
    row_name(d.ui, g, distributions + 13, "Next token");
    row_name(d.ui, g, drafts + 20, "Draft");
    row_name(d.ui, g, verdicts + 19, "Verified");
    return verdicts + 28;
}

void draw_eagle3_clock(const Eagle3Draw& d, Rect r) {
    const Eagle3Model& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.text({r.x, r.y + 12}, "One pass of the head for every guess", Font::text_bold, 14, theme.ink);
    const double all = m.draft_ms + m.verify_ms;
    if (all <= 0) {
        canvas.text({r.x, r.y + 40}, "this run recorded no times", Font::text, 14, theme.muted);
        return;
    }
    const ui::Scale scale{0, all, r.x, r.right()};
    std::vector<ui::Segment> parts;
    double at = 0;
    for (int i = 0; i < m.steps(); ++i) {
        const double ms = m.slot(i).ms;
        parts.push_back({at, ms, Role::draft, std::to_string(i + 1), "", 1, false, true});
        at += ms;
    }
    parts.push_back({m.draft_ms, m.verify_ms, Role::target, "verify", ui::number(m.verify_ms, 2)});
    ui::gantt_lane(canvas, theme, scale, r.y + 24, 26, parts, 1.5F, d.ui.input.mouse);
    std::string words =
        "draft " + ui::number(m.draft_ms, 2) + " ms: " + counted(m.steps(), "pass") + ", verify " + ui::number(m.verify_ms, 2) + " ms";
    if (m.further_ms > 0) words += "; each further guess " + ui::number(m.further_ms, 2) + " ms";
    const bool above_times = r.h - 88 >= kEagle3Times;
    ui::paragraph(canvas, {r.x, r.y + 68}, r.w, words, {.size = 14, .color = theme.muted, .max_lines = above_times ? 1 : 2});
    if (above_times) draw_eagle3_times(d, {r.x, r.y + 84, r.w, r.h - 84});
}

void draw_eagle3_times(const Eagle3Draw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 12}, "Draft time of a round in ms, by guesses K", Font::text_bold, 14, theme.ink, r.w);
    const Rect plot{r.x, r.y + 20, r.w, r.h - 22};
    const std::vector<TimeSeries> series = time_series(d.input, "eagle3");
    const Study* study = study_named(d.input, kTimeStudy);
    if (series.empty())
        ui::slot(canvas, theme, {plot.x, plot.y + 4, plot.w, plot.h - 10},
                 unmeasured_words(d.input, study, "press M: draft time for 1 to 15 guesses is measured here"));
    else
        draw_times(d.ui, plot, series);
}

void draw_eagle3_errors(const Eagle3Draw& d, Rect r) {
    const Eagle3Model& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const bool note = r.h >= 130;
    const std::string title = note ? "How far its own features drift" : "Drift of its own features";
    ui::fitted_text(canvas, {r.x, r.y + 12}, title, Font::text_bold, 14, theme.ink, r.w);
    if (m.errors.empty()) {
        ui::slot(canvas, theme, {r.x, r.y + 24, r.w, r.h - 32}, m.internals ? "no step's truth is known yet" : "no lens was recorded");
        return;
    }
    const double high = std::max(0.1, m.highest_error());
    const float beside = canvas.text_width(title, Font::text_bold, 14) + 12;
    if (!note)
        ui::fitted_text(canvas, {r.x + beside, r.y + 12}, d.model.instead_of.empty() ? "bars: run, rings: round" : "of this round",
                        Font::text, 14, theme.muted, r.w - beside);
    const Rect plot{r.x + 34, r.y + 24, r.w - 42, r.h - 24 - (note ? 50.0F : 24.0F)};
    if (plot.h < 36) return;
    const ui::Scale y{0, high * 1.1, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, high * 1.1, plot.h > 90 ? 4 : 2),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
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
            canvas.text({x, plot.bottom() + 19}, std::to_string(i + 1), Font::mono, 14, chosen ? theme.ink : theme.muted, Align::center);
        ui::tooltip(d.ui, {x - step / 2, plot.y, step, plot.h + 20},
                    "step " + std::to_string(i + 1) + ": " + ui::number(m.errors[i], 2) +
                        (m.instead_of.empty() ? " on average of " + counted(m.known[i], "round") : " in this round"));
    }
    if (note)
        ui::fitted_text(canvas, {r.x, r.bottom() - 8},
                        d.model.instead_of.empty() ? "|own − true| ÷ |true|: bars the run, rings this round"
                                                   : "|own − true| ÷ |true| of this round",
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
    ui::fitted_text(c, {r.x, r.y + 12}, "A guess stays, by step: two heads trained for it", Font::text_bold, 14, t.ink, r.w);
    const float names = 84;
    const Rect plot{r.x + 34, r.y + 24, r.w - 42 - names, r.h - 24 - 44};
    if (plot.h < 30) return;
    const ui::Scale y{0, 1, plot.bottom(), plot.y};
    const std::size_t most = std::max(heads->one->conditional.size(), heads->many->conditional.size());
    const ui::Scale x{1, static_cast<double>(most), plot.x + 6, plot.right() - 6};
    ui::axis_y(c, t, y, plot.x, ui::ticks(0, 1, plot.h > 80 ? 4 : 2), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (std::size_t i = 1; i <= most; ++i)
        c.text({x(static_cast<double>(i)), plot.bottom() + 18}, std::to_string(i), Font::mono, 14, t.muted, Align::center);
    ui::fitted_text(c, {r.x, r.bottom() - 4}, "step; on the texts of the recipe's experiment, greedy", Font::text, 14, t.muted, r.w);
    const auto line = [&](const ServedResult& head, bool hollow, const char* name) {
        std::vector<Vec2> points;
        for (std::size_t i = 0; i < head.conditional.size(); ++i)
            if (head.conditional[i] >= 0) points.push_back({x(static_cast<double>(i + 1)), y(head.conditional[i])});
        c.polyline(points, {hollow ? t.muted : t.ink, 2, hollow ? 5.0F : 0.0F, hollow ? 4.0F : 0.0F});
        for (const Vec2 at : points) c.disc(at, 3.5F, hollow ? t.muted : t.ink);
        if (!points.empty())
            c.text({hollow ? points.back().x + 8 : plot.right() + 6, points.back().y + (hollow ? -6.0F : 5.0F)}, name, Font::text, 14,
                   hollow ? t.muted : t.ink);
    };
    line(*heads->one, true, "one step");
    line(*heads->many, false, "seven steps");
}

void draw_eagle3_details(const Eagle3Draw& d) {
    const ui::Rect r = d.input.details;
    if (r.w <= 0) return;
    const float x = r.x + 24, right = r.right() - 24;
    ui::fitted_text(d.ui.canvas, {x, r.y + 32}, "Acceptance by position, this run", ui::Font::text_bold, 15, d.ui.theme.ink, right - x);
    const AcceptanceSeries all = acceptance_of(*d.input.whole, "this run");
    if (all.judged.empty()) {
        ui::paragraph(d.ui.canvas, {x, r.y + 64}, right - x, "No guess has been judged yet.", {.color = d.ui.theme.muted});
        return;
    }
    const float below = r.h > 330 ? rounds_height(*d.input.whole, d.input.figures) : 0, foot = r.bottom() - below;
    if (r.h > 150) draw_acceptance(d.ui, {x, r.y + 48, right - x, foot - 44 - r.y - 48}, std::span(&all, 1));
    if (below > 0) draw_rounds_beside(d.ui, {x, foot - 4, right - x, below}, *d.input.whole, d.input.figures);
    ui::fitted_text(d.ui.canvas, {x, foot - 20}, "share that stays when all before it stayed; " + counted(all.judged[0], "round"),
                    ui::Font::text, 14, d.ui.theme.muted, right - x);
}

void draw_eagle3_controls(const Eagle3Draw& d) {
    const ui::Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    guess_stepper(ui, d.model, "Step", row, d.out);
    const ui::Rect at = row.place(220);
    const int k = d.input.settings ? d.input.settings->k : d.model.steps();
    ui::field_label(ui, at, "Guesses K: " + std::to_string(k));
    if (const auto to = ui::slider(ui, "gamma", {at.x, at.y + 8, at.w, 20}, k, 1, 15, {.step = 1, .disabled = no_models(d.input)});
        to && d.input.settings) {
        const int wanted = std::clamp(static_cast<int>(*to + 0.5), 1, 15);
        if (wanted != k) d.out.push_back(Command{Restart{with_draft_length(*d.input.settings, wanted)}});
    }
    measure_button(d.input, ui, {"times", "Draft times", "M"}, time_study(d.input), row, d.out);
}

} // namespace speclens
