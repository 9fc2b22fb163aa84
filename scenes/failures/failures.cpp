// Scene S14, when it fails: load and uncertainty.
#include <algorithm>

#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"

namespace speclens {
namespace {

class FailuresScene final : public UndoScene<FailuresScene, FailuresState> {
  public:
    static constexpr const char* kName = "failures";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kFailuresBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const FailuresModel model = failures_model(input, state_);
        const bool game = plays(input, state_);
        const DiagnosisModel diagnosis = game ? diagnosis_model(input, state_.diagnosis) : DiagnosisModel{};
        const FailuresDraw d{input, model, state_, ui, out, game ? &diagnosis : nullptr};
        draw_titled(input, ui, game ? diagnosis_title(diagnosis) : failures_title(input, model), [&] {
            const ui::Rect area{input.stage.x + 24, input.stage.y + 88, input.stage.w - 48, input.stage.h - 96};
            game ? draw_diagnosis(ui, area, diagnosis, state_.diagnosis) : draw_pictures(d, area);
        });
        draw_story(input, ui, failures_story(input, model, d.diagnosis), out);
        draw_beside(d, draw_failures_details, draw_failures_controls);
        keys(d);
        history_.follow(state_, ui.state.active != 0);
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        std::vector<Measurement> lacking;
        const bool game = input.still && plays(input, state_);
        if (!game && !input.passes && models_loaded(input) && failures_model(input, state_).untimed.empty())
            lacking.push_back({.name = "passes", .ask = MeasurePasses{}, .beat = 1});
        const RunStudy study = diagnosis_study(diagnosis_patients(input));
        if (lacks(study, study_named(input, kDiagnosisStudy)))
            lacking.push_back({.name = study.name, .ask = study, .beat = kFailuresBeats - 1, .pictured = game ? 0 : kFailuresBeats});
        return lacking;
    }

    KeyRows keys() const override {
        return {{"↑ ↓", failures_says("keys.up_down"_t)},
                {"1 … 6", failures_says("keys.digits"_t)},
                {"M", failures_says("keys.m"_t)},
                {"B", failures_says("keys.b"_t)},
                {"N", failures_says("keys.n"_t)}};
    }

  private:
    static void draw_pictures(const FailuresDraw& d, ui::Rect area) {
        const SceneInput& input = d.input;
        const bool bars = tells_in_bars(input.beat);
        if (bars && input.presenter) // one picture for a room
            return input.beat == kUnsureBeat && !d.model.bins.empty() ? draw_entropy(d, area)
                                                                      : draw_loss_bars(d, area, loss_of_beat(input.beat));
        constexpr float kApart = 40;
        // The last: the map in place of the game. In large type its figures need the room.
        const float left = area.w * (bars || input.presenter ? 0.6F : 0.55F);
        const ui::Rect first{area.x, area.y, left, area.h}, beside{area.x + left + kApart, area.y, area.w - left - kApart, area.h};
        const auto dim_but = [&](ui::Rect r, bool focus) {
            if (!focus) dim(d.ui, {r.x - 8, r.y - 4, r.w + 16, r.h + 8});
        };
        const auto focus = [&](auto part) { return failures_says.focus(input.beat, part); };
        if (!bars) {
            draw_load_map(d, first);
            draw_beside_map(d, beside);
        } else if (draw_loss_bars(d, first, loss_of_beat(input.beat)); input.beat == kSharedBeat) {
            draw_load_map(d, beside);
            tell_entropy(d, beside);
        } else {
            draw_entropy(d, beside);
            tell_load_map(d, beside);
        }
        dim_but(first, bars ? focus("bars"_part) : focus("map"_part));
        dim_but(beside, !bars ? focus("beside"_part) : input.beat == kSharedBeat ? focus("map"_part) : focus("entropy"_part));
    }

    void keys(const FailuresDraw& d) {
        const SceneInput& input = d.input;
        ui::Ui& ui = d.ui;
        const int step = (ui.take_key(ui::Key::down) ? 1 : 0) - (ui.take_key(ui::Key::up) ? 1 : 0);
        if (ui.take_key(ui::Key::n)) state_.game = d.diagnosis == nullptr, state_.beat = input.beat;
        if (const DiagnosisModel* const game = d.diagnosis) {
            if (step != 0)
                state_.diagnosis.shown = std::clamp(game->shown + step, 0, std::max(0, static_cast<int>(game->cases.size()) - 1));
            // What named no cause, before a set-up ran or after it was solved, must not choose a drafter.
            for (int digit = 1; digit <= 9; ++digit)
                while (ui.take_key(static_cast<ui::Key>(static_cast<int>(ui::Key::d0) + digit))) {
                }
            const RunStudy study = diagnosis_study(game->patients);
            if (ui.take_key(ui::Key::m) && !study.runs.empty() && !game->measuring) {
                state_.diagnosis = {};
                d.out.push_back(Command{study});
            }
            return;
        }
        if (step != 0 && shows_map(input.beat)) state_.row = std::clamp(d.model.row + step, 0, kMostBusy);
        if (models_loaded(input) && d.model.untimed.empty() && ui.take_key(ui::Key::m)) d.out.push_back(Command{MeasurePasses{}});
        if (ui.take_key(ui::Key::b) && load_problem(input, d.model).empty()) d.out.push_back(Command{batch_to_decode(input)});
    }
};

} // namespace

std::unique_ptr<Scene> make_failures() { return std::make_unique<FailuresScene>(); }

} // namespace speclens
