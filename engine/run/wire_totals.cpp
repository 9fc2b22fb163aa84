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

WireTotals wire_totals(const Verified& pass) {
    if (!pass.wire) return {};
    return {.rounds = 1,
            .sent = pass.wire->sent,
            .received = pass.wire->received,
            .ms = pass.wire->ms,
            .server_ms = pass.wire->server_ms,
            .answered = pass.wire->server_ms > 0 ? 1 : 0,
            .retries = pass.wire->retries,
            .ahead = pass.ahead,
            .taken = pass.from_ahead,
            .ahead_ms = pass.ahead_ms};
}

WireTotals wire_totals(const RunView& view) {
    WireTotals totals;
    for (const RoundSummary& round : view.round_list)
        if (round.complete() && round.verify) totals += wire_totals(*round.verify);
    return totals;
}

} // namespace speclens
