// The block of DFlash: masks in, one pass, a distribution for every row, guesses, verdicts.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/dflash/dflash_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/run_controls.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

// Beside a token of a distribution: its probability, the mark of the guess.
constexpr float kChances = 40, kDrafted = 14;

// Of a column whose guess stands there whole.
float room_wanted(const DFlashDraw& d, const DraftSlot& slot) {
    const std::string guess = label_of(*d.input.trace, slot.draft->token);
    return std::max(ui::chip_width(d.ui.canvas, guess, 30), std::ceil(ui::token_text_width(d.ui.canvas, guess, 15)) + kDrafted + kChances);
}

// `whole`: length of a bar of probability 1.
void distribution(const DFlashDraw& d, const DraftSlot& slot, Vec2 at, float width, float whole, int rows) {
    const TopEntries& top = at_one(*slot.draft);
    if (top.entries.empty()) return draw_shares(d.input, d.ui, at, width, top, rows);
    for (const int id : dflash_tokens(slot, rows)) {
        const bool drafted = id == slot.draft->token;
        if (drafted) ui::icon(d.ui.canvas, ui::Icon::diamond, {at.x + 5, at.y + 8}, 10, d.ui.theme.role(Role::draft));
        draw_token_share(
            d.input, d.ui, at, width, id, listed(top, id),
            {.ink = drafted ? d.ui.theme.ink : d.ui.theme.muted, .whole = whole, .left = drafted ? kDrafted : 0, .right = kChances});
        at.y += 23;
    }
}

Message position_words(const DFlashDraw& d, int i) {
    const DraftSlot& slot = d.model.slot(i);
    return dflash_says("block.position"_t, "position"_v = i + 1, "selected"_v = i == d.model.selected,
                       "guess"_v = guessed_words(d.input, slot, shares_said(d.input, at_one(*slot.draft), dflash_tokens(slot, 2))));
}

// The title of a card, the first of several ways that has room.
void head(const DFlashDraw& d, Rect r, const std::vector<Message>& ways) {
    const Message words = ui::fitting(d.ui.canvas, ways, Font::text_bold, 14, r.w);
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 12}, words, Font::text_bold, 14, d.ui.theme.ink, r.w);
}

} // namespace

std::vector<int> dflash_tokens(const DraftSlot& slot, int rows) {
    std::vector<int> ids;
    for (const TopEntries::Entry& entry : at_one(*slot.draft).entries)
        if (static_cast<int>(ids.size()) < rows) ids.push_back(entry.id);
    if (!ids.empty() && std::ranges::find(ids, slot.draft->token) == ids.end()) ids.back() = slot.draft->token;
    return ids;
}

float dflash_distributions_top(float y) { return y + 24 + 38 + 34; }

float draw_dflash_block(const DFlashDraw& d, float top) {
    const DFlashModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const bool tall = d.input.stage.h >= 600;
    const int rows = d.input.presenter ? 3 : tall || d.input.stage.h >= 480 ? 2 : 1;
    const GuessColumns g = guess_columns(d.input.stage, m, {.least = 104, .most = 260, .gap = 8, .of_some = 118},
                                         [&](int i) { return room_wanted(d, m.slot(i)); });
    const float block = top + 24, pass = block + 38, distributions = pass + 40, drafts = distributions + 23 * static_cast<float>(rows) + 6,
                verdicts = drafts + 36;
    const float narrowest = *std::ranges::min_element(g.widths);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const float w = g.width(i);
        const Rect band{g.x(i) - 6, top - 2, w + 12, verdicts + 34 - top};
        const bool selected = guess_band(d.ui, m, i, band, d.out);
        canvas.tell(position_words(d, i), band);
        canvas.print({g.x(i) + w / 2, top + 14}, std::to_string(i + 1), Font::mono, 14, selected ? theme.ink : theme.muted, Align::center);
        ui::mask_chip(canvas, theme, {g.x(i), block, w, 28}, w >= 76 ? dflash_says("block.mask"_t).words() : "");
        distribution(d, m.slot(i), {g.x(i), distributions}, w, narrowest, rows);
        plot_shares(d.input, d.ui, {g.left(), distributions + 14, g.right() - g.left(), 23 * static_cast<float>(rows)},
                    shared_says("guess.at"_t, "at"_v = i + 1, "of"_v = m.guesses()), at_one(*m.slot(i).draft));
        draw_guess(d.input, d.ui, m.slot(i), {g.x(i), drafts, w, 30}, {g.x(i), verdicts, w, 28}, selected);
    }
    for (int i = 0; i < m.guesses(); ++i) // those that have no column, too
        if (!g.has(i)) canvas.tell(position_words(d, i), d.input.stage);
    columns_shown(d.ui, g, top + 14, m.guesses());
    row_name(d.ui, g, block + 19, dflash_says("block.name"_t));
    if (m.anchor >= 0)
        ui::chip(canvas, theme, {g.gutter + 46, block, 62, 28}, label_of(*d.input.trace, m.anchor), {.neutral = true, .glyph = false});
    const Rect bar{g.x(g.first), pass, g.right() - g.x(g.first), 28};
    if (m.conditioned)
        draw_taps(d.ui, {g.gutter, pass - 1, 76, 30}, m);
    else
        canvas.text({g.gutter, pass + 19}, dflash_says("block.no_states"_t), Font::text, 14, theme.muted);
    if (m.conditioned && !m.taps.empty())
        ui::arrow(canvas, {g.gutter + 80, bar.center().y}, {bar.x - 3, bar.center().y}, {theme.role(Role::target), 1.5F}, 6);
    part_box(d.ui, bar, Role::draft);
    canvas.tell(
        dflash_says("block.told"_t, "anchor"_v = word(d.input, m.anchor), "masks"_v = m.slots - 1, "took"_v = if_measured(m.draft_ms)),
        bar);
    const std::string ms = m.draft_ms > 0 ? ui::number(m.draft_ms, 2) + " ms" : "";
    canvas.print({bar.right() - 12, bar.y + 19}, ms, Font::mono, 14, theme.ink, Align::right);
    const Message one_pass = dflash_says("block.pass"_t);
    canvas.text({bar.x + 12, bar.y + 19}, one_pass, Font::text_bold, 15, theme.ink);
    const float words = bar.x + 22 + canvas.text_width(one_pass, Font::text_bold, 15);
    const float room = bar.right() - 24 - canvas.printed_width(ms, Font::mono, 14) - words;
    const auto masks = "masks"_v = m.guesses();
    for (const Message& fills : {dflash_says("block.fills:whole"_t, masks), dflash_says("block.fills:short"_t, masks)}) {
        const float w = canvas.text_width(fills, Font::text, 14), behind = bar.right() + 12;
        const bool inside = w <= room;
        if (!inside && behind + w > d.input.stage.right() - 24) continue;
        canvas.text({inside ? words : behind, bar.y + 19}, fills, Font::text, 14, theme.muted);
        break;
    }
    row_name(d.ui, g, distributions + 13, shared_says("guess.next"_t), rows > 1 ? dflash_says("block.parallel"_t) : Message());
    row_name(d.ui, g, drafts + 20, shared_says("guess.draft"_t));
    row_name(d.ui, g, verdicts + 19, shared_says("guess.verified"_t));
    return verdicts + 28;
}

namespace {

struct Matrix {
    Message title;
    int slots = 0;       // rows, and columns of the block
    double share = 1;    // of the text that is seen, the newest part
    bool causal = false; // the target's check: only what stands before
    int row = 0;         // chosen
};

// Who (row) sees whom (column). Returns the y below it.
float draw_matrix(const DFlashDraw& d, Rect r, const Matrix& m) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.text({r.x, r.y + 12}, m.title, Font::text_bold, 14, theme.ink);
    const float slots = static_cast<float>(m.slots), top = r.y + 40;
    const float size = std::min({(r.h - 44) / slots, (r.w - 30) / (slots + 3.4F), 22.0F});
    if (size < 3) return top;
    const float context = std::max(size * 3, 42.0F), x = r.x + 22, block = x + context + 6;
    canvas.text({x, top - 8}, m.causal ? dflash_says("sight.of_text"_t) : dflash_says("sight.of_states"_t), Font::text, 14, theme.muted);
    canvas.text({block, top - 8}, dflash_says("sight.of_block"_t), Font::text, 14, theme.muted);
    for (int i = 0; i < m.slots; ++i) {
        const float y = top + size * static_cast<float>(i), h = size - 1.5F;
        const Rect line{x, y, block + size * slots - x, size};
        const ui::Touch touched = ui::touch(d.ui, d.ui.id(m.title + std::to_string(i)), line, {.focusable = false, .grow = false});
        if (touched.clicked && i > 0) d.out.push_back(Select{Position{d.model.round->round, i - 1}});
        const bool chosen = i == m.row;
        const float strength = chosen ? 1.0F : touched.hovered ? 0.7F : 0.4F;
        const ui::Color hue = theme.role(m.causal ? Role::target : Role::draft).alpha(strength);
        if (chosen) canvas.print({r.x, y + size / 2 + 5}, i == 0 ? "a" : std::to_string(i), Font::mono, 14, theme.ink);
        const float seen = context * static_cast<float>(m.share);
        if (m.share < 1) canvas.outline({x, y, context, h}, theme.hairline(), 1);
        if (seen > 0) canvas.fill({x + context - seen, y, seen, h}, hue, 1);
        for (int j = 0; j < m.slots; ++j) {
            const Rect cell{block + size * static_cast<float>(j), y, h, h};
            if (m.causal && j > i)
                canvas.outline(cell, theme.hairline(), 1);
            else
                canvas.fill(cell, hue, 1);
        }
    }
    return top + size * slots;
}

} // namespace

Message all_slots(const DFlashModel& m) { return dflash_says("words.slots"_t, "slots"_v = m.slots, "two"_v = m.slots == 2); }

Message dflash_mask_words(const DFlashModel& m) {
    return dflash_says("sight.mask"_t, "mask"_v = m.selected + 1, "places"_v = m.seen > 0 ? m.seen : 0, "slots"_v = all_slots(m),
                       "before"_v = m.selected);
}

void draw_dflash_masks(const DFlashDraw& d, Rect r) {
    const DFlashModel& m = d.model;
    const int row = m.selected + 1, shown = std::min(m.slots, 16);
    const float half = r.w / 2 - 8, room = r.h - 52;
    const double share = m.text > 0 ? static_cast<double>(m.seen) / m.text : m.conditioned ? 1 : 0;
    draw_matrix(d, {r.x, r.y, half, room}, {dflash_says("sight.block"_t), shown, share, false, row});
    const float end = draw_matrix(d, {r.x + half + 16, r.y, half, room}, {dflash_says("sight.check"_t), shown, 1, true, row});
    ui::ParagraphStyle style{.size = 14, .color = d.ui.theme.muted};
    style.max_lines = std::max(1, static_cast<int>((r.bottom() - end - 8) / 20));
    ui::paragraph(d.ui.canvas, {r.x, end + 22}, r.w, dflash_mask_words(m), style);
}

void draw_dflash_times(const DFlashDraw& d, Rect r) {
    const std::vector<TimeSeries> series = time_series(d.input, "dflash");
    const Study* study = study_named(d.input, kTimeStudy);
    const TimeSeries *flat = block_times(series), *steep = chain_times(series);
    const bool compared = study && study->complete() && flat && steep;
    head(d, r,
         {compared ? dflash_says("draft_times.slopes"_t, "steep"_v = slope_of(*steep), "flat"_v = slope_of(*flat))
                   : dflash_says("draft_times.title"_t)});
    const Rect plot{r.x, r.y + 22, r.w, r.h - 24 - 24};
    if (series.empty())
        return ui::slot(d.ui.canvas, d.ui.theme, {plot.x, plot.y + 4, plot.w, plot.h - 8},
                        unmeasured_words(d.input, study, dflash_says("draft_times.how"_t)));
    draw_times(d.ui, plot, series);
    ui::fitted_text(d.ui.canvas, {r.x, r.bottom() - 6}, study->complete() ? dflash_says("draft_times.note"_t) : progress_words(*study),
                    Font::text, 14, d.ui.theme.muted, r.w);
}

namespace {

struct PairToken {
    std::string label;
    Message token;
    double p = 0;
};
using PairSide = std::array<PairToken, 2>; // one place: two tokens and what the distribution gives them

// Every pair of a token of `left` and one of `right` with its probability, which is a product: neither place knows
// the other. `wrong(i, j)`: the pair is struck; `drawn(i, j)`: it has a frame.
template <class Wrong, class Drawn>
void pair_grid(const DFlashDraw& d, Rect r, const PairSide& left, const PairSide& right, const Wrong& wrong, const Drawn& drawn) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const float head = std::min(150.0F, r.w * 0.32F), cell = (r.w - head) / 2;
    const float row = std::min(48.0F, (r.h - 28) / 2);
    const auto side = [&](Vec2 at, float w, const PairToken& of) {
        const std::string number = ui::probability(of.p);
        const float beside = w - c.printed_width(number, Font::mono, 14) - 10;
        const bool both = ui::token_text_width(c, of.label, 15) <= beside; // else the token is told, the products have the rest
        ui::token_text(c, at, ui::fit_token(c, of.label, 15, both ? beside : w - 6), 15, t.ink);
        if (both) c.print({at.x + w - 6, at.y}, number, Font::mono, 14, t.muted, Align::right);
    };
    for (std::size_t j = 0; j < 2; ++j) side({r.x + head + cell * static_cast<float>(j) + 8, r.y + 15}, cell - 8, right[j]);
    for (std::size_t i = 0; i < 2; ++i) {
        const float y = r.y + 24 + row * static_cast<float>(i);
        side({r.x, y + row / 2 + 5}, head, left[i]);
        for (std::size_t j = 0; j < 2; ++j) {
            const double both = left[i].p * right[j].p;
            const Rect box{r.x + head + cell * static_cast<float>(j) + 2, y + 2, cell - 4, row - 4};
            const bool struck = wrong(i, j), framed = drawn(i, j);
            const ui::Color hue = t.role(struck ? Role::rejected : Role::draft);
            c.fill(box, hue.alpha(0.12F + 0.4F * static_cast<float>(both)), 4);
            if (struck) c.hatch(box, hue.alpha(0.4F));
            if (framed) c.outline(box, {t.ink, 2}, 4);
            if (struck) ui::icon(c, ui::Icon::cross, {box.x + 16, box.center().y}, 11, hue);
            c.print({box.center().x, box.center().y + 5}, ui::probability(both), Font::mono, 15, t.ink, Align::center);
            ui::thing(d.ui, box,
                      dflash_says("pairs.pair"_t, "first"_v = left[i].token, "first_p"_v = left[i].p, "second"_v = right[j].token,
                                  "second_p"_v = right[j].p, "p"_v = both, "wrong"_v = struck, "drawn"_v = framed));
        }
    }
}

} // namespace

void draw_dflash_pairs(const DFlashDraw& d, Rect r) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const DFlashModel& m = d.model;
    const int at = std::max(1, m.selected);
    const bool live = at < m.guesses() && at_one(*m.slot(at).draft).entries.size() > 1 && at_one(*m.slot(at - 1).draft).entries.size() > 1;
    const float gap = r.w > 700 ? 36 : 24, half = live ? (r.w - gap) / 2 : std::min(r.w, 560.0F), grid = std::min(124.0F, r.h - 46);
    if (grid < 60) return;
    const Rect example{r.x, r.y, half, r.h}, round{r.x + half + gap, r.y, half, r.h};
    const ui::ParagraphStyle small{.size = 14, .color = t.muted, .max_lines = std::max(2, static_cast<int>((r.h - grid - 28) / 20))};
    const auto note = [&](Rect of, const Message& words) {
        if (r.h > grid + 66) ui::paragraph(c, {of.x, of.y + 26 + grid + 22}, half, words, small);
    };
    head(d, example, {dflash_says("pairs.example"_t), dflash_says("pairs.example_short"_t)});
    const auto city = [](const char* word) { return PairToken{word, dflash_says("pairs.word"_t, "word"_v = word), 0.5}; };
    const PairSide first{city("New"), city("Los")}, second{city(" York"), city(" Angeles")};
    pair_grid(
        d, {r.x, r.y + 26, half, grid}, first, second, [](std::size_t i, std::size_t j) { return i != j; },
        [](std::size_t, std::size_t) { return false; });
    note(example, dflash_says("pairs.no_city"_t, "p"_v = first[0].p * second[1].p + first[1].p * second[0].p));
    if (!live) return;
    const auto top_two = [&](const DraftSlot& slot) {
        const std::vector<int> ids = dflash_tokens(slot, 2);
        const auto token = [&](int id) {
            return PairToken{label_of(*d.input.trace, id), word(d.input, id), listed(at_one(*slot.draft), id).value_or(0)};
        };
        return PairSide{token(ids[0]), token(ids[1])};
    };
    const std::vector<int> before = dflash_tokens(m.slot(at - 1), 2), after = dflash_tokens(m.slot(at), 2);
    const auto left = "left"_v = at;
    const auto right = "right"_v = at + 1;
    head(d, round, {dflash_says("pairs.round"_t, left, right), dflash_says("pairs.round_short"_t, left, right)});
    pair_grid(
        d, {round.x, r.y + 26, half, grid}, top_two(m.slot(at - 1)), top_two(m.slot(at)), [](std::size_t, std::size_t) { return false; },
        [&](std::size_t i, std::size_t j) { return before[i] == m.slot(at - 1).draft->token && after[j] == m.slot(at).draft->token; });
    const Message framed = m.slot(at).state == DraftSlot::State::rejected   ? dflash_says("twice.pairs:refused"_t)
                           : m.slot(at).state == DraftSlot::State::accepted ? dflash_says("twice.pairs:kept"_t)
                                                                            : dflash_says("twice.pairs:unjudged"_t);
    note(round, d.input.presenter ? framed : dflash_says("twice.product"_t, "framed"_v = framed));
}

namespace {

// What was measured with and without states, else this run.
std::vector<AcceptanceSeries> acceptance_shown(const DFlashDraw& d) {
    std::vector<AcceptanceSeries> series = conditioning_series(d.input);
    if (series.empty()) series.push_back(acceptance_of(*d.input.whole, shared_says("charts.this_run"_t)));
    return series;
}

// Of either line of a measured chart; none: nothing was measured so.
std::optional<double> tokens_of(const DFlashDraw& d, const AcceptanceSeries& series) {
    const Study* study = conditioning_series(d.input).empty() ? nullptr : study_of(d.input, conditioning_study(d.input));
    if (!study) return {};
    for (const StudyPoint& point : study->points)
        if (point.settings.options.conditioning != series.hollow) return point.tokens_per_round();
    return {};
}

void tell_tokens(const DFlashDraw& d, Rect r, const AcceptanceSeries& series, ui::Canvas::Told how) {
    if (const std::optional<double> tokens = tokens_of(d, series))
        d.ui.canvas.tell(dflash_says("acceptance.told"_t, "series"_v = series.name, "tokens"_v = *tokens), r, how);
}

} // namespace

void draw_dflash_details(const DFlashDraw& d, bool seen) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    const float x = r.x + 24, w = r.w - 48;
    int rounds = 0;
    for (const AcceptanceSeries& s : acceptance_shown(d))
        if (!s.judged.empty()) rounds = std::max(rounds, s.judged[0]);
    const Message note = !conditioning_series(d.input).empty()
                             ? dflash_says("acceptance.sample"_t,
                                           "sample"_v = sample_words(*study_of(d.input, conditioning_study(d.input))), "rounds"_v = rounds)
                             : dflash_says("acceptance.rounds"_t, "rounds"_v = rounds);
    if (!seen) {
        d.ui.canvas.tell(note, r);
        for (const AcceptanceSeries& s : acceptance_shown(d)) {
            tell_tokens(d, r, s, ui::Canvas::Told::of_a_thing);
            tell_acceptance(d.ui, r, s);
        }
        return;
    }
    const float below = r.h > 330 ? rounds_height(*d.input.whole, d.input.figures) : 0, foot = r.bottom() - below;
    if (below > 0) draw_rounds_beside(d.ui, {x, foot - 4, w, below}, *d.input.whole, d.input.figures);
    draw_dflash_acceptance(d, {x, r.y + 32, w, foot - 44 - r.y - 32});
    ui::fitted_text(d.ui.canvas, {x, foot - 20}, note, Font::text, 14, d.ui.theme.muted, w);
}

void draw_dflash_acceptance(const DFlashDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x, right = r.right();
    const std::vector<AcceptanceSeries> series = acceptance_shown(d);
    ui::fitted_text(canvas, {x, r.y},
                    conditioning_series(d.input).empty() ? shared_says("charts.kept_here"_t) : dflash_says("acceptance.title"_t),
                    Font::text_bold, 15, theme.ink, r.w);
    float y = r.y + 26;
    for (const AcceptanceSeries& s : series) {
        const ui::Color ink = s.hollow ? theme.muted : theme.ink;
        if (s.hollow)
            canvas.ring({x + 5, y - 5}, 5, {theme.muted, 1.5F});
        else
            canvas.disc({x + 5, y - 5}, 4, theme.ink);
        canvas.print({x + 18, y}, s.name.words(), Font::text, 14, theme.muted);
        tell_tokens(d, {x, y - 15, r.w, 20}, s, ui::Canvas::Told::drawn);
        if (const std::optional<double> tokens = tokens_of(d, s))
            canvas.print({right, y}, dflash_says("acceptance.tokens"_t, "tokens"_v = *tokens).words(), Font::mono, 14, ink, Align::right);
        y += 22;
    }
    if (r.bottom() - y > 60)
        draw_acceptance(d.ui, {x, y, r.w, r.bottom() - y}, series);
    else
        for (const AcceptanceSeries& s : series) tell_acceptance(d.ui, r, s);
}

void draw_dflash_controls(const DFlashDraw& d) {
    const ui::Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const Message off = no_models(d.input);
    guess_stepper(ui, d.model, dflash_says("controls.position"_t), row, d.out);
    const ui::Rect at = row.place(112);
    ui::field_label(ui, at, dflash_says("controls.k"_t));
    if (d.input.settings)
        if (const auto k = ui::stepper(ui, "k", at, d.input.settings->k, {.low = 1, .high = 15, .disabled = off}))
            d.out.push_back(Command{Restart{with_draft_length(*d.input.settings, static_cast<int>(*k))}});
    const Message states[] = {dflash_says("controls.on"_t), dflash_says("controls.off"_t)};
    if (const auto pick = segmented(ui, row, {"states", dflash_says("controls.states"_t), dflash_says("controls.states_about"_t)}, states,
                                    d.model.conditioned ? 0 : 1, off);
        pick && d.input.settings && (*pick == 0) != d.model.conditioned) {
        RunSettings settings = *d.input.settings;
        settings.options.conditioning = *pick == 0;
        d.out.push_back(Command{Restart{std::move(settings)}});
    }
    measure_button(d.input, ui, {"times", dflash_says("controls.times"_t), "M"}, time_study(d.input), row, d.out);
    measure_button(d.input, ui, {"conditioning", dflash_says("controls.conditioning"_t), "C"}, conditioning_study(d.input), row, d.out);
}

} // namespace speclens
