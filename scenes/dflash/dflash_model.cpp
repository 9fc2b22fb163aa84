#include "scenes/dflash/dflash_model.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"

namespace speclens {

namespace {

int refused_of(const CycleSummary& cycle) {
    for (std::size_t i = 0; i < cycle.drafts.size(); ++i)
        if (cycle.drafts[i].state == DraftSlot::State::rejected) return static_cast<int>(i);
    return -1;
}

double favourites_share(const CycleSummary& cycle, int index) {
    const TopEntries& distribution = at_one(*cycle.drafts[static_cast<std::size_t>(index)].draft);
    return distribution.entries.empty() ? 1 : std::exp(distribution.entries.front().logp);
}

} // namespace

int DFlashModel::refused() const {
    return cycle ? refused_of(*cycle) : -1;
}

bool open_before(const CycleSummary& cycle, int index) {
    return index > 0 && index < static_cast<int>(cycle.drafts.size()) && favourites_share(cycle, index - 1) < kOpenPlace;
}

const Criterion& blind_refusal() {
    static const Criterion kBlind{
        "blind refusal", [] { return dflash_says("words.criterion"_t); },
        [](const CycleSummary& cycle) -> std::optional<Position> {
            const int at = refused_of(cycle);
            if (!open_before(cycle, at)) return {};
            return Position{cycle.cycle, at};
        },
        [](const CycleSummary& cycle, const Position& at) { return 1 - favourites_share(cycle, at.index - 1); }};
    return kBlind;
}

DFlashModel dflash_model(const SceneInput& input) {
    DFlashModel model;
    if (!find_cycle(model, input, "dflash")) return model;
    model.text = static_cast<int>(model.header->prompt.size()) - 1;
    for (const CycleSummary& cycle : input.whole->cycles) {
        if (cycle.first_event >= model.cycle->first_event) break;
        if (cycle.commit) model.text += static_cast<int>(cycle.commit->tokens.size());
    }
    if (input.settings) {
        const DrafterOptions& options = round_settings(input, model.cycle->cycle).options;
        model.conditioned = options.conditioning;
        model.seen = !options.conditioning      ? 0
                     : options.context_last > 0 ? std::min(options.context_last, model.text)
                                                : model.text;
    } else {
        model.seen = model.text;
    }
    model.slots = model.guesses() + 1;
    model.draft_ms = model.cycle->draft_ms;
    for (const Internals::Strip& strip : model.slot(0).draft->lens.strips)
        if (strip.tap()) model.taps.push_back(&strip);
    choose_guess(model, input, model.refused() >= 0 ? model.refused() : 1);
    return model;
}

RunStudy conditioning_study(const SceneInput& input) {
    RunStudy study{kConditioning, {}};
    if (!drafter_ready(input, "dflash") || !input.settings) return study;
    for (const bool on : {true, false}) {
        RunSettings settings = *input.settings;
        settings.drafter = "dflash";
        settings.options = {};
        settings.options.conditioning = on;
        settings.max_tokens = 160;
        settings.trace_top = 0;
        settings.lens = false;
        study.runs.push_back(std::move(settings));
    }
    return study;
}

std::vector<AcceptanceSeries> conditioning_series(const SceneInput& input) {
    std::vector<AcceptanceSeries> all;
    const Study* study = study_of(input, conditioning_study(input));
    if (!study) return all;
    for (const StudyPoint& point : study->points) {
        if (!point.problem.empty()) continue;
        const bool on = point.settings.options.conditioning;
        all.push_back({on ? "with the target's states" : "without them", point.judged, point.kept, !on});
    }
    return all;
}

} // namespace speclens
