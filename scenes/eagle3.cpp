// Scene S7, EAGLE-3: one layer continues the target's features, one pass for every guess. What a pass costs,
// how far the head's own features drift from the true ones, and how often each position stays.
#include <algorithm>

#include "app/ui/text_layout.h"
#include "scenes/cycle_pick.h"
#include "scenes/eagle3_model.h"
#include "scenes/run_controls.h"
#include "scenes/words.h"

namespace speclens {

void draw_eagle3_details(const Eagle3Draw& d) {
    const ui::Rect r = d.input.details;
    if (r.w <= 0) return;
    const float x = r.x + 24, right = r.right() - 24;
    ui::fitted_text(d.ui.canvas, {x, r.y + 32}, "Acceptance by position, this run", ui::Font::text_bold, 15,
                    d.ui.theme.ink, right - x);
    const AcceptanceSeries all = acceptance_of(*d.input.whole, "this run");
    if (all.judged.empty()) {
        ui::paragraph(d.ui.canvas, {x, r.y + 64}, right - x, "No guess has been judged yet.",
                      {.color = d.ui.theme.muted});
        return;
    }
    if (r.h > 150) draw_acceptance(d.ui, {x, r.y + 48, right - x, r.h - 48 - 44}, std::span(&all, 1));
    ui::fitted_text(d.ui.canvas, {x, r.bottom() - 20},
                    "share that stays when all before it stayed; " + counted(all.judged[0], "round"),
                    ui::Font::text, 14, d.ui.theme.muted, right - x);
}

void draw_eagle3_controls(const Eagle3Draw& d) {
    const ui::Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    float x = r.x + 24;
    const float y = r.y + 36;
    const auto place = [&](float w) {
        const ui::Rect at{x, y, w, 36};
        x += w + 16;
        return at;
    };
    const std::string off = models_loaded(d.input) ? "" : "No models are loaded: this run was saved earlier";
    const int n = d.model.steps();
    ui::Rect at = place(124);
    ui::field_label(ui, at, "Step");
    const std::string shown = std::to_string(d.model.selected + 1) + " of " + std::to_string(n);
    if (const auto to = ui::stepper(
            ui, "step", at, d.model.selected + 1,
            {.low = 1, .high = static_cast<double>(n), .text = shown, .tooltip = "Up and down keys"}))
        d.out.push_back(Select{Position{d.model.cycle->cycle, static_cast<int>(*to) - 1}});
    at = place(220);
    const int k = d.input.settings ? d.input.settings->k : n;
    ui::field_label(ui, at, "Guesses γ: " + std::to_string(k));
    if (const auto to =
            ui::slider(ui, "gamma", {at.x, at.y + 8, at.w, 20}, k, 1, 15, {.step = 1, .disabled = off});
        to && d.input.settings) {
        const int wanted = std::clamp(static_cast<int>(*to + 0.5), 1, 15);
        if (wanted != k) d.out.push_back(Command{Restart{with_draft_length(*d.input.settings, wanted)}});
    }
    const RunStudy study = time_study(d.input);
    const Study* now = study_named(d.input, study.name);
    const std::string why = !off.empty()              ? off
                            : study.runs.empty()      ? "None of these drafters is loaded"
                            : now && !now->complete() ? "Measuring now"
                                                      : "";
    at = place(std::min(168.0F, r.right() - 24 - x));
    if (at.w < 96) return;
    ui::field_label(ui, at, "Draft times");
    if (ui::button(ui, "times", at, "Measure", {.shortcut = "M", .disabled = why}))
        d.out.push_back(Command{study});
}

namespace {

class Eagle3Scene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kEagle3Beats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const Eagle3Model model = eagle3_model(input);
        const Eagle3Draw d{input, model, ui, out};
        const bool empty = model.empty != Eagle3Model::Empty::no;
        ui.push_id("eagle3");
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, eagle3_title(input, model));
            if (empty)
                draw_other_drafter(input, ui,
                                   {"eagle3", "EAGLE-3", eagle3_empty_words(model),
                                    model.empty == Eagle3Model::Empty::other_drafter},
                                   out);
            else
                draw_stage(d);
            ui.pop_clip();
        }
        draw_story(input, ui, eagle3_story(input, model), out);
        if (empty) {
            if (input.details.w > 0)
                ui::paragraph(ui.canvas, {input.details.x + 24, input.details.y + 32}, input.details.w - 48,
                              "Acceptance by position will be drawn here.", {.color = ui.theme.muted});
            draw_run_controls(input, ui, out);
        } else {
            draw_eagle3_details(d);
            draw_eagle3_controls(d);
            keys(d);
            const RunStudy study = time_study(input);
            if (input.still && !study.runs.empty() && !study_named(input, study.name))
                out.push_back(Command{study});
        }
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        return eagle3_description(input, eagle3_model(input));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Previous, next step"}, {"M", "Measure draft times"}};
    }

  private:
    static void draw_stage(const Eagle3Draw& d) {
        const ui::Rect stage = d.input.stage;
        const float end = draw_eagle3_steps(d, stage.y + 88);
        const float top = end + 20, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 9.5F}, {stage.right() - 24, end + 9.5F}, d.ui.theme.hairline());
        if (h < 80) return;
        const float w = stage.w - 48, left = w * 0.58F;
        draw_eagle3_clock(d, {stage.x + 24, top, left, h});
        draw_eagle3_errors(d, {stage.x + 24 + left + 28, top, w - left - 28, h});
    }

    static void keys(const Eagle3Draw& d) {
        using ui::Key;
        const int last = d.model.steps() - 1, at = d.model.selected;
        const auto choose = [&](int i) {
            d.out.push_back(Select{Position{d.model.cycle->cycle, std::clamp(i, 0, last)}});
        };
        if (d.ui.take_key(Key::up)) choose(at - 1);
        if (d.ui.take_key(Key::down)) choose(at + 1);
        const RunStudy study = time_study(d.input);
        if (!study.runs.empty() && d.ui.take_key(Key::m)) d.out.push_back(Command{study});
    }
};

} // namespace

std::unique_ptr<Scene> make_eagle3() {
    return std::make_unique<Eagle3Scene>();
}

} // namespace speclens
