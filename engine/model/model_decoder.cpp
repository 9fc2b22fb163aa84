#include "engine/model/model_decoder.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/model/model_memory.h"
#include "engine/model/prompt_cache.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kDefaultCapacity = 4096;

// Rows of a piece of a prompt. On a processor a piece takes some .4 s at most, so that who reads along can end it soon: fewer rows of a
// larger model, and never so few that unpacking its weights would count.
int piece_rows(const Model& model, int max_rows) {
    if (model.backend->name() != "cpu") return max_rows;
    constexpr double kRowBytes = 40e9; // rows times the bytes that one reads
    constexpr int kFewest = 32;
    const double rows = kRowBytes / std::max<double>(1, static_cast<double>(model.bytes.per_token));
    return std::min(max_rows, std::max(kFewest, static_cast<int>(std::min<double>(rows, max_rows))));
}

} // namespace

std::unique_ptr<Decoder> make_model_decoder(std::shared_ptr<const Model> model, int capacity) {
    const auto positions = static_cast<int>(model->cos_sin.view().rows);
    if (capacity == 0) capacity = std::min(positions, kDefaultCapacity);
    if (capacity < 0 || capacity > positions)
        throw Error(model->name + ": a context of " + std::to_string(capacity) + " tokens was asked for, the model has " +
                        std::to_string(positions) + " positions",
                    "Choose a context from 1 to " + std::to_string(positions) + ".", Exit::usage);
    check_memory(model->name, decoder_memory(model->config, *model->backend, capacity, model->precision), model->backend->free_memory());
    return std::make_unique<ModelDecoder>(std::move(model), capacity);
}

ModelDecoder::ModelDecoder(std::shared_ptr<const Model> model, int capacity)
    : model_(std::move(model)), capacity_(capacity), max_rows_(std::min(model_->backend->max_rows(), capacity)),
      stack_(*model_->backend, model_->config, model_->layer, model_->cos_sin.view(), capacity_, max_rows_),
      forward_(model_, stack_, max_rows_) {
    ancestors_ = Buffer(backend(), DType::i64, max_rows_, (max_rows_ + 63) / 64);
}

std::size_t ModelDecoder::memory_bytes() const { return model_->bytes.all + stack_.cache_bytes(); }

PassRows& ModelDecoder::forward(const PassInput& input) {
    const int rows = static_cast<int>(input.tokens.size());
    CHECK(rows >= 1 && rows <= max_rows_, "a pass must have 1 … max_rows() tokens");
    CHECK(length_ + rows <= capacity_, "the pass does not fit into the cache");
    check_pass(input, *model_);
    Pass pass = begin_pass(input);
    features_ = {};
    forward_.run(input, pass);
    if (!input.taps.empty()) {
        const ModelForward::Part all{.first = 0, .rows = rows, .taps = input.taps};
        features_ = forward_.features(std::span(&all, 1)).front();
    }
    length_ += rows;
    return forward_.rows();
}

ModelDecoder::Pass ModelDecoder::begin_pass(const PassInput& input) {
    stack_.reserve(length_ + static_cast<int>(input.tokens.size()), length_);
    AttentionMask mask{.prefix = length_, .first_slot = length_, .ancestors = {}};
    if (!is_chain(input.parents)) mask.ancestors = upload_ancestors(input);
    return stack_.begin(row_positions(input, length_), mask);
}

Tensor ModelDecoder::upload_ancestors(const PassInput& input) {
    const auto rows = std::ssize(input.tokens);
    const Tensor ancestors = {ancestors_.view().data, DType::i64, rows, (rows + 63) / 64};
    backend().upload(ancestors, ancestor_bits(input.parents).data());
    return ancestors;
}

void ModelDecoder::prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) {
    saved_ms_ = 0;
    std::size_t read = 0;
    const int shortest = PromptCache::shortest(model_->bytes.per_token);
    const bool whole = length_ == 0 && std::ssize(tokens) >= shortest;
    const KeptPrompt* kept = whole ? model_->prompts->find(tokens, taps, shortest) : nullptr;
    if (kept != nullptr) {
        const int known = kept->known(tokens, taps);
        kept->load(stack_, known);
        for (int first = 0; sink && !taps.empty() && first < known; first += max_rows_)
            sink(first, kept->features(first, std::min(max_rows_, known - first)));
        features_ = {};
        length_ = known;
        saved_ms_ = kept->ms(known);
        read = static_cast<std::size_t>(known);
    }
    // A longer text with the same beginning, such as a fork's, does not push it out.
    std::unique_ptr<KeptPrompt> keep;
    if (whole && kept == nullptr)
        keep = model_->prompts->begin(backend(), stack_, tokens, taps, static_cast<std::int64_t>(taps.size()) * model_->config.hidden);
    const Stopwatch watch;
    const auto rows = static_cast<std::size_t>(piece_rows(*model_, max_rows_));
    while (read < tokens.size()) {
        const auto piece = tokens.subspan(read, std::min(tokens.size() - read, rows));
        if (reading && tokens.size() > rows) reading(static_cast<int>(read));
        const int first = length_;
        forward({.tokens = piece, .logits_from = static_cast<int>(piece.size()), .taps = taps});
        if (sink) sink(first, features_);
        if (keep) keep->add_features(first, features_);
        read += piece.size();
    }
    if (!keep) return;
    backend().sync();
    keep->finish(stack_, watch.ms());
    model_->prompts->keep(std::move(keep));
}

void ModelDecoder::truncate(int length) {
    CHECK(length >= 0 && length <= length_, "truncate to more than the cache holds");
    length_ = length;
}

void ModelDecoder::keep(int base, std::span<const int> rows) {
    CHECK(base >= 0 && base <= length_, "keep: the base is behind the end of the cache");
    const bool of_last_pass = features_.rows > 0 && base + features_.rows == length_;
    std::vector<int> from, to;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i] >= 0 && base + rows[i] < length_, "keep: no such row");
        CHECK(i == 0 || rows[i] > rows[i - 1], "keep: rows must ascend");
        if (rows[i] == static_cast<int>(i)) continue; // already in its place
        from.push_back(base + rows[i]);
        to.push_back(base + static_cast<int>(i));
        // rows ascend, so no row is overwritten before it was copied
        if (of_last_pass) backend().copy(features_.slice(rows[i], 1), features_.slice(static_cast<std::int64_t>(i), 1));
    }
    if (of_last_pass) features_ = features_.slice(0, static_cast<std::int64_t>(rows.size()));
    if (!from.empty()) stack_.move_slots(from, to);
    length_ = base + static_cast<int>(rows.size());
}

void ModelDecoder::poison() { stack_.poison(length_); }

} // namespace speclens
