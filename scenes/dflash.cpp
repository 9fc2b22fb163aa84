// Scene S8, DFlash: one pass drafts the block. Who sees whom, what a guess more costs, what the target's
// states are worth; both measured on demand.
#include <algorithm>
#include <array>

#include "app/ui/text_layout.h"
#include "scenes/cycle_pick.h"
#include "scenes/dflash_model.h"
#include "scenes/run_controls.h"

namespace speclens {

void draw_dflash_controls(const DFlashDraw& d) {
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
    const int n = d.model.guesses();
    ui::Rect at = place(124);
    ui::field_label(ui, at, "Position");
    const std::string shown = std::to_string(d.model.selected + 1) + " of " + std::to_string(n);
    if (const auto to = ui::stepper(
            ui, "position", at, d.model.selected + 1,
            {.low = 1, .high = static_cast<double>(n), .text = shown, .tooltip = "Up and down keys"}))
        d.out.push_back(Select{Position{d.model.cycle->cycle, static_cast<int>(*to) - 1}});
    at = place(112);
    ui::field_label(ui, at, "Guesses K");
    if (d.input.settings)
        if (const auto k =
                ui::stepper(ui, "k", at, d.input.settings->k, {.low = 1, .high = 15, .disabled = off}))
            d.out.push_back(Command{Restart{with_draft_length(*d.input.settings, static_cast<int>(*k))}});
    const std::array<std::string, 2> states = {"on", "off"};
    at = place(ui::segmented_width(ui.canvas, states));
    ui::field_label(ui, at, "States");
    if (const auto pick = ui::segmented(ui, "states", {at.x, at.y}, states, d.model.conditioned ? 0 : 1, off);
        pick && d.input.settings && (*pick == 0) != d.model.conditioned) {
        RunSettings settings = *d.input.settings;
        settings.options.conditioning = *pick == 0;
        d.out.push_back(Command{Restart{std::move(settings)}});
    }
    const auto measure = [&](const char* id, const char* label, const char* words, const char* key,
                             const RunStudy& study) {
        const Study* now = study_named(d.input, study.name);
        const std::string why = !off.empty()              ? off
                                : study.runs.empty()      ? "None of these drafters is loaded"
                                : now && !now->complete() ? "Measuring now"
                                                          : "";
        const ui::Rect box = place(std::min(168.0F, r.right() - 24 - x));
        if (box.w < 96) return;
        ui::field_label(ui, box, label);
        if (ui::button(ui, id, box, words, {.shortcut = key, .disabled = why}))
            d.out.push_back(Command{study});
    };
    measure("times", "Draft times", "Measure", "M", time_study(d.input));
    measure("conditioning", "States on and off", "Measure", "C", conditioning_study(d.input));
}

namespace {

class DFlashScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kDFlashBeats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const DFlashModel model = dflash_model(input);
        const DFlashDraw d{input, model, ui, out};
        const bool empty = model.empty != DFlashModel::Empty::no;
        ui.push_id("dflash");
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_stage_title(input, ui, dflash_title(input, model));
            if (empty)
                draw_other_drafter(input, ui,
                                   {"dflash", "DFlash", dflash_empty_words(model),
                                    model.empty == DFlashModel::Empty::other_drafter},
                                   out);
            else
                draw_stage(d);
            ui.pop_clip();
        }
        draw_story(input, ui, dflash_story(input, model), out);
        if (empty) {
            if (input.details.w > 0)
                ui::paragraph(ui.canvas, {input.details.x + 24, input.details.y + 32}, input.details.w - 48,
                              "Acceptance by position will be drawn here.", {.color = ui.theme.muted});
            draw_run_controls(input, ui, out);
        } else {
            draw_dflash_details(d);
            draw_dflash_controls(d);
            keys(d);
            if (input.still) // a picture measures at once what the window measures on demand
                for (const RunStudy& study : {time_study(input), conditioning_study(input)})
                    if (!study.runs.empty() && !study_named(input, study.name)) out.push_back(Command{study});
        }
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        return dflash_description(input, dflash_model(input));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Previous, next position"},
                {"M", "Measure draft times"},
                {"C", "Measure with and without the target's states"}};
    }

  private:
    static void draw_stage(const DFlashDraw& d) {
        const ui::Rect stage = d.input.stage;
        const float end = draw_dflash_block(d, stage.y + 84);
        const float top = end + 22, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 10.5F}, {stage.right() - 24, end + 10.5F},
                         d.ui.theme.hairline());
        if (h < 110) return;
        const float w = stage.w - 48, left = std::min(440.0F, w * 0.46F);
        draw_dflash_masks(d, {stage.x + 24, top, left, h});
        draw_dflash_times(d, {stage.x + 24 + left + 28, top, w - left - 28, h});
    }

    static void keys(const DFlashDraw& d) {
        using ui::Key;
        const int last = d.model.guesses() - 1, at = d.model.selected;
        const auto choose = [&](int i) {
            d.out.push_back(Select{Position{d.model.cycle->cycle, std::clamp(i, 0, last)}});
        };
        if (d.ui.take_key(Key::up)) choose(at - 1);
        if (d.ui.take_key(Key::down)) choose(at + 1);
        if (!models_loaded(d.input)) return;
        const auto run = [&](const RunStudy& study) {
            if (!study.runs.empty()) d.out.push_back(Command{study});
        };
        if (d.ui.take_key(Key::m)) run(time_study(d.input));
        if (d.ui.take_key(Key::c)) run(conditioning_study(d.input));
    }
};

} // namespace

std::unique_ptr<Scene> make_dflash() {
    return std::make_unique<DFlashScene>();
}

} // namespace speclens
