#include "scenes/failures_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "scenes/cycle_pick.h"

namespace speclens {
namespace {

constexpr double kEntropyEdges[] = {0, 0.1, 0.3, 0.7, 1.2, 2, 99};

std::vector<EntropyBin> entropy_bins(const CycleView& whole) {
    std::vector<EntropyBin> bins;
    for (std::size_t i = 0; i + 1 < std::size(kEntropyEdges); ++i)
        bins.push_back({kEntropyEdges[i], kEntropyEdges[i + 1], 0, 0});
    int seen = 0;
    for (const CycleSummary& cycle : whole.cycles)
        for (const DraftSlot& slot : cycle.drafts) {
            if (!slot.check || slot.check->top.empty()) continue;
            const Top& law = slot.check->raw_top.empty() ? slot.check->top : slot.check->raw_top;
            const double entropy = entropy_of(law);
            for (EntropyBin& bin : bins)
                if (entropy >= bin.low && entropy < bin.high)
                    ++bin.judged, bin.kept += slot.check->accepted, ++seen;
        }
    if (seen == 0) bins.clear();
    return bins;
}

} // namespace

double entropy_of(const Top& top) {
    double sum = 0, mass = 0;
    for (const Top::Entry& entry : top.entries) {
        const double p = std::exp(entry.logp);
        if (p > 0) sum -= p * entry.logp;
        mass += p;
    }
    const double rest = 1 - mass;
    return rest > 1e-9 ? sum - rest * std::log(rest) : std::max(0.0, sum);
}

double pass_ms(const PassTimes& times, double rows) {
    const auto& passes = times.passes;
    std::size_t i = 1;
    while (i + 1 < passes.size() && passes[i].rows < rows) ++i;
    const PassTime &a = passes[i - 1], &b = passes[i];
    const double slope = (b.ms - a.ms) / (b.rows - a.rows);
    // Beyond the widest pass the arithmetic is the limit: time never falls there.
    if (rows > b.rows) return b.ms + std::max(0.0, slope) * (rows - b.rows);
    return a.ms + slope * (rows - a.rows);
}

LoadCell load_cell(const PassTimes& times, const Levers& levers, int requests, int k) {
    LoadCell cell{requests, k, 0, requests * (k + 1) > times.passes.back().rows};
    const double plain = pass_ms(times, requests);
    const double round = k * levers.draft * plain + pass_ms(times, static_cast<double>(requests) * (k + 1));
    cell.speedup = expected_tokens(levers.alpha, k) * plain / round;
    return cell;
}

int FailuresModel::best_k(int row_of) const {
    int best = 0;
    for (int length = 1; length <= kMostGuesses; ++length)
        if (cell(row_of, length).speedup > (best == 0 ? 1 : cell(row_of, best).speedup)) best = length;
    return best;
}

FailuresModel failures_model(const SceneInput& input, const FailuresState& state) {
    FailuresModel m;
    const SpeedupModel run = speedup_model(input, {});
    m.from_run = run.source == SpeedupModel::Source::run || run.source == SpeedupModel::Source::study;
    m.levers = run.levers;
    if (state.alpha) m.levers.alpha = *state.alpha;
    m.row = std::clamp(state.row, 0, static_cast<int>(std::size(kRequests)) - 1);
    m.k = std::clamp(state.k, 1, kMostGuesses);
    m.bins = entropy_bins(*input.whole);
    if (!input.passes || input.passes->passes.size() < 2) return m;
    m.times = input.passes;
    for (const int requests : kRequests)
        for (int k = 1; k <= kMostGuesses; ++k) m.cells.push_back(load_cell(*m.times, m.levers, requests, k));
    return m;
}

} // namespace speclens
