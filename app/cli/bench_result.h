// What `speclens bench` measured: as the table that is printed and as JSON, schema speclens-bench/1.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/lab/pass_times.h"

namespace speclens::cli {

// What drafting costs, ms per round: medians over whole runs.
struct DraftCost {
    std::string name;
    int k = 0;
    double net_ms = 0, head_ms = 0, round_ms = 0; // a round is drafting, verifying and accepting
    [[nodiscard]] double of_round(double ms) const { return round_ms > 0 ? ms / round_ms : 0; }
};

struct BenchResult {
    std::string machine, date, backend, device, isa, model; // isa: "AVX-512"; device: all of it
    std::string precision;                                  // "weights bf16, cache f32"
    int threads = 0;
    bool random_weights = false;
    std::vector<PassTimes> contexts;   // the default one first; not empty
    std::vector<std::string> left_out; // contexts that were not measured, and why, a sentence each
    int prefill_tokens = 0;            // 0: the model has no room for it
    Timing prefill;                    // of so many
    double load_ms = 0;                // or making the weights
    double memory_bytes = 0;           // weights, and the cache of a run
    double peak_bytes = 0;             // of the process so far
    double stays_bytes = 0;            // weights of all models, keys and values of `stays_tokens` tokens: what a peak is measured by
    int stays_tokens = 0;
    int draft_repeats = 0; // runs behind the medians of `drafts`
    std::vector<DraftCost> drafts;
    std::optional<double> overhead, frame; // of recording, a share; of a frame of the window, ms
    double other_cores = 0;                // that other programs kept busy from the first pass to the last run
    std::exception_ptr ended_by;           // what was measured until then is told first

    [[nodiscard]] const PassTimes& default_times() const { return contexts.front(); }
    [[nodiscard]] double median_ms(int rows) const; // of a pass in the default context; 0: not measured
    [[nodiscard]] std::string in_doubt() const;     // why, after "because"; empty: nothing is
};

// What is measured and where: the first fields of its JSON, known before anything is timed.
[[nodiscard]] OrderedJson bench_subject(const BenchResult& result);
[[nodiscard]] OrderedJson bench_json(const BenchResult& result);
[[nodiscard]] std::string bench_table(const BenchResult& result);

// `speclens bench --against FILE.json`: this result beside an earlier one.

// Throws Error where `then` is no result of bench, is older than spreads, or is of another model, weights, precision or
// kind of device, which no table of ratios is about. Of `now` it needs the fields that name these. `name` is the file in
// messages.
void check_comparable(const Json& now, const Json& then, const std::string& name);

// A table of now, then and their ratio; "cannot be told apart" where the intervals from lower quartile to median have
// something in common. Says first where the earlier one is of another machine, or one of the two is in doubt. Throws as
// check_comparable().
[[nodiscard]] std::string against_table(const Json& now, const Json& then, const std::string& name);

} // namespace speclens::cli
