// What the window (or the terminal) may say to a running session, and the two mutexes of the program:
// Gate, the step budget, and Mailbox, the pending commands. The engine applies commands at phase boundaries.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/drafters/drafter_options.h"
#include "engine/model/distribution.h"
#include "engine/run/model_paths.h"
#include "engine/rules/rule_params.h"
#include "engine/text/tokenizer.h"

namespace speclens {

// Everything that defines a run, apart from the loaded models.
struct RunSettings {
    std::string prompt = "The capital of France is";
    std::string system;                // system turn, chat only
    bool chat = false;
    bool chat_if_possible = false;     // nobody asked for the chat: as text, with a notice, where its format is not known
    bool thinking = false;             // chat only: leave the think block to the model
    std::vector<TextPart> parts;       // of a whole conversation whose text is `prompt`: which of it was said
    std::vector<int> token_ids;        // when not empty: the prompt, instead of text
    std::string drafter = "small";
    std::string rule = "token";
    RuleParams rule_params;            // what the rule does not read is kept for when it is switched
    Sampling sampling;                 // target
    std::optional<Sampling> draft_sampling;  // absent: the same as the target's
    std::uint32_t fork = 0;
    int trace_top = 64;                // entries of each recorded distribution; 0 = fast mode, no rows; -1 = all
    bool lens = false;                 // record what the drafter's tensors look like (engine/drafters/internals.h); changes no token
    DrafterOptions options;
    // k: draft tokens per round, 0 is plain decoding; seed; max_tokens; timing
#define SETTING(member, usual, ...) decltype(usual) member = usual;
#include "engine/run/run_settings.inc"
    // How guesses are drawn.
    [[nodiscard]] Sampling drafts() const { return draft_sampling.value_or(sampling); }
    bool operator==(const RunSettings&) const = default;
};

// What the scenes of trained heads ask when nobody typed a prompt: independent guesses do not fit together in its answer
// ("Once upon a there"), and most of what a head corrects stays.
inline constexpr const char* kHeadPrompt = "Tell me a short story about a fox.";

// A fork goes on with other settings; the rounds before it were drafted and judged under these.
struct EarlierSettings {
    int until = 0;                     // the first round for which they no longer held
    RunSettings settings;
};
// Those that a round was made with: the first of `earlier` (in order) that held for it, else `now`.
[[nodiscard]] const RunSettings& settings_at(int cycle, const std::vector<EarlierSettings>& earlier,
                                             const RunSettings& now);

// ---- a race: several drafters on one prompt with the same dice ----
inline constexpr int kRaceLanes = 4;
struct RaceEntry {
    std::string drafter, rule;
    int k = 0;
    bool operator==(const RaceEntry&) const = default;
};
// A ready-made prompt, such as a line of assets/prompts/gallery.jsonl.
struct GalleryPrompt {
    std::string domain, prompt, system;
    bool chat = false;
    bool operator==(const GalleryPrompt&) const = default;
};
struct RaceSettings {
    RunSettings base;                  // prompt, dice, temperature, length; drafter, rule and k are the lanes'
    std::vector<RaceEntry> lanes;      // 1 … kRaceLanes
    std::vector<GalleryPrompt> prompts;   // for the averages; may be empty
    double average_seconds = 20;       // the averages stop growing after so much measured time
    bool stepped = false;              // the lanes go on together, as far as StepRace says; nothing is timed
    bool chat_if_possible = true;      // chats of `prompts` are asked as text where the model's format is not known
    bool operator==(const RaceSettings&) const = default;
};

// ---- commands, applied between phases ----
// `budget`: phases to perform right after it was applied (the gate is set to it, so no earlier budget leaks in).
struct Restart { RunSettings settings; std::int64_t budget = 0; };  // new trace from the prompt
struct Cancel {};                                    // stop the run, keep the trace
// Go back to the start of a cycle, change something, and wait for budget. Opens a new trace (branch).
struct Fork {
    int cycle = 0;
    std::optional<RunSettings> settings = {};        // drafter, rule, k, sampling, seed (prompt fields are kept)
    std::optional<std::pair<int, int>> force_draft = {};  // (index, token)
    std::optional<std::pair<int, double>> force_coin = {};  // (index, u)
    std::int64_t budget = 0;
};
// Compute the full distributions of one judged position of the current trace, for the accept-rule scene.
struct FetchDistributions { int cycle = 0; int index = 0; };
struct StartRace { RaceSettings settings; };         // replaces a race of the same kind, timed or stepped
struct StopRace {};                                  // the stepped one where it is open, else the timed one
// How far every lane of the stepped race goes: one phase, to the end of its round, to the end of its text.
enum class Stride : std::uint8_t { phase, round, end };
struct StepRace { Stride stride = Stride::phase; };
struct EndSteppedRace {};                            // a timed race that waited for it goes on
// Replay one cycle of the current trace with other method options, or with another guess: the same text, dice
// and forced drafts. The answer is a Replay (engine/run/replay.h).
struct FetchReplay {
    int cycle = 0;
    DrafterOptions options;
    std::optional<std::pair<int, int>> force_draft = {}; // (index, token)
};
// Draft one cycle of the current trace with another head, distributions and lens included. The answer is an OtherDrafterRound
// (engine/run/other_drafter_round.h).
struct FetchOtherDrafterRound {
    int cycle = 0;
    std::string drafter;
};
// Let every drafter guess at one cycle of the current trace: the same text, the same dice. The answer is a DrafterComparison
// (engine/run/drafter_comparison.h) that grows drafter by drafter. A new question replaces the old one.
struct CompareDrafters {
    int cycle = 0;
    int exit_layer = 0; // of `skip`; 0: as the run has it
};
// Finish some runs beside the current one and summarise each; the answer is a Study (engine/lab/study.h) that grows run
// by run. A new study of the same name replaces the old one.
struct RunStudy {
    std::string name;
    std::vector<RunSettings> runs;
};
// Time passes of the target over 1 to 64 tokens, within a few seconds; the answer is a PassTimes (engine/lab/pass_times.h).
// Then, where `beside` names a geometry (engine/model/model.h) larger than the target, those of random weights of it:
// another one. With `forms` only that which has most weights of the two, with random weights in other forms (eight bits,
// four, bf16), one after another: what fewer bytes do to a pass.
struct MeasurePasses {
    std::string beside = {};
    bool forms = false;
};
// Measure whether speculation pays with the loaded models (engine/advice/advice_measurement.h): every drafter that can run,
// with 1 to 7 guesses, on prompts that none was trained on; temperature, dice and length are those of `base`. The answer is
// an Advice that grows.
struct AskAdvice {
    RunSettings base;
    double seconds = 40; // for prompts
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
    int texts = 4; // answers to each prompt
    int max_tokens = 64; // of each answer
    int prompts = 0;     // the first so many to train on, and to measure on; 0: all
    HeadKind kind = HeadKind::medusa;
};
// Load another target. What is loaded stays until it is there: where it cannot be loaded, or Session::cancel_loading() ends
// it, run, races and caches go on, and EngineStatus::open_error says why. Where it can, all that was made with the old one
// ends, and a run begins that fits (engine/run/fitting.h).
struct OpenModel {
    ModelPaths paths;
    std::int64_t budget = 0;
};
// Heads of the built-in model that came into its folder after it was loaded: a page fetches some later. Whatever goes on goes on;
// what is begun from then on has them, and what every drafter guesses is asked again.
struct LoadHeads {};
using Command = std::variant<Restart, Cancel, Fork, FetchDistributions, FetchReplay, FetchOtherDrafterRound, CompareDrafters, RunStudy, StartRace,
                             StopRace, StepRace, EndSteppedRace, MeasurePasses, AskAdvice, MeasureLoad, TrainHeads, OpenModel,
                             LoadHeads>;
[[nodiscard]] std::string to_text(const Command& command);  // one line, for Event Commanded

class Mailbox {
  public:
    void push(Command command);
    [[nodiscard]] std::vector<Command> take();  // swap, oldest first
    [[nodiscard]] bool ends_run() const;  // a command waits that replaces the run, or stops it

  private:
    mutable std::mutex mutex_;
    std::vector<Command> commands_;
};

// How many phases the engine may still perform. Run = unlimited, pause = 0, step = 1.
class Gate {
  public:
    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
    void set(std::int64_t steps);   // replaces the budget and, where it changes, wakes the engine
    void add(std::int64_t steps);
    void wake();                    // a command is waiting
    void close();                   // no more waiting: wait() returns false from now on
    [[nodiscard]] bool try_take();  // takes one step if there is budget
    // Blocks until there is budget, wake() was called or the gate was closed. False when closed.
    [[nodiscard]] bool wait();
    [[nodiscard]] std::int64_t budget() const;

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t budget_ = 0;
    bool woken_ = false;
    bool closed_ = false;
};

// A snapshot of what the engine thread is doing, for the status bar and progress displays.
struct EngineStatus {
    enum class State : std::uint8_t { loading, idle, running, stopped, failed } state = State::loading;
    std::string backend;         // "CPU · AVX-512 · 2 threads"
    std::string model;           // target's name
    std::string draft_model;     // separate draft model's name or empty
    Precision precision = Precision::f32; // of products with them
    std::string notice;          // why speculation is off, what was clamped; empty when all is well
    std::string job;             // "loading target"
    double job_done = 0, job_total = 0;
    std::string job_unit;        // "MB"
    std::string error, remedy;   // state == failed
    bool prompt_too_long = false;  // why it failed: another prompt may fit
    std::size_t memory_bytes = 0;  // weights and caches
    std::vector<std::string> ready_drafters;  // can run with the loaded models
    double plain_ms_per_token = 0;  // measured plain decoding; 0 until known
    bool timing = false;            // the run is being timed: its times may still change
    std::string timed_model;        // whose passes are being timed; empty: nobody's
    double timed = 0;               // share of it that is done
    bool built_in = true;           // the target is the one that is shipped; also before it is known
    int opened = 0;                 // answers to OpenModel
    std::string open_error, open_remedy;  // why the last of them changed nothing; empty: it did, or there was none
    std::string opened_as;          // its model as links name it (engine/run/model_names.h); empty: none was opened
};

// The full distributions of one position, answer to FetchDistributions.
struct DistributionPair {
    int cycle = 0, index = 0;
    Distribution target, draft;          // after temperature and filters
    Distribution target_raw, draft_raw;  // at temperature 1, unfiltered
};

}  // namespace speclens
