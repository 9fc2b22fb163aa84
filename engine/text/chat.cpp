#include "engine/text/chat.h"

#include <algorithm>

#include "engine/text/chat_shape.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using Answers = ChatFormat::Answers;
using Place = ChatFormat::SystemPlace;
using Think = ChatFormat::Think;

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
    if (const auto open = reasoning.rfind(kOpen); open != std::string_view::npos) reasoning.remove_prefix(open + kOpen.size());
    return {without_newlines(reasoning), without_leading_newlines(content.substr(content.rfind(kClose) + kClose.size()))};
}

// What a tool answered is said in a user's turn and asks nothing.
bool is_question(const ChatTurn& turn) {
    return turn.role == "user" && !(turn.content.starts_with("<tool_response>") && turn.content.ends_with("</tool_response>"));
}

class Parts {
  public:
    void mark(std::string_view text) { add(text, false); }
    void say(std::string_view text) { add(text, true); }
    void add(std::string_view text, bool literal) {
        if (text.empty()) return;
        if (parts_.empty() || parts_.back().literal != literal) parts_.push_back({"", literal});
        parts_.back().text += text;
    }
    // All of `said`, without the blanks around it where they are taken away.
    void add(const std::vector<TextPart>& said, bool trimmed) {
        const std::string text = joined(said);
        const std::string_view kept = trimmed ? stripped(text) : std::string_view(text);
        const std::size_t begin = kept.empty() ? 0 : static_cast<std::size_t>(kept.data() - text.data());
        std::size_t at = 0; // of the part within `text`
        for (const TextPart& part : said) {
            const std::size_t from = std::clamp(begin, at, at + part.text.size()),
                              to = std::clamp(begin + kept.size(), at, at + part.text.size());
            add(std::string_view(text).substr(from, to - from), part.literal);
            at += part.text.size();
        }
    }
    [[nodiscard]] std::vector<TextPart> take() { return std::move(parts_); }

  private:
    std::vector<TextPart> parts_;
};

void say_answer(Parts& out, const ChatFormat& format, const std::string& content, bool after_last_question, bool last) {
    const bool thinks = format.think != Think::never && format.think != Think::closed;
    const std::size_t close = content.rfind(kClose);
    const std::string_view behind = close == std::string::npos ? content : std::string_view(content).substr(close + kClose.size());
    Parts said;
    switch (format.answers) {
    case Answers::kept: said.say(content); break;
    case Answers::said: said.say(behind); break;
    case Answers::said_flush: said.say(parse_answer(content).text); break;
    case Answers::always_flush: said.say(without_leading_newlines(behind)); break;
    case Answers::as_think:
        if (!thinks) {
            said.say(content);
        } else if (const Answer answer = parse_answer(content); after_last_question && (last || !answer.reasoning.empty())) {
            said.mark("<think>\n");
            said.say(answer.reasoning);
            said.mark("\n</think>\n\n");
            said.say(without_leading_newlines(answer.text));
        } else {
            said.say(answer.text);
        }
    }
    out.add(said.take(), format.assistant.trimmed);
}

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
    throw Error("the chat template of this model " + what, remedy, Exit::usage);
}

// Throws Error for an order of turns that the format does not take.
void check_order(const std::vector<ChatTurn>& turns, const ChatFormat& format) {
    const std::size_t first = !turns.empty() && turns.front().role == "system" ? 1 : 0;
    if (first == 1 && format.system_place == Place::nowhere)
        refuse("has no place for a system turn", "Leave it out, or say it at the beginning of the first question.");
    bool asked = false;
    for (std::size_t i = first; i < turns.size(); ++i) {
        const std::string& role = turns[i].role;
        if (role != "user" && role != "assistant" && role != "system")
            refuse("has no turn of the role \"" + role + "\"", "Use system, user and assistant.");
        if (role == "system" && !format.later_system)
            refuse("takes a system turn in front only; turn " + std::to_string(i + 1) + " is one",
                   "Put it in front, or say it in a user's turn.");
        if (format.alternates && role != ((i - first) % 2 == 0 ? "user" : "assistant"))
            refuse("takes turns of user and assistant one after the other, a user's first; turn " + std::to_string(i + 1) + " is of the " +
                       role,
                   "Join turns of the same role.");
        asked = asked || role == "user";
    }
    const bool ends_asked = !turns.empty() && turns.back().role == "user";
    if (!format.ends_answered && !turns.empty() && !ends_asked)
        refuse("takes no chat that ends with a turn of the " + turns.back().role, "End it with a user's turn.");
    if (first == 1 && ((format.system_place == Place::first_user && !asked) || (format.system_place == Place::last_user && !ends_asked)))
        refuse("says what the system has to say in a user's turn, and there is none to say it in", "End the chat with a user's turn.");
}

} // namespace

std::vector<TextPart> chat_parts(const std::vector<ChatTurn>& turns, bool thinking, const ChatFormat& format) {
    if (!format.problem.empty())
        throw Error(format.problem, "Ask with raw text (--raw; in a file of prompts no \"chat\"), and write the marks of that "
                                    "template into the prompt.");
    check_order(turns, format);
    // Turns up to and including the last question; where nothing is asked, all of them, as Qwen3's template
    // has it.
    std::size_t questions = turns.size();
    for (std::size_t i = 0; i < turns.size(); ++i)
        if (is_question(turns[i])) questions = i + 1;

    Parts prompt;
    prompt.mark(format.begin);
    const bool given = !turns.empty() && turns.front().role == "system";
    if (!given && (format.always_system || !format.default_system.empty()))
        prompt.mark(format.system.before + format.default_system + format.system.after);
    const ChatTurn* inside = // a system turn that waits for a user's
        given && format.system_place != Place::own_turn ? &turns.front() : nullptr;
    for (std::size_t i = inside ? 1 : 0; i < turns.size(); ++i) {
        const ChatTurn& turn = turns[i];
        const ChatFormat::Marks& marks = turn.role == "system" ? format.system : turn.role == "assistant" ? format.assistant : format.user;
        prompt.mark(marks.before);
        Parts said;
        if (turn.role == "user" && inside && (format.system_place == Place::first_user || i + 1 == turns.size())) {
            said.mark(format.system.before);
            said.add({{inside->content, true}}, format.system.trimmed);
            said.mark(format.system.after);
            inside = nullptr;
        }
        if (turn.role == "assistant")
            say_answer(said, format, turn.content, i >= questions, i + 1 == turns.size());
        else
            said.say(turn.content);
        prompt.add(said.take(), marks.trimmed);
        prompt.mark(marks.after);
    }
    prompt.mark(format.opening);
    const bool may_ask = format.think == Think::asked || format.think == Think::either;
    if (format.think == Think::always || (format.think == Think::either && thinking)) prompt.mark("<think>\n");
    if (format.think == Think::closed || (may_ask && !thinking)) prompt.mark("<think>\n\n</think>\n\n");
    return prompt.take();
}

std::string chat_prompt(const std::vector<ChatTurn>& turns, bool thinking, const ChatFormat& format) {
    return joined(chat_parts(turns, thinking, format));
}

std::string why_no_thinking(const ChatFormat& format) {
    if (!format.problem.empty()) return "";
    switch (format.think) {
    case Think::never: return "the chat template of this model has no switch for thinking";
    case Think::always: return "the chat template of this model opens every answer with a thought";
    case Think::closed: return "the chat template of this model opens every answer behind an empty thought";
    default: return "";
    }
}

} // namespace speclens
