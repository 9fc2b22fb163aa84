// What the engine answers in pieces, asked for at once.
#pragma once

#include <memory>

#include "engine/lab/study.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {

// Finishes one run and summarises it. An Error of the run becomes StudyPoint::problem.
inline StudyPoint study_point(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    try {
        Run run(models, settings);
        run.finish();
        StudyPoint point = summary_of(settings, run.trace());
        point.trace = run.shared_trace();
        return point;
    } catch (const Error& error) {
        StudyPoint point;
        point.settings = settings;
        point.problem = error.what();
        return point;
    }
}

// The rows of all drafters.
inline DrafterComparison compare_all(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                                     const CompareDrafters& wanted) {
    DrafterComparison drafts = empty_comparison(*models, trace, wanted);
    while (!drafts.complete()) drafts.rows.push_back(compare_next(models, settings, trace, drafts));
    return drafts;
}

} // namespace speclens
