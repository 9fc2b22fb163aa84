// Scene S12, relaxing the rule: lenience, typical acceptance and cascades on the distributions of the run on screen,
// what they keep and how far they lead away from the target.
#include <algorithm>

#include "scenes/relaxed/relaxed_draw.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/history.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// The rule that a beat is about; "": whichever relaxed one is chosen.
constexpr const char* kOfBeat[] = {kExactRule, "lenience", "typical", "cascade_opt", "", ""};

class RelaxedScene final : public MessageScene<RelaxedScene> {
  public:
    static constexpr const char* kName = "relaxed";
    int beats(const SceneInput&) const override { return kRelaxedBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        follow(input);
        const RelaxedModel model = relaxed_model(input, state_);
        const RelaxedDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, relaxed_title(input, model, state_), [&] { draw_stage(d); });
        draw_story(input, ui, relaxed_story(input, model, state_), out);
        draw_beside(d, draw_relaxed_details, draw_relaxed_controls);
        keys(d);
        history_.follow(state_, ui.state.active != 0);
    }

    std::vector<Measurement> missing(const SceneInput& input) const override {
        const RunStudy study = relaxed_study(input, state_);
        if (!lacks(study, study_of(input, study))) return {};
        return {{.name = study.name, .ask = study, .beat = kRelaxedBeats - 1}};
    }

    KeyRows keys() const override {
        return {{"↑ ↓", relaxed_says("keys.up_down"_t)}, {"U", relaxed_says("keys.u"_t)}, {"M", relaxed_says("keys.m"_t)}};
    }

    bool can_take_back(bool forward) const override { return history_.can(forward); }
    void take_back(bool forward) override {
        if (const auto choice = history_.take(forward)) static_cast<RelaxedChoice&>(state_) = *choice;
    }

  private:
    static const char* rule_of(const SceneInput& input) { return kOfBeat[std::clamp(input.beat, 0, kRelaxedBeats - 1)]; }

    // A beat about relaxed rules opens with none of them only where the user came past the first one: then with the run's own.
    static void bring_rule(const SceneInput& input, RelaxedChoice& choice) {
        const char* rule = rule_of(input);
        if (*rule) {
            choice.rule = rule;
        } else if (choice.exact()) {
            choice.rule = RelaxedChoice{}.rule;
            adopt(input, choice);
        }
    }

    // The rule that the run itself was judged by, with its numbers.
    static void adopt(const SceneInput& input, RelaxedChoice& choice) {
        const RuleInfo* own = own_relaxed_rule(*input.whole);
        if (!own) return;
        choice.rule = own->name;
        choice.params = input.whole->header->rule_params;
    }

    // A beat brings its rule along once; afterwards the user may choose another.
    void follow(const SceneInput& input) {
        const bool other_run = input.trace != trace_ && input.whole->header;
        if (other_run) {
            trace_ = input.trace;
            adopt(input, state_);
        }
        if (input.beat == beat_) {
            if (other_run) history_.accept(state_);
            return;
        }
        beat_ = input.beat;
        bring_rule(input, state_);
        history_.accept(state_);
    }

    static void draw_stage(const RelaxedDraw& d) {
        const ui::Rect stage = d.input.stage;
        const ui::Rect area{stage.x + 24, stage.y + 88, stage.w - 48, stage.h - 96};
        if (!d.model.position())
            return ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y, area.w, std::min(240.0F, area.h)},
                            relaxed_says("position.awaited"_t));
        const float gap = 40, left = std::max(300.0F, area.w * 0.46F - gap / 2);
        draw_relaxed_distributions(d, {area.x, area.y, left, area.h});
        const ui::Rect chart{area.x + left + gap, area.y, area.w - left - gap, area.h};
        draw_relaxed_chart(d, chart);
        // One position first, all of them together at the end.
        if (!relaxed_says.focus(d.input.beat, "chart"_part)) dim(d.ui, {chart.x - 8, chart.y - 4, chart.w + 16, chart.h + 8});
        if (!relaxed_says.focus(d.input.beat, "position"_part)) dim(d.ui, {area.x - 8, area.y - 4, left + 16, area.h + 8});
    }

    static void keys(const RelaxedDraw& d) {
        const auto move = [&](int step) {
            const int to = d.model.shown + step;
            if (d.model.shown >= 0 && to >= 0 && to < static_cast<int>(d.model.positions->size()))
                d.out.push_back(Select{(*d.model.positions)[static_cast<std::size_t>(to)].at});
        };
        if (d.ui.take_key(ui::Key::down)) move(1);
        if (d.ui.take_key(ui::Key::up)) move(-1);
        if (d.ui.take_key(ui::Key::u)) use_relaxed_rule(d);
        const RunStudy study = relaxed_study(d.input, d.state);
        if (!study.runs.empty() && d.ui.take_key(ui::Key::m)) {
            d.out.push_back(Command{study});
            d.out.push_back(ShowDetails{});
        }
    }

    RelaxedState state_;
    ControlHistory<RelaxedChoice> history_;
    int beat_ = -1;
    const Trace* trace_ = nullptr; // only compared
};

} // namespace

std::unique_ptr<Scene> make_relaxed() { return std::make_unique<RelaxedScene>(); }

} // namespace speclens
