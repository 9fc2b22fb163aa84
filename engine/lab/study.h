// A few runs, finished beside the one on the screen, and what each came to: draft time against the number of
// draft tokens, acceptance by position with an option on and off. Every number is measured here and now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/lab/time_table.h"
#include "engine/run/answers.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

struct StudyPoint {
    RunSettings settings;
    ToldReason problem; // why it could not be run; empty: it was
    int most = 0;       // draft tokens in a row that it can make, where those are fewer than settings.k; else 0
    int rounds = 0, tokens = 0;
    std::vector<int> output;            // new tokens
    std::shared_ptr<const Trace> trace; // null: not kept, or it could not be run
    // Medians over the rounds that proposed draft_length() tokens, the first round left out; 0: there was none.
    double draft_ms = 0, verify_ms = 0;
    double head_ms = 0;                // part of draft_ms
    double spread = 0, busy_cores = 0; // of the times above, as in TraceTimes
    int timed = 0;                     // rounds behind them
    int without = 0;                   // rounds without a draft token; the last one aside, which may have had no room for any
    // Of each position: rounds whose draft token there was judged, and kept. (A draft token is judged when those before
    // it were kept.)
    std::vector<int> judged, kept;
    [[nodiscard]] int draft_length() const { return most > 0 ? most : settings.k; }
    [[nodiscard]] double tokens_per_round() const { return rounds > 0 ? double(tokens) / rounds : 0; }
};

struct Study {
    std::string name;
    int planned = 0; // points to come in all
    std::vector<StudyPoint> points;
    int left_out = 0; // that were planned too, until somebody stopped it
    [[nodiscard]] bool complete() const { return static_cast<int>(points.size()) == planned; }
};

// What a finished run came to.
[[nodiscard]] StudyPoint summary_of(const RunSettings& settings, const Trace& trace);
// Gives every point the times that the table has by now: those of its first runs are known better from later ones.
void time_study(Study& study, const TimeTable& table);

} // namespace speclens
