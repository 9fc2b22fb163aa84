#include "scenes/dflash/dflash_model.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"

namespace speclens {

namespace {

int refused_of(const RoundSummary& round) {
    for (std::size_t i = 0; i < round.drafts.size(); ++i)
        if (round.drafts[i].state == DraftSlot::State::rejected) return static_cast<int>(i);
    return -1;
}

double favourites_share(const RoundSummary& round, int index) {
    const TopEntries& distribution = at_one(*round.drafts[static_cast<std::size_t>(index)].draft);
    return distribution.entries.empty() ? 1 : std::exp(distribution.entries.front().logp);
}

} // namespace

int DFlashModel::refused() const { return round ? refused_of(*round) : -1; }

bool open_before(const RoundSummary& round, int index) {
    return index > 0 && index < static_cast<int>(round.drafts.size()) && favourites_share(round, index - 1) < kOpenPlace;
}

const Criterion& blind_refusal() {
    static const Criterion kBlind{"blind refusal", [] { return dflash_says("words.criterion"_t); },
                                  [](const RoundSummary& round) -> std::optional<Position> {
                                      const int at = refused_of(round);
                                      if (!open_before(round, at)) return {};
                                      return Position{round.round, at};
                                  },
                                  [](const RoundSummary& round, const Position& at) { return 1 - favourites_share(round, at.index - 1); }};
    return kBlind;
}

DFlashModel dflash_model(const SceneInput& input) {
    DFlashModel model;
    if (!find_round(model, input, "dflash")) return model;
    model.text = static_cast<int>(model.header->prompt.size()) - 1;
    for (const RoundSummary& round : input.whole->round_list) {
        if (round.first_event >= model.round->first_event) break;
        if (round.commit) model.text += static_cast<int>(round.commit->tokens.size());
    }
    if (input.settings) {
        const DrafterOptions& options = round_settings(input, model.round->round).options;
        model.conditioned = options.conditioning;
        model.seen = !options.conditioning ? 0 : options.context_last > 0 ? std::min(options.context_last, model.text) : model.text;
    } else {
        model.seen = model.text;
    }
    model.slots = model.guesses() + 1;
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
        settings.internals = false;
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
        all.push_back({on ? dflash_says("acceptance.with"_t) : dflash_says("acceptance.without"_t), point.judged, point.kept, !on});
    }
    return all;
}

const TimeSeries* block_times(const std::vector<TimeSeries>& series) {
    const auto found = std::ranges::find_if(series, [](const TimeSeries& one) { return one.drafter == "dflash"; });
    return found == series.end() ? nullptr : &*found;
}

const TimeSeries* chain_times(const std::vector<TimeSeries>& series) {
    const auto found = std::ranges::find_if(series, [](const TimeSeries& one) { return !find_drafter(one.drafter)->at_once(); });
    return found == series.end() ? nullptr : &*found;
}

} // namespace speclens
