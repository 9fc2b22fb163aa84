#include "engine/drafters/chain.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"

namespace speclens {

DraftNode next_node(PassRows& rows, int row, int index, int vocab, const DraftRequest& request) {
    DraftNode node;
    node.parent = index - 1;
    const std::optional<int> forced = request.forced(index);
    if (request.raw_distributions) { // first: another sampling takes the distributions of this one away
        node.raw_distribution = rows.take_distribution(row, kRawSampling);
        node.raw_distribution.resize(static_cast<std::size_t>(vocab), 0.0);
    }
    if (request.sampling.temperature == 0) {
        node.token = forced ? *forced : rows.argmax()[static_cast<std::size_t>(row)];
    } else {
        if (forced) {
            node.token = *forced;
        } else {
            node.u = request.coin(index);
            node.token = rows.draw(row, request.sampling, *node.u);
        }
        // what is recorded below looks at it again
        node.distribution = request.entries == 0 ? rows.take_distribution(row, request.sampling) : rows.distribution(row, request.sampling);
        node.distribution.resize(static_cast<std::size_t>(vocab), 0.0);
    }
    if (forced) node.extra = kForced;
    if (request.entries != 0) {
        const Stopwatch watch;
        node.heads = rows.heads(row, request.sampling, request.entries);
        node.record_ms = watch.ms();
    }
    return node;
}

bool goes_on(PassRows& rows, int row, int index, const DraftRequest& request) {
    if (!request.go_on || request.forced(index)) return true;
    const Stopwatch watch;
    const double margin = rows.margin(row);
    if (request.deciding_ms) *request.deciding_ms += watch.ms();
    return request.go_on(index, margin);
}

bool goes_further(const Draft& draft, const DraftRequest& request) {
    const int index = static_cast<int>(draft.nodes.size());
    if (index > 0 && request.before_pass) request.before_pass();
    return index == 0 || !request.go_further || request.forced(index) || request.go_further(index, draft.nodes.back().q());
}

TopEntries first_entries(TopEntries top, int entries) {
    while (entries >= 0 && static_cast<int>(top.entries.size()) > entries) {
        top.rest += std::exp(top.entries.back().logp);
        top.entries.pop_back();
    }
    return top;
}

std::size_t known_tokens(std::span<const int> tokens, int vocab) {
    const auto unknown = std::find_if(tokens.begin(), tokens.end(), [&](int token) { return token >= vocab; });
    return static_cast<std::size_t>(unknown - tokens.begin());
}

bool is_stop(std::span<const int> stops, int token) { return std::find(stops.begin(), stops.end(), token) != stops.end(); }

} // namespace speclens
