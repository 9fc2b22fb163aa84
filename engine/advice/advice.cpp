#include "engine/advice/advice.h"

#include <algorithm>

#include "engine/base/lists.h"
#include "engine/run/speed_up.h"

namespace speclens {
namespace {

constexpr double kAlike = 1.01;

bool better(const AdviceCell& a, const AdviceCell& b) {
    if (a.speed_up > kAlike * b.speed_up) return true;
    if (b.speed_up > kAlike * a.speed_up) return false;
    return a.k < b.k;
}

} // namespace

const AdviceCell* Advice::cell(const std::string& drafter, int k) const {
    const auto found = std::ranges::find_if(cells, [&](const AdviceCell& c) { return c.drafter == drafter && c.k == k; });
    return found == cells.end() ? nullptr : &*found;
}

const AdviceDrafter* Advice::drafter(const std::string& name) const { return find_with(drafters, name, &AdviceDrafter::name); }

void add_contexts(Advice& advice, const std::vector<PassTimes>& times) {
    const AdviceVerdict verdict = verdict_of(advice);
    if (!verdict.best) return;
    const AdviceCell& best = *verdict.best;
    for (const PassTimes& behind : times) {
        const PassTime* one = behind.of(1);
        const PassTime* check = behind.of(best.k + 1);
        if (!one || !check) continue;
        // Drafting and bookkeeping as measured behind short texts.
        const double round = best.draft_ms + best.other_ms + check->ms;
        advice.contexts.push_back({behind.context, one->ms, check->ms, best.tokens_per_round * one->ms / round});
    }
}

AdviceVerdict verdict_of(const Advice& advice) {
    AdviceVerdict verdict;
    for (const AdviceCell& cell : advice.cells)
        if (!verdict.best || better(cell, *verdict.best)) verdict.best = &cell;
    if (!verdict.best) {
        verdict.reason =
            advice.drafters.empty() && advice.prompts > 0 ? advice_said("reason.no_drafter"_t) : advice_said("reason.unmeasured"_t);
        return verdict;
    }
    const AdviceCell& best = *verdict.best;
    for (const AdviceCell& cell : advice.cells)
        if (&cell != &best && cell.high >= best.speed_up) verdict.as_fast.push_back(&cell);
    if (advice.prompts < kFewestAdvicePrompts) {
        verdict.reason = advice_said("reason.few"_t, "prompts"_v = advice.prompts, "least"_v = kFewestAdvicePrompts);
    } else if (advice.busy_cores > kMostBusyCores) {
        verdict.reason = advice_said("reason.busy"_t, "cores"_v = advice.busy_cores);
    } else if (best.low > 1) {
        verdict.kind = AdviceVerdict::Kind::speculate;
    } else if (std::ranges::all_of(advice.cells, [](const AdviceCell& cell) { return cell.high < 1; })) {
        verdict.kind = AdviceVerdict::Kind::plain;
    } else {
        verdict.reason = advice_said("reason.either_side"_t, "low"_v = best.low, "high"_v = best.high);
    }
    return verdict;
}

} // namespace speclens
