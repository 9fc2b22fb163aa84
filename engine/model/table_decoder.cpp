// A "language model" that is a table of exact conditional distributions. Its cache is the list of tokens itself, so
// trees, truncation and forks behave like a transformer's while every probability stays a number from the
// file.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/model/decoder.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kMaxRows = 1024;

// Row of the longest suffix of `context` that the table has. "" always exists.
class TableLookup {
  public:
    explicit TableLookup(const TableModel& table) {
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            const auto& [key, distribution] = table.rows[i];
            CHECK(static_cast<int>(distribution.size()) == table.vocab, "a row of the table has the wrong width");
            rows_.emplace(key, i);
            const auto commas = static_cast<int>(std::ranges::count(key, ','));
            longest_ = std::max(longest_, key.empty() ? 0 : commas + 1);
        }
        if (!rows_.contains(""))
            throw Error(table.name + ": no row for the empty context",
                        "Add the key \"\": it is the distribution of the first token and the last resort of every context.");
    }
    [[nodiscard]] std::size_t row(std::span<const int> context) const {
        for (std::size_t length = std::min<std::size_t>(context.size(), static_cast<std::size_t>(longest_)); length > 0; --length)
            if (const auto found = rows_.find(key(context.last(length))); found != rows_.end()) return found->second;
        return rows_.at("");
    }

  private:
    static std::string key(std::span<const int> context) {
        std::string text;
        for (const int id : context) {
            if (!text.empty()) text += ',';
            text += std::to_string(id);
        }
        return text;
    }
    std::unordered_map<std::string, std::size_t> rows_;
    int longest_ = 0; // tokens of the longest key
};

class TableRows final : public PassRows {
  public:
    explicit TableRows(const TableModel& table) : table_(&table) {}
    void begin(std::vector<std::size_t> rows) {
        rows_ = std::move(rows);
        forget_distributions();
        argmax_.clear();
        for (const std::size_t row : rows_) argmax_.push_back(speclens::argmax(table_->rows[row].second));
    }
    [[nodiscard]] int count() const override { return static_cast<int>(rows_.size()); }
    [[nodiscard]] const std::vector<int>& argmax() override { return argmax_; }
    [[nodiscard]] std::vector<float> logits(int row) override {
        std::vector<float> values;
        for (const double p : raw(row)) values.push_back(p > 0 ? static_cast<float>(std::log(p)) : -std::numeric_limits<float>::infinity());
        return values;
    }

  private:
    void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override {
        distribution = apply_sampling(raw(row), sampling);
    }
    [[nodiscard]] const Distribution& raw(int row) const {
        CHECK(row >= 0 && row < count(), "no such row in this pass");
        return table_->rows[rows_[static_cast<std::size_t>(row)]].second;
    }
    const TableModel* table_;
    std::vector<std::size_t> rows_;
    std::vector<int> argmax_;
};

class TableDecoder final : public Decoder {
  public:
    TableDecoder(std::shared_ptr<const TableModel> table, int prompt_length, int capacity)
        : table_(std::move(table)), lookup_(*table_), rows_(*table_), prompt_(static_cast<std::size_t>(prompt_length)),
          capacity_(capacity) {}

    [[nodiscard]] const std::string& name() const override { return table_->name; }
    [[nodiscard]] int vocab() const override { return table_->vocab; }
    [[nodiscard]] int layers() const override { return 0; }
    [[nodiscard]] int capacity() const override { return capacity_; }
    [[nodiscard]] int max_rows() const override { return std::min(kMaxRows, capacity_); }
    [[nodiscard]] int length() const override { return static_cast<int>(tokens_.size()); }
    [[nodiscard]] std::size_t memory_bytes() const override {
        return table_->rows.size() * static_cast<std::size_t>(table_->vocab) * sizeof(double);
    }
    [[nodiscard]] bool is_table() const override { return true; }
    [[nodiscard]] OutputHead reduced_head(const FrequentIds&, int) const override {
        throw Error("--fr-spec or --small-ids cuts an output matrix, and a table has none",
                    "Leave it out, or use a checkpoint with --model DIR.", Exit::usage);
    }

    PassRows& forward(const PassInput& input) override {
        const auto rows = input.tokens.size(), base = tokens_.size();
        CHECK(rows >= 1 && static_cast<int>(rows) <= max_rows(), "a pass must have 1 … max_rows() tokens");
        CHECK(static_cast<int>(base + rows) <= capacity_, "the pass does not fit into the cache");
        CHECK(input.parents.empty() || input.parents.size() == rows, "one parent per row");
        CHECK(input.logits_from >= 0 && input.logits_from <= static_cast<int>(rows), "logits_from is outside the pass");
        CHECK(input.plan.full() && input.taps.empty() && input.head == nullptr, "a table has no layers and no head");
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < rows; ++i) {
            const int token = input.tokens[i], parent = input.parents.empty() ? static_cast<int>(i) - 1 : input.parents[i];
            CHECK(token >= 0 && token < vocab(), "token id outside the vocabulary");
            CHECK(parent >= -1 && parent < static_cast<int>(i), "a parent must be an earlier row or -1");
            if (static_cast<int>(i) >= input.logits_from) found.push_back(lookup_.row(context(input, i)));
        }
        tokens_.insert(tokens_.end(), input.tokens.begin(), input.tokens.end());
        rows_.begin(std::move(found));
        return rows_;
    }

    void prefill(std::span<const int> tokens, std::span<const int>, const FeatureSink&, const Reading&) override {
        while (!tokens.empty()) {
            const auto piece = tokens.first(std::min(tokens.size(), static_cast<std::size_t>(max_rows())));
            forward({.tokens = piece, .logits_from = static_cast<int>(piece.size())});
            tokens = tokens.subspan(piece.size());
        }
    }
    void truncate(int length) override {
        CHECK(length >= 0 && length <= this->length(), "truncate to more than the cache holds");
        tokens_.resize(static_cast<std::size_t>(length));
    }
    void keep(int base, std::span<const int> rows) override {
        CHECK(base >= 0 && base <= length(), "keep: the base is behind the end of the cache");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            CHECK(rows[i] >= 0 && base + rows[i] < length(), "keep: no such row");
            CHECK(i == 0 || rows[i] > rows[i - 1], "keep: rows must ascend");
            tokens_[static_cast<std::size_t>(base) + i] = tokens_[static_cast<std::size_t>(base + rows[i])];
        }
        tokens_.resize(static_cast<std::size_t>(base) + rows.size());
    }
    [[nodiscard]] Tensor features() const override { return {}; }
    void poison() override {} // tokens behind the end do not exist

  private:
    // The generated tokens up to and including row `row`: the cache behind the prompt, then the row's
    // ancestors.
    [[nodiscard]] std::vector<int> context(const PassInput& input, std::size_t row) const {
        std::vector<int> path;
        for (int i = static_cast<int>(row); i >= 0; i = input.parents.empty() ? i - 1 : input.parents[i]) path.push_back(input.tokens[i]);
        std::vector<int> all = tokens_;
        all.insert(all.end(), path.rbegin(), path.rend());
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(prompt_, all.size())));
        return all;
    }

    std::shared_ptr<const TableModel> table_;
    TableLookup lookup_;
    TableRows rows_;
    std::size_t prompt_;
    int capacity_;
    std::vector<int> tokens_;
};

} // namespace

std::unique_ptr<Decoder> make_table_decoder(std::shared_ptr<const TableModel> table, int prompt_length, int capacity) {
    CHECK(prompt_length >= 0 && capacity > 0, "a table decoder needs room for its prompt");
    return std::make_unique<TableDecoder>(std::move(table), prompt_length, capacity);
}

} // namespace speclens
