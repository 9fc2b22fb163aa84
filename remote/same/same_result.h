// What a comparison of greedy texts says: every arm (a server, or a way to ask it) answered the same prompts several times, and arm 0 is
// held against each of the others. An arm is its own control: what it differs from itself is no effect of drafts. Pure functions.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/lab/samples.h"
#include "kernels/said.h"
#include "remote/same/greedy.h"

namespace speclens {

inline constexpr SaidOf<"same"> same_said; // its words: assets/stories/same.toml

enum class SameCompare : std::uint8_t {
    drafts_off, // one server: arm 0 was asked for no drafts, arm 1 drafts as it does
    lengths,    // one server, asked for a number of drafts
    servers,    // two addresses
    started,    // one server a draft length, started for this
};

struct MeasuredArm {
    Said name;                                      // remote/same/same_words.h
    std::optional<int> asked;                       // drafts of a round that were asked for
    std::vector<std::vector<GreedyAnswer>> answers; // [prompt][repeat]
};

// Where the first answers to a prompt of arm 0 and of `arm` part.
struct ForkRecord {
    std::size_t prompt = 0, arm = 0;
    TextFork fork;
    std::size_t length = 0; // bytes of arm 0's text
    JudgedFork judged;
};

struct SameMeasured {
    SameCompare compare = SameCompare::servers;
    std::vector<MeasuredArm> arms;
    std::vector<ForkRecord> forks;       // none of prompts that an arm answered in two ways itself
    std::vector<std::string> prompts;    // that every arm answered
    std::vector<std::size_t> read_apart; // of these, those that arms read as different token ids
    bool whole = true;                   // nobody ended it
};

// Upper ends of a histogram of margins in nats; one more bin is above the last.
inline constexpr std::array<double, 9> kMarginEdges = {0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5};

// Arm 0 against another one.
struct ArmPair {
    std::size_t arm = 0;
    int differ = 0; // prompts whose first answers differ
    Interval share; // 95 %, of such prompts (Wilson)
    // Mean share of the pairs of answers to one prompt that differ: two of arm 0, two of the other, one of each.
    double self0 = 0, self = 0, between = 0;
    // between − (self0 + self) ÷ 2, 0 in expectation where both arms answer alike however noisy they are, and its 95 % interval: paired by
    // prompt, with two prompts added, one each way (Bonett and Price 2012), so that few prompts do not make it look certain.
    double excess = 0, low = 0, high = 0;
    std::optional<double> place, place_share; // medians of the forks: tokens that both have; their share of arm 0's text
    std::array<int, 4> kinds{};               // forks by ForkKind
    std::array<int, kMarginEdges.size() + 1> margins{};
    [[nodiscard]] bool noisy() const { return self0 > 0 || self > 0; }
    [[nodiscard]] int count(ForkKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};
[[nodiscard]] ArmPair compare_arms(const SameMeasured& measured, std::size_t arm);

// What an arm drafted for all of its answers, where every answer tells.
struct ArmDrafts {
    double drafted = 0, accepted = 0;
    std::optional<double> per_round; // absent: rounds are not told
};
[[nodiscard]] std::optional<ArmDrafts> drafts_of(const MeasuredArm& arm);
// Arms whose texts are all equal, by the first of each; none where an arm differs from itself.
[[nodiscard]] std::vector<std::vector<std::size_t>> equal_arms(const SameMeasured& measured);

enum class SameVerdict : std::uint8_t { same, near_ties, mistake, undecided }; // also the exit status, 0 to 3
struct SameSummary {
    SameVerdict verdict = SameVerdict::undecided;
    Said sentence;
    std::vector<ArmPair> pairs;
    std::vector<std::vector<std::size_t>> groups;
};
[[nodiscard]] SameSummary summarize(const SameMeasured& measured);

// One object, schema "speclens-same/1" (docs/formats.md). `in_words`: how names and the sentence are said.
[[nodiscard]] std::string same_json(const SameMeasured& measured, const SameSummary& summary,
                                    const std::function<std::string(const Said&)>& in_words);

[[nodiscard]] const char* name_of(SameVerdict verdict); // "same", "near_ties", "mistake", "undecided"
[[nodiscard]] const char* name_of(ForkKind kind);       // "near_tie", "larger", "mistake", "not_told"

} // namespace speclens
