// SGLang tells averages in place of counts: the acceptance length, and an "accept rate" that changed its
// meaning with sgl-project/sglang pull request 23530 (2026-04-23). Since then it is accepted ÷ drafted.
// Before, every round counted the target's own token as drafted and as accepted, (accepted + 1) ÷ (K + 1): 1
// ÷ (K + 1) where nothing is kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace speclens {

// What it said of the same rounds.
struct ReportedAverage {
    double length = 0, rate = 0;
};

// K by SGLang's settings: speculative_num_draft_tokens counts the slot of the current token too.
[[nodiscard]] std::optional<double> drafts_of_settings(std::optional<double> draft_tokens, std::optional<double> steps);

// What such averages mean.
struct ReportedRates {
    std::optional<double> drafts; // K
    bool inferred = false;        // K is the only one that fits the averages; else the settings say it
    bool own_token = false;       // only the older formula fits the rates
    bool drafts_only = false;     // only the newer one does
    // Accepted ÷ drafted; absent: not known.
    [[nodiscard]] std::optional<double> share(std::optional<double> length, std::optional<double> rate) const;
    // Where that share comes from, or what is to be known of SGLang's own figure in its place.
    [[nodiscard]] std::string words() const;
};
// All of one server. `drafts`: K by its settings, not used where no formula fits it. `rounding`: how far a
// figure may be off.
[[nodiscard]] ReportedRates read_reported_rates(const std::vector<ReportedAverage>& averages, std::optional<double> drafts,
                                                double rounding);

} // namespace speclens
