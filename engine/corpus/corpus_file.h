// Texts that a target wrote, for training draft heads on: packed, one block a file, "000.corpus", "001.corpus", … of a folder.
// docs/formats.md has the format, byte by byte; assets/recipe/qwen/corpus_file.py reads and writes it, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/packed_ids.h" // bits_of_ids
#include "engine/model/distribution.h"

namespace speclens {

inline constexpr int kMostBlockTokens = 250'000; // of a block, with its prompts

// Why an answer ended: by a stop token, which is its last; at its most tokens, or where the context was full; because it only repeated
// itself (corpus_sampling.h).
enum class AnswerEnd : std::uint8_t { stop, limit, loop };
[[nodiscard]] const char* name_of(AnswerEnd end);

struct CorpusText {
    int number = 0;          // of its prompt, counted from 0
    std::vector<int> tokens; // the prompt, then the answer
    int prompt = 0;          // tokens of the prompt: 1 … tokens.size() - 1
    double temperature = 0;
    AnswerEnd end = AnswerEnd::stop;
    std::string domain;
    [[nodiscard]] int answer() const { return static_cast<int>(tokens.size()) - prompt; } // tokens
    bool operator==(const CorpusText&) const = default;
};

// Who wrote the texts of a block, and how.
struct CorpusSource {
    std::string model, fingerprint;     // engine/model/fingerprint.h
    std::string weights, precision;     // "bf16, from Q5_0", "int8"
    int vocab = 0;                      // ids are below
    std::uint64_t seed = 0;             // the dice of text n are those of seed + n
    Sampling filters{.temperature = 1}; // top_k and top_p; temperatures are those of the texts
    bool operator==(const CorpusSource&) const = default;
};

struct CorpusBlock {
    CorpusSource source;
    std::vector<CorpusText> texts; // in the order of their numbers
    [[nodiscard]] long long tokens() const;
    [[nodiscard]] long long answer_tokens() const;
    bool operator==(const CorpusBlock&) const = default;
};

// The bytes of a file.
[[nodiscard]] std::string packed(const CorpusBlock& block);
// `name`: of the file, for messages. Throws Error for anything that packed() would not have written.
[[nodiscard]] CorpusBlock unpacked(std::string_view bytes, const std::string& name);

[[nodiscard]] CorpusBlock read_corpus(const std::filesystem::path& file);                    // throws Error
void write_corpus(const std::filesystem::path& file, const CorpusBlock& block);              // whole or not at all; throws Error
[[nodiscard]] std::filesystem::path corpus_file(const std::filesystem::path& folder, int n); // of block n
// The files of a folder's blocks, in order. Throws Error where it has none, or where one is missing between others.
[[nodiscard]] std::vector<std::filesystem::path> corpus_files(const std::filesystem::path& folder);

} // namespace speclens
