#include "scenes/shared/chance.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/shared/plain_time.h"
#include "scenes/shared/told.h"

namespace speclens {
namespace {

constexpr double kQuickPassMs = 5;
constexpr int kSeedsOfQuickRuns = 16, kSeedsOfSlowRuns = 4, kMostSeeds = 64;

// 97.5 % point of Student's t: few seeds tell their own spread badly. Cornish and Fisher's expansion, within
// 1 % from three degrees of freedom on.
double student(int degrees) {
    constexpr double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    const double n = degrees;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

// Half of the 95 % interval of a mean whose summands lie so far from it.
double half_interval(const std::vector<double>& away) {
    double square = 0;
    for (const double one : away) square += one * one;
    const auto n = static_cast<double>(away.size());
    return student(static_cast<int>(away.size()) - 1) * std::sqrt(square / (n * (n - 1)));
}

// Of a ratio of sums: how far each seed lies from the ratio, in shares of it (linearised).
std::vector<double> shares_away(const std::vector<SeededRounds::Seed>& seeds) {
    double rounds = 0, tokens = 0;
    for (const SeededRounds::Seed& one : seeds) rounds += one.rounds, tokens += one.tokens;
    std::vector<double> away;
    const auto n = static_cast<double>(seeds.size());
    for (const SeededRounds::Seed& one : seeds) away.push_back(n * (one.tokens / tokens - one.rounds / rounds));
    return away;
}

int seeds_of(const Study& study) {
    std::set<std::uint64_t> seeds;
    for (const StudyPoint& point : study.points) seeds.insert(point.settings.seed);
    return static_cast<int>(seeds.size());
}

} // namespace

void SeededRounds::add(const StudyPoint& point) {
    if (point.rounds > 0) seeds.push_back({point.settings.seed, point.rounds, point.tokens});
}

double SeededRounds::per_round() const {
    double rounds = 0, tokens = 0;
    for (const Seed& one : seeds) rounds += one.rounds, tokens += one.tokens;
    return rounds > 0 ? tokens / rounds : 0;
}

std::optional<double> SeededRounds::chance() const {
    if (seeds.size() < 2 || per_round() <= 0) return {};
    return per_round() * half_interval(shares_away(seeds));
}

LogRatio ratio_of(const SeededRounds& a, const SeededRounds& b) {
    SeededRounds of_a, of_b; // seed by seed
    for (const SeededRounds::Seed& one : a.seeds) {
        const auto same = std::ranges::find(b.seeds, one.seed, &SeededRounds::Seed::seed);
        if (same == b.seeds.end()) continue;
        of_a.seeds.push_back(one);
        of_b.seeds.push_back(*same);
    }
    LogRatio ratio;
    if (of_a.per_round() <= 0 || of_b.per_round() <= 0) return ratio;
    ratio.seeds = static_cast<int>(of_a.seeds.size());
    ratio.value = std::log(of_a.per_round() / of_b.per_round());
    if (ratio.seeds < 2) return ratio;
    std::vector<double> away = shares_away(of_a.seeds);
    const std::vector<double> away_b = shares_away(of_b.seeds);
    for (std::size_t i = 0; i < away.size(); ++i) away[i] -= away_b[i];
    ratio.chance = half_interval(away);
    return ratio;
}

Message with_chance(const SeededRounds& rounds) {
    return shared_says("chance.tokens"_t, "tokens"_v = rounds.per_round(), "chance"_v = rounds.chance());
}

double middle_over_quickest(std::vector<double> tries) {
    std::ranges::sort(tries);
    return tries.empty() ? 0 : tries[tries.size() / 2] / tries.front() - 1;
}

bool quick_to_measure(const SceneInput& input) {
    const Header* run = input.whole ? input.whole->header : nullptr;
    if (run && run->tier == "REMOTE") return false;
    if (const double known = plain_ms(input); known > 0) return known <= kQuickPassMs;
    if (input.passes && !input.passes->passes.empty()) return input.passes->passes.front().ms <= kQuickPassMs;
    const auto timed = [](const RoundSummary& round) { return round.verify_ms > 0; };
    if (input.whole)
        if (const auto one = std::ranges::find_if(input.whole->round_list, timed); one != input.whole->round_list.end())
            return one->verify_ms <= kQuickPassMs;
    return !input.status || input.status->built_in; // what nobody timed
}

int seeds_to_measure(const SceneInput& input, const std::vector<RunSettings>& rows, const Study* measured) {
    const int first = quick_to_measure(input) ? kSeedsOfQuickRuns : kSeedsOfSlowRuns;
    const bool again = measured && measured->complete() && std::ranges::all_of(rows, [&](const RunSettings& row) {
                           return std::ranges::find(measured->points, row, &StudyPoint::settings) != measured->points.end();
                       });
    return again ? std::clamp(2 * seeds_of(*measured), first, kMostSeeds) : first;
}

Message more_seeds_words(const Study& measured) {
    const int seeds = seeds_of(measured);
    return seeds < kMostSeeds ? shared_says("chance.more_seeds"_t) : shared_says("chance.open"_t, "seeds"_v = seeds);
}

} // namespace speclens
