// Scene S10, training the drafters: the recipe's own experiments, short runs side by side.
#include <algorithm>
#include <utility>

#include "scenes/shared/panel.h"
#include "scenes/training/training_draw.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class TrainingScene final : public UndoScene<TrainingScene, TrainingState> {
  public:
    static constexpr const char* kName = "training";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kTrainingBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        if (follow_beat(input)) history_.accept(state_);
        if (follow_training(input)) history_.accept(state_);
        const TrainingModel model = training_model(input, state_);
        const TrainingDraw d{{input, model, state_, ui, out}, !input.presenter || told_by_lines(beat_)};
        const bool live = beat_ == kLiveBeat;
        draw_titled(input, ui, live ? live_training_title(input, state_) : training_stage_title(input, model),
                    [&] { live ? draw_live_training(d) : draw_stage(d); });
        draw_story(input, ui, training_story(input, model, state_), out);
        draw_beside(d, live ? draw_live_training_details : draw_training_details,
                    live ? draw_live_training_controls : draw_training_controls);
        live ? take_live_training_keys(d) : keys(d);
        history_.follow(state_, ui.state.active != 0);
    }

    KeyRows keys() const override {
        return {{"↑ ↓", training_says("keys.up_down"_t)},
                {"Y", training_says("keys.y"_t)},
                {"M", training_says("keys.m"_t)},
                {"U", training_says("keys.u"_t)}};
    }

  private:
    static void keys(const TrainingDraw& d) {
        if (d.ui.take_key(ui::Key::down)) d.state.choose(std::min(d.model.arm + 1, static_cast<int>(d.model.arms.size()) - 1));
        if (d.ui.take_key(ui::Key::up)) d.state.choose(std::max(d.model.arm - 1, 0));
        if (d.ui.take_key(ui::Key::y)) d.state.sampled = !d.state.sampled;
    }

    // A beat brings its experiment along once; afterwards the user may choose another.
    bool follow_beat(const SceneInput& input) {
        if (std::exchange(beat_, input.beat) == input.beat) return false;
        const std::string study = study_of_beat(beat_);
        if (study.empty()) return false;
        state_.study = study;
        state_.target = own_target(input, study);
        state_.arm = beat_ == kFadingBeat || beat_ == 5 ? 2 : 0; // the base loss that fades; g = 7
        state_.decay.reset();
        return true;
    }

    // The controls show head and steps of the training in the picture, until the user asks for others.
    bool follow_training(const SceneInput& input) {
        std::optional<std::pair<HeadKind, int>> trained;
        if (input.training) trained = {input.training->plan.kind, input.training->plan.steps};
        if (trained == trained_) return false;
        trained_ = trained;
        if (trained) state_.head = trained->first, state_.steps = trained->second;
        return trained.has_value();
    }

    static void draw_stage(const TrainingDraw& d) {
        const ui::Rect stage = d.input.stage;
        const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
        if (!d.model.study) {
            ui::slot(d.ui.canvas, d.ui.theme, {x, top, w, std::min(240.0F, bottom - top)}, training_says("missing.slot"_t));
            return;
        }
        constexpr float kLeastCharts = 168;
        const float room = bottom - top, least = std::min(room, training_arms_height(d.model, true));
        const float arms = std::clamp(room - 20 - kLeastCharts, least, training_arms_height(d.model)), charts = room - arms - 20, gap = 32;
        const float half = (w - gap) / 2;
        tell_training_lines(d);
        if (d.input.presenter) return draw_presented(d, {x, top + 8, w, room - 8});
        if (charts > 150) {
            draw_training_curves(d, {x, top, half, charts});
            draw_training_acceptance(d, {x + half + gap, top, half, charts});
        }
        draw_training_arms(d, {x, bottom - arms, w, arms});
    }

    // Beats whose sentence points at a line.
    static bool told_by_lines(int beat) { return beat == kFadingBeat || beat == kStepsBeat; }

    // For a room: what came out, and the lines that the sentence points at.
    static void draw_presented(const TrainingDraw& d, ui::Rect all) {
        if (!d.lines) return draw_training_arms(d, all);
        const float arms = std::min(training_arms_height(d.model), all.h * 0.5F), lines = all.h - arms - 20;
        const ui::Rect above{all.x, all.y, all.w, lines};
        d.input.beat == kFadingBeat ? draw_training_curves(d, above) : draw_training_acceptance(d, above);
        draw_training_arms(d, {all.x, all.bottom() - arms, all.w, arms});
    }

    int beat_ = -1;
    std::optional<std::pair<HeadKind, int>> trained_;
};

} // namespace

std::unique_ptr<Scene> make_training() { return std::make_unique<TrainingScene>(); }

} // namespace speclens
