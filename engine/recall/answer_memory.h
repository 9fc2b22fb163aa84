// Answers of earlier runs for suffix decoding, in one file that its owner alone can read. What a run writes is remembered for
// the next one: within a run the memory does not change, so the same file and seed give the same rounds again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/recall/suffix_trie.h"

namespace speclens {

class AnswerMemory {
  public:
    static constexpr std::size_t kMostAnswers = 10000, kMostTokens = std::size_t{1} << 18; // the oldest are forgotten first

    // Reads `file` where it is there. `model`: which one answers; token ids mean nothing to another one. Throws Error for a file of
    // another model or with anything else in it.
    AnswerMemory(std::filesystem::path file, std::string model, int vocab);

    void remember(std::span<const int> answer);
    void save() const;                                                     // beside the old file, then renamed; mode 0600. Throws Error.
    [[nodiscard]] std::shared_ptr<const SuffixTrie> trie(int depth) const; // null: nothing is remembered yet
    [[nodiscard]] std::size_t answers() const { return answers_.size(); }
    [[nodiscard]] std::size_t tokens() const { return tokens_; }
    [[nodiscard]] std::string words() const; // what is kept, and where: one sentence

  private:
    void add(std::vector<int> answer);

    std::filesystem::path file_;
    std::string model_;
    int vocab_;
    std::vector<std::vector<int>> answers_; // the oldest first
    std::size_t tokens_ = 0;
};

} // namespace speclens
