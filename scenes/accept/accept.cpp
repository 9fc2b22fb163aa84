// Scene S3, the accept rule: the two distributions of one judged position, taken apart. Dragging a handle turns the
// distributions of the run into a table of the user's own; Z takes it back.
#include <algorithm>

#include "scenes/accept/accept_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class AcceptRuleScene final : public MessageScene<AcceptRuleScene> {
  public:
    static constexpr const char* kName = "accept-rule";
    int beats(const SceneInput&) const override { return kAcceptBeats; }

    std::optional<Position> example(const SceneInput& input) const override {
        if (input.selected || state_.now.counts.flips > 0 || state_.history.can(false)) return {}; // somebody works on this one
        if (accept_says.criterion(input.beat, "unlisted by the draft"_part)) return find_in(*input.whole, unlisted_by_the_draft());
        const std::optional<Position> at = accept_position(*input.view, {});
        if (at && tells_much(*input.view, *at)) return {};
        if (!accept_says.criterion(input.beat, "contested guess"_part)) return {};
        return find_in(*input.whole, contested_guess());
    }

    std::optional<std::size_t> first_look(const RunView& whole) const override { return accept_first_look(whole); }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        follow(input);
        const AcceptView view = accept_view(input, state_.now.edit, state_.chosen);
        const bool some = !view.bars.empty();
        if (input.still && input.beat == kCountBeat && state_.now.counts.flips == 0 && some) { // nobody can press M in a picture
            flip(view, input.view->header->seed, 1000, state_.now.counts);
            state_.now.flipped = true;
        }
        const AcceptParts parts = accept_parts(input, view, state_);
        const AcceptGrid grid = accept_grid(input.stage, view, parts.coin);
        const AcceptDraw d{input, view, parts, grid, state_, out, ui.canvas, ui.theme, ui};
        draw_titled(input, ui, accept_title(input, view), [&] { some ? draw_accept_stage(d) : draw_empty(d); });
        draw_story(input, ui, accept_story(input, view, state_), out);
        draw_accept_flips(d, input.details);
        draw_accept_controls(d);
        keys(d);
        ask_for_distributions(d);
        if (some && accept_says.criterion(input.beat, "contested guess"_part)) search_.ask(input, contested_guess(), out);
        state_.history.follow(state_.now, ui.state.active != 0);
    }

    KeyRows keys() const override {
        return {{"C", accept_says("keys.c"_t)},         {"M", accept_says("keys.m"_t)},
                {"↑ ↓", accept_says("keys.up_down"_t)}, {"+ −", accept_says("keys.plus_minus"_t)},
                {"L", accept_says("keys.l"_t)},         {"O", MessagesOf<"frame">()("letters.label"_t)},
                {"Z", accept_says("keys.z"_t)},         {"Del", accept_says("keys.del"_t)}};
    }

    bool can_take_back(bool forward) const override { return state_.history.can(forward); }
    void take_back(bool forward) override { state_.now = state_.history.take(forward).value_or(state_.now); }

  private:
    // Edits belong to one position: another one starts clean.
    void follow(const SceneInput& input) {
        const std::optional<Position> at = accept_position(*input.view, input.selected);
        if (input.trace != trace_) asked_.reset(); // another run: its rows are others
        if (at == state_.loaded && input.trace == trace_) return;
        trace_ = input.trace;
        const bool raw = state_.now.edit.raw;
        state_ = {};
        state_.now.edit.raw = raw;
        state_.loaded = at;
    }

    static void draw_empty(const AcceptDraw& d) {
        const ui::Rect r = d.input.stage;
        if (drafts_nothing(d.input)) {
            const OtherDrafter other = drafter_instead(d.input);
            draw_other_drafter(d.input, d.ui, other, d.out);
            d.canvas.tell(other.can_switch ? shared_says("other_drafter.why"_t) : shared_says("other_drafter.none"_t), r,
                          ui::Canvas::Told::drawn);
            for (const ui::Key key : {ui::Key::left, ui::Key::right}) (void)d.ui.take_key(key); // no beat to see
            return;
        }
        ui::slot(d.canvas, d.theme, {r.x + 24, r.y + 108, r.w - 48, 200},
                 d.view.source.position ? accept_says("stage.no_rows"_t) : accept_says("stage.waiting"_t));
    }

    void keys(const AcceptDraw& d) {
        using ui::Key;
        if (d.ui.take_key(Key::o)) d.out.push_back(ToggleLetters{});
        if (d.ui.take_key(Key::z, {.shift = true})) take_back(true);
        if (d.ui.take_key(Key::z)) take_back(false);
        if (d.view.bars.empty()) return;
        if (d.ui.take_key(Key::c)) d.throw_coins(1);
        if (d.ui.take_key(Key::m)) d.throw_coins(1000);
        if (d.ui.take_key(Key::up)) d.choose(std::max(0, d.view.chosen - 1));
        if (d.ui.take_key(Key::down)) d.choose(std::min(static_cast<int>(d.view.bars.size()) - 1, d.view.chosen + 1));
        if (d.ui.take_key(Key::del)) d.change({});
        const auto index = static_cast<std::size_t>(d.view.chosen);
        AcceptEdit edit = d.editable();
        if (d.ui.take_key(Key::l)) {
            edit.bars[index].locked = !edit.bars[index].locked;
            d.change(edit);
        }
        const int step = (d.ui.take_key(Key::equal, {.shift = true}) || d.ui.take_key(Key::equal)) - d.ui.take_key(Key::minus);
        if (step == 0) return;
        set_bar(edit.bars, index, ModelSide::target, edit.bars[index].p + 0.01 * step);
        d.change(edit);
    }

    // Whole rows are computed on request only; ask once per position.
    void ask_for_distributions(const AcceptDraw& d) {
        const std::optional<Position>& at = d.view.source.position;
        if (!at || d.view.source.full || asked_ == at || !models_loaded(d.input)) return;
        asked_ = at;
        d.out.push_back(Command{FetchDistributions{at->round, at->index}});
    }

    AcceptState state_;
    ExampleSearch search_;
    std::optional<Position> asked_;
    const Trace* trace_ = nullptr; // only compared
};

} // namespace

std::unique_ptr<Scene> make_accept_rule() { return std::make_unique<AcceptRuleScene>(); }

} // namespace speclens
