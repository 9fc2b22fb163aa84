#include "app/frame/keys.h"

namespace speclens {

std::vector<KeyedAction> take_actions(ui::Ui& ui, bool lecture) {
    std::vector<KeyedAction> taken;
    if (lecture) {
        while (ui.take_key(ui::Key::page_down)) taken.push_back({Action::next_step, 0});
        while (ui.take_key(ui::Key::page_up)) taken.push_back({Action::previous_step, 0});
    }
    for (const ActionInfo& info : action_list()) {
        // A key that was pressed three times within one frame counts three times.
        const auto take = [&](ui::Key key, ui::Mods mods) {
            while (key != ui::Key::none && ui.take_key(key, mods)) taken.push_back({info.action, 0});
        };
        take(info.key, info.mods);
        take(info.second, {});
        take(info.third, {});
    }
    if (ui.take_typed('?')) taken.push_back({Action::keys, 0});
    for (int digit = 1; digit <= 9; ++digit) {
        const auto key = static_cast<ui::Key>(static_cast<int>(ui::Key::d0) + digit);
        if (ui.take_key(key)) taken.push_back({Action::pick_drafter, digit - 1});
    }
    return taken;
}

} // namespace speclens
