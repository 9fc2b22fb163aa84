// Scene S14, when it fails: load and uncertainty.
#include <algorithm>
#include <iterator>

#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/history.h"
#include "scenes/shared/measure_charts.h"
#include "ui/format.h"

namespace speclens {
namespace {

// The times of a set-up say little without that of a plain pass.
StageTitle game_title(const SceneInput& input, const DiagnosisModel& diagnosis) {
    StageTitle title = diagnosis_title(diagnosis);
    if (diagnosis.cases.empty()) return title;
    double plain = 0; // the one that the speed-ups are counted by
    if (const Study* study = study_named(input, kDiagnosisStudy))
        for (const StudyPoint& point : study->points)
            if (point.settings.drafter == kNoDrafter) plain = point.verify_ms;
    if (plain > 0) title.subtitle += failures_says("game.plain_pass"_t, "ms"_v = ui::number(plain, 2));
    return title;
}

class FailuresScene final : public Scene {
  public:
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kFailuresBeats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("failures");
        const FailuresModel model = failures_model(input, state_);
        const bool game = plays(input, state_);
        const DiagnosisModel diagnosis = game ? diagnosis_model(input, state_.diagnosis) : DiagnosisModel{};
        const FailuresDraw d{input, model, state_, ui, out, game ? &diagnosis : nullptr};
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, game ? game_title(input, diagnosis) : failures_title(input, model));
            const ui::Rect area{input.stage.x + 24, input.stage.y + 88, input.stage.w - 48, input.stage.h - 96};
            const float gap = 40, left = area.w * 0.6F;
            const auto focus = [&](auto part) { return failures_says.focus(input.beat, part); };
            const auto around = [](ui::Rect r) { return ui::Rect{r.x - 8, r.y - 4, r.w + 16, r.h + 8}; };
            if (game) {
                draw_diagnosis(ui, area, diagnosis, state_.diagnosis);
            } else if (input.presenter && tells_in_bars(input.beat)) { // one picture for a room
                input.beat == kUnsureBeat && !model.bins.empty() ? draw_entropy(d, area)
                                                                 : draw_loss_bars(d, area, loss_of_beat(input.beat));
            } else if (!tells_in_bars(input.beat)) {                         // the last: the map in place of the game
                const float map = area.w * (input.presenter ? 0.6F : 0.55F); // in large type its figures need the room
                draw_load_map(d, {area.x, area.y, map, area.h});
                const ui::Rect beside{area.x + map + gap, area.y, area.w - map - gap, area.h};
                draw_beside_map(d, beside);
                if (!focus("map"_part)) dim(ui, around({area.x, area.y, map, area.h}));
                if (!focus("beside"_part)) dim(ui, around(beside));
            } else {
                draw_loss_bars(d, {area.x, area.y, left, area.h}, loss_of_beat(input.beat));
                const ui::Rect beside{area.x + left + gap, area.y, area.w - left - gap, area.h};
                if (input.beat == kSharedBeat)
                    draw_load_map(d, beside);
                else
                    draw_entropy(d, beside);
                if (!focus("bars"_part)) dim(ui, around({area.x, area.y, left, area.h}));
                if (!(input.beat == kSharedBeat ? focus("map"_part) : focus("entropy"_part))) dim(ui, around(beside));
            }
            ui.pop_clip();
        }
        draw_story(input, ui, failures_story(input, model, d.diagnosis), out);
        draw_failures_details(d);
        draw_failures_controls(d);
        const int step = (ui.take_key(ui::Key::down) ? 1 : 0) - (ui.take_key(ui::Key::up) ? 1 : 0);
        if (ui.take_key(ui::Key::n)) state_.game = !game, state_.beat = input.beat;
        if (game) {
            const int last = std::max(0, static_cast<int>(diagnosis.cases.size()) - 1);
            if (step != 0) state_.diagnosis.shown = std::clamp(diagnosis.shown + step, 0, last);
            // What named no cause, before a set-up ran or after it was solved, must not choose a drafter.
            for (int digit = 1; digit <= 9; ++digit)
                while (ui.take_key(static_cast<ui::Key>(static_cast<int>(ui::Key::d0) + digit))) {
                }
            const RunStudy study = diagnosis_study(diagnosis.patients);
            if (ui.take_key(ui::Key::m) && !study.runs.empty() && !diagnosis.measuring) {
                state_.diagnosis = {};
                out.push_back(Command{study});
            }
        } else {
            if (step != 0 && shows_map(input.beat))
                state_.row = std::clamp(model.row + step, 0, static_cast<int>(std::size(kRequests)) - 1);
            const bool possible = models_loaded(input) && model.untimed.empty();
            if (possible && ui.take_key(ui::Key::m)) out.push_back(Command{MeasurePasses{}});
            if (ui.take_key(ui::Key::b) && load_problem(input, model).empty()) out.push_back(Command{batch_to_decode(input)});
        }
        history_.follow(state_, ui.state.active != 0);
        ui.pop_id();
        return out;
    }

    bool can_take_back(bool forward) const override { return history_.can(forward); }
    void take_back(bool forward) override { state_ = history_.take(forward).value_or(state_); }

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

    std::string describe(const SceneInput& input) const override {
        const FailuresModel model = failures_model(input, state_);
        if (!plays(input, state_)) return failures_description(input, model);
        const DiagnosisModel diagnosis = diagnosis_model(input, state_.diagnosis);
        return diagnosis_description(diagnosis) + "\n" + describe_story(input, failures_story(input, model, &diagnosis));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Fewer, more requests; in the game: another set-up"},
                {"1 … 6", "In the game: name the cause"},
                {"M", "Time passes; in the game: run the set-ups"},
                {"B", "Decode batches of up to 16 texts: measured cells of the map"},
                {"N", "What is wrong here? The game, or the map again"}};
    }

  private:
    FailuresState state_;
    ControlHistory<FailuresState> history_;
};

} // namespace

std::unique_ptr<Scene> make_failures() { return std::make_unique<FailuresScene>(); }

} // namespace speclens
