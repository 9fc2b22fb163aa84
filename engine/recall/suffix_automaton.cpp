#include "engine/recall/suffix_automaton.h"

namespace speclens {

void SuffixAutomaton::clear() {
    states_.assign(1, State{});
    tokens_.clear();
    last_ = 0;
}

void SuffixAutomaton::append(int token) {
    const int here = static_cast<int>(tokens_.size());
    tokens_.push_back(token);
    const auto at = [&](int state) -> State& { return states_[static_cast<std::size_t>(state)]; };
    const int now = static_cast<int>(states_.size());
    states_.push_back({.length = at(last_).length + 1, .link = 0, .end = here, .next = {}});
    int state = last_;
    while (state >= 0 && !at(state).next.contains(token)) {
        at(state).next[token] = now;
        state = at(state).link;
    }
    last_ = now;
    if (state < 0) return;
    const int after = at(state).next[token];
    if (at(state).length + 1 == at(after).length) {
        at(now).link = after;
        return;
    }
    // The runs that end here too leave the longer ones of their state.
    const int shorter = static_cast<int>(states_.size());
    State copy = at(after);
    copy.length = at(state).length + 1;
    states_.push_back(std::move(copy));
    at(after).link = at(now).link = shorter;
    for (; state >= 0; state = at(state).link) {
        const auto found = at(state).next.find(token);
        if (found == at(state).next.end() || found->second != after) break;
        found->second = shorter;
    }
}

// The link of the whole text's state is its longest run of last tokens that stands elsewhere too.
SuffixAutomaton::Match SuffixAutomaton::match() const {
    const State& whole = states_[static_cast<std::size_t>(last_)];
    if (whole.link <= 0) return {};
    const State& before = states_[static_cast<std::size_t>(whole.link)];
    return {before.length, before.end};
}

} // namespace speclens
