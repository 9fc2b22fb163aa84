// Names of points in a chart: beside their mark, else farther off at the end of a line, and never over a mark
// or another name. Points that coincide share one name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ui/canvas.h"

namespace speclens {

// Indices of points that lie so close that one name must serve them, each group in the order given.
[[nodiscard]] std::vector<std::vector<std::size_t>> coinciding(std::span<const ui::Vec2> points, float within);

class PointLabels {
  public:
    struct Named {
        ui::Vec2 mark;
        ui::Rect box;
        bool led = false; // by a line
    };

    PointLabels(ui::Canvas& canvas, ui::Rect bounds, std::vector<ui::Vec2> marks);
    void block(ui::Rect r) { taken_.push_back(r); }

    // The name of a mark stands beside it, where no other mark is as near; else farther off, at the end of a
    // line. Lines of the name end with '\n', which nobody is told of. False: there is no room even there.
    bool name(ui::Vec2 at, const Message& words, ui::Font font, ui::Color ink, ui::Color ground);
    // What belongs to no mark: anywhere around a place, and dropped where there is no room.
    void place(ui::Vec2 at, const Message& words, ui::Color ink, ui::Color ground);

    [[nodiscard]] const std::vector<Named>& named() const { return named_; }

  private:
    struct Words {
        const Said& said; // of the caller
        std::vector<std::string> lines;
        ui::Font font;
        ui::Color ink, ground;
        float w = 0, h = 0;
    };
    [[nodiscard]] Words measured(const Message& words, ui::Font font, ui::Color ink, ui::Color ground) const;
    // At the end of a line from the mark, at one of these left edges, `least` px above or below it or more.
    bool led(ui::Vec2 at, const Words& words, std::span<const float> left, float least);
    [[nodiscard]] bool free(const ui::Rect& box) const;
    [[nodiscard]] bool clear(ui::Vec2 from, ui::Vec2 to) const;
    void write(const ui::Rect& box, const Words& words);

    ui::Canvas& canvas_;
    ui::Rect bounds_;
    std::vector<ui::Vec2> marks_;
    std::vector<ui::Rect> taken_;
    std::vector<Named> named_;
};

} // namespace speclens
