// How the selected drafter guesses, and the controls below the table.
#include <algorithm>

#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"

namespace speclens {

namespace {

// How much of the target drafts: its first layers, from one to all but the last.
void draw_exit_slider(const DraftersDraw& d, const DrafterRow& row, ui::Rect r) {
    const int layers = d.model.guesses->target_layers;
    const int planned = row.guess ? row.guess->plan.exit_layer : 0;
    const int now = d.choice.exit_layer > 0           ? d.choice.exit_layer
                    : planned > 0 && planned < layers ? planned
                                                      : layers - 1;
    d.ui.canvas.text({r.x, r.y + 8},
                     "Drafts with the first " + counted(now, "layer") + " of " + std::to_string(layers),
                     ui::Font::text, 14, d.ui.theme.muted);
    if (const auto to =
            ui::slider(d.ui, "exit layer", {r.x, r.y + 20, r.w, 20}, now, 1, layers - 1, {.step = 1}))
        d.choice.exit_layer = std::clamp(static_cast<int>(*to + 0.5), 1, layers - 1);
}

} // namespace

void draw_drafter_details(const DraftersDraw& d) {
    const ui::Rect r = d.input.details;
    const DrafterRow* row = d.model.row();
    if (r.w <= 0 || !row) return;
    const bool slider = row->name() == "skip" && d.model.can_ask && d.model.guesses &&
                        d.model.guesses->target_layers > 2 && r.h > 200;
    const float x = r.x + 24, w = r.w - 48, end = r.bottom() - (slider ? 76.0F : 12.0F);
    if (slider) draw_exit_slider(d, *row, {x, r.bottom() - 56, w, 44});
    ui::icon(d.ui.canvas, row->mark, {x + 8, r.y + 27}, 15, d.ui.theme.ink);
    ui::fitted_text(d.ui.canvas, {x + 26, r.y + 32}, row->info->title, ui::Font::text_bold, 15,
                    d.ui.theme.ink, w - 26);
    float y = r.y + 60;
    const auto add = [&](const std::string& words, float size, ui::Color color) {
        if (words.empty()) return;
        ui::ParagraphStyle style{.size = size, .color = color};
        const int lines = ui::paragraph_lines(d.ui.canvas, w, words, style);
        const int fit = static_cast<int>((end - y) / ui::line_height(size)) + 1;
        if (y > end || fit < std::min(lines, 2)) return;
        style.max_lines = fit;
        y = ui::paragraph(d.ui.canvas, {x, y}, w, words, style) + 5;
    };
    add(drafter_how(row->name()), 15, d.ui.theme.ink);
    for (const std::string& fact : drafter_facts(d.input, d.model, *row)) add(fact, 14, d.ui.theme.ink);
    add(drafter_round_words(d.input, d.model, *row), 14, d.ui.theme.muted);
    add(drafter_published_words(d.input, *row), 14, d.ui.theme.muted);
}

std::string why_not_go_on(const DraftersDraw& d) {
    const DrafterRow* row = d.model.row();
    if (!row || !d.input.settings) return "No drafter is selected";
    if (!models_loaded(d.input)) return "No models are loaded: this run was saved earlier";
    if (!drafter_ready(d.input, row->name())) return row->title + " cannot run with these models";
    return "";
}

void go_on_with(const DraftersDraw& d) {
    RunSettings settings = with_drafter(*d.input.settings, d.model.row()->name());
    if (settings.k == 0) settings.k = usual_k(settings.drafter);
    if (settings.drafter == "skip" && d.choice.exit_layer > 0) {
        settings.options = {};
        settings.options.exit_layer = d.choice.exit_layer;
    }
    d.out.push_back(Command{Restart{std::move(settings)}});
    d.out.push_back(OpenScene{"loop"});
}

void draw_drafter_controls(const DraftersDraw& d) {
    const ui::Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const float y = r.y + 36;
    float x = r.x + 24;
    const auto& names = drafter_filter_names();
    const float filter = ui::segmented_width(ui.canvas, names);
    ui::field_label(ui, {x, y, filter, 36}, "Show");
    if (const auto pick = ui::segmented(ui, "filter", {x, y}, names, static_cast<int>(d.model.filter)))
        d.choice.filter = static_cast<DrafterFilter>(*pick);
    x += filter + 20;
    const auto& cycles = d.input.whole->cycles;
    int at = 0;
    for (int i = 0; i < static_cast<int>(cycles.size()); ++i)
        if (cycles[static_cast<std::size_t>(i)].cycle == d.model.cycle->cycle) at = i;
    const ui::Rect stepper{x, y, 148, 36};
    ui::field_label(ui, stepper, "Round");
    const std::string shown = std::to_string(at + 1) + " of " + std::to_string(cycles.size());
    if (const auto to = ui::stepper(ui, "round", stepper, at + 1,
                                    {.low = 1,
                                     .high = static_cast<double>(std::max<std::size_t>(1, cycles.size())),
                                     .text = shown,
                                     .tooltip = "Shift+← and Shift+→"}))
        d.out.push_back(
            SetCursor{cycles[static_cast<std::size_t>(std::clamp(static_cast<int>(*to) - 1, 0,
                                                                 static_cast<int>(cycles.size()) - 1))]
                          .end_event});
    x += 148 + 20;
    const float room = r.right() - 24 - x;
    if (room < 110 || !d.model.row()) return;
    const std::string label = room >= 270 ? "Go on with " + d.model.row()->title : "Go on";
    ui::field_label(ui, {x, y, room, 36}, "This drafter");
    if (ui::button(ui, "go", {x, y, std::min(room, 300.0F), 36}, label,
                   {.kind = ui::ButtonKind::primary, .shortcut = "Enter", .disabled = why_not_go_on(d)}))
        go_on_with(d);
}

} // namespace speclens
