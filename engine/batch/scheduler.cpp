#include "engine/batch/scheduler.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {

void Scheduler::arrive(int text, const std::string& key) {
    CHECK(texts_.empty() || texts_.rbegin()->first < text, "texts arrive in order");
    const std::optional<long long> least = least_served();
    Key& of = keys_[key];
    if (of.texts++ == 0) of.rows = std::max(of.rows, least.value_or(0));
    texts_[text] = {key, -1};
    waiting_.push_back(text);
}

void Scheduler::leave(int text) {
    std::erase(waiting_, text);
    std::erase(in_flight_, text);
    const auto found = texts_.find(text);
    if (found == texts_.end()) return;
    --keys_.at(found->second.key).texts;
    texts_.erase(found);
    forget_keys();
}

void Scheduler::served(int text, int rows) { keys_.at(at(text).key).rows += rows; }

std::optional<long long> Scheduler::least_served() const {
    std::optional<long long> least;
    for (const auto& [name, key] : keys_)
        if (key.texts > 0) least = std::min(least.value_or(key.rows), key.rows);
    return least;
}

// Who is away is remembered as long as that is a disadvantage; nobody is where nobody is here.
void Scheduler::forget_keys() {
    const std::optional<long long> least = least_served();
    std::erase_if(keys_, [&](const auto& entry) { return entry.second.texts == 0 && (!least || entry.second.rows <= *least); });
}

std::optional<int> Scheduler::next() const {
    if (waiting_.empty() || static_cast<int>(in_flight_.size()) >= most_) return std::nullopt;
    if (at(waiting_.front()).turn >= 0) return waiting_.front();
    const auto rows = [&](int text) { return keys_.at(at(text).key).rows; };
    return *std::ranges::min_element(waiting_, {}, rows); // the first of the least
}

void Scheduler::admit(int text) {
    CHECK(next() == text, "only the next one is admitted");
    std::erase(waiting_, text);
    Text& one = texts_.at(text);
    if (one.turn < 0) one.turn = turns_++;
    in_flight_.insert(std::ranges::upper_bound(in_flight_, one.turn, {}, [&](int other) { return at(other).turn; }), text);
}

int Scheduler::victim(int text) const {
    CHECK(std::ranges::find(in_flight_, text) != in_flight_.end(), "only a text in flight needs blocks");
    return in_flight_.back();
}

std::optional<int> Scheduler::other_victim(int text) const {
    const auto found = std::find_if(in_flight_.rbegin(), in_flight_.rend(), [&](int other) { return other != text; });
    return found == in_flight_.rend() ? std::nullopt : std::optional(*found);
}

void Scheduler::preempt(int text) {
    std::erase(in_flight_, text);
    const int turn = at(text).turn;
    const auto later = [&](int other) { return at(other).turn < 0 || at(other).turn > turn; };
    waiting_.insert(std::ranges::find_if(waiting_, later), text);
}

long long Scheduler::rows_of(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? 0 : found->second.rows;
}

} // namespace speclens
