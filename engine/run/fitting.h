// A run as other models can do it: what the next model makes of the settings that the last one ran with.
#pragma once

#include <functional>
#include <string>

#include "engine/run/models.h"
#include "engine/run/run_settings.h"

namespace speclens {

// Who guesses where nobody was chosen: the small model; without one EAGLE-3, the best guesser of the heads that come with a
// real model; else lookup, which needs nothing.
[[nodiscard]] std::string usual_drafter(const std::function<bool(const std::string& drafter)>& ready);
[[nodiscard]] std::string usual_drafter(const Models& models);

// `before` as `models` can run it. K, temperature and dice stay. A prompt of text stays, a chat only where the format of
// chats is known; ids become `text`, what they said, and stay where that is empty or the models have no tokenizer.
// A drafter that is not ready becomes the usual one, and options that do not suit the target are the usual ones.
[[nodiscard]] RunSettings fitting_settings(const Models& models, RunSettings before, const std::string& text = {});

} // namespace speclens
