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

std::optional<double> combined(const std::optional<double>& a, const std::optional<double>& b, double sign) {
    return a && b ? std::optional(*a + sign * *b) : std::nullopt;
}

// Of both texts; a side of which nothing at all is told takes no part.
std::optional<WrittenText> combined_text(const SpecCounts& a, const SpecCounts& b, double sign) {
    const auto nothing = [](const SpecCounts& c) { return c.empty() && !c.text; };
    if (nothing(b)) return a.text;
    if (nothing(a) && sign > 0) return b.text;
    if (!a.text || !b.text) return {};
    WrittenText out = *a.text;
    out.tokens += sign * b.text->tokens;
    out.answers = combined(a.text->answers, b.text->answers, sign);
    out.cut = combined(a.text->cut, b.text->cut, sign);
    out.plain = combined(a.text->plain, b.text->plain, sign);
    out.off += b.text->off;
    if (a.text->first_apart != b.text->first_apart) { // servers of two kinds: whose first tokens are apart is not told
        out.answers.reset();
        out.first_apart = true;
    }
    return out;
}

SpecCounts combined(const SpecCounts& a, const SpecCounts& b, double sign) {
    SpecCounts out;
    out.text = combined_text(a, b, sign);
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
    const TextShares text = text_shares(c);
    AcceptanceName share{"guessed share of the text", "≤ accepted ÷ (accepted + rounds)", "how much of what one reads was guessed",
                         c.rounds ? ratio(c.accepted, c.accepted + *c.rounds + without_draft) : std::nullopt};
    if (without_draft > 0) share.formula = "accepted ÷ (accepted + passes)";
    if (c.text) {
        share.formula = text.share && text.share->exact() ? "accepted ÷ tokens written" : "≤ accepted ÷ tokens written";
        share.value = text.share ? std::optional(text.share->high) : std::nullopt;
        if (text.share && !text.share->exact()) share.low = text.share->low;
    }
    return {
        {"draft acceptance rate", "accepted ÷ drafted", "vLLM, llama.cpp, SGLang since April 2026", ratio(c.accepted, c.drafted)},
        {"mean acceptance length", "1 + accepted ÷ rounds", "vLLM, llama.cpp, the papers' τ", acceptance_length(c)},
        {"accepted per round", "accepted ÷ rounds", "some papers, without the target's own token", ratio(c.accepted, c.rounds)},
        {"rounds that kept something", "kept draft 1 ÷ rounds", "llama.cpp #acc drafts",
         places ? ratio(c.accepted_at.front(), c.rounds) : std::nullopt},
        {"kept to the last place", "kept draft K ÷ rounds", "unconditional rate of place K",
         places ? ratio(c.accepted_at.back(), c.rounds) : std::nullopt},
        share,
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

TextTotals text_totals(const SpecCounts& c) {
    TextTotals out;
    if (!c.text) return out;
    const double drafts = drafts_per_round(c).value_or(0);
    if (!c.accepted_at.empty())
        out.most = static_cast<double>(c.accepted_at.size());
    else if (drafts > 0 && drafts == std::round(drafts)) // every round drafts as many
        out.most = drafts;
    out.tokens = c.text->tokens;
    out.tokens_off = c.text->off;
    out.answers = c.text->answers;
    out.first_apart = c.text->first_apart;
    out.rounds = c.rounds;
    out.accepted = c.accepted;
    out.cut = c.text->cut;
    out.plain = c.text->plain;
    return out;
}

TextShares text_shares(const SpecCounts& c) { return text_shares(text_totals(c)); }

bool drafts_trees(const SpecCounts& c) {
    const double drafts = drafts_per_round(c).value_or(0);
    return !c.accepted_at.empty() && drafts > static_cast<double>(c.accepted_at.size()) + 1e-6;
}

namespace {

std::string grouped(double value) { // 16 993
    std::string text = plain(std::round(value));
    for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), " ");
    return text;
}

std::string grouped(Between b) {
    const double low = std::round(b.low), high = std::round(b.high);
    return grouped(low) + (low < high ? " to " + grouped(high) : "");
}

std::string percent_words(double share) {
    char text[32];
    std::snprintf(text, sizeof text, share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
    return text;
}

std::string percent_words(Between shares) {
    const std::string low = percent_words(shares.low), high = percent_words(shares.high);
    return low == high ? high : low + " to " + high;
}

std::string quotient(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 1.2 ? "%.3f" : "%.2f", value);
    return text;
}

std::string quotient(Between b) {
    const std::string low = quotient(b.low), high = quotient(b.high);
    return low == high ? high : low + " to " + high;
}

constexpr double kSameCount = 1e-6; // of sums of shares

} // namespace

std::string contradiction(const SpecCounts& c) {
    const double rounds = c.rounds.value_or(std::numeric_limits<double>::infinity());
    if (c.accepted > c.drafted + kSameCount) return plain(c.accepted) + " accepted of " + plain(c.drafted) + " drafted";
    if (c.rounds && c.drafted + kSameCount < rounds) return plain(c.drafted) + " drafted in " + plain(rounds) + " rounds with a draft";
    if (rounds <= 0 && c.drafted > 0) return plain(c.drafted) + " drafted in no round";
    double kept = 0;
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        const double before = i > 0 ? c.accepted_at[i - 1] : rounds;
        if (c.accepted_at[i] > before + 2 * c.places_off + kSameCount)
            return "draft " + std::to_string(i + 1) + " kept in " + plain(c.accepted_at[i]) +
                   (i > 0 ? " rounds, draft " + std::to_string(i) + " in " + plain(before) : " of " + plain(before) + " rounds");
        kept += c.accepted_at[i];
    }
    const auto places = static_cast<double>(c.accepted_at.size());
    if (places > 0 && std::abs(kept - c.accepted) > places * c.places_off + kSameCount)
        return "the places add up to " + plain(kept) + " kept drafts, the total says " + plain(c.accepted);
    return {};
}

std::string more_than_places(const SpecCounts& c) {
    const auto places = static_cast<double>(c.accepted_at.size());
    if (places <= 0 || !c.rounds || c.drafted <= *c.rounds * places + kSameCount) return {};
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

// Passes without a draft, where there are enough of them to matter.
std::string plain_passes(const SpecCounts& c) {
    constexpr double kEnough = 0.02;
    const TextShares s = text_shares(c);
    if (!s.plain || !s.per_pass || !s.passes || !c.rounds) return {};
    const double all = *c.rounds + s.plain->low;
    if (!(s.plain->low >= 1) || s.plain->low < kEnough * all) return {};
    const auto length = acceptance_length(c);
    return (s.plain->exact() ? "" : "at least ") + grouped(s.plain->low) + " of " + grouped(all) + " passes (" +
           percent_words(s.plain->low / all) + ") had no draft" +
           (s.plain_holds_first ? ", the first token of every answer among them" : "") + ": " +
           (length ? "the length " + two_digits(*length) + " is of rounds that drafted; over all passes it is "
                   : "over all passes it is ") +
           quotient(s.per_pass->high) + " tokens" + (s.per_pass->exact() ? "" : " at most") +
           (s.most_speed_up ? ", so no speed-up above " + quotient(s.most_speed_up->high) + "× is possible, whatever drafting costs" : "");
}

// "27 %, too low?" A rate falls with K, though more is kept.
std::string rate_of_long_drafts(const SpecCounts& c) {
    constexpr std::size_t kLong = 5;
    constexpr double kLowRate = 0.35, kGoodLength = 2;
    const std::size_t all = c.accepted_at.size(), fewer = (all + 1) / 2;
    const auto length = acceptance_length(c);
    if (all < kLong || !length || *length < kGoodLength || !(c.drafted > 0) || c.accepted / c.drafted >= kLowRate) return {};
    // Only where every round drafts all places is it known what a smaller K would keep of them.
    if (std::abs(c.drafted - *c.rounds * static_cast<double>(all)) > 0.001 * c.drafted) return {};
    double kept = 0;
    for (std::size_t i = 0; i < fewer; ++i) kept += c.accepted_at[i];
    return percent_words(c.accepted / c.drafted) + " of the drafts at K = " + std::to_string(all) + " is " + two_digits(*length) +
           " tokens a round; with K = " + std::to_string(fewer) + " the same places give " + two_digits(1 + kept / *c.rounds) + " and " +
           percent_words(kept / (*c.rounds * static_cast<double>(fewer))) + ": the rate falls with K and ranks nothing";
}

} // namespace

std::string nothing_accepted_words(const std::string& what) {
    return what + "; usual causes: a head that lost its lm_head or embeddings, a head of another target, its tapped "
                  "layers one off, another chat template than it was trained with, garbled output, a quantised key/value cache "
                  "of the draft, a head out of another file than its target, or T > 0 with drafts compared with a fresh "
                  "sample. Compare the text with speculation switched off";
}

std::vector<std::string> text_words(const SpecCounts& c) {
    std::vector<std::string> out;
    if (!c.text || !(c.text->tokens > 0)) return out;
    const TextShares s = text_shares(c);
    const std::string tokens = grouped(c.text->tokens) + (c.text->tokens == 1 ? " token" : " tokens") + " written";
    if (!s.wrong.empty()) {
        out.push_back(s.wrong + ": these are not of the same answers, so the share of the text is not told");
        return out;
    }
    if (!s.passes || c.empty()) return out;
    const bool least = !s.least_told; // how much the ends of texts cut is not told: there may be more passes
    std::string line = tokens + " in " + (least ? "at least " : "") + grouped(least ? Between{s.passes->low, s.passes->low} : *s.passes) +
                       " passes of the target";
    if (s.plain && s.plain->high < 0.5)
        line += ", every one with a draft";
    else if (s.plain && s.plain->low < 0.5 && !s.plain_holds_first)
        line += ", at most " + grouped(s.plain->high) + " of them without a draft";
    else if (s.plain) {
        const double low = std::round(s.plain->low);
        const Between shown = least ? Between{low, low} : *s.plain;
        if (low > 0 || !least)
            line += ": " + grouped(*c.rounds) + " with a draft, " + (least && !c.text->plain ? "at least " : "") + grouped(shown) +
                    " without" + (s.plain_holds_first ? ", the first token of every answer among them" : "");
        else
            line += ", and nothing tells of one without a draft";
    }
    out.push_back(line);
    if (!s.per_pass) {
        out.push_back("tokens a pass: not told, for more was kept than these answers took");
        return out;
    }
    const Between per_pass = least ? Between{s.per_pass->high, s.per_pass->high} : *s.per_pass;
    out.push_back(quotient(per_pass) + " tokens a pass" + (least ? " at most" : "") + "; " +
                  (least ? percent_words(s.share->high) + " at most" : percent_words(*s.share)) + " of the text was guessed");
    if (plain_passes(c).empty()) // else it is among the findings
        out.push_back(!s.most_speed_up ? std::string("the most that speculation can gain here: not told")
                                       : "no speed-up above " + quotient(s.most_speed_up->high) + "× is possible, whatever drafting costs" +
                                             (s.of_whole_answers ? " (of whole answers, reading the prompts included)" : ""));
    return out;
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
    if (drafts_trees(c))
        out.push_back("a tree: " + two_digits(c.drafted / *c.rounds) + " draft tokens a round at " + std::to_string(c.accepted_at.size()) +
                      " depths, of which one a depth can be kept: the rate is of its nodes, and no chain's");
    if (const std::string plain = plain_passes(c); !plain.empty()) out.push_back(plain);
    if (const std::string longer = rate_of_long_drafts(c); !longer.empty()) out.push_back(longer);
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
