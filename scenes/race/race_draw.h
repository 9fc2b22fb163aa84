// The picture of the race, its regions, and its words.
#pragma once

#include <vector>

#include "scenes/race/race_model.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/scene.h"

namespace speclens {

struct RaceGrid {
    ui::Rect header, lanes, cards, sum, clock; // cards.h, sum.h 0: no room for them
    float pad = 12;
    bool roomy = true; // 1600 × 1000 and more
    [[nodiscard]] ui::Rect lane(int i, int count) const;
};

struct RaceDraw {
    const SceneInput& input;
    const RaceModel& model;
    const RaceGrid& grid;
    ui::Ui& ui;
};
// Draws the whole stage; a click on a lane or on a mark goes to `out`.
void draw_race(const SceneInput& input, const RaceModel& model, ui::Ui& ui, std::vector<SceneCommand>& out);
void lane_name(const RaceDraw& d, ui::Vec2 at, std::ptrdiff_t lane, float width); // in a row of its own; stronger where it is chosen
// Parts of it. The cards of averages, the panel below the lanes.
void draw_race_cards(const RaceDraw& d, std::vector<SceneCommand>& out);
void draw_race_clock(const RaceDraw& d, std::vector<SceneCommand>& out);
void draw_race_steps(const RaceDraw& d, std::vector<SceneCommand>& out); // in its place, of a stepped race

// ---- words ----
// "1.07×", "~1.07×" in doubt: of a lane over prompts; empty: not known.
[[nodiscard]] Message average_speed(const RaceModel& model, const LaneAverage& average);
[[nodiscard]] Message lane_speed(const RaceLaneModel& lane); // the same of its run, whose speed-up is known
[[nodiscard]] Message race_title(const RaceModel& model);
[[nodiscard]] Message race_title_short(const RaceModel& model); // "DFlash finishes first"; empty: none
[[nodiscard]] Message race_subtitle(const SceneInput& input, const RaceModel& model);
[[nodiscard]] Message race_subtitle_short(const SceneInput& input, const RaceModel& model); // empty: none
// What a lane without a token is at: "waits for its turn", "warms up", "reads the prompt", "has not run".
[[nodiscard]] Message lane_state(const RaceModel& model, int lane);
[[nodiscard]] Message race_about(const RaceLaneModel& lane, bool brief = false); // "7 guesses, one pass + GRU head", "7 in one + GRU"
[[nodiscard]] Message lane_words(const RaceModel& model, int lane);              // all that its card says beside its text
[[nodiscard]] Message average_words(const RaceModel& model, const RaceLaneModel& lane); // of a lane that has averages
[[nodiscard]] Message scatter_title(const RaceModel& model);
[[nodiscard]] Message positions_title(const RaceModel& model);
// A lane whose first guess is its hardest, and stays more or less often by what is before it: the chosen one if it is
// such a lane; null where no lane is, or too few rounds tell.
[[nodiscard]] const RaceLaneModel* first_guess_lane(const RaceModel& model);
// "DFlash, guess 1 after: prompt .90, full round .94, refusal .73", without what never was; empty where nothing was judged.
[[nodiscard]] Message first_guess_words(const RaceLaneModel& lane);
// What others published, where a lane drafts as one of them; else without points.
[[nodiscard]] PublishedRace published_beside(const SceneInput& input, const RaceModel& model);
[[nodiscard]] Message costs_title(const RaceModel& model);
// "5.59 tokens × 0.32 ms ÷ 0.92 ms = 1.95×, measured 1.95×"; empty without averages or a plain lane.
[[nodiscard]] Message formula_words(const RaceModel& model, const RaceLaneModel& lane);
[[nodiscard]] Message averages_words(const RaceModel& model, bool brief = false); // "over 40 prompts", "40 prompts"
// Why a card of averages is empty.
[[nodiscard]] Message no_averages_words(const RaceModel& model, bool brief = false);
// "2 prompts skipped: too long for bundle S"; empty: none was
[[nodiscard]] Message skipped_words(const RaceModel& model);
// Who won, by how much, and why, or that the measurements cannot tell; before the first lane is home: what will decide.
// Empty: nothing was measured.
[[nodiscard]] Message race_conclusion(const RaceModel& model);
// "texts identical", and why not where they are not.
[[nodiscard]] Message race_texts(const RaceModel& model);

} // namespace speclens
