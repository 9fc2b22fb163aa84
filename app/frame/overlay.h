// What somebody who teaches lays over the whole picture: a black screen, so that the room looks at the
// speaker; a light around the pointer; strokes of a pen, which go when the picture under them changes.
#pragma once

#include <string>
#include <vector>

#include "ui/ui.h"

namespace speclens {

struct Overlay {
    bool black = false, light = false, pen = false;
    std::vector<std::vector<ui::Vec2>> strokes; // logical px
    std::string place;                          // the picture that they were drawn on
};

// Before anything else of a frame. `place` names the picture. Under the pen nothing below gets the pointer.
// False: the screen is black, nothing else is to be drawn or asked; any key and any click end that.
[[nodiscard]] bool begin_overlay(Overlay& overlay, ui::Ui& ui, const std::string& place);
// Over the picture and everything around it, below menus and dialogs.
void draw_overlay(const Overlay& overlay, const ui::Ui& ui);

} // namespace speclens
