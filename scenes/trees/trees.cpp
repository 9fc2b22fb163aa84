// Scene S11, trees and blocks: more tokens out of one verify pass, by judging a block as a whole or by
// guessing several continuations.
#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/trees/trees_draw.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class TreesScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kTreesBeats; }

    std::optional<Position> example(const SceneInput& input) const override {
        if (input.beat > kTreesRescueBeat) return {};
        return go_to_example(input, rescued_guess());
    }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("trees");
        follow_beat(input, state_, beat_);
        const TreesModel model = trees_model(input, state_);
        const TreesDraw d{input, model, state_, ui, out};
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, trees_title(input, model));
            const ui::Rect area{input.stage.x + 24, input.stage.y + 92, input.stage.w - 48,
                                input.stage.h - 104};
            draw_trees_stage(d, area);
            ui.pop_clip();
        }
        draw_story(input, ui, trees_story(input, model), out);
        draw_trees_details(d);
        draw_trees_controls(d);
        if (ui.take_key(ui::Key::u)) show_me(d);
        const RunStudy study = trees_study(input, model);
        if (!study.runs.empty() && ui.take_key(ui::Key::m)) {
            out.push_back(Command{study});
            out.push_back(ShowDetails{});
        }
        if (model.blocks > 0 && !model.tree && input.beat <= kTreesRescueBeat) search_.ask(input, rescued_guess(), out);
        ui.pop_id();
        return out;
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        const RunStudy study = trees_study(input, trees_model(input, state_));
        if (!lacks(study, study_of(input, study))) return {};
        return {{.name = study.name, .ask = study, .beat = kTreesCostBeat}};
    }

    std::string describe(const SceneInput& input) const override {
        TreesState state = state_;
        int beat = beat_;
        follow_beat(input, state, beat);
        return trees_description(input, trees_model(input, state));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"U", "Judge the run by blocks, or draft a tree"}, {"M", "Measure chain, block and trees"}};
    }

  private:
    // A beat brings its picture along once; afterwards the user may choose the other.
    static void follow_beat(const SceneInput& input, TreesState& state, int& beat) {
        if (input.beat == beat) return;
        beat = input.beat;
        const bool tree_run = input.whole->header && input.whole->header->nodes > 0;
        state.tree = beat == kTreesBeats - 1 ? tree_run : beat >= 3;
    }

    TreesState state_;
    ExampleSearch search_;
    int beat_ = -1;
};

} // namespace

std::unique_ptr<Scene> make_trees() {
    return std::make_unique<TreesScene>();
}

} // namespace speclens
