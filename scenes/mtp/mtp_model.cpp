#include "scenes/mtp/mtp_model.h"

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr int kRepeats = 3; // of each time: the quickest counts, the others were disturbed

RunSettings measured_run(const SceneInput& input, int k, int tokens) {
    RunSettings settings = with_temperature(with_drafter(*input.settings, "mtp"), 0);
    settings.k = k;
    settings.max_tokens = tokens;
    settings.trace_top = 0;
    settings.timing = true;
    settings.internals = false;
    return settings;
}

// Which of the variants a run was; none: it was for its times.
std::optional<MtpVariant> variant_of(const StudyPoint& point) {
    const DrafterOptions& options = point.settings.options;
    if (point.settings.timing) return {};
    if (options.mtp_raw) return MtpVariant::raw_state;
    if (!options.mtp_prompt) return MtpVariant::no_prompt;
    if (options.context_last == 1) return MtpVariant::own_pair;
    return options.context_last > 0 ? MtpVariant::some_pairs : MtpVariant::all_pairs;
}

MtpKept kept_of(const SceneInput& seen, const MtpModel& model) {
    if (model.instead_of.empty()) return {acceptance_of(*seen.whole, shared_says("charts.this_run"_t)), true};
    MtpKept kept;
    kept.series.name = mtp_says("kept.series"_t);
    if (const StudyPoint* point = model.measured.of(MtpVariant::all_pairs)) {
        kept.series.judged = point->judged;
        kept.series.kept = point->kept;
    }
    return kept;
}

} // namespace

RunStudy mtp_study(const SceneInput& input) {
    RunStudy study{kMtpStudy, {}};
    if (!input.settings || !drafter_ready(input, "mtp")) return study;
    for (int repeat = 0; repeat < kRepeats; ++repeat)
        for (int k = 1; k <= kMtpGuesses; ++k) study.runs.push_back(measured_run(input, k, 48));
    RunSettings variant = measured_run(input, kMtpGuesses, 160);
    variant.timing = false;
    study.runs.push_back(variant);
    variant.options.mtp_prompt = false;
    study.runs.push_back(variant);
    variant.options = {};
    for (const int pairs : {kMtpSomePairs, 1}) {
        variant.options.context_last = pairs;
        study.runs.push_back(variant);
    }
    variant.options = {};
    variant.options.mtp_raw = true;
    study.runs.push_back(variant);
    return study;
}

MtpMeasured mtp_measured(const SceneInput& input) {
    MtpMeasured measured;
    measured.times = {"mtp", method_title("mtp"), method_mark("mtp"), {}, true};
    const Study* study = study_of(input, mtp_study(input)); // of this prompt
    if (!study) return measured;
    for (const StudyPoint& point : study->points) {
        if (!point.problem.empty()) continue;
        if (const auto variant = variant_of(point))
            measured.variant[static_cast<std::size_t>(*variant)] = &point;
        else if (point.draft_ms > 0)
            measured.times.add(point.settings.k, point.draft_ms);
    }
    return measured;
}

std::optional<double> kept_share(const StudyPoint* point, std::size_t place) {
    if (!point || place >= point->judged.size() || point->judged[place] == 0) return {};
    return static_cast<double>(point->kept[place]) / point->judged[place];
}

MtpTrainedOn trained_on(const MtpMeasured& measured) {
    const auto after = kept_share(measured.of(MtpVariant::all_pairs), 0), before = kept_share(measured.of(MtpVariant::raw_state), 0);
    if (!after || !before || std::abs(*after - *before) <= 0.01) return MtpTrainedOn::unknown;
    return *after > *before ? MtpTrainedOn::after_norm : MtpTrainedOn::before_norm;
}

MtpBeside mtp_beside(const SceneInput& run) {
    MtpBeside beside;
    const RoundSummary* round = shown_round(run);
    if (!run.whole->header || !round) return beside;
    beside.round = round->round;
    // A saved run in a window: the engine is there, but it holds another one, and the status names no model.
    beside.can_ask = models_loaded(run) && !run.status->model.empty();
    const DrafterComparison* known = run.comparison.get();
    if (known && (known->of != run.trace || known->round != beside.round)) known = nullptr;
    beside.complete = known && known->complete();
    for (const char* drafter : {"mtp", "eagle3", "medusa"}) {
        MtpBesideRow row;
        row.info = find_drafter(drafter);
        if (known)
            for (const ComparisonRow& guess : known->rows)
                if (guess.drafter == drafter) row.guess = &guess;
        if (row.guess && row.guess->trace) row.answer = fold(*row.guess->trace, row.guess->trace->size());
        beside.rows.push_back(std::move(row));
    }
    return beside;
}

double MtpModel::further_guess_ms() const { return measured.further_ms() > 0 ? measured.further_ms() : further_ms; }

MtpModel mtp_model(const SceneInput& run, const SceneInput& seen) {
    MtpModel model;
    model.run = &run;
    model.verdicts = !mtp_says.hides(seen.beat, "verdicts"_part);
    model.published = published_speed_ups(run.figures, "mtp").figures;
    if (!find_round(model, seen, "mtp")) return model;
    choose_guess(model, seen, seen.beat < kMtpAgainBeat ? 0 : 1);
    model.measured = mtp_measured(run);
    model.kept = kept_of(seen, model);
    model.beside = mtp_beside(run);
    return model;
}

std::optional<double> claimed(const Header& header, const Drafted& draft) {
    if (header.draft_sampling.temperature > 0) return std::exp(draft.q);
    return listed(at_one(draft), draft.token);
}

} // namespace speclens
