// Wider or deeper? Where the target refused a draft token it wrote one of its own: at which rank of the draft's list that stood says what a
// second candidate would have kept, and rounds that kept all they drafted say what one token more in a row would have. The ranks are those
// of llama.cpp's pull request 28110, of every rule and of trees as well.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/run/run_view.h"

namespace speclens {

struct RefusedRanks {
    static constexpr int kListed = 8; // ranks that are told apart; what runs that are counted record (RunSettings::trace_top)
    struct Place {
        int refused = 0;
        int listed = 0;                       // of them with a list of the draft's
        std::array<int, kListed + 1> ranks{}; // of these: the target's token was the draft's 1st …; the last: further down
        int next = 0;                         // of these: it was the likeliest one that was not drafted
    };
    std::vector<Place> places;          // by tokens in a row, the first one's at 0
    int rounds = 0;                     // that drafted
    int drafted = 0, kept = 0;          // draft tokens of them
    int last_judged = 0, last_kept = 0; // of them: the last token in a row was judged, was kept
    std::string drafter;                // one of two chained drafters, whose draft tokens are counted; empty: all
    std::vector<RefusedRanks> by;       // both of them, in their order; a round is that of whoever drafted its last token
    void add(const RoundSummary& round, const Header& header);
    RefusedRanks& operator+=(const RefusedRanks& other);
    [[nodiscard]] int refused() const;
    [[nodiscard]] int listed() const;

  private:
    void count(const RoundSummary& round, const Header& header, int part);
};
// Of every complete round.
[[nodiscard]] RefusedRanks refused_ranks(const RunView& view);

// One draft token more in every round, in tokens that a round would write more.
struct WiderOrDeeper {
    enum class Kind : std::uint8_t {
        not_told, // fewer than kFewestRounds, or a drafter without a list
        alike,    // not told apart by so many rounds
        wider,
        deeper
    } kind = Kind::not_told;
    static constexpr int kFewestRounds = 30;
    int place = 0;     // where a second candidate would bring most, from 1; 0: nowhere anything
    double wider = 0;  // there: the share of rounds whose token it would have been. It stands in the tree, so a token behind it follows
    double deeper = 0; // behind the last one: full rounds, times the chance that the last token in a row is kept
    double next = 0;   // of all refusals, the share whose token was the draft's next choice
    int rounds = 0;
};
[[nodiscard]] WiderOrDeeper wider_or_deeper(const RefusedRanks& ranks);
[[nodiscard]] const char* name_of(WiderOrDeeper::Kind kind); // "not_told" …

// Counts and verdict, for programs; null where nothing was drafted. Of two chained drafters the same of each: "by".
[[nodiscard]] OrderedJson ranks_json(const RefusedRanks& ranks);

} // namespace speclens
