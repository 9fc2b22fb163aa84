// Scene S6, where drafts come from: one target, many drafters. Every drafter that can run guesses at the shown round from the same text
// with the same dice, and the target judges each.
#include <algorithm>

#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/run_controls.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class DraftersScene final : public MessageScene<DraftersScene> {
  public:
    static constexpr const char* kName = "drafters";
    int beats(const SceneInput&) const override { return kDraftersBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const DraftersModel model = drafters_model(input, choice_);
        const DraftersDraw d{input, model, choice_, ui, out};
        const bool empty = model.empty != DraftersModel::Empty::no;
        draw_titled(input, ui, drafters_title(input, model), [&] {
            if (empty)
                ui::slot(ui.canvas, ui.theme, {input.stage.x + 24, input.stage.y + 108, input.stage.w - 48, 80},
                         drafters_empty_words(model));
            else
                draw_drafters_stage(d);
        });
        draw_story(input, ui, drafters_story(input, model), out);
        draw_drafter_details(d);
        if (empty) return draw_run_controls(input, ui, out);
        draw_drafter_controls(d);
        keys(d);
        ask(input, model, out);
    }

    KeyRows keys() const override {
        return {{"↑ ↓", drafters_says("keys.up_down"_t)},
                {"Enter", drafters_says("keys.enter"_t)},
                {"U", drafters_says("keys.u"_t)},
                {"N", drafters_says("keys.n"_t)},
                {"M", drafters_says("keys.m"_t)}};
    }

  private:
    void keys(const DraftersDraw& d) {
        using ui::Key;
        const auto choose = [&](int i) {
            const int last = static_cast<int>(d.model.rows.size()) - 1;
            if (last >= 0) choice_.drafter = d.model.rows[static_cast<std::size_t>(std::clamp(i, 0, last))].name();
        };
        if (d.ui.take_key(Key::up)) choose(d.model.selected - 1);
        if (d.ui.take_key(Key::down)) choose(d.model.selected + 1);
        if (d.ui.take_key(Key::n)) choice_.filter = static_cast<DrafterFilter>((static_cast<int>(choice_.filter) + 1) % kDrafterFilters);
        if (d.input.beat == kDraftersDoctorBeat) examine_by_key(d);
        if (built_in_has_it(d.input, d.model.headless) && d.ui.take_key(Key::u)) d.out.push_back(OnBuiltIn{d.model.headless});
        if (d.ui.take_key(Key::enter) && why_not_go_on(d).empty()) go_on_with(d);
    }

    // Once per round and exit layer.
    void ask(const SceneInput& input, const DraftersModel& model, std::vector<SceneCommand>& out) {
        if (!model.can_ask || (model.comparison && model.comparison->exit_layer == choice_.exit_layer)) return;
        const CompareDrafters wanted{model.round->round, choice_.exit_layer};
        if (asked_.round == wanted.round && asked_.exit_layer == wanted.exit_layer && asked_of_ == input.trace) return;
        asked_ = wanted;
        asked_of_ = input.trace;
        out.push_back(Command{wanted});
    }

    DrafterChoice choice_;
    CompareDrafters asked_{-1, 0};
    const Trace* asked_of_ = nullptr; // only compared
};

} // namespace

std::unique_ptr<Scene> make_drafters() { return std::make_unique<DraftersScene>(); }

} // namespace speclens
