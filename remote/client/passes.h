// llama.cpp tells beside every piece of text how many tokens are written (`predicted_n`) and how many were drafted
// and accepted in all (`draft_n`, `draft_n_accepted`, of every round up to the one that wrote that token, the whole
// of it). A piece may be several tokens, and several rounds. This finds the passes of the target that made these
// totals: token 1 comes from the prefill, a round writes what it kept and a token of the target's, a pass without a
// draft one token, and the text may end inside what the last round kept. No network, no text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace speclens {

// Totals when an event came; `pieces`: how many pieces of text had come by then.
struct Seen {
    int written = 0;
    double drafted = 0, accepted = 0;
    std::size_t pieces = 0;
};

struct Pass {
    int drafted = 0, accepted = 0; // 0 and 0: without a draft
    int written = 1;               // of accepted + 1: fewer where the text ended in it
};
struct Passes {
    enum class Sure : std::uint8_t {
        no,       // totals that no passes make, or several numbers of passes do, and nothing prefers one
        inferred, // nothing but these fits drafts no longer than those of which the length is certain
        exact,    // nothing else makes these totals
    } sure = Sure::no;
    std::vector<Pass> passes; // behind token 1
    bool places = false;      // how many were kept is known pass by pass, but for the order
    bool contradiction = false;
};
struct PassFacts {
    int limit = 0;                  // of tokens, where the text ended by it: drafts become shorter towards it; 0: none
    std::optional<int> rounds = {}; // all of them, where the server's own counters tell
};
// `seen` in the order of events; totals that fall are a contradiction. Of what fits, passes are preferred that
// draft as llama-server does: always as many tokens as the longest draft that is certain, and as the limit leaves
// room for beside the target's own.
[[nodiscard]] Passes find_passes(std::span<const Seen> seen, PassFacts facts = {});

} // namespace speclens
