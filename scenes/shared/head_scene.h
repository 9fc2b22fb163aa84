// What the scenes of one drafter's insides share (EAGLE-3, DFlash, Domino, MTP): which round they are about, the frame around their
// picture, the words where there is nothing to see, columns of guesses, the clock, and the controls.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scenes/shared/message_scene.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/words.h"

namespace speclens {

struct AcceptanceSeries; // scenes/shared/measure_charts.h

// Begins the model of each of them.
struct HeadModel {
    enum class Empty : std::uint8_t { no, no_run, other_drafter, no_round } empty = Empty::no;
    const Header* header = nullptr;
    const RoundSummary* round = nullptr;
    int selected = 0;    // guess, from 0
    bool chosen = false; // by the user
    int anchor = -1;     // token
    bool greedy = false;
    bool internals = false;                    // a lens recorded the round
    std::vector<const Internals::Strip*> taps; // hidden states of the target that the head was given
    double draft_ms = 0, verify_ms = 0;
    double further_ms = 0;  // mean of the guesses behind the first, which also reads what the target has just said; 0: unknown
    std::string instead_of; // the run's drafter, where another one drafted it; "": this one did
    Message no_other_round; // why it cannot be seen how this head would have drafted it; empty: nobody asked, or it can
    bool coming = false;    // it is being asked how
    [[nodiscard]] bool some() const { return empty == Empty::no; } // there is a picture
    [[nodiscard]] bool timed() const { return draft_ms + verify_ms > 0; }
    [[nodiscard]] int guesses() const { return round ? static_cast<int>(round->drafts.size()) : 0; }
    [[nodiscard]] const DraftSlot& slot(int i) const { return round->drafts[static_cast<std::size_t>(i)]; }
    // The token before guess `i`, which is read for it where one guess comes after another.
    [[nodiscard]] int read_by(int i) const { return i == 0 ? anchor : slot(i - 1).draft->token; }
};
// False where there is nothing to draw: another drafter's run, or no guess yet.
[[nodiscard]] bool find_round(HeadModel& model, const SceneInput& input, const char* drafter);
// The guess that was clicked, else `usual`.
void choose_guess(HeadModel& model, const SceneInput& input, int usual);
// "round 3, step 2 of 7 selected · K = 7, greedy, distributions at T = 1 · seed 7"; `guess`: what one is called, a position behind an
// anchor
enum class HeadGuess : std::uint8_t { position, step };
[[nodiscard]] Message head_conditions(const SceneInput& seen, const HeadModel& model, HeadGuess guess);

// What of it the keys depend on.
struct ShownHead {
    HeadModel::Empty empty = HeadModel::Empty::no;
    bool other_round = false; // a round in another drafter's run
    ShownHead() = default;
    explicit ShownHead(const HeadModel& m) : empty(m.empty), other_round(!m.instead_of.empty()) {}
};
// The keys of a scene that work: its own beside its picture, U where another drafter runs, else none.
[[nodiscard]] KeyRows working_keys(ShownHead shown, const std::string& title, KeyRows own);

struct HeadFrame {
    const char* drafter; // its name
    std::string title;   // what it is called: "DFlash"
    const HeadModel& model;
    StageTitle heading;
    Story story;
    Message empty_words;
    Message details;            // what stands there beside a picture: "Acceptance by position"
    Message details_title = {}; // where the details are empty
};
// Why another drafter's run has nothing to show: "This run drafts with small." and `where` to see it instead.
[[nodiscard]] Message other_drafter_words(const HeadModel& model, const std::string& title, const Message& where);
// The story of a round in another drafter's run: its keys begin no branch of that run, and U runs `title` itself.
void stand_in(Story& story, const HeadModel& model, const std::string& title);
// Title and story, and the words and controls that stand in where there is no picture; else `stage` draws it. Where the
// picture is of a round in another drafter's run (OtherRound), `input` is that run and `seen` the round.
void draw_head_scene(const SceneInput& input, const SceneInput& seen, ui::Ui& ui, const HeadFrame& scene,
                     const std::function<void()>& stage, std::vector<SceneCommand>& out);

// Where there is no picture: the [empty] of the scene's story.
template <class Says>
[[nodiscard]] Message empty_text(const Says& says, const HeadModel& m, const std::string& title, bool block) {
    if (m.some()) return {};
    if (m.empty == HeadModel::Empty::other_drafter) return other_drafter_words(m, title, says("empty.what"_t));
    if (m.empty == HeadModel::Empty::no_run) return says("empty.no_run"_t);
    return block ? shared_says("head.nothing_yet:block"_t) : shared_says("head.nothing_yet:any"_t);
}
template <class Says>
void take_empty(const Says& says, const HeadModel& m, const Message& text, StageTitle& heading, Story& story) {
    const bool other = m.empty == HeadModel::Empty::other_drafter && !m.coming;
    heading.tier = tier_of(m.header);
    heading.title = says("empty.title"_t);
    heading.subtitle = says("empty.subtitle"_t);
    take(story, {says("empty.heading"_t, "other"_v = other), text});
    if (other) take_beats(story, says("empty.no_beats"_t));
}

// Up and down choose a guess.
void take_guess_keys(ui::Ui& ui, const HeadModel& model, std::vector<SceneCommand>& out);

[[nodiscard]] Message fate_words(DraftSlot::State state); // "kept", "refused", "not judged …"
// “It” .52, “is” <.01: the likeliest tokens of a distribution, as values of a message; or these of it.
[[nodiscard]] std::vector<Said> shares_said(const SceneInput& input, const TopEntries& top, std::size_t most);
[[nodiscard]] std::vector<Said> shares_said(const SceneInput& input, const TopEntries& top, std::span<const int> ids);
// "distribution “It” .52, “is” .21; draft “It”, kept"; without `verdict` what became of it is kept back.
[[nodiscard]] Message guessed_words(const SceneInput& input, const DraftSlot& slot, std::vector<Said> distribution, bool verdict = true);

// Columns, one per guess, as many as fit around the selected one.
struct GuessColumns {
    float gutter = 0; // row names
    int first = 0, count = 1;
    std::vector<float> lefts, widths; // of the columns that are shown
    [[nodiscard]] float x(int i) const { return lefts[static_cast<std::size_t>(i - first)]; }
    [[nodiscard]] float width(int i) const { return widths[static_cast<std::size_t>(i - first)]; }
    [[nodiscard]] bool has(int i) const { return i >= first && i < first + count; }
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
void row_name(ui::Ui& ui, const GuessColumns& columns, float y, const Message& words, const Message& detail = {});
// "3–7 of 9" in the gutter, where not all guesses have a column.
void columns_shown(ui::Ui& ui, const GuessColumns& columns, float y, int guesses);
// The ground of guess `i`: raised where it is selected, which a click does. Whether it is.
bool guess_band(ui::Ui& ui, const HeadModel& model, int i, ui::Rect band, std::vector<SceneCommand>& out);
// One row of a distribution, 23 px high: a token, its probability (none: less than was recorded) and a bar of it, `whole` px long at 1.
struct ShareRow {
    ui::Color ink;
    float whole;
    bool hollow = false;
    float left = 0, right = 46; // room before the token, and for the probability
};
void draw_token_share(const SceneInput& input, ui::Ui& ui, ui::Vec2 at, float width, int id, std::optional<double> p, const ShareRow& row);
// The likeliest tokens, the first one strongest; where nothing was recorded it says so.
void draw_shares(const SceneInput& input, ui::Ui& ui, ui::Vec2 at, float width, const TopEntries& top, int rows);
// The same as numbers: of one guess among those that stand in `plot`.
void plot_shares(const SceneInput& input, ui::Ui& ui, ui::Rect plot, const Message& name, const TopEntries& top);
// The guess, and what became of it: where it was not judged yet a place for that. `verdict` may be empty.
void draw_guess(const SceneInput& input, ui::Ui& ui, const DraftSlot& slot, ui::Rect draft, ui::Rect verdict, bool selected);

// A part of a model, in the hue of whose it is.
void part_box(ui::Ui& ui, ui::Rect box, ui::Role whose);
// From column `i`, where its output stands at `from`, to what the next one reads at `to`; nothing behind the last.
void goes_on(ui::Ui& ui, const GuessColumns& columns, int i, float from, float to);
// `wanted`: the width of a guess's words; empty: all columns are equal.
[[nodiscard]] GuessColumns guess_columns(ui::Rect stage, const HeadModel& model, ColumnSizes sizes,
                                         const std::function<float(int)>& wanted = {});

// A round by the clock: a pass of the head for every guess, then the check. The words say so too where nobody timed it.
[[nodiscard]] Message passes_words(const HeadModel& model);
void draw_passes(ui::Ui& ui, ui::Rect lane, const HeadModel& model); // of a round that was timed
// In the details how often each guess stays; `below`: room for something else under it.
void draw_kept_details(ui::Ui& ui, ui::Rect details, const Message& title, const AcceptanceSeries& series, float below = 0);

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
void guess_stepper(ui::Ui& ui, const HeadModel& model, const Message& label, ControlRow& row, std::vector<SceneCommand>& out);
// K of the run, which begins anew with another one.
void guesses_slider(const SceneInput& input, ui::Ui& ui, const HeadModel& model, int most, ControlRow& row, std::vector<SceneCommand>& out);
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

// What its parts draw with. The input is the run, or a round in another drafter's.
template <class Model>
struct HeadDraw {
    const SceneInput& input;
    const Model& model;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};

// The skeleton of a scene of one head. Own has its drafter's name kName, whether that drafts a block kBlock, its story kSays, what stands
// in its details, its keys, model_of(input), or model_of(run, input) where it also tells of the run on screen, and of a picture title(d),
// story(d), stage(d) and beside(d), which draws details and controls and takes keys.
template <class Own>
class HeadScene : public MessageScene<Own> {
  public:
    int beats(const SceneInput&) const override { return Own::kSays.size; }

    void frame(const SceneInput& run, ui::Ui& ui, std::vector<SceneCommand>& out) {
        Own& own = static_cast<Own&>(*this);
        const OtherRound round(run, Own::kName);
        const SceneInput& seen = round.seen();
        other_round_.ask(round, run, out);
        const auto model = [&] {
            if constexpr (std::invocable<decltype(Own::model_of), const SceneInput&, const SceneInput&>)
                return Own::model_of(run, seen);
            else
                return Own::model_of(seen);
        }();
        const HeadDraw<std::remove_const_t<decltype(model)>> d{seen, model, ui, out};
        shown_ = ShownHead(model);
        const std::string called = method_title(Own::kName).words();
        HeadFrame frame{Own::kName, called, model, {}, story_at_beat(seen, Own::kSays.size), {}, Own::details()};
        if constexpr (requires { Own::details_title(); }) frame.details_title = Own::details_title();
        if (model.some()) {
            frame.heading = own.title(d);
            frame.story = own.story(d);
            stand_in(frame.story, model, called);
        } else {
            frame.empty_words = empty_text(Own::kSays, model, called, Own::kBlock);
            take_empty(Own::kSays, model, frame.empty_words, frame.heading, frame.story);
        }
        draw_head_scene(
            run, seen, ui, frame, [&] { own.stage(d); }, out);
        if (model.some()) own.beside(d);
        round.keep_place(out);
    }

    KeyRows keys() const override { return working_keys(shown_, method_title(Own::kName).words(), Own::own_keys()); }

  private:
    ShownHead shown_; // as drawn last
    OtherRoundAsker other_round_;
};

} // namespace speclens
