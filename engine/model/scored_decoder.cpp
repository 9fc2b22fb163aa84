#include <algorithm>
#include <cmath>
#include <future>

#include "engine/model/decoder.h"
#include "engine/model/scorer.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kMostRows = 1024;

class ScoredRows final : public PassRows {
  public:
    explicit ScoredRows(int vocab) : vocab_(vocab) {}
    void begin(std::vector<TopEntries> rows) {
        rows_ = std::move(rows);
        forget_distributions();
        argmax_.clear();
        for (const TopEntries& row : rows_) argmax_.push_back(row.entries.front().id);
    }
    [[nodiscard]] int count() const override { return static_cast<int>(rows_.size()); }
    [[nodiscard]] const std::vector<int>& argmax() override { return argmax_; }
    [[nodiscard]] RecordedRow heads(int row, const Sampling& sampling, int entries) override {
        RecordedRow heads{top_of(distribution(row, sampling), entries), {}};
        if (sampling != kRawSampling) heads.raw = truncated(at(row), entries);
        return heads;
    }
    [[nodiscard]] std::vector<float> logits(int row) override {
        std::vector<float> values(static_cast<std::size_t>(vocab_), static_cast<float>(kLogZero));
        for (const TopEntries::Entry& entry : at(row).entries) values[static_cast<std::size_t>(entry.id)] = static_cast<float>(entry.logp);
        return values;
    }

  private:
    // Exact where the sampling is greedy or keeps listed ids only, which Run sees to.
    void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override {
        const TopEntries& told = at(row);
        constexpr double kRounding = 1e-3; // of log-probabilities that should add up to everything
        const int wanted = sampling.top_k > 0 ? std::min(sampling.top_k, vocab_) : vocab_;
        if (sampling.temperature > 0 && wanted > static_cast<int>(told.entries.size()) && told.rest > kRounding)
            throw Error("the server tells " + std::to_string(told.entries.size()) + " of the " + std::to_string(wanted) +
                            " likeliest tokens of a place: their distribution is not known",
                        "Ask for fewer with --listed N, or decode with --temp 0.", Exit::network);
        distribution.assign(static_cast<std::size_t>(vocab_), 0);
        for (const TopEntries::Entry& entry : at(row).entries) distribution[static_cast<std::size_t>(entry.id)] = std::exp(entry.logp);
        distribution = apply_sampling(distribution, sampling);
    }
    // The first entries of a head; what is cut off joins the rest.
    [[nodiscard]] static TopEntries truncated(TopEntries top, int entries) {
        if (entries < 0 || entries >= static_cast<int>(top.entries.size())) return top;
        for (auto i = static_cast<std::size_t>(entries); i < top.entries.size(); ++i) top.rest += std::exp(top.entries[i].logp);
        top.entries.resize(static_cast<std::size_t>(entries));
        if (entries == 0) top.rest = 0;
        return top;
    }
    [[nodiscard]] const TopEntries& at(int row) const {
        CHECK(row >= 0 && row < count(), "no such row in this pass");
        return rows_[static_cast<std::size_t>(row)];
    }
    int vocab_;
    std::vector<TopEntries> rows_;
    std::vector<int> argmax_;
};

class ScoredDecoder final : public Decoder {
  public:
    ScoredDecoder(std::shared_ptr<const Scorer> scorer, int capacity)
        : scorer_(std::move(scorer)), rows_(scorer_->vocabulary().size), capacity_(capacity) {}

    [[nodiscard]] const std::string& name() const override { return scorer_->name(); }
    [[nodiscard]] int vocab() const override { return scorer_->vocabulary().size; }
    [[nodiscard]] int layers() const override { return 0; }
    [[nodiscard]] int capacity() const override { return capacity_; }
    [[nodiscard]] int max_rows() const override { return std::min(kMostRows, capacity_); }
    [[nodiscard]] int length() const override { return static_cast<int>(tokens_.size()); }
    [[nodiscard]] std::size_t memory_bytes() const override { return 0; }
    [[nodiscard]] bool is_table() const override { return false; }
    [[nodiscard]] OutputHead reduced_head(const FrequentIds&, int) const override {
        throw Error("--fr-spec or --small-ids cuts an output matrix, and a server keeps its own",
                    "Leave it out, or load the target here with --model DIR.", Exit::usage);
    }

    PassRows& forward(const PassInput& input) override {
        std::vector<int> text = behind(input);
        CHECK(!begun_.valid() || text == begun_text_, "a pass was begun for other rows than are asked for");
        Answer answer = begun_.valid() ? begun_.get() : ask(text, scored_rows(input));
        tokens_ = std::move(text);
        wire_ = answer.wire;
        rows_.begin(std::move(answer.rows));
        return rows_;
    }
    bool begin(const PassInput& input) override {
        CHECK(!begun_.valid(), "one pass at a time");
        begun_text_ = behind(input);
        begun_ = std::async(std::launch::async, [this, rows = scored_rows(input)] { return ask(begun_text_, rows); });
        return true;
    }
    [[nodiscard]] std::optional<Wire> wire() const override { return wire_; }
    void prefill(std::span<const int> tokens, std::span<const int>, const FeatureSink&, const Reading&) override {
        CHECK(length() + static_cast<int>(tokens.size()) <= capacity_, "the prompt does not fit into the cache");
        tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    }
    void truncate(int length) override {
        CHECK(length >= 0 && length <= this->length(), "truncate to more than the cache holds");
        tokens_.resize(static_cast<std::size_t>(length));
    }
    void keep(int base, std::span<const int> rows) override {
        for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == static_cast<int>(i), "keep: a server judges chains only");
        truncate(base + static_cast<int>(rows.size()));
    }
    [[nodiscard]] Tensor features() const override { return {}; }
    void poison() override {} // tokens behind the end do not exist

  private:
    struct Answer {
        std::vector<TopEntries> rows;
        Wire wire;
    };
    // The text with the rows of the pass.
    [[nodiscard]] std::vector<int> behind(const PassInput& input) const {
        const int rows = static_cast<int>(input.tokens.size());
        CHECK(rows >= 1 && rows <= max_rows(), "a pass must have 1 … max_rows() tokens");
        CHECK(length() + rows <= capacity_, "the pass does not fit into the cache");
        CHECK(input.parents.empty() && input.plan.full() && input.taps.empty() && input.head == nullptr,
              "a server has no trees, no layers and no head to choose");
        CHECK(input.logits_from >= 0 && input.logits_from <= rows, "logits_from is outside the pass");
        std::vector<int> text = tokens_;
        text.insert(text.end(), input.tokens.begin(), input.tokens.end());
        return text;
    }
    [[nodiscard]] static int scored_rows(const PassInput& input) { return static_cast<int>(input.tokens.size()) - input.logits_from; }
    [[nodiscard]] Answer ask(std::span<const int> text, int rows) const {
        Answer answer;
        if (rows > 0) answer.rows = scorer_->score(text, rows, answer.wire);
        return answer;
    }

    std::shared_ptr<const Scorer> scorer_;
    ScoredRows rows_;
    int capacity_;
    std::vector<int> tokens_;
    std::optional<Wire> wire_; // of the last pass
    std::vector<int> begun_text_;
    std::future<Answer> begun_; // last: its thread reads the others, and its end waits for it
};

} // namespace

std::unique_ptr<Decoder> make_scored_decoder(std::shared_ptr<const Scorer> scorer, int capacity) {
    CHECK(capacity > 0, "a scored decoder needs room for its prompt");
    return std::make_unique<ScoredDecoder>(std::move(scorer), capacity);
}

} // namespace speclens
