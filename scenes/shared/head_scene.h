// What the scenes of one drafter's insides share (EAGLE-3, DFlash, Domino): which cycle they are about, the
// frame around their picture, the words where there is nothing to see, columns of guesses, and the controls
// of all three.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenes/shared/scene.h"
#include "scenes/shared/story.h"

namespace speclens {

// Begins the model of each of them.
struct HeadModel {
    enum class Empty : std::uint8_t { no, no_run, other_drafter, no_round } empty = Empty::no;
    const Header* header = nullptr;
    const RoundSummary* round = nullptr;
    int selected = 0;    // guess, from 0
    bool chosen = false; // by the user
    int anchor = -1;     // token
    bool greedy = false;
    double verify_ms = 0;
    std::string instead_of;     // the run's drafter, where another one drafted it; "": this one did
    std::string no_other_round; // why it cannot be seen how this head would have drafted it; "": nobody asked, or it can
};
// False where there is nothing to draw: another drafter's run, or no guess yet.
[[nodiscard]] bool find_round(HeadModel& model, const SceneInput& input, const char* drafter);
// The guess that was clicked, else `usual`.
void choose_guess(HeadModel& model, const SceneInput& input, int usual);
// "round 3, step 2 of 7 selected · K = 7, greedy, distributions at T = 1 · seed 7"; `guess`: what one is called
enum class HeadGuess : std::uint8_t { position, step };
[[nodiscard]] std::string head_conditions(const HeadModel& model, HeadGuess guess);

// What of it the keys depend on.
struct ShownHead {
    HeadModel::Empty empty = HeadModel::Empty::no;
    bool other_round = false; // a round in another drafter's run
    ShownHead() = default;
    explicit ShownHead(const HeadModel& m) : empty(m.empty), other_round(!m.instead_of.empty()) {}
};
using KeyRows = std::vector<std::pair<std::string, std::string>>;
// The keys of a scene that work: its own beside its picture, U where another drafter runs, else none.
[[nodiscard]] KeyRows working_keys(ShownHead shown, const std::string& title, KeyRows own);

struct HeadScene {
    const char* drafter; // its name
    const char* title;   // "DFlash"
    const HeadModel& model;
    StageTitle heading;
    Story story;
    std::string empty_words;
    const char* details_title; // where the details are empty; "": none
    const char* details_words; // what stands there beside a picture: "Acceptance by position"
};
// Why another drafter's run has nothing to show: "This run drafts with small." and `where` to see it instead.
[[nodiscard]] std::string other_drafter_words(const HeadModel& model, const char* title, const std::string& where);
// The story of a round in another drafter's run: its keys begin no branch of that run, and U runs `title` itself.
void stand_in(Story& story, const HeadModel& model, const char* title);
// Title and story, and the words and controls that stand in where there is no picture; else `stage` draws it. Where the
// picture is of a round in another drafter's run (OtherRound), `input` is that run and `seen` the round.
void draw_head_scene(const SceneInput& input, const SceneInput& seen, ui::Ui& ui, const HeadScene& scene,
                     const std::function<void()>& stage, std::vector<SceneCommand>& out);
// Up and down choose a guess.
void take_guess_keys(ui::Ui& ui, const HeadModel& model, std::vector<SceneCommand>& out);

[[nodiscard]] const char* fate_words(DraftSlot::State state); // "kept", "refused", "not judged …"

// Columns, one per guess, as many as fit around the selected one.
struct GuessColumns {
    float gutter = 0; // row names
    int first = 0, count = 1;
    std::vector<float> lefts, widths; // of the columns that are shown
    [[nodiscard]] float x(int i) const { return lefts[static_cast<std::size_t>(i - first)]; }
    [[nodiscard]] float width(int i) const { return widths[static_cast<std::size_t>(i - first)]; }
    [[nodiscard]] float left() const { return lefts.front(); }
    [[nodiscard]] float right() const { return lefts.back() + widths.back(); }
};
struct ColumnSizes {
    float least, most, gap; // pitch of a column, space between two
    float of_some = 0;      // least pitch where not all guesses fit, so that those shown can be wider
};
// Widths that add up to `room`, as equal as their words allow; where there is no room for all words, `least`
// each and of the rest in proportion.
[[nodiscard]] std::vector<float> shared_widths(const std::vector<float>& wanted, float least, float room);
// Name of a row in the gutter, and a muted word below it.
void row_name(ui::Ui& ui, const GuessColumns& columns, float y, const std::string& words, const std::string& detail = "");
// "3–7 of 9" in the gutter, where not all guesses have a column.
void columns_shown(ui::Ui& ui, const GuessColumns& columns, float y, int guesses);
// From column `i`, where its output stands at `from`, to what the next one reads at `to`; nothing behind the last.
void goes_on(ui::Ui& ui, const GuessColumns& columns, int i, float from, float to);
// `wanted`: the width of a guess's words; empty: all columns are equal.
[[nodiscard]] GuessColumns guess_columns(ui::Rect stage, const HeadModel& model, ColumnSizes sizes,
                                         const std::function<float(int)>& wanted = {});

// Controls from left to right, each below its label.
struct ControlRow {
    float x, y, right;
    explicit ControlRow(ui::Rect region) : x(region.x + 24), y(region.y + 36), right(region.right() - 24) {}
    ui::Rect place(float w, float gap = 16) {
        const ui::Rect at{x, y, w, 36};
        x += w + gap;
        return at;
    }
    [[nodiscard]] float room() const { return right - x; }
};
void guess_stepper(ui::Ui& ui, const HeadModel& model, const char* label, ControlRow& row, std::vector<SceneCommand>& out);
// A study on demand; nothing where there is no room.
struct MeasureButton {
    const char* id;
    Message label;
    const char* key;
};
void measure_button(const SceneInput& input, ui::Ui& ui, const MeasureButton& button, const RunStudy& study, ControlRow& row,
                    std::vector<SceneCommand>& out);
[[nodiscard]] Message no_models(const SceneInput& input); // why nothing can be run; empty: it can

// Whether a round of this drafter is on screen, or a run of it that is about to begin.
[[nodiscard]] bool shows_or_will(const SceneInput& input, const HeadModel& model, const std::string& drafter);

} // namespace speclens
