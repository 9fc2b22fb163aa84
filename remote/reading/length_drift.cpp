#include "remote/reading/length_drift.h"

#include <cmath>
#include <cstdio>
#include <span>

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

std::string decimals(const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
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

std::string LengthDrift::words() const {
    if (!clear) return {};
    std::string out = std::string("the acceptance length ") + (last < first ? "fell" : "rose") + " over " + decimals("%.1f", hours) +
                      " hours: " + decimals("%.2f", first) + " in the first hour, " + decimals("%.2f", last) + " in the last one (" +
                      decimals("%+.0f %%", 100 * change()) + ")";
    if (same_k())
        out += ", while K stayed " + decimals("%.3g", *last_k);
    else if (first_k && last_k)
        out += "; K went from " + decimals("%.3g", *first_k) + " to " + decimals("%.3g", *last_k) + ", which changes it";
    if (last < first && !(first_k && last_k && !same_k()))
        out += ". A mean hides that. Other prompts than at first, or a fault that grows: ask one prompt now and after a restart, and with "
               "the prefix cache off";
    return out;
}

} // namespace speclens
