// How the children of one node of a draft tree are chosen. A rule names the way it is made for; the drafter obeys.
#pragma once

#include <cstdint>

namespace speclens {

enum class Siblings : std::uint8_t {
    none,    // one child per node: a chain
    best,    // the most likely tokens of the draft; nothing is drawn, so each proposal distribution is one-hot
    without, // drawn from the draft's distribution without replacement: each from what the ones before left of it
    with,    // drawn from the draft's distribution independently; the same token may come twice
};

} // namespace speclens
