#include "scenes/shared/reported_speed.h"

#include <algorithm>

#include "engine/base/display_name.h"
#include "engine/lab/reference.h"
#include "scenes/shared/told.h"
#include "ui/format.h"

namespace speclens {

Message ReportedSpeed::note() const {
    if (doubt.empty()) return {};
    return shared_says("doubt.note"_t, "doubt"_v = doubt, "recorded"_v = recorded);
}

ReportedSpeed reported_speed(const SpeedUp& figure, const Trace& trace) {
    ReportedSpeed told;
    told.figure = figure;
    if (!figure.known()) return told;
    told.words = (figure.sure() ? "" : "~") + ui::speed_up(figure.value);
    if (figure.sure()) return told;
    const std::shared_ptr<const TraceTimes> times = trace.times();
    told.doubt = message(doubt_said(figure, times.get()));
    if (const Header* header = trace.header())
        if (const Reference* known = reference_of(*header)) {
            told.recorded_speed = ui::speed_up(known->speed_up);
            told.recorded = shared_says("doubt.recorded"_t, "times"_v = told.recorded_speed, "machine"_v = machine_said(known->machine),
                                        "date"_v = known->date);
        }
    return told;
}

ReportedSpeed reported_speed(const RunView& view, const Trace& trace) { return reported_speed(speed_up(view, trace), trace); }

ReportedSpeed reported_speed(const RunView& view, const Trace& trace, double plain_ms) {
    TraceTimes times;
    if (const std::shared_ptr<const TraceTimes> known = trace.times()) times = *known;
    times.plain_ms = plain_ms;
    return reported_speed(speed_up(view, times), trace);
}

Message times_doubt(double busy_cores, double spread, double plain_spread) {
    constexpr SaidOf<"speedup"> said;
    if (busy_cores > kMostBusyCores) return shared_says("doubt.busy"_t, "cores"_v = busy_cores);
    const double apart = (1 + spread) * (1 + plain_spread) - 1;
    return apart > kMostSpread ? message(said("doubt.spread"_t, "apart"_v = apart)) : Message();
}

Message study_doubt(const Study& study) {
    double busy = 0, spread = 0, plain = 0;
    for (const StudyPoint& point : study.points) {
        busy = std::max(busy, point.busy_cores);
        double& of = point.settings.k == 0 || point.settings.drafter == kNoDrafter ? plain : spread;
        of = std::max(of, point.spread);
    }
    return times_doubt(busy, spread, plain);
}

} // namespace speclens
