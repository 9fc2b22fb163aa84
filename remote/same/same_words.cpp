#include "remote/same/same_words.h"

namespace speclens {
namespace {

Said kind_said(const JudgedFork& judged) {
    switch (judged.kind) {
    case ForkKind::near_tie: return same_said("kind.near_tie"_t);
    case ForkKind::larger: return same_said("kind.larger"_t);
    case ForkKind::mistake: return same_said("kind.mistake"_t);
    case ForkKind::not_told: break;
    }
    return judged.margin ? same_said("kind.not_judged"_t) : same_said("kind.place_only"_t);
}

std::optional<Said> side_said(Side side) {
    switch (side) {
    case Side::a: return same_said("side.first"_t);
    case Side::b: return same_said("side.other"_t);
    case Side::neither: return same_said("side.neither"_t);
    case Side::unknown: break;
    }
    return {};
}

std::vector<Said> margins_of(const ArmPair& pair) {
    std::vector<Said> out;
    for (std::size_t bin = 0; bin < pair.margins.size(); ++bin) {
        if (pair.margins[bin] == 0) continue;
        const auto forks = "forks"_v = pair.margins[bin];
        out.push_back(bin < kMarginEdges.size() ? same_said("margin.up_to"_t, "edge"_v = kMarginEdges[bin], forks)
                                                : same_said("margin.above"_t, "edge"_v = kMarginEdges.back(), forks));
    }
    return out;
}

} // namespace

Said server_arm_name(std::string address) { return same_said("arm.server"_t, "address"_v = std::move(address)); }

Said asked_arm_name(std::optional<int> k) {
    if (!k) return same_said("arm.as_it_drafts"_t);
    return *k == 0 ? same_said("arm.none_asked"_t) : same_said("arm.asked"_t, "k"_v = *k);
}

Said started_arm_name(int k) { return same_said("arm.started"_t, "k"_v = k); }

Said started_said(std::size_t servers) { return same_said("conditions.started"_t, "servers"_v = servers); }

Said same_conditions(const SameMeasured& m, int max_tokens) {
    return same_said("conditions.asked"_t, "prompts"_v = m.prompts.size(), "repeats"_v = m.arms.front().answers.front().size(),
                     "tokens"_v = max_tokens, "ended"_v = !m.whole);
}

Said drafted_heading() { return same_said("table.drafted"_t); }
Said itself_heading() { return same_said("table.itself"_t); }
Said equal_heading() { return same_said("table.equal"_t); }

Said drafted_said(const MeasuredArm& arm) {
    const auto drafts = drafts_of(arm);
    if (!drafts) return same_said("drafted.not_told"_t);
    if (drafts->drafted == 0) return same_said("drafted.nothing"_t);
    return same_said("drafted.told"_t, "drafted"_v = drafts->drafted, "kept"_v = drafts->accepted / drafts->drafted,
                     "per_round"_v = drafts->per_round);
}

Said itself_said(double differs) {
    return differs == 0 ? same_said("itself.always"_t) : same_said("itself.share"_t, "share"_v = 1 - differs);
}

Said equal_said(const SameMeasured& m, const ArmPair& pair) {
    const auto count = static_cast<int>(m.prompts.size());
    return same_said("equal.texts"_t, "equal"_v = count - pair.differ, "count"_v = count);
}

Said groups_said(const SameMeasured& m, const SameSummary& summary) {
    if (m.arms.size() < 3) return {};
    std::vector<Said> groups;
    for (const auto& group : summary.groups) {
        std::vector<Said> names;
        for (const std::size_t arm : group) names.push_back(m.arms[arm].name);
        groups.push_back(groups.empty() ? same_said("groups.first"_t, "arms"_v = std::move(names))
                                        : same_said("groups.apart"_t, "arms"_v = std::move(names)));
    }
    return groups.empty() ? Said() : same_said("groups.all"_t, "groups"_v = std::move(groups));
}

std::vector<Said> pair_said(const SameMeasured& m, const ArmPair& pair) {
    if (pair.differ == 0 && !pair.noisy()) return {};
    std::vector<Said> out;
    std::optional<double> token, after;
    if (pair.place) token = *pair.place + 1;
    if (pair.place_share) after = 100 * *pair.place_share;
    out.push_back(same_said("pair.differ"_t, "arm"_v = m.arms[pair.arm].name, "differ"_v = pair.differ, "count"_v = m.prompts.size(),
                            "low"_v = 100 * pair.share.low, "high"_v = 100 * pair.share.high, "token"_v = token, "after"_v = after));
    out.push_back(same_said("pair.excess"_t, "first"_v = pair.self0, "itself"_v = pair.self, "between"_v = pair.between,
                            "excess"_v = pair.excess, "low"_v = pair.low, "high"_v = pair.high));
    if (auto margins = margins_of(pair); !margins.empty()) out.push_back(same_said("pair.margins"_t, "margins"_v = std::move(margins)));
    return out;
}

Said fork_said(const SameMeasured& m, const ForkRecord& record, const std::function<std::string(const std::string&)>& shown) {
    const auto branch = [&](const ForkBranch& b) {
        return b.ended ? same_said("branch.end"_t) : same_said("branch.goes_on"_t, "text"_v = shown(b.rest));
    };
    std::optional<Said> arm;
    std::optional<int> token;
    if (m.arms.size() > 2) arm = m.arms[record.arm].name;
    if (record.fork.tokens) token = *record.fork.tokens + 1;
    return same_said("fork.place"_t, "prompt"_v = record.prompt + 1, "arm"_v = arm, "token"_v = token, "byte"_v = record.fork.bytes + 1,
                     "first"_v = branch(record.fork.a), "other"_v = branch(record.fork.b));
}

Said judged_said(const JudgedFork& judged) {
    const auto kind = "kind"_v = kind_said(judged);
    const auto side = "side"_v = side_said(judged.side);
    if (!judged.margin) return same_said("fork.judged:without"_t, kind, side);
    return same_said("fork.judged:margin"_t, kind, side, "margin"_v = judged.margin->nats, "least"_v = judged.margin->at_least,
                     "spread"_v = judged.spread / 2);
}

Said more_forks_said(std::size_t more) { return same_said("fork.more"_t, "more"_v = more); }

} // namespace speclens
