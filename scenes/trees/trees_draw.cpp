// The pictures of S11: what was measured of chains and trees on this prompt, as a table and as bars for a room; a tree
// with its mask; a block that is judged twice with the same coins, token by token and as a whole; and the controls.
#include "scenes/trees/trees_draw.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
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

// What stands behind the table, and what its numbers cannot tell.
std::string table_words(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    const bool close = measured_trees(input)->complete() && trees_leaders(rows).most.size() > 1;
    return "each row: " + trees_sample_words(input) + "; ± 95 %" + few_words(rows) +
           (close ? ". Which gives the most is too close to call." : "");
}

std::string speedup_words(const TreesRow& row) {
    return row.speedup > 0 ? (row.doubt ? "~" : "") + ui::speed_up(row.speedup) : row.few ? "few" : "–";
}

// What was measured, in the panel, or on the stage of a window without one.
bool table_on_stage(const TreesDraw& d) {
    return d.input.details.w <= 0 && d.input.beat >= kTreesCostBeat && d.model.growth.path.empty() && !trees_rows(d.input).empty();
}

// Returns the last baseline.
float draw_trees_table(const TreesDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 14}, trees_study_title(d.input, d.model), Font::text_bold, 15, theme.ink, r.w);
    const bool timed = !without_times(d.input);
    const float end = timed ? r.right() - 80 : r.right();
    const float columns[] = {end - 96, end, r.right()};
    const char* heads[] = {"rows", "tok/round", "speed-up"};
    float y = r.y + 38;
    for (int c = 0; c < (timed ? 3 : 2); ++c) canvas.text({columns[c], y}, heads[c], Font::text, 14, theme.muted, Align::right);
    for (const TreesRow& row : trees_rows(d.input)) {
        y += 25;
        if (y > r.bottom()) break;
        ui::fitted_text(canvas, {r.x, y}, row.name, Font::text, 14, theme.ink, r.w - 216);
        canvas.text({columns[0], y}, std::to_string(row.rows), Font::mono, 14, theme.ink, Align::right);
        canvas.text({columns[1], y}, with_chance(row.rounds), Font::mono, 14, theme.ink, Align::right);
        if (timed) canvas.text({columns[2], y}, speedup_words(row), Font::mono, 14, theme.ink, Align::right);
    }
    return y;
}

// The same with the time of a round, for a room.
void draw_trees_bars(const TreesDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<TreesRow> rows = trees_rows(d.input);
    ui::fitted_text(canvas, {r.x, r.y + 14}, trees_study_title(d.input, d.model), Font::text_bold, 15, theme.ink, r.w);
    const float left = r.x + 110, right = r.right() - 196, tokens = r.right() - 84;
    const float pitch = std::min(48.0F, (r.h - 60) / static_cast<float>(std::max<std::size_t>(1, rows.size())));
    float x = left;
    for (const auto& [role, word] : {std::pair{Role::draft, "draft"}, std::pair{Role::target, "verify, ms a round"}}) {
        canvas.fill({x, r.y + 33, 12, 12}, theme.role(role), 2);
        canvas.text({x + 18, r.y + 44}, word, Font::text, 14, theme.muted);
        x += 18 + canvas.text_width(word, Font::text, 14) + 16;
    }
    canvas.text({tokens, r.y + 44}, "tok/round", Font::text, 14, theme.muted, Align::right);
    canvas.text({r.right(), r.y + 44}, "speed-up", Font::text, 14, theme.muted, Align::right);
    double longest = 1e-9;
    for (const TreesRow& row : rows) longest = std::max(longest, row.draft_ms + row.verify_ms);
    const auto length = [&](double ms) { return (right - 54 - left) * static_cast<float>(ms / longest); };
    float y = r.y + 58;
    for (const TreesRow& row : rows) {
        const float base = y + pitch / 2 + 5, h = std::min(24.0F, pitch - 8), top = y + (pitch - h) / 2;
        canvas.text({r.x, base}, row.name, Font::text, 15, theme.ink);
        const float draft = length(row.draft_ms), verify = length(row.verify_ms);
        canvas.fill({left, top, draft, h}, theme.role(Role::draft), 2);
        canvas.fill({left + draft + 1, top, verify, h}, theme.role(Role::target), 2);
        canvas.text({left + draft + verify + 8, base}, ui::number(row.draft_ms + row.verify_ms, 2), Font::mono, 14, theme.muted);
        canvas.text({tokens, base}, with_chance(row.rounds), Font::mono, 15, theme.ink, Align::right);
        canvas.text({r.right(), base}, speedup_words(row), Font::mono, 15, theme.ink, Align::right);
        y += pitch;
    }
}

// What the last row sees: "8 sees 0, 1, 3 and 6".
std::string sight_words(const std::vector<TreeNode>& nodes) {
    const int last = static_cast<int>(nodes.size());
    std::vector<std::string> seen;
    for (int to = 0; to < last; ++to)
        if (sees(nodes, last, to)) seen.push_back(std::to_string(to));
    std::string words = std::to_string(last) + " sees ";
    for (std::size_t i = 0; i < seen.size(); ++i) words += (i == 0 ? "" : i + 1 == seen.size() ? " and " : ", ") + seen[i];
    return words;
}

// Where the columns of the tree stand, and how wide their chips are. Where not all labels find room, a column
// shows only what became of its guesses; the kept path keeps its labels first.
struct TreeColumns {
    static constexpr float kGap = 14, kCrowdedGap = 8, kSwatch = 20, kWidest = 124, kCrowdedChip = 28, kLargeChip = 44;
    bool crowded = false; // narrower gaps, lower chips
    float number_w = 20;  // room for the number of a node
    std::vector<float> x, chip;
    [[nodiscard]] bool labelled(int depth) const { return chip[static_cast<std::size_t>(depth)] > kSwatch; }
};

// What the tree grows from; a table has nothing before its first token.
std::string root_label(const TreesDraw& d, int anchor) {
    if (anchor >= 0) return label_of(*d.input.trace, anchor);
    return starts_empty(*d.input.whole->header) ? "start" : "text";
}

// Widths that all labels of every depth want.
std::vector<float> wanted_chips(const TreesDraw& d, const TreeLayout& layout, int anchor, int deepest, float height) {
    const auto wide = [&](int token) {
        const std::string label = token < 0 ? root_label(d, token) : label_of(*d.input.trace, token);
        return std::min(TreeColumns::kWidest, ui::chip_width(d.ui.canvas, label, height));
    };
    std::vector<float> wanted(static_cast<std::size_t>(deepest) + 1, 0);
    wanted[0] = wide(anchor);
    for (const TreeNode& node : layout.nodes) {
        if (!node.drawn()) continue;
        float& most = wanted[static_cast<std::size_t>(node.depth)];
        most = std::max(most, wide(node.token));
    }
    return wanted;
}

// Whether a kept guess stands so deep; the root counts as one.
bool on_kept_path(const TreesDraw& d, int depth) {
    return depth == 0 || std::ranges::any_of(d.model.nodes, [&](const TreeNode& node) {
               return node.depth == depth && node.state == DraftSlot::State::accepted;
           });
}

TreeColumns tree_columns(const TreesDraw& d, const TreeLayout& layout, int anchor, int deepest, Rect area, float number_w, float chip_h) {
    TreeColumns c;
    c.number_w = number_w;
    std::vector<float> wanted = wanted_chips(d, layout, anchor, deepest, chip_h);
    const std::size_t n = wanted.size();
    const float even = area.w / static_cast<float>(n), chip = std::min(even - TreeColumns::kGap - number_w, TreeColumns::kWidest);
    if (chip >= *std::ranges::max_element(wanted)) {
        for (std::size_t i = 0; i < n; ++i) c.x.push_back(area.x + even * static_cast<float>(i));
        c.chip.assign(n, chip);
        return c;
    }
    c.crowded = true;
    const std::string longest = std::to_string(d.model.nodes.size());
    constexpr float kAround = 9; // between branch, number and chip
    c.number_w = std::min(number_w, d.ui.canvas.text_width(longest, Font::mono, 14) + kAround);
    c.chip.assign(n, TreeColumns::kSwatch);
    wanted = wanted_chips(d, layout, anchor, deepest, TreeColumns::kCrowdedChip);
    const float between = TreeColumns::kCrowdedGap + c.number_w;
    float room = area.w - static_cast<float>(n) * (TreeColumns::kSwatch + between) + between;
    constexpr float kLeastLabel = 30; // beyond a swatch
    for (const bool kept : {true, false})
        for (std::size_t depth = 0; depth < n; ++depth) {
            if (on_kept_path(d, static_cast<int>(depth)) != kept) continue;
            const float all = std::max(0.0F, wanted[depth] - TreeColumns::kSwatch), more = std::min(all, room);
            if (more < std::min(kLeastLabel, all)) continue;
            c.chip[depth] += more;
            room -= more;
        }
    const float spread = n > 1 ? std::max(0.0F, room) / static_cast<float>(n - 1) : 0;
    float x = area.x;
    for (const float w : c.chip) {
        c.x.push_back(x);
        x += w + between + spread;
    }
    return c;
}

// The line for siblings without room, in as many words as fit.
std::string rest_words(const TreesDraw& d, const TreeRest& rest, float room) {
    const std::string n = std::to_string(rest.guesses);
    for (const std::string& words : {"… " + n + " more " + (rest.siblings ? "siblings" : "guesses"), "… " + n + " more"})
        if (d.ui.canvas.text_width(words, Font::text, 14) <= room) return words;
    return "+" + n;
}

float trees_table_height(const TreesDraw& d) { return 42 + 25 * static_cast<float>(trees_rows(d.input).size()); }

// The branch that stays as running text, where the tree has no room for all of its labels.
void draw_kept_text(const TreesDraw& d, Vec2 at, float right) {
    ui::Canvas& canvas = d.ui.canvas;
    const std::string name = "kept: ";
    const float after = at.x + canvas.text_width(name, Font::text, 14);
    float x = after;
    for (const TreeNode& node : d.model.nodes) {
        if (node.state != DraftSlot::State::accepted) continue;
        const std::string bytes = d.input.trace->text(node.token);
        const float w = ui::running_width(canvas, bytes, 15);
        if (x + w > right) break;
        if (x == after) canvas.text(at, name, Font::text, 14, d.ui.theme.muted);
        x += ui::running_token(canvas, d.ui.theme, {x, at.y}, bytes, Role::accepted, false, 15);
    }
}

void show_me_button(const TreesDraw& d, Vec2 at, Align align, const std::string& words, bool possible) {
    const ui::ButtonOptions options{.kind = ui::ButtonKind::primary, .disabled = possible ? "" : "No drafter that could do it is loaded"};
    const float w = ui::button_width(d.ui.canvas, words, options);
    const Rect place{align == Align::center ? at.x - w / 2 : at.x, at.y, w, 36};
    if (ui::button(d.ui, "show me", place, words, options)) show_me(d);
}

void empty_stage(const TreesDraw& d, Rect area, const std::string& words, const std::string& button, bool possible) {
    const Rect box{area.x, area.y, area.w, std::min(240.0F, area.h)};
    ui::slot(d.ui.canvas, d.ui.theme, box, "");
    ui::fitted_text(d.ui.canvas, {box.center().x, box.center().y - 16}, words, Font::text, 15, d.ui.theme.muted, box.w - 40, Align::center);
    show_me_button(d, {box.center().x, box.center().y + 8}, Align::center, button, possible);
}

// The mask of the pass: which row sees which, a square at the right of the area.
void draw_sight(const TreesDraw& d, Rect area, float mask_side, float number_w) {
    const TreesModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const int rows = static_cast<int>(m.nodes.size()) + 1;
    const float cell = mask_side / static_cast<float>(rows), left = area.right() - mask_side, y0 = area.y + 84;
    const float names = left - number_w, names_w = mask_side + number_w;
    ui::fitted_text(canvas, {names, area.y + 14}, "Who sees whom", Font::text_bold, 15, theme.ink, names_w);
    ui::fitted_text(canvas, {names, area.y + 34},
                    ui::fitting(canvas, {"a row sees its ancestors", "only its ancestors"}, Font::text, 14, names_w), Font::text, 14,
                    theme.muted, names_w);
    const std::string sight = sight_words(m.nodes);
    const bool sight_fits = canvas.text_width(sight, Font::text, 14) <= names_w;
    if (sight_fits) canvas.text({names, area.y + 53}, sight, Font::text, 14, theme.muted);
    if (const float below = y0 + mask_side + 24; !sight_fits && below < area.bottom())
        ui::paragraph(canvas, {names, below}, names_w, sight,
                      {.size = 14, .color = theme.muted, .max_lines = 1 + static_cast<int>((area.bottom() - below) / 20)});
    const int every = static_cast<int>(std::ceil(20 / cell)); // so that numbers do not touch
    for (int i = 0; i < rows; i += every) {
        const float middle = cell * (static_cast<float>(i) + 0.5F) - 0.5F;
        canvas.text({left + middle, y0 - 5}, std::to_string(i), Font::mono, 14, theme.muted, Align::center);
        canvas.text({left - 5, y0 + middle + 5}, std::to_string(i), Font::mono, 14, theme.muted, Align::right);
    }
    for (int from = 0; from < rows; ++from)
        for (int to = 0; to < rows; ++to) {
            const Rect at{left + cell * static_cast<float>(to), y0 + cell * static_cast<float>(from), cell - 1, cell - 1};
            canvas.fill(at, sees(m.nodes, from, to) ? theme.role(Role::target).alpha(from == to ? 1.0F : 0.6F) : theme.panel, 1);
        }
    ui::tooltip(d.ui, {left, y0, mask_side, mask_side},
                std::to_string(rows) + " rows of one pass: 0 is the pending token, then come the guesses; "
                                       "all of them see the text before");
}

void draw_tree_stage(const TreesDraw& d, Rect area) {
    const TreesModel& m = d.model;
    if (m.nodes.empty() && m.comes) {
        ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y, area.w, std::min(240.0F, area.h)}, "a tree is drafted for this round");
        return;
    }
    if (m.nodes.empty()) {
        empty_stage(d, area, "a run that drafts trees is needed", "Draft a tree", tree_settings(d.input, m).has_value());
        return;
    }
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const int rows = static_cast<int>(m.nodes.size()) + 1;
    const float number_w = rows > 10 ? 26.0F : 20.0F; // room for the number of a node or of a row
    int levels = 1;
    float lowest = 0;
    for (const TreeNode& node : m.nodes) levels = std::max(levels, node.depth), lowest = std::max(lowest, node.row);
    // Where there is no panel, what the beat speaks of stands below the tree.
    constexpr float kLeastLine = 26, kBelow = 24;
    const float table = table_on_stage(d) ? trees_table_height(d) + kBelow : 0;
    const bool measured = table > 0 && area.h - 34 - table >= kLeastLine * (lowest + 1);
    if (table > 0 && !measured && d.input.presenter) { // the picture that the sentence is about
        without_times(d.input) ? (void)draw_trees_table(d, {area.x, area.y, std::min(area.w, 640.0F), area.h}) : draw_trees_bars(d, area);
        return;
    }
    const float tree_h = area.h - 34 - (measured ? table : 0);
    constexpr float kThinnest = 18; // of a row: the lowest chip that has a label, and a gap
    const TreeLayout layout = tree_layout(m.nodes, std::max(2, static_cast<int>(tree_h / kThinnest)));
    int deepest = 1; // of what is drawn
    for (const TreeNode& node : layout.nodes)
        if (node.drawn()) deepest = std::max(deepest, node.depth);
    const int anchor = anchor_of(*d.input.whole, *shown_round(d.input));
    // A small tree is drawn larger: it is what the picture is about.
    const float most_line = rows > 20 ? 60.0F : 76.0F, line_h = std::min(most_line, tree_h / static_cast<float>(layout.rows));
    const auto fits_large = [&] {
        const std::vector<float> large = wanted_chips(d, layout, anchor, deepest, TreeColumns::kLargeChip);
        const float each = *std::ranges::max_element(large) + TreeColumns::kGap + number_w;
        return each * static_cast<float>(large.size()) + 140 + 2 * number_w + 40 <= area.w;
    };
    const float chip = line_h >= 60 && fits_large() ? TreeColumns::kLargeChip : 32;
    const std::vector<float> wanted = wanted_chips(d, layout, anchor, deepest, chip);
    float mask_side = std::min({area.h - 100, area.w * 0.34F, std::max(140.0F, 30.0F * static_cast<float>(rows))});
    const bool grown = !m.growth.path.empty(), mask = mask_side > 90 || grown;
    if (grown) mask_side = std::min(area.w * 0.44F, 560.0F);
    if (mask && !grown) { // labels before large cells
        const float even = *std::ranges::max_element(wanted) + TreeColumns::kGap + number_w;
        const float left_over = area.w - 2 * number_w - 40 - even * static_cast<float>(wanted.size());
        mask_side = std::max(std::min(mask_side, left_over), std::min(mask_side, std::max(140.0F, 3.0F * static_cast<float>(rows))));
    }
    const Rect tree{area.x + number_w, area.y + 30, area.w - number_w - (mask ? mask_side + number_w + 40 : 0), tree_h};
    const std::string title = "The tree: " + counted(rows - 1, "guess") + ", " + counted(levels, "level");
    ui::fitted_text(canvas, {area.x, area.y + 14}, title, Font::text_bold, 15, theme.ink, tree.w);
    const TreeColumns columns = tree_columns(d, layout, anchor, deepest, tree, number_w, chip);
    if (columns.crowded) draw_kept_text(d, {area.x + 24 + canvas.text_width(title, Font::text_bold, 15), area.y + 14}, tree.right());
    const float line = columns.crowded ? std::min(46.0F, line_h) : line_h,
                chip_h = std::clamp(line - 8, 16.0F, columns.crowded ? TreeColumns::kCrowdedChip : chip);
    const float used = line * static_cast<float>(layout.rows), top = tree.y + std::max(0.0F, (tree.h - used) / 2);
    const auto box = [&](int depth, float row) {
        const auto i = static_cast<std::size_t>(depth);
        const float h = columns.labelled(depth) ? chip_h : std::min(chip_h, TreeColumns::kSwatch);
        return Rect{columns.x[i], top + line * row + (line - h) / 2, columns.chip[i], h};
    };
    float root = 0;
    int children = 0;
    for (const TreeNode& node : layout.nodes)
        if (node.parent < 0 && node.drawn()) root += node.row, ++children;
    root /= static_cast<float>(std::max(1, children));
    const Rect start = box(0, root);
    const auto branch = [&](int parent, const Rect& to, bool kept) {
        const TreeNode* node = parent < 0 ? nullptr : &layout.nodes[static_cast<std::size_t>(parent)];
        const Rect from = node ? box(node->depth, node->row) : start;
        canvas.line({from.right(), from.center().y}, {to.x - columns.number_w, to.center().y},
                    {kept ? theme.role(Role::accepted) : theme.muted.alpha(0.6F), kept ? 2.0F : 1.0F});
    };
    for (const TreeNode& node : layout.nodes)
        if (node.drawn()) branch(node.parent, box(node.depth, node.row), node.state == DraftSlot::State::accepted);
    for (const TreeRest& rest : layout.rests) { // a row of its own: nothing stands to the right of it
        const Rect at = box(rest.depth, rest.row);
        const float x = at.x - columns.number_w + 4;
        branch(rest.parent, at, false);
        canvas.text({x, at.center().y + 5}, rest_words(d, rest, tree.right() - x), Font::text, 14, theme.muted);
    }
    // The same numbers as in the mask: 0 is the token before the tree.
    const auto number = [&](const Rect& at, int index) {
        canvas.text({at.x - 5, at.center().y + 5}, std::to_string(index), Font::mono, 14, theme.muted, Align::right);
    };
    number(start, 0);
    ui::chip(canvas, theme, start, root_label(d, anchor), {.neutral = true, .glyph = false});
    for (int i = 0; i < rows - 1; ++i) {
        const TreeNode& node = layout.nodes[static_cast<std::size_t>(i)];
        if (!node.drawn()) continue;
        const Rect at = box(node.depth, node.row);
        number(at, 1 + i);
        const Role role = role_of(node.state);
        if (columns.labelled(node.depth))
            ui::chip(canvas, theme, at, label_of(*d.input.trace, node.token), {.role = role, .glyph = chip_h >= 20 && at.w >= 56});
        else
            ui::role_swatch(canvas, theme, {at.x + (at.w - at.h) / 2, at.y, at.h, at.h}, role);
        ui::tooltip(d.ui, at, quoted(*d.input.trace, node.token) + ": " + ui::role_name(role));
    }
    if (measured) draw_trees_table(d, {area.x, area.bottom() - table + kBelow, std::min(tree.w, 460.0F), table - kBelow});

    if (grown) return draw_tree_growth(d, {area.right() - mask_side, area.y, mask_side, area.h});
    if (mask) draw_sight(d, area, mask_side, number_w);
}

// A block that is judged twice with the same coins: token by token, and as a whole.

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

std::string distributions_words(const BlockColumn& c) { return ui::probability(c.p) + " ÷ " + ui::probability(c.q); }

std::string ratio_words(const BlockColumn& c) { return c.q > 0 ? ui::number(std::min(c.p / c.q, 99.0), 2) : std::string("0"); }

BlockGrid block_grid(const TreesDraw& d, Rect area) {
    constexpr float kChipAtMost = 128, kOutcome = 78; // "✓ rescued"
    const ui::Canvas& canvas = d.ui.canvas;
    const BlockVerdict& v = d.model.verdict();
    const int total = static_cast<int>(v.columns.size());
    const auto mono = [&](const std::string& words) { return canvas.text_width(words, Font::mono, 14); };
    const auto width_of = [&](const BlockColumn& c, bool distributions) {
        return std::max({kOutcome, mono("a " + fine_probability(c.token_keep)), mono("h " + fine_probability(c.block_keep)),
                         distributions ? mono(distributions_words(c)) : 0,
                         std::min(kChipAtMost, ui::chip_width(canvas, block_label(d.input, d.model, c.token), 36))});
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
    const char* word;
};

void draw_outcome(const TreesDraw& d, Vec2 at, Outcome outcome) {
    const bool lost = outcome.role == Role::discarded;
    ui::icon(d.ui.canvas, ui::role_icon(outcome.role), {at.x + 6, at.y - 5}, 12, d.ui.theme.role(outcome.role));
    d.ui.canvas.text({at.x + 18, at.y}, outcome.word, Font::text, 14, lost ? d.ui.theme.muted : d.ui.theme.ink);
}

// Gauge with the knob of its coin, number, outcome; on a low stage, a presenter's, these two beside each other.
constexpr float kLane = 66, kCloseLane = 46;

// A gauge from 0 to 1 that is as full as its number says, with the coin on it; none where none is thrown.
void draw_lane_cell(const TreesDraw& d, Rect at, const std::string& number, ui::Gauge gauge, Outcome outcome) {
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
        canvas.text({at.x, at.y + 43}, number, Font::mono, 14, gauge.judged ? theme.ink : theme.muted);
    draw_outcome(d, {close ? std::max(at.x, at.x + at.w - kOutcome) : at.x, at.y + (close ? 43.0F : 63.0F)}, outcome);
}

Outcome token_outcome(const BlockColumn& c, bool thrown) {
    return !thrown ? Outcome{Role::discarded, "lost"} : c.token_kept ? Outcome{Role::accepted, "stays"} : Outcome{Role::rejected, "missed"};
}

Outcome block_outcome(const BlockColumn& c) {
    if (!c.block_kept) return {Role::rejected, "missed"};
    return {Role::accepted, c.coin < c.block_keep ? "hit" : "rescued"}; // by a later hit
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
        canvas.text({from.x, strip.bottom() + 17}, "P " + fine_probability(c.joint), Font::mono, 14, theme.ink);
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
    show_me_button(d, {at.x, y}, Align::left, "Judge this run by blocks", block_settings(d.input, d.model).has_value());
}

void draw_block_stage(const TreesDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BlockVerdict& v = d.model.verdict();
    BlockGrid grid = block_grid(d, area);
    const bool close = area.h < 320;
    if (close) grid.distributions = false;
    const auto name = [&](float y, const std::string& words, std::initializer_list<const char*> details = {}) {
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
    name(area.y + 23, "Draft");
    name(ratios + 14, "Target ÷ draft");
    name(coins + 14, "Same coins u");
    name(token_y + 21, "Token rule", {"up to the first miss", "a: chance to stay"});
    name(product + 12, "Carried product P", {"of the ratios, at most 1"});
    name(block_y + 21, "Block", {"up to the last hit", "h: chance of a hit"});
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
        const int index = grid.shown.columns[i];
        const BlockColumn& c = v.columns[static_cast<std::size_t>(index)];
        const float x = grid.x[i], w = grid.width;
        ui::chip(canvas, theme, {x, area.y, w, 36}, block_label(d.input, d.model, c.token), {.role = Role::draft});
        canvas.text({x, ratios + 14}, ratio_words(c), Font::mono, 14, theme.ink);
        if (grid.distributions) canvas.text({x, ratios + 33}, distributions_words(c), Font::mono, 14, theme.muted);
        canvas.text({x, coins + 14}, "u " + ui::probability(c.coin), Font::mono, 14, theme.ink);
        const auto tip = [&](float y, double survives) {
            ui::tooltip(d.ui, {x, y, w, lane}, "everything up to here stays with probability " + fine_probability(survives));
        };
        const bool thrown = index <= v.token_kept; // the token rule throws no coin behind its first miss
        draw_lane_cell(d, {x, token_y, w, lane}, "a " + fine_probability(c.token_keep),
                       {.accept = c.token_keep, .coin = c.coin, .judged = thrown}, token_outcome(c, thrown));
        tip(token_y, c.token_survives);
        draw_lane_cell(d, {x, block_y, w, lane}, "h " + fine_probability(c.block_keep), {.accept = c.block_keep, .coin = c.coin},
                       block_outcome(c));
        tip(block_y, c.block_survives);
    }
    draw_product(d, grid, product, kStrip);
    std::size_t fold = 0;
    for (const int left_out : grid.shown.left_out) {
        if (left_out == 0) continue;
        const float x = grid.folds[fold++];
        canvas.text({x, area.y + 23}, "+" + std::to_string(left_out), Font::text, 14, theme.muted, Align::center);
        ui::tooltip(d.ui, {x - 14, area.y, 28, 36}, counted(left_out, "guess") + " not shown");
    }
    if (const Rect beside{grid.right() + 40, area.y, area.right() - grid.right() - 40, block_y + lane - area.y};
        d.model.block && table_on_stage(d) && beside.w >= 340)
        draw_trees_table(d, {beside.x, beside.y, std::min(beside.w, 460.0F), beside.h});
    if (!d.model.block) draw_example_words(d, {grid.right() + 40, area.y, area.right() - grid.right() - 40, area.h});
    const std::string expected = "Expected from this draft: " + ui::number(v.token_expected, 2) + " kept token by token, " +
                                 ui::number(v.block_expected, 2) + " as a block";
    const std::vector<std::string> sums{
        expected + "; with these coins " + std::to_string(v.token_kept) + " and " + std::to_string(v.block_kept), expected};
    ui::fitted_text(canvas, {area.x, below + 14}, ui::fitting(canvas, sums, Font::text, 15, area.w), Font::text, 15, theme.ink, area.w);
    const int lines = static_cast<int>((area.bottom() - (below + 38)) / 20) + 1;
    if (!close && below + 38 < area.bottom())
        ui::paragraph(canvas, {area.x, below + 38}, area.w,
                      "The filled part of a bar is a chance, from 0 to 1. A coin on it hits, a coin behind it "
                      "misses. a: chance that the token rule keeps this guess. h: chance of a hit here, which keeps everything up to "
                      "here; where h is 0, only a later hit can. It follows from P and the distributions of the next place.",
                      {.size = 14, .color = theme.muted, .max_lines = lines});
}

} // namespace

void draw_trees_stage(const TreesDraw& d, Rect area) {
    if (shows_figures(d.input, d.model))
        draw_trees_bars(d, area);
    else if (d.model.tree)
        draw_tree_stage(d, area);
    else
        draw_block_stage(d, area);
}

void draw_trees_details(const TreesDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const TreesModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    float y = r.y + 56;
    if (trees_rows(d.input).empty()) {
        ui::fitted_text(canvas, {x, r.y + 32}, trees_study_title(d.input, m), Font::text_bold, 15, theme.ink, w);
        y = ui::paragraph(canvas, {x, y}, w, "Measure to compare a chain under both rules with trees of several sizes.",
                          {.size = 14, .color = theme.muted, .max_lines = 3});
    } else {
        y = draw_trees_table(d, {x, r.y + 18, w, r.h - 78});
        y = ui::paragraph(canvas, {x, y + 24}, w, table_words(d.input), {.size = 14, .color = theme.muted, .max_lines = 3}) -
            20; // the last line's own baseline
    }
    if (m.blocks > 0 && y + 66 < r.bottom())
        ui::paragraph(canvas, {x, y + 34}, w,
                      "Means over " + counted(m.blocks, "block") + " of this run: " + ui::number(m.token_mean, 2) +
                          " drafts expected token by token, " + ui::number(m.block_mean, 2) + " as blocks.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
}

void show_me(const TreesDraw& d) {
    auto settings = d.model.tree ? tree_settings(d.input, d.model) : block_settings(d.input, d.model);
    if (settings) d.out.push_back(Command{Restart{std::move(*settings), kUnlimitedPhases}});
}

void draw_trees_controls(const TreesDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const TreesModel& m = d.model;
    ControlRow row(r);
    const std::string pictures[] = {"block", "tree"};
    Rect at = row.place(ui::segmented_width(ui.canvas, pictures));
    ui::field_label(ui, at, "Picture");
    ui::tooltip(ui, at, "Several guesses for one place, or a chain that is judged as a whole");
    if (const auto pick = ui::segmented(ui, "picture", {at.x, at.y}, pictures, m.tree ? 1 : 0)) d.state.tree = *pick == 1;
    if (m.tree && !m.nodes.empty() && d.input.settings && no_models(d.input).empty()) {
        const RunSettings& now = *d.input.settings;
        const auto stepper = [&](const char* id, const char* label, int value, int low, int high, int DrafterOptions::*field) {
            if (row.room() < 104) return;
            const Rect place = row.place(104);
            ui::field_label(ui, place, label);
            if (const auto to = ui::stepper(ui, id, place, value, {.low = static_cast<double>(low), .high = static_cast<double>(high)})) {
                RunSettings changed = now;
                changed.options.*field = static_cast<int>(*to);
                d.out.push_back(Command{Restart{std::move(changed), kUnlimitedPhases}});
            }
        };
        stepper("topk", "Children", now.options.tree_topk, 1, 8, &DrafterOptions::tree_topk);
        stepper("depth", "Levels", now.options.tree_depth > 0 ? now.options.tree_depth : now.k, 1, 12, &DrafterOptions::tree_depth);
        stepper("budget", "Guesses", now.options.tree_budget, 1, 40, &DrafterOptions::tree_budget);
    } else if (row.room() > 160) {
        at = row.place(176);
        ui::field_label(ui, at, "The run");
        const bool possible = m.tree ? tree_settings(d.input, m).has_value() : block_settings(d.input, m).has_value();
        if (ui::button(ui, "again", at, m.tree ? "Draft a tree" : "Judge by blocks",
                       {.shortcut = "U",
                        .tooltip = "Runs this prompt again, judged or drafted so",
                        .disabled = possible ? "" : "No drafter that could do it is loaded"}))
            show_me(d);
    }
    if (d.input.beat != kTreesGrowthBeat || !times_passes(d.input)) {
        measure_button(d.input, ui, {"measure", "This prompt", "M"}, trees_study(d.input, m), row, d.out);
    } else if (row.room() > 130) {
        at = row.place(146);
        ui::field_label(ui, at, "The target");
        if (ui::button(ui, "passes", at, "Time passes", {.shortcut = "M", .tooltip = "What a pass of 1 to 64 rows takes here"}))
            d.out.push_back(Command{MeasurePasses{}});
    }
}

} // namespace speclens
