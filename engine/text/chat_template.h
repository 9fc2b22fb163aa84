// What a chat template (Jinja) says, without running it: templates are programs, but those of one family
// differ in a few literal pieces. Internal to the engine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

// A piece of a template: text outside of tags, an expression {{ }} or a statement {% %}.
struct TemplatePiece {
    enum class Kind { text, expression, statement } kind = Kind::text;
    std::string_view source; // between the marks, without the dashes
    bool for_tools = false; // stands in a branch that is taken only when tools are given

    // What it writes in literals, their escapes read as Jinja reads them; not those in brackets, which are
    // names of fields. Of a text, the text.
    [[nodiscard]] std::string written() const;
    // A word of the source outside of literals, as a whole.
    [[nodiscard]] bool names(std::string_view word) const;
};
// The views are of `text`, which must live on.
[[nodiscard]] std::vector<TemplatePiece> template_pieces(std::string_view text);

// What follows `if add_generation_prompt`: the opening of the answer.
struct AnswerOpening {
    std::string always;
    // Behind it, where the template asks for enable_thinking.
    bool asks = false;
    std::string thinking, silent;
};
// Nothing where the template has other pieces there than literals and one question for enable_thinking.
[[nodiscard]] std::optional<AnswerOpening> answer_opening(const std::vector<TemplatePiece>& pieces);

// The system turn that is written where the chat brings none; empty: none. Nothing where it cannot be told.
[[nodiscard]] std::optional<std::string> own_system(const std::vector<TemplatePiece>& pieces);

} // namespace speclens
