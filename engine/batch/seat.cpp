#include "engine/batch/seat.h"

#include "kernels/error.h"

namespace speclens {

Seat::Seat(PagedModel& model, BlockPool& pool, int capacity, Alone alone)
    : model_(&model), capacity_(capacity), alone_(std::move(alone)), table_(pool, PagedModel::kBlock), rows_(model) {}

OutputHead Seat::reduced_head(const FrequentIds& frequent, int n) const {
    const auto& model = model_->model();
    return frequent.reduced_head(backend(), model->head(), model, n);
}

PassRows& Seat::forward(const PassInput& input) {
    CHECK(length() + std::ssize(input.tokens) <= capacity_, "the pass does not fit into the cache");
    if (waiting_.empty()) alone_(*this, input);
    CHECK(std::ranges::equal(waiting_, input.tokens), "a pass was made for other rows than the round asks for");
    waiting_.clear();
    table_.grow(static_cast<int>(input.tokens.size()));
    return rows_;
}

PagedModel::Text Seat::bring(const PassInput& input) const {
    return {.input = input, .length = table_.length(), .blocks = table_.blocks()};
}

void Seat::sit_down(const PagedModel::Text& text) {
    waiting_.assign(text.input.tokens.begin(), text.input.tokens.end());
    rows_.begin(text.first_logits, static_cast<int>(waiting_.size()) - text.input.logits_from);
    keep_features(text.features);
}

void Seat::keep_features(const Tensor& features) {
    features_ = {};
    if (features.empty()) return;
    if (kept_.view().rows < features.rows || kept_.view().cols != features.cols)
        kept_ = Buffer(backend(), DType::f32, features.rows, features.cols);
    features_ = kept_.view().slice(0, features.rows);
    backend().copy(features, features_);
}

void Seat::keep(int base, std::span<const int> rows) {
    CHECK(base >= 0 && base <= length(), "keep: the base is behind the end of the cache");
    const bool of_last_pass = features_.rows > 0 && base + features_.rows == length();
    std::vector<int> from, to;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i] >= 0 && base + rows[i] < length(), "keep: no such row");
        CHECK(i == 0 || rows[i] > rows[i - 1], "keep: rows must ascend");
        if (rows[i] == static_cast<int>(i)) continue; // already in its place
        from.push_back(table_.slot(base + rows[i]));
        to.push_back(table_.slot(base + static_cast<int>(i)));
        // rows ascend, so no row is overwritten before it was copied
        if (of_last_pass) backend().copy(features_.slice(rows[i], 1), features_.slice(static_cast<std::int64_t>(i), 1));
    }
    if (of_last_pass) features_ = features_.slice(0, static_cast<std::int64_t>(rows.size()));
    if (!from.empty()) model_->move_slots(from, to);
    table_.truncate(base + static_cast<int>(rows.size()));
}

void Seat::poison() {
    const int held = static_cast<int>(table_.blocks().size()) * PagedModel::kBlock;
    for (int position = length(); position < held; ++position)
        if (table_.alone(position)) model_->poison(table_.slot(position), 1);
}

void Seat::begin_prompt(std::span<const int> tokens, std::span<const int> taps) {
    prompt_.assign(tokens.begin(), tokens.end());
    prompt_taps_.assign(taps.begin(), taps.end());
    prompt_read_ = 0;
    if (taps.empty() || tokens.empty()) return;
    prompt_features_ = Buffer(backend(), DType::f32, std::ssize(tokens), std::ssize(taps) * model_->model()->config.hidden);
}

void Seat::read(const PagedModel::Text& text) {
    const auto rows = std::ssize(text.input.tokens);
    if (!text.features.empty()) backend().copy(text.features, prompt_features_.view().slice(length(), rows));
    table_.grow(static_cast<int>(rows));
    prompt_read_ = std::max(prompt_read_, std::min(length(), static_cast<int>(prompt_.size())));
}

// What was tapped is known of the prompt only, and keys and values as far as they are in blocks now.
int Seat::shareable(std::span<const int> tokens, std::span<const int> taps) const {
    if (!taps.empty() && !std::ranges::equal(taps, prompt_taps_)) return 0;
    const auto known = std::span(prompt_).first(static_cast<std::size_t>(std::min(prompt_read_, length())));
    return static_cast<int>(std::ranges::mismatch(tokens, known).in1 - tokens.begin());
}

void Seat::share(const Seat& other, int count, std::span<const int> taps) {
    table_.share(other.table_, count);
    if (!taps.empty() && prompt_read_ < count) {
        backend().copy(other.prompt_features_.view().slice(0, count), prompt_features_.view().slice(0, count));
    }
    prompt_read_ = std::max(prompt_read_, std::min(count, static_cast<int>(prompt_.size())));
}

void Seat::prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading&) {
    CHECK(std::ranges::equal(tokens, prompt_) && knows_prompt(), "the prompt was not read before");
    features_ = {};
    if (!sink || taps.empty()) return;
    const int read = static_cast<int>(tokens.size());
    const int rows = std::min(model_->max_rows(), capacity_);
    for (int first = 0; first < read; first += rows) sink(first, prompt_features_.view().slice(first, std::min(rows, read - first)));
}

void Seat::Rows::begin(int first, int count) {
    first_ = first;
    count_ = count;
    argmax_known_ = false;
    forget_distributions();
}

const std::vector<int>& Seat::Rows::argmax() {
    if (!argmax_known_) {
        const auto of_all = model_->rows().argmax().begin() + first_;
        argmax_.assign(of_all, of_all + count_);
        argmax_known_ = true;
    }
    return argmax_;
}

RecordedRow Seat::Rows::heads(int row, const Sampling& sampling, int entries) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    return model_->rows().heads(first_ + row, sampling, entries);
}

std::vector<float> Seat::Rows::logits(int row) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    return model_->rows().logits(first_ + row);
}

void Seat::Rows::compute_distribution(int row, const Sampling& sampling, Distribution& distribution) {
    model_->rows().distribution_into(first_ + row, sampling, distribution);
}

} // namespace speclens
