// The table of drafters: mark and name, weights, draft time, the guesses with their verdicts, tokens of the round,
// published speed-ups. How the selected drafter guesses, and the controls below the table.
#include "scenes/drafters/drafters_draw.h"

#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

struct Columns {
    float left, name, needs, ms, guesses, tokens, published,
        right; // left edges; `right`: the end of the table
    [[nodiscard]] bool has_published() const { return published < right; }
    [[nodiscard]] float guess_room() const { return tokens - 20 - guesses; }
};

Columns columns_for(Rect stage) {
    Columns c{};
    c.left = stage.x + 24;
    c.right = stage.right() - 24;
    c.name = c.left + 28;
    c.needs = c.name + 124;
    c.ms = c.needs + 84;
    c.guesses = c.ms + 72;
    c.published = c.right - c.left >= 860 ? c.right - 118 : c.right;
    c.tokens = c.published - (c.has_published() ? 116.0F : 100.0F);
    return c;
}

bool told(const DraftersDraw& d) { return verdicts_told(d.input); }

void heading(const DraftersDraw& d, const Columns& c, float y) {
    const auto words = [&](float x, const char* text, float w, Align align = Align::left) {
        ui::fitted_text(d.ui.canvas, {x, y}, text, Font::text, 14, d.ui.theme.muted, w, align);
    };
    words(c.name, "Drafter", 108);
    words(c.needs, "Stored", 76);
    words(c.guesses - 16, "Draft, ms", 80, Align::right);
    words(c.guesses, told(d) ? "Guesses and verdicts" : "Guesses", c.guess_room());
    words(c.tokens, "Tokens", 76);
    if (c.has_published()) words(c.published, "Published ×", c.right - c.published);
    d.ui.canvas.line({c.left, y + 9.5F}, {c.right, y + 9.5F}, d.ui.theme.hairline());
}

constexpr float kChipGap = 4, kWidestChip = 180; // its sign and sixteen letters

// Which chips of a row are shown. The guess that ends the row's success comes first: the first one that did
// not stay, else the last. Where the way there is too long, its beginning is counted ("9 kept"), and so is
// what no longer fits behind it ("+5").
struct ChipRun {
    int first = 0, end = 0;
    std::string before, after;
};

float before_width(const ui::Canvas& canvas, const ChipRun& run) {
    return run.before.empty() ? 0 : 16 + canvas.text_width(run.before, Font::text, 14) + 8;
}

float after_width(const ui::Canvas& canvas, const ChipRun& run) {
    return run.after.empty() ? 0 : 4 + canvas.text_width(run.after, Font::text, 14);
}

ChipRun fold_chips(const ui::Canvas& canvas, const std::vector<float>& widths, int decides, float room) {
    const int n = static_cast<int>(widths.size());
    const auto run = [&](int first, int end) {
        return ChipRun{first, end, first > 0 ? std::to_string(first) + " kept" : "", end < n ? "+" + std::to_string(n - end) : ""};
    };
    const auto fits = [&](int first, int end) {
        const ChipRun r = run(first, end);
        float w = before_width(canvas, r) + after_width(canvas, r) - (end < n ? 0 : kChipGap);
        for (int i = first; i < end; ++i) w += widths[static_cast<std::size_t>(i)] + kChipGap;
        return w <= room;
    };
    if (fits(0, n)) return run(0, n);
    int first = 0, end = decides + 1;
    while (first < decides && !fits(first, end)) ++first;
    while (end < n && fits(first, end + 1)) ++end;
    return run(first, end);
}

void guesses(const DraftersDraw& d, const DrafterRow& row, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const RoundSummary& round = *row.round();
    if (round.drafts.empty()) {
        ui::fitted_text(canvas, {r.x, r.center().y + 5}, "no guess: the target went on alone", Font::text, 14, d.ui.theme.muted, r.w);
        return;
    }
    std::string note;
    if (round.tree) note = std::to_string(round.drafts.size()) + " in a tree";
    const float note_w = note.empty() ? 0 : canvas.text_width(note, Font::text, 14) + 12;
    const float room = r.w - note_w, base = r.center().y + 5;
    const int all = static_cast<int>(row.shown.size());
    const auto slot_at = [&](int i) -> const DraftSlot& {
        return round.drafts[static_cast<std::size_t>(row.shown[static_cast<std::size_t>(i)])];
    };
    const auto words_of = [&](int from, int to) {
        std::string words;
        for (int i = from; i < to; ++i) words += (i > from ? " " : "") + quoted(*d.input.trace, slot_at(i).draft->token);
        return words;
    };
    std::vector<std::string> labels;
    std::vector<float> widths;
    int decides = told(d) ? all - 1 : 0; // what is folded away in front of the one that decides would tell the verdict
    for (int i = all; told(d) && i-- > 0;)
        if (slot_at(i).state != DraftSlot::State::accepted) decides = i;
    for (int i = 0; i < all; ++i) {
        labels.push_back(label_of(*d.input.trace, slot_at(i).draft->token));
        widths.push_back(std::min(ui::chip_width(canvas, labels.back(), r.h), kWidestChip));
    }
    const ChipRun run = fold_chips(canvas, widths, decides, room);
    float x = r.x;
    if (!run.before.empty()) {
        const float w = before_width(canvas, run);
        ui::icon(canvas, ui::Icon::check, {x + 6, r.center().y}, 11, d.ui.theme.role(Role::accepted));
        canvas.text({x + 16, base}, run.before, Font::text, 14, d.ui.theme.ink);
        ui::tooltip(d.ui, {x, r.y, w, r.h}, words_of(0, run.first) + ": kept");
        x += w;
    }
    for (int i = run.first; i < run.end; ++i) {
        const DraftSlot& slot = slot_at(i);
        const float left = r.x + room - after_width(canvas, run) - x; // one chip alone may still be too wide
        const Rect at{x, r.y, std::min(widths[static_cast<std::size_t>(i)], left), r.h};
        ui::chip(canvas, d.ui.theme, at, labels[static_cast<std::size_t>(i)], {.role = told(d) ? role_of(slot.state) : Role::draft});
        ui::tooltip(d.ui, at, quoted(*d.input.trace, slot.draft->token) + (told(d) ? ": " + std::string(fate_words(slot.state)) : ""));
        x += at.w + kChipGap;
    }
    if (!run.after.empty()) {
        const float w = after_width(canvas, run);
        canvas.text({x + 4, base}, run.after, Font::text, 14, d.ui.theme.muted);
        ui::tooltip(d.ui, {x, r.y, w, r.h}, words_of(run.end, all));
        x += w;
    }
    if (!note.empty()) {
        canvas.text({x + 8, base}, note, Font::text, 14, d.ui.theme.muted);
        ui::tooltip(d.ui, {x + 8, r.y, note_w, r.h}, std::to_string(round.drafts.size()) + " guesses in a tree, the best path shown");
    }
}

// A number, and one box per token: kept guesses, then the target's own. All rows have one scale.
void tokens(const DraftersDraw& d, const DrafterRow& row, float x, float y, float w, bool best) {
    constexpr float kDigits = 22;
    ui::Canvas& canvas = d.ui.canvas;
    const RoundSummary& round = *row.round();
    if (row.tokens == 0) return;
    canvas.text({x + kDigits, y + 5}, std::to_string(row.tokens), best ? Font::text_bold : Font::text, 17, d.ui.theme.ink, Align::right);
    const float left = x + kDigits + 8;
    const float pitch = std::min(12.0F, (x + w - left) / static_cast<float>(std::max(1, d.model.most)));
    const float box = pitch - (pitch > 6 ? 3.0F : pitch > 2 ? 1.0F : 0.0F);
    const int kept = std::min(round.accepted, row.tokens);
    for (int i = 0; i < row.tokens; ++i) {
        const Role role = i < kept ? Role::accepted : Role::target;
        const Rect r{left + pitch * static_cast<float>(i), y - 5, box, 10};
        canvas.fill(r, i < kept ? d.ui.theme.role(role) : d.ui.theme.tint(role), 1);
        if (i >= kept) canvas.outline(r, {d.ui.theme.role(role), 1}, 1);
    }
}

void draw_row(const DraftersDraw& d, const Columns& c, int index, Rect band) {
    const DrafterRow& row = d.model.rows[static_cast<std::size_t>(index)];
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const bool selected = index == d.model.selected;
    const ui::Touch touched = ui::touch(d.ui, d.ui.id(row.name()), band, {.grow = false});
    if (selected || touched.hovered) canvas.fill(band, theme.raised.alpha(selected ? 1.0F : 0.45F), 6);
    if (selected) canvas.fill({band.x, band.y + 4, 3, band.h - 8}, theme.ink, 1);
    if (touched.focused) ui::focus_ring(canvas, theme, band);
    if (touched.clicked) d.choice.drafter = row.name();
    const float y = band.center().y;
    const bool off = !row.round();
    const ui::Color ink = off ? theme.muted : theme.ink;
    ui::icon(canvas, row.mark, {c.left + 14, y}, 14, ink);
    ui::fitted_text(canvas, {c.name, y + 5}, row.title, row.of_run ? Font::text_bold : Font::text, 15, ink, c.needs - c.name - 8);
    ui::fitted_text(canvas, {c.needs, y + 5}, drafter_needs(row), Font::text, 14, theme.muted, c.ms - c.needs - 8);
    if (row.published.empty()) {
        if (c.has_published()) canvas.text({c.published + 20, y + 5}, "–", Font::text, 14, theme.muted);
    } else if (c.has_published()) {
        ui::hollow_icon(canvas, ui::Icon::diamond, {c.published + 8, y}, 13, theme.muted);
        const Rect at{c.published + 20, band.y, c.right - c.published - 20, band.h};
        ui::fitted_text(canvas, {at.x, y + 5}, row.published.words(), Font::text, 14, theme.muted, at.w);
        ui::tooltip(d.ui, at, drafter_published_words(d.input, row));
    }
    if (off) {
        ui::fitted_text(canvas, {c.guesses, y + 5}, row.problem, Font::text, 14, theme.muted,
                        (c.has_published() ? c.published : c.right) - c.guesses - 16);
        return;
    }
    canvas.text({c.guesses - 16, y + 5}, guess_ms(row.draft_ms), Font::mono, 14, theme.ink, Align::right);
    const float h = std::min(28.0F, band.h - 6);
    guesses(d, row, {c.guesses, y - h / 2, c.guess_room(), h});
    const bool best = std::ranges::find(d.model.best, index) != d.model.best.end();
    if (!told(d)) return canvas.text({c.tokens, y + 5}, "?", Font::mono, 17, theme.muted);
    tokens(d, row, c.tokens, y, (c.has_published() ? c.published : c.right) - c.tokens - 16, best);
}

// How much of the target drafts: its first layers, from one to all but the last.
void draw_exit_slider(const DraftersDraw& d, const DrafterRow& row, ui::Rect r) {
    const int layers = d.model.guesses->target_layers;
    const int planned = row.guess ? row.guess->plan.exit_layer : 0;
    const int now = d.choice.exit_layer > 0 ? d.choice.exit_layer : planned > 0 && planned < layers ? planned : layers - 1;
    d.ui.canvas.text({r.x, r.y + 8}, "Drafts with the first " + counted(now, "layer") + " of " + std::to_string(layers), ui::Font::text, 14,
                     d.ui.theme.muted);
    if (const auto to = ui::slider(d.ui, "exit layer", {r.x, r.y + 20, r.w, 20}, now, 1, layers - 1, {.step = 1}))
        d.choice.exit_layer = std::clamp(static_cast<int>(*to + 0.5), 1, layers - 1);
}

} // namespace

void draw_drafter_rows(const DraftersDraw& d, float top) {
    const Rect stage = d.input.stage;
    const Columns c = columns_for(stage);
    heading(d, c, top + 12);
    constexpr float kLowest = 27, kHint = 20;
    const int n = static_cast<int>(d.model.rows.size());
    const float first = top + 28;
    float room = stage.bottom() - 8 - first;
    const bool hidden = static_cast<float>(n) * kLowest > room;
    if (hidden) room -= kHint;
    const int fit = std::clamp(static_cast<int>(room / kLowest), 1, std::max(1, n));
    const float pitch = std::min(52.0F, room / static_cast<float>(fit));
    const int from = std::clamp(d.model.selected - fit / 2, 0, n - fit);
    if (hidden)
        ui::fitted_text(d.ui.canvas, {c.left, stage.bottom() - 10},
                        std::to_string(from + 1) + " to " + std::to_string(from + fit) + " of " + std::to_string(n) +
                            ": ↑ ↓ brings the others",
                        Font::text, 14, d.ui.theme.muted, c.right - c.left);
    for (int i = 0; i < fit; ++i)
        draw_row(d, c, from + i, {c.left - 8, first + pitch * static_cast<float>(i), c.right - c.left + 16, pitch - 2});
    // One column is what the beat is about.
    const auto dim_columns = [&](float from_x, float to_x) { dim(d.ui, {from_x, top, to_x - from_x, stage.bottom() - top}); };
    const auto focus = [&](auto part) { return drafters_says.focus(d.input.beat, part); };
    if (!focus("needs"_part)) dim_columns(c.needs - 4, c.ms - 4);
    if (!focus("time"_part)) dim_columns(c.ms - 4, c.guesses - 8);
    if (!focus("outcome"_part)) dim_columns(c.guesses - 8, stage.right());
}

void draw_drafter_details(const DraftersDraw& d) {
    const ui::Rect r = d.input.details;
    const DrafterRow* row = d.model.row();
    if (r.w <= 0 || !row) return;
    const bool slider = row->info->reads_setting(Setting::exit_layer) && d.model.can_ask && d.model.guesses &&
                        d.model.guesses->target_layers > 2 && r.h > 200;
    const float x = r.x + 24, w = r.w - 48, end = r.bottom() - (slider ? 76.0F : 12.0F);
    if (slider) draw_exit_slider(d, *row, {x, r.bottom() - 56, w, 44});
    ui::icon(d.ui.canvas, row->mark, {x + 8, r.y + 27}, 15, d.ui.theme.ink);
    ui::fitted_text(d.ui.canvas, {x + 26, r.y + 32}, row->info->title, ui::Font::text_bold, 15, d.ui.theme.ink, w - 26);
    float y = r.y + 60;
    const auto add = [&](const Message& words, float size, ui::Color color) {
        if (words.empty()) return;
        ui::ParagraphStyle style{.size = size, .color = color};
        const int lines = ui::paragraph_lines(d.ui.canvas, w, words, style);
        const int fit = static_cast<int>((end - y) / ui::line_height(size)) + 1;
        if (y > end || fit < std::min(lines, 2)) return;
        style.max_lines = fit;
        y = ui::paragraph(d.ui.canvas, {x, y}, w, words, style) + 5;
    };
    add(drafter_how(row->name()), 15, d.ui.theme.ink);
    if (d.input.beat == kDraftersFamilyBeat)
        for (const Message& words : kin_words(row->info->kin)) add(words, 14, d.ui.theme.ink);
    for (const std::string& fact : drafter_facts(d.input, d.model, *row)) add(fact, 14, d.ui.theme.ink);
    if (told(d) || !row->round()) add(drafter_round_words(d.input, d.model, *row), 14, d.ui.theme.muted);
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
    if (settings.k == 0) settings.k = default_k(settings.drafter);
    if (reads_setting(settings.drafter, Setting::exit_layer) && d.choice.exit_layer > 0) {
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
    ui::tooltip(ui, {x, y, filter, 36}, "Which drafters are listed (N)");
    if (const auto pick = ui::segmented(ui, "filter", {x, y}, names, static_cast<int>(d.model.filter)))
        d.choice.filter = static_cast<DrafterFilter>(*pick);
    x += filter + 20;
    const auto& cycles = d.input.whole->round_list;
    int at = 0;
    for (int i = 0; i < static_cast<int>(cycles.size()); ++i)
        if (cycles[static_cast<std::size_t>(i)].round == d.model.round->round) at = i;
    const ui::Rect stepper{x, y, 148, 36};
    ui::field_label(ui, stepper, "Round");
    const std::string shown = std::to_string(at + 1) + " of " + std::to_string(cycles.size());
    if (const auto to = ui::stepper(ui, "round", stepper, at + 1,
                                    {.low = 1,
                                     .high = static_cast<double>(std::max<std::size_t>(1, cycles.size())),
                                     .text = shown,
                                     .tooltip = "Shift+← and Shift+→"}))
        d.out.push_back(SetCursor{
            cycles[static_cast<std::size_t>(std::clamp(static_cast<int>(*to) - 1, 0, static_cast<int>(cycles.size()) - 1))].end_event});
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
