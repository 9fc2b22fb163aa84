#include "engine/model/paged_model.h"

#include <algorithm>

#include "engine/model/model_memory.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::shared_ptr<const Model> checked(std::shared_ptr<const Model> model, int blocks) {
    CHECK(blocks > 0, "a pool without blocks");
    const Backend& backend = *model->backend;
    if (!backend.pages())
        throw Error("the backend " + backend.name() + " cannot compute several texts in one pass", "Use the CPU: --backend cpu.",
                    Exit::device);
    MemoryNeed need = decoder_memory(model->config, backend, blocks * PagedModel::kBlock, model->precision);
    check_memory(model->name, need, backend.free_memory());
    return model;
}

bool has_logits(const PassInput& input) { return input.logits_from == 0; }

} // namespace

PagedModel::PagedModel(std::shared_ptr<const Model> model, int blocks)
    : model_(checked(std::move(model), blocks)), blocks_(blocks), max_rows_(model_->backend->max_rows()),
      stack_(backend(), model_->config, model_->layer, model_->cos_sin.view(), blocks * kBlock, max_rows_),
      forward_(model_, stack_, max_rows_) {
    stack_.reserve(blocks * kBlock, 0);
    ancestors_ = Buffer(backend(), DType::i64, max_rows_, (max_rows_ + 63) / 64);
}

std::size_t PagedModel::block_bytes(const Model& model) {
    const ModelConfig& c = model.config;
    const std::int64_t values = std::int64_t{2} * c.layers * kBlock * c.kv_heads * c.head_dim;
    return bytes_of(model.backend->cache_dtype(model.precision), values);
}

std::size_t PagedModel::block_bytes() const { return block_bytes(*model_); }

void PagedModel::forward(std::span<Text> texts) {
    CHECK(!texts.empty(), "a pass without texts");
    LayerStack::Pass pass = begin_pass(texts);
    PassInput input;
    input.tokens = tokens_;
    input.taps = taps_;
    input.logits_from = pass.rows;
    if (texts.size() == 1) {
        input.plan = texts.front().input.plan;
        input.head = texts.front().input.head;
    }
    std::vector<ModelForward::Part> parts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (has_logits(texts[i].input)) input.logits_from = std::min(input.logits_from, texts_[i].first_row);
        parts.push_back({.first = texts_[i].first_row, .rows = texts_[i].rows, .taps = texts[i].input.taps});
    }
    forward_.run(input, pass);
    const std::vector<Tensor> features = forward_.features(parts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        texts[i].features = features[i];
        texts[i].first_logits = has_logits(texts[i].input) ? texts_[i].first_row - input.logits_from : -1;
    }
}

LayerStack::Pass PagedModel::begin_pass(std::span<const Text> texts) {
    texts_.clear();
    tokens_.clear();
    taps_.clear();
    std::vector<int> positions;
    std::vector<std::uint64_t> bits;
    bool logits = false;
    for (const Text& text : texts) {
        const PassInput& input = text.input;
        const int rows = static_cast<int>(input.tokens.size());
        check_pass(input, *model_);
        CHECK(rows >= 1 && (input.logits_from == 0 || input.logits_from == rows), "a text with logits of some rows");
        CHECK(has_logits(input) || !logits, "rows without logits come first");
        CHECK(texts.size() == 1 || (input.plan.full() && input.head == nullptr), "a plan or head of its own in a pass of several texts");
        CHECK(input.positions.empty(), "positions of a text in a batch are those of its rows");
        logits = logits || has_logits(input);
        TextRows row{
            .first_row = static_cast<int>(tokens_.size()), .rows = rows, .prefix = text.length, .blocks = text.blocks, .ancestors = {}};
        tokens_.insert(tokens_.end(), input.tokens.begin(), input.tokens.end());
        for (const int position : row_positions(input, text.length)) positions.push_back(position);
        for (const int tap : input.taps)
            if (std::ranges::find(taps_, tap) == taps_.end()) taps_.push_back(tap);
        if (!is_chain(input.parents)) {
            const std::vector<std::uint64_t> own = ancestor_bits(input.parents);
            row.ancestors = {static_cast<std::uint64_t*>(ancestors_.view().data) + bits.size(), DType::i64, rows, (rows + 63) / 64};
            bits.insert(bits.end(), own.begin(), own.end());
        }
        texts_.push_back(row);
    }
    CHECK(std::ssize(tokens_) <= max_rows_, "more rows than a pass may have");
    CHECK(std::ssize(bits) <= ancestors_.view().size(), "more trees than there is room for");
    if (!bits.empty()) backend().upload({ancestors_.view().data, DType::i64, 1, std::ssize(bits)}, bits.data());
    LayerStack::Pass pass = stack_.begin(positions, {});
    pass.texts = {.block = kBlock, .texts = texts_};
    return pass;
}

} // namespace speclens
