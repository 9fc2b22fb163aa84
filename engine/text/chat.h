// Chats as text: what stands around the turns, which differs from model to model. Formats are told from the
// chat templates of models (chat_format.cpp): ChatML, Llama 2 and 3, Mistral, Zephyr and others that put
// marks around turns. Sources: transformers, "Chat templates"; the Qwen3 model card for what thinking
// changes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

struct ChatTurn {
    std::string role; // "system", "user", "assistant"
    std::string content;
};

// By default that of Qwen3: ChatML, with a switch for thinking.
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

    struct Marks {
        std::string before, after;
        bool trimmed = false; // blanks around what is said are taken away
        bool operator==(const Marks&) const = default;
    };
    std::string begin = {}; // before all turns: the model's bos_token, where its template writes one
    // `system` where it is said within a user's turn: around it there; what the user says follows.
    Marks system = {"<|im_start|>system\n", "<|im_end|>\n"}, user = {"<|im_start|>user\n", "<|im_end|>\n"},
          assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"};
    std::string opening = "<|im_start|>assistant\n"; // of the answer, before what `think` adds
    enum class SystemPlace { own_turn, first_user, last_user, nowhere } system_place = SystemPlace::own_turn;
    bool always_system = false; // Llama 3.1: a system turn is written even if nothing is said in it
    // What is written of an answer that was thought about: <think>…</think> and what was said.
    enum class Answers {
        as_think,    // Qwen3, where the model thinks: thoughts since the last question; else as `kept`
        kept,        // all of it
        said,        // what stands behind the last </think>
        said_flush,  // the same, without line breaks in front where something was thought
        always_flush // the same, without line breaks in front
    } answers = Answers::as_think;
    // What the template takes: only user and assistant in turn, a user first; system turns behind others;
    // chats that end with an answer.
    bool alternates = false, later_system = true, ends_answered = true;
    bool operator==(const ChatFormat&) const = default;
};

// As `chat_template` writes chats with these spellings of bos_token and eos_token (nothing: the model names
// none). `file` is where it was found, for messages. What cannot be told from it is a `problem`; so is a
// missing template.
[[nodiscard]] ChatFormat chat_format_of(const std::optional<std::string>& chat_template, const std::string& file,
                                        const Tokenizer& tokenizer, const std::optional<std::string>& bos = {},
                                        const std::optional<std::string>& eos = {});
// The same for the template of the folder (in tokenizer_config.json, or chat_template.jinja). Throws Error
// for a broken tokenizer_config.json.
[[nodiscard]] ChatFormat read_chat_format(const std::filesystem::path& folder, const Tokenizer& tokenizer);

// The turns, then an opened assistant turn, with what was said as literal parts. What was thought before the
// last question is dropped. Throws Error where the format has a problem, or does not take turns in this
// order.
[[nodiscard]] std::vector<TextPart> chat_parts(const std::vector<ChatTurn>& turns, bool thinking, const ChatFormat& format = {});
[[nodiscard]] std::string chat_prompt(const std::vector<ChatTurn>& turns, bool thinking, const ChatFormat& format = {}); // as one text

// Why asking for thinking changes nothing in this format; empty: it does, or the format has a problem.
[[nodiscard]] std::string why_no_thinking(const ChatFormat& format);

} // namespace speclens
