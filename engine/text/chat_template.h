// A chat template (Jinja) as a tree: texts, expressions and branches, read but not run. What it writes around
// the turns of a chat is told by chat_shape.h. Internal to the engine.
//
// Lexing and precedence follow Jinja's documentation ("Template Designer Documentation"), with trim_blocks
// and lstrip_blocks as transformers sets them for chat templates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speclens {

struct TemplateExpression {
    enum class Kind {
        literal,   // text
        number,    // number
        name,      // text; also true, false and none
        attribute, // text of args[0]: a.b
        item,      // args[1] of args[0]: a[b]
        slice,     // args[0] from args[1] to args[2] by args[3]; a missing one is of kind missing
        call,      // args[0] with the others, those of kind keyword by name
        keyword,   // text=args[0]
        filter,    // args[0] | text(the others)
        test,      // args[0] is text(the others)
        unary,     // text: not, -
        binary,    // text: or and == != < > <= >= in "not in" + - ~ * // %
        choice,    // args[1] if args[0] else args[2], which may be missing
        missing,
        unknown // what is not understood; its source in text
    } kind = Kind::unknown;
    std::string text = {};
    long long number = 0;
    std::vector<TemplateExpression> args = {};
};

struct TemplateNode {
    enum class Kind { text, output, branch, loop, assign } kind = Kind::text;
    std::string text = {};              // text; loop: the variable; assign: the name, "a" or "a.b"
    TemplateExpression expression = {}; // output, branch: the condition; loop: over what; assign: the value
    TemplateExpression filter = {};     // loop: for … if this; else of kind missing
    std::vector<TemplateNode> body = {}, otherwise = {};
};

struct ChatTemplate {
    std::vector<TemplateNode> nodes;
    std::string problem; // why it is no template: "an if without its endif"; empty: it is one
};
[[nodiscard]] ChatTemplate parse_chat_template(std::string_view text);

// The first marks such as <start_of_turn> or [INST] that a template writes, for a message; empty: none.
[[nodiscard]] std::string marks_of(const std::vector<TemplateNode>& nodes);

} // namespace speclens
