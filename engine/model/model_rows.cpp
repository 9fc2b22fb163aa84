#include "engine/model/model_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/model/model.h"
#include "engine/text/tokenizer.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {

int tokens_of(const Model& model) {
    const int vocab = model.config.vocab;
    return model.tokenizer ? std::min(model.tokenizer->size(), vocab) : vocab;
}

Tensor ModelRows::begin(int count, std::span<const int> ids) {
    count_ = count;
    ids_ = ids;
    at_temperature_.temperature.clear();
    at_one_.temperature.clear();
    largest_.entries = 0;
    argmax_known_ = false;
    forget_distributions();
    if (count == 0) return {};
    if (logits_.view().rows < count) {
        const std::int64_t rows = std::max<std::int64_t>(count, 2 * logits_.view().rows);
        logits_ = Buffer(); // give the old one back first
        logits_ = Buffer(*backend_, DType::f32, rows, vocab_);
    }
    return rows_of(logits_);
}

const std::vector<int>& ModelRows::argmax() {
    if (argmax_known_) return argmax_;
    argmax_.resize(static_cast<std::size_t>(count_));
    if (count_ > 0) {
        if (best_.view().cols < count_) best_ = Buffer(*backend_, DType::i32, 1, logits_.view().rows);
        const Tensor ids{best_.view().data, DType::i32, 1, count_};
        backend_->argmax(rows_of(logits_), ids);
        backend_->download(ids, argmax_.data());
        // The first column wins where no logit is a number.
        for (int row = 0; row < count_; ++row) {
            float first = 0;
            if (argmax_[static_cast<std::size_t>(row)] == 0)
                backend_->download({rows_of(logits_).slice(row, 1).data, DType::f32, 1, 1}, &first);
            if (!std::isfinite(first)) not_finite();
        }
        const int drawn = drawable();
        for (int row = 0; row < count_; ++row)
            if (argmax_[static_cast<std::size_t>(row)] >= drawn) argmax_[static_cast<std::size_t>(row)] = best_drawable(row);
        for (int& id : argmax_) id = id_of(id);
    }
    argmax_known_ = true;
    return argmax_;
}

int ModelRows::drawable() const {
    if (ids_.empty()) return tokens_;
    return static_cast<int>(std::ranges::lower_bound(ids_, tokens_) - ids_.begin());
}

void ModelRows::download_columns(const Tensor& row, int first, std::span<float> to) const {
    float* const from = static_cast<float*>(row.data) + first;
    backend_->download({from, DType::f32, 1, static_cast<std::int64_t>(to.size())}, to.data());
}

int ModelRows::best_drawable(int row) {
    row_.resize(static_cast<std::size_t>(drawable()));
    download_columns(rows_of(logits_).slice(row, 1), 0, row_);
    const auto best = std::ranges::max_element(row_);
    if (best == row_.end() || !std::isfinite(*best)) not_finite();
    return static_cast<int>(best - row_.begin());
}

void ModelRows::shares_of_logits(int row, double temperature, std::vector<double>& shares) const {
    std::vector<float> known(static_cast<std::size_t>(drawable()));
    download_columns(rows_of(logits_).slice(row, 1), 0, known);
    const auto best = std::ranges::max_element(known);
    if (best == known.end() || !std::isfinite(*best)) not_finite();
    const auto highest = static_cast<double>(*best);
    for (std::size_t i = 0; i < known.size(); ++i) shares[i] = std::exp((static_cast<double>(known[i]) - highest) / temperature);
}

void ModelRows::distribution_into(int row, const Sampling& sampling, Distribution& distribution) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    compute_distribution(row, sampling, distribution);
}

int ModelRows::draw(int row, const Sampling& sampling, double u) {
    if (ids_.empty()) return PassRows::draw(row, sampling, u);
    const Distribution& all = distribution(row, sampling);
    double mass = 0;
    int last = -1;
    for (const int id : ids_) { // in the order of the ids, so with the sums of sample()
        const double p = all[static_cast<std::size_t>(id)];
        if (p <= 0) continue;
        mass += p;
        last = id;
        if (u < mass) break;
    }
    CHECK(last >= 0, "sampling from a distribution without mass");
    return last;
}

// Over the ids that have a token. The softmax is over all, so what padding has of it is left out and the rest
// scaled to 1.
void ModelRows::compute_distribution(int row, const Sampling& sampling, Distribution& distribution) {
    const auto size = static_cast<std::size_t>(vocab_);
    if (sampling.temperature == 0) {
        distribution.assign(size, 0.0);
        distribution[static_cast<std::size_t>(argmax()[static_cast<std::size_t>(row)])] = 1;
        return;
    }
    constexpr double kLeast = 1e-6; // of the softmax: with less, what it rounds to 0 would show
    row_.resize(static_cast<std::size_t>(drawable()));
    download_columns(compute(at_temperature_, row, sampling.temperature), 0, row_);
    // Eight sums side by side: one alone waits for each addition.
    constexpr std::size_t kSums = 8;
    double sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kSums <= row_.size(); i += kSums)
        for (std::size_t j = 0; j < kSums; ++j) sums[j] += static_cast<double>(row_[i + j]);
    for (; i < row_.size(); ++i) sums[0] += static_cast<double>(row_[i]);
    double sum = std::accumulate(sums, sums + kSums, 0.0);
    const auto fill = [&](const auto& shares) { // of the columns
        if (!std::isfinite(sum) || sum <= 0) not_finite();
        const double inverse = 1 / sum;
        if (!ids_.empty()) {
            distribution.assign(size, 0.0);
            for (std::size_t column = 0; column < shares.size(); ++column)
                distribution[static_cast<std::size_t>(ids_[column])] = static_cast<double>(shares[column]) * inverse;
            return;
        }
        distribution.resize(size);
        for (std::size_t id = 0; id < shares.size(); ++id) distribution[id] = static_cast<double>(shares[id]) * inverse;
        std::fill(distribution.begin() + static_cast<std::ptrdiff_t>(shares.size()), distribution.end(), 0.0);
    };
    if (drawable() < width() && sum < kLeast) {
        std::vector<double> shares(row_.size());
        shares_of_logits(row, sampling.temperature, shares);
        sum = std::accumulate(shares.begin(), shares.end(), 0.0);
        fill(shares);
    } else {
        fill(row_);
    }
    if (sampling.top_k > 0 || sampling.top_p < 1) filter_distribution(distribution, sampling);
}

Tensor ModelRows::compute(Probabilities& probabilities, int row, double temperature) {
    std::vector<double>& known = probabilities.temperature;
    const auto at = static_cast<std::size_t>(row);
    const auto softmax = [&](int first, int count) {
        backend_->softmax(rows_of(logits_).slice(first, count), static_cast<float>(temperature),
                          rows_of(probabilities.rows).slice(first, count));
    };
    if (known.empty()) {
        if (probabilities.rows.view().rows < count_) probabilities.rows = Buffer(*backend_, DType::f32, logits_.view().rows, vocab_);
        softmax(0, count_);
        known.assign(static_cast<std::size_t>(count_), temperature);
    } else if (known[at] != temperature) {
        softmax(row, 1);
        known[at] = temperature;
    }
    return rows_of(probabilities.rows).slice(row, 1);
}

ModelRows::Probabilities& ModelRows::at_one() {
    const std::vector<double>& known = at_temperature_.temperature;
    if (!known.empty() && std::ranges::all_of(known, [](double t) { return t == 1; })) return at_temperature_;
    (void)compute(at_one_, 0, 1);
    return at_one_;
}

void ModelRows::not_finite() const {
    throw Error(model_ + ": the model computed logits that are not finite numbers",
                "The weights may be damaged: download the checkpoint again.");
}

RecordedRow ModelRows::heads(int row, const Sampling& sampling, int entries) {
    if (entries < 0) return PassRows::heads(row, sampling, entries);
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    RecordedRow heads;
    if (entries == 0) return heads;
    select(std::min(entries, width()));
    // Where padding is among the largest, the whole distribution tells what comes behind it.
    const auto listed =
        std::span(largest_.id).subspan(static_cast<std::size_t>(row * largest_.entries), static_cast<std::size_t>(largest_.entries));
    const double padding = padding_mass(row);
    if (padding > 0.5 || std::ranges::any_of(listed, [&](std::int32_t id) { return id >= tokens_; }))
        return PassRows::heads(row, sampling, entries);
    if (sampling.temperature == 0)
        heads.distribution = {{{argmax()[static_cast<std::size_t>(row)], 0.0}}, 0};
    else
        heads.distribution = distribution_head(row, distribution(row, sampling));
    if (sampling != kRawSampling) heads.raw = raw_head(row, padding);
    return heads;
}

// Of logits, which differ as log-probabilities do: no softmax.
double ModelRows::margin(int row) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    if (drawable() < 2) return std::numeric_limits<double>::infinity();
    if (two_ids_.view().empty()) {
        two_ids_ = Buffer(*backend_, DType::i32, 1, 2);
        two_logits_ = Buffer(*backend_, DType::f32, 1, 2);
    }
    backend_->top_k(rows_of(logits_).slice(row, 1), 2, two_ids_.view(), two_logits_.view());
    std::array<std::int32_t, 2> ids{};
    std::array<float, 2> logits{};
    backend_->download(two_ids_.view(), ids.data());
    backend_->download(two_logits_.view(), logits.data());
    if (std::ranges::any_of(ids, [&](std::int32_t id) { return id >= drawable(); })) return PassRows::margin(row); // padding
    if (!std::isfinite(logits[0])) not_finite();
    return static_cast<double>(logits[0]) - static_cast<double>(logits[1]);
}

void ModelRows::select(int entries) {
    Largest& found = largest_;
    if (found.entries == entries) return;
    const std::int64_t rows = logits_.view().rows;
    if (found.ids.view().cols != entries || found.ids.view().rows < count_) {
        found.ids = Buffer(*backend_, DType::i32, rows, entries);
        found.values = Buffer(*backend_, DType::f32, rows, entries);
    }
    if (found.best.view().rows < count_) found.best = Buffer(*backend_, DType::f32, rows, 1);
    const Tensor ids = found.ids.view().slice(0, count_);
    const Tensor values = found.values.view().slice(0, count_);
    const Tensor best = found.best.view().slice(0, count_);
    backend_->top_k(rows_of(logits_), entries, ids, values);
    found.id.resize(static_cast<std::size_t>(ids.size()));
    found.logit.resize(static_cast<std::size_t>(ids.size()));
    backend_->download(ids, found.id.data());
    for (std::int32_t& id : found.id) id = id_of(id);
    backend_->download(values, found.logit.data());

    // The largest logit has the largest probability: from that one the others follow without a further look.
    const Tensor first{ids.data, DType::i32, count_, 1}; // overwritten: already downloaded
    backend_->top_k(rows_of(at_one().rows), 1, first, best);
    found.probability.resize(static_cast<std::size_t>(count_));
    backend_->download(best, found.probability.data());
    found.entries = entries;
}

double ModelRows::padding_mass(int row) {
    const int drawn = drawable();
    if (drawn == width()) return 0;
    std::vector<float> tail(static_cast<std::size_t>(width() - drawn));
    download_columns(rows_of(at_one().rows).slice(row, 1), drawn, tail);
    return std::accumulate(tail.begin(), tail.end(), 0.0);
}

TopEntries ModelRows::raw_head(int row, double padding) const {
    const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(largest_.entries);
    const auto probability = static_cast<double>(largest_.probability[static_cast<std::size_t>(row)]);
    if (!(probability > 0)) not_finite();
    const double highest = std::log(probability) - std::log1p(-padding) - static_cast<double>(largest_.logit[first]);
    TopEntries top;
    top.entries.reserve(static_cast<std::size_t>(largest_.entries));
    double mass = 0;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(largest_.entries); ++i) {
        const double logp = highest + static_cast<double>(largest_.logit[i]);
        if (!(logp > kLogZero)) break;
        top.entries.push_back({largest_.id[i], logp});
        mass += std::exp(logp);
    }
    top.rest = largest_.entries == width() ? 0 : std::max(0.0, 1 - mass);
    return top;
}

// Temperature keeps the order of the logits and filters cut from below, so the largest logits lead the distribution.
TopEntries ModelRows::distribution_head(int row, const Distribution& distribution) const {
    const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(largest_.entries);
    TopEntries top;
    top.entries.reserve(static_cast<std::size_t>(largest_.entries));
    double mass = 0;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(largest_.entries); ++i) {
        const double p = distribution[static_cast<std::size_t>(largest_.id[i])];
        if (!(p > 0)) break;
        top.entries.push_back({largest_.id[i], std::log(p)});
        mass += p;
    }
    top.rest = largest_.entries == width() ? 0 : std::max(0.0, 1 - mass);
    return top;
}

std::vector<float> ModelRows::logits(int row) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    std::vector<float> values(static_cast<std::size_t>(width()));
    backend_->download(rows_of(logits_).slice(row, 1), values.data());
    if (ids_.empty()) return values;
    std::vector<float> wide(static_cast<std::size_t>(vocab_), -std::numeric_limits<float>::infinity());
    for (std::size_t column = 0; column < values.size(); ++column) wide[static_cast<std::size_t>(ids_[column])] = values[column];
    return wide;
}

} // namespace speclens
