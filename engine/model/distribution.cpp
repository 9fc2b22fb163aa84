#include "engine/model/distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/error.h"

namespace speclens {
namespace {

// Multiplies by a constant so that the distribution sums to 1. The sum runs over ids ascending.
void normalise(Distribution& distribution) {
    const double sum = std::accumulate(distribution.begin(), distribution.end(), 0.0);
    CHECK(sum > 0 && std::isfinite(sum), "a distribution needs a positive finite sum");
    if (sum == 1) return;
    for (double& value : distribution) value /= sum;
}

// Ids by probability, largest first, ties by id: the order of every filter. Only the first `count` are sorted.
std::vector<int> by_probability(const Distribution& distribution, std::size_t count) {
    std::vector<int> ids;
    for (std::size_t i = 0; i < distribution.size(); ++i)
        if (distribution[i] > 0) ids.push_back(static_cast<int>(i));
    const auto larger = [&](int a, int b) { return distribution[a] != distribution[b] ? distribution[a] > distribution[b] : a < b; };
    count = std::min(count, ids.size());
    std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(), larger);
    ids.resize(count);
    return ids;
}

// Keeps the listed ids, in place.
void keep_only(Distribution& distribution, const std::vector<int>& ids) {
    Distribution kept(distribution.size(), 0.0);
    for (int id : ids) kept[static_cast<std::size_t>(id)] = distribution[static_cast<std::size_t>(id)];
    distribution = std::move(kept);
    normalise(distribution);
}

} // namespace

void check_sampling(const Sampling& s) {
    constexpr double kLeastTemperature = 1e-30;
    if (!(s.temperature >= 0) || !std::isfinite(s.temperature))
        throw Error("temperature must be 0 or more, got " + std::to_string(s.temperature),
                    "Use 0 for greedy decoding or a value such as 0.8.", Exit::usage);
    if (s.temperature > 0 && s.temperature < kLeastTemperature) // dividing by it leaves the range of a float
        throw Error("a temperature above 0 must be at least 1e-30", "Use 0 for greedy decoding.", Exit::usage);
    if (!(s.top_p > 0 && s.top_p <= 1))
        throw Error("top-p must be in (0, 1], got " + std::to_string(s.top_p),
                    "Use 1 to switch the filter off; a very small value keeps only the most likely token.", Exit::usage);
    if (s.top_k < 0) throw Error("top-k must be 0 or more, got " + std::to_string(s.top_k), "Use 0 to switch the filter off.", Exit::usage);
}

void filter_distribution(Distribution& distribution, const Sampling& s) {
    if (s.top_k > 0 && static_cast<std::size_t>(s.top_k) < distribution.size())
        keep_only(distribution, by_probability(distribution, s.top_k));
    if (s.top_p < 1) {
        // The smallest set of most likely ids whose mass reaches top_p; the first one always stays. Sorting
        // starts with a short head, since the set is short in practice.
        for (std::size_t head = 256;; head *= 8) {
            const std::vector<int> ids = by_probability(distribution, head);
            double mass = 0;
            std::size_t count = 0;
            while (count < ids.size() && mass < s.top_p) mass += distribution[ids[count++]];
            if (mass < s.top_p && ids.size() == head) continue;
            keep_only(distribution, {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count)});
            break;
        }
    }
    normalise(distribution);
}

Distribution apply_sampling(std::span<const double> raw, const Sampling& s) {
    if (s.temperature == 0) return one_hot(static_cast<int>(raw.size()), argmax(raw));
    Distribution distribution(raw.begin(), raw.end());
    if (s.temperature != 1) {
        const double largest = *std::max_element(distribution.begin(), distribution.end());
        for (double& value : distribution) value = value > 0 ? std::exp(std::log(value / largest) / s.temperature) : 0;
    }
    normalise(distribution);
    filter_distribution(distribution, s);
    return distribution;
}

Distribution one_hot(int size, int id) {
    Distribution distribution(static_cast<std::size_t>(size), 0.0);
    distribution[static_cast<std::size_t>(id)] = 1;
    return distribution;
}

int argmax(std::span<const double> distribution) {
    return static_cast<int>(std::max_element(distribution.begin(), distribution.end()) - distribution.begin());
}

int sample(std::span<const double> distribution, double u) {
    double mass = 0;
    int last = -1;
    for (std::size_t i = 0; i < distribution.size(); ++i) {
        if (distribution[i] <= 0) continue;
        mass += distribution[i];
        last = static_cast<int>(i);
        if (u < mass) return last;
    }
    CHECK(last >= 0, "sampling from a distribution without mass");
    return last;
}

Residual residual(std::span<const double> p, std::span<const double> q, double scale) {
    CHECK(p.size() == q.size(), "distributions of different vocabularies");
    Residual r;
    r.distribution.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        r.distribution[i] = std::max(scale * p[i] - q[i], 0.0);
        r.mass += r.distribution[i];
    }
    if (r.mass < 1e-12) {
        r.distribution.clear();
        return r;
    }
    for (double& value : r.distribution) value /= r.mass;
    return r;
}

double overlap(std::span<const double> p, std::span<const double> q) {
    CHECK(p.size() == q.size(), "distributions of different vocabularies");
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += std::min(p[i], q[i]);
    return sum;
}

} // namespace speclens
