// Scene S14, when it fails: load and uncertainty.
#include <algorithm>
#include <iterator>

#include "scenes/cycle_pick.h"
#include "scenes/failures_model.h"

namespace speclens {
namespace {

class FailuresScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kFailuresBeats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("failures");
        const FailuresModel model = failures_model(input, state_);
        const FailuresDraw d{input, model, state_, ui, out};
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, failures_title(model));
            const ui::Rect area{input.stage.x + 24, input.stage.y + 88, input.stage.w - 48,
                                input.stage.h - 96};
            const float gap = 40, left = area.w * 0.6F;
            draw_load_map(d, {area.x, area.y, left, area.h});
            draw_entropy(d, {area.x + left + gap, area.y, area.w - left - gap, area.h});
            ui.pop_clip();
        }
        draw_story(input, ui, failures_story(input, model), out);
        draw_failures_details(d);
        draw_failures_controls(d);
        if (ui.take_key(ui::Key::down))
            state_.row = std::min(model.row + 1, static_cast<int>(std::size(kRequests)) - 1);
        if (ui.take_key(ui::Key::up)) state_.row = std::max(model.row - 1, 0);
        if (models_loaded(input) && ui.take_key(ui::Key::m)) out.push_back(Command{MeasurePasses{}});
        if (input.still && models_loaded(input) && !input.passes) out.push_back(Command{MeasurePasses{}});
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        return failures_description(input, failures_model(input, state_));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Fewer, more requests"}, {"M", "Time passes"}};
    }

  private:
    FailuresState state_;
};

} // namespace

std::unique_ptr<Scene> make_failures() {
    return std::make_unique<FailuresScene>();
}

} // namespace speclens
