// K chosen as one goes: the controllers on made-up rounds, the table of costs, and a study of a small model.
#include <gtest/gtest.h>

#include <random>

#include "engine/batch/adaptive_study.h"
#include "engine/batch/batch_engine.h"
#include "engine/batch/sweep.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/session_commands.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

// Accepted drafts of a round of K, each kept with alpha.
int kept_of(std::mt19937& random, double alpha, int k) {
    int kept = 0;
    while (kept < k && std::uniform_real_distribution<double>(0, 1)(random) < alpha) ++kept;
    return kept;
}

double cheap(int k) { // a draft is a twentieth of a pass
    return 1 + 0.05 * k;
}
double full(int k) { // the pass is full: every row costs a pass
    return 1 + 1.0 * k;
}

TEST(KControllers, TheGainFollowsAcceptanceAndCost) {
    std::mt19937 random(3);
    GainController gain(8);
    const auto after = [&](double alpha, const RoundCost& cost, int rounds) {
        double sum = 0;
        int k = 0;
        for (int i = 0; i < rounds; ++i) {
            k = gain.decide(cost);
            if (k > 0) gain.saw(kept_of(random, alpha, k), k);
            if (i >= rounds / 2) sum += k;
        }
        return sum / (rounds - rounds / 2);
    };
    EXPECT_GT(after(0.95, cheap, 400), 6);
    EXPECT_LT(after(0.3, cheap, 400), 3);
    EXPECT_LT(after(0.6, full, 400), 0.2) << "off, but for a probe";
    EXPECT_GT(after(0.95, cheap, 800), 5) << "and it finds back";
}

// Of a round of K drafts whose first refusal is at place j, the places behind it were not judged.
TEST(KControllers, TheGainLearnsOnlyFromPlacesThatWereJudged) {
    GainController gain(4);
    const double before = gain.kept(2);
    gain.saw(1, 4);
    EXPECT_GT(gain.kept(0), before);
    EXPECT_LT(gain.kept(1), before);
    EXPECT_EQ(gain.kept(2), before);
    gain.saw(2, 2);
    EXPECT_EQ(gain.kept(2), before) << "all were kept: nobody knows about the next one";
}

TEST(KControllers, TheFormulaFindsTheFastestAndTheArticleWalksDown) {
    std::mt19937 random(5);
    FormulaController formula(5, 7);
    ArticleController article(5, 1, 7);
    for (int i = 0; i < 600; ++i) {
        formula.saw(kept_of(random, 0.8, formula.k()), formula.k());
        (void)formula.decide(cheap);
        (void)article.update(kept_of(random, 0.8, article.k()), article.k());
    }
    EXPECT_NEAR(formula.alpha(), 0.8, 0.06);
    EXPECT_GE(formula.k(), 5);
    EXPECT_LE(article.k(), 2) << "accepted over proposed falls with K by itself";
    EXPECT_NEAR(tokens_of_round(0.8, 3), 1 + .8 + .64 + .512, 1e-12);
}

TEST(CostTable, GoesAlongLines) {
    CostTable costs;
    EXPECT_TRUE(costs.empty());
    costs.saw(0, 1, 10);
    EXPECT_DOUBLE_EQ(costs.ms(5, 3), 10) << "one point is all there is";
    costs.saw(0, 4, 20), costs.saw(0, 4, 24);
    costs.saw(4, 1, 30);
    EXPECT_DOUBLE_EQ(costs.ms(0, 4), 22);
    EXPECT_DOUBLE_EQ(costs.ms(0, 2), 14);
    EXPECT_DOUBLE_EQ(costs.ms(2, 1), 20);
    EXPECT_DOUBLE_EQ(costs.ms(6, 1), 40);
    EXPECT_DOUBLE_EQ(costs.ms(2, 4), 26) << "of K = 4 only one number of texts was seen";
    EXPECT_GT(costs.ms(0, -100), 0);
}

AdaptivePlan small_plan(double temperature) {
    std::vector<RunSettings> texts;
    for (int i = 0; i < 5; ++i) {
        RunSettings text = test::greedy("small", 4);
        text.prompt.token_ids = {5 + i, 6, 7, 8 + i % 3};
        text.sampling.temperature = temperature;
        text.seed = static_cast<std::uint64_t>(i);
        text.max_tokens = 24;
        texts.push_back(text);
    }
    AdaptivePlan plan = adaptive_plan(*test::micro_models(2), texts, "small", "token", 4);
    plan.repeats = 2;
    plan.seats = 4;
    return plan;
}

// A run with K auto that was opened has lengths of its own: no way to choose K is measured by those.
TEST(AdaptiveStudy, RepeatsNoWrittenLengths) {
    RunSettings text = test::greedy("small", 4);
    text.prompt.token_ids = {5, 6, 7};
    text.k_auto = true;
    text.k_rounds = "1*100";
    text.k_costs = DraftCosts{.pass = {{1, 1}}, .draft = {}};
    for (const RunSettings& one : adaptive_plan(*test::micro_models(1), {text}, "small", "token", 4).texts)
        EXPECT_EQ(one, one.with_fixed_k());
    for (const RunSettings& one : sweep_plan(*test::micro_models(1), MeasureLoad{.base = text}).texts) EXPECT_EQ(one, one.with_fixed_k());
}

TEST(AdaptiveStudy, EveryWayWritesTheTextsOfPlainDecoding) {
    AdaptiveStudy study(test::micro_models(2), small_plan(0));
    double before = 0;
    while (study.step()) {
        EXPECT_GE(study.done(), before);
        before = study.done();
    }
    const AdaptiveResult& result = study.result();
    EXPECT_TRUE(result.complete);
    EXPECT_GT(result.compared, 0);
    EXPECT_EQ(result.equal, result.compared);
    ASSERT_EQ(result.ways.size(), 5u + 4 + 1) << "K = 0, 1, 2, 3, 4, four controllers, the oracle";
    EXPECT_TRUE(std::ranges::is_sorted(result.arrivals_ms));
    EXPECT_GT(result.arrivals_ms.back(), 0);
    for (const AdaptiveWay& way : result.ways) {
        SCOPED_TRACE(name_of(way.chooser));
        EXPECT_GT(way.rate(), 0);
        if (way.chooser == Chooser::oracle) continue;
        EXPECT_EQ(way.rates.size(), 2u);
        EXPECT_GE(way.tokens_per_round, 1);
        EXPECT_GT(way.wait_ms, 0);
        ASSERT_FALSE(way.rounds.empty());
        for (const AdaptiveRound& round : way.rounds) {
            EXPECT_LE(round.k, way.chooser == Chooser::fixed ? way.k : 4);
            EXPECT_LE(round.texts, 4);
        }
    }
    EXPECT_DOUBLE_EQ(result.ways.front().tokens_per_round, 1);
    ASSERT_TRUE(result.best_fixed());
    EXPECT_EQ(result.ways.back().chooser, Chooser::oracle);
    const AdaptiveWay& oracle = result.ways.back();
    ASSERT_EQ(oracle.rates.size(), 2u);
    for (const AdaptiveWay& way : result.ways) {
        SCOPED_TRACE(name_of(way.chooser));
        for (std::size_t repeat = 0; repeat < 2; ++repeat)
            EXPECT_GE(oracle.rates[repeat], way.rates[repeat] * (1 - 1e-9)) << "in hindsight nobody is above it";
        const SweepInterval speed = result.speed_up(way);
        EXPECT_LE(speed.low, speed.value);
        EXPECT_GE(speed.high, speed.value);
        EXPECT_GE(result.speed_up(oracle).value, speed.value * (1 - 1e-9));
    }
    EXPECT_DOUBLE_EQ(result.speed_up(result.ways.front()).value, 1);
}

TEST(AdaptiveStudy, AtATemperatureItRunsToo) {
    AdaptiveStudy study(test::micro_models(1), small_plan(0.9));
    while (study.step()) {
    }
    EXPECT_TRUE(study.result().complete);
    EXPECT_EQ(study.result().compared, 0) << "another K draws other coins: the distribution is the target's, the text another";
    EXPECT_GT(study.result().way(Chooser::gain)->rate(), 0);
}

// Whatever K a text is given round by round, its greedy text is the one that it has alone, also where it is preempted.
TEST(AdaptiveStudy, AnyKInAnyRoundChangesNoGreedyText) {
    const auto models = test::micro_models(2);
    for (const DrafterInfo& drafter : drafter_list()) {
        BatchEngine engine(models, {.texts = 4, .blocks = 13, .prompt_rows = 16, .share = false, .poison = true});
        std::vector<RunSettings> texts;
        for (int i = 0; i < 6; ++i) {
            RunSettings text = test::greedy(drafter.name, 6);
            text.prompt.token_ids = {5, 6 + i, 7, 8, 9};
            text.max_tokens = 45;
            texts.push_back(text);
            engine.submit(text);
        }
        std::mt19937 random(9);
        std::vector<int> allowed(texts.size());
        do {
            for (const BatchLane& lane : engine.round().lanes)
                if (lane.did == BatchLane::Did::decoded && !drafter.tree) {
                    EXPECT_LE(lane.drafted(), allowed[static_cast<std::size_t>(lane.text)]);
                }
            for (int text = 0; text < engine.texts(); ++text) {
                // A preempted text keeps the draft that it has.
                int& k = allowed[static_cast<std::size_t>(text)];
                const int next = static_cast<int>(random() % 8);
                engine.draft_at_most(text, next);
                k = engine.text(text).preempted > 0 ? 8 : next;
            }
        } while (engine.step());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const BatchText& got = engine.text(static_cast<int>(i));
            ASSERT_EQ(got.state, BatchText::State::done) << drafter.name << ": " << got.error;
            EXPECT_EQ(got.sequence, test::finished(models, texts[i])->sequence()) << drafter.name;
        }
    }
}

} // namespace
} // namespace speclens
