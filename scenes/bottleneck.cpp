// Scene S1, the decode bottleneck: why a pass over several tokens costs little more than one over a single
// token, measured with the loaded model.
#include <algorithm>

#include "app/ui/tokens.h"
#include "scenes/bottleneck_model.h"
#include "scenes/cycle_pick.h"

namespace speclens {
namespace {

class BottleneckScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kBottleneckBeats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("bottleneck");
        const BottleneckModel model = bottleneck_model(input, state_);
        const BottleneckDraw d{input, model, state_, ui, out};
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, bottleneck_title(model));
            draw_stage(d);
            ui.pop_clip();
        }
        draw_story(input, ui, bottleneck_story(input, model, state_), out);
        draw_bottleneck_details(d);
        draw_bottleneck_controls(d);
        keys(d);
        if (input.still && models_loaded(input) && !input.passes) out.push_back(Command{MeasurePasses{}});
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        return bottleneck_description(input, bottleneck_model(input, state_), state_);
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Mark a wider, narrower pass"}, {"M", "Time passes"}};
    }

  private:
    static void draw_stage(const BottleneckDraw& d) {
        const ui::Rect stage = d.input.stage;
        const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
        if (!d.model.measured()) {
            ui::slot(d.ui.canvas, d.ui.theme, {x, top, w, std::min(240.0F, bottom - top)},
                     "the time of passes over 1 to 64 tokens will stand here");
            return;
        }
        constexpr float kBus = 92, kLanes = 128;
        const float room = bottom - top;
        const bool lanes = !d.input.presenter && room > kLanes + 240,
                   bus = room > kBus + (lanes ? kLanes : 0) + 220;
        if (bus) draw_bottleneck_bus(d, {x, top, w, kBus});
        const float y = top + (bus ? kBus : 0);
        draw_bottleneck_charts(d, {x, y, w, bottom - y - (lanes ? kLanes + 20 : 0)});
        if (lanes) draw_bottleneck_lanes(d, {x, bottom - kLanes, w, kLanes});
    }

    static void keys(const BottleneckDraw& d) {
        if (models_loaded(d.input) && d.ui.take_key(ui::Key::m)) d.out.push_back(Command{MeasurePasses{}});
        if (!d.model.measured()) return;
        const auto& passes = d.model.times->passes;
        const auto here = std::ranges::find(passes, d.model.marked, &PassTime::rows);
        if (d.ui.take_key(ui::Key::up) && here + 1 != passes.end()) d.state.rows = (here + 1)->rows;
        if (d.ui.take_key(ui::Key::down) && here != passes.begin()) d.state.rows = (here - 1)->rows;
    }

    BottleneckState state_;
};

} // namespace

std::unique_ptr<Scene> make_bottleneck() {
    return std::make_unique<BottleneckScene>();
}

} // namespace speclens
