// The picture of a block that is judged twice with the same coins: token by token, and as a whole.
#include <algorithm>

#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
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

// Where the columns of the block picture stand. Left out are those that would make the others too narrow to
// read.
struct BlockGrid {
    static constexpr float kGutter = 172, kGap = 12, kFold = 40; // row names; between columns; "+6"
    ShownColumns shown;
    std::vector<float> x, folds; // of every column; middle of every "+6", in order
    float width = 0;
    bool laws = false; // room for p and q, not only for their ratio
    [[nodiscard]] float right() const { return x.back() + width; }
};

std::string laws_words(const BlockColumn& c) {
    return ui::probability(c.p) + " ÷ " + ui::probability(c.q);
}

std::string ratio_words(const BlockColumn& c) {
    return c.q > 0 ? ui::number(std::min(c.p / c.q, 99.0), 2) : std::string("0");
}

BlockGrid block_grid(const TreesDraw& d, Rect area) {
    constexpr float kChipAtMost = 128, kOutcome = 78; // "✓ rescued"
    const ui::Canvas& canvas = d.ui.canvas;
    const BlockVerdict& v = d.model.verdict();
    const int total = static_cast<int>(v.columns.size());
    const auto mono = [&](const std::string& words) { return canvas.text_width(words, Font::mono, 14); };
    const auto width_of = [&](const BlockColumn& c, bool laws) {
        return std::max(
            {kOutcome, mono("a " + fine_probability(c.token_keep)),
             mono("h " + fine_probability(c.block_keep)), laws ? mono(laws_words(c)) : 0,
             std::min(kChipAtMost, ui::chip_width(canvas, block_label(d.input, d.model, c.token), 36))});
    };
    const float room = area.w - BlockGrid::kGutter + BlockGrid::kGap;
    const auto pitch_of = [&](const ShownColumns& shown) {
        return (room - BlockGrid::kFold * static_cast<float>(shown.gaps())) /
               static_cast<float>(shown.columns.size());
    };
    const auto fitting = [&](bool laws) {
        for (int count = total; count > 1; --count) {
            ShownColumns shown = shown_columns(v, count);
            float widest = 0;
            for (const int i : shown.columns)
                widest = std::max(widest, width_of(v.columns[static_cast<std::size_t>(i)], laws));
            if (pitch_of(shown) >= widest + BlockGrid::kGap) return shown;
        }
        return shown_columns(v, 1);
    };
    BlockGrid grid;
    grid.shown = fitting(false);
    grid.laws = fitting(true).columns.size() == grid.shown.columns.size();
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
    const char* word;
};

void draw_outcome(const TreesDraw& d, Vec2 at, Outcome outcome) {
    const bool lost = outcome.role == Role::discarded;
    ui::icon(d.ui.canvas, ui::role_icon(outcome.role), {at.x + 6, at.y - 5}, 12,
             d.ui.theme.role(outcome.role));
    d.ui.canvas.text({at.x + 18, at.y}, outcome.word, Font::text, 14,
                     lost ? d.ui.theme.muted : d.ui.theme.ink);
}

constexpr float kLane = 66; // gauge with the knob of its coin, number, outcome

// A gauge from 0 to 1 that is as full as its number says, with the coin on it; none where none is thrown.
void draw_lane_cell(const TreesDraw& d, Rect at, const std::string& number, ui::Gauge gauge,
                    Outcome outcome) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect bar{at.x, at.y + 8, at.w, 16};
    if (gauge.judged) {
        ui::gauge(canvas, theme, bar, gauge);
    } else {
        canvas.fill(bar, theme.panel, 2);
        canvas.fill({bar.x, bar.y, bar.w * static_cast<float>(std::clamp(gauge.accept, 0.0, 1.0)), bar.h},
                    theme.muted.alpha(0.4F), 2);
        canvas.outline(bar, theme.hairline(), 2);
    }
    canvas.text({at.x, at.y + 43}, number, Font::mono, 14, gauge.judged ? theme.ink : theme.muted);
    draw_outcome(d, {at.x, at.y + 63}, outcome);
}

Outcome token_outcome(const BlockColumn& c, bool thrown) {
    return !thrown        ? Outcome{Role::discarded, "lost"}
           : c.token_kept ? Outcome{Role::accepted, "stays"}
                          : Outcome{Role::rejected, "missed"};
}

Outcome block_outcome(const BlockColumn& c) {
    return !c.block_kept ? Outcome{Role::rejected, "missed"}
                         : Outcome{Role::accepted, c.coin < c.block_keep ? "stays" : "rescued"};
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
        canvas.text({from.x, strip.bottom() + 17}, "P " + fine_probability(c.joint), Font::mono, 14,
                    theme.ink);
        before = to;
    }
}

// Right of the example: what it is, why it stands here, and the way to the run's own blocks.
void draw_example_words(const TreesDraw& d, Rect at) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.text({at.x, at.y + 15}, "A worked example", Font::text_bold, 15, theme.ink);
    float y = ui::paragraph(canvas, {at.x, at.y + 43}, at.w, example_words(), {.color = theme.ink});
    y = ui::paragraph(canvas, {at.x, y + 8}, at.w, why_example(d.input), {.size = 14, .color = theme.muted});
    show_me_button(d, {at.x, y}, Align::left, "Judge this run by blocks",
                   block_settings(d.input, d.model).has_value());
}

} // namespace

void draw_block_stage(const TreesDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BlockVerdict& v = d.model.verdict();
    const BlockGrid grid = block_grid(d, area);
    const auto name = [&](float y, const std::string& words,
                          std::initializer_list<const char*> details = {}) {
        constexpr float kRoom = BlockGrid::kGutter - 16;
        ui::fitted_text(canvas, {area.x, y}, words, Font::text_bold, 15, theme.ink, kRoom);
        for (const char* detail : details)
            ui::fitted_text(canvas, {area.x, y += 19}, detail, Font::text, 14, theme.muted, kRoom);
    };
    constexpr float kStrip = 22;
    const float laws_h = grid.laws ? 38 : 20, used = 36 + laws_h + 20 + kLane + kStrip + 20 + kLane + 20;
    const float gap = std::clamp((area.h - used - 48) / 6, 8.0F, 28.0F);
    const float ratios = area.y + 36 + gap, coins = ratios + laws_h + gap, token_y = coins + 20 + gap / 2,
                product = token_y + kLane + gap, block_y = product + kStrip + 20 + gap,
                below = block_y + kLane + gap;
    name(area.y + 23, "Draft");
    name(ratios + 14, "Target p ÷ draft q");
    name(coins + 14, "Same coins u");
    name(token_y + 21, "Token rule", {"up to the first miss", "a = min(1, p ÷ q)"});
    name(product + 12, "Carried product P", {"of p ÷ q, at most 1"});
    name(block_y + 21, "Block", {"up to the last hit", "h: chance of a hit"});
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
        const int index = grid.shown.columns[i];
        const BlockColumn& c = v.columns[static_cast<std::size_t>(index)];
        const float x = grid.x[i], w = grid.width;
        ui::chip(canvas, theme, {x, area.y, w, 36}, block_label(d.input, d.model, c.token),
                 {.role = Role::draft});
        canvas.text({x, ratios + 14}, ratio_words(c), Font::mono, 14, theme.ink);
        if (grid.laws) canvas.text({x, ratios + 33}, laws_words(c), Font::mono, 14, theme.muted);
        canvas.text({x, coins + 14}, "u " + ui::probability(c.coin), Font::mono, 14, theme.ink);
        const auto tip = [&](float y, double survives) {
            ui::tooltip(d.ui, {x, y, w, kLane},
                        "everything up to here stays with probability " + fine_probability(survives));
        };
        const bool thrown = index <= v.token_kept; // the token rule throws no coin behind its first miss
        draw_lane_cell(d, {x, token_y, w, kLane}, "a " + fine_probability(c.token_keep),
                       {.accept = c.token_keep, .coin = c.coin, .judged = thrown}, token_outcome(c, thrown));
        tip(token_y, c.token_survives);
        draw_lane_cell(d, {x, block_y, w, kLane}, "h " + fine_probability(c.block_keep),
                       {.accept = c.block_keep, .coin = c.coin}, block_outcome(c));
        tip(block_y, c.block_survives);
    }
    draw_product(d, grid, product, kStrip);
    std::size_t fold = 0;
    for (const int left_out : grid.shown.left_out) {
        if (left_out == 0) continue;
        const float x = grid.folds[fold++];
        canvas.text({x, area.y + 23}, "+" + std::to_string(left_out), Font::text, 14, theme.muted,
                    Align::center);
        ui::tooltip(d.ui, {x - 14, area.y, 28, 36}, counted(left_out, "guess") + " not shown");
    }
    if (const Rect beside{grid.right() + 40, area.y, area.right() - grid.right() - 40,
                          block_y + kLane - area.y};
        d.model.block && table_on_stage(d) && beside.w >= 340)
        draw_trees_table(d, {beside.x, beside.y, std::min(beside.w, 460.0F), beside.h});
    if (!d.model.block)
        draw_example_words(d, {grid.right() + 40, area.y, area.right() - grid.right() - 40, area.h});
    ui::fitted_text(canvas, {area.x, below + 14},
                    "Expected from this draft: " + ui::number(v.token_expected, 2) +
                        " kept token by token, " + ui::number(v.block_expected, 2) +
                        " as a block; with these coins " + std::to_string(v.token_kept) + " and " +
                        std::to_string(v.block_kept),
                    Font::text, 15, theme.ink, area.w);
    const int lines = static_cast<int>((area.bottom() - (below + 38)) / 20) + 1;
    if (below + 38 < area.bottom())
        ui::paragraph(
            canvas, {area.x, below + 38}, area.w,
            "The filled part of a bar is a chance, from 0 to 1. A coin on it hits, a coin behind it "
            "misses. a: chance that the token rule keeps this guess. h: chance that the coin of this "
            "place keeps everything up to here. It follows from P and the laws of the next place.",
            {.size = 14, .color = theme.muted, .max_lines = lines});
}

} // namespace speclens
