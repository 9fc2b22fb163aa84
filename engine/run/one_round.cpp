#include "engine/run/one_round.h"

#include "engine/base/progress.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {

std::shared_ptr<Trace> one_round(const std::shared_ptr<const Models>& models, const RunSettings& settings, const RunSettings& changed,
                                 const Trace& base, int cycle, const std::function<bool()>& go_on) {
    Fork fork;
    fork.round = cycle;
    fork.settings = changed.with_fixed_k(); // it asks for a draft, whether or not one pays there
    Run run(models, settings, base, fork);
    const auto ask = [&] {
        if (go_on && !go_on()) throw Cancelled{};
    };
    run.between_passes(ask);
    const Header& header = *run.trace().header();
    if (header.drafter != changed.drafter) throw Error(header.notice, "Load what the drafter needs.");
    const std::size_t first = run.trace().size();
    std::size_t seen = first;
    bool over = false;
    for (bool more = true; !over && more;) {
        ask();
        more = run.step(); // the last step of a run may be the one that commits this round
        for (; !over && seen < run.trace().size(); ++seen) over = std::holds_alternative<Committed>(run.trace()[seen]);
    }
    if (!over) throw Error("nothing is left to guess: the run ends here", "Choose an earlier round.");
    auto round = std::make_shared<Trace>(models->texts());
    round->append(header);
    for (std::size_t i = first; i < seen; ++i) round->append(run.trace()[i]);
    return round;
}

} // namespace speclens
