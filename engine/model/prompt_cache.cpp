#include "engine/model/prompt_cache.h"

#include <algorithm>

namespace speclens {
namespace {

constexpr std::size_t kMostKept = 3; // one prompt, read for drafters that want different layers
constexpr std::size_t kShareOfFree = 8;

} // namespace

KeptPrompt::KeptPrompt(Backend& backend, std::span<const int> tokens, std::span<const int> taps, std::int64_t features)
    : backend_(&backend), tokens_(tokens.begin(), tokens.end()), taps_(taps.begin(), taps.end()) {
    if (features > 0) features_ = Buffer(backend, DType::f32, static_cast<std::int64_t>(tokens.size()), features);
}

void KeptPrompt::add_features(int first, const Tensor& rows) {
    if (!features_.empty()) backend_->copy(rows, features_.view().slice(first, rows.rows));
}

void KeptPrompt::finish(const LayerStack& stack, double ms) {
    const auto rows = static_cast<std::int64_t>(tokens_.size());
    for (int l = 0; l < stack.layers(); ++l) {
        const KvLayer from = stack.cache(l);
        keys_.emplace_back(*backend_, from.k.dtype, rows, from.k.cols);
        values_.emplace_back(*backend_, from.v.dtype, rows, from.v.cols);
        backend_->copy(from.k.slice(0, rows), keys_.back().view());
        backend_->copy(from.v.slice(0, rows), values_.back().view());
    }
    ms_ = ms;
}

int KeptPrompt::known(std::span<const int> tokens, std::span<const int> taps) const {
    if (!taps.empty() && !std::ranges::equal(taps, taps_)) return 0;
    return static_cast<int>(std::ranges::mismatch(tokens, tokens_).in1 - tokens.begin());
}

void KeptPrompt::load(LayerStack& stack, int count) const {
    stack.reserve(count, 0);
    for (std::size_t l = 0; l < keys_.size(); ++l) {
        const KvLayer to = stack.cache(static_cast<int>(l));
        backend_->copy(keys_[l].view().slice(0, count), to.k.slice(0, count));
        backend_->copy(values_[l].view().slice(0, count), to.v.slice(0, count));
    }
}

int PromptCache::shortest(std::size_t bytes_per_pass) {
    constexpr double kBytes = 70e9; // 256 tokens of SmolLM2, 70 of a model of 1 GB
    return static_cast<int>(std::clamp(kBytes / std::max(1.0, static_cast<double>(bytes_per_pass)), 16.0, static_cast<double>(kShortest)));
}

const KeptPrompt* PromptCache::find(std::span<const int> tokens, std::span<const int> taps, int shortest) const {
    const KeptPrompt* best = nullptr;
    for (const auto& prompt : kept_)
        if (const int known = prompt->known(tokens, taps); known >= shortest && (best == nullptr || known > best->known(tokens, taps)))
            best = prompt.get();
    return best;
}

std::unique_ptr<KeptPrompt> PromptCache::begin(Backend& backend, const LayerStack& stack, std::span<const int> tokens,
                                               std::span<const int> taps, std::int64_t features) {
    const auto rows = static_cast<std::int64_t>(tokens.size());
    const std::size_t bytes = 2 * static_cast<std::size_t>(stack.layers()) * bytes_of(stack.cache_dtype(), rows * stack.cache_columns()) +
                              bytes_of(DType::f32, rows * features);
    if (bytes > backend.free_memory() / kShareOfFree) return nullptr;
    return std::make_unique<KeptPrompt>(backend, tokens, taps, features);
}

void PromptCache::keep(std::unique_ptr<KeptPrompt> prompt) {
    if (kept_.size() == kMostKept) kept_.erase(kept_.begin());
    kept_.push_back(std::move(prompt));
}

} // namespace speclens
