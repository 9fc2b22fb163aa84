// A run as other models can do it: what the next model makes of the settings that the last one ran with.
#pragma once

#include <functional>
#include <string>

#include "engine/run/run_settings.h"

namespace speclens {

struct Models; // engine/models/models.h

// Who drafts where nobody was chosen: the small model; without one EAGLE-3, the best drafter of the heads that come with a
// real model; else lookup, which needs nothing.
[[nodiscard]] std::string default_drafter(const std::function<bool(const std::string& drafter)>& ready);
[[nodiscard]] std::string default_drafter(const Models& models);

// `before` as `models` can run it. K, temperature and dice stay. A prompt of text stays, a chat only where the format of
// chats is known; ids become `text`, what they said, and stay where that is empty or the models have no tokenizer.
// A drafter that is not ready becomes the default one, and options that do not suit the target are the default ones.
[[nodiscard]] RunSettings fitting_settings(const Models& models, RunSettings before, const std::string& text = {});

} // namespace speclens
