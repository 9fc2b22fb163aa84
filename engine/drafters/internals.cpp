#include "engine/drafters/internals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "engine/base/lists.h"
#include "kernels/error.h"

namespace speclens {
namespace {

double six_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::strtod(text, nullptr);
}

double log_of_sum(std::span<const float> logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float value : logits) sum += std::exp(static_cast<double>(value) - largest);
    return largest + std::log(sum);
}

// Ids of the `count` largest values, largest first, ties by lowest id.
std::vector<int> likeliest(std::span<const float> logits, std::size_t count) {
    std::vector<int> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    const auto known = std::count_if(logits.begin(), logits.end(), [](float value) { return std::isfinite(value); });
    count = std::min(count, static_cast<std::size_t>(known)); // the others were cut out of a head or a pool
    std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(), [&](int a, int b) {
        const float left = logits[static_cast<std::size_t>(a)], right = logits[static_cast<std::size_t>(b)];
        return left != right ? left > right : a < b;
    });
    ids.resize(count);
    return ids;
}

} // namespace

const Internals::Strip* Internals::strip(std::string_view name) const { return find_with(strips, name, &Strip::name); }

std::optional<double> Internals::number(std::string_view name) const {
    for (const Number& number : numbers)
        if (number.name == name) return number.value;
    return std::nullopt;
}

void Internals::add(std::string name, std::span<const float> vector) {
    if (vector.empty()) return;
    Strip strip;
    strip.name = std::move(name);
    strip.values = static_cast<int>(vector.size());
    const std::size_t cells = std::min<std::size_t>(vector.size(), kCells);
    for (std::size_t i = 0; i < cells; ++i) {
        const std::size_t from = i * vector.size() / cells, to = (i + 1) * vector.size() / cells;
        double sum = 0;
        for (std::size_t j = from; j < to; ++j) sum += static_cast<double>(vector[j]);
        strip.cells.push_back(six_digits(sum / static_cast<double>(to - from)));
    }
    const auto [low, high] = std::minmax_element(strip.cells.begin(), strip.cells.end());
    strip.low = *low;
    strip.high = *high;
    strips.push_back(std::move(strip));
}

void Internals::add(std::string name, double value, std::string unit) {
    numbers.push_back({std::move(name), six_digits(value), std::move(unit)});
}

void Internals::add_correction(std::span<const float> base, std::span<const float> corrected) {
    CHECK(base.size() == corrected.size() && !base.empty(), "a correction changes the logits of one vocabulary");
    double squares = 0, sum = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
        if (!std::isfinite(base[i]) || !std::isfinite(corrected[i])) continue; // cut out of head or pool
        const double delta = static_cast<double>(corrected[i]) - static_cast<double>(base[i]);
        squares += delta * delta;
        sum += delta;
    }
    add("delta l2", std::sqrt(squares), "logits");
    add("delta mean", sum / static_cast<double>(base.size()), "logits");

    const double base_sum = log_of_sum(base), final_sum = log_of_sum(corrected);
    const std::vector<int> before = likeliest(base, kMovers), after = likeliest(corrected, kMovers);
    std::vector<int> ids = before;
    for (const int id : after)
        if (std::find(before.begin(), before.end(), id) == before.end()) ids.push_back(id);
    for (const int id : ids) {
        const auto at = static_cast<std::size_t>(id);
        if (!std::isfinite(base[at]) || !std::isfinite(corrected[at])) continue;
        const double was = static_cast<double>(base[at]), is = static_cast<double>(corrected[at]);
        movers.push_back(
            {id, six_digits(was), six_digits(is), six_digits(std::min(0.0, was - base_sum)), six_digits(std::min(0.0, is - final_sum))});
    }
    const auto leads = [&](int id) { return id == before.front() || id == after.front(); };
    std::erase_if(
        movers, [&](const Mover& mover) { return !leads(mover.token) && std::exp(std::max(mover.base_logp, mover.final_logp)) < kLikely; });
    const auto larger = [](const Mover& a, const Mover& b) {
        const double left = std::abs(a.gain()), right = std::abs(b.gain());
        return left != right ? left > right : a.token < b.token;
    };
    std::sort(movers.begin(), movers.end(),
              [&](const Mover& a, const Mover& b) { return leads(a.token) != leads(b.token) ? leads(a.token) : larger(a, b); });
    movers.resize(std::min<std::size_t>(movers.size(), kMovers));
    std::sort(movers.begin(), movers.end(), larger);
}

} // namespace speclens
