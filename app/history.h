// What was asked for before, so that a change can be taken back and made again.
#pragma once

#include <utility>
#include <vector>

#include "app/frontend.h"
#include "engine/control.h"

namespace speclens {

// A run that can be come back to: its settings, the forks that were made on it, and where it was looked at.
struct RunVersion {
    RunSettings settings;
    std::vector<Fork> forks = {};
    FramePlace place = {};
};
[[nodiscard]] inline bool same(const RunVersion& a, const RunVersion& b) {
    return a.settings == b.settings && a.forks.empty() && b.forks.empty();
}
[[nodiscard]] inline bool same(const RaceSettings& a, const RaceSettings& b) {
    return a == b;
}

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

} // namespace speclens
