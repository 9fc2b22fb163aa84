// Predictions of speed-ups: long drafts walked again as shorter ones, figures and intervals, verdicts and words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/advice/advice_json.h"
#include "engine/advice/advice_measurement.h"
#include "engine/advice/advice_words.h"
#include "engine/advice/break_even.h"
#include "engine/advice/estimate.h"
#include "engine/advice/replay.h"
#include "engine/base/json.h"
#include "engine/base/rng.h"
#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "kernels/error.h"
#include "tests/engine/advice/made_trace.h"
#include "tests/shared/said_values.h"

namespace speclens {
namespace {

using test::inner;
using test::made_trace;
using test::MadeRound;
using test::real;
using test::whole;
using test::words;

// ---- long drafts walked again ----

WalkedRounds walked(const std::vector<DraftedRound>& rounds, int asked, int k, double unseen = 0, int limit = 1000) {
    return walked_with(rounds, asked, k, limit, unseen, 7);
}

TEST(AdviceReplay, TheSameLengthWalksTheSameRounds) {
    // kept 2 of 4, then 4 of 4, then 0 of 4: 3 + 5 + 1 tokens
    const std::vector<DraftedRound> rounds = {{0, 4, 2, 3}, {3, 4, 4, 5}, {8, 4, 0, 1}};
    const WalkedRounds same = walked(rounds, 4, 4);
    EXPECT_DOUBLE_EQ(same.rounds, 3);
    EXPECT_DOUBLE_EQ(same.tokens, 9);
    EXPECT_DOUBLE_EQ(same.by_drafted.at(4), 3);
}

TEST(AdviceReplay, ShorterDraftsBeginTheirRoundsElsewhere) {
    // One round kept all of five: five kept places, then the target's own token. With two guesses: 3 + 3 tokens.
    const std::vector<DraftedRound> rounds = {{0, 5, 5, 6}};
    const WalkedRounds two = walked(rounds, 5, 2);
    EXPECT_DOUBLE_EQ(two.rounds, 2);
    EXPECT_DOUBLE_EQ(two.tokens, 6);
    // With one guess: two tokens a round.
    EXPECT_DOUBLE_EQ(walked(rounds, 5, 1).rounds, 3);
}

TEST(AdviceReplay, WhatNobodyGuessedIsKeptByTheChanceThatIsGiven) {
    // The token behind a full round was nobody's guess. With two guesses a round may begin at it.
    const std::vector<DraftedRound> rounds = {{0, 3, 3, 4}, {4, 3, 3, 4}};
    // places k k k ? k k k ?: with 2 guesses: [k k|k] [? k|k] …
    const WalkedRounds always = walked(rounds, 3, 2, 1), never = walked(rounds, 3, 2, 0);
    EXPECT_DOUBLE_EQ(always.rounds, 3);
    EXPECT_GT(never.rounds, always.rounds);
    EXPECT_DOUBLE_EQ(never.tokens, 8);
}

TEST(AdviceReplay, TheLimitOfNewTokensLeavesNoRoomForGuessesAtTheEnd) {
    const std::vector<DraftedRound> rounds = {{0, 3, 3, 4}, {4, 0, 0, 1}};
    const WalkedRounds all = walked(rounds, 3, 2, 1, 5);
    EXPECT_DOUBLE_EQ(all.tokens, 5);
    EXPECT_DOUBLE_EQ(all.rounds, 2);
    EXPECT_DOUBLE_EQ(all.by_drafted.at(1), 1); // one token to come beside the target's own
}

TEST(AdviceReplay, ARoundThatFoundNothingFindsNothingAgain) {
    const std::vector<DraftedRound> rounds = {{0, 0, 0, 1}, {1, 4, 1, 2}};
    const WalkedRounds two = walked(rounds, 4, 2, 1);
    EXPECT_DOUBLE_EQ(two.by_drafted.at(0), 1);
    EXPECT_DOUBLE_EQ(two.rounds, 2);
}

// ---- figures ----

struct Made {
    std::vector<std::vector<MadeRound>> texts; // of every prompt
};

// Guess i is kept with chance alpha, until `tokens` are written.
std::vector<MadeRound> drawn_rounds(double alpha, int k, int tokens, std::uint64_t seed) {
    std::vector<MadeRound> rounds;
    std::uint32_t coin = 0;
    for (int written = 0; written < tokens;) {
        int kept = 0;
        while (kept < k && uniform({.seed = seed, .position = coin++}) < alpha) ++kept;
        rounds.push_back({k, kept});
        written += kept + 1;
    }
    return rounds;
}

// Plain tokens of 1 ms; a round of K guesses: .1 ms each, a pass of 1 ms, .05 ms beside.
AdviceEvidence evidence_of(double alpha, int prompts, std::uint64_t seed) {
    AdviceEvidence evidence;
    evidence.plain = {"none", "token", 0, 1000, {}, {}};
    evidence.lengths = {{"small", "token", 1, 1000, {}, {}}, {"small", "token", 3, 1000, {}, {}}, {"small", "token", 6, 1000, {}, {}}};
    for (int p = 0; p < prompts; ++p) {
        const auto die = seed * 1000 + static_cast<std::uint64_t>(p) * 10;
        evidence.plain.traces.push_back(made_trace("none", 0, std::vector<MadeRound>(60), {0, 0.95, 0.05}));
        evidence.plain.prompts.push_back(p);
        for (std::size_t i = 0; i < evidence.lengths.size(); ++i) {
            AdviceRuns& runs = evidence.lengths[i];
            if (i < 2 && p % 4 != static_cast<int>(i)) continue;
            runs.traces.push_back(made_trace("small", runs.k, drawn_rounds(alpha, runs.k, 60, die + i)));
            runs.prompts.push_back(p);
        }
    }
    return evidence;
}

double true_speed_up(double alpha, int k) { return tokens_at_alpha(alpha, k) / (0.1 * k + 1 + 0.05); }

TEST(AdviceEstimate, FindsTheSpeedUpOfEveryLengthFromTheLongest) {
    const std::vector<AdviceCell> cells = estimate_cells(evidence_of(0.8, 60, 1));
    ASSERT_EQ(cells.size(), 3U);
    for (const AdviceCell& cell : cells) {
        EXPECT_NEAR(cell.speed_up / true_speed_up(0.8, cell.k), 1, 0.05) << cell.k;
        EXPECT_LT(cell.low, cell.speed_up);
        EXPECT_GT(cell.high, cell.speed_up);
        EXPECT_NEAR(cell.tokens_per_round, tokens_at_alpha(0.8, cell.k), 0.05 * cell.tokens_per_round) << cell.k;
        EXPECT_EQ(cell.worked_out, cell.k < 6);
        EXPECT_EQ(cell.prompts, cell.k < 6 ? 15 : 60);
    }
    EXPECT_NEAR(cells[2].draft_ms, 0.6, 1e-9);
    EXPECT_NEAR(cells[2].verify_ms, 1, 1e-9);
}

// The promise of the intervals, for what they are about: as many other prompts.
TEST(AdviceEstimate, NineOfTenIntervalsHoldWhatOtherPromptsGive) {
    int inside = 0, all = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const std::vector<AdviceCell> said = estimate_cells(evidence_of(0.7, 24, seed)),
                                      came = estimate_cells(evidence_of(0.7, 24, seed + 500));
        for (std::size_t i = 0; i < said.size(); ++i) {
            ++all;
            if (came[i].speed_up >= said[i].low && came[i].speed_up <= said[i].high) ++inside;
        }
    }
    EXPECT_GE(inside, all * 85 / 100) << inside << " of " << all;
    EXPECT_LE(inside, all * 99 / 100) << inside << " of " << all;
}

TEST(AdviceEstimate, MorePromptsNarrowTheInterval) {
    const auto width = [](int prompts) {
        const AdviceCell cell = estimate_cells(evidence_of(0.8, prompts, 3)).back();
        return (cell.high - cell.low) / cell.speed_up;
    };
    EXPECT_LT(width(80), 0.75 * width(16));
}

TEST(AdviceEstimate, ALengthOfOnePromptSaysThatOthersMayBeAnything) {
    AdviceEvidence evidence = evidence_of(0.8, 1, 1);
    const std::vector<AdviceCell> cells = estimate_cells(evidence);
    ASSERT_FALSE(cells.empty());
    EXPECT_EQ(cells.back().low, 0);
    EXPECT_EQ(cells.back().high, 7);
}

TEST(AdviceEstimate, ADriftOfCostsWidensTheInterval) {
    AdviceEvidence evidence = evidence_of(0.8, 40, 1);
    EXPECT_NEAR(clock_of(evidence), 0.01, 1e-9);
    // From the second half on a round takes 1.3 times as long, a plain token as before.
    for (AdviceRuns& runs : evidence.lengths)
        for (std::size_t i = 0; i < runs.traces.size(); ++i)
            if (runs.prompts[i] >= 20) runs.traces[i] = made_trace("small", runs.k, drawn_rounds(0.8, runs.k, 60, i), {0.13, 1.3, 0.05});
    EXPECT_GT(clock_of(evidence), 0.1);
}

TEST(AdviceEstimate, CountsThePlacesOfTheLongestDrafts) {
    const std::vector<AdviceDrafter> drafters = places_of(evidence_of(0.8, 40, 1));
    ASSERT_EQ(drafters.size(), 1U);
    ASSERT_EQ(drafters[0].judged.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(static_cast<double>(drafters[0].kept[i]) / drafters[0].judged[i], 0.8, 0.1) << i;
}

// ---- break-even ----

// Each domain has the prompts of its own: rounds that keep all in one, none in the other.
TEST(AdviceEstimate, TellsDomainsApart) {
    AdviceEvidence evidence;
    evidence.plain = {"none", "token", 0, 1000, {}, {}};
    evidence.lengths = {{"small", "token", 3, 1000, {}, {}}};
    for (int p = 0; p < 4; ++p) {
        evidence.plain.traces.push_back(made_trace("none", 0, std::vector<MadeRound>(40), {0, 0.95, 0.05}));
        evidence.lengths[0].traces.push_back(made_trace("small", 3, std::vector<MadeRound>(10, {3, p % 2 == 0 ? 3 : 0})));
        evidence.plain.prompts.push_back(p);
        evidence.lengths[0].prompts.push_back(p);
    }
    AdviceCell best;
    best.drafter = "small", best.k = 3;
    const std::vector<AdviceDomain> domains = by_domain(evidence, {&best}, {"code", "prose", "code", "prose"});
    ASSERT_EQ(domains.size(), 2U);
    EXPECT_EQ(domains[0].domain, "code");
    EXPECT_EQ(domains[0].prompts, 2);
    EXPECT_DOUBLE_EQ(domains[0].tokens_per_round, 4);
    EXPECT_DOUBLE_EQ(domains[0].speed_up, 4 / (3 * 0.1 + 1 + 0.05)) << "plain tokens take 1 ms";
    EXPECT_DOUBLE_EQ(domains[1].tokens_per_round, 1);
    EXPECT_TRUE(by_domain(evidence, {&best}, {"code", "code", "code", "code"}).empty());
    best.k = 4;
    EXPECT_TRUE(by_domain(evidence, {&best}, {"code", "prose", "code", "prose"}).empty()) << "nothing ran with it";
}

TEST(AdviceBreakEven, TheRowOfThePublicCase) {
    // Plain 65.90 tokens a second, 39.28 with K = 5 and acceptance .813: break-even .832 (1 % either way).
    const double tokens = tokens_at_alpha(0.813, 5), round = tokens / 39.28, plain = 1 / 65.90;
    const std::optional<double> alpha = alpha_for(round / plain, 5);
    ASSERT_FALSE(alpha.has_value()); // with these costs a round of 6 tokens at most takes more than six plain passes
    EXPECT_NEAR(round / plain, tokens * 65.90 / 39.28, 1e-9);
    EXPECT_NEAR(alpha_for(tokens_at_alpha(0.832, 5), 5).value(), 0.832, 1e-9);
    EXPECT_EQ(alpha_for(0.9, 5), 0);
}

TEST(AdviceBreakEven, APlainPassThatIsQuickEnoughMakesDraftingTooDear) {
    // 3 tokens for 1.5 passes and 5 ms: 1.5 passes of p ms must cover 5 ms: p = 3.33 ms, 300 tokens a second.
    EXPECT_NEAR(most_plain_rate({3, 5, 1.5}).value(), 300, 1e-9);
    EXPECT_FALSE(most_plain_rate({1.4, 5, 1.5}).has_value());
    EXPECT_TRUE(std::isinf(most_plain_rate({3, 0, 1.5}).value()));
}

// ---- verdicts ----

AdviceCell cell(const std::string& drafter, int k, double low, double value, double high) {
    AdviceCell c;
    c.drafter = drafter, c.k = k, c.low = low, c.speed_up = value, c.high = high;
    c.tokens_per_round = 2.5, c.draft_ms = 2, c.verify_ms = 8, c.other_ms = 0;
    return c;
}

Advice advice_of(std::vector<AdviceCell> cells) {
    Advice advice;
    advice.cells = std::move(cells);
    advice.prompts = advice.planned = 40;
    advice.plain_ms = 7;
    advice.drafters = {{"small", "token", {40, 30, 20}, {30, 20, 10}, ""}};
    return advice;
}

TEST(AdviceVerdict, SpeculatesWhereTheWholeIntervalIsAboveOne) {
    const Advice advice = advice_of({cell("small", 2, 1.5, 1.6, 1.7), cell("small", 4, 1.6, 1.7, 1.8), cell("lookup", 4, 0.7, 0.8, 0.9)});
    const AdviceVerdict verdict = verdict_of(advice);
    EXPECT_EQ(verdict.kind, AdviceVerdict::Kind::speculate);
    EXPECT_EQ(verdict.best->k, 4);
    ASSERT_EQ(verdict.as_fast.size(), 1U);
    EXPECT_EQ(verdict.as_fast[0]->k, 2);
    // 2.5 − 8 ÷ 7 = 1.357 passes gained must cover 2 ms.
    const Said said = verdict_said(advice);
    EXPECT_EQ(said.id(), "advice.sentence.use");
    EXPECT_EQ(inner(said, "choice").id(), "advice.sentence.choice");
    EXPECT_EQ(words(inner(said, "choice"), "drafter"), "small");
    EXPECT_EQ(whole(inner(said, "choice"), "k"), 4);
    EXPECT_EQ(inner(said, "range").id(), "advice.sentence.range:two");
    EXPECT_DOUBLE_EQ(real(inner(said, "range"), "low"), 1.6);
    EXPECT_DOUBLE_EQ(real(inner(said, "range"), "high"), 1.8);
    EXPECT_NEAR(real(said, "rate"), 1000 / 2 * (2.5 - 8.0 / 7), 1e-9); // 679 tokens a second
}

TEST(AdviceVerdict, PlainWhereAllAreBelowOne) {
    const Advice advice = advice_of({cell("small", 2, 0.5, 0.6, 0.7), cell("lookup", 4, 0.7, 0.8, 0.9)});
    EXPECT_EQ(verdict_of(advice).kind, AdviceVerdict::Kind::plain);
    const Said said = verdict_said(advice);
    EXPECT_EQ(said.id(), "advice.sentence.plain");
    EXPECT_EQ(words(inner(said, "choice"), "drafter"), "lookup");
    EXPECT_EQ(whole(inner(said, "choice"), "k"), 4);
    EXPECT_DOUBLE_EQ(real(inner(said, "range"), "low"), 0.7);
    EXPECT_DOUBLE_EQ(real(inner(said, "range"), "high"), 0.9);
}

TEST(AdviceVerdict, NoneWithAReason) {
    Advice close = advice_of({cell("small", 2, 0.95, 1.05, 1.15)});
    EXPECT_EQ(verdict_of(close).kind, AdviceVerdict::Kind::none);
    EXPECT_EQ(verdict_said(close).id(), "advice.sentence.none");
    const Said side = inner(verdict_said(close), "reason");
    EXPECT_EQ(side.id(), "advice.reason.either_side");
    EXPECT_DOUBLE_EQ(real(side, "low"), 0.95);
    EXPECT_DOUBLE_EQ(real(side, "high"), 1.15);
    Advice busy = advice_of({cell("small", 2, 1.5, 1.6, 1.7)});
    busy.busy_cores = 1.4;
    EXPECT_EQ(inner(verdict_said(busy), "reason").id(), "advice.reason.busy");
    EXPECT_DOUBLE_EQ(real(inner(verdict_said(busy), "reason"), "cores"), 1.4);
    Advice few = advice_of({cell("small", 2, 1.5, 1.6, 1.7)});
    few.prompts = 3;
    EXPECT_EQ(inner(verdict_said(few), "reason").id(), "advice.reason.few");
    EXPECT_EQ(whole(inner(verdict_said(few), "reason"), "prompts"), 3);
    EXPECT_EQ(whole(inner(verdict_said(few), "reason"), "least"), 8);
    EXPECT_EQ(inner(verdict_said(Advice{}), "reason").id(), "advice.reason.unmeasured");
    Advice nobody;
    nobody.prompts = 8;
    EXPECT_EQ(inner(verdict_said(nobody), "reason").id(), "advice.reason.no_drafter");
}

TEST(AdviceVerdict, OfTwoThatAreAlikeTheShorterDraft) {
    EXPECT_EQ(verdict_of(advice_of({cell("small", 2, 1.5, 1.600, 1.7), cell("small", 4, 1.5, 1.605, 1.7)})).best->k, 2);
}

TEST(AdviceFindings, SayWhatStandsOut) {
    Advice advice = advice_of({cell("small", 2, 1.5, 1.6, 1.7), cell("small", 7, 0.9, 1.0, 1.1), cell("skip", 2, 0.3, 0.3, 0.4)});
    advice.cells[1].tokens_per_round = 3, advice.cells[1].verify_ms = 19;
    advice.cells[2].draft_ms = 20;
    advice.drafters.push_back({"skip", "token", {100, 90}, {90, 1}, ""});
    const std::vector<Said> findings = advice_findings(advice);
    const auto found = [&](const std::string& id) {
        const auto at = std::ranges::find(findings, "advice.finding." + id, &Said::id);
        EXPECT_NE(at, findings.end()) << id;
        return at == findings.end() ? Said() : *at;
    };
    const Said longer = found("too_long");
    EXPECT_EQ(words(longer, "drafter"), "small");
    EXPECT_EQ(whole(longer, "k"), 7);
    EXPECT_DOUBLE_EQ(real(longer, "tokens"), 3);
    EXPECT_DOUBLE_EQ(real(longer, "best_tokens"), 2.5);
    EXPECT_DOUBLE_EQ(real(longer, "times"), 2.1);
    EXPECT_DOUBLE_EQ(real(longer, "speed_up"), 1);
    const Said hopeless = found("hopeless:never");
    EXPECT_EQ(words(hopeless, "drafter"), "skip");
    EXPECT_EQ(whole(hopeless, "k"), 2);
    EXPECT_DOUBLE_EQ(real(hopeless, "passes"), 4);
    EXPECT_EQ(whole(hopeless, "most"), 3);
    const Said dead = found("dead_place");
    EXPECT_EQ(words(dead, "drafter"), "skip");
    EXPECT_EQ(whole(dead, "place"), 2);
    EXPECT_EQ(whole(dead, "kept"), 1);
    EXPECT_EQ(whole(dead, "judged"), 90);
}

// Whoever ends it during the first prompt was told that there is nothing to speculate with.
TEST(AdviceVerdictOf, BlamesNoDrafterWhereNothingWasMeasured) {
    Advice advice;
    EXPECT_EQ(verdict_of(advice).reason.id(), "advice.reason.unmeasured");
    EXPECT_EQ(conditions_said(advice).id(), "advice.sentence.unfinished") << "and not texts of 0 to 0 tokens";
    advice.prompts = 3;
    EXPECT_EQ(conditions_said(advice).id(), "advice.sentence.conditions");
    EXPECT_EQ(verdict_of(advice).reason.id(), "advice.reason.no_drafter");
}

TEST(AdviceFindings, ShortTextsUnderstateARoundAndKeptWeightsSaveAndCost) {
    Advice advice = advice_of({cell("small", 4, 1.5, 1.6, 1.7)});
    const auto found = [&](const std::string& id) -> std::optional<Said> {
        for (const Said& finding : advice_findings(advice))
            if (finding.id() == "advice.finding." + id) return finding;
        return {};
    };
    advice.max_tokens = 64;
    EXPECT_FALSE(found("short_texts"));
    EXPECT_FALSE(found("kept_weights")) << "there are none";
    advice.max_tokens = 8;
    ASSERT_TRUE(found("short_texts"));
    EXPECT_EQ(whole(*found("short_texts"), "most"), 8);
    advice.read_bytes = 9e8, advice.wide_bytes = 31e8;
    ASSERT_TRUE(found("kept_weights"));
    EXPECT_DOUBLE_EQ(real(*found("kept_weights"), "kept"), 900);
    EXPECT_DOUBLE_EQ(real(*found("kept_weights"), "wide"), 3100);
    EXPECT_EQ(whole(*found("kept_weights"), "rows"), 5);
    EXPECT_DOUBLE_EQ(real(*found("kept_weights"), "passes"), advice.cells[0].verify_ms / advice.plain_ms);
}

// 100 rounds of K = 2: 70 refused at the first place, 50 of these for the draft's next choice; 10 kept whole, of 30 that reached the end.
RefusedRanks wide_ranks() {
    RefusedRanks ranks;
    ranks.rounds = 100, ranks.last_judged = 30, ranks.last_kept = 10;
    ranks.places.resize(2);
    ranks.places[0] = {.refused = 70, .listed = 70, .ranks = {0, 50, 0, 20}, .next = 50};
    ranks.places[1] = {.refused = 20, .listed = 20, .ranks = {0, 10, 0, 10}, .next = 10};
    return ranks;
}

TEST(AdviceFindings, SayWhetherToGoWiderOrDeeper) {
    Advice advice = advice_of({cell("small", 2, 1.5, 1.6, 1.7), cell("skip", 2, 0.3, 0.3, 0.4)});
    const auto found = [&]() -> Said {
        for (const Said& finding : advice_findings(advice))
            if (finding.text.starts_with("finding.one_more")) return finding;
        return {};
    };
    EXPECT_TRUE(found().empty()) << "nothing was counted";
    advice.cells[1].ranks = wide_ranks();
    EXPECT_TRUE(found().empty()) << "of the best one alone";
    advice.cells[0].ranks = wide_ranks();
    EXPECT_EQ(found().id(), "advice.finding.one_more:wider");
    EXPECT_EQ(words(found(), "drafter"), "small");
    EXPECT_EQ(whole(found(), "k"), 2);
    EXPECT_EQ(whole(found(), "place"), 1);
    EXPECT_EQ(whole(found(), "rounds"), 100);
    EXPECT_DOUBLE_EQ(real(found(), "wider"), 0.5);
    EXPECT_DOUBLE_EQ(real(found(), "deeper"), 0.1 * (10.0 / 30));
    EXPECT_DOUBLE_EQ(real(found(), "next"), 60.0 / 90);
    RefusedRanks& ranks = advice.cells[0].ranks;
    ranks.last_judged = 90, ranks.last_kept = 85, ranks.places[0].next = 8;
    EXPECT_EQ(found().id(), "advice.finding.one_more:deeper");
    ranks.last_judged = 70, ranks.last_kept = 58, ranks.places[0].next = 42; // .58 · .83 against .42
    EXPECT_EQ(found().id(), "advice.finding.one_more:alike");
    ranks.places[1].listed = 0;
    EXPECT_TRUE(found().empty()) << "a drafter without lists";
    const Json json = Json::parse(advice_json(advice, [](const Said& said) { return said.id(); }));
    EXPECT_EQ(json["best"]["wider_or_deeper"]["verdict"], "not_told");
    EXPECT_EQ(json["best"]["wider_or_deeper"]["places"][0]["next_choice"], 42);
}

TEST(AdviceJson, SaysOfWhichWeightsAndWhetherItIsInDoubt) {
    Advice advice = advice_of({cell("small", 2, 1.5, 1.6, 1.7)});
    advice.weights = "Q4_K, from Q4_K_M";
    const auto json = [&] { return advice_json(advice, [](const Said& said) { return said.id(); }); };
    EXPECT_NE(json().find("\"weights\": \"Q4_K, from Q4_K_M\""), std::string::npos) << json();
    EXPECT_NE(json().find("\"in_doubt\": false"), std::string::npos);
    advice.busy_cores = 1.7;
    EXPECT_NE(json().find("\"in_doubt_because\": \"advice.reason.busy\""), std::string::npos) << json();
}

TEST(AdviceJson, HasTheVerdictAndEveryCell) {
    const std::string json = advice_json(advice_of({cell("small", 2, 1.5, 1.6, 1.7)}), [](const Said& said) { return said.id(); });
    for (const char* part : {"\"schema\": \"speclens-advice/1\"", "\"verdict\": \"speculate\"", "\"speedup_low\": 1.5", "\"k\": 2",
                             "\"sentence\": \"advice.sentence.use\""})
        EXPECT_NE(json.find(part), std::string::npos) << part;
}

// ---- the measurement ----

std::shared_ptr<const Models> tiny() {
    static const auto models = std::make_shared<const Models>(load_models({}));
    return models;
}

TEST(AdviceMeasurement, GivesEveryDrafterAndLengthAFigure) {
    AdvicePlan plan;
    plan.base.sampling.temperature = 0;
    plan.base.max_tokens = 12;
    plan.drafters = {"eagle3", "lookup", "medusa_tree"};
    plan.lengths = {1, 2, 4};
    std::vector<GalleryPrompt> all = load_gallery(gallery_file(assets_folder(), true));
    plan.prompts = mixed_prompts({all.begin(), all.begin() + 9});
    plan.contexts = false;
    AdviceMeasurement measurement(tiny(), plan);
    while (measurement.step()) {
    }
    const Advice& advice = *measurement.advice();
    EXPECT_TRUE(advice.complete);
    EXPECT_EQ(advice.prompts, 9);
    EXPECT_GT(advice.plain_ms, 0);
    EXPECT_EQ(measurement.done(), 1);
    ASSERT_EQ(advice.cells.size(), 7U);
    for (const AdviceCell& c : advice.cells) {
        EXPECT_GT(c.speed_up, 0) << c.drafter << c.k;
        EXPECT_LT(c.low, c.high) << c.drafter << c.k;
        EXPECT_GE(c.tokens_per_round, 1) << c.drafter << c.k;
        EXPECT_LE(c.tokens_per_round, c.k + 1.001) << c.drafter << c.k;
    }
    EXPECT_NE(advice.cell("eagle3", 4), nullptr);
    EXPECT_NE(advice.cell("medusa_tree", 4), nullptr);
    EXPECT_EQ(advice.drafters.size(), 3U);
    EXPECT_GT(advice.longest, advice.shortest);
    for (const AdviceCell& c : advice.cells) {
        EXPECT_GT(c.ranks.rounds, 0) << c.drafter << c.k;
        EXPECT_EQ(c.ranks.listed(), c.drafter == "lookup" ? 0 : c.ranks.refused()) << c.drafter << c.k;
    }
}

TEST(AdviceMeasurement, WorkedOutTokensOfARoundAreWhatShorterDraftsReallyBring) {
    AdvicePlan plan;
    plan.base.sampling.temperature = 0;
    plan.base.max_tokens = 32;
    plan.drafters = {"small", "eagle3"};
    plan.lengths = {1, 2, 3, 6};
    std::vector<GalleryPrompt> all = mixed_prompts(load_gallery(gallery_file(assets_folder(), true)));
    plan.prompts = {all.begin(), all.begin() + 16};
    plan.contexts = false;
    AdvicePlan real = plan;
    plan.every = 8, real.every = 1;
    AdviceMeasurement worked_out(tiny(), plan), run(tiny(), real);
    for (AdviceMeasurement* one : {&worked_out, &run})
        while (one->step()) {
        }
    for (const AdviceCell& c : worked_out.advice()->cells)
        EXPECT_NEAR(c.tokens_per_round / run.advice()->cell(c.drafter, c.k)->tokens_per_round, 1, 0.04) << c.drafter << " " << c.k;
}

// Whatever the run on the screen is asked: plain decoding that it is compared with is asked the same.
TEST(AdviceMeasurement, AsksEveryDrafterThePromptsOfThePlan) {
    AdvicePlan plan;
    plan.base.prompt = {.text = "said", .parts = {{"said", true}}, .token_ids = {5, 6, 7}};
    plan.base.max_tokens = 4;
    plan.drafters = {"lookup"};
    plan.lengths = {2};
    plan.prompts = {{"code", "sum(", "", false}};
    plan.contexts = false;
    AdviceMeasurement measurement(tiny(), plan);
    while (measurement.step()) {
    }
    const AdviceEvidence& evidence = measurement.evidence();
    ASSERT_EQ(evidence.plain.traces.size(), 1U);
    ASSERT_EQ(evidence.lengths.at(0).traces.size(), 1U);
    EXPECT_EQ(evidence.plain.traces[0]->header()->prompt_text, evidence.lengths[0].traces[0]->header()->prompt_text);
    EXPECT_TRUE(evidence.plain.traces[0]->header()->prompt_text.ends_with("sum("));
}

TEST(AdviceMeasurement, EndsEarlyWithWhatThereIs) {
    AdvicePlan plan;
    plan.base.max_tokens = 4;
    plan.drafters = {"lookup"};
    plan.prompts = load_gallery(gallery_file(assets_folder(), true));
    AdviceMeasurement measurement(tiny(), plan);
    for (int i = 0; i < 30; ++i) (void)measurement.step();
    measurement.stop();
    EXPECT_TRUE(measurement.advice()->complete);
    EXPECT_FALSE(measurement.step());
    EXPECT_EQ(verdict_of(*measurement.advice()).kind, AdviceVerdict::Kind::none);
}

AdvicePlan nine_prompts() {
    AdvicePlan plan;
    plan.base.sampling.temperature = 0;
    plan.base.max_tokens = 6;
    plan.drafters = {"eagle3", "lookup"};
    plan.lengths = {1, 2};
    const std::vector<GalleryPrompt> all = mixed_prompts(load_gallery(gallery_file(assets_folder(), true)));
    plan.prompts = {all.begin(), all.begin() + 9};
    return plan;
}

// Whoever says how long it may take gets no more than that, and hears what a verdict would take.
TEST(AdviceMeasurement, EndsInItsTimeAndSaysWhatAVerdictWouldTake) {
    AdvicePlan plan = nine_prompts();
    plan.seconds = 1e-6;
    plan.at_least = false;
    AdviceMeasurement measurement(tiny(), plan);
    std::optional<double> missed;
    while (measurement.step())
        if (const auto now = measurement.seconds_missed()) missed = now;
    EXPECT_TRUE(measurement.advice()->complete);
    EXPECT_EQ(measurement.advice()->prompts, 0);
    EXPECT_EQ(measurement.done(), 1);
    ASSERT_TRUE(missed);
    EXPECT_GT(*missed, plan.seconds);
}

TEST(AdviceMeasurement, GoesOnUntilAVerdictWhereNobodySaysHowLong) {
    AdvicePlan plan = nine_prompts();
    plan.seconds = 1e-6;
    AdviceMeasurement measurement(tiny(), plan);
    double before = 0;
    while (measurement.step()) {
        EXPECT_FALSE(measurement.seconds_missed());
        EXPECT_LE(measurement.done(), 0.99);
        before = std::max(before, measurement.done());
    }
    EXPECT_GT(before, 0);
    EXPECT_EQ(measurement.advice()->prompts, kFewestAdvicePrompts); // eight, and no ninth
}

// Whether to go on is asked inside a long text too, whose reading takes minutes on a slow machine.
TEST(AdviceMeasurement, EndsInsideALongText) {
    AdvicePlan plan = nine_prompts();
    std::string text;
    for (int i = 0; i < 400; ++i) text += "one two ";
    for (GalleryPrompt& prompt : plan.prompts) prompt.prompt = text;
    int asked = 0, steps = 0, asked_before = 0;
    plan.go_on = [&asked] {
        return ++asked < 4;
    }; // once before each step: the run is begun, its prompt is read, and the fourth time within that
    AdviceMeasurement measurement(tiny(), plan);
    while (measurement.step()) ++steps, asked_before = asked;
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(asked_before, 2);
    EXPECT_EQ(asked, 4) << "before the step that reads the prompt, and inside of it";
    EXPECT_TRUE(measurement.advice()->complete);
    EXPECT_EQ(measurement.advice()->prompts, 0);
}

TEST(AdviceMeasurement, RefusesWhatCannotBeMeasured) {
    AdvicePlan none;
    EXPECT_THROW(AdviceMeasurement(tiny(), none), Error);
    AdvicePlan unknown;
    unknown.prompts = {{"", "x", "", false}};
    unknown.drafters = {"nobody"};
    EXPECT_THROW(AdviceMeasurement(tiny(), unknown), Error);
}

TEST(AdvicePrompts, AreMixedByDomain) {
    const std::vector<GalleryPrompt> mixed = mixed_prompts({{"a", "1", "", false}, {"a", "2", "", false}, {"b", "3", "", false}});
    ASSERT_EQ(mixed.size(), 3U);
    EXPECT_EQ(mixed[0].prompt + mixed[1].prompt + mixed[2].prompt, "132");
}

} // namespace
} // namespace speclens
