#include "scenes/shared/point_labels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/plot.h"
#include "ui/stories/story_book.h"

namespace speclens {
namespace {

using ui::Rect;
using ui::Vec2;

constexpr float kSize = 14, kLine = 18;

float gap(const Rect& box, Vec2 p) {
    const float dx = std::max({box.x - p.x, p.x - box.right(), 0.0F}), dy = std::max({box.y - p.y, p.y - box.bottom(), 0.0F});
    return std::hypot(dx, dy);
}

// Left upper corners of words of that size around a mark, the best first.
std::array<Vec2, 12> beside(Vec2 at, float w, float h) {
    const float above = at.y - 13 - h, below = at.y + 13, right = at.x + 12, left = at.x - 12 - w;
    return {Vec2{right, at.y - h / 2}, {left, at.y - h / 2},  {at.x - w / 2, above - 1}, {at.x - w / 2, below},
            {at.x + 9 - w, above},     {at.x + 9 - w, below}, {at.x - 9, above},         {at.x - 9, below},
            {right, at.y - 4 - h},     {right, at.y + 4},     {left, at.y - 4 - h},      {left, at.y + 4}};
}

Rect box_at(Vec2 corner, float w, float h) { return {corner.x - 2, corner.y, w + 4, h}; }

} // namespace

std::vector<std::vector<std::size_t>> coinciding(std::span<const Vec2> points, float within) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto same = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
            return std::hypot(points[group[0]].x - points[i].x, points[group[0]].y - points[i].y) <= within;
        });
        if (same == groups.end())
            groups.push_back({i});
        else
            same->push_back(i);
    }
    return groups;
}

PointLabels::PointLabels(ui::Canvas& canvas, Rect bounds, std::vector<Vec2> marks)
    : canvas_(canvas), bounds_(bounds), marks_(std::move(marks)) {
    for (const Vec2 at : marks_) block({at.x - 9, at.y - 9, 18, 18});
}

PointLabels::Words PointLabels::measured(const Message& words, ui::Font font, ui::Color ink, ui::Color ground) const {
    Words m{words.said, {}, font, ink, ground};
    for (std::size_t from = 0; from <= words.size();) {
        const std::size_t end = std::min(words.find('\n', from), words.size());
        m.lines.push_back(words.substr(from, end - from));
        m.w = std::max(m.w, canvas_.printed_width(m.lines.back(), font, kSize));
        from = end + 1;
    }
    m.h = kLine * static_cast<float>(m.lines.size());
    return m;
}

bool PointLabels::name(Vec2 at, const Message& words, ui::Font font, ui::Color ink, ui::Color ground) {
    const Words m = measured(words, font, ink, ground);
    for (const Vec2 corner : beside(at, m.w, m.h)) {
        const Rect box = box_at(corner, m.w, m.h);
        if (!free(box) || std::ranges::any_of(marks_, [&](Vec2 other) {
                return (other.x != at.x || other.y != at.y) && gap(box, other) < gap(box, at) + 8;
            }))
            continue;
        write(box, m);
        named_.push_back({at, box, false});
        return true;
    }
    // Farther off, first above and below the mark, then sideways, too.
    const std::array near = {at.x - m.w / 2, at.x + 9 - m.w, at.x - 9, at.x + 12, at.x - 12 - m.w};
    const std::array far = {at.x + 36, at.x - 36 - m.w, at.x + 72, at.x - 72 - m.w};
    return led(at, m, near, 18) || led(at, m, far, -13);
}

bool PointLabels::led(Vec2 at, const Words& m, std::span<const float> left, float least) {
    for (float away = least; away < bounds_.h; away += 9)
        for (const float y : {at.y - 13 - m.h - away, at.y + 13 + away})
            for (const float x : left) {
                const Rect box = box_at({x, y}, m.w, m.h);
                const Vec2 to{std::clamp(at.x, box.x + 4, box.right() - 4), y < at.y ? box.bottom() : box.y};
                if (!free(box) || !clear(at, to)) continue;
                canvas_.line(at, to, {m.ink, 1});
                taken_.push_back({std::min(at.x, to.x) - 3, std::min(at.y, to.y), std::abs(to.x - at.x) + 6, std::abs(to.y - at.y)});
                write(box, m);
                named_.push_back({at, box, true});
                return true;
            }
    return false;
}

void PointLabels::place(Vec2 at, const Message& words, ui::Color ink, ui::Color ground) {
    const Words m = measured(words, ui::Font::text, ink, ground);
    for (const Vec2 corner : beside(at, m.w, m.h))
        if (const Rect box = box_at(corner, m.w, m.h); free(box)) return write(box, m);
}

bool PointLabels::free(const Rect& box) const { return ui::has_room(box, bounds_, taken_); }

// Whether a line meets nothing but the mark that it begins at.
bool PointLabels::clear(Vec2 from, Vec2 to) const {
    for (int i = 0; i <= 16; ++i) {
        const float part = static_cast<float>(i) / 16;
        const Vec2 p{from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
        for (const Rect& r : taken_)
            if (r.contains(p) && !r.contains(from)) return false;
    }
    return true;
}

void PointLabels::write(const Rect& box, const Words& words) {
    canvas_.fill(box, words.ground);
    float y = box.y + kSize;
    for (const std::string& line : words.lines) {
        canvas_.print({box.x + 2, y}, line, words.font, kSize, words.ink);
        y += kLine;
    }
    canvas_.tell(message(words.said), box, ui::Canvas::Told::drawn);
    taken_.push_back(box);
}

} // namespace speclens
