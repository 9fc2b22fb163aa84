#include "engine/drafters/copying_drafter.h"

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"

namespace speclens {

void CopyingDrafter::begin(std::span<const int> sequence) {
    forget();
    read_ = 0;
    read(sequence);
}

Draft CopyingDrafter::draft(const DraftRequest& request) {
    Draft draft;
    const Stopwatch watch;
    read(request.sequence);
    copy(request, draft);
    if (!draft.nodes.empty()) draft.nodes.front().ms = watch.ms(); // one search for the whole chain
    return draft;
}

void CopyingDrafter::read(std::span<const int> sequence) {
    while (read_ < sequence.size()) append(sequence.first(++read_));
}

bool CopyingDrafter::put(const DraftRequest& request, int token, std::string words, Draft& draft) {
    const auto index = static_cast<int>(draft.nodes.size());
    if (index >= request.k) return false;
    DraftNode& node = draft.nodes.emplace_back();
    node.parent = index - 1;
    const std::optional<int> forced = request.forced(index);
    node.token = forced.value_or(token);
    node.extra = forced ? kForced : std::move(words);
    return !is_stop(request.stops, node.token);
}

void CopyingDrafter::put_run(const DraftRequest& request, int match, int begin, Draft& draft, int most) {
    const std::string found = std::to_string(match) + "-gram found at token " + std::to_string(begin - match) + ", copied token ";
    const std::span<const int> run = request.sequence.subspan(static_cast<std::size_t>(begin));
    for (std::size_t i = 0; i < run.size() && most > 0; ++i, --most)
        if (!put(request, run[i], found + std::to_string(begin + static_cast<int>(i)), draft)) return;
}

DrafterInfo copying_info(DrafterInfo own) {
    own.icon = "cross_fat";
    own.kin.takes = drafter_said("kin.takes:text"_t);
    own.drafting = Drafting::at_once;
    own.draws = false;
    return own;
}

} // namespace speclens
