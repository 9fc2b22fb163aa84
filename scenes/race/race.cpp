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

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"→ ←", "End of the next, previous round of any lane"},
                {"Shift+→ ←", "The same for the chosen lane"},
                {"↑ ↓", "Choose a lane"},
                {"S", "The clock in ms, or in rounds of every lane"},
                {"L", "All lanes together, step by step: → a phase in every lane, Shift+→ a round"},
                {"Enter", "Open the chosen lane's run in the loop scene"},
                {"1 … 9", "A drafter in or out of the race"},
                {"K  T", "Longer drafts, higher temperature (Shift: less), for all lanes"}};
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
