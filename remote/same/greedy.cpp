#include "remote/same/greedy.h"

#include <algorithm>

#include "engine/base/quantile.h"

namespace speclens {
namespace {

bool inside_a_character(const std::string& text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The listed token that a branch goes on with: its index, or none.
std::optional<std::size_t> find_branch(const Reread& reread, const ForkBranch& branch) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < reread.listed.size(); ++i) {
        const ListedToken& token = reread.listed[i];
        if (branch.id && token.id >= 0) {
            if (token.id == *branch.id) return i;
        } else if (!branch.ended && !token.text.empty() && branch.rest.starts_with(token.text)) {
            if (!found || token.text.size() > reread.listed[*found].text.size()) found = i;
        }
    }
    return found;
}

bool is_branch(const ListedToken& token, const ForkBranch& branch) {
    if (branch.id && token.id >= 0) return token.id == *branch.id;
    return !branch.ended && !token.text.empty() && branch.rest.starts_with(token.text);
}

} // namespace

TextFork fork_of(const GreedyAnswer& a, const GreedyAnswer& b) {
    TextFork fork;
    const auto [in_a, in_b] = std::ranges::mismatch(a.text, b.text);
    fork.bytes = static_cast<std::size_t>(in_a - a.text.begin());
    while (fork.bytes > 0 && (inside_a_character(a.text, fork.bytes) || inside_a_character(b.text, fork.bytes))) --fork.bytes;
    fork.a.rest = a.text.substr(fork.bytes);
    fork.b.rest = b.text.substr(fork.bytes);
    if (!a.ids.empty() && !b.ids.empty()) {
        const auto at = std::ranges::mismatch(a.ids, b.ids);
        fork.tokens = static_cast<int>(at.in1 - a.ids.begin());
        if (at.in1 != a.ids.end()) fork.a.id = *at.in1;
        if (at.in2 != b.ids.end()) fork.b.id = *at.in2;
    }
    fork.a.ended = fork.a.rest.empty();
    fork.b.ended = fork.b.rest.empty();
    return fork;
}

std::optional<Margin> margin_of(const Reread& reread, const ForkBranch& a, const ForkBranch& b) {
    if (reread.listed.empty()) return {};
    const std::vector<ListedToken>& listed = reread.listed;
    const auto at_a = find_branch(reread, a), at_b = find_branch(reread, b);
    if (at_a == at_b) return {}; // neither is there, or the text does not tell which of two it was
    struct Gap {
        double nats;
        bool at_least;
    };
    const auto gap_of = [&](const ForkBranch& branch, const std::optional<std::size_t>& at,
                            const std::optional<std::size_t>& other) -> Gap {
        const double best = listed.front().logp;
        if (at) return {best - listed[*at].logp, false};
        if (!branch.ended || (branch.id && listed.front().id >= 0)) return {best - listed.back().logp, true};
        // The token that ends a text has no text, and no id here. It is the best where the other one is not; else no better than the
        // second.
        if (other != 0U) return {0, false};
        return {listed.size() > 1 ? best - listed[1].logp : 0, true};
    };
    const Gap gap_a = gap_of(a, at_a, at_b), gap_b = gap_of(b, at_b, at_a);
    return Margin{std::max(gap_a.nats, gap_b.nats), gap_a.at_least || gap_b.at_least};
}

Side side_of(const Reread& reread, const ForkBranch& a, const ForkBranch& b) {
    const ListedToken& best = reread.listed.empty() ? reread.written : reread.listed.front();
    if (best.id < 0 && best.text.empty()) return Side::unknown;
    const bool is_a = is_branch(best, a), is_b = is_branch(best, b);
    if (is_a && is_b) return Side::unknown;
    return is_a ? Side::a : is_b ? Side::b : Side::neither;
}

JudgedFork judge_fork(std::span<const Reread> repeats, const ForkBranch& a, const ForkBranch& b) {
    JudgedFork judged;
    std::vector<double> margins;
    bool at_least = false;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        const Side side = side_of(repeats[i], a, b);
        if (i == 0)
            judged.side = side;
        else if (side != judged.side)
            judged.side = Side::unknown;
        const auto margin = margin_of(repeats[i], a, b);
        if (!margin) continue;
        margins.push_back(margin->nats);
        at_least = at_least || margin->at_least;
    }
    if (margins.empty()) return judged;
    judged.margin = Margin{median(margins), at_least};
    const auto [least, most] = std::ranges::minmax(margins);
    judged.spread = most - least;
    if (margins.size() < kFewestRereads) return judged;
    const double near = std::max(kNearTie, kSpreads * judged.spread), nats = judged.margin->nats;
    if (nats > kMistake && nats > near)
        judged.kind = ForkKind::mistake;
    else if (at_least)
        judged.kind = ForkKind::not_told;
    else
        judged.kind = nats <= near && nats <= kMistake ? ForkKind::near_tie : ForkKind::larger;
    return judged;
}

JudgedFork milder(const JudgedFork& one, const JudgedFork& other) {
    if (one.kind == ForkKind::not_told || other.kind == ForkKind::not_told) {
        if (other.kind != ForkKind::not_told) return other;
        return one.kind != ForkKind::not_told || one.margin || !other.margin ? one : other;
    }
    return other.margin->nats < one.margin->nats ? other : one;
}

} // namespace speclens
