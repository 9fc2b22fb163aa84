#include "scenes/shared/methods.h"

namespace speclens {
namespace {

struct Method {
    const char* drafter;
    const char* title;
    ui::Icon mark;
};
constexpr Method kMethods[] = {
    {"none", "plain", ui::Icon::circle},
    {"small", "small model", ui::Icon::diamond_solid},
    {"small_tree", "small, tree", ui::Icon::fork},
    {"lookup", "lookup", ui::Icon::cross_fat},
    {"skip", "layer skip", ui::Icon::half_disc},
    {"eagle3", "EAGLE-3", ui::Icon::triangle_up},
    {"eagle3_tree", "EAGLE-3, tree", ui::Icon::fork},
    {"dflash", "DFlash", ui::Icon::square},
    {"domino", "Domino", ui::Icon::hexagon},
    {"dspark", "DSpark", ui::Icon::pentagon},
    {"dart", "DART", ui::Icon::triangle_right},
    {"medusa", "Medusa", ui::Icon::triangle_down},
    {"medusa_tree", "Medusa, tree", ui::Icon::fork},
};

const Method* known(const std::string& drafter) {
    for (const Method& m : kMethods)
        if (drafter == m.drafter) return &m;
    return nullptr;
}

} // namespace

ui::Icon method_mark(const std::string& drafter) {
    const Method* m = known(drafter);
    return m ? m->mark : ui::Icon::diamond;
}

std::string method_title(const std::string& drafter) {
    const Method* m = known(drafter);
    return m ? m->title : drafter;
}

} // namespace speclens
