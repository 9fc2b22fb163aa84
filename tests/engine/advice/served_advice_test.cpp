// Advice on somebody's server: what counts, clocks and a told speed say together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/advice/advice_json.h"
#include "engine/advice/break_even.h"
#include "engine/advice/served_advice.h"
#include "tests/shared/said_values.h"

namespace speclens {
namespace {

// Answers of `rate` tokens a second with speculation, and of `plain` without where that is above 0; a per cent apart.
ServedEvidence evidence(double rate, double plain, int prompts = 8) {
    ServedEvidence e;
    for (int i = 0; i < prompts; ++i) {
        const double apart = 1 + 0.01 * (i % 3 - 1);
        ServedTiming timing{1000 / (rate * apart), {}};
        if (plain > 0) timing.without_ms = 1000 / plain;
        e.prompts.push_back(timing);
    }
    e.rounds = 100, e.drafted = 500, e.accepted_at = {80, 64, 51, 41, 33}, e.accepted = 269;
    return e;
}

// The one that has this id; says which there are where none has.
Said finding(const ServedAdvice& advice, const std::string& text) {
    std::string all;
    for (const Said& one : advice_findings(advice)) {
        if (one.text == text) return one;
        all += one.id() + "\n";
    }
    ADD_FAILURE() << text << " is none of\n" << all;
    return {};
}
std::string ids_of(const ServedAdvice& advice) {
    std::string all;
    for (const Said& one : advice_findings(advice)) all += one.id() + "\n";
    return all;
}
std::string by_id(const Said& said) { return said.id(); } // instead of words

TEST(ServedAdvice, KeepsWhatPays) {
    const ServedAdvice advice = advise_on(evidence(60, 40));
    EXPECT_EQ(advice.kind, ServedAdvice::Kind::keep);
    EXPECT_TRUE(advice.plain_measured);
    EXPECT_NEAR(advice.speed_up, 1.5, 0.01);
    EXPECT_NEAR(advice.tokens_per_round, 3.69, 1e-9);
    EXPECT_EQ(advice.k, 5);
    EXPECT_NEAR(advice.round_passes.value(), 3.69 / 1.5, 0.02);
    const Said verdict = verdict_said(advice);
    EXPECT_EQ(verdict.id(), "advice.served.keep");
    EXPECT_EQ(test::whole(verdict, "k"), 5);
    EXPECT_NEAR(test::real(verdict, "low"), 1.48, 0.02);
    EXPECT_EQ(test::real(verdict, "low"), advice.low);
    EXPECT_EQ(test::real(verdict, "high"), advice.high);
    EXPECT_NEAR(test::real(verdict, "plain"), 40, 1e-9);
    const Said speed = finding(advice, "served.speed");
    EXPECT_EQ(test::real(speed, "rate"), advice.rate);
    EXPECT_EQ(test::real(speed, "low"), advice.rate_low);
    EXPECT_EQ(test::real(speed, "high"), advice.rate_high);
    EXPECT_EQ(test::real(speed, "plain"), *advice.plain_rate);
    EXPECT_EQ(test::whole(speed, "measured"), 1);
    EXPECT_EQ(test::whole(speed, "told"), 0);
    const Said round = finding(advice, "served.round_range:middle");
    EXPECT_EQ(test::real(round, "tokens"), advice.tokens_per_round);
    EXPECT_EQ(test::real(round, "low"), advice.round_passes_range->low);
    EXPECT_EQ(test::real(round, "high"), advice.round_passes_range->high);
    EXPECT_LT(advice.round_passes_range->low, *advice.round_passes) << "a clock is off, too";
    EXPECT_GT(advice.round_passes_range->high, *advice.round_passes);
    EXPECT_EQ(test::real(round, "kept"), *advice.alpha);
    EXPECT_EQ(test::whole(round, "most"), 6);
}

TEST(ServedAdvice, SaysHowManyTextsWereTheSame) {
    ServedEvidence e = evidence(60, 40);
    EXPECT_EQ(ids_of(advise_on(e)).find("served.texts"), std::string::npos) << "none were compared";
    for (const int same : {8, 5}) {
        e.texts = 8, e.same_texts = same;
        const Said texts = finding(advise_on(e), "served.texts");
        EXPECT_EQ(test::whole(texts, "same"), same);
        EXPECT_EQ(test::whole(texts, "texts"), 8);
        EXPECT_EQ(test::whole(texts, "differ"), same < 8 ? 1 : 0);
    }
}

// Plain 65.90 tokens a second, 39.28 with K = 5: it does not pay, and only a shorter draft could.
TEST(ServedAdvice, TheRowOfThePublicCase) {
    ServedEvidence e = evidence(39.28, 0);
    e.reported_plain_rate = 65.90;
    e.rounds = 1000, e.drafted = 5000;
    e.accepted_at.clear();
    e.accepted = 0;
    double kept = 1000;
    for (int i = 0; i < 5; ++i) e.accepted_at.push_back(kept *= 0.813), e.accepted += kept;
    const ServedAdvice advice = advise_on(e);
    EXPECT_EQ(advice.kind, ServedAdvice::Kind::change);
    EXPECT_FALSE(advice.plain_measured);
    EXPECT_NEAR(advice.speed_up, 39.28 / 65.90, 0.005);
    EXPECT_NEAR(advice.tokens_per_round, tokens_at_alpha(0.813, 5), 1e-9);
    EXPECT_FALSE(advice.alpha.has_value()) << "a round takes longer than six plain tokens";
    ASSERT_TRUE(advice.best_k.has_value());
    EXPECT_EQ(*advice.best_k, 0) << "every guess adds more than a pass";
    const Said verdict = verdict_said(advice);
    EXPECT_EQ(verdict.id(), "advice.served.change");
    EXPECT_EQ(test::whole(verdict, "best_k"), 0) << "switch it off";
    EXPECT_EQ(test::whole(finding(advice, "served.speed"), "told"), 1);
    const Said guess = finding(advice, "served.guess");
    EXPECT_EQ(test::real(guess, "passes"), *advice.draft_token_passes);
    EXPECT_EQ(test::whole(guess, "best_k"), 0);
}

TEST(ServedAdvice, AShorterDraftIsNamedWhereItShouldPay) {
    // A guess adds .4 passes: 1 + 5 · .4 = 3 passes for 3.69 tokens; K = 1 would be 1.8 ÷ 1.4.
    const ServedAdvice advice = advise_on(evidence(40 * 3.69 / 3, 40));
    ASSERT_TRUE(advice.best_k.has_value());
    EXPECT_NEAR(advice.draft_token_passes.value(), 0.4, 0.02);
    EXPECT_LE(*advice.best_k, 2);
    const Said verdict = verdict_said(advice), guess = finding(advice, "served.guess");
    EXPECT_EQ(test::whole(verdict, "best_k"), *advice.best_k);
    EXPECT_EQ(test::real(verdict, "best"), advice.best_speed_up);
    EXPECT_EQ(test::whole(guess, "best_k"), *advice.best_k);
    EXPECT_EQ(test::real(guess, "best"), advice.best_speed_up);
}

TEST(ServedAdvice, WithoutThePlainSpeedItSaysFromWhichOnItPays) {
    const ServedAdvice advice = advise_on(evidence(60, 0));
    EXPECT_EQ(advice.kind, ServedAdvice::Kind::none);
    EXPECT_EQ(advice.speed_up, 0);
    const Said verdict = verdict_said(advice), reason = test::inner(verdict, "reason");
    EXPECT_EQ(verdict.id(), "advice.sentence.none");
    EXPECT_EQ(reason.id(), "advice.served_reason.plain");
    EXPECT_EQ(test::real(reason, "low"), advice.rate_low);
    EXPECT_EQ(test::real(reason, "high"), advice.rate_high);
    EXPECT_NE(advice_json(advice, "http://x", by_id).find("\"speedup\": null"), std::string::npos);
}

TEST(ServedAdvice, SaysWhyThereIsNoVerdict) {
    const Said few = advise_on(evidence(60, 40, 2)).reason;
    EXPECT_EQ(few.id(), "advice.served_reason.few");
    EXPECT_EQ(test::whole(few, "answers"), 2);
    EXPECT_EQ(test::whole(few, "least"), 4);
    ServedEvidence nothing = evidence(60, 40);
    nothing.rounds = nothing.drafted = 0;
    EXPECT_EQ(advise_on(nothing).reason.id(), "advice.served_reason.nothing");
    const ServedAdvice close = advise_on(evidence(40.2, 40));
    EXPECT_EQ(close.reason.id(), "advice.served_reason.either_side");
    EXPECT_EQ(test::real(close.reason, "low"), close.low);
    EXPECT_EQ(test::real(close.reason, "high"), close.high);
    EXPECT_EQ(advise_on({}).kind, ServedAdvice::Kind::none);
}

// Suffix decoding drafts in an eighth of its passes: the others cost a plain pass each, and a round what is left.
TEST(ServedAdvice, PassesWithoutADraftAreNoRounds) {
    ServedEvidence e = evidence(0, 0);
    e.rounds = 1986, e.drafted = 1986, e.accepted = 1226, e.accepted_at = {1226};
    e.text = TextTotals{.tokens = 16993, .answers = 80, .cut = 0};
    // A pass of 10 ms without a draft, of 15 ms with one: 13 701 · 10 + 1 986 · 15 ms for 16 913 tokens.
    const double plain = 16993 - 80 - 1986 - 1226, ms = (10 * plain + 15 * 1986) / (16993 - 80);
    for (ServedTiming& timing : e.prompts) timing = {ms, 10.0};
    const ServedAdvice advice = advise_on(e);
    EXPECT_TRUE(advice.passes_told);
    EXPECT_NEAR(advice.round_passes.value_or(0), 1.5, 1e-6) << "not what a round would take if every pass drafted";
    EXPECT_NEAR(advice.text.most_speed_up.value_or(Between()).high, 16913.0 / (16913 - 1226), 1e-9);
    EXPECT_LE(advice.best_speed_up, advice.text.most_speed_up->high) << "no promise beyond what the text allows";
    const Said passes = finding(advice, "served.plain"), share = finding(advice, "served.share");
    EXPECT_NEAR(test::real(passes, "plain"), 13701, 1e-6);
    EXPECT_EQ(test::whole(passes, "exact"), 1);
    EXPECT_NEAR(test::real(passes, "per_round"), 13701.0 / 1986, 1e-9);
    EXPECT_NEAR(test::real(share, "share"), 1226.0 / 16993, 1e-9);
    EXPECT_EQ(test::whole(share, "exact"), 1);
    EXPECT_NEAR(test::real(share, "most"), 16913.0 / (16913 - 1226), 1e-9);
    // A clock that is 2 % off moves 8.4 plain passes for each round.
    EXPECT_NEAR(test::real(finding(advice, "served.round_range:middle"), "low"), 1.304, 1e-3);
    EXPECT_NEAR(test::real(finding(advice, "served.round_range:middle"), "high"), 1.701, 1e-3);
    const std::string json = advice_json(advice, "s", by_id);
    EXPECT_NE(json.find("\"passes_without_draft\": [\n    13701.0,\n    13701.0"), std::string::npos) << json;
    // Where ends that were cut are not told: between two ends, and not told at all where these are far apart.
    e.text.cut.reset();
    const ServedAdvice between = advise_on(e);
    ASSERT_TRUE(between.round_passes_range.has_value());
    EXPECT_LE(between.round_passes_range->low, 1.5 + 1e-9);
    EXPECT_GE(between.round_passes_range->high, 1.5 - 1e-9);
    const Said ends = finding(between, between.round_passes ? "served.round_range:middle" : "served.round_range:open");
    EXPECT_EQ(test::real(ends, "low"), between.round_passes_range->low);
    EXPECT_EQ(test::real(ends, "high"), between.round_passes_range->high);
    EXPECT_EQ(test::whole(finding(between, "served.plain"), "exact"), 0) << "at least so many";
    EXPECT_EQ(test::whole(finding(between, "served.share"), "exact"), 0) << "at most";
    e.text.answers = 1900, e.text.tokens += 1820;
    EXPECT_FALSE(advise_on(e).round_passes.has_value());
    // A gain that the text cannot hold: the plain speed was another server's.
    ServedEvidence beyond = evidence(60, 40);
    beyond.rounds = 100, beyond.drafted = 500, beyond.text = TextTotals{.tokens = 3000, .answers = 4, .cut = 0};
    EXPECT_EQ(advise_on(beyond).kind, ServedAdvice::Kind::none);
    const ServedAdvice too_much = advise_on(beyond);
    EXPECT_EQ(too_much.reason.id(), "advice.served_reason.beyond");
    EXPECT_EQ(test::real(too_much.reason, "low"), too_much.low);
    EXPECT_NEAR(test::real(too_much.reason, "most"), 2996.0 / (2996 - 269), 1e-9);
    (void)finding(too_much, "served.beyond");
    // Without a text nothing changes.
    EXPECT_FALSE(advise_on(evidence(60, 40)).passes_told);
}

// A told speed that the text rules out: what follows from it goes with the verdict.
TEST(ServedAdvice, ASpeedThatTheTextRulesOutTellsNothingOfARound) {
    ServedEvidence e = evidence(60, 0);
    e.text = TextTotals{.tokens = 3000, .answers = 4, .cut = 0};
    for (const double plain : {1.0, 10.0, 40.0}) { // of another server, or typed without its last digit
        e.reported_plain_rate = plain;
        const ServedAdvice advice = advise_on(e);
        EXPECT_EQ(advice.kind, ServedAdvice::Kind::none);
        EXPECT_FALSE(advice.round_passes || advice.round_passes_range || advice.alpha || advice.draft_token_passes || advice.best_k)
            << plain;
        for (const char* id : {"served.round_range", "served.guess"})
            EXPECT_EQ(ids_of(advice).find(id), std::string::npos) << plain << "\n" << ids_of(advice);
        const std::string json = advice_json(advice, "s", by_id);
        for (const char* key : {"round_passes", "round_passes_range", "alpha_to_break_even", "best_k", "best_speedup"})
            EXPECT_NE(json.find("\"" + std::string(key) + "\": null"), std::string::npos) << key << "\n" << json;
    }
    e.reported_plain_rate = 58; // what the text allows
    EXPECT_TRUE(advise_on(e).round_passes_range || advise_on(e).round_passes);
    ServedEvidence quick = evidence(60 * 1.01, 0); // a clock that is a little off
    quick.reported_plain_rate = 60 / 3.69;
    EXPECT_EQ(advise_on(quick).draft_token_passes, 0.0) << "no guess makes a round cheaper";
}

// No figure of a chain.
void expect_no_length(const ServedAdvice& advice) {
    EXPECT_EQ(advice.k, 0);
    EXPECT_FALSE(advice.best_k || advice.alpha || advice.draft_token_passes);
    EXPECT_EQ(advice.best_speed_up, 0);
    const std::string ids = ids_of(advice), json = advice_json(advice, "s", by_id);
    for (const char* id : {"served.guess", "served.round_range:middle"}) EXPECT_EQ(ids.find(id), std::string::npos) << ids;
    for (const char* key : {"k", "alpha_to_break_even", "best_k", "best_speedup"})
        EXPECT_NE(json.find("\"" + std::string(key) + "\": null"), std::string::npos) << key << "\n" << json;
}

// SGLang counted a tree's drafts as its nodes until April 2026, and as its depth since: one server, one advice.
TEST(ServedAdvice, ATreeIsNoChainHoweverItsDraftsAreCounted) {
    const ServedEvidence e = evidence(60, 40);
    for (const double drafted : {3100.0, 500.0})
        for (const bool places : {true, false}) {
            SCOPED_TRACE(std::to_string(drafted) + (places ? ", places" : ""));
            ServedEvidence tree = e;
            tree.drafted = drafted;
            tree.shape = {DraftShape::Kind::tree, 5, 31};
            if (!places) tree.accepted_at.clear();
            const ServedAdvice advice = advise_on(tree);
            expect_no_length(advice);
            EXPECT_EQ(advice.kind, ServedAdvice::Kind::keep) << "how fast it is was timed";
            EXPECT_NEAR(advice.tokens_per_round, 3.69, 1e-9);
            EXPECT_NEAR(advice.round_passes.value(), 3.69 / 1.5, 0.02) << "a round costs what it costs";
            const Said verdict = verdict_said(advice), tree_told = test::inner(verdict, "tree");
            EXPECT_EQ(tree_told.id(), "advice.served.tree");
            EXPECT_EQ(test::real(tree_told, "depth"), 5);
            EXPECT_EQ(test::real(tree_told, "nodes"), 31);
            EXPECT_EQ(test::whole(verdict, "k"), 0);
            EXPECT_EQ(test::inner(finding(advice, "served.drafts:tree"), "tree"), tree_told);
            EXPECT_EQ(test::real(finding(advice, "served.round_range:alone"), "tokens"), advice.tokens_per_round);
            const std::string json = advice_json(advice, "s", by_id);
            EXPECT_NE(json.find("\"tree\": {\n    \"depth\": 5.0,\n    \"nodes\": 31.0"), std::string::npos) << json;
            tree.text = TextTotals{.tokens = 369, .answers = 8, .first_apart = false, .most = 31}; // as a mean of whole tokens has it
            EXPECT_NEAR(advise_on(tree).text.delivered.value_or(Between()).low, 269 - 8 * 5, 1e-9) << "an end cuts a path, not its nodes";
        }
    // Nobody said so, but more drafts than places are several at a place.
    ServedEvidence counted = evidence(60, 40);
    counted.drafted = 3100;
    const ServedAdvice by_counts = advise_on(counted);
    expect_no_length(by_counts);
    EXPECT_EQ(by_counts.shape, (DraftShape{DraftShape::Kind::tree, 5, 31}));
    // A round that takes longer than its depth and one more plain tokens pays at no acceptance, which its nodes do not say.
    ServedEvidence slow = evidence(60, 40 * 9);
    slow.drafted = 3100;
    EXPECT_EQ(test::real(finding(advise_on(slow), "served.round_range:alone"), "most"), 6);
    EXPECT_EQ(advise_on(slow).kind, ServedAdvice::Kind::change);
    EXPECT_EQ(test::inner(verdict_said(advise_on(slow)), "tree").id(), "advice.served.tree");
}

TEST(ServedAdvice, WhatMayBeATreeIsGivenNoLength) {
    ServedEvidence e = evidence(60, 40);
    e.shape.kind = DraftShape::Kind::open; // SGLang behind a proxy: 5 drafts a round may be a tree's depth
    const ServedAdvice advice = advise_on(e);
    expect_no_length(advice);
    (void)finding(advice, "served.drafts:open");
    EXPECT_NE(advice_json(advice, "s", by_id).find("\"tree\": null"), std::string::npos);
    // A chain whose histogram ends at the most that was kept has its K by the settings.
    ServedEvidence chain = evidence(60, 40);
    chain.drafted = 700, chain.shape = {DraftShape::Kind::chain, 7, 7};
    EXPECT_EQ(advise_on(chain).k, 7);
    EXPECT_TRUE(advise_on(chain).best_k.has_value());
    EXPECT_NE(advice_json(advise_on(chain), "s", by_id).find("\"tree\": false"), std::string::npos);
}

// 40 rounds of 6 drafts and 60 of 4: 4.8 is no K, and what a shorter one would cost is not told.
TEST(ServedAdvice, DraftLengthsThatVaryAreNoK) {
    ServedEvidence e = evidence(60, 40);
    e.drafted = 480, e.accepted_at.clear();
    expect_no_length(advise_on(e));
    EXPECT_NEAR(test::real(finding(advise_on(e), "served.drafts:varying"), "mean"), 4.8, 1e-12);
    e.text = TextTotals{.tokens = 369, .answers = 1, .first_apart = false, .cut = 0};
    expect_no_length(advise_on(e));
    e.drafted = 500; // 50 rounds of 6 and 50 of 4 have this mean, too
    expect_no_length(advise_on(e));
    EXPECT_EQ(test::real(finding(advise_on(e), "served.drafts:varying"), "mean"), 5);
    ServedEvidence ends = evidence(60, 40);
    ends.drafted = 480, ends.text = TextTotals{.tokens = 369, .answers = 8, .first_apart = false, .cut = 0};
    EXPECT_TRUE(advise_on(ends).best_k.has_value()) << "the ends of eight answers may have cut twenty drafts";
    ServedEvidence places = evidence(60, 40); // the most is told, and shorter rounds with it
    places.drafted = 420;
    const ServedAdvice told = advise_on(places);
    EXPECT_EQ(told.k, 5);
    EXPECT_FALSE(told.best_k || told.alpha || told.draft_token_passes);
    (void)finding(told, "served.drafts:varying");
}

// Servers whose costs are known, asked with drafts and, for the same prompts, without: that is the truth. A pass over n rows, each
// draft token and reading the prompt cost something, clocks are noisy, prompts differ, and so may how often anything is drafted.
struct CostlyServer {
    enum class Drafts { alike, varying, tree } drafts_as;
    ServedEvidence evidence;
    double gain = 0, round = 0, plain = 0, delivered = 0, cut = 0; // of the whole, without the clock's noise; a round in plain passes

    template <class Chance>
    explicit CostlyServer(const Chance& chance, Drafts as, bool depth_counted) : drafts_as(as) {
        const int width = as == Drafts::tree ? 2 + static_cast<int>(3 * chance()) : 1; // nodes of a depth
        const int k = 1 + static_cast<int>(8 * chance()), answers = 4 + static_cast<int>(9 * chance()),
                  limit = 100 + static_cast<int>(300 * chance());
        const double pass = 5 + 40 * chance(), row = 0.3 * chance(), draft = 0.3 * chance(), prefill = 5 * chance() * pass,
                     noise = 0.03 * chance(), drafts = chance() < 0.4 ? 1 : chance(), accepts = chance();
        const auto clock = [&](double ms) { // the whole answer, and its first token apart
            const auto off = [&] {
                double normal = -6;
                for (int i = 0; i < 12; ++i) normal += chance();
                return std::exp(noise * normal);
            };
            return (prefill + ms) * off() - prefill * off();
        };
        double with = 0, rounds_ms = 0;
        evidence.accepted_at.assign(static_cast<std::size_t>(k), 0);
        for (int answer = 0; answer < answers; ++answer) {
            const double kept_by = std::clamp(accepts + 0.3 * (chance() - 0.5), 0.0, 1.0);
            double ms = 0;
            for (int written = 1; written < limit;) {
                if (chance() >= drafts) {
                    ms += pass, plain += 1, ++written;
                    continue;
                }
                const int length = as == Drafts::varying ? 1 + static_cast<int>(k * chance()) : k;
                int kept = 0;
                while (kept < length && chance() < kept_by) evidence.accepted_at[static_cast<std::size_t>(kept++)] += 1;
                evidence.rounds += 1, evidence.drafted += depth_counted ? length : length * width, evidence.accepted += kept;
                const double cost = pass * (1 + (row + draft) * length * width);
                ms += cost, rounds_ms += cost;
                const int wrote = std::min(kept + 1, limit - written);
                cut += kept + 1 - wrote, delivered += std::min(kept, wrote);
                written += wrote;
            }
            with += ms;
            evidence.prompts.push_back({clock(ms) / (limit - 1), clock(pass * (limit - 1)) / (limit - 1)});
        }
        evidence.text = TextTotals{.tokens = static_cast<double>(limit) * answers, .answers = answers};
        // As a server's settings tell it; else its counts do.
        if (as == Drafts::tree && depth_counted)
            evidence.shape = {DraftShape::Kind::tree, static_cast<double>(k), static_cast<double>(k * width)};
        gain = pass * (limit - 1) * answers / with;
        round = rounds_ms / evidence.rounds / pass;
    }
};

TEST(ServedAdvice, ForecastsOfRandomServersHoldWhatTheyDoWithoutDrafts) {
    std::uint64_t state = 56;
    const auto chance = [&] {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state >> 11) * 0x1.0p-53;
    };
    int servers = 0, gains = 0, narrow = 0, unsaid = 0, costs = 0, held = 0, suffice = 0, told = 0, trees = 0, varying = 0, lengths = 0;
    for (int server = 0; server < 1000; ++server) {
        using Drafts = CostlyServer::Drafts;
        static constexpr Drafts kDrafts[] = {Drafts::alike, Drafts::alike, Drafts::varying, Drafts::tree};
        CostlyServer one(chance, kDrafts[server / 2 % 4], server / 8 % 2 == 0);
        ServedEvidence& e = one.evidence;
        if (e.rounds == 0) continue;
        ++servers;
        const bool ends_told = server % 2 == 0;
        if (ends_told) e.text.cut = one.cut;
        const ServedAdvice advice = advise_on(e);
        // Rounds, share and length: exact, or between two ends.
        ASSERT_TRUE(advice.passes_told) << server;
        EXPECT_EQ(advice.tokens_per_round, 1 + e.accepted / e.rounds) << server;
        const Between plain = *advice.text.plain, share = *advice.text.share;
        EXPECT_LE(plain.low, one.plain + 1e-6) << server;
        EXPECT_GE(plain.high, one.plain - 1e-6) << server;
        EXPECT_LE(share.low, one.delivered / e.text.tokens + 1e-9) << server;
        EXPECT_GE(share.high, one.delivered / e.text.tokens - 1e-9) << server;
        if (ends_told) {
            EXPECT_NEAR(plain.high - plain.low, 0, 1e-6) << server;
        }
        // A length is named of chains alone, whose rounds all draft it: where these vary, unless answers are so short that ends may.
        EXPECT_EQ(advice.shape.tree(), one.drafts_as == Drafts::tree) << server;
        if (one.drafts_as == Drafts::tree) {
            ++trees;
            EXPECT_EQ(advice.shape.depth, static_cast<double>(e.accepted_at.size())) << server;
            EXPECT_FALSE(advice.k > 0 || advice.best_k || advice.alpha || advice.draft_token_passes) << server;
        } else if (one.drafts_as == Drafts::varying && e.accepted_at.size() > 1) {
            ++varying;
            lengths += advice.best_k || advice.alpha || advice.draft_token_passes;
        }
        if (one.drafts_as == Drafts::alike && advice.round_passes) {
            EXPECT_TRUE(advice.best_k.has_value()) << server;
        }
        // The speed-up, and what a round takes: 95 %.
        EXPECT_LE(one.gain, advice.text.most_speed_up.value_or(Between{1e9, 1e9}).high + 1e-9) << server;
        gains += advice.low <= one.gain && one.gain <= advice.high;
        narrow += advice.high < 1.5 * advice.low;
        unsaid += advice.reason.id() == "advice.served_reason.beyond";
        const std::optional<Between> cost = advice.round_passes_range;
        costs += cost.has_value();
        held += cost && cost->low <= one.round && one.round <= cost->high;
        // What suffices for a round's cost: ends that are told, or can hide a tenth of a pass for each round; no more passes without a
        // draft than rounds, which the clock's error would outweigh; and always four answers timed with and without drafts.
        const auto answers = static_cast<double>(e.prompts.size()), k = static_cast<double>(e.accepted_at.size());
        if (!(ends_told || answers * k <= e.rounds / 10) || one.plain > e.rounds) continue;
        ++suffice;
        told += advice.round_passes.has_value();
    }
    EXPECT_GT(servers, 950);
    EXPECT_GE(gains, servers * 95 / 100);
    EXPECT_GE(narrow, servers * 70 / 100) << "intervals that say something";
    EXPECT_LE(unsaid, servers * 5 / 100);
    EXPECT_GE(costs, servers * 95 / 100);
    EXPECT_GE(held, costs * 95 / 100);
    EXPECT_GT(trees, 200);
    EXPECT_GT(varying, 150);
    EXPECT_LE(lengths, varying / 10);
    EXPECT_GT(suffice, 500);
    EXPECT_GE(told, suffice * 70 / 100) << "not told in 30 % at most";
}

} // namespace
} // namespace speclens
