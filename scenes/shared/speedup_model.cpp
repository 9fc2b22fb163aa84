#include "scenes/shared/speedup_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/base/lists.h"
#include "engine/base/quantile.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "scenes/shared/chance.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/told.h"

namespace speclens {
namespace {

constexpr int kStudiedLengths[kMeasuredLengths] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15};
constexpr int kRepeats = 5;           // of each, of quick models; the quickest counts, the others were disturbed
constexpr double kOutrun = 1.25;      // times as long as a wider pass: no longer noise
constexpr double kHighest = 0.999;    // of a lever
constexpr double kAlike = 1.1;        // times as fast at most
constexpr double kAssumedBlock = 0.3; // passes, until something is measured
constexpr int kEnoughJudged = 3;      // rounds behind the last position that counts

// Whom to study: the run's own drafter, or the first that is ready.
std::string studied_drafter(const SceneInput& input) {
    const std::string own = input.settings ? network_of(input.settings->drafter) : "";
    const DrafterInfo* info = find_drafter(own);
    if (info && !info->tree && own != kNoDrafter && drafter_ready(input, own)) return own;
    return first_ready_drafter(input);
}

RunSettings studied_run(const SceneInput& input, const std::string& drafter, int k) {
    RunSettings settings = input.settings ? *input.settings : RunSettings{};
    if (settings.drafter != drafter) settings = with_drafter(settings, drafter);
    settings.trace_top = 0;
    settings.timing = true;
    settings.internals = false;
    settings.fork = 0;
    return with_draft_length(std::move(settings), k);
}

// Position by position, over the runs of all draft lengths: a position is judged in each that reaches it.
void take_positions(SpeedupModel& m, const std::vector<int>& judged, const std::vector<int>& kept) {
    int all = 0, stayed = 0;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        all += judged[i], stayed += kept[i];
        if (judged[i] < kEnoughJudged || m.stays.size() < i) continue; // a gap ends what is known
        m.stays.push_back(static_cast<double>(kept[i]) / judged[i]);
        m.judged.push_back(judged[i]);
    }
    m.levers.alpha = all > 0 ? std::min(kHighest, static_cast<double>(stayed) / all) : 0;
}

// Between measured draft lengths, and on beyond them with the last slope.
double between(const std::vector<SpeedupPoint>& points, int k, double at_zero, double (*of)(const SpeedupPoint&)) {
    double k0 = 0, v0 = at_zero, slope = 0;
    for (const SpeedupPoint& p : points) {
        if (p.k == k) return of(p);
        slope = (of(p) - v0) / (p.k - k0);
        if (p.k > k) return v0 + slope * (k - k0);
        k0 = p.k, v0 = of(p);
    }
    return v0 + std::max(0.0, slope) * (k - k0);
}

double drafting(const SpeedupPoint& p) { return p.draft + p.head; }
double verifying(const SpeedupPoint& p) { return p.verify; }

// Standard error of the tokens of a round: how many rounds kept i draft tokens and more is recorded, so how many
// kept how many is.
double tokens_error(const StudyPoint& p) {
    if (p.rounds < 2) return p.tokens_per_round();
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < p.kept.size(); ++i) {
        const double share = static_cast<double>(p.kept[i]) / p.rounds;
        mean += share;
        square += static_cast<double>(2 * i + 1) * share;
    }
    return std::sqrt(std::max(0.0, square - mean * mean) / (p.rounds - 1));
}

// Of all lengths together.
double share_with_drafts(const std::vector<SpeedupPoint>& points) {
    double with = 0, all = 0;
    for (const SpeedupPoint& p : points) with += p.drafts * p.rounds, all += p.rounds;
    return all > 0 ? with / all : 1;
}

// True when the study at hand is about what is on the screen and says enough; else `m` is half filled.
bool take_study(SpeedupModel& m, const SceneInput& input) {
    const Study* study = study_named(input, kSpeedupStudy);
    if (!study || study->points.empty() || without_passes(input)) return false;
    std::vector<int> judged, kept;
    std::map<int, std::vector<double>> tries; // ms of a round with drafts, by length
    std::map<int, double> error;              // of its tokens
    std::map<int, double> spread;             // of its times
    double plain_spread = 0;
    for (const StudyPoint& p : study->points) {
        if (p.settings != studied_run(input, p.settings.k == 0 ? "none" : m.drafter, p.settings.k)) return false;
        if (!p.problem.empty() || p.verify_ms <= 0) continue;
        if (p.most > 0) continue; // the drafter cannot draft so many: it is a shorter length once more
        if (p.settings.k == 0) {
            plain_spread = p.spread;
            m.plain_ms = m.plain_ms > 0 ? std::min(m.plain_ms, p.verify_ms) : p.verify_ms;
            continue;
        }
        const auto same = std::ranges::find(m.points, p.settings.k, &SpeedupPoint::k);
        SpeedupPoint& point = same == m.points.end() ? m.points.emplace_back() : *same;
        const auto quickest = [&](double& best, double ms) { best = point.k == 0 ? ms : std::min(best, ms); };
        quickest(point.draft, p.draft_ms - p.head_ms);
        quickest(point.head, p.head_ms);
        quickest(point.verify, p.verify_ms);
        spread[p.settings.k] = p.spread;
        tries[p.settings.k].push_back(p.draft_ms + p.verify_ms);
        if (point.k != 0) continue; // another try of the same length: the same tokens
        point.k = p.settings.k;
        point.rounds = p.rounds;
        point.drafts = p.judged.empty() ? 0 : p.judged.front() / static_cast<double>(p.judged.front() + p.without);
        point.tokens = p.tokens_per_round();
        error[point.k] = tokens_error(p);
        judged.resize(std::max(judged.size(), p.judged.size()));
        kept.resize(judged.size());
        for (std::size_t i = 0; i < p.judged.size(); ++i) judged[i] += p.judged[i], kept[i] += p.kept[i];
    }
    m.measuring = !study->complete();
    m.stopped = study->left_out > 0;
    std::ranges::sort(m.points, {}, &SpeedupPoint::k);
    take_positions(m, judged, kept);
    if (m.points.size() < 2 || m.plain_ms <= 0 || m.stays.empty()) return false;
    const SpeedupPoint &a = m.points.front(), &b = m.points.back();
    m.levers.draft = std::max(0.0, (drafting(b) - drafting(a)) / (b.k - a.k) / m.plain_ms);
    // Passes do not grow by the same for every row, the widest ones most: the middle one of the lengths says
    // what a row costs.
    std::vector<double> rows;
    for (const SpeedupPoint& p : m.points) rows.push_back((p.verify / m.plain_ms - 1) / p.k);
    m.levers.verify = std::max(0.0, median(std::move(rows)));
    if (drafts_at_once(m.drafter)) m.levers.block = std::max(0.0, drafting(a) / m.plain_ms - a.k * m.levers.draft);
    m.levers.drafts = share_with_drafts(m.points);
    double widest = 0; // of the passes so far
    for (SpeedupPoint& p : m.points) {
        m.outrun = m.outrun || widest > kOutrun * p.verify;
        widest = std::max(widest, p.verify);
        p.draft *= p.drafts, p.head *= p.drafts;
        p.verify = p.drafts * p.verify + (1 - p.drafts) * m.plain_ms;
        p.speedup = p.tokens * m.plain_ms / (drafting(p) + p.verify);
        const double noise = std::hypot(1.96 * error[p.k] / p.tokens, middle_over_quickest(tries[p.k]));
        // Times so much either way: a speed-up of 0 cannot be, however few the rounds.
        p.low = p.speedup * std::exp(-noise) / (1 + spread[p.k]);
        p.high = p.speedup * std::exp(noise) * (1 + plain_spread);
    }
    m.doubt = study_doubt(*study);
    return true;
}

// What the intervals leave open.
void judge_chance(SpeedupModel& m, const SpeedupPoint& best) {
    for (const SpeedupPoint& p : m.points) {
        if (p.high < best.low) continue;
        m.as_fast.push_back(p.k);
        m.alike = m.alike && p.speedup * kAlike >= best.speedup;
    }
    m.even = std::ranges::any_of(m.points, [](const SpeedupPoint& p) { return p.high >= 1; }) && best.low <= 1;
    m.close = best.speedup <= kAlike && best.speedup * kAlike >= 1;
}

// The numbers from the run on the screen: what it accepted, and what its rounds took.
bool take_run(SpeedupModel& m, const SceneInput& input) {
    const RunView& run = *input.whole;
    const double plain = plain_ms(input);
    if (!run.header || run.header->k < 1 || plain <= 0) return false;
    int judged = 0, kept = 0, rounds = 0, without = 0;
    // Of a draft token, of a block and of a row, by round. A pass that the machine held up would decide a mean.
    std::vector<double> draft, block, row;
    // One length says not what drafting costs at another: a pass over a block counts as the same for all.
    const bool at_once = drafts_at_once(run.header->drafter);
    for (const RoundSummary& round : run.round_list) {
        if (round.tree || !round.complete() || round.verify_ms <= 0) continue;
        if (round.drafts.empty()) {
            without += &round != &run.round_list.back(); // which may have had no room for a draft
            continue;
        }
        for (std::size_t i = 0; i < round.judged_in_order(); ++i) ++judged, kept += round.drafts[i].check->accepted;
        const auto drafts = static_cast<double>(round.drafts.size());
        draft.push_back((at_once ? round.head_ms : round.draft_ms) / drafts);
        block.push_back(round.draft_ms - round.head_ms);
        row.push_back((round.verify_ms - plain) / drafts);
        ++rounds;
    }
    if (judged == 0) return false;
    m.plain_ms = plain;
    if (input.trace) m.doubt = reported_speed(run, *input.trace).doubt;
    m.levers.alpha = std::min(kHighest, static_cast<double>(kept) / judged);
    m.levers.draft = median(std::move(draft)) / plain;
    m.levers.block = at_once ? median(std::move(block)) / plain : 0;
    m.levers.verify = std::max(0.0, median(std::move(row)) / plain);
    m.levers.drafts = static_cast<double>(rounds) / (rounds + without);
    return true;
}

} // namespace

double expected_tokens(double alpha, int k) { return alpha >= 1 ? k + 1 : (1 - std::pow(alpha, k + 1)) / (1 - alpha); }

double expected_tokens(std::span<const double> stays, int k) {
    double tokens = 1, reach = 1;
    for (std::size_t i = 0; i < stays.size() && static_cast<int>(i) < k; ++i) tokens += reach *= stays[i];
    return tokens;
}

double SpeedupModel::draft_cost(int k) const { return measured() ? between(points, k, 0, drafting) / plain_ms : levers.draft_cost(k); }

double SpeedupModel::verify_cost(int k) const {
    return measured() ? between(points, k, plain_ms, verifying) / plain_ms : levers.verify_cost(k);
}

double SpeedupModel::tokens_at(int k) const {
    if (const SpeedupPoint* p = point(k); p && measured()) return p->tokens;
    return k <= static_cast<int>(tokens.size()) ? tokens[static_cast<std::size_t>(k - 1)] : 0;
}

double SpeedupModel::drafts_at(int k) const {
    if (!measured()) return levers.drafts;
    const auto longer = std::ranges::upper_bound(points, k, {}, &SpeedupPoint::k);
    return longer == points.begin() ? points.front().drafts : std::prev(longer)->drafts;
}

bool SpeedupPoint::few() const { return rounds < kEnoughRounds; }

const SpeedupPoint* SpeedupModel::point(int k) const { return find_with(points, k, &SpeedupPoint::k); }

RunStudy speedup_study(const SceneInput& input) {
    RunStudy study{kSpeedupStudy, {}};
    if (without_passes(input)) return study;
    const std::string drafter = studied_drafter(input);
    if (drafter.empty()) return study;
    const int repeats = quick_to_measure(input) ? kRepeats : 1;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        study.runs.push_back(studied_run(input, kNoDrafter, 0));
        for (const int k : kStudiedLengths) study.runs.push_back(studied_run(input, drafter, k));
    }
    return study;
}

SpeedupModel speedup_model(const SceneInput& input, const SpeedupState& state) {
    SpeedupModel m;
    m.drafter = studied_drafter(input);
    if (input.settings && input.settings->drafter != m.drafter) m.own = input.settings->drafter;
    if (without_passes(input)) {
        m.table = input.whole->header->tier == "TABLE";
        m.server = !m.table;
    }
    const Study* study = study_named(input, kSpeedupStudy);
    m.measuring = study && !study->complete();
    if (SpeedupModel studied = m; take_study(studied, input)) {
        m = std::move(studied);
        m.source = SpeedupModel::Source::study;
    } else {
        if (drafts_at_once(m.drafter)) m.levers.draft = 0, m.levers.block = find_drafter(m.drafter)->copies() ? 0 : kAssumedBlock;
        m.source = take_run(m, input) ? SpeedupModel::Source::run : SpeedupModel::Source::assumed;
    }
    if (state.by_hand) {
        m.source = SpeedupModel::Source::hand;
        m.levers = state.levers;
    }
    for (int k = 1; k <= kLongestDraft; ++k) {
        if (m.measured() && k > static_cast<int>(m.stays.size())) break;
        m.tokens.push_back(m.measured() ? 1 + m.drafts_at(k) * (expected_tokens(m.stays, k) - 1) : m.levers.tokens(k));
        m.speedup.push_back(m.tokens.back() / (m.draft_cost(k) + m.verify_cost(k)));
    }
    // What was seen counts more than what is interpolated.
    m.best = m.measured() ? std::ranges::max_element(m.points, {}, &SpeedupPoint::speedup)->k
                          : static_cast<int>(std::ranges::max_element(m.speedup) - m.speedup.begin()) + 1;
    if (m.measured()) judge_chance(m, *m.point(m.best));
    m.marked = std::clamp(state.k > 0 ? state.k : m.best, 1, kLongestDraft);
    while (!m.known(m.marked)) --m.marked; // the first length always is
    return m;
}

Message share_words(const Levers& levers) {
    return levers.drafts < 1 ? shared_says("cost.share"_t, "rounds"_v = levers.drafts) : Message();
}

Message drafting_words(const Levers& levers) {
    if (levers.block <= 0) return shared_says("cost.guess"_t, "passes"_v = in_passes(levers.draft));
    return shared_says("cost.block"_t, "passes"_v = in_passes(levers.block),
                       "each"_v = levers.draft >= 0.005 ? std::optional(levers.draft) : std::nullopt);
}

Message in_passes(double cost) { return shared_says("cost.passes"_t, "passes"_v = cost); }

} // namespace speclens
