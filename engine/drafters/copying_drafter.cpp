#include "engine/drafters/copying_drafter.h"

#include <cstdio>
#include <iterator>

#include "engine/base/clock.h"
#include "engine/base/printed.h"
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

std::string CopiedFrom::words() const {
    if (token >= 0) return printed("%d-gram found at token %d, copied token %d", match, at, token);
    if (at >= 0) return printed("%d-gram found at token %d, %d× before, %.2f to here", match, at, times, p);
    return printed("%d-gram found %d× in earlier answers, %.2f to here", match, times, p);
}

std::optional<CopiedFrom> copied_from(const std::string& words) {
    CopiedFrom from;
    int end = 0;
    const auto whole = [&](int fields, int wanted) { return fields == wanted && end == std::ssize(words); };
    if (whole(std::sscanf(words.c_str(), "%d-gram found at token %d, copied token %d%n", &from.match, &from.at, &from.token, &end), 3))
        return from;
    from = {};
    if (whole(std::sscanf(words.c_str(), "%d-gram found at token %d, %d× before, %lf to here%n", &from.match, &from.at, &from.times,
                          &from.p, &end),
              4))
        return from;
    from = {};
    if (whole(std::sscanf(words.c_str(), "%d-gram found %d× in earlier answers, %lf to here%n", &from.match, &from.times, &from.p, &end),
              3))
        return from;
    return {};
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
    CopiedFrom from{.match = match, .at = begin - match, .token = begin};
    const std::span<const int> run = request.sequence.subspan(static_cast<std::size_t>(begin));
    for (std::size_t i = 0; i < run.size() && most > 0; ++i, --most)
        if (from.token = begin + static_cast<int>(i); !put(request, run[i], from.words(), draft)) return;
}

DrafterInfo copying_info(DrafterInfo own) {
    own.icon = "cross_fat";
    own.kin.takes = drafter_said("kin.takes:text"_t);
    own.drafting = Drafting::at_once;
    own.draws = false;
    return own;
}

} // namespace speclens
