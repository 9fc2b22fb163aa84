// By drafting and verifying its round once more.
#include "engine/run/full_distributions.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// Judges every draft, so that a replayed round shows the target's distribution at all of its positions. Keeps a chain
// as a whole; of a tree the path to the draft whose coin is kKeep, which the fork sets. What it says of a guess of a chain: the coin
// of the target's own draw there, and whether the token rule keeps it.
constexpr double kKeep = -1;

Verdict judge_everything(const Round& round) {
    Verdict verdict;
    const bool chain = round.parents.empty();
    const int kept = chain ? find_rule("token")->verify(round).accepted() : 0;
    int last = chain ? round.count() - 1 : -1;
    for (int i = 0; i < round.count(); ++i) {
        verdict.checks.push_back({.node = i, .threshold = 1, .u = round.resample_coin(round.row_of(i)), .accepted = i < kept});
        if (!chain && round.accept_coin(i) == kKeep) last = i;
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
    return {.name = "replay", .siblings = rule.siblings, .guarantee = rule.guarantee, .verify = judge_everything};
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
    std::vector<Distribution> drafts; // of every place
    bool chain = true;
    const auto take = [&](const auto& event, Distribution shown, Distribution& used, Distribution& raw) {
        raw = event.raw_top.empty() ? shown : distribution_of(event.raw_top, vocab);
        used = std::move(shown);
    };
    std::size_t next = scratch.trace().size();
    while (scratch.step()) {
        for (; next < scratch.trace().size(); ++next) {
            const Event& event = scratch.trace()[next];
            if (const auto* drafted = std::get_if<Drafted>(&event)) {
                drafts.push_back(distribution_of(drafted->top, vocab));
                chain = chain && drafted->parent == drafted->index - 1;
                if (drafted->index == index) take(*drafted, drafts.back(), pair.draft, pair.draft_raw);
            } else if (const auto* checked = std::get_if<Checked>(&event)) {
                Distribution target = distribution_of(checked->top, vocab);
                const Distribution& draft = drafts[static_cast<std::size_t>(checked->index)];
                const int own = sample(target, *checked->u);
                if (chain)
                    pair.places.push_back({.guess = checked->token,
                                           .own = own,
                                           .kept = overlap(target, draft),
                                           .matched = std::inner_product(target.begin(), target.end(), draft.begin(), 0.0),
                                           .by_token = checked->accepted,
                                           .by_match = own == checked->token});
                if (checked->index == index) take(*checked, std::move(target), pair.target, pair.target_raw);
            } else if (const auto* own = std::get_if<TargetToken>(&event)) { // the row after the last draft
                if (pair.target.empty()) take(*own, distribution_of(own->top, vocab), pair.target, pair.target_raw);
                return pair;
            }
        }
    }
    throw Error("position " + std::to_string(index + 1) + " of round " + std::to_string(round + 1) + " has no distributions",
                "Choose a position that the target judged.", Exit::usage);
}

} // namespace speclens
