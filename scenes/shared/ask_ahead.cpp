#include "scenes/shared/ask_ahead.h"

#include <algorithm>

#include "scenes/shared/cycle_pick.h"

namespace speclens {

bool AskAhead::due(const SceneInput& input, int needed, const std::string& what) {
    if (run_ != input.trace) asked_.clear(), run_ = input.trace;
    if (input.beat < needed - 1 || !models_loaded(input) || !input.whole->stopped) return false;
    if (std::ranges::find(asked_, what) != asked_.end()) return false;
    asked_.push_back(what);
    return true;
}

} // namespace speclens
