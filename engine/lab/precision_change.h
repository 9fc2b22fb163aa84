// What a precision of products changes of a model: the log-probabilities of the tokens of a fixed text, the tokens that it
// finds likeliest, and how much of each drafter's draft tokens is kept. A model is read by itself, so that two precisions of it
// need not be in memory at once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/types.h"

namespace speclens {

struct Models;      // engine/models/models.h
struct RunSettings; // engine/run/run_settings.h

// What a drafter reached over some prompts at temperature 0.
struct DraftReading {
    std::string drafter;
    int k = 0;
    int rounds = 0, tokens = 0;
    [[nodiscard]] double tokens_per_round() const { return rounds > 0 ? static_cast<double>(tokens) / rounds : 0; }
};

struct PrecisionReading {
    Precision precision = Precision::f32;
    // Of each token of the text but the first, given those before it: natural log of its probability at temperature 1, and
    // the likeliest id at its place (the lowest of equal ones).
    std::vector<double> logp = {};
    std::vector<int> likeliest = {};
    std::vector<DraftReading> drafters = {};
};

// `text`: ids, two at least, at most Models::holds(). `runs`: prompts; every drafter that can run continues each of them
// greedily. Needs a model, not a table or a server. `go_on(done)` is asked with the share that is done and may throw.
// Throws Error (memory).
[[nodiscard]] PrecisionReading read_precision(const std::shared_ptr<const Models>& models, std::span<const int> text,
                                              std::span<const RunSettings> runs, const std::function<void(double)>& go_on = {});

struct PrecisionChange {
    Precision from = Precision::f32, to = Precision::f32;
    int tokens = 0;                  // that have a log-probability
    double mean = 0;                 // of to − from, natural log
    double mean_size = 0, worst = 0; // of |to − from|
    int worst_at = 0;                // index of that token in the text
    int likeliest_differs = 0;       // places
    struct Drafter {
        DraftReading from, to;
    };
    std::vector<Drafter> drafters = {};
};
// Two readings of one text; drafters that both have.
[[nodiscard]] PrecisionChange change_between(const PrecisionReading& from, const PrecisionReading& to);

} // namespace speclens
