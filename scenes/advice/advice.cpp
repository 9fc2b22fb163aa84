// Scene S18, advice: does speculation pay here, with which drafter and how many draft tokens, how sure is that, and what
// would change it?
#include <algorithm>

#include "scenes/advice/advice_model.h"
#include "scenes/shared/panel.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class AdviceScene final : public UndoScene<AdviceScene, AdviceState> {
  public:
    static constexpr const char* kName = "advice";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kAdviceBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const AdviceModel model = advice_model(input, state_);
        const AdviceDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, advice_title(model, input.beat), [&] { draw_stage(d); });
        draw_story(input, ui, advice_story(input, model), out);
        draw_beside(d, draw_advice_details, draw_advice_controls);
        keys(d);
        history_.follow(state_, ui.state.active != 0);
    }

    KeyRows keys() const override { return {{"↑ ↓", advice_says("keys.up_down"_t)}, {"M", advice_says("keys.m"_t)}}; }

  private:
    static Message unmeasured_words(const AdviceModel& m) {
        if (!m.impossible.empty()) return m.impossible;
        return m.under_way ? advice_says("stage.unmeasured:under_way"_t) : advice_says("stage.unmeasured:asked"_t);
    }

    static void draw_stage(const AdviceDraw& d) {
        const ui::Rect stage = d.input.stage;
        const ui::Rect area{stage.x + 24, stage.y + 88, stage.w - 48, stage.bottom() - 8 - stage.y - 88};
        if (!d.model.measured()) {
            return ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y, area.w, std::min(240.0F, area.h)}, unmeasured_words(d.model));
        }
        const float gap = 44, left = (area.w - gap) * (d.input.beat >= kWhyBeat ? 0.42F : 0.54F);
        draw_advice_ranking(d, {area.x, area.y, left, area.h});
        if (keeps_answer_back(d.input)) return; // the lengths of the best would be the answer
        const ui::Rect right{area.x + left + gap, area.y, area.w - left - gap, area.h};
        if (d.input.beat == kWhyBeat) return draw_advice_round(d, right);
        if (d.input.beat == kChangeBeat) return draw_advice_change(d, right);
        draw_advice_lengths(d, right);
    }

    static void keys(const AdviceDraw& d) {
        const AdviceModel& m = d.model;
        const bool possible = m.impossible.empty() && d.input.settings;
        if (possible && !m.under_way && d.ui.take_key(ui::Key::m)) d.out.push_back(ask_advice(d.input));
        if (d.input.still && possible && !m.advice) d.out.push_back(ask_advice(d.input));
        if (!m.measured()) return;
        const auto here = std::ranges::find(m.best, m.marked);
        if (d.ui.take_key(ui::Key::up) && here != m.best.begin()) d.state.marked = (*(here - 1))->drafter;
        if (d.ui.take_key(ui::Key::down) && here + 1 != m.best.end()) d.state.marked = (*(here + 1))->drafter;
    }
};

} // namespace

std::unique_ptr<Scene> make_advice() { return std::make_unique<AdviceScene>(); }

} // namespace speclens
