// What every drafter would draft at one round of a run: the same text, the same dice, judged by the same
// target. One round of each is really drafted, verified and judged; nothing is estimated.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/decoder.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

struct CompareDrafters; // engine/run/session_commands.h
struct Models;          // engine/models/models.h

struct ComparisonRow {
    std::string drafter;
    RunSettings settings;               // of its round; timing without recorded distributions
    ToldReason problem;                 // why it did not draft; empty: it did
    std::size_t bytes = 0;              // of weights and n-grams that it needs beside the target's weights; 0: none
    std::vector<int> taps;              // layers of the target whose output its head reads; empty: none
    int ranks = 0;                      // ids that its output can rank, where that is less than the vocabulary; else 0
    LayerPlan plan = {};                // skip: what it runs of the target; else the full plan
    double draft_ms = 0;                // drafting of the round: the best of kDraftTries replays; 0: not timed
    std::shared_ptr<const Trace> trace; // header, then the events of the round; null with a problem
};
// Replays of each round. The first one warms the caches, and the best one is least disturbed.
inline constexpr int kDraftTries = 3;

struct DrafterComparison {
    int round = 0;
    const Trace* of = nullptr; // the trace that the round is from; only compared
    int target_layers = 0;
    int exit_layer = 0;              // that `skip` was asked for; 0: as the run has it
    int planned = 0;                 // rows to come in all
    std::vector<ComparisonRow> rows; // in the order of drafter_list(), without plain decoding
    [[nodiscard]] bool complete() const { return static_cast<int>(rows.size()) == planned; }
};

// No rows yet. Throws Error when the round is not in the trace, or the target has no such layer.
[[nodiscard]] DrafterComparison empty_comparison(const Models& models, const Trace& trace, const CompareDrafters& wanted);
// The row of the next drafter. `settings` are those that the round was made with; its own drafter keeps its
// options, the others have theirs as they are by default. Guesses that a fork forced are left out. Times
// include no context that an earlier round left to absorb. An Error of the drafter becomes ComparisonRow::problem. `go_on`: as one_round's.
[[nodiscard]] ComparisonRow compare_next(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                                         const DrafterComparison& so_far, const std::function<bool()>& go_on = {});
// What the row of that number, from 0, takes beside the others, in passes of the target: by K, by the weights that a draft reads, and by
// the tokens of the text before the round, which each try reads where they are few. 0: its drafter cannot run.
[[nodiscard]] double expected_passes(const Models& models, const RunSettings& settings, int text, int row);
// The same answers, but `skip` asked again with another exit layer.
[[nodiscard]] DrafterComparison with_exit_layer(const std::shared_ptr<const Models>& models, const RunSettings& settings,
                                                const Trace& trace, DrafterComparison answered, int exit_layer,
                                                const std::function<bool()>& go_on = {});

} // namespace speclens
