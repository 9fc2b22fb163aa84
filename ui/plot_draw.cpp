#include <algorithm>

#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens::ui {

void axis_x(Canvas& canvas, const Theme& theme, const Scale& x, float y, const Ticks& marks, const AxisStyle& style) {
    if (style.grid)
        for (const double v : marks.values) canvas.line({x(v) + 0.5F, style.grid_to}, {x(v) + 0.5F, y}, {theme.line, 1});
    if (style.base_line) canvas.line({x.a, y + 0.5F}, {x.b, y + 0.5F}, theme.hairline());
    float last = -1e9F;
    for (const double v : marks.values) {
        if (style.tick_marks) canvas.line({x(v) + 0.5F, y}, {x(v) + 0.5F, y + 4}, {theme.muted, 1});
        const std::string label = tick_label(v, marks.decimals);
        const float half = canvas.text_width(label, Font::mono, 14) / 2;
        if (x(v) - half < last + 6) continue; // no room: the label is dropped, the tick stays
        canvas.text({x(v), y + style.label_offset}, label, Font::mono, 14, theme.muted, Align::center);
        last = x(v) + half;
    }
    if (!style.unit.empty()) {
        const float at = std::max(x.b + 12, last + 8);
        canvas.text({at, y + style.label_offset}, style.unit, Font::text, 14, theme.muted);
    }
}

void axis_y(Canvas& canvas, const Theme& theme, const Scale& y, float x, const Ticks& marks, const AxisStyle& style) {
    for (const double v : marks.values) {
        const float at = y(v);
        if (style.grid) canvas.line({x, at + 0.5F}, {style.grid_to, at + 0.5F}, {theme.line, 1});
        if (style.tick_marks) canvas.line({x - 4, at + 0.5F}, {x, at + 0.5F}, {theme.muted, 1});
        const float gap = style.label_offset == 20 ? 8 : style.label_offset; // 20 is the default of the x axis
        canvas.text({x - gap, at + 5}, tick_label(v, marks.decimals), Font::mono, 14, theme.muted, Align::right);
    }
    if (style.base_line) canvas.line({x + 0.5F, y.a}, {x + 0.5F, y.b}, theme.hairline());
    if (!style.unit.empty()) canvas.text({x, std::min(y.a, y.b) - 10}, style.unit, Font::text, 14, theme.muted);
}

int gantt_lane(Canvas& canvas, const Theme& theme, const Scale& x, float y, float h, std::span<const Segment> segments, float gap,
               std::optional<Vec2> mouse) {
    plotted(canvas, {x.a, y, x.b - x.a, h}, PlotMark::spans, "", segments, [](const Segment& s) {
        return PlotDatum{.low = s.start, .high = s.start + s.length, .label = s.label.empty() ? role_words(s.role) : s.label.words()};
    });
    int under = -1;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const Segment& s = segments[i];
        const float left = x(s.start), whole = x(s.start + s.length) - left;
        const float width = std::max(whole > gap * 2 ? whole - gap : whole * 0.7F, 1.0F);
        const Rect box{left, y, width, h};
        if (mouse && Rect{left, y, std::max(whole, 2.0F), h}.contains(*mouse)) under = static_cast<int>(i);
        const Color hue = theme.role(s.role);
        const float radius = width < 8 ? 1 : h < 30 ? 2 : 3;
        Color ink = theme.on(s.role);
        if (s.published) {
            canvas.hatch(box.inset(1, 1), hue.alpha(0.5F));
            canvas.outline(box, {hue, 1.5F}, radius);
            ink = theme.ink;
        } else {
            canvas.fill(box, hue.alpha(s.strength), radius);
            if (s.strength < 0.6F) ink = theme.ink; // the ground is the panel now
        }
        if (s.label.empty()) continue;
        const Font font = s.mono ? Font::mono : Font::text_bold;
        const float base = baseline(y, h, 14), words = canvas.text_width(s.label, font, 14);
        if (s.mono) {
            if (words + 4 <= width) canvas.text({box.center().x, base}, s.label, font, 14, ink, Align::center);
            continue;
        }
        if (words + 20 > width) continue;
        if (s.published) canvas.fill({left + 8, y + 2, words + 4, h - 4}, theme.bg.alpha(0.8F));
        canvas.text({left + 10, base}, s.label, font, 14, ink);
        const float value = canvas.text_width(s.value, Font::mono_medium, 14);
        if (!s.value.empty() && words + value + 32 <= width)
            canvas.text({box.right() - 10, base}, s.value, Font::mono_medium, 14, ink, Align::right);
    }
    return under;
}

void playhead(Canvas& canvas, const Theme& theme, float x, float top, float bottom) {
    canvas.line({x, top}, {x, bottom}, {theme.ink, 2});
    canvas.fill_convex(std::array{Vec2{x - 6, top - 4}, Vec2{x + 6, top - 4}, Vec2{x, top + 4}}, theme.ink);
}

void bracket(Canvas& canvas, const Theme& theme, float x0, float x1, float y) {
    if (x1 - x0 < 4) return;
    canvas.line({x0, y}, {x1, y}, {theme.ink, 1.5F});
    canvas.line({x0 + 1, y - 10}, {x0 + 1, y + 10}, {theme.ink, 2});
    canvas.line({x1 - 1, y - 10}, {x1 - 1, y + 10}, {theme.ink, 2});
}

void bar_pair(Canvas& canvas, const Theme& theme, Rect rect, double target, double draft) {
    const auto width = [&](double v) { return rect.w * static_cast<float>(std::min(v, 1.0)); };
    if (target >= 0) canvas.fill({rect.x, rect.y, std::max(1.0F, width(target)), 8}, theme.role(Role::target), 1);
    if (draft >= 0) canvas.fill({rect.x, rect.y + 9, std::max(1.0F, width(draft)), 6}, theme.role(Role::draft), 1);
}

void bar(Canvas& canvas, const Theme& theme, Rect rect, double value, Role role, float strength) {
    canvas.fill(rect, theme.active().alpha(0.55F), 2);
    const float width = rect.w * static_cast<float>(std::clamp(value, 0.0, 1.0));
    if (width > 0) canvas.fill({rect.x, rect.y, std::max(1.0F, width), rect.h}, theme.role(role).alpha(strength), 2);
}

void gauge(Canvas& canvas, const Theme& theme, Rect rect, const Gauge& g) {
    const float radius = g.large ? 3 : 2;
    if (!g.judged) {
        canvas.hatch(rect.inset(1, 1), theme.role(Role::discarded).alpha(0.4F), 5);
        canvas.outline(rect, {theme.role(Role::discarded), theme.edge_width}, radius);
        return;
    }
    const Color reject = theme.role(Role::rejected);
    const float split = rect.w * static_cast<float>(std::clamp(g.accept, 0.0, 1.0));
    const Rect rest{rect.x + split, rect.y, rect.w - split, rect.h};
    canvas.fill(rect, reject.alpha(g.large ? 0.16F : 0.22F), radius);
    if (g.large) canvas.hatch(rest, reject.alpha(0.45F));
    canvas.fill({rect.x, rect.y, split, rect.h}, mix(theme.role(Role::accepted), theme.bg, 0.9F), radius);
    canvas.outline(rect, theme.hairline(), radius);
    if (g.large) {
        const float x = rect.x + split;
        canvas.line({x, rect.y - 4}, {x, rect.bottom() + 6}, {theme.bg, 6});
        canvas.line({x, rect.y - 4}, {x, rect.bottom() + 6}, {theme.ink, 2});
    }
    if (g.coin)
        coin_marker(canvas, theme, rect.x + rect.w * static_cast<float>(std::clamp(*g.coin, 0.0, 1.0)), rect.y - 5, rect.bottom() + 5);
}

void coin_marker(Canvas& canvas, const Theme& theme, float x, float top, float bottom) {
    canvas.line({x, top}, {x, bottom}, {theme.bg, 5});
    canvas.line({x, top}, {x, bottom}, {theme.ink, 2});
    canvas.disc({x, top - 1}, 5, theme.bg);
    canvas.disc({x, top - 1}, 4, theme.ink);
}

void share_strip(Canvas& canvas, const Theme& theme, Rect rect, std::span<const double> shares, Role role) {
    double sum = 0;
    for (const double s : shares) sum += std::max(0.0, s);
    if (sum <= 0) return;
    const Color hue = theme.role(role);
    float x = rect.x;
    for (const double s : shares) {
        const float whole = rect.w * static_cast<float>(std::max(0.0, s) / sum);
        const Rect part{x, rect.y, whole > 3 ? whole - 1 : whole, rect.h};
        x += whole;
        if (part.w < 0.3F) continue;
        canvas.fill(part, hue.alpha(role == Role::residual ? 0.3F : 0.2F));
        if (role == Role::rejected) canvas.hatch(part, hue.alpha(0.6F));
        if (part.w >= 4) canvas.outline(part, {hue, 1.5F, role == Role::residual ? 2.0F : 0.0F, 2.5F});
    }
}

void heat_strip(Canvas& canvas, const Theme& theme, Rect rect, std::span<const float> cells, HeatKind kind) {
    const auto count = static_cast<float>(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const float left = rect.x + rect.w * static_cast<float>(i) / count;
        const float right = rect.x + rect.w * static_cast<float>(i + 1) / count;
        canvas.fill({left, rect.y, right - left, rect.h},
                    kind == HeatKind::gate ? gate_color(theme, cells[i]) : diverging(theme, cells[i]));
    }
}

void whisker(Canvas& canvas, const Theme& theme, float x, float y_low, float y_high) {
    canvas.line({x, y_low}, {x, y_high}, {theme.ink, 1.5F});
    for (const float y : {y_low, y_high}) canvas.line({x - 5, y}, {x + 5, y}, {theme.ink, 1.5F});
}

void band(Canvas& canvas, std::span<const Vec2> upper, std::span<const Vec2> lower, Color color) {
    for (std::size_t i = 1; i < std::min(upper.size(), lower.size()); ++i)
        canvas.fill_convex(std::array{upper[i - 1], upper[i], lower[i], lower[i - 1]}, color);
}

} // namespace speclens::ui
