// What rounds of different lengths take on a machine: what K auto goes by (draft_length.h). Costs are measured, or read from a file,
// before a run begins; its trace has them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace speclens {

struct Models;      // engine/models/models.h
struct PreparedRun; // engine/run/prepared_run.h

struct DraftCosts {
    struct Point {
        int n = 0;
        double ms = 0;
        bool operator==(const Point&) const = default;
    };
    std::vector<Point> pass;  // a pass of the target over n rows, with verdict and commit; ascending, the first has one row
    std::vector<Point> draft; // drafting n tokens in a row, of a tree n levels; ascending; none: it takes no time
    bool operator==(const DraftCosts&) const = default;
    // Between two points along a line, beyond the last as from the one before it.
    [[nodiscard]] double pass_ms(int rows) const;
    [[nodiscard]] double draft_ms(int k) const; // 0 for k = 0
};

// By a few rounds of every length in a run of its own, some twenty passes of the target; the same answer for the same models and
// drafter from then on. A table, a server and a run without times are not measured: nominal_costs(). On the backend's thread.
[[nodiscard]] DraftCosts measured_costs(const std::shared_ptr<const Models>& models, const PreparedRun& run);
// From then on measured_costs() gives these for this target and drafter.
void give_costs(const Models& models, const std::string& drafter, const DraftCosts& costs);
// Where nothing may be measured: a pass costs 1 and .02 more for each further row, a draft token by its model's share of the bytes.
[[nodiscard]] DraftCosts nominal_costs(const Models& models, const PreparedRun& run);

// A file of costs, {"schema": "speclens-k-costs/1", "model": …, "drafters": {"small": {"pass": [[1, 45.2], …], "draft": [[1, 12.1], …]}}}.
// none: there is no such file, or it does not know the drafter. Throws Error: it is another file, or one of another model.
[[nodiscard]] std::optional<DraftCosts> costs_in(const std::filesystem::path& file, const std::string& model, const std::string& drafter);
// Adds them to what the file has, or makes one. Throws Error.
void add_costs(const std::filesystem::path& file, const std::string& model, const std::string& drafter, const DraftCosts& costs);

} // namespace speclens
