// The versions of a run that can be come back to.
#pragma once

#include <vector>

#include "app/frontend/frontend.h"
#include "engine/run/control.h"
#include "scenes/shared/history.h"

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

} // namespace speclens
