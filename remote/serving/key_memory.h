// Answers that were given to the holder of a key, for the drafter suffix to draft from when the same key asks again. In memory
// only, and of no use to anybody else: a request without a key, or with another one, sees nothing of it. A text drafts from what
// was there when it came, so that its rounds do not depend on who else is served.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/recall/suffix_trie.h"

namespace speclens {

class KeyMemory {
  public:
    // The oldest answers of a key are forgotten first, and so are the keys that were used least lately.
    static constexpr std::size_t kMostKeys = 64, kMostTokens = std::size_t{1} << 16;

    // Null: no key, or nothing is remembered of it.
    [[nodiscard]] std::shared_ptr<const SuffixTrie> answers(const std::string& key, int depth);
    void remember(const std::string& key, std::span<const int> answer); // without a key: nothing

  private:
    struct Holder {
        std::deque<std::vector<int>> answers; // the oldest first
        std::size_t tokens = 0;
        std::shared_ptr<const SuffixTrie> trie; // of `answers`; null: not built yet
        std::uint64_t used = 0;
    };
    void make_room(); // for one more key

    std::mutex mutex_;
    std::map<std::string, Holder> holders_;
    std::uint64_t clock_ = 0;
};

} // namespace speclens
