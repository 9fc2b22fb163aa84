// A speed-up as pictures tell it: sure, or in doubt with the reason, beside what was recorded on a quiet machine.
#pragma once

#include <string>

#include "engine/lab/study.h"
#include "engine/run/speed_up.h"
#include "ui/stories/message.h"

namespace speclens {

struct ReportedSpeed {
    SpeedUp figure;
    std::string words;          // "1.37×"; in doubt "~1.37×"; empty: not known
    Message doubt;              // "other programs kept 1.4 cores busy"; empty: none
    std::string recorded_speed; // of a figure in doubt, what was recorded, "2.30×"; empty: nothing is
    std::string recorded;       // the same with its machine, "recorded 2.30× on 2-core AMD EPYC, 2026-11-25"
    [[nodiscard]] bool sure() const { return figure.sure(); }
    [[nodiscard]] Message note() const; // "in doubt: …; recorded …"; empty where it is sure, or not known
};
// Of the rounds that `view` holds.
[[nodiscard]] ReportedSpeed reported_speed(const RunView& view, const Trace& trace);
[[nodiscard]] ReportedSpeed reported_speed(const SpeedUp& figure, const Trace& trace);
// Against plain decoding of so many ms a token, which the caller knows better than the trace.
[[nodiscard]] ReportedSpeed reported_speed(const RunView& view, const Trace& trace, double plain_ms);
// Why times say nothing certain, by the cores that other programs kept busy and how far repeats lie apart; empty: they do.
[[nodiscard]] Message times_doubt(double busy_cores, double spread, double plain_spread);
// The same of a study.
[[nodiscard]] Message study_doubt(const Study& study);

} // namespace speclens
