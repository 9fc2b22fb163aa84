// speculation_profile.json: what a drafter's acceptance was, in the form that other tools write and read (NVIDIA
// Model-Optimizer, pull request 2247, schema 1.0). Its figures obey identities: a file in which one does not hold is refused,
// by the name of that identity.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/advice/estimate.h"

namespace speclens {

struct SpeculationProfile {
    std::string method; // "medusa", "draft_model", "ngram" …; empty: not said
    std::string draft_checkpoint, target_model;
    int k = 0;                                   // num_speculative_tokens
    int most_k = 0;                              // max_supported_k
    std::string verification = "longest_prefix"; // or "block"
    std::vector<double> conditional, marginal;   // of each place: kept once all before were; kept in all rounds
    double mean = 0;                             // tokens per round, the target's own included
    std::optional<double> mean_per_request;
    bool chain = true;               // a smaller K keeps the first places as they are; else by_k was measured
    std::map<int, double> by_k;      // tokens per round
    std::map<int, double> histogram; // rounds by their tokens
    // measurement_conditions; written, not read
    double temperature = 0;
    std::string rule, prompts_hash, backend, machine;
    int prompts = 0;

    // Tokens per round with so many draft tokens; absent: the profile does not tell.
    [[nodiscard]] std::optional<double> tokens_with(int drafts) const;
    [[nodiscard]] double rounds() const;
};

// The identity that does not hold, in words; empty: all do.
[[nodiscard]] std::string broken_identity(const SpeculationProfile& profile);
// Throws Error that names the file, and the field or the identity. `name`: of the file.
[[nodiscard]] SpeculationProfile read_profile(std::string_view text, const std::string& name);
[[nodiscard]] std::string profile_json(const SpeculationProfile& profile);

// The drafter here that such a method is, and back; empty: none.
[[nodiscard]] std::string drafter_of_method(const std::string& method);
[[nodiscard]] std::string method_of_drafter(const std::string& drafter);

// Of one drafter's longest drafts. Rounds that the end of a text cut short are left out, because they kept what was there,
// not what was right. Throws Error where it has no whole rounds.
[[nodiscard]] SpeculationProfile profile_of(const AdviceEvidence& evidence, const Advice& advice, const std::string& drafter);
// From counts: rounds, and those that kept each place. Throws Error where they are none.
[[nodiscard]] SpeculationProfile profile_of_counts(double rounds, const std::vector<double>& accepted_at);

// The advice on one drafter with the acceptance of a profile in the place of that measured here; the costs stay. Lengths
// that the profile does not tell of go.
void take_acceptance(Advice& advice, const SpeculationProfile& profile, const std::string& drafter);

} // namespace speclens
