// An advice in sentences that can be acted on; their words stand in assets/stories/advice.toml.
#pragma once

#include <optional>
#include <vector>

#include "engine/advice/advice.h"

namespace speclens {

// What a round of a cell must bring to be as fast as plain decoding.
struct CellBreakEven {
    double tokens = 0;                     // per round
    std::optional<double> alpha;           // if every draft token stayed with the same chance; absent: no chance is enough
    std::optional<double> most_plain_rate; // tokens a second of plain decoding; absent: it pays at no speed
};
[[nodiscard]] CellBreakEven break_even_of(const AdviceCell& cell, double plain_ms);

// "small with K = 4", "1.60× to 1.80×"
[[nodiscard]] Said choice_said(const AdviceCell& cell);
[[nodiscard]] Said range_said(const AdviceCell& cell);
// "Use eagle3 with K = 3: 1.60× to 1.80× here. …", "Do not speculate here: …", "No verdict: …"
[[nodiscard]] Said verdict_said(const Advice& advice);
// What the verdict rests on: when it stops to hold. Sentences; none without a best cell.
[[nodiscard]] std::vector<Said> break_even_said(const Advice& advice);
// What stands out among the cells, the most telling first.
[[nodiscard]] std::vector<Said> advice_findings(const Advice& advice);
// "60 prompts, texts of 20 to 130 tokens, T = 0, at most 64 new tokens; …"
[[nodiscard]] Said conditions_said(const Advice& advice);

// The best length of every drafter, fastest first: the rows of a table.
[[nodiscard]] std::vector<const AdviceCell*> best_of_each(const Advice& advice);

} // namespace speclens
