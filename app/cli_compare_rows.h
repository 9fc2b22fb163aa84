// The rows of `speclens compare`, and the three ways they are written: a table, JSON, CSV.
#pragma once

#include <string>
#include <vector>

#include "app/cli_terminal.h"
#include "engine/samples.h"
#include "engine/trace.h"
#include "engine/verify.h"

namespace speclens::cli {

// One drafter: its samples in the order of the prompts, or why there are none.
struct Contestant {
    std::string name;
    RunSettings settings;
    std::string problem;
    std::vector<int> ids; // that a cut draft head ranks; empty: all
    std::vector<Sample> samples;
    // Its rule follows a mixture of two laws, also at temperature 0: its text need not be plain decoding's.
    [[nodiscard]] bool mixes() const { return find_rule(settings.rule)->mixes(); }
};

struct Row {
    const Contestant* contestant = nullptr;
    std::string domain;
    Totals totals;
    Estimate speed;
    long outside = 0;      // written tokens that a cut draft head has no row for
    bool identical = true; // at temperature 0
};

// ---- for people ----
// How many guesses each drafter makes, and the rule; says of one that is not lossless that it is not.
[[nodiscard]] std::string setting_lines(const std::vector<Contestant>& contestants);
[[nodiscard]] std::string table_head(const Terminal& terminal);
[[nodiscard]] std::string table_line(const Row& row, bool greedy, const Terminal& terminal);
// Speed-up by the formula, tokens per round × plain pass ÷ round, beside the measured one.
[[nodiscard]] std::string formula_table(const std::vector<Row>& rows, const Row& plain,
                                        const Terminal& terminal);
// The chance that guess i stays once all before it did; nothing below kLeastRounds rounds.
inline constexpr int kLeastRounds = 30;
[[nodiscard]] std::string position_table(const std::vector<Row>& rows, const Terminal& terminal);
// What FR-Spec took away: tokens that were written although the drafter could never have guessed them.
[[nodiscard]] std::string cut_notes(const std::vector<Row>& rows, int vocab, bool from_file);
// Tokens per round and speed-up of every drafter in every domain.
[[nodiscard]] std::string domain_table(const std::vector<Row>& rows, const std::vector<std::string>& domains,
                                       const std::vector<Contestant>& contestants, const Terminal& terminal);

// ---- for programs ----
struct CompareFacts {
    const Header& header; // of a run of this comparison
    std::string backend, model;
    const RunSettings& settings;
    int repeats = 1;
    double busy_cores = 0;
};
[[nodiscard]] std::string compare_json(const std::vector<Row>& rows, const CompareFacts& facts);
// One line for every drafter and domain; positions in columns kept_1, judged_1, kept_2 …
[[nodiscard]] std::string compare_csv(const std::vector<Row>& rows);

} // namespace speclens::cli
