// Words of the loop scene: title, conditions, story text of every phase, and what is told of each thing that is drawn.
#pragma once

#include "scenes/loop/loop_model.h"
#include "scenes/shared/story.h"

namespace speclens {

[[nodiscard]] Message loop_title(const LoopModel& model);
// Of the selected column: "Position 3"; the places of a tree have no order, there it is "Guess 3".
[[nodiscard]] Message place_words(const LoopModel& model);
[[nodiscard]] Message loop_subtitle(const SceneInput& input, const LoopModel& model, const Message& saving = {}); // which may end it
[[nodiscard]] Story loop_story(const SceneInput& input, const LoopModel& model);

// "9.0 ms saved, 1.60×" or "2.1 ms lost, .82×", of one token "1.6 ms later than a plain token" or "drafting
// took 1.6 ms"; empty while the round is open or a time is missing.
[[nodiscard]] Message saving_words(const LoopModel& model);
// What the coin row compares, for the gutter.
[[nodiscard]] Message coin_caption(const LoopModel& model);
// A probability beside a sign of comparison, so without one of its own: .9971, nearly 0.
[[nodiscard]] Message beside_a_sign(double p);

// All that is known of a guess that was made: both probabilities, its coin, what became of it.
[[nodiscard]] Message guess_words(const SceneInput& input, const LoopModel& model, int column);
[[nodiscard]] Message own_token_words(const SceneInput& input, const LoopModel& model);
// The distribution of the own token in the order in which its coin counts.
[[nodiscard]] Message strip_shares(const SceneInput& input, const TargetToken& own);
// What a drafter does after its pass: "head", of DART "search".
[[nodiscard]] Message head_words(const LoopModel& model);
// The phases of the round that are over; of drafting, what it took so far.
[[nodiscard]] Message clock_words(const LoopModel& model);

} // namespace speclens
