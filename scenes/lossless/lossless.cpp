// Scene S4, is it really lossless: texts drawn with the token rule, or with a mistake on purpose, against the
// exact distribution.
#include <algorithm>

#include "scenes/lossless/lossless_draw.h"
#include "scenes/lossless/lossless_faults.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"

namespace speclens {
namespace {

constexpr long kStillTexts = 3000, kManyTexts = 10000; // that a picture without a window shows; many: of a mistake that hides long

class LosslessScene final : public Scene {
  public:
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kLosslessBeats; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        ui.push_id("lossless");
        const bool turned = follow_beat(input);
        if (input.still || (turned && input.lecture)) draw_for_a_picture(input, state_);
        const LosslessModel model = lossless_model(state_);
        const LosslessDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, lossless_stage_title(input, model), [&] {
            const ui::Rect whole{input.stage.x + 24, input.stage.y + 96, input.stage.w - 48, input.stage.h - 104};
            if (const PlantedFault fault = fault_of(input.beat); fault != PlantedFault::none) return draw_lossless_fault(d, whole, fault);
            input.beat == kLosslessGreedyBeat ? draw_lossless_greedy(d, whole) : draw_stage(d);
        });
        draw_story(input, ui, lossless_story(input, model), out);
        draw_lossless_details(d);
        draw_lossless_controls(d);
        keys(d);
        ui.pop_id();
        return out;
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        std::vector<Measurement> wanted;
        const auto want = [&](const RunStudy& study, int beat) {
            if (lacks(study, study_of(input, study))) wanted.push_back({.name = study.name, .ask = study, .beat = beat, .pictured = beat});
        };
        want(greedy_study(input), kLosslessGreedyBeat);
        for (const int beat : {kLosslessTieBeat, kLosslessCacheBeat}) want(fault_study(input, fault_of(beat)), beat);
        return wanted;
    }

    std::string describe(const SceneInput& input) const override {
        LosslessState state = state_;
        if (input.still || state.counts.empty()) {
            if (const int rule = rule_of(input); rule >= 0) state.rule = rule;
            if (input.still) draw_for_a_picture(input, state);
        }
        const LosslessModel model = lossless_model(state);
        return lossless_description(input, model, state);
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"↑ ↓", "Another mistake, or none"},
                {"C", "Draw a thousand texts"},
                {"M", "Greedy texts of every drafter, or of the fault that the beat is about"}};
    }

  private:
    static constexpr int kRules[kLosslessBeats] = {-1, 0, 0, 3, 1, 6, 7, 8, 5, -1, -1, -1}; // of each beat; -1: whichever is chosen
    static int rule_of(const SceneInput& input) { return kRules[std::clamp(input.beat, 0, kLosslessBeats - 1)]; }

    // A beat brings its rule along once; afterwards the user may choose another. Says whether it has just been opened.
    bool follow_beat(const SceneInput& input) {
        if (input.beat == beat_) return false;
        beat_ = input.beat;
        if (const int rule = rule_of(input); rule >= 0) state_.rule = rule;
        return true;
    }

    static bool drawn_by(int beat, int rule) {
        if (beat >= kLosslessGreedyBeat) return true;
        for (int told = kLosslessDrawBeat; told <= beat; ++told)
            if (kRules[told] == rule) return true;
        return false;
    }

    static void draw_for_a_picture(const SceneInput& input, LosslessState& state) {
        const std::uint64_t seed = input.settings ? input.settings->seed : 7;
        // What somebody would have drawn who came here beat by beat; the first two ask, and must not show the answer.
        const int last = static_cast<int>(lossless_rules().size());
        for (int rule = 0; rule < last; ++rule) {
            if (!drawn_by(input.beat, rule)) continue;
            const RuleInfo& one = *lossless_rules()[static_cast<std::size_t>(rule)];
            if (LosslessCount& counts = state.counts[one.name]; counts.drawn == 0)
                draw_texts(one, seed, one.kind == RuleKind::block ? kManyTexts : kStillTexts, counts);
        }
    }

    static void draw_stage(const LosslessDraw& d) {
        constexpr float kProof = 128;
        const ui::Rect stage = d.input.stage;
        const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8, gap = 36;
        if (d.input.presenter && d.input.beat == kLosslessProofBeat) return draw_lossless_proof(d, {x, top + 8, w, bottom - top - 8});
        const bool proof = !d.input.presenter && bottom - top > kProof + 220;
        const float h = bottom - top - (proof ? kProof + 20 : 0), left = (w - gap) * 0.5F;
        draw_lossless_texts(d, {x, top, left, h});
        draw_lossless_looks(d, {x + left + gap, top, w - left - gap, h});
        if (proof) draw_lossless_proof(d, {x, bottom - kProof, w, kProof});
    }

    static void keys(const LosslessDraw& d) {
        const int last = static_cast<int>(lossless_rules().size()) - 1;
        if (d.ui.take_key(ui::Key::down)) d.state.rule = std::min(d.state.rule + 1, last);
        if (d.ui.take_key(ui::Key::up)) d.state.rule = std::max(d.state.rule - 1, 0);
        if (d.ui.take_key(ui::Key::c)) more_texts(d, 1000);
        const PlantedFault fault = fault_of(d.input.beat);
        const RunStudy study = fault == PlantedFault::none ? greedy_study(d.input) : fault_study(d.input, fault);
        if (!study.runs.empty() && d.ui.take_key(ui::Key::m)) {
            d.out.push_back(Command{study});
            if (d.input.beat < kLosslessGreedyBeat) d.out.push_back(ShowDetails{}); // the others show it on their stage
        }
    }

    LosslessState state_;
    int beat_ = -1;
};

} // namespace

std::unique_ptr<Scene> make_lossless() { return std::make_unique<LosslessScene>(); }

} // namespace speclens
