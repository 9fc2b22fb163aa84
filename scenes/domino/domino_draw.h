// Parts of the Domino picture. Each function draws one band of the stage.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenes/domino/domino_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/story.h"
#include "ui/plot.h"

namespace speclens {

// Columns, one per position, with gaps that hold the GRU; a window of them when there are many. y of every
// band.
struct DominoGrid {
    float gutter = 0, left = 0, limit = 0; // row names, first column, right end of the content
    float pitch = 216, width = 168;
    int first = 0, count = 1;
    // Presenter: laws, head and verdict of the chosen position and the one before it. At the beats that
    // compare, both verdicts or the clock stand in the head's place.
    bool spare = false, head_shown = true, both = true;
    bool tall = true; // every band; else H, LM head and the low-rank strip fold into their neighbours
    int rows = 3;     // tokens listed of each law
    float labels = 0, block = 0, backbone = 0, features = 0, head = 0, base = 0, state = 0, mixed = 0,
          delta = 0;
    float final = 0, draft = 0, off = 0, on = 0, clock = 0, bottom = 0;
    [[nodiscard]] float x(int column) const { return left + pitch * static_cast<float>(column - first); }
    [[nodiscard]] float middle(int column) const { return x(column) + width / 2; }
    [[nodiscard]] float right() const { return x(first + count - 1) + width; }
    [[nodiscard]] bool visible(int column) const { return column >= first && column < first + count; }
};
[[nodiscard]] DominoGrid domino_grid(const SceneInput& input, const DominoModel& model);

// What the scene remembers of the branch that a token was forced on: the same cycle before.
struct DominoBefore {
    int cycle = -1, index = -1;              // of the forced token; -1: nothing was forced from here
    std::vector<int> tokens;                 // drafts before
    std::vector<Top> base;                   // base laws before
    std::vector<std::vector<double>> states; // pooled GRU states before; empty where none was recorded
};

struct DominoDraw {
    const SceneInput& input;
    const DominoModel& model;
    const DominoGrid& grid;
    const DominoBefore& before;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
    [[nodiscard]] const DominoColumn& column(int i) const {
        return model.columns[static_cast<std::size_t>(i)];
    }
};
void draw_domino_columns(const DominoDraw& d); // raised column, position labels, clicks
void draw_domino_block(const DominoDraw& d);   // block, backbone with taps, features, LM head
void draw_domino_base(const DominoDraw& d);
void draw_domino_head(const DominoDraw& d); // GRU, state and gates, low rank, δ
void draw_domino_final(const DominoDraw& d);
void draw_domino_drafts(const DominoDraw& d); // draft chips and the way back to the GRU
void draw_domino_verdicts(const DominoDraw& d);
void draw_domino_clock(const DominoDraw& d);
void draw_domino_movers(const DominoDraw& d); // details region
void draw_domino_controls(const DominoDraw& d);

// One strip of a column's lens: signed values against the largest of that name in this cycle, gates from 0
// to 1.
void domino_strip(const DominoDraw& d, int column, const char* name, ui::Rect rect, ui::HeatKind kind);
// Row names at the left.
void domino_row_name(const DominoDraw& d, float y, const std::string& name, const std::string& detail,
                     float room = 80);

inline constexpr int kDominoTwiceBeat = 3; // a guess drawn twice
inline constexpr int kDominoBeats = 8;
[[nodiscard]] StageTitle domino_title(const SceneInput& input, const DominoModel& model);
[[nodiscard]] Story domino_story(const SceneInput& input, const DominoModel& model,
                                 const DominoBefore& before);
[[nodiscard]] std::string domino_description(const SceneInput& input, const DominoModel& model,
                                             const DominoBefore& before);
[[nodiscard]] std::string domino_empty_words(const DominoModel& model);

// Tokens listed of both laws of a column: the base's favourites, with the final favourite and the draft among
// them.
[[nodiscard]] std::vector<int> domino_tokens(const DominoColumn& column, int rows);
// Euclidean norm of δ over the vocabulary without its mean, which the softmax ignores; none where nothing was
// corrected or recorded.
[[nodiscard]] std::optional<double> correction_size(const DominoModel& model, const DominoColumn& column);
// What the head added to a token: its δ less what all tokens share, the difference of its log-probabilities.
// None where nothing was corrected, or where a law does not list it.
[[nodiscard]] std::optional<double> correction_of(const DominoColumn& column, int token);
// The likely token whose log-probability the head changed most; nullptr without a lens.
[[nodiscard]] const Lens::Mover* largest_mover(const DominoColumn& column);
// Whether the base laws of this cycle are those of the cycle before the force, position by position.
[[nodiscard]] bool same_base(const DominoModel& model, const DominoBefore& before, int position);

// Cosine between the pooled GRU states of the two branches at a position; none where either was not recorded.
[[nodiscard]] std::optional<double> state_cosine(const DominoModel& model, const DominoBefore& before,
                                                 int position);

// Commands: the cycle again with the head switched, or with a token forced.
[[nodiscard]] SceneCommand switch_head(const SceneInput& input, const DominoModel& model);
[[nodiscard]] SceneCommand force_token(const DominoModel& model, int position, int token);
// A prompt whose independent favourites do not fit together, drafted with Domino at temperature 0.
[[nodiscard]] SceneCommand example_run(const SceneInput& input);

} // namespace speclens
