// Scene S8, DFlash: one pass drafts the block. Who sees whom, what a guess more costs, what the target's
// states are worth; both measured on demand.
#include <algorithm>

#include "scenes/dflash/dflash_draw.h"
#include "scenes/dflash/dflash_long.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/second_draw.h"

namespace speclens {
namespace {

class DFlashScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kDFlashBeats; }

    std::optional<Position> example(const SceneInput& input) const override {
        const bool runs = input.whole->header && input.whole->header->drafter == "dflash";
        if (!runs || !dflash_says.criterion(input.beat, "blind refusal"_part)) return {};
        return go_to_example(input, blind_refusal());
    }

    std::vector<SceneCommand> draw(const SceneInput& run, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const OtherRound round(run, "dflash");
        const SceneInput& input = round.seen();
        other_round_.ask(round, run, out);
        const DFlashModel model = dflash_model(input);
        const DFlashDraw d{input, model, ui, out};
        shown_ = ShownHead(model);
        ui.push_id("dflash");
        draw_head_scene(
            run, input, ui,
            {"dflash", "DFlash", model, dflash_title(input, model), dflash_story(input, model), dflash_empty_words(model), "",
             "Acceptance by position"},
            [&] { draw_stage(d); }, out);
        if (model.empty == HeadModel::Empty::no) {
            if (!round.here()) {
                again_.update(input, ui, model, input.beat == kDFlashTwiceBeat, out);
                const std::optional<SecondDraw> twice = again_.shown() ? second_draw(input, model) : std::nullopt;
                twice ? draw_second_draw(input, ui, *twice) : draw_dflash_details(d);
                draw_dflash_controls(d);
                // One beat ahead: the answer is there when its beat is.
                if (dflash_says.criterion(input.beat, "blind refusal"_part) || dflash_says.criterion(input.beat + 1, "blind refusal"_part))
                    search_.ask(input, blind_refusal(), out);
            }
            keys(d);
        }
        round.keep_place(out);
        ui.pop_id();
        return out;
    }

    std::vector<Measurement> missing(const SceneInput& run) const override {
        const OtherRound round(run, "dflash");
        std::vector<Measurement> lacking;
        if (!shows_or_will(run, dflash_model(round.seen()), "dflash")) return lacking;
        for (const auto& [study, told] :
             {std::pair{time_study(run), kDFlashTimesBeat}, std::pair{conditioning_study(run), kDFlashTimesBeat + 1}})
            if (lacks(study, study_named(run, study.name))) lacking.push_back({.name = study.name, .ask = study, .beat = told});
        return lacking;
    }

    std::string describe(const SceneInput& input) const override {
        const OtherRound round(input, "dflash");
        return dflash_description(round.seen(), dflash_model(round.seen()));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return working_keys(shown_, "DFlash",
                            {{"↑ ↓", "Previous, next position"},
                             {"W", "Draw this guess again after another one"},
                             {"M", "Measure draft times"},
                             {"C", "Measure with and without the target's states"}});
    }

  private:
    ShownHead shown_; // as drawn last
    OtherRoundAsker other_round_;
    ExampleSearch search_;

    static void draw_stage(const DFlashDraw& d) {
        const ui::Rect stage = d.input.stage;
        // For a room, the picture that the sentence is about.
        if (const ui::Rect all{stage.x + 24, stage.y + 88, stage.w - 48, stage.h - 104}; d.input.presenter) {
            if (d.input.beat == kDFlashMasksBeat) return draw_dflash_masks(d, all);
            if (d.input.beat == kDFlashTwiceBeat) return draw_dflash_pairs(d, all);
            if (d.input.beat == kDFlashTimesBeat) return draw_dflash_times(d, all);
            if (d.input.beat == kDFlashLongBeat) return draw_dflash_long(d, all);
            if (d.input.beat == kDFlashConditioningBeat && d.model.instead_of.empty()) {
                draw_dflash_acceptance(d, {all.x, all.y + 12, all.w, all.h - 12});
                return;
            }
        }
        const float end = draw_dflash_block(d, stage.y + 84);
        if (!d.model.taps.empty()) draw_heat_key(d.input, d.ui, dflash_title(d.input, d.model).subtitle);
        const float top = end + 22, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 10.5F}, {stage.right() - 24, end + 10.5F}, d.ui.theme.hairline());
        if (h < 110 || d.input.presenter) return;
        const float w = stage.w - 48, left = std::min(440.0F, w * 0.46F);
        const ui::Rect first{stage.x + 24, top, left, h}, second{stage.x + 24 + left + 28, top, w - left - 28, h};
        const int beat = d.input.beat;
        if (beat == kDFlashTwiceBeat) return draw_dflash_pairs(d, {first.x, top, w, h});
        if (beat == kDFlashLongBeat) {
            draw_dflash_long(d, {first.x, top, w, h});
            return dim(d.ui, {stage.x, stage.y + 76, stage.w, end + 8 - (stage.y + 76)});
        }
        if (beat == kDFlashConditioningBeat && d.model.instead_of.empty())
            draw_dflash_acceptance(d, {first.x, first.y + 14, first.w, first.h - 16});
        else
            draw_dflash_masks(d, first);
        draw_dflash_times(d, second);
        const float under = dflash_distributions_top(stage.y + 84); // the pass that reads the states
        const auto focus = [&](auto part) { return dflash_says.focus(beat, part); };
        if (!focus("pass"_part)) dim(d.ui, {stage.x, stage.y + 76, stage.w, under - (stage.y + 76)});
        if (!focus("distributions"_part)) dim(d.ui, {stage.x, under, stage.w, end + 8 - under});
        if (!focus("masks"_part)) dim(d.ui, {first.x - 8, top - 4, first.w + 16, h + 8});
        if (!focus("times"_part)) dim(d.ui, {second.x - 8, top - 4, second.w + 16, h + 8});
    }

    SecondDrawState again_;

    static void keys(const DFlashDraw& d) {
        using ui::Key;
        take_guess_keys(d.ui, d.model, d.out);
        if (!models_loaded(d.input)) return;
        const auto run = [&](const RunStudy& study) {
            if (!study.runs.empty()) d.out.push_back(Command{study});
        };
        if (d.ui.take_key(Key::m)) run(time_study(d.input));
        if (d.ui.take_key(Key::c)) {
            run(conditioning_study(d.input));
            if (d.model.instead_of.empty()) d.out.push_back(ShowDetails{}); // else the story says it
        }
    }
};

} // namespace

std::unique_ptr<Scene> make_dflash() { return std::make_unique<DFlashScene>(); }

} // namespace speclens
