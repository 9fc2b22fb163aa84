// The pictures of S11: a block judged twice with the same coins, and a tree with its mask.
#include <algorithm>
#include <cmath>

#include "app/ui/format.h"
#include "app/ui/plot.h"
#include "app/ui/text_layout.h"
#include "app/ui/tokens.h"
#include "scenes/cycle_pick.h"
#include "scenes/head_scene.h"
#include "scenes/trees_model.h"
#include "scenes/words.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

Role fate_role(bool kept) {
    return kept ? Role::accepted : Role::rejected;
}

void empty_stage(const TreesDraw& d, Rect area, const std::string& words, const std::string& button,
                 bool possible) {
    const Rect box{area.x, area.y, area.w, std::min(240.0F, area.h)};
    ui::slot(d.ui.canvas, d.ui.theme, box, "");
    ui::fitted_text(d.ui.canvas, {box.center().x, box.center().y - 16}, words, Font::text, 15,
                    d.ui.theme.muted, box.w - 40, Align::center);
    const float w = ui::button_width(d.ui.canvas, button);
    if (ui::button(d.ui, "show me", {box.center().x - w / 2, box.center().y + 8, w, 36}, button,
                   {.kind = ui::ButtonKind::primary,
                    .disabled = possible ? "" : "No drafter that could do it is loaded"}))
        show_me(d);
}

} // namespace

void show_me(const TreesDraw& d) {
    auto settings = d.model.tree ? tree_settings(d.input, d.model) : block_settings(d.input, d.model);
    if (settings) d.out.push_back(Command{Restart{std::move(*settings), Gate::kUnlimited}});
}

void draw_block_stage(const TreesDraw& d, Rect area) {
    const TreesModel& m = d.model;
    if (!m.block) {
        empty_stage(d, area,
                    m.blocks > 0 ? "this round proposed nothing; another one of this run did"
                                 : "a round that was judged as a block is needed",
                    "Judge this run by blocks", block_settings(d.input, m).has_value());
        return;
    }
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BlockVerdict& v = *m.block;
    const float gutter = 152;
    const int total = static_cast<int>(v.columns.size());
    const float pitch = std::clamp((area.w - gutter) / static_cast<float>(total), 84.0F, 150.0F),
                w = pitch - 12;
    const int fits = std::max(1, static_cast<int>((area.w - gutter + 12) / pitch)),
              count = std::min(total, fits);
    const auto x_of = [&](int i) { return area.x + gutter + pitch * static_cast<float>(i); };
    const auto name = [&](float y, const std::string& words, const std::string& detail) {
        ui::fitted_text(canvas, {area.x, y}, words, Font::text_bold, 15, theme.ink, gutter - 16);
        if (!detail.empty())
            ui::fitted_text(canvas, {area.x, y + 20}, detail, Font::text, 14, theme.muted, gutter - 16);
    };
    const float drafts = area.y + 4, laws = drafts + 52, coins = laws + 56, rules = coins + 66;
    name(drafts + 23, "Draft",
         total > count ? "first " + std::to_string(count) + " of " + std::to_string(total) : "");
    name(laws + 12, "Target over draft", "p ÷ q");
    name(coins + 14, "Coins", "the same for both");
    const float room = area.bottom() - rules, lane = std::clamp((room - 44) / 2, 72.0F, 128.0F);
    const float token_y = rules, block_y = rules + lane + 14;
    name(token_y + 16, "Token rule", "up to the first miss");
    name(block_y + 16, "Block", "up to the last hit");
    for (int i = 0; i < count; ++i) {
        const BlockColumn& c = v.columns[static_cast<std::size_t>(i)];
        const float x = x_of(i);
        ui::chip(canvas, theme, {x, drafts, w, 36}, label_of(*d.input.trace, c.token), {.role = Role::draft});
        const std::string ratio = c.q > 0 ? ui::number(std::min(c.p / c.q, 99.0), 2) : std::string("0");
        canvas.text({x + w / 2, laws + 10}, ui::probability(c.p) + " ÷ " + ui::probability(c.q), Font::mono,
                    14, theme.muted, Align::center);
        canvas.text({x + w / 2, laws + 30}, ratio, Font::mono, 14, theme.ink, Align::center);
        canvas.text({x + w / 2, coins + 14}, "u " + ui::probability(c.coin), Font::mono, 14, theme.ink,
                    Align::center);
        const auto verdict = [&](float y, double keep, double survives, double level, bool kept,
                                 const char* letter) {
            // The level is what the rule carries along: the product of what was kept so far, or the
            // coefficient.
            const Rect tank{x, y, w, lane - 40};
            canvas.fill(tank, theme.panel, 4);
            const float h = tank.h * static_cast<float>(std::clamp(level, 0.0, 1.0));
            canvas.fill({tank.x, tank.bottom() - h, tank.w, h}, theme.role(fate_role(kept)).alpha(0.35F), 4);
            canvas.outline(tank, {theme.role(fate_role(kept)), kept ? 1.5F : 1.0F}, 4);
            canvas.text({x + w / 2, tank.center().y + 5}, std::string(letter) + " " + fine_probability(keep),
                        Font::mono, 14, theme.ink, Align::center);
            const bool hit = c.coin < keep;
            ui::icon(canvas, hit ? ui::Icon::check : ui::Icon::cross, {x + 10, y + lane - 24}, 12,
                     theme.role(fate_role(hit)));
            canvas.text({x + 22, y + lane - 19}, kept ? (hit ? "stays" : "rescued") : "goes", Font::text, 14,
                        kept ? theme.ink : theme.muted);
            ui::tooltip(d.ui, {x, y, w, lane},
                        "everything up to here stays with probability " + fine_probability(survives));
        };
        verdict(token_y, c.token_keep, c.token_survives, c.token_survives, c.token_kept, "a");
        verdict(block_y, c.block_keep, c.block_survives, c.joint, c.block_kept, "h");
    }
    const float y = block_y + lane + 8;
    if (y < area.bottom() - 4)
        ui::fitted_text(canvas, {area.x, y + 10},
                        "Expected from this draft: " + ui::number(v.token_expected, 2) +
                            " kept token by token, " + ui::number(v.block_expected, 2) +
                            " as a block; with these coins " + std::to_string(v.token_kept) + " and " +
                            std::to_string(v.block_kept),
                        Font::text, 15, theme.ink, area.w);
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
    const float mask_side = std::min({area.h - 60, area.w * 0.34F, 22.0F * static_cast<float>(rows)});
    const bool mask = mask_side > 90;
    const Rect tree{area.x, area.y + 30, area.w - (mask ? mask_side + 48 : 0), area.h - 34};
    int deepest = 1;
    float lowest = 0;
    for (const TreeNode& node : m.nodes)
        deepest = std::max(deepest, node.depth), lowest = std::max(lowest, node.row);
    ui::fitted_text(canvas, {area.x, area.y + 14},
                    "The tree: " + counted(rows - 1, "guess") + ", " + counted(deepest, "level"),
                    Font::text_bold, 15, theme.ink, tree.w);
    const float column = tree.w / static_cast<float>(deepest + 1),
                line = std::min(46.0F, tree.h / (lowest + 1));
    const float chip_w = std::min(column - 26, 124.0F), chip_h = std::clamp(line - 8, 16.0F, 32.0F);
    const float used = line * (lowest + 1), top = tree.y + std::max(0.0F, (tree.h - used) / 2);
    const auto box = [&](int depth, float row) {
        return Rect{tree.x + column * static_cast<float>(depth), top + line * row + (line - chip_h) / 2,
                    chip_w, chip_h};
    };
    float root = 0;
    int children = 0;
    for (const TreeNode& node : m.nodes)
        if (node.parent < 0) root += node.row, ++children;
    root /= static_cast<float>(std::max(1, children));
    const Rect start = box(0, root);
    for (const TreeNode& node : m.nodes) {
        const Rect to = box(node.depth, node.row);
        const Rect from =
            node.parent < 0 ? start : box(node.depth - 1, m.nodes[static_cast<std::size_t>(node.parent)].row);
        const bool kept = node.state == DraftSlot::State::accepted;
        canvas.line({from.right(), from.center().y}, {to.x, to.center().y},
                    {kept ? theme.role(Role::accepted) : theme.muted.alpha(0.6F), kept ? 2.0F : 1.0F});
    }
    const int anchor = anchor_of(*d.input.whole, *shown_cycle(d.input));
    ui::chip(canvas, theme, start, anchor < 0 ? "text" : label_of(*d.input.trace, anchor),
             {.neutral = true, .glyph = false});
    for (const TreeNode& node : m.nodes)
        ui::chip(canvas, theme, box(node.depth, node.row), label_of(*d.input.trace, node.token),
                 {.role = role_of(node.state), .glyph = chip_h >= 24});

    if (!mask) return;
    const float cell = mask_side / static_cast<float>(rows), left = area.right() - mask_side,
                y0 = area.y + 50;
    ui::fitted_text(canvas, {left, area.y + 14}, "Who sees whom", Font::text_bold, 15, theme.ink, mask_side);
    ui::fitted_text(canvas, {left, area.y + 34}, "a row sees its ancestors", Font::text, 14, theme.muted,
                    mask_side);
    for (int from = 0; from < rows; ++from)
        for (int to = 0; to < rows; ++to) {
            const Rect at{left + cell * static_cast<float>(to), y0 + cell * static_cast<float>(from),
                          cell - 1, cell - 1};
            canvas.fill(at,
                        sees(m.nodes, from, to) ? theme.role(Role::target).alpha(from == to ? 1.0F : 0.6F)
                                                : theme.panel,
                        1);
        }
    ui::tooltip(
        d.ui, {left, y0, mask_side, mask_side},
        std::to_string(rows) +
            " rows of one pass: the pending token, then every guess; all of them see the text before");
}

void draw_trees_details(const TreesDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const TreesModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(canvas, {x, r.y + 32},
                    m.family.empty() ? "On this prompt, the same dice"
                                     : "On this prompt: " + m.family + ", the same dice",
                    Font::text_bold, 15, theme.ink, w);
    const std::vector<TreesRow> rows = trees_rows(d.input);
    float y = r.y + 56;
    if (rows.empty()) {
        y = ui::paragraph(canvas, {x, y}, w,
                          "Measure to compare a chain under both rules with trees of 4, 8 and 16 guesses.",
                          {.size = 14, .color = theme.muted, .max_lines = 3});
    } else {
        const float columns[] = {x + w - 156, x + w - 74, x + w};
        const char* heads[] = {"rows", "tok/round", "speed-up"};
        for (int c = 0; c < 3; ++c)
            canvas.text({columns[c], y}, heads[c], Font::text, 14, theme.muted, Align::right);
        for (const TreesRow& row : rows) {
            y += 25;
            if (y > r.bottom() - 60) break;
            ui::fitted_text(canvas, {x, y}, row.name, Font::text, 14, theme.ink, w - 204);
            canvas.text({columns[0], y}, std::to_string(row.rows), Font::mono, 14, theme.ink, Align::right);
            canvas.text({columns[1], y}, ui::per_round(row.tokens), Font::mono, 14, theme.ink, Align::right);
            canvas.text({columns[2], y}, row.speedup > 0 ? ui::speed_up(row.speedup) : "–", Font::mono, 14,
                        theme.ink, Align::right);
        }
    }
    if (m.blocks > 0 && y + 66 < r.bottom())
        ui::paragraph(canvas, {x, y + 34}, w,
                      "Means over " + counted(m.blocks, "block") +
                          " of this run: " + ui::number(m.token_mean, 2) +
                          " drafts expected token by token, " + ui::number(m.block_mean, 2) + " as blocks.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
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
