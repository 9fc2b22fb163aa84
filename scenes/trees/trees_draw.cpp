// The pictures of S11: what was measured of chains and trees on this prompt, as a table and as bars for a room; a tree
// with its mask; and the controls.
#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

// What stands behind the table, and what its numbers cannot tell.
Message study_note(const SceneInput& input, const std::vector<TreesRow>& rows) {
    return trees_says("study.note"_t, "sample"_v = trees_sample_words(input), "few"_v = std::ranges::any_of(rows, &TreesRow::few),
                      "close"_v = measured_trees(input)->complete() && trees_leaders(rows).most.size() > 1);
}

Message speedup_words(const TreesRow& row) {
    if (row.speedup > 0) return trees_says("study.times:known"_t, "times"_v = row.speedup, "doubt"_v = row.doubt);
    return row.few ? trees_says("study.times:few"_t) : trees_says("study.times:none"_t);
}

Message row_words(const SceneInput& input, const TreesRow& row) {
    return trees_says("study.row"_t, "name"_v = row.name(), "rows"_v = row.rows, "tokens"_v = with_chance(row.rounds),
                      "timed"_v = !without_times(input), "draft"_v = row.draft_ms, "verify"_v = row.verify_ms,
                      "times"_v = row.speedup > 0 ? speedup_words(row) : Message(), "few"_v = row.few);
}

} // namespace

bool table_on_stage(const TreesDraw& d) {
    return d.input.details.w <= 0 && d.input.beat >= kTreesCostBeat && d.model.growth.path.empty() && !trees_rows(d.input).empty();
}

float draw_trees_table(const TreesDraw& d, Rect r) {
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, trees_study_title(d.input, d.model));
    const bool timed = !without_times(d.input);
    const float end = timed ? r.right() - 80 : r.right();
    float y = r.y + 38;
    const auto column = [&](float right, const Message& words) {
        d.ui.canvas.text({right, y}, words, Font::text, 14, theme.muted, Align::right);
    };
    column(end - 96, trees_says("study.rows"_t));
    column(end, trees_says("study.tokens"_t));
    if (timed) column(r.right(), trees_says("study.speedup"_t));
    const auto number = [&](float right, std::string_view words) {
        d.ui.canvas.print({right, y}, words, Font::mono, 14, theme.ink, Align::right);
    };
    for (const TreesRow& row : trees_rows(d.input)) {
        if (y <= r.bottom()) y += 25;
        d.ui.canvas.tell(row_words(d.input, row), {r.x, y - 15, r.w, 20}, ui::Canvas::Told::drawn);
        if (y > r.bottom()) continue;
        cell(d.ui, {r.x, y}, row.name(), r.w - 216, {theme.ink});
        number(end - 96, std::to_string(row.rows));
        number(end, with_chance(row.rounds));
        if (timed) number(r.right(), speedup_words(row));
    }
    return y;
}

void draw_trees_bars(const TreesDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<TreesRow> rows = trees_rows(d.input);
    part_head(d.ui, r, trees_study_title(d.input, d.model));
    const float left = r.x + 110, right = r.right() - 196, tokens = r.right() - 84;
    const float pitch = std::min(48.0F, (r.h - 60) / static_cast<float>(std::max<std::size_t>(1, rows.size())));
    const std::pair<Message, Role> key[] = {{trees_says("study.draft"_t), Role::draft}, {trees_says("study.verify"_t), Role::target}};
    marks_key(d.ui, {left, r.y + 44}, r.right(), key, [&](Rect box, Role role) { canvas.fill(box, theme.role(role), 2); });
    canvas.text({tokens, r.y + 44}, trees_says("study.tokens"_t), Font::text, 14, theme.muted, Align::right);
    canvas.text({r.right(), r.y + 44}, trees_says("study.speedup"_t), Font::text, 14, theme.muted, Align::right);
    double longest = 1e-9;
    for (const TreesRow& row : rows) longest = std::max(longest, row.ms());
    const auto length = [&](double ms) { return (right - 54 - left) * static_cast<float>(ms / longest); };
    float y = r.y + 58;
    for (const TreesRow& row : rows) {
        const float base = y + pitch / 2 + 5, h = std::min(24.0F, pitch - 8), top = y + (pitch - h) / 2;
        canvas.print({r.x, base}, row.name(), Font::text, 15, theme.ink);
        const float draft = length(row.draft_ms), verify = length(row.verify_ms);
        canvas.fill({left, top, draft, h}, theme.role(Role::draft), 2);
        canvas.fill({left + draft + 1, top, verify, h}, theme.role(Role::target), 2);
        canvas.tell(
            trees_says("study.bar"_t, "name"_v = row.name(), "draft"_v = row.draft_ms, "verify"_v = row.verify_ms, "round"_v = row.ms()),
            {left, top, draft + 1 + verify, h});
        canvas.print({left + draft + verify + 8, base}, ui::number(row.ms(), 2), Font::mono, 14, theme.muted);
        canvas.print({tokens, base}, with_chance(row.rounds), Font::mono, 15, theme.ink, Align::right);
        canvas.print({r.right(), base}, speedup_words(row), Font::mono, 15, theme.ink, Align::right);
        y += pitch;
    }
}

namespace {

constexpr SaidOf<"trees"> kTreesSaid; // of a list: its words are nobody's alone

// What a row of the pass sees of those before it: "8 sees 0, 1, 3 and 6".
Message sight_words(const std::vector<TreeNode>& nodes, int row) {
    std::vector<Said> before;
    int last = 0; // the pending token, which all of them see
    for (int to = 1; to < row; ++to) {
        if (!sees(nodes, row, to)) continue;
        before.push_back(kTreesSaid("sight.number"_t, "row"_v = last));
        last = to;
    }
    return trees_says("sight.row"_t, "row"_v = row, "before"_v = before, "last"_v = last);
}

Message fate_of(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return trees_says("tree.fate:kept"_t);
    case DraftSlot::State::rejected: return trees_says("tree.fate:refused"_t);
    case DraftSlot::State::discarded: return trees_says("tree.fate:discarded"_t);
    case DraftSlot::State::drafted: break;
    }
    return trees_says("tree.fate:open"_t);
}

Message node_words(const TreesDraw& d, std::size_t i) {
    const TreeNode& node = d.model.nodes[i];
    return trees_says("tree.node"_t, "node"_v = i + 1, "level"_v = node.depth, "after"_v = node.parent + 1,
                      "token"_v = token_said(*d.input.trace, node.token), "fate"_v = fate_of(node.state));
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
    return starts_empty(*d.input.whole->header) ? trees_says("tree.root:start"_t) : trees_says("tree.root:text"_t);
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
    c.number_w = std::min(number_w, d.ui.canvas.printed_width(longest, Font::mono, 14) + kAround);
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
Message rest_words(const TreesDraw& d, const TreeRest& rest, float room) {
    const auto guesses = "guesses"_v = rest.guesses;
    const Message ways[] = {rest.siblings ? trees_says("tree.rest:siblings"_t, guesses) : trees_says("tree.rest:guesses"_t, guesses),
                            trees_says("tree.rest:more"_t, guesses), trees_says("tree.rest:number"_t, guesses)};
    return ui::fitting(d.ui.canvas, ways, Font::text, 14, room);
}

// The branch that stays as running text, where the tree has no room for all of its labels.
void draw_kept_text(const TreesDraw& d, Vec2 at, float right) {
    ui::Canvas& canvas = d.ui.canvas;
    const Message name = trees_says("tree.kept"_t);
    const float after = at.x + canvas.text_width(name, Font::text, 14);
    float x = after;
    for (const TreeNode& node : d.model.nodes) {
        if (node.state != DraftSlot::State::accepted) continue;
        const std::string bytes = d.input.trace->text(node.token);
        const float w = ui::running_width(canvas, bytes, 15);
        if (x + w > right) break;
        if (x == after) canvas.print(at, name, Font::text, 14, d.ui.theme.muted);
        x += ui::running_token(canvas, d.ui.theme, {x, at.y}, bytes, Role::accepted, false, 15);
    }
}

// The mask of the pass: which row sees which, a square at the right of the area.
void draw_sight(const TreesDraw& d, Rect area, float mask_side, float number_w) {
    const TreesModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const int rows = static_cast<int>(m.nodes.size()) + 1;
    const float cell = mask_side / static_cast<float>(rows), left = area.right() - mask_side, y0 = area.y + 84;
    const float names = left - number_w, names_w = mask_side + number_w;
    part_head(d.ui, {names, area.y, names_w, 34}, trees_says("sight.title"_t),
              {trees_says("sight.how:whole"_t), trees_says("sight.how:short"_t)});
    const Message sight = sight_words(m.nodes, rows - 1);
    const float below = y0 + mask_side + 24;
    if (canvas.text_width(sight, Font::text, 14) <= names_w)
        canvas.text({names, area.y + 53}, sight, Font::text, 14, theme.muted);
    else if (below < area.bottom())
        ui::paragraph(canvas, {names, below}, names_w, sight,
                      {.size = 14, .color = theme.muted, .max_lines = 1 + static_cast<int>((area.bottom() - below) / 20)});
    else
        canvas.tell(sight, area);
    const int every = static_cast<int>(std::ceil(20 / cell)); // so that numbers do not touch
    for (int i = 0; i < rows; i += every) {
        const float middle = cell * (static_cast<float>(i) + 0.5F) - 0.5F;
        canvas.print({left + middle, y0 - 5}, std::to_string(i), Font::mono, 14, theme.muted, Align::center);
        canvas.print({left - 5, y0 + middle + 5}, std::to_string(i), Font::mono, 14, theme.muted, Align::right);
    }
    for (int from = 0; from < rows; ++from)
        for (int to = 0; to < rows; ++to) {
            const Rect at{left + cell * static_cast<float>(to), y0 + cell * static_cast<float>(from), cell - 1, cell - 1};
            canvas.fill(at, sees(m.nodes, from, to) ? theme.role(Role::target).alpha(from == to ? 1.0F : 0.6F) : theme.panel, 1);
        }
    ui::thing(d.ui, {left, y0, mask_side, mask_side}, trees_says("sight.mask"_t, "rows"_v = rows));
    for (int row = 1; row + 1 < rows; ++row)
        canvas.tell(sight_words(m.nodes, row), {left, y0 + cell * static_cast<float>(row), mask_side, cell});
}

void draw_tree_stage(const TreesDraw& d, Rect area) {
    const TreesModel& m = d.model;
    if (m.nodes.empty()) {
        const Rect box{area.x, area.y, area.w, std::min(240.0F, area.h)};
        if (m.comes) return ui::slot(d.ui.canvas, d.ui.theme, box, trees_says("tree.comes"_t));
        ui::slot(d.ui.canvas, d.ui.theme, box, {});
        ui::fitted_text(d.ui.canvas, {box.center().x, box.center().y - 16}, trees_says("tree.none"_t), Font::text, 15, d.ui.theme.muted,
                        box.w - 40, Align::center);
        return show_me_button(d, {box.center().x, box.center().y + 8}, Align::center, trees_says("controls.draft"_t));
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
    const float table = table_on_stage(d) ? 42 + 25 * static_cast<float>(trees_rows(d.input).size()) + kBelow : 0;
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
    const Message title = trees_says("tree.title"_t, "guesses"_v = rows - 1, "levels"_v = levels);
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
        canvas.print({at.x - 5, at.center().y + 5}, std::to_string(index), Font::mono, 14, theme.muted, Align::right);
    };
    number(start, 0);
    ui::chip(canvas, theme, start, root_label(d, anchor), {.neutral = true, .glyph = false});
    canvas.tell(trees_says("tree.from"_t, "token"_v = anchor < 0 ? Message() : token_said(*d.input.trace, anchor)), start);
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
        const TreeNode& node = layout.nodes[i];
        if (!node.drawn()) { // told all the same
            canvas.tell(node_words(d, i), tree);
            continue;
        }
        const Rect at = box(node.depth, node.row);
        number(at, static_cast<int>(i) + 1);
        const Role role = role_of(node.state);
        if (columns.labelled(node.depth))
            ui::chip(canvas, theme, at, label_of(*d.input.trace, node.token), {.role = role, .glyph = chip_h >= 20 && at.w >= 56});
        else
            ui::role_swatch(canvas, theme, {at.x + (at.w - at.h) / 2, at.y, at.h, at.h}, role);
        ui::thing(d.ui, at, node_words(d, i));
    }
    if (measured) draw_trees_table(d, {area.x, area.bottom() - table + kBelow, std::min(tree.w, 460.0F), table - kBelow});

    if (grown) return draw_tree_growth(d, {area.right() - mask_side, area.y, mask_side, area.h});
    if (mask) draw_sight(d, area, mask_side, number_w);
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
    const ui::Color muted = d.ui.theme.muted;
    const TreesModel& m = d.model;
    const std::vector<TreesRow> rows = trees_rows(d.input);
    DetailsColumn column(d.ui, r);
    if (rows.empty()) {
        column.title(trees_study_title(d.input, m));
        column.y = r.y + 56;
        column.between = 34;
        column.paragraph(trees_says("study.unmeasured"_t), muted, 3);
    } else {
        column.y = draw_trees_table(d, {r.x + 24, r.y + 18, r.w - 48, r.h - 78}) + 24;
        column.paragraph(study_note(d.input, rows), muted, 3);
        if (measured_trees(d.input)->complete())
            column.tell(trees_says("study.most"_t, "most"_v = most_tokens_words(rows, trees_leaders(rows))));
    }
    if (m.blocks > 0)
        column.paragraph(trees_says("study.means"_t, "blocks"_v = m.blocks, "token"_v = m.token_mean, "block"_v = m.block_mean), muted, 3);
}

void show_me(const TreesDraw& d) {
    if (auto settings = run_to_show(d.input, d.model)) d.out.push_back(Command{Restart{std::move(*settings), kUnlimitedPhases}});
}

namespace {

Message why_not(const TreesDraw& d) { return run_to_show(d.input, d.model) ? Message() : trees_says("controls.off"_t); }

} // namespace

void show_me_button(const TreesDraw& d, Vec2 at, Align align, const Message& words) {
    const ui::ButtonOptions options{.kind = ui::ButtonKind::primary, .disabled = why_not(d)};
    const float w = ui::button_width(d.ui.canvas, words, options);
    const Rect place{align == Align::center ? at.x - w / 2 : at.x, at.y, w, 36};
    if (ui::button(d.ui, "show me", place, words, options)) show_me(d);
}

void draw_trees_controls(const TreesDraw& d) {
    ui::Ui& ui = d.ui;
    const TreesModel& m = d.model;
    ControlRow row(d.input.controls);
    const Message pictures[] = {trees_says("controls.block"_t), trees_says("controls.tree"_t)};
    if (const auto pick = segmented(ui, row, {"picture", trees_says("controls.picture"_t), trees_says("controls.picture_about"_t)},
                                    pictures, m.tree ? 1 : 0))
        d.state.tree = *pick == 1;
    if (m.tree && !m.nodes.empty() && d.input.settings && no_models(d.input).empty()) {
        const RunSettings& now = *d.input.settings;
        const auto shape = [&](const char* id, const Message& label, int value, int high, int DrafterOptions::*field) {
            if (row.room() < 104) return;
            const Rect place = row.place(104);
            ui::field_label(ui, place, label);
            if (const auto to = ui::stepper(ui, id, place, value, {.low = 1, .high = static_cast<double>(high)})) {
                RunSettings changed = now;
                changed.options.*field = static_cast<int>(*to);
                d.out.push_back(Command{Restart{std::move(changed), kUnlimitedPhases}});
            }
        };
        shape("topk", trees_says("controls.children"_t), now.options.tree_topk, 8, &DrafterOptions::tree_topk);
        shape("depth", trees_says("controls.levels"_t), now.options.tree_depth > 0 ? now.options.tree_depth : now.k, 12,
              &DrafterOptions::tree_depth);
        shape("budget", trees_says("controls.guesses"_t), now.options.tree_budget, 40, &DrafterOptions::tree_budget);
    } else if (row.room() > 160) {
        const Rect at = row.place(176);
        ui::field_label(ui, at, trees_says("controls.run"_t));
        if (ui::button(ui, "again", at, m.tree ? trees_says("controls.draft"_t) : trees_says("controls.judge"_t),
                       {.shortcut = "U", .tooltip = trees_says("controls.run_about"_t), .disabled = why_not(d)}))
            show_me(d);
    }
    if (d.input.beat != kTreesGrowthBeat || !times_passes(d.input)) {
        measure_button(d.input, ui, {"measure", trees_says("controls.prompt"_t), "M"}, trees_study(d.input, m), row, d.out);
    } else if (row.room() > 130) {
        const Rect at = row.place(146);
        ui::field_label(ui, at, trees_says("controls.target"_t));
        if (ui::button(ui, "passes", at, trees_says("controls.passes"_t),
                       {.shortcut = "M", .tooltip = trees_says("controls.passes_about"_t)}))
            d.out.push_back(Command{MeasurePasses{}});
    }
}

} // namespace speclens
