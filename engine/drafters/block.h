// What DFlash, DFlash 2, Domino and DSpark share: a block of masks filled in one pass, with the target's hidden states
// injected as keys and values of every draft layer (DFlash, Chen et al. 2026, §3).
// Row 0 of the block is the anchor (the newest token, on which the target has not run), the others are masks;
// every row sees the whole context and the whole block. The cache keeps context entries only: what the block
// itself writes is overwritten by the next context.
#pragma once

#include <memory>
#include <vector>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/layer_stack.h"
#include "engine/model/model_rows.h"
#include "engine/model/waiting_states.h"

namespace speclens {

// `matrix`, with one row for each id that the head ranks, as `args` want it: over the head's reduced vocabulary, or over
// the target's, perhaps cut.
[[nodiscard]] OutputHead ranking_head(const DrafterArgs& args, const Tensor& matrix);

class BlockDrafter : public Drafter {
  public:
    explicit BlockDrafter(const DrafterArgs& args);

    [[nodiscard]] std::vector<int> taps() const override { return taps_; }
    void begin(std::span<const int> sequence) override;
    void observe(const Observation& observation) override;
    [[nodiscard]] Draft draft(const DraftRequest& request) override;
    void put_off() override { waiting_.put_off(backend()); }

  protected:
    // The proposing rows of a block after the final norm (k, h), and their base logits (k, V) in
    // `base_rows()`, V the columns of head().
    struct Block {
        Tensor rows;
        Tensor base;
        int anchor = 0; // token
    };
    virtual void run_layer(LayerStack& stack, int layer, LayerStack::Pass& pass) { stack.run(layer, pass); }
    // More products of a block's proposing rows, `rows` of them, in the launch of their base logits: what a head does
    // with them before it knows a draft token.
    virtual void add_products(std::int64_t /*rows*/, std::vector<Projection>& /*products*/) {}
    // Appends the next nodes until `k` or a stop token; the default draws every row from its base logits.
    virtual void choose(const Block& block, int k, const DraftRequest& request, Draft& draft);

    [[nodiscard]] Backend& backend() const { return network_->backend(); }
    [[nodiscard]] const DraftNetwork& network() const { return *network_; }
    [[nodiscard]] ModelRows& base_rows() { return base_rows_; }
    // What ranks a block's rows, and what the columns of its logits stand for.
    [[nodiscard]] const OutputHead& head() const { return head_; }
    // The change of row `index` of the base logits to row 0 of `corrected`, where they are asked for.
    void look_at_correction(DraftNode& node, int index, PassRows& corrected, const DraftRequest& request);
    // Fills DraftNode::base from row `index`, where a trace asks for it.
    void record_base(DraftNode& node, int index, const DraftRequest& request);
    // f32 (1, cols) scratch.
    [[nodiscard]] Buffer row_of(int cols) const { return {backend(), DType::f32, 1, cols}; }
    // out (1, h) = row `token` of `table`.
    void look_up(const Tensor& table, int token, const Tensor& out);

  private:
    void absorb(const Tensor& features, int first);
    // What the rows of a block see in a layer with window `window`.
    [[nodiscard]] std::vector<LayerStack::Pass::Range> window_ranges(int window, int slots) const;
    void keep_taps(const Tensor& features);
    void look(const Block& block, Draft& draft);
    [[nodiscard]] Block fill(int anchor, int k);
    [[nodiscard]] int slots_for(int k) const;

    std::shared_ptr<const DraftNetwork> network_;
    DrafterOptions options_;
    std::vector<int> taps_;
    LayerStack stack_;
    ModelRows base_rows_;
    OutputHead head_; // the target's, perhaps reduced to fewer ids, or the network's own over a reduced vocabulary
    WaitingStates waiting_;
    int length_ = 0; // positions whose context is known
    int kept_ = 0;   // positions in the cache: all of `length_`, or the newest where the context is limited

    std::vector<Projection> products_;
    Buffer ids_;             // (1, B) i32
    Buffer masks_;           // (B, h): the network's own mask again and again, where it has one
    Buffer all_;             // (B, 1) i64: every row sees every row
    Buffer fused_, context_; // (rows, h)
    Buffer positions_;       // (1, rows) i32, of the context
    Buffer newest_taps_;     // (1, taps * h): of the last position of the context, kept for the internals
    bool taps_known_ = false;
};

} // namespace speclens
