#include "ui/canvas.h"

#include <algorithm>
#include <cmath>

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

void Canvas::text(Vec2 at, const Message& message, Font font, float size, Color color, Align align) {
    print(at, message, font, size, color, align);
    if (message.finished()) tell(message, text_box(*this, at, message, font, size, align), Told::drawn);
}

} // namespace speclens::ui
