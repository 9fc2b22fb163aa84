// A chat template cut into texts and tags, before anything of them is read. Internal to the engine.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

struct TemplateTag {
    enum class Kind { text, output, statement } kind;
    std::string source;
};
// In order, the blanks around tags taken away as Jinja does. Nothing where a tag never ends.
[[nodiscard]] std::optional<std::vector<TemplateTag>> template_tags(std::string_view source);

[[nodiscard]] inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
[[nodiscard]] inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }
// Behind the quote that closes the one at `at`; npos where none does.
[[nodiscard]] std::size_t literal_end(std::string_view source, std::size_t at);

} // namespace speclens
