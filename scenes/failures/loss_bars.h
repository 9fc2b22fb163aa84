// Where speculation wins and how it loses, as latency bars: one round on a clock beside plain decoding of as many
// tokens. Four set-ups that differ in one thing each from the healthy one.
#pragma once

#include <array>

#include "scenes/failures/failures_model.h"
#include "ui/plot.h"

namespace speclens {

enum class Loss : std::uint8_t { healthy, full_pass, bad_guesses, dear_draft };

// Times in plain passes: those without guesses over as many requests. So all bars have one scale, however busy the machine.
struct LossBar {
    Loss kind = Loss::healthy;
    int requests = 1, k = 4;
    Levers levers;
    double tokens = 1;            // of a round, for each text
    double draft = 0, verify = 1; // of the round
    [[nodiscard]] double round() const { return draft + verify; }
    [[nodiscard]] double speedup() const { return tokens / round(); } // plain decoding takes a pass for each
};
struct LossBars {
    std::array<LossBar, 4> bars; // in the order of Loss
    bool measured = false;       // this machine's passes; else those of the assumed machine
    Message why_assumed;         // empty: measured
};
// Passes of the assumed machine: alike up to kIdleRows rows, which is what reading the weights takes, then in proportion.
inline constexpr int kIdleRows = 32;
[[nodiscard]] double assumed_pass(double rows); // in passes of one row
// By this machine's passes and the run's levers where they show all four as they are named: the first one gains, the
// others lose. Where they do not, by the assumed machine, and the model says so.
[[nodiscard]] LossBars loss_bars(const FailuresModel& model);
[[nodiscard]] Message loss_name(Loss kind); // "healthy"
// What tells it from the others in its bar: "the verify bar is long".
[[nodiscard]] Message loss_sign(Loss kind);
[[nodiscard]] Message loss_change(const LossBar& bar); // what its set-up has of its own: "64 requests"

[[nodiscard]] Message loss_reason(const FailuresModel& model, Loss kind); // of its bar
// Where every bar stands on one scale, for each of them.
[[nodiscard]] ui::Scale loss_scale(const LossBars& bars, float left, float right);
// What the beat is about stands out; beat 0 and its like show all four.
void draw_loss_bars(const FailuresDraw& d, ui::Rect area, std::optional<Loss> about);
// Which bar a beat is about; none: all of them, or none is drawn.
[[nodiscard]] std::optional<Loss> loss_of_beat(int beat);

} // namespace speclens
