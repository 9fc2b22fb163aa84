#include "scenes/shared/methods.h"

#include "engine/drafters/drafter_info.h"

namespace speclens {

ui::Icon method_mark(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? ui::icon_called(info->icon) : ui::Icon::diamond;
}

std::string method_title(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->short_title : drafter;
}

} // namespace speclens
