// Counts of the token sequences of a text, as DART's tree search reads them (Liu et al. 2026, arXiv
// 2601.19278): how often a token followed another one or two. Read from the .trie files of the
// released heads; immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "engine/model/model.h"

namespace speclens {

class NgramTrie {
  public:
    // A .trie file: u64 order, u64 nodes, then for every node i32 token, u64 parent, i32 count, u64 children
    // and for each of these (i32 token, u64 node), all little-endian; node 0 is the root. Throws Error (cut
    // short, a count or a link that cannot be, too large) or Cancelled. Memory: 24 bytes a node, a good half
    // of the file.
    [[nodiscard]] static NgramTrie read(const std::filesystem::path& file, const Progress& progress = {});

    // Counts every sequence of at most `order` tokens in these texts, each on its own. order: at least 2.
    [[nodiscard]] static NgramTrie count(std::span<const std::vector<int>> texts, int order);

    // Tokens of the longest counted sequence; at most order() - 1 of them are a context.
    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] std::int64_t nodes() const { return static_cast<std::int64_t>(nodes_.size()); }
    [[nodiscard]] std::size_t bytes() const { return nodes_.size() * sizeof(Node) + links_.size() * sizeof(Link); }

    // How likely each of `tokens` is after `context` (its last order() - 1 tokens count): the share of the
    // longest context's occurrences that this token followed, of the longest context after which it was seen
    // at all. 0: never seen, not even after the last token alone. The shares of one context need not add up
    // to 1.
    [[nodiscard]] std::vector<float> shares(std::span<const int> context, std::span<const int> tokens) const;

  private:
    struct Node {
        std::uint64_t first = 0; // of its links
        std::uint32_t links = 0;
        std::int32_t count = 0;
    };
    struct Link {
        std::int32_t token = 0;
        std::uint32_t node = 0;
    };
    // The node of `token` below `node`; -1: not there.
    [[nodiscard]] std::int64_t child(std::int64_t node, int token) const;

    int order_ = 0;
    std::vector<Node> nodes_;
    std::vector<Link> links_; // those of a node together, by token
};

} // namespace speclens
