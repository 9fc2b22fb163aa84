#include "app/frame/term_canvas.h"

#include "ui/ui.h"

namespace speclens {

void TermCanvas::fill(ui::Rect rect, ui::Color color, float radius) {
    on_.fill(rect, color, radius);
    if (color.a == 255 && seen() && rect.contains(mouse_)) text_.clear();
}

void TermCanvas::print(ui::Vec2 at, std::string_view utf8, ui::Font font, float size, ui::Color color, ui::Align align) {
    on_.print(at, utf8, font, size, color, align);
    constexpr float kAbove = 12, kControl = 36; // see ui::field_label()
    const bool caption =
        align == ui::Align::left && mouse_.y >= at.y + kAbove && mouse_.y <= at.y + kAbove + kControl && mouse_.x >= at.x && seen();
    if (caption && (caption_.empty() || at.x > caption_x_)) caption_ = utf8, caption_x_ = at.x;
    if (mouse_.y < at.y - size || mouse_.y > at.y + 0.35F * size || !seen()) return; // most texts: no width is needed
    const float width = on_.printed_width(utf8, font, size);
    const float left = align == ui::Align::left ? at.x : align == ui::Align::center ? at.x - width / 2 : at.x - width;
    if (mouse_.x < left || mouse_.x > left + width) return;
    text_ = utf8;
    box_ = {left, at.y - size, width, 1.35F * size};
    font_ = font;
    size_ = size;
}

void TermCanvas::push_clip(ui::Rect rect) {
    on_.push_clip(rect);
    clips_.push_back(clips_.empty() ? rect : ui::intersect(rect, clips_.back()));
}

void TermCanvas::pop_clip() {
    on_.pop_clip();
    if (!clips_.empty()) clips_.pop_back();
}

TermCanvas::Found TermCanvas::found(const std::vector<GlossaryEntry>& glossary, bool captions) const {
    if (captions && !caption_.empty())
        for (const TermAt& term : terms_in(glossary, caption_))
            return {term.entry->term + ": " + term.entry->text, {mouse_.x - 8, mouse_.y - 8, 16, 24}};
    if (text_.empty()) return {};
    for (const TermAt& term : terms_in(glossary, text_)) {
        const std::string_view text = text_;
        const float from = box_.x + on_.printed_width(text.substr(0, term.at), font_, size_),
                    to = box_.x + on_.printed_width(text.substr(0, term.at + term.length), font_, size_);
        if (mouse_.x >= from && mouse_.x <= to) return {term.entry->term + ": " + term.entry->text, {from, box_.y, to - from, box_.h}};
    }
    return {};
}

} // namespace speclens
