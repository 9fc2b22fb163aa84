#include "engine/recall/suffix_trie.h"

#include <algorithm>
#include <cmath>

namespace speclens {

void SuffixTrie::clear() {
    tokens_ = entries_ = 0;
    next_branch_ = 0;
    texts_.assign(1, {});
    nodes_.assign(1, Node{});
    free_.clear();
    branches_.assign(64, Entry{});
    endings_.clear();
}

void SuffixTrie::begin_text() {
    endings_.clear();
    if (!texts_.back().empty()) texts_.emplace_back();
}

std::size_t SuffixTrie::bytes() const {
    return nodes_.capacity() * sizeof(Node) + branches_.capacity() * sizeof(Entry) + tokens_ * sizeof(int);
}

// A leaf belongs to one suffix, which ends with its text or where it is as long as the trie is deep.
int SuffixTrie::length(const Node& node) const {
    if (node.length != kOpen) return node.length;
    const auto size = static_cast<int>(texts_[static_cast<std::size_t>(node.text)].size());
    return std::min(size, node.start - node.above + depth_) - node.start;
}

std::size_t SuffixTrie::slot(int branch, int token) const {
    std::uint64_t mixed = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(branch)) << 32) | static_cast<std::uint32_t>(token);
    mixed *= 0x9E3779B97F4A7C15ull;
    mixed ^= mixed >> 32;
    const std::size_t mask = branches_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mixed) & mask;
    while (branches_[at].branch != kNone && (branches_[at].branch != branch || branches_[at].token != token)) at = (at + 1) & mask;
    return at;
}

void SuffixTrie::set(int branch, int token, int child) {
    if (2 * (entries_ + 1) > branches_.size()) {
        std::vector<Entry> old(2 * branches_.size());
        old.swap(branches_);
        for (const Entry& entry : old)
            if (entry.branch != kNone) branches_[slot(entry.branch, entry.token)] = entry;
    }
    Entry& entry = branches_[slot(branch, token)];
    entries_ += entry.branch == kNone;
    entry = {branch, token, child};
}

int SuffixTrie::child(int node, int token) const {
    const Node& from = at(node);
    if (from.children == 0) return kNone;
    if (from.children == 1) return label(at(from.best), 0) == token ? from.best : kNone;
    return branches_[slot(from.branch, token)].child;
}

int SuffixTrie::new_node(const Node& node) {
    if (free_.empty()) {
        nodes_.push_back(node);
        return static_cast<int>(nodes_.size()) - 1;
    }
    const int place = free_.back();
    free_.pop_back();
    at(place) = node;
    return place;
}

// A first child stands in `best`; the table has those of nodes with several.
void SuffixTrie::add_child(int node, int token, int child) {
    Node& from = at(node);
    if (++from.children == 2) {
        from.branch = next_branch_++;
        set(from.branch, label(at(from.best), 0), from.best);
    }
    if (from.children > 1) set(from.branch, token, child);
    passed(node, child);
}

void SuffixTrie::replace_child(int node, int token, int by) {
    if (at(node).children > 1) set(at(node).branch, token, by);
    passed(node, by);
}

void SuffixTrie::passed(int node, int child) {
    Node& from = at(node);
    if (from.best == kNone || from.children == 1 || at(child).count >= at(from.best).count) from.best = child;
}

int SuffixTrie::walk(int node, int token) {
    const auto text = static_cast<std::int32_t>(texts_.size()) - 1;
    const auto place = static_cast<std::int32_t>(texts_.back().size()) - 1; // of `token`
    const int next = child(node, token);
    const std::int32_t above = at(node).above + (node == kRoot ? 0 : at(node).length);
    if (next == kNone) {
        const int leaf = new_node({.text = text, .start = place, .length = kOpen, .above = above, .count = 1});
        add_child(node, token, leaf);
        return kNone;
    }
    if (node != kRoot && at(node).children == 1 && at(next).count == at(node).count - 1) {
        // Every suffix that came here goes on to `next`, this one too: the label takes its first token.
        Node &from = at(node), &to = at(next);
        const bool whole = length(to) == 1;
        from.text = text;
        from.start = place - from.length;
        ++from.length;
        ++to.start;
        ++to.above;
        if (to.length != kOpen) --to.length;
        if (whole) { // nothing is left of it: what is below hangs here
            from.children = to.children;
            from.best = to.best;
            from.branch = to.branch;
            free_.push_back(next);
        }
        return node;
    }
    if (length(at(next)) == 1) {
        Node& to = at(next);
        to.length = 1;
        to.text = text;
        to.start = place;
        ++to.count;
        passed(node, next);
        return next;
    }
    // The label of `next` has more tokens, which this suffix has not reached: they become a node of their own.
    const int upper =
        new_node({.text = text, .start = place, .length = 1, .above = above, .count = at(next).count + 1, .children = 1, .best = next});
    Node& lower = at(next);
    ++lower.start;
    ++lower.above;
    if (lower.length != kOpen) --lower.length;
    replace_child(node, token, upper);
    return upper;
}

// The longest suffix first: of two on one path the lower one then has moved on when the upper one takes tokens of the label between.
void SuffixTrie::append(int token) {
    texts_.back().push_back(token);
    ++tokens_;
    std::size_t kept = 0;
    for (const Ending& ending : endings_) {
        if (ending.depth == depth_) continue;
        const int node = walk(ending.node, token);
        if (node != kNone) endings_[kept++] = {node, ending.depth + 1};
    }
    endings_.resize(kept);
    ++at(kRoot).count;
    if (const int node = walk(kRoot, token); node != kNone) endings_.push_back({node, 1});
}

bool SuffixTrie::step(Place& place, int token) const {
    const Node& node = at(place.node);
    if (place.node != kRoot && place.within < length(node)) {
        if (label(node, place.within) != token) return false;
        ++place.within;
        return true;
    }
    const int next = child(place.node, token);
    if (next == kNone) return false;
    place = {next, 1};
    return true;
}

bool SuffixTrie::find(std::span<const int> run, Place& place) const {
    place = {};
    return std::ranges::all_of(run, [&](int token) { return step(place, token); });
}

int SuffixTrie::count(std::span<const int> run) const {
    Place place;
    return find(run, place) ? at(place.node).count : 0;
}

SuffixTrie::Path SuffixTrie::path_from(Place place, int most, double min_prob) const {
    Path path;
    path.occurrences = at(place.node).count;
    double probability = 1;
    while (static_cast<int>(path.tokens.size()) < most) {
        const Node& node = at(place.node);
        if (place.within == length(node)) {
            if (node.best == kNone) break;
            probability *= static_cast<double>(at(node.best).count) / node.count;
            place = {node.best, 0};
        }
        if (probability < min_prob || place.within == length(at(place.node))) break;
        const Node& here = at(place.node);
        if (path.tokens.empty()) path.text = here.text, path.place = here.start + place.within;
        path.tokens.push_back(label(here, place.within++));
        path.probabilities.push_back(probability);
        path.score += probability;
    }
    return path;
}

SuffixTrie::Path SuffixTrie::best_path(std::span<const int> context, const Limits& limits) const {
    Path best;
    const int longest = std::min(depth_ - 1, static_cast<int>(context.size()));
    for (int match = 1; match <= longest; ++match) {
        Place place;
        if (!find(context.last(static_cast<std::size_t>(match)), place)) break; // so no longer one occurs
        const int most = std::min<int>(limits.tokens, static_cast<int>(std::floor(match * limits.factor + 1e-6)));
        Path path = path_from(place, most, limits.min_prob);
        path.match = match;
        if (path.tokens.empty() && path.occurrences == 1) break; // it ends its text, and so does every longer one
        if (!path.tokens.empty() && path.score >= best.score) best = std::move(path);
    }
    return best;
}

} // namespace speclens
