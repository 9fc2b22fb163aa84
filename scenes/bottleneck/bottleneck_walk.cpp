// The pictures of S1 before the answer: the walk through the warehouse for one book, and the question how
// much longer a walk for sixteen takes. Nothing in them was measured but the size of the weights, and they
// give no answer away.
#include <algorithm>
#include <cmath>

#include "scenes/bottleneck/bottleneck_model.h"
#include "ui/glyphs.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

void walk_head(const BottleneckDraw& d, Rect box, const Message& title, const Message& words) {
    ui::fitted_text(d.ui.canvas, {box.x, box.y - 34}, title, Font::text_bold, 15, d.ui.theme.ink, box.w);
    ui::fitted_text(d.ui.canvas, {box.x, box.y - 14}, words, Font::text, 14, d.ui.theme.muted, box.w);
}

// Shelves: all of them are walked along.
void draw_shelves(const BottleneckDraw& d, Rect box) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.fill(box, theme.panel, 6);
    canvas.outline(box, {theme.role(Role::target), 1.5F}, 6);
    constexpr float kBook = 12, kPitch = 16;
    const float columns = std::floor((box.w - 24 + kPitch - kBook) / kPitch), rows = std::floor((box.h - 24 + kPitch - kBook) / kPitch);
    const float x = box.center().x - (columns * kPitch - (kPitch - kBook)) / 2, y = box.center().y - (rows * kPitch - (kPitch - kBook)) / 2;
    for (float row = 0; row < rows; ++row)
        for (float column = 0; column < columns; ++column)
            canvas.fill({x + kPitch * column, y + kPitch * row, kBook, kBook}, theme.role(Role::target).alpha(0.55F), 2);
}

// As many seats as the question is about; one is taken.
void draw_seats(const BottleneckDraw& d, Rect box) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.fill(box, theme.panel, 6);
    canvas.outline(box, {theme.role(Role::target), 1.5F}, 6);
    canvas.tell(bottleneck_says("walk.picture:seats"_t, "seats"_v = kAsked), box);
    constexpr int kAcross = 4, kDown = kAsked / kAcross;
    const float pitch = std::min(44.0F, (box.h - 16) / kDown), radius = pitch * 0.3F;
    for (int seat = 0; seat < kAsked; ++seat) {
        const ui::Vec2 at{box.center().x + (static_cast<float>(seat % kAcross) - 1.5F) * pitch,
                          box.center().y + (static_cast<float>(seat / kAcross) - 1.5F) * pitch};
        if (seat == 0)
            canvas.disc(at, radius, theme.role(Role::target));
        else
            canvas.ring(at, radius, {theme.muted, 1.5F});
    }
}

} // namespace

void draw_bottleneck_walk(const BottleneckDraw& d, Rect area) {
    constexpr float kHead = 56;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float box = std::min(320.0F, area.w * 0.32F), y = area.y + kHead, h = std::clamp(area.h - kHead - 8, 96.0F, 260.0F);
    const Rect memory{area.x, y, box, h}, units{area.right() - box, y, box, h};
    const auto size = d.model.measured() ? std::optional(d.model.times->weight_bytes) : std::nullopt;
    walk_head(d, memory, bottleneck_says("walk.picture:weights"_t, "size"_v = size), bottleneck_says("walk.picture:shelves"_t));
    walk_head(d, units, bottleneck_says("walk.picture:arithmetic"_t), bottleneck_says("walk.picture:lookup"_t));
    draw_shelves(d, memory);
    draw_seats(d, units);
    const float from = memory.right() + 12, to = units.x - 12, middle = y + h / 2;
    canvas.fill({from, middle - 5, to - from - 8, 10}, theme.tint(Role::target), 2);
    ui::arrow(canvas, {from, middle}, {to, middle}, {theme.role(Role::target), 2}, 8);
    ui::fitted_text(canvas, {from + 8, middle - 18}, bottleneck_says("walk.picture:walk"_t), Font::text, 14, theme.ink, to - from - 16);
    ui::fitted_text(canvas, {from + 8, middle + 28}, bottleneck_says("walk.picture:takes"_t), Font::text, 14, theme.muted, to - from - 16);
}

void draw_bottleneck_question(const BottleneckDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float left = area.x + 132, h = 28, pitch = std::clamp((area.h - 84) / 4, 40.0F, 60.0F);
    const ui::Scale x{0, static_cast<double>(kSayings[std::size(kSayings) - 1]), left, area.right() - 56};
    ui::fitted_text(canvas, {area.x, area.y + 14}, bottleneck_says("question.prediction:one"_t), Font::text_bold, 15, theme.ink, area.w);
    canvas.fill({left, area.y + 26, x(1) - left, h}, theme.role(Role::target), 2);
    const float first = area.y + 26 + pitch + 22;
    ui::fitted_text(canvas, {area.x, first - 12}, bottleneck_says("question.prediction:question"_t, "tokens"_v = kAsked), Font::text_bold,
                    15, theme.ink, area.w);
    for (int i = 0; i < static_cast<int>(std::size(kSayings)); ++i) {
        const Message words = bottleneck_says("controls.times"_t, "times"_v = kSayings[i]);
        const float y = first + pitch * static_cast<float>(i), middle = y + pitch / 2;
        const Rect row{area.x - 8, y, area.w + 16, pitch};
        const bool chosen = i == d.state.said;
        const ui::Touch touch = // no stop of Tab: arrows choose an answer
            ui::touch(d.ui, d.ui.id("say " + words), row, {.focusable = false, .grow = false});
        if (chosen || touch.hovered) canvas.fill(row, theme.raised.alpha(chosen ? 0.9F : 0.45F), 4);
        if (touch.clicked) choose_answer(d, i);
        if (chosen) canvas.tell(bottleneck_says("question.prediction:chosen"_t, "times"_v = kSayings[i]), row);
        canvas.text({area.x, middle + 5}, said_aloud(i), chosen ? Font::text_bold : Font::text, 14, chosen ? theme.ink : theme.muted);
        const float end = x(kSayings[i]);
        canvas.outline({left, middle - h / 2, end - left, h}, {chosen ? theme.ink : theme.role(Role::target), chosen ? 2.0F : 1.5F, 5, 4},
                       2);
        canvas.text({end + 8, middle + 5}, words, Font::mono, 14, theme.ink);
    }
}

void choose_answer(const BottleneckDraw& d, int saying) {
    d.state.said = saying;
    if (d.model.asks && d.model.measured()) d.state.answered = d.input.beat;
}

} // namespace speclens
