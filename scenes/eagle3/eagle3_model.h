// One EAGLE-3 draft as the picture shows it: the fused feature, and one pass of the head per guess, a pure function of the trace; what
// the scene says of it, and the parts of its picture.
#pragma once

#include <optional>
#include <vector>

#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"

namespace speclens {

inline constexpr MessagesOf<"eagle3", "features", "layer", "again", "errors", "times", "length"> eagle3_says;

struct Eagle3Model : HeadModel {
    // Over the whole run: mean relative error of the head's own features by step, and how many rounds know
    // it.
    std::vector<double> errors;
    std::vector<int> known;
    // The error of step i in this round; negative: the truth was never computed.
    [[nodiscard]] double error(int i) const;
    [[nodiscard]] std::optional<double> known_error(int i) const { return error(i) >= 0 ? std::optional(error(i)) : std::nullopt; }
    [[nodiscard]] double highest_error() const; // of the run's means and of this round
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

// Of a round that there is.
[[nodiscard]] StageTitle eagle3_title(const SceneInput& input, const Eagle3Model& model);
[[nodiscard]] Story eagle3_story(const SceneInput& input, const Eagle3Model& model);

using Eagle3Draw = HeadDraw<Eagle3Model>;
float draw_eagle3_steps(const Eagle3Draw& d, float y); // returns the y below
// Where `seen` is false another chart has the place: the numbers are told all the same.
void draw_eagle3_clock(const Eagle3Draw& d, ui::Rect card, bool seen = true);
inline constexpr float kEagle3Times = 108; // least height of the draft times
void draw_eagle3_times(const Eagle3Draw& d, ui::Rect card);
void draw_eagle3_errors(const Eagle3Draw& d, ui::Rect card, bool seen = true);
void draw_trained_steps(const Eagle3Draw& d, ui::Rect card); // needs trained_steps()
// Of the steps, which end at `end`: all but the target's taps.
[[nodiscard]] ui::Rect eagle3_below_taps(ui::Rect stage, float end);
void draw_eagle3_details(const Eagle3Draw& d);
void draw_eagle3_controls(const Eagle3Draw& d);

} // namespace speclens
