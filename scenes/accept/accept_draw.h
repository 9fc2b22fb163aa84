// The accept-rule picture, its words, and the scene's whole state.
#pragma once

#include <optional>
#include <vector>

#include "scenes/accept/accept_model.h"
#include "scenes/shared/history.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

// What undo returns to: the distributions, and the coins that were thrown with them.
struct AcceptVersion {
    AcceptEdit edit;
    FlipCounts counts;
    bool flipped = false; // a task
    bool operator==(const AcceptVersion&) const = default;
};

// Everything that lives between frames of this scene.
struct AcceptState {
    std::optional<Position> loaded; // edits belong to this position
    AcceptVersion now;
    int chosen = -1; // bar of the coin; -1: the draft token
    ControlHistory<AcceptVersion> history;
};

struct AcceptGrid {
    float left = 0, right = 0; // of the stage content
    float first = 0, pitch = 78, bar = 48;
    float top = 0, base = 0; // of the chart: value `high` and value 0
    double high = 0.5;       // top of the value axis
    float y = 0;             // of the stage, moved by how much higher the chart is than in the tall layout
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
    bool rules = false; // the round by two rules, there too
};
[[nodiscard]] AcceptParts accept_parts(const SceneInput& input, const AcceptView& view, const AcceptState& state);

struct AcceptDraw {
    const SceneInput& input;
    const AcceptView& view;
    const AcceptParts& parts;
    const AcceptGrid& grid;
    AcceptState& state;
    std::vector<SceneCommand>& out;
    ui::Canvas& canvas;
    const ui::Theme& theme;
    ui::Ui& ui;

    [[nodiscard]] AcceptEdit editable() const; // the one in force, with the bars filled in
    void change(AcceptEdit edit) const;        // to other distributions: what was thrown says nothing of them
    void choose(int bar) const;
    void throw_coins(int count) const;

    void muted(ui::Vec2 at, const Message& words, ui::Align align = ui::Align::left) const;
    void bold(ui::Vec2 at, const Message& words, ui::Align align = ui::Align::left) const;
    void digits(ui::Vec2 at, const std::string& number, ui::Color color, ui::Align align = ui::Align::left,
                ui::Font font = ui::Font::mono) const;
    [[nodiscard]] std::string name(const AcceptBar& bar) const; // label of its chip, or "other"
    void label(const AcceptBar& bar, ui::Vec2 at, float size, float room, ui::Align align = ui::Align::left) const;
    // "p" or "q" as the user wants them: papers write p for the target, the article writes p for the draft.
    [[nodiscard]] std::string letter(ModelSide side) const;
};

void draw_accept_stage(const AcceptDraw& d);          // chart, table, coin and proof, or the thrown coins in their place
void draw_accept_books(const AcceptDraw& d, float y); // strips and proof; `y`: as AcceptGrid::y
void draw_accept_reach(const AcceptDraw& d);
void draw_accept_rules(const AcceptDraw& d);
void draw_accept_flips(const AcceptDraw& d, ui::Rect r); // what was thrown, counted
void draw_accept_controls(const AcceptDraw& d);

// Beats from 0: the first that needs a part of the stage, and the last, which counts thrown coins. Of strips and proof are three.
inline constexpr int kAcceptBeats = accept_says.size, kSumsBeat = 1, kTokenBeat = 2, kCoinBeat = 3, kBooksBeat = 4, kResidualBeat = 5,
                     kBalanceBeat = 6, kReachBeat = 7, kMatchBeat = 8, kCountBeat = 9;
[[nodiscard]] inline bool about_books(int beat) { return beat >= kBooksBeat && beat <= kBalanceBeat; }
// Where a stage has no room for both, strips and proof stand in the place of the coin while they are told of.
[[nodiscard]] inline bool books_for_coin(const SceneInput& input, const AcceptGrid& grid) { return !grid.tall && about_books(input.beat); }
// In the place of the chart, where there is no panel beside the stage.
[[nodiscard]] inline bool counts_on_stage(const SceneInput& input) { return input.beat == kCountBeat && input.details.w <= 0; }
[[nodiscard]] Story accept_story(const SceneInput& input, const AcceptView& view, const AcceptState& state);
[[nodiscard]] StageTitle accept_title(const SceneInput& input, const AcceptView& view);

// What becomes of the chosen token under its coin, and what the run did with it where that is another thing:
// "rejected", "would be accepted", "accepted here; block rejected it".
[[nodiscard]] Message verdict_words(const SceneInput& input, const AcceptView& view);
// Numbers of a position of which only heads were recorded: "≥ .40", "≤ .60", "–" where they prove nothing.
[[nodiscard]] Message kept_number(const AcceptView& view);
[[nodiscard]] Message lost_number(const AcceptView& view);
[[nodiscard]] Message overlap_number(const AcceptBar& bar);
[[nodiscard]] Message share_number(const AcceptBar& bar, ModelSide side);
[[nodiscard]] Message bar_words(const SceneInput& input, const AcceptBar& bar); // “It” or "another token"

} // namespace speclens
