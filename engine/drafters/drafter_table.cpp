// The table of drafters, generated from drafters.inc in menu order. Alone in its file: a test puts another list in its
// place, with the drafter that README.md shows.
#include "engine/drafters/drafter.h"

namespace speclens {

#define DRAFTER(name, title, about, needs, layers, ...) std::unique_ptr<Drafter> make_##name(DrafterArgs args);
#include "engine/drafters/drafters.inc"
#undef DRAFTER
const std::vector<DrafterInfo>& drafter_list() {
    static const std::vector<DrafterInfo> list = {
#define DRAFTER(name, title, about, needs, layers, ...) \
    {#name, title, about, DrafterNeeds::needs, layers, &make_##name, false __VA_OPT__(|| __VA_ARGS__)},
#include "engine/drafters/drafters.inc"
#undef DRAFTER
    };
    return list;
}

} // namespace speclens
