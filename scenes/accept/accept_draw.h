// The accept-rule picture, its words, and the scene's whole state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/accept/accept_flips.h"
#include "scenes/accept/accept_model.h"
#include "scenes/shared/story.h"

namespace speclens {

// What undo returns to: the distributions, and the coins that were thrown with them.
struct AcceptVersion {
    AcceptEdit edit;
    FlipCounts counts;
    bool flipped = false;
};

// Everything that lives between frames of this scene.
struct AcceptState {
    std::optional<Position> loaded; // edits belong to this position
    AcceptEdit edit;
    int chosen = -1; // bar of the coin; -1: the draft token
    FlipCounts counts;
    std::vector<AcceptVersion> undo, redo;
    bool dragging = false; // the last frame's edit came from a handle that is still held
    bool flipped = false;  // a task

    void remember(); // before a change: what undo returns to
};

// What the widgets of one frame asked for; applied by the scene after everything is drawn.
struct AcceptWish {
    std::optional<AcceptEdit> edit; // new edit state
    bool dragging = false;          // a handle is held: all its edits are one undo step
    std::optional<int> chosen;
    int flips = 0;
    bool reset = false;
};

struct AcceptGrid {
    float left = 0, right = 0; // of the stage content
    float first = 0, pitch = 78, bar = 48;
    float top = 0, base = 0; // of the chart: value `high` and value 0
    double high = 0.5;       // top of the value axis
    float y = 0;             // added to everything below the chart
    bool tall = true;        // room for strips and proof
    bool close = false;      // a presenter's: what the beat is not about is left out, here the slot for a coin to come
    bool numbers = true;     // of every bar, below the chart
    [[nodiscard]] float x(std::size_t i) const { return first + pitch * static_cast<float>(i); }
    [[nodiscard]] float px(double value) const { return static_cast<float>(value / high) * (base - top); }
};
// `coin`: the beat has come to the coin.
[[nodiscard]] AcceptGrid accept_grid(ui::Rect stage, const AcceptView& view, bool coin = true);

// What stands on the stage so far: the first beats ask, and must not show the answer. Whoever changes a distribution sees what
// that does to the areas; a coin that was thrown is seen, and leads to the beat that tells of it, so that words and
// picture agree.
struct AcceptParts {
    bool sums = true; // kept, rejected and owed, and the overlap of every token
    bool coin = true;
    bool books = true;  // the strips and the proof
    bool reach = false; // what the draft can name, where the coin stands in other beats
};
[[nodiscard]] AcceptParts accept_parts(const SceneInput& input, const AcceptView& view, const AcceptState& state);

struct AcceptDraw {
    const SceneInput& input;
    const AcceptView& view;
    const AcceptGrid& grid;
    const AcceptState& state;
    ui::Ui& ui;
    AcceptWish& wish;
    // The edit state to change: the one in force, with the bars filled in.
    [[nodiscard]] AcceptEdit editable() const;
    [[nodiscard]] AcceptParts parts() const { return accept_parts(input, view, state); }
};

void draw_accept_stage(const AcceptDraw& d);             // chart, table, coin and proof, or the thrown coins in their place
void draw_accept_flips(const AcceptDraw& d, ui::Rect r); // what was thrown, counted
void draw_accept_controls(const AcceptDraw& d, std::vector<SceneCommand>& out);

// Beats from 0: the first that needs a part of the stage, and the last, which counts thrown coins.
inline constexpr int kAcceptBeats = accept_says.size, kSumsBeat = 1, kCoinBeat = 3, kBooksBeat = 4, kReachBeat = 7, kCountBeat = 8;
inline constexpr int kResidualBeat = 5, kBalanceBeat = 6; // behind kBooksBeat, of strips and proof too
[[nodiscard]] inline bool about_books(int beat) { return beat >= kBooksBeat && beat <= kBalanceBeat; }
// Where a stage has no room for both, strips and proof stand in the place of the coin while they are told of.
[[nodiscard]] inline bool books_for_coin(const SceneInput& input, const AcceptGrid& grid) { return !grid.tall && about_books(input.beat); }
// In the place of the chart, where there is no panel beside the stage.
[[nodiscard]] inline bool counts_on_stage(const SceneInput& input) { return input.beat == kCountBeat && input.details.w <= 0; }
[[nodiscard]] Story accept_story(const SceneInput& input, const AcceptView& view, const AcceptState& state);
[[nodiscard]] StageTitle accept_title(const SceneInput& input, const AcceptView& view);
[[nodiscard]] std::string accept_description(const SceneInput& input, const AcceptView& view, const AcceptState& state);

// "p" and "q" as the user wants them: papers write p for the target, the article writes p for the draft.
struct Letters {
    const char* target;
    const char* draft;
};
[[nodiscard]] Letters letters(bool article);
// What becomes of the chosen token under its coin, and what the run did with it where that is another thing:
// "rejected", "would be accepted", "accepted here; block rejected it".
[[nodiscard]] std::string verdict_words(const SceneInput& input, const AcceptView& view);
// Numbers of a position of which only heads were recorded: "≥ .40", "≤ .60", "–" where they prove nothing.
[[nodiscard]] std::string kept_number(const AcceptView& view);
[[nodiscard]] std::string lost_number(const AcceptView& view);
[[nodiscard]] std::string overlap_number(const AcceptBar& bar);
[[nodiscard]] std::string share_number(const AcceptBar& bar, Side side);
// ".00352": of two digits a ratio would often be another than the one that is told.
[[nodiscard]] std::string three_digits(double probability);
[[nodiscard]] std::string bar_words(const SceneInput& input, const AcceptBar& bar); // “It” or "another token"
[[nodiscard]] std::string bar_label(const SceneInput& input, const AcceptBar& bar); // chip label or "other"

} // namespace speclens
