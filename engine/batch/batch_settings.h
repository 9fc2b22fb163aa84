// How many texts a batch has, and how they share the cache and the passes of its target.
#pragma once

namespace speclens {

inline constexpr int kMostTexts = 64; // in flight

struct BatchSettings {
    int texts = 16;       // in flight at most, 1 … kMostTexts
    int blocks = 0;       // of the pool, PagedModel::kBlock positions each
    int prompt_rows = 64; // of prompts in one round at most
    bool share = true;    // prompts that begin alike share blocks
    bool together = true; // drafters' products are made together, where the backend can
    bool poison = false;  // tests: fill what nobody may read with NaN, after every round
};

} // namespace speclens
