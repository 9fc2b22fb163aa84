// Details of the loop: both distributions at the selected column, one row per token, target bar over draft bar, both numbers.
#include <algorithm>

#include "engine/run/full_distributions.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr float kRow = 26;

Message nothing_there(const LoopModel& model, bool last_row) {
    if (!model.round) return loop_says("distributions.empty:before"_t);
    if (model.fast) return loop_says("distributions.empty:fast"_t);
    if (last_row && model.tree) return loop_says("distributions.empty:branch"_t);
    if (last_row) return loop_says("distributions.empty:last_row"_t);
    return loop_says("distributions.empty:nothing"_t);
}

Message side(const std::optional<double>& p) {
    if (!p) return loop_says("distributions.p:unrecorded"_t);
    return *p < 0 ? loop_says("distributions.p:below"_t) : loop_says("distributions.p:listed"_t, "p"_v = *p);
}

void draw_row(const SceneInput& input, ui::Ui& ui, const DistributionRow& row, float x, float right, float y, double scale, bool marked) {
    ui::Canvas& canvas = ui.canvas;
    if (marked) canvas.fill({x - 12, y - 19, right - x + 24, kRow}, ui.theme.raised, 4);
    const auto target = "target"_v = side(row.target);
    const auto draft = "draft"_v = side(row.draft);
    if (row.id < 0) {
        canvas.print({x, y}, loop_says("distributions.other"_t), Font::text, 14, ui.theme.muted);
        canvas.tell(loop_says("distributions.row:other"_t, target, draft), {x - 12, y - 19, right - x + 24, kRow});
    } else {
        ui::token_text(canvas, {x, y}, ui::fit_token(canvas, label_of(*input.trace, row.id), 15, 72), 15, ui.theme.ink);
        ui::thing(ui, {x - 12, y - 19, 92, kRow},
                  loop_says("distributions.row:token"_t, "token"_v = token_said(*input.trace, row.id), "id"_v = row.id, target, draft));
    }
    const auto share = [&](const std::optional<double>& p) { return p ? std::max(0.0, *p) * scale : -1.0; };
    ui::bar_pair(canvas, ui.theme, {x + 80, y - 14, right - 106 - x - 80, 15}, share(row.target), share(row.draft));
    canvas.print({right - 56, y - 1}, side(row.target), Font::mono, 14, row.target ? ui.theme.ink : ui.theme.muted, Align::right);
    canvas.print({right, y - 1}, side(row.draft), Font::mono, 14, ui.theme.muted, Align::right);
}

// Where both are known to the last token: what they share.
std::optional<double> exact_overlap(const SceneInput& input, const LoopModel& model, const ColumnDistributions& of) {
    const bool guess = model.selected < static_cast<int>(model.columns.size()), favourite = guess && model.is_favourite(model.selected);
    // A draft without doubts: what the distributions share is what the target gives that one token.
    if (guess && of.draft.entries.size() == 1 && of.draft.rest <= 0 && !of.target.empty())
        return model.columns[static_cast<std::size_t>(model.selected)].p;
    if (!input.distributions || !model.round || input.distributions->round != model.round->round ||
        input.distributions->index != model.selected || model.greedy || favourite || of.target.empty() || of.draft.empty())
        return {};
    return overlap(input.distributions->target, input.distributions->draft);
}

} // namespace

void draw_loop_distributions(const SceneInput& input, const LoopModel& model, ui::Ui& ui) {
    const Rect r = input.details;
    if (r.w <= 0) return;
    const int columns = static_cast<int>(model.columns.size());
    const bool guess = model.selected < columns, last_row = model.selected == columns;
    const ColumnDistributions of = column_distributions(model, model.selected);
    const LoopColumn* column = guess ? &model.columns[static_cast<std::size_t>(model.selected)] : nullptr;
    const int marked = column && column->draft ? column->draft->token : model.own ? model.own->token : -1;
    const bool both = !of.target.empty() && !of.draft.empty(), bonus = last_row && !model.tree;
    const float x = r.x + 24, right = r.right() - 24;
    DetailsColumn details(ui, r);
    details.title(loop_says("distributions.title"_t, "place"_v = place_words(model), "both"_v = both, "alone"_v = bonus && columns == 0,
                            "bonus"_v = bonus && columns > 0));
    if (of.target.empty() && of.draft.empty()) {
        ui::paragraph(ui.canvas, {x, r.y + 64}, right - x, nothing_there(model, last_row), {.color = ui.theme.muted});
        return;
    }
    ui::icon(ui.canvas, ui::Icon::square, {x + 6, r.y + 54}, 12, ui.theme.role(ui::Role::target));
    ui.canvas.text({x + 18, r.y + 59}, loop_says("distributions.target"_t, "unread"_v = of.target.empty()), Font::text, 14, ui.theme.muted);
    const float draft_x = x + (of.target.empty() ? 150.0F : 86.0F);
    ui::icon(ui.canvas, ui::Icon::diamond, {draft_x, r.y + 54}, 12, ui.theme.role(ui::Role::draft));
    ui.canvas.text({draft_x + 14, r.y + 59}, loop_says("distributions.draft"_t, "none"_v = of.draft.empty()), Font::text, 14,
                   ui.theme.muted);

    // Rows as high as the region allows: at most ten tokens, "other" and the closing line.
    const int room = static_cast<int>((r.h - 70 - 30) / kRow);
    const DistributionTable table = distribution_table(of.target, of.draft, std::clamp(room - 1, 1, 10), marked);
    double largest = 0.02;
    for (const DistributionRow& row : table.rows) largest = std::max({largest, row.target.value_or(0), row.draft.value_or(0)});
    float y = r.y + 89;
    const auto numbers = [&](const Message& name, std::optional<double> DistributionRow::*share) {
        ui::plotted(ui.canvas, {x + 80, y - 14, right - 106 - x - 80, kRow * static_cast<float>(table.rows.size())}, ui::PlotMark::rows,
                    name, table.rows, [&](const DistributionRow& row) {
                        const double p = (row.*share).value_or(-1); // below 0: it is not among those recorded
                        return ui::PlotDatum{.x = p < 0 ? ui::PlotDatum::kNone : p,
                                             .label =
                                                 row.id < 0 ? loop_says("distributions.other"_t).words() : label_of(*input.trace, row.id)};
                    });
    };
    if (!of.target.empty()) numbers(loop_says("distributions.target"_t, "unread"_v = false), &DistributionRow::target);
    if (!of.draft.empty()) numbers(loop_says("distributions.draft"_t, "none"_v = false), &DistributionRow::draft);
    for (const DistributionRow& row : table.rows) {
        draw_row(input, ui, row, x, right, y, 1 / largest, row.id >= 0 && row.id == marked);
        y += kRow;
    }
    y -= 2;
    if (!both) {
        if (of.target.empty())
            ui::fitted_text(ui.canvas, {x, y}, loop_says("distributions.unread"_t, "never"_v = column && column->fate == Fate::discarded),
                            Font::text, 14, ui.theme.muted, right - x);
        else if (model.greedy)
            ui.canvas.text({x, y}, loop_says("distributions.at:both"_t), Font::text, 14, ui.theme.muted);
        return;
    }
    // Two short heads may have nothing in common although the distributions do: then there is no honest number.
    const std::optional<double> shared = exact_overlap(input, model, of);
    const bool exact = shared || table.exact, known = exact || table.overlap >= 0.005;
    const Message at = model.greedy                                  ? loop_says("distributions.at:both"_t)
                       : guess && model.is_favourite(model.selected) ? loop_says("distributions.at:draft"_t)
                                                                     : Message();
    ui::fitted_text(ui.canvas, {x, y}, loop_says("distributions.note"_t, "at"_v = at, "known"_v = known), Font::text, 14, ui.theme.muted,
                    right - x - (known ? 60 : 0));
    if (!known) return;
    const double p = shared.value_or(table.overlap);
    ui.canvas.print({right, y}, (exact ? "" : "≥ ") + ui::probability(p), Font::mono, 14, ui.theme.ink, Align::right);
    ui.canvas.tell(loop_says("distributions.overlap"_t, "least"_v = !exact, "p"_v = p), {right - 60, y - 15, 60, 20});
}

} // namespace speclens
