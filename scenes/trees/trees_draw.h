// The pictures of trees and blocks, and their words.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/story.h"
#include "scenes/trees/trees_model.h"

namespace speclens {

[[nodiscard]] std::string few_words(const std::vector<TreesRow>& rows); // what "few" means; empty: none has it
[[nodiscard]] StageTitle trees_title(const SceneInput& input, const TreesModel& model);
[[nodiscard]] Story trees_story(const SceneInput& input, const TreesModel& model);
// Word of a column: a token of the run, or A and B of the example.
[[nodiscard]] std::string block_label(const SceneInput& input, const TreesModel& model, int token);
[[nodiscard]] std::string why_example(const SceneInput& input); // and not a block of the run
[[nodiscard]] std::string example_words();                      // the language and the draft of the example
[[nodiscard]] std::string trees_description(const SceneInput& input, const TreesModel& model);

struct TreesDraw {
    const SceneInput& input;
    const TreesModel& model;
    TreesState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void draw_trees_stage(const TreesDraw& d, ui::Rect area); // a tree, a block, or what was measured
void draw_trees_details(const TreesDraw& d);
void draw_trees_controls(const TreesDraw& d);
// Starts what the picture needs, or nothing where it cannot.
void show_me(const TreesDraw& d);

} // namespace speclens
