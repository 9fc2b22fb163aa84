#include "engine/run/other_drafter_round.h"

#include "engine/drafters/drafter.h"
#include "engine/run/one_round.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// What the round continues is its prompt: who reads it sees no other round.
Header standing_alone(Header header, const Trace& base, int cycle) {
    for (std::size_t i = 0; i < base.size(); ++i) {
        const auto* commit = std::get_if<Committed>(&base[i]);
        if (commit && commit->cycle < cycle)
            header.prompt.insert(header.prompt.end(), commit->tokens.begin(), commit->tokens.end());
    }
    return header;
}

} // namespace

OtherDrafterRound guess_as(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
               const FetchOtherDrafterRound& wanted) {
    OtherDrafterRound guest{wanted.cycle, wanted.drafter, settings.drafter, &trace, settings, models->why_not(wanted.drafter), nullptr, {}};
    guest.settings.drafter = wanted.drafter;
    guest.settings.rule = judging_rule(settings.rule, settings.drafter, wanted.drafter);
    guest.settings.options = {};
    guest.settings.lens = true;
    if (settings.k == 0) guest.settings.k = default_k(wanted.drafter);
    if (!guest.problem.empty()) return guest;
    try {
        std::shared_ptr<Trace> round;
        for (int i = 0; i < 2; ++i) round = one_round(models, settings, guest.settings, trace, wanted.cycle);
        bool guesses = false;
        for (std::size_t i = 0; i < round->size(); ++i)
            guesses = guesses || std::holds_alternative<Drafted>((*round)[i]);
        if (!guesses) throw Error("it has no guess there", "Choose another round.");
        auto alone = std::make_shared<Trace>(models->texts());
        alone->append(standing_alone(*round->header(), trace, wanted.cycle));
        for (std::size_t i = 1; i < round->size(); ++i) alone->append((*round)[i]);
        guest.trace = std::move(alone);
        if (!find_drafter(wanted.drafter)->causal_head) return guest;
        RunSettings off = guest.settings;
        off.options.correction = false;
        guest.twin = Replay{wanted.cycle, off.options, guest.trace.get(), {}, one_round(models, settings, off, trace, wanted.cycle)};
    } catch (const Error& error) { // asked in passing: the run has nothing to do with it
        guest.problem = std::string(error.what()) + ". " + error.remedy();
    } catch (const std::exception& error) {
        guest.problem = std::string(error.what()) + ".";
    }
    return guest;
}

} // namespace speclens
