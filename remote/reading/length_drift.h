// Whether an acceptance length changed over hours: the first hour and the last one apart, which a mean would hide
// (vllm-project/vllm issue 41838: a length that falls until the server is started anew).
#pragma once

#include <optional>
#include <vector>

#include "kernels/said.h"

namespace speclens {

// What an interval or a request told.
struct LengthPoint {
    double seconds = 0, length = 0;
    double rounds = 0;            // 0: not told; then each point counts alike
    std::optional<double> drafts; // a round
};
struct LengthDrift {
    double first = 0, last = 0;            // mean lengths of the first and of the last hour
    double hours = 0;                      // from the first point to the last
    std::optional<double> first_k, last_k; // drafts of a round then
    [[nodiscard]] double change() const { return last / first - 1; }
    [[nodiscard]] bool same_k() const;
    [[nodiscard]] Said words() const; // empty: no more than chance
    bool clear = false;               // more than the points of an hour differ among themselves
};
// Absent: fewer than two hours, or less than two points in one of them. Points in the order of time.
[[nodiscard]] std::optional<LengthDrift> length_drift(const std::vector<LengthPoint>& points);

} // namespace speclens
