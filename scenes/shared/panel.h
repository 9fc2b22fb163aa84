// Details and controls of a scene that is made of messages, laid out by one set of rules.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "scenes/shared/head_scene.h"

namespace speclens {

// Messages below one another as far as the region goes. Those for which there is no room are told all the same.
struct DetailsColumn {
    ui::Ui& ui;
    ui::Rect region;
    float y; // baseline of the next one
    DetailsColumn(ui::Ui& of, ui::Rect details) : ui(of), region(details), y(details.y + 58) {}
    void title(const Message& words) const;
    void paragraph(const Message& words, ui::Color color, int max_lines);
    void line(const Message& words, ui::Color color); // shortened where it is too long
    void tell(const Message& words) const { ui.canvas.tell(words, region); }

  private:
    [[nodiscard]] float x() const { return region.x + 24; }
    [[nodiscard]] float width() const { return region.w - 48; }
};

// A control below its label, with what it is for. Nothing where the row has no room for it.
struct ControlWords {
    std::string_view id;
    Message label, about;
};
[[nodiscard]] std::optional<int> segmented(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices,
                                           int chosen);
[[nodiscard]] std::optional<int> dropdown(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices,
                                          int chosen);
// Through `count` things of which `at` (from 0) is shown, by a text that says so.
[[nodiscard]] std::optional<int> stepper(ui::Ui& ui, ControlRow& row, const ControlWords& words, const Message& text, int at, int count);

} // namespace speclens
