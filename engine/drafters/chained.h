// Two drafters of which one speaks in a round, as engines chain n-grams and heads (llama.cpp, exllamav3, ik_llama.cpp): "lookup+eagle3".
//
// Who speaks is decided before anything is drawn: the first where it is its turn and it has something to propose, else the second. What
// draws tokens always has something; a copier is asked for its copy, which hangs on the text alone. Whether it is a drafter's turn hangs on
// earlier rounds and on costs (DraftRequest::turn). So every draft token is drawn and judged by the distribution of whoever spoke, and the
// text keeps the target's distribution under every rule that judges drafts by their own. A choice that looked at what was drawn would not.
//
// "lookup++eagle3": where the first speaks and has fewer tokens than were asked for, the second drafts on behind them, which are given to
// it as its own; each token is judged by the distribution of whoever drafted it. Chains only.
//
// Both observe every round. Who does not speak puts it off (Drafter::put_off) and drafts later as if it had run alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {

class Backend; // kernels/backend.h

// The descriptor of two, made once; null: the name has no plus, or names no two that can be chained.
[[nodiscard]] const DrafterInfo* find_chained(const std::string& name);

// `args`: what a drafter of the list is built from, asked of both of two chained ones.
[[nodiscard]] std::unique_ptr<Drafter> make_drafter(const DrafterInfo& info, const std::function<DrafterArgs(const DrafterInfo&)>& args);

// draws: whether the first draws tokens, so that it cannot be asked for a draft that another one takes over. backend: where both tap the
// target, else it may be null.
struct ChainedParts {
    std::unique_ptr<Drafter> first = {}, second = {};
    bool draws = false, goes_on = false;
    Backend* backend = nullptr;
};
[[nodiscard]] std::unique_ptr<Drafter> make_chained(ChainedParts parts);

} // namespace speclens
