// What stands beside the map of load: the batch of a measured cell, this machine's roofline, and what others published.
#include <algorithm>
#include <optional>

#include "scenes/failures/batch_lanes.h"
#include "scenes/failures/published_load.h"
#include "scenes/failures/roofline.h"

namespace speclens {
namespace {

constexpr float kLeastChart = 165, kMostChart = 260, kStacked = 200, kGap = 20;
constexpr float kLeastWidth = 190; // of a chart beside another

// What is left of `area` below the lanes of the batch.
Rect draw_lanes(const FailuresDraw& d, const SweepCell& batch, Rect area, bool charts) {
    constexpr float kWords = 154, kLeastLane = 6, kMostLane = 26;
    const auto seats = static_cast<float>(std::max(1, batch_lanes(batch).seats));
    const float beside_charts = area.h - kGap - kLeastChart, most = kWords + kMostLane * seats;
    const bool both = charts && beside_charts >= kWords + kLeastLane * seats;
    const float lanes = std::min(most, both ? beside_charts : area.h);
    draw_batch_lanes(d, batch, {area.x, area.y, area.w, lanes});
    return {area.x, area.y + lanes + kGap, area.w, area.h - lanes - kGap};
}

} // namespace

void draw_beside_map(const FailuresDraw& d, Rect area) {
    const SweepCell* const batch = d.model.times ? d.model.marked().measured : nullptr;
    const PublishedLoad load = published_load(d.input.figures);
    std::optional<Roofline> roof;
    if (d.input.details.w <= 0) roof = roofline(d.input, d.model); // else it stands there
    if (!batch && !roof && load.empty()) return draw_entropy(d, area);
    tell_entropy(d, area);
    if (batch) area = draw_lanes(d, *batch, area, roof || !load.empty());
    if (area.h < kLeastChart) return load.empty() ? void() : tell_published_load(d, load, area);
    Rect first = area, second = area;
    if (roof && !load.empty()) {
        const bool stacked = area.h >= 2 * kStacked + kGap;
        if (stacked) {
            first.h = second.h = (area.h - kGap) / 2;
            second.y += first.h + kGap;
        } else if (area.w >= 2 * kLeastWidth + kGap) {
            second.w = std::max(kLeastWidth, area.w * 0.4F); // the curves have more names
            first.w = area.w - kGap - second.w;
            second.x += first.w + kGap;
        } else {
            roof.reset();
        }
    }
    first.h = std::min(first.h, kMostChart), second.h = std::min(second.h, kMostChart);
    if (!load.empty()) draw_published_load(d, load, first);
    if (roof) draw_roofline(d, *roof, load.empty() ? first : second);
}

} // namespace speclens
