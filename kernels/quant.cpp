#include "kernels/quant.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/bf16.h"
#include "kernels/error.h"

namespace speclens {
namespace {

float half_at(const std::byte* from) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, 2);
    return widen_f16(bits);
}
int byte_at(const std::byte* from) { return std::to_integer<int>(*from); }
int signed_at(const std::byte* from) { return static_cast<std::int8_t>(std::to_integer<int>(*from)); }

// 32 values of four bits: the low halves of sixteen bytes, then the high ones; with a fifth bit each where `high` has them.
template <class Number>
void widen_32(const std::byte* nibbles, std::uint32_t high, const Number& number, float* to) {
    for (int i = 0; i < 16; ++i) {
        const int low_bit = static_cast<int>(high >> i & 1u) << 4, high_bit = static_cast<int>(high >> (i + 16) & 1u) << 4;
        to[i] = number((byte_at(nibbles + i) & 15) | low_bit);
        to[i + 16] = number((byte_at(nibbles + i) >> 4) | high_bit);
    }
}

std::uint32_t word_at(const std::byte* from) {
    std::uint32_t word = 0;
    std::memcpy(&word, from, 4);
    return word;
}

void widen_q8_0(const std::byte* b, float* to) {
    const float d = half_at(b);
    for (int i = 0; i < 32; ++i) to[i] = static_cast<float>(signed_at(b + 2 + i)) * d;
}
void widen_q4_0(const std::byte* b, float* to) {
    widen_32(
        b + 2, 0, [d = half_at(b)](int q) { return static_cast<float>(q - 8) * d; }, to);
}
void widen_q4_1(const std::byte* b, float* to) {
    widen_32(
        b + 4, 0, [d = half_at(b), m = half_at(b + 2)](int q) { return static_cast<float>(q) * d + m; }, to);
}
void widen_q5_0(const std::byte* b, float* to) {
    widen_32(
        b + 6, word_at(b + 2), [d = half_at(b)](int q) { return static_cast<float>(q - 16) * d; }, to);
}
void widen_q5_1(const std::byte* b, float* to) {
    widen_32(
        b + 8, word_at(b + 4), [d = half_at(b), m = half_at(b + 2)](int q) { return static_cast<float>(q) * d + m; }, to);
}

void widen_q2_k(const std::byte* b, float* to) {
    const std::byte *scales = b, *quants = b + 16;
    const float d = half_at(b + 80), dmin = half_at(b + 82);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, shift = i % 128 / 32 * 2, scale = byte_at(scales + i / 16);
        const int q = byte_at(quants + 32 * half + i % 32) >> shift & 3;
        to[i] = d * static_cast<float>(scale & 15) * static_cast<float>(q) - dmin * static_cast<float>(scale >> 4);
    }
}

void widen_q3_k(const std::byte* b, float* to) {
    const std::byte *high = b, *quants = b + 32, *packed = b + 96;
    const float d = half_at(b + 108);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, shift = i % 128 / 32 * 2, group = i / 16;
        const int low = group < 8 ? byte_at(packed + group) & 15 : byte_at(packed + group - 8) >> 4;
        const int scale = (low | (byte_at(packed + 8 + group % 4) >> (2 * (group / 4)) & 3) << 4) - 32;
        const int q = (byte_at(quants + 32 * half + i % 32) >> shift & 3) - (byte_at(high + i % 32) >> (i / 32) & 1 ? 0 : 4);
        to[i] = d * static_cast<float>(scale) * static_cast<float>(q);
    }
}

// Scale and minimum of 6 bits for group `group` of eight, packed into twelve bytes.
struct ScaleAndMin {
    int scale, min;
};
ScaleAndMin packed_six(const std::byte* packed, int group) {
    if (group < 4) return {byte_at(packed + group) & 63, byte_at(packed + group + 4) & 63};
    return {(byte_at(packed + group + 4) & 15) | byte_at(packed + group - 4) >> 6 << 4,
            byte_at(packed + group + 4) >> 4 | byte_at(packed + group) >> 6 << 4};
}

// q4_k (high null) and q5_k.
void widen_45_k(const std::byte* b, const std::byte* high, const std::byte* quants, float* to) {
    const float d = half_at(b), dmin = half_at(b + 2);
    for (int group = 0; group < 8; ++group) {
        const ScaleAndMin packed = packed_six(b + 4, group);
        const float scale = d * static_cast<float>(packed.scale), min = dmin * static_cast<float>(packed.min);
        for (int i = 0; i < 32; ++i) {
            int q = byte_at(quants + group / 2 * 32 + i) >> (group % 2 * 4) & 15;
            if (high != nullptr) q |= (byte_at(high + i) >> group & 1) << 4;
            to[32 * group + i] = scale * static_cast<float>(q) - min;
        }
    }
}

void widen_q6_k(const std::byte* b, float* to) {
    const std::byte *low = b, *high = b + 128, *scales = b + 192;
    const float d = half_at(b + 208);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, within = i % 128, quarter = within / 32, lane = within % 32;
        const int nibble = byte_at(low + 64 * half + within % 64) >> (within / 64 * 4) & 15;
        const int q = (nibble | (byte_at(high + 32 * half + lane) >> (2 * quarter) & 3) << 4) - 32;
        to[i] = d * static_cast<float>(signed_at(scales + i / 16)) * static_cast<float>(q);
    }
}

void widen_block(DType stored, const std::byte* b, float* to) {
    switch (stored) {
    case DType::q8_0: return widen_q8_0(b, to);
    case DType::q4_0: return widen_q4_0(b, to);
    case DType::q4_1: return widen_q4_1(b, to);
    case DType::q5_0: return widen_q5_0(b, to);
    case DType::q5_1: return widen_q5_1(b, to);
    case DType::q2_k: return widen_q2_k(b, to);
    case DType::q3_k: return widen_q3_k(b, to);
    case DType::q4_k: return widen_45_k(b, nullptr, b + 16, to);
    case DType::q5_k: return widen_45_k(b, b + 16, b + 48, to);
    case DType::q6_k: return widen_q6_k(b, to);
    default: check_failed("a quantised type", __FILE__, __LINE__, name_of(stored));
    }
}

} // namespace

float widen_f16(std::uint16_t bits) {
    // the exponent is moved by a multiplication, which also turns subnormal halves into normal floats
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7FFF) << 13;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    const std::uint32_t special = (bits & 0x7C00) == 0x7C00 ? 0x7F800000u : 0u; // inf and NaN keep theirs
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

std::uint16_t narrow_f16(float value) {
    const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u);
    const float size = std::abs(value);
    if (size >= 65520.f) return static_cast<std::uint16_t>(sign | 0x7C00u);
    if (size < 0x1p-14f) // subnormal: so many times the smallest step, rounded by the addition
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(size + 0x1p-1f) & 0x7FFFu));
    const auto bits = std::bit_cast<std::uint32_t>(size);
    const std::uint32_t rounded = bits + 0xFFFu + (bits >> 13 & 1u);
    return static_cast<std::uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

void widen(DType stored, const std::byte* from, std::int64_t values, float* to) {
    CHECK(values % block_of(stored).values == 0, "a part of a block cannot be widened");
    if (stored == DType::f32) {
        std::memcpy(to, from, 4 * static_cast<std::size_t>(values));
    } else if (stored == DType::f16 || stored == DType::bf16) {
        for (std::int64_t i = 0; i < values; ++i) {
            std::uint16_t bits = 0;
            std::memcpy(&bits, from + 2 * i, 2);
            to[i] = stored == DType::f16 ? widen_f16(bits) : widen_bf16(bits);
        }
    } else {
        const Block block = block_of(stored);
        for (std::int64_t i = 0; i < values; i += block.values, from += block.bytes) widen_block(stored, from, to + i);
    }
}

} // namespace speclens
