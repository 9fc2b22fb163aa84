#include "engine/top.h"

#include <algorithm>
#include <cmath>

namespace speclens {

Top top_of(const Law& law, int count) {
    Top top;
    if (count == 0) return top;
    const std::size_t want = count < 0 ? law.size() : std::min<std::size_t>(law.size(), static_cast<std::size_t>(count));
    std::vector<int> ids;
    // One scan with a threshold that only rises: a law's head is short, so most ids fail one comparison.
    const auto larger = [&](int a, int b) { return law[a] != law[b] ? law[a] > law[b] : a < b; };
    if (want == law.size()) {
        for (std::size_t i = 0; i < law.size(); ++i)
            if (law[i] > 0) ids.push_back(static_cast<int>(i));
        std::sort(ids.begin(), ids.end(), larger);
    } else {
        double threshold = 0;
        const std::size_t room = want * 2 + 64;
        ids.reserve(room + 1);
        const auto shrink = [&] {
            const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(want);
            std::nth_element(ids.begin(), middle - 1, ids.end(), larger);
            threshold = law[ids[want - 1]];
            ids.resize(want);
        };
        for (std::size_t i = 0; i < law.size(); ++i) {
            if (law[i] <= threshold) continue;
            ids.push_back(static_cast<int>(i));
            if (ids.size() == room) shrink();
        }
        if (ids.size() > want) shrink();
        std::sort(ids.begin(), ids.end(), larger);
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
