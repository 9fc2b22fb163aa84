// What a user may set about a drafter, beside the length of its drafts. The members stand in settings.inc.
#pragma once

#include <vector>

namespace speclens {

inline constexpr const char* kNoDrafter = "none"; // the drafter of plain decoding

struct DrafterOptions {
#define SWITCH(member, usual, ...) bool member = usual;
#define WHOLE(member, usual, ...) int member = usual;
#define REAL(member, usual, ...) double member = usual;
#define LAYERS(member, ...) std::vector<int> member = {};
#define PAIR(id, low, usual_low, high, usual_high, ...) int low = usual_low, high = usual_high;
#include "engine/drafters/settings.inc"
#undef SWITCH
#undef WHOLE
#undef REAL
#undef LAYERS
#undef PAIR
    bool operator==(const DrafterOptions&) const = default;
};

}  // namespace speclens
