// The notes of a lecture's step, in a panel over output and timeline: the picture they talk about stays free,
// every key goes on working, and PageDown brings the next notes.
#include <algorithm>

#include "app/frame/frame.h"
#include "scenes/shared/lecture_count.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr float kHead = 40, kNoteLine = 24;

bool shown(const FrameDraw& d) { return d.state.notes && d.input.lecture; }

Rect panel(const FrameDraw& d) {
    const FrameLayout& l = d.layout;
    const Rect s = d.ui.screen;
    const bool sentence = l.density == Density::presenter && l.story.w > 0;
    const float bottom = sentence ? l.story.y : l.status.w > 0 ? l.status.y : s.bottom();
    const float covered = l.density == Density::single || l.ribbon.w <= 0 ? 0 : bottom - l.ribbon.y;
    const float h = std::max(covered, std::min(kHead + 3 * kNoteLine + 8, s.h * 0.4F));
    return {s.x, bottom - h, s.w, h};
}

bool under_pointer(const FrameDraw& d) { return !d.state.overlay.pen && panel(d).contains(d.ui.input.mouse); }

// Beside the sentence of the presenter, which counts the beats of its scene; where there is none, below the picture.
void draw_step(const FrameDraw& d) {
    const Rect r = d.layout.story, screen = d.ui.screen;
    if (d.layout.density != Density::presenter) return;
    const LecturePlace& lecture = *d.input.lecture;
    d.ui.canvas.text({screen.right() - 24, r.w > 0 ? r.y + 24 : screen.bottom() - 9},
                     lecture_count(lecture.step + 1, lecture.steps(), lecture.away(d.input.scene_name)), Font::mono, 16, d.ui.theme.muted,
                     Align::right);
}

} // namespace

void cover_notes(const FrameDraw& d) {
    if (shown(d) && under_pointer(d)) d.ui.covered = true;
}

void draw_notes(const FrameDraw& d) {
    if (d.input.lecture) draw_step(d);
    if (!shown(d)) return;
    ui::Ui& ui = d.ui;
    if (under_pointer(d)) ui.covered = false;
    const LecturePlace& lecture = *d.input.lecture;
    const Rect r = panel(d);
    ui.canvas.fill(r, ui.theme.raised);
    ui.canvas.outline(r, {ui.theme.muted, ui.theme.edge_width});
    ui.push_id("notes " + std::to_string(lecture.step));
    const std::string& notes = lecture.notes();
    const std::string text = notes.empty() ? frame_says("lecture.no_notes"_t) : notes;
    const Message closes = frame_says("buttons.close"_t), copies = frame_says("buttons.copy"_t);
    const float close_w = std::max(100.0F, ui::button_width(ui.canvas, closes, {.shortcut = "F4"})),
                copy_w = std::max(76.0F, ui::button_width(ui.canvas, copies));
    const Rect close{r.right() - 24 - close_w, r.y + 6, close_w, 28}, copy{close.x - 8 - copy_w, r.y + 6, copy_w, 28};
    ui::fitted_text(ui.canvas, {r.x + 24, r.y + 26},
                    frame_says("lecture.notes"_t, "step"_v = lecture.step + 1, "of"_v = lecture.steps(), "title"_v = lecture.now().title),
                    Font::text_bold, 15, ui.theme.ink, copy.x - 24 - r.x - 24);
    if (ui::button(ui, "copy", copy, copies)) d.out.push_back(CopyText{text});
    if (ui::button(ui, "close", close, closes, {.shortcut = "F4"}) || ui.take_key(ui::Key::escape)) d.pick(Action::notes);
    const ui::ParagraphStyle style{.color = ui.theme.ink};
    const Rect view{r.x + 24, r.y + kHead, r.w - 48, r.h - kHead - 4};
    const float height = kNoteLine * static_cast<float>(ui::paragraph_lines(ui.canvas, view.w - 16, text, style)) + 4;
    const float up = ui::begin_scroll(ui, "words", view, height);
    ui::paragraph(ui.canvas, {view.x, view.y + 17 - up}, view.w - 16, text, style);
    ui::end_scroll(ui);
    ui.pop_id();
}

} // namespace speclens
