// What the loop scene says where the plain rules do not judge a chain: block verification, lenience, typical acceptance,
// cascades, and rounds whose guesses form a tree.
#pragma once

#include "scenes/loop/loop_model.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

void tell_rule_check(const SceneInput& input, const LoopModel& model, const LoopColumn& judged, Story& story);
void tell_tree_check(const SceneInput& input, const LoopModel& model, Story& story); // the last verdict
// The target's own token; false where the usual words say it.
[[nodiscard]] bool tell_rule_own(const SceneInput& input, const LoopModel& model, Story& story);
void tell_tree_own(const SceneInput& input, const LoopModel& model, Story& story);

} // namespace speclens
