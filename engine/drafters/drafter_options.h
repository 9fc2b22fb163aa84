// What a user may set about a drafter, beside the length of its drafts. The members stand in settings.inc.
#pragma once

#include <vector>

namespace speclens {

inline constexpr const char* kNoDrafter = "none"; // the drafter of plain decoding

struct DrafterOptions {
#define SETTING(type, member, default_value, ...) type member = default_value;
#define PAIR(id, low, default_low, high, default_high, ...) int low = default_low, high = default_high;
#include "engine/drafters/settings.inc"
#undef SETTING
#undef QUIET
#undef PAIR
    bool operator==(const DrafterOptions&) const = default;
};

inline constexpr int kIdRows = 16; // outputs of a tile of quantised weights, which are gathered whole
// What --small-ids N ranks.
[[nodiscard]] constexpr int rounded_ids(int n) { return (n + kIdRows - 1) / kIdRows * kIdRows; }
// Ids that a cut output matrix has rows for; 0: it is not cut.
[[nodiscard]] constexpr int draft_ids(const DrafterOptions& options) {
    return options.small_ids > 0 ? rounded_ids(options.small_ids) : options.fr_spec;
}

} // namespace speclens
