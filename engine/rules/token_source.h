// Where the token that the target itself writes at the end of a round comes from.
#pragma once

#include <cstdint>

namespace speclens {

enum class TokenSource : std::uint8_t {
    residual, // a draft token was rejected: what it left of the target's distribution
    bonus,    // every draft token was accepted: the target's distribution behind the last one
    target,   // the target's distribution where nothing was drafted or compared (plain decoding, greedy, match)
};

} // namespace speclens
