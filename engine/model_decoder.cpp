#include "engine/model_decoder.h"

#include <algorithm>

#include "engine/model_memory.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kDefaultCapacity = 4096;

} // namespace

std::unique_ptr<Decoder> make_model_decoder(std::shared_ptr<const Model> model, int capacity) {
    const auto positions = static_cast<int>(model->cos_sin.view().rows);
    if (capacity == 0) capacity = std::min(positions, kDefaultCapacity);
    if (capacity < 0 || capacity > positions)
        throw Error(model->name + ": a context of " + std::to_string(capacity) +
                        " tokens was asked for, the model has " + std::to_string(positions) + " positions",
                    "Choose a context from 1 to " + std::to_string(positions) + ".", Exit::usage);
    check_memory(model->name, decoder_memory(model->config, *model->backend, capacity),
                 model->backend->free_memory());
    return std::make_unique<ModelDecoder>(std::move(model), capacity);
}

ModelDecoder::ModelDecoder(std::shared_ptr<const Model> model, int capacity)
    : model_(std::move(model)), capacity_(capacity),
      max_rows_(std::min(model_->backend->max_rows(), capacity)), cache_(model_->layer.size()),
      rows_(*model_->backend, model_->config.vocab, model_->name) {
    const ModelConfig& c = model_->config;
    // engine/model_memory.cpp foretells the sizes of these
    const auto rows = [&](int cols) { return Buffer(backend(), DType::f32, max_rows_, cols); };
    ids_ = Buffer(backend(), DType::i32, 1, max_rows_);
    positions_ = Buffer(backend(), DType::i32, 1, max_rows_);
    ancestors_ = Buffer(backend(), DType::i64, max_rows_, (max_rows_ + 63) / 64);
    residual_ = rows(c.hidden);
    normed_ = rows(c.hidden);
    delta_ = rows(c.hidden);
    q_ = rows(c.heads * c.head_dim);
    attended_ = rows(c.heads * c.head_dim);
    k_ = rows(c.kv_heads * c.head_dim);
    v_ = rows(c.kv_heads * c.head_dim);
    ffn_ = rows(c.ffn);
}

std::size_t ModelDecoder::memory_bytes() const {
    std::size_t bytes = model_->memory_bytes;
    for (const LayerCache& layer : cache_) bytes += layer.k.bytes() + layer.v.bytes();
    return bytes;
}

// Grows by doubling, layer by layer, so that the old and the new cache exist twice for one layer only.
void ModelDecoder::reserve_slots(int slots) {
    if (slots <= slots_) return;
    const int grown = std::min(capacity_, std::max({slots, 2 * slots_, kFirstSlots}));
    const int cols = model_->config.kv_heads * model_->config.head_dim;
    for (LayerCache& layer : cache_) {
        LayerCache larger{Buffer(backend(), backend().cache_dtype(), grown, cols),
                          Buffer(backend(), backend().cache_dtype(), grown, cols)};
        if (length_ > 0) {
            backend().copy(layer.k.view().slice(0, length_), larger.k.view().slice(0, length_));
            backend().copy(layer.v.view().slice(0, length_), larger.v.view().slice(0, length_));
            backend().sync(); // the old buffers are released next
        }
        if (poisoned_) fill_with_nan(larger, length_, grown - length_);
        layer = std::move(larger);
    }
    slots_ = grown;
}

void ModelDecoder::prefill(std::span<const int> tokens) {
    while (!tokens.empty()) {
        const auto piece = tokens.first(std::min(tokens.size(), static_cast<std::size_t>(max_rows_)));
        forward({.tokens = piece, .logits_from = static_cast<int>(piece.size())});
        tokens = tokens.subspan(piece.size());
    }
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
    if (!from.empty())
        for (const LayerCache& layer : cache_) backend().move_slots(layer.view(), from, to);
    length_ = base + static_cast<int>(rows.size());
}

void ModelDecoder::poison() {
    poisoned_ = true;
    if (length_ == slots_) return;
    for (const LayerCache& layer : cache_) fill_with_nan(layer, length_, slots_ - length_);
}

void ModelDecoder::fill_with_nan(const LayerCache& cache, int first, int count) {
    // all bits set is a NaN in f32, f16 and bf16
    const std::vector<std::uint8_t> nan(cache.k.view().slice(first, count).bytes(), 0xFF);
    backend().upload(cache.k.view().slice(first, count), nan.data());
    backend().upload(cache.v.view().slice(first, count), nan.data());
}

} // namespace speclens
