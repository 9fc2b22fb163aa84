#include "scenes/failures/failures_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/samples.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/reported_speed.h"

namespace speclens {
namespace {

constexpr double kEntropyEdges[] = {0, 0.1, 0.3, kUnsure, 1.2, 2, 99};

std::vector<EntropyBin> entropy_bins(const RunView& whole) {
    std::vector<EntropyBin> bins;
    for (std::size_t i = 0; i + 1 < std::size(kEntropyEdges); ++i) bins.push_back({kEntropyEdges[i], kEntropyEdges[i + 1], 0, 0});
    int seen = 0;
    for (const RoundSummary& round : whole.round_list)
        for (const DraftSlot& slot : round.drafts) {
            if (!slot.check || slot.check->top.empty()) continue;
            const TopEntries& distribution = slot.check->raw_top.empty() ? slot.check->top : slot.check->raw_top;
            const double entropy = entropy_of(distribution);
            for (EntropyBin& bin : bins)
                if (entropy >= bin.low && entropy < bin.high) ++bin.judged, bin.kept += slot.check->accepted, ++seen;
        }
    if (seen == 0) bins.clear();
    return bins;
}

} // namespace

double entropy_of(const TopEntries& top) {
    double sum = 0, mass = 0;
    for (const TopEntries::Entry& entry : top.entries) {
        const double p = std::exp(entry.logp);
        if (p > 0) sum -= p * entry.logp;
        mass += p;
    }
    const double rest = 1 - mass;
    return rest > 1e-9 ? sum - rest * std::log(rest) : std::max(0.0, sum);
}

int guesses_at_most(int k) {
    const auto above = std::ranges::upper_bound(kGuesses, k);
    return std::max(0, static_cast<int>(above - std::begin(kGuesses)) - 1);
}

double verify_rows(const Levers& levers, int requests, int k) { return requests * (1 + levers.drafts * k); }

LoadCell load_cell(const PassTimes& times, const Levers& levers, int requests, int k) {
    const double rows = verify_rows(levers, requests, k), plain = pass_ms(times, requests);
    LoadCell cell{requests, k, 0, rows > times.passes.back().rows, outrun_pass(times, requests) || outrun_pass(times, rows)};
    const double round = levers.draft_cost(k) * plain + pass_ms(times, rows);
    cell.speedup = levers.tokens(k) * plain / round;
    return cell;
}

EntropyFinding entropy_finding(const std::vector<EntropyBin>& bins) {
    EntropyFinding found{{0, kUnsure, 0, 0}, {kUnsure, kEntropyEdges[std::size(kEntropyEdges) - 1], 0, 0}};
    for (const EntropyBin& bin : bins) {
        EntropyBin& half = bin.low < kUnsure ? found.sure : found.unsure;
        half.judged += bin.judged, half.kept += bin.kept;
    }
    if (std::min(found.sure.judged, found.unsure.judged) < kFewGuesses) return found;
    const Interval sure = wilson(found.sure.kept, found.sure.judged), unsure = wilson(found.unsure.kept, found.unsure.judged);
    found.shown = sure.low > unsure.high ? EntropyFinding::Shown::falls : EntropyFinding::Shown::nothing;
    return found;
}

int FailuresModel::best(int row_of) const {
    int found = -1;
    const bool measured = has_measured(row_of);
    for (int column_of = 0; column_of < kLoadColumns; ++column_of) {
        const LoadCell& at = cell(row_of, column_of);
        if (measured && !at.measured) continue;
        if (at.pays() && (found < 0 || at.speedup > cell(row_of, found).speedup)) found = column_of;
    }
    return found;
}

int FailuresModel::best_k(int row_of) const {
    const int found = best(row_of);
    return found < 0 ? 0 : kGuesses[found];
}

bool FailuresModel::pays_anywhere() const { return std::ranges::any_of(cells, &LoadCell::pays); }

bool FailuresModel::doubtful() const {
    const auto doubt_in = [&](int row_of) {
        if (!has_measured(row_of)) return !times->in_doubt().empty() || (best(row_of) >= 0 && cell(row_of, best(row_of)).outrun);
        for (int column_of = 0; column_of < kLoadColumns; ++column_of)
            if (!cell(row_of, column_of).doubt.empty()) return true; // it may be the best
        return false;
    };
    return times && (doubt_in(few()) || doubt_in(many()));
}

bool FailuresModel::has_measured() const {
    return std::ranges::any_of(cells, [](const LoadCell& at) { return at.measured != nullptr; });
}

bool FailuresModel::has_measured(int row_of) const {
    for (int column_of = 0; column_of < kLoadColumns; ++column_of)
        if (cell(row_of, column_of).measured) return true;
    return false;
}

namespace {

// The first and the last row that was measured; the same where one was; none: -1.
std::pair<int, int> measured_rows(const FailuresModel& m) {
    std::pair rows(-1, -1);
    for (int row = 0; row <= kMostBusy; ++row)
        if (m.has_measured(row)) rows = {rows.first < 0 ? row : rows.first, row};
    return rows;
}

} // namespace

int FailuresModel::few() const {
    const auto [first, last] = measured_rows(*this);
    return first < last ? first : 0;
}

int FailuresModel::many() const {
    const auto [first, last] = measured_rows(*this);
    return first < last ? last : kMostBusy;
}

namespace {

// Batches that were decoded take the place of what is simulated, where they were of the run's drafter.
void take_measured(const Sweep& load, const std::string& drafter, std::vector<LoadCell>& cells) {
    for (const SweepCell& measured : load.cells) {
        if (measured.method.drafter != drafter || measured.method.plain() || !measured.speed_up) continue;
        for (LoadCell& cell : cells) {
            if (cell.requests != measured.concurrency || cell.k != measured.method.k) continue;
            cell.measured = &measured;
            cell.speedup = measured.speed_up->value;
            cell.extrapolated = cell.outrun = false;
            cell.doubt = times_doubt(load.busy_cores, measured.speed_up->spread(), 0);
        }
    }
}

// The cell of the bar that the beat is about, until the user chooses another one.
void mark_shared(FailuresModel& m, const FailuresState& state) {
    const LossBar bar = loss_bars(m).bars[static_cast<std::size_t>(Loss::full_pass)];
    const auto* at = std::ranges::find(kRequests, bar.requests);
    if (!state.row && at != std::end(kRequests)) m.row = static_cast<int>(at - std::begin(kRequests));
    if (state.k == 0) m.column = guesses_at_most(bar.k);
}

// Where batches were decoded the first look is at one: the fewest texts, with a K near the run's. Until the user chooses another cell.
void mark_measured(FailuresModel& m, const FailuresState& state) {
    if (state.row || !m.has_measured() || m.marked().measured) return;
    m.row = measured_rows(m).first;
    if (state.k > 0) return;
    const auto far = [&](int column) { return std::abs(kGuesses[column] - kGuesses[m.column]); };
    int nearest = -1;
    for (int column = 0; column < kLoadColumns; ++column)
        if (m.cell(m.row, column).measured && (nearest < 0 || far(column) < far(nearest))) nearest = column;
    m.column = nearest;
}

} // namespace

FailuresModel failures_model(const SceneInput& input, const FailuresState& state) {
    FailuresModel m;
    const SpeedupModel run = speedup_model(input, {});
    m.from_run = run.source == SpeedupModel::Source::run || run.source == SpeedupModel::Source::study;
    m.by_hand = state.alpha.has_value();
    m.levers = run.levers;
    if (state.alpha) m.levers.alpha = *state.alpha;
    m.row = std::clamp(state.row.value_or(0), 0, kMostBusy);
    const Header* header = input.whole->header;
    const int own = header && header->k > 0 ? header->k : 4;
    m.column = guesses_at_most(state.k > 0 ? state.k : own);
    m.bins = entropy_bins(*input.whole);
    m.untimed = untimed_passes(input);
    if (input.status && !input.status->timed_model.empty())
        m.under_way = shared_says("passes.under_way"_t, "model"_v = input.status->timed_model, "done"_v = input.status->timed);
    if (!input.passes || input.passes->passes.size() < 2) return m;
    m.times = input.passes.get();
    for (const int requests : kRequests)
        for (const int k : kGuesses) m.cells.push_back(load_cell(*m.times, m.levers, requests, k));
    if (input.load && header) take_measured(*input.load, header->drafter, m.cells);
    if (input.beat == kMapBeat) mark_measured(m, state);
    if (input.beat == kSharedBeat) mark_shared(m, state);
    return m;
}

Message load_problem(const SceneInput& input, const FailuresModel& m) {
    if (models_loaded(input) && !m.untimed.empty()) return m.untimed;
    if (const Message none = batch_problem(input); !none.empty()) return none;
    return m.times ? Message() : failures_says("controls.first"_t);
}

} // namespace speclens
