// The pictures of relaxed rules and their words.
#pragma once

#include "scenes/relaxed/relaxed_model.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

inline constexpr MessagesOf<"relaxed", "thrown_away", "lenience", "typical", "cascades", "cost", "worth"> relaxed_says;
inline constexpr int kRelaxedBeats = relaxed_says.size, kRelaxedCostBeat = 4;
[[nodiscard]] StageTitle relaxed_title(const SceneInput& input, const RelaxedModel& model, const RelaxedState& state = {});
[[nodiscard]] Story relaxed_story(const SceneInput& input, const RelaxedModel& model, const RelaxedState& state);
[[nodiscard]] Message means_over(const RelaxedModel& model); // "means over 41 of 60 judged guesses"
// Where the tokens per round are from, or why there are none.
[[nodiscard]] Message tokens_source_words(const SceneInput& input, const RelaxedState& state);
// Which guesses the means leave out, and what brings them back; empty: none.
[[nodiscard]] Message left_out_words(const SceneInput& input, const RelaxedModel& model);

using RelaxedDraw = SceneDraw<RelaxedModel, RelaxedState>;
void draw_relaxed_distributions(const RelaxedDraw& d, ui::Rect area); // one position: target, draft, what is written
void draw_relaxed_chart(const RelaxedDraw& d, ui::Rect area);         // kept against distance
void draw_relaxed_details(const RelaxedDraw& d);
void draw_relaxed_controls(const RelaxedDraw& d);
void use_relaxed_rule(const RelaxedDraw& d); // the run again, judged by the rule of the scene

} // namespace speclens
