// What the slices of a sweep say: ratios, crossings, and how sure they are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/quantile.h"
#include "engine/base/rng.h"
#include "engine/batch/ratio.h"
#include "engine/batch/sweep.h"

namespace speclens {
namespace {

constexpr int kDraws = 999;
constexpr double kLow = 0.05, kHigh = 0.95;

// Which slices of a cell one draw of the bootstrap takes; `purpose` tells cells apart.
std::vector<std::size_t> drawn(std::size_t slices, int draw, std::uint32_t cell) {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < slices; ++i) {
        const double u =
            uniform({.seed = 40, .position = static_cast<std::uint32_t>(draw), .lane = cell, .attempt = static_cast<std::uint32_t>(i)});
        taken.push_back(std::min(slices - 1, static_cast<std::size_t>(u * static_cast<double>(slices))));
    }
    return taken;
}

using Rates = std::vector<double>;

// Those with the same number were measured one after the other, so what disturbed one disturbed both.
double ratio(const Rates& with, const Rates& without, const std::vector<std::size_t>& turns) {
    double sum = 0;
    int count = 0;
    for (const std::size_t i : turns) {
        if (with[i] <= 0 || without[i] <= 0) continue;
        sum += std::log(with[i] / without[i]);
        ++count;
    }
    return count > 0 ? std::exp(sum / count) : 0;
}

Rates rates_of(const SweepCell& cell) {
    Rates rates;
    for (const SweepSlice& slice : cell.slices) rates.push_back(slice.tokens_per_second());
    return rates;
}

std::size_t common(const Rates& with, const Rates& without) { return std::min(with.size(), without.size()); }

std::vector<std::size_t> all_of(std::size_t slices) {
    std::vector<std::size_t> all(slices);
    for (std::size_t i = 0; i < slices; ++i) all[i] = i;
    return all;
}

// Where the ratios, one for each number of texts, fall through 1; minus or plus infinity: below or above all of them.
double crossing(const std::vector<double>& texts, const std::vector<double>& ratios) {
    if (ratios.back() >= 1) return std::numeric_limits<double>::infinity();
    std::size_t last = ratios.size(); // the last number of texts with which it pays
    for (std::size_t i = 0; i < ratios.size(); ++i)
        if (ratios[i] >= 1) last = i;
    if (last == ratios.size()) return -std::numeric_limits<double>::infinity();
    const double above = std::log(ratios[last]), below = std::log(ratios[last + 1]);
    const double share = above / (above - below);
    return std::exp(std::log(texts[last]) + share * (std::log(texts[last + 1]) - std::log(texts[last])));
}

} // namespace

double SweepInterval::spread() const { return low > 0 && value > 0 ? std::max(high / value, value / low) - 1 : 0; }

SweepInterval ratio_of(const std::vector<double>& with, const std::vector<double>& without) {
    const std::size_t turns = common(with, without);
    SweepInterval found{.value = ratio(with, without, all_of(turns))};
    std::vector<double> ratios;
    for (int draw = 0; draw < kDraws; ++draw) ratios.push_back(ratio(with, without, drawn(turns, draw, 0)));
    found.low = quantile(ratios, kLow);
    found.high = quantile(ratios, kHigh);
    return found;
}

SweepInterval speed_up_of(const SweepCell& cell, const SweepCell& plain) { return ratio_of(rates_of(cell), rates_of(plain)); }

std::optional<SweepCrossing> crossing_of(const std::vector<const SweepCell*>& cells, const std::vector<const SweepCell*>& plain) {
    std::vector<Rates> with, without;
    std::vector<double> texts;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!cells[i]->measured() || !plain[i]->measured() || cells[i]->sum.tokens == 0 || plain[i]->sum.tokens == 0) continue;
        with.push_back(rates_of(*cells[i]));
        without.push_back(rates_of(*plain[i]));
        texts.push_back(cells[i]->concurrency);
    }
    if (with.size() < 2) return std::nullopt;
    const auto crossing_with = [&](const std::function<std::vector<std::size_t>(std::size_t slices, std::uint32_t cell)>& take) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < with.size(); ++i)
            ratios.push_back(ratio(with[i], without[i], take(common(with[i], without[i]), static_cast<std::uint32_t>(i))));
        return crossing(texts, ratios);
    };
    SweepCrossing found;
    found.texts.value = crossing_with([](std::size_t slices, std::uint32_t) { return all_of(slices); });
    std::vector<double> drawn_crossings;
    for (int draw = 0; draw < kDraws; ++draw)
        drawn_crossings.push_back(crossing_with([&](std::size_t slices, std::uint32_t cell) { return drawn(slices, draw, cell); }));
    found.texts.low = quantile(drawn_crossings, kLow);
    found.texts.high = quantile(drawn_crossings, kHigh);
    found.open_low = std::isinf(found.texts.low) && found.texts.low < 0;
    found.open_high = std::isinf(found.texts.high) && found.texts.high > 0;
    if (found.open_low) found.texts.low = texts.front();
    if (found.open_high) found.texts.high = texts.back();
    if (std::isinf(found.texts.low)) found.texts.low = texts.back();
    if (std::isinf(found.texts.high)) found.texts.high = texts.front();
    if (std::isinf(found.texts.value)) {
        found.where = found.texts.value < 0 ? SweepCrossing::Where::below : SweepCrossing::Where::above;
        found.texts.value = found.texts.value < 0 ? texts.front() : texts.back();
    }
    return found;
}

} // namespace speclens
