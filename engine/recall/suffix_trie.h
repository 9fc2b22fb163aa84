// Every run of at most `depth` tokens of some texts with the number of its occurrences: a compressed trie of suffixes
// (SuffixDecoding, Oliaro et al. 2024). A text grows token by token. A suffix that nobody shares is one leaf whose label grows
// by itself, so a token costs a step for each run of last tokens that occurred before, and one more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace speclens {

class SuffixTrie {
  public:
    explicit SuffixTrie(int depth) : depth_(depth) { clear(); }

    void clear();
    void begin_text(); // what follows belongs to another text; no run of tokens reaches from one into the next
    void append(int token);
    [[nodiscard]] int depth() const { return depth_; }
    [[nodiscard]] std::size_t tokens() const { return tokens_; }
    [[nodiscard]] std::size_t bytes() const;
    // Occurrences of a run of 1 … depth() tokens.
    [[nodiscard]] int count(std::span<const int> run) const;

    // What followed a match: at each branch the child with most occurrences, of equals the one that was seen last.
    struct Path {
        int match = 0;           // tokens of the match; 0: nothing was found
        int occurrences = 0;     // of the match, the present one included where it belongs to a text of this trie
        int text = 0, place = 0; // where the first token of the path was seen last
        std::vector<int> tokens;
        std::vector<double> probabilities; // of the path up to each token: the product of the children's shares
        double score = 0;                  // their sum: tokens that would be kept if these shares were the target's
    };
    struct Limits {
        int tokens = 32;       // of a path at most
        double factor = 1;     // and at most so many times the length of its match
        double min_prob = 0.1; // the path ends where its probability is less
    };
    // Of the paths behind the last 1, 2, … tokens of `context` the one with the best score, of equals that of the longer match.
    [[nodiscard]] Path best_path(std::span<const int> context, const Limits& limits) const;

  private:
    static constexpr int kNone = -1, kRoot = 0;
    static constexpr std::int32_t kOpen = -1;
    struct Node {
        std::int32_t text = 0, start = 0; // its label: tokens of a text, where it was seen last
        std::int32_t length = 0;          // kOpen: as far as its text and the depth reach
        std::int32_t above = 0;           // tokens above the label
        std::int32_t count = 0;           // suffixes that go through all of it
        std::int32_t children = 0;
        std::int32_t best = kNone;   // the child with most of them, of equals the last one
        std::int32_t branch = kNone; // of its children in `branches_`, where there are several
    };
    struct Place {
        std::int32_t node = kRoot, within = 0; // tokens of its label that are matched
    };

    [[nodiscard]] Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] int label(const Node& node, int index) const {
        return texts_[static_cast<std::size_t>(node.text)][static_cast<std::size_t>(node.start + index)];
    }
    [[nodiscard]] int length(const Node& node) const;
    [[nodiscard]] int child(int node, int token) const; // kNone: there is none
    [[nodiscard]] bool step(Place& place, int token) const;
    [[nodiscard]] bool find(std::span<const int> run, Place& place) const;
    [[nodiscard]] Path path_from(Place place, int most, double min_prob) const;

    int new_node(const Node& node);
    void add_child(int node, int token, int child);
    void replace_child(int node, int token, int by);
    void passed(int node, int child);            // one more suffix went on to it
    [[nodiscard]] int walk(int node, int token); // where a suffix that ended at the end of `node` ends now; kNone: in a leaf of its own

    // (branch, token) -> child, open addressing.
    struct Entry {
        std::int32_t branch = kNone, token = 0, child = kNone;
    };
    [[nodiscard]] std::size_t slot(int branch, int token) const;
    void set(int branch, int token, int child);

    int depth_;
    std::size_t tokens_ = 0;
    std::vector<std::vector<int>> texts_;
    std::vector<Node> nodes_;
    std::vector<int> free_;
    std::vector<Entry> branches_;
    std::size_t entries_ = 0;
    int next_branch_ = 0;
    struct Ending {
        std::int32_t node = kRoot, depth = 0;
    };
    std::vector<Ending> endings_; // of the suffixes that end at an inner node, the longest first
};

} // namespace speclens
