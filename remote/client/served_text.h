// One request to somebody's server, followed token by token: which pieces of the answer were drafted, as far
// as the server tells.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/net/http.h"
#include "engine/run/run_settings.h"
#include "remote/client/server_facts.h"
#include "remote/reading/spec_counts.h"

namespace speclens {

struct RequestSettings {
    std::string prompt, system; // system: chat only
    bool chat = true;           // /v1/chat/completions, else /v1/completions
    std::string model;          // empty: the server's first
    int max_tokens = 64;
    double temperature = 0;
    std::optional<std::uint64_t> seed;
    bool plain = false;      // ask for no drafts, where the server may know how: see may_switch_off()
    bool own_server = false; // SpecLens: it lists tokens apart, but no log-probabilities
};

// The prompt, length and temperature of a run, for a server. What only our engine has (rule, K, drafter) is
// the server's.
[[nodiscard]] RequestSettings request_like(const RunSettings& settings);

// How it is known which pieces were drafted.
enum class Provenance : std::uint8_t {
    exact,     // the server lists every round, and the list fits the tokens
    inferred,  // from counters that grew with the pieces, or from how pieces arrived together
    aggregate, // only totals are known, or nothing
};
// first: the token of the prefill. mixed: a piece of several tokens, some of which were drafted.
enum class Author : std::uint8_t { unknown, first, draft, target, mixed };

struct ServedPiece {
    std::string text; // one token where the server separates them, else what arrived at once
    double ms = 0;    // when it arrived, since the request was sent
    int round = -1;   // index into rounds, of its last token; -1: none or unknown
    Author author = Author::unknown;
    int tokens = 1; // that it spans, as far as the server tells: a character may be several
};
struct ServedRound {
    int drafted = -1; // -1: unknown
    int accepted = 0;
};
// By which rule drafts are kept at T > 0, as far as it was found out (keep_rule.h).
struct KeepRule {
    enum class Kind : std::uint8_t { open, matching, rejection } kind = Kind::open;
    int cuts = 0, differ = 0; // texts cut where a draft was kept, and those of them that ended otherwise
};
struct ServedText {
    std::vector<ServedPiece> pieces;
    std::vector<ServedRound> rounds;
    Provenance provenance = Provenance::aggregate;
    std::optional<SpecCounts> counts; // of this request
    // Tokens of the last round that were not written: the text ended inside what it had kept. The counts hold
    // the kept drafts among them, as servers count.
    int unwritten = 0;
    std::optional<double> rounds_at_most; // where rounds are not reported: each writes a token of the target's
    std::optional<double> reported_tokens_per_second;
    int tokens = 0;            // as the server counts; 0: it does not say
    bool tokens_apart = false; // every piece is one token; known at the end
    double first_ms = 0, total_ms = 0;
    std::string finish; // "stop", "length"
    std::optional<KeepRule> rule;
    std::vector<Said> notes; // what is missing and which option of the server would give it

    [[nodiscard]] std::string text() const;
    [[nodiscard]] int passes_without_draft() const; // of the target, as far as they are known
    // Tokens that a round put into the text, as written: below the acceptance length where the text ended inside
    // what a round had kept. Absent where rounds are not known.
    [[nodiscard]] std::optional<double> written_per_round() const;
    // How fast the text was written behind what came first: a round's tokens come at once, and what is in the
    // first arrival took no time behind it. Absent where too little came apart to be timed.
    [[nodiscard]] std::optional<double> tokens_per_second() const;
};
// What comes within a millisecond came together. With fewer arrivals, or less time between the first and the
// last, a hiccup of the network or of the scheduler would be most of the figure.
inline constexpr double kTogetherMs = 1, kShortestTimedMs = 10;
inline constexpr int kFewestTimedArrivals = 3;
// `follow` sees the text while it grows (rounds are known at the end only); may be empty. Throws Error: what
// http_post throws, and what the server answers when it refuses.
[[nodiscard]] ServedText send_request(const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request,
                                      const HttpSettings& settings, const std::function<void(const ServedText&)>& follow = {});

// Whether a request to such a server can ask for no drafts ("speculative.n_max": 0). Some versions of llama.cpp do not
// listen: what the answer drafted tells.
[[nodiscard]] bool may_switch_off(const ServerFacts& facts);
// Of it, the body that is sent.
[[nodiscard]] std::string request_body(ServerKind kind, const RequestSettings& request);

} // namespace speclens
