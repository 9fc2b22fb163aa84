// Scene S19, multi-token prediction: one layer that was trained with the target reads pairs of state and token, then its own output.
// What each depth costs and keeps, what its cache and the right state are worth, and two other heads at the same round.
#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"

namespace speclens {
namespace {

class MtpScene final : public HeadScene<MtpScene> {
  public:
    static constexpr const char* kName = "mtp";
    static constexpr bool kBlock = false;
    static constexpr auto kSays = mtp_says;
    static Message details() { return mtp_says("kept.what"_t); }
    static KeyRows own_keys() { return {{"↑ ↓", mtp_says("keys.up_down"_t)}, {"M", mtp_says("keys.m"_t)}}; }
    static MtpModel model_of(const SceneInput& run, const SceneInput& seen) { return mtp_model(run, seen); }
    static StageTitle title(const MtpDraw& d) { return mtp_title(d); }
    static Story story(const MtpDraw& d) { return mtp_story(d); }

    static void stage(const MtpDraw& d) {
        const ui::Rect stage = d.input.stage;
        const ui::Rect all{stage.x + 24, stage.y + 88, stage.w - 48, stage.h - 104};
        const int beat = d.input.beat;
        if (beat == kMtpBesideBeat) return draw_mtp_beside(d, all);
        if (beat == kMtpPublishedBeat) return draw_mtp_published(d, all);
        if (d.input.presenter && beat >= kMtpDepthBeat) return draw_presented(d, all, beat); // for a room, what the sentence is about
        const float end = draw_mtp_steps(d, stage.y + 84, d.input.presenter ? 0 : room_below(beat));
        draw_heat_key(d.input, d.ui, title(d).subtitle);
        tell_mtp_unseen(d);
        const float top = end + 20, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 9.5F}, {stage.right() - 24, end + 9.5F}, d.ui.theme.hairline());
        if (h < 60 || d.input.presenter) return;
        const ui::Rect below{all.x, top, all.w, h};
        draw_below(d, below, beat);
        emphasise(d, end, below, beat);
    }

    void beside(const MtpDraw& d) {
        if (d.model.instead_of.empty()) draw_beside(d, draw_mtp_details, draw_mtp_controls);
        take_guess_keys(d.ui, d.model, d.out);
        const RunStudy study = mtp_study(*d.model.run);
        if (!study.runs.empty() && d.ui.take_key(ui::Key::m)) d.out.push_back(Command{study});
        ask_beside(d);
    }

    std::vector<Measurement> missing(const SceneInput& run) const override {
        const OtherRound round(run, kName);
        const RunStudy study = mtp_study(run);
        if (!shows_or_will(run, mtp_model(run, round.seen()), kName) || !lacks(study, study_of(run, study))) return {};
        return {{.name = study.name, .ask = study, .beat = kMtpDepthBeat, .pictured = kMtpDepthBeat}};
    }

  private:
    int asked_ = -1;
    const Trace* asked_of_ = nullptr; // only compared

    // Every round once, at the beat that tells of it.
    void ask_beside(const MtpDraw& d) {
        const MtpBeside& beside = d.model.beside;
        if (d.input.beat != kMtpBesideBeat || !beside.can_ask || beside.complete) return;
        if (asked_ == beside.round && asked_of_ == d.model.run->trace) return;
        asked_ = beside.round;
        asked_of_ = d.model.run->trace;
        d.out.push_back(Command{CompareDrafters{beside.round, 0}});
    }

    static void draw_presented(const MtpDraw& d, ui::Rect all, int beat) {
        const ui::Rect upper{all.x, all.y, all.w, all.h * 0.45F}, lower{all.x, all.y + all.h * 0.5F, all.w, all.h * 0.5F};
        if (beat == kMtpDepthBeat) return draw_mtp_kept(d, all);
        beat == kMtpCacheBeat ? draw_mtp_pairs(d, upper) : draw_mtp_states(d, upper);
        draw_mtp_variants(d, lower);
    }

    // What stands under the steps is drawn larger where there is more.
    static float room_below(int beat) {
        if (beat < kMtpDepthBeat) return beat == kMtpPairBeat ? 150 : 190;
        if (beat == kMtpDepthBeat) return 310;
        return beat == kMtpCacheBeat ? 236 : 200;
    }

    static void draw_below(const MtpDraw& d, ui::Rect r, int beat) {
        if (beat < kMtpDepthBeat) return draw_mtp_row(d, r);
        constexpr float kGap = 28;
        const float left = r.w * 0.55F;
        const ui::Rect first{r.x, r.y, left, r.h}, second{r.x + left + kGap, r.y, r.w - left - kGap, r.h};
        if (beat == kMtpDepthBeat) {
            draw_mtp_clock(d, first);
            draw_mtp_kept(d, second);
            return;
        }
        beat == kMtpCacheBeat ? draw_mtp_pairs(d, first) : draw_mtp_states(d, first);
        draw_mtp_variants(d, second);
    }

    static void emphasise(const MtpDraw& d, float end, ui::Rect below, int beat) {
        const ui::Rect stage = d.input.stage;
        if (!mtp_says.focus(beat, "steps"_part)) dim(d.ui, {stage.x, stage.y + 76, stage.w, end + 6 - (stage.y + 76)});
        if (!mtp_says.focus(beat, "below"_part)) dim(d.ui, {below.x - 8, below.y - 4, below.w + 16, below.h + 8});
    }
};

} // namespace

std::unique_ptr<Scene> make_mtp() { return std::make_unique<MtpScene>(); }

} // namespace speclens
