// The operations of a forward pass on the CPU.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "hwy/cache_control.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/quant_tiles.h"
#include "kernels/cpu/weight_tiles.h"
#include "kernels/quant.h"

namespace speclens {

namespace {

constexpr std::int64_t kUnit = kTiledRows; // outputs dealt out together, so that tiles are whole

// Half of x was usually written by other threads a moment ago. Asking for all of its lines at once costs one
// trip to another core's cache; multiplying its way through costs one for every few lines.
void fetch(const MatmulTask& task, const MatmulKernels& kernels) {
    constexpr std::int64_t kLine = 64;
    constexpr std::int64_t kMost = 64 << 10; // bytes that fit the nearest cache beside the weights
    const std::int64_t row = kernels.pack != nullptr ? kernels.packed_row(task.k) : 4 * task.k, size = task.rows * row;
    if (task.rows == 1 || size > kMost) return;
    for (std::int64_t i = 0; i < size; i += kLine) hwy::Prefetch(static_cast<const std::byte*>(task.x) + i);
}

} // namespace

void CpuBackend::embed(const Tensor& table, const Tensor& ids, const Tensor& out) {
    shapes::embed(table, ids, out);
    const std::int64_t h = out.cols;
    const QuantLayout* layout = quant_layout(table.dtype);
    std::vector<std::byte> stored(layout == nullptr ? 0 : bytes_of(table.dtype, h)); // a row
    for (std::int64_t row = 0; row < out.rows; ++row) {
        const std::int64_t id = data_of<const std::int32_t>(ids)[row];
        CHECK(id >= 0 && id < table.rows, "embed: token id " + std::to_string(id) + " outside the table");
        float* to = data_of<float>(out) + row * h;
        if (layout != nullptr) {
            row_of_quant_tiles(*layout, data_of<const std::byte>(table), h, id, stored.data());
            widen(table.dtype, stored.data(), h, to);
        } else if (table.dtype == DType::f32) {
            std::copy_n(data_of<const float>(table) + id * h, h, to);
        } else if (table.tiled) {
            for (std::int64_t c = 0; c < h; ++c) {
                to[c] = widen_bf16(data_of<const std::uint16_t>(table)[index_in_tiles(id, c, h)]);
            }
        } else {
            std::transform(data_of<const std::uint16_t>(table) + id * h, data_of<const std::uint16_t>(table) + (id + 1) * h, to,
                           widen_bf16);
        }
    }
}

void CpuBackend::add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) {
    shapes::add_norm(residual, delta, weight, out);
    const std::int64_t rows = residual.rows;
    const std::int64_t h = residual.cols;
    share(rows, h, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            norm_rope_.add_norm(data_of<float>(residual) + row * h, delta.empty() ? nullptr : data_of<const float>(delta) + row * h,
                                data_or_null<const float>(weight), eps, out.empty() ? nullptr : data_of<float>(out) + row * h, h);
        }
    });
}

CpuBackend::Packed& CpuBackend::packed_for(const MatmulKernels& kernels, DType weights, std::size_t size) {
    auto found =
        std::ranges::find_if(packed_, [&](const Packed& packed) { return packed.pack == kernels.pack && packed.weights == weights; });
    if (found == packed_.end()) found = packed_.insert(found, Packed{kernels.pack, weights, nullptr, 0});
    if (size > found->size) {
        found->data.reset();
        found->size = 0;
        found->data.reset(static_cast<std::byte*>(allocate_aligned(size)));
        found->size = size;
    }
    return *found;
}

MatmulTask CpuBackend::prepare(const Tensor& x, const Tensor& weight) {
    const int rows = static_cast<int>(x.rows);
    const void* prepared = x.data;
    if (const MatmulKernels& kernels = kernels_for(weight); kernels.pack != nullptr) {
        const auto size = static_cast<std::size_t>(x.rows * kernels.packed_row(x.cols));
        std::byte* packed = packed_for(kernels, weight.dtype, size).data.get();
        kernels.pack(data_of<const float>(x), rows, x.cols, weight.dtype, packed);
        prepared = packed;
    }
    return {.x = prepared,
            .rows = rows,
            .weight = weight.data,
            .dtype = weight.dtype,
            .k = x.cols,
            .bias = nullptr,
            .out = nullptr,
            .out_stride = 0};
}

void CpuBackend::matmul(const Tensor& x, std::span<const Projection> parts) {
    shapes::matmul(x, parts, kMaxPassRows);
    if (gatherer_ != nullptr) return gatherer_->matmul(x, parts);
    tasks_.clear();
    units_before_.assign(1, 0);
    for (const Projection& part : parts) {
        const std::int64_t n = part.out.cols;
        // Neighbours usually want x in the same order: pack it once.
        const bool again = !tasks_.empty() && packed_alike(parts[tasks_.size() - 1].weight, part.weight);
        tasks_.push_back(again ? tasks_.back() : prepare(x, part.weight));
        tasks_.back().weight = part.weight.data;
        tasks_.back().bias = data_or_null<const float>(part.bias);
        tasks_.back().out_stride = n;
        units_before_.push_back(units_before_.back() + (n + kUnit - 1) / kUnit);
    }
    share(units_before_.back(), kUnit * x.cols * x.rows, [&](std::int64_t first, std::int64_t last) {
        fetch(tasks_.front(), kernels_for(parts.front().weight));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::int64_t begin = (std::max(first, units_before_[i]) - units_before_[i]) * kUnit;
            const std::int64_t end = std::min((std::min(last, units_before_[i + 1]) - units_before_[i]) * kUnit, parts[i].out.cols);
            if (begin >= end) continue;
            MatmulTask task = tasks_[i];
            task.out = data_of<float>(parts[i].out) + begin;
            kernels_for(parts[i].weight).multiply(task, begin, end);
        }
    });
}

void CpuBackend::matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) {
    shapes::matmul_swiglu(x, gate, up, out, kMaxPassRows);
    if (gatherer_ != nullptr) return gatherer_->matmul_swiglu(x, gate, up, out);
    const std::int64_t f = out.cols;
    const MatmulTask gate_task = prepare(x, gate);
    MatmulTask up_task = packed_alike(gate, up) ? gate_task : prepare(x, up);
    up_task.weight = up.data;
    // Strips of outputs narrow enough that both halves stay in cache until they meet.
    constexpr std::int64_t kStrip = 16 << 10; // values
    static_assert(kMaxPassRows * 2 * kUnit <= kStrip);
    const std::int64_t strip = std::clamp(kStrip / x.rows, 2 * kUnit, 8 * kUnit) / kUnit * kUnit;
    share((f + kUnit - 1) / kUnit, 2 * kUnit * x.cols * x.rows, [&](std::int64_t first_unit, std::int64_t last_unit) {
        fetch(gate_task, kernels_for(gate));
        alignas(64) float gates[kStrip];
        alignas(64) float ups[kStrip];
        const std::int64_t last = std::min(last_unit * kUnit, f);
        for (std::int64_t j = first_unit * kUnit; j < last; j += strip) {
            const std::int64_t width = std::min(strip, last - j);
            MatmulTask task = gate_task;
            task.out_stride = strip;
            task.out = gates;
            kernels_for(gate).multiply(task, j, j + width);
            task = up_task;
            task.out_stride = strip;
            task.out = ups;
            kernels_for(up).multiply(task, j, j + width);
            for (std::int64_t row = 0; row < x.rows; ++row) {
                norm_rope_.silu_times(gates + row * strip, ups + row * strip, data_of<float>(out) + row * f + j, width);
            }
        }
    });
}

struct CpuBackend::RopeTask {
    const HeadShape& shape;
    const Tensor &q, &k, &v, &q_norm, &k_norm;
    float eps;
    const Tensor &cos_sin, &positions;
    const KvLayer& cache;
    // Of all cells of a row, for the estimate of its cost.
    [[nodiscard]] std::int64_t columns() const {
        return (q.empty() ? 0 : std::int64_t{shape.heads} * shape.dim) + std::int64_t{2} * shape.kv_heads * shape.dim;
    }
};

void CpuBackend::rope_rows(const RopeTask& task, std::int64_t first, std::int64_t last, std::int64_t first_slot) const {
    const int d = task.shape.dim;
    const std::int64_t q_cols = task.q.empty() ? 0 : static_cast<std::int64_t>(task.shape.heads) * d;
    const std::int64_t kv_cols = static_cast<std::int64_t>(task.shape.kv_heads) * d;
    const float* q_norm = data_or_null<const float>(task.q_norm);
    const float* k_norm = data_or_null<const float>(task.k_norm);
    for (std::int64_t row = first; row < last; ++row) {
        const std::int32_t position = data_of<const std::int32_t>(task.positions)[row];
        CHECK(position >= 0 && position < task.cos_sin.rows, "rope_store: position outside the table");
        const float* angles = data_of<const float>(task.cos_sin) + static_cast<std::int64_t>(position) * d;
        float* q_row = data_of<float>(task.q) + row * q_cols;
        for (std::int64_t c = 0; c < q_cols; c += d) norm_rope_.rope_head(q_row + c, q_row + c, q_norm, task.eps, angles, d);
        const float* k_row = data_of<const float>(task.k) + row * kv_cols;
        const float* v_row = data_of<const float>(task.v) + row * kv_cols;
        const std::int64_t slot = (first_slot + row - first) * kv_cols;
        if (task.cache.k.dtype == DType::f32) {
            float* k_slot = data_of<float>(task.cache.k) + slot;
            for (std::int64_t c = 0; c < kv_cols; c += d) norm_rope_.rope_head(k_row + c, k_slot + c, k_norm, task.eps, angles, d);
            std::copy_n(v_row, kv_cols, data_of<float>(task.cache.v) + slot);
            continue;
        }
        float rotated[kMostHeadDim];
        for (std::int64_t c = 0; c < kv_cols; c += d) {
            norm_rope_.rope_head(k_row + c, rotated, k_norm, task.eps, angles, d);
            norm_rope_.to_f16(rotated, data_of<std::uint16_t>(task.cache.k) + slot + c, d);
        }
        norm_rope_.to_f16(v_row, data_of<std::uint16_t>(task.cache.v) + slot, kv_cols);
    }
}

void CpuBackend::rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                            const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                            int first_slot) {
    shapes::rope_store(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache, first_slot);
    CHECK(shape.dim <= kMostHeadDim, "rope_store: head dimension");
    const RopeTask task = {shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache};
    share(k.rows, 2 * task.columns(), [&](std::int64_t first, std::int64_t last) { rope_rows(task, first, last, first_slot + first); });
}

void CpuBackend::rope_store_paged(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                                  const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                                  const PagedRows& paged) {
    shapes::rope_store_paged(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache, paged);
    CHECK(shape.dim <= kMostHeadDim, "rope_store: head dimension");
    const RopeTask task = {shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache};
    share(k.rows, 2 * task.columns(), [&](std::int64_t first, std::int64_t last) {
        auto text = std::ranges::upper_bound(paged.texts, first, {}, [](const TextRows& t) { return t.first_row; }) - 1;
        for (std::int64_t row = first; row < last; ++row) {
            while (row >= text->first_row + text->rows) ++text;
            const std::int64_t position = text->prefix + row - text->first_row;
            const std::int64_t block = text->blocks[static_cast<std::size_t>(position / paged.block)];
            rope_rows(task, row, row + 1, block * paged.block + position % paged.block);
        }
    });
}

void CpuBackend::silu(const Tensor& x) {
    shapes::silu(x);
    share(x.rows, 4 * x.cols,
          [&](std::int64_t first, std::int64_t last) { gate_.silu(data_of<float>(x) + first * x.cols, (last - first) * x.cols); });
}

void CpuBackend::gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) {
    shapes::gru(in, hid, state, out, gates);
    const std::int64_t rows = state.rows;
    const std::int64_t g = state.cols;
    share(rows, 12 * g, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            gate_.gru(data_of<const float>(in) + row * 3 * g, data_of<const float>(hid) + row * 3 * g,
                      data_of<const float>(state) + row * g, data_of<float>(out) + row * g,
                      gates.empty() ? nullptr : data_of<float>(gates) + row * 3 * g, g);
        }
    });
}

void CpuBackend::convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) {
    shapes::convolve(x, base, added, first, groups);
    const ConvolutionTask task = {
        data_of<float>(x), data_of<const float>(base), data_of<const float>(added) + first, x.rows, x.cols, base.rows, added.cols, groups};
    share(groups, 2 * x.rows * base.rows * (x.cols / groups), [&](std::int64_t from, std::int64_t to) { gate_.convolve(task, from, to); });
}

AttentionTask CpuBackend::attention_task(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const Tensor& out) const {
    CHECK(shape.heads / shape.kv_heads <= kAttentionGroup && shape.dim <= kMostHeadDim, "attention: head shape");
    const bool in_parts = cache.k.dtype != DType::f32; // f32 keeps the order of additions that goldens have
    return {.shape = shape,
            .rows = static_cast<int>(q.rows),
            .q = data_of<const float>(q),
            .cache = cache.k.dtype,
            .k = cache.k.data,
            .v = cache.v.data,
            .out = data_of<float>(out),
            .part = in_parts ? kAttentionPart : 0};
}

void CpuBackend::set_ancestors(AttentionTask& task, const Tensor& ancestors) {
    if (ancestors.empty()) return;
    const int rows = task.rows, words = (rows + 63) / 64;
    task.ancestors = data_of<const std::uint64_t>(ancestors);
    task.words = words;
    for (int row = 0; row < rows; ++row) {
        const std::uint64_t* bits = task.ancestors + std::int64_t{row} * words;
        CHECK(bits[row / 64] >> (row % 64) & 1, "attention: a row does not see itself");
        CHECK(rows % 64 == 0 || bits[words - 1] >> (rows % 64) == 0, "attention: bits of rows that do not exist");
    }
}

bool CpuBackend::worth_parts(const AttentionTask& task) {
    return task.part > 0 && task.rows <= kSharedRows && task.prefix + task.rows > kAttentionPart;
}

void CpuBackend::attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) {
    shapes::attention(shape, q, cache, mask, out);
    AttentionTask task = attention_task(shape, q, cache, out);
    task.prefix = mask.prefix;
    task.first_slot = mask.first_slot;
    set_ancestors(task, mask.ancestors);
    if (worth_parts(task)) return attention_in_parts(task);
    attend(std::span(&task, 1));
}

void CpuBackend::attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& paged, const Tensor& out) {
    shapes::attention_paged(shape, q, cache, paged, out);
    attention_tasks_.clear();
    for (const TextRows& text : paged.texts) {
        AttentionTask task = attention_task(shape, q.slice(text.first_row, text.rows), cache, out.slice(text.first_row, text.rows));
        task.prefix = task.first_slot = text.prefix;
        task.blocks = text.blocks.data();
        task.block_bits = std::countr_zero(static_cast<unsigned>(paged.block));
        set_ancestors(task, text.ancestors);
        attention_tasks_.push_back(task);
    }
    // Alone it has to feed all threads by itself; several texts are enough to be dealt out as wholes.
    if (attention_tasks_.size() == 1 && worth_parts(attention_tasks_.front())) return attention_in_parts(attention_tasks_.front());
    attend(attention_tasks_);
}

// One unit is one key/value head of one row; the rows of a head follow each other, so that they can walk together.
void CpuBackend::attend(std::span<const AttentionTask> tasks) {
    const HeadShape& shape = tasks.front().shape;
    const std::int64_t group_cols = std::int64_t{shape.heads} / shape.kv_heads * shape.dim;
    attention_units_.assign(1, 0);
    std::int64_t visits = 0; // of all rows, for the estimate only
    for (const AttentionTask& task : tasks) {
        attention_units_.push_back(attention_units_.back() + std::int64_t{task.rows} * shape.kv_heads);
        visits += std::int64_t{task.rows} * (task.prefix + (task.rows + 1) / 2);
    }
    const std::int64_t units = attention_units_.back(), rows = units / shape.kv_heads;
    share(
        units, 2 * (visits / rows) * group_cols,
        [&](std::int64_t first, std::int64_t last) {
            auto text = static_cast<std::size_t>(std::ranges::upper_bound(attention_units_, first) - attention_units_.begin()) - 1;
            for (std::int64_t unit = first; unit < last;) {
                while (unit >= attention_units_[text + 1]) ++text;
                const AttentionTask& task = tasks[text];
                const std::int64_t kv_head = (unit - attention_units_[text]) / task.rows, row = (unit - attention_units_[text]) % task.rows;
                const std::int64_t together = std::min({std::int64_t{kAttentionRows}, task.rows - row, last - unit});
                attention_.attend(task, static_cast<int>(row), static_cast<int>(row + together), static_cast<int>(kv_head));
                unit += together;
            }
        },
        1);
}

// Long contexts of few rows: dealt out over positions. A unit is one part of as many rows as walk together, of all
// key/value heads, so that the cache is read from front to back; or of one head, where that is too few units.
void CpuBackend::attention_in_parts(AttentionTask& task) {
    const HeadShape& shape = task.shape;
    const int group = shape.heads / shape.kv_heads;
    const int pieces = task.prefix / kAttentionBlock * kAttentionBlock / task.part + 1;
    task.parts = (task.prefix + task.rows - 1) / task.part + 1;
    const auto records = static_cast<std::size_t>(task.rows) * static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(task.parts);
    const auto values = records * static_cast<std::size_t>(shape.dim);
    if (part_states_.size() < records) part_states_.resize(records);
    if (part_sums_.size() < values) part_sums_.resize(values);
    task.part_states = part_states_.data();
    task.part_sums = part_sums_.data();

    const int walks = (task.rows + kAttentionRows - 1) / kAttentionRows;
    const int heads = pieces * walks >= 4 * threads() ? shape.kv_heads : 1; // of a unit
    const std::int64_t cost = 2 * std::int64_t{task.part} * heads * group * shape.dim * std::min(task.rows, kAttentionRows);
    share(
        std::int64_t{pieces} * walks * shape.kv_heads / heads, cost,
        [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t unit = first; unit < last; ++unit) {
                const int piece = static_cast<int>(unit % pieces), walk = static_cast<int>(unit / pieces % walks);
                const int row = walk * kAttentionRows, head = static_cast<int>(unit / pieces / walks) * heads;
                attention_.attend_part(task, row, std::min(row + kAttentionRows, task.rows), head, head + heads, piece);
            }
        },
        1);
    share(std::int64_t{task.rows} * shape.kv_heads, std::int64_t{2} * task.parts * group * shape.dim,
          [&](std::int64_t first, std::int64_t last) {
              for (std::int64_t unit = first; unit < last; ++unit)
                  attention_.join_parts(task, static_cast<int>(unit / shape.kv_heads), static_cast<int>(unit % shape.kv_heads));
          });
}

std::size_t CpuBackend::attention_scratch(const HeadShape& shape, int rows, int context) const {
    if (context <= kAttentionPart) return 0;
    const auto parts = static_cast<std::size_t>((context - 1) / kAttentionPart + 1);
    return parts * static_cast<std::size_t>(std::min(rows, kSharedRows)) * static_cast<std::size_t>(shape.heads) *
           (static_cast<std::size_t>(shape.dim) * sizeof(float) + sizeof(AttentionState));
}

} // namespace speclens
