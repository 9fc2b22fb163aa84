#include "remote/same/same_result.h"

#include <algorithm>
#include <cmath>

#include "engine/base/quantile.h"

namespace speclens {
namespace {

// Share of the pairs of one arm's answers that differ.
double differs_from_itself(const std::vector<GreedyAnswer>& answers) {
    int pairs = 0, different = 0;
    for (std::size_t i = 0; i < answers.size(); ++i)
        for (std::size_t j = i + 1; j < answers.size(); ++j, ++pairs) different += !same_text(answers[i], answers[j]);
    return pairs > 0 ? static_cast<double>(different) / pairs : 0;
}

double differ_between(const std::vector<GreedyAnswer>& a, const std::vector<GreedyAnswer>& b) {
    int different = 0;
    for (const GreedyAnswer& one : a)
        for (const GreedyAnswer& other : b) different += !same_text(one, other);
    const std::size_t pairs = a.size() * b.size();
    return pairs > 0 ? static_cast<double>(different) / static_cast<double>(pairs) : 0;
}

// Why drafts were not compared at all; empty: they were, or two servers are compared whatever they draft.
Said no_comparison(const SameMeasured& m) {
    if (m.compare == SameCompare::servers) return {};
    std::vector<ArmDrafts> drafts;
    for (const MeasuredArm& arm : m.arms) {
        const auto told = drafts_of(arm);
        if (!told && m.compare == SameCompare::started) return {}; // each was started with its length
        if (!told) return same_said("why.drafts_not_told"_t);
        drafts.push_back(*told);
    }
    if (std::ranges::all_of(drafts, [](const ArmDrafts& d) { return d.drafted == 0; })) return same_said("why.nothing_drafted"_t);
    if (m.compare == SameCompare::drafts_off && drafts[0].drafted > 0)
        return same_said("why.drafts_anyway"_t, "drafted"_v = drafts[0].drafted);
    const auto alike = [&](std::size_t prompt) {
        return std::ranges::all_of(m.arms, [&](const MeasuredArm& arm) {
            return arm.answers[prompt].front().drafted == m.arms[0].answers[prompt].front().drafted;
        });
    };
    bool all = m.arms.size() > 1;
    for (std::size_t prompt = 0; prompt < m.prompts.size(); ++prompt) all = all && alike(prompt);
    return all ? same_said("why.drafted_alike"_t) : Said();
}

Said where_compared(const SameMeasured& m) {
    switch (m.compare) {
    case SameCompare::drafts_off: return same_said("where.drafts_off"_t);
    case SameCompare::servers: return same_said("where.servers"_t);
    default: return same_said("where.lengths"_t);
    }
}

// Why nothing is decided of this pair; empty: it is.
Said open_question(const SameMeasured& m, const ArmPair& pair) {
    if (pair.noisy()) {
        const Said &zero = m.arms[0].name, &one = m.arms[pair.arm].name;
        std::optional<Said> both;
        if (pair.self0 > 0 && pair.self > 0) both = one;
        return same_said("why.noisy"_t, "arm"_v = pair.self0 > 0 ? zero : one, "both"_v = both, "excess"_v = pair.excess,
                         "low"_v = pair.low, "high"_v = pair.high, "more"_v = pair.low > 0);
    }
    if (const int n = pair.count(ForkKind::larger); n > 0) return same_said("why.larger"_t, "texts"_v = n, "nats"_v = kMistake);
    if (const int n = pair.count(ForkKind::not_told); n > 0) return same_said("why.margin_not_told"_t, "texts"_v = n);
    return {};
}

} // namespace

std::optional<ArmDrafts> drafts_of(const MeasuredArm& arm) {
    ArmDrafts sum;
    double rounds = 0;
    bool rounds_told = true, any = false;
    for (const auto& answers : arm.answers)
        for (const GreedyAnswer& answer : answers) {
            if (!answer.drafted) return {};
            any = true;
            sum.drafted += *answer.drafted;
            sum.accepted += answer.accepted;
            rounds_told = rounds_told && (answer.rounds || *answer.drafted == 0);
            rounds += answer.rounds.value_or(0);
        }
    if (!any) return {};
    if (rounds_told && rounds > 0) sum.per_round = sum.drafted / rounds;
    return sum;
}

ArmPair compare_arms(const SameMeasured& m, std::size_t arm) {
    ArmPair pair;
    pair.arm = arm;
    const std::size_t count = m.prompts.size();
    double sum = 0, squares = 2; // of the two prompts that are added, +1 and -1
    for (std::size_t p = 0; p < count; ++p) {
        const std::vector<GreedyAnswer>&a = m.arms[0].answers[p], &b = m.arms[arm].answers[p];
        const double self0 = differs_from_itself(a), self = differs_from_itself(b), between = differ_between(a, b);
        const double excess = between - (self0 + self) / 2;
        pair.self0 += self0, pair.self += self, pair.between += between;
        sum += excess, squares += excess * excess;
        pair.differ += !same_text(a.front(), b.front());
    }
    const auto n = static_cast<double>(count);
    if (count > 0) pair.self0 /= n, pair.self /= n, pair.between /= n, pair.excess = sum / n;
    constexpr double z = 1.959963984540054;
    const double mean = sum / (n + 2), half = z * std::sqrt(std::max(0.0, squares / (n + 2) - mean * mean) / (n + 2));
    // The figure itself is always in it.
    pair.low = std::max(-1.0, std::min(pair.excess, mean - half));
    pair.high = std::min(1.0, std::max(pair.excess, mean + half));
    pair.share = wilson(pair.differ, static_cast<int>(count));
    std::vector<double> places, shares;
    for (const ForkRecord& record : m.forks) {
        if (record.arm != arm) continue;
        if (record.fork.tokens) places.push_back(*record.fork.tokens);
        if (record.length > 0) shares.push_back(static_cast<double>(record.fork.bytes) / static_cast<double>(record.length));
        ++pair.kinds[static_cast<std::size_t>(record.judged.kind)];
        if (record.judged.margin) {
            const auto bin = std::ranges::lower_bound(kMarginEdges, record.judged.margin->nats) - kMarginEdges.begin();
            ++pair.margins[static_cast<std::size_t>(bin)];
        }
    }
    if (!places.empty()) pair.place = median(places);
    if (!shares.empty()) pair.place_share = median(shares);
    return pair;
}

std::vector<std::vector<std::size_t>> equal_arms(const SameMeasured& m) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t arm = 0; arm < m.arms.size(); ++arm) {
        for (const auto& answers : m.arms[arm].answers)
            if (differs_from_itself(answers) > 0) return {};
        const auto equal = [&](const std::vector<std::size_t>& group) {
            for (std::size_t p = 0; p < m.prompts.size(); ++p)
                if (!same_text(m.arms[arm].answers[p].front(), m.arms[group.front()].answers[p].front())) return false;
            return true;
        };
        if (const auto found = std::ranges::find_if(groups, equal); found != groups.end())
            found->push_back(arm);
        else
            groups.push_back({arm});
    }
    return groups;
}

SameSummary summarize(const SameMeasured& m) {
    SameSummary out;
    const int count = static_cast<int>(m.prompts.size());
    const auto undecided = [&](Said why) {
        out.verdict = SameVerdict::undecided;
        out.sentence = same_said("verdict.undecided"_t, "why"_v = std::move(why));
    };
    if (count > 0)
        for (std::size_t arm = 1; arm < m.arms.size(); ++arm) out.pairs.push_back(compare_arms(m, arm));
    if (count > 0) out.groups = equal_arms(m);
    if (count == 0) {
        undecided(same_said("why.no_prompt"_t));
        return out;
    }
    if (const auto n = m.read_apart.size(); n > 0) {
        undecided(same_said("why.read_apart"_t, "count"_v = count, "apart"_v = n));
        return out;
    }
    if (Said why = no_comparison(m); !why.empty()) {
        undecided(std::move(why));
        return out;
    }
    int differ = 0, mistakes = 0;
    double widest = 0;
    Said open;
    for (const ArmPair& pair : out.pairs) {
        differ = std::max(differ, pair.differ);
        if (!pair.noisy()) mistakes += pair.count(ForkKind::mistake);
        if (open.empty()) open = open_question(m, pair);
    }
    for (const ForkRecord& record : m.forks)
        if (record.judged.margin && record.judged.kind == ForkKind::near_tie) widest = std::max(widest, record.judged.margin->nats);
    if (mistakes > 0) {
        out.verdict = SameVerdict::mistake;
        out.sentence = same_said("verdict.mistake"_t, "texts"_v = mistakes, "nats"_v = kMistake);
    } else if (!open.empty()) {
        undecided(std::move(open));
    } else if (differ > 0) {
        out.verdict = SameVerdict::near_ties;
        out.sentence = same_said("verdict.near_ties"_t, "differ"_v = differ, "count"_v = count, "where"_v = where_compared(m),
                                 "widest"_v = std::max(widest, 0.001));
    } else {
        out.verdict = SameVerdict::same;
        out.sentence =
            same_said("verdict.same"_t, "count"_v = count, "where"_v = where_compared(m), "most"_v = out.pairs.front().share.high);
    }
    return out;
}

const char* name_of(SameVerdict verdict) {
    static constexpr const char* kNames[] = {"same", "near_ties", "mistake", "undecided"};
    return kNames[static_cast<std::size_t>(verdict)];
}

const char* name_of(ForkKind kind) {
    static constexpr const char* kNames[] = {"near_tie", "larger", "mistake", "not_told"};
    return kNames[static_cast<std::size_t>(kind)];
}

} // namespace speclens
