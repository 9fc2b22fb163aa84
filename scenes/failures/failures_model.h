// When speculation loses. Several requests in one pass leave no idle arithmetic for guesses: a map over
// requests and draft length, simulated from the measured time of passes and the run's own acceptance. And
// where the target itself is unsure, guesses fail: the run's guesses by the entropy of the distribution that judged
// them.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "engine/batch/sweep.h"
#include "scenes/failures/diagnosis_model.h"
#include "scenes/shared/message_scene.h"
#include "scenes/shared/speedup_model.h"

namespace speclens {

inline constexpr int kGuesses[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15};
inline constexpr int kRequests[] = {1, 2, 4, 8, 16, 32, 64};
inline constexpr int kLoadRows = static_cast<int>(std::size(kRequests)), kLoadColumns = static_cast<int>(std::size(kGuesses));
inline constexpr int kMostBusy = kLoadRows - 1; // row
[[nodiscard]] int guesses_at_most(int k);       // column: the largest of kGuesses that is not above k

// One cell of the map.
struct LoadCell {
    int requests = 1, k = 1;
    double speedup = 0;                  // against plain decoding of as many requests
    bool extrapolated = false;           // its verify pass is wider than what was measured
    bool outrun = false;                 // one of its passes was timed slower than others that do the same
    const SweepCell* measured = nullptr; // a batch of so many texts that was decoded here; null: simulated
    Message doubt = {};                  // why the measured figure is not to be relied on; empty: it is
    [[nodiscard]] bool in_doubt() const { return outrun || !doubt.empty(); }
    // Against plain decoding, as far as two decimals tell; of a measured one, as far as its interval does. In doubt it does neither.
    [[nodiscard]] bool pays() const { return measured ? doubt.empty() && measured->speed_up->low > 1 : speedup >= 1.005; }
    [[nodiscard]] bool loses() const { return measured ? doubt.empty() && measured->speed_up->high < 1 : speedup < 0.995; }
};
// Rows of a verify pass for so many requests, K guesses each where there are any: a mean.
[[nodiscard]] double verify_rows(const Levers& levers, int requests, int k);
// requests texts at once, K guesses each: drafting, which grows with the requests as a pass does, and one
// verify pass. Of the levers, `verify` does not count: the passes are measured.
[[nodiscard]] LoadCell load_cell(const PassTimes& times, const Levers& levers, int requests, int k);

struct EntropyBin {
    double low = 0, high = 0; // nats
    int judged = 0, kept = 0;
    [[nodiscard]] bool open() const { return high > 50; } // the last one has no end
};
inline constexpr int kFewGuesses = 10; // below this a share says little
inline constexpr double kUnsure = 0.7; // nats, an edge of the bins: where a distribution begins to be spread out
// The bins up to kUnsure and those above as one each, and what they show.
struct EntropyFinding {
    EntropyBin sure, unsure;
    enum class Shown : std::uint8_t { too_few, falls, nothing } shown = Shown::too_few;
};
[[nodiscard]] EntropyFinding entropy_finding(const std::vector<EntropyBin>& bins);

// What the user set.
struct FailuresState {
    std::optional<int>
        row;   // marked cell: index of kRequests; unset: one request, the fewest that were measured, or those that the beat is about
    int k = 0; // its guesses; 0: as many as the run makes, as were measured, or the beat is about
    std::optional<double> alpha;
    std::optional<bool> game; // the diagnosis instead of the map; unset: as the beat has it
    int beat = 0;             // that `game` was set at
    DiagnosisState diagnosis;
    bool operator==(const FailuresState&) const = default;
};

struct FailuresModel {
    const PassTimes* times = nullptr; // null: not measured
    Message untimed;                  // why passes cannot be timed; empty: they can
    Message under_way;                // whose passes are being timed, and how far that is; empty: nobody's
    Levers levers;                    // of the run, or assumed
    bool from_run = false;
    bool by_hand = false;         // alpha is what the slider says
    std::vector<LoadCell> cells;  // row by row
    int row = 0, column = 3;      // marked
    std::vector<EntropyBin> bins; // of the run; empty: no distributions were recorded
    [[nodiscard]] const LoadCell& cell(int row_of, int column_of) const {
        return cells[static_cast<std::size_t>(row_of) * std::size(kGuesses) + static_cast<std::size_t>(column_of)];
    }
    [[nodiscard]] const LoadCell& marked() const { return cell(row, column); }
    [[nodiscard]] int guesses() const { return kGuesses[column]; }
    // Column; -1: no draft length pays. Where cells of the row were measured, one of those: what is simulated beside them is no rival.
    [[nodiscard]] int best(int row_of) const;
    [[nodiscard]] int best_k(int row_of) const; // its guesses; 0: none
    [[nodiscard]] bool pays_anywhere() const;
    [[nodiscard]] bool has_measured() const; // some cells were decoded, not simulated
    [[nodiscard]] bool has_measured(int row_of) const;
    [[nodiscard]] int few() const;       // the rows that say how the best K falls with load: where several were measured the first and
    [[nodiscard]] int many() const;      // the last of those, else one request and the most
    [[nodiscard]] bool doubtful() const; // the best K of one of the two was found by times in doubt
};
[[nodiscard]] FailuresModel failures_model(const SceneInput& input, const FailuresState& state);
// Entropy of a recorded head in nats; what it leaves out counts as one token.
[[nodiscard]] double entropy_of(const TopEntries& top);

inline constexpr MessagesOf<"failures", "idle", "shared", "map", "unsure", "dashboard", "game"> failures_says;
inline constexpr int kFailuresBeats = failures_says.size; // the last one is the game
inline constexpr int kSharedBeat = 1, kMapBeat = 2, kUnsureBeat = 3, kDashboardBeat = 4;
// Latency bars, one round each, tell the beats around the map.
[[nodiscard]] inline bool tells_in_bars(int beat) { return beat != kMapBeat && beat != kFailuresBeats - 1; }
// The map stands alone or beside the bars; what chooses its cells is offered only there.
[[nodiscard]] inline bool shows_map(int beat) { return !tells_in_bars(beat) || beat == kSharedBeat; }
[[nodiscard]] StageTitle failures_title(const SceneInput& input, const FailuresModel& model);
[[nodiscard]] bool plays(const SceneInput& input, const FailuresState& state);
// `diagnosis`: null: the map is shown.
[[nodiscard]] Story failures_story(const SceneInput& input, const FailuresModel& model, const DiagnosisModel* diagnosis);
// Why a batch beside this map cannot be decoded; empty: it can.
[[nodiscard]] Message load_problem(const SceneInput& input, const FailuresModel& model);
[[nodiscard]] Message failure_reason(const FailuresModel& model); // of the marked cell

struct FailuresDraw {
    const SceneInput& input;
    const FailuresModel& model;
    FailuresState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
    const DiagnosisModel* diagnosis; // null: the map is shown
};
[[nodiscard]] Message entropy_words(const EntropyBin& bin);
void draw_load_map(const FailuresDraw& d, ui::Rect area);
void draw_beside_map(const FailuresDraw& d, ui::Rect area);
void draw_entropy(const FailuresDraw& d, ui::Rect area);
// What the two show, where something else stands in their place.
void tell_load_map(const FailuresDraw& d, ui::Rect area);
void tell_entropy(const FailuresDraw& d, ui::Rect area);
void draw_failures_details(const FailuresDraw& d);
void draw_failures_controls(const FailuresDraw& d);

} // namespace speclens
