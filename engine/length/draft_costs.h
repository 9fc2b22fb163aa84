// What rounds of different lengths take on a machine: what K auto goes by (draft_length.h). Costs are measured
// (engine/run/measured_costs.h), or read from a file (costs_file.h), before a run begins; its trace has them.
#pragma once

#include <vector>

namespace speclens {

struct DraftCosts {
    struct Point {
        int n = 0;
        double ms = 0;
        bool operator==(const Point&) const = default;
    };
    std::vector<Point> pass;        // a pass of the target over n rows, with verdict and commit; ascending, the first has one row
    std::vector<Point> draft;       // drafting n tokens in a row, of a tree n levels; ascending; none: it takes no time
    std::vector<Point> second = {}; // the same of the second of two chained drafters
    [[nodiscard]] DraftCosts of(int part) const { return {pass, part == 0 ? draft : second, {}}; }
    bool operator==(const DraftCosts&) const = default;
    // Between two points along a line, beyond the last along the one over its last quarter at least.
    [[nodiscard]] double pass_ms(int rows) const;
    [[nodiscard]] double draft_ms(int k) const; // 0 for k = 0
};

} // namespace speclens
