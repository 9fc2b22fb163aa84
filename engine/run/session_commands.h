// What the window (or the terminal) may ask of a running session (engine/session). Commands are applied between phases.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/models/model_paths.h"
#include "engine/run/race_settings.h"
#include "engine/run/run_settings.h"

namespace speclens {

// A budget of phases without an end.
inline constexpr std::int64_t kUnlimitedPhases = std::numeric_limits<std::int64_t>::max();

// `budget`: phases to perform right after it was applied (the gate is set to it, so no earlier budget leaks in).
// `measure`: what its rounds cost is measured anew, for K auto.
struct Restart {
    RunSettings settings;
    std::int64_t budget = 0;
    bool measure = false;
};                // new trace from the prompt
struct Cancel {}; // stop the run, keep the trace
// Go back to the start of a round, change something, and wait for budget. Opens a new trace (branch).
struct Fork {
    int round = 0;
    std::optional<RunSettings> settings = {};              // drafter, rule, k, sampling, seed (prompt fields are kept)
    std::optional<std::pair<int, int>> force_draft = {};   // (index, token)
    std::optional<std::pair<int, double>> force_coin = {}; // (index, u)
    std::int64_t budget = 0;
};
// Compute the full distributions of one judged position of the current trace, for the accept-rule scene.
struct FetchDistributions {
    int round = 0;
    int index = 0;
};
struct StartRace {
    RaceSettings settings;
};                  // replaces a race of the same kind, timed or stepped
struct StopRace {}; // the stepped one where it is open, else the timed one
struct StepRace {
    Stride stride = Stride::phase;
};
struct EndSteppedRace {}; // a timed race that waited for it goes on
// Replay one round of the current trace with other method options, or with another draft token: the same text, dice
// and forced drafts. The answer is a Replay (engine/run/replay.h).
struct FetchReplay {
    int round = 0;
    DrafterOptions options;
    std::optional<std::pair<int, int>> force_draft = {}; // (index, token)
};
// Draft one round of the current trace with another head, distributions and internals included. The answer is an OtherDrafterRound
// (engine/run/other_drafter_round.h).
struct FetchOtherDrafterRound {
    int round = 0;
    std::string drafter;
};
// Let every drafter draft at one round of the current trace: the same text, the same dice. The answer is a DrafterComparison
// (engine/run/drafter_comparison.h) that grows drafter by drafter. A new question replaces the old one.
struct CompareDrafters {
    int round = 0;
    int exit_layer = 0; // of `skip`; 0: as the run has it
};
// Finish some runs beside the current one and summarise each; the answer is a Study (engine/lab/study.h) that grows run
// by run. A new study of the same name replaces the old one.
struct RunStudy {
    std::string name;
    std::vector<RunSettings> runs;
};
// Nobody looks at it any more: it ends, and what there is of it goes.
struct EndStudy {
    std::string name;
};
// Time passes of the target over 1 to 64 tokens, within a few seconds; the answer is a PassTimes (engine/lab/pass_times.h).
// Then, where `beside` names a geometry (engine/model/model.h) larger than the target, those of random weights of it:
// another one. With `forms` only that which has most weights of the two, with random weights in other forms (eight bits,
// four, bf16), one after another: what fewer bytes do to a pass.
struct MeasurePasses {
    std::string beside = {};
    bool forms = false;
};
inline constexpr double kAdviceSeconds = 60; // where nobody says how long: in the window and on the command line
// Measure whether speculation pays with the loaded models (engine/advice/advice_measurement.h): every drafter that can run,
// with 1 to 7 draft tokens, on prompts that none was trained on; temperature, dice and length are those of `base`. The answer is
// an Advice that grows.
struct AskAdvice {
    RunSettings base;
    double seconds = kAdviceSeconds; // for prompts
};
// Decode several texts at once (engine/batch/sweep.h): the drafter of `base` with each of `lengths`, and plainly, beside each
// other; the answer is a Sweep that grows. Texts are ready-made prompts; temperature, dice and length are those of `base`. With no
// numbers of texts only what needs little time: the block tables of one batch, and K chosen as one goes.
struct MeasureLoad {
    RunSettings base;
    std::vector<int> lengths = {1, 2, 4, 7};
    std::vector<int> texts = {1, 2, 4, 8, 16};
    double seconds = 30; // for the batches
};
// Train Medusa heads, or an MTP layer, on the target's answers to the built-in prompts (engine/lab/head_training.h). What it comes
// to is published while it learns; complete, it takes the place of what was loaded, for runs from then on.
enum class HeadKind : std::uint8_t { medusa, mtp };
struct TrainHeads {
    int steps = 600;
    int texts = 4;       // answers to each prompt
    int max_tokens = 64; // of each answer
    int prompts = 0;     // the first so many to train on, and to measure on; 0: all
    HeadKind kind = HeadKind::medusa;
};
// Examine the head of this drafter (engine/doctor/examination.h): what it accepts, and whether another way to read it does better. The
// answer is a Diagnosis that grows.
struct ExamineHead {
    std::string drafter;
    int tokens = 2000; // places that every way is scored at
};
// Load another target. What is loaded stays until it is there: where it cannot be loaded, or Session::cancel_loading() ends
// it, run, races and caches go on, and EngineStatus::open_error says why. Where it can, all that was made with the old one
// ends, and a run begins that fits (engine/run/fitting.h). `keep`: the models before stay in memory, until something else is opened, so
// that the way back takes no time.
struct OpenModel {
    ModelPaths paths;
    std::int64_t budget = 0;
    bool keep = false;
};
// Heads of the built-in model that came into its folder after it was loaded: a page fetches some later. Whatever goes on goes on;
// what is begun from then on has them, and what every drafter drafts is asked again.
struct LoadHeads {};
using Command = std::variant<Restart, Cancel, Fork, FetchDistributions, FetchReplay, FetchOtherDrafterRound, CompareDrafters, RunStudy,
                             EndStudy, StartRace, StopRace, StepRace, EndSteppedRace, MeasurePasses, AskAdvice, MeasureLoad, TrainHeads,
                             ExamineHead, OpenModel, LoadHeads>;
[[nodiscard]] std::string to_text(const Command& command); // one line, for Event Commanded

} // namespace speclens
