// Scene S2, the loop: guesses, one check, coins, and what survives. Driven by the cursor; its whole state is
// the selected column, which the shell keeps.
#include "engine/run/full_distributions.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/distributions_panel.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

std::string nothing_there(const LoopModel& model, bool last_row) {
    if (!model.round) return "The most likely tokens of both models at the chosen position will be listed here.";
    if (model.fast) return "This run recorded no rows (fast mode): restart it with rows to see both distributions.";
    if (last_row && model.tree) return "The row where the kept branch ends is not read yet.";
    if (last_row) return "The row after the last guess is used only when every guess is kept.";
    return "Nothing was recorded at this position yet.";
}

DistributionsPanel panel_for(const SceneInput& input, const LoopModel& model) {
    DistributionsPanel panel;
    const int count = static_cast<int>(model.columns.size());
    const ColumnDistributions distributions = column_distributions(model, model.selected);
    panel.target = distributions.target;
    panel.draft = distributions.draft;
    panel.heading = place_words(model);
    if (model.selected < count && model.columns[static_cast<std::size_t>(model.selected)].draft)
        panel.marked = model.columns[static_cast<std::size_t>(model.selected)].draft->token;
    else if (model.own)
        panel.marked = model.own->token;
    if (!distributions.target.empty() && !distributions.draft.empty()) panel.heading += ", both models";
    if (model.selected == count && !model.tree) panel.heading += count == 0 ? ", the target alone" : ", the bonus row";
    const bool certain = model.selected < count && model.is_favourite(model.selected);
    panel.note = model.greedy ? "T = 1" : certain ? "draft at T = 1" : "";
    if (distributions.target.empty() && !distributions.draft.empty())
        panel.note = model.columns[static_cast<std::size_t>(model.selected)].fate == Fate::discarded ? "its target row was never used"
                                                                                                     : "the target has not judged it yet";
    panel.empty = nothing_there(model, model.selected == count);
    if (input.distributions && model.round && input.distributions->round == model.round->round &&
        input.distributions->index == model.selected && !model.greedy && !certain && !distributions.target.empty() &&
        !distributions.draft.empty())
        panel.overlap = overlap(input.distributions->target, input.distributions->draft);
    // A draft without doubts: what the distributions share is what the target gives that one token.
    if (model.selected < count && distributions.draft.entries.size() == 1 && distributions.draft.rest <= 0 && !distributions.target.empty())
        panel.overlap = model.columns[static_cast<std::size_t>(model.selected)].p;
    return panel;
}

class LoopScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return 0; }
    bool from_the_beginning() const override { return true; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const LoopModel model = loop_model(input);
        ui.push_id("loop");
        draw_loop(input, model, ui, out);
        draw_story(input, ui, loop_story(input, model), out);
        draw_distributions_panel(input, ui, panel_for(input, model));
        draw_run_controls(input, ui, out);
        keys(input, model, ui, out);
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override { return loop_description(input, loop_model(input)); }

    std::vector<std::pair<std::string, std::string>> keys() const override { return {{"↑ ↓", "Previous, next column"}}; }

  private:
    static void keys(const SceneInput&, const LoopModel& model, ui::Ui& ui, std::vector<SceneCommand>& out) {
        if (!model.round) return;
        const int last = static_cast<int>(model.columns.size());
        const auto choose = [&](int column) { out.push_back(Select{Position{model.round->round, column}}); };
        if (ui.take_key(ui::Key::up)) choose(std::max(0, model.selected - 1));
        if (ui.take_key(ui::Key::down)) choose(std::min(last, model.selected + 1));
    }
};

} // namespace

std::unique_ptr<Scene> make_loop() { return std::make_unique<LoopScene>(); }

} // namespace speclens
