// By drafting and verifying its round once more.
#include "engine/run/full_distributions.h"

#include <cmath>
#include <utility>

#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// Judges every draft, so that a replayed round shows the target's distribution at all of its positions. Keeps a chain
// as a whole; of a tree the path to the draft whose coin is kKeep, which the fork sets.
constexpr double kKeep = -1;

Verdict judge_everything(const Round& round) {
    Verdict verdict;
    int last = round.parents.empty() ? round.count() - 1 : -1;
    for (int i = 0; i < round.count(); ++i) {
        verdict.checks.push_back({.node = i, .threshold = 1, .u = {}, .accepted = true});
        if (!round.parents.empty() && round.accept_coin(i) == kKeep) last = i;
    }
    for (int node = last; node >= 0; node = round.parent(node)) verdict.path.insert(verdict.path.begin(), node);
    verdict.from = TargetToken::From::bonus;
    verdict.distribution = round.p(verdict.row());
    verdict.token = argmax(verdict.distribution);
    return verdict;
}

// A replayed round is drafted anew, so the rule must ask the drafter for the same as the run's did.
RuleInfo replay_rule(const RunSettings& settings) {
    const RuleInfo& rule = rule_at(*find_rule(settings.rule), settings.sampling);
    return {.name = "replay",
            .title = "Replay",
            .about = "Judges every draft.",
            .siblings = rule.siblings,
            .guarantee = rule.guarantee,
            .verify = judge_everything};
}

Distribution distribution_of(const TopEntries& top, int vocab) {
    Distribution distribution(static_cast<std::size_t>(vocab), 0.0);
    for (const TopEntries::Entry& entry : top.entries) distribution[static_cast<std::size_t>(entry.id)] = std::exp(entry.logp);
    return distribution;
}

} // namespace

DistributionPair full_distributions(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& trace, int round,
                                    int index) {
    const int vocab = models->vocab();
    RunSettings replay = settings;
    replay.trace_top = -1;
    replay.timing = false;
    replay.internals = false;
    Fork fork;
    fork.round = round;
    for (std::size_t i = 0; i < trace.size(); ++i) // where the target's own token hung in a tree
        if (const auto* own = std::get_if<TargetToken>(&trace[i]); own && own->round == round && own->parent && *own->parent >= 0)
            fork.force_coin = {*own->parent, kKeep};
    const RuleInfo rule = replay_rule(replay);
    Run scratch(std::move(models), replay, trace, fork, &rule);

    DistributionPair pair;
    pair.round = round;
    pair.index = index;
    std::size_t next = scratch.trace().size();
    while (scratch.step()) {
        for (; next < scratch.trace().size(); ++next) {
            const Event& event = scratch.trace()[next];
            if (const auto* drafted = std::get_if<Drafted>(&event); drafted && drafted->index == index) {
                pair.draft = distribution_of(drafted->top, vocab);
                pair.draft_raw = drafted->raw_top.empty() ? pair.draft : distribution_of(drafted->raw_top, vocab);
            } else if (const auto* checked = std::get_if<Checked>(&event); checked && checked->index == index) {
                pair.target = distribution_of(checked->top, vocab);
                pair.target_raw = checked->raw_top.empty() ? pair.target : distribution_of(checked->raw_top, vocab);
                return pair;
            } else if (const auto* own = std::get_if<TargetToken>(&event)) { // the row after the last draft
                pair.target = distribution_of(own->top, vocab);
                pair.target_raw = own->raw_top.empty() ? pair.target : distribution_of(own->raw_top, vocab);
                return pair;
            }
        }
    }
    throw Error("position " + std::to_string(index + 1) + " of round " + std::to_string(round + 1) + " has no distributions",
                "Choose a position that the target judged.", Exit::usage);
}

} // namespace speclens
