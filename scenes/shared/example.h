// What the example of a beat must show, and where it is: in the round on screen, elsewhere in the run, or in a run of
// the same settings with other dice (at temperature 0, where dice change nothing, with another prompt). A randomly
// chosen true example can teach the opposite, so a beat takes the place that its criterion finds, or says that this run
// has none and offers a run that has one.
#pragma once

#include <functional>
#include <optional>

#include "scenes/shared/scene.h"
#include "scenes/shared/story.h"

namespace speclens {

struct Criterion {
    const char* name;              // of the study that looks for it elsewhere
    std::function<Message()> what; // in words, of its story: goes on "This run has no"
    // The guess of a round that shows it; none: it has no such guess.
    std::function<std::optional<Position>(const RoundSummary&)> holds;
    // Of several, the one with the most; absent: the first.
    std::function<double(const RoundSummary&, const Position&)> how_much = {};
};
// The guess of the run that shows most of it; none: it has none.
[[nodiscard]] std::optional<Position> find_in(const RunView& whole, const Criterion& criterion);
// For Scene::example: where to go, unless the round on screen shows it as well.
[[nodiscard]] std::optional<Position> go_to_example(const SceneInput& input, const Criterion& criterion);

// The runs in which it is looked for when this one has none; empty: nothing can be run.
[[nodiscard]] RunStudy search_elsewhere(const SceneInput& input, const Criterion& criterion);
struct FoundElsewhere {
    int searched = 0, planned = 0;       // runs; planned 0: nobody looks
    std::optional<RunSettings> settings; // of the first run that has it
    Message which;                       // "seed 9", "the prompt “Write a…”"
};
[[nodiscard]] FoundElsewhere found_elsewhere(const SceneInput& input, const Criterion& criterion);
// "This run has no … Seed 9 has one.", and the task that starts that run. For a beat whose run has no example.
[[nodiscard]] Message without_example_words(const SceneInput& input, const Criterion& criterion);
void offer_example(Story& story, const SceneInput& input, const Criterion& criterion);
// Asks for the search once per run, where the run has ended without an example.
class ExampleSearch {
  public:
    void ask(const SceneInput& input, const Criterion& criterion, std::vector<SceneCommand>& out);

  private:
    const Trace* asked_of_ = nullptr; // only compared
    const char* asked_for_ = nullptr;
};

} // namespace speclens
