#include "scenes/shared/example.h"

#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr int kRunsElsewhere = 8;

bool over(const RunView& whole) { return whole.stopped || whole.failed; }

// How a run differs from the one on screen.
Message which_run(const RunSettings& now, const RunSettings& other) {
    if (other.seed != now.seed) return shared_says("example.run:seed"_t, "seed"_v = other.seed);
    constexpr std::size_t kMost = 28;
    std::string prompt = other.prompt.text.substr(0, kMost);
    while (!prompt.empty() && (static_cast<unsigned char>(prompt.back()) & 0xC0U) == 0x80U) prompt.pop_back();
    return shared_says("example.run:prompt"_t, "prompt"_v = prompt + (prompt.size() < other.prompt.text.size() ? "…" : ""));
}

} // namespace

std::optional<Position> find_in(const RunView& whole, const Criterion& criterion) {
    std::optional<Position> best;
    double most = 0;
    for (const RoundSummary& round : whole.round_list) {
        const std::optional<Position> at = criterion.holds(round);
        if (!at) continue;
        if (!criterion.how_much) return at;
        if (const double much = criterion.how_much(round, *at); !best || much > most) best = at, most = much;
    }
    return best;
}

std::optional<Position> go_to_example(const SceneInput& input, const Criterion& criterion) {
    const RoundSummary* shown = shown_round(input);
    if (!shown || criterion.holds(*shown)) return {};
    return find_in(*input.whole, criterion);
}

RunStudy search_elsewhere(const SceneInput& input, const Criterion& criterion) {
    RunStudy study{criterion.name, {}};
    if (!models_loaded(input) || !input.settings) return study;
    RunSettings one = *input.settings;
    one.internals = false;
    if (one.sampling.temperature > 0) {
        for (int i = 1; i <= kRunsElsewhere; ++i) {
            one.seed = input.settings->seed + static_cast<std::uint64_t>(i);
            study.runs.push_back(one);
        }
        return study;
    }
    if (!input.gallery) return study;
    for (const GalleryPrompt& prompt : *input.gallery) {
        if (prompt.prompt == input.settings->prompt.text) continue;
        one.prompt = prompt_of(prompt, true, one.prompt.thinking);
        study.runs.push_back(one);
        if (static_cast<int>(study.runs.size()) == kRunsElsewhere) break;
    }
    return study;
}

FoundElsewhere found_elsewhere(const SceneInput& input, const Criterion& criterion) {
    FoundElsewhere found;
    const RunStudy now = search_elsewhere(input, criterion);
    const Study* study = study_named(input, criterion.name);
    if (!study || now.runs.empty() || !input.settings) return found;
    // Of other settings: the search before this run.
    const auto asked_now = [&](const RunSettings& settings) {
        return std::ranges::any_of(now.runs, [&](const RunSettings& one) { return one == settings; });
    };
    if (!study->points.empty() && !asked_now(study->points.front().settings)) return found;
    found.planned = study->planned;
    found.searched = static_cast<int>(study->points.size());
    for (const StudyPoint& point : study->points) {
        if (!point.trace || !find_in(fold(*point.trace, point.trace->size()), criterion)) continue;
        found.settings = point.settings;
        found.settings->internals = input.settings->internals;
        found.which = which_run(*input.settings, point.settings);
        break;
    }
    return found;
}

Message without_example_words(const SceneInput& input, const Criterion& criterion) {
    const Message none = shared_says("example.none"_t, "what"_v = criterion.what(), "over"_v = over(*input.whole));
    const FoundElsewhere found = found_elsewhere(input, criterion);
    if (found.settings) return shared_says("example.elsewhere:found"_t, "none"_v = none, "run"_v = found.which);
    if (found.planned == 0) return none;
    const bool seeds = input.settings && input.settings->sampling.temperature > 0;
    if (found.searched < found.planned)
        return shared_says("example.elsewhere:looking"_t, "none"_v = none, "seeds"_v = seeds, "searched"_v = found.searched,
                           "planned"_v = found.planned);
    return shared_says("example.elsewhere:none"_t, "none"_v = none, "seeds"_v = seeds, "planned"_v = found.planned);
}

void offer_example(Story& story, const SceneInput& input, const Criterion& criterion) {
    const FoundElsewhere found = found_elsewhere(input, criterion);
    if (!found.settings) return;
    story.task = shared_says("example.task"_t, "run"_v = found.which);
    story.task_done = false;
    story.on_task = {Command{Restart{*found.settings}}};
}

void ExampleSearch::ask(const SceneInput& input, const Criterion& criterion, std::vector<SceneCommand>& out) {
    if (!over(*input.whole) || find_in(*input.whole, criterion)) return;
    if (asked_of_ == input.trace && asked_for_ == criterion.name) return;
    const RunStudy study = search_elsewhere(input, criterion);
    if (study.runs.empty() || found_elsewhere(input, criterion).planned > 0) return;
    asked_of_ = input.trace;
    asked_for_ = criterion.name;
    out.push_back(Command{study});
}

} // namespace speclens
