// From key presses to actions. Runs after the scene, so a scene may keep keys of its own.
#pragma once

#include <vector>

#include "app/frame/actions.h"

namespace speclens {

struct KeyedAction {
    Action action;
    int number = 0; // of pick_drafter: 0 is the first
};
// Takes every key that belongs to an action; several in one frame come out in the table's order.
// In a lecture a clicker's keys, PageDown and PageUp, go from step to step.
[[nodiscard]] std::vector<KeyedAction> take_actions(ui::Ui& ui, bool lecture = false);

} // namespace speclens
