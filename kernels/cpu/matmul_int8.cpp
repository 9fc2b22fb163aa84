// out = x * weightᵀ with quantised weights in tiles (quant_tiles.h) and x in 8 bits (quant_activations.h): the integers are
// multiplied and summed as integers, four columns to a 32-bit lane, and only the sum of a stretch (a run of columns with one
// scale) becomes a float. As in matmul_tiles.cpp lanes are outputs, and a weight is loaded once while up to eight rows of x
// pass by.
//
// Bits: with s the scale of a stretch's weights, m their offset, d the scale of the activations and n the sum of products of
// the stretch's integers, an output is one chain, stretches ascending,
//
//     acc = acc + n · (s · d), then, for types with an offset, acc = acc ± m · (d · the sum of the activations)
//
// with a fused multiply-add where the instruction set has one. n is exact in every path (below 2^24), so paths with the same
// multiply-add give the same bits, and neither the number of rows nor that of threads can change a result.
//
// The sums of four products (VPDPBUSD) stand here as assembly: Highway 1.0 has no target with just them, and for the
// compiler's own functions all of this file would have to be compiled once more.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_int8.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstring>
#include <limits>
#include <utility>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/quant_activations.h"
#include "kernels/cpu/quant_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

// ---- quads: the numbers of four columns, as the bytes of a lane, in the order of quad_column ----

// The bytes of four lines, one for each column, byte by byte in the lanes of their outputs.
HWY_INLINE U interleave_lines(const std::byte* lines) {
#if HWY_TARGET == HWY_AVX3
    // Each block of 128 bits gets its four outputs of all four lines, then their order.
    const auto by_output = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const auto by_column = _mm512_broadcast_i32x4(_mm_set_epi8(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0));
    return U{_mm512_shuffle_epi8(_mm512_permutexvar_epi32(by_output, load_words(lines).raw), by_column)};
#else
    const hn::Rebind<std::uint8_t, F> u8;
    const auto line = [&](int i) {
        return hn::PromoteTo(kWords, hn::LoadU(u8, reinterpret_cast<const std::uint8_t*>(lines) + i * kTiledRows));
    };
    return hn::Or(hn::Or(line(0), hn::ShiftLeft<8>(line(1))), hn::Or(hn::ShiftLeft<16>(line(2)), hn::ShiftLeft<24>(line(3))));
#endif
}

// Quad i of a stretch of a block of sixteen rows, for vector `sub` of the tile. Positive numbers, but for Q8_0.
template <DType T, int i>
HWY_INLINE U quad(const std::byte* block, std::int64_t sub, int stretch) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    const std::byte* numbers = block + kLayout.numbers_at() + 2 * kLayout.bits * kLayout.stretch * stretch;
    const auto word = [&](int w) { return load_words(numbers + 64 * w + 4 * kLanes * sub); };
    if constexpr (T == DType::q8_0) {
        return interleave_lines(numbers + 64 * i + kLanes * sub);
    } else {
        const U low = hn::And(shifted<4 * (i % 2), 0>(word(i / 2)), hn::Set(kWords, 0x0F0F0F0F));
        if constexpr (kLayout.bits == 4) return low;
        constexpr std::uint32_t kHigh = ((1u << (kLayout.bits - 4)) - 1) << 4;
        return hn::OrAnd(low, shifted<kLayout.high_bit(i / 2, i % 2), 4>(word(kLayout.low_words())), hn::Set(kWords, 0x01010101u * kHigh));
    }
}

// ---- sums of the products of quads ----

// In a register of its own, with the processor's sums of four products.
template <DType T>
struct WithVnni {
    static constexpr bool kPositive = true; // weights have to be: Q8_0 gets 128 more
    I sum;
    HWY_INLINE void begin(I start) { sum = start; }
    template <int i>
    HWY_INLINE void add([[maybe_unused]] U weights, [[maybe_unused]] U x) {
#if HWY_TARGET == HWY_AVX3
        asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(weights.raw), "v"(x.raw));
#elif HWY_TARGET == HWY_AVX2
        asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(weights.raw), "x"(x.raw));
#endif
    }
};

// By products that are summed in pairs as 16 bits, for as many quads as these can hold, and then in 32 bits.
template <DType T>
struct WithPairs {
    static constexpr int kBits = quant_layout(T)->bits;
    // Quads whose pairs stay below 2^15: a pair of products is at most 2 · 127 · 15 (31, 63, and 128 with its sign in x).
    static constexpr int kTogether = kBits == 4 ? 8 : kBits == 5 ? 4 : kBits == 6 ? 2 : 1;
    static constexpr bool kPositive = kBits < 8;
    using Shorts = hn::Vec<hn::Repartition<std::int16_t, F>>;
    I sum;
    Shorts pairs;

    HWY_INLINE void begin(I start) { sum = start; }
    template <int i>
    HWY_INLINE void add(U weights, U x) {
#if HWY_ARCH_X86
        const Shorts two = multiply(weights, x);
        pairs = i % kTogether == 0 ? two : hn::Add(pairs, two);
        if constexpr (i % kTogether == kTogether - 1) sum = hn::Add(sum, add_pairs(pairs));
#else
        const auto byte = [&]<int b>(U v, std::integral_constant<int, b>) {
            return hn::ShiftRight<24>(hn::BitCast(kInts, hn::ShiftLeft<24 - 8 * b>(v)));
        };
        const auto product = [&](auto b) { return hn::Mul(byte(weights, b), byte(x, b)); };
        sum = hn::Add(sum, hn::Add(hn::Add(product(std::integral_constant<int, 0>()), product(std::integral_constant<int, 1>())),
                                   hn::Add(product(std::integral_constant<int, 2>()), product(std::integral_constant<int, 3>()))));
#endif
    }

#if HWY_ARCH_X86
  private:
    static HWY_INLINE Shorts multiply(U weights, U x) {
        if constexpr (!kPositive) { // the sign goes to x, whose magnitude is at most 127
            const hn::Repartition<std::int8_t, F> i8;
            const auto w = hn::BitCast(i8, weights), v = hn::BitCast(i8, x);
#if HWY_TARGET == HWY_AVX3
            return pair_products(hn::BitCast(kWords, hn::Abs(w)),
                                 hn::BitCast(kWords, hn::IfThenElse(hn::Lt(w, hn::Zero(i8)), hn::Neg(v), v)));
#elif HWY_TARGET == HWY_AVX2
            return pair_products(hn::BitCast(kWords, hn::Abs(w)), U{_mm256_sign_epi8(v.raw, w.raw)});
#else
            return pair_products(hn::BitCast(kWords, hn::Abs(w)), U{_mm_sign_epi8(v.raw, w.raw)});
#endif
        } else {
            return pair_products(weights, x);
        }
    }
    // Bytes of `a` without sign times bytes of `b` with one.
    static HWY_INLINE Shorts pair_products(U a, U b) {
#if HWY_TARGET == HWY_AVX3
        return Shorts{_mm512_maddubs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
        return Shorts{_mm256_maddubs_epi16(a.raw, b.raw)};
#else
        return Shorts{_mm_maddubs_epi16(a.raw, b.raw)};
#endif
    }
    static HWY_INLINE I add_pairs(Shorts a) {
        const Shorts ones = hn::Set(hn::Repartition<std::int16_t, F>(), 1);
#if HWY_TARGET == HWY_AVX3
        return I{_mm512_madd_epi16(a.raw, ones.raw)};
#elif HWY_TARGET == HWY_AVX2
        return I{_mm256_madd_epi16(a.raw, ones.raw)};
#else
        return I{_mm_madd_epi16(a.raw, ones.raw)};
#endif
    }
#endif
};

// ---- blocks of outputs ----

// A stretch of G vectors of outputs and C rows of x; what belongs to (c, g) is at c * G + g. Index sequences instead of loops:
// the accumulators stay in registers only when every index is a constant.
template <DType T, class Sums, int G, int C>
struct Int8Stretch {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr int kHalf = kLayout.stretch == kActivationBlock ? 0 : 1; // two stretches to a block of x

    Scales<T> scales[G];
    Sums sums[G * C];

    static HWY_INLINE void multiply(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int number,
                                    const ActivationBlock* const* x, V* HWY_RESTRICT acc) {
        constexpr auto all = std::make_index_sequence<G * C>();
        Int8Stretch stretch;
        stretch.begin(block, sub, tile_bytes, number, x, all);
        stretch.add_quads(block, sub, tile_bytes, number, x, std::make_index_sequence<kLayout.stretch / 4>());
        stretch.end(x, acc, all);
    }

  private:
    template <std::size_t... Qs>
    HWY_INLINE void add_quads(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch,
                              const ActivationBlock* const* x, std::index_sequence<Qs...>) {
        (add_quad<static_cast<int>(Qs)>(block, sub, tile_bytes, stretch, x, std::make_index_sequence<G>(), std::make_index_sequence<C>()),
         ...);
    }

    template <std::size_t... Is>
    HWY_INLINE void begin(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch, const ActivationBlock* const* x,
                          std::index_sequence<Is...>) {
        for (int g = 0; g < G; ++g) scales[g].begin_stretch(tile_of(block, sub, g, tile_bytes), (sub + g) % kVectors, stretch);
        (sums[Is].begin(Sums::kPositive && quad_offset(T) != 0 ? hn::Set(kInts, x[Is / G]->start[stretch % 2 * kHalf]) : hn::Zero(kInts)),
         ...);
    }

    template <int i, std::size_t... Gs, std::size_t... Cs>
    HWY_INLINE void add_quad(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch,
                             const ActivationBlock* const* x, std::index_sequence<Gs...> vectors, std::index_sequence<Cs...>) {
        U w[G] = {quad<T, i>(tile_of(block, sub, Gs, tile_bytes), (sub + static_cast<std::int64_t>(Gs)) % kVectors, stretch)...};
        if constexpr (T == DType::q8_0 && Sums::kPositive) ((w[Gs] = hn::Xor(w[Gs], hn::Set(kWords, 0x80808080u))), ...);
        (add_row<i>(w, x[Cs]->q + 16 * kHalf * (stretch % 2) + 4 * i, sums + Cs * G, vectors), ...);
    }
    template <int i, std::size_t... Gs>
    static HWY_INLINE void add_row(const U* w, const std::int8_t* q, Sums* to, std::index_sequence<Gs...>) {
        std::uint32_t four = 0;
        std::memcpy(&four, q, sizeof four);
        const U x = hn::Set(kWords, four);
        (to[Gs].template add<i>(w[Gs], x), ...);
    }

    template <std::size_t... Is>
    HWY_INLINE void end(const ActivationBlock* const* x, V* HWY_RESTRICT acc, std::index_sequence<Is...>) const {
        ((acc[Is] = hn::MulAdd(hn::ConvertTo(F(), sums[Is].sum), hn::Mul(scales[Is % G].scale, hn::Set(F(), x[Is / G]->scale)), acc[Is])),
         ...);
        if constexpr (T == DType::q4_1) ((acc[Is] = hn::MulAdd(scales[Is % G].offset, hn::Set(F(), x[Is / G]->scaled_sum), acc[Is])), ...);
        if constexpr (T == DType::q4_k)
            ((acc[Is] = hn::NegMulAdd(scales[Is % G].offset, hn::Set(F(), x[Is / G]->scaled_sum), acc[Is])), ...);
    }
};

// Vectors of outputs side by side: the integer sums begin anew in every stretch, so even one chain waits little, and tiles are
// read faster one after the other than side by side.
template <DType T, template <DType> class Sums>
struct Int8 {
    static constexpr DType kType = T;
    static constexpr int kMaxRows = kManyRegisters ? 8 : 4;
    static constexpr int vectors_for(int rows) { return kManyRegisters || rows > 1 ? 1 : 2; }
    using Block = ActivationBlock;
    template <int G, int C>
    using Stretch = Int8Stretch<T, Sums<T>, G, C>;
};
template <DType T>
using Int8WithPairs = Int8<T, WithPairs>;

// ---- x ----

// Where the sixteen bytes from `half` on of a block of x come from: the first or the last sixteen of 32 columns.
struct Shuffle {
    alignas(16) std::uint8_t from_low[16], from_high[16]; // with the top bit set: not from there
};
constexpr Shuffle shuffle_of(const QuantLayout& layout, int half) {
    Shuffle shuffle = {};
    for (int i = 0; i < 16; ++i) {
        const int place = 16 * half + i, first = place / layout.stretch * layout.stretch;
        const int column = first + quad_column(layout, (place - first) / 4, place % 4);
        shuffle.from_low[i] = static_cast<std::uint8_t>(column < 16 ? column : 0x80);
        shuffle.from_high[i] = static_cast<std::uint8_t>(column < 16 ? 0x80 : column - 16);
    }
    return shuffle;
}

void pack_block(const float* from, const Shuffle* shuffles, int offset, bool halves, ActivationBlock& to) {
    const F f;
    I largest = hn::Zero(kInts);
    for (std::int64_t i = 0; i < kActivationBlock; i += kLanes)
        largest = hn::Max(largest, hn::BitCast(kInts, hn::Abs(hn::LoadU(f, from + i)))); // positive floats in order
    const float most = hn::GetLane(hn::BitCast(f, hn::MaxOfLanes(kInts, largest)));
    if (!(most >= kSmallestActivation && most <= std::numeric_limits<float>::max())) {
        to = {};
        if (!(most < kSmallestActivation)) to.scale = to.scaled_sum = std::numeric_limits<float>::quiet_NaN();
        return;
    }
    const V inverse = hn::Set(f, 127.0f / most);
    const hn::Rebind<std::int8_t, F> i8;
    HWY_ALIGN std::int8_t q[kActivationBlock];
    for (std::int64_t i = 0; i < kActivationBlock; i += kLanes)
        hn::StoreU(hn::DemoteTo(i8, hn::NearestInt(hn::Mul(hn::LoadU(f, from + i), inverse))), i8, q + i);

    const hn::FixedTag<std::uint8_t, 16> u8;
    const auto low = hn::Load(u8, reinterpret_cast<const std::uint8_t*>(q)),
               high = hn::Load(u8, reinterpret_cast<const std::uint8_t*>(q) + 16);
    for (int half = 0; half < 2; ++half)
        hn::StoreU(hn::Or(hn::TableLookupBytesOr0(low, hn::Load(u8, shuffles[half].from_low)),
                          hn::TableLookupBytesOr0(high, hn::Load(u8, shuffles[half].from_high))),
                   u8, reinterpret_cast<std::uint8_t*>(to.q) + 16 * half);
    const auto sum = [&](auto bytes) { // of 16 bytes with signs
        const hn::FixedTag<std::uint64_t, 2> u64;
        const auto sums = hn::SumsOf8(hn::Xor(bytes, hn::Set(u8, 0x80)));
        return static_cast<std::int32_t>(hn::GetLane(hn::SumOfLanes(u64, sums))) - 16 * 128;
    };
    const std::int32_t first = sum(low), second = sum(high);
    to.scale = most / 127.0f;
    to.scaled_sum = to.scale * static_cast<float>(first + second);
    to.start[0] = -offset * (halves ? first : first + second);
    to.start[1] = -offset * second;
}

void pack_int8(const float* x, int rows, std::int64_t k, DType weights, std::byte* packed) {
    const QuantLayout& layout = *quant_layout(weights);
    const Shuffle shuffles[2] = {shuffle_of(layout, 0), shuffle_of(layout, 1)};
    const int offset = quad_offset(weights);
    for (int row = 0; row < rows; ++row) {
        auto* to = reinterpret_cast<ActivationBlock*>(packed + row * packed_row<ActivationBlock>(k));
        for (std::int64_t i = 0; i < k; i += kActivationBlock)
            pack_block(x + row * k + i, shuffles, offset, layout.stretch < kActivationBlock, *to++);
    }
}

} // namespace

const MatmulKernels kInt8Matmul = {pack_int8, packed_row<ActivationBlock>, multiply_quantised<Int8WithPairs>};
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
template <DType T>
using Int8WithVnni = Int8<T, WithVnni>;
const MatmulKernels kVnniMatmul = {pack_int8, packed_row<ActivationBlock>, multiply_quantised<Int8WithVnni>};
#endif

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const MatmulKernels& int8_matmul(Isa isa, bool vnni) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return vnni ? N_AVX3::kVnniMatmul : N_AVX3::kInt8Matmul;
    if (isa == Isa::avx2) return vnni ? N_AVX2::kVnniMatmul : N_AVX2::kInt8Matmul;
#endif
    (void)isa;
    (void)vnni;
    return HWY_NAMESPACE::kInt8Matmul;
}

} // namespace speclens
#endif // HWY_ONCE
