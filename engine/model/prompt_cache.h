// The keys, values and tapped states of the long prompts that were read last, kept beside a model: a race, a fork or a repeat
// over the same prompt copies them instead of reading it again. A key or value depends on nothing but the tokens before it,
// whatever passes they were computed in (kernels/backend.h, batch invariance), so the copy has the bits of a new reading.
// Not thread-safe: used where the backend is (engine/models/turns.h). Internal to the engine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/model/layer_stack.h"
#include "kernels/buffer.h"

namespace speclens {

class KeptPrompt {
  public:
    // `features`: columns of states a token for `taps`, 0: none.
    KeptPrompt(Backend& backend, std::span<const int> tokens, std::span<const int> taps, std::int64_t features);
    void add_features(int first, const Tensor& rows);
    // The reading is complete, and `stack` holds its tokens.
    void finish(const LayerStack& stack, double ms);

    // How many tokens from the first on a reading of `tokens` with `taps` finds here.
    [[nodiscard]] int known(std::span<const int> tokens, std::span<const int> taps) const;
    // Copies the first `count` known tokens into the empty cache of `stack`.
    void load(LayerStack& stack, int count) const;
    // (count, taps * hidden) states of the known tokens [first, first + count).
    [[nodiscard]] Tensor features(int first, int count) const { return features_.view().slice(first, count); }
    // What reading so many of them took at that time, ms.
    [[nodiscard]] double ms(int count) const { return ms_ * count / static_cast<double>(tokens_.size()); }

  private:
    Backend* backend_;
    std::vector<int> tokens_, taps_;
    std::vector<Buffer> keys_, values_; // of each layer, (tokens, kv columns)
    Buffer features_;
    double ms_ = 0;
};

class PromptCache {
  public:
    static constexpr int kShortest = 256; // tokens; shorter prompts are read again in no time
    // The same of a model that reads so many bytes a pass: the larger, the fewer tokens are worth it, down to sixteen.
    [[nodiscard]] static int shortest(std::size_t bytes_per_pass);

    // The prompt that has most of `tokens`; null: none has `shortest`.
    [[nodiscard]] const KeptPrompt* find(std::span<const int> tokens, std::span<const int> taps, int shortest) const;
    // A reading begins; null where it is too large for the memory that is free.
    [[nodiscard]] std::unique_ptr<KeptPrompt> begin(Backend& backend, const LayerStack& stack, std::span<const int> tokens,
                                                    std::span<const int> taps, std::int64_t features);
    void keep(std::unique_ptr<KeptPrompt> prompt); // the oldest goes
    void clear() { kept_.clear(); }

  private:
    std::vector<std::unique_ptr<KeptPrompt>> kept_; // newest last
};

} // namespace speclens
