#include "engine/advice/estimate.h"

#include <algorithm>
#include <cmath>

#include "engine/advice/folded_runs.h"
#include "engine/base/quantile.h"
#include "engine/base/rng.h"

namespace speclens {
namespace {

constexpr double kDeviations = 1.645; // 90 % of a normal distribution lie within
constexpr std::uint32_t kResamples = 400;
constexpr int kBlocks = 4;               // of prompts, one after another
constexpr std::size_t kFewestRounds = 6; // of a block, to know its cost
constexpr double kLeastClock = 0.01;     // timers, and what so few blocks do not show
constexpr double kUnknownClock = 0.05;   // where no block has enough rounds
constexpr double kWorkedOut = 0.015;     // deviation of what is worked out from longer drafts
constexpr double kHalfBelieved = 30;     // own rounds of a length that correct what was worked out by half

// All of one drafter.
struct Folded {
    FoldedRuns plain;
    std::vector<FoldedRuns> lengths;
};

Folded fold_evidence(const AdviceEvidence& evidence) {
    Folded folded{fold_runs(evidence.plain), {}};
    for (const AdviceRuns& runs : evidence.lengths) folded.lengths.push_back(fold_runs(runs));
    return folded;
}

bool is_whole(const FoldedRuns& runs, const FoldedRuns& plain) { return !plain.all.empty() && runs.all.size() == plain.all.size(); }

// The longest drafts of the same drafter that every prompt has; nullptr: none.
const FoldedRuns* longest_whole(const Folded& folded, const std::string& drafter) {
    const FoldedRuns* longest = nullptr;
    for (const FoldedRuns& runs : folded.lengths)
        if (runs.runs->drafter == drafter && is_whole(runs, folded.plain) && (!longest || runs.runs->k > longest->runs->k)) longest = &runs;
    return longest;
}

// What one prompt adds to the sums of a cell.
struct Share {
    double plain_ms = 0, plain_tokens = 0;
    WalkedRounds walked;
    double ms = 0;                         // of the walked rounds
    double own_rounds = 0, own_tokens = 0; // run with exactly this length; 0: not run
};

struct Sums {
    Share all;
    double walked_rounds = 0, walked_tokens = 0; // of prompts with own rounds
    void add(const Share& share) {
        all.plain_ms += share.plain_ms;
        all.plain_tokens += share.plain_tokens;
        all.walked.rounds += share.walked.rounds;
        all.walked.tokens += share.walked.tokens;
        all.ms += share.ms;
        all.own_rounds += share.own_rounds;
        all.own_tokens += share.own_tokens;
        if (share.own_rounds <= 0) return;
        walked_rounds += share.walked.rounds;
        walked_tokens += share.walked.tokens;
    }
    // Own rounds a token by walked ones, believed as far as there are own ones.
    [[nodiscard]] double correction() const {
        if (all.own_rounds <= 0 || walked_rounds <= 0 || all.own_tokens <= 0) return 1;
        const double seen = (all.own_rounds / all.own_tokens) / (walked_rounds / walked_tokens);
        return 1 + all.own_rounds / (all.own_rounds + kHalfBelieved) * (seen - 1);
    }
    [[nodiscard]] double rounds(bool worked_out) const { return all.walked.rounds * (worked_out ? correction() : 1); }
    [[nodiscard]] double speed_up(bool worked_out) const {
        const double ms = all.ms * (worked_out ? correction() : 1);
        if (ms <= 0 || all.plain_tokens <= 0) return 0;
        return (all.plain_ms / all.plain_tokens) / (ms / all.walked.tokens);
    }
};

Sums sums_of(const std::vector<Share>& shares) {
    Sums sums;
    for (const Share& share : shares) sums.add(share);
    return sums;
}

// Deviation of the logarithm over other choices of as many prompts.
double deviation_of(const std::vector<Share>& shares, bool worked_out, std::uint64_t seed) {
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(shares.size());
    for (std::uint32_t b = 0; b < kResamples; ++b) {
        Sums sums;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const double u = uniform({.seed = seed, .position = static_cast<std::uint32_t>(i), .attempt = b});
            sums.add(shares[std::min(shares.size() - 1, static_cast<std::size_t>(u * n))]);
        }
        const double value = sums.speed_up(worked_out);
        if (value <= 0) continue;
        sum += std::log(value);
        squares += std::log(value) * std::log(value);
    }
    const double mean = sum / kResamples;
    // Few prompts vary less among themselves than others vary from them.
    return std::sqrt(std::max(0.0, squares / kResamples - mean * mean) * n / std::max(1.0, n - 1));
}

std::vector<Share> shares_of(const FoldedRuns& runs, const FoldedRuns& longest, const FoldedRuns& plain, bool worked_out,
                             std::uint64_t seed) {
    const int k = runs.runs->k, asked = longest.runs->k, limit = longest.runs->limit;
    const double unseen = worked_out ? longest.carries_on() : 0;
    std::vector<Share> shares;
    for (const FoldedRun& without : plain.all) {
        Share share;
        share.plain_ms = without.ms();
        share.plain_tokens = without.tokens();
        const FoldedRun* own = runs.of(without.prompt);
        if (worked_out)
            share.walked = walked_with(longest.of(without.prompt)->rounds, asked, k, limit, unseen, seed);
        else
            share.walked = as_drafted(own->rounds);
        for (std::size_t m = 0; m < share.walked.by_drafted.size(); ++m)
            if (share.walked.by_drafted[m] > 0) share.ms += share.walked.by_drafted[m] * runs.mean_cost(static_cast<int>(m)).sum();
        if (own && worked_out) share.own_rounds = static_cast<double>(own->rounds.size()), share.own_tokens = own->tokens();
        shares.push_back(std::move(share));
    }
    return shares;
}

// The parts of a mean round.
void take_parts(AdviceCell& cell, const std::vector<Share>& shares, const FoldedRuns& runs) {
    WalkedRounds all;
    for (const Share& share : shares) all += share.walked;
    if (all.rounds <= 0) return;
    for (std::size_t m = 0; m < all.by_drafted.size(); ++m) {
        const RoundCost cost = runs.mean_cost(static_cast<int>(m));
        const double weight = all.by_drafted[m] / all.rounds;
        cell.draft_ms += weight * cost.draft;
        cell.verify_ms += weight * cost.verify;
        cell.other_ms += weight * cost.other;
    }
}

AdviceCell cell_of(const FoldedRuns& runs, const FoldedRuns& longest, const FoldedRuns& plain, double clock, std::uint64_t seed) {
    AdviceCell cell;
    cell.drafter = runs.runs->drafter;
    cell.k = runs.runs->k;
    cell.tree = runs.tree;
    cell.prompts = static_cast<int>(runs.all.size());
    cell.worked_out = !is_whole(runs, plain);
    for (const FoldedRun& run : runs.all) cell.ranks += run.ranks;
    const std::vector<Share> shares = shares_of(runs, longest, plain, cell.worked_out, seed);
    const Sums sums = sums_of(shares);
    cell.speed_up = sums.speed_up(cell.worked_out);
    const double rounds = sums.rounds(cell.worked_out);
    cell.tokens_per_round = rounds > 0 ? sums.all.walked.tokens / rounds : 0;
    take_parts(cell, shares, runs);
    if (shares.size() < 2) { // nothing is known of others: at most every draft token is kept
        cell.high = cell.k + 1;
        return cell;
    }
    // These prompts are one choice, the next ones another.
    const double prompts = std::sqrt(2.0) * deviation_of(shares, cell.worked_out, seed);
    const double all = std::hypot(prompts, clock, cell.worked_out ? kWorkedOut : 0);
    cell.low = cell.speed_up * std::exp(-kDeviations * all);
    cell.high = cell.speed_up * std::exp(kDeviations * all);
    return cell;
}

// The usual cost of a round in a block of prompts: the lower quartile of rounds with as many draft tokens as were asked for.
double typical_cost(const FoldedRuns& runs, const std::vector<int>& prompts) {
    std::vector<double> ms;
    for (const FoldedRun& run : runs.all) {
        if (!std::ranges::binary_search(prompts, run.prompt)) continue;
        for (std::size_t i = 0; i < run.rounds.size(); ++i)
            if (run.rounds[i].drafted >= runs.runs->k) ms.push_back(run.costs[i].own_ms);
    }
    return ms.size() < kFewestRounds ? 0 : quantile(ms, 0.25);
}

double deviation(const std::vector<double>& values) {
    double mean = 0, squares = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) squares += (v - mean) * (v - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double clock_of(const Folded& folded) {
    const std::vector<FoldedRun>& plain = folded.plain.all;
    std::vector<double> deviations;
    for (const FoldedRuns& runs : folded.lengths) {
        std::vector<double> ratios;
        for (std::size_t b = 0; b < kBlocks; ++b) {
            std::vector<int> prompts;
            for (std::size_t i = b * plain.size() / kBlocks; i < (b + 1) * plain.size() / kBlocks; ++i) prompts.push_back(plain[i].prompt);
            const double round = typical_cost(runs, prompts), pass = typical_cost(folded.plain, prompts);
            if (round > 0 && pass > 0) ratios.push_back(std::log(round / pass));
        }
        if (ratios.size() == kBlocks) deviations.push_back(deviation(ratios));
    }
    return deviations.empty() ? kUnknownClock : std::max(kLeastClock, median(deviations));
}

} // namespace

std::vector<AdviceCell> estimate_cells(const AdviceEvidence& evidence) {
    const Folded folded = fold_evidence(evidence);
    const double clock = clock_of(folded);
    std::vector<AdviceCell> cells;
    for (const FoldedRuns& runs : folded.lengths) {
        const FoldedRuns* longest = longest_whole(folded, runs.runs->drafter);
        const bool whole = is_whole(runs, folded.plain);
        if (!longest || runs.all.empty() || (!whole && (runs.tree || runs.runs->k > longest->runs->k))) continue;
        cells.push_back(cell_of(runs, *longest, folded.plain, clock, evidence.seed));
    }
    return cells;
}

std::vector<AdviceDomain> by_domain(const AdviceEvidence& evidence, const std::vector<const AdviceCell*>& cells,
                                    const std::vector<std::string>& domains) {
    std::vector<std::string> names;
    for (const std::string& domain : domains)
        if (std::ranges::find(names, domain) == names.end()) names.push_back(domain);
    std::vector<AdviceDomain> list;
    if (names.size() < 2) return list;
    const Folded folded = fold_evidence(evidence);
    for (const std::string& name : names)
        for (const AdviceCell* cell : cells) {
            const auto runs = std::ranges::find_if(
                folded.lengths, [&](const FoldedRuns& one) { return one.runs->drafter == cell->drafter && one.runs->k == cell->k; });
            if (runs == folded.lengths.end()) continue;
            AdviceDomain domain{name, cell->drafter, cell->k};
            double rounds = 0, tokens = 0, ms = 0, plain_tokens = 0, plain_ms = 0;
            for (const FoldedRun& run : runs->all) {
                const FoldedRun* plain = folded.plain.of(run.prompt);
                if (domains[static_cast<std::size_t>(run.prompt)] != name || !plain) continue;
                ++domain.prompts;
                rounds += static_cast<double>(run.rounds.size()), tokens += run.tokens(), ms += run.ms();
                plain_tokens += plain->tokens(), plain_ms += plain->ms();
            }
            if (rounds <= 0) continue;
            domain.tokens_per_round = tokens / rounds;
            if (ms > 0 && plain_tokens > 0) domain.speed_up = (plain_ms / plain_tokens) / (ms / tokens);
            list.push_back(std::move(domain));
        }
    return list;
}

std::vector<AdviceDrafter> places_of(const AdviceEvidence& evidence) {
    const Folded folded = fold_evidence(evidence);
    std::vector<AdviceDrafter> drafters;
    for (const FoldedRuns& runs : folded.lengths) {
        const std::string& name = runs.runs->drafter;
        if (&runs != longest_whole(folded, name)) continue;
        AdviceDrafter drafter{name, runs.runs->rule, std::vector<int>(static_cast<std::size_t>(runs.runs->k)),
                              std::vector<int>(static_cast<std::size_t>(runs.runs->k)), ""};
        for (const FoldedRun& run : runs.all)
            for (const DraftedRound& round : run.rounds) {
                const int judged = std::min(round.kept + (round.kept < round.drafted ? 1 : 0), runs.runs->k);
                for (int i = 0; i < judged; ++i) ++drafter.judged[static_cast<std::size_t>(i)];
                for (int i = 0; i < std::min(round.kept, runs.runs->k); ++i) ++drafter.kept[static_cast<std::size_t>(i)];
            }
        drafters.push_back(std::move(drafter));
    }
    return drafters;
}

double clock_of(const AdviceEvidence& evidence) { return clock_of(fold_evidence(evidence)); }

} // namespace speclens
