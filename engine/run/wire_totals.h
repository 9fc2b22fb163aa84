// What the rounds of a run cost on the way to a target elsewhere, and what drafting ahead brought and wasted: sums over complete
// rounds of Verified::wire and its neighbours.
#pragma once

#include <cstdint>

#include "engine/run/run_view.h"

namespace speclens {

struct WireTotals {
    int rounds = 0;                      // rounds whose pass was made elsewhere
    std::int64_t sent = 0, received = 0; // bytes
    double ms = 0, server_ms = 0;        // time of the exchanges, and the server's part of it, as far as it said
    int answered = 0;                    // rounds in which it said
    int retries = 0;                     // of lines that broke
    int ahead = 0, taken = 0;            // tokens drafted beside a pass; of them those that a round took
    double ahead_ms = 0;

    [[nodiscard]] bool any() const { return rounds > 0; }
    [[nodiscard]] int wasted() const { return ahead - taken; } // guesses at the target's own token among them: they are never drafts
    [[nodiscard]] double per_round(double sum) const { return rounds > 0 ? sum / rounds : 0; }
    [[nodiscard]] bool knows_server() const { return rounds > 0 && answered == rounds; }
    WireTotals& operator+=(const WireTotals& other);
    bool operator==(const WireTotals&) const = default;
};

[[nodiscard]] WireTotals wire_totals(const RunView& view);
[[nodiscard]] WireTotals wire_totals(const Verified& pass); // of one round; nothing where its pass was made here

} // namespace speclens
