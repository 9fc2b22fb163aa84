// What a chat template says, without running it: templates are programs, but those of one family differ in a
// few literal pieces.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "engine/chat.h"
#include "engine/json_read.h"

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
};
std::optional<Template> template_of(const std::filesystem::path& folder) {
    std::error_code failure;
    const auto config = folder / "tokenizer_config.json", own = folder / "chat_template.jinja";
    if (std::filesystem::exists(own, failure))
        return Template{read_text_file(own, kLargest), short_name(own)};
    if (!std::filesystem::exists(config, failure)) return {};
    auto text =
        template_in(parse_json_object(read_text_file(config, kLargest), short_name(config), kChatRemedy));
    return text ? std::optional(Template{*std::move(text), short_name(config)}) : std::nullopt;
}

void add_utf8(std::string& out, std::uint32_t c) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        tail(12), tail(6), tail(0);
    }
}

// A string literal without its quotes, its escapes read as Jinja reads them, which is as Python does.
std::string decoded(std::string_view literal) {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"", kMean = "\a\b\f\n\r\t\v\\'\"";
    std::string out;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\\' || i + 1 == literal.size()) {
            out += literal[i];
            continue;
        }
        const char c = literal[++i];
        const auto number = [&](std::size_t from, std::size_t most, int base) { // bytes read
            std::uint32_t value = 0;
            const char* begin = literal.data() + from;
            const auto read =
                std::from_chars(begin, begin + std::min(most, literal.size() - from), value, base);
            const auto length = static_cast<std::size_t>(read.ptr - begin);
            if (read.ec != std::errc() || (base == 16 && length != most) || value > 0x10FFFF)
                return std::size_t{0};
            add_utf8(out, value);
            return length;
        };
        if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
            out += kMean[at];
        } else if (c == '\n') { // a line that goes on
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const std::size_t length = number(i + 1, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
            if (length == 0) (out += '\\') += c;
            i += length;
        } else if (c >= '0' && c <= '7') {
            i += number(i, 3, 8) - 1;
        } else {
            (out += '\\') += c;
        }
    }
    return out;
}

// The texts that a template can write: what stands outside its tags, and the string literals within.
std::vector<std::string> texts_of(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        std::size_t open = 0; // of "{{", "{%" or "{#"
        while (open < text.size() &&
               (text[open] != '{' || open + 1 == text.size() || !std::strchr("{%#", text[open + 1])))
            ++open;
        if (open > 0) out.emplace_back(text.substr(0, open));
        if (open == text.size()) break;
        const char kind = text[open + 1];
        const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        text.remove_prefix(open + 2);
        std::size_t at = 0;
        while (at < text.size() && !text.substr(at).starts_with(close)) {
            const char quote = text[at++];
            if (kind == '#' || (quote != '\'' && quote != '"')) continue;
            const std::size_t begin = at;
            while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
            at = std::min(at, text.size());
            out.push_back(decoded(text.substr(begin, at - begin)));
            if (at < text.size()) ++at;
        }
        text.remove_prefix(std::min(text.size(), at + close.size()));
    }
    return out;
}

// What a template writes as a system turn of its own: one text from the opening to the end of the turn.
std::string own_system(const std::vector<std::string>& texts) {
    const std::string open = "<|im_start|>system\n", close = "<|im_end|>";
    for (const std::string& text : texts)
        if (const std::size_t at = text.find(open); at != std::string::npos) {
            const std::size_t begin = at + open.size(), end = text.find(close, begin);
            if (end != std::string::npos && end > begin) return text.substr(begin, end - begin);
        }
    return "";
}

// The first marks such as <start_of_turn> or [INST] in these texts, for a message.
std::string marks_in(const std::vector<std::string>& texts) {
    constexpr std::size_t kMost = 3, kLongest = 40;
    std::vector<std::string> found;
    for (const std::string& text : texts)
        for (std::size_t at = text.find_first_of("<["); at != std::string::npos && found.size() < kMost;
             at = text.find_first_of("<[", at + 1)) {
            const std::size_t end = text.find(text[at] == '<' ? '>' : ']', at);
            const std::string mark = text.substr(at, end == std::string::npos ? 0 : end + 1 - at);
            if (mark.size() > 2 && mark.size() <= kLongest &&
                mark.find_first_of(" \n") == std::string::npos &&
                std::ranges::find(found, mark) == found.end())
                found.push_back(mark);
        }
    std::string out;
    for (const std::string& mark : found) out += (out.empty() ? "" : ", ") + mark;
    return out;
}

} // namespace

ChatFormat read_chat_format(const std::filesystem::path& folder, const Tokenizer& tokenizer) {
    using Think = ChatFormat::Think;
    const std::optional<Template> found = template_of(folder);
    if (!found) {
        if (tokenizer.id_of("<think>") >= 0) return {};
        return {kQwen2System, Think::never};
    }
    const std::vector<std::string> texts = texts_of(found->text);
    ChatFormat format{own_system(texts), Think::never};
    if (std::ranges::none_of(texts, [](const std::string& t) { return t.find("<|im_start|>") != t.npos; })) {
        const std::string marks = marks_in(texts);
        format.problem = found->file + ": the chat template is not ChatML (<|im_start|>)" +
                         (marks.empty() ? "" : ", it writes " + marks);
    }
    if (found->text.find("enable_thinking") != std::string::npos)
        format.think = Think::asked;
    else if (std::ranges::any_of(
                 texts, [](const std::string& t) { return t.ends_with("<|im_start|>assistant\n<think>\n"); }))
        format.think = Think::always;
    return format;
}

} // namespace speclens
