// The models that a window can open: the built-in one, those that can be fetched, and those that lie where fetched ones do.
#pragma once

#include <string>
#include <vector>

#include "ui/stories/message.h"

namespace speclens {

struct ModelChoice {
    std::string word;  // as Controller::open_model() takes it: "tiny", "smollm2" or a path
    Message label;     // "SmolLM2-135M-Instruct"; never a path
    Message detail;    // "Apache-2.0, 98 MB"
    bool there = true; // false: it has to be fetched first
};

// Looks at the disk: to be asked when a list opens, not for every frame.
[[nodiscard]] std::vector<ModelChoice> model_choices();

// "SmolLM2-135M-Instruct" for "smollm2", else the word.
[[nodiscard]] std::string model_title(const std::string& word);

// What a model can be asked for, one sentence, before somebody types.
[[nodiscard]] Message able_words(bool built_in, const std::string& model);

} // namespace speclens
