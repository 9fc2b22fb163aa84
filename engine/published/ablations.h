// The recipe's own training experiments: short runs that differ in one thing, with their curves and what they
// were worth when served. Read from assets/models/ablations.json, which assets/recipe/ablations.py writes:
//   {STUDY: {ARM: [{"method","seed","steps","arguments","curve":[{"positions",NAME:NUMBER…}…],
//                   "served":{"drafts N"[, ", base logits only"]: [{"temperature","all":{"prompts","rounds",
//                   "tokens_per_round":[mean,low,high],"conditional":[[share,low,high] or null…]}}…]}}…]},
//    "about": {STUDY: {"machine","date","target"}}}, where it was run, when, and for which target: the built-in one where none is named
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/published/long_answers.h"

namespace speclens {

struct ServedResult {
    int drafts = 0;
    bool base_only = false; // Domino without its head
    double temperature = 0;
    int prompts = 0, rounds = 0;
    double tokens = 0, low = 0, high = 0; // per round, with a 95 % bootstrap interval over prompts
    std::vector<double> conditional;      // share kept at each position once all before it were
};

struct TrainingRun {
    int seed = 0, steps = 0;
    std::string method;
    std::vector<std::string> arguments;                // of the trainer, beyond the method's defaults
    std::vector<double> positions;                     // trained so far, ascending
    std::map<std::string, std::vector<double>> curves; // "final_loss", "base_loss", "loss", "accept_len" …, as long
    std::vector<ServedResult> served;
    [[nodiscard]] const ServedResult* result(int drafts, bool base_only,
                                             double temperature) const; // null: not served so
};

struct Arm {
    std::string name;
    std::vector<TrainingRun> runs; // one for each seed
};

struct AblationStudy {
    std::string name;
    std::vector<Arm> arms;
    std::string machine, date; // empty: the file does not say
    std::string target;        // "SmolLM2-135M-Instruct"; empty: the built-in one
};

struct Ablations {
    std::vector<AblationStudy> studies;    // in the order of the file
    std::vector<LongAnswers> long_answers; // of each model that was measured so
    [[nodiscard]] const AblationStudy* find(std::string_view name, std::string_view target = "") const;
};
// Throws Error naming the file, the study and the arm.
[[nodiscard]] Ablations load_ablations(const std::filesystem::path& file);
// Those of a folder of models: ablations.json, <model>/ablations.json behind it, <model>/long_answers.json; what is not there is empty.
[[nodiscard]] Ablations load_experiments(const std::filesystem::path& models);
[[nodiscard]] Ablations parse_ablations(std::string_view json, const std::string& name);

} // namespace speclens
