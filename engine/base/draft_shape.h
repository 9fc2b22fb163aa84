// How a server's rounds draft. Of a chain each draft stands behind the one before: its places tell what a smaller K would keep, and
// what a draft costs. Of a tree several stand at a depth, of which one at most is kept: its nodes are no K, and neither follows.
#pragma once

#include <cstdint>
#include <optional>

namespace speclens {

struct DraftShape {
    enum class Kind : std::uint8_t {
        counted, // nobody said: more drafts than places are a tree
        chain,
        tree,
        open // a chain or a tree: not told, and the counts cannot tell
    } kind = Kind::counted;
    std::optional<double> depth = {}; // a round keeps no more; of a chain K
    std::optional<double> nodes = {}; // of a round; of a chain as many
    [[nodiscard]] bool tree() const { return kind == Kind::tree; }
    bool operator==(const DraftShape&) const = default;
};

} // namespace speclens
