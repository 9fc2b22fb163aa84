// What the bands of the loop's picture share, and those that have a file of their own.
#pragma once

#include <algorithm>

#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_model.h"
#include "scenes/shared/motion.h"
#include "scenes/shared/scene.h"
#include "ui/ui.h"

namespace speclens {

// A band is one function of it, at the height that `grid.rows` gives it.
struct LoopDraw {
    const SceneInput& input;
    const LoopModel& model;
    const LoopGrid& grid;
    ui::Ui& ui;
    [[nodiscard]] float moved(const void* event) const { return speclens::moved(input, event); }
    // Where a chip is on its way, and how much of it is seen: with reduced motion it fades in where it rests.
    [[nodiscard]] ui::Rect on_the_way(ui::Rect from, ui::Rect to, float t) const {
        return input.reduced_motion ? to : between(from, to, eased(t));
    }
    [[nodiscard]] float seen(float t) const { return std::min(1.0F, input.reduced_motion ? t : 3 * t); }
    void tell_place(int index, ui::Rect at) const {
        if (input.places) (*input.places)[place_of({model.round->round, index})] = at;
    }
    // Of what fills or opens from one side.
    [[nodiscard]] float grown(float t) const { return input.reduced_motion ? 1 : eased(t); }
};

// Replacement or bonus with the distribution it was drawn from (loop_own.cpp).
void draw_own_row(const LoopDraw& d);
// Its chip, in the column of the bonus too; it comes from so far below `box`.
void draw_own_chip(const LoopDraw& d, ui::Rect box, ui::Role role, float from_below);
// "The same tokens on one clock" (loop_clock.cpp): the measured phases of this round above what plain decoding needs for as
// many tokens, on one scale. The difference is drawn as a bracket, also when speculation lost.
void draw_loop_clock(const LoopDraw& d, ui::Rect stage);

} // namespace speclens
