// Does speculation pay on somebody's server? Its counters tell acceptance and the clock tells how fast it answers; how fast
// it would be without speculation is measured where a request can switch it off, or told, or stays open.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/draft_shape.h"
#include "engine/base/written_text.h"
#include "kernels/said.h"

namespace speclens {

inline constexpr int kFewestServed = 4; // timed answers that a verdict takes

// One prompt, milliseconds a token behind the first.
struct ServedTiming {
    double with_ms = 0;
    std::optional<double> without_ms; // with speculation switched off for this request
};

struct ServedEvidence {
    std::vector<ServedTiming> prompts;
    std::optional<double> reported_plain_rate; // tokens a second, by who knows
    // Of these requests, or of the whole server.
    double rounds = 0, drafted = 0, accepted = 0;
    std::vector<double> accepted_at; // [i]: rounds that kept draft i + 1 too; empty: not reported
    DraftShape shape;                // `drafted` of a tree are its nodes or its depth, as the server counts
    bool whole_server = false;       // other people's requests are in the counts
    // The text that these counts are of; tokens 0: not told, and then every pass is taken to have drafted. Rounds,
    // accepted and K are filled in from above.
    TextTotals text;
    int texts = 0, same_texts = 0; // greedy answers that were fetched with and without drafts; of these the same
};

struct ServedAdvice {
    enum class Kind : std::uint8_t {
        none,  // too close, or too little is known: `reason`
        keep,  // it pays
        change // it does not
    } kind = Kind::none;
    Said reason; // of none, a clause
    int prompts = 0;
    int texts = 0, same_texts = 0;                // see ServedEvidence
    double rate = 0, rate_low = 0, rate_high = 0; // tokens a second with speculation, 95 %
    std::optional<double> plain_rate;
    bool plain_measured = false;
    double speed_up = 0, low = 0, high = 0;    // 0: not known
    int k = 0;                                 // most drafts of a round; 0: not reported, or no chain
    DraftShape shape;                          // never `counted`
    bool drafts_alike = false;                 // every round of a chain drafted k, but where a text ended: else no length is compared
    double drafts_per_round = 0;               // as the server counts; 0: not reported
    double tokens_per_round = 0;               // 0: not reported
    std::optional<double> round_passes;        // what a round that drafted takes, in plain passes; absent: the ends are too far apart
    std::optional<Between> round_passes_range; // that, its ends, 95 %: of the clock and of the passes without a draft
    TextShares text;                           // what the rounds brought to the whole text; told where `text.share` is
    double plain_per_round = 0;                // passes without a draft beside each round, the fewest there can be
    bool passes_told = false;                  // else every pass is taken to have drafted
    std::optional<double> alpha;               // of every draft token, to break even; absent: not known, none is enough, or no chain
    std::optional<double> draft_token_passes;  // what each draft token adds to a round, in plain passes; of chains
    // The best draft length if each draft token costs alike; 0: none pays. Absent: not known.
    std::optional<int> best_k;
    double best_speed_up = 0;
};

[[nodiscard]] ServedAdvice advise_on(const ServedEvidence& evidence);
// In sentences, whose words stand in assets/stories/advice.toml.
[[nodiscard]] Said verdict_said(const ServedAdvice& advice);
[[nodiscard]] std::vector<Said> advice_findings(const ServedAdvice& advice);
// For programs: one JSON object, schema "speclens-served-advice/1". `in_words`: how its sentences are said.
[[nodiscard]] std::string advice_json(const ServedAdvice& advice, const std::string& server,
                                      const std::function<std::string(const Said&)>& in_words);

} // namespace speclens
