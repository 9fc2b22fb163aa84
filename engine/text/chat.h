// Chats as text, in the ChatML of the Qwen families, which differ in three things: a system
// turn when none is given, and what stands between the opened answer and its first word.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

struct ChatTurn {
    std::string role; // "system", "user", "assistant"
    std::string content;
};

struct ChatFormat {
    std::string default_system; // the first turn when the chat brings no system turn; empty: none
    enum class Think {
        asked,  // Qwen3: without thinking, an empty think block follows, so that the model answers at once
        either, // as asked, and with thinking the block is opened
        never,  // Qwen2.5, Qwen3-*-Instruct-2507: nothing follows
        always, // Qwen3-*-Thinking-2507: the think block is opened
        closed  // an empty think block follows, whatever is asked for
    } think = Think::asked;
    std::string problem = {}; // why no chat can be written: a template of another kind; empty: it can
    bool operator==(const ChatFormat&) const = default;
};

// As the chat template of the folder says (in tokenizer_config.json, or chat_template.jinja); without one, as
// the family does that has these tokens. Throws Error for a broken tokenizer_config.json.
[[nodiscard]] ChatFormat read_chat_format(const std::filesystem::path& folder, const Tokenizer& tokenizer);

// The turns, then an opened assistant turn. What was thought before the last question is dropped. Throws
// Error where the format has a problem.
[[nodiscard]] std::string chat_prompt(const std::vector<ChatTurn>& turns, bool thinking,
                                      const ChatFormat& format = {});

} // namespace speclens
