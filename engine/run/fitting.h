// A run as other models can do it: what the next model makes of the settings that the last one ran with.
#pragma once

#include <string>

#include "engine/run/control.h"
#include "engine/run/models.h"

namespace speclens {

// `before` as `models` can run it. K, temperature and dice stay. A prompt of text stays, a chat only where the format of
// chats is known; ids become `text`, what they said, and stay where that is empty or the models have no tokenizer.
// A drafter that is not ready becomes lookup, and options that do not suit the target are the usual ones.
[[nodiscard]] RunSettings fitting_settings(const Models& models, RunSettings before, const std::string& text = {});

} // namespace speclens
