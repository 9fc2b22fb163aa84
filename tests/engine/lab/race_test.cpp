// Races: lanes one after another, averages over prompts, and what cannot run.
#include <gtest/gtest.h>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/race.h"
#include "engine/lab/samples.h"
#include "engine/model/model.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RaceSettings greedy(const std::vector<std::string>& drafters) {
    RaceSettings race;
    race.base.prompt.token_ids = {5, 6, 7};
    race.base.sampling.temperature = 0;
    race.base.max_tokens = 14;
    race.base.k = 3;
    race.lanes = race_entries(drafters, race.base);
    return race;
}

std::vector<int> output_of(const Trace& trace) {
    std::vector<int> ids;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* done = std::get_if<Committed>(&trace[i])) ids.insert(ids.end(), done->tokens.begin(), done->tokens.end());
    return ids;
}

TEST(Race, RunsEveryLaneToTheSameGreedyText) {
    Race race(test::micro_models(1), greedy({"dflash", "eagle3", "none", "small"}));
    race.finish();
    const RaceView& view = race.view();
    ASSERT_EQ(view.lanes.size(), 4u);
    EXPECT_EQ(view.lanes[0].settings.drafter, "none") << "the baseline comes first";
    EXPECT_TRUE(view.lanes_finished());
    EXPECT_TRUE(view.finished()) << "without prompts there is nothing to average";
    for (const RaceLane& lane : view.lanes) {
        ASSERT_TRUE(lane.trace) << lane.settings.drafter;
        EXPECT_EQ(output_of(*lane.trace).size(), 14u);
        EXPECT_EQ(output_of(*lane.trace), output_of(*view.lanes[0].trace)) << lane.settings.drafter;
        EXPECT_EQ(lane.trace->header()->drafter, lane.settings.drafter);
    }
}

TEST(Race, TreesGetARuleThatJudgesThem) {
    Race race(test::micro_models(1), greedy({"none", "eagle3_tree"}));
    race.finish();
    EXPECT_EQ(race.view().lanes[1].problem, "");
    EXPECT_EQ(output_of(*race.view().lanes[1].trace), output_of(*race.view().lanes[0].trace));
}

// Top tokens on a chain would keep a drawn guess with p instead of min(1, p / q).
TEST(Race, AChainBesideATreeOfTopTokensIsJudgedByTheTokenRule) {
    RunSettings base;
    base.rule = "tree_topk";
    const std::vector<RaceEntry> entries = race_entries({"none", "small", "lookup", "eagle3_tree"}, base);
    ASSERT_EQ(entries.size(), 4u);
    EXPECT_EQ(entries[1].rule, "token");
    EXPECT_EQ(entries[2].rule, "token");
    EXPECT_EQ(entries[3].rule, "tree_topk");
    for (const char* rule : {"tree_wor", "tree_wr", "tree_kseq", "block"})
        EXPECT_EQ(judging_rule(rule, "small"), rule) << "loses nothing on a chain";
    EXPECT_EQ(judging_rule("tree_topk", "no such drafter"), "tree_topk");
    EXPECT_EQ(judging_rule("tree_wor", "small_tree", "dflash_tree"), "tree_topk") << "its children are chosen, not drawn";
    EXPECT_EQ(judging_rule("tree_topk", "dflash_tree", "small_tree"), "tree_wor");
    EXPECT_EQ(judging_rule("tree_topk", "eagle3_tree", "dflash_tree"), "tree_topk");
    for (const char* rule : {"tree_wr", "tree_kseq", "tree_match"})
        EXPECT_EQ(judging_rule(rule, "small_tree", "dflash_tree"), rule) << "was asked for";
}

TEST(Race, EveryLaneTakesTheOptionsOfItsDrafter) {
    RaceSettings race;
    race.base.options.exit_layer = 1;
    race.base.options.ngram_min = 2;
    race.base.options.tree_depth = 3;
    race.base.options.tree_budget = 5;
    race.base.options.fr_spec = 64;
    race.lanes = race_entries({"none", "skip", "lookup", "small_tree"}, race.base);
    const RaceView view = race_lanes(*test::perfect_draft_models(1), race);
    const DrafterOptions defaults;
    EXPECT_EQ(view.lanes[0].settings.options, defaults);
    DrafterOptions skip, lookup, tree;
    skip.exit_layer = 1;
    lookup.ngram_min = 2;
    tree.tree_depth = 3;
    tree.tree_budget = 5;
    skip.fr_spec = tree.fr_spec = 64;
    EXPECT_EQ(view.lanes[1].settings.options, skip);
    EXPECT_EQ(view.lanes[2].settings.options, lookup);
    EXPECT_EQ(view.lanes[3].settings.options, tree);
    EXPECT_EQ(view.lanes[3].settings.k, 3);
    EXPECT_EQ(view.lanes[1].settings.k, race.base.k);
}

// A model with a chat template that is not ChatML has a race as it is opened, without a word typed.
TEST(Race, AsksReadyMadeChatsAsTextWhereNoFormatIsKnown) {
    Models models = *test::perfect_draft_models(1);
    RaceSettings race;
    race.prompts = {{"code", "sum(", "Be brief.", true}};
    race.base.prompt.text = "sum(";
    race.base.prompt.chat = true;
    race.lanes = race_entries({"none"}, race.base);
    EXPECT_TRUE(race_lanes(models, race).settings.base.prompt.chat);
    models.chat.problem = "another template";
    const RaceView asked = race_lanes(models, race);
    EXPECT_FALSE(asked.settings.base.prompt.chat);
    EXPECT_FALSE(asked.lanes[0].settings.prompt.chat);
    EXPECT_FALSE(asked.settings.prompts[0].chat);
    race.base.prompt.text = "typed";
    EXPECT_TRUE(race_lanes(models, race).settings.base.prompt.chat) << "what somebody typed as a chat is refused, not changed";
    race.chat_if_possible = false;
    EXPECT_TRUE(race_lanes(models, race).settings.prompts[0].chat);
    race.chat_if_possible = true;
    race.base.prompt.text = "sum(";
    models.chat = {};
    models.chat.system_place = ChatFormat::SystemPlace::nowhere;
    const RaceView said = race_lanes(models, race);
    EXPECT_TRUE(said.settings.base.prompt.chat);
    EXPECT_EQ(said.settings.prompts[0].prompt, "Be brief.\n\nsum(") << "it has no other place";
    EXPECT_EQ(said.settings.prompts[0].system, "");
}

TEST(Race, ALaneThatCannotRunSaysWhyAndTheOthersRun) {
    const auto models = test::perfect_draft_models(1); // no trained heads
    Race race(models, greedy({"none", "dflash", "small"}));
    race.finish();
    EXPECT_NE(race.view().lanes[1].problem, "");
    EXPECT_FALSE(race.view().lanes[1].trace);
    EXPECT_TRUE(race.view().lanes[2].finished);
    EXPECT_TRUE(race.view().lanes_finished());
}

TEST(Race, RefusesNoLanesTooManyAndUnknownOnes) {
    const auto models = test::micro_models(1);
    const auto refused = [&](const std::vector<std::string>& drafters) {
        try {
            Race race(models, greedy(drafters));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::usage);
            EXPECT_FALSE(error.remedy().empty());
            return true;
        }
        return false;
    };
    EXPECT_TRUE(refused({}));
    EXPECT_TRUE(refused({"none", "small", "lookup", "skip", "eagle3"}));
    EXPECT_TRUE(refused({"none", "eagle33"}));
}

TEST(Race, AnImpossiblePromptIsTheLanesProblem) {
    RaceSettings settings = greedy({"none", "small"});
    settings.base.prompt.token_ids = {5, 61};
    Race race(test::micro_models(1), settings);
    race.finish();
    EXPECT_NE(race.view().lanes[0].problem.find("61"), std::string::npos);
}

TEST(Race, UsualLanesAreTheTrainedHeadsOrWhatThereIs) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(default_racers(Names{"none", "small", "lookup", "skip", "eagle3", "dflash", "domino", "medusa"}),
              (Names{"none", "eagle3", "dflash", "domino"}));
    EXPECT_EQ(default_racers(Names{"none", "lookup", "skip"}), (Names{"none", "lookup", "skip"}));
    EXPECT_EQ(default_racers(Names{"none", "small", "lookup", "skip", "dflash"}), (Names{"none", "dflash", "small", "lookup"}));
}

// The shipped bundle: prompts are text.
TEST(Race, AveragesOverPrompts) {
    auto models = std::make_shared<const Models>(load_models({}));
    RaceSettings settings;
    settings.base.sampling.temperature = 0;
    settings.base.max_tokens = 12;
    settings.lanes = race_entries({"none", "small"}, settings.base);
    for (const char* prompt : {"The capital of France is", "2 + 2 =", "def add(a, b):"})
        settings.prompts.push_back({"x", prompt, "", false});
    Race race(models, settings);
    race.finish();
    const RaceView& view = race.view();
    EXPECT_EQ(view.prompts_done, 3);
    for (const RaceLane& lane : view.lanes) {
        ASSERT_TRUE(lane.average);
        EXPECT_EQ(lane.average->totals.prompts, 3);
        EXPECT_TRUE(lane.average->tokens_per_round.interval);
        EXPECT_GT(lane.average->totals.tokens_per_second, 0);
    }
    EXPECT_DOUBLE_EQ(view.lanes[0].average->speed_up.value, 1) << "plain over itself";
    EXPECT_DOUBLE_EQ(view.lanes[0].average->tokens_per_round.value, 1);
    EXPECT_GT(view.lanes[1].average->tokens_per_round.value, 1.5) << "the small model follows the target well";
    EXPECT_EQ(view.lanes[0].average->totals.tokens, view.lanes[1].average->totals.tokens) << "the same texts";

    settings.average_seconds = 1e-9; // enough after the first prompt
    Race brief(models, settings);
    brief.finish();
    EXPECT_EQ(brief.view().prompts_done, 1);
    EXPECT_EQ(brief.view().prompts, 1);
}

// A prompt that one lane has no room for counts for no lane, and is counted itself.
TEST(Race, SkipsPromptsThatNoContextHolds) {
    auto models = std::make_shared<const Models>(load_models({}));
    std::string endless;
    for (int i = 0; i < models->target->config.max_positions; ++i) endless += "the cat ";
    RaceSettings settings;
    settings.base.sampling.temperature = 0;
    settings.base.max_tokens = 8;
    settings.lanes = race_entries({"none", "small"}, settings.base);
    for (const std::string& prompt : {endless, std::string("2 + 2 ="), endless, std::string("The capital of France is")})
        settings.prompts.push_back({"x", prompt, "", false});
    Race race(models, settings);
    race.finish();
    const RaceView& view = race.view();
    EXPECT_EQ(view.skipped, 2);
    EXPECT_EQ(view.skipped_for, models->target_name());
    EXPECT_TRUE(view.finished());
    for (const RaceLane& lane : view.lanes) {
        ASSERT_TRUE(lane.average) << lane.settings.drafter;
        EXPECT_EQ(lane.average->totals.prompts, 2) << lane.settings.drafter;
    }
}

// The second lane has the shorter context: what the first one measured of that prompt is dropped.
TEST(Race, SkipsAPromptThatOnlyOneLaneCannotRead) {
    auto models = std::make_shared<Models>(load_models({}));
    ModelConfig little = models->target->config;
    little.layers = 1;
    little.max_positions = 12;
    models->draft = Model::random(*models->backend, little, "little draft", 3);
    RaceSettings settings;
    settings.base.sampling.temperature = 0;
    settings.base.max_tokens = 40;
    settings.base.prompt.token_ids = {5, 6, 7};
    settings.lanes = race_entries({"none", "small"}, settings.base);
    for (const char* prompt : {"2 + 2 =", "one two three four five six seven eight nine ten eleven twelve", "3 + 4 ="})
        settings.prompts.push_back({"x", prompt, "", false});
    Race race(std::shared_ptr<const Models>(models), settings);
    race.finish(); // the texts outgrow the draft model's context: the rest is decoded plainly
    EXPECT_EQ(race.view().skipped, 1);
    EXPECT_EQ(race.view().skipped_for, "little draft");
    for (const RaceLane& lane : race.view().lanes) {
        EXPECT_EQ(lane.problem, "");
        ASSERT_TRUE(lane.average) << lane.settings.drafter;
        EXPECT_EQ(lane.average->totals.prompts, 2) << lane.settings.drafter;
    }
    EXPECT_EQ(output_of(*race.view().lanes[1].trace), output_of(*race.view().lanes[0].trace));
}

// Block verification throws a coin at every position, but a guess has the chance to stay only where all before it did.
TEST(Samples, APositionIsJudgedWhereAllBeforeItStayed) {
    const auto models = test::micro_models(1);
    for (const auto& [rule, block] : {std::pair{"block", false}, {"cascade_tokenV3", true}, {"token", false}}) {
        RunSettings settings;
        settings.prompt.token_ids = {5, 6, 7};
        settings.drafter = "small";
        settings.rule = rule;
        settings.rule_params.block = block;
        settings.k = 4;
        settings.max_tokens = 120;
        settings.sampling.temperature = 1;
        speclens::Run run(models, settings);
        run.finish();
        const Sample sample = sample_of(run);
        ASSERT_FALSE(sample.judged_at.empty());
        EXPECT_GT(sample.accepted_at[0], 0) << rule;
        EXPECT_LT(sample.accepted_at[0], sample.judged_at[0]) << rule;
        for (std::size_t i = 1; i < sample.judged_at.size(); ++i)
            EXPECT_LE(sample.judged_at[i], sample.accepted_at[i - 1]) << rule << " position " << i + 1;
    }
}

// Against the trace itself: of a chain a round is full when it committed every guess.
TEST(Samples, CountFirstGuessesByWhatIsBeforeThem) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"small", "lookup", "none"}) {
        RunSettings settings;
        settings.prompt.token_ids = {5, 6, 7, 5, 6};
        settings.drafter = drafter;
        settings.k = 2;
        settings.max_tokens = 120;
        settings.sampling.temperature = 0.5;
        speclens::Run run(models, settings);
        run.finish();
        const Trace& trace = run.trace();
        FirstDrafts expected;
        int drafted = 0, before_drafted = 0, before_kept = 0;
        bool begun = false;
        for (std::size_t i = 0; i < trace.size(); ++i) {
            if (std::holds_alternative<Drafted>(trace[i])) ++drafted;
            const auto* commit = std::get_if<Committed>(&trace[i]);
            if (!commit) continue;
            const int kept = commit->accepted_drafts > 0 ? 1 : 0;
            if (drafted > 0 && !begun) {
                ++expected.at_start;
                expected.kept_at_start += kept;
            } else if (drafted > 0 && before_drafted > 0 && before_kept == before_drafted) {
                ++expected.after_full;
                expected.kept_after_full += kept;
            } else if (drafted > 0 && before_drafted > 0) {
                ++expected.after_refusal;
                expected.kept_after_refusal += kept;
            }
            begun = true;
            before_drafted = drafted;
            before_kept = commit->accepted_drafts;
            drafted = 0;
        }
        const FirstDrafts first = sample_of(run).first;
        EXPECT_EQ(first.at_start, expected.at_start) << drafter;
        EXPECT_EQ(first.kept_at_start, expected.kept_at_start) << drafter;
        EXPECT_EQ(first.after_full, expected.after_full) << drafter;
        EXPECT_EQ(first.kept_after_full, expected.kept_after_full) << drafter;
        EXPECT_EQ(first.after_refusal, expected.after_refusal) << drafter;
        EXPECT_EQ(first.kept_after_refusal, expected.kept_after_refusal) << drafter;
        if (drafter == std::string("small")) {
            EXPECT_GT(first.after_full, 0);
            EXPECT_GT(first.after_refusal, 0);
        }
        if (drafter == std::string("none")) {
            EXPECT_EQ(first.at_start + first.after_full + first.after_refusal, 0);
        }
    }
}

TEST(Samples, WilsonIntervalKnowsItsTable) { // Wilson 1927, score interval at 95 %
    EXPECT_NEAR(wilson(5, 10).low, 0.2366, 1e-4);
    EXPECT_NEAR(wilson(5, 10).high, 0.7634, 1e-4);
    EXPECT_NEAR(wilson(0, 10).low, 0, 1e-12);
    EXPECT_NEAR(wilson(10, 10).low, 0.7225, 1e-4);
    EXPECT_EQ(wilson(0, 0).high, 1);
}

} // namespace
} // namespace speclens
