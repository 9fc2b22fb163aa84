// out = x * weightᵀ with quantised weights in tiles (quant_tiles.h) and x rounded to bf16. A number of four to eight bits is
// exact in bf16, so numbers are multiplied as they are, and only the sum of a stretch (a run of columns with one scale) meets
// its scale, in f32: no weight is rounded, and a weight costs no multiplication of its own.
//
// Bits: with s the scale of a stretch's weights, m their offset, n the sum of its numbers times x and S that of x alone, an
// output is one chain, stretches ascending,
//
//     acc = acc + n · s, then, for types with an offset, acc = acc ± m · S
//
// with a fused multiply-add where the instruction set has one. S is summed in halves of sixteen columns, each lane by lane:
// eight apart, then four, two, one; then the first half and the second (Q6_K: a half is a stretch). n is
//
//     by multiply-adds   a chain from 0, columns ascending, of numbers from which half of their range is subtracted;
//     by AVX512_BF16     a chain of VDPBF16PS (matmul_bf16.cpp) over pairs of columns, 0 with 4, 1 with 5, 2 with 6, 3 with 7
//                        of every eight, the later one first. The numbers are those of the bits plus 128 (bf16 of 0x4300 and
//                        the number in its last bits), so the chain begins at -(128 + half of the range) · S. Q8_0 has
//                        numbers with a sign, and begins at 0;
//     by AMX-BF16        the same numbers as a product of tiles (amx_tiles.h) from 0, to which the beginning is added.
//
// Neither the number of rows nor that of threads can change a result.
//
// AVX-512 only: with sixteen registers the sums of a stretch and those of the outputs do not both fit, and widening
// (matmul_quant.cpp) is quicker, by 30 % for five rows on AVX2.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_kept.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstring>
#include <utility>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/quant_blocks-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

// What is subtracted from a number as its bits are.
constexpr int middle_of(DType weights) { return weights == DType::q8_0 ? 0 : quad_offset(weights); }

// S of both halves of 32 values, and of all.
struct Sums {
    float half[2];
    float all;
    float padding = 0;
};
Sums sums_of(const float* x) {
    Sums sums;
    for (int half = 0; half < 2; ++half) {
        float lanes[16];
        std::memcpy(lanes, x + 16 * half, sizeof lanes);
        for (int apart = 8; apart > 0; apart /= 2)
            for (int i = 0; i < apart; ++i) lanes[i] += lanes[i + apart];
        sums.half[half] = lanes[0];
    }
    sums.all = sums.half[0] + sums.half[1];
    return sums;
}

// What both ways have in common: the scales of a stretch, and what becomes of its sums.
template <DType T, int G, int C>
struct ScaledSums {
    Scales<T> scales[G];
    V sums[G * C];

    HWY_INLINE void read_scales(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch) {
        for (int g = 0; g < G; ++g) scales[g].begin_stretch(tile_of(block, sub, g, tile_bytes), (sub + g) % kVectors, stretch);
    }
    template <class Block, std::size_t... Is>
    HWY_INLINE void add_to(V* HWY_RESTRICT acc, const Block* const* x, std::index_sequence<Is...>) const {
        ((acc[Is] = hn::MulAdd(sums[Is], scales[Is % G].scale, acc[Is])), ...);
        if constexpr (T == DType::q4_1) ((acc[Is] = hn::MulAdd(scales[Is % G].offset, hn::Set(F(), x[Is / G]->sums.all), acc[Is])), ...);
        if constexpr (T == DType::q4_k) ((acc[Is] = hn::NegMulAdd(scales[Is % G].offset, hn::Set(F(), x[Is / G]->sums.all), acc[Is])), ...);
    }
};

// ---- by multiply-adds ----

struct RoundedBlock {
    float x[kActivationBlock]; // rounded to bf16
    Sums sums;
};

// The numbers of column `place` of eight, whose lowest bits are in `low` and the others in `high`.
template <DType T, int place>
HWY_INLINE V number_of(U low, U high) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    // as the last bits of 2^23, from which the middle is subtracted, too: exact
    U whole = hn::OrAnd(hn::Set(kWords, 0x4B000000u), shifted<4 * place, 0>(low), hn::Set(kWords, 15));
    if constexpr (kLayout.bits > 4)
        whole = hn::OrAnd(whole, shifted<kLayout.high_bit(0, place), 4>(high), hn::Set(kWords, ((1u << (kLayout.bits - 4)) - 1) << 4));
    return hn::Sub(hn::BitCast(F(), whole), hn::Set(F(), static_cast<float>((1 << 23) + middle_of(T))));
}

template <DType T, int G, int C>
struct FloatStretch : ScaledSums<T, G, C> {
    static constexpr QuantLayout kLayout = *quant_layout(T);

    static HWY_INLINE void multiply(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int number,
                                    const RoundedBlock* const* x, V* HWY_RESTRICT acc) {
        constexpr auto all = std::make_index_sequence<G * C>();
        FloatStretch stretch;
        stretch.read_scales(block, sub, tile_bytes, number);
        clear(stretch.sums, all);
        stretch.add_words(block, sub, tile_bytes, number, x, std::make_index_sequence<kLayout.stretch / 8>());
        stretch.add_to(acc, x, all);
    }

  private:
    template <std::size_t... Ws>
    HWY_INLINE void add_words(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch, const RoundedBlock* const* x,
                              std::index_sequence<Ws...>) {
        (add_word<static_cast<int>(Ws)>(block, sub, tile_bytes, stretch, x, std::make_index_sequence<G>(), std::make_index_sequence<8>()),
         ...);
    }
    // Eight columns.
    template <int w, std::size_t... Gs, std::size_t... Places>
    HWY_INLINE void add_word(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch, const RoundedBlock* const* x,
                             std::index_sequence<Gs...> vectors, std::index_sequence<Places...>) {
        const int first = kLayout.stretch * stretch % kActivationBlock + 8 * w;
        const std::byte* at[G];
        U low[G], high[G];
        for (int g = 0; g < G; ++g) {
            const std::byte* numbers = tile_of(block, sub, g, tile_bytes) + kLayout.numbers_at() +
                                       2 * kLayout.bits * kLayout.stretch * stretch; // sixteen rows of them
            const std::int64_t vector = (sub + g) % kVectors;
            if constexpr (T == DType::q8_0) {
                at[g] = numbers + 8 * kTiledRows * w + kLanes * vector;
            } else {
                low[g] = load_words(numbers + 64 * w + 4 * kLanes * vector);
                if constexpr (kLayout.bits > 4)
                    high[g] = shifted<kLayout.high_bit(w, 0), 0>(load_words(numbers + 64 * kLayout.low_words() + 4 * kLanes * vector));
            }
        }
        const auto column = [&]<int place>(std::integral_constant<int, place>) HWY_ATTR {
            V weights[G];
            for (int g = 0; g < G; ++g) {
                if constexpr (T == DType::q8_0) {
                    const hn::Rebind<std::int8_t, F> i8;
                    const auto* bytes = reinterpret_cast<const std::int8_t*>(at[g] + kTiledRows * place);
                    weights[g] = hn::ConvertTo(F(), hn::PromoteTo(kInts, hn::LoadU(i8, bytes)));
                } else {
                    weights[g] = number_of<T, place>(low[g], high[g]);
                }
            }
            add_column(weights, x, first + place, vectors, std::make_index_sequence<C>());
        };
        (column(std::integral_constant<int, static_cast<int>(Places)>()), ...);
    }
    template <std::size_t... Gs, std::size_t... Cs>
    HWY_INLINE void add_column(const V* weights, const RoundedBlock* const* x, int column, std::index_sequence<Gs...> vectors,
                               std::index_sequence<Cs...>) {
        (add_row(weights, hn::Set(F(), x[Cs]->x[column]), this->sums + Cs * G, vectors), ...);
    }
    template <std::size_t... Gs>
    static HWY_INLINE void add_row(const V* weights, V x, V* to, std::index_sequence<Gs...>) {
        ((to[Gs] = hn::MulAdd(weights[Gs], x, to[Gs])), ...);
    }
};

template <DType T>
struct ByFloats {
    static constexpr DType kType = T;
    static constexpr int kMaxRows = 8;
    static constexpr int vectors_for(int rows) { return rows <= 2 ? 2 : 1; } // chains enough to hide a multiply-add
    using Block = RoundedBlock;
    template <int G, int C>
    using Stretch = FloatStretch<T, G, C>;
};

void pack_floats(const float* x, int rows, std::int64_t k, DType, std::byte* packed) {
    auto* to = reinterpret_cast<RoundedBlock*>(packed);
    for (std::int64_t i = 0; i < rows * k; i += kActivationBlock, ++to) {
        round_all_to_bf16(x + i, kActivationBlock, to->x);
        to->sums = sums_of(to->x);
    }
}

// ---- by sums of two products of bf16 ----

struct PairedBlock {
    std::uint32_t pairs[kActivationBlock / 2]; // of bf16, the earlier column in the low half
    Sums sums;
};

// acc + both products of every lane
HWY_INLINE void add_products(V& acc, U weights, U x) { asm("vdpbf16ps %2, %1, %0" : "+v"(acc.raw) : "v"(weights.raw), "v"(x.raw)); }

// Pair `pair` of word w of a stretch of sixteen rows whose numbers begin at `numbers`, as bf16.
template <DType T, int w, int pair>
HWY_INLINE U pair_of(const std::byte* numbers) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    if constexpr (T == DType::q8_0) {
        const hn::Rebind<std::int8_t, F> i8;
        const auto column = [&](int i) HWY_ATTR {
            const auto* bytes = reinterpret_cast<const std::int8_t*>(numbers + kTiledRows * (8 * w + i));
            return hn::BitCast(kWords, hn::ConvertTo(F(), hn::PromoteTo(kInts, hn::LoadU(i8, bytes)))); // exact in its upper half
        };
        return hn::Or(hn::ShiftRight<16>(column(pair)), column(pair + 4));
    } else {
        U both = hn::OrAnd(hn::Set(kWords, 0x43004300u), shifted<4 * pair, 0>(load_words(numbers + 64 * w)), hn::Set(kWords, 0x000F000Fu));
        if constexpr (kLayout.bits > 4) {
            constexpr std::uint32_t kHigh = ((1u << (kLayout.bits - 4)) - 1) << 4;
            both = hn::OrAnd(both, shifted<kLayout.high_bit(w, pair), 4>(load_words(numbers + 64 * kLayout.low_words())),
                             hn::Set(kWords, 0x00010001u * kHigh));
        }
        return both;
    }
}

template <DType T, int G, int C>
struct PairStretch : ScaledSums<T, G, C> {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr float kBegin = T == DType::q8_0 ? 0.0f : -128.0f - static_cast<float>(middle_of(T));
    static float begin_of(const Sums& sums, int stretch) {
        return kBegin * (kLayout.stretch == kActivationBlock ? sums.all : sums.half[stretch % 2]);
    }

    static HWY_INLINE void multiply(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int number,
                                    const PairedBlock* const* x, V* HWY_RESTRICT acc) {
        constexpr auto all = std::make_index_sequence<G * C>();
        PairStretch stretch;
        stretch.read_scales(block, sub, tile_bytes, number);
        stretch.begin(x, number, all);
        stretch.add_pairs(block, tile_bytes, number, x, std::make_index_sequence<kLayout.stretch / 2>());
        stretch.add_to(acc, x, all);
    }

  private:
    template <std::size_t... Is>
    HWY_INLINE void begin(const PairedBlock* const* x, int stretch, std::index_sequence<Is...>) {
        if constexpr (kBegin == 0) return clear(this->sums, std::index_sequence<Is...>());
        ((this->sums[Is] = hn::Set(F(), begin_of(x[Is / G]->sums, stretch))), ...);
    }
    template <std::size_t... Ps>
    HWY_INLINE void add_pairs(const std::byte* block, std::int64_t tile_bytes, int stretch, const PairedBlock* const* x,
                              std::index_sequence<Ps...>) {
        (add_pair<static_cast<int>(Ps)>(block, tile_bytes, stretch, x, std::make_index_sequence<G>(), std::make_index_sequence<C>()), ...);
    }
    template <int p, std::size_t... Gs, std::size_t... Cs>
    HWY_INLINE void add_pair(const std::byte* block, std::int64_t tile_bytes, int stretch, const PairedBlock* const* x,
                             std::index_sequence<Gs...> vectors, std::index_sequence<Cs...>) {
        const std::byte* numbers = block + kLayout.numbers_at() + 2 * kLayout.bits * kLayout.stretch * stretch;
        const U weights[G] = {pair_of<T, p / 4, p % 4>(numbers + static_cast<std::int64_t>(Gs) * tile_bytes)...};
        const int first = kLayout.stretch / 2 * stretch % (kActivationBlock / 2);
        (add_row(weights, hn::Set(kWords, x[Cs]->pairs[first + p]), this->sums + Cs * G, vectors), ...);
    }
    template <std::size_t... Gs>
    static HWY_INLINE void add_row(const U* weights, U x, V* to, std::index_sequence<Gs...>) {
        (add_products(to[Gs], weights[Gs], x), ...);
    }
};

template <DType T>
struct ByPairs {
    static_assert(kVectors == 1); // a vector is a line of a tile
    static constexpr DType kType = T;
    static constexpr int kMaxRows = 8;
    static constexpr int vectors_for(int rows) { return rows <= (T == DType::q8_0 ? 2 : 5) ? 2 : 1; }
    using Block = PairedBlock;
    template <int G, int C>
    using Stretch = PairStretch<T, G, C>;
};

void pack_pairs(const float* x, int rows, std::int64_t k, DType, std::byte* packed) {
    auto* to = reinterpret_cast<PairedBlock*>(packed);
    for (std::int64_t i = 0; i < rows * k; i += kActivationBlock, ++to) {
        float rounded[kActivationBlock];
        round_all_to_bf16(x + i, kActivationBlock, rounded);
        std::uint32_t bits[kActivationBlock];
        std::memcpy(bits, rounded, sizeof bits);
        for (int p = 0; p < kActivationBlock / 2; ++p) {
            const int column = p / 4 * 8 + p % 4;
            to->pairs[p] = bits[column] >> 16 | bits[column + 4];
        }
        to->sums = sums_of(rounded);
    }
}

// ---- by tiles of bf16: what amx_tiles.h is made of ----

template <DType T>
void unpack_lines(const std::byte* block, int stretch, std::uint32_t* lines) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    const std::byte* numbers = block + kLayout.numbers_at() + 2 * kLayout.bits * kLayout.stretch * stretch;
    [&]<std::size_t... Ps>(std::index_sequence<Ps...>) HWY_ATTR {
        (hn::Store(pair_of<T, static_cast<int>(Ps) / 4, static_cast<int>(Ps) % 4>(numbers), kWords, lines + kLanes * Ps), ...);
    }
    (std::make_index_sequence<kLayout.stretch / 2>());
}

template <DType T>
void add_scaled(const std::byte* block, int stretch, const std::byte* x, std::int64_t x_stride, const float* sums, int rows, float* acc) {
    using Kernel = PairStretch<T, 1, 1>;
    ScaledSums<T, 1, 1> scaled;
    scaled.read_scales(block, 0, 0, stretch);
    for (int row = 0; row < rows; ++row, x += x_stride, sums += kLanes, acc += kLanes) {
        const auto* of_row = reinterpret_cast<const PairedBlock*>(x);
        scaled.sums[0] = hn::Load(F(), sums);
        if constexpr (Kernel::kBegin != 0) scaled.sums[0] = hn::Add(scaled.sums[0], hn::Set(F(), Kernel::begin_of(of_row->sums, stretch)));
        V total = hn::Load(F(), acc);
        scaled.add_to(&total, &of_row, std::index_sequence<0>());
        hn::Store(total, F(), acc);
    }
}

} // namespace

const KeptSteps* kept_steps(DType weights) {
    const auto steps = []<DType T>(std::integral_constant<DType, T>) {
        constexpr QuantLayout kLayout = *quant_layout(T);
        return KeptSteps{kLayout.values, kLayout.tile_bytes(), kLayout.stretch, unpack_lines<T>, add_scaled<T>};
    };
    static const std::pair<DType, KeptSteps> kSteps[] = {
        {DType::q8_0, steps(std::integral_constant<DType, DType::q8_0>())},
        {DType::q4_0, steps(std::integral_constant<DType, DType::q4_0>())},
        {DType::q4_1, steps(std::integral_constant<DType, DType::q4_1>())},
        {DType::q5_0, steps(std::integral_constant<DType, DType::q5_0>())},
        {DType::q4_k, steps(std::integral_constant<DType, DType::q4_k>())},
        {DType::q6_k, steps(std::integral_constant<DType, DType::q6_k>())},
    };
    for (const auto& [dtype, of_type] : kSteps)
        if (dtype == weights) return &of_type;
    check_failed("a quantised type with tiles", __FILE__, __LINE__, name_of(weights));
}

const MatmulKernels kKeptMatmul = {pack_floats, packed_row<RoundedBlock>, multiply_quantised<ByFloats>};
const MatmulKernels kKeptBf16Matmul = {pack_pairs, packed_row<PairedBlock>, multiply_quantised<ByPairs>};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();
#endif // HWY_TARGET == HWY_AVX3

#if HWY_ONCE
namespace speclens {

const MatmulKernels* kept_matmul(bool bf16) {
#if HWY_ARCH_X86
    return bf16 ? &N_AVX3::kKeptBf16Matmul : &N_AVX3::kKeptMatmul;
#else
    (void)bf16;
    return nullptr;
#endif
}

const KeptSteps* kept_steps(DType weights) {
#if HWY_ARCH_X86
    return N_AVX3::kept_steps(weights);
#else
    (void)weights;
    return nullptr;
#endif
}

} // namespace speclens
#endif // HWY_ONCE
