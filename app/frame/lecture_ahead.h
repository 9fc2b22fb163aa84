// What a step of a lecture needs measured before it shows anything: whoever presses Page Down alone meets no empty step.
#pragma once

#include <vector>

#include "scenes/shared/scene.h"

namespace speclens {

// The measurements that a scene asks for at this place, as it does for a picture (SceneInput::still). `input` is that of the
// window; its beat and sizes are of no account.
[[nodiscard]] std::vector<Command> measurements_of(const SceneInfo& scene, SceneInput input, int beat);

} // namespace speclens
