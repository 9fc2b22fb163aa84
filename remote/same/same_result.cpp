#include "remote/same/same_result.h"

#include <algorithm>
#include <cmath>

#include "engine/advice/printed.h"
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

// "1 text parts", "3 texts part"
std::string texts_part(int n) { return printed("%d %s", n, n == 1 ? "text parts" : "texts part"); }

// Why drafts were not compared at all; empty: they were, or two servers are compared whatever they draft.
std::string no_comparison(const SameMeasured& m) {
    if (m.compare == SameCompare::servers) return "";
    std::vector<ArmDrafts> drafts;
    for (const MeasuredArm& arm : m.arms) {
        const auto told = drafts_of(arm);
        if (!told && m.compare == SameCompare::started) return ""; // each was started with its length
        if (!told) return "the answers do not tell what was drafted, so whether the server did as it was asked is not known";
        drafts.push_back(*told);
    }
    if (std::ranges::all_of(drafts, [](const ArmDrafts& d) { return d.drafted == 0; })) return "nothing was drafted in any arm";
    if (m.compare == SameCompare::drafts_off && drafts[0].drafted > 0)
        return printed("the server drafts whatever it is asked: %.0f draft tokens where none were asked for. Start a second one without "
                       "speculation, or one for each length (--command)",
                       drafts[0].drafted);
    const auto alike = [&](std::size_t prompt) {
        return std::ranges::all_of(m.arms, [&](const MeasuredArm& arm) {
            return arm.answers[prompt].front().drafted == m.arms[0].answers[prompt].front().drafted;
        });
    };
    bool all = m.arms.size() > 1;
    for (std::size_t prompt = 0; prompt < m.prompts.size(); ++prompt) all = all && alike(prompt);
    return all ? "every arm drafted alike, whatever length was asked for" : "";
}

std::string words_of(const SameMeasured& m) {
    switch (m.compare) {
    case SameCompare::drafts_off: return "with and without drafts";
    case SameCompare::servers: return "on both servers";
    default: return "at every draft length";
    }
}

// Why nothing is decided of this pair; empty: it is.
std::string open_question(const SameMeasured& m, const ArmPair& pair) {
    if (pair.noisy()) {
        std::string who;
        if (pair.self0 > 0) who = m.arms[0].name;
        if (pair.self > 0) who += (who.empty() ? "" : " and ") + m.arms[pair.arm].name;
        return printed(
            "%s gave two texts to one prompt, so nothing is said of single texts. Beyond that the arms differ in %.2f of the pairs "
            "(95 %%: %.2f to %.2f)%s",
            who.c_str(), pair.excess, pair.low, pair.high, pair.low > 0 ? ", more than by chance" : "");
    }
    if (const int n = pair.count(ForkKind::larger); n > 0)
        return printed("%s where the two tokens lie further apart than rounding seen on this server, and less than %.0f nat",
                       texts_part(n).c_str(), kMistake);
    if (const int n = pair.count(ForkKind::not_told); n > 0)
        return printed("%s, and how near the two tokens lie there is not told", texts_part(n).c_str());
    return "";
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
    const auto undecided = [&](const std::string& why) {
        out.verdict = SameVerdict::undecided;
        out.sentence = "Not decidable: " + why + ".";
    };
    if (count > 0)
        for (std::size_t arm = 1; arm < m.arms.size(); ++arm) out.pairs.push_back(compare_arms(m, arm));
    if (count > 0) out.groups = equal_arms(m);
    if (count == 0) {
        undecided("no prompt was answered by every arm");
        return out;
    }
    if (const auto n = m.read_apart.size(); n > 0) {
        undecided(printed("of %d prompts %zu were read as different token ids: another chat template, tokenizer or first token", count, n));
        return out;
    }
    if (const std::string why = no_comparison(m); !why.empty()) {
        undecided(why);
        return out;
    }
    int differ = 0, mistakes = 0;
    double widest = 0;
    std::string open;
    for (const ArmPair& pair : out.pairs) {
        differ = std::max(differ, pair.differ);
        if (!pair.noisy()) mistakes += pair.count(ForkKind::mistake);
        if (open.empty()) open = open_question(m, pair);
    }
    for (const ForkRecord& record : m.forks)
        if (record.judged.margin && record.judged.kind == ForkKind::near_tie) widest = std::max(widest, record.judged.margin->nats);
    if (mistakes > 0) {
        out.verdict = SameVerdict::mistake;
        out.sentence =
            printed("A mistake: %s where the text before it, read again, prefers one of the two tokens by more than %.0f nat. No "
                    "rounding does that.",
                    texts_part(mistakes).c_str(), kMistake);
    } else if (!open.empty()) {
        undecided(open);
    } else if (differ > 0) {
        out.verdict = SameVerdict::near_ties;
        out.sentence =
            printed("Near ties alone: %d of %d texts differ %s, each from a place on where the two tokens are within %.3f nats of "
                    "each other: rounding, no mistake.",
                    differ, count, words_of(m).c_str(), std::max(widest, 0.001));
    } else {
        out.verdict = SameVerdict::same;
        out.sentence = printed("The same: %s equal %s. That leaves at most %.0f %% of such prompts (95 %%).",
                               count == 1 ? "the one text is" : printed("all %d texts are", count).c_str(), words_of(m).c_str(),
                               100 * out.pairs.front().share.high);
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
