// out = x * weightᵀ with quantised weights in tiles (quant_tiles.h), a weight widened where it is used. As in
// matmul_tiles.cpp lanes are outputs, and a weight is loaded and widened once while up to eight rows of x pass by; with
// more rows, a panel of weights is widened into the second cache and all rows pass over it.
//
// Bits: a weight is what kernels/quant.cpp makes of it, operation by operation, and one output is one chain of fused
// multiply-adds, k ascending, in its own lane. So the result is that of the same numbers stored as f32 in such tiles,
// whatever the number of rows and of threads. A chain that waits between two panels waits in `out`, as it is.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_quant.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/quant_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

constexpr int kMaxColumns = kManyRegisters ? 8 : 6; // rows of x per weight load
constexpr std::int64_t kPanelTiles = 4;
constexpr std::int64_t kPanelColumns = 512; // f32: 128 KiB of the second cache

// Vectors of outputs side by side for C rows of x. Widening needs registers, too, but its time hides the latency of a
// multiply-add as well: fewer chains do than in matmul_tiles.cpp.
constexpr int vectors_for(int columns) {
    if (kManyRegisters) return columns <= 4 ? 4 : 2;
    return columns == 1 ? 4 : 2;
}

// The four lowest bits plus `first`, as a float.
template <int first>
HWY_INLINE V four_bits(U bits) {
#if HWY_TARGET == HWY_AVX3
    // A look-up takes no more than the lowest four bits of an index. Masked and converted instead, a product of one row
    // takes a quarter longer (Q4_0, Zen 4).
    const V table = hn::Iota(F(), static_cast<float>(first));
    return V{_mm512_permutexvar_ps(bits.raw, table.raw)};
#else
    const I number = hn::BitCast(kInts, hn::And(bits, hn::Set(kWords, 15)));
    return hn::ConvertTo(F(), first == 0 ? number : hn::Add(number, hn::Set(kInts, first)));
#endif
}

// What a type needs for one vector of outputs. A stretch is a run of columns with one scale (and offset), a piece of it
// eight columns.
constexpr int kPiece = 8;
template <DType T>
struct Widen {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr int kStretch = kLayout.stretch;
    static constexpr int kPieces = kStretch / kPiece;

    Scales<T> scales;    // of a stretch
    U numbers;           // of a piece: the lowest four bits
    U high;              // those above, as of the first piece
    const std::byte* at; // Q8_0: of the first column

    // block: sixteen rows; sub: vector of the tile
    HWY_INLINE void begin_stretch(const std::byte* block, std::int64_t sub, int stretch) { scales.begin_stretch(block, sub, stretch); }

    // The columns of this piece of the block are next.
    HWY_INLINE void begin_piece(const std::byte* block, std::int64_t sub, int stretch, int piece) {
        if constexpr (T == DType::q8_0) {
            at = block + kLayout.numbers_at() + kTiledRows * (kStretch * stretch + kPiece * piece) + kLanes * sub;
        } else {
            const std::byte* words = block + kLayout.numbers_at() + 64 * kLayout.stretch_words() * stretch + 4 * kLanes * sub;
            numbers = load_words(words + 64 * piece);
            if constexpr (kLayout.bits > 4) high = hn::ShiftRightSame(load_words(words + 64 * kPieces), kLayout.high_bit(piece, 0));
        }
    }

    // The weights of column `place` of the piece.
    template <int place>
    HWY_INLINE V weight() const {
        V number;
        if constexpr (T == DType::q8_0) {
            const hn::Rebind<std::int8_t, F> i8;
            number = hn::ConvertTo(F(), hn::PromoteTo(kInts, hn::LoadU(i8, reinterpret_cast<const std::int8_t*>(at + kTiledRows * place))));
        } else if constexpr (kLayout.bits > 4) {
            // as the last bits of 2^23, from which half of the numbers' range is subtracted, too: exact
            constexpr std::uint32_t kHigh = ((1u << (kLayout.bits - 4)) - 1) << 4;
            const U low = hn::OrAnd(hn::Set(kWords, 0x4B000000u), shifted<4 * place, 0>(numbers), hn::Set(kWords, 15));
            const U whole = hn::OrAnd(low, shifted<kLayout.high_bit(0, place), 4>(high), hn::Set(kWords, kHigh));
            number = hn::Sub(hn::BitCast(F(), whole), hn::Set(F(), static_cast<float>((1 << 23) + (1 << (kLayout.bits - 1)))));
        } else {
            constexpr int kFirst = T == DType::q4_0 ? -8 : 0;
            number = four_bits<kFirst>(shifted<4 * place, 0>(numbers));
        }
        const V product = hn::Mul(number, scales.scale);
        if constexpr (T == DType::q4_1) return hn::Add(product, scales.offset);
        if constexpr (T == DType::q4_k) return hn::Sub(product, scales.offset);
        return product;
    }
};
constexpr auto kPlaces = std::make_index_sequence<kPiece>();

// acc[g] += w[g] * x
template <std::size_t... Gs>
HWY_INLINE void multiply_vector(const V* HWY_RESTRICT w, V x, V* HWY_RESTRICT acc, std::index_sequence<Gs...>) {
    ((acc[Gs] = hn::MulAdd(w[Gs], x, acc[Gs])), ...);
}

template <int G, std::size_t... Is>
HWY_INLINE void load_outputs(V* acc, const float* out, std::int64_t out_stride, std::index_sequence<Is...>) {
    ((acc[Is] = hn::LoadU(F(), out + static_cast<std::int64_t>(Is / G) * out_stride + Is % G * kLanes)), ...);
}

// ---- up to kMaxColumns rows of x: weights straight from the tiles ----

// A piece for G vectors of outputs and C rows of x.
template <int place, DType T, std::size_t... Gs, std::size_t... Cs>
HWY_INLINE void multiply_column(const Widen<T>* weights, const float* const* x, std::int64_t column, V* HWY_RESTRICT acc,
                                std::index_sequence<Gs...> vectors, std::index_sequence<Cs...>) {
    constexpr std::size_t G = sizeof...(Gs);
    const V w[G] = {weights[Gs].template weight<place>()...};
    (multiply_vector(w, hn::Set(F(), x[Cs][column + place]), acc + Cs * G, vectors), ...);
}
template <DType T, std::size_t... Places>
HWY_INLINE void multiply_piece(const Widen<T>* weights, const float* const* x, std::int64_t column, V* HWY_RESTRICT acc, auto vectors,
                               auto columns, std::index_sequence<Places...>) {
    (multiply_column<static_cast<int>(Places)>(weights, x, column, acc, vectors, columns), ...);
}

template <DType T, std::size_t... Gs>
HWY_INLINE void begin_stretch(Widen<T>* weights, const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch,
                              std::index_sequence<Gs...>) {
    (weights[Gs].begin_stretch(tile_of(block, sub, Gs, tile_bytes), (sub + Gs) % kVectors, stretch), ...);
}
template <DType T, std::size_t... Gs>
HWY_INLINE void begin_piece(Widen<T>* weights, const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch, int piece,
                            std::index_sequence<Gs...>) {
    (weights[Gs].begin_piece(tile_of(block, sub, Gs, tile_bytes), (sub + Gs) % kVectors, stretch, piece), ...);
}
// G vectors of outputs for C rows of x, starting at vector `sub` of the tile at `tile`.
template <DType T, int G, int C>
HWY_INLINE void block(const std::byte* tile, std::int64_t sub, std::int64_t k, const float* HWY_RESTRICT x, const float* bias,
                      float* HWY_RESTRICT out, std::int64_t out_stride) {
    using W = Widen<T>;
    constexpr auto vectors = std::make_index_sequence<G>();
    constexpr auto columns = std::make_index_sequence<C>();
    constexpr auto all = std::make_index_sequence<G * C>();
    constexpr std::int64_t kTiles = G < kVectors ? 1 : G / kVectors;
    constexpr int kStretches = W::kLayout.values / W::kStretch;
    constexpr std::int64_t kStretchBytes = W::kLayout.tile_bytes() / kStretches;
    constexpr std::int64_t kPieceBytes = kStretchBytes / W::kPieces;
    const std::int64_t tile_bytes = k / W::kLayout.values * W::kLayout.tile_bytes();
    const float* rows[C];
    for (int c = 0; c < C; ++c) rows[c] = x + c * k;
    V acc[G * C];
    clear(acc, all);

    std::int64_t column = 0;
    for (std::int64_t at = 0; at < tile_bytes; at += W::kLayout.tile_bytes()) {
        for (int stretch = 0; stretch < kStretches; ++stretch) {
            // Near the end of a tile the next bytes to come are those of the next block, kTiles tiles further on.
            const std::int64_t next = at + stretch * kStretchBytes + kAhead;
            const std::byte* ahead = tile + (next < tile_bytes ? next : next + (kTiles - 1) * tile_bytes);
            W weights[G];
            begin_stretch(weights, tile + at, sub, tile_bytes, stretch, vectors);
            for (int piece = 0; piece < W::kPieces; ++piece, column += kPiece) {
                for (std::int64_t t = 0; t < kTiles; ++t)
                    for (std::int64_t line = 0; line < kPieceBytes; line += 64)
                        prefetch(ahead, t * tile_bytes + piece * kPieceBytes + line);
                begin_piece(weights, tile + at, sub, tile_bytes, stretch, piece, vectors);
                multiply_piece(weights, rows, column, acc, vectors, columns, kPlaces);
            }
        }
    }
    store_vectors<G>(acc, bias, out, out_stride, all);
}

// Outputs [first, last), whole tiles, for C rows of x, in blocks of G vectors and what is left in smaller ones.
// `out` is where output `first` of the first of these rows goes.
template <DType T, int G, int C>
HWY_NOINLINE void outputs_for_rows(const MatmulTask& task, const float* x, float* out, std::int64_t first, std::int64_t last) {
    const auto* weight = static_cast<const std::byte*>(task.weight);
    const std::int64_t tile_bytes = task.k / Widen<T>::kLayout.values * static_cast<std::int64_t>(Widen<T>::kLayout.tile_bytes());
    std::int64_t j = first;
    for (; j + G * kLanes <= last; j += G * kLanes) {
        block<T, G, C>(weight + j / kTiledRows * tile_bytes, j % kTiledRows / kLanes, task.k, x, task.bias ? task.bias + j : nullptr,
                       out + (j - first), task.out_stride);
    }
    if constexpr (G > 1) {
        if (j < last) outputs_for_rows<T, G / 2, C>(task, x, out + (j - first), j, last);
    }
}

template <DType T, int C>
void outputs_for_rows(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    outputs_for_rows<T, vectors_for(C), C>(task, static_cast<const float*>(task.x), task.out, first, last);
}

// ---- more rows: weights from a panel ----

template <DType T, std::size_t... Places>
HWY_INLINE void store_piece(const Widen<T>& weights, float* line, std::index_sequence<Places...>) {
    (hn::Store(weights.template weight<static_cast<int>(Places)>(), F(), line + Places * kTiledRows), ...);
}

// Columns [first, last) of a tile as f32, a line of sixteen for each column. Both are multiples of the block. Inlined on
// purpose: g++ 12 at -O3 takes the function for Q8_0 on SSSE3 and AVX2, alone, for one without effects, and drops the call.
template <DType T>
HWY_INLINE void widen_tile(const std::byte* tile, std::int64_t first, std::int64_t last, float* to) {
    using W = Widen<T>;
    constexpr int kStretches = W::kLayout.values / W::kStretch;
    for (std::int64_t column = first; column < last; column += W::kLayout.values) {
        const std::byte* block = tile + column / W::kLayout.values * W::kLayout.tile_bytes();
        for (std::int64_t sub = 0; sub < kVectors; ++sub) {
            float* line = to + (column - first) * kTiledRows + sub * kLanes;
            W weights;
            for (int stretch = 0; stretch < kStretches; ++stretch) {
                weights.begin_stretch(block, sub, stretch);
                for (int piece = 0; piece < W::kPieces; ++piece) {
                    weights.begin_piece(block, sub, stretch, piece);
                    store_piece(weights, line, kPlaces);
                    line += kPiece * kTiledRows;
                }
            }
        }
    }
}

template <std::size_t... Gs, std::size_t... Cs>
HWY_INLINE void multiply_line(const float* const* lines, std::int64_t line, const float* HWY_RESTRICT x, std::int64_t x_stride,
                              V* HWY_RESTRICT acc, std::index_sequence<Gs...> vectors, std::index_sequence<Cs...>) {
    constexpr std::size_t G = sizeof...(Gs);
    const V w[G] = {hn::Load(F(), lines[Gs] + line * kTiledRows)...};
    (multiply_vector(w, hn::Set(F(), x[static_cast<std::int64_t>(Cs) * x_stride + line]), acc + Cs * G, vectors), ...);
}

// Some columns of the chains of one tile's outputs for C rows of x: begun here, or taken from `out`.
struct PanelTask {
    const float* tile = nullptr; // columns × 16
    std::int64_t columns = 0;
    const float* x = nullptr; // of the first row, first column; rows x_stride apart
    std::int64_t x_stride = 0;
    const float* bias = nullptr; // added when the chain is done
    float* out = nullptr;
    std::int64_t out_stride = 0;
    bool begin = false;
};

template <int G, int C>
HWY_INLINE void panel_block(const PanelTask& task, const float* const* lines, std::int64_t output) {
    constexpr auto vectors = std::make_index_sequence<G>();
    constexpr auto columns = std::make_index_sequence<C>();
    constexpr auto all = std::make_index_sequence<G * C>();
    float* out = task.out + output;
    V acc[G * C];
    if (task.begin) {
        clear(acc, all);
    } else {
        load_outputs<G>(acc, out, task.out_stride, all);
    }
    for (std::int64_t line = 0; line < task.columns; ++line) multiply_line(lines, line, task.x, task.x_stride, acc, vectors, columns);
    store_vectors<G>(acc, task.bias ? task.bias + output : nullptr, out, task.out_stride, all);
}

// All outputs of a panel of `tiles` tiles for C rows of x.
template <int C>
HWY_NOINLINE void panel_for_rows(const PanelTask& task, std::int64_t tiles) {
    constexpr int G = 2;
    const std::int64_t vectors = tiles * kVectors;
    const auto lines_of = [&](std::int64_t v) { return task.tile + v / kVectors * task.columns * kTiledRows + v % kVectors * kLanes; };
    std::int64_t v = 0;
    for (; v + G <= vectors; v += G) {
        const float* const lines[G] = {lines_of(v), lines_of(v + 1)};
        panel_block<G, C>(task, lines, v * kLanes);
    }
    if (v < vectors) {
        const float* const lines[1] = {lines_of(v)};
        panel_block<1, C>(task, lines, v * kLanes);
    }
}

// Rows of x are dealt with in blocks of at most kMaxColumns, as equal as possible: block i begins at this row.
int block_begin(int rows, int i) {
    const int blocks = (rows + kMaxColumns - 1) / kMaxColumns;
    return rows * i / blocks;
}

using PanelFunction = void (*)(const PanelTask&, std::int64_t);
template <std::size_t... Cs>
PanelFunction panel_function(int columns, std::index_sequence<Cs...>) {
    static constexpr PanelFunction kFunctions[] = {panel_for_rows<static_cast<int>(Cs) + 1>...};
    return kFunctions[columns - 1];
}

template <DType T>
void multiply_panels(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    HWY_ALIGN float panel[kPanelTiles * kPanelColumns * kTiledRows];
    const auto* weight = static_cast<const std::byte*>(task.weight);
    const std::int64_t tile_bytes = task.k / Widen<T>::kLayout.values * static_cast<std::int64_t>(Widen<T>::kLayout.tile_bytes());
    for (std::int64_t j = first; j < last; j += kPanelTiles * kTiledRows) {
        const std::int64_t tiles = std::min(kPanelTiles, (last - j) / kTiledRows);
        for (std::int64_t column = 0; column < task.k; column += kPanelColumns) {
            const std::int64_t end = std::min(column + kPanelColumns, task.k);
            for (std::int64_t t = 0; t < tiles; ++t)
                widen_tile<T>(weight + (j / kTiledRows + t) * tile_bytes, column, end, panel + t * (end - column) * kTiledRows);
            for (int i = 0, row = 0; row < task.rows; row = block_begin(task.rows, ++i)) {
                const PanelTask part = {.tile = panel,
                                        .columns = end - column,
                                        .x = static_cast<const float*>(task.x) + row * task.k + column,
                                        .x_stride = task.k,
                                        .bias = task.bias && end == task.k ? task.bias + j : nullptr,
                                        .out = task.out + row * task.out_stride + (j - first),
                                        .out_stride = task.out_stride,
                                        .begin = column == 0};
                panel_function(block_begin(task.rows, i + 1) - row, std::make_index_sequence<kMaxColumns>())(part, tiles);
            }
        }
    }
}

// ---- any number of rows, any type ----

template <DType T>
void multiply_whole_tiles(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    using Function = void (*)(const MatmulTask&, std::int64_t, std::int64_t);
    const auto function = [&]<std::size_t... Cs>(std::index_sequence<Cs...>) {
        static constexpr Function kFunctions[] = {outputs_for_rows<T, static_cast<int>(Cs) + 1>...};
        return task.rows <= kMaxColumns ? kFunctions[task.rows - 1] : multiply_panels<T>;
    };
    function(std::make_index_sequence<kMaxColumns>())(task, first, last);
}

void multiply_quant(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    for_type(task.dtype, [&]<DType T>(std::integral_constant<DType, T>) {
        multiply_any(task, first, last, task.k * static_cast<std::int64_t>(sizeof(float)),
                     [](const MatmulTask& part, std::int64_t begin, std::int64_t end) { multiply_whole_tiles<T>(part, begin, end); });
    });
}

} // namespace

const MatmulKernels kQuantMatmul = {.multiply = multiply_quant};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const MatmulKernels& quant_matmul(Isa isa) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return N_AVX3::kQuantMatmul;
    if (isa == Isa::avx2) return N_AVX2::kQuantMatmul;
#endif
    (void)isa;
    return HWY_NAMESPACE::kQuantMatmul;
}

} // namespace speclens
#endif // HWY_ONCE
