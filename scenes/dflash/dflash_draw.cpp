// The block of DFlash: masks in, one pass, a distribution for every row, guesses, verdicts.
#include "scenes/dflash/dflash_draw.h"

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

void taps(const DFlashDraw& d, Rect box) {
    if (d.model.taps.empty()) return;
    const float each = (box.h - 4) / static_cast<float>(d.model.taps.size());
    std::string layers;
    for (std::size_t i = 0; i < d.model.taps.size(); ++i) {
        const Internals::Strip& tap = *d.model.taps[i];
        const double scale = std::max({1e-12, std::abs(tap.low), std::abs(tap.high)});
        std::vector<float> cells;
        for (const double cell : tap.cells) cells.push_back(static_cast<float>(cell / scale));
        ui::heat_strip(d.ui.canvas, d.ui.theme, {box.x + 2, box.y + 2 + each * static_cast<float>(i), box.w - 4, each - 1}, cells,
                       ui::HeatKind::signed_values);
        layers += (layers.empty() ? "" : ", ") + tap.name.substr(4);
    }
    d.ui.canvas.outline(box, {d.ui.theme.role(Role::target), 1.5F}, 3);
    ui::tooltip(d.ui, box,
                "Hidden states of the target, layers " + layers + ", here at its newest position: keys and values of every draft layer");
}

// Beside a token of a distribution: its probability, the mark of the guess.
constexpr float kChances = 40, kDrafted = 14;

// Of a column whose guess stands there whole.
float room_wanted(const DFlashDraw& d, const DraftSlot& slot) {
    const std::string guess = label_of(*d.input.trace, slot.draft->token);
    return std::max(ui::chip_width(d.ui.canvas, guess, 30), std::ceil(ui::token_text_width(d.ui.canvas, guess, 15)) + kDrafted + kChances);
}

// `whole`: length of a bar of probability 1.
void distribution(const DFlashDraw& d, const DraftSlot& slot, Rect column, float whole, int rows) {
    float y = column.y;
    const float x = column.x, w = column.w;
    const TopEntries& top = at_one(*slot.draft);
    ui::Canvas& canvas = d.ui.canvas;
    for (const int id : dflash_tokens(slot, rows)) {
        const std::optional<double> p = listed(top, id);
        const bool drafted = id == slot.draft->token;
        const ui::Color ink = drafted ? d.ui.theme.ink : d.ui.theme.muted;
        const float mark = drafted ? kDrafted : 0.0F;
        if (drafted) ui::icon(canvas, ui::Icon::diamond, {x + 5, y + 8}, 10, d.ui.theme.role(Role::draft));
        ui::token_text(canvas, {x + mark, y + 13}, ui::fit_token(canvas, label_of(*d.input.trace, id), 15, w - kChances - mark), 15, ink);
        canvas.text({x + w, y + 13}, p ? ui::probability(*p) : "<.01", Font::mono, 14, ink, Align::right);
        canvas.fill({x, y + 17, std::max(2.0F, whole * static_cast<float>(p.value_or(0))), 4}, d.ui.theme.role(Role::draft), 1);
        y += 23;
    }
    if (top.entries.empty()) canvas.text({x, y + 13}, "no rows", Font::text, 14, d.ui.theme.muted);
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
        const bool selected = i == m.selected;
        if (choosable(d.ui, "column " + std::to_string(i), band, selected, kGuessColumn))
            d.out.push_back(Select{Position{m.round->round, i}});
        canvas.text({g.x(i) + w / 2, top + 14}, std::to_string(i + 1), Font::mono, 14, selected ? theme.ink : theme.muted, Align::center);
        ui::mask_chip(canvas, theme, {g.x(i), block, w, 28}, w >= 76 ? "mask" : "");
        distribution(d, m.slot(i), {g.x(i), distributions, w, 0}, narrowest, rows);
        ui::chip(canvas, theme, {g.x(i), drafts, w, 30}, label_of(*d.input.trace, m.slot(i).draft->token),
                 {.role = Role::draft, .selected = selected});
        const Rect out{g.x(i), verdicts, w, 28};
        if (m.slot(i).state == DraftSlot::State::drafted)
            ui::slot(canvas, theme, out, "");
        else
            ui::chip(canvas, theme, out, label_of(*d.input.trace, m.slot(i).draft->token), {.role = role_of(m.slot(i).state)});
    }
    columns_shown(d.ui, g, top + 14, m.guesses());
    row_name(d.ui, g, block + 19, "Block");
    if (m.anchor >= 0)
        ui::chip(canvas, theme, {g.gutter + 46, block, 62, 28}, label_of(*d.input.trace, m.anchor), {.neutral = true, .glyph = false});
    const Rect bar{g.x(g.first), pass, g.right() - g.x(g.first), 28};
    if (m.conditioned)
        taps(d, {g.gutter, pass - 1, 76, 30});
    else
        canvas.text({g.gutter, pass + 19}, "no states", Font::text, 14, theme.muted);
    if (m.conditioned && !m.taps.empty())
        ui::arrow(canvas, {g.gutter + 80, bar.center().y}, {bar.x - 3, bar.center().y}, {theme.role(Role::target), 1.5F}, 6);
    canvas.fill(bar, theme.panel, 4);
    canvas.outline(bar, {theme.role(Role::draft), 1.5F}, 4);
    const std::string ms = m.draft_ms > 0 ? ui::number(m.draft_ms, 2) + " ms" : "";
    canvas.text({bar.right() - 12, bar.y + 19}, ms, Font::mono, 14, theme.ink, Align::right);
    canvas.text({bar.x + 12, bar.y + 19}, "One pass", Font::text_bold, 15, theme.ink);
    const float words = bar.x + 22 + canvas.text_width("One pass", Font::text_bold, 15);
    const float room = bar.right() - 24 - canvas.text_width(ms, Font::mono, 14) - words;
    const std::string fills = m.guesses() == 1 ? "fills the mask" : "fills every mask";
    for (const std::string& all : {fills + "; the target's frozen LM head reads the rows", fills}) {
        const float w = canvas.text_width(all, Font::text, 14), behind = bar.right() + 12;
        const bool inside = w <= room;
        if (!inside && behind + w > d.input.stage.right() - 24) continue;
        canvas.text({inside ? words : behind, bar.y + 19}, all, Font::text, 14, theme.muted);
        break;
    }
    row_name(d.ui, g, distributions + 13, "Next token", rows > 1 ? "parallel" : "");
    row_name(d.ui, g, drafts + 20, "Draft");
    row_name(d.ui, g, verdicts + 19, "Verified");
    return verdicts + 28;
}

namespace {

struct Matrix {
    std::string title;
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
    canvas.text({x, top - 8}, m.causal ? "text" : "states", Font::text, 14, theme.muted);
    canvas.text({block, top - 8}, "block", Font::text, 14, theme.muted);
    for (int i = 0; i < m.slots; ++i) {
        const float y = top + size * static_cast<float>(i), h = size - 1.5F;
        const Rect line{x, y, block + size * slots - x, size};
        const ui::Touch touched = ui::touch(d.ui, d.ui.id(m.title + std::to_string(i)), line, {.focusable = false, .grow = false});
        if (touched.clicked && i > 0) d.out.push_back(Select{Position{d.model.round->round, i - 1}});
        const bool chosen = i == m.row;
        const float strength = chosen ? 1.0F : touched.hovered ? 0.7F : 0.4F;
        const ui::Color hue = theme.role(m.causal ? Role::target : Role::draft).alpha(strength);
        if (chosen) canvas.text({r.x, y + size / 2 + 5}, i == 0 ? "a" : std::to_string(i), Font::mono, 14, theme.ink);
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

std::string all_slots(const DFlashModel& m) { return dflash_says("words.slots"_t, "slots"_v = m.slots, "two"_v = m.slots == 2); }

std::string dflash_mask_words(const DFlashModel& m) {
    return dflash_says("sight.mask"_t, "mask"_v = m.selected + 1, "places"_v = m.seen > 0 ? m.seen : 0, "slots"_v = all_slots(m),
                       "before"_v = m.selected);
}

void draw_dflash_masks(const DFlashDraw& d, Rect r) {
    const DFlashModel& m = d.model;
    const int row = m.selected + 1, shown = std::min(m.slots, 16);
    const float half = r.w / 2 - 8, room = r.h - 52;
    const double share = m.text > 0 ? static_cast<double>(m.seen) / m.text : m.conditioned ? 1 : 0;
    draw_matrix(d, {r.x, r.y, half, room}, {"The block sees", shown, share, false, row});
    const float end = draw_matrix(d, {r.x + half + 16, r.y, half, room}, {"The check sees", shown, 1, true, row});
    ui::ParagraphStyle style{.size = 14, .color = d.ui.theme.muted};
    style.max_lines = std::max(1, static_cast<int>((r.bottom() - end - 8) / 20));
    ui::paragraph(d.ui.canvas, {r.x, end + 22}, r.w, dflash_mask_words(m), style);
}

void draw_dflash_times(const DFlashDraw& d, Rect r) {
    const std::vector<TimeSeries> series = time_series(d.input, "dflash");
    const Study* study = study_named(d.input, kTimeStudy);
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    std::string title = "Draft time by number of guesses";
    const auto find = [&](const char* which) -> const TimeSeries* {
        for (const TimeSeries& s : series)
            if (s.name == which) return &s;
        return nullptr;
    };
    const TimeSeries *flat = find("DFlash"), *steep = find("EAGLE-3");
    if (study && study->complete() && flat && steep)
        title = "One more guess: EAGLE-3 " + ui::number(slope_of(*steep), 3) + " ms, DFlash " + ui::number(slope_of(*flat), 3) + " ms";
    ui::fitted_text(canvas, {r.x, r.y + 12}, title, Font::text_bold, 14, theme.ink, r.w);
    const Rect plot{r.x, r.y + 22, r.w, r.h - 24 - 24};
    if (series.empty()) {
        ui::slot(canvas, theme, {plot.x, plot.y + 4, plot.w, plot.h - 8},
                 unmeasured_words(d.input, study, "press M: the drafters that are loaded are measured here"));
        return;
    }
    draw_times(d.ui, plot, series);
    const std::string note = !study->complete() ? progress_words(*study) : "ms per round, one prompt, greedy, the best of three runs";
    ui::fitted_text(canvas, {r.x, r.bottom() - 6}, note, Font::text, 14, theme.muted, r.w);
}

namespace {

struct PairSide { // one place: two tokens and what the distribution gives them
    std::string first, second;
    double p_first = 0, p_second = 0;
};

// Every pair of a token of `left` and one of `right` with its probability, which is a product: neither place knows
// the other. `wrong(i, j)`: the pair is struck; `drawn(i, j)`: it has a frame.
template <class Wrong, class Drawn>
void pair_grid(const DFlashDraw& d, Rect r, const PairSide& left, const PairSide& right, const Wrong& wrong, const Drawn& drawn) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const float head = std::min(150.0F, r.w * 0.32F), cell = (r.w - head) / 2;
    const float row = std::min(48.0F, (r.h - 28) / 2);
    const auto side = [&](Vec2 at, float w, const std::string& token, double p) {
        const std::string number = ui::probability(p);
        const float beside = w - c.text_width(number, Font::mono, 14) - 10;
        const bool both = ui::token_text_width(c, token, 15) <= beside; // else the token is told, the products have the rest
        ui::token_text(c, at, ui::fit_token(c, token, 15, both ? beside : w - 6), 15, t.ink);
        if (both) c.text({at.x + w - 6, at.y}, number, Font::mono, 14, t.muted, Align::right);
    };
    for (int j = 0; j < 2; ++j)
        side({r.x + head + cell * static_cast<float>(j) + 8, r.y + 15}, cell - 8, j == 0 ? right.first : right.second,
             j == 0 ? right.p_first : right.p_second);
    for (int i = 0; i < 2; ++i) {
        const float y = r.y + 24 + row * static_cast<float>(i);
        const double pi = i == 0 ? left.p_first : left.p_second;
        side({r.x, y + row / 2 + 5}, head, i == 0 ? left.first : left.second, pi);
        for (int j = 0; j < 2; ++j) {
            const double both = pi * (j == 0 ? right.p_first : right.p_second);
            const Rect box{r.x + head + cell * static_cast<float>(j) + 2, y + 2, cell - 4, row - 4};
            const bool struck = wrong(i, j);
            const ui::Color hue = t.role(struck ? Role::rejected : Role::draft);
            c.fill(box, hue.alpha(0.12F + 0.4F * static_cast<float>(both)), 4);
            if (struck) c.hatch(box, hue.alpha(0.4F));
            if (drawn(i, j)) c.outline(box, {t.ink, 2}, 4);
            if (struck) ui::icon(c, ui::Icon::cross, {box.x + 16, box.center().y}, 11, hue);
            c.text({box.center().x, box.center().y + 5}, ui::probability(both), Font::mono, 15, t.ink, Align::center);
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
    const auto name = [&](float x, const std::vector<std::string>& ways) {
        ui::fitted_text(c, {x, r.y + 12}, ui::fitting(c, ways, Font::text_bold, 14, half), Font::text_bold, 14, t.ink, half);
    };
    name(r.x, {"Worked example: two cities, each distribution is right", "Worked example: two cities"});
    const PairSide first{"New", "Los", 0.5, 0.5}, second{" York", " Angeles", 0.5, 0.5};
    pair_grid(
        d, {r.x, r.y + 26, half, grid}, first, second, [](int i, int j) { return i != j; }, [](int, int) { return false; });
    const double wrong = first.p_first * second.p_second + first.p_second * second.p_first;
    const ui::ParagraphStyle small{.size = 14, .color = t.muted, .max_lines = std::max(2, static_cast<int>((r.h - grid - 28) / 20))};
    if (r.h > grid + 66)
        ui::paragraph(c, {r.x, r.y + 26 + grid + 22}, half,
                      "Guessed at once, " + ui::probability(wrong) +
                          " of all pairs are no city. Who knows the first word never guesses one of those.",
                      small);
    if (!live) return;
    const auto top_two = [&](const DraftSlot& slot) {
        const std::vector<int> ids = dflash_tokens(slot, 2);
        const TopEntries& distribution = at_one(*slot.draft);
        return PairSide{label_of(*d.input.trace, ids[0]), label_of(*d.input.trace, ids[1]), listed(distribution, ids[0]).value_or(0),
                        listed(distribution, ids[1]).value_or(0)};
    };
    const std::vector<int> before = dflash_tokens(m.slot(at - 1), 2), after = dflash_tokens(m.slot(at), 2);
    const float x = r.x + half + gap;
    const std::string places = "This round: places " + std::to_string(at) + " and " + std::to_string(at + 1);
    name(x, {places + ", two tokens of each", places});
    const auto drawn = [&](int i, int j) {
        return before[static_cast<std::size_t>(i)] == m.slot(at - 1).draft->token &&
               after[static_cast<std::size_t>(j)] == m.slot(at).draft->token;
    };
    pair_grid(
        d, {x, r.y + 26, half, grid}, top_two(m.slot(at - 1)), top_two(m.slot(at)), [](int, int) { return false; }, drawn);
    if (r.h > grid + 66)
        ui::paragraph(c, {x, r.y + 26 + grid + 22}, half,
                      (d.input.presenter ? std::string() : dflash_says("twice.pairs:product"_t) + " ") +
                          (m.slot(at).state == DraftSlot::State::rejected   ? dflash_says("twice.pairs:refused"_t)
                           : m.slot(at).state == DraftSlot::State::accepted ? dflash_says("twice.pairs:kept"_t)
                                                                            : dflash_says("twice.pairs:unjudged"_t)),
                      small);
}

void draw_dflash_details(const DFlashDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    const float x = r.x + 24, w = r.w - 48;
    const float below = r.h > 330 ? rounds_height(*d.input.whole, d.input.figures) : 0, foot = r.bottom() - below;
    if (below > 0) draw_rounds_beside(d.ui, {x, foot - 4, w, below}, *d.input.whole, d.input.figures);
    const int rounds = draw_dflash_acceptance(d, {x, r.y + 32, w, foot - 44 - r.y - 32});
    const std::string note = !conditioning_series(d.input).empty() ? sample_words(*study_of(d.input, conditioning_study(d.input))) +
                                                                         "; at most " + counted(rounds, "round") + " a point"
                                                                   : counted(rounds, "round") + "; C measures with and without states";
    ui::fitted_text(d.ui.canvas, {x, foot - 20}, note, Font::text, 14, d.ui.theme.muted, w);
}

int draw_dflash_acceptance(const DFlashDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x, right = r.right();
    std::vector<AcceptanceSeries> series = conditioning_series(d.input);
    const Study* study = study_of(d.input, conditioning_study(d.input));
    const bool measured = !series.empty();
    ui::fitted_text(canvas, {x, r.y}, measured ? "What the target's states are worth" : "Acceptance by position, this run", Font::text_bold,
                    15, theme.ink, r.w);
    if (!measured) series.push_back(acceptance_of(*d.input.whole, "this run"));
    float y = r.y + 26;
    for (const AcceptanceSeries& s : series) {
        if (s.hollow)
            canvas.ring({x + 5, y - 5}, 5, {theme.muted, 1.5F});
        else
            canvas.disc({x + 5, y - 5}, 4, theme.ink);
        canvas.text({x + 18, y}, s.name, Font::text, 14, theme.muted);
        if (study)
            for (const StudyPoint& point : study->points)
                if (measured && point.settings.options.conditioning != s.hollow)
                    canvas.text({right, y}, ui::per_round(point.tokens_per_round()) + " tokens a round", Font::mono, 14,
                                s.hollow ? theme.muted : theme.ink, Align::right);
        y += 22;
    }
    if (r.bottom() - y > 60) draw_acceptance(d.ui, {x, y, r.w, r.bottom() - y}, series);
    int rounds = 0;
    for (const AcceptanceSeries& s : series)
        if (!s.judged.empty()) rounds = std::max(rounds, s.judged[0]);
    return rounds;
}

void draw_dflash_controls(const DFlashDraw& d) {
    const ui::Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const std::string off = no_models(d.input);
    guess_stepper(ui, d.model, "Position", row, d.out);
    ui::Rect at = row.place(112);
    ui::field_label(ui, at, "Guesses K");
    if (d.input.settings)
        if (const auto k = ui::stepper(ui, "k", at, d.input.settings->k, {.low = 1, .high = 15, .disabled = off}))
            d.out.push_back(Command{Restart{with_draft_length(*d.input.settings, static_cast<int>(*k))}});
    const std::array<std::string, 2> states = {"on", "off"};
    at = row.place(ui::segmented_width(ui.canvas, states));
    ui::field_label(ui, at, "States");
    if (off.empty()) ui::tooltip(ui, at, "Whether the drafter is given the target's hidden states");
    if (const auto pick = ui::segmented(ui, "states", {at.x, at.y}, states, d.model.conditioned ? 0 : 1, off);
        pick && d.input.settings && (*pick == 0) != d.model.conditioned) {
        RunSettings settings = *d.input.settings;
        settings.options.conditioning = *pick == 0;
        d.out.push_back(Command{Restart{std::move(settings)}});
    }
    measure_button(d.input, ui, {"times", "Draft times", "M"}, time_study(d.input), row, d.out);
    measure_button(d.input, ui, {"conditioning", "States on and off", "C"}, conditioning_study(d.input), row, d.out);
}

} // namespace speclens
