// Scene S3, the accept rule: the two distributions of one judged position, taken apart. Dragging a handle turns the
// distributions of the run into a table of the user's own; Z takes it back.
#include <algorithm>

#include "scenes/accept/accept_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/words.h"
#include "ui/tokens.h"

namespace speclens {

void AcceptState::remember() {
    undo.push_back({edit, counts, flipped});
    if (undo.size() > 200) undo.erase(undo.begin());
    redo.clear();
}

namespace {

class AcceptRuleScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kAcceptBeats; }

    std::optional<Position> example(const SceneInput& input) const override {
        if (input.selected || state_.counts.flips > 0 || !state_.undo.empty()) return {}; // somebody works on this one
        if (accept_says.criterion(input.beat, "unlisted by the draft"_part)) return find_in(*input.whole, unlisted_by_the_draft());
        const std::optional<Position> at = accept_position(*input.view, {});
        if (at && tells_much(*input.view, *at)) return {};
        if (!accept_says.criterion(input.beat, "contested guess"_part)) return {};
        return find_in(*input.whole, contested_guess());
    }

    std::optional<std::size_t> first_look(const RunView& whole) const override { return accept_first_look(whole); }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("accept-rule");
        follow(input);
        const AcceptView view = accept_view(input, state_.edit, state_.chosen);
        throw_for_picture(input, view, state_);
        const AcceptGrid grid = accept_grid(input.stage, view, accept_parts(input, view, state_).coin);
        AcceptWish wish;
        const AcceptDraw d{input, view, grid, state_, ui, wish};
        draw_titled(input, ui, accept_title(input, view), [&] {
            if (view.bars.empty())
                draw_empty(input, ui, view, out);
            else
                draw_accept_stage(d);
        });
        draw_story(input, ui, accept_story(input, view, state_), out);
        draw_accept_flips(d, input.details);
        draw_accept_controls(d, out);
        keys(view, ui, wish, out);
        edit_keys(view, ui, wish, d);
        if (wish.flips > 1) out.push_back(ShowDetails{}); // where they are counted
        // The words go where the coins are: what is thrown early opens the beat that tells of it.
        const int told = wish.flips > 1 ? kCountBeat : kCoinBeat;
        const bool covered = wish.flips == 1 && books_for_coin(input, grid);
        if (wish.flips > 0 && !view.bars.empty() && (input.beat < told || covered)) out.push_back(SetBeat{told});
        apply(input, view, wish);
        ask_for_distributions(input, view, out);
        if (!view.bars.empty() && accept_says.criterion(input.beat, "contested guess"_part)) search_.ask(input, contested_guess(), out);
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        const AcceptView view = accept_view(input, state_.edit, state_.chosen);
        AcceptState state = state_;
        throw_for_picture(input, view, state);
        return accept_description(input, view, state);
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"C", "Flip the coin once"},    {"M", "Flip a thousand coins"},
                {"↑ ↓", "Previous, next bar"},  {"+ −", "Raise, lower the target's bar"},
                {"L", "Lock the bar"},          {"O", "Swap the letters p and q"},
                {"Z", "Undo, with Shift redo"}, {"Del", "Reload the distributions of the run"}};
    }

    bool can_take_back(bool forward) const override { return !(forward ? state_.redo : state_.undo).empty(); }
    void take_back(bool forward) override { forward ? swap_edit(state_.redo, state_.undo) : swap_edit(state_.undo, state_.redo); }

  private:
    // Edits belong to one position: another one starts clean.
    void follow(const SceneInput& input) {
        const std::optional<Position> at = accept_position(*input.view, input.selected);
        if (input.trace != trace_) asked_.reset(); // another run: its rows are others
        if (at == state_.loaded && input.trace == trace_) return;
        trace_ = input.trace;
        const AcceptState fresh;
        const bool raw = state_.edit.raw;
        state_ = fresh;
        state_.edit.raw = raw;
        state_.loaded = at;
    }

    // Nobody can press M in a picture, and the last beat is about what M throws.
    static void throw_for_picture(const SceneInput& input, const AcceptView& view, AcceptState& state) {
        if (!input.still || input.beat != kCountBeat || state.counts.flips > 0 || view.bars.empty()) return;
        flip(view, input.view->header ? input.view->header->seed : 0, 1000, state.counts);
        state.flipped = true;
    }

    static void draw_empty(const SceneInput& input, ui::Ui& ui, const AcceptView& view, std::vector<SceneCommand>& out) {
        if (drafts_nothing(input)) {
            draw_other_drafter(input, ui, drafter_instead(input), out);
            for (const ui::Key key : {ui::Key::left, ui::Key::right}) (void)ui.take_key(key); // no beat to see
            return;
        }
        const ui::Rect r = input.stage;
        ui::slot(ui.canvas, ui.theme, {r.x + 24, r.y + 108, r.w - 48, 200},
                 view.source.position ? "no rows were recorded here" : "two distributions will stand here once a guess is judged");
    }

    static void keys(const AcceptView& view, ui::Ui& ui, AcceptWish& wish, std::vector<SceneCommand>& out) {
        using ui::Key;
        if (ui.take_key(Key::o)) out.push_back(ToggleLetters{});
        if (view.bars.empty()) return;
        if (ui.take_key(Key::c)) wish.flips = 1;
        if (ui.take_key(Key::m)) wish.flips = 1000;
        const int last = static_cast<int>(view.bars.size()) - 1;
        if (ui.take_key(Key::up)) wish.chosen = std::max(0, view.chosen - 1);
        if (ui.take_key(Key::down)) wish.chosen = std::min(last, view.chosen + 1);
        if (ui.take_key(Key::del)) wish.reset = true;
    }

    // Keys that change the edit itself.
    void edit_keys(const AcceptView& view, ui::Ui& ui, AcceptWish& wish, const AcceptDraw& d) {
        using ui::Key;
        if (ui.take_key(Key::z, {.shift = true})) take_back(true);
        if (ui.take_key(Key::z)) take_back(false);
        if (view.bars.empty()) return;
        const auto index = static_cast<std::size_t>(view.chosen);
        if (ui.take_key(Key::l)) {
            AcceptEdit edit = d.editable();
            edit.bars[index].locked = !edit.bars[index].locked;
            wish.edit = edit;
        }
        const double step = ui.take_key(Key::equal, {.shift = true}) || ui.take_key(Key::equal) ? 0.01
                            : ui.take_key(Key::minus)                                           ? -0.01
                                                                                                : 0;
        if (step != 0) {
            AcceptEdit edit = d.editable();
            set_bar(edit.bars, index, Side::target, edit.bars[index].p + step);
            wish.edit = edit;
        }
    }

    void swap_edit(std::vector<AcceptVersion>& from, std::vector<AcceptVersion>& to) {
        if (from.empty()) return;
        to.push_back({state_.edit, state_.counts, state_.flipped});
        AcceptVersion& back = from.back();
        state_.edit = std::move(back.edit);
        state_.counts = std::move(back.counts);
        state_.flipped = back.flipped;
        from.pop_back();
    }

    void apply(const SceneInput& input, const AcceptView& view, const AcceptWish& wish) {
        if (wish.chosen) {
            if (*wish.chosen != view.chosen && state_.edit.coin) state_.edit.coin.reset();
            state_.chosen = *wish.chosen;
        }
        if (wish.edit) {
            if (!wish.dragging || !state_.dragging) state_.remember();
            const bool distribution_changed = wish.edit->bars.size() != state_.edit.bars.size() || !wish.edit->bars.empty() ||
                                              wish.edit->one_hot != state_.edit.one_hot || wish.edit->raw != state_.edit.raw ||
                                              wish.edit->target_t != state_.edit.target_t || wish.edit->draft_t != state_.edit.draft_t;
            if (distribution_changed && wish.edit->coin == state_.edit.coin) state_.counts = {};
            state_.edit = *wish.edit;
        }
        state_.dragging = wish.dragging && (state_.dragging || wish.edit);
        if (wish.reset && !view.bars.empty()) {
            state_.remember();
            state_.edit = {};
            state_.counts = {};
        }
        if (wish.flips > 0) {
            flip(view, input.view->header ? input.view->header->seed : 0, wish.flips, state_.counts);
            state_.flipped = state_.flipped || wish.flips > 1;
            if (wish.flips == 1) {
                state_.chosen = state_.counts.last.draft;
                state_.edit.coin = state_.counts.last.u;
            }
        }
    }

    // Whole rows are computed on request only; ask once per position.
    void ask_for_distributions(const SceneInput& input, const AcceptView& view, std::vector<SceneCommand>& out) {
        if (!view.source.position || view.source.full || asked_ == view.source.position) return;
        if (!input.status || input.status->ready_drafters.empty()) return;
        asked_ = view.source.position;
        out.push_back(Command{FetchDistributions{view.source.position->round, view.source.position->index}});
    }

    AcceptState state_;
    ExampleSearch search_;
    std::optional<Position> asked_;
    const Trace* trace_ = nullptr; // only compared
};

} // namespace

std::unique_ptr<Scene> make_accept_rule() { return std::make_unique<AcceptRuleScene>(); }

} // namespace speclens
