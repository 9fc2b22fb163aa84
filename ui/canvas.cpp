#include "ui/canvas.h"

#include <algorithm>
#include <cmath>

#include "ui/language/language.h"
#include "ui/text_layout.h"

namespace speclens::ui {

Color Color::alpha(float factor) const {
    const float scaled = static_cast<float>(a) * std::clamp(factor, 0.0F, 1.0F);
    return {r, g, b, static_cast<std::uint8_t>(std::lround(scaled))};
}

Color mix(Color over, Color under, float amount) {
    const float t = std::clamp(amount, 0.0F, 1.0F);
    const auto channel = [t](std::uint8_t o, std::uint8_t u) {
        return static_cast<std::uint8_t>(std::lround(static_cast<float>(u) + (static_cast<float>(o) - static_cast<float>(u)) * t));
    };
    return {channel(over.r, under.r), channel(over.g, under.g), channel(over.b, under.b), 255};
}

void Canvas::text(Vec2 at, std::string_view english, Font font, float size, Color color, Align align) {
    if (!language().translates()) return print(at, english, font, size, color, align);
    print(at, language().label(english), font, size, color, align);
}

void Canvas::draw_message(Vec2 at, const Message& message, Font font, float size, Color color, Align align) {
    const std::string words = drawn_words(message);
    print(at, words, font, size, color, align);
    tell(message, text_box(*this, at, words, font, size, align), Told::drawn);
}

float Canvas::text_width(std::string_view english, Font font, float size) const {
    return language().translates() ? printed_width(language().label(english), font, size) : printed_width(english, font, size);
}

} // namespace speclens::ui
