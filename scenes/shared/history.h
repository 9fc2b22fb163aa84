// What was set before, so that a change can be taken back and made again.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace speclens {

[[nodiscard]] bool same(const auto& a, const auto& b) { return a == b; }

// Versions of something that changes as a whole. `same(a, b)` says that going from one to the other is no
// change.
template <typename Version>
class History {
  public:
    // Before a change of `now`. What was taken back until then cannot be made again.
    void keep(const Version& now) {
        constexpr std::size_t kMost = 200;
        undone_.clear();
        if (!done_.empty() && same(done_.back(), now)) return;
        if (done_.size() == kMost) done_.erase(done_.begin());
        done_.push_back(now);
    }
    // What was before now, or after it where that was taken back; nullptr: nothing.
    [[nodiscard]] const Version* next(bool forward) const {
        const std::vector<Version>& from = forward ? undone_ : done_;
        return from.empty() ? nullptr : &from.back();
    }
    // Goes there, which must exist.
    Version take(bool forward, const Version& now) {
        std::vector<Version>& from = forward ? undone_ : done_;
        (forward ? done_ : undone_).push_back(now);
        Version found = std::move(from.back());
        from.pop_back();
        return found;
    }

  private:
    std::vector<Version> done_, undone_;
};

// The controls of a scene: looks at them once a frame and keeps what they were before somebody changed them.
template <typename Settings>
class ControlHistory {
  public:
    // At the end of a frame. `held`: the mouse holds a handle, and all that it does until it lets go is one
    // change.
    void follow(const Settings& now, bool held) {
        if (!settled_) settled_ = now;
        if (held || now == *settled_) return;
        history_.keep(*settled_);
        settled_ = now;
    }
    // What somebody else set, a beat of the story, is no change to take back.
    void accept(const Settings& now) { settled_ = now; }
    [[nodiscard]] bool can(bool forward) const { return history_.next(forward) != nullptr; }
    // What the controls are now; absent: there is nothing to take back.
    std::optional<Settings> take(bool forward) {
        if (!settled_ || !can(forward)) return {};
        settled_ = history_.take(forward, *settled_);
        return settled_;
    }

  private:
    History<Settings> history_;
    std::optional<Settings> settled_;
};

} // namespace speclens
