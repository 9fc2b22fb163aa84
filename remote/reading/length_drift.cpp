#include "remote/reading/length_drift.h"

#include <cmath>
#include <span>

#include "remote/reading/spec_counts.h"

namespace speclens {
namespace {

constexpr double kHour = 3600, kFewestHours = 2;
constexpr std::size_t kFewestPoints = 2;

struct Hour {
    double length = 0, variance = 0; // variance: of the mean
    std::optional<double> drafts;
};

Hour hour_of(std::span<const LengthPoint> points) {
    Hour out;
    double weights = 0, drafts = 0, drafting = 0, squares = 0;
    const auto weight = [](const LengthPoint& point) { return point.rounds > 0 ? point.rounds : 1; };
    for (const LengthPoint& point : points) {
        weights += weight(point);
        out.length += weight(point) * point.length;
        if (point.drafts) drafts += *point.drafts, drafting += 1;
    }
    out.length /= weights;
    for (const LengthPoint& point : points) squares += weight(point) / weights * (point.length - out.length) * (point.length - out.length);
    out.variance = squares / static_cast<double>(points.size() - 1);
    if (drafting > 0) out.drafts = drafts / drafting;
    return out;
}

} // namespace

bool LengthDrift::same_k() const { return first_k && last_k && std::abs(*first_k - *last_k) < 0.05 * *first_k; }

std::optional<LengthDrift> length_drift(const std::vector<LengthPoint>& points) {
    if (points.size() < 2 * kFewestPoints || points.back().seconds - points.front().seconds < kFewestHours * kHour) return {};
    std::size_t first = 0, last = points.size();
    while (first < points.size() && points[first].seconds < points.front().seconds + kHour) ++first;
    while (last > 0 && points[last - 1].seconds > points.back().seconds - kHour) --last;
    if (first < kFewestPoints || points.size() - last < kFewestPoints) return {};
    const Hour before = hour_of(std::span(points).first(first)), after = hour_of(std::span(points).subspan(last));
    LengthDrift out;
    out.first = before.length;
    out.last = after.length;
    out.hours = (points.back().seconds - points.front().seconds) / kHour;
    out.first_k = before.drafts;
    out.last_k = after.drafts;
    constexpr double kSmallest = 0.05, kErrors = 3;
    out.clear =
        std::abs(out.change()) > kSmallest && std::abs(out.last - out.first) > kErrors * std::sqrt(before.variance + after.variance);
    return out;
}

Said LengthDrift::words() const {
    if (!clear) return {};
    const bool fell = last < first, other_k = first_k && last_k && !same_k();
    return server_said("finding.drift"_t, "fell"_v = fell, "hours"_v = hours, "first"_v = first, "last"_v = last,
                       "percent"_v = 100 * change(), "same_k"_v = same_k(), "other_k"_v = other_k, "first_k"_v = first_k,
                       "last_k"_v = last_k, "fault"_v = fell && !other_k);
}

} // namespace speclens
