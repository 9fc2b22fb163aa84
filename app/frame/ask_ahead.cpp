#include "app/frame/ask_ahead.h"

#include <algorithm>

#include "scenes/shared/cycle_pick.h"

namespace speclens {

void AskAhead::begin(const Trace* run) {
    if (run_ != run) asked_.clear(), quiet_ = false;
    run_ = run;
}

bool AskAhead::first(const SceneInput& input, const std::string& what) {
    begin(input.trace);
    if (quiet_ || std::ranges::find(asked_, what) != asked_.end()) return false;
    asked_.push_back(what);
    return true;
}

std::vector<Command> AskAhead::due(const Scene& scene, const SceneInput& input, int beat, bool at_once) {
    std::vector<Command> asks;
    if (!models_loaded(input) || !(at_once || input.whole->stopped)) return asks;
    for (Measurement& one : scene.missing(input))
        if (one.beat <= beat && first(input, one.name)) asks.push_back(std::move(one.ask));
    return asks;
}

bool AskAhead::unmeasured(const Scene& scene, SceneInput input) {
    std::erase_if(input.studies, [](const auto& one) { return !one.second->complete(); }); // else one that goes on lacks nothing
    return std::ranges::any_of(scene.missing(input), [&](const Measurement& one) { return one.beat <= input.beat; });
}

std::vector<Command> AskAhead::due_next(const Scene& scene, SceneInput input, int beat, const RunSettings& run, bool open) {
    const bool same = input.settings && *input.settings == run;
    if (open && !same) return {}; // it would take the place of what is on screen
    input.beat = beat;
    input.settings = &run;
    return due(scene, input, beat);
}

} // namespace speclens
