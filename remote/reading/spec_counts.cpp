#include "remote/reading/spec_counts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace speclens {
namespace {

// Entry by entry; empty where a side that drafted has no list.
std::vector<double> combined(const SpecCounts& a, const SpecCounts& b, double sign,
                             std::vector<double> SpecCounts::*list) {
    for (const SpecCounts* side : {&a, &b})
        if (side->drafted > 0 && (side->*list).empty()) return {};
    std::vector<double> out = a.*list;
    out.resize(std::max(out.size(), (b.*list).size()));
    for (std::size_t i = 0; i < (b.*list).size(); ++i) out[i] += sign * (b.*list)[i];
    return out;
}

SpecCounts combined(const SpecCounts& a, const SpecCounts& b, double sign) {
    SpecCounts out;
    out.rounds = a.rounds && b.rounds ? std::optional(*a.rounds + sign * *b.rounds) : std::nullopt;
    out.drafted = a.drafted + sign * b.drafted;
    out.accepted = a.accepted + sign * b.accepted;
    out.places_off = a.places_off + b.places_off;
    out.accepted_at = combined(a, b, sign, &SpecCounts::accepted_at);
    out.judged_at = combined(a, b, sign, &SpecCounts::judged_at);
    return out;
}

std::optional<double> ratio(double part, std::optional<double> whole) {
    if (!whole || !(*whole > 0)) return {};
    return part / *whole;
}

std::string two_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

} // namespace

SpecCounts operator-(const SpecCounts& later, const SpecCounts& earlier) {
    return combined(later, earlier, -1);
}

SpecCounts operator+(const SpecCounts& a, const SpecCounts& b) {
    return combined(a, b, 1);
}

SpecCounts counts_of_histogram(const std::vector<double>& histogram, double drafted) {
    SpecCounts counts;
    counts.drafted = drafted;
    counts.rounds.reset();
    counts.accepted_at.assign(histogram.empty() ? 0 : histogram.size() - 1, 0);
    for (std::size_t kept = 0; kept < histogram.size(); ++kept) {
        counts.rounds = counts.rounds.value_or(0) + histogram[kept];
        counts.accepted += static_cast<double>(kept) * histogram[kept];
        for (std::size_t i = 0; i < kept; ++i) counts.accepted_at[i] += histogram[kept];
    }
    return counts;
}

std::vector<AcceptanceName> acceptance_names(const SpecCounts& c, int without_draft) {
    const bool places = !c.accepted_at.empty();
    return {
        {"draft acceptance rate", "accepted ÷ drafted", "vLLM, llama.cpp, SGLang since April 2026",
         ratio(c.accepted, c.drafted)},
        {"mean acceptance length", "1 + accepted ÷ rounds", "vLLM, llama.cpp, the papers' τ",
         acceptance_length(c)},
        {"accepted per round", "accepted ÷ rounds", "some papers, without the target's own token",
         ratio(c.accepted, c.rounds)},
        {"rounds that kept something", "kept draft 1 ÷ rounds", "llama.cpp #acc drafts",
         places ? ratio(c.accepted_at.front(), c.rounds) : std::nullopt},
        {"kept to the last place", "kept draft K ÷ rounds", "unconditional rate of place K",
         places ? ratio(c.accepted_at.back(), c.rounds) : std::nullopt},
        {"guessed share of the text",
         without_draft > 0 ? "accepted ÷ (accepted + passes)" : "accepted ÷ (accepted + rounds)",
         "how much of what one reads was guessed",
         c.rounds ? ratio(c.accepted, c.accepted + *c.rounds + without_draft) : std::nullopt},
    };
}

PositionAcceptance position_acceptance(const SpecCounts& c) {
    PositionAcceptance out;
    const bool judged = c.judged_at.size() >= c.accepted_at.size();
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        const double none = std::numeric_limits<double>::quiet_NaN(), kept = c.accepted_at[i];
        const std::optional<double> before = judged  ? c.judged_at[i]
                                             : i > 0 ? c.accepted_at[i - 1]
                                                     : c.rounds;
        out.unconditional.push_back(ratio(kept, c.rounds).value_or(none));
        out.conditional.push_back(ratio(kept, before).value_or(none));
    }
    return out;
}

std::optional<double> acceptance_length(const SpecCounts& c) {
    const auto kept = ratio(c.accepted, c.rounds);
    return kept ? std::optional(1 + *kept) : std::nullopt;
}

std::optional<double> drafts_per_round(const SpecCounts& c) {
    return c.drafted > 0 ? ratio(c.drafted, c.rounds) : std::nullopt;
}

std::vector<std::string> findings(const SpecCounts& c) {
    std::vector<std::string> out;
    if (c.empty()) return out;
    const PositionAcceptance places = position_acceptance(c);
    const double rate = ratio(c.accepted, c.drafted).value_or(std::numeric_limits<double>::quiet_NaN());
    const double most = static_cast<double>(c.accepted_at.size());
    if (c.accepted > c.drafted && c.drafted > 0)
        out.push_back(
            "more drafts accepted than drafted: two counters of different servers or times, or a tree "
            "whose guesses are counted once a level");
    if (rate < 0.05)
        out.push_back(
            "almost nothing is accepted: a draft head of another target, a wrong chat template, or garbled "
            "output; compare the text with speculation switched off");
    if (rate > 0.98 && c.rounds.value_or(0) >= 20)
        out.push_back(
            "almost everything is accepted: the text may loop, or K is too small to cost a rejection");
    // Counters of places that do not add up belong to other rounds than the totals.
    double kept = 0;
    bool rises = false;
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        kept += c.accepted_at[i];
        rises = rises || (i > 0 && c.accepted_at[i] > c.accepted_at[i - 1]);
    }
    if (rises) out.push_back("a later draft was kept more often than an earlier one: these are not chains");
    if (most > 0 && std::abs(kept - c.accepted) > 0.01 * std::max(1.0, c.accepted) + most * c.places_off)
        out.push_back("the places add up to " + two_digits(kept) + " kept drafts, the total says " +
                      two_digits(c.accepted));
    if (c.judged_at.empty() && c.rounds && most > 0 && c.drafted < *c.rounds * most)
        out.push_back("some rounds drafted fewer than " + std::to_string(c.accepted_at.size()) +
                      " tokens: a place's share once all before it were kept counts those as refused there");
    if (places.conditional.size() >= 3 && c.rounds.value_or(0) >= 100) {
        const double first = places.unconditional.front(), last = places.unconditional.back();
        if (last < 0.1 && first > 0)
            out.push_back("the last place is kept in " + two_digits(100 * last) +
                          " % of the rounds: a smaller K drafts less for almost the same text");
        if (last > 0.6) out.push_back("even the last place is kept in most rounds: a larger K may pay");
    }
    return out;
}

} // namespace speclens
