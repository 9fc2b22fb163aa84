// What a GGUF file says of its tokenizer (tokenizer.ggml.*), as it stands there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace speclens {

struct VocabularyTable {
    std::string model;                // "gpt2": byte-level BPE; "llama": SentencePiece
    std::string pre;                  // how text is cut into pieces before: "qwen2", "smollm" …; empty: not said
    std::vector<std::string> tokens;  // by id, spelled as in the file
    std::vector<float> scores;        // of SentencePiece; by id
    std::vector<std::int32_t> types;  // by id: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte
    std::vector<std::string> merges;  // "left right", best first
    int bos = -1, eos = -1, unknown = -1, padding = -1; // ids; -1: none
    std::optional<bool> add_bos, add_eos, add_space_prefix, remove_extra_whitespaces;
};

} // namespace speclens
