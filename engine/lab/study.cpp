#include "engine/lab/study.h"

#include <algorithm>

#include "engine/base/quantile.h"
#include "engine/run/run_view.h"

namespace speclens {

StudyPoint summary_of(const RunSettings& settings, const Trace& trace) {
    StudyPoint point;
    point.settings = settings;
    const RunView view = fold(trace, trace.size());
    if (view.header) {
        if (view.header->drafter != settings.drafter) // else it ran
            point.problem = {view.header->notice, view.header->notice_said()};
        if (view.header->k < settings.k) point.most = view.header->k;
    }
    point.rounds = view.rounds;
    point.tokens = view.output_tokens;
    for (std::size_t i = static_cast<std::size_t>(view.prompt_tokens); i < view.tokens.size(); ++i)
        point.output.push_back(view.tokens[i].id);
    std::vector<double> draft, head, verify;
    for (const RoundSummary& round : view.round_list) {
        point.without += round.drafts.empty() && &round != &view.round_list.back();
        for (std::size_t i = 0; i < round.judged_in_order(); ++i) {
            if (point.judged.size() <= i) {
                point.judged.resize(i + 1);
                point.kept.resize(i + 1);
            }
            ++point.judged[i];
            point.kept[i] += round.drafts[i].check->accepted;
        }
        const int full = round.tree && view.header ? std::min(point.draft_length(), view.header->nodes) : point.draft_length();
        if (&round == &view.round_list.front() || static_cast<int>(round.drafts.size()) < full) continue;
        draft.push_back(round.draft_ms);
        head.push_back(round.head_ms);
        verify.push_back(round.verify_ms);
    }
    point.timed = static_cast<int>(verify.size());
    point.draft_ms = median(std::move(draft));
    point.head_ms = median(std::move(head));
    point.verify_ms = median(std::move(verify));
    if (const std::shared_ptr<const TraceTimes> times = trace.times()) {
        point.spread = times->spread;
        point.busy_cores = times->busy_cores;
    }
    return point;
}

void time_study(Study& study, const TimeTable& table) {
    for (StudyPoint& point : study.points) {
        if (!point.trace || !point.settings.timing) continue;
        table.time(*point.trace);
        const StudyPoint timed = summary_of(point.settings, *point.trace);
        point.draft_ms = timed.draft_ms;
        point.head_ms = timed.head_ms;
        point.verify_ms = timed.verify_ms;
        point.spread = timed.spread;
        point.busy_cores = timed.busy_cores;
    }
}

} // namespace speclens
