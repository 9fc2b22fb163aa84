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
//     by multiply-adds   with AVX-512 a chain from 0, columns ascending, of numbers from which half of their range is subtracted;
//                        with AVX2, whose sixteen registers leave no room for more, of the numbers as their bits are, so the chain
//                        begins at -(half of the range) · S;
//     by AVX512_BF16     a chain of VDPBF16PS (matmul_bf16.cpp) over pairs of columns, 0 with 4, 1 with 5, 2 with 6, 3 with 7
//                        of every eight, the later one first. The numbers are those of the bits plus 128 (bf16 of 0x4300 and
//                        the number in its last bits), so the chain begins at -(128 + half of the range) · S. Q8_0 has
//                        numbers with a sign, and begins at 0;
//     by AMX-BF16        of the same numbers: a chain of multiply-adds from 0 over the earlier columns of the pairs, one over the
//                        later ones, and the sum of both, which is what a product of tiles is (amx_tiles.h); then
//                        n = n - (128 + half of the range) · S in one multiply-add. Values of x below 2^-100 count as zeros, so that
//                        nothing is subnormal, where a tile would have 0 (so they do with AVX2). One row alone is multiplied by AVX-512, in
//                        this order: tiles take as long for it as for five.
//
// Neither the number of rows nor that of threads can change a result.
//
// With AVX2 a number is not even moved to the lowest bits of its lane: one mask, one conversion, and what stands four, eight … bits too
// high is multiplied with as much less of x (pack_floats).
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_kept.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/cpu/kept_sums-inl.h"
#include "kernels/cpu/kernels.h"

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

// ---- by multiply-adds ----

struct RoundedBlock {
    float x[kActivationBlock]; // rounded to bf16
    Sums sums;
};

// Which numbers are multiplied, and in which order. centred: half of their range is subtracted. as_tiles: 128 is added, as they stand
// in pairs of bf16, in the order of tiles. in_place: times as many powers of two as their bits are too high, see pack_floats.
enum class Chain { centred, as_tiles, in_place };
constexpr Chain kPlain = kManyRegisters ? Chain::centred : Chain::in_place;

// How far too high the numbers of column `place` of eight stay: of the last one the lane would end before their highest bits.
constexpr int bits_too_high(int place) { return place < 7 ? 4 * place : 0; }

// The numbers of column `place` of eight, whose lowest bits are in `low` and the others in `high`.
template <DType T, int place, Chain chain>
HWY_INLINE V number_of(U low, U high) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    if constexpr (chain == Chain::in_place) {
        constexpr int kUp = bits_too_high(place);
        U whole = place == 7 ? hn::ShiftRight<28>(low) : hn::And(low, hn::Set(kWords, 15u << kUp));
        if constexpr (kLayout.bits > 4)
            whole = masked_onto(shifted<kLayout.high_bit(0, place), kUp + 4>(high),
                                hn::Set(kWords, ((1u << (kLayout.bits - 4)) - 1) << (kUp + 4)), whole);
        return to_float(whole);
    }
    if constexpr (chain == Chain::as_tiles) { // the last bits that a bf16 of 128 has
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

// Columns [8 w, 8 w + 8) of a stretch, of the vector of outputs that begins `lane` outputs into its tile; `numbers`: of sixteen rows.
template <DType T, int w, Chain chain>
struct EightColumns {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    const std::byte* at;
    U low, high;

    HWY_INLINE void read(const std::byte* numbers, std::int64_t lane) {
        if constexpr (T == DType::q8_0) {
            at = numbers + 8 * kTiledRows * w + lane;
        } else {
            low = load_words(numbers + 64 * w + 4 * lane);
            if constexpr (kLayout.bits > 4)
                high = shifted<kLayout.high_bit(w, 0), 0>(load_words(numbers + 64 * kLayout.low_words() + 4 * lane));
        }
    }
    template <int place>
    [[nodiscard]] HWY_INLINE V number() const {
        if constexpr (T == DType::q8_0) {
            const hn::Rebind<std::int8_t, F> i8;
            const auto* bytes = reinterpret_cast<const std::int8_t*>(at + kTiledRows * place);
            return hn::ConvertTo(F(), hn::PromoteTo(kInts, hn::LoadU(i8, bytes)));
        } else {
            return number_of<T, place, chain>(low, high);
        }
    }
};

template <DType T, Chain chain, int G, int C>
struct FloatStretch : ScaledSums<T, G, C> {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr bool as_tiles = chain == Chain::as_tiles;
    V later[G * C]; // as_tiles: the chains of the pairs' later columns

    static HWY_INLINE void multiply(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int number,
                                    const RoundedBlock* const* x, V* HWY_RESTRICT acc) {
        constexpr auto all = std::make_index_sequence<G * C>();
        FloatStretch stretch;
        if constexpr (kManyRegisters) stretch.read_scales(block, sub, tile_bytes, number);
        stretch.begin(x, number, all);
        if constexpr (as_tiles) clear(stretch.later, all);
        stretch.add_words(block, sub, tile_bytes, number, x, std::make_index_sequence<kLayout.stretch / 8>());
        if constexpr (as_tiles) stretch.join(x, number, all);
        if constexpr (!kManyRegisters) stretch.read_scales(block, sub, tile_bytes, number);
        stretch.add_to(acc, x, all);
    }

    template <std::size_t... Is>
    HWY_INLINE void begin(const RoundedBlock* const* x, int stretch, std::index_sequence<Is...>) {
        constexpr float kMiddle = chain == Chain::in_place ? -static_cast<float>(middle_of(T)) : 0.0f;
        ((this->sums[Is] = kMiddle == 0 ? hn::Zero(F()) : hn::Set(F(), kMiddle * x[Is / G]->sums.template of<T>(stretch))), ...);
    }
    // One column, whose numbers are in a line of a panel.
    HWY_INLINE void add_line(const float* line, const RoundedBlock* const* x, int column) {
        V weights[G];
        for (int g = 0; g < G; ++g) weights[g] = hn::Load(F(), line + kLanes * g);
        add_column(weights, x, column, this->sums, std::make_index_sequence<G>(), std::make_index_sequence<C>());
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
        EightColumns<T, w, chain> eight[G];
        for (int g = 0; g < G; ++g)
            eight[g].read(numbers_of<T>(tile_of(block, sub, g, tile_bytes), stretch), kLanes * ((sub + g) % kVectors));
        const auto column = [&]<int place>(std::integral_constant<int, place>) HWY_ATTR {
            const V weights[G] = {eight[Gs].template number<place>()...};
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

// More rows than pass by at once, with sixteen registers: numbers, and the scales of their stretches, wait as floats in the first cache.
template <DType T>
struct Panel {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr int kColumns = 256, kMaxRows = 6;
    static constexpr int kStretches = kLayout.values / kLayout.stretch; // of a block

    HWY_ALIGN float numbers[kColumns * kTiledRows]; // a line of sixteen for each column
    Scales<T> scales[kColumns / kLayout.stretch][kVectors];

    static void multiply(const MatmulTask& task, std::int64_t first, std::int64_t last) {
        const std::int64_t tile_bytes = task.k / kLayout.values * kLayout.tile_bytes(), row_bytes = packed_row<RoundedBlock>(task.k);
        const int blocks = (task.rows + kMaxRows - 1) / kMaxRows;
        const auto begin_of = [&](int i) { return task.rows * i / blocks; };
        Panel panel;
        for (std::int64_t j = first; j < last; j += kTiledRows) {
            const std::byte* tile = static_cast<const std::byte*>(task.weight) + j / kTiledRows * tile_bytes;
            for (std::int64_t column = 0; column < task.k; column += kColumns) {
                const std::int64_t columns = std::min<std::int64_t>(kColumns, task.k - column);
                const int stretches = static_cast<int>(columns / kLayout.stretch);
                panel.read(tile + column / kLayout.values * kLayout.tile_bytes(), stretches);
                for (int i = 0; i < blocks; ++i) {
                    const std::byte* x = static_cast<const std::byte*>(task.x) + begin_of(i) * row_bytes;
                    float* out = task.out + begin_of(i) * task.out_stride + (j - first);
                    const float* bias = task.bias && column + columns == task.k ? task.bias + j : nullptr;
                    function(begin_of(i + 1) - begin_of(i), std::make_index_sequence<kMaxRows>())(
                        panel, stretches, x + packed_row<RoundedBlock>(column), row_bytes, column == 0, bias, out, task.out_stride);
                }
            }
        }
    }

  private:
    using Function = void (*)(const Panel&, int, const std::byte*, std::int64_t, bool, const float*, float*, std::int64_t);
    template <std::size_t... Cs>
    static Function function(int rows, std::index_sequence<Cs...>) {
        static constexpr Function kFunctions[] = {add_to<static_cast<int>(Cs) + 1>...};
        return kFunctions[rows - 1];
    }

    void read(const std::byte* block, int stretches) {
        float* to = numbers;
        for (int i = 0; i < stretches; ++i, to += kLayout.stretch * kTiledRows) {
            const std::byte* at = block + i / kStretches * kLayout.tile_bytes();
            const std::byte* from = numbers_of<T>(at, i % kStretches);
            for (int line = 0; line < 2 * kLayout.bits * kLayout.stretch; line += 64) prefetch(from, line + kAhead);
            for (int v = 0; v < kVectors; ++v) {
                scales[i][v].begin_stretch(at, v, i % kStretches);
                read_words(from, kLanes * v, to + kLanes * v, std::make_index_sequence<kLayout.stretch / 8>());
            }
        }
    }
    template <std::size_t... Ws>
    static HWY_INLINE void read_words(const std::byte* from, std::int64_t lane, float* to, std::index_sequence<Ws...>) {
        (read_word<static_cast<int>(Ws)>(from, lane, to + 8 * kTiledRows * Ws, std::make_index_sequence<8>()), ...);
    }
    template <int w, std::size_t... Places>
    static HWY_INLINE void read_word(const std::byte* from, std::int64_t lane, float* to, std::index_sequence<Places...>) {
        EightColumns<T, w, kPlain> eight;
        eight.read(from, lane);
        (hn::Store(eight.template number<static_cast<int>(Places)>(), F(), to + kTiledRows * Places), ...);
    }

    // For C rows of x, row_bytes apart: the chains of a tile's outputs, begun or taken from `out`.
    template <int C>
    static HWY_NOINLINE void add_to(const Panel& panel, int stretches, const std::byte* x, std::int64_t row_bytes, bool begin,
                                    const float* bias, float* out, std::int64_t out_stride) {
        constexpr auto all = std::make_index_sequence<kVectors * C>();
        const RoundedBlock* rows[C];
        for (int c = 0; c < C; ++c) rows[c] = reinterpret_cast<const RoundedBlock*>(x + c * row_bytes);
        V acc[kVectors * C];
        if (begin) {
            clear(acc, all);
        } else {
            for (int i = 0; i < kVectors * C; ++i) acc[i] = hn::LoadU(F(), out + i / kVectors * out_stride + i % kVectors * kLanes);
        }
        const float* line = panel.numbers;
        for (int i = 0; i < stretches; ++i) {
            FloatStretch<T, kPlain, static_cast<int>(kVectors), C> stretch;
            stretch.begin(rows, i, all);
            const int first = kLayout.stretch * i % kActivationBlock;
            for (int column = 0; column < kLayout.stretch; ++column, line += kTiledRows) stretch.add_line(line, rows, first + column);
            for (int v = 0; v < kVectors; ++v) stretch.scales[v] = panel.scales[i][v];
            stretch.add_to(acc, rows, all);
            if (first + kLayout.stretch == kActivationBlock)
                for (int c = 0; c < C; ++c) ++rows[c];
        }
        store_vectors<static_cast<int>(kVectors)>(acc, bias, out, out_stride, all);
    }
};

template <DType T, Chain chain>
struct ByFloatsIn {
    static constexpr DType kType = T;
    // In the order of tiles a row alone. With sixteen registers as the types were measured: what else has to be held besides the sums
    // differs.
    static constexpr int kMaxRows = chain == Chain::as_tiles ? 1 : kManyRegisters ? 8 : T == DType::q4_k || T == DType::q8_0 ? 5 : 4;
    // Chains enough to hide a multiply-add.
    static constexpr int vectors_for(int rows) {
        if (kManyRegisters) return rows <= 2 ? 2 : 1;
        return rows == 1 && T != DType::q6_k ? 4 : 2;
    }
    using Block = RoundedBlock;
    template <int G, int C>
    using Stretch = FloatStretch<T, chain, G, C>;
#if HWY_TARGET == HWY_AVX2
    static constexpr int kMostRows =
        T == DType::q5_0 || T == DType::q6_k ? kMaxRows : 2 * kMaxRows; // unpacking twice costs less than a panel
    static void more_rows(const MatmulTask& task, std::int64_t first, std::int64_t last) { Panel<T>::multiply(task, first, last); }
#endif
};
template <DType T>
using ByFloats = ByFloatsIn<T, kPlain>;

// Of x that is too small to be divided by a power of two: zeros (tiles know nothing smaller either).
constexpr float kSmallest = 0x1p-100f;
void without_smallest(const float* x, float* to) {
    for (int c = 0; c < kActivationBlock; ++c) to[c] = std::abs(x[c]) < kSmallest ? 0.0f : x[c];
}

void pack_floats(const float* x, int rows, std::int64_t k, DType weights, std::byte* packed) {
    constexpr bool kInPlace = kPlain == Chain::in_place;
    auto* to = reinterpret_cast<RoundedBlock*>(packed);
    for (std::int64_t i = 0; i < rows * k; i += kActivationBlock, ++to) {
        float values[kActivationBlock];
        if (kInPlace) without_smallest(x + i, values);
        round_all_to_bf16(kInPlace ? values : x + i, kActivationBlock, to->x);
        to->sums = sums_of(to->x);
        if (!kInPlace || weights == DType::q8_0) continue;
        for (int c = 0; c < kActivationBlock; ++c) to->x[c] /= static_cast<float>(1 << bits_too_high(c % 8));
    }
}

#if HWY_TARGET == HWY_AVX3
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
        const std::byte* numbers = numbers_of<T>(block, stretch);
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
    for (int row = 0; row < rows; ++row, packed += tiles_row(k)) {
        auto* pairs = reinterpret_cast<std::uint32_t*>(packed);
        auto* behind = reinterpret_cast<BehindPairs*>(packed + 2 * k);
        auto* single = reinterpret_cast<RoundedBlock*>(packed + singles_at(k));
        for (std::int64_t i = 0; i < k; i += kActivationBlock, x += kActivationBlock, pairs += kActivationBlock / 2, ++behind) {
            float values[kActivationBlock];
            without_smallest(x, values);
            pack_block(values, pairs, behind->sums);
            if (rows > 1) continue;
            round_all_to_bf16(values, kActivationBlock, single->x);
            single++->sums = behind->sums;
        }
    }
}
template <DType T>
using ByFloatsAsTiles = ByFloatsIn<T, Chain::as_tiles>;
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
        const std::byte* numbers = numbers_of<T>(block_of(tile, stretch), stretch % kStretches);
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
    const KeptSteps* found = nullptr;
    for_type(weights, [&]<DType T>(std::integral_constant<DType, T>) {
        constexpr QuantLayout kLayout = *quant_layout(T);
        static const KeptSteps kSteps{kLayout.values, kLayout.tile_bytes(), kLayout.stretch, Spans<T>::unpack, Spans<T>::add};
        found = &kSteps;
    });
    return found;
}

const MatmulKernels kKeptBf16Matmul = {pack_pairs, packed_row<PairedBlock>, multiply_quantised<ByPairs>};
const MatmulKernels kKeptTileMatmul = {pack_rows_of_tiles, tiles_row, multiply_alone};
#else
} // namespace
#endif

const MatmulKernels kKeptMatmul = {pack_floats, packed_row<RoundedBlock>, multiply_quantised<ByFloats>};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();
#endif // AVX-512 or AVX2

#if HWY_ONCE
namespace speclens {

const MatmulKernels* kept_matmul(Isa isa, bool bf16) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return bf16 ? &N_AVX3::kKeptBf16Matmul : &N_AVX3::kKeptMatmul;
    if (isa == Isa::avx2) return &N_AVX2::kKeptMatmul;
#endif
    (void)isa, (void)bf16;
    return nullptr;
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
