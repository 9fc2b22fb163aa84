// The one place that decides what is measured before anybody asks for it. Whoever turns the pages of a scene or of a lecture
// finds every measurement done, or at least begun: it is asked for one page before the page that tells of it, once for every
// run, and after the run, whose times it would disturb. A page of a lecture that is open without it has it before the run
// (Gate::put_work_first). Whoever stops something is asked for nothing more in that run.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/scene.h"

namespace speclens {

class AskAhead {
  public:
    // What to ask now for this scene, up to `beat`. `at_once`: while the run goes on, too.
    [[nodiscard]] std::vector<Command> due(const Scene& scene, const SceneInput& input, int beat, bool at_once = false);
    // Whether what this page tells of is not measured, or not to its end.
    [[nodiscard]] static bool unmeasured(const Scene& scene, SceneInput input);
    // The same for the step that a lecture comes to next. `run`: its settings, which the run on screen need not have.
    // `open`: the scene on screen is the same.
    [[nodiscard]] std::vector<Command> due_next(const Scene& scene, SceneInput input, int beat, const RunSettings& run, bool open);

    void forget(const std::string& what) { std::erase(asked_, what); } // it was ended, and may be asked for again
    void stopped(const Trace* run) { begin(run), quiet_ = true; }

  private:
    void begin(const Trace* run);
    [[nodiscard]] bool first(const SceneInput& input, const std::string& what);
    const Trace* run_ = nullptr; // only compared
    std::vector<std::string> asked_;
    bool quiet_ = false;
};

} // namespace speclens
