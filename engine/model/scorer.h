// A target that runs somewhere else. It is sent a text and tells, for every place asked about, its likeliest
// next tokens: the top `listed()` with their log-probabilities at temperature 1, and nothing about the
// others.
//
// That is enough for an exact target distribution at temperature 0, and at any temperature under top-k <= listed():
// the filter keeps only ids that were told. So every lossless chain rule works unchanged (vLLM's
// prompt_logprobs, SGLang's input_top_logprobs; remote/client/prompt_scorer.h asks for them).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/top_entries.h"
#include "engine/model/wire.h"

namespace speclens {

class Tokenizer;

// The ids that a scorer and the drafters here must share.
struct Vocabulary {
    std::shared_ptr<const Tokenizer> tokenizer;
    int size = 0;           // width of a distribution
    std::vector<int> stops; // ids that end a text
};

class Scorer {
  public:
    virtual ~Scorer() = default;
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual const Vocabulary& vocabulary() const = 0;
    [[nodiscard]] virtual int listed() const = 0;   // tokens of a distribution that it tells, at least 1
    [[nodiscard]] virtual int capacity() const = 0; // tokens of a text at most
    // What follows each of the last `rows` of `tokens`, in their order; largest first, lowest id on ties.
    // `rest` is the mass of the ids that are not listed; `wire`: what it cost on the way. Throws Error (exit network) when
    // it cannot be reached or answers nonsense. From any thread.
    [[nodiscard]] virtual std::vector<TopEntries> score(std::span<const int> tokens, int rows, Wire& wire) const = 0;
};

class Decoder;
// The cache is the list of tokens: every pass sends the whole text again. No trees, no layers, no hidden
// states. A pass can be begun, and goes on while its caller does something else.
[[nodiscard]] std::unique_ptr<Decoder> make_scored_decoder(std::shared_ptr<const Scorer> scorer, int capacity);

} // namespace speclens
