#include "app/frontend/window_keys.h"
#include "app/frame/actions.h"

namespace speclens::cli {

std::vector<std::pair<std::string, std::string>> window_keys() {
    std::vector<std::pair<std::string, std::string>> keys;
    for (const ActionInfo& info : action_list())
        if (info.shortcut && *info.shortcut) keys.emplace_back(info.shortcut, info.label);
    return keys;
}

} // namespace speclens::cli
