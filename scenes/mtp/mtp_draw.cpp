// The picture of MTP: pairs, one layer, and the same layer again on what it wrote.
#include <algorithm>
#include <span>

#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr std::size_t kMostRows = 4; // tokens of a distribution

// Rows of words and air between the rows, so that the picture and `below` px under it fill the stage.
struct StepRoom {
    int rows; // likeliest tokens of a guess
    float air;
    StepRoom(ui::Rect stage, float top, float below) {
        constexpr float kLeast = 24 + 22 + 36 + 34 + 24 + 6 + 36 + 28; // a step without its tokens
        const float room = stage.bottom() - top - below - kLeast;
        rows = std::clamp(static_cast<int>(room / kRow), 1, static_cast<int>(kMostRows));
        if (stage.h < 600) rows = 1;
        air = std::clamp((room - kRow * static_cast<float>(rows)) / 6, 0.0F, 16.0F);
    }
    static constexpr float kRow = 23;
};

Message step_words(const MtpDraw& d, int i) {
    const MtpModel& m = d.model;
    const DraftSlot& slot = m.slot(i);
    return mtp_says("steps.told"_t, "depth"_v = i + 1, "selected"_v = i == m.selected, "first"_v = i == 0,
                    "read"_v = word(d.input, m.read_by(i)), "took"_v = if_measured(slot.ms),
                    "guess"_v = guessed_words(d.input, slot, shares_said(d.input, at_one(*slot.draft), kMostRows), m.verdicts));
}

// The title of a part of the picture, in one line.
void heading(const MtpDraw& d, Rect r, const Message& title) {
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 12}, title, Font::text_bold, 14, d.ui.theme.ink, r.w);
}

} // namespace

float draw_mtp_steps(const MtpDraw& d, float top, float below) {
    const MtpModel& m = d.model;
    const SceneInput& input = d.input;
    const GuessColumns g = guess_columns(input.stage, m, {.least = 150, .most = 320, .gap = 32});
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const auto [rows, air] = StepRoom(input.stage, top, below);
    const float state = top + 24, token = state + 22 + air, layer = token + 36 + air, output = layer + 34 + air,
                distributions = output + 24 + air, drafts = distributions + StepRoom::kRow * static_cast<float>(rows) + 6 + air,
                verdicts = drafts + 36 + air;
    const double states = strip_scale(m, {"state"}), outputs = strip_scale(m, {"output"});
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DraftSlot& slot = m.slot(i);
        const Internals& internals = slot.draft->internals;
        const float at = g.x(i), cw = g.width(i);
        const Rect band{at - 8, top - 4, cw + 16, verdicts + 34 - (top - 4)};
        const bool selected = guess_band(d.ui, m, i, band, d.out);
        canvas.tell(step_words(d, i), band);
        const auto depth = "depth"_v = i + 1;
        canvas.print({at, top + 14}, mtp_says("steps.depth"_t, depth).words(), selected ? Font::text_bold : Font::text, 14,
                     selected ? theme.ink : theme.muted);
        if (slot.ms > 0) canvas.print({at + cw, top + 14}, ui::number(slot.ms, 2) + " ms", Font::mono, 14, theme.muted, Align::right);
        draw_strip(d.ui, {at, state, cw, 14}, internals.strip("state"), states,
                   i == 0 ? mtp_says("steps.state_of:target"_t, depth) : mtp_says("steps.state_of:own"_t, depth));
        if (const int read = m.read_by(i); read >= 0)
            ui::chip(canvas, theme, {at, token, cw, 28}, label_of(*input.trace, read), {.role = Role::draft, .neutral = i == 0});
        const Rect box{at, layer, cw, 26};
        part_box(d.ui, box, Role::draft);
        canvas.print({box.center().x, box.y + 18}, (i == 0 ? mtp_says("steps.join"_t) : mtp_says("steps.same"_t)).words(), Font::text, 14,
                     theme.ink, Align::center);
        ui::arrow(canvas, {box.center().x, layer + 27}, {box.center().x, output - 1}, {theme.muted, 1.5F}, 5);
        draw_strip(d.ui, {at, output, cw, 14}, internals.strip("output"), outputs, mtp_says("steps.output_of"_t, depth));
        draw_shares(input, d.ui, {at, distributions}, cw, at_one(*slot.draft), rows);
        const Rect verdict{at, verdicts, cw, 28};
        draw_guess(input, d.ui, slot, {at, drafts, cw, 30}, m.verdicts ? verdict : Rect{}, selected);
        if (!m.verdicts) ui::slot(canvas, theme, verdict, "?");
        goes_on(d.ui, g, i, output + 7, state + 7); // the output is the next state
    }
    for (int i = 0; i < m.guesses(); ++i) // those that have no column, too
        if (!g.has(i)) canvas.tell(step_words(d, i), input.stage);
    columns_shown(d.ui, g, top + 14, m.guesses());
    row_name(d.ui, g, state + 12, mtp_says("steps.state"_t));
    row_name(d.ui, g, token + 19, mtp_says("steps.token"_t));
    row_name(d.ui, g, layer + 18, mtp_says("steps.head"_t));
    row_name(d.ui, g, output + 12, mtp_says("steps.output"_t));
    row_name(d.ui, g, distributions + 13, shared_says("guess.next"_t));
    row_name(d.ui, g, drafts + 20, shared_says("guess.draft"_t));
    row_name(d.ui, g, verdicts + 19, shared_says("guess.verified"_t));
    return verdicts + 28;
}

// Boxes from left to right: two norms, the matrix that joins the pair, the layer, the norm, the target's output matrix.
void draw_mtp_row(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    heading(d, r, mtp_says("row.title"_t));
    const bool again = d.input.beat == kMtpAgainBeat;
    constexpr int kBoxes = 5;
    constexpr float kGap = 22, kLeast = 34, kMost = 52;
    const float w = (r.w - kGap * (kBoxes - 1)) / kBoxes, foot = again ? 20 : 12;
    const float tall = std::clamp((r.h - 28 - 8 - foot) / 2, kLeast, kMost);
    const float up = r.y + 28, low = up + tall + 8, middle = (up + low + tall) / 2;
    if (low + tall + foot > r.bottom()) return;
    const auto x = [&](int i) { return r.x + (w + kGap) * static_cast<float>(i); };
    const auto box = [&](Rect at, Role role, const Message& name, const Message& detail = {}) {
        part_box(d.ui, at, role);
        const bool two = at.h > tall && !detail.empty();
        ui::fitted_text(canvas, {at.center().x, at.center().y + (two ? -4.0F : 5.0F)}, name, Font::text, 14, theme.ink, at.w - 8,
                        Align::center);
        if (two) ui::fitted_text(canvas, {at.center().x, at.center().y + 15}, detail, Font::text, 14, theme.muted, at.w - 8, Align::center);
    };
    const auto link = [&](Vec2 from, Vec2 to) { ui::arrow(canvas, from, to, {theme.muted, 1.5F}, 5); };
    const float high = low + tall - up;
    box({x(0), up, w, tall}, again ? Role::draft : Role::target, again ? mtp_says("row.own"_t) : mtp_says("row.state"_t));
    box({x(0), low, w, tall}, Role::draft, mtp_says("row.token"_t));
    box({x(1), up, w, high}, Role::draft, mtp_says("row.join"_t), mtp_says("row.widths"_t));
    box({x(2), up, w, high}, Role::draft, mtp_says("row.layer"_t), mtp_says("row.cache"_t));
    box({x(3), up, w, high}, Role::draft, mtp_says("row.norm"_t), mtp_says("row.output"_t));
    box({x(4), up, w, high}, Role::target, mtp_says("row.lm_head"_t), mtp_says("row.next"_t));
    link({x(0) + w + 1, up + tall / 2}, {x(1) - 1, up + tall / 2});
    link({x(0) + w + 1, low + tall / 2}, {x(1) - 1, low + tall / 2});
    for (int i = 1; i + 1 < kBoxes; ++i) link({x(i) + w + 1, middle}, {x(i + 1) - 1, middle});
    if (!again) return;
    const float back = low + tall + 14; // from behind its norm to the front
    const ui::Stroke stroke{theme.role(Role::draft), 1.5F, 4, 3};
    const float from = x(3) + w / 2, to = x(0) - 10;
    canvas.line({from, low + tall + 1}, {from, back}, stroke);
    canvas.line({from, back}, {to, back}, stroke);
    canvas.line({to, back}, {to, up + tall / 2}, stroke);
    ui::arrow(canvas, {to, up + tall / 2}, {x(0) - 1, up + tall / 2}, {theme.role(Role::draft), 1.5F}, 5);
}

void draw_mtp_clock(const MtpDraw& d, Rect r) {
    const MtpModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    heading(d, r, mtp_says("clock.title"_t));
    const Rect lane{r.x, r.y + 24, r.w, 26};
    if (m.timed()) {
        draw_passes(d.ui, lane, m);
        canvas.tell(passes_words(m), lane);
    } else {
        canvas.text({r.x, lane.y + 16}, passes_words(m), Font::text, 14, theme.muted);
    }
    const std::span times(&m.measured.times, 1);
    const Rect chart{r.x, r.y + 68, r.w, r.bottom() - r.y - 68};
    if (chart.h < 92) return tell_times(d.ui, r, times);
    heading(d, chart, shared_says("charts.times"_t));
    const Rect plot{chart.x, chart.y + 20, chart.w, chart.h - 20};
    if (times[0].points.size() >= 2) return draw_times(d.ui, plot, times);
    ui::slot(canvas, theme, {plot.x, plot.y + 4, plot.w, plot.h - 10},
             unmeasured_words(*m.run, study_named(*m.run, kMtpStudy), mtp_says("clock.how"_t)));
    tell_times(d.ui, plot, times);
}

void draw_mtp_kept(const MtpDraw& d, Rect r) {
    const MtpKept& kept = d.model.kept;
    heading(d, r, kept.of_run ? mtp_says("kept.title:run"_t) : mtp_says("kept.title:measured"_t));
    if (kept.series.judged.empty())
        return ui::slot(d.ui.canvas, d.ui.theme, {r.x, r.y + 24, r.w, std::max(20.0F, r.h - 34)}, mtp_says("kept.none"_t));
    draw_acceptance(d.ui, {r.x, r.y + 20, r.w, r.h - 36}, std::span(&kept.series, 1));
}

// The text as pairs, each a state and the token after it: those of the prompt, those that were written, and the draft's.
void draw_mtp_pairs(const MtpDraw& d, Rect r) {
    const MtpModel& m = d.model;
    const SceneInput& input = d.input;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    heading(d, r, mtp_says("pairs.title"_t));
    std::vector<int> text; // before the round, its end
    for (const OutputToken& token : input.whole->tokens)
        if (token.origin == Origin::prompt || token.round < m.round->round) text.push_back(token.id);
    if (text.empty() || text.back() != m.anchor) text.push_back(m.anchor);
    constexpr float kPair = 96, kGap = 8, kHigh = 26, kNames = 64, kLine = 2 * kHigh + 3 + 16, kWords = 46;
    const float top = r.y + 26;
    const int lines = std::clamp(static_cast<int>((r.bottom() - top - kWords + 16) / kLine), 1, 4);
    const int drafted = m.guesses(), fit = std::max(2, static_cast<int>((r.w - kNames + kGap) / (kPair + kGap))), places = fit * lines;
    const int own = std::min(drafted, std::max(1, fit / 3 + 1)) - 1, known = std::min(places - own, static_cast<int>(text.size()) - 1);
    if (r.h < 24 + 2 * kHigh + 34 || known < 1) return;
    const auto place = [&](int i) {
        return Vec2{r.x + kNames + (kPair + kGap) * static_cast<float>(i % fit), top + kLine * static_cast<float>(i / fit)};
    };
    int shown = 0;
    // `of`: the token whose state it is; of a guess the number of the output that stands in for one.
    const auto pair = [&](int of, int token, bool guessed) {
        const Vec2 at = place(shown);
        if (shown % fit == 0) {
            cell(d.ui, {r.x, at.y + 18}, mtp_says("pairs.state"_t).words(), kNames - 8, {theme.muted});
            cell(d.ui, {r.x, at.y + kHigh + 21}, mtp_says("pairs.token"_t).words(), kNames - 8, {theme.muted});
        }
        const Rect above{at.x, at.y, kPair, kHigh}, below{at.x, at.y + kHigh + 3, kPair, kHigh};
        const Role role = guessed ? Role::draft : Role::target;
        canvas.fill(above, theme.tint(role), 4);
        canvas.outline(above, {theme.role(role), 1, guessed ? 3.0F : 0.0F, guessed ? 2.0F : 0.0F}, 4);
        const Vec2 middle{above.center().x, above.y + 18};
        if (guessed)
            cell(d.ui, middle, mtp_says("pairs.output"_t, "output"_v = of).words(), kPair - 8, {theme.ink, 14, Font::text, Align::center});
        else
            ui::token_text(canvas, middle, ui::fit_token(canvas, label_of(*input.trace, of), 14, kPair - 12), 14, theme.ink, Align::center);
        ui::chip(canvas, theme, below, label_of(*input.trace, token), {.role = Role::draft, .neutral = !guessed, .glyph = false});
        const auto second = "token"_v = word(input, token);
        canvas.tell(guessed ? mtp_says("pairs.pair:draft"_t, "output"_v = of, second)
                            : mtp_says("pairs.pair:text"_t, "before"_v = word(input, of), second),
                    {at.x, at.y, kPair, 2 * kHigh + 3});
        ++shown;
    };
    const std::size_t first = text.size() - 1 - static_cast<std::size_t>(known);
    for (std::size_t i = first; i + 1 < text.size(); ++i) pair(text[i], text[i + 1], false);
    for (int i = 0; i < own && shown < places; ++i) pair(i + 1, m.slot(i).draft->token, true);
    ui::paragraph(canvas, {r.x, place(shown - 1).y + 2 * kHigh + 26}, r.w,
                  mtp_says("pairs.count"_t, "pairs"_v = text.size() - 1, "last"_v = first > 0),
                  {.size = 14, .color = theme.muted, .max_lines = 2});
}

void draw_mtp_states(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    heading(d, r, mtp_says("states.title"_t));
    constexpr float kGap = 28, kHigh = 34;
    const float w = (r.w - 2 * kGap) / 3, y = r.y + 30;
    if (y + kHigh + 52 > r.bottom() + 8) return;
    float x = r.x;
    for (const Message& name : {mtp_says("states.layer"_t), mtp_says("states.norm"_t), mtp_says("states.lm_head"_t)}) {
        const Rect box{x, y, w, kHigh};
        part_box(d.ui, box, Role::target);
        ui::fitted_text(canvas, {box.center().x, box.y + 22}, name, Font::text, 14, theme.ink, w - 8, Align::center);
        x += w + kGap;
    }
    for (const bool raw : {true, false}) { // taken behind the first box or the second
        const float from = r.x + w + 1 + (raw ? 0 : w + kGap), middle = y + kHigh / 2, tap = from - 1 + kGap / 2;
        ui::arrow(canvas, {from, middle}, {from + kGap - 2, middle}, {theme.muted, 1.5F}, 5);
        ui::arrow(canvas, {tap, middle}, {tap, y + kHigh + 22}, {theme.role(Role::draft), 1.5F}, 6);
        ui::fitted_text(canvas, {tap, y + kHigh + 40}, raw ? mtp_says("states.before"_t) : mtp_says("states.after"_t), Font::text, 14,
                        theme.ink, w + kGap, Align::center);
    }
}

namespace {

struct MtpBar {
    MtpVariant variant;
    Message name;
};

// That the beat draws: by the state that the layer reads, else by the pairs that it sees.
std::vector<MtpBar> bars_of(int beat) {
    if (beat == kMtpStateBeat)
        return {{MtpVariant::all_pairs, mtp_says("variants.name:after"_t)}, {MtpVariant::raw_state, mtp_says("variants.name:before"_t)}};
    if (beat != kMtpCacheBeat) return {};
    return {{MtpVariant::all_pairs, mtp_says("variants.name:all"_t)},
            {MtpVariant::no_prompt, mtp_says("variants.name:answer"_t)},
            {MtpVariant::some_pairs, mtp_says("variants.name:some"_t, "pairs"_v = kMtpSomePairs)},
            {MtpVariant::own_pair, mtp_says("variants.name:own"_t)}};
}

Message variant_words(MtpVariant variant, const StudyPoint& point) {
    const auto what = [&] {
        switch (variant) {
        case MtpVariant::all_pairs: return mtp_says("variants.what:all"_t);
        case MtpVariant::no_prompt: return mtp_says("variants.what:answer"_t);
        case MtpVariant::some_pairs: return mtp_says("variants.what:some"_t, "pairs"_v = kMtpSomePairs);
        case MtpVariant::own_pair: return mtp_says("variants.what:own"_t);
        case MtpVariant::raw_state: break;
        }
        return mtp_says("variants.what:raw"_t);
    };
    return mtp_says("variants.told"_t, "what"_v = what(), "per_round"_v = point.tokens_per_round(), "first"_v = kept_share(&point, 0),
                    "tokens"_v = point.tokens, "rounds"_v = point.rounds);
}

} // namespace

void draw_mtp_variants(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const MtpMeasured& measured = d.model.measured;
    const bool states = d.input.beat == kMtpStateBeat;
    heading(d, r, states ? mtp_says("variants.title:states"_t) : mtp_says("variants.title:pairs"_t));
    const std::vector<MtpBar> bars = bars_of(d.input.beat);
    const auto value = [&](const MtpBar& bar) {
        const StudyPoint* point = measured.of(bar.variant);
        if (!states) return point ? point->tokens_per_round() : 0.0;
        return kept_share(point, 0).value_or(0);
    };
    double high = states ? 1 : 1e-9;
    for (const MtpBar& bar : bars) high = std::max(high, value(bar));
    if (std::ranges::all_of(bars, [&](const MtpBar& bar) { return !measured.of(bar.variant); }))
        return ui::slot(canvas, theme, {r.x, r.y + 24, r.w, std::max(20.0F, r.h - 34)},
                        unmeasured_words(*d.model.run, study_named(*d.model.run, kMtpStudy), mtp_says("variants.how"_t)));
    const float names = 112, pitch = std::clamp((r.h - 28) / static_cast<float>(bars.size()), 24.0F, 40.0F);
    ui::plotted(canvas, {r.x + names, r.y + 28, r.w - names - 64, r.h - 28}, ui::PlotMark::rows, {}, bars, [&](const MtpBar& bar) {
        return ui::PlotDatum{.x = measured.of(bar.variant) ? value(bar) : ui::PlotDatum::kNone, .label = bar.name};
    });
    float y = r.y + 28;
    for (const MtpBar& bar : bars) {
        const Rect track{r.x + names, y, r.w - names - 64, 16};
        ui::fitted_text(canvas, {r.x, y + 13}, bar.name, Font::text, 14, theme.ink, names - 8);
        if (const StudyPoint* point = measured.of(bar.variant)) {
            ui::bar(canvas, theme, track, value(bar) / high, Role::accepted);
            canvas.print({r.right(), y + 13}, states ? ui::probability(value(bar)) : ui::number(value(bar), 2), Font::mono, 14, theme.ink,
                         Align::right);
            ui::thing(d.ui, {r.x, y - 4, r.w, 24}, variant_words(bar.variant, *point));
        } else {
            canvas.text({track.x, y + 13}, mtp_says("variants.unmeasured"_t), Font::text, 14, theme.muted);
        }
        y += pitch;
    }
}

void tell_mtp_unseen(const MtpDraw& d) {
    const MtpModel& m = d.model;
    const Rect stage = d.input.stage;
    const bool charts = d.input.beat == kMtpDepthBeat;
    if (!charts && m.timed()) d.ui.canvas.tell(passes_words(m), stage);
    if (!m.verdicts) return;
    if (!charts) tell_times(d.ui, stage, std::span(&m.measured.times, 1));
    if (!charts && !m.kept.of_run) tell_acceptance(d.ui, stage, m.kept.series); // the run's stand in the details
    const std::vector<MtpBar> seen = bars_of(d.input.beat);
    for (int i = 0; i < kMtpVariants; ++i) {
        const auto variant = static_cast<MtpVariant>(i);
        const StudyPoint* point = m.measured.of(variant);
        if (point && std::ranges::find(seen, variant, &MtpBar::variant) == seen.end())
            d.ui.canvas.tell(variant_words(variant, *point), stage);
    }
}

namespace {

// What a guess at each place brings and costs, in tokens: its time over that of a plain pass.
void draw_mtp_worth(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const MtpModel& m = d.model;
    const AcceptanceSeries& kept = m.kept.series;
    ui::fitted_text(canvas, {r.x, r.y + 12}, mtp_says("worth.title"_t), Font::text_bold, 15, theme.ink, r.w);
    if (kept.judged.empty()) {
        ui::paragraph(canvas, {r.x, r.y + 44}, r.w, shared_says("head.details:none"_t), {.color = theme.muted});
        return;
    }
    const double plain = plain_ms(d.input);
    const float brings = r.x + r.w * 0.62F;
    canvas.text({r.x, r.y + 40}, mtp_says("worth.depth"_t), Font::text, 14, theme.muted);
    canvas.text({brings, r.y + 40}, mtp_says("worth.brings"_t), Font::text, 14, theme.muted, Align::right);
    canvas.text({r.right(), r.y + 40}, mtp_says("worth.costs"_t), Font::text, 14, theme.muted, Align::right);
    float y = r.y + 64;
    for (std::size_t i = 0; i < kept.judged.size(); ++i) {
        const double ms = i == 0 ? m.slot(0).ms : m.further_guess_ms(), brought = static_cast<double>(kept.kept[i]) / kept.judged[0];
        const std::optional<double> costs = plain > 0 ? if_measured(ms / plain) : std::nullopt;
        const Message row = mtp_says("worth.row"_t, "depth"_v = i + 1, "brings"_v = brought, "costs"_v = costs, "kept"_v = kept.kept[i],
                                     "rounds"_v = kept.judged[0]);
        if (y >= r.bottom() - 60) {
            canvas.tell(row, r);
            continue;
        }
        canvas.print({r.x, y}, std::to_string(i + 1), Font::mono, 14, theme.ink);
        canvas.print({brings, y}, ui::probability(brought), Font::mono, 14, theme.ink, Align::right);
        canvas.print({r.right(), y}, costs ? ui::probability(*costs) : "–", Font::mono, 14, theme.ink, Align::right);
        ui::thing(d.ui, {r.x, y - 17, r.w, 24}, row);
        y += 24;
    }
    ui::ParagraphStyle words{.size = 14, .color = theme.muted};
    words.max_lines = std::max(1, static_cast<int>((r.bottom() - y - 8) / 20) + 1);
    ui::paragraph(canvas, {r.x, y + 8}, r.w, plain > 0 ? mtp_says("worth.note:timed"_t) : mtp_says("worth.note:untimed"_t), words);
}

} // namespace

void draw_mtp_details(const MtpDraw& d) {
    const Rect r = d.input.details;
    const float x = r.x + 24, w = r.w - 48;
    if (d.model.verdicts && d.input.beat == kMtpDepthBeat) // the chart stands in the picture
        return draw_mtp_worth(d, {x, r.y + 20, w, r.h - 28});
    if (d.model.verdicts) return draw_kept_details(d.ui, r, mtp_says("kept.title:run"_t), d.model.kept.series);
    ui::fitted_text(d.ui.canvas, {x, r.y + 32}, mtp_says("kept.what"_t), Font::text_bold, 15, d.ui.theme.ink, w);
    ui::paragraph(d.ui.canvas, {x, r.y + 64}, w, mtp_says("words.guess_first"_t), {.color = d.ui.theme.muted});
}

void draw_mtp_controls(const MtpDraw& d) {
    ControlRow row(d.input.controls);
    guess_stepper(d.ui, d.model, mtp_says("controls.depth"_t), row, d.out);
    guesses_slider(d.input, d.ui, d.model, 8, row, d.out);
    measure_button(d.input, d.ui, {"measured", mtp_says("controls.measured"_t), "M"}, mtp_study(*d.model.run), row, d.out);
}

} // namespace speclens
