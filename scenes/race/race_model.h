// What the race scene shows at one moment of the common clock, read off the lanes' traces. No drawing, no
// words.
#pragma once

#include <string>
#include <vector>

#include "engine/run/run_view.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/scene_input.h"
#include "scenes/shared/told.h"
#include "ui/glyphs.h"

namespace speclens {

inline constexpr MessagesOf<"race"> race_says;
inline constexpr SaidOf<"race"> race_said; // of a list: its words are nobody's alone

struct RaceLaneModel {
    const RaceLane* lane = nullptr;
    const Trace* trace = nullptr; // null: nothing to show yet
    std::string drafter, title;   // title: in the language of the pictures
    ui::Icon mark = ui::Icon::circle;
    RunView whole, shown; // all of it; what is over at the clock
    double total_ms = 0;
    double end = 0;                   // of the lane on the race's clock
    int tokens = 0, tokens_shown = 0; // new ones
    bool done = false;                // the whole run is over at the clock
    double tokens_per_second = 0;     // of what is shown
    ReportedSpeed speed_up;           // of the whole run; not known without a plain lane
    [[nodiscard]] bool plain() const { return drafter == kNoDrafter; }
};

struct RaceModel {
    const RaceView* race = nullptr;
    std::vector<RaceLaneModel> lanes;
    bool rounds = false;  // the clock counts rounds, not ms
    bool stepped = false; // the clock counts steps; nothing was timed
    bool table = false;   // the target costs nothing to ask: times say nothing, the clock counts rounds
    double clock = 0, longest = 0;
    int focus = 0;
    bool waits = false;     // something else that was asked for has its turn
    bool measured = false;  // every lane has finished its run
    bool over = false;      // every lane is done at the clock
    bool undecided = false; // every lane has run, and none is home at the clock: how it ends is a question
    bool greedy = false;
    bool lossless = true; // the rule keeps the distribution of the target at this temperature
    ui::Tier tier = ui::Tier::live;
    int plain = -1;         // lanes, -1: none
    int fastest = -1;       // most tokens a second, of a table a round
    int texts = 0;          // lanes to compare: from two on; those that could not run to their end are none
    int same_tokens = 0;    // that all lanes share from the start, as far as each has come
    bool identical = false; // every lane wrote the same text; stepped: what is shown of it is the same
    int just_done = -1;     // lane that finishes at the clock
    Message doubt;          // why the lanes' times say nothing certain; empty: they do
    Message average_doubt;  // the same of the averages over prompts
    std::vector<int> level; // lanes that the repeats cannot tell from the fastest, itself among them
};
[[nodiscard]] RaceModel race_model(const SceneInput& input);
// Of the lanes that draft those with the most tokens a round, of all their text.
[[nodiscard]] std::vector<const RaceLaneModel*> richest_lanes(const RaceModel& model);

// Of a stepped race: the first step after `step` at which every lane that was not done has ended a round
// more, and the last one before it at which every lane that had begun had ended a round less.
[[nodiscard]] double next_round(const RaceView& race, double step);
[[nodiscard]] double previous_round(const RaceView& race, double step);
// Ends of all rounds of all lanes, ascending: where the arrow keys stop.
[[nodiscard]] std::vector<double> race_stops(const RaceView& race, int lane = -1, bool rounds = false);
// Of some lane: machine, date; null: no lane has begun.
[[nodiscard]] const Header* race_header(const RaceView& race);
// Whether its target is a table.
[[nodiscard]] bool race_of_table(const RaceView& race);
// Where the clock rests when nobody has moved it: the moment at which the first lane finishes, or the latest
// moment there is while lanes still run.
[[nodiscard]] double race_rest(const RaceView& race, bool rounds = false);
[[nodiscard]] double race_end(const RaceView& race, bool rounds = false);

} // namespace speclens
