#include "engine/run/replay.h"

#include "engine/run/models.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"

namespace speclens {
namespace {

template <class T>
bool is_of(const Event& event, int cycle) {
    const auto* seen = std::get_if<T>(&event);
    return seen && seen->cycle == cycle;
}

bool of_cycle(const Event& event, int cycle) {
    return is_of<Drafted>(event, cycle) || is_of<Verified>(event, cycle) || is_of<Checked>(event, cycle) ||
           is_of<TargetToken>(event, cycle) || is_of<Committed>(event, cycle);
}

} // namespace

Replay replay_twin(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                 const FetchReplay& wanted) {
    RunSettings changed = settings;
    changed.options = wanted.options;
    Fork fork;
    fork.cycle = wanted.cycle;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* drafted = std::get_if<Drafted>(&trace[i]);
            drafted && drafted->cycle == wanted.cycle && drafted->forced())
            fork.force_draft = {drafted->index, drafted->token};
    if (wanted.force_draft) fork.force_draft = wanted.force_draft;
    Run run(models, changed, trace, fork);
    bool over = false;
    std::size_t seen = run.trace().size();
    while (!over && run.step())
        for (; seen < run.trace().size(); ++seen)
            over = over || is_of<Committed>(run.trace()[seen], wanted.cycle);

    auto twin = std::make_shared<Trace>(models->texts());
    twin->append(*run.trace().header());
    for (std::size_t i = 0; i < run.trace().size(); ++i)
        if (of_cycle(run.trace()[i], wanted.cycle)) twin->append(run.trace()[i]);
    return {wanted.cycle, wanted.options, &trace, wanted.force_draft, std::move(twin)};
}

} // namespace speclens
