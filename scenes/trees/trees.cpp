// Scene S11, trees and blocks: more tokens out of one verify pass, by judging a block as a whole or by
// guessing several continuations.
#include <utility>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/panel.h"
#include "scenes/trees/trees_model.h"

namespace speclens {
namespace {

class TreesScene final : public MessageScene<TreesScene> {
  public:
    static constexpr const char* kName = "trees";
    int beats(const SceneInput&) const override { return kTreesBeats; }

    std::optional<Position> example(const SceneInput& input) const override {
        if (!trees_says.criterion(input.beat, "rescued guess"_part)) return {};
        if (input.beat == 0 && !trees_model(input, state_).tree_drafter.empty()) return {}; // it shows a tree
        return go_to_example(input, rescued_guess());
    }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        follow_beat(input);
        TreesModel model = trees_model(input, state_);
        std::optional<OtherRound> other; // a run of chains has no tree: the round of the cursor as a tree of the same family drafts it
        if (model.tree && model.nodes.empty() && !model.tree_drafter.empty()) {
            other.emplace(input, find_drafter(model.tree_drafter)->name);
            other_round_.ask(*other, input, out);
            take_tree(model, *other);
        }
        const SceneInput& round = other ? other->seen() : input;
        const TreesDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, trees_title(round, model), [&] {
            const ui::Rect area{input.stage.x + 24, input.stage.y + 92, input.stage.w - 48, input.stage.h - 104};
            draw_trees_stage({round, model, state_, ui, out}, area);
        });
        draw_story(input, ui, trees_story(input, model), out);
        draw_beside(d, draw_trees_details, draw_trees_controls);
        if (ui.take_key(ui::Key::u)) show_me(d);
        const RunStudy study = trees_study(input, model);
        if (input.beat == kTreesGrowthBeat && times_passes(input) && ui.take_key(ui::Key::m)) out.push_back(Command{MeasurePasses{}});
        if (!study.runs.empty() && ui.take_key(ui::Key::m)) {
            out.push_back(Command{study});
            out.push_back(ShowDetails{});
        }
        if (model.blocks > 0 && !model.tree && trees_says.criterion(input.beat, "rescued guess"_part))
            search_.ask(input, rescued_guess(), out);
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        std::vector<Measurement> lacking;
        const RunStudy study = trees_study(input, trees_model(input, state_));
        if (lacks(study, study_of(input, study))) lacking.push_back({.name = study.name, .ask = study, .beat = kTreesCostBeat});
        if (!input.passes && times_passes(input)) lacking.push_back({.name = "passes", .ask = MeasurePasses{}, .beat = kTreesGrowthBeat});
        return lacking;
    }

    KeyRows keys() const override { return {{"U", trees_says("keys.u"_t)}, {"M", trees_says("keys.m"_t)}}; }

  private:
    void take_tree(TreesModel& model, const OtherRound& other) const {
        model.comes = other.wish().has_value();
        if (!other.here()) return;
        TreesModel seen = trees_model(other.seen(), state_);
        model.nodes = std::move(seen.nodes);
        model.growth = std::move(seen.growth);
        model.round = seen.round;
    }

    // A beat brings its picture along once; afterwards the user may choose the other.
    void follow_beat(const SceneInput& input) {
        if (std::exchange(beat_, input.beat) == input.beat) return;
        const bool tree_run = input.whole->header && input.whole->header->nodes > 0;
        const bool can_show = tree_run || !trees_model(input, state_).tree_drafter.empty();
        state_.tree = beat_ == kTreesWorthBeat ? tree_run : beat_ == 0 ? can_show : beat_ > kTreesRescueBeat;
    }

    TreesState state_;
    OtherRoundAsker other_round_;
    ExampleSearch search_;
    int beat_ = -1;
};

} // namespace

std::unique_ptr<Scene> make_trees() { return std::make_unique<TreesScene>(); }

} // namespace speclens
