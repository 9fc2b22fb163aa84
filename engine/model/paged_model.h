// A model whose key/value cache is a pool of blocks, and one pass over the rows of several texts (paged attention: Kwon et
// al. 2023, arXiv 2309.06180). Rows are flattened without padding: text i brings as many as it has (methods of vLLM and
// SGLang), products go over all of them, attention of each over its own text. A row has the bits that ModelDecoder gives it
// where its text is alone, because no operation of a backend knows how many rows a pass has (kernels/backend.h).
//
// Which text has which block is somebody else's business (engine/batch).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/model/decoder.h"
#include "engine/model/layer_stack.h"
#include "engine/model/model.h"
#include "engine/model/model_forward.h"

namespace speclens {

class PagedModel {
  public:
    // Positions of a block, on every device.
    static constexpr int kBlock = 16;

    // What a text brings to a pass, and what it finds afterwards.
    struct Text {
        PassInput input;             // plan and head only where it is alone in the pass; logits of all rows or of none
        int length = 0;              // committed positions
        std::span<const int> blocks; // room for length + input.tokens.size() positions
        // Afterwards, until the next pass:
        int first_logits = 0; // its first row in rows()
        Tensor features = {}; // (rows, taps * h), what input.taps asked for
    };

    // Throws Error: a backend that has no pages, or too little memory for so many blocks.
    PagedModel(std::shared_ptr<const Model> model, int blocks);

    [[nodiscard]] const std::shared_ptr<const Model>& model() const { return model_; }
    [[nodiscard]] int blocks() const { return blocks_; }
    [[nodiscard]] int max_rows() const { return max_rows_; } // of one pass
    [[nodiscard]] std::size_t block_bytes() const;           // of all layers
    [[nodiscard]] static std::size_t block_bytes(const Model& model);

    // Rows without logits (of a prompt) come first.
    void forward(std::span<Text> texts);
    // Of the rows with logits, text after text.
    [[nodiscard]] ModelRows& rows() { return forward_.rows(); }

    // Slot s of the pool is position s % kBlock of block s / kBlock. In order, as Backend::move_slots().
    void move_slots(std::span<const int> from, std::span<const int> to) { stack_.move_slots(from, to); }
    // Fills them with NaN: tests prove that nobody reads them.
    void poison(int first_slot, int count) { stack_.poison(first_slot, count); }

  private:
    [[nodiscard]] Backend& backend() const { return *model_->backend; }
    [[nodiscard]] LayerStack::Pass begin_pass(std::span<const Text> texts);

    std::shared_ptr<const Model> model_;
    int blocks_;
    int max_rows_;
    LayerStack stack_;
    ModelForward forward_;

    Buffer ancestors_;               // of every tree in the pass, one behind the other: i64
    std::vector<TextRows> texts_;    // of the pass
    std::vector<int> tokens_, taps_; // of all rows; that any text wants
};

} // namespace speclens
