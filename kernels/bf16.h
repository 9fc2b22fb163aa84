// bf16, the upper half of an f32, as bits.
#pragma once

#include <bit>
#include <cstdint>

namespace speclens {

inline float widen_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
// To the nearest, ties to even. No NaN.
inline std::uint16_t narrow_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

} // namespace speclens
