// A vocabulary as a GGUF file holds it: lists beside each other, one entry a token, from the keys
// tokenizer.ggml.* (ggml-org/ggml, docs/gguf.md). Plain data, read from a foreign file and not checked;
// Tokenizer::of_table checks it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace speclens {

struct VocabularyTable {
    std::string model;               // tokenizer.ggml.model: "gpt2" (byte-level BPE) or "llama" (SentencePiece BPE)
    std::string pre;                 // tokenizer.ggml.pre: which pre-tokenizer "gpt2" has; not used with "llama"
    std::vector<std::string> tokens; // (n); the index is the id
    std::vector<float> scores;       // (n) with "llama": the higher, the sooner merged; may be empty with "gpt2"
    // (n) token_type: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte
    std::vector<std::int32_t> types;
    std::vector<std::string> merges;                                                  // "a b", best first; only with "gpt2"
    int bos = -1, eos = -1, unknown = -1, padding = -1;                               // ids; -1: the file names none
    std::optional<bool> add_bos, add_eos, add_space_prefix, remove_extra_whitespaces; // as far as it says
};

} // namespace speclens
