// Scene S4, is it really lossless: texts drawn with the token rule, or with a mistake on purpose, against the
// exact distribution.
#include <algorithm>
#include <set>
#include <utility>

#include "scenes/lossless/lossless_model.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"

namespace speclens {
namespace {

constexpr long kStillTexts = 3000, kManyTexts = 10000; // that a picture without a window shows; many: of a mistake that hides long

class LosslessScene final : public MessageScene<LosslessScene> {
  public:
    static constexpr const char* kName = "lossless";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kLosslessBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        // A beat brings its rule along once; afterwards the user may choose another.
        const bool turned = std::exchange(beat_, input.beat) != input.beat;
        if (const int rule = kRules[std::clamp(input.beat, 0, kLosslessBeats - 1)]; turned && rule >= 0) state_.rule = rule;
        if (input.still || (turned && input.lecture)) draw_for_a_picture(input);
        const LosslessModel model = lossless_model(input, state_);
        const LosslessDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, lossless_title(input, model), [&] { draw_lossless_stage(d); });
        draw_story(input, ui, lossless_story(input, model), out);
        draw_beside(d, draw_lossless_details, draw_lossless_controls);
        keys(d);
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        std::vector<Measurement> wanted;
        for (int beat = kLosslessGreedyBeat; beat < kLosslessBeats; ++beat)
            if (const RunStudy study = lossless_study(input, beat); lacks(study, study_of(input, study)))
                wanted.push_back({.name = study.name, .ask = study, .beat = beat, .pictured = beat});
        return wanted;
    }

    KeyRows keys() const override {
        return {{"↑ ↓", lossless_says("keys.up_down"_t)}, {"C", lossless_says("keys.c"_t)}, {"M", lossless_says("keys.m"_t)}};
    }

  private:
    static constexpr int kRules[kLosslessBeats] = {-1, 0, 0, 3, 1, 6, 7, 8, 5, -1, -1, -1}; // of each beat; -1: whichever is chosen

    // What somebody would have drawn who came here beat by beat; the first two ask, and must not show the answer.
    void draw_for_a_picture(const SceneInput& input) {
        const std::set<int> told(kRules + kLosslessDrawBeat, kRules + std::clamp(input.beat + 1, kLosslessDrawBeat, kLosslessBeats));
        for (int rule = 0; rule < std::ssize(lossless_rules()); ++rule) {
            const RuleInfo& one = *lossless_rules()[static_cast<std::size_t>(rule)];
            if ((told.contains(-1) || told.contains(rule)) && state_.counts[one.name].drawn == 0)
                more_texts(input, one, one.kind == RuleKind::block ? kManyTexts : kStillTexts, state_);
        }
    }

    static void keys(const LosslessDraw& d) {
        const int step = static_cast<int>(d.ui.take_key(ui::Key::down)) - static_cast<int>(d.ui.take_key(ui::Key::up));
        d.state.rule = std::clamp(d.state.rule + step, 0, static_cast<int>(lossless_rules().size()) - 1);
        if (d.ui.take_key(ui::Key::c)) more_texts(d.input, *d.model.rule, 1000, d.state);
        const RunStudy study = lossless_study(d.input, d.input.beat);
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
