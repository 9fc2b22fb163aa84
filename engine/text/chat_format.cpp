// Whether a chat template writes ChatML, and how.
#include <algorithm>
#include <optional>

#include "engine/base/json_read.h"
#include "engine/text/chat.h"
#include "engine/text/chat_template.h"

namespace speclens {
namespace {

constexpr std::size_t kLargest = 16 << 20;
constexpr const char* kChatRemedy = "Delete the file or download it again; tokenizer.json is enough.";
// Of Qwen2.5's template.
constexpr const char* kQwen2System = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

// The field is a string, or a list of named ones.
std::optional<std::string> template_in(const Json& config) {
    const auto found = config.find("chat_template");
    if (found == config.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_array()) return {};
    for (const Json& entry : *found)
        if (entry.is_object() && entry.value("name", Json()) == "default" && entry.contains("template") &&
            entry["template"].is_string())
            return entry["template"].get<std::string>();
    return {};
}

struct Template {
    std::string text, file;
    bool has_bos = false; // the model names a token for bos_token
};
std::optional<Template> template_of(const std::filesystem::path& folder) {
    std::error_code failure;
    const auto file = folder / "tokenizer_config.json", own = folder / "chat_template.jinja";
    Json config = Json::object();
    if (std::filesystem::exists(file, failure))
        config = parse_json_object(read_text_file(file, kLargest), short_name(file), kChatRemedy);
    const auto bos = config.find("bos_token");
    const bool has_bos = bos != config.end() && !bos->is_null() && *bos != "";
    if (std::filesystem::exists(own, failure))
        return Template{read_text_file(own, kLargest), short_name(own), has_bos};
    auto text = template_in(config);
    return text ? std::optional(Template{*std::move(text), short_name(file), has_bos}) : std::nullopt;
}

// The first marks such as <start_of_turn> or [INST] in a template, for a message.
std::string marks_in(const std::vector<TemplatePiece>& pieces) {
    constexpr std::size_t kMost = 3, kLongest = 40;
    std::vector<std::string> found;
    for (const TemplatePiece& piece : pieces) {
        const std::string text = piece.written();
        for (std::size_t at = text.find_first_of("<["); at != std::string::npos && found.size() < kMost;
             at = text.find_first_of("<[", at + 1)) {
            const std::size_t end = text.find(text[at] == '<' ? '>' : ']', at);
            const std::string mark = text.substr(at, end == std::string::npos ? 0 : end + 1 - at);
            if (mark.size() > 2 && mark.size() <= kLongest &&
                mark.find_first_of(" \n") == std::string::npos &&
                std::ranges::find(found, mark) == found.end())
                found.push_back(mark);
        }
    }
    std::string out;
    for (const std::string& mark : found) out += (out.empty() ? "" : ", ") + mark;
    return out;
}

// Why turns are not written "<|im_start|>ROLE\nTEXT<|im_end|>\n" with the text as it is; empty: they are.
std::string other_turns(const std::vector<TemplatePiece>& pieces, bool has_bos) {
    constexpr std::string_view kOpen = "<|im_start|>", kEnd = "<|im_end|>";
    bool opens = false, ended = false; // ended: the text before ended with a turn
    for (const TemplatePiece& piece : pieces) {
        if (piece.kind == TemplatePiece::Kind::statement) continue;
        const std::string text = piece.written();
        if (has_bos && piece.names("bos_token")) return "it begins with a token of its own (bos_token)";
        if (text.empty()) continue;
        if (ended && !text.starts_with('\n')) return "a turn ends without a new line";
        ended = false;
        for (std::size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at + 1)) {
            opens = true;
            if (piece.names("trim") || piece.source.find("strip()") != std::string_view::npos)
                return "it trims what is said";
            const std::size_t begin = at + kOpen.size(), end = text.find_first_of("\n<", begin);
            const std::string role = text.substr(begin, end == std::string::npos ? end : end - begin);
            const bool known =
                role.empty() || role == "system" || role == "user" || role == "assistant" || role == "tool";
            if (!known || (end != std::string::npos && text[end] != '\n'))
                return "it opens turns with " + std::string(kOpen) + role;
        }
        for (std::size_t at = text.find(kEnd); at != std::string::npos; at = text.find(kEnd, at + 1)) {
            const std::size_t behind = at + kEnd.size();
            ended = behind == text.size();
            if (!ended && text[behind] != '\n') return "a turn ends without a new line";
        }
    }
    return opens ? "" : "it is not ChatML (<|im_start|>)";
}

std::optional<ChatFormat::Think> thinking_of(const AnswerOpening& opening) {
    using Think = ChatFormat::Think;
    const std::string open = "<think>\n", closed = "<think>\n\n</think>\n\n",
                      assistant = "<|im_start|>assistant\n";
    if (!opening.always.starts_with(assistant)) return {};
    const std::string rest = opening.always.substr(assistant.size());
    if (opening.asks) {
        if (!rest.empty() || opening.silent != closed) return {};
        if (opening.thinking.empty()) return Think::asked;
        return opening.thinking == open ? std::optional(Think::either) : std::nullopt;
    }
    if (rest.empty()) return Think::never;
    if (rest == open) return Think::always;
    return rest == closed ? std::optional(Think::closed) : std::nullopt;
}

} // namespace

ChatFormat read_chat_format(const std::filesystem::path& folder, const Tokenizer& tokenizer) {
    using Think = ChatFormat::Think;
    const std::optional<Template> found = template_of(folder);
    if (!found) {
        if (tokenizer.id_of("<think>") >= 0) return {};
        return {kQwen2System, Think::never};
    }
    const std::vector<TemplatePiece> pieces = template_pieces(found->text);
    ChatFormat format{"", Think::never};
    const auto refuse = [&](const std::string& why) {
        format.problem = found->file + ": the chat template is of a kind that is not supported: " + why;
        return format;
    };
    if (const std::string why = other_turns(pieces, found->has_bos); !why.empty()) {
        const std::string marks = marks_in(pieces);
        return refuse(why + (marks.empty() ? "" : "; it writes " + marks));
    }
    const std::optional<std::string> system = own_system(pieces);
    if (!system) return refuse("its system turn cannot be told from it");
    const std::optional<AnswerOpening> opening = answer_opening(pieces);
    const std::optional<Think> think = opening ? thinking_of(*opening) : std::nullopt;
    if (!think) return refuse("how it opens an answer cannot be told from it");
    format.default_system = *system;
    format.think = *think;
    return format;
}

} // namespace speclens
