// The Domino picture, what stands beside it, and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/domino/domino_model.h"
#include "scenes/shared/story.h"

namespace speclens {

// Columns, one per position, with gaps that hold the GRU; a window of them when there are many. y of every
// band.
struct DominoGrid {
    float gutter = 0, left = 0, limit = 0; // row names, first column, right end of the content
    float pitch = 216, width = 168;
    int first = 0, count = 1;
    // Presenter: distributions, head and verdict of the chosen position and the one before it. At the beats that
    // compare, both verdicts or the clock stand in the head's place.
    bool spare = false, head_shown = true, both = true;
    bool opening = false; // presenter: the beats before any guess, which show the block and nothing behind its base distributions
    bool tall = true;     // every band; else H, LM head and the low-rank strip fold into their neighbours
    int rows = 3;         // tokens listed of each distribution
    float labels = 0, block = 0, backbone = 0, features = 0, head = 0, base = 0, state = 0, mixed = 0, delta = 0;
    float final = 0, draft = 0, off = 0, on = 0, clock = 0, bottom = 0;
    [[nodiscard]] float x(int column) const { return left + pitch * static_cast<float>(column - first); }
    [[nodiscard]] float middle(int column) const { return x(column) + width / 2; }
    [[nodiscard]] float right() const { return x(first + count - 1) + width; }
    [[nodiscard]] bool visible(int column) const { return column >= first && column < first + count; }
};
[[nodiscard]] DominoGrid domino_grid(const SceneInput& input, const DominoModel& model);

struct DominoDraw {
    const SceneInput& input;
    const DominoModel& model;
    const DominoGrid& grid;
    const DominoBefore& before;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
    [[nodiscard]] const DominoColumn& column(int i) const { return model.columns[static_cast<std::size_t>(i)]; }
};
void draw_domino_stage(const DominoDraw& d);
void draw_domino_movers(const DominoDraw& d); // details region
void draw_domino_controls(const DominoDraw& d);

inline constexpr int kDominoBaseBeat = 1;                             // until here no guess is drawn
inline constexpr int kDominoFavouritesBeat = 2, kDominoTwiceBeat = 3; // a guess drawn twice
inline constexpr int kDominoLowRankBeat = 4;
inline constexpr int kDominoBeats = domino_says.size;
[[nodiscard]] StageTitle domino_title(const SceneInput& input, const DominoModel& model);
[[nodiscard]] Story domino_story(const SceneInput& input, const DominoModel& model, const DominoBefore& before);
[[nodiscard]] std::string domino_description(const SceneInput& input, const DominoModel& model, const DominoBefore& before);

} // namespace speclens
