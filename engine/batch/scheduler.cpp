#include "engine/batch/scheduler.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {

void Scheduler::arrive(int text) {
    CHECK(waiting_.empty() || waiting_.back() < text, "texts arrive in order");
    waiting_.push_back(text);
}

void Scheduler::leave(int text) {
    std::erase(waiting_, text);
    std::erase(in_flight_, text);
}

std::optional<int> Scheduler::next() const {
    if (waiting_.empty() || static_cast<int>(in_flight_.size()) >= most_) return std::nullopt;
    return waiting_.front();
}

void Scheduler::admit(int text) {
    CHECK(next() == text, "only the first that waits is admitted");
    waiting_.pop_front();
    in_flight_.insert(std::ranges::upper_bound(in_flight_, text), text);
}

int Scheduler::victim(int text) const {
    CHECK(!in_flight_.empty() && std::ranges::binary_search(in_flight_, text), "only a text in flight needs blocks");
    return in_flight_.back();
}

std::optional<int> Scheduler::other_victim(int text) const {
    const auto found = std::find_if(in_flight_.rbegin(), in_flight_.rend(), [&](int other) { return other != text; });
    return found == in_flight_.rend() ? std::nullopt : std::optional(*found);
}

void Scheduler::preempt(int text) {
    std::erase(in_flight_, text);
    waiting_.insert(std::ranges::upper_bound(waiting_, text), text);
}

} // namespace speclens
