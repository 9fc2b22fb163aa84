// The table of drafters: mark and name, weights, draft time, the draft tokens with their verdicts, tokens of the round, published
// speed-ups. How the selected drafter drafts, and the controls below the table.
#include <algorithm>

#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

struct Columns {
    float needs, ms, drafts, tokens, published, right; // left edges; `right`: the end of the table
    [[nodiscard]] bool has_published() const { return published < right; }
    [[nodiscard]] float end_of_tokens() const { return published - 16; }
    [[nodiscard]] float drafts_room() const { return tokens - 20 - drafts; }
};

Columns columns_for(Rect stage) {
    Columns c{};
    c.right = stage.right() - 24;
    c.needs = stage.x + 24 + kDrafterName;
    c.ms = c.needs + 84;
    c.drafts = c.ms + 72;
    c.published = stage.w - 48 >= 860 ? c.right - 118 : c.right;
    c.tokens = c.published - (c.has_published() ? 116.0F : 100.0F);
    return c;
}

bool told(const DraftersDraw& d) { return verdicts_told(d.input); }

void heading(const DraftersDraw& d, const Columns& c, float y) {
    const auto head = [&](float x, const Message& words, float w, Align align = Align::left) {
        ui::fitted_text(d.ui.canvas, {x, y}, words, Font::text, 14, d.ui.theme.muted, w, align);
    };
    head(d.input.stage.x + 52, drafters_says("column.drafter"_t), 108);
    head(c.needs, drafters_says("column.stored"_t), 76);
    head(c.drafts - 16, drafters_says("column.ms"_t), 80, Align::right);
    head(c.drafts, drafters_says("column.guesses"_t, "verdicts"_v = told(d)), c.drafts_room());
    head(c.tokens, drafters_says("column.tokens"_t), 76);
    if (c.has_published()) head(c.published, drafters_says("column.published"_t), c.right - c.published);
}

// Which chips of a row are shown. The draft token that ends the row's success comes first: the first one that did not stay, else the last.
// Where the way there is too long, its beginning is counted ("9 kept"), and so is what no longer fits behind it ("+5").
struct ChipRun {
    std::size_t first = 0, end = 0;
    std::string before, after;
    float before_width = 0, after_width = 0;
};

constexpr float kChipGap = 4, kWidestChip = 180; // its sign and sixteen letters

ChipRun fold_chips(const ui::Canvas& canvas, const std::vector<float>& widths, std::size_t decides, float room) {
    const std::size_t n = widths.size();
    const auto run = [&](std::size_t first, std::size_t end) {
        ChipRun chips{first, end, {}, {}};
        const auto width = [&](const std::string& words) { return canvas.printed_width(words, Font::text, 14); };
        if (first > 0) chips.before = drafters_says("table.before"_t, "kept"_v = first), chips.before_width = 24 + width(chips.before);
        if (end < n) chips.after = drafters_says("table.after"_t, "guesses"_v = n - end), chips.after_width = 4 + width(chips.after);
        return chips;
    };
    const auto fits = [&](std::size_t first, std::size_t end) {
        const ChipRun r = run(first, end);
        float w = r.before_width + r.after_width - (end < n ? 0 : kChipGap);
        for (std::size_t i = first; i < end; ++i) w += widths[i] + kChipGap;
        return w <= room;
    };
    if (fits(0, n)) return run(0, n);
    std::size_t first = 0, end = decides + 1;
    while (first < decides && !fits(first, end)) ++first;
    while (end < n && fits(first, end + 1)) ++end;
    return run(first, end);
}

void draw_drafts(const DraftersDraw& d, const DrafterRow& row, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RoundSummary& round = *row.round();
    const float base = r.center().y + 5;
    if (round.drafts.empty()) return cell(d.ui, {r.x, base}, drafters_says("table.no_guess"_t), r.w, {theme.muted});
    const std::size_t all = row.shown.size();
    const std::string note = round.tree ? drafters_says("table.tree"_t, "guesses"_v = round.drafts.size()) : Message();
    const float note_w = note.empty() ? 0 : canvas.printed_width(note, Font::text, 14) + 12, room = r.w - note_w;
    std::vector<std::string> labels;
    std::vector<float> widths;
    std::size_t decides = told(d) ? all - 1 : 0; // what is folded away in front of the one that decides would tell the verdict
    for (std::size_t i = 0; i < all; ++i) {
        labels.push_back(label_of(*d.input.trace, row.shown_draft(i).draft->token));
        widths.push_back(std::min(ui::chip_width(canvas, labels.back(), r.h), kWidestChip));
        if (told(d) && row.shown_draft(i).state != DraftSlot::State::accepted) decides = std::min(decides, i);
    }
    const ChipRun run = fold_chips(canvas, widths, decides, room);
    const auto folded = [&](Rect at, std::size_t from, std::size_t to) {
        ui::tooltip(d.ui, at, drafters_says("table.folded"_t, "guesses"_v = drafts_said(d.input, row, from, to)));
    };
    float x = r.x;
    if (!run.before.empty()) {
        ui::icon(canvas, ui::Icon::check, {x + 6, r.center().y}, 11, theme.role(Role::accepted));
        canvas.print({x + 16, base}, run.before, Font::text, 14, theme.ink);
        folded({x, r.y, run.before_width, r.h}, 0, run.first);
        x += run.before_width;
    }
    for (std::size_t i = run.first; i < run.end; ++i) {
        const DraftSlot& draft = row.shown_draft(i);
        const Rect at{x, r.y, std::min(widths[i], r.x + room - run.after_width - x), r.h}; // one chip alone may still be too wide
        ui::chip(canvas, theme, at, labels[i], {.role = told(d) ? role_of(draft.state) : Role::draft});
        ui::tooltip(d.ui, at, draft_token_words(d.input, draft));
        x += at.w + kChipGap;
    }
    if (!run.after.empty()) {
        canvas.print({x + 4, base}, run.after, Font::text, 14, theme.muted);
        folded({x, r.y, run.after_width, r.h}, run.end, all);
        x += run.after_width;
    }
    if (note.empty()) return;
    canvas.print({x + 8, base}, note, Font::text, 14, theme.muted);
    ui::tooltip(d.ui, {x + 8, r.y, note_w, r.h}, drafters_says("facts.tree"_t, "guesses"_v = row.drafted(), "deep"_v = all));
}

// A number, and one box per token: accepted drafts, then the target's own. All rows have one scale.
void draw_tokens(const DraftersDraw& d, const DrafterRow& row, float x, float y, float w) {
    constexpr float kDigits = 22;
    ui::Canvas& canvas = d.ui.canvas;
    if (row.tokens == 0) return;
    canvas.print({x + kDigits, y + 5}, std::to_string(row.tokens), row.tokens == d.model.most ? Font::text_bold : Font::text, 17,
                 d.ui.theme.ink, Align::right);
    const float left = x + kDigits + 8;
    const float pitch = std::min(12.0F, (x + w - left) / static_cast<float>(std::max(1, d.model.most)));
    const float box = pitch - (pitch > 6 ? 3.0F : pitch > 2 ? 1.0F : 0.0F);
    const int kept = std::min(row.round()->accepted, row.tokens);
    for (int i = 0; i < row.tokens; ++i) {
        const Role role = i < kept ? Role::accepted : Role::target;
        const Rect r{left + pitch * static_cast<float>(i), y - 5, box, 10};
        canvas.fill(r, i < kept ? d.ui.theme.role(role) : d.ui.theme.tint(role), 1);
        if (i >= kept) canvas.outline(r, {d.ui.theme.role(role), 1}, 1);
    }
}

void draw_cells(const DraftersDraw& d, const Columns& c, const DrafterRow& row, Rect band) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float y = band.center().y, base = y + 5;
    cell(d.ui, {c.needs, base}, stored_words(row), c.ms - c.needs - 8, {theme.muted});
    if (c.has_published()) {
        const Rect at{c.published + 20, band.y, c.right - c.published - 20, band.h};
        const bool some = !row.published.empty();
        if (some) ui::hollow_icon(canvas, ui::Icon::diamond, {c.published + 8, y}, 13, theme.muted);
        cell(d.ui, {at.x, base}, some ? row.published.words() : Message("–"), at.w, {theme.muted});
        ui::tooltip(d.ui, at, drafter_published_words(d.input, row));
    }
    if (!row.round()) return cell(d.ui, {c.drafts, base}, row.problem, c.published - c.drafts - 16, {theme.muted});
    canvas.print({c.drafts - 16, base}, ms_words(row.draft_ms).words(), Font::mono, 14, theme.ink, Align::right);
    const float h = std::min(28.0F, band.h - 6);
    draw_drafts(d, row, {c.drafts, y - h / 2, c.drafts_room(), h});
    if (!told(d)) return canvas.print({c.tokens, base}, "?", Font::mono, 17, theme.muted);
    draw_tokens(d, row, c.tokens, y, c.end_of_tokens() - c.tokens);
}

void draw_rows(const DraftersDraw& d, float top) {
    const Rect stage = d.input.stage;
    const Columns c = columns_for(stage);
    heading(d, c, top + 12);
    draw_table(d, top,
               {.lowest = 27,
                .highest = 52,
                .say = [&](int row) { return drafter_row_words(d.input, d.model, row); },
                .cells = [&](const DrafterRow& row, Rect band) { draw_cells(d, c, row, band); }});
    if (told(d))
        ui::plotted(d.ui.canvas, {c.tokens, top, c.end_of_tokens() - c.tokens, stage.bottom() - top}, ui::PlotMark::rows,
                    drafters_says("column.tokens"_t), d.model.rows, [](const DrafterRow& row) {
                        return ui::PlotDatum{.x = row.round() ? row.tokens : ui::PlotDatum::kNone, .label = row.title};
                    });
    // One column is what the beat is about.
    const auto dim_columns = [&](float from, float to) { dim(d.ui, {from, top, to - from, stage.bottom() - top}); };
    const auto focus = [&](auto part) { return drafters_says.focus(d.input.beat, part); };
    if (!focus("needs"_part)) dim_columns(c.needs - 4, c.ms - 4);
    if (!focus("time"_part)) dim_columns(c.ms - 4, c.drafts - 8);
    if (!focus("outcome"_part)) dim_columns(c.drafts - 8, stage.right());
}

// How much of the target drafts: its first layers, from one to all but the last.
void draw_exit_slider(const DraftersDraw& d, const DrafterRow& row, ui::Rect r) {
    const int layers = d.model.comparison->target_layers, planned = row.compared ? row.compared->plan.exit_layer : 0;
    const int now = d.state.exit_layer > 0 ? d.state.exit_layer : planned > 0 && planned < layers ? planned : layers - 1;
    d.ui.canvas.text({r.x, r.y + 8}, drafters_says("details.exit"_t, "layers"_v = now, "of"_v = layers), ui::Font::text, 14,
                     d.ui.theme.muted);
    if (const auto to = ui::slider(d.ui, "exit layer", {r.x, r.y + 20, r.w, 20}, now, 1, layers - 1, {.step = 1}))
        d.state.exit_layer = std::clamp(static_cast<int>(*to + 0.5), 1, layers - 1);
}

} // namespace

void draw_table(const DraftersDraw& d, float top, const DrafterTable& table) {
    constexpr float kHint = 20;
    const Rect stage = d.input.stage;
    const float left = stage.x + 24, first = top + 28;
    d.ui.canvas.line({left, top + 21.5F}, {stage.right() - 24, top + 21.5F}, d.ui.theme.hairline());
    const int own = static_cast<int>(d.model.rows.size()), n = own + (table.behind ? 1 : 0);
    float room = stage.bottom() - 8 - first;
    const bool hidden = static_cast<float>(n) * table.lowest > room;
    if (hidden) room -= kHint;
    const int fit = std::clamp(static_cast<int>(room / table.lowest), 1, std::max(1, n));
    const float pitch = std::min(table.highest, room / static_cast<float>(fit));
    const int from = std::clamp(d.model.selected - fit / 2, 0, std::max(0, n - fit));
    if (hidden)
        ui::fitted_text(d.ui.canvas, {left, stage.bottom() - 10},
                        drafters_says("table.shown"_t, "from"_v = from + 1, "to"_v = from + fit, "of"_v = n), Font::text, 14,
                        d.ui.theme.muted, stage.w - 48);
    for (int i = 0; i < n; ++i) {
        if (i < from || i >= from + fit) {
            d.ui.canvas.tell(table.say(i), stage);
            continue;
        }
        const DrafterRow& row = i < own ? d.model.rows[static_cast<std::size_t>(i)] : *table.behind;
        const Rect band{left - 8, first + pitch * static_cast<float>(i - from), stage.w - 32, pitch - 2};
        const bool selected = i == d.model.selected && i < own, off = d.input.beat != kDraftersFamilyBeat && !row.round();
        const ui::Color ink = off ? d.ui.theme.muted : d.ui.theme.ink;
        if (i < own && choosable(d.ui, row.name(), band, selected, kTableRow)) d.state.drafter = row.name();
        if (selected) d.ui.canvas.fill({band.x, band.y + 4, 3, band.h - 8}, d.ui.theme.ink, 1);
        ui::icon(d.ui.canvas, row.mark, {left + 14, band.center().y}, 14, ink);
        cell(d.ui, {left + 28, band.center().y + 5}, row.title, kDrafterName - 36, {ink, 15, row.of_run ? Font::text_bold : Font::text});
        table.cells(row, band);
        d.ui.canvas.tell(table.say(i), band, ui::Canvas::Told::drawn);
    }
}

void draw_drafters_stage(const DraftersDraw& d) {
    const float top = d.input.stage.y + 84;
    if (d.input.beat < kDraftersFamilyBeat) return draw_rows(d, top);
    d.input.beat == kDraftersFamilyBeat ? draw_drafter_family(d, top) : draw_head_doctor(d, top);
    for (int i = 0; i < std::ssize(d.model.rows); ++i) d.ui.canvas.tell(drafter_row_words(d.input, d.model, i), d.input.stage);
}

void draw_drafter_details(const DraftersDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    const ui::Theme& theme = d.ui.theme;
    DetailsColumn column(d.ui, r);
    const DrafterRow* row = d.model.row();
    if (!row) {
        column.y = r.y + 32;
        return column.paragraph(drafters_says("details.empty"_t), theme.muted, 3);
    }
    if (row->info->reads_setting(Setting::exit_layer) && d.model.can_ask && d.model.comparison && d.model.comparison->target_layers > 2 &&
        r.h > 200) {
        draw_exit_slider(d, *row, {r.x + 24, r.bottom() - 56, r.w - 48, 44});
        column.region.h -= 64;
    }
    constexpr int kAll = 99; // lines
    ui::icon(d.ui.canvas, row->mark, {r.x + 32, r.y + 27}, 15, theme.ink);
    ui::fitted_text(d.ui.canvas, {r.x + 50, r.y + 32}, drafters_says("details.title"_t, "drafter"_v = row->info->title), Font::text_bold,
                    15, theme.ink, r.w - 74);
    column.between = 6;
    if (!row->info->how.empty()) column.paragraph(drafters_says("details.how"_t, "how"_v = row->info->how), theme.ink, kAll);
    if (d.input.beat == kDraftersFamilyBeat)
        for (const Message& words : kin_words(row->info->kin)) column.paragraph(words, theme.ink, kAll);
    for (const Message& fact : drafter_facts(d.input, d.model, *row)) column.paragraph(fact, theme.ink, kAll);
    if (told(d) || !row->round()) column.paragraph(drafter_round_words(d.input, d.model, *row), theme.muted, kAll);
    if (const Message words = drafter_published_words(d.input, *row); !words.empty()) column.paragraph(words, theme.muted, kAll);
    for (const DrafterRow& other : d.model.rows)
        if (&other != row)
            for (const Message& fact : drafter_facts(d.input, d.model, other))
                column.tell(drafters_says("details.of"_t, "drafter"_v = other.title, "fact"_v = fact));
}

Message why_not_go_on(const DraftersDraw& d) {
    const DrafterRow* row = d.model.row();
    if (!row || !d.input.settings) return drafters_says("controls.off:none"_t);
    if (!models_loaded(d.input)) return shared_says("words.no_models"_t);
    if (!drafter_ready(d.input, row->name())) return shared_says("other_drafter.cannot_run"_t, "drafter"_v = row->title);
    return {};
}

void go_on_with(const DraftersDraw& d) {
    RunSettings settings = with_drafter(*d.input.settings, d.model.row()->name());
    if (settings.k == 0) settings.k = default_k(settings.drafter);
    if (reads_setting(settings.drafter, Setting::exit_layer) && d.state.exit_layer > 0) {
        settings.options = {};
        settings.options.exit_layer = d.state.exit_layer;
    }
    d.out.push_back(Command{Restart{std::move(settings)}});
    d.out.push_back(OpenScene{"loop"});
}

void draw_drafter_controls(const DraftersDraw& d) {
    if (d.input.controls.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(d.input.controls);
    const Message filters[kDrafterFilters] = {drafters_says("controls.filter:all"_t), drafters_says("controls.filter:no_head"_t),
                                              drafters_says("controls.filter:no_memory"_t), drafters_says("controls.filter:warm"_t)};
    ui.canvas.tell(drafters_says("controls.shown"_t, "filter"_v = filters[static_cast<int>(d.model.filter)]), d.input.controls);
    if (const auto pick = segmented(ui, row, {"filter", drafters_says("controls.show"_t), drafters_says("controls.show_about"_t)}, filters,
                                    static_cast<int>(d.model.filter)))
        d.state.filter = static_cast<DrafterFilter>(*pick);
    const auto& rounds = d.input.whole->round_list;
    const int count = static_cast<int>(rounds.size());
    int at = 0;
    for (int i = 0; i < count; ++i)
        if (rounds[static_cast<std::size_t>(i)].round == d.model.round->round) at = i;
    if (const auto to = stepper(ui, row, {"round", drafters_says("controls.round"_t), drafters_says("controls.round_about"_t)},
                                drafters_says("controls.at"_t, "at"_v = at + 1, "of"_v = count), at, count, 148))
        d.out.push_back(SetCursor{rounds[static_cast<std::size_t>(std::clamp(*to, 0, count - 1))].end_event});
    const float room = row.room();
    if (room < 110 || !d.model.row()) return;
    ui::field_label(ui, {row.x, row.y, room, 36}, drafters_says("controls.this"_t));
    if (d.input.beat == kDraftersDoctorBeat) return draw_examine_button(d, row.place(std::min(room, 300.0F)));
    const Message go = drafters_says("controls.go"_t, "drafter"_v = room >= 270 ? d.model.row()->title : std::string());
    if (ui::button(ui, "go", row.place(std::min(room, 300.0F)), go,
                   {.kind = ui::ButtonKind::primary, .shortcut = "Enter", .disabled = why_not_go_on(d)}))
        go_on_with(d);
}

} // namespace speclens
