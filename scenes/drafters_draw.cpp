// The table of drafters: mark and name, weights, draft time, the guesses with their verdicts, tokens of the
// round, published speed-ups.
#include <algorithm>

#include "app/ui/text_layout.h"
#include "app/ui/tokens.h"
#include "scenes/drafters_model.h"
#include "scenes/words.h"

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
    c.needs = c.name + 116;
    c.ms = c.needs + 84;
    c.guesses = c.ms + 72;
    c.published = c.right - c.left >= 860 ? c.right - 118 : c.right;
    c.tokens = c.published - (c.has_published() ? 100.0F : 84.0F);
    return c;
}

void heading(const DraftersDraw& d, const Columns& c, float y) {
    const auto words = [&](float x, const char* text, float w, Align align = Align::left) {
        ui::fitted_text(d.ui.canvas, {x, y}, text, Font::text, 14, d.ui.theme.muted, w, align);
    };
    words(c.name, "Drafter", 108);
    words(c.needs, "Weights", 76);
    words(c.guesses - 16, "Draft, ms", 80, Align::right);
    words(c.guesses, "Guesses and verdicts", c.guess_room());
    words(c.tokens, "Tokens", 76);
    if (c.has_published()) words(c.published, "Published", c.right - c.published);
    d.ui.canvas.line({c.left, y + 9.5F}, {c.right, y + 9.5F}, d.ui.theme.hairline());
}

struct ChipRow {
    std::vector<float> widths;
    bool glyphs = true;
};

// Chips as wide as their words. Where that is too much, the widest ones give way first, and then the glyphs:
// edge, hatch and strike still tell the verdict.
ChipRow lay_chips(const ui::Canvas& canvas, const std::vector<std::string>& labels, float h, float room) {
    constexpr float kReadable = 92; // glyph, space mark and a few letters
    ChipRow row;
    for (const bool glyphs : {true, false}) {
        row = {{}, glyphs};
        float total = 0, cap = 0;
        for (const std::string& label : labels) {
            row.widths.push_back(ui::chip_width(canvas, label, h, glyphs));
            total += row.widths.back();
        }
        if (total <= room) return row;
        std::vector<float> sorted = row.widths;
        std::ranges::sort(sorted);
        float left = room;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            cap = left / static_cast<float>(sorted.size() - i);
            if (sorted[i] > cap) break;
            left -= sorted[i];
        }
        for (float& w : row.widths) w = std::min(w, cap);
        if (cap >= kReadable) return row;
    }
    return row;
}

void guesses(const DraftersDraw& d, const DrafterRow& row, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const CycleSummary& round = *row.round();
    if (round.drafts.empty()) {
        ui::fitted_text(canvas, {r.x, r.center().y + 5}, "no guess: the target went on alone", Font::text, 14,
                        d.ui.theme.muted, r.w);
        return;
    }
    std::string note;
    if (round.tree) note = std::to_string(round.drafts.size()) + " in a tree";
    const float note_w = note.empty() ? 0 : canvas.text_width(note, Font::text, 14) + 12;
    const float room = r.w - note_w, gap = 4;
    const int all = static_cast<int>(row.shown.size());
    const int fit = std::clamp(static_cast<int>((room + gap) / (36 + gap)), 1, std::max(1, all));
    std::vector<std::string> labels;
    const auto slot_at = [&](int i) -> const DraftSlot& {
        return round.drafts[static_cast<std::size_t>(row.shown[static_cast<std::size_t>(i)])];
    };
    for (int i = 0; i < fit; ++i) labels.push_back(label_of(*d.input.trace, slot_at(i).draft->token));
    const ChipRow chips = lay_chips(canvas, labels, r.h, room - gap * static_cast<float>(fit - 1));
    float x = r.x;
    for (int i = 0; i < fit; ++i) {
        const DraftSlot& slot = slot_at(i);
        const std::string& label = labels[static_cast<std::size_t>(i)];
        const float w = chips.widths[static_cast<std::size_t>(i)];
        const Rect at{x, r.y, w, r.h};
        ui::chip(canvas, d.ui.theme, at, label, {.role = role_of(slot.state), .glyph = chips.glyphs});
        ui::tooltip(d.ui, at,
                    quoted(*d.input.trace, slot.draft->token) + ": " +
                        (slot.state == DraftSlot::State::accepted    ? "kept"
                         : slot.state == DraftSlot::State::rejected  ? "refused"
                         : slot.state == DraftSlot::State::discarded ? "not judged, behind a refusal"
                                                                     : "not judged yet"));
        x += w + gap;
    }
    if (!note.empty()) {
        canvas.text({x + 8, r.center().y + 5}, note, Font::text, 14, d.ui.theme.muted);
        ui::tooltip(d.ui, {x + 8, r.y, note_w, r.h},
                    std::to_string(round.drafts.size()) + " guesses in a tree, the best path shown");
    }
}

// A number, and one box per token: kept guesses, then the target's own.
void tokens(const DraftersDraw& d, const DrafterRow& row, float x, float y, float w, bool best) {
    ui::Canvas& canvas = d.ui.canvas;
    const CycleSummary& round = *row.round();
    if (row.tokens == 0) return;
    canvas.text({x, y + 5}, std::to_string(row.tokens), best ? Font::text_bold : Font::text, 17,
                d.ui.theme.ink);
    float at = x + 20;
    const float box = std::clamp((w - 20) / static_cast<float>(row.tokens) - 3, 3.0F, 9.0F);
    const int kept = std::min(round.accepted, row.tokens);
    for (int i = 0; i < row.tokens; ++i, at += box + 3) {
        if (at + box > x + w) break;
        const Role role = i < kept ? Role::accepted : Role::target;
        const Rect r{at, y - 5, box, 10};
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
    ui::fitted_text(canvas, {c.name, y + 5}, row.title, row.of_run ? Font::text_bold : Font::text, 15, ink,
                    c.needs - c.name - 8);
    ui::fitted_text(canvas, {c.needs, y + 5}, drafter_needs(row), Font::text, 14, theme.muted,
                    c.ms - c.needs - 8);
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
    tokens(d, row, c.tokens, y, (c.has_published() ? c.published : c.right) - c.tokens - 16, best);
}

} // namespace

void draw_drafter_rows(const DraftersDraw& d, float top) {
    const Rect stage = d.input.stage;
    const Columns c = columns_for(stage);
    heading(d, c, top + 12);
    const int n = static_cast<int>(d.model.rows.size());
    const float first = top + 28, room = stage.bottom() - 8 - first;
    const int fit = std::clamp(static_cast<int>(room / 31), 1, std::max(1, n));
    const float pitch = std::min(52.0F, room / static_cast<float>(fit));
    const int from = std::clamp(d.model.selected - fit / 2, 0, n - fit);
    for (int i = 0; i < fit; ++i)
        draw_row(d, c, from + i,
                 {c.left - 8, first + pitch * static_cast<float>(i), c.right - c.left + 16, pitch - 2});
}

} // namespace speclens
