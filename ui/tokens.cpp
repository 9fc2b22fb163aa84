#include "ui/tokens.h"

#include <algorithm>
#include <cmath>

#include "ui/stories/story_book.h"
#include "ui/text_layout.h"
#include "ui/utf8.h"

namespace speclens::ui {

namespace {

constexpr char32_t kSpaceMark = 0x23B5, kNewlineMark = 0x23CE, kTabMark = 0x21E5;
constexpr float kNewlineWidth = 0.72F; // em
constexpr int kLongRun = 4;            // more spaces than this become ⎵×n

// Splits a label into text and marks: visit(text run) or visit(mark).
template <class Text, class Mark>
void pieces(std::string_view label, Text text, Mark mark) {
    std::size_t run = 0;
    for (std::size_t at = 0; at < label.size();) {
        const CodePoint c = decode(label, at);
        if (c.valid && (c.value == kSpaceMark || c.value == kNewlineMark || c.value == kTabMark)) {
            if (at > run) text(label.substr(run, at - run));
            mark(c.value);
            run = at + c.length;
        }
        at += c.length;
    }
    if (run < label.size()) text(label.substr(run));
}

float mark_width(char32_t mark, float size) {
    return mark == kSpaceMark ? 0.6F * size : mark == kNewlineMark ? kNewlineWidth * size : 1.2F * size;
}

void draw_mark(Canvas& canvas, char32_t mark, Vec2 at, float size, Color color) {
    if (mark == kSpaceMark) {
        space_mark(canvas, at, size, color.alpha(0.5F));
        return;
    }
    const Vec2 middle{at.x + mark_width(mark, size) / 2, at.y - 0.3F * size};
    icon(canvas, mark == kNewlineMark ? Icon::newline : Icon::tab, middle, mark == kNewlineMark ? size : 1.1F * size, color.alpha(0.6F));
}

std::string label_of(std::string_view bytes, bool marks) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) {
        if (bytes[at] == ' ') {
            const std::size_t end = std::min(bytes.find_first_not_of(' ', at), bytes.size());
            const std::size_t count = end - at;
            if (marks && count > kLongRun) {
                append(out, kSpaceMark);
                out += "×" + std::to_string(count);
            } else {
                for (std::size_t i = 0; i < count; ++i) append(out, marks ? kSpaceMark : U' ');
            }
            at = end;
            continue;
        }
        const CodePoint c = decode(bytes, at);
        if (c.value == '\n')
            append(out, kNewlineMark);
        else if (c.value == '\t')
            append(out, kTabMark);
        else if (!c.valid || c.value < 0x20 || c.value == 0x7F)
            out += hex_mark(c.value, 2);
        else
            append(out, c.value);
        at += c.length;
    }
    return out;
}

} // namespace

std::string token_label(std::string_view bytes) { return label_of(bytes, true); }

Message role_words(Role role) {
    constexpr SaidOf<"shared"> said;
    switch (role) {
    case Role::draft: return message(said("role.draft"_t));
    case Role::target: return message(said("role.target"_t));
    case Role::accepted: return message(said("role.accepted"_t));
    case Role::rejected: return message(said("role.rejected"_t));
    case Role::residual: return message(said("role.residual"_t));
    case Role::bonus: return message(said("role.bonus"_t));
    case Role::discarded: break;
    }
    return message(said("role.discarded"_t));
}

std::string token_in_text(std::string_view bytes) {
    std::string label = label_of(bytes, false);
    if (label.size() > 1 && label[0] == ' ' && label[1] != ' ') label.erase(0, 1);
    return label;
}

float token_text_width(const Canvas& canvas, std::string_view label, float size, Font font) {
    float width = 0;
    pieces(
        label, [&](std::string_view run) { width += canvas.printed_width(run, font, size); },
        [&](char32_t mark) { width += mark_width(mark, size); });
    return width;
}

float token_text(Canvas& canvas, Vec2 at, std::string_view label, float size, Color color, Align align, Font font) {
    const float width = token_text_width(canvas, label, size, font);
    if (align != Align::left) at.x -= align == Align::center ? width / 2 : width;
    pieces(
        label,
        [&](std::string_view run) {
            canvas.print(at, run, font, size, color);
            at.x += canvas.printed_width(run, font, size);
        },
        [&](char32_t mark) {
            draw_mark(canvas, mark, at, size, color);
            at.x += mark_width(mark, size);
        });
    return width;
}

std::string fit_token(const Canvas& canvas, std::string_view label, float size, float width) {
    if (token_text_width(canvas, label, size) <= width) return std::string(label);
    const float dots = canvas.printed_width("…", Font::mono, size);
    std::string out;
    for (std::size_t at = 0; at < label.size();) {
        const std::size_t next = next_boundary(label, at);
        if (token_text_width(canvas, label.substr(0, next), size) + dots > width) break;
        out.assign(label.substr(0, next));
        at = next;
    }
    return out + "…";
}

float chip_text_size(float height) {
    if (height < 30) return 15;
    if (height < 40) return 17;
    return std::max(26.0F, 0.45F * height);
}

float chip_width(const Canvas& canvas, std::string_view label, float height, bool glyph) {
    const float before = glyph ? 8 + 0.36F * height + 6 : 8;
    return std::ceil(before + token_text_width(canvas, label, chip_text_size(height)) + 8);
}

void chip(Canvas& canvas, const Theme& theme, Rect rect, std::string_view label, const ChipStyle& style) {
    const Role role = style.role;
    const float a = style.alpha, mark = 0.36F * rect.h;
    const bool glyph = style.glyph && !style.neutral;
    const Color hue = style.neutral ? theme.ink : theme.role(role);
    const bool discarded = !style.neutral && role == Role::discarded;
    const Color ink = style.solid ? theme.on(role) : discarded ? theme.muted : theme.ink;

    const Color ground = style.solid ? hue : style.neutral || discarded ? theme.bg : theme.tint(role);
    canvas.fill(rect, ground.alpha(a), 4);
    if (discarded && !style.solid) canvas.hatch(rect.inset(1, 1), hue.alpha(0.38F * a));
    if (!style.solid) {
        Stroke edge = style.neutral ? Stroke{hue, std::max(1.5F, theme.edge_width)} : theme.edge(role);
        edge.color = edge.color.alpha(a);
        canvas.outline(rect, edge, 4);
        if (!style.neutral && role == Role::bonus) canvas.outline(rect.inset(3, 3), edge, 2);
    }

    float x = rect.x + 8;
    if (glyph) {
        icon(canvas, role_icon(role), {x + mark / 2, rect.y + rect.h / 2}, mark, (style.solid ? ink : hue).alpha(a));
        x += mark + 6;
    }
    constexpr float kSmallest = 14; // of any text
    const float room = rect.right() - 6 - x;
    float size = chip_text_size(rect.h);
    while (size > kSmallest && token_text_width(canvas, label, size) > room) size = std::max(kSmallest, size - 1);
    const std::string words = fit_token(canvas, label, size, room);
    const float width = token_text_width(canvas, words, size), base = baseline(rect.y, rect.h, size);
    if (discarded && !style.solid)
        canvas.fill({x - 3, rect.y + 4, std::min(width + 6, rect.right() - 2 - x + 3), rect.h - 8}, theme.bg.alpha(0.8F * a), 2);
    token_text(canvas, {x, base}, words, size, ink.alpha(a));
    if (!style.neutral && role == Role::rejected && style.strike > 0) {
        const float y = base - 0.32F * size;
        canvas.line({x - 1, y}, {x - 1 + (width + 3) * std::min(1.0F, style.strike), y}, {(style.solid ? ink : hue).alpha(a), 2});
    }
    const Rect around{rect.x - 3, rect.y - 3, rect.w + 6, rect.h + 6};
    if (style.selected)
        canvas.outline(around, {theme.ink, 2}, 6);
    else if (style.hovered)
        canvas.outline({rect.x - 2, rect.y - 2, rect.w + 4, rect.h + 4}, {theme.muted, 1}, 5);
}

void slot(Canvas& canvas, const Theme& theme, Rect rect, const Message& words) {
    canvas.outline(rect, {theme.line, theme.edge_width, 2, 4}, 4);
    fitted_text(canvas, {rect.center().x, baseline(rect.y, rect.h, 14)}, words, Font::text, 14, theme.muted, rect.w - 8, Align::center);
}

void mask_chip(Canvas& canvas, const Theme& theme, Rect rect, std::string_view words) {
    canvas.fill(rect, theme.panel, 4);
    canvas.hatch(rect.inset(1, 1), theme.role(Role::discarded).alpha(0.38F), 8);
    canvas.outline(rect, theme.hairline(), 4);
    const float width = canvas.printed_width(words, Font::text, 14) + 20;
    canvas.fill({rect.center().x - width / 2, rect.y + 4, width, rect.h - 8}, theme.panel);
    canvas.print({rect.center().x, baseline(rect.y, rect.h, 14)}, words, Font::text, 14, theme.muted, Align::center);
}

void role_swatch(Canvas& canvas, const Theme& theme, Rect box, Role role) {
    const Color hue = theme.role(role);
    if (role == Role::discarded)
        canvas.hatch(box.inset(1, 1), hue.alpha(0.4F), 5);
    else
        canvas.fill(box, theme.tint(role), 4);
    canvas.outline(box, theme.edge(role), 4);
    if (role == Role::bonus) canvas.outline(box.inset(3, 3), theme.edge(role), 2);
    const float size = role == Role::bonus ? 0.45F * box.h : 0.5F * box.h;
    icon(canvas, role_icon(role), box.center(), size, hue);
}

void legend(Canvas& canvas, const Theme& theme, Vec2 at, float column) {
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
        const float x = at.x + column * static_cast<float>(i % 4), y = at.y + 28 * static_cast<float>(i / 4);
        role_swatch(canvas, theme, {x, y, 20, 20}, kRoles[i]);
        canvas.text({x + 28, y + 15}, role_words(kRoles[i]), Font::text, 14, theme.muted);
    }
}

namespace {

// visit(role, x) of each entry; returns where they end.
template <class Visit>
float each_in_line(const Canvas& canvas, float x, Visit visit) {
    constexpr float kWord = 19, kGap = 16; // behind its swatch; behind the word
    for (const Role role : kRoles) {
        visit(role, x);
        x += kWord + canvas.text_width(role_words(role), Font::text, 14) + kGap;
    }
    return x - kGap;
}

} // namespace

void legend_line(Canvas& canvas, const Theme& theme, Vec2 at) {
    (void)each_in_line(canvas, at.x, [&](Role role, float x) {
        role_swatch(canvas, theme, {x, at.y - 12, 14, 14}, role);
        canvas.text({x + 19, at.y}, role_words(role), Font::text, 14, theme.muted);
    });
}

float legend_line_width(const Canvas& canvas) {
    return each_in_line(canvas, 0, [](Role, float) {});
}

float running_width(const Canvas& canvas, std::string_view bytes, float size) {
    return token_text_width(canvas, label_of(bytes, false), size);
}

float running_token(Canvas& canvas, const Theme& theme, Vec2 at, std::string_view bytes, std::optional<Role> role, bool pending,
                    float size) {
    const std::string text = label_of(bytes, false); // plain gaps; line breaks and broken bytes are shown
    const float width = token_text_width(canvas, text, size);
    if (!pending && role) {
        const Color hue = theme.role(*role);
        const float left = at.x + 0.5F, wide = width - 1, low = at.y + 6;
        canvas.fill({left, at.y - std::round(size * 0.88F), wide, std::round(size * 1.18F)}, hue.alpha(0.16F));
        if (role == Role::bonus) {
            canvas.line({left, low - 1}, {left + wide, low - 1}, {hue, 1});
            canvas.line({left, low + 1}, {left + wide, low + 1}, {hue, 1});
        } else if (role == Role::residual) {
            canvas.line({left, low}, {left + wide, low}, {hue, 2, 2, 2});
        } else {
            canvas.line({left, low}, {left + wide, low}, {hue, 2});
        }
    }
    token_text(canvas, at, text, size, pending ? theme.muted.alpha(0.38F) : theme.ink);
    return width;
}

} // namespace speclens::ui
