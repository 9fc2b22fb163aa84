// What a beat is about stands out: everything else on the stage stays, at 35 % of its strength.
#pragma once

#include "ui/widgets.h"

namespace speclens {

inline constexpr float kDimmed = 0.35F;
// Over what is already drawn in `part`; it can still be clicked.
inline void dim(ui::Ui& ui, ui::Rect part) {
    if (part.w > 0 && part.h > 0) ui.canvas.fill(part, ui.theme.bg.alpha(1 - kDimmed));
}

} // namespace speclens
