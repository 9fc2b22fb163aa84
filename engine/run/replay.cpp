#include "engine/run/replay.h"

#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"

namespace speclens {
namespace {

template <class T>
bool is_of(const Event& event, int round) {
    const auto* seen = std::get_if<T>(&event);
    return seen && seen->round == round;
}

bool of_round(const Event& event, int round) {
    return is_of<Drafted>(event, round) || is_of<Verified>(event, round) || is_of<Checked>(event, round) ||
           is_of<TargetToken>(event, round) || is_of<Committed>(event, round);
}

} // namespace

Replay replay_round(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                    const FetchReplay& wanted) {
    RunSettings changed = settings;
    changed.options = wanted.options;
    Fork fork;
    fork.round = wanted.round;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* drafted = std::get_if<Drafted>(&trace[i]); drafted && drafted->round == wanted.round && drafted->forced())
            fork.force_draft = {drafted->index, drafted->token};
    if (wanted.force_draft) fork.force_draft = wanted.force_draft;
    Run run(models, changed, trace, fork);
    bool over = false;
    std::size_t seen = run.trace().size();
    while (!over && run.step())
        for (; seen < run.trace().size(); ++seen) over = over || is_of<Committed>(run.trace()[seen], wanted.round);

    auto replayed = std::make_shared<Trace>(models->texts());
    replayed->append(*run.trace().header());
    for (std::size_t i = 0; i < run.trace().size(); ++i)
        if (of_round(run.trace()[i], wanted.round)) replayed->append(run.trace()[i]);
    return {wanted.round, wanted.options, &trace, wanted.force_draft, std::move(replayed)};
}

} // namespace speclens
