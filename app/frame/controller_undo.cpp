#include "app/frame/controller_undo.h"

#include "app/frame/actions.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

constexpr SaidOf<"frame"> frame_said;

Said draft_said(const RunSettings& settings) {
    if (likeliest_drafts(settings)) return frame_said("change.drafts:likeliest"_t);
    if (!settings.draft_sampling) return frame_said("change.drafts:drawn"_t);
    return frame_said("change.drafts:at"_t, "temperature"_v = settings.drafts().temperature);
}

} // namespace

Message change_words(const RunSettings& from, const RunSettings& to) {
    std::vector<Said> all;
    if (from.prompt != to.prompt) all.push_back(frame_said("change.prompt"_t));
    if (from.drafter != to.drafter) all.push_back(frame_said("change.drafter"_t, "name"_v = to.drafter));
    if (from.rule != to.rule) all.push_back(frame_said("change.rule"_t, "name"_v = to.rule));
    if (from.k != to.k) all.push_back(frame_said("change.k"_t, "k"_v = to.k));
    if (from.sampling.temperature != to.sampling.temperature)
        all.push_back(frame_said("change.temperature"_t, "temperature"_v = to.sampling.temperature));
    if (from.draft_sampling != to.draft_sampling) all.push_back(draft_said(to));
    if (from.seed != to.seed) all.push_back(frame_said("change.seed"_t, "seed"_v = std::to_string(to.seed)));
    return frame_says("change.all"_t, "changes"_v = all);
}

Message change_words(const RunVersion& from, const RunVersion& to) {
    if (to.forks.size() > from.forks.size()) return frame_says("change.fork"_t, "round"_v = to.forks.back().round + 1);
    if (from.forks.size() > to.forks.size() && from.settings == to.settings)
        return frame_says("change.unforked"_t, "round"_v = from.forks.back().round + 1);
    return change_words(from.settings, to.settings);
}

Message change_words(const RaceSettings& from, const RaceSettings& to) {
    if (!(from.base == to.base)) return change_words(from.base, to.base);
    std::string lanes;
    for (const RaceEntry& lane : to.lanes) lanes += (lanes.empty() ? "" : ", ") + lane.drafter;
    return frame_says("change.lanes"_t, "lanes"_v = lanes);
}

} // namespace speclens
