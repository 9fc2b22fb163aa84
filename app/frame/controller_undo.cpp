#include "app/frame/controller_undo.h"

#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

std::string draft_words(const RunSettings& settings) {
    if (likeliest_drafts(settings)) return "the likeliest drafts";
    if (!settings.draft_sampling) return "drawn drafts";
    return "drafts at T = " + temperature_words(settings.drafts().temperature);
}

} // namespace

std::string change_words(const RunSettings& from, const RunSettings& to) {
    std::string words;
    const auto add = [&](bool differs, const std::string& what) {
        if (differs) words += (words.empty() ? "" : ", ") + what;
    };
    add(from.prompt != to.prompt, "the other prompt");
    add(from.drafter != to.drafter, "drafter " + to.drafter);
    add(from.rule != to.rule, "rule " + to.rule);
    add(from.k != to.k, "K = " + std::to_string(to.k));
    add(from.sampling.temperature != to.sampling.temperature, "T = " + temperature_words(to.sampling.temperature));
    add(from.draft_sampling != to.draft_sampling, draft_words(to));
    add(from.seed != to.seed, "seed " + std::to_string(to.seed));
    return words.empty() ? "the other options" : words;
}

std::string change_words(const RunVersion& from, const RunVersion& to) {
    const auto fork = [](const RunVersion& v) { return "the fork at round " + std::to_string(v.forks.back().round + 1); };
    if (to.forks.size() > from.forks.size()) return fork(to);
    if (from.forks.size() > to.forks.size() && from.settings == to.settings) return "the run before " + fork(from);
    return change_words(from.settings, to.settings);
}

std::string change_words(const RaceSettings& from, const RaceSettings& to) {
    if (!(from.base == to.base)) return change_words(from.base, to.base);
    std::string lanes;
    for (const RaceEntry& lane : to.lanes) lanes += (lanes.empty() ? "" : ", ") + lane.drafter;
    return "the lanes " + lanes;
}

} // namespace speclens
