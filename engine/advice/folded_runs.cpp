#include "engine/advice/folded_runs.h"

#include <algorithm>
#include <cmath>

#include "engine/base/lists.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run_view.h"

namespace speclens {
namespace {

double own_ms(const Trace& trace, const RoundSummary& round) {
    double ms = 0;
    for (std::size_t i = round.first_event; i < round.end_event; ++i) {
        const EventTimes times = own_times(trace[i]);
        ms += times.ms + times.aside;
    }
    return ms;
}

FoldedRun fold_run(const Trace& trace, int prompt) {
    FoldedRun run;
    run.prompt = prompt;
    const RunView view = fold(trace, trace.size());
    run.context = view.prompt_tokens;
    run.rounds = rounds_of(view);
    run.ranks = refused_ranks(view);
    for (const RoundSummary& round : view.round_list)
        if (round.complete()) run.costs.push_back({round.draft_ms, round.verify_ms, round.other_ms, own_ms(trace, round)});
    return run;
}

} // namespace

double FoldedRun::tokens() const { return sum_over<double>(rounds, &DraftedRound::tokens); }

double FoldedRun::ms() const { return sum_over<double>(costs, &RoundCost::sum); }

const FoldedRun* FoldedRuns::of(int prompt) const { return find_with(all, prompt, &FoldedRun::prompt); }

RoundCost FoldedRuns::mean_cost(int drafted) const {
    const auto nearest = std::ranges::min_element(means_, {}, [&](const auto& entry) { return std::abs(entry.first - drafted); });
    if (nearest == means_.end()) return {};
    const Mean& mean = nearest->second;
    return {mean.sum.draft / mean.rounds, mean.sum.verify / mean.rounds, mean.sum.other / mean.rounds, mean.sum.own_ms / mean.rounds};
}

double FoldedRuns::carries_on() const {
    constexpr double kBelieved = 4; // rounds that the overall rate stands for
    double judged = 0, kept = 0, after_full = 0, after_full_kept = 0;
    for (const FoldedRun& run : all)
        for (std::size_t i = 0; i < run.rounds.size(); ++i) {
            const DraftedRound& round = run.rounds[i];
            judged += round.kept + (round.kept < round.drafted ? 1 : 0);
            kept += round.kept;
            const bool full = i > 0 && run.rounds[i - 1].drafted > 0 && run.rounds[i - 1].kept == run.rounds[i - 1].drafted;
            if (!full || round.drafted == 0) continue;
            after_full += 1;
            after_full_kept += round.kept > 0 ? 1 : 0;
        }
    const double overall = judged > 0 ? kept / judged : 0;
    return (after_full_kept + kBelieved * overall) / (after_full + kBelieved);
}

FoldedRuns fold_runs(const AdviceRuns& runs) {
    FoldedRuns folded;
    folded.runs = &runs;
    const DrafterInfo* info = find_drafter(runs.drafter);
    folded.tree = info && info->tree;
    for (std::size_t i = 0; i < runs.traces.size(); ++i) folded.all.push_back(fold_run(*runs.traces[i], runs.prompts[i]));
    for (const FoldedRun& run : folded.all)
        for (std::size_t i = 0; i < run.rounds.size(); ++i) {
            FoldedRuns::Mean& mean = folded.means_[run.rounds[i].drafted];
            mean.sum.draft += run.costs[i].draft;
            mean.sum.verify += run.costs[i].verify;
            mean.sum.other += run.costs[i].other;
            mean.sum.own_ms += run.costs[i].own_ms;
            mean.rounds += 1;
        }
    return folded;
}

} // namespace speclens
