// The versions of a run that can be come back to, and what each of them would change.
#pragma once

#include <vector>

#include "app/frontend/frontend.h"
#include "engine/run/race_settings.h"
#include "engine/run/run_settings.h"
#include "engine/run/session_commands.h"
#include "scenes/shared/history.h"
#include "ui/stories/message.h"

namespace speclens {

// A run: its settings, the forks that were made on it, and where it was looked at.
struct RunVersion {
    RunSettings settings;
    std::vector<Fork> forks = {};
    FramePlace place = {};
};
[[nodiscard]] inline bool same(const RunVersion& a, const RunVersion& b) {
    return a.settings == b.settings && a.forks.empty() && b.forks.empty();
}

// What `to` has that `from` has not, in words.
[[nodiscard]] Message change_words(const RunSettings& from, const RunSettings& to);
[[nodiscard]] Message change_words(const RunVersion& from, const RunVersion& to);
[[nodiscard]] Message change_words(const RaceSettings& from, const RaceSettings& to);

class UndoPart {
  public:
    // Of the run on screen, at its newest: without a place.
    [[nodiscard]] RunVersion version(const RunSettings& shown) const { return {forks_.empty() ? shown : root_, forks_}; }
    [[nodiscard]] bool forked() const { return !forks_.empty(); }
    void keep(const RunVersion& now) { history_.keep(now); } // before a change
    void began() { forks_.clear(); }                         // another run
    void branched(const RunSettings& from, const Fork& fork) {
        if (forks_.empty()) root_ = from;
        forks_.push_back(fork);
    }
    [[nodiscard]] const RunVersion* next(bool forward) const { return history_.next(forward); }
    [[nodiscard]] RunVersion take(bool forward, const RunVersion& now) { return history_.take(forward, now); }

  private:
    RunSettings root_;        // of the run that the forks were made on
    std::vector<Fork> forks_; // that led to the run on screen
    History<RunVersion> history_;
};

} // namespace speclens
