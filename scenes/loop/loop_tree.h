// What the loop scene says about a round whose guesses form a tree.
#pragma once

#include "scenes/loop/loop_model.h"
#include "scenes/shared/story.h"

namespace speclens {

void tell_tree_check(const SceneInput& input, const LoopModel& model, Story& story); // the last verdict
void tell_tree_own(const SceneInput& input, const LoopModel& model, Story& story);   // the target's own token

} // namespace speclens
