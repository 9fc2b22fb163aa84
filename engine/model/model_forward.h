// The forward pass of Llama, Mistral, Qwen3 and Qwen2.5, written once against Backend: embedding, the layers
// (layer_stack.h), the taps that drafters ask for, and the head. A decoder with a cache of its own (model_decoder.h) and
// one for several texts at once (paged_model.h) say which rows there are and where their keys and values go. Internal to
// the engine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/model/decoder.h"
#include "engine/model/layer_stack.h"
#include "engine/model/model.h"
#include "engine/model/model_rows.h"

namespace speclens {

class ModelForward {
  public:
    // The stack has room for passes of `max_rows` rows; it outlives this object.
    ModelForward(std::shared_ptr<const Model> model, LayerStack& stack, int max_rows);

    // Everything behind LayerStack::begin(). Of `input` the tokens, plan, taps, head and logits_from count.
    void run(const PassInput& input, LayerStack::Pass& pass);
    [[nodiscard]] ModelRows& rows() { return rows_; }

    // What was tapped of some rows of the last pass, side by side: (rows, taps * h), f32, valid until the next pass.
    struct Part {
        int first = 0, rows = 0;   // rows of the pass
        std::span<const int> taps; // in this order; PassInput::taps had all of them
    };
    // Of all parts at once: another call takes these away.
    [[nodiscard]] std::vector<Tensor> features(std::span<const Part> parts);

  private:
    [[nodiscard]] Backend& backend() const { return *model_->backend; }
    [[nodiscard]] int layers() const { return model_->config.layers; }
    void run_layers(const PassInput& input, LayerStack::Pass& pass);
    void keep_tap(int tap, const Tensor& rows, const PassInput& input);
    void run_head(const PassInput& input, LayerStack::Pass& pass);

    std::shared_ptr<const Model> model_;
    LayerStack& stack_;
    int max_rows_;
    ModelRows rows_;

    Buffer ids_;                     // (1, rows) i32
    Buffer taps_, tapped_;           // (taps * rows, h) by tap, and (rows * taps, h) by row
    Buffer tap_order_;               // (1, rows * taps) i32
    std::vector<int> tapped_layers_; // of the last pass
    int tapped_rows_ = 0;
};

// A CHECK where a pass asks for what the model does not have.
void check_pass(const PassInput& input, const Model& model);
// Of each row behind `length` committed tokens, unless the input says others.
[[nodiscard]] std::vector<int> row_positions(const PassInput& input, int length);
// Whether every row follows the one before it.
[[nodiscard]] bool is_chain(std::span<const int> parents);
// AttentionMask::ancestors of these rows, (rows, ceil(rows / 64)).
[[nodiscard]] std::vector<std::uint64_t> ancestor_bits(std::span<const int> parents);

} // namespace speclens
