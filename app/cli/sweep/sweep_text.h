// A sweep for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/cost.h"
#include "app/cli/terminal.h"
#include "engine/batch/sweep.h"
#include "engine/run/trace.h"

namespace speclens::cli {

struct SweepFacts {
    Header header; // of a run as they all were: machine, model, dice
    std::size_t prompts = 0;
    std::vector<std::string> domains; // of each text of the plan
    std::optional<Rent> rent;         // of the machine; none: no cost is told
};

// The table, what crosses 1x where, and whether every text was the one of its run alone.
[[nodiscard]] std::string sweep_text(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts, const Terminal& terminal);
// Schema "speclens-sweep/1"; a cell that was not measured has null for its figures.
[[nodiscard]] std::string sweep_json(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts);
// One line a cell that was measured.
[[nodiscard]] std::string sweep_csv(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts);

// Figures of a cell that table and files share.
struct SweepFigures {
    double tokens_per_second = 0, per_text = 0, tokens_per_round = 0, rows_per_pass = 0;
    double first_ms = 0, first_p95_ms = 0, between_ms = 0, between_p95_ms = 0; // medians
    double draft_share = 0, verify_share = 0, rest_share = 0;                  // of the time
};
[[nodiscard]] SweepFigures figures_of(const SweepCell& cell);
// Tokens a round of each method by domain, of all numbers of texts together: acceptance does not depend on the load. Nothing where there
// is one domain.
struct SweepDomain {
    std::string domain;
    std::vector<double> tokens_per_round; // by method; 0: none was measured
};
[[nodiscard]] std::vector<SweepDomain> by_domain(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts);
// Whom a sweep measures where nobody was named, of those that can run: who copies from the text, which costs next to nothing, and the first
// three lanes of a race that have a model or a head.
[[nodiscard]] std::vector<std::string> usual_drafters(const std::vector<std::string>& ready);
// Of all cells.
[[nodiscard]] int texts_compared(const Sweep& sweep);
[[nodiscard]] int texts_equal(const Sweep& sweep);

} // namespace speclens::cli
