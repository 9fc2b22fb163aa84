// A text to judge, as a client of SGLang sends it: POST /generate with input_ids, return_logprob and logprob_start_len. It is what a
// draft worker elsewhere asks in every round: the places of its draft tokens and no others, so what comes back does not grow with the text.
#pragma once

#include <string>

#include "engine/batch/scoring.h"
#include "remote/serving/completion_request.h"

namespace speclens {

struct ScoringRequest {
    Scoring scoring;
    bool texts = false; // tokens as text, too (return_text_in_logprobs)
};
// Entries of one answer at most: places times tokens listed at each.
inline constexpr long long kMostScoredEntries = 2'000'000;
void check_entries(long long places, long long listed); // throws Refused

// Throws Refused: among others where tokens are asked for, which this address does not write. `most_listed`: tokens of a place.
[[nodiscard]] ScoringRequest read_scoring(const std::string& body, int most_listed);

} // namespace speclens
