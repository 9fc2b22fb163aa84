// The picture of MTP: pairs, one layer, and the same layer again on what it wrote.
#include "scenes/mtp/mtp_draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/plain_time.h"
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

// Rows of words and air between the rows, so that the picture and `below` px under it fill the stage.
struct StepRoom {
    int rows; // likeliest tokens of a guess
    float air;
    StepRoom(ui::Rect stage, float top, float below) {
        constexpr float kLeast = 24 + 22 + 36 + 34 + 24 + 6 + 36 + 28; // a step without its tokens
        const float room = stage.bottom() - top - below - kLeast;
        rows = std::clamp(static_cast<int>(room / kRow), 1, 4);
        if (stage.h < 600) rows = 1;
        air = std::clamp((room - kRow * static_cast<float>(rows)) / 6, 0.0F, 16.0F);
    }
    static constexpr float kRow = 23;
};

} // namespace

float draw_mtp_steps(const MtpDraw& d, float top, float below) {
    const MtpModel& m = d.frame.model;
    const SceneInput& input = d.input();
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
        canvas.text({at, top + 14}, "depth " + std::to_string(i + 1), selected ? Font::text_bold : Font::text, 14,
                    selected ? theme.ink : theme.muted);
        if (slot.ms > 0) canvas.text({at + cw, top + 14}, ui::number(slot.ms, 2) + " ms", Font::mono, 14, theme.muted, Align::right);
        draw_strip(d.ui, {at, state, cw, 14}, internals.strip("state"), states, i == 0 ? "state of the target" : "its own output");
        if (const int read = i == 0 ? m.anchor : m.slot(i - 1).draft->token; read >= 0)
            ui::chip(canvas, theme, {at, token, cw, 28}, label_of(*input.trace, read), {.role = Role::draft, .neutral = i == 0});
        const Rect box{at, layer, cw, 26};
        canvas.fill(box, theme.panel, 4);
        canvas.outline(box, {theme.role(Role::draft), 1.5F}, 4);
        canvas.text({box.center().x, box.y + 18}, i == 0 ? "join, 1 layer" : "the same layer", Font::text, 14, theme.ink, Align::center);
        ui::arrow(canvas, {box.center().x, layer + 27}, {box.center().x, output - 1}, {theme.muted, 1.5F}, 5);
        draw_strip(d.ui, {at, output, cw, 14}, internals.strip("output"), outputs, "output, after its norm");
        draw_shares(input, d.ui, {at, distributions}, cw, at_one(*slot.draft), rows);
        const Rect verdict{at, verdicts, cw, 28};
        draw_guess(input, d.ui, slot, {at, drafts, cw, 30}, d.frame.verdicts() ? verdict : Rect{}, selected);
        if (!d.frame.verdicts()) ui::slot(canvas, theme, verdict, "?");
        goes_on(d.ui, g, i, output + 7, state + 7); // the output is the next state
    }
    columns_shown(d.ui, g, top + 14, m.guesses());
    row_name(d.ui, g, state + 12, "State");
    row_name(d.ui, g, token + 19, "Token");
    row_name(d.ui, g, layer + 18, "Head");
    row_name(d.ui, g, output + 12, "Output");
    row_name(d.ui, g, distributions + 13, shared_says("guess.next"_t));
    row_name(d.ui, g, drafts + 20, shared_says("guess.draft"_t));
    row_name(d.ui, g, verdicts + 19, shared_says("guess.verified"_t));
    return verdicts + 28;
}

// Boxes from left to right: two norms, the matrix that joins the pair, the layer, the norm, the target's output matrix.
void draw_mtp_row(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 12}, "What becomes of one pair", Font::text_bold, 14, theme.ink, r.w);
    const bool again = d.input().beat == kMtpAgainBeat;
    constexpr int kBoxes = 5;
    constexpr float kGap = 22, kLeast = 34, kMost = 52;
    const float w = (r.w - kGap * (kBoxes - 1)) / kBoxes, foot = again ? 20 : 12;
    const float tall = std::clamp((r.h - 28 - 8 - foot) / 2, kLeast, kMost);
    const float up = r.y + 28, low = up + tall + 8, middle = (up + low + tall) / 2;
    if (low + tall + foot > r.bottom()) return;
    const auto x = [&](int i) { return r.x + (w + kGap) * static_cast<float>(i); };
    const auto box = [&](Rect at, const std::string& name, const std::string& detail, Role role) {
        canvas.fill(at, theme.panel, 4);
        canvas.outline(at, {theme.role(role), 1.5F}, 4);
        const bool two = at.h > tall && !detail.empty();
        ui::fitted_text(canvas, {at.center().x, at.center().y + (two ? -4.0F : 5.0F)}, name, Font::text, 14, theme.ink, at.w - 8,
                        Align::center);
        if (two) ui::fitted_text(canvas, {at.center().x, at.center().y + 15}, detail, Font::text, 14, theme.muted, at.w - 8, Align::center);
    };
    const auto link = [&](Vec2 from, Vec2 to) { ui::arrow(canvas, from, to, {theme.muted, 1.5F}, 5); };
    const float high = low + tall - up;
    box({x(0), up, w, tall}, again ? "norm of its own output" : "norm of the state", "", again ? Role::draft : Role::target);
    box({x(0), low, w, tall}, "norm of the embedding", "", Role::draft);
    box({x(1), up, w, high}, "joining matrix", "2 × width to 1", Role::draft);
    box({x(2), up, w, high}, "one decoder layer", "with a cache of its own", Role::draft);
    box({x(3), up, w, high}, "norm", "its output", Role::draft);
    box({x(4), up, w, high}, "the target's LM head", "the token after", Role::target);
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
    const MtpModel& m = d.frame.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 12}, "This round: one pass of the layer for every guess", Font::text_bold, 14, theme.ink, r.w);
    const double all = m.draft_ms + m.verify_ms;
    float y = r.y + 24;
    if (all <= 0) {
        canvas.text({r.x, y + 16}, "this run recorded no times", Font::text, 14, theme.muted);
    } else {
        const ui::Scale scale{0, all, r.x, r.right()};
        std::vector<ui::Segment> parts;
        double at = 0;
        for (int i = 0; i < m.guesses(); ++i) {
            parts.push_back({at, m.slot(i).ms, Role::draft, std::to_string(i + 1), "", 1, false, true});
            at += m.slot(i).ms;
        }
        parts.push_back({m.draft_ms, m.verify_ms, Role::target, "verify", ui::number(m.verify_ms, 2)});
        ui::gantt_lane(canvas, theme, scale, y, 26, parts, 1.5F, d.ui.input.mouse);
    }
    y += 44;
    if (r.bottom() - y < 92) return;
    ui::fitted_text(canvas, {r.x, y + 12}, "Draft time of a round in ms, by guesses K", Font::text_bold, 14, theme.ink, r.w);
    const Rect plot{r.x, y + 20, r.w, r.bottom() - y - 20};
    const TimeSeries& times = d.frame.measured.times;
    if (times.points.size() < 2)
        ui::slot(canvas, theme, {plot.x, plot.y + 4, plot.w, plot.h - 10},
                 unmeasured_words(d.frame.run, study_named(d.frame.run, kMtpStudy), "press M: one to three guesses are timed here"));
    else
        draw_times(d.ui, plot, std::span(&times, 1));
}

void draw_mtp_kept(const MtpDraw& d, Rect r) {
    const MtpKept kept = mtp_kept(d.input(), d.frame.model, d.frame.measured);
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 12}, kept.of_run ? "Acceptance by depth, this run" : "Acceptance by depth, as measured here",
                    Font::text_bold, 14, d.ui.theme.ink, r.w);
    if (kept.series.judged.empty())
        return ui::slot(d.ui.canvas, d.ui.theme, {r.x, r.y + 24, r.w, std::max(20.0F, r.h - 34)}, "nothing was judged yet");
    draw_acceptance(d.ui, {r.x, r.y + 20, r.w, r.h - 36}, std::span(&kept.series, 1));
}

// The text as pairs, each a state and the token after it: those of the prompt, those that were written, and the draft's.
void draw_mtp_pairs(const MtpDraw& d, Rect r) {
    const MtpModel& m = d.frame.model;
    const SceneInput& input = d.input();
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 12}, "Its cache: every place of the text is a pair", Font::text_bold, 14, theme.ink, r.w);
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
            ui::fitted_text(canvas, {r.x, at.y + 18}, "state of", Font::text, 14, theme.muted, kNames - 8);
            ui::fitted_text(canvas, {r.x, at.y + kHigh + 21}, "token", Font::text, 14, theme.muted, kNames - 8);
        }
        const Rect above{at.x, at.y, kPair, kHigh}, below{at.x, at.y + kHigh + 3, kPair, kHigh};
        const Role role = guessed ? Role::draft : Role::target;
        canvas.fill(above, theme.tint(role), 4);
        canvas.outline(above, {theme.role(role), 1, guessed ? 3.0F : 0.0F, guessed ? 2.0F : 0.0F}, 4);
        if (guessed)
            ui::fitted_text(canvas, {above.center().x, above.y + 18}, "output " + std::to_string(of), Font::text, 14, theme.ink, kPair - 8,
                            Align::center);
        else
            ui::token_text(canvas, {above.center().x, above.y + 18}, ui::fit_token(canvas, label_of(*input.trace, of), 14, kPair - 12), 14,
                           theme.ink, Align::center);
        ui::chip(canvas, theme, below, label_of(*input.trace, token), {.role = Role::draft, .neutral = !guessed, .glyph = false});
        ++shown;
    };
    const std::size_t first = text.size() - 1 - static_cast<std::size_t>(known);
    for (std::size_t i = first; i + 1 < text.size(); ++i) pair(text[i], text[i + 1], false);
    for (int i = 0; i < own && shown < places; ++i) pair(i + 1, m.slot(i).draft->token, true);
    const std::string before = std::to_string(text.size() - 1) + " pairs before this round";
    ui::paragraph(canvas, {r.x, place(shown - 1).y + 2 * kHigh + 26}, r.w,
                  before + (first > 0 ? ", the last ones shown. " : ". ") +
                      "Dashed: rows of the draft, dropped when the target has spoken.",
                  {.size = 14, .color = theme.muted, .max_lines = 2});
}

void draw_mtp_states(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 12}, "Two places where the state can be taken", Font::text_bold, 14, theme.ink, r.w);
    constexpr float kGap = 28, kHigh = 34;
    const float w = (r.w - 2 * kGap) / 3, y = r.y + 30;
    if (y + kHigh + 52 > r.bottom() + 8) return;
    const std::array<const char*, 3> names = {"last layer", "final norm", "LM head"};
    for (int i = 0; i < 3; ++i) {
        const Rect box{r.x + (w + kGap) * static_cast<float>(i), y, w, kHigh};
        canvas.fill(box, theme.panel, 4);
        canvas.outline(box, {theme.role(Role::target), 1.5F}, 4);
        ui::fitted_text(canvas, {box.center().x, box.y + 22}, names[static_cast<std::size_t>(i)], Font::text, 14, theme.ink, w - 8,
                        Align::center);
        if (i == 2) break;
        const float from = box.right() + 1, middle = y + kHigh / 2, tap = box.right() + kGap / 2;
        ui::arrow(canvas, {from, middle}, {from + kGap - 2, middle}, {theme.muted, 1.5F}, 5);
        ui::arrow(canvas, {tap, middle}, {tap, y + kHigh + 22}, {theme.role(Role::draft), 1.5F}, 6);
        ui::fitted_text(canvas, {tap, y + kHigh + 40}, i == 0 ? "before: --mtp-raw" : "after: the default", Font::text, 14, theme.ink,
                        w + kGap, Align::center);
    }
}

void draw_mtp_variants(const MtpDraw& d, Rect r, bool states) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 12},
                    states ? "First guesses that stay, by the state it reads" : "Tokens per round, by the pairs it sees", Font::text_bold,
                    14, theme.ink, r.w);
    struct Bar {
        MtpVariant variant;
        const char* name;
    };
    const std::vector<Bar> bars = states ? std::vector<Bar>{{MtpVariant::all_pairs, "after the norm"}, {MtpVariant::raw_state, "before it"}}
                                         : std::vector<Bar>{{MtpVariant::all_pairs, "all pairs"},
                                                            {MtpVariant::no_prompt, "the answer's"},
                                                            {MtpVariant::some_pairs, "the last 16"},
                                                            {MtpVariant::own_pair, "its own alone"}};
    const auto value = [&](const Bar& bar) -> double {
        const StudyPoint* point = d.frame.measured.of(bar.variant);
        if (!states) return point ? point->tokens_per_round() : 0;
        return kept_share(point, 0).value_or(0);
    };
    double high = states ? 1 : 1e-9;
    for (const Bar& bar : bars) high = std::max(high, value(bar));
    if (std::ranges::all_of(bars, [&](const Bar& bar) { return !d.frame.measured.of(bar.variant); }))
        return ui::slot(canvas, theme, {r.x, r.y + 24, r.w, std::max(20.0F, r.h - 34)},
                        unmeasured_words(d.frame.run, study_named(d.frame.run, kMtpStudy), "press M: it is measured here"));
    const float names = 112, pitch = std::clamp((r.h - 28) / static_cast<float>(bars.size()), 24.0F, 40.0F);
    float y = r.y + 28;
    for (const Bar& bar : bars) {
        const Rect track{r.x + names, y, r.w - names - 64, 16};
        ui::fitted_text(canvas, {r.x, y + 13}, bar.name, Font::text, 14, theme.ink, names - 8);
        if (const StudyPoint* point = d.frame.measured.of(bar.variant)) {
            ui::bar(canvas, theme, track, value(bar) / high, Role::accepted);
            canvas.text({r.right(), y + 13}, states ? ui::probability(value(bar)) : ui::number(value(bar), 2), Font::mono, 14, theme.ink,
                        Align::right);
            ui::tooltip(d.ui, {r.x, y - 4, r.w, 24}, std::to_string(point->tokens) + " tokens in " + counted(point->rounds, "round"));
        } else {
            canvas.text({track.x, y + 13}, "not measured yet", Font::text, 14, theme.muted);
        }
        y += pitch;
    }
}

// What a guess at each place brings and costs, in tokens: its time over that of a plain pass.
void draw_mtp_worth(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const MtpKept kept = mtp_kept(d.input(), d.frame.model, d.frame.measured);
    ui::fitted_text(canvas, {r.x, r.y + 12}, "What a guess brings and costs, in tokens", Font::text_bold, 15, theme.ink, r.w);
    if (kept.series.judged.empty()) {
        ui::paragraph(canvas, {r.x, r.y + 44}, r.w, "No guess has been judged yet.", {.color = theme.muted});
        return;
    }
    const double plain = plain_ms(d.input()),
                 further = d.frame.measured.further_ms() > 0 ? d.frame.measured.further_ms() : d.frame.model.further_ms;
    const auto cost = [&](std::size_t i) {
        const double ms = i == 0 && d.frame.model.guesses() > 0 ? d.frame.model.slot(0).ms : further;
        return plain > 0 && ms > 0 ? ms / plain : -1.0;
    };
    const auto brought = [&](std::size_t i) { return static_cast<double>(kept.series.kept[i]) / kept.series.judged[0]; };
    const float brings = r.x + r.w * 0.62F;
    canvas.text({r.x, r.y + 40}, "depth", Font::text, 14, theme.muted);
    canvas.text({brings, r.y + 40}, "brings", Font::text, 14, theme.muted, Align::right);
    canvas.text({r.right(), r.y + 40}, "costs", Font::text, 14, theme.muted, Align::right);
    float y = r.y + 64;
    for (std::size_t i = 0; i < kept.series.judged.size() && y < r.bottom() - 60; ++i, y += 24) {
        canvas.text({r.x, y}, std::to_string(i + 1), Font::mono, 14, theme.ink);
        canvas.text({brings, y}, ui::probability(brought(i)), Font::mono, 14, theme.ink, Align::right);
        const double costs = cost(i);
        canvas.text({r.right(), y}, costs < 0 ? "–" : ui::probability(costs), Font::mono, 14, theme.ink, Align::right);
        ui::tooltip(d.ui, {r.x, y - 17, r.w, 24},
                    "Stayed in " + std::to_string(kept.series.kept[i]) + " of " + counted(kept.series.judged[0], "round"));
    }
    ui::ParagraphStyle words{.size = 14, .color = theme.muted};
    words.max_lines = std::max(1, static_cast<int>((r.bottom() - y - 8) / 20) + 1);
    ui::paragraph(canvas, {r.x, y + 8}, r.w, plain > 0 ? mtp_says("words.worth"_t) : mtp_says("words.worth_untimed"_t), words);
}

void draw_mtp_details(const MtpDraw& d) {
    const Rect r = d.input().details;
    if (r.w <= 0) return;
    const float x = r.x + 24, w = r.w - 48;
    const bool told = d.frame.verdicts();
    if (!told) {
        ui::fitted_text(d.ui.canvas, {x, r.y + 32}, "Acceptance by depth", Font::text_bold, 15, d.ui.theme.ink, w);
        ui::paragraph(d.ui.canvas, {x, r.y + 64}, w, mtp_says("words.guess_first"_t), {.color = d.ui.theme.muted});
        return;
    }
    if (d.input().beat == kMtpDepthBeat) return draw_mtp_worth(d, {x, r.y + 20, w, r.h - 28}); // the chart stands in the picture
    const AcceptanceSeries all = acceptance_of(*d.input().whole, shared_says("charts.this_run"_t));
    ui::fitted_text(d.ui.canvas, {x, r.y + 32}, "Acceptance by depth, this run", Font::text_bold, 15, d.ui.theme.ink, w);
    if (all.judged.empty()) {
        ui::paragraph(d.ui.canvas, {x, r.y + 64}, w, "No guess has been judged yet.", {.color = d.ui.theme.muted});
        return;
    }
    if (r.h > 150) draw_acceptance(d.ui, {x, r.y + 48, w, r.h - 92}, std::span(&all, 1));
    ui::fitted_text(d.ui.canvas, {x, r.bottom() - 20}, "share that stays when all before it stayed; " + counted(all.judged[0], "round"),
                    Font::text, 14, d.ui.theme.muted, w);
}

void draw_mtp_controls(const MtpDraw& d) {
    const Rect r = d.input().controls;
    if (r.w <= 0) return;
    ControlRow row(r);
    guess_stepper(d.ui, d.frame.model, "Depth", row, d.out);
    const Rect at = row.place(220);
    const RunSettings* settings = d.input().settings;
    const int k = settings ? settings->k : d.frame.model.guesses();
    ui::field_label(d.ui, at, "Guesses K: " + std::to_string(k));
    if (const auto to = ui::slider(d.ui, "gamma", {at.x, at.y + 8, at.w, 20}, k, 1, 8, {.step = 1, .disabled = no_models(d.input())});
        to && settings)
        if (const int wanted = std::clamp(static_cast<int>(*to + 0.5), 1, 8); wanted != k)
            d.out.push_back(Command{Restart{with_draft_length(*settings, wanted)}});
    measure_button(d.input(), d.ui, {"measured", "Depths, cache, states", "M"}, mtp_study(d.frame.run), row, d.out);
}

} // namespace speclens
