// Scene S19, multi-token prediction: one layer that was trained with the target reads pairs of state and token, then its own output.
// What each depth costs and keeps, what its cache and the right state are worth, and two other heads at the same round.
#include "scenes/mtp/mtp_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

class MtpScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kMtpBeats; }

    std::vector<SceneCommand> draw(const SceneInput& run, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const OtherRound round(run, "mtp");
        other_round_.ask(round, run, out);
        const MtpFrame frame(run, round.seen());
        const MtpDraw d{frame, ui, out};
        shown_ = ShownHead(frame.model);
        ui.push_id("mtp");
        draw_head_scene(
            run, frame.input, ui,
            {"mtp", "MTP", frame.model, mtp_title(frame), mtp_story(frame), empty_text(mtp_says, frame.model, "MTP"),
             "Acceptance by depth"},
            [&] { draw_stage(d); }, out);
        if (frame.model.empty == HeadModel::Empty::no) {
            if (!round.here()) {
                draw_mtp_details(d);
                draw_mtp_controls(d);
            }
            take_guess_keys(ui, frame.model, out);
            const RunStudy study = mtp_study(run);
            if (!study.runs.empty() && ui.take_key(ui::Key::m)) out.push_back(Command{study});
            ask_beside(frame, out);
        }
        round.keep_place(out);
        ui.pop_id();
        return out;
    }

    std::vector<Measurement> missing(const SceneInput& run) const override {
        const OtherRound round(run, "mtp");
        const RunStudy study = mtp_study(run);
        if (!shows_or_will(run, mtp_model(round.seen()), "mtp") || !lacks(study, study_of(run, study))) return {};
        return {{.name = study.name, .ask = study, .beat = kMtpDepthBeat, .pictured = kMtpDepthBeat}};
    }

    std::string describe(const SceneInput& run) const override {
        const OtherRound round(run, "mtp");
        return mtp_description(MtpFrame(run, round.seen()));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return working_keys(shown_, "MTP", {{"↑ ↓", "Previous, next depth"}, {"M", "Measure depths, cache and states"}});
    }

  private:
    ShownHead shown_; // as drawn last
    OtherRoundAsker other_round_;
    int asked_ = -1;
    const Trace* asked_of_ = nullptr; // only compared

    // Every round once, at the beat that tells of it.
    void ask_beside(const MtpFrame& frame, std::vector<SceneCommand>& out) {
        const MtpBeside& beside = frame.beside;
        if (frame.input.beat != kMtpBesideBeat || !beside.can_ask || beside.complete) return;
        if (asked_ == beside.round && asked_of_ == frame.run.trace) return;
        asked_ = beside.round;
        asked_of_ = frame.run.trace;
        out.push_back(Command{CompareDrafters{beside.round, 0}});
    }

    static void draw_stage(const MtpDraw& d) {
        const ui::Rect stage = d.input().stage;
        const ui::Rect all{stage.x + 24, stage.y + 88, stage.w - 48, stage.h - 104};
        const int beat = d.input().beat;
        if (beat == kMtpBesideBeat) return draw_mtp_beside(d, all);
        if (beat == kMtpPublishedBeat) return draw_mtp_published(d, all);
        if (d.input().presenter && beat >= kMtpDepthBeat) return draw_presented(d, all, beat); // for a room, what the sentence is about
        const float end = draw_mtp_steps(d, stage.y + 84, d.input().presenter ? 0 : room_below(beat));
        draw_heat_key(d.input(), d.ui, mtp_title(d.frame).subtitle);
        const float top = end + 20, h = stage.bottom() - top - 8;
        d.ui.canvas.line({stage.x + 24, end + 9.5F}, {stage.right() - 24, end + 9.5F}, d.ui.theme.hairline());
        if (h < 60 || d.input().presenter) return;
        const ui::Rect below{all.x, top, all.w, h};
        draw_below(d, below, beat);
        emphasise(d, end, below, beat);
    }

    static void draw_presented(const MtpDraw& d, ui::Rect all, int beat) {
        const ui::Rect upper{all.x, all.y, all.w, all.h * 0.45F}, lower{all.x, all.y + all.h * 0.5F, all.w, all.h * 0.5F};
        if (beat == kMtpDepthBeat) return draw_mtp_kept(d, all);
        beat == kMtpCacheBeat ? draw_mtp_pairs(d, upper) : draw_mtp_states(d, upper);
        draw_mtp_variants(d, lower, beat == kMtpStateBeat);
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
        draw_mtp_variants(d, second, beat == kMtpStateBeat);
    }

    static void emphasise(const MtpDraw& d, float end, ui::Rect below, int beat) {
        const ui::Rect stage = d.input().stage;
        if (!mtp_says.focus(beat, "steps"_part)) dim(d.ui, {stage.x, stage.y + 76, stage.w, end + 6 - (stage.y + 76)});
        if (!mtp_says.focus(beat, "below"_part)) dim(d.ui, {below.x - 8, below.y - 4, below.w + 16, below.h + 8});
    }
};

} // namespace

std::unique_ptr<Scene> make_mtp() { return std::make_unique<MtpScene>(); }

} // namespace speclens
