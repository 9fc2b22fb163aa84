// Scene S5, what decides the speed-up: tokens of a round against its cost, by draft length. Measured on this
// machine for the prompt and the drafter on screen, or with numbers set by hand.
#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "scenes/speedup/printed_table.h"
#include "scenes/speedup/speedup_draw.h"

namespace speclens {
namespace {

class SpeedupScene final : public UndoScene<SpeedupScene, SpeedupState> {
  public:
    static constexpr const char* kName = "speed-up";
    int beats(const SceneInput&) const override { return kSpeedupBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const SpeedupModel model = speedup_model(input, state_);
        const SpeedupDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, speedup_title(input, model), [&] { draw_stage(d); });
        draw_story(input, ui, speedup_story(input, model), out);
        draw_beside(d, draw_speedup_details, draw_speedup_controls);
        keys(d);
        history_.follow(state_, ui.state.active != 0);
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        const RunStudy study = speedup_study(input);
        if (!lacks(study, study_of(input, study))) return {};
        return {{.name = study.name, .ask = study, .beat = kSpeedupBestBeat}};
    }

    KeyRows keys() const override {
        return {{"↑ ↓", speedup_says("keys.up_down"_t)}, {"M", speedup_says("keys.m"_t)}, {"H", speedup_says("keys.h"_t)}};
    }

  private:
    static void draw_stage(const SpeedupDraw& d) {
        constexpr float kRound = 128;
        const ui::Rect stage = d.input.stage;
        if (printed_table_on_stage(d.input))
            return draw_printed_table(d, {stage.x + 24, stage.y + 72, std::min(stage.w - 48, 720.0F), std::min(stage.h - 80, 460.0F)});
        draw_speedup_formula(d, {stage.x + 24, stage.y + 84}, stage.w - 48);
        const float top = stage.y + 84 + kFormulaHeight, bottom = stage.bottom() - 8;
        const bool round = bottom - top > 240 + kRound;
        const ui::Rect charts{stage.x + 24, top, stage.w - 48, bottom - top - (round ? kRound + 20 : 0)};
        draw_speedup_charts(d, charts);
        if (round) draw_speedup_round(d, {stage.x + 24, bottom - kRound, stage.w - 48, kRound});
        // Left the tokens of a round, right what they are worth, below one round.
        const float half = charts.w / 2;
        const ui::Rect tokens{charts.x - 8, top - 4, half + 8, charts.h + 8}, speed{charts.x + half, top - 4, half + 8, charts.h + 8};
        const int beat = d.input.beat;
        const auto focus = [&](auto part) { return speedup_says.focus(beat, part); };
        if (!focus("tokens"_part)) dim(d.ui, tokens);
        if (!focus("speed"_part)) dim(d.ui, speed);
        if (round && !focus("round"_part)) dim(d.ui, {stage.x, bottom - kRound - 16, stage.w, kRound + 24});
    }

    static void keys(const SpeedupDraw& d) {
        const auto mark = [&](int step) { // the next length of which something is known
            for (int k = d.model.marked + step; k >= 1 && k <= kLongestDraft; k += step)
                if (d.model.known(k)) {
                    d.state.k = k;
                    return;
                }
        };
        if (d.ui.take_key(ui::Key::up)) mark(1);
        if (d.ui.take_key(ui::Key::down)) mark(-1);
        if (d.ui.take_key(ui::Key::h)) {
            d.state.by_hand = !d.state.by_hand;
            if (d.state.by_hand) d.state.levers = d.model.levers;
        }
        const RunStudy study = speedup_study(d.input);
        if (!study.runs.empty() && d.ui.take_key(ui::Key::m)) d.out.push_back(Command{study});
    }
};

} // namespace

std::unique_ptr<Scene> make_speedup() { return std::make_unique<SpeedupScene>(); }

} // namespace speclens
