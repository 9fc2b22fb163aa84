// Acceptance along long answers, as assets/recipe/smollm2/long_answers.py measured it: rounds put together by how many tokens of the
// answer stood before them, for several windows on what the head sees of the text. In assets/models/<model>/long_answers.json:
//   {"drafter","weights","target","k","temperature","seeds","prompts":[…],"machine","date",
//    "stretches":[{"window","from","to","rounds","tokens_per_round","low","high","draft_ms","verify_ms"}…]}; what is not known is left out,
//    tokens_per_round never
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

struct Stretch {
    int from = 0, to = 0;               // tokens of the answer before the round
    int rounds = 0;                     // 0: not known
    double tokens = 0;                  // per round
    double low = 0, high = 0;           // its interval, 90 % over answers; 0: not known
    double draft_ms = 0, verify_ms = 0; // per round; 0: not known
};

struct LongAnswers {
    struct Series {
        int window = 0;                 // tokens that the head sees at most; 0: all
        std::vector<Stretch> stretches; // ascending
    };
    std::string drafter, weights, target, machine, date; // all but the first may be empty; weights: which ones of that drafter
    int k = 0;
    int answers = 0; // that were written
    double temperature = 0;
    std::vector<Series> series = {}; // the widest first, all of the text before any window
};
// Throws Error naming the file and what is wrong in it.
[[nodiscard]] LongAnswers load_long_answers(const std::filesystem::path& file);
[[nodiscard]] LongAnswers parse_long_answers(std::string_view json, const std::string& name);

} // namespace speclens
