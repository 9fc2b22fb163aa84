#include "remote/reading/log_line.h"

#include <algorithm>
#include <optional>

#include "engine/base/json_read.h"

namespace speclens {
namespace {

constexpr int kDeepestWrapping = 4; // Docker's JSON around that of a logger around that of the server

bool digit(char c) { return c >= '0' && c <= '9'; }

// ECMA-48 control sequences: "ESC [" up to a letter.
std::string without_colours(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\x1b') {
            out += text[i];
            continue;
        }
        if (i + 1 >= text.size() || text[i + 1] != '[') continue;
        i += 2;
        while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    }
    return out;
}

// journald writes a message with control characters as an array of its bytes.
std::optional<std::string> text_in(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array() || value.empty()) return {};
    std::string out;
    for (const Json& byte : value) {
        if (!byte.is_number_integer() || byte.get<int>() < 0 || byte.get<int>() > 255) return {};
        out += static_cast<char>(byte.get<int>());
    }
    return out;
}

std::optional<std::string> message_in(std::string_view line) {
    const std::size_t open = line.find('{'), close = line.rfind('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    const Json json = parse_foreign_json(line.substr(open, close - open + 1));
    if (!json.is_object()) return {};
    for (const char* key : {"msg", "message", "MESSAGE", "log", "event", "line", "text"})
        if (const auto found = json.find(key); found != json.end())
            if (auto text = text_in(*found)) return text;
    return {};
}

void unwrap(std::string_view text, const std::function<void(std::string_view)>& take, int depth) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (line.empty()) continue;
        const auto message = depth < kDeepestWrapping ? message_in(line) : std::nullopt;
        if (message) {
            unwrap(*message, take, depth + 1);
        } else if (line.find('\x1b') != std::string_view::npos) {
            take(without_colours(line));
        } else {
            take(line);
        }
    }
}

} // namespace

void each_message(std::string_view line, const std::function<void(std::string_view)>& take) { unwrap(line, take, 0); }

std::string writer_of(std::string_view line) {
    if (line.starts_with("[pod/")) return std::string(line.substr(0, line.find(']') + 1));
    if (line.starts_with('[')) { // a date has other characters
        const std::size_t end = line.find(']');
        if (end != std::string_view::npos && end > 1 &&
            std::all_of(line.begin() + 1, line.begin() + static_cast<std::ptrdiff_t>(end), digit))
            return std::string(line.substr(0, end + 1));
    }
    constexpr std::size_t kLongestPrefix = 120;
    const std::string_view head = line.substr(0, kLongestPrefix);
    // "Oct 01 12:00:00 host llama-server[812]: "
    if (const std::size_t end = head.find("]: "); end != std::string_view::npos) {
        const std::size_t open = head.rfind('[', end);
        if (open != std::string_view::npos && open + 1 < end &&
            std::all_of(head.begin() + static_cast<std::ptrdiff_t>(open) + 1, head.begin() + static_cast<std::ptrdiff_t>(end), digit)) {
            const std::size_t space = head.rfind(' ', open);
            const std::size_t begin = space == std::string_view::npos ? 0 : space + 1;
            return std::string(head.substr(begin, end + 1 - begin));
        }
    }
    // "llama-1  | "; llama.cpp's own bars follow "slot"
    if (const std::size_t bar = head.find(" | "); bar != std::string_view::npos) {
        std::string_view name = head.substr(0, bar);
        while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
        if (!name.empty() && name.find(' ') == std::string_view::npos) return std::string(name);
    }
    return {};
}

} // namespace speclens
