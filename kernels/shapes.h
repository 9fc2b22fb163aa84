// What the operations of Backend ask of their arguments, in one place for all devices: a backend calls the
// function of an operation's name first. A violation is a bug of ours (CHECK). What only a device can see
// (ids inside a table, bits of a mask) it looks at itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {

template <class T>
T* data_of(const Tensor& tensor) {
    return static_cast<T*>(tensor.data);
}
template <class T>
T* data_or_null(const Tensor& tensor) {
    return tensor.empty() ? nullptr : static_cast<T*>(tensor.data);
}

inline bool is(const Tensor& tensor, DType dtype, std::int64_t rows, std::int64_t cols) {
    return tensor.data != nullptr && tensor.dtype == dtype && tensor.rows == rows && tensor.cols == cols;
}
inline bool is_weight(const Tensor& tensor, std::int64_t n, std::int64_t k) {
    return is(tensor, DType::bf16, n, k) || is(tensor, DType::f32, n, k) ||
           (is_quantised(tensor.dtype) && tensor.tiled && is(tensor, tensor.dtype, n, k));
}

namespace shapes {

inline bool is_f32(const Tensor& tensor) { return is(tensor, DType::f32, tensor.rows, tensor.cols); }

// Throws Error for a quantised type that the backend does not keep.
inline void weight(const Backend& backend, DType stored, std::int64_t rows, std::int64_t cols) {
    CHECK(stored == DType::bf16 || stored == DType::f16 || stored == DType::f32 || is_quantised(stored),
          "weights are bf16, f16, f32 or quantised");
    CHECK(rows >= 0 && cols >= 0, "allocate_weight: size");
    if (is_quantised(stored) && !backend.keeps(stored, cols))
        throw Error("the backend " + backend.name() + " cannot multiply with a matrix of " + std::to_string(cols) + " columns stored as " +
                        name_of(stored),
                    "Load it as bf16: --weights bf16.", Exit::device);
}
// f16 is widened when it is imported.
inline DType kept_as(DType stored) { return stored == DType::f16 ? DType::f32 : stored; }

inline void embed(const Tensor& table, const Tensor& ids, const Tensor& out) {
    CHECK(is_weight(table, table.rows, out.cols), "embed: table");
    CHECK(is(ids, DType::i32, 1, out.rows) && is_f32(out), "embed: ids or out");
}

inline void add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, const Tensor& out) {
    const std::int64_t rows = residual.rows, h = residual.cols;
    CHECK(is_f32(residual), "add_norm: residual");
    CHECK(delta.empty() || is(delta, DType::f32, rows, h), "add_norm: delta");
    CHECK(out.empty() || (is(out, DType::f32, rows, h) && is(weight, DType::f32, 1, h)), "add_norm: weight or out");
}

inline void matmul(const Tensor& x, std::span<const Projection> parts, int most_rows) {
    CHECK(is_f32(x) && x.rows >= 1 && x.rows <= most_rows, "matmul: x");
    for (const Projection& part : parts) {
        const std::int64_t n = part.out.cols;
        CHECK(is_weight(part.weight, n, x.cols), "matmul: weight");
        CHECK(part.bias.empty() || is(part.bias, DType::f32, 1, n), "matmul: bias");
        CHECK(is(part.out, DType::f32, x.rows, n), "matmul: out");
    }
}

inline void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out, int most_rows) {
    const std::int64_t f = out.cols;
    CHECK(is_f32(x) && x.rows >= 1 && x.rows <= most_rows, "matmul_swiglu: x");
    CHECK(is(out, DType::f32, x.rows, f), "matmul_swiglu: out");
    CHECK(is_weight(gate, f, x.cols) && is_weight(up, f, x.cols), "matmul_swiglu: gate or up");
}

inline bool is_cache(const KvLayer& cache, std::int64_t cols) {
    const DType dtype = cache.k.dtype;
    return (dtype == DType::f32 || dtype == DType::f16) && is(cache.k, dtype, cache.k.rows, cols) && is(cache.v, dtype, cache.k.rows, cols);
}

inline void rope_rows(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm, const Tensor& k_norm,
                      const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache) {
    const std::int64_t d = shape.dim, rows = k.rows, q_cols = shape.heads * d, kv_cols = shape.kv_heads * d;
    CHECK(d > 0 && d % 2 == 0, "rope_store: head dimension");
    CHECK((q.empty() || is(q, DType::f32, rows, q_cols)) && is(k, DType::f32, rows, kv_cols) && is(v, DType::f32, rows, kv_cols),
          "rope_store: q, k or v");
    CHECK(q_norm.empty() || is(q_norm, DType::f32, 1, d), "rope_store: q_norm");
    CHECK(k_norm.empty() || is(k_norm, DType::f32, 1, d), "rope_store: k_norm");
    CHECK(is(cos_sin, DType::f32, cos_sin.rows, d) && is(positions, DType::i32, 1, rows), "rope_store: cos_sin or positions");
    CHECK(is_cache(cache, kv_cols), "rope_store: cache");
}

inline void rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                       const Tensor& k_norm, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache, int first_slot) {
    rope_rows(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache);
    CHECK(first_slot >= 0 && first_slot + k.rows <= cache.k.rows, "rope_store: slots outside the cache");
}

// Every text's rows follow those of the text before, and every block that they need is in the cache.
inline void paged_rows(const PagedRows& paged, const KvLayer& cache, std::int64_t rows) {
    CHECK(paged.block > 0 && (paged.block & (paged.block - 1)) == 0, "paged rows: a block of a power of two positions");
    std::int64_t next = 0;
    for (const TextRows& text : paged.texts) {
        CHECK(text.first_row == next && text.rows > 0 && text.prefix >= 0, "paged rows: rows of a text");
        next += text.rows;
        const std::int64_t needed = (std::int64_t{text.prefix} + text.rows + paged.block - 1) / paged.block;
        CHECK(std::ssize(text.blocks) >= needed, "paged rows: a text without blocks for its rows");
        for (std::int64_t i = 0; i < needed; ++i) {
            const std::int64_t first = std::int64_t{text.blocks[static_cast<std::size_t>(i)]} * paged.block;
            CHECK(first >= 0 && first + paged.block <= cache.k.rows, "paged rows: a block outside the cache");
        }
        CHECK(text.ancestors.empty() || is(text.ancestors, DType::i64, text.rows, (text.rows + 63) / 64), "paged rows: ancestors");
    }
    CHECK(next == rows, "paged rows: rows that belong to no text");
}

inline void rope_store_paged(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                             const Tensor& k_norm, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                             const PagedRows& paged) {
    rope_rows(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache);
    paged_rows(paged, cache, k.rows);
}

inline void attention_rows(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const Tensor& out) {
    const std::int64_t rows = q.rows, q_cols = static_cast<std::int64_t>(shape.heads) * shape.dim;
    CHECK(shape.kv_heads > 0 && shape.dim > 0 && shape.heads % shape.kv_heads == 0, "attention: head shape");
    CHECK(is(q, DType::f32, rows, q_cols) && is(out, DType::f32, rows, q_cols), "attention: q or out");
    CHECK(is_cache(cache, static_cast<std::int64_t>(shape.kv_heads) * shape.dim), "attention: cache");
}

inline void attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& paged, const Tensor& out) {
    attention_rows(shape, q, cache, out);
    paged_rows(paged, cache, q.rows);
}

inline void attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) {
    attention_rows(shape, q, cache, out);
    const std::int64_t rows = q.rows;
    CHECK(mask.prefix >= 0 && mask.first_slot >= mask.prefix && mask.first_slot + rows <= cache.k.rows, "attention: slots");
    CHECK(mask.ancestors.empty() || is(mask.ancestors, DType::i64, rows, (rows + 63) / 64), "attention: ancestors");
}

inline void silu(const Tensor& x) { CHECK(is_f32(x), "silu: x"); }

inline void gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) {
    const std::int64_t rows = state.rows, g = state.cols;
    CHECK(is_f32(state) && is(out, DType::f32, rows, g), "gru: state or out");
    CHECK(is(in, DType::f32, rows, 3 * g) && is(hid, DType::f32, rows, 3 * g), "gru: in or hid");
    CHECK(gates.empty() || is(gates, DType::f32, rows, 3 * g), "gru: gates");
}

inline void convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) {
    CHECK(is_f32(x) && is(base, DType::f32, base.rows, x.cols) && base.rows >= 1, "convolve: x or base");
    CHECK(groups >= 1 && x.cols % groups == 0, "convolve: groups");
    CHECK(is(added, DType::f32, x.rows, added.cols) && first >= 0 && first + base.rows * groups <= added.cols, "convolve: added");
}

inline void softmax(const Tensor& logits, float temperature, const Tensor& out) {
    CHECK(temperature > 0, "softmax: temperature");
    CHECK(is(logits, DType::f32, out.rows, out.cols) && is_f32(out), "softmax: shapes");
}

inline void argmax(const Tensor& rows, const Tensor& ids) {
    CHECK(is_f32(rows) && rows.cols > 0, "argmax: rows");
    CHECK(is(ids, DType::i32, 1, rows.rows), "argmax: ids");
}

inline void top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) {
    CHECK(is_f32(rows) && k >= 1 && k <= rows.cols, "top_k: rows or k");
    CHECK(is(ids, DType::i32, rows.rows, k) && is(values, DType::f32, rows.rows, k), "top_k: ids or values");
}

inline void gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) {
    CHECK(is(out, in.dtype, out.rows, in.cols) && in.data != nullptr, "gather_rows: in or out");
    CHECK(is(indices, DType::i32, 1, out.rows), "gather_rows: indices");
    CHECK(!in.tiled || (is_quantised(in.dtype) && out.tiled), "gather_rows: rows of a tiled weight (use embed)");
}

inline void move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) {
    CHECK(is_cache(cache, cache.k.cols), "move_slots: cache");
    CHECK(from.size() == to.size(), "move_slots: from and to");
    for (std::size_t i = 0; i < from.size(); ++i)
        CHECK(from[i] >= 0 && from[i] < cache.k.rows && to[i] >= 0 && to[i] < cache.k.rows, "move_slots: no such slot");
}

} // namespace shapes
} // namespace speclens
