// Words around the controls: captions, badges, tooltips, progress, rings and cards.
#include <algorithm>

#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens::ui {

namespace {

constexpr double kTipDelay = 0.3, kTipLook = 3, kTipWord = 0.4; // seconds: until it comes, and that it stays, more for each word

const char* tier_words(Tier tier) {
    switch (tier) {
    case Tier::live: return "LIVE";
    case Tier::recorded: return "RECORDED";
    case Tier::table: return "TABLE";
    case Tier::sim: return "SIM";
    case Tier::published: return "PUBLISHED";
    case Tier::remote: return "REMOTE";
    }
    return "";
}

// Solid for measured, hollow for exact and simulated, hatched for published.
void tier_mark(Canvas& c, const Theme& t, Tier tier, Vec2 at, float size) {
    switch (tier) {
    case Tier::live: c.disc(at, size / 2, t.live()); break;
    case Tier::recorded: c.ring(at, size / 2 - 0.75F, {t.live(), 1.5F}); break;
    case Tier::table: c.outline({at.x - size / 2, at.y - size / 2, size, size}, {t.ink, 1.5F}); break;
    case Tier::sim: c.outline({at.x - size / 2, at.y - size / 2, size, size}, {t.ink, 1.5F, 2, 2}); break;
    case Tier::published:
        c.hatch({at.x - size / 2, at.y - size / 2, size, size}, t.ink, 3);
        c.outline({at.x - size / 2, at.y - size / 2, size, size}, {t.ink, 1});
        break;
    case Tier::remote: icon(c, Icon::triangle_up, at, size + 1, t.ink); break;
    }
}

} // namespace

void field_label(Ui& ui, Rect control, const Message& words) {
    ui.canvas.text({control.x, control.y - 12}, words, Font::text, 14, ui.theme.muted);
}

Rect badge(Canvas& canvas, const Theme& theme, float right, float y, Tier tier, std::string_view words, float height) {
    const float size = height > 30 ? 22 : 14, unit = height / 24;
    std::string text = tier_words(tier);
    if (!words.empty()) text += "  " + std::string(words);
    const float width = 23 * unit + canvas.printed_width(text, Font::text_bold, size) + 12 * unit;
    const Rect rect{right - width, y, width, height};
    canvas.fill(rect, theme.raised, height / 2);
    canvas.outline(rect, theme.hairline(), height / 2);
    tier_mark(canvas, theme, tier, {rect.x + 14 * unit, rect.center().y}, 8 * unit);
    canvas.print({rect.x + 23 * unit, baseline(y, height, size)}, text, Font::text_bold, size, theme.ink);
    return rect;
}

void thing(Ui& ui, Rect rect, const Message& message) {
    ui.canvas.tell(message, rect);
    tooltip(ui, rect, message);
}

void tooltip(Ui& ui, Rect rect, const Message& text, bool show) {
    if (text.empty() || ui.hover_seen != 0) return;
    if (ui.mouse_in(rect) && ui.state.active == 0) {
        const std::string place =
            std::to_string(static_cast<int>(rect.x)) + "," + std::to_string(static_cast<int>(rect.y)) + "," + std::to_string(ui.layer);
        const Id id = ui.id(place);
        ui.hover_seen = id;
        if (ui.state.hover != id) {
            ui.state.hover = id;
            ui.state.hover_since = ui.input.time;
        }
        const double since = ui.state.hover_since + kTipDelay;
        const double read = since + kTipLook + kTipWord * static_cast<double>(std::ranges::count(text, ' '));
        if (ui.input.time < since)
            ui.wake(since);
        else if (ui.input.time < read)
            show = true, ui.wake(read);
    }
    if (!show) return;
    ui.tip = text;
    ui.tip_at = rect;
    ui.tip_beside = false;
}

void tooltip_beside(Ui& ui, Rect rect, const Message& text) {
    const bool before = ui.tip.empty();
    tooltip(ui, rect, text);
    if (before && !ui.tip.empty()) ui.tip_beside = true;
}

void progress(Ui& ui, Rect region, double done, double total, const Message& words) {
    const float part = total > 0 ? static_cast<float>(std::clamp(done / total, 0.0, 1.0)) : 0;
    ui.canvas.fill({region.x, region.y, region.w, 2}, ui.theme.line);
    if (part > 0) ui.canvas.fill({region.x, region.y, std::max(2.0F, region.w * part), 2}, ui.theme.ink);
    fitted_text(ui.canvas, {region.x, region.y + 22}, words, Font::text, 14, ui.theme.muted, region.w);
}

void focus_ring(Canvas& canvas, const Theme& theme, Rect rect, float radius) {
    canvas.outline(rect.inset(-5, -5), {theme.ink, 2}, radius + 4); // 3 px of ground, then 2 px of ink
}

void card(Canvas& canvas, const Theme& theme, Rect rect, bool selected) {
    canvas.fill(rect, theme.panel, 6);
    canvas.outline(rect, selected ? Stroke{theme.ink, 2} : theme.hairline(), 6);
}

} // namespace speclens::ui
