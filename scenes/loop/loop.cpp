// Scene S2, the loop: guesses, one check, coins, and what survives. Driven by the cursor; its whole state is
// the selected column, which the shell keeps.
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/message_scene.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

class LoopScene final : public MessageScene<LoopScene> {
  public:
    static constexpr const char* kName = "loop";
    int beats(const SceneInput&) const override { return 0; }
    bool from_the_beginning() const override { return true; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const LoopModel model = loop_model(input);
        draw_loop(input, model, ui, out);
        draw_story(input, ui, loop_story(input, model), out);
        draw_loop_distributions(input, model, ui);
        draw_run_controls(input, ui, out);
        keys(input, model, ui, out);
    }

    KeyRows keys() const override { return {{"↑ ↓", loop_says("keys.up_down"_t)}}; }

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
