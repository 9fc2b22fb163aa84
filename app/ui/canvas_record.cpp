#include "app/ui/canvas_record.h"

#include <algorithm>
#include <cmath>

#include "app/ui/fonts.h"

namespace speclens::ui {

namespace {

Rect overlap(Rect a, Rect b) {
    const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
            std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

bool outside(const RecordedText& t) {
    const Rect seen = overlap(t.box, t.clip);
    return seen.w <= 0 || seen.h <= 0;
}

// Boxes are a little higher than the letters, so only the middle counts.
Rect middle(const RecordedText& t) {
    return overlap({t.box.x + 1, t.baseline - t.size * 0.5F, t.box.w - 2, t.size * 0.4F}, t.clip);
}

} // namespace

RecordCanvas::RecordCanvas(const FontSet& fonts, Rect screen) : fonts_(fonts), clips_{screen} {}

void RecordCanvas::text(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align) {
    if (utf8.empty() || color.a == 0) return;
    const float width = text_width(utf8, font, size);
    const float x = align == Align::left ? at.x : align == Align::center ? at.x - width / 2 : at.x - width;
    // Ascenders reach 0.76 of the size in both families, descenders 0.22.
    texts_.push_back({fonts_.shown(utf8, font),
                      {x, at.y - 0.76F * size, width, 0.98F * size},
                      clips_.back(),
                      font,
                      size,
                      color,
                      at.y,
                      {}});
    texts_.back().seen = middle(texts_.back());
}

void RecordCanvas::fill(Rect area, Color color, float) {
    ++shapes_;
    if (color.a < 255) return;
    const Rect over = overlap(area, clips_.back());
    for (RecordedText& t : texts_) {
        Rect& seen = t.seen;
        if (over.y > seen.y || over.bottom() < seen.bottom() || over.x >= seen.right() ||
            over.right() <= seen.x)
            continue;
        const float left = std::max(0.0F, over.x - seen.x),
                    right = std::max(0.0F, seen.right() - over.right());
        seen = left >= right ? Rect{seen.x, seen.y, left, seen.h} : Rect{over.right(), seen.y, right, seen.h};
    }
}

float RecordCanvas::text_width(std::string_view utf8, Font font, float size) const {
    return fonts_.width(utf8, font, size);
}

void RecordCanvas::push_clip(Rect rect) {
    clips_.push_back(overlap(rect, clips_.back()));
}

void RecordCanvas::pop_clip() {
    if (clips_.size() > 1) clips_.pop_back();
}

std::string RecordCanvas::visible_text() const {
    std::vector<const RecordedText*> items;
    for (const RecordedText& t : texts_)
        if (!outside(t)) items.push_back(&t);
    std::stable_sort(items.begin(), items.end(),
                     [](const auto* a, const auto* b) { return a->baseline < b->baseline; });
    std::string out;
    for (std::size_t i = 0; i < items.size();) {
        std::size_t end = i + 1; // one line: baselines within 3 px of the first
        while (end < items.size() && items[end]->baseline - items[i]->baseline <= 3) ++end;
        std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(i),
                         items.begin() + static_cast<std::ptrdiff_t>(end),
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
        const bool inside = t.box.x >= t.clip.x - 0.5F && t.box.right() <= t.clip.right() + 0.5F &&
                            t.box.y >= t.clip.y - 0.5F && t.box.bottom() <= t.clip.bottom() + 0.5F;
        if (!inside) out.push_back(t);
    }
    return out;
}

} // namespace speclens::ui
