#include "engine/run/other_drafter_round.h"

#include "engine/base/progress.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/one_round.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// What the round continues is its prompt: who reads it sees no other round.
Header standing_alone(Header header, const Trace& base, int round) {
    for (std::size_t i = 0; i < base.size(); ++i) {
        const auto* commit = std::get_if<Committed>(&base[i]);
        if (commit && commit->round < round) header.prompt.insert(header.prompt.end(), commit->tokens.begin(), commit->tokens.end());
    }
    return header;
}

} // namespace

OtherDrafterRound draft_as(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                           const FetchOtherDrafterRound& wanted, const std::function<bool()>& go_on) {
    OtherDrafterRound other_round{
        wanted.round, wanted.drafter, settings.drafter, &trace, settings, models->why_not(wanted.drafter), nullptr, {}};
    other_round.settings.drafter = wanted.drafter;
    other_round.settings.rule = judging_rule(settings.rule, settings.drafter, wanted.drafter);
    other_round.settings.options = {};
    other_round.settings.internals = true;
    if (settings.k == 0) other_round.settings.k = default_k(wanted.drafter);
    if (!other_round.problem.empty()) return other_round;
    try {
        std::shared_ptr<Trace> round;
        for (int i = 0; i < 2; ++i) round = one_round(models, settings, other_round.settings, trace, wanted.round, go_on);
        bool comparison = false;
        for (std::size_t i = 0; i < round->size(); ++i) comparison = comparison || std::holds_alternative<Drafted>((*round)[i]);
        if (!comparison) throw Error("it has no guess there", "Choose another round.");
        auto alone = std::make_shared<Trace>(models->texts());
        alone->append(standing_alone(*round->header(), trace, wanted.round));
        for (std::size_t i = 1; i < round->size(); ++i) alone->append((*round)[i]);
        other_round.trace = std::move(alone);
        if (!find_drafter(wanted.drafter)->causal_head) return other_round;
        RunSettings off = other_round.settings;
        off.options.correction = false;
        other_round.replayed =
            Replay{wanted.round, off.options, other_round.trace.get(), {}, one_round(models, settings, off, trace, wanted.round, go_on)};
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) { // asked in passing: the run has nothing to do with it
        other_round.problem = std::string(error.what()) + ". " + error.remedy();
    } catch (const std::exception& error) {
        other_round.problem = std::string(error.what()) + ".";
    }
    return other_round;
}

} // namespace speclens
