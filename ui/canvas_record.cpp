#include "ui/canvas_record.h"

#include <algorithm>
#include <bit>

#include "ui/fonts.h"

namespace speclens::ui {

namespace {

Rect overlap(Rect a, Rect b) {
    const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x), std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

bool outside(const RecordedText& t) {
    const Rect seen = overlap(t.box, t.clip);
    return seen.w <= 0 || seen.h <= 0;
}

// Boxes are a little higher than the letters, so only the middle counts.
Rect middle(const RecordedText& t) { return overlap({t.box.x + 1, t.baseline - t.size * 0.5F, t.box.w - 2, t.size * 0.4F}, t.clip); }

Rect extent_of(std::span<const Vec2> points) {
    if (points.empty()) return {};
    float x0 = points[0].x, y0 = points[0].y, x1 = x0, y1 = y0;
    for (const Vec2 p : points) {
        x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
        y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    }
    return Rect{x0, y0, x1 - x0, y1 - y0}.inset(-0.5F, -0.5F); // also of a line that is level
}

} // namespace

RecordCanvas::RecordCanvas(const FontSet& fonts, Rect screen) : fonts_(fonts), clips_{screen} {}

void RecordCanvas::print(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align) {
    if (utf8.empty() || color.a == 0) return;
    const float width = printed_width(utf8, font, size);
    const float x = align == Align::left ? at.x : align == Align::center ? at.x - width / 2 : at.x - width;
    // Ascenders reach 0.76 of the size in both families, descenders 0.22.
    texts_.push_back({fonts_.shown(utf8, font), {x, at.y - 0.76F * size, width, 0.98F * size}, clips_.back(), font, size, color, at.y, {}});
    texts_.back().seen = middle(texts_.back());
    mark(texts_.back().box, {size, static_cast<float>(font)}, color, texts_.back().text);
}

void RecordCanvas::shape(Rect box, Color color, float width) {
    ++shapes_;
    mark(box, {width}, color);
}

void RecordCanvas::mark(Rect box, std::initializer_list<float> numbers, Color color, std::string_view words) {
    const Rect seen = overlap(box, clips_.back());
    if (seen.w <= 0 || seen.h <= 0 || color.a == 0) return;
    const auto mix = [this](std::uint32_t part) { picture_ = (picture_ ^ part) * 0x100000001B3U; }; // FNV-1a
    for (const float x : {seen.x, seen.y, seen.w, seen.h}) mix(std::bit_cast<std::uint32_t>(x));
    for (const float x : numbers) mix(std::bit_cast<std::uint32_t>(x));
    for (const unsigned channel : {color.r, color.g, color.b, color.a}) mix(channel);
    for (const char c : words) mix(static_cast<unsigned char>(c));
}

void RecordCanvas::line(Vec2 a, Vec2 b, const Stroke& stroke) {
    const Vec2 ends[] = {a, b};
    shape(extent_of(ends), stroke.color, stroke.width);
}

void RecordCanvas::polyline(std::span<const Vec2> points, const Stroke& stroke, bool) {
    shape(extent_of(points), stroke.color, stroke.width);
}

void RecordCanvas::fill_convex(std::span<const Vec2> points, Color color) { shape(extent_of(points), color); }

void RecordCanvas::disc(Vec2 center, float radius, Color color) {
    shape({center.x - radius, center.y - radius, 2 * radius, 2 * radius}, color);
}

void RecordCanvas::ring(Vec2 center, float radius, const Stroke& stroke) {
    shape({center.x - radius, center.y - radius, 2 * radius, 2 * radius}, stroke.color, stroke.width);
}

void RecordCanvas::fill(Rect area, Color color, float) {
    shape(area, color);
    if (color.a < 255) return;
    const Rect over = overlap(area, clips_.back());
    for (RecordedText& t : texts_) {
        Rect& seen = t.seen;
        if (over.y > seen.y || over.bottom() < seen.bottom() || over.x >= seen.right() || over.right() <= seen.x) continue;
        const float left = std::max(0.0F, over.x - seen.x), right = std::max(0.0F, seen.right() - over.right());
        seen = left >= right ? Rect{seen.x, seen.y, left, seen.h} : Rect{over.right(), seen.y, right, seen.h};
    }
}

float RecordCanvas::printed_width(std::string_view utf8, Font font, float size) const { return fonts_.width(utf8, font, size); }

void RecordCanvas::push_clip(Rect rect) { clips_.push_back(overlap(rect, clips_.back())); }

void RecordCanvas::pop_clip() {
    if (clips_.size() > 1) clips_.pop_back();
}

std::string RecordCanvas::visible_text() const { return lines_of(texts_); }

std::vector<RecordedText> texts_in(const std::vector<RecordedText>& texts, Rect area) {
    std::vector<RecordedText> out;
    for (const RecordedText& t : texts)
        if (!outside(t) && area.contains(overlap(t.box, t.clip).center())) out.push_back(t);
    return out;
}

std::string lines_of(const std::vector<RecordedText>& texts) {
    std::vector<const RecordedText*> items;
    for (const RecordedText& t : texts)
        if (!outside(t)) items.push_back(&t);
    std::stable_sort(items.begin(), items.end(), [](const auto* a, const auto* b) { return a->baseline < b->baseline; });
    std::string out;
    for (std::size_t i = 0; i < items.size();) {
        std::size_t end = i + 1; // one line: baselines within 3 px of the first
        while (end < items.size() && items[end]->baseline - items[i]->baseline <= 3) ++end;
        std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(i), items.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const auto* a, const auto* b) { return a->box.x < b->box.x; });
        for (std::size_t k = i; k < end; ++k) {
            if (k > i && items[k]->box.x - items[k - 1]->box.right() > 1) out += ' ';
            out += items[k]->text;
        }
        out += '\n';
        i = end;
    }
    return out;
}

std::vector<RecordedText> RecordCanvas::clipped_texts() const {
    std::vector<RecordedText> out;
    for (const RecordedText& t : texts_) {
        if (outside(t)) continue;
        const bool inside = t.box.x >= t.clip.x - 0.5F && t.box.right() <= t.clip.right() + 0.5F && t.box.y >= t.clip.y - 0.5F &&
                            t.box.bottom() <= t.clip.bottom() + 0.5F;
        if (!inside) out.push_back(t);
    }
    return out;
}

} // namespace speclens::ui
