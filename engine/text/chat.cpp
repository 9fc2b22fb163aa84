#include "engine/text/chat.h"

#include "kernels/error.h"

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

// What a tool answered is said in a user's turn and asks nothing.
bool is_question(const ChatTurn& turn) {
    return turn.role == "user" &&
           !(turn.content.starts_with("<tool_response>") && turn.content.ends_with("</tool_response>"));
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

std::string chat_prompt(const std::vector<ChatTurn>& turns, bool thinking, const ChatFormat& format) {
    if (!format.problem.empty())
        throw Error(
            format.problem,
            "Ask with raw text (--raw; in a file of prompts no \"chat\"), and write the marks of that "
            "template into the prompt.");
    // Turns up to and including the last question; where nothing is asked, all of them, as Qwen3's template
    // has it.
    std::size_t questions = turns.size();
    for (std::size_t i = 0; i < turns.size(); ++i)
        if (is_question(turns[i])) questions = i + 1;

    std::string prompt;
    const auto add = [&](const std::string& role, const std::string& content) {
        prompt += "<|im_start|>" + role + "\n" + content + "<|im_end|>\n";
    };
    if (!format.default_system.empty() && (turns.empty() || turns.front().role != "system"))
        add("system", format.default_system);
    using Think = ChatFormat::Think;
    const bool thinks = format.think != Think::never && format.think != Think::closed;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        const ChatTurn& turn = turns[i];
        add(turn.role, thinks && turn.role == "assistant"
                           ? assistant_content(turn.content, i >= questions, i + 1 == turns.size())
                           : turn.content);
    }
    prompt += "<|im_start|>assistant\n";
    const bool may_ask = format.think == Think::asked || format.think == Think::either;
    if (format.think == Think::always || (format.think == Think::either && thinking)) prompt += "<think>\n";
    if (format.think == Think::closed || (may_ask && !thinking)) prompt += "<think>\n\n</think>\n\n";
    return prompt;
}

} // namespace speclens
