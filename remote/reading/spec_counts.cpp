#include "remote/reading/spec_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "remote/reading/reported_number.h"

namespace speclens {
namespace {

constexpr double kSameCount = 1e-6; // of sums of shares

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
    out.delivered = combined(a.text->delivered, b.text->delivered, sign);
    out.off += b.text->off;
    if (a.text->first_apart != b.text->first_apart) { // servers of two kinds: whose first tokens are apart is not told
        out.answers.reset();
        out.first_apart = true;
    }
    return out;
}

// Of rounds that were drafted alike; a side without any has no say.
DraftShape combined_shape(const SpecCounts& a, const SpecCounts& b) {
    if (a.shape == b.shape || b.empty()) return a.shape;
    if (a.empty()) return b.shape;
    constexpr auto chain = DraftShape::Kind::chain;
    if (a.shape.kind == chain && b.shape.kind == chain) return {.kind = chain}; // of two lengths
    return {.kind = DraftShape::Kind::open};
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
    out.shape = combined_shape(a, b);
    return out;
}

std::optional<double> ratio(double part, std::optional<double> whole) {
    if (!whole || !(*whole > 0)) return {};
    return part / *whole;
}

Said too_many_accepted(double accepted, double drafted) {
    return server_said("wrong.accepted"_t, "accepted"_v = accepted, "drafted"_v = drafted);
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
        out.wrong = server_said("wrong.emitted"_t, "emitted"_v = t.emitted, "drafted"_v = t.drafted);
        return out;
    }
    if (t.accepted > t.drafted) out.wrong = too_many_accepted(t.accepted, t.drafted);
    if (!rounds || !out.wrong.empty()) return out;
    out.counts = SpecCounts{rounds, t.drafted, t.emitted - *rounds, {}};
    out.counts->worked_out = true;
    return out;
}

namespace {

// A histogram of an answer may end at the most that a round of it kept, with no place of the drafts behind.
bool has_all_places(const SpecCounts& c) {
    const auto places = static_cast<double>(c.accepted_at.size());
    const DraftShape shape = draft_shape(c);
    if (shape.kind == DraftShape::Kind::open) return drafts_per_round(c).value_or(0) <= places + kSameCount;
    return shape.depth.value_or(places) <= places;
}

std::optional<double> kept_everything(const SpecCounts& c) {
    if (c.accepted_at.empty()) return {};
    if (has_all_places(c)) return ratio(c.accepted_at.back(), c.rounds);
    return draft_shape(c).kind == DraftShape::Kind::open ? std::nullopt : ratio(0, c.rounds);
}

} // namespace

std::vector<AcceptanceName> acceptance_names(const SpecCounts& c, int without_draft) {
    const bool places = !c.accepted_at.empty();
    const TextShares text = text_shares(c);
    AcceptanceName share{server_said("name.share"_t), server_said("formula.share:rounds"_t), server_said("used_by.share"_t),
                         c.rounds ? ratio(c.accepted, c.accepted + *c.rounds + without_draft) : std::nullopt};
    if (without_draft > 0) share.formula = server_said("formula.share:passes"_t);
    if (c.text) {
        const bool exact = text.share && text.share->exact();
        share.formula = exact ? server_said("formula.share:text"_t) : server_said("formula.share:text_most"_t);
        share.value = text.share ? std::optional(text.share->high) : std::nullopt;
        if (text.share && !exact) share.low = text.share->low;
    }
    return {
        {server_said("name.rate"_t), server_said("formula.rate"_t), server_said("used_by.rate"_t), ratio(c.accepted, c.drafted)},
        {server_said("name.length"_t), server_said("formula.length"_t), server_said("used_by.length"_t), acceptance_length(c)},
        {server_said("name.kept"_t), server_said("formula.kept"_t), server_said("used_by.kept"_t), ratio(c.accepted, c.rounds)},
        {server_said("name.some"_t), server_said("formula.some"_t), server_said("used_by.some"_t),
         places ? ratio(c.accepted_at.front(), c.rounds) : std::nullopt},
        {server_said("name.all"_t), server_said("formula.all"_t), server_said("used_by.all"_t), kept_everything(c)},
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
    else if (c.shape.depth)
        out.most = *c.shape.depth;
    else if (drafts > 0 && (c.rounds == 1 || drafts == 1)) // else rounds may draft more than the mean, a whole one too
        out.most = drafts;
    out.tokens = c.text->tokens;
    out.tokens_off = c.text->off;
    out.answers = c.text->answers;
    out.first_apart = c.text->first_apart;
    out.rounds = c.rounds;
    out.accepted = c.accepted;
    out.cut = c.text->cut;
    out.plain = c.text->plain;
    out.delivered = c.text->delivered;
    return out;
}

TextShares text_shares(const SpecCounts& c) { return text_shares(text_totals(c)); }

DraftShape draft_shape(const SpecCounts& c) {
    DraftShape out = c.shape;
    const std::optional<double> drafts = drafts_per_round(c);
    const auto places = static_cast<double>(c.accepted_at.size());
    if (out.kind == DraftShape::Kind::counted) {
        const bool tree = places > 0 && drafts.value_or(0) > places + kSameCount;
        out.kind = tree ? DraftShape::Kind::tree : DraftShape::Kind::chain;
        if (tree) out.depth = places;
    }
    // A server may count a tree's drafts as its nodes, or as its depth.
    if (out.tree() && !out.nodes && out.depth && drafts.value_or(0) > *out.depth + kSameCount) out.nodes = drafts;
    return out;
}

bool drafts_trees(const SpecCounts& c) { return draft_shape(c).tree(); }

std::vector<double> all_places(const SpecCounts& c) {
    std::vector<double> out = c.accepted_at;
    const double depth = draft_shape(c).depth.value_or(0);
    if (!out.empty() && depth > static_cast<double>(out.size()) && depth <= kMostServedDrafts)
        out.resize(static_cast<std::size_t>(depth), 0);
    return out;
}

namespace {

Said places_sum(double places, double accepted) { return server_said("wrong.sum"_t, "places"_v = places, "accepted"_v = accepted); }

// Both ends, or one where they are written alike: `unit` is the last digit.
template <StoryLabel Id>
Said range(TextId<Id> id, Between b, double unit) {
    const bool alike = std::round(b.low / unit) == std::round(b.high / unit);
    return server_said(id, "low"_v = alike ? b.high : b.low, "high"_v = alike ? std::nullopt : std::optional(b.high));
}

std::optional<double> high_of(const std::optional<Between>& b) { return b ? std::optional(b->high) : std::nullopt; }

} // namespace

Said contradiction(const SpecCounts& c) {
    const double rounds = c.rounds.value_or(std::numeric_limits<double>::infinity());
    if (c.accepted > c.drafted + kSameCount) return too_many_accepted(c.accepted, c.drafted);
    if (c.rounds && c.drafted + kSameCount < rounds) return server_said("wrong.rounds"_t, "drafted"_v = c.drafted, "rounds"_v = rounds);
    if (rounds <= 0 && c.drafted > 0) return server_said("wrong.no_round"_t, "drafted"_v = c.drafted);
    double kept = 0;
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        const double before = i > 0 ? c.accepted_at[i - 1] : rounds;
        if (c.accepted_at[i] > before + 2 * c.places_off + kSameCount) {
            if (i == 0) return server_said("wrong.first_place"_t, "kept"_v = c.accepted_at[i], "rounds"_v = before);
            return server_said("wrong.place"_t, "place"_v = i + 1, "kept"_v = c.accepted_at[i], "before"_v = i, "kept_before"_v = before);
        }
        kept += c.accepted_at[i];
    }
    const auto places = static_cast<double>(c.accepted_at.size());
    if (places > 0 && std::abs(kept - c.accepted) > places * c.places_off + kSameCount) return places_sum(kept, c.accepted);
    return {};
}

Said histogram_differs() { return server_said("wrong.histogram"_t); }

Said length_differs(double told, double counted) { return server_said("wrong.length"_t, "told"_v = told, "counted"_v = counted); }

Said more_than_places(const SpecCounts& c) {
    const auto places = static_cast<double>(c.accepted_at.size());
    if (places <= 0 || !c.rounds || c.drafted <= *c.rounds * places + kSameCount) return {};
    return server_said("wrong.places"_t, "drafted"_v = c.drafted, "rounds"_v = *c.rounds, "places"_v = c.accepted_at.size());
}

namespace {

// Places that no round kept, behind one that some did.
Said dead_places(const SpecCounts& c) {
    const std::size_t all = c.accepted_at.size();
    std::size_t living = all;
    while (living > 0 && c.accepted_at[living - 1] <= 0) --living;
    if (living == 0 || living == all || !c.rounds || *c.rounds < 20) return {};
    const double last = c.accepted_at[living - 1], before = living > 1 ? c.accepted_at[living - 2] : *c.rounds;
    // As many would be kept at the next place if it went on as before.
    constexpr double kTooManyToMiss = 10;
    const bool limit = before > 0 && last * last / before >= kTooManyToMiss && last >= 0.5 * before;
    // Only where every round drafts all places is it known what a smaller K would draft.
    const double drafted = *c.rounds * static_cast<double>(living);
    const bool tree = drafts_trees(c);
    const bool full = !tree && std::abs(c.drafted - *c.rounds * static_cast<double>(all)) <= 0.001 * c.drafted;
    return server_said("finding.dead"_t, "one"_v = living + 1 == all, "first"_v = living + 1, "last"_v = all, "limit"_v = limit,
                       "tree"_v = tree, "living"_v = living, "kept"_v = last, "full"_v = full, "share"_v = drafted / c.drafted,
                       "fewer"_v = drafted, "drafted"_v = c.drafted, "length"_v = 1 + c.accepted / *c.rounds);
}

// Passes without a draft, where there are enough of them to matter.
Said plain_passes(const SpecCounts& c) {
    constexpr double kEnough = 0.02;
    const TextShares s = text_shares(c);
    if (!s.plain || !s.per_pass || !s.passes || !c.rounds) return {};
    const double all = *c.rounds + s.plain->low;
    if (!(s.plain->low >= 1) || s.plain->low < kEnough * all) return {};
    return server_said("finding.plain"_t, "least"_v = !s.plain->exact(), "plain"_v = s.plain->low, "passes"_v = all,
                       "share"_v = s.plain->low / all, "first"_v = s.plain_holds_first, "length"_v = acceptance_length(c),
                       "per_pass"_v = s.per_pass->high, "at_most"_v = !s.per_pass->exact(), "most"_v = high_of(s.most_speed_up));
}

// "27 %, too low?" A rate falls with K, though more is kept.
Said rate_of_long_drafts(const SpecCounts& c) {
    constexpr std::size_t kLong = 5;
    constexpr double kLowRate = 0.35, kGoodLength = 2;
    const std::size_t all = c.accepted_at.size(), fewer = (all + 1) / 2;
    if (draft_shape(c).kind != DraftShape::Kind::chain) return {};
    const auto length = acceptance_length(c);
    if (all < kLong || !length || *length < kGoodLength || !(c.drafted > 0) || c.accepted / c.drafted >= kLowRate) return {};
    // Only where every round drafts all places is it known what a smaller K would keep of them.
    if (std::abs(c.drafted - *c.rounds * static_cast<double>(all)) > 0.001 * c.drafted) return {};
    double kept = 0;
    for (std::size_t i = 0; i < fewer; ++i) kept += c.accepted_at[i];
    return server_said("finding.low_rate"_t, "share"_v = c.accepted / c.drafted, "k"_v = all, "length"_v = *length, "fewer"_v = fewer,
                       "fewer_length"_v = 1 + kept / *c.rounds, "fewer_share"_v = kept / (*c.rounds * static_cast<double>(fewer)));
}

} // namespace

Said nothing_accepted(const Said& what) { return server_said("finding.nothing"_t, "what"_v = what); }

std::vector<Said> text_words(const SpecCounts& c) {
    std::vector<Said> out;
    if (!c.text || !(c.text->tokens > 0)) return out;
    const TextShares s = text_shares(c);
    if (!s.wrong.empty()) {
        out.push_back(server_said("text.other_answers"_t, "wrong"_v = s.wrong));
        return out;
    }
    if (!s.passes || c.empty()) return out;
    const bool least = !s.least_told; // how much the ends of texts cut is not told: there may be more passes
    const auto counted = [](Between b) { return range("range.count"_t, b, 1); };
    const auto tokens = "tokens"_v = c.text->tokens;
    const auto one = "one"_v = c.text->tokens == 1;
    const auto at_least = "least"_v = least;
    const auto passes = "passes"_v = counted(least ? Between{s.passes->low, s.passes->low} : *s.passes);
    if (!s.plain) {
        out.push_back(server_said("text.passes:alone"_t, tokens, one, at_least, passes));
    } else if (s.plain->high < 0.5) {
        out.push_back(server_said("text.passes:all_drafted"_t, tokens, one, at_least, passes));
    } else if (s.plain->low < 0.5 && !s.plain_holds_first) {
        out.push_back(server_said("text.passes:some_without"_t, tokens, one, at_least, passes, "plain"_v = s.plain->high));
    } else if (const double low = std::round(s.plain->low); low > 0 || !least) {
        out.push_back(server_said("text.passes:split"_t, tokens, one, at_least, passes, "rounds"_v = *c.rounds,
                                  "plain_least"_v = least && !c.text->plain, "plain"_v = counted(least ? Between{low, low} : *s.plain),
                                  "first"_v = s.plain_holds_first));
    } else {
        out.push_back(server_said("text.passes:open"_t, tokens, one, at_least, passes));
    }
    if (!s.per_pass) {
        out.push_back(server_said("text.per_pass_open"_t));
        return out;
    }
    const auto most_of = [&](Between b) { return least ? Between{b.high, b.high} : b; };
    const Between share{100 * s.share->low, 100 * s.share->high};
    out.push_back(server_said("text.per_pass"_t, "per_pass"_v = range("range.quotient"_t, most_of(*s.per_pass), 1e-3), at_least,
                              "share"_v = range("range.percent"_t, most_of(share), 0.1)));
    if (!plain_passes(c).empty()) return out; // which says the most as well, among the findings
    if (s.most_speed_up)
        out.push_back(server_said("text.most"_t, "most"_v = s.most_speed_up->high, "whole"_v = s.of_whole_answers));
    else
        out.push_back(server_said("text.most_open"_t));
    return out;
}

std::vector<Said> findings(const SpecCounts& c) {
    std::vector<Said> out;
    if (c.empty()) return out;
    const PositionAcceptance places = position_acceptance(c);
    const double rate = ratio(c.accepted, c.drafted).value_or(std::numeric_limits<double>::quiet_NaN());
    const double most = static_cast<double>(c.accepted_at.size());
    if (c.accepted > c.drafted && c.drafted > 0) out.push_back(server_said("finding.more_accepted"_t));
    // Of a tree's nodes a few per cent are a depth each.
    const DraftShape shape = draft_shape(c);
    const double kept_share = shape.kind == DraftShape::Kind::chain ? rate : std::max(rate, ratio(c.accepted, c.rounds).value_or(0));
    if (kept_share < 0.05)
        out.push_back(nothing_accepted(c.accepted <= 0 ? server_said("accepted.nothing"_t) : server_said("accepted.almost_nothing"_t)));
    if (rate > 0.98 && c.rounds.value_or(0) >= 20) out.push_back(server_said("finding.everything"_t));
    // Counters of places that do not add up belong to other rounds than the totals.
    double kept = 0;
    bool rises = false;
    for (std::size_t i = 0; i < c.accepted_at.size(); ++i) {
        kept += c.accepted_at[i];
        rises = rises || (i > 0 && c.accepted_at[i] > c.accepted_at[i - 1]);
    }
    if (rises) out.push_back(server_said("finding.rises"_t));
    if (most > 0 && std::abs(kept - c.accepted) > 0.01 * std::max(1.0, c.accepted) + most * c.places_off)
        out.push_back(places_sum(kept, c.accepted));
    if (c.judged_at.empty() && c.rounds && most > 0 && c.drafted < *c.rounds * most)
        out.push_back(server_said("finding.shorter"_t, "places"_v = c.accepted_at.size()));
    if (shape.tree() && c.shape.tree())
        out.push_back(
            server_said("finding.tree_told"_t, "depth"_v = shape.depth, "nodes"_v = shape.nodes, "drafts"_v = drafts_per_round(c)));
    else if (shape.tree())
        out.push_back(server_said("finding.tree"_t, "drafts"_v = c.drafted / *c.rounds, "depths"_v = c.accepted_at.size()));
    if (Said plain = plain_passes(c); !plain.empty()) out.push_back(std::move(plain));
    if (Said longer = rate_of_long_drafts(c); !longer.empty()) out.push_back(std::move(longer));
    const Said dead = dead_places(c);
    if (!dead.empty()) out.push_back(dead);
    if (dead.empty() && has_all_places(c) && places.conditional.size() >= 3 && c.rounds.value_or(0) >= 100) {
        const double first = places.unconditional.front(), last = places.unconditional.back();
        if (last < 0.1 && first > 0) out.push_back(server_said("finding.last_place"_t, "share"_v = last, "tree"_v = shape.tree()));
        if (last > 0.6) out.push_back(server_said("finding.high_last_place"_t, "tree"_v = shape.tree()));
    }
    return out;
}

} // namespace speclens
