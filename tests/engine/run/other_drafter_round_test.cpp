// A round of somebody else's run as another head would draft it: what that head drafts where it stands alone.
#include <gtest/gtest.h>

#include "engine/run/other_drafter_round.h"
#include "engine/run/run_view.h"
#include "engine/run/session_commands.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RunSettings of_run(const std::string& drafter, double temperature) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = drafter;
    settings.k = 4;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 24;
    return settings;
}

void expect_the_same_round(const RoundSummary& a, const RoundSummary& b) {
    ASSERT_EQ(a.drafts.size(), b.drafts.size());
    for (std::size_t i = 0; i < a.drafts.size(); ++i) {
        EXPECT_EQ(a.drafts[i].draft->token, b.drafts[i].draft->token) << i;
        EXPECT_EQ(a.drafts[i].draft->q, b.drafts[i].draft->q) << i;
        EXPECT_EQ(a.drafts[i].state, b.drafts[i].state) << i;
    }
    ASSERT_TRUE(a.complete() && b.complete());
    EXPECT_EQ(a.commit->tokens, b.commit->tokens);
}

// The dice belong to the places of the text, so a run that begins where the round does draws the same.
TEST(OtherDrafterRound, DraftsAsItWouldAlone) {
    const auto models = test::micro_models(1);
    for (const double temperature : {0.0, 0.9})
        for (const char* drafter : {"eagle3", "dflash", "domino"}) {
            const RunSettings settings = of_run("small", temperature);
            const auto run = test::finished(models, settings);
            const OtherDrafterRound other_round = draft_as(models, settings, run->trace(), {2, drafter});
            ASSERT_EQ(other_round.problem, "") << drafter;
            EXPECT_EQ(other_round.of, &run->trace());
            EXPECT_EQ(other_round.instead_of, "small");
            EXPECT_EQ(other_round.settings.drafter, drafter);
            const RunView round = fold(*other_round.trace, other_round.trace->size());
            ASSERT_EQ(round.round_list.size(), 1u);
            EXPECT_EQ(round.round_list[0].round, 2);
            EXPECT_EQ(round.header->drafter, drafter);
            EXPECT_FALSE(round.round_list[0].drafts.at(0).draft->internals.empty()) << "what its scene shows";
            EXPECT_FALSE(round.round_list[0].drafts.at(0).draft->top.entries.empty());

            std::vector<int> text; // before the round
            const RunView whole = fold(run->trace(), run->trace().size());
            for (const OutputToken& token : whole.tokens)
                if (token.round < 2) text.push_back(token.id);
            EXPECT_EQ(round.header->prompt, text);
            RunSettings alone = settings;
            alone.drafter = drafter;
            alone.prompt.token_ids = text;
            const auto own = test::finished(models, alone);
            expect_the_same_round(round.round_list[0], fold(own->trace(), own->trace().size()).round_list.at(0));
        }
}

TEST(OtherDrafterRound, HasItsUsualLengthWhereTheRunDraftsNothing) {
    const auto models = test::micro_models(1);
    RunSettings settings = of_run("none", 0);
    settings.k = 0;
    const auto run = test::finished(models, settings);
    const OtherDrafterRound other_round = draft_as(models, settings, run->trace(), {3, "eagle3"});
    ASSERT_EQ(other_round.problem, "");
    const RunView round = fold(*other_round.trace, other_round.trace->size());
    EXPECT_GT(round.round_list.at(0).drafts.size(), 1u);
}

// What Domino's head did to the round is known without a run of its own.
TEST(OtherDrafterRound, OfDominoComesWithTheRoundWithoutItsHead) {
    const auto models = test::micro_models(1);
    const RunSettings settings = of_run("small", 0);
    const auto run = test::finished(models, settings);
    const OtherDrafterRound other_round = draft_as(models, settings, run->trace(), {2, "domino"});
    ASSERT_TRUE(other_round.replayed) << other_round.problem;
    EXPECT_EQ(other_round.replayed->of, other_round.trace.get());
    EXPECT_FALSE(other_round.replayed->options.correction);
    RunSettings alone = settings;
    alone.drafter = "domino";
    alone.options.correction = false;
    alone.prompt.token_ids = other_round.trace->header()->prompt;
    const auto own = test::finished(models, alone);
    expect_the_same_round(fold(*other_round.replayed->trace, other_round.replayed->trace->size()).round_list.at(0),
                          fold(own->trace(), own->trace().size()).round_list.at(0));
    EXPECT_FALSE(draft_as(models, settings, run->trace(), {2, "dflash"}).replayed);
}

// A rule that only a tree had asked for goes with the tree, in a guest as in a run.
TEST(OtherDrafterRound, OfATreeIsJudgedAsARunOfItsOwnWouldBe) {
    const auto models = test::micro_models(1);
    RunSettings settings = of_run("small_tree", 0.9);
    settings.rule = "tree_wor";
    const auto run = test::finished(models, settings);
    EXPECT_EQ(draft_as(models, settings, run->trace(), {1, "eagle3"}).settings.rule, "token");
    settings.drafter = "small";
    EXPECT_EQ(draft_as(models, settings, run->trace(), {0, "eagle3"}).settings.rule, "tree_wor") << "it was chosen";
}

TEST(OtherDrafterRound, SaysWhyThereIsNone) {
    auto models = std::make_shared<Models>(*test::micro_models(1));
    const RunSettings settings = of_run("small", 0);
    const auto run = test::finished(models, settings);
    const int rounds = fold(run->trace(), run->trace().size()).rounds;
    for (const FetchOtherDrafterRound& wanted : {FetchOtherDrafterRound{rounds, "eagle3"}, FetchOtherDrafterRound{rounds + 7, "eagle3"}}) {
        const OtherDrafterRound other_round = draft_as(models, settings, run->trace(), wanted);
        EXPECT_NE(other_round.problem, "") << wanted.round;
        EXPECT_EQ(other_round.trace, nullptr);
    }
    const RunSettings plain = of_run("none", 0); // its last round has room for the target's token only
    const auto alone = test::finished(models, plain);
    const int last = fold(alone->trace(), alone->trace().size()).rounds - 1;
    EXPECT_EQ(draft_as(models, plain, alone->trace(), {last - 1, "dflash"}).problem, "");
    const OtherDrafterRound none = draft_as(models, plain, alone->trace(), {last, "dflash"});
    EXPECT_EQ(none.problem, "it has no guess there. Choose another round.");
    EXPECT_EQ(none.trace, nullptr);
    models->networks.clear();
    const OtherDrafterRound other_round = draft_as(models, settings, run->trace(), {0, "eagle3"});
    EXPECT_NE(other_round.problem, "");
    EXPECT_EQ(other_round.trace, nullptr);
}

} // namespace
} // namespace speclens
