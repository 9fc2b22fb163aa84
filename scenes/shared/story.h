// The story region: where we are, a heading, at most 60 words, what would have happened, a task, Back and
// Next. In the compact layout the same story is a strip of two lines. The last beat leads on to the next scene.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/scene.h"
#include "scenes/shared/told.h"

namespace speclens {

struct Story {
    Message caption;         // "Step 9 of 11, round 1"
    int step = 0, steps = 0; // progress bar; steps 0: unknown, no bar
    bool by_beats = false;   // of a story, not of a round
    Message heading;
    Message text;    // at most 60 words
    Message what_if; // second paragraph, muted
    Message task;
    bool task_done = false;
    std::vector<SceneCommand> on_task; // what a click on the task does; empty: nothing
    std::vector<SceneCommand> on_back, on_next;
    Message no_back, no_next;           // why the button is off; empty: it is on
    std::vector<SceneCommand> segments; // of the progress bar: what a click on each of them does; may be empty
};
// The story at the beat of the input: where we are, Back and Next. The words are the scene's.
[[nodiscard]] Story story_at_beat(const SceneInput& input, int beats);
// Where a run has nothing to tell until something is done: no beats, no counter, and Back and Next say why.
void take_beats(Story& story, const Message& why);
void draw_story(const SceneInput& input, ui::Ui& ui, const Story& story, std::vector<SceneCommand>& out);

// Stage heading: the finding, the conditions, the data tier. Returns nothing; content starts 80 px below the
// top.
struct StageTitle {
    Message title, subtitle;
    ui::Tier tier = ui::Tier::live;
    std::string tier_words;      // "exact"
    Message short_title = {};    // instead of a title that does not fit
    Message short_subtitle = {}; // the same; what of it has no room is left out part by part, from the end
};
// What a badge says of data that are `tier` here.
[[nodiscard]] ui::Tier shown_tier(const SceneInput& input, ui::Tier tier);
void draw_stage_title(const SceneInput& input, ui::Ui& ui, const StageTitle& title);
inline constexpr float kBadgeRoom = 170; // right of a banner: the badge stays visible, honesty is not chrome

} // namespace speclens
