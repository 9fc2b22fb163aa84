// What a server counted about speculation, and the different things people call "acceptance".
// Definitions: vLLM v1/spec_decode/metrics.py, SGLang spec_accept_* (reported_rates.h), llama.cpp pull request
// 24536.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/draft_shape.h"
#include "engine/base/written_text.h"
#include "kernels/said.h"

namespace speclens {

inline constexpr SaidOf<"server"> server_said; // what is said of servers; its words stand in assets/stories/server.toml
// English words of ours, or of somebody else's program, that have no message of their own.
[[nodiscard]] inline Said as_it_is(std::string words) { return server_said("words.as_it_is"_t, "words"_v = std::move(words)); }
[[nodiscard]] inline Said listed(std::vector<Said> all) { return server_said("words.list"_t, "all"_v = std::move(all)); } // with commas

// The whole text that the rounds wrote part of (engine/base/written_text.h). Tokens; absent: not told.
struct WrittenText {
    double tokens = 0;
    std::optional<double> answers = {};   // at most: whose first tokens are among them
    std::optional<double> cut = {};       // of rounds that the ends of the texts cut
    std::optional<double> plain = {};     // passes without a draft, where they are counted
    std::optional<double> delivered = {}; // draft tokens in the text, where they are counted
    bool first_apart = true;              // the pass that reads a prompt writes its first token
    double off = 0;                       // how far `tokens` may be from the truth
};

// Sums over verify passes that judged drafts; doubles because servers report floats.
struct SpecCounts {
    // Verify passes with drafts (vLLM: num_drafts, SGLang: spec_verify_ct); absent: the server does not say.
    std::optional<double> rounds = 0;
    double drafted = 0;              // draft tokens that were judged
    double accepted = 0;             // of the drafted; the target's own token of every round is not counted
    std::vector<double> accepted_at; // [i]: rounds that kept draft i+1 too; empty: the server does not say
    // [i]: rounds that kept all drafts before i+1 and had one there that was judged; empty: the server does
    // not say. A round may have fewer drafts than others, or the text may end among its kept ones.
    std::vector<double> judged_at = {};
    double places_off = 0;                // each of accepted_at may be off by this much: read off rounded shares
    bool worked_out = false;              // rounds and places are inferred from rounded quotients, not reported
    std::optional<WrittenText> text = {}; // absent: not told, so passes without a draft stay open
    DraftShape shape = {};                // as the server was started

    [[nodiscard]] bool empty() const { return drafted <= 0 && rounds.value_or(0) <= 0; }
};
// Per entry; positions that one side lacks count as 0. What one side does not say, the result does not say.
[[nodiscard]] SpecCounts operator-(const SpecCounts& later, const SpecCounts& earlier);
[[nodiscard]] SpecCounts operator+(const SpecCounts& a, const SpecCounts& b);
// From a histogram of kept drafts: [j] = rounds that kept exactly j (vLLM acceptance_histogram). Of an empty
// one the rounds are not known.
[[nodiscard]] SpecCounts counts_of_histogram(const std::vector<double>& histogram, double drafted);

// What vLLM's V0 engine counts (up to 0.8): no rounds, but what they emitted; "accepted" holds drafts behind the
// first refusal too, which a later version would not judge (vllm/model_executor/layers/spec_decode_base_sampler.py).
struct V0Reported {
    double drafted = 0, accepted = 0, emitted = 0;
    std::optional<double> k, efficiency; // emitted ÷ (rounds · (K + 1)) where every round drafts K
    double efficiency_off = 0;           // how far that may be from the truth: rounded
};
struct V0Counts {
    std::optional<SpecCounts> counts; // accepted: as later versions count, emitted − rounds
    Said wrong;                       // an identity that does not hold
};
// rounds = drafted ÷ K; without K emitted ÷ efficiency − drafted, and where one whole K fits that, drafted ÷ K.
[[nodiscard]] V0Counts read_v0_counts(const V0Reported& reported);

// One name for "acceptance": what it divides, what comes out, who reports it so.
struct AcceptanceName {
    Said name, formula, used_by;
    std::optional<double> value;    // absent: the counts do not determine it
    std::optional<double> low = {}; // `value` is the most it may be, and this the least; absent: it is exact
};
// The six that are not per position, in a fixed order: rate, length, kept per round, then the shares of
// rounds that kept something, kept everything, and of the text that was drafted: of the tokens written where they are
// told, else at most what it is if every pass drafted. without_draft: passes of the target beside the rounds, a token
// of the text each, as far as they are known; for counts without a text.
[[nodiscard]] std::vector<AcceptanceName> acceptance_names(const SpecCounts& counts, int without_draft = 0);

struct PositionAcceptance {
    std::vector<double> unconditional; // kept at i ÷ rounds (vLLM, llama.cpp)
    // Kept at i ÷ judged at i (EAGLE's n-alpha), or ÷ kept at i-1 where that is not reported; NaN of nothing.
    std::vector<double> conditional;
};
[[nodiscard]] PositionAcceptance position_acceptance(const SpecCounts& counts);

// The acceptance length: 1 + accepted ÷ rounds. Tokens per round where no round was cut by the end of its
// text.
[[nodiscard]] std::optional<double> acceptance_length(const SpecCounts& counts);
[[nodiscard]] std::optional<double> drafts_per_round(const SpecCounts& counts);

// An identity that counts of whole rounds break; empty where none is: accepted ≤ drafted, a round drafts
// one token at least, places do not rise, none is kept in more rounds than there are. Counts that break one are
// of different servers, times or things.
[[nodiscard]] Said contradiction(const SpecCounts& counts);

// What one answer tells of its rounds and drafts twice, and differently.
[[nodiscard]] Said histogram_differs();
[[nodiscard]] Said length_differs(double told, double counted);

// More drafts than rounds have places: impossible for chains; of trees a place has several. Empty: none.
[[nodiscard]] Said more_than_places(const SpecCounts& counts);
// For engine/base/written_text.h; tokens 0: the text is not told.
[[nodiscard]] TextTotals text_totals(const SpecCounts& counts);
// What the rounds brought to the whole text; empty where that is not told.
[[nodiscard]] TextShares text_shares(const SpecCounts& counts);
// That said, a line each: passes with and without a draft, tokens a pass, and what no speed-up can exceed.
[[nodiscard]] std::vector<Said> text_words(const SpecCounts& counts);

// As the server was started; else of rounds that may be trees: more drafts than places, so several at a place, of which
// one at most is kept. Never `counted`.
[[nodiscard]] DraftShape draft_shape(const SpecCounts& counts);
[[nodiscard]] bool drafts_trees(const SpecCounts& counts);
// accepted_at with the places that no round reached, where it ends at the last one that was kept and the depth is told.
[[nodiscard]] std::vector<double> all_places(const SpecCounts& counts);

// `what` ("nothing is accepted") with its usual causes.
[[nodiscard]] Said nothing_accepted(const Said& what);
// What is odd about the counts, and what can be done about it; empty when nothing is.
[[nodiscard]] std::vector<Said> findings(const SpecCounts& counts);

} // namespace speclens
