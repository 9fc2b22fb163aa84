#include "engine/model/top.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace speclens {

Top top_of(const Law& law, int count) {
    Top top;
    if (count == 0) return top;
    const std::size_t want = count < 0 ? law.size() : std::min<std::size_t>(law.size(), static_cast<std::size_t>(count));
    std::vector<int> ids;
    const auto larger = [&](int a, int b) { return law[a] != law[b] ? law[a] > law[b] : a < b; };
    if (want == law.size()) {
        for (std::size_t i = 0; i < law.size(); ++i)
            if (law[i] > 0) ids.push_back(static_cast<int>(i));
        std::sort(ids.begin(), ids.end(), larger);
    } else {
        // The want-th largest of the maxima of small blocks bounds the want-th largest value from below, so
        // a second pass keeps only a few candidates.
        constexpr std::size_t kBlock = 16;
        double bound = 0;
        if (law.size() / kBlock >= want) {
            std::vector<double> maxima;
            maxima.reserve(law.size() / kBlock);
            for (std::size_t i = 0; i + kBlock <= law.size(); i += kBlock) {
                double high = law[i];
                for (std::size_t j = 1; j < kBlock; ++j) high = law[i + j] > high ? law[i + j] : high;
                maxima.push_back(high);
            }
            const auto last = maxima.begin() + static_cast<std::ptrdiff_t>(want) - 1;
            std::nth_element(maxima.begin(), last, maxima.end(), std::greater<>());
            bound = *last;
        }
        ids.reserve(2 * want);
        for (std::size_t i = 0; i < law.size(); ++i)
            if (law[i] >= bound && law[i] > 0) ids.push_back(static_cast<int>(i));
        const std::size_t kept = std::min(want, ids.size());
        std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(), larger);
        ids.resize(kept);
    }
    double mass = 0;
    for (int id : ids) {
        top.entries.push_back({id, std::log(law[id])});
        mass += law[id];
    }
    top.rest = want == law.size() ? 0 : std::max(0.0, 1 - mass);
    return top;
}

}  // namespace speclens
