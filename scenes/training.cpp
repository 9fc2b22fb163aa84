// Scene S10, training the drafters: the recipe's own experiments, runs that differ in one thing.
#include <algorithm>

#include "app/ui/tokens.h"
#include "scenes/training_model.h"

namespace speclens {
namespace {

class TrainingScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kTrainingBeats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("training");
        follow_beat(input, state_, beat_);
        const TrainingModel model = training_model(input, state_);
        const TrainingDraw d{input, model, state_, ui, out};
        const bool live = beat_ == kLiveBeat;
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, live ? live_training_title(input) : training_title(model));
            live ? draw_live_training(d) : draw_stage(d);
            ui.pop_clip();
        }
        draw_story(input, ui, training_story(input, model), out);
        live ? draw_live_training_details(d) : draw_training_details(d);
        live ? draw_live_training_controls(d) : draw_training_controls(d);
        if (live) {
            take_live_training_keys(d);
            ui.pop_id();
            return out;
        }
        if (ui.take_key(ui::Key::down))
            state_.arm = std::min(model.arm + 1, static_cast<int>(model.arms.size()) - 1);
        if (ui.take_key(ui::Key::up)) state_.arm = std::max(model.arm - 1, 0);
        if (ui.take_key(ui::Key::y)) state_.sampled = !state_.sampled;
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        TrainingState state = state_;
        int beat = beat_;
        follow_beat(input, state, beat);
        return training_description(input, training_model(input, state), state);
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Previous, next arm"},
                {"Y", "Served at T = 0 or .7"},
                {"M", "Last beat: train heads"},
                {"U", "Last beat: use them"}};
    }

  private:
    // A beat brings its experiment along once; afterwards the user may choose another.
    static void follow_beat(const SceneInput& input, TrainingState& state, int& beat) {
        if (input.beat == beat) return;
        beat = input.beat;
        const std::string study = study_of_beat(beat);
        if (study.empty()) return;
        state.study = study;
        state.arm = beat == 2 ? 2 : 0;
    }

    static void draw_stage(const TrainingDraw& d) {
        const ui::Rect stage = d.input.stage;
        const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
        if (!d.model.study) {
            ui::slot(d.ui.canvas, d.ui.theme, {x, top, w, std::min(240.0F, bottom - top)},
                     "curves of training runs would stand here");
            return;
        }
        const float arms = std::min(training_arms_height(d.model), (bottom - top) * 0.5F),
                    charts = bottom - top - arms - 20, gap = 32;
        const float half = (w - gap) / 2;
        if (charts > 150) {
            draw_training_curves(d, {x, top, half, charts});
            draw_training_acceptance(d, {x + half + gap, top, half, charts});
        }
        draw_training_arms(d, {x, bottom - arms, w, arms});
    }

    TrainingState state_;
    int beat_ = -1;
};

} // namespace

std::unique_ptr<Scene> make_training() {
    return std::make_unique<TrainingScene>();
}

} // namespace speclens
