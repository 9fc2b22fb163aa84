#include "engine/run/speed_up.h"

namespace speclens {

SpeedUp speed_up(const RunView& view, const TraceTimes& times) {
    SpeedUp figure;
    if (view.total_ms <= 0 || times.plain_ms <= 0) return figure;
    const double plain = times.plain_ms * view.output_tokens;
    figure.value = plain / view.total_ms;
    figure.low = figure.value / (1 + times.spread);
    figure.high = figure.value * (1 + times.plain_spread);
    using Doubt = SpeedUp::Doubt;
    // A round costs at least one pass, so it cannot gain more than it has tokens; timers tell a hundredth.
    if (figure.value > 1.01 * view.tokens_per_pass())
        figure.doubt = Doubt::impossible;
    else if (times.repeats == 0)
        figure.doubt = Doubt::none; // a saved run without repeats: as it was recorded
    else if (times.busy_cores > kMostBusyCores)
        figure.doubt = Doubt::busy;
    else if (times.to_recorded > kMostSlower)
        figure.doubt = Doubt::slower;
    else if (times.repeats < kFewestRepeats)
        figure.doubt = Doubt::few;
    else if (figure.high > figure.low * (1 + kMostSpread))
        figure.doubt = Doubt::spread;
    return figure;
}

SpeedUp speed_up(const RunView& view, const Trace& trace) {
    TraceTimes times;
    if (const std::shared_ptr<const TraceTimes> known = trace.times()) times = *known;
    if (times.plain_ms <= 0) times.plain_ms = trace.plain_ms();
    return speed_up(view, times);
}

Said doubt_said(const SpeedUp& figure, const TraceTimes* times) {
    constexpr SaidOf<"speedup"> said;
    switch (figure.doubt) {
    case SpeedUp::Doubt::none: return {};
    case SpeedUp::Doubt::few: return said("doubt.few"_t);
    case SpeedUp::Doubt::spread: return said("doubt.spread"_t, "apart"_v = figure.high / figure.low - 1);
    case SpeedUp::Doubt::busy: return SaidOf<"shared">()("doubt.busy"_t, "cores"_v = times ? times->busy_cores : 0.0);
    case SpeedUp::Doubt::slower: return said("doubt.slower"_t, "times"_v = times ? times->to_recorded : 0.0);
    case SpeedUp::Doubt::impossible: return said("doubt.impossible"_t);
    }
    return {};
}

} // namespace speclens
