// A run before it takes any memory: checked, planned, and its prompt read. Made once and passed on, so that a prompt becomes tokens once,
// however many hands it goes through on its way into a batch.
#pragma once

#include <array>
#include <string>

#include "engine/base/told_reason.h"
#include "engine/run/prompt_tokens.h"
#include "engine/run/run_settings.h"

namespace speclens {

struct DrafterInfo; // engine/drafters/drafter.h
struct Models;      // engine/models/models.h

inline constexpr int kAnyLength = 1 << 20;

// What of the settings the models can do.
struct RunPlan {
    const DrafterInfo* drafter = nullptr;               // that was asked for, or `none`
    int k = 0, nodes = 0;                               // of a round; nodes 0: a chain
    std::array<int, 2> most = {kAnyLength, kAnyLength}; // draft tokens in a row that it can make; of two chained ones each
    RunNotice notice = {};                              // what is not as it was asked for; empty: all is
    [[nodiscard]] bool drafts() const;
};

struct PreparedRun {
    RunSettings settings; // their sampling as far as the target tells its distribution
    RunPlan plan;
    PromptTokens prompt;
    int capacity = 0; // positions that the target's cache may take
    bool ends = true; // at a stop token; a run that only measures goes on behind it
};
// For these models, or a copy of them with other answers to draft from. `committed`: new tokens that a fork goes on from. Throws Error
// for an empty prompt, unknown names, bad numbers, and PromptTooLong.
[[nodiscard]] PreparedRun prepared_run(const Models& models, RunSettings settings, long long committed = 0);

} // namespace speclens
