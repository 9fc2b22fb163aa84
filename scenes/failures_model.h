// When speculation loses. Several requests in one pass leave no idle arithmetic for guesses: a map over
// requests and draft length, simulated from the measured time of passes and the run's own acceptance. And
// where the target itself is unsure, guesses fail: the run's guesses by the entropy of the law that judged
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/diagnosis_model.h"
#include "scenes/scene.h"
#include "scenes/speedup_model.h"
#include "scenes/story.h"

namespace speclens {

inline constexpr int kMostGuesses = 12;
inline constexpr int kRequests[] = {1, 2, 4, 8, 16, 32, 64};

// Milliseconds of a pass over so many rows: measured, between two widths on a line, beyond the widest with
// the last slope. Needs two widths at least.
[[nodiscard]] double pass_ms(const PassTimes& times, double rows);

// One cell of the map.
struct LoadCell {
    int requests = 1, k = 1;
    double speedup = 0;        // against plain decoding of as many requests
    bool extrapolated = false; // its verify pass is wider than what was measured
};
// requests texts at once, K guesses each: one drafting pass per guess and one verify pass over requests *
// (K+1) rows. levers.draft: a guess of one request in plain passes; it grows with the requests as a pass
// does.
[[nodiscard]] LoadCell load_cell(const PassTimes& times, const Levers& levers, int requests, int k);

struct EntropyBin {
    double low = 0, high = 0; // nats
    int judged = 0, kept = 0;
};

// What the user set.
struct FailuresState {
    int row = 0, k = 4; // marked cell: index of kRequests, guesses
    std::optional<double> alpha;
    std::optional<bool> game; // the diagnosis instead of the map; unset: as the beat has it
    int beat = 0;             // that `game` was set at
    DiagnosisState diagnosis;
};

struct FailuresModel {
    const PassTimes* times = nullptr; // null: not measured
    Levers levers;                    // of the run, or assumed
    bool from_run = false;
    std::vector<LoadCell> cells; // row by row
    int row = 0, k = 4;
    std::vector<EntropyBin> bins; // of the run; empty: no laws were recorded
    [[nodiscard]] const LoadCell& cell(int row_of, int k_of) const {
        return cells[static_cast<std::size_t>(row_of * kMostGuesses + k_of - 1)];
    }
    [[nodiscard]] int best_k(int row_of) const; // 0: no draft length pays
};
[[nodiscard]] FailuresModel failures_model(const SceneInput& input, const FailuresState& state);
// Entropy of a recorded head in nats; what it leaves out counts as one token.
[[nodiscard]] double entropy_of(const Top& top);

inline constexpr int kFailuresBeats = 6; // the last one is the game
[[nodiscard]] StageTitle failures_title(const FailuresModel& model);
[[nodiscard]] bool plays(const SceneInput& input, const FailuresState& state);
// `diagnosis`: null: the map is shown.
[[nodiscard]] Story failures_story(const SceneInput& input, const FailuresModel& model,
                                   const DiagnosisModel* diagnosis);
[[nodiscard]] std::string failures_description(const SceneInput& input, const FailuresModel& model);
[[nodiscard]] std::string failure_reason(const FailuresModel& model); // of the marked cell

struct FailuresDraw {
    const SceneInput& input;
    const FailuresModel& model;
    FailuresState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
    const DiagnosisModel* diagnosis; // null: the map is shown
};
void draw_load_map(const FailuresDraw& d, ui::Rect area);
void draw_entropy(const FailuresDraw& d, ui::Rect area);
void draw_failures_details(const FailuresDraw& d);
void draw_failures_controls(const FailuresDraw& d);

} // namespace speclens
