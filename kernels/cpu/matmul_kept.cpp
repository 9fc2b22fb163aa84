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
//     by AMX-BF16        of the same numbers: a chain of multiply-adds from 0 over the earlier columns of the pairs, one over the
//                        later ones, and the sum of both, which is what a product of tiles is (amx_tiles.h); then
//                        n = n - (128 + half of the range) · S in one multiply-add. Values of x below 2^-100 count as zeros, so that
//                        nothing is subnormal, where a tile would have 0. One row alone is multiplied by AVX-512, in this order:
//                        tiles take as long for it as for five.
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

#include <cmath>
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
// The same for a number of a pair, to which 128 was added.
template <DType T>
constexpr float kBegin = T == DType::q8_0 ? 0.0f : -128.0f - static_cast<float>(middle_of(T));

// (bits & mask) | onto, in the register of `bits`.
HWY_INLINE U masked_onto(U bits, U mask, U onto) { return U{_mm512_ternarylogic_epi32(bits.raw, mask.raw, onto.raw, 0xEA)}; }

// S of both halves of 32 values, and of all.
struct Sums {
    float half[2];
    float all;
    float padding = 0;

    template <DType T> // of the stretch
    [[nodiscard]] float of(int stretch) const {
        return quant_layout(T)->stretch == kActivationBlock ? all : half[stretch % 2];
    }
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

// The sums of numbers of pairs, without the 128 and the half of the range that is too much.
template <DType T>
HWY_INLINE V with_begin(V sums, const Sums& x, int stretch) {
    return kBegin<T> == 0 ? sums : hn::MulAdd(hn::Set(F(), kBegin<T>), hn::Set(F(), x.of<T>(stretch)), sums);
}

// ---- by multiply-adds ----

struct RoundedBlock {
    float x[kActivationBlock]; // rounded to bf16
    Sums sums;
};

// The numbers of column `place` of eight, whose lowest bits are in `low` and the others in `high`. of_pairs: with 128 added, as
// they stand in pairs of bf16.
template <DType T, int place, bool of_pairs>
HWY_INLINE V number_of(U low, U high) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    if constexpr (of_pairs) { // the last bits that a bf16 of 128 has
        U pair = masked_onto(shifted<4 * place, 16>(low), hn::Set(kWords, 15u << 16), hn::Set(kWords, 0x43000000u));
        if constexpr (kLayout.bits > 4)
            pair =
                masked_onto(shifted<kLayout.high_bit(0, place), 20>(high), hn::Set(kWords, ((1u << (kLayout.bits - 4)) - 1) << 20), pair);
        return hn::BitCast(F(), pair);
    }
    // as the last bits of 2^23, from which the middle is subtracted, too: exact
    U whole = hn::OrAnd(hn::Set(kWords, 0x4B000000u), shifted<4 * place, 0>(low), hn::Set(kWords, 15));
    if constexpr (kLayout.bits > 4)
        whole = hn::OrAnd(whole, shifted<kLayout.high_bit(0, place), 4>(high), hn::Set(kWords, ((1u << (kLayout.bits - 4)) - 1) << 4));
    return hn::Sub(hn::BitCast(F(), whole), hn::Set(F(), static_cast<float>((1 << 23) + middle_of(T))));
}

// as_tiles: in the order of tiles.
template <DType T, bool as_tiles, int G, int C>
struct FloatStretch : ScaledSums<T, G, C> {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    V later[G * C]; // as_tiles: the chains of the pairs' later columns

    static HWY_INLINE void multiply(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int number,
                                    const RoundedBlock* const* x, V* HWY_RESTRICT acc) {
        constexpr auto all = std::make_index_sequence<G * C>();
        FloatStretch stretch;
        stretch.read_scales(block, sub, tile_bytes, number);
        clear(stretch.sums, all);
        if constexpr (as_tiles) clear(stretch.later, all);
        stretch.add_words(block, sub, tile_bytes, number, x, std::make_index_sequence<kLayout.stretch / 8>());
        if constexpr (as_tiles) stretch.join(x, number, all);
        stretch.add_to(acc, x, all);
    }

  private:
    template <std::size_t... Is>
    HWY_INLINE void join(const RoundedBlock* const* x, int stretch, std::index_sequence<Is...>) {
        ((this->sums[Is] = with_begin<T>(hn::Add(this->sums[Is], later[Is]), x[Is / G]->sums, stretch)), ...);
    }
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
                    weights[g] = number_of<T, place, as_tiles>(low[g], high[g]);
                }
            }
            add_column(weights, x, first + place, as_tiles && place >= 4 ? later : this->sums, vectors, std::make_index_sequence<C>());
        };
        (column(std::integral_constant<int, static_cast<int>(Places)>()), ...);
    }
    template <std::size_t... Gs, std::size_t... Cs>
    static HWY_INLINE void add_column(const V* weights, const RoundedBlock* const* x, int column, V* to, std::index_sequence<Gs...> vectors,
                                      std::index_sequence<Cs...>) {
        (add_row(weights, hn::Set(F(), x[Cs]->x[column]), to + Cs * G, vectors), ...);
    }
    template <std::size_t... Gs>
    static HWY_INLINE void add_row(const V* weights, V x, V* to, std::index_sequence<Gs...>) {
        ((to[Gs] = hn::MulAdd(weights[Gs], x, to[Gs])), ...);
    }
};

template <DType T, bool as_tiles>
struct ByFloatsIn {
    static constexpr DType kType = T;
    static constexpr int kMaxRows = 8;
    static constexpr int vectors_for(int rows) { return rows <= 2 ? 2 : 1; } // chains enough to hide a multiply-add
    using Block = RoundedBlock;
    template <int G, int C>
    using Stretch = FloatStretch<T, as_tiles, G, C>;
};
template <DType T>
using ByFloats = ByFloatsIn<T, false>;

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
// Of 32 values.
void pack_block(const float* x, std::uint32_t* pairs, Sums& sums) {
    float rounded[kActivationBlock];
    round_all_to_bf16(x, kActivationBlock, rounded);
    std::uint32_t bits[kActivationBlock];
    std::memcpy(bits, rounded, sizeof bits);
    for (int p = 0; p < kActivationBlock / 2; ++p) {
        const int column = p / 4 * 8 + p % 4;
        pairs[p] = bits[column] >> 16 | bits[column + 4];
    }
    sums = sums_of(rounded);
}

// acc + both products of every lane
HWY_INLINE void add_products(V& acc, U weights, U x) { asm("vdpbf16ps %2, %1, %0" : "+v"(acc.raw) : "v"(weights.raw), "v"(x.raw)); }

// The words of a stretch of sixteen rows whose numbers begin at `numbers`: all of them, before anything is stored. Of eight bits
// none: a number is a byte.
template <DType T>
struct StretchWords {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    const std::byte* numbers;
    U words[kLayout.bits == 8 ? 1 : kLayout.stretch_words()];

    explicit HWY_INLINE StretchWords(const std::byte* from) : numbers(from) {
        if constexpr (kLayout.bits < 8)
            for (int w = 0; w < kLayout.stretch_words(); ++w) words[w] = load_words(numbers + 64 * w);
    }
    // Pair `p` of the stretch, as bf16.
    template <int p>
    [[nodiscard]] HWY_INLINE U pair() const {
        constexpr int w = p / 4, pair = p % 4; // columns `pair` and `pair + 4` of eight
        if constexpr (T == DType::q8_0) {
            const hn::Rebind<std::int8_t, F> i8;
            const auto column = [&](int i) HWY_ATTR {
                const auto* bytes = reinterpret_cast<const std::int8_t*>(numbers + kTiledRows * (8 * w + i));
                return hn::BitCast(kWords, hn::ConvertTo(F(), hn::PromoteTo(kInts, hn::LoadU(i8, bytes)))); // exact in its upper half
            };
            return hn::Or(hn::ShiftRight<16>(column(pair)), column(pair + 4));
        } else {
            U both = masked_onto(shifted<4 * pair, 0>(words[w]), hn::Set(kWords, 0x000F000Fu), hn::Set(kWords, 0x43004300u));
            if constexpr (kLayout.bits > 4) {
                constexpr std::uint32_t kHigh = ((1u << (kLayout.bits - 4)) - 1) << 4;
                both = masked_onto(shifted<kLayout.high_bit(w, pair), 4>(words[kLayout.low_words()]), hn::Set(kWords, 0x00010001u * kHigh),
                                   both);
            }
            return both;
        }
    }
};

template <DType T, int G, int C>
struct PairStretch : ScaledSums<T, G, C> {
    static constexpr QuantLayout kLayout = *quant_layout(T);

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
        if constexpr (kBegin<T> == 0) return clear(this->sums, std::index_sequence<Is...>());
        ((this->sums[Is] = hn::Set(F(), kBegin<T> * x[Is / G]->sums.template of<T>(stretch))), ...);
    }
    template <std::size_t... Ps>
    HWY_INLINE void add_pairs(const std::byte* block, std::int64_t tile_bytes, int stretch, const PairedBlock* const* x,
                              std::index_sequence<Ps...>) {
        const std::byte* numbers = block + kLayout.numbers_at() + 2 * kLayout.bits * kLayout.stretch * stretch;
        const auto words = [&]<std::size_t... Gs>(std::index_sequence<Gs...>) HWY_ATTR {
            return Words{{StretchWords<T>(numbers + static_cast<std::int64_t>(Gs) * tile_bytes)...}};
        }
        (std::make_index_sequence<G>());
        const int first = kLayout.stretch / 2 * stretch % (kActivationBlock / 2);
        (add_pair<static_cast<int>(Ps)>(words, first, x, std::make_index_sequence<G>(), std::make_index_sequence<C>()), ...);
    }
    struct Words {
        StretchWords<T> of[G];
    };
    template <int p, std::size_t... Gs, std::size_t... Cs>
    HWY_INLINE void add_pair(const Words& words, int first, const PairedBlock* const* x, std::index_sequence<Gs...> vectors,
                             std::index_sequence<Cs...>) {
        const U weights[G] = {words.of[Gs].template pair<p>()...};
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
    for (std::int64_t i = 0; i < rows * k; i += kActivationBlock, ++to) pack_block(x + i, to->pairs, to->sums);
}

// ---- by tiles of bf16: what amx_tiles.h is made of ----

constexpr std::int64_t kAheadOfTiles = 24 << 10; // bytes between their way to the second cache and use

// A row: pairs of all columns, so that they lie as in a tile register, and the sums of each block of 32; then, where it is alone,
// single numbers of them.
struct BehindPairs {
    Sums sums;
};
std::int64_t singles_at(std::int64_t k) {
    return (2 * k + k / kActivationBlock * static_cast<std::int64_t>(sizeof(BehindPairs)) + 63) / 64 * 64;
}
std::int64_t tiles_row(std::int64_t k) { return (singles_at(k) + packed_row<RoundedBlock>(k) + 63) / 64 * 64; }
void pack_rows_of_tiles(const float* x, int rows, std::int64_t k, DType, std::byte* packed) {
    constexpr float kSmallest = 0x1p-100f;
    for (int row = 0; row < rows; ++row, packed += tiles_row(k)) {
        auto* pairs = reinterpret_cast<std::uint32_t*>(packed);
        auto* behind = reinterpret_cast<BehindPairs*>(packed + 2 * k);
        auto* single = reinterpret_cast<RoundedBlock*>(packed + singles_at(k));
        for (std::int64_t i = 0; i < k; i += kActivationBlock, x += kActivationBlock, pairs += kActivationBlock / 2, ++behind) {
            float values[kActivationBlock];
            for (int c = 0; c < kActivationBlock; ++c) values[c] = std::abs(x[c]) < kSmallest ? 0.0f : x[c];
            pack_block(values, pairs, behind->sums);
            if (rows > 1) continue;
            round_all_to_bf16(values, kActivationBlock, single->x);
            single++->sums = behind->sums;
        }
    }
}
template <DType T>
using ByFloatsAsTiles = ByFloatsIn<T, true>;
void multiply_alone(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    MatmulTask single = task;
    single.x = static_cast<const std::byte*>(task.x) + singles_at(task.k);
    multiply_quantised<ByFloatsAsTiles>(single, first, last);
}

template <DType T>
struct Spans {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr int kStretches = kLayout.values / kLayout.stretch; // of a block
    static constexpr int kSumsOfTile = kTiledRows * kLanes;

    static const std::byte* block_of(const std::byte* tile, int stretch) { return tile + stretch / kStretches * kLayout.tile_bytes(); }

    static HWY_INLINE void unpack_one(const std::byte* tile, int stretch, std::uint32_t* lines) {
        constexpr int kBytes = 2 * kLayout.bits * kLayout.stretch;
        const std::byte* numbers = block_of(tile, stretch) + kLayout.numbers_at() + kBytes * (stretch % kStretches);
        constexpr int kAll = kLayout.tile_bytes() / kStretches; // with its part of the scales
        const std::byte* part = block_of(tile, stretch) + kAll * (stretch % kStretches);
        for (int line = 0; line < kAll; line += 64) _mm_prefetch(reinterpret_cast<const char*>(part) + kAheadOfTiles + line, _MM_HINT_T1);
        const StretchWords<T> words(numbers);
        [&]<std::size_t... Ps>(std::index_sequence<Ps...>) HWY_ATTR {
            (hn::Store(words.template pair<static_cast<int>(Ps)>(), kWords, lines + kLanes * Ps), ...);
        }
        (std::make_index_sequence<kLayout.stretch / 2>());
    }
    static void unpack(const std::byte* tile, int first, int count, std::uint32_t* lines) {
        for (int i = 0; i < count; ++i) unpack_one(tile, first + i, lines + kLanes * (kLayout.stretch / 2) * i);
    }

    // Of so many at once: the sums of a row are in a register meanwhile.
    template <int count>
    static HWY_INLINE void add_some(const std::byte* tile, int first, const std::byte* x, std::int64_t x_stride, const float* sums,
                                    int rows, float* acc) {
        ScaledSums<T, 1, 1> scaled[count];
        for (int i = 0; i < count; ++i) scaled[i].read_scales(block_of(tile, first + i), 0, 0, (first + i) % kStretches);
        for (int row = 0; row < rows; ++row, x += x_stride, sums += kLanes, acc += kLanes) {
            const auto* of_row = reinterpret_cast<const BehindPairs*>(x);
            V total = hn::Load(F(), acc);
            for (int i = 0; i < count; ++i) {
                const BehindPairs* block = of_row + (first + i) * kLayout.stretch / kActivationBlock;
                scaled[i].sums[0] = with_begin<T>(hn::Load(F(), sums + kSumsOfTile * i), block->sums, first + i);
                scaled[i].add_to(&total, &block, std::index_sequence<0>());
            }
            hn::Store(total, F(), acc);
        }
    }
    static void add(const std::byte* tile, int first, int count, const std::byte* x, std::int64_t x_stride, const float* sums, int rows,
                    float* acc) {
        int i = 0;
        for (; i + 4 <= count; i += 4) add_some<4>(tile, first + i, x, x_stride, sums + kSumsOfTile * i, rows, acc);
        for (; i < count; ++i) add_some<1>(tile, first + i, x, x_stride, sums + kSumsOfTile * i, rows, acc);
    }
};

} // namespace

const KeptSteps* kept_steps(DType weights) {
    const auto steps = []<DType T>(std::integral_constant<DType, T>) {
        constexpr QuantLayout kLayout = *quant_layout(T);
        return KeptSteps{kLayout.values, kLayout.tile_bytes(), kLayout.stretch, Spans<T>::unpack, Spans<T>::add};
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
const MatmulKernels kKeptTileMatmul = {pack_rows_of_tiles, tiles_row, multiply_alone};

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

const MatmulKernels* kept_tile_matmul() {
#if HWY_ARCH_X86
    return &N_AVX3::kKeptTileMatmul;
#else
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
