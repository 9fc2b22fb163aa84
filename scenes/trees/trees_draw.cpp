// The picture of a tree with its mask, the panel and the controls of S11. The other picture: trees_block.cpp.
#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
#include "ui/format.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

// What the last row sees: "8 sees 0, 1, 3 and 6".
std::string sight_words(const std::vector<TreeNode>& nodes) {
    const int last = static_cast<int>(nodes.size());
    std::vector<std::string> seen;
    for (int to = 0; to < last; ++to)
        if (sees(nodes, last, to)) seen.push_back(std::to_string(to));
    std::string words = std::to_string(last) + " sees ";
    for (std::size_t i = 0; i < seen.size(); ++i)
        words += (i == 0 ? "" : i + 1 == seen.size() ? " and " : ", ") + seen[i];
    return words;
}

// Where the columns of the tree stand, and how wide their chips are. Where not all labels find room, a column
// shows only what became of its guesses; the kept path keeps its labels first.
struct TreeColumns {
    static constexpr float kGap = 14, kCrowdedGap = 8, kSwatch = 20, kWidest = 124, kCrowdedChip = 28;
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
std::vector<float> wanted_chips(const TreesDraw& d, const TreeLayout& layout, int anchor, int deepest,
                                float height) {
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

TreeColumns tree_columns(const TreesDraw& d, const TreeLayout& layout, int anchor, int deepest, Rect area,
                         float number_w) {
    TreeColumns c;
    c.number_w = number_w;
    std::vector<float> wanted = wanted_chips(d, layout, anchor, deepest, 32);
    const std::size_t n = wanted.size();
    const float even = area.w / static_cast<float>(n),
                chip = std::min(even - TreeColumns::kGap - number_w, TreeColumns::kWidest);
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
            const float all = std::max(0.0F, wanted[depth] - TreeColumns::kSwatch),
                        more = std::min(all, room);
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
    for (const std::string& words :
         {"… " + n + " more " + (rest.siblings ? "siblings" : "guesses"), "… " + n + " more"})
        if (d.ui.canvas.text_width(words, Font::text, 14) <= room) return words;
    return "+" + n;
}

float trees_table_height(const TreesDraw& d) {
    return 42 + 25 * static_cast<float>(trees_rows(d.input).size());
}

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

void empty_stage(const TreesDraw& d, Rect area, const std::string& words, const std::string& button,
                 bool possible) {
    const Rect box{area.x, area.y, area.w, std::min(240.0F, area.h)};
    ui::slot(d.ui.canvas, d.ui.theme, box, "");
    ui::fitted_text(d.ui.canvas, {box.center().x, box.center().y - 16}, words, Font::text, 15,
                    d.ui.theme.muted, box.w - 40, Align::center);
    show_me_button(d, {box.center().x, box.center().y + 8}, Align::center, button, possible);
}

} // namespace

void show_me(const TreesDraw& d) {
    auto settings = d.model.tree ? tree_settings(d.input, d.model) : block_settings(d.input, d.model);
    if (settings) d.out.push_back(Command{Restart{std::move(*settings), Gate::kUnlimited}});
}

void show_me_button(const TreesDraw& d, Vec2 at, Align align, const std::string& words, bool possible) {
    const ui::ButtonOptions options{.kind = ui::ButtonKind::primary,
                                    .disabled = possible ? "" : "No drafter that could do it is loaded"};
    const float w = ui::button_width(d.ui.canvas, words, options);
    const Rect place{align == Align::center ? at.x - w / 2 : at.x, at.y, w, 36};
    if (ui::button(d.ui, "show me", place, words, options)) show_me(d);
}

void draw_tree_stage(const TreesDraw& d, Rect area) {
    const TreesModel& m = d.model;
    if (m.nodes.empty()) {
        empty_stage(d, area, "a run that drafts trees is needed", "Draft a tree",
                    tree_settings(d.input, m).has_value());
        return;
    }
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const int rows = static_cast<int>(m.nodes.size()) + 1;
    const float number_w = rows > 10 ? 26.0F : 20.0F; // room for the number of a node or of a row
    int levels = 1;
    float lowest = 0;
    for (const TreeNode& node : m.nodes)
        levels = std::max(levels, node.depth), lowest = std::max(lowest, node.row);
    // Where there is no panel, what the beat speaks of stands below the tree.
    constexpr float kLeastLine = 26, kBelow = 24;
    const float table = table_on_stage(d) ? trees_table_height(d) + kBelow : 0;
    const bool measured = table > 0 && area.h - 34 - table >= kLeastLine * (lowest + 1);
    const float tree_h = area.h - 34 - (measured ? table : 0);
    constexpr float kThinnest = 18; // of a row: the lowest chip that has a label, and a gap
    const TreeLayout layout = tree_layout(m.nodes, std::max(2, static_cast<int>(tree_h / kThinnest)));
    int deepest = 1; // of what is drawn
    for (const TreeNode& node : layout.nodes)
        if (node.drawn()) deepest = std::max(deepest, node.depth);
    const int anchor = anchor_of(*d.input.whole, *shown_cycle(d.input));
    const std::vector<float> wanted = wanted_chips(d, layout, anchor, deepest, 32);
    float mask_side =
        std::min({area.h - 100, area.w * 0.34F, std::max(140.0F, 22.0F * static_cast<float>(rows))});
    const bool mask = mask_side > 90;
    if (mask) { // labels before large cells
        const float even = *std::ranges::max_element(wanted) + TreeColumns::kGap + number_w;
        const float left_over = area.w - 2 * number_w - 40 - even * static_cast<float>(wanted.size());
        mask_side = std::max(std::min(mask_side, left_over),
                             std::min(mask_side, std::max(140.0F, 3.0F * static_cast<float>(rows))));
    }
    const Rect tree{area.x + number_w, area.y + 30,
                    area.w - number_w - (mask ? mask_side + number_w + 40 : 0), tree_h};
    const std::string title = "The tree: " + counted(rows - 1, "guess") + ", " + counted(levels, "level");
    ui::fitted_text(canvas, {area.x, area.y + 14}, title, Font::text_bold, 15, theme.ink, tree.w);
    const TreeColumns columns = tree_columns(d, layout, anchor, deepest, tree, number_w);
    if (columns.crowded)
        draw_kept_text(d, {area.x + 24 + canvas.text_width(title, Font::text_bold, 15), area.y + 14},
                       tree.right());
    const float line = std::min(rows > 20 ? 60.0F : 46.0F, tree.h / static_cast<float>(layout.rows)),
                chip_h = std::clamp(line - 8, 16.0F, columns.crowded ? TreeColumns::kCrowdedChip : 32.0F);
    const float used = line * static_cast<float>(layout.rows),
                top = tree.y + std::max(0.0F, (tree.h - used) / 2);
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
        if (node.drawn())
            branch(node.parent, box(node.depth, node.row), node.state == DraftSlot::State::accepted);
    for (const TreeRest& rest : layout.rests) { // a row of its own: nothing stands to the right of it
        const Rect at = box(rest.depth, rest.row);
        const float x = at.x - columns.number_w + 4;
        branch(rest.parent, at, false);
        canvas.text({x, at.center().y + 5}, rest_words(d, rest, tree.right() - x), Font::text, 14,
                    theme.muted);
    }
    // The same numbers as in the mask: 0 is the token before the tree.
    const auto number = [&](const Rect& at, int index) {
        canvas.text({at.x - 5, at.center().y + 5}, std::to_string(index), Font::mono, 14, theme.muted,
                    Align::right);
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
            ui::chip(canvas, theme, at, label_of(*d.input.trace, node.token),
                     {.role = role, .glyph = chip_h >= 20 && at.w >= 56});
        else
            ui::role_swatch(canvas, theme, {at.x + (at.w - at.h) / 2, at.y, at.h, at.h}, role);
        ui::tooltip(d.ui, at, quoted(*d.input.trace, node.token) + ": " + ui::role_name(role));
    }
    if (measured)
        draw_trees_table(d,
                         {area.x, area.bottom() - table + kBelow, std::min(tree.w, 460.0F), table - kBelow});

    if (!mask) return;
    const float cell = mask_side / static_cast<float>(rows), left = area.right() - mask_side,
                y0 = area.y + 84;
    const float names = left - number_w, names_w = mask_side + number_w;
    ui::fitted_text(canvas, {names, area.y + 14}, "Who sees whom", Font::text_bold, 15, theme.ink, names_w);
    ui::fitted_text(
        canvas, {names, area.y + 34},
        ui::fitting(canvas, {"a row sees its ancestors", "only its ancestors"}, Font::text, 14, names_w),
        Font::text, 14, theme.muted, names_w);
    const std::string sight = sight_words(m.nodes);
    const bool sight_fits = canvas.text_width(sight, Font::text, 14) <= names_w;
    if (sight_fits) canvas.text({names, area.y + 53}, sight, Font::text, 14, theme.muted);
    if (const float below = y0 + mask_side + 24; !sight_fits && below < area.bottom())
        ui::paragraph(canvas, {names, below}, names_w, sight,
                      {.size = 14,
                       .color = theme.muted,
                       .max_lines = 1 + static_cast<int>((area.bottom() - below) / 20)});
    const int every = static_cast<int>(std::ceil(20 / cell)); // so that numbers do not touch
    for (int i = 0; i < rows; i += every) {
        const float middle = cell * (static_cast<float>(i) + 0.5F) - 0.5F;
        canvas.text({left + middle, y0 - 5}, std::to_string(i), Font::mono, 14, theme.muted, Align::center);
        canvas.text({left - 5, y0 + middle + 5}, std::to_string(i), Font::mono, 14, theme.muted,
                    Align::right);
    }
    for (int from = 0; from < rows; ++from)
        for (int to = 0; to < rows; ++to) {
            const Rect at{left + cell * static_cast<float>(to), y0 + cell * static_cast<float>(from),
                          cell - 1, cell - 1};
            canvas.fill(at,
                        sees(m.nodes, from, to) ? theme.role(Role::target).alpha(from == to ? 1.0F : 0.6F)
                                                : theme.panel,
                        1);
        }
    ui::tooltip(d.ui, {left, y0, mask_side, mask_side},
                std::to_string(rows) + " rows of one pass: 0 is the pending token, then come the guesses; "
                                       "all of them see the text before");
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
    if (const auto pick = ui::segmented(ui, "picture", {at.x, at.y}, pictures, m.tree ? 1 : 0))
        d.state.tree = *pick == 1;
    if (m.tree && !m.nodes.empty() && d.input.settings && no_models(d.input).empty()) {
        const RunSettings& now = *d.input.settings;
        const auto stepper = [&](const char* id, const char* label, int value, int low, int high,
                                 int DrafterOptions::*field) {
            if (row.room() < 104) return;
            const Rect place = row.place(104);
            ui::field_label(ui, place, label);
            if (const auto to =
                    ui::stepper(ui, id, place, value,
                                {.low = static_cast<double>(low), .high = static_cast<double>(high)})) {
                RunSettings changed = now;
                changed.options.*field = static_cast<int>(*to);
                d.out.push_back(Command{Restart{std::move(changed), Gate::kUnlimited}});
            }
        };
        stepper("topk", "Children", now.options.tree_topk, 1, 8, &DrafterOptions::tree_topk);
        stepper("depth", "Levels", now.options.tree_depth > 0 ? now.options.tree_depth : now.k, 1, 12,
                &DrafterOptions::tree_depth);
        stepper("budget", "Guesses", now.options.tree_budget, 1, 40, &DrafterOptions::tree_budget);
    } else if (row.room() > 160) {
        at = row.place(176);
        ui::field_label(ui, at, "The run");
        const bool possible =
            m.tree ? tree_settings(d.input, m).has_value() : block_settings(d.input, m).has_value();
        if (ui::button(
                ui, "again", at, m.tree ? "Draft a tree" : "Judge by blocks",
                {.shortcut = "U", .disabled = possible ? "" : "No drafter that could do it is loaded"}))
            show_me(d);
    }
    measure_button(d.input, ui, {"measure", "This prompt", "M"}, trees_study(d.input, m), row, d.out);
}

} // namespace speclens
