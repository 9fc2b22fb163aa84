// Everything that defines a run, apart from the loaded models. Its table of options and keys: run_settings.inc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/drafters/drafter_options.h"
#include "engine/length/draft_costs.h"
#include "engine/model/distribution.h"
#include "engine/rules/rule_params.h"
#include "engine/run/prompt.h"

namespace speclens {

inline constexpr int kMostAuto = 16; // K auto, where nobody says how many in a row at most

struct RunSettings {
    Prompt prompt;
    std::string drafter = "small";
    std::string rule = "token";
    RuleParams rule_params;                 // what the rule does not read is kept for when it is switched
    Sampling sampling;                      // target
    std::optional<Sampling> draft_sampling; // absent: the same as the target's
    std::uint32_t fork = 0;
    int trace_top = 64;     // entries of each recorded distribution; 0 = fast mode, no rows; -1 = all
    bool internals = false; // record what the drafter's tensors look like (engine/drafters/internals.h); changes no token
    DrafterOptions options;
    std::optional<DraftCosts> k_costs; // of K auto; absent: measured when the run begins
    // k: draft tokens per round, 0 is plain decoding; seed; max_tokens; timing
#define SETTING(type, member, default_value, ...) type member = default_value;
#include "engine/run/run_settings.inc"
    // Another drafter: costs and lengths of the rounds of the one before say nothing of its own.
    void draft_with(const std::string& name);
    // The same with one K for all rounds, its k: what compares lengths.
    [[nodiscard]] RunSettings with_fixed_k() const;
    // How draft tokens are drawn.
    [[nodiscard]] Sampling drafts() const { return draft_sampling.value_or(sampling); }
    bool operator==(const RunSettings&) const = default;
};

// What the scenes of trained heads ask when nobody typed a prompt: independent draft tokens do not fit together in its answer
// ("Once upon a there"), and most of what a head corrects stays.
inline constexpr const char* kHeadPrompt = "Tell me a short story about a fox.";

// A fork goes on with other settings; the rounds before it were drafted and judged under these.
struct EarlierSettings {
    int until = 0; // the first round for which they no longer held
    RunSettings settings;
};
// Those that a round was made with: the first of `earlier` (in order) that held for it, else `now`.
[[nodiscard]] const RunSettings& settings_at(int round, const std::vector<EarlierSettings>& earlier, const RunSettings& now);

} // namespace speclens
