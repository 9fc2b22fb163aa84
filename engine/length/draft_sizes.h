// How long the drafts of a run's rounds are, one after another: K auto chooses them, a trace has them, links and options write them.
#pragma once

#include <string>
#include <vector>

namespace speclens {

// What a round asks the drafter for; 0: nothing, a plain pass.
struct DraftSize {
    int k = 0;     // draft tokens in a row at most
    int nodes = 0; // of a tree at most; 0: a chain
    int by = 0;    // of two chained drafters: 0 the first is asked, 1 the second, -1 neither
    bool operator==(const DraftSize&) const = default;
};

// Of one round after another, as links and options have it: "4*3,0*20,2", trees "3:8*2", the second of two chained drafters "+4*3". Throws
// Error (usage).
[[nodiscard]] std::vector<DraftSize> draft_sizes(const std::string& text);
[[nodiscard]] std::string text_of(const std::vector<DraftSize>& sizes);

} // namespace speclens
