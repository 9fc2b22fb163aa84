// What a chat template says, without running it: templates are programs, but those of one family differ in a
// few literal pieces.
#include <optional>

#include "engine/chat.h"
#include "engine/json_read.h"

namespace speclens {
namespace {

constexpr std::size_t kLargest = 16 << 20;
constexpr const char* kRemedy = "Delete the file or download it again; tokenizer.json is enough.";
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

std::optional<std::string> template_of(const std::filesystem::path& folder) {
    std::error_code failure;
    const auto config = folder / "tokenizer_config.json", own = folder / "chat_template.jinja";
    if (std::filesystem::exists(own, failure)) return read_text_file(own, kLargest);
    if (!std::filesystem::exists(config, failure)) return {};
    return template_in(parse_json_object(read_text_file(config, kLargest), short_name(config), kRemedy));
}

// The text that a template writes as a system turn of its own: one literal from the opening to the end of the
// turn. A line break in a literal is written as a backslash and an n.
std::string literal_system(const std::string& text) {
    const std::string open = "<|im_start|>system\\n", close = "<|im_end|>";
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
        const std::size_t begin = at + open.size(), end = text.find(close, begin);
        if (end == std::string::npos) return "";
        const std::string between = text.substr(begin, end - begin);
        if (!between.empty() && between.find_first_of("'\"\\{}") == std::string::npos) return between;
    }
    return "";
}

} // namespace

ChatFormat read_chat_format(const std::filesystem::path& folder, const Tokenizer& tokenizer) {
    using Think = ChatFormat::Think;
    const std::optional<std::string> text = template_of(folder);
    if (!text) {
        if (tokenizer.id_of("<think>") >= 0) return {};
        return {kQwen2System, Think::never};
    }
    ChatFormat format{literal_system(*text), Think::never};
    if (text->find("enable_thinking") != std::string::npos)
        format.think = Think::asked;
    else if (text->find("<|im_start|>assistant\\n<think>\\n'") != std::string::npos)
        format.think = Think::always;
    return format;
}

} // namespace speclens
