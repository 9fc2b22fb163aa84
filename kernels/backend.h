// The device interface: about fifteen coarse operations over row-major matrices, written once per device
// (kernels/cpu, kernels/cuda). Forward passes are written once, against this interface
// (engine/model/model_forward.cpp), so a CPU and a GPU run differ in nothing but this object.
//
// Contract for every operation:
//  * activations are f32; weights are bf16, f32 or quantised; integer inputs are i32; all tensors are contiguous rows;
//  * batch invariance: the bits of an output row do not depend on how many rows the pass has, on which
//    row it is, or on the number of threads;
//  * shapes are checked with CHECK (a wrong shape is a bug of ours, user files are checked by the loader);
//  * operations may be asynchronous; `download` and `sync` wait for everything issued before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernels/buffer.h"
#include "kernels/types.h"

namespace speclens {

// One matrix of a fused projection: out = x * weightᵀ (+ bias).
struct Projection {
    Tensor weight; // (n, k) bf16, f32 or quantised
    Tensor bias;   // (1, n) or empty
    Tensor out;    // (rows, n) f32
};

inline constexpr int kMostGroup = 64;    // query heads that share a key/value head
inline constexpr int kMostHeadDim = 512; // on every device

struct HeadShape {
    int heads = 0;    // query heads H
    int kv_heads = 0; // key/value heads K; query head i reads key/value head i / (H / K)
    int dim = 0;      // head dimension d
};

// Key and value cache of one layer. Slot s holds the token that was written there, whatever its position.
struct KvLayer {
    Tensor k; // (slots, kv_heads * dim), dtype = Backend::cache_dtype(…); f16 is rounded to the nearest, at most 65504
    Tensor v; // (slots, kv_heads * dim), the same dtype
};

// What the rows of a pass may see. Row i was written to slot `first_slot + i`. Every row sees the slots
// [0, prefix), then those rows of the same pass that `ancestors` names, itself included, in slot order.
// The bits of the result depend on the sequence of slots seen, not on the slots skipped in between: a row at
// the end of a tree path equals the row of a chain that holds the same keys and values side by side.
struct AttentionMask {
    int prefix = 0;     // committed slots seen by every row
    int first_slot = 0; // slot of row 0 of this pass, >= prefix (usually equal)
    Tensor ancestors;   // (rows, ceil(rows / 64)) i64 bit sets; bit j of row i: row i sees row j (j > i is
                        // allowed; its own bit must be set, bits from `rows` on must not). Empty: causal, rows
                        // 0..i
};

// The rows of one text in a pass over several. Its keys and values lie in blocks of a cache that all texts share (paged
// attention: Kwon et al. 2023, arXiv 2309.06180): position p is slot blocks[p / block] * block + p % block. Row i is written
// to position prefix + i, sees the positions [0, prefix) and those rows of the same text that `ancestors` names.
struct TextRows {
    int first_row = 0; // of the pass
    int rows = 0;
    int prefix = 0;              // committed positions
    std::span<const int> blocks; // on the host, at least ceil((prefix + rows) / block)
    Tensor ancestors;            // as AttentionMask::ancestors, of these rows alone
};
// All rows of a pass, text after text.
struct PagedRows {
    int block = 0; // positions of a block, a power of two
    std::span<const TextRows> texts;
};

// A point in time on the device's own clock; see Backend::elapsed_ms.
struct TimeMark {
    std::int64_t ticks = 0;
    int event = -1;
};

// Makes the products of several callers as one; see Backend::gather_products().
class ProductGatherer {
  public:
    virtual ~ProductGatherer() = default;
    virtual void matmul(const Tensor& x, std::span<const Projection> parts) = 0;
    virtual void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) = 0;
};

class Backend {
  public:
    virtual ~Backend() = default;

    // ---- about the device ----
    [[nodiscard]] virtual std::string name() const = 0;        // "cpu", "cuda"
    [[nodiscard]] virtual std::string description() const = 0; // "CPU · AVX-512 · 2 threads"
    [[nodiscard]] virtual int threads() const = 0;             // 1 where it has no meaning
    // Of keys and values beside weights of this precision: f32 or f16. f32 beside f32.
    [[nodiscard]] virtual DType cache_dtype(Precision precision) const = 0;
    [[nodiscard]] virtual std::size_t free_memory() const = 0; // bytes that can still be allocated, estimate
    // Largest number of rows one pass may have; longer prompts are fed in pieces.
    [[nodiscard]] virtual int max_rows() const = 0;
    // Whether a matrix of so many columns is multiplied in the form in which it is stored (f16: as f32). Who loads a
    // quantised one that is not widens it first.
    [[nodiscard]] virtual bool keeps(DType stored, std::int64_t /*cols*/) const {
        return stored == DType::bf16 || stored == DType::f16 || stored == DType::f32;
    }
    // Whether products in this precision are quicker than in f32 (bf16 without instructions for it: those of quantised matrices
    // alone). Where they are not the same rounding is done, at no gain in speed.
    [[nodiscard]] virtual bool has_products(Precision precision) const { return precision == Precision::f32; }
    // What multiplies in this precision, for people: "AVX-512 BF16". Empty: the device says no more than description().
    [[nodiscard]] virtual std::string products_title(Precision) const { return {}; }
    // Bytes that the backend keeps, once for all models, after attention of so many rows in a context of so
    // many tokens, at most.
    [[nodiscard]] virtual std::size_t attention_scratch(const HeadShape&, int /*rows*/, int /*context*/) const { return 0; }

    // ---- memory ----
    // Throws an Error of the kind out_of_memory when it cannot be had. Contents are undefined. 64-byte aligned.
    [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data, std::size_t bytes) noexcept = 0;
    // A weight matrix without contents, in the form this backend multiplies with what is stored as `stored`
    // (bf16, f16, f32 or quantised): bf16 stays bf16, f16 becomes f32 (exactly), f32 stays f32, a quantised type stays
    // what it is: widened inside a product as kernels/quant.h says, with the bits of a product with those numbers. bf16
    // may be `tiled`; f32 never is, so small f32 tables (norms, biases, angles) may be imported and read as rows.
    // Products with it are in the given precision.
    // Throws Error(device) for a quantised type that is not kept (see `keeps`), and as `allocate`.
    [[nodiscard]] virtual Buffer allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision precision) = 0;
    [[nodiscard]] Buffer allocate_weight(DType stored, std::int64_t rows, std::int64_t cols) {
        return allocate_weight(stored, rows, cols, Precision::f32);
    }
    // Fills such a matrix, or a slice of it, with to.size() values of dtype `stored`; `host` need not be
    // aligned and is consumed on return.
    virtual void import_weight(const Tensor& to, DType stored, const void* host) = 0;
    // Both at once.
    [[nodiscard]] Buffer import_weight(const void* host, DType stored, std::int64_t rows, std::int64_t cols,
                                       Precision precision = Precision::f32);
    virtual void upload(const Tensor& to,
                        const void* host) = 0;                   // to.bytes() bytes; `host` is consumed on return
    virtual void download(const Tensor& from, void* host) = 0;   // waits, from.bytes() bytes
    virtual void copy(const Tensor& from, const Tensor& to) = 0; // same dtype and size
    virtual void sync() = 0;

    // ---- time ----
    [[nodiscard]] virtual TimeMark mark() = 0;
    [[nodiscard]] virtual double elapsed_ms(const TimeMark& from, const TimeMark& to) = 0; // waits for `to`

    // ---- operations of a forward pass (rows = tokens of the pass) ----
    // out[i] = table[ids[i]] as f32.  table (V, h), ids (1, rows) i32, out (rows, h)
    virtual void embed(const Tensor& table, const Tensor& ids, const Tensor& out) = 0;
    // residual += delta (when delta is not empty); out = RMSNorm(residual) * weight (when out is not empty).
    virtual void add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) = 0;
    // Several projections of the same input in one launch. x (rows, k)
    virtual void matmul(const Tensor& x, std::span<const Projection> parts) = 0;
    // From now on matmul() and matmul_swiglu() hand what they were asked for to `gatherer`, which sees to it that the outputs
    // are there when it returns; null: they compute it themselves, as ever. False: this backend always does.
    virtual bool gather_products(ProductGatherer* /*gatherer*/) { return false; }
    // out = silu(x * gateᵀ) ⊙ (x * upᵀ).  gate, up (f, k), which may be stored differently; out (rows, f)
    virtual void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) = 0;
    // Per head: RMSNorm over d of q and k (when the norms are not empty), rotary embedding of q and k at
    // `positions`, k and v written to slots first_slot + i. q changes in place; it may be empty (rows that
    // are only seen, never ask). cos_sin: (max_position, d) f32, the first d/2 columns cos, the rest sin
    // (rotate-half layout).
    virtual void rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                            const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                            int first_slot) = 0;
    // Softmax attention over the cache, scale 1/sqrt(d), keys walked in slot order. out (rows, H * d)
    virtual void attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) = 0;

    // ---- the same for several texts in one pass ----
    // Whether the two operations below exist here. Where they do not they throw Error(device).
    [[nodiscard]] virtual bool pages() const { return false; }
    // rope_store() with the slots that `rows` names.
    virtual void rope_store_paged(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                                  const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                                  const PagedRows& rows);
    // Every row has the bits that attention() gives it where its text lies in a cache of its own.
    virtual void attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& rows, const Tensor& out);

    // ---- operations of draft heads ----
    // x = silu(x), element by element, in place.
    virtual void silu(const Tensor& x) = 0;
    // One step of a GRU without biases, gates stacked as r, z, n (PyTorch's order), for every row:
    //   r = σ(in_r + hid_r), z = σ(in_z + hid_z), n = tanh(in_n + r ⊙ hid_n), out = (1 − z) ⊙ n + z ⊙ state.
    // in = W_ih·x and hid = W_hh·state, (rows, 3G); state and out (rows, G), out may be state.
    // gates (rows, 3G) receives r, z, n; empty: they are not kept.
    virtual void gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) = 0;
    // A causal convolution down the rows of x, in place, for every column by itself; the rows before the first are zeros:
    //   x[i][c] = Σ_t (base[t][c] + added[i][first + t * groups + c / (h / groups)]) * x[i − t][c].
    // x (rows, h); base (taps, h) f32; added (rows, from first + taps * groups on): what each row adds for a group of columns.
    virtual void convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) = 0;

    // ---- operations on rows ----
    // out[i] = softmax(logits[i] / temperature), temperature > 0; out may be logits. Probabilities below
    // e^-87 of the largest are 0. A NaN makes its whole row NaN.
    virtual void softmax(const Tensor& logits, float temperature, const Tensor& out) = 0;
    // ids[i] = index of the largest value of row i; ties go to the lowest index, NaN counts as −inf. ids (1,
    // rows) i32
    virtual void argmax(const Tensor& rows, const Tensor& ids) = 0;
    // The k largest values of each row, largest first, ties by lowest index, NaN counts (and is returned) as
    // −inf. ids (rows, k) i32, values (rows, k), 1 <= k <= columns
    virtual void top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) = 0;
    // out[i] = in[indices[i]].  indices (1, out.rows) i32. Not the rows of a tiled weight, unless it is quantised and
    // out is such a weight of the same type.
    virtual void gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) = 0;
    // slot to[i] = slot from[i] of the cache, in order i = 0, 1, … (used to keep the accepted path of a
    // tree).
    virtual void move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) = 0;

    // ---- measurement ----
    // Memory of at least so many bytes, for read_ms(): written, each part by the thread that will read it. Throws Error
    // where it cannot be had.
    [[nodiscard]] virtual Buffer make_read_buffer(std::size_t bytes) = 0;
    // Milliseconds in which all threads of this device read such memory once; waits.
    [[nodiscard]] virtual double read_ms(const Tensor& buffer) = 0;
    // Bytes of the largest cache in front of the memory, as the device says; 0: it does not.
    [[nodiscard]] virtual std::size_t cache_bytes() const { return 0; }

    // ---- loading ----
    // Writes the stored bytes of a matrix, whole rows from byte `first` on.
    using FillRows = std::function<void(std::size_t first, std::span<std::byte> to)>;
    // Fills a whole matrix, of which each thread holds at most `piece_bytes` as they are stored (a tile of rows at least): reading
    // goes on beside rearranging. `fill` is asked for every row once, in any order, by the threads of the backend at the same
    // time; the first that it throws is thrown here, and what the matrix holds then is undefined.
    virtual void import_pieces(const Tensor& to, DType stored, std::size_t piece_bytes, const FillRows& fill);
    // Bytes that are allocated and not yet released: weights, caches, scratch memory of passes. 0 where it is not counted.
    [[nodiscard]] virtual std::size_t held_memory() const { return 0; }
};

// Rows of a (rows, …) matrix that are imported together: whole tiles of at most `piece_bytes`, one tile at least, and what is
// left at the end.
[[nodiscard]] std::int64_t rows_per_piece(std::int64_t rows, std::size_t row_bytes, std::size_t piece_bytes);

struct CpuOptions {
    int threads = 0; // 0: one per available core, at most 16
};

// The CPU backend. Throws Error when SPECLENS_ISA names an instruction set this machine lacks.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(const CpuOptions& options = {});

// The backend called `name`: "cpu", "cuda", or "auto": CUDA where it can be used, else the CPU.
// Throws Error for an unknown name, and for "cuda" (exit 4, with the reason) where it cannot be used.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name, const CpuOptions& options = {});

} // namespace speclens
