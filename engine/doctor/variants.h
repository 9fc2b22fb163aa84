// Ways to read a draft head other than its config.json says: what heads of this kind are known to get wrong (taps counted in the other
// way, norms, rotary positions, ids, the row of the anchor). Each is a change of that file, so that it goes through the normal loader;
// how well each does is examination.h's matter. Kinds that a missing or a left-over tensor gives away need no variant: the loader refuses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/said.h"

namespace speclens {

class DraftNetwork; // engine/drafters/draft_network.h

struct Variant {
    std::string what;            // "all tapped layers one deeper"
    std::string changes;         // a JSON merge patch (RFC 7396) of config.json; empty: the file as it stands
    std::vector<Said> said = {}; // `what` for a window: a message for each key that changes, assets/stories/drafters.toml
    // What the patch writes, as a line of config.json: "dflash_config": {"target_layer_ids": [2, 6, 10]}
    [[nodiscard]] std::string line() const;
};

// Whether heads of this method (DrafterInfo::method) can be read in another way at all.
[[nodiscard]] bool has_variants(std::string_view method);
// Of a head that was loaded from a folder. Throws Error where it was not: a GGUF file has no config.json to be wrong.
[[nodiscard]] std::vector<Variant> variants_of(const DraftNetwork& head);
// Whether they change different keys; and both changes in one.
[[nodiscard]] bool go_together(const Variant& a, const Variant& b);
[[nodiscard]] Variant together(const Variant& a, const Variant& b);
// The layers whose outputs any of the variants reads, ascending.
[[nodiscard]] std::vector<int> layers_read(const DraftNetwork& head);

} // namespace speclens
