#include "engine/model/top_entries.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace speclens {

TopEntries top_of(const Distribution& distribution, int count) {
    TopEntries top;
    if (count == 0) return top;
    const std::size_t want = count < 0 ? distribution.size() : std::min<std::size_t>(distribution.size(), static_cast<std::size_t>(count));
    std::vector<int> ids;
    const auto larger = [&](int a, int b) { return distribution[a] != distribution[b] ? distribution[a] > distribution[b] : a < b; };
    if (want == distribution.size()) {
        for (std::size_t i = 0; i < distribution.size(); ++i)
            if (distribution[i] > 0) ids.push_back(static_cast<int>(i));
        std::sort(ids.begin(), ids.end(), larger);
    } else {
        // The want-th largest of the maxima of small blocks bounds the want-th largest value from below, so
        // a second pass keeps only a few candidates.
        constexpr std::size_t kBlock = 16;
        double bound = 0;
        if (distribution.size() / kBlock >= want) {
            std::vector<double> maxima;
            maxima.reserve(distribution.size() / kBlock);
            for (std::size_t i = 0; i + kBlock <= distribution.size(); i += kBlock) {
                double high = distribution[i];
                for (std::size_t j = 1; j < kBlock; ++j) high = distribution[i + j] > high ? distribution[i + j] : high;
                maxima.push_back(high);
            }
            const auto last = maxima.begin() + static_cast<std::ptrdiff_t>(want) - 1;
            std::nth_element(maxima.begin(), last, maxima.end(), std::greater<>());
            bound = *last;
        }
        ids.reserve(2 * want);
        for (std::size_t i = 0; i < distribution.size(); ++i)
            if (distribution[i] >= bound && distribution[i] > 0) ids.push_back(static_cast<int>(i));
        const std::size_t kept = std::min(want, ids.size());
        std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(), larger);
        ids.resize(kept);
    }
    double mass = 0;
    for (int id : ids) {
        top.entries.push_back({id, std::log(distribution[id])});
        mass += distribution[id];
    }
    top.rest = want == distribution.size() ? 0 : std::max(0.0, 1 - mass);
    return top;
}

} // namespace speclens
