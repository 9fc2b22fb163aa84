#include "engine/study.h"

#include <algorithm>

#include "engine/cycle_view.h"
#include "engine/run.h"
#include "kernels/error.h"

namespace speclens {
namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

StudyPoint study_point(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    StudyPoint point;
    point.settings = settings;
    try {
        Run run(models, settings);
        run.finish();
        const CycleView view = fold(run.trace(), run.trace().size());
        if (!view.header->notice.empty()) point.problem = view.header->notice;
        point.rounds = view.rounds;
        point.tokens = view.output_tokens;
        std::vector<double> draft, head, verify;
        for (const CycleSummary& cycle : view.cycles) {
            for (const DraftSlot& slot : cycle.drafts) {
                if (!slot.check || cycle.tree) continue;
                const auto at = static_cast<std::size_t>(slot.draft->index);
                if (point.judged.size() <= at) {
                    point.judged.resize(at + 1);
                    point.kept.resize(at + 1);
                }
                ++point.judged[at];
                point.kept[at] += slot.check->accepted;
            }
            if (&cycle == &view.cycles.front() || static_cast<int>(cycle.drafts.size()) < settings.k)
                continue;
            draft.push_back(cycle.draft_ms);
            head.push_back(cycle.head_ms);
            verify.push_back(cycle.verify_ms);
        }
        point.draft_ms = median(std::move(draft));
        point.head_ms = median(std::move(head));
        point.verify_ms = median(std::move(verify));
    } catch (const Error& error) {
        point.problem = error.what();
    }
    return point;
}

} // namespace speclens
