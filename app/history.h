// The settings that were asked for before, so that a change can be taken back and made again.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/control.h"

namespace speclens {

class SettingsHistory {
  public:
    // Before a change of `now`. What was taken back until then cannot be made again.
    void keep(const RunSettings& now) {
        constexpr std::size_t kMost = 200;
        undone_.clear();
        if (!done_.empty() && done_.back() == now) return;
        if (done_.size() == kMost) done_.erase(done_.begin());
        done_.push_back(now);
    }
    // The settings before `now`; absent: there are none.
    [[nodiscard]] std::optional<RunSettings> undo(const RunSettings& now) {
        return move(done_, undone_, now);
    }
    [[nodiscard]] std::optional<RunSettings> redo(const RunSettings& now) {
        return move(undone_, done_, now);
    }
    [[nodiscard]] bool can_undo() const { return !done_.empty(); }
    [[nodiscard]] bool can_redo() const { return !undone_.empty(); }

  private:
    static std::optional<RunSettings> move(std::vector<RunSettings>& from, std::vector<RunSettings>& to,
                                           const RunSettings& now) {
        if (from.empty()) return {};
        to.push_back(now);
        std::optional<RunSettings> found = std::move(from.back());
        from.pop_back();
        return found;
    }

    std::vector<RunSettings> done_, undone_;
};

} // namespace speclens
