// What a run is asked. Always copied as a whole.
#pragma once

#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

struct Prompt {
    std::string text = "The capital of France is";
    std::string system = {}; // system turn, chat only
    bool chat = false;
    bool chat_if_possible = false;    // nobody asked for the chat: as text, with a notice, where its format is not known
    bool thinking = false;            // chat only: leave the think block to the model
    std::vector<TextPart> parts = {}; // of a whole conversation that is `text`: which of it was said
    std::vector<int> token_ids = {};  // when not empty: the prompt, instead of text
    bool operator==(const Prompt&) const = default;
};

} // namespace speclens
