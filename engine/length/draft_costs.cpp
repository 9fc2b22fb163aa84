#include "engine/length/draft_costs.h"

#include <algorithm>
#include <span>

namespace speclens {
namespace {

double along(std::span<const DraftCosts::Point> points, int n) {
    const auto after = std::ranges::lower_bound(points, n, {}, &DraftCosts::Point::n);
    const auto high = std::clamp(after, points.begin() + 1, points.end() - 1);
    auto low = high - 1;
    // Two points side by side say little of what lies far behind them: of ten texts a pass has ten times as many rows.
    if (after == points.end())
        while (low != points.begin() && 4 * (high->n - low->n) < high->n) --low;
    return std::max(0.0, low->ms + (high->ms - low->ms) * (n - low->n) / (high->n - low->n));
}

} // namespace

double DraftCosts::pass_ms(int rows) const { return pass.size() == 1 ? pass.front().ms : along(pass, rows); }

double DraftCosts::draft_ms(int k) const {
    if (k <= 0 || draft.empty()) return 0;
    if (draft.size() == 1) return draft.front().ms * k / draft.front().n;
    return along(draft, k);
}

} // namespace speclens
