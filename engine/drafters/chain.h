// What the drafters that draft token by token with a forward pass share: draw one node from a row.
#pragma once

#include "engine/drafters/drafter.h"

namespace speclens {

// The next node of a chain from row `row` of a pass: the forced token, or one drawn from the distribution, or the most
// likely one at temperature 0 (then no distribution is stored: it is one-hot at the token).
// `vocab`: width of the target's distributions; a narrower draft distribution is padded to it (mapped_rows.h is for a wider one).
[[nodiscard]] DraftNode next_node(PassRows& rows, int row, int index, int vocab, const DraftRequest& request);

// What DraftRequest::go_on says of node `index`, which would be drawn from row `row`; a forced one is drafted anyway.
[[nodiscard]] bool goes_on(PassRows& rows, int row, int index, const DraftRequest& request);

// What DraftRequest::go_further says of the node behind those of `draft`; the first has its pass anyway, and a forced one, too.
[[nodiscard]] bool goes_further(const Draft& draft, const DraftRequest& request);

// The first `entries` of a head, the others counted as rest; -1: all of them.
[[nodiscard]] TopEntries first_entries(TopEntries top, int entries);

// How many tokens come before the first id that a model of `vocab` ids does not have.
[[nodiscard]] std::size_t known_tokens(std::span<const int> tokens, int vocab);

[[nodiscard]] bool is_stop(std::span<const int> stops, int token);

} // namespace speclens
