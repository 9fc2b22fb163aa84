// Scene S16, the numbers lab: published figures, their conditions, and what speaks against them.
#include <algorithm>

#include "scenes/numbers/numbers_draw.h"
#include "scenes/shared/panel.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

class NumbersScene final : public MessageScene<NumbersScene> {
  public:
    static constexpr const char* kName = "numbers";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kNumbersBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        follow_numbers_beat(input, state_, beat_);
        const NumbersModel model = numbers_model(input, state_);
        const NumbersDraw d{input, model, state_, ui, in_words_};
        draw_titled(input, ui, numbers_title(input, model, state_), [&] {
            draw_numbers_table(d, {input.stage.x + 24, input.stage.y + 88, input.stage.w - 48, input.stage.h - 96});
        });
        draw_story(input, ui, numbers_story(input, model), out);
        draw_beside(d, draw_numbers_details, draw_numbers_controls);
        if (ui.take_key(ui::Key::down)) choose_figure(d, model.selected + 1);
        if (ui.take_key(ui::Key::up)) choose_figure(d, model.selected - 1);
        if (ui.take_key(ui::Key::c))
            choose_filter(state_, static_cast<FigureFilter>((static_cast<int>(state_.filter) + 1) % kFigureFilters));
        if (ui.take_key(ui::Key::s)) // the next column, once each way
            choose_sort(state_, state_.sort != FigureSort::source && !state_.falling
                                    ? state_.sort
                                    : static_cast<FigureSort>((static_cast<int>(state_.sort) + 1) % kFigureSorts));
    }

    std::vector<ui::ToldMessage> told(const SceneInput& input) const override {
        NumbersScene here(*this);
        here.in_words_ = true;
        return told_by(std::move(here), input);
    }

    KeyRows keys() const override {
        return {{"↑ ↓", numbers_says("keys.up_down"_t)},
                {"C", numbers_says("keys.c"_t)},
                {"S", numbers_says("keys.s"_t)},
                {"/", numbers_says("keys.slash"_t)}};
    }

  private:
    NumbersState state_;
    int beat_ = -1;
    bool in_words_ = false;
};

} // namespace

std::unique_ptr<Scene> make_numbers() { return std::make_unique<NumbersScene>(); }

} // namespace speclens
