// The time that plain decoding takes for a token, where the engine of this window can measure it.
#pragma once

#include "scenes/shared/scene_input.h"
#include "ui/stories/message.h"

namespace speclens {

// Why there is no such time: a saved run holds none.
[[nodiscard]] Message no_plain_words(const SceneInput& input);
// The target is a server or a table. No user of a server waits for one request per token, and asking a table
// costs nothing, so no time of plain decoding is compared.
[[nodiscard]] bool without_passes(const SceneInput& input);
// Whether passes are there because they were asked for in this scene, as its task says.
[[nodiscard]] bool timed_by_task(const SceneInput& input);
// Why passes of the target cannot be timed; empty: they can, or there is no run yet.
[[nodiscard]] Message untimed_passes(const SceneInput& input);
// Plain time per token of this prompt: what the caller measured, else what the engine did. 0: unknown, or
// without_passes.
[[nodiscard]] double plain_ms(const SceneInput& input);

} // namespace speclens
