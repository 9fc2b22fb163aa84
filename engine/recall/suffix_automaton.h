// The suffix automaton of a text that grows: the longest run of last tokens that occurred before, in amortised constant time a token.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace speclens {

class SuffixAutomaton {
  public:
    SuffixAutomaton() { clear(); }
    void clear();
    void append(int token);
    [[nodiscard]] std::size_t tokens() const { return tokens_.size(); }

    struct Match {
        int length = 0; // of the longest run of last tokens that ends earlier too; 0: none
        int end = -1;   // where it ended first
    };
    [[nodiscard]] Match match() const;

  private:
    struct State {
        int length = 0, link = -1;
        int end = -1;            // where its runs ended first
        std::map<int, int> next; // by token
    };

    std::vector<State> states_;
    std::vector<int> tokens_;
    int last_ = 0; // the state of the whole text
};

} // namespace speclens
