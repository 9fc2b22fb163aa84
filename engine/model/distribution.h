// A distribution: the probabilities of the next token, one number per vocabulary id (double, sums to 1). And the
// sampling pipeline that turns raw probabilities into the distribution a token is really drawn from.
// Filter order: temperature, top-k, top-p, renormalise; the same pipeline on target and draft.
#pragma once

#include <span>
#include <vector>

namespace speclens {

using Distribution = std::vector<double>; // size = vocabulary

// temperature 0 means greedy: the distribution is one-hot at the largest value, lowest id on ties.
struct Sampling {
    double temperature = 0;
    int top_k = 0;    // 0: off
    double top_p = 1; // 1: off
    bool operator==(const Sampling&) const = default;
};

inline constexpr Sampling kRawSampling{.temperature = 1}; // the model's own distribution

// Throws Error (usage) for a negative or NaN temperature, top_p outside (0, 1], negative top_k.
void check_sampling(const Sampling& sampling);

// Applies temperature (as a power of the T=1 probabilities), top-k and top-p; result sums to 1.
// `raw` may be unnormalised but must be non-negative with a positive finite sum.
[[nodiscard]] Distribution apply_sampling(std::span<const double> raw, const Sampling& sampling);
// Only top-k, top-p and the renormalisation, for rows whose temperature the backend's softmax applied.
void filter_distribution(Distribution& distribution, const Sampling& sampling);

[[nodiscard]] Distribution one_hot(int size, int id);
[[nodiscard]] int argmax(std::span<const double> distribution); // lowest id on ties

// Inverse CDF, ids ascending; falls back to the last id with mass. u in [0, 1).
[[nodiscard]] int sample(std::span<const double> distribution, double u);

// normalise(max(scale * p - q, 0)); mass = the sum before normalising. Empty distribution when mass < 1e-12.
struct Residual {
    Distribution distribution;
    double mass = 0;
};
[[nodiscard]] Residual residual(std::span<const double> p, std::span<const double> q, double scale = 1);

// sum over ids of min(p, q): the probability that the token rule keeps a token drawn from q.
[[nodiscard]] double overlap(std::span<const double> p, std::span<const double> q);

} // namespace speclens
