// Decoder over a checkpoint: a key/value cache and scratch memory around an immutable Model. Internal to the
// engine; others use make_model_decoder (engine/decoder.h). The forward pass itself is in model_forward.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/decoder.h"
#include "engine/model.h"
#include "engine/model_rows.h"

namespace speclens {

class ModelDecoder final : public Decoder {
  public:
    ModelDecoder(std::shared_ptr<const Model> model, int capacity);

    [[nodiscard]] const std::string& name() const override { return model_->name; }
    [[nodiscard]] int vocab() const override { return model_->config.vocab; }
    [[nodiscard]] int layers() const override { return model_->config.layers; }
    [[nodiscard]] int capacity() const override { return capacity_; }
    [[nodiscard]] int max_rows() const override { return max_rows_; }
    [[nodiscard]] int length() const override { return length_; }
    [[nodiscard]] std::size_t memory_bytes() const override;
    [[nodiscard]] bool is_table() const override { return false; }

    PassRows& forward(const PassInput& input) override;
    void prefill(std::span<const int> tokens) override;
    void truncate(int length) override;
    void keep(int base, std::span<const int> rows) override;
    [[nodiscard]] Tensor features() const override { return features_; }
    void poison() override;

  private:
    // Cache of one layer; `slots_` rows of it are in use by all layers alike.
    struct LayerCache {
        Buffer k, v; // (slots, K * d)
        [[nodiscard]] KvLayer view() const { return {k.view(), v.view()}; }
    };
    // One pass, as the layers see it.
    struct Pass {
        int rows = 0;
        Tensor ids, positions; // (1, rows) i32
        AttentionMask mask;
        Tensor residual, normed, delta; // (rows, h)
        Tensor pending;                 // delta, while it is not yet added to the residual
    };

    [[nodiscard]] Backend& backend() const { return *model_->backend; }
    void reserve_slots(int slots);
    void fill_with_nan(const LayerCache& cache, int first, int count);

    // ---- model_forward.cpp ----
    void check_input(const PassInput& input) const;
    [[nodiscard]] Pass begin_pass(const PassInput& input);
    [[nodiscard]] std::vector<int> depths(const PassInput& input) const;
    void upload_ancestors(const PassInput& input, Pass& pass);
    void run_layers(const PassInput& input, Pass& pass);
    void run_attention(int layer, Pass& pass);
    void run_mlp(int layer, Pass& pass);
    void add_norm(Pass& pass, const Tensor& weight, const Tensor& out);
    void keep_tap(int layer, const PassInput& input, Pass& pass);
    void gather_taps(int taps, int rows);
    void run_head(const PassInput& input, Pass& pass);

    std::shared_ptr<const Model> model_;
    int capacity_;
    int max_rows_;
    int length_ = 0;
    int slots_ = 0;         // allocated in every layer
    bool poisoned_ = false; // new slots are filled with NaN as well
    std::vector<LayerCache> cache_;
    ModelRows rows_;

    // scratch, for max_rows() rows
    Buffer ids_, positions_;           // (1, rows) i32
    Buffer ancestors_;                 // (rows, ceil(rows / 64)) i64
    Buffer residual_, normed_, delta_; // (rows, h)
    Buffer q_, attended_;              // (rows, H * d)
    Buffer k_, v_;                     // (rows, K * d)
    Buffer ffn_;                       // (rows, f)
    Buffer taps_, tapped_;             // (taps * rows, h) by tap, and (rows * taps, h) by row
    Buffer tap_order_;                 // (1, rows * taps) i32
    Tensor features_;                  // view of tapped_
};

} // namespace speclens
