#include "remote/serving/key_memory.h"

#include <algorithm>

namespace speclens {

std::shared_ptr<const SuffixTrie> KeyMemory::answers(const std::string& key, int depth) {
    const std::lock_guard lock(mutex_);
    const auto found = holders_.find(key);
    if (found == holders_.end()) return nullptr;
    Holder& holder = found->second;
    holder.used = ++clock_;
    if (!holder.trie || holder.trie->depth() != depth) {
        auto trie = std::make_shared<SuffixTrie>(depth);
        for (const std::vector<int>& answer : holder.answers) {
            trie->begin_text();
            for (const int token : answer) trie->append(token);
        }
        holder.trie = std::move(trie);
    }
    return holder.trie;
}

void KeyMemory::remember(const std::string& key, std::span<const int> answer) {
    if (key.empty() || answer.empty()) return;
    if (answer.size() > kMostTokens) answer = answer.last(kMostTokens);
    const std::lock_guard lock(mutex_);
    if (!holders_.contains(key)) make_room();
    Holder& holder = holders_[key];
    holder.used = ++clock_;
    holder.trie = nullptr; // whoever drafts from it keeps it
    holder.answers.emplace_back(answer.begin(), answer.end());
    holder.tokens += answer.size();
    while (holder.tokens > kMostTokens) {
        holder.tokens -= holder.answers.front().size();
        holder.answers.pop_front();
    }
}

void KeyMemory::make_room() {
    if (holders_.size() < kMostKeys) return;
    holders_.erase(std::ranges::min_element(holders_, {}, [](const auto& entry) { return entry.second.used; }));
}

} // namespace speclens
