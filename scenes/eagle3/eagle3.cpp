// Scene S7, EAGLE-3: one layer continues the target's features, one pass for every guess. What a pass costs,
// how far the head's own features drift from the true ones, and how often each position stays.
#include "scenes/eagle3/eagle3_model.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/published_round.h"

namespace speclens {
namespace {

class Eagle3Scene final : public HeadScene<Eagle3Scene> {
  public:
    static constexpr const char* kName = "eagle3";
    static constexpr bool kBlock = false;
    static constexpr auto kSays = eagle3_says;
    static Message details() { return shared_says("charts.kept"_t); }
    static KeyRows own_keys() { return {{"↑ ↓", eagle3_says("keys.up_down"_t)}, {"M", shared_says("keys.draft_times"_t)}}; }
    static Eagle3Model model_of(const SceneInput& input) { return eagle3_model(input); }
    static StageTitle title(const Eagle3Draw& d) { return eagle3_title(d.input, d.model); }
    static Story story(const Eagle3Draw& d) { return eagle3_story(d.input, d.model); }

    static void stage(const Eagle3Draw& d) {
        const ui::Rect stage = d.input.stage;
        const int beat = d.input.beat;
        const AcceptanceSeries run = acceptance_of(*d.input.whole, shared_says("charts.this_run"_t));
        const bool kept = beat > kEagle3TimesBeat && !run.judged.empty() && d.model.instead_of.empty();
        // For a room, the picture that the sentence is about.
        if (const ui::Rect all{stage.x + 24, stage.y + 88, stage.w - 48, stage.h - 104}; d.input.presenter) {
            if (beat == kEagle3ErrorsBeat && !d.model.errors.empty()) return draw_errors_for_a_room(d, all);
            if (beat == kEagle3TimesBeat) return draw_eagle3_clock(d, all);
            if (kept) return draw_kept(d, run, all);
        }
        const float end = draw_eagle3_steps(d, stage.y + 88);
        draw_heat_key(d.input, d.ui, title(d).subtitle);
        const float top = end + 20, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 9.5F}, {stage.right() - 24, end + 9.5F}, d.ui.theme.hairline());
        if (h < 80 || d.input.presenter) return;
        constexpr float kGap = 28, kBeside = 320; // the least width of three beside each other
        const float w = stage.w - 48, x = stage.x + 24, third = (w - 2 * kGap) / 3;
        const bool low = h - 88 < kEagle3Times; // no room for the times below the clock
        if (low && h >= kEagle3Times && third >= kBeside) {
            draw_eagle3_clock(d, {x, top, third, h});
            draw_eagle3_times(d, {x + third + kGap, top, third, h});
            draw_eagle3_errors(d, {x + 2 * (third + kGap), top, third, h});
            return;
        }
        const float left = w * 0.58F;
        const ui::Rect clock{x, top, left, h}, beside{x + left + kGap, top, w - left - kGap, h};
        const bool trained = beat == kEagle3ErrorsBeat && trained_steps(d.input).has_value();
        if (trained) draw_trained_steps(d, clock);
        draw_eagle3_clock(d, clock, !trained);
        if (kept) draw_kept(d, run, beside);
        draw_eagle3_errors(d, beside, !kept);
        const auto whole_of = [](ui::Rect r) { return ui::Rect{r.x - 8, r.y - 4, r.w + 16, r.h + 8}; };
        const auto focus = [&](auto part) { return eagle3_says.focus(beat, part); };
        if (!focus("taps"_part))
            dim(d.ui, {stage.x, stage.y + 76, stage.w, end + 6 - (stage.y + 76)});
        else if (!focus("steps"_part))
            dim(d.ui, eagle3_below_taps(stage, end));
        if (!(trained ? focus("trained"_part) : focus("clock"_part))) dim(d.ui, whole_of(clock));
        if (!focus("chart"_part)) dim(d.ui, whole_of(beside));
    }

    static void beside(const Eagle3Draw& d) {
        const bool own = d.model.instead_of.empty();
        tell_published(d.ui, d.input.details, *d.input.whole, d.input.figures, own);
        if (own) draw_beside(d, draw_eagle3_details, draw_eagle3_controls);
        take_guess_keys(d.ui, d.model, d.out);
        const RunStudy study = time_study(d.input);
        if (!study.runs.empty() && d.ui.take_key(ui::Key::m)) d.out.push_back(Command{study});
    }

    std::vector<Measurement> missing(const SceneInput& run) const override {
        const OtherRound round(run, kName);
        const RunStudy study = time_study(run);
        if (!shows_or_will(run, eagle3_model(round.seen()), kName) || !lacks(study, study_named(run, study.name))) return {};
        return {{.name = study.name, .ask = study, .beat = kEagle3TimesBeat}};
    }

  private:
    // Beside how far they drift: what comes of it, which is what the beat ends with.
    static void draw_errors_for_a_room(const Eagle3Draw& d, ui::Rect all) {
        if (!trained_steps(d.input)) return draw_eagle3_errors(d, all);
        constexpr float kGap = 28;
        const float w = (all.w - kGap) / 2;
        draw_trained_steps(d, {all.x, all.y, w, all.h});
        draw_eagle3_errors(d, {all.x + w + kGap, all.y, w, all.h});
    }

    static void draw_kept(const Eagle3Draw& d, const AcceptanceSeries& kept, ui::Rect r) {
        d.ui.canvas.text({r.x, r.y + 12}, shared_says("charts.kept_here"_t), ui::Font::text_bold, 14, d.ui.theme.ink);
        draw_acceptance(d.ui, {r.x, r.y + 20, r.w, r.h - 36}, std::span(&kept, 1));
    }
};

} // namespace

std::unique_ptr<Scene> make_eagle3() { return std::make_unique<Eagle3Scene>(); }

} // namespace speclens
