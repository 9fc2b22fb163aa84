#include "engine/run/planted_fault.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "engine/model/decoder.h"
#include "engine/models/models.h"
#include "engine/run/run.h"

namespace speclens {
namespace {

float to_bf16(float value) { // to the nearest, ties to even
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U);
}

// The rows of a pass, whose favourites are found among rounded logits. Distributions stay as they are: at temperature 0 they
// decide nothing.
class RoundedRows final : public PassRows {
  public:
    void begin(PassRows& rows) {
        rows_ = &rows;
        forget_distributions();
        best_.clear();
    }
    int count() const override { return rows_->count(); }
    const std::vector<int>& argmax() override {
        for (int row = static_cast<int>(best_.size()); row < count(); ++row) {
            const std::vector<float> rounded = logits(row);
            best_.push_back(static_cast<int>(std::ranges::max_element(rounded) - rounded.begin())); // the lowest id of equal ones
        }
        return best_;
    }
    std::vector<float> logits(int row) override {
        std::vector<float> values = rows_->logits(row);
        for (float& value : values) value = to_bf16(value);
        return values;
    }
    RecordedRow heads(int row, const Sampling& sampling, int entries) override { return rows_->heads(row, sampling, entries); }

  protected:
    void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override {
        distribution = rows_->distribution(row, sampling);
    }

  private:
    PassRows* rows_ = nullptr;
    std::vector<int> best_;
};

class FaultyDecoder final : public Decoder {
  public:
    FaultyDecoder(std::unique_ptr<Decoder> inner, PlantedFault fault) : inner_(std::move(inner)), fault_(fault) {}
    const std::string& name() const override { return inner_->name(); }
    int vocab() const override { return inner_->vocab(); }
    int layers() const override { return inner_->layers(); }
    int capacity() const override { return inner_->capacity(); }
    int max_rows() const override { return inner_->max_rows(); }
    int length() const override { return inner_->length() + missing_; } // its count is right, its rows are not
    std::size_t memory_bytes() const override { return inner_->memory_bytes(); }
    bool is_table() const override { return inner_->is_table(); }
    OutputHead reduced_head(const FrequentIds& ids, int n) const override { return inner_->reduced_head(ids, n); }
    PassRows& forward(const PassInput& input) override {
        passed_ = input.tokens.size();
        PassRows& rows = inner_->forward(input);
        if (fault_ != PlantedFault::rounding || passed_ < 2) return rows;
        rounded_.begin(rows);
        return rounded_;
    }
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) override {
        inner_->prefill(tokens, taps, sink, reading);
    }
    double saved_ms() const override { return inner_->saved_ms(); }
    void truncate(int length) override { inner_->truncate(length - missing_); }
    void keep(int base, std::span<const int> rows) override {
        const bool refused = rows.size() < passed_;
        const bool lost = fault_ == PlantedFault::rollback && refused && rows.size() > 1;
        inner_->keep(base - missing_, lost ? rows.first(rows.size() - 1) : rows);
        missing_ += lost ? 1 : 0;
    }
    Tensor features() const override { return inner_->features(); }
    void wait() override { inner_->wait(); }
    void poison() override { inner_->poison(); }

  private:
    std::unique_ptr<Decoder> inner_;
    PlantedFault fault_;
    RoundedRows rounded_;
    std::size_t passed_ = 0; // rows of the last pass
    int missing_ = 0;        // rows that were taken back too much so far
};

} // namespace

Run::MakeTarget faulty_target(std::shared_ptr<const Models> models, PlantedFault fault) {
    return [models = std::move(models), fault](int capacity) -> std::unique_ptr<Decoder> {
        return std::make_unique<FaultyDecoder>(make_model_decoder(models->target, capacity), fault);
    };
}

} // namespace speclens
