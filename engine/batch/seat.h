// A text's place in a batch: the Decoder that its Cycle, drafter and rule talk to, as they would to one with a cache of its
// own. The passes are made for all texts together (batch_engine.h); what came out for this text waits here until the Cycle asks
// for it. So rounds, verdicts, dice and drafters are those of every other run, and a text cannot tell whether it is alone.
//
// A drafter that computes with the target itself (layer skip) asks for passes that nobody announced: the seat has them made
// for this text alone.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/batch/block_table.h"
#include "engine/model/decoder.h"
#include "engine/model/paged_model.h"

namespace speclens {

class Seat final : public Decoder {
  public:
    // Makes the pass that `input` asks for, for this text alone, and lets it sit_down() before it returns.
    using Alone = std::function<void(Seat& seat, const PassInput& input)>;
    // `capacity`: positions, as a decoder of its own would have (engine/run). Model and pool outlive the seat.
    Seat(PagedModel& model, BlockPool& pool, int capacity, Alone alone);

    // ---- Decoder ----
    [[nodiscard]] const std::string& name() const override { return model_->model()->name; }
    [[nodiscard]] int vocab() const override { return model_->model()->config.vocab; }
    [[nodiscard]] int layers() const override { return model_->model()->config.layers; }
    [[nodiscard]] int capacity() const override { return capacity_; }
    [[nodiscard]] int max_rows() const override { return std::min({model_->max_rows(), capacity_, 1 + most_drafts_}); }
    [[nodiscard]] int length() const override { return table_.length(); }
    [[nodiscard]] std::size_t memory_bytes() const override {
        return model_->model()->bytes.all + table_.blocks().size() * model_->block_bytes();
    }
    [[nodiscard]] bool is_table() const override { return false; }
    [[nodiscard]] OutputHead reduced_head(const FrequentIds& frequent, int n) const override;
    PassRows& forward(const PassInput& input) override;
    // The prompt was read before, in pieces (read()): only hands on what was tapped.
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) override;
    void truncate(int length) override { table_.truncate(length); }
    void keep(int base, std::span<const int> rows) override;
    [[nodiscard]] Tensor features() const override { return features_; }
    void poison() override;

    // ---- for who makes the passes ----
    [[nodiscard]] BlockTable& table() { return table_; }
    [[nodiscard]] const BlockTable& table() const { return table_; }
    // What this text brings to a pass; its blocks must be reserved. `input` outlives the pass.
    [[nodiscard]] PagedModel::Text bring(const PassInput& input) const;
    // A pass over rows of this text was made: the next forward() must ask for just these and gets them.
    void sit_down(const PagedModel::Text& text);
    // A piece of the prompt, or of a text that is computed again, was read in a pass. What was tapped of a prompt is kept.
    void read(const PagedModel::Text& text);
    // How many of `tokens` another text with the same `taps` has read, and can be shared with.
    [[nodiscard]] int shareable(std::span<const int> tokens, std::span<const int> taps) const;
    // Begins with `count` of them, in the same blocks.
    void share(const Seat& other, int count, std::span<const int> taps);
    // Of the prompt: what is tapped in reading it. Before the first piece.
    void begin_prompt(std::span<const int> tokens, std::span<const int> taps);
    [[nodiscard]] bool knows_prompt() const { return prompt_read_ == std::ssize(prompt_); } // was read once
    // Of the rounds to come; more are not asked for anyhow where the run has a smaller K.
    void draft_at_most(int drafts) { most_drafts_ = drafts; }
    // Of a text that is only judged: what passes with logits went over is known, too.
    void read_on() { prompt_read_ = std::min(length(), static_cast<int>(prompt_.size())); }
    void give_up_blocks() { table_.clear(); } // preempted: to be computed again

  private:
    class Rows final : public PassRows { // of this text among those of the pass
      public:
        explicit Rows(PagedModel& model) : model_(&model) {}
        void begin(int first, int count);
        [[nodiscard]] int count() const override { return count_; }
        [[nodiscard]] const std::vector<int>& argmax() override;
        [[nodiscard]] RecordedRow heads(int row, const Sampling& sampling, int entries) override;
        [[nodiscard]] std::vector<float> logits(int row) override;

      private:
        void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override;
        PagedModel* model_;
        int first_ = 0, count_ = 0;
        bool argmax_known_ = false;
        std::vector<int> argmax_;
    };
    [[nodiscard]] Backend& backend() const { return *model_->model()->backend; }
    // A copy of `features` that stays until the next pass of this text.
    void keep_features(const Tensor& features);

    PagedModel* model_;
    int capacity_;
    int most_drafts_ = std::numeric_limits<int>::max() - 1;
    Alone alone_;
    BlockTable table_;
    Rows rows_;
    std::vector<int> waiting_; // tokens of a pass that was made and not yet asked for
    Buffer kept_;              // (rows, taps * h)
    Tensor features_;          // of the last pass, in kept_

    std::vector<int> prompt_, prompt_taps_;
    Buffer prompt_features_; // (prompt tokens, taps * h)
    int prompt_read_ = 0;    // rows of them that are known
};

} // namespace speclens
