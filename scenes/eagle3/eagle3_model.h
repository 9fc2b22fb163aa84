// One EAGLE-3 draft as the picture shows it: the fused feature, and one pass of the head per guess. A pure
// function of the trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/told.h"

namespace speclens {

inline constexpr StoryOf<"eagle3", "features", "layer", "again", "errors", "times", "length"> eagle3_says;

struct Eagle3Model : HeadModel {
    bool internals = false;
    double draft_ms = 0;
    double further_ms = 0; // mean of the steps after the first, which absorbs what the target has just said; 0: unknown
    std::vector<const Internals::Strip*> taps;
    // Over the whole run: mean relative error of the head's own features by step, and how many rounds know
    // it.
    std::vector<double> errors;
    std::vector<int> known;
    [[nodiscard]] int steps() const { return round ? static_cast<int>(round->drafts.size()) : 0; }
    [[nodiscard]] const DraftSlot& slot(int i) const { return round->drafts[static_cast<std::size_t>(i)]; }
    // The error of step i in this cycle; negative: the truth was never computed.
    [[nodiscard]] double error(int i) const;
    [[nodiscard]] double highest_error() const; // of the run's means and of this cycle
};
[[nodiscard]] Eagle3Model eagle3_model(const SceneInput& input);
// Whether errors of the head's features add up in this run and cost guesses: the last step's error is larger than the
// first one's, and its guesses stay less often. Steps that too few rounds reached say nothing.
[[nodiscard]] bool errors_add_up(const SceneInput& input, const Eagle3Model& model);
// Two heads of the recipe's experiment "test_steps", alike but for the steps of their training that read the head's own
// output: share kept at each position once all before it were kept, greedy. Null where the file is not there.
struct TrainedSteps {
    const ServedResult* one = nullptr;  // trained on one step: never on its own output
    const ServedResult* many = nullptr; // on seven
};
[[nodiscard]] std::optional<TrainedSteps> trained_steps(const SceneInput& input);
inline constexpr int kEagle3FirstStepBeat = 1, kEagle3ErrorsBeat = 3, kEagle3TimesBeat = 4;

} // namespace speclens
