// K chosen as one goes, in a batch that was decoded here: every way's speed over plain decoding on the same arrivals, and the K of its
// rounds.
#pragma once

#include <vector>

#include "engine/batch/adaptive_study.h"
#include "scenes/systems/systems_draw.h"

namespace speclens {

struct AdaptiveBar {
    const AdaptiveWay* way = nullptr;
    double times = 0;   // over plain decoding
    bool best = false;  // of the fixed ones
    Message doubt = {}; // why it is not to be relied on; empty: it is
};
[[nodiscard]] std::vector<AdaptiveBar> adaptive_bars(const AdaptiveResult& result); // fixed ones by K, controllers, the oracle
// Why the ways that a title compares cannot be: the doubt of one of them. Empty: they can.
[[nodiscard]] Message adaptive_doubt(const AdaptiveResult& result);
[[nodiscard]] Message way_words(const AdaptiveWay& way); // "K = 3", "expected gain"
[[nodiscard]] double mean_k(const AdaptiveWay& way);

void draw_adaptive(const SystemsDraw& d, ui::Rect area);
void tell_adaptive(const SystemsDraw& d);

} // namespace speclens
