// Decoder over a checkpoint: a key/value cache and scratch memory around an immutable Model. Internal to the
// engine; others use make_model_decoder (engine/model/decoder.h). The forward pass itself is in model_forward.h.
#pragma once

#include <memory>
#include <string>

#include "engine/model/decoder.h"
#include "engine/model/layer_stack.h"
#include "engine/model/model.h"
#include "engine/model/model_forward.h"

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
    [[nodiscard]] OutputHead reduced_head(const FrequentIds& frequent, int n) const override {
        return frequent.reduced_head(backend(), model_->head(), model_, n);
    }

    PassRows& forward(const PassInput& input) override;
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) override;
    [[nodiscard]] double saved_ms() const override { return saved_ms_; }
    void truncate(int length) override;
    void keep(int base, std::span<const int> rows) override;
    [[nodiscard]] Tensor features() const override { return features_; }
    void wait() override { backend().sync(); }
    void poison() override;

  private:
    using Pass = LayerStack::Pass;

    [[nodiscard]] Backend& backend() const { return *model_->backend; }

    [[nodiscard]] Pass begin_pass(const PassInput& input);
    [[nodiscard]] Tensor upload_ancestors(const PassInput& input);

    std::shared_ptr<const Model> model_;
    int capacity_;
    int max_rows_;
    int length_ = 0;
    double saved_ms_ = 0;
    LayerStack stack_;
    ModelForward forward_;
    Buffer ancestors_; // (rows, ceil(rows / 64)) i64
    Tensor features_;  // of the last pass
};

} // namespace speclens
