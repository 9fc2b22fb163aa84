// Scene S8, DFlash: one pass drafts the block. Who sees whom, what a guess more costs, what the target's
// states are worth; both measured on demand.
#include <algorithm>

#include "scenes/dflash/dflash_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/second_draw.h"

namespace speclens {
namespace {

class DFlashScene final : public HeadScene<DFlashScene> {
  public:
    static constexpr const char* kName = "dflash";
    static constexpr bool kBlock = true;
    static constexpr auto kSays = dflash_says;
    static Message details() { return shared_says("charts.kept"_t); }
    static KeyRows own_keys() {
        return {{"↑ ↓", shared_says("keys.positions"_t)},
                {"W", shared_says("keys.again"_t)},
                {"M", shared_says("keys.draft_times"_t)},
                {"C", dflash_says("keys.c"_t)},
                {"H", dflash_says("keys.h"_t)}};
    }
    static DFlashModel model_of(const SceneInput& input) { return dflash_model(input); }
    static StageTitle title(const DFlashDraw& d) { return dflash_title(d.input, d.model); }
    static Story story(const DFlashDraw& d) { return dflash_story(d.input, d.model); }

    std::optional<Position> example(const SceneInput& input) const override {
        const bool runs = input.whole->header && input.whole->header->drafter == kName;
        if (!runs || !dflash_says.criterion(input.beat, "blind refusal"_part)) return {};
        return go_to_example(input, blind_refusal());
    }

    std::vector<Measurement> missing(const SceneInput& run) const override {
        const OtherRound round(run, kName);
        std::vector<Measurement> lacking;
        if (!shows_or_will(run, dflash_model(round.seen()), kName)) return lacking;
        for (const auto& [study, told] :
             {std::pair{time_study(run), kDFlashTimesBeat}, std::pair{conditioning_study(run), kDFlashTimesBeat + 1},
              std::pair{list_study(run), kDFlashListBeat}})
            if (lacks(study, study_named(run, study.name)))
                lacking.push_back({.name = study.name, .ask = study, .beat = told, .pictured = told == kDFlashListBeat ? told : 0});
        return lacking;
    }

    void beside(const DFlashDraw& d) {
        const bool own = d.model.instead_of.empty();
        tell_published(d.ui, d.input.details, *d.input.whole, d.input.figures, own);
        if (own) {
            again_.update(d.input, d.ui, d.model, d.input.beat == kDFlashTwiceBeat, d.out);
            const std::optional<SecondDraw> twice = second_draw(d.input, d.model);
            if (twice) draw_second_draw(d.input, d.ui, *twice, again_.shown());
            draw_dflash_details(d, !twice || !again_.shown());
            draw_dflash_controls(d);
            // One beat ahead: the answer is there when its beat is.
            if (dflash_says.criterion(d.input.beat, "blind refusal"_part) || dflash_says.criterion(d.input.beat + 1, "blind refusal"_part))
                search_.ask(d.input, blind_refusal(), d.out);
        } else {
            for (const AcceptanceSeries& series : conditioning_series(d.input)) tell_acceptance(d.ui, d.input.details, series);
        }
        keys(d);
    }

    static void stage(const DFlashDraw& d) {
        const ui::Rect stage = d.input.stage;
        // For a room, the picture that the sentence is about.
        if (const ui::Rect all{stage.x + 24, stage.y + 88, stage.w - 48, stage.h - 104}; d.input.presenter) {
            if (d.input.beat == kDFlashMasksBeat) return draw_dflash_masks(d, all);
            if (d.input.beat == kDFlashTwiceBeat) return draw_dflash_pairs(d, all);
            if (d.input.beat == kDFlashTimesBeat) return draw_dflash_times(d, all);
            if (d.input.beat == kDFlashLongBeat) return draw_dflash_long(d, all);
            if (d.input.beat == kDFlashListBeat) return draw_dflash_lists(d, all);
            if (d.input.beat == kDFlashConditioningBeat && d.model.instead_of.empty()) {
                draw_dflash_acceptance(d, {all.x, all.y + 12, all.w, all.h - 12});
                return;
            }
        }
        const float end = draw_dflash_block(d, stage.y + 84);
        if (!d.model.taps.empty()) draw_heat_key(d.input, d.ui, title(d).subtitle);
        const float top = end + 22, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 10.5F}, {stage.right() - 24, end + 10.5F}, d.ui.theme.hairline());
        if (h < 110 || d.input.presenter) return;
        const float w = stage.w - 48, left = std::min(440.0F, w * 0.46F);
        const ui::Rect first{stage.x + 24, top, left, h}, second{stage.x + 24 + left + 28, top, w - left - 28, h};
        const int beat = d.input.beat;
        if (beat == kDFlashTwiceBeat || beat >= kDFlashLongBeat) { // what gives its place away is told all the same
            d.ui.canvas.tell(dflash_mask_words(d.model), first);
            tell_times(d.ui, second, time_series(d.input, kName));
            if (beat == kDFlashTwiceBeat) return draw_dflash_pairs(d, {first.x, top, w, h});
            beat == kDFlashListBeat ? draw_dflash_lists(d, {first.x, top, w, h}) : draw_dflash_long(d, {first.x, top, w, h});
            return dim(d.ui, {stage.x, stage.y + 76, stage.w, end + 8 - (stage.y + 76)});
        }
        if (beat == kDFlashConditioningBeat && d.model.instead_of.empty()) {
            d.ui.canvas.tell(dflash_mask_words(d.model), first);
            draw_dflash_acceptance(d, {first.x, first.y + 14, first.w, first.h - 16});
        } else {
            draw_dflash_masks(d, first);
        }
        draw_dflash_times(d, second);
        const float under = dflash_distributions_top(stage.y + 84); // the pass that reads the states
        const auto focus = [&](auto part) { return dflash_says.focus(beat, part); };
        if (!focus("pass"_part)) dim(d.ui, {stage.x, stage.y + 76, stage.w, under - (stage.y + 76)});
        if (!focus("distributions"_part)) dim(d.ui, {stage.x, under, stage.w, end + 8 - under});
        if (!focus("masks"_part)) dim(d.ui, {first.x - 8, top - 4, first.w + 16, h + 8});
        if (!focus("times"_part)) dim(d.ui, {second.x - 8, top - 4, second.w + 16, h + 8});
    }

  private:
    SecondDrawState again_;
    ExampleSearch search_;

    static void keys(const DFlashDraw& d) {
        using ui::Key;
        take_guess_keys(d.ui, d.model, d.out);
        if (!models_loaded(d.input)) return;
        const auto run = [&](const RunStudy& study) {
            if (!study.runs.empty()) d.out.push_back(Command{study});
        };
        if (d.ui.take_key(Key::m)) run(time_study(d.input));
        if (d.ui.take_key(Key::h)) run(list_study(d.input));
        if (d.ui.take_key(Key::c)) {
            run(conditioning_study(d.input));
            if (d.model.instead_of.empty()) d.out.push_back(ShowDetails{}); // else the story says it
        }
    }
};

} // namespace

std::unique_ptr<Scene> make_dflash() { return std::make_unique<DFlashScene>(); }

} // namespace speclens
