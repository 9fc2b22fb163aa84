// What the loop scene says where the plain rules do not judge a chain: block verification, lenience, typical acceptance,
// cascades, and rounds whose guesses form a tree.
#pragma once

#include "scenes/loop/loop_model.h"
#include "scenes/shared/story.h"

namespace speclens {

inline void take(Story& story, Words words) {
    story.heading = std::move(words.heading);
    story.text = std::move(words.text);
}

void tell_rule_check(const SceneInput& input, const LoopModel& model, const LoopColumn& judged, Story& story);
void tell_tree_check(const SceneInput& input, const LoopModel& model, Story& story); // the last verdict
// The target's own token; false where the usual words say it.
[[nodiscard]] bool tell_rule_own(const SceneInput& input, const LoopModel& model, Story& story);
void tell_tree_own(const SceneInput& input, const LoopModel& model, Story& story);

} // namespace speclens
