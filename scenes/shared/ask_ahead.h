// A beat that needs a measurement finds it done, or at least begun: it is asked for when the beat before it opens, once
// for every run, and after the run, whose times it would disturb.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/scene.h"

namespace speclens {

class AskAhead {
  public:
    // Whether to ask for `what` now, which beat `needed` and those behind it tell of. Says so once.
    [[nodiscard]] bool due(const SceneInput& input, int needed, const std::string& what);

  private:
    const Trace* run_ = nullptr; // only compared
    std::vector<std::string> asked_;
};

} // namespace speclens
