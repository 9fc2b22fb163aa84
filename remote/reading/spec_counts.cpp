#include "remote/reading/spec_counts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace speclens {
namespace {

// Entry by entry; empty where a side that drafted has no list.
std::vector<double> combined(const SpecCounts& a, const SpecCounts& b, double sign, std::vector<double> SpecCounts::*list) {
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
    out.worked_out = a.worked_out || b.worked_out;
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

std::string plain(double value) { // counts have no decimals
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

} // namespace

SpecCounts operator-(const SpecCounts& later, const SpecCounts& earlier) { return combined(later, earlier, -1); }

SpecCounts operator+(const SpecCounts& a, const SpecCounts& b) { return combined(a, b, 1); }

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

V0Counts read_v0_counts(const V0Reported& t) {
    V0Counts out;
    const auto whole = [](double value) { return std::abs(value - std::round(value)) < 1e-6; };
    std::optional<double> rounds;
    double low = 0, high = std::numeric_limits<double>::infinity();
    if (t.efficiency && *t.efficiency > t.efficiency_off) {
        low = std::ceil(t.emitted / (*t.efficiency + t.efficiency_off) - t.drafted - 1e-6);
        high = std::floor(t.emitted / (*t.efficiency - t.efficiency_off) - t.drafted + 1e-6);
    }
    low = std::max({low, 0.0, t.emitted > 0 ? 1.0 : 0.0});
    high = std::min(high, t.emitted); // a round emits one token at least
    const auto fits = [&](double k) { return k > 0 && whole(t.drafted / k) && t.drafted / k >= low && t.drafted / k <= high; };
    if (t.k && fits(*t.k)) {
        rounds = t.drafted / *t.k;
    } else if (t.efficiency && low <= high) {
        const double least = std::ceil(t.drafted / high), most = low > 0 ? std::floor(t.drafted / low) : 0;
        if (!t.k && least == most && fits(least))
            rounds = t.drafted / least;
        else if (const double middle = std::clamp(std::round(t.emitted / *t.efficiency - t.drafted), low, high);
                 high - low <= 0.02 * middle)
            rounds = middle;
    }
    const double k = rounds && *rounds > 0 ? t.drafted / *rounds : 0;
    if (low > high || (rounds && *rounds > 0 && (t.emitted / *rounds > t.k.value_or(k) + 1 + 1e-6 || k > t.k.value_or(k) + 1e-6))) {
        out.wrong = plain(t.emitted) + " tokens emitted for " + plain(t.drafted) + " drafted, which no number of rounds makes";
        return out;
    }
    if (t.accepted > t.drafted) out.wrong = plain(t.accepted) + " accepted of " + plain(t.drafted) + " drafted";
    if (!rounds || !out.wrong.empty()) return out;
    out.counts = SpecCounts{rounds, t.drafted, t.emitted - *rounds, {}};
    out.counts->worked_out = true;
    return out;
}

std::vector<AcceptanceName> acceptance_names(const SpecCounts& c, int without_draft) {
    const bool places = !c.accepted_at.empty();
    return {
        {"draft acceptance rate", "accepted ÷ drafted", "vLLM, llama.cpp, SGLang since April 2026", ratio(c.accepted, c.drafted)},
        {"mean acceptance length", "1 + accepted ÷ rounds", "vLLM, llama.cpp, the papers' τ", acceptance_length(c)},
        {"accepted per round", "accepted ÷ rounds", "some papers, without the target's own token", ratio(c.accepted, c.rounds)},
        {"rounds that kept something", "kept draft 1 ÷ rounds", "llama.cpp #acc drafts",
         places ? ratio(c.accepted_at.front(), c.rounds) : std::nullopt},
        {"kept to the last place", "kept draft K ÷ rounds", "unconditional rate of place K",
         places ? ratio(c.accepted_at.back(), c.rounds) : std::nullopt},
        {"guessed share of the text", without_draft > 0 ? "accepted ÷ (accepted + passes)" : "accepted ÷ (accepted + rounds)",
         "how much of what one reads was guessed", c.rounds ? ratio(c.accepted, c.accepted + *c.rounds + without_draft) : std::nullopt},
    };
}

PositionAcceptance position_acceptance(const SpecCounts& c) {
    PositionAcceptance out;
    const bool judged = c.judged_at.size() >= c.accepted_at.size();
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        const double none = std::numeric_limits<double>::quiet_NaN(), kept = c.accepted_at[i];
        const std::optional<double> before = judged ? c.judged_at[i] : i > 0 ? c.accepted_at[i - 1] : c.rounds;
        out.unconditional.push_back(ratio(kept, c.rounds).value_or(none));
        out.conditional.push_back(ratio(kept, before).value_or(none));
    }
    return out;
}

std::optional<double> acceptance_length(const SpecCounts& c) {
    const auto kept = ratio(c.accepted, c.rounds);
    return kept ? std::optional(1 + *kept) : std::nullopt;
}

std::optional<double> drafts_per_round(const SpecCounts& c) { return c.drafted > 0 ? ratio(c.drafted, c.rounds) : std::nullopt; }

std::string contradiction(const SpecCounts& c) {
    constexpr double kTiny = 1e-6;
    const double rounds = c.rounds.value_or(std::numeric_limits<double>::infinity());
    if (c.accepted > c.drafted + kTiny) return plain(c.accepted) + " accepted of " + plain(c.drafted) + " drafted";
    if (c.rounds && c.drafted + kTiny < rounds) return plain(c.drafted) + " drafted in " + plain(rounds) + " rounds with a draft";
    if (rounds <= 0 && c.drafted > 0) return plain(c.drafted) + " drafted in no round";
    double kept = 0;
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        const double before = i > 0 ? c.accepted_at[i - 1] : rounds;
        if (c.accepted_at[i] > before + 2 * c.places_off + kTiny)
            return "draft " + std::to_string(i + 1) + " kept in " + plain(c.accepted_at[i]) +
                   (i > 0 ? " rounds, draft " + std::to_string(i) + " in " + plain(before) : " of " + plain(before) + " rounds");
        kept += c.accepted_at[i];
    }
    const auto places = static_cast<double>(c.accepted_at.size());
    if (places > 0 && std::abs(kept - c.accepted) > places * c.places_off + kTiny)
        return "the places add up to " + plain(kept) + " kept drafts, the total says " + plain(c.accepted);
    return {};
}

std::string more_than_places(const SpecCounts& c) {
    constexpr double kTiny = 1e-6;
    const auto places = static_cast<double>(c.accepted_at.size());
    if (places <= 0 || !c.rounds || c.drafted <= *c.rounds * places + kTiny) return {};
    return plain(c.drafted) + " drafted in " + plain(*c.rounds) + " rounds with " + std::to_string(c.accepted_at.size()) + " places";
}

namespace {

// A share of the drafts as one says it.
std::string share_words(double share) {
    struct Words {
        double share;
        const char* text;
    };
    for (const Words& w :
         {Words{0.25, "a quarter"}, {1.0 / 3, "a third"}, {0.5, "half"}, {2.0 / 3, "two thirds"}, {0.75, "three quarters"}})
        if (std::abs(share - w.share) < 0.005) return w.text;
    return std::to_string(std::lround(100 * share)) + " %";
}

// Places that no round kept, behind one that some did.
std::string dead_places(const SpecCounts& c) {
    const std::size_t all = c.accepted_at.size();
    std::size_t living = all;
    while (living > 0 && c.accepted_at[living - 1] <= 0) --living;
    if (living == 0 || living == all || !c.rounds || *c.rounds < 20) return {};
    const double last = c.accepted_at[living - 1], before = living > 1 ? c.accepted_at[living - 2] : *c.rounds;
    const std::string dead = living + 1 == all ? "place " + std::to_string(all) + " is"
                                               : "places " + std::to_string(living + 1) + " to " + std::to_string(all) + " are";
    // As many would be kept at the next place if it went on as before.
    constexpr double kTooManyToMiss = 10;
    std::string out = dead + " never kept: ";
    if (before > 0 && last * last / before >= kTooManyToMiss && last >= 0.5 * before)
        out += "a limit of the head? Place " + std::to_string(living) + " is kept in " + plain(last) + " rounds. ";
    const double drafted = *c.rounds * static_cast<double>(living);
    // Only where every round drafts all places is it known what a smaller K would draft.
    const bool full = std::abs(c.drafted - *c.rounds * static_cast<double>(all)) <= 0.001 * c.drafted;
    out += "K = " + std::to_string(living) + " gives the same text";
    if (full)
        out += " for " + share_words(drafted / c.drafted) + " of the drafts (" + plain(drafted) + " instead of " + plain(c.drafted) +
               ", length " + two_digits(1 + c.accepted / *c.rounds) + " either way)";
    return out;
}

} // namespace

std::string nothing_accepted_words(const std::string& what) {
    return what + "; usual causes: a head that lost its lm_head or embeddings, a head of another target, its tapped "
                  "layers one off, another chat template than it was trained with, garbled output, or T > 0 with "
                  "drafts compared with a fresh sample. Compare the text with speculation switched off";
}

std::vector<std::string> findings(const SpecCounts& c) {
    std::vector<std::string> out;
    if (c.empty()) return out;
    const PositionAcceptance places = position_acceptance(c);
    const double rate = ratio(c.accepted, c.drafted).value_or(std::numeric_limits<double>::quiet_NaN());
    const double most = static_cast<double>(c.accepted_at.size());
    if (c.accepted > c.drafted && c.drafted > 0)
        out.push_back("more drafts accepted than drafted: two counters of different servers or times, or a tree "
                      "whose guesses are counted once a level");
    if (rate < 0.05) out.push_back(nothing_accepted_words(c.accepted <= 0 ? "nothing is accepted" : "almost nothing is accepted"));
    if (rate > 0.98 && c.rounds.value_or(0) >= 20)
        out.push_back("almost everything is accepted: the text may loop, or K is too small to cost a rejection");
    // Counters of places that do not add up belong to other rounds than the totals.
    double kept = 0;
    bool rises = false;
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        kept += c.accepted_at[i];
        rises = rises || (i > 0 && c.accepted_at[i] > c.accepted_at[i - 1]);
    }
    if (rises) out.push_back("a later draft was kept more often than an earlier one: these are not chains");
    if (most > 0 && std::abs(kept - c.accepted) > 0.01 * std::max(1.0, c.accepted) + most * c.places_off)
        out.push_back("the places add up to " + two_digits(kept) + " kept drafts, the total says " + two_digits(c.accepted));
    if (c.judged_at.empty() && c.rounds && most > 0 && c.drafted < *c.rounds * most)
        out.push_back("some rounds drafted fewer than " + std::to_string(c.accepted_at.size()) +
                      " tokens: a place's share once all before it were kept counts those as refused there");
    const std::string dead = dead_places(c);
    if (!dead.empty()) out.push_back(dead);
    if (dead.empty() && places.conditional.size() >= 3 && c.rounds.value_or(0) >= 100) {
        const double first = places.unconditional.front(), last = places.unconditional.back();
        if (last < 0.1 && first > 0)
            out.push_back("the last place is kept in " + two_digits(100 * last) +
                          " % of the rounds: a smaller K drafts less for almost the same text");
        if (last > 0.6) out.push_back("even the last place is kept in most rounds: a larger K may pay");
    }
    return out;
}

} // namespace speclens
