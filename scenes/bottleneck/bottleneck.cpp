// Scene S1, the decode bottleneck: why a pass over several tokens costs little more than one over a single
// token, measured with the loaded model.
#include <algorithm>

#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class BottleneckScene final : public MessageScene<BottleneckScene> {
  public:
    static constexpr const char* kName = "bottleneck";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kBottleneckBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        if (input.beat != state_.answered) state_.answered = -1; // the next room is asked again
        const BottleneckModel model = bottleneck_model(input, state_);
        const BottleneckDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, bottleneck_title(model), [&] { draw_stage(d); });
        draw_story(input, ui, bottleneck_story(input, model, state_), out);
        draw_beside(d, draw_bottleneck_details, draw_bottleneck_controls);
        keys(d);
        if (std::ranges::any_of(out, measures)) state_.answered = input.beat;
    }

    // Asked for while the room votes, so that the answer is there with the next beat; the question stays open.
    std::vector<Measurement> missing(const SceneInput& input) const override {
        const BottleneckModel model = bottleneck_model(input, state_);
        std::vector<Measurement> lacking;
        if (!can_measure(input, model)) return lacking;
        constexpr int kAnswerBeat = kQuestionBeat + 1;
        if (!input.passes) lacking.push_back({.name = "passes", .ask = measure_both(), .beat = kAnswerBeat, .pictured = kAnswerBeat});
        if (!input.passes_forms && (input.still || can_measure_forms(input, model)))
            lacking.push_back({.name = "forms", .ask = measure_forms(), .beat = kFormsBeat, .pictured = kFormsBeat});
        return lacking;
    }

    KeyRows keys() const override {
        return {{"↑ ↓", bottleneck_says("keys.up_down"_t)}, {"M", bottleneck_says("keys.m"_t)}, {"B", bottleneck_says("keys.b"_t)}};
    }

  private:
    static bool measures(const SceneCommand& command) {
        const auto* sent = std::get_if<Command>(&command);
        return sent && std::holds_alternative<MeasurePasses>(*sent);
    }

    static void draw_stage(const BottleneckDraw& d) {
        const ui::Rect stage = d.input.stage;
        const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
        const ui::Rect all{x, top, w, bottom - top};
        if (!d.model.shown) return d.model.asks ? draw_bottleneck_question(d, all) : draw_bottleneck_walk(d, all);
        if (!d.model.measured()) {
            ui::slot(d.ui.canvas, d.ui.theme, {x, top, w, std::min(240.0F, bottom - top)},
                     bottleneck_says("stage.none"_t, "untimed"_v = d.model.untimed));
            return;
        }
        constexpr float kBus = 92, kLanes = 128;
        const float room = bottom - top;
        const bool lanes = !d.input.presenter && room > kLanes + 240, bus = room > kBus + (lanes ? kLanes : 0) + 220;
        if (bus) draw_bottleneck_bus(d, {x, top, w, kBus});
        const float y = top + (bus ? kBus : 0);
        const float h = bottom - y - (lanes ? kLanes + 20 : 0), facts = std::min(440.0F, w * 0.42F);
        draw_bottleneck_chart(d, {x, y, w - facts - 32, h});
        draw_bottleneck_facts(d, {x + w - facts, y, facts, h});
        if (!lanes) return;
        const ui::Rect below{x, bottom - kLanes, w, kLanes};
        if (d.model.forms.empty()) return draw_bottleneck_lanes(d, below);
        draw_bottleneck_forms(d, below);
    }

    static void keys(const BottleneckDraw& d) {
        if (can_measure(d.input, d.model) && d.ui.take_key(ui::Key::m)) d.out.push_back(measure_both());
        if (can_measure_forms(d.input, d.model) && d.ui.take_key(ui::Key::b)) measure_and_show_forms(d.out);
        if (d.model.asks) {
            const int last = static_cast<int>(std::size(kSayings)) - 1;
            int& said = d.state.said;
            if (d.ui.take_key(ui::Key::down)) said = std::min(said + 1, last);
            if (d.ui.take_key(ui::Key::up)) said = said < 0 ? last : std::max(said - 1, 0);
        }
        if (!d.model.shown || !d.model.measured()) return;
        const auto& passes = d.model.focus->passes;
        const auto here = std::ranges::find(passes, d.model.marked, &PassTime::rows);
        if (d.ui.take_key(ui::Key::up) && here + 1 != passes.end()) d.state.rows = (here + 1)->rows;
        if (d.ui.take_key(ui::Key::down) && here != passes.begin()) d.state.rows = (here - 1)->rows;
    }

    BottleneckState state_;
};

} // namespace

std::unique_ptr<Scene> make_bottleneck() { return std::make_unique<BottleneckScene>(); }

} // namespace speclens
