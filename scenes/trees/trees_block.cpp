// A block that is judged twice with the same coins: token by token, and as a whole.
#include <algorithm>
#include <cmath>

#include "engine/rules/verify.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// Where the columns of the block picture stand. Left out are those that would make the others too narrow to
// read.
struct BlockGrid {
    static constexpr float kGutter = 172, kGap = 12, kFold = 40; // row names; between columns; "+6"
    ShownColumns shown;
    std::vector<float> x, folds; // of every column; middle of every "+6", in order
    float width = 0;
    bool distributions = false; // room for p and q, not only for their ratio
    [[nodiscard]] float right() const { return x.back() + width; }
};

// What stands in a column; each column is told as a whole.
Message distributions_words(const BlockColumn& c) { return trees_says("block.distributions"_t, "p"_v = c.p, "q"_v = c.q); }
Message ratio_words(const BlockColumn& c) {
    return trees_says("block.ratio"_t, "ratio"_v = c.q > 0 ? std::optional(std::min(c.p / c.q, 99.0)) : std::nullopt);
}
Message coin_words(const BlockColumn& c) { return trees_says("block.coin"_t, "u"_v = c.coin); }
Message product_words(const BlockColumn& c) { return trees_says("block.product"_t, "product"_v = c.joint); }
Message stay_words(const BlockColumn& c) { return trees_says("block.stay"_t, "a"_v = c.token_keep); }
Message hit_words(const BlockColumn& c) { return trees_says("block.hit"_t, "h"_v = c.block_keep); }

// Label of its chip: a token of the run, or A and B of the example.
std::string block_label(const TreesDraw& d, int token) {
    return d.model.block ? label_of(*d.input.trace, token) : std::string(1, static_cast<char>('A' + token));
}

BlockGrid block_grid(const TreesDraw& d, Rect area) {
    constexpr float kChipAtMost = 128, kOutcome = 78; // "✓ rescued"
    const ui::Canvas& canvas = d.ui.canvas;
    const BlockVerdict& v = d.model.verdict();
    const int total = static_cast<int>(v.columns.size());
    const auto mono = [&](const Message& words) { return canvas.text_width(words, Font::mono, 14); };
    const auto width_of = [&](const BlockColumn& c, bool distributions) {
        return std::max({kOutcome, mono(stay_words(c)), mono(hit_words(c)), distributions ? mono(distributions_words(c)) : 0,
                         std::min(kChipAtMost, ui::chip_width(canvas, block_label(d, c.token), 36))});
    };
    const float room = area.w - BlockGrid::kGutter + BlockGrid::kGap;
    const auto pitch_of = [&](const ShownColumns& shown) {
        return (room - BlockGrid::kFold * static_cast<float>(shown.gaps())) / static_cast<float>(shown.columns.size());
    };
    const auto fitting = [&](bool distributions) {
        for (int count = total; count > 1; --count) {
            ShownColumns shown = shown_columns(v, count);
            float widest = 0;
            for (const int i : shown.columns) widest = std::max(widest, width_of(v.columns[static_cast<std::size_t>(i)], distributions));
            if (pitch_of(shown) >= widest + BlockGrid::kGap) return shown;
        }
        return shown_columns(v, 1);
    };
    BlockGrid grid;
    grid.shown = fitting(false);
    grid.distributions = fitting(true).columns.size() == grid.shown.columns.size();
    // The example leaves room for its words.
    const float most = d.model.block ? 150.0F : std::clamp((area.w - 520) / 2, 100.0F, 150.0F);
    const float pitch = std::min(most, pitch_of(grid.shown));
    grid.width = pitch - BlockGrid::kGap;
    float x = area.x + BlockGrid::kGutter;
    for (std::size_t i = 0; i < grid.shown.left_out.size(); ++i) {
        if (grid.shown.left_out[i] > 0) {
            grid.folds.push_back(x + (BlockGrid::kFold - BlockGrid::kGap) / 2);
            x += BlockGrid::kFold;
        }
        if (i == grid.shown.columns.size()) break;
        grid.x.push_back(x);
        x += pitch;
    }
    return grid;
}

// What became of a guess: one sign, one word.
struct Outcome {
    Role role;
    Message word;
};

// Gauge with the knob of its coin, number, outcome; on a low stage, a presenter's, these two beside each other.
constexpr float kLane = 66, kCloseLane = 46;

// A gauge from 0 to 1 that is as full as its number says, with the coin on it; none where none is thrown.
void draw_lane_cell(const TreesDraw& d, Rect at, const Message& number, ui::Gauge gauge, const Outcome& outcome) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect bar{at.x, at.y + 8, at.w, 16};
    if (gauge.judged) {
        ui::gauge(canvas, theme, bar, gauge);
    } else {
        canvas.fill(bar, theme.panel, 2);
        canvas.fill({bar.x, bar.y, bar.w * static_cast<float>(std::clamp(gauge.accept, 0.0, 1.0)), bar.h}, theme.muted.alpha(0.4F), 2);
        canvas.outline(bar, theme.hairline(), 2);
    }
    const bool close = at.h < kLane;
    constexpr float kOutcome = 78;
    if (!close || canvas.text_width(number, Font::mono, 14) + 10 + kOutcome <= at.w)
        canvas.print({at.x, at.y + 43}, number, Font::mono, 14, gauge.judged ? theme.ink : theme.muted);
    const Vec2 below{close ? std::max(at.x, at.x + at.w - kOutcome) : at.x, at.y + (close ? 43.0F : 63.0F)};
    ui::icon(canvas, ui::role_icon(outcome.role), {below.x + 6, below.y - 5}, 12, theme.role(outcome.role));
    canvas.print({below.x + 18, below.y}, outcome.word, Font::text, 14, outcome.role == Role::discarded ? theme.muted : theme.ink);
}

Outcome token_outcome(const BlockVerdict& v, std::size_t i) {
    if (static_cast<int>(i) > v.token_kept) return {Role::discarded, trees_says("block.fate:lost"_t)};
    if (v.columns[i].token_kept) return {Role::accepted, trees_says("block.fate:stays"_t)};
    return {Role::rejected, trees_says("block.fate:missed"_t)};
}

Outcome block_outcome(const BlockColumn& c) {
    if (!c.block_kept) return {Role::rejected, trees_says("block.fate:missed"_t)};
    return {Role::accepted, c.coin < c.block_keep ? trees_says("block.fate:hit"_t) : trees_says("block.fate:rescued"_t)};
}

Message column_words(const TreesDraw& d, std::size_t i) {
    const BlockVerdict& v = d.model.verdict();
    const BlockColumn& c = v.columns[i];
    const Message token = d.model.block ? token_said(*d.input.trace, c.token) : Message(block_label(d, c.token));
    return trees_says("block.column"_t, "guess"_v = i + 1, "token"_v = token, "p"_v = c.p, "q"_v = c.q, "ratio"_v = ratio_words(c),
                      "u"_v = c.coin, "a"_v = c.token_keep, "token_fate"_v = token_outcome(v, i).word, "token_all"_v = c.token_survives,
                      "product"_v = c.joint, "h"_v = c.block_keep, "block_fate"_v = block_outcome(c).word,
                      "block_all"_v = c.block_survives);
}

// The carried product: a line from column to column, between 0 and 1.
void draw_product(const TreesDraw& d, const BlockGrid& grid, float y, float h) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect strip{grid.x.front(), y, grid.right() - grid.x.front(), h};
    canvas.line({strip.x, strip.bottom()}, {strip.right(), strip.bottom()}, theme.hairline());
    canvas.line({strip.x, strip.y}, {strip.right(), strip.y}, {theme.line, 1, 2, 4});
    Vec2 before{};
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
        const BlockColumn& c = d.model.verdict().columns[static_cast<std::size_t>(grid.shown.columns[i])];
        const float level = strip.bottom() - h * static_cast<float>(std::clamp(c.joint, 0.0, 1.0));
        const Vec2 from{grid.x[i], level}, to{from.x + grid.width, level};
        const bool folded = grid.shown.left_out[i] > 0; // dotted: what is between is not shown
        if (i > 0) canvas.line(before, from, {theme.ink, 2, folded ? 2.0F : 0.0F, folded ? 4.0F : 0.0F});
        canvas.line(from, to, {theme.ink, 2});
        canvas.print({from.x, strip.bottom() + 17}, product_words(c), Font::mono, 14, theme.ink);
        before = to;
    }
}

// The language and the draft of the example.
Message example_words() {
    constexpr int kOf = 3;
    const BlockExample& e = block_example();
    const auto share = [](double p) { return std::lround(p * kOf); };
    return trees_says("words.example"_t, "of"_v = kOf, "target_a"_v = share(e.target[0]), "target_b"_v = share(e.target[1]),
                      "draft_a"_v = share(e.draft[0]), "draft_b"_v = share(e.draft[1]), "token"_v = e.token_mean, "block"_v = e.block_mean);
}

// Why the example stands there, and not a block of the run.
Message why_example(const SceneInput& input) {
    const Header* header = input.whole->header;
    if (!header) return trees_says("words.why_example:no_run"_t);
    if (header->drafter == kNoDrafter) return trees_says("words.why_example:no_drafter"_t);
    if (header->nodes > 0) return trees_says("words.why_example:trees"_t);
    const RuleInfo* rule = find_rule(header->rule);
    if (rule && rule->is_cascade()) return trees_says("words.why_example:mixture"_t);
    if (header->sampling.temperature == 0) return trees_says("words.why_example:greedy"_t);
    if (header->rule != "block") return trees_says("words.why_example:by_guess"_t);
    if (std::ranges::any_of(input.whole->round_list, [](const RoundSummary& c) { return block_verdict(c).has_value(); }))
        return trees_says("words.why_example:no_rescue"_t);
    return trees_says("words.why_example:no_block"_t);
}

// Right of the example: what it is, why it stands here, and the way to the run's own blocks.
void draw_example_words(const TreesDraw& d, Rect at) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.text({at.x, at.y + 15}, trees_says("block.example"_t), Font::text_bold, 15, theme.ink);
    float y = ui::paragraph(canvas, {at.x, at.y + 43}, at.w, example_words(), {.color = theme.ink});
    y = ui::paragraph(canvas, {at.x, y + 8}, at.w, why_example(d.input), {.size = 14, .color = theme.muted});
    show_me_button(d, {at.x, y}, Align::left, trees_says("controls.judge_this"_t));
}

} // namespace

void draw_block_stage(const TreesDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BlockVerdict& v = d.model.verdict();
    BlockGrid grid = block_grid(d, area);
    const bool close = area.h < 320;
    if (close) grid.distributions = false;
    const auto name = [&](float y, const Message& words, std::initializer_list<Message> details = {}) {
        constexpr float kRoom = BlockGrid::kGutter - 16;
        ui::fitted_text(canvas, {area.x, y}, words, Font::text_bold, 15, theme.ink, kRoom);
        for (const auto* detail = details.begin(); detail != details.end() && (!close || detail == details.begin()); ++detail) {
            ui::fitted_text(canvas, {area.x, y += 19}, *detail, Font::text, 14, theme.muted, kRoom);
        }
    };
    constexpr float kStrip = 22;
    const float lane = close ? kCloseLane : kLane;
    const float distributions_h = grid.distributions ? 38 : 20, used = 36 + distributions_h + 20 + lane + kStrip + 20 + lane + 20;
    const float gap = std::clamp((area.h - used - 48) / 6, close ? 4.0F : 8.0F, 28.0F);
    const float ratios = area.y + 36 + gap, coins = ratios + distributions_h + gap, token_y = coins + 20 + gap / 2,
                product = token_y + lane + gap, block_y = product + kStrip + 20 + gap, below = block_y + lane + gap;
    name(area.y + 23, trees_says("block.draft"_t));
    name(ratios + 14, trees_says("block.ratios"_t));
    name(coins + 14, trees_says("block.coins"_t));
    name(token_y + 21, trees_says("block.token"_t), {trees_says("block.token_until"_t), trees_says("block.token_chance"_t)});
    name(product + 12, trees_says("block.products"_t), {trees_says("block.products_of"_t)});
    name(block_y + 21, trees_says("block.block"_t), {trees_says("block.block_until"_t), trees_says("block.block_chance"_t)});
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
        const auto index = static_cast<std::size_t>(grid.shown.columns[i]);
        const BlockColumn& c = v.columns[index];
        const float x = grid.x[i], w = grid.width;
        ui::chip(canvas, theme, {x, area.y, w, 36}, block_label(d, c.token), {.role = Role::draft});
        canvas.print({x, ratios + 14}, ratio_words(c), Font::mono, 14, theme.ink);
        if (grid.distributions) canvas.print({x, ratios + 33}, distributions_words(c), Font::mono, 14, theme.muted);
        canvas.print({x, coins + 14}, coin_words(c), Font::mono, 14, theme.ink);
        const auto tip = [&](float y, double survives) {
            ui::tooltip(d.ui, {x, y, w, lane}, trees_says("block.survives"_t, "p"_v = survives));
        };
        const bool thrown = static_cast<int>(index) <= v.token_kept; // the token rule throws no coin behind its first miss
        draw_lane_cell(d, {x, token_y, w, lane}, stay_words(c), {.accept = c.token_keep, .coin = c.coin, .judged = thrown},
                       token_outcome(v, index));
        tip(token_y, c.token_survives);
        draw_lane_cell(d, {x, block_y, w, lane}, hit_words(c), {.accept = c.block_keep, .coin = c.coin}, block_outcome(c));
        tip(block_y, c.block_survives);
    }
    for (std::size_t i = 0; i < v.columns.size(); ++i) canvas.tell(column_words(d, i), area); // those that are left out, too
    draw_product(d, grid, product, kStrip);
    std::size_t fold = 0;
    for (const int left_out : grid.shown.left_out) {
        if (left_out == 0) continue;
        const float x = grid.folds[fold++];
        canvas.print({x, area.y + 23}, "+" + std::to_string(left_out), Font::text, 14, theme.muted, Align::center);
        ui::tooltip(d.ui, {x - 14, area.y, 28, 36}, trees_says("block.folded"_t, "guesses"_v = left_out));
    }
    if (const Rect beside{grid.right() + 40, area.y, area.right() - grid.right() - 40, block_y + lane - area.y};
        d.model.block && table_on_stage(d) && beside.w >= 340)
        draw_trees_table(d, {beside.x, beside.y, std::min(beside.w, 460.0F), beside.h});
    if (!d.model.block) draw_example_words(d, {grid.right() + 40, area.y, area.right() - grid.right() - 40, area.h});
    const auto token = "token"_v = v.token_expected;
    const auto whole = "block"_v = v.block_expected;
    const Message sums[] = {trees_says("block.sum:whole"_t, token, whole, "token_kept"_v = v.token_kept, "block_kept"_v = v.block_kept),
                            trees_says("block.sum:short"_t, token, whole)};
    ui::fitted_text(canvas, {area.x, below + 14}, ui::fitting(canvas, sums, Font::text, 15, area.w), Font::text, 15, theme.ink, area.w);
    const int lines = static_cast<int>((area.bottom() - (below + 38)) / 20) + 1;
    if (!close && below + 38 < area.bottom())
        ui::paragraph(canvas, {area.x, below + 38}, area.w, trees_says("block.how"_t),
                      {.size = 14, .color = theme.muted, .max_lines = lines});
}

} // namespace speclens
