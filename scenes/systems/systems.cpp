// Scene S15, systems: the cache that is rewound, the wire between draft and target, and who chooses K.
#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/systems/adaptive_draw.h"
#include "scenes/systems/audits_draw.h"
#include "scenes/systems/block_tables.h"
#include "scenes/systems/systems_draw.h"
#include "scenes/systems/workers_draw.h"

namespace speclens {
namespace {

class SystemsScene final : public UndoScene<SystemsScene, SystemsState> {
  public:
    static constexpr const char* kName = "systems";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kSystemsBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const SystemsModel model = systems_model(input, state_);
        const SystemsDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, systems_title(input, model), [&] { draw_stage(d); });
        tell_numbers(d);
        draw_story(input, ui, systems_story(input, model), out);
        draw_beside(d, draw_systems_details, draw_systems_controls);
        const int step = (ui.take_key(ui::Key::up) ? 1 : 0) - (ui.take_key(ui::Key::down) ? 1 : 0);
        if (step != 0 && input.beat == kTablesBeat)
            turn_film(model, step);
        else if (step != 0)
            state_.wire.k = std::clamp(state_.wire.k + step, 1, kMostGuesses);
        if (ui.take_key(ui::Key::b) && batch_refused(input).empty()) out.push_back(Command{batch_asked(input, state_)});
        history_.follow(state_, ui.state.active != 0);
    }

    KeyRows keys() const override { return {{"↑ ↓", systems_says("keys.up_down"_t)}, {"B", systems_says("keys.b"_t)}}; }

    // Batches that are being decoded, or were, have both. A target elsewhere has draft workers instead, and somebody's server: nobody asks
    // it by turning a page.
    std::vector<Measurement> missing(const SceneInput& input) const override {
        if ((input.load && input.load->film) || is_elsewhere(input) || !batch_problem(input).empty()) return {};
        MeasureLoad ask = batch_asked(input, state_);
        ask.texts.clear(); // what is shown here, without batches of many sizes
        return {{.name = "block tables", .ask = ask, .beat = kTablesBeat, .pictured = kChoosersBeat + 1}};
    }

  private:
    void turn_film(const SystemsModel& model, int step) {
        if (model.film)
            state_.film_round = std::clamp(static_cast<int>(model.film_round) + step, 0, static_cast<int>(model.film->rounds.size()) - 1);
    }
    // Of whatever is drawn and not written, and of what another beat draws: a description is whole.
    static void tell_numbers(const SystemsDraw& d) {
        if (!d.ui.canvas.collects()) return; // nobody listens, and there are many
        tell_run(d);
        if (d.model.film) tell_block_tables(d);
        if (d.model.adaptive) tell_adaptive(d);
        if (d.model.pool || d.input.beat == kWorkersBeat) tell_workers(d);
    }
    static void draw_stage(const SystemsDraw& d) {
        const ui::Rect stage = d.input.stage;
        const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8, gap = 36;
        const float lower = bottom - top > 380 ? std::max(150.0F, (bottom - top) * 0.42F) : 0,
                    upper = bottom - top - (lower > 0 ? lower + 20 : 0), half = (w - gap) / 2;
        const ui::Rect whole{x, top, w, bottom - top};
        if (d.input.beat == kTablesBeat && d.model.film) return draw_block_tables(d, whole);
        if (d.input.beat == kTablesBeat) { // until a batch was decoded: the one text that there is
            draw_cache(d, {x, top, half, whole.h});
            return draw_pages(d, {x + half + gap, top, half, whole.h});
        }
        if (d.input.beat == kAuditsBeat) return draw_audits(d, whole);
        if (d.input.beat == kChoosersBeat && d.model.adaptive) return draw_adaptive(d, whole);
        if (d.input.beat == kWorkersBeat) return draw_workers(d, whole);
        if (d.input.beat == kChoosersBeat || (lower <= 0 && d.input.beat == kControllerBeat)) return draw_controllers(d, whole);
        draw_cache(d, {x, top, half, upper});
        const float wire = d.model.measured.any() ? 198 : 164; // a lane more
        draw_wire(d, {x + half + gap, top, half, std::min(upper, wire)});
        draw_pages(d, {x + half + gap, top + wire, half, upper - wire});
        if (lower > 0) draw_controllers(d, {x, bottom - lower, w, lower});
    }
};

} // namespace

std::unique_ptr<Scene> make_systems() { return std::make_unique<SystemsScene>(); }

} // namespace speclens
