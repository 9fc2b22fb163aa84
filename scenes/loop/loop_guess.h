// Words of the loop for one guess: who proposed it, what that had seen, and how the token came out of its
// law.
#pragma once

#include <string>

#include "scenes/loop/loop_model.h"

namespace speclens {

// "The small draft model reads the text and its own guesses so far and gives “Paris” .99. …"; of drafters
// that compute their guesses.
[[nodiscard]] std::string guess_words(const SceneInput& input, const LoopModel& model,
                                      const LoopColumn& guess);

} // namespace speclens
