// What scene S11 measures: a chain under both rules and trees, and which of them stands out of chance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/lab/study.h"
#include "engine/rules/verify.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_draw.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/trees_bench.h"

namespace speclens {
namespace {

TEST(TreesScene, MeasuresAChainUnderBothRulesAndTrees) {
    Judged live("small", "token");
    live.measure();
    const std::vector<TreesRow> rows = trees_rows(live.bench->controller.frame(0).scene);
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].name, "chain, token");
    EXPECT_EQ(rows[1].name, "chain, block");
    EXPECT_DOUBLE_EQ(rows[1].tokens, 3.5);
    EXPECT_DOUBLE_EQ(rows[1].draft_ms, 0.5) << "the head is part of it";
    EXPECT_DOUBLE_EQ(rows[1].speedup, 3.5 / 2);
    EXPECT_EQ(rows[3].name, "tree of 16");
    {
        SceneInput input = live.bench->controller.frame(0).scene;
        RunSettings other = *input.settings;
        input.settings = &other;
        other.k = 9;
        other.drafter = "lookup";
        EXPECT_EQ(trees_rows(input).size(), 5u) << "whoever drafts by now";
        other.sampling.temperature = 0.3;
        EXPECT_TRUE(trees_rows(input).empty()) << "other dice";
        other = live.settings;
        other.prompt.token_ids.push_back(3);
        EXPECT_TRUE(trees_rows(input).empty()) << "another prompt";
    }
    EXPECT_EQ(rows[3].rows, 17);
    Study done = *live.published.studies.at(kTreesStudy);
    done.points.back().verify_ms = 50; // something else had the cores during the last seed
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    SceneInput disturbed = live.bench->controller.frame(0).scene;
    disturbed.studies = live.published.studies;
    EXPECT_EQ(trees_rows(disturbed)[4].speedup, rows[4].speedup);
    Study brief = *live.published.studies.at(kTreesStudy);
    for (StudyPoint& p : brief.points) p.timed = p.settings.seed == live.settings.seed ? 1 : 0;
    live.published.studies[brief.name] = std::make_shared<const Study>(brief);
    disturbed.studies = live.published.studies;
    for (const TreesRow& row : trees_rows(disturbed)) EXPECT_TRUE(row.few && row.speedup == 0) << row.name;
    EXPECT_NE(trees_description(disturbed, trees_model(disturbed, {})).find("too few full rounds"), std::string::npos);
    for (StudyPoint& p : done.points) p.most = 3; // as heads that make three guesses
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    SceneInput input = live.bench->controller.frame(0).scene;
    input.studies = live.published.studies;
    EXPECT_EQ(rows[0].rows, 5);
    EXPECT_EQ(trees_rows(input)[0].rows, 4);
    live.beat(5);
    EXPECT_TRUE(live.bench->shows("chain (block) gives the most"));
    live.published.settings.drafter = "domino";
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("On this prompt: small, the same dice")) << "of those that were measured";
}

// Luck of a seed, the same for all rows or of each row its own; none on average.
int luck_of(const Judged& live, const RunSettings& one, int row) {
    constexpr int kLuck[] = {-9, 5, 8, -4, 7, -6, -8, 7};
    return kLuck[(one.seed - live.settings.seed + static_cast<std::uint64_t>(3 * row)) % 8];
}

int row_of(const RunSettings& one) { return one.rule == "token" ? 0 : one.rule == "block" ? 1 : one.options.tree_budget; }

// The same seeds bring most of the luck to all rows: a small lead in every one of them tells more than two
// means whose intervals meet.
TEST(TreesScene, NamesAWinnerOnlyWhereItStandsOutOfTheNoise) {
    for (const Size& s : kSizes) {
        if (s.w < 1100) continue;
        for (const bool shared : {false, true}) {
            Judged live("small", "token", {0, 0, s.w, s.h});
            live.measure(
                [&](const RunSettings& one) { return (one.rule == "block" ? 34 : 32) + luck_of(live, one, shared ? 0 : row_of(one)); });
            live.beat(kTreesWorthBeat);
            const SceneInput input = live.bench->controller.frame(0).scene;
            const std::vector<TreesRow> rows = trees_rows(input);
            ASSERT_EQ(rows.size(), 5u);
            EXPECT_NEAR(rows[0].tokens, 3.2, 1e-9);
            EXPECT_GT(*rows[0].rounds.chance(), 0.2) << "wider than the lead";
            EXPECT_EQ(trees_leaders(rows).most.size(), shared ? 1u : 5u);
            EXPECT_EQ(trees_leaders(rows).most.front(), 1u);
            const std::string where = std::string(s.name) + (shared ? " shared luck" : " own luck");
            EXPECT_EQ(live.bench->shows("too close to call"), !shared) << where << "\n" << live.bench->words;
            const std::string words = trees_description(input, trees_model(input, {}));
            EXPECT_EQ(words.find("the rows are too close to call, 3.20 to 3.40 tokens per round") != std::string::npos, !shared) << words;
            EXPECT_EQ(words.find("chain (block) gives the most tokens per round, 3.40 ±") != std::string::npos, shared) << words;
            EXPECT_EQ(words.find("M measures twice as many seeds.") != std::string::npos, !shared) << words;
            EXPECT_TRUE(live.bench->shows("3.40 ±")) << where << "\n" << live.bench->words;
            look(*live.bench, where, s.w < 1280);                 // the drawer covers a part of the stage
            live.bench->controller.chrome.layout.details = false; // measuring opened it
            live.bench->settle();
            if (s.w == 1280) expect_whole_story(*live.bench, where);
        }
    }
}

// A lead in time that is within what the tries of one row lie apart is none.
TEST(TreesScene, NamesTheFastestOnlyWhereItStandsOut) {
    Judged live("small", "token");
    live.measure();
    SceneInput input = live.bench->controller.frame(0).scene;
    EXPECT_EQ(trees_leaders(trees_rows(input)).fastest, std::vector<std::size_t>{1});
    Study shaken = *live.published.studies.at(kTreesStudy);
    for (StudyPoint& p : shaken.points)
        if (p.settings.seed != live.settings.seed) p.verify_ms *= 1.5; // the quickest count
    live.published.studies[shaken.name] = std::make_shared<const Study>(shaken);
    input.studies = live.published.studies;
    const std::vector<TreesRow> rows = trees_rows(input);
    EXPECT_EQ(trees_leaders(rows).most, std::vector<std::size_t>{1}) << "tokens do not depend on the clock";
    EXPECT_EQ(trees_leaders(rows).fastest.size(), rows.size());
    input.beat = kTreesWorthBeat;
    EXPECT_NE(trees_story(input, trees_model(input, {})).text.find("no row stands out as the fastest"), std::string::npos);
}

// A table whose noise has the block below the token rule stands beside a guarantee: the sentence says what the noise is.
TEST(TreesScene, TellsWhyItsTableSeemsToDenyTheGuarantee) {
    Judged live("small", "block");
    const auto said = [&] {
        SceneInput input = live.bench->controller.frame(live.bench->time).scene;
        input.beat = 2;
        return trees_story(input, trees_model(input, {})).text;
    };
    EXPECT_EQ(said().find("within its noise"), std::string::npos);
    live.measure([](const RunSettings& one) { return one.rule == "block" ? 30 : 28 + static_cast<int>(one.seed % 7); });
    EXPECT_NE(said().find("is chance: the difference is within its noise"), std::string::npos) << said();
    live.measure();
    EXPECT_EQ(said().find("within its noise"), std::string::npos) << said();
}

TEST(TreesScene, ComparesNothingBeforeAllIsMeasured) {
    Judged live("small", "token");
    live.measure();
    Study half = *live.published.studies.at(kTreesStudy);
    half.points.resize(half.points.size() / 2);
    live.published.studies[half.name] = std::make_shared<const Study>(half);
    live.bench->controller.observe(live.published, live.bench->time);
    live.beat(kTreesWorthBeat);
    EXPECT_TRUE(live.bench->shows("so far")) << live.bench->words;
    EXPECT_FALSE(live.bench->shows("gives the most"));
}

TEST(TreesScene, MeasuringAgainTakesTwiceAsManySeeds) {
    Judged live("small", "token");
    const auto seeds = [&] {
        std::set<std::uint64_t> distinct;
        for (const StudyPoint& p : live.published.studies.at(kTreesStudy)->points) distinct.insert(p.settings.seed);
        return distinct.size();
    };
    for (const std::size_t wanted : {16u, 32u, 64u, 64u}) {
        live.measure();
        EXPECT_EQ(seeds(), wanted);
    }
    SceneInput input = live.bench->controller.frame(0).scene;
    const auto asked = [&] { return trees_study(input, trees_model(input, {})).runs.size(); };
    const std::size_t again = asked();
    RunSettings longer = *input.settings;
    longer.k = 7;
    input.settings = &longer;
    EXPECT_EQ(asked() * 4, again) << "other rows, of which nothing is known yet";
}

TEST(TreesScene, SlowModelsAreMeasuredWithFewerSeeds) {
    Judged live("small", "token");
    SceneInput input = live.bench->controller.frame(0).scene;
    EXPECT_EQ(seeds_to_measure(input, {}, nullptr), 16);
    input.plain.ms_per_token = 40;
    EXPECT_EQ(seeds_to_measure(input, {}, nullptr), 4);
    int plain = 0;
    for (const RunSettings& one : trees_study(input, trees_model(input, {})).runs) plain += one.drafter == "none";
    EXPECT_EQ(plain, 1) << "whose many passes tell enough";
}

TEST(Trees, TheIntervalIsThatOfSeeds) {
    const auto rounds = [](std::initializer_list<int> tokens) {
        SeededRounds row;
        std::uint64_t seed = 0;
        for (const int n : tokens) row.seeds.push_back({seed++, 10, n});
        return row;
    };
    const SeededRounds row = rounds({30, 50, 40, 40});
    EXPECT_DOUBLE_EQ(row.per_round(), 4);
    // Deviation 8.165 tokens, four seeds, Student's t 3.182.
    EXPECT_NEAR(*row.chance(), 3.182 * 0.8165 / 2, 0.02);
    EXPECT_FALSE(rounds({30}).chance()) << "one seed has no spread";
    EXPECT_EQ(with_chance(rounds({30})), "3.00");
    EXPECT_EQ(with_chance(rounds({30, 30})), "3.00 ±0");
    EXPECT_TRUE(ratio_of(rounds({33, 53, 43, 43}), row).more()) << "ahead with every seed";
    EXPECT_FALSE(ratio_of(rounds({53, 33, 43, 43}), row).more());
    SeededRounds other = rounds({33, 53, 43, 43});
    for (SeededRounds::Seed& one : other.seeds) one.seed += 100;
    EXPECT_EQ(ratio_of(other, row).seeds, 0) << "no seed in common";
    EXPECT_FALSE(ratio_of(other, row).more());
}

// With as few guesses as levels a tree spends them all on one path: the chain over again.
TEST(Trees, EveryTreeThatIsMeasuredBranches) {
    for (const int k : {1, 4, 8, 15}) {
        Judged live("small", "token", {0, 0, 1600, 1000}, k);
        const SceneInput input = live.bench->controller.frame(0).scene;
        std::set<int> sizes;
        for (RunSettings one : trees_study(input, trees_model(input, {})).runs) {
            if (one.drafter != "small_tree") continue;
            EXPECT_GT(one.options.tree_budget, one.k);
            if (!sizes.insert(one.options.tree_budget).second) continue;
            one.max_tokens = 40;
            speclens::Run run(live.models, one);
            run.finish();
            const RunView view = fold(run.trace(), run.trace().size());
            EXPECT_TRUE(std::ranges::any_of(view.round_list,
                                            [](const RoundSummary& round) {
                                                std::set<int> parents;
                                                return std::ranges::any_of(round.drafts, [&](const DraftSlot& slot) {
                                                    return !parents.insert(slot.parent).second;
                                                });
                                            }))
                << "tree of " << one.options.tree_budget << ", K " << k;
        }
        EXPECT_GE(sizes.size(), 2u) << k;
    }
}

// How far it is, and a way to end it, where it was begun.
TEST(TreesScene, TellsHowFarItsMeasurementIsAndEndsIt) {
    Judged live("small", "block");
    live.bench->key(ui::Key::m);
    const auto asked = std::ranges::find_if(live.sent, [](const Command& c) { return std::holds_alternative<RunStudy>(c); });
    ASSERT_NE(asked, live.sent.end());
    const auto& plan = std::get<RunStudy>(*asked);
    Study begun{plan.name, static_cast<int>(plan.runs.size()), {}};
    begun.points.resize(1);
    begun.points[0].settings = plan.runs[0];
    live.published.studies[begun.name] = std::make_shared<const Study>(begun);
    live.show();
    EXPECT_TRUE(live.bench->shows("1 of " + std::to_string(plan.runs.size()) + " runs")) << live.bench->words;
    live.sent.clear();
    live.bench->click(live.bench->find("Stop"));
    ASSERT_FALSE(live.sent.empty());
    EXPECT_TRUE(std::holds_alternative<Cancel>(live.sent.back()));
}

} // namespace
} // namespace speclens
