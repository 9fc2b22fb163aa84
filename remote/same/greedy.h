// Greedy texts held against each other: where two of them part, and what a server says of that place when it reads the text before it
// again. No network.
//
// What counts as rounding and what as a mistake: a pass over many rows may add up in another order than a pass over one, so two tokens
// that are as good as equal may change places (ggml-org/llama.cpp issues 25618 and 27407, vllm-project/vllm issue 54506). No rounding
// moves a log-probability by a nat.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace speclens {

struct GreedyAnswer {
    std::string text;
    std::vector<int> ids;    // of its tokens, an end token too where the server lists it; empty: not told
    std::vector<int> prompt; // ids that the server read; empty: not told
    std::string finish;      // "stop", "length"
    int tokens = 0;          // as the server counts; 0: not told
    // Of this answer, as the answer tells it; absent: not told. What was asked for counts nowhere.
    std::optional<double> drafted;
    double accepted = 0;
    std::optional<double> rounds; // absent: not told
};
[[nodiscard]] inline bool same_text(const GreedyAnswer& a, const GreedyAnswer& b) { return a.text == b.text; }

// How an answer goes on where two part: by its id, else by the text that follows.
struct ForkBranch {
    std::optional<int> id;
    std::string rest;   // of the text, from the fork on
    bool ended = false; // the text ends there
};
struct TextFork {
    std::size_t bytes = 0;     // of the text that both have, whole characters
    std::optional<int> tokens; // that both have; absent: ids are not told
    ForkBranch a, b;
};
// Of two answers with different texts.
[[nodiscard]] TextFork fork_of(const GreedyAnswer& a, const GreedyAnswer& b);

// What a server says of the one token behind a text that it was sent to read.
struct ListedToken {
    int id = -1; // -1: not told
    std::string text;
    double logp = 0; // nats
};
struct Reread {
    std::vector<ListedToken> listed; // the likeliest first; empty: no probabilities were told
    ListedToken written;             // its own choice; id -1 and no text: not told
};
enum class Side : std::uint8_t { unknown, a, b, neither };

struct Margin {
    double nats = 0;       // from the best token of the re-read text down to the worse of the two that were written
    bool at_least = false; // one of the two is not among the listed ones
};
// Absent: no probabilities, or the list does not tell the two apart.
[[nodiscard]] std::optional<Margin> margin_of(const Reread& reread, const ForkBranch& a, const ForkBranch& b);
[[nodiscard]] Side side_of(const Reread& reread, const ForkBranch& a, const ForkBranch& b);

enum class ForkKind : std::uint8_t {
    near_tie, // margin ≤ max(kNearTie, kSpreads · spread), and no more than kMistake
    larger,   // between the two: larger than rounding seen on this server
    mistake,  // margin > kMistake, and more than its repeats spread
    not_told, // no probabilities, or fewer than kFewestRereads of them
};
inline constexpr double kNearTie = 0.02, kSpreads = 3, kMistake = 1; // nats; as often as the repeats spread
inline constexpr std::size_t kFewestRereads = 4;

struct JudgedFork {
    ForkKind kind = ForkKind::not_told;
    std::optional<Margin> margin; // the median of the repeats
    double spread = 0;            // largest minus smallest of them
    Side side = Side::unknown;    // that the re-read text prefers, where all repeats agree
};
// `repeats`: of one server.
[[nodiscard]] JudgedFork judge_fork(std::span<const Reread> repeats, const ForkBranch& a, const ForkBranch& b);
// Of two servers that both read the place again: a token that either of them holds for as good as equal is no mistake of the other's, so
// the smaller margin counts. What only one tells is that.
[[nodiscard]] JudgedFork milder(const JudgedFork& one, const JudgedFork& other);

} // namespace speclens
