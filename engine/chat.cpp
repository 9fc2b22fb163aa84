// The chat format of Qwen3 (ChatML), after the template of its tokenizer_config.json: no default system turn,
// reasoning of earlier answers is dropped, reasoning after the last question is kept.
#include "engine/tokenizer.h"

namespace speclens {
namespace {

constexpr std::string_view kOpen = "<think>", kClose = "</think>";

std::string_view without_newlines(std::string_view text) {
    const auto first = text.find_first_not_of('\n');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of('\n') - first + 1);
}
std::string_view without_leading_newlines(std::string_view text) {
    const auto first = text.find_first_not_of('\n');
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// An assistant turn: what was thought and what was said.
struct Answer {
    std::string_view reasoning, text;
};
Answer parse_answer(std::string_view content) {
    const auto first_close = content.find(kClose);
    if (first_close == std::string_view::npos) return {{}, content};
    std::string_view reasoning = content.substr(0, first_close);
    if (const auto open = reasoning.rfind(kOpen); open != std::string_view::npos)
        reasoning.remove_prefix(open + kOpen.size());
    return {without_newlines(reasoning),
            without_leading_newlines(content.substr(content.rfind(kClose) + kClose.size()))};
}

std::string assistant_content(const std::string& content, bool after_last_question, bool last) {
    const Answer answer = parse_answer(content);
    std::string text;
    if (after_last_question && (last || !answer.reasoning.empty())) {
        text.append(kOpen).append("\n").append(answer.reasoning).append("\n").append(kClose).append("\n\n");
        return text.append(without_leading_newlines(answer.text));
    }
    return text.append(answer.text);
}

} // namespace

std::string chat_prompt(const std::vector<ChatTurn>& turns, bool thinking) {
    std::size_t questions = 0; // turns up to and including the last user turn
    for (std::size_t i = 0; i < turns.size(); ++i)
        if (turns[i].role == "user") questions = i + 1;

    std::string prompt;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        const ChatTurn& turn = turns[i];
        prompt += "<|im_start|>" + turn.role + "\n";
        prompt += turn.role == "assistant"
                      ? assistant_content(turn.content, i >= questions, i + 1 == turns.size())
                      : turn.content;
        prompt += "<|im_end|>\n";
    }
    prompt += "<|im_start|>assistant\n";
    if (!thinking) prompt += "<think>\n\n</think>\n\n";
    return prompt;
}

} // namespace speclens
