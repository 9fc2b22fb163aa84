// The decoder layers of a transformer with their key/value cache and the scratch memory of a pass, over
// weights that somebody else owns: the target, a separate draft model and the drafters made of layers run
// through it. Operation order follows transformers modeling_qwen3: norm, attention, add, norm, MLP, add.
// Activations and the residual stream are f32. An add and the following norm are one operation, so a
// sub-layer leaves its output in Pass::pending. Internal to the engine.
#pragma once

#include <span>
#include <vector>

#include "engine/model/model.h"
#include "kernels/backend.h"

namespace speclens {

class LayerStack {
  public:
    // One pass as the layers see it; begin() makes it.
    struct Pass {
        int rows = 0;
        Tensor positions; // (1, rows) i32
        AttentionMask mask;
        // Where not empty: row i sees the slots [first, end) of ranges[i], whatever the mask says.
        struct Range {
            int first = 0, end = 0;
        };
        std::span<const Range> ranges;
        // Where not empty: the rows are those of several texts, whose keys and values go to blocks of the cache and not to
        // slots that follow each other; the mask says nothing.
        PagedRows texts;
        Tensor residual, normed, delta; // (rows, h)
        Tensor pending;                 // delta, while it is not yet added to the residual
    };

    // `config` gives the geometry, `cos_sin` the rotary table; both and the layers must outlive this object.
    LayerStack(Backend& backend, const ModelConfig& config, std::span<const LayerWeights> layers, const Tensor& cos_sin, int capacity,
               int max_rows);

    // ---- cache ----
    // Room for `slots` slots in every layer; the first `used` keep their contents.
    void reserve(int slots, int used);
    void move_slots(std::span<const int> from, std::span<const int> to);
    // Fills the slots from `first` on with NaN, also those that are allocated later.
    void poison(int first);
    void poison(int first, int count); // these alone
    [[nodiscard]] std::size_t cache_bytes() const;
    [[nodiscard]] int layers() const { return static_cast<int>(cache_.size()); }
    [[nodiscard]] std::int64_t cache_columns() const { return std::int64_t{config_.kv_heads} * config_.head_dim; }
    [[nodiscard]] DType cache_dtype() const { return cache_dtype_; }
    [[nodiscard]] KvLayer cache(int layer) const { return cache_[static_cast<std::size_t>(layer)].view(); }

    // ---- a pass ----
    // Scratch tensors for rows at `positions` whose keys go to slots first_slot …; the residual is undefined.
    [[nodiscard]] Pass begin(std::span<const int> positions, const AttentionMask& mask);
    // Layer `layer` as a whole: attention of the normed residual, then the MLP.
    void run(int layer, Pass& pass);
    void run_attention(int layer, Pass& pass);
    void run_mlp(int layer, Pass& pass);
    // Only keys and values of the rows in layer `layer`, where nobody reads what comes behind it.
    void store(int layer, Pass& pass);
    // The attention sub-layer on `input` (rows, columns of the projections) instead of the normed residual.
    void attend(int layer, const Tensor& input, Pass& pass);
    // The MLP sub-layer on `input` (rows, h) instead of the normed residual.
    void feed_forward(int layer, const Tensor& input, Pass& pass);
    // Keys and values of rows that only are seen, into slots first_slot …  context (rows, h), positions (1,
    // rows)
    void store_context(int layer, const Tensor& context, const Tensor& positions, int first_slot);
    // residual += pending; out = RMSNorm(residual) * weight unless out is empty.
    void add_norm(Pass& pass, const Tensor& weight, const Tensor& out);

  private:
    struct LayerCache {
        Buffer k, v; // (slots, K * d)
        [[nodiscard]] KvLayer view() const { return {k.view(), v.view()}; }
    };
    void fill_with_nan(const LayerCache& cache, int first, int count);
    // Where the pass puts the keys and values of its rows.
    void rope_store(int layer, const Tensor& q, const Tensor& k, const Tensor& v, const Pass& pass);
    void attend_ranges(const KvLayer& cache, const Tensor& q, const Tensor& attended, const Pass& pass);

    Backend& backend_;
    const ModelConfig& config_;
    std::span<const LayerWeights> layers_;
    Tensor cos_sin_;
    int capacity_;
    DType cache_dtype_;
    int slots_ = 0;         // allocated in every layer
    bool poisoned_ = false; // new slots are filled with NaN as well
    std::vector<LayerCache> cache_;

    // scratch, for max_rows rows
    Buffer positions_;                 // (1, rows) i32
    Buffer residual_, normed_, delta_; // (rows, h)
    Buffer q_, attended_;              // (rows, H * d)
    Buffer k_, v_;                     // (rows, K * d)
    Buffer ffn_;                       // (rows, f)
};

} // namespace speclens
