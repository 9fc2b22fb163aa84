// Byte pair encoding of one piece: its letters, then their merges. The pair with the lowest rank merges
// first, the leftmost of equals; a heap of candidates over a linked list keeps a piece of a million letters
// at n log n.
#include <algorithm>
#include <bit>

#include "engine/text/tokenizer_parts.h"

namespace speclens {
namespace {

constexpr int kNone = -1;

struct Symbol {
    int id; // kNone: merged into its left neighbour
    int previous, next;
};

struct MergeCandidate {
    int rank, position; // position of the left symbol
    int id;             // of the merged token
    // std::push_heap keeps the largest on top; the best candidate is the smallest
    bool operator<(const MergeCandidate& other) const { return rank != other.rank ? rank > other.rank : position > other.position; }
};

} // namespace

void MergeTable::reserve(std::size_t merges) { entries_.assign(std::bit_ceil(2 * merges + 2), Entry{}); }

std::size_t MergeTable::place(std::uint64_t pair) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (entries_[at].pair != kFree && entries_[at].pair != pair) at = (at + 1) & mask;
    return at;
}

void MergeTable::add(int left, int right, Merge merge) {
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
    entries_[place(pair)] = {pair, merge};
}

const Merge* MergeTable::find(int left, int right) const {
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
    const Entry& entry = entries_[place(pair)];
    return entry.pair == kFree ? nullptr : &entry.merge;
}

void Letters::spell(std::string_view piece, std::vector<int>& letters) const {
    bool waiting = false; // an unknown letter was read and is not yet written
    const auto miss = [&] {
        if (unknown < 0) return;
        if (waiting && !fuse_unknown) letters.push_back(unknown);
        waiting = true;
    };
    const auto hit = [&](int id) {
        if (waiting) letters.push_back(unknown);
        waiting = false;
        letters.push_back(id);
    };
    const auto byte_id = [this](char c) { return bytes[static_cast<unsigned char>(c)]; };
    for (std::size_t at = 0, end = 0; at < piece.size(); at = end) {
        end = at + 1;
        if (byte_level) {
            const int id = byte_id(piece[at]);
            id < 0 ? miss() : hit(id);
            continue;
        }
        while (end < piece.size() && (static_cast<unsigned char>(piece[end]) & 0xC0) == 0x80) ++end;
        const std::string_view character = piece.substr(at, end - at);
        if (const auto found = characters.find(std::string(character)); found != characters.end()) {
            hit(found->second);
        } else if (std::ranges::all_of(character, [&](char c) { return byte_id(c) >= 0; })) {
            for (const char c : character) letters.push_back(byte_id(c)); // before an unknown letter that waits
        } else {
            miss();
        }
    }
    if (waiting) letters.push_back(unknown);
}

void merge_letters(const std::vector<int>& letters, const MergeTable& merges, std::vector<int>& ids) {
    const int count = static_cast<int>(letters.size());
    std::vector<Symbol> symbols(letters.size());
    for (int i = 0; i < count; ++i) symbols[i] = {letters[i], i - 1, i + 1 < count ? i + 1 : kNone};

    std::vector<MergeCandidate> heap;
    const auto consider = [&](int left) {
        const int right = left == kNone ? kNone : symbols[left].next;
        if (right == kNone) return;
        if (const Merge* merge = merges.find(symbols[left].id, symbols[right].id)) {
            heap.push_back({merge->rank, left, merge->id});
            std::push_heap(heap.begin(), heap.end());
        }
    };
    for (int i = 0; i < count; ++i) consider(i);

    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end());
        const MergeCandidate best = heap.back();
        heap.pop_back();
        Symbol& left = symbols[best.position];
        if (left.id == kNone || left.next == kNone) continue;
        Symbol& right = symbols[left.next];
        // an earlier merge may have changed either side since this candidate was found
        const Merge* merge = merges.find(left.id, right.id);
        if (merge == nullptr || merge->id != best.id) continue;
        left.id = merge->id;
        left.next = right.next;
        right.id = kNone;
        if (left.next != kNone) symbols[left.next].previous = best.position;
        consider(left.previous);
        consider(best.position);
    }
    for (int i = 0; i != kNone && i < count; i = symbols[i].next) ids.push_back(symbols[i].id);
}

} // namespace speclens
