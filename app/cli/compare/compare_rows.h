// The rows of `speclens compare`, and the three ways they are written: a table, JSON, CSV.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/cost.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "engine/lab/samples.h"
#include "engine/rules/verify.h"
#include "engine/run/speed_up.h"
#include "engine/run/trace.h"

namespace speclens::cli {

// One drafter with one K: its samples in the order of the prompts, or why there are none.
struct Contestant {
    std::string name, label;      // label: with its K where drafters are measured with several
    std::filesystem::path folder; // of its model or head, as typed; empty: the built-in one, or none
    std::string head;             // which one that is (Models::drafter_fingerprint); empty: the built-in one, or none
    RunSettings settings;         // `k` is what it can really draft
    std::string problem;
    std::vector<int> ids; // that a cut draft head ranks; empty: all
    std::vector<Sample> samples;
    std::vector<std::vector<double>> repeats; // by prompt: the time of every repeat, ms
    // Its rule follows a mixture of two distributions, also at temperature 0: its text need not be plain decoding's.
    [[nodiscard]] bool is_cascade() const { return find_rule(settings.rule)->is_cascade(); }
};

struct Row {
    const Contestant* contestant = nullptr;
    std::string domain;
    Totals totals;
    Estimate speed;
    long outside = 0;      // written tokens that a cut draft head has no row for
    bool identical = true; // at temperature 0
    double apart = 0;      // how far repeats lie apart, of the rounds and of plain decoding together (engine/run/speed_up.h)
    bool busy = false;     // other programs kept the cores busy
    [[nodiscard]] bool certain() const { return possible() && !busy && apart <= kMostSpread; }
    [[nodiscard]] bool in_doubt() const { return possible() && !certain(); }
    // A round costs at least the pass that a plain token costs: more than that, two passes of one kind apart, was the
    // clock's noise.
    static constexpr double kApart = 1.02;
    [[nodiscard]] bool allows(double speed_up) const { return speed_up <= kApart * totals.tokens_per_pass(); }
    [[nodiscard]] bool possible() const { return allows(speed.value); }
};

// Two drafters, prompt by prompt: what the one does more than the other; where some have several K, of equal K alone.
struct PairedRows {
    const Contestant *first = nullptr, *other = nullptr; // in the order of the table, plain decoding left out
    Estimate tokens, speed;                              // tokens more a round; time per token of the first one ÷ that of the other
    bool in_doubt = false;                               // the times of either
};
[[nodiscard]] std::vector<PairedRows> paired_rows(const std::vector<Row>& rows, std::uint64_t seed); // of two prompts or more

// ---- for people ----
struct TableLook {
    Terminal terminal;
    bool greedy = true;
    bool times = true;    // false: the target is a table
    bool speed_up = true; // false: a table, or a server
    bool interval = true; // some speed-up has one
    int name = 13;        // columns of a drafter's name
};
// How many draft tokens each drafter makes, and the rule; says of one that is not lossless that it is not.
[[nodiscard]] std::string setting_lines(const std::vector<Contestant>& contestants);
[[nodiscard]] bool has_interval(const std::vector<Row>& rows); // anywhere
[[nodiscard]] std::string table_head(const TableLook& look);
[[nodiscard]] std::string table_line(const Row& row, const TableLook& look);
// What the interval covers, and what stands where a speed-up cannot be; of all `rows`, also those by domain.
[[nodiscard]] std::string speed_notes(const std::vector<Row>& rows);
// Speed-up by the formula, tokens per round × plain pass ÷ round, beside the measured one.
[[nodiscard]] std::string formula_table(const std::vector<Row>& rows, const Row& plain, const TableLook& look);
// The chance that draft token i stays once all before it did; nothing below kLeastRounds rounds.
inline constexpr int kLeastRounds = 30;
[[nodiscard]] std::string position_table(const std::vector<Row>& rows, const TableLook& look);
// The chance that the first draft token of a round stays: behind the prompt, a full round, a refusal.
[[nodiscard]] std::string first_draft_table(const std::vector<Row>& rows, const TableLook& look);
// Wider or deeper: the ranks of what the target wrote instead of a draft token, and what one more would bring at either place.
[[nodiscard]] std::string one_more_table(const std::vector<Row>& rows, const TableLook& look);
[[nodiscard]] std::string paired_table(const std::vector<PairedRows>& pairs, const TableLook& look);
// Of two chained drafters: who spoke how often, and what was kept of it.
[[nodiscard]] std::string spoken_table(const std::vector<Row>& rows, const TableLook& look);
// Bytes and milliseconds of a round on the way to a server, and what drafting ahead wasted.
[[nodiscard]] std::string wire_table(const std::vector<Row>& rows, const TableLook& look);
// What a million tokens cost at the speeds of the table.
[[nodiscard]] std::string cost_table(const std::vector<Row>& rows, const TableLook& look, const Rent& rent, const std::string& tier);
// What FR-Spec took away: tokens that were written although the drafter could never have drafted them.
[[nodiscard]] std::string vocabulary_notes(const std::vector<Row>& rows, int vocab, bool from_file);
// Tokens per round and speed-up of every drafter in every domain.
[[nodiscard]] std::string domain_table(const std::vector<Row>& rows, const std::vector<std::string>& domains,
                                       const std::vector<Contestant>& contestants, const TableLook& look);

// ---- for programs ----
struct CompareFacts {
    const Header& header; // of a run of this comparison
    std::string backend, model;
    const Options& options;
    const std::vector<Contestant>& contestants;
    const std::vector<ListedPrompt>& prompts; // that were finished
    std::size_t planned = 0;                  // prompts; more than were finished when something ended it early
    double busy_cores = 0;
    bool times = true, speed_up = true; // as in TableLook
    std::optional<Rent> rent = {};      // none: no cost is told
};
// A row's draft_ms, head_ms, verify_ms, accept_ms and other_ms add up to its round_ms; of a table there are
// none.
[[nodiscard]] std::string compare_json(const std::vector<Row>& rows, const CompareFacts& facts);
// One line for every drafter and domain; positions in columns judged_1, kept_1, judged_2 …
[[nodiscard]] std::string compare_csv(const std::vector<Row>& rows, const CompareFacts& facts);

} // namespace speclens::cli
