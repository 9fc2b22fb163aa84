// Scene S13, the race: one to four drafters write the same text from the same dice, on one clock. Its whole
// state is the clock and the lane with the focus, which the shell keeps.
#include "engine/drafters/drafter_info.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/message_scene.h"

namespace speclens {
namespace {

class RaceScene final : public MessageScene<RaceScene> {
  public:
    static constexpr const char* kName = "race";
    int beats(const SceneInput&) const override { return 0; }
    bool whole_window() const override { return true; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const RaceModel model = race_model(input);
        draw_race(input, model, ui, out);
        keys(model, ui, out);
    }

    KeyRows keys() const override {
        return {{"→ ←", race_says("keys.left_right"_t)},
                {"Shift+→ ←", race_says("keys.shift"_t)},
                {"↑ ↓", race_says("keys.up_down"_t)},
                {"S", race_says("keys.s"_t)},
                {"L", race_says("keys.l"_t)},
                {"Enter", race_says("keys.enter"_t)},
                {"1 … 9", race_says("keys.digits"_t)},
                {"K  T", race_says("keys.length_heat"_t)}};
    }

  private:
    static void keys(const RaceModel& model, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const int lanes = static_cast<int>(model.lanes.size());
        if (lanes == 0) return;
        if (ui.take_key(ui::Key::up)) out.push_back(FocusLane{(model.focus + lanes - 1) % lanes});
        if (ui.take_key(ui::Key::down)) out.push_back(FocusLane{(model.focus + 1) % lanes});
        if (ui.take_key(ui::Key::s)) out.push_back(ToggleRaceClock{});
        if (ui.take_key(ui::Key::l)) out.push_back(ToggleStepped{});
        if (ui.take_key(ui::Key::enter)) out.push_back(OpenLane{model.focus});
        const auto& drafters = drafter_list();
        for (int digit = 1; digit <= 9 && digit <= static_cast<int>(drafters.size()); ++digit)
            if (ui.take_key(static_cast<ui::Key>(static_cast<int>(ui::Key::d0) + digit)))
                out.push_back(ToggleLane{drafters[static_cast<std::size_t>(digit - 1)].name});
    }
};

} // namespace

std::unique_ptr<Scene> make_race() { return std::make_unique<RaceScene>(); }

} // namespace speclens
