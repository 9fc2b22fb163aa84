#include "engine/run/wire_totals.h"

namespace speclens {

WireTotals& WireTotals::operator+=(const WireTotals& other) {
    rounds += other.rounds;
    sent += other.sent;
    received += other.received;
    ms += other.ms;
    server_ms += other.server_ms;
    answered += other.answered;
    retries += other.retries;
    ahead += other.ahead;
    taken += other.taken;
    ahead_ms += other.ahead_ms;
    return *this;
}

WireTotals wire_totals(const CycleView& view) {
    WireTotals totals;
    for (const CycleSummary& cycle : view.cycles) {
        if (!cycle.complete() || !cycle.verify || !cycle.verify->wire) continue;
        const Verified& verify = *cycle.verify;
        totals += {.rounds = 1,
                   .sent = verify.wire->sent,
                   .received = verify.wire->received,
                   .ms = verify.wire->ms,
                   .server_ms = verify.wire->server_ms,
                   .answered = verify.wire->server_ms > 0 ? 1 : 0,
                   .retries = verify.wire->retries,
                   .ahead = verify.ahead,
                   .taken = verify.from_ahead,
                   .ahead_ms = verify.ahead_ms};
    }
    return totals;
}

} // namespace speclens
