#include "scenes/shared/distributions_panel.h"

#include <algorithm>

#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;

constexpr float kRow = 26;

void draw_row(const SceneInput& input, ui::Ui& ui, const DistributionRow& row, float x, float right, float y, double scale, bool marked) {
    ui::Canvas& canvas = ui.canvas;
    if (marked) canvas.fill({x - 12, y - 19, right - x + 24, kRow}, ui.theme.raised, 4);
    if (row.id < 0) {
        canvas.text({x, y}, "other", Font::text, 14, ui.theme.muted);
    } else {
        const std::string label = ui::fit_token(canvas, label_of(*input.trace, row.id), 15, 72);
        ui::token_text(canvas, {x, y}, label, 15, ui.theme.ink);
        ui::tooltip(ui, {x - 12, y - 19, 92, kRow}, quoted(*input.trace, row.id) + ", id " + std::to_string(row.id));
    }
    const auto share = [&](const std::optional<double>& p) { return p ? std::max(0.0, *p) * scale : -1.0; };
    ui::bar_pair(canvas, ui.theme, {x + 80, y - 14, right - 106 - x - 80, 15}, share(row.target), share(row.draft));
    canvas.text({right - 56, y - 1}, distribution_number(row.target), Font::mono, 14, row.target ? ui.theme.ink : ui.theme.muted,
                Align::right);
    canvas.text({right, y - 1}, distribution_number(row.draft), Font::mono, 14, ui.theme.muted, Align::right);
}

} // namespace

void draw_distributions_panel(const SceneInput& input, ui::Ui& ui, const DistributionsPanel& panel) {
    const Rect r = input.details;
    if (r.w <= 0) return;
    const float x = r.x + 24, right = r.right() - 24;
    ui::fitted_text(ui.canvas, {x, r.y + 32}, panel.heading, Font::text_bold, 15, ui.theme.ink, right - x);
    if (panel.target.empty() && panel.draft.empty()) {
        ui::ParagraphStyle style{.color = ui.theme.muted};
        ui::paragraph(ui.canvas, {x, r.y + 64}, right - x, panel.empty, style);
        return;
    }
    ui::icon(ui.canvas, ui::Icon::square, {x + 6, r.y + 54}, 12, ui.theme.role(ui::Role::target));
    ui.canvas.text({x + 18, r.y + 59}, panel.target.empty() ? "target: not read" : "target", Font::text, 14, ui.theme.muted);
    const float draft_x = x + (panel.target.empty() ? 150.0F : 86.0F);
    ui::icon(ui.canvas, ui::Icon::diamond, {draft_x, r.y + 54}, 12, ui.theme.role(ui::Role::draft));
    ui.canvas.text({draft_x + 14, r.y + 59}, panel.draft.empty() ? "draft: no guess" : "draft", Font::text, 14, ui.theme.muted);

    // Rows as high as the region allows: at most ten tokens, "other" and the closing line.
    const int room = static_cast<int>((r.h - 70 - 30) / kRow);
    const int count = std::clamp(room - 1, 1, 10);
    const DistributionTable table = distribution_table(panel.target, panel.draft, count, panel.marked);
    double largest = 0.02;
    for (const DistributionRow& row : table.rows) largest = std::max({largest, row.target.value_or(0), row.draft.value_or(0)});
    float y = r.y + 89;
    for (const DistributionRow& row : table.rows) {
        draw_row(input, ui, row, x, right, y, 1 / largest, row.id >= 0 && row.id == panel.marked);
        y += kRow;
    }
    y -= 2;
    if (panel.target.empty() || panel.draft.empty()) {
        ui::fitted_text(ui.canvas, {x, y}, panel.note, Font::text, 14, ui.theme.muted, right - x);
        return;
    }
    // Two short heads may have nothing in common although the distributions do: then there is no honest number.
    const bool exact = panel.overlap || table.exact, known = exact || table.overlap >= 0.005;
    const std::string note = "sorted by target" + (panel.note.empty() ? std::string() : " · " + panel.note) +
                             (known ? " · overlap" : " · overlap below the recorded heads");
    ui::fitted_text(ui.canvas, {x, y}, note, Font::text, 14, ui.theme.muted, right - x - (known ? 60 : 0));
    if (!known) return;
    const std::string overlap = (exact ? "" : "≥ ") + ui::probability(panel.overlap.value_or(table.overlap));
    ui.canvas.text({right, y}, overlap, Font::mono, 14, ui.theme.ink, Align::right);
}

} // namespace speclens
