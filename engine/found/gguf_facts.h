// What a GGUF file says of itself in its head: a few fields, by a reader that looks at nothing else. The format:
// ggml's docs/gguf.md; numbers of general.file_type: llama.cpp's enum llama_ftype.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace speclens {

struct ModelFacts {
    std::string family;                   // "llama", "qwen3": general.architecture, model_type of a config.json
    std::string weights;                  // "Q4_1", "bfloat16"; empty: not reported
    std::string drafter;                  // of a trained head: the drafter it is for ("eagle3"); empty: a model
    int vocab = 0;                        // tokens; 0: not reported
    int hidden = 0;                       // width; 0: not reported
    std::string name = {}, basename = {}; // general.name, general.basename; empty: not reported
};

// `fd`: a regular file. Reads its first 16 MB at most, and neither tokens nor tensors. nullopt: no GGUF of version 2
// or 3; what a broken file does not tell stays empty.
[[nodiscard]] std::optional<ModelFacts> read_gguf_facts(int fd);
// The same by a path; nullopt where it is no regular file or cannot be read.
[[nodiscard]] std::optional<ModelFacts> read_gguf_facts(const std::filesystem::path& file);

} // namespace speclens
