// The logits of one pass over a checkpoint, and what is derived from them on demand: argmax ids and distributions.
// Output matrices are padded (151 936 rows for the 151 669 ids of Qwen3): an id that no token has is in no
// distribution, and is never the most likely one. Internal to the engine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/model/decoder.h"
#include "kernels/buffer.h"

namespace speclens {

class Model;

// Ids below this one have a token; those behind it are padding of the output matrix. All of them where the
// model has no tokenizer.
[[nodiscard]] int tokens_of(const Model& model);

class ModelRows final : public PassRows {
  public:
    // `vocab`: columns of the logits; `tokens`: ids that can be drawn, the first ones.
    ModelRows(Backend& backend, int vocab, int tokens, std::string model)
        : backend_(&backend), vocab_(vocab), tokens_(tokens), model_(std::move(model)) {}

    // Starts a pass: forgets the last one and returns the (count, V) tensor that the head writes to. `ids`:
    // what the columns stand for where a reduced head has fewer, ascending, valid until the next pass; the others
    // have mass 0.
    Tensor begin(int count, std::span<const int> ids = {});

    [[nodiscard]] int count() const override { return count_; }
    [[nodiscard]] const std::vector<int>& argmax() override;
    [[nodiscard]] RecordedRow heads(int row, const Sampling& sampling, int entries) override;
    [[nodiscard]] double margin(int row) override;
    [[nodiscard]] int draw(int row, const Sampling& sampling, double u) override;
    [[nodiscard]] std::vector<float> logits(int row) override;
    // distribution(), computed into memory of the caller's: rows of many texts would keep a distribution each here.
    void distribution_into(int row, const Sampling& sampling, Distribution& distribution);

  private:
    // Softmax of logits_: all rows in one launch at the first temperature asked for, since a round looks at nearly all of
    // them; then, in a batch whose texts have several, a row alone.
    struct Probabilities {
        Buffer rows;                     // (rows, V), grows
        std::vector<double> temperature; // of each row; empty: not computed in this pass
    };
    // What traces record of the rows, selected on the device: nothing as wide as the vocabulary is
    // downloaded.
    struct Largest {
        Buffer ids, values, best;       // (rows, entries) i32 and f32, (rows, 1) f32
        int entries = 0;                // 0: not selected in this pass
        std::vector<std::int32_t> id;   // (rows, entries), largest first
        std::vector<float> logit;       // likewise
        std::vector<float> probability; // (rows), of the largest at temperature 1
    };

    [[nodiscard]] int width() const { return ids_.empty() ? vocab_ : static_cast<int>(ids_.size()); }
    [[nodiscard]] int id_of(int column) const { return ids_.empty() ? column : ids_[static_cast<std::size_t>(column)]; }
    // Columns whose ids have a token, the first ones of a row.
    [[nodiscard]] int drawable() const;
    // Of one row's columns [first, first + size of `to`), which need not be whole.
    void download_columns(const Tensor& row, int first, std::span<float> to) const;
    // The best of the drawable columns, for a row whose best one is padding.
    [[nodiscard]] int best_drawable(int row);
    // The shares of the drawable columns at `temperature`, not yet scaled to 1, where next to nothing of the softmax
    // over all is theirs.
    void shares_of_logits(int row, double temperature, std::vector<double>& shares) const;
    [[nodiscard]] Tensor rows_of(const Buffer& buffer) const { // of this pass
        return {buffer.view().data, DType::f32, count_, width()};
    }
    void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override;
    [[nodiscard]] Tensor compute(Probabilities& probabilities, int row, double temperature); // (1, V)
    [[nodiscard]] Probabilities& at_one();                                                   // with every row at temperature 1
    void select(int entries);
    [[nodiscard]] double padding_mass(int row);                       // of the softmax at temperature 1
    [[nodiscard]] TopEntries raw_head(int row, double padding) const; // padding: its mass at temperature 1
    [[nodiscard]] TopEntries distribution_head(int row, const Distribution& distribution) const;
    [[noreturn]] void not_finite() const;

    Backend* backend_;
    int vocab_, tokens_;
    std::string model_;
    int count_ = 0;
    std::span<const int> ids_;     // of the columns; empty: column i is id i
    Buffer logits_;                // (rows, V), grows
    Probabilities at_temperature_; // the temperature of the run, or of each text
    Probabilities at_one_;         // temperature 1, where a row of the run has another one
    Largest largest_;
    Buffer best_;                 // (1, rows) i32
    Buffer two_ids_, two_logits_; // (1, 2) i32 and f32, of margin()
    bool argmax_known_ = false;
    std::vector<int> argmax_;
    std::vector<float> row_; // downloaded, on its way into a distribution
};

} // namespace speclens
