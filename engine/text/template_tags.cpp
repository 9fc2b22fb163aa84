#include "engine/text/template_tags.h"

#include <utility>

namespace speclens {
namespace {

std::string without_last_blanks(std::string text) {
    while (!text.empty() && is_space(text.back())) text.pop_back();
    return text;
}

} // namespace

std::size_t literal_end(std::string_view source, std::size_t at) {
    const char quote = source[at++];
    while (at < source.size() && source[at] != quote) at += source[at] == '\\' ? 2 : 1;
    return at < source.size() ? at + 1 : std::string_view::npos;
}

std::optional<std::vector<TemplateTag>> template_tags(std::string_view source) {
    std::string text;
    for (std::size_t i = 0; i < source.size(); ++i) { // as Jinja: one kind of line break, none at the end
        const bool pair = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
        if (!pair) text += source[i] == '\r' ? '\n' : source[i];
    }
    if (text.ends_with('\n')) text.pop_back();

    std::vector<TemplateTag> tags;
    std::string_view rest = text;
    bool at_line_start = true;
    while (!rest.empty()) {
        std::size_t open = 0; // of "{{", "{%" or "{#"
        while (open < rest.size() &&
               (rest[open] != '{' || open + 1 == rest.size() || std::string_view("{%#").find(rest[open + 1]) == std::string_view::npos))
            ++open;
        std::string before(rest.substr(0, open));
        if (open == rest.size()) {
            if (!before.empty()) tags.push_back({TemplateTag::Kind::text, std::move(before)});
            break;
        }
        const char kind = rest[open + 1];
        rest.remove_prefix(open + 2);
        const char sign = rest.empty() ? ' ' : rest.front();
        if (sign == '-') {
            before = without_last_blanks(std::move(before));
        } else if (sign != '+' && kind != '{') { // lstrip_blocks: a tag that begins its line
            const std::size_t line = before.rfind('\n') + 1;
            const bool blank = before.find_first_not_of(" \t\v\f", line) == std::string::npos;
            if (blank && (line > 0 || at_line_start)) before.resize(line);
        }
        if (sign == '-' || sign == '+') rest.remove_prefix(1);
        if (!before.empty()) tags.push_back({TemplateTag::Kind::text, std::move(before)});

        const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        std::size_t at = 0;
        int depth = 0; // within brackets nothing closes
        while (at < rest.size() && (depth > 0 || !rest.substr(at).starts_with(close))) {
            if (kind != '#' && (rest[at] == '\'' || rest[at] == '"')) {
                at = literal_end(rest, at);
                if (at == std::string_view::npos) return {};
                continue;
            }
            if (kind != '#' && std::string_view("([{").find(rest[at]) != std::string_view::npos) ++depth;
            if (kind != '#' && std::string_view(")]}").find(rest[at]) != std::string_view::npos) --depth;
            ++at;
        }
        if (at >= rest.size() || depth < 0) return {};
        std::string_view inside = rest.substr(0, at);
        const char last = inside.empty() ? ' ' : inside.back();
        if (last == '-' || (last == '+' && kind != '{')) inside.remove_suffix(1);
        if (kind == '{') tags.push_back({TemplateTag::Kind::output, std::string(inside)});
        if (kind == '%') tags.push_back({TemplateTag::Kind::statement, std::string(inside)});
        rest.remove_prefix(at + close.size());
        at_line_start = false;
        const auto drop = [&] {
            at_line_start = rest.front() == '\n';
            rest.remove_prefix(1);
        };
        if (last == '-')
            while (!rest.empty() && is_space(rest.front())) drop();
        else if (last != '+' && kind != '{' && rest.starts_with('\n')) // trim_blocks
            drop();
    }
    return tags;
}

} // namespace speclens
