// The table of drafters, generated from drafters.inc in menu order. Alone in its file: a test puts another list in its
// place, with the drafter that docs/adding.md shows.
#include "engine/drafters/drafter_info.h"

namespace speclens {

#define DRAFTER(name) DrafterInfo name##_info();
#include "engine/drafters/drafters.inc"
#undef DRAFTER
const std::vector<DrafterInfo>& drafter_list() {
    static const std::vector<DrafterInfo> list = {
#define DRAFTER(name) name##_info(),
#include "engine/drafters/drafters.inc"
#undef DRAFTER
    };
    return list;
}

} // namespace speclens
