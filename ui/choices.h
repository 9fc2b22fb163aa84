// Choices whose words are messages. Those of widgets.h draw labels that are looked up, and go with the last scene that has such.
#pragma once

#include "ui/widgets.h"

namespace speclens::ui {

struct MessageChoice {
    Message label;
    Message detail{};   // muted, right aligned
    Message disabled{}; // not choosable, and why
};
// `open`: what stands there where nothing is chosen.
std::optional<int> dropdown(Ui& ui, std::string_view id, Rect rect, std::span<const MessageChoice> choices, int chosen,
                            const Message& tooltip, const Message& disabled = {}, const Message& open = {});
std::optional<int> segmented(Ui& ui, std::string_view id, Vec2 at, std::span<const Message> choices, int chosen,
                             const Message& disabled = {});
[[nodiscard]] float segmented_width(const Canvas& canvas, std::span<const Message> choices);

} // namespace speclens::ui
