// What a chat template writes around the turns of a chat: its branches are walked for a list of roles whose
// words are not known. Nothing here runs on what people say, and nothing depends on it: a template that asks
// for more than roles, places and the marks of a thought is given up by name. Internal to the engine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/text/chat_template.h"

namespace speclens {

// Blanks as Python's str.strip() and Jinja's trim take them away.
[[nodiscard]] std::string_view stripped(std::string_view text);

// Something written: literal text, words of a turn, or several of these with blanks taken away around them.
struct Written {
    std::string text = {};
    int words = -1;    // words of this turn
    int which = 0;     // a turn may have several, parted by marks; 0: what was said
    bool some = false; // words that are not blank
    std::vector<Written> inside = {};
    bool left = false, right = false; // inside: blanks are taken away there
    std::string blanks = {};          // which characters; empty: all of Python's
    int during = kBefore;             // on the outermost level: the turn whose part of the loop writes it
    static constexpr int kBefore = -1, kAfter = -2;
};

struct ChatWalk {
    std::vector<Written> written;
    bool raised = false; // the template refuses such a chat itself
    std::string unknown; // what was not understood: "it asks for mood"; empty: all was
    int unknown_during = Written::kBefore;
};

struct AskedTurn {
    std::string role;
    std::vector<Written> content; // marks and words
};
struct ChatQuestion {
    std::vector<AskedTurn> turns;
    bool thinking = false;               // enable_thinking
    std::optional<std::string> bos, eos; // as they are spelled; none: the model names none
};
// Dates are written as if transformers were given date_string = "26 Jul 2024", which is also the date that
// Llama 3.1's template falls back to.
[[nodiscard]] ChatWalk walk_chat(const ChatTemplate& chat_template, const ChatQuestion& question);

} // namespace speclens
