// Every drafter asked about one cycle: the same text, the same dice, judged by the same target.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/drafters/drafter_info.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"
#include "tests/shared/finished.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RunSettings comparison_settings(const std::string& drafter, double temperature) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 5, 6, 7, 5, 6};
    settings.drafter = drafter;
    settings.k = 4;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 24;
    return settings;
}

TEST(DrafterComparison, EveryReadyDrafterPlaysTheRound) {
    const auto models = test::micro_models(1);
    for (const double temperature : {0.0, 0.9}) {
        const RunSettings settings = comparison_settings("small", temperature);
        const auto run = test::finished(models, settings);
        const DrafterComparison drafts = compare_all(models, settings, run->trace(), {1});
        EXPECT_EQ(drafts.of, &run->trace());
        EXPECT_EQ(drafts.target_layers, 6);
        ASSERT_EQ(drafts.rows.size() + 1, drafter_list().size()) << "all but plain decoding";
        for (std::size_t i = 0; i < drafts.rows.size(); ++i) {
            const ComparisonRow& row = drafts.rows[i];
            EXPECT_EQ(row.drafter, drafter_list()[i + 1].name) << "in the order of the list";
            ASSERT_EQ(row.problem, "") << row.drafter;
            const RunView view = fold(*row.trace, row.trace->size());
            ASSERT_EQ(view.round_list.size(), 1u) << row.drafter;
            EXPECT_EQ(view.round_list[0].round, 1);
            EXPECT_TRUE(view.round_list[0].complete());
            EXPECT_EQ(view.header->drafter, row.drafter);
            EXPECT_EQ(view.header->seed, settings.seed);
            const bool weighs = drafter_list()[i + 1].needs != DrafterNeeds::nothing;
            EXPECT_EQ(row.bytes > 0, weighs) << row.drafter;
            if (!view.round_list[0].drafts.empty()) {
                EXPECT_GT(row.draft_ms, 0) << row.drafter;
            }
        }
    }
}

// What the program works out beside the weights (the products of Domino's GRU, rotations) is in no file.
TEST(DrafterComparison, NeedWhatTheFilesOfTheirHeadsHold) {
    const auto models = std::make_shared<const Models>(load_models({}));
    RunSettings settings = comparison_settings("small", 0);
    settings.max_tokens = 6;
    const auto run = test::finished(models, settings);
    int heads = 0;
    for (const ComparisonRow& row : compare_all(models, settings, run->trace(), {0}).rows) {
        const auto folder = std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models" / row.drafter;
        if (!std::filesystem::exists(folder)) continue;
        ++heads;
        double size = 0;
        for (const char* file : {"model.safetensors", "small.trie"}) // the second of DART
            if (std::filesystem::exists(folder / file)) size += static_cast<double>(std::filesystem::file_size(folder / file));
        EXPECT_LT(static_cast<double>(row.bytes), 1.1 * size) << row.drafter;
        EXPECT_GT(static_cast<double>(row.bytes), 0.8 * size) << row.drafter << " (n-grams are packed)";
    }
    EXPECT_EQ(heads, 9);
}

// Greedy: what a round commits is what the target writes anyway, whoever guessed.
TEST(DrafterComparison, AtTemperatureZeroCommitTheTargetsOwnText) {
    const auto models = test::micro_models(1);
    const RunSettings settings = comparison_settings("dflash", 0);
    const auto run = test::finished(models, settings);
    const RunView whole = fold(run->trace(), run->trace().size());
    ASSERT_GT(whole.round_list.size(), 2u);
    for (const int round : {0, 2}) {
        std::size_t before = static_cast<std::size_t>(whole.prompt_tokens);
        for (const OutputToken& token : whole.tokens) before += token.round >= 0 && token.round < round;
        for (const ComparisonRow& row : compare_all(models, settings, run->trace(), {round}).rows) {
            ASSERT_EQ(row.problem, "") << row.drafter;
            const RunView view = fold(*row.trace, row.trace->size());
            const std::vector<int>& tokens = view.round_list[0].commit->tokens;
            EXPECT_EQ(static_cast<int>(tokens.size()), view.round_list[0].accepted + 1) << row.drafter;
            for (std::size_t i = 0; i < tokens.size() && before + i < whole.tokens.size(); ++i)
                EXPECT_EQ(tokens[i], whole.tokens[before + i].id) << row.drafter << " token " << i;
        }
    }
}

TEST(DrafterComparison, OfTheRunsOwnDrafterAreItsRound) {
    const auto models = test::micro_models(1);
    RunSettings settings = comparison_settings("skip", 0.9);
    settings.options.exit_layer = 2;
    const auto run = test::finished(models, settings);
    const RunView whole = fold(run->trace(), run->trace().size());
    for (const ComparisonRow& row : compare_all(models, settings, run->trace(), {1}).rows) {
        if (row.drafter != "skip") continue;
        EXPECT_EQ(row.plan.exit_layer, 2) << "its options are kept";
        const RunView view = fold(*row.trace, row.trace->size());
        ASSERT_EQ(view.round_list[0].drafts.size(), whole.round_list[1].drafts.size());
        for (std::size_t i = 0; i < view.round_list[0].drafts.size(); ++i)
            EXPECT_EQ(view.round_list[0].drafts[i].draft->token, whole.round_list[1].drafts[i].draft->token);
        EXPECT_EQ(view.round_list[0].commit->tokens, whole.round_list[1].commit->tokens);
    }
}

TEST(DrafterComparison, SayWhatAHeadReadsAndWhoCannotRun) {
    const auto models = test::micro_models(1);
    const RunSettings settings = comparison_settings("lookup", 0);
    const auto run = test::finished(models, settings);
    const DrafterComparison drafts = compare_all(models, settings, run->trace(), {0});
    for (const ComparisonRow& row : drafts.rows) {
        if (row.drafter == "eagle3") {
            EXPECT_EQ(row.taps, (std::vector<int>{0, 2, 4}));
            EXPECT_EQ(row.ranks, 40);
        } else if (row.drafter == "skip") {
            EXPECT_EQ(row.plan.exit_layer, 4) << "two thirds of six layers";
        } else if (row.drafter == "lookup") {
            const auto* drafted = std::get_if<Drafted>(&(*row.trace)[1]);
            ASSERT_NE(drafted, nullptr);
            EXPECT_EQ(drafted->extra, "3-gram found at token 2, copied token 5");
        }
    }
    const auto few = test::perfect_draft_models(1);
    const auto short_run = test::finished(few, settings);
    for (const ComparisonRow& row : compare_all(few, settings, short_run->trace(), {0}).rows)
        if (row.drafter == "dflash") {
            EXPECT_NE(row.problem.find("no dflash head"), std::string::npos);
            EXPECT_EQ(row.trace, nullptr);
        }
}

TEST(DrafterComparison, AreTheUsualNumberWhereTheRunGuessedNothing) {
    const auto models = test::micro_models(1);
    RunSettings settings = comparison_settings("none", 0);
    settings.k = 0;
    const auto run = test::finished(models, settings);
    for (const ComparisonRow& row : compare_all(models, settings, run->trace(), {0}).rows) {
        EXPECT_EQ(row.settings.k, default_k(row.drafter)) << row.drafter;
        if (row.drafter != "small") continue;
        ASSERT_EQ(row.problem, "");
        EXPECT_EQ(fold(*row.trace, row.trace->size()).round_list[0].drafts.size(), static_cast<std::size_t>(default_k("small")));
    }
}

TEST(DrafterComparison, RefuseACycleThatIsNotThere) {
    const auto models = test::micro_models(1);
    const RunSettings settings = comparison_settings("small", 0);
    const auto run = test::finished(models, settings);
    try {
        (void)compare_all(models, settings, run->trace(), CompareDrafters{999});
        ADD_FAILURE() << "a round that is not there must be refused";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("round 1000 is not"), std::string::npos) << error.what() << "\nas a screen counts";
    }
    EXPECT_THROW((void)compare_all(models, settings, run->trace(), CompareDrafters{-1}), Error);
    // one past the last: nothing is left to guess, and every row says so
    const RunView whole = fold(run->trace(), run->trace().size());
    for (const ComparisonRow& row : compare_all(models, settings, run->trace(), {whole.rounds}).rows)
        EXPECT_NE(row.problem, "") << row.drafter;
}

// The step that commits the last tokens also ends the run.
TEST(DrafterComparison, OfARoundThatEndsTheTextAreShown) {
    const auto models = test::perfect_draft_models(1);
    RunSettings settings = comparison_settings("small", 0);
    settings.max_tokens = 3;
    const auto run = test::finished(models, settings);
    for (const ComparisonRow& row : compare_all(models, settings, run->trace(), {0}).rows) {
        if (row.drafter != "small") continue;
        ASSERT_EQ(row.problem, "");
        const RunView view = fold(*row.trace, row.trace->size());
        ASSERT_EQ(view.round_list.size(), 1u);
        EXPECT_TRUE(view.round_list[0].complete());
        EXPECT_EQ(view.round_list[0].accepted, 2);
    }
}

TEST(DrafterComparison, AskSkipAgainWithAnotherExitLayer) {
    const auto models = test::micro_models(1);
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7};
    settings.sampling.temperature = 0;
    settings.max_tokens = 12;
    speclens::Run run(models, settings);
    run.finish();
    const DrafterComparison usual = compare_all(models, settings, run.trace(), {1});
    const DrafterComparison other = with_exit_layer(models, settings, run.trace(), usual, 2);
    ASSERT_EQ(other.rows.size(), usual.rows.size());
    EXPECT_EQ(other.exit_layer, 2);
    for (std::size_t i = 0; i < usual.rows.size(); ++i) {
        if (usual.rows[i].drafter == "skip")
            EXPECT_EQ(other.rows[i].plan.exit_layer, 2);
        else
            EXPECT_EQ(other.rows[i].trace, usual.rows[i].trace) << "nobody else is asked again";
    }
    EXPECT_EQ(compare_all(models, settings, run.trace(), {1, 2}).rows.size(), usual.rows.size());
    EXPECT_THROW((void)empty_comparison(*models, run.trace(), {1, 99}), Error);
}

} // namespace
} // namespace speclens
