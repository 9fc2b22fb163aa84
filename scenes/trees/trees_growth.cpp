// How a tree grows, as arithmetic and as a picture: what each guess adds, and from where on it pays.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/plain_time.h"
#include "scenes/trees/trees_model.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// What the draft gave the token at temperature 1; 0: not among what was recorded.
double own_probability(const Drafted& drafted) {
    const TopEntries& row = drafted.raw_top.empty() ? drafted.top : drafted.raw_top;
    const auto found = std::ranges::find(row.entries, drafted.token, &TopEntries::Entry::id);
    return found == row.entries.end() ? 0 : std::exp(found->logp);
}

// The bars' names and what the line is.
void draw_growth_key(const TreesDraw& d, Rect area, bool timed) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    float x = area.x;
    canvas.fill({x, area.y + 26, 12, 12}, theme.role(Role::draft), 2);
    const Message line = trees_says("growth.line"_t);
    const Message ways[] = {trees_says("growth.bars:whole"_t), trees_says("growth.bars:short"_t), trees_says("growth.bars:least"_t)};
    const float room = area.w - 18 - (timed ? 48 + canvas.text_width(line, Font::text, 14) : 0);
    const Message bars = ui::fitting(canvas, ways, Font::text, 14, room);
    canvas.text({x += 18, area.y + 37}, bars, Font::text, 14, theme.muted);
    if (!timed) return;
    x += canvas.text_width(bars, Font::text, 14) + 20;
    canvas.line({x, area.y + 32}, {x + 20, area.y + 32}, {theme.ink, 2, 4, 3});
    canvas.text({x + 28, area.y + 37}, line, Font::text, 14, theme.muted);
}

Message grown_guess(const TreeGrowth& growth, std::size_t i) {
    const bool timed = !growth.needed.empty();
    return trees_says("growth.guess"_t, "guess"_v = i + 1, "path"_v = growth.path[i], "expected"_v = growth.expected(i + 1),
                      "needed"_v = timed ? std::optional(growth.needed[i]) : std::nullopt);
}

// What the tree brings, and its part that pays.
Message growth_sum(const TreeGrowth& growth) {
    const auto all = "all"_v = growth.expected(growth.path.size());
    if (growth.best == static_cast<int>(growth.path.size())) return trees_says("growth.sum:all"_t, all);
    if (growth.best == 0) return trees_says("growth.sum:none"_t, all);
    return trees_says("growth.sum:some"_t, all, "first"_v = growth.best, "some"_v = growth.expected(static_cast<std::size_t>(growth.best)));
}

} // namespace

double TreeGrowth::expected(std::size_t guesses) const {
    return std::accumulate(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(std::min(guesses, path.size())), 1.0);
}

bool times_passes(const SceneInput& input) { return models_loaded(input) && untimed_passes(input).empty(); }

bool grows_by_paths(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info && info->tree && info->reads_setting(Setting::tree_chain);
}

TreeGrowth tree_growth(const RoundSummary& round, const PassTimes* passes) {
    TreeGrowth growth;
    for (const DraftSlot& slot : round.drafts) {
        const double before = slot.parent < 0 ? 1 : growth.path[static_cast<std::size_t>(slot.parent)];
        const double own = slot.draft ? own_probability(*slot.draft) : 0;
        if (own <= 0) return {};
        growth.path.push_back(before * own);
    }
    growth.best = static_cast<int>(growth.path.size());
    if (!passes || passes->passes.size() < 2) return growth;
    growth.doubt = message(passes->in_doubt());
    double rate = 1 / (round.draft_ms + pass_ms(*passes, 1));
    growth.best = 0;
    for (std::size_t i = 0; i < growth.path.size(); ++i) {
        const double rows = static_cast<double>(i) + 1;
        const double took = round.draft_ms + pass_ms(*passes, rows), takes = round.draft_ms + pass_ms(*passes, rows + 1);
        growth.needed.push_back(std::max(0.0, takes - took) * growth.expected(i) / took);
        if (const double now = growth.expected(i + 1) / takes; now > rate) rate = now, growth.best = static_cast<int>(i) + 1;
    }
    return growth;
}

void draw_tree_growth(const TreesDraw& d, Rect area) {
    const TreeGrowth& growth = d.model.growth;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const auto count = static_cast<int>(growth.path.size());
    const bool timed = !growth.needed.empty();
    part_head(d.ui, area, trees_says("growth.title"_t));
    draw_growth_key(d, area, timed);
    const Rect plot{area.x + 36, area.y + 60, area.w - 40, std::min(300.0F, area.h - 60 - 62)};
    double highest = std::max(0.05, growth.path.empty() ? 0.0 : std::ranges::max(growth.path));
    if (timed) highest = std::max(highest, std::min(1.0, std::ranges::max(growth.needed)));
    const ui::Scale y{0, highest * 1.05, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, highest, 4), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::plotted_by_place(canvas, plot, ui::PlotMark::bars, trees_says("growth.series:path"_t), growth.path);
    ui::plotted_by_place(canvas, plot, ui::PlotMark::points, trees_says("growth.series:needed"_t), growth.needed);
    const float pitch = plot.w / static_cast<float>(std::max(1, count)), width = std::min(36.0F, pitch * 0.62F);
    for (int i = 0; i < count; ++i) {
        const double path = growth.path[static_cast<std::size_t>(i)];
        const float middle = plot.x + pitch * (static_cast<float>(i) + 0.5F);
        const Rect bar{middle - width / 2, y(path), width, plot.bottom() - y(path)};
        canvas.fill(bar, theme.role(Role::draft).alpha(i < growth.best ? 1.0F : 0.35F), 2);
        if (pitch >= 22) canvas.print({middle, plot.bottom() + 20}, std::to_string(i + 1), Font::mono, 14, theme.muted, ui::Align::center);
        if (timed) {
            const float level = y(std::min(growth.needed[static_cast<std::size_t>(i)], highest));
            canvas.line({middle - pitch / 2, level}, {middle + pitch / 2, level}, {theme.ink, 2, 4, 3});
        }
        ui::thing(d.ui, {middle - pitch / 2, plot.y, pitch, plot.h + 24}, grown_guess(growth, static_cast<std::size_t>(i)));
    }
    ui::paragraph(canvas, {area.x, plot.bottom() + 46}, area.w, growth_sum(growth), {.size = 14, .color = theme.ink, .max_lines = 2});
}

} // namespace speclens
