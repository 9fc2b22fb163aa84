// Choices whose words are messages. Those of widgets.h draw labels that are looked up, and go with the last scene that has such.
#pragma once

#include "ui/widgets.h"

namespace speclens::ui {

std::optional<int> dropdown(Ui& ui, std::string_view id, Rect rect, std::span<const Message> choices, int chosen, const Message& tooltip);
std::optional<int> segmented(Ui& ui, std::string_view id, Vec2 at, std::span<const Message> choices, int chosen,
                             const Message& disabled = {});
[[nodiscard]] float segmented_width(const Canvas& canvas, std::span<const Message> choices);

} // namespace speclens::ui
