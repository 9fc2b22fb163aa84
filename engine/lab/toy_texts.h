// Short texts of the built-in table under any rule, right or wrong on purpose (engine/rules/wrong_rules.h): what a test of losslessness
// draws, and the exact distribution that it is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/rng.h"
#include "engine/base/statistics.h"
#include "engine/model/distribution.h"
#include "engine/rules/verify.h"

namespace speclens {

inline constexpr int kToyDrafts = 2; // K
inline constexpr int kToyTokens = 3; // of a text: at K = 2 one to three rounds

// The exact distribution of texts of kToyTokens of the built-in target.
[[nodiscard]] const ExactDistribution& exact_texts();

struct ToyText {
    std::vector<int> tokens;
    int rounds = 0;
};
// Text n of a seed always has the same dice.
[[nodiscard]] ToyText toy_text(const RuleInfo& rule, std::uint64_t seed, long n);

// The rows of the tables by the token before; row 0 stands at the start of a text, row 1 + t behind token t.
[[nodiscard]] const std::vector<Distribution>& toy_target();
// Who drafts for `rule`: the built-in draft, or for block verification one that claims too often, where its residual matters.
[[nodiscard]] const std::vector<Distribution>& toy_draft(const RuleInfo& rule);

struct ToyDrafts {
    std::vector<int> tokens, parents; // parents: empty for a chain
    std::vector<std::size_t> rows;    // of the tables: row 0 behind the text, row 1 + i behind draft token i
};
// A chain of draft tokens that are drawn, or, for a rule that judges the draft's favourites, both favourites and what is likeliest behind
// each.
[[nodiscard]] ToyDrafts toy_drafts(const std::vector<int>& text, const RuleInfo& rule, const std::function<double(Purpose)>& coin);

} // namespace speclens
