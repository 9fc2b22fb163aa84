// The drafters picture and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/story.h"

namespace speclens {

inline constexpr int kDraftersBeats = drafters_says.size;
[[nodiscard]] const std::vector<std::string>& drafter_filter_names();
[[nodiscard]] std::string drafter_needs(const DrafterRow& row); // "1.2 MB", "nothing", "a draft model"
[[nodiscard]] std::string guess_ms(double ms);                  // "0.04", "–": not timed
[[nodiscard]] std::string drafter_how(const std::string& drafter);
// What is special about this row: the match, the layers, the taps, the ids it can rank, the size of its tree.
[[nodiscard]] std::vector<std::string> drafter_facts(const SceneInput& input, const DraftersModel& model, const DrafterRow& row);
[[nodiscard]] std::string drafter_round_words(const SceneInput& input, const DraftersModel& model, const DrafterRow& row);
[[nodiscard]] std::string drafter_published_words(const SceneInput& input,
                                                  const DrafterRow& row); // empty: none
[[nodiscard]] std::string drafters_empty_words(const DraftersModel& model);
[[nodiscard]] StageTitle drafters_title(const SceneInput& input, const DraftersModel& model);
[[nodiscard]] Story drafters_story(const SceneInput& input, const DraftersModel& model);
[[nodiscard]] std::string drafters_description(const SceneInput& input, const DraftersModel& model);

struct DraftersDraw {
    const SceneInput& input;
    const DraftersModel& model;
    DrafterChoice& choice;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void draw_drafter_rows(const DraftersDraw& d, float y);
void draw_drafter_family(const DraftersDraw& d, float y);
[[nodiscard]] std::string describe_family(const DraftersModel& model);
void draw_drafter_details(const DraftersDraw& d);
void draw_drafter_controls(const DraftersDraw& d);
void go_on_with(const DraftersDraw& d);                         // the run, with the selected drafter, in the loop scene
[[nodiscard]] std::string why_not_go_on(const DraftersDraw& d); // empty: it can

} // namespace speclens
