// SGLang tells averages in place of counts: the acceptance length, and an "accept rate" that changed its
// meaning with sgl-project/sglang pull request 23530 (2026-04-23). Since then it is accepted ÷ drafted.
// Before, every round counted the target's own token as drafted and as accepted, (accepted + 1) ÷ (K + 1): 1
// ÷ (K + 1) where nothing is kept; so for a tree, whose K are the nodes that a round checks (pull request 13212): since
// April 2026 a tree's drafted are its depth alone, rounds × speculative_num_steps, so the rates of one server before
// and after do not compare, and its lengths do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/draft_shape.h"

namespace speclens {

// What it said of the same rounds.
struct ReportedAverage {
    double length = 0, rate = 0;
};

// How SGLang was started, as far as that is told.
struct DraftSettings {
    std::optional<double> draft_tokens; // speculative_num_draft_tokens: counts the slot of the current token too
    std::optional<double> steps, topk;  // speculative_num_steps, speculative_eagle_topk
    // Several drafts at a depth: topk says so, or more tokens than steps.
    [[nodiscard]] bool tree() const;
    [[nodiscard]] std::optional<double> nodes() const; // drafted tokens that a round checks
    [[nodiscard]] std::optional<double> depth() const; // of a chain as many; a round keeps no more
    [[nodiscard]] bool told() const { return nodes() || depth(); }
    [[nodiscard]] DraftShape shape() const; // open where they do not say which
};

// What such averages mean.
struct ReportedRates {
    std::optional<double> drafts;     // K
    bool inferred = false;            // K is the only one that fits the averages; else the settings say it
    bool own_token = false;           // only the older formula fits the rates
    bool drafts_only = false;         // only the newer one does
    bool tree = false;                // the settings say so: `drafts` are its nodes
    std::optional<double> depth = {}; // by the settings; an acceptance length is at most that + 1
    double longest = 0;               // of the lengths
    // Accepted ÷ drafted; absent: not known.
    [[nodiscard]] std::optional<double> share(std::optional<double> length, std::optional<double> rate) const;
    // Where that share comes from, or what is to be known of SGLang's own figure in its place.
    [[nodiscard]] std::string words() const;
};
// All of one server. `settings`: not used where no formula fits them. `rounding`: how far a figure may be off.
[[nodiscard]] ReportedRates read_reported_rates(const std::vector<ReportedAverage>& averages, const DraftSettings& settings,
                                                double rounding);

} // namespace speclens
