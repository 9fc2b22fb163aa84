// Cycles replayed with other options, and runs measured beside the one on the screen.
#include <gtest/gtest.h>

#include "engine/base/quantile.h"
#include "engine/lab/study.h"
#include "engine/run/replay.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/session/session.h"
#include "kernels/error.h"
#include "tests/shared/finished.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RunSettings replay_settings(const std::string& drafter, double temperature) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = drafter;
    settings.k = 5;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 24;
    return settings;
}

// The events of one cycle in canonical form.
std::vector<int> shape_of(const RoundSummary& round) {
    std::vector<int> shape;
    for (const DraftSlot& slot : round.drafts) {
        shape.push_back(slot.draft->token);
        shape.push_back(static_cast<int>(slot.state));
    }
    shape.insert(shape.end(), round.commit->tokens.begin(), round.commit->tokens.end());
    return shape;
}

TEST(Replay, WithTheSameOptionsIsTheCycleItself) {
    const auto models = test::micro_models(1);
    for (const double temperature : {0.0, 0.9})
        for (const char* drafter : {"domino", "dflash", "dspark"}) {
            const RunSettings settings = replay_settings(drafter, temperature);
            const auto run = test::finished(models, settings);
            const RunView view = fold(run->trace(), run->trace().size());
            for (const RoundSummary& round : view.round_list) {
                const Replay replayed = replay_round(models, settings, run->trace(), {round.round, settings.options});
                EXPECT_EQ(replayed.of, &run->trace());
                const RunView other = fold(*replayed.trace, replayed.trace->size());
                ASSERT_EQ(other.round_list.size(), 1u);
                EXPECT_EQ(shape_of(other.round_list[0]), shape_of(round)) << drafter << " cycle " << round.round;
            }
        }
}

TEST(Replay, WithoutTheHeadStartsFromTheSameBaseDistributions) {
    const auto models = test::micro_models(1);
    const RunSettings settings = replay_settings("domino", 0);
    const auto run = test::finished(models, settings);
    DrafterOptions off = settings.options;
    off.correction = false;
    const RunView view = fold(run->trace(), run->trace().size());
    for (const RoundSummary& round : view.round_list) {
        const Replay replayed = replay_round(models, settings, run->trace(), {round.round, off});
        const RunView other = fold(*replayed.trace, replayed.trace->size());
        ASSERT_EQ(other.round_list.size(), 1u);
        for (std::size_t i = 0; i < other.round_list[0].drafts.size() && i < round.drafts.size(); ++i) {
            const Drafted& with = *round.drafts[i].draft;
            const Drafted& without = *other.round_list[0].drafts[i].draft;
            if (with.base_top.empty()) continue; // the first one is not corrected
            ASSERT_EQ(without.raw_top.entries.size(), with.base_top.entries.size());
            for (std::size_t e = 0; e < with.base_top.entries.size(); ++e)
                EXPECT_EQ(without.raw_top.entries[e].id, with.base_top.entries[e].id);
        }
    }
}

TEST(Replay, KeepsAForcedDraftAndRefusesACycleThatWasNotDecoded) {
    const auto models = test::micro_models(1);
    const RunSettings settings = replay_settings("domino", 0);
    const auto base = test::finished(models, settings);
    Fork fork;
    fork.round = 1;
    fork.force_draft = {1, 33};
    speclens::Run run(models, settings, base->trace(), fork);
    run.finish();
    DrafterOptions off = settings.options;
    off.correction = false;
    const Replay replayed = replay_round(models, settings, run.trace(), {1, off});
    const RunView view = fold(*replayed.trace, replayed.trace->size());
    ASSERT_EQ(view.round_list.size(), 1u);
    ASSERT_GT(view.round_list[0].drafts.size(), 1u);
    EXPECT_EQ(view.round_list[0].drafts[1].draft->token, 33);
    EXPECT_EQ(view.round_list[0].drafts[1].draft->extra, "forced");
    EXPECT_THROW((void)replay_round(models, settings, base->trace(), {999, off}), Error);
}

TEST(Study, CountsWhatTheRunDid) {
    const auto models = test::micro_models(1);
    RunSettings settings = replay_settings("dflash", 0.9);
    const StudyPoint point = study_point(models, settings);
    EXPECT_EQ(point.problem, "");
    EXPECT_EQ(point.tokens, 24);
    EXPECT_GT(point.draft_ms, 0);
    EXPECT_GT(point.verify_ms, 0);
    ASSERT_FALSE(point.judged.empty());
    ASSERT_EQ(point.judged.size(), point.kept.size());
    int kept = 0;
    for (std::size_t i = 0; i < point.judged.size(); ++i) {
        EXPECT_LE(point.kept[i], point.judged[i]);
        if (i > 0) {
            EXPECT_LE(point.judged[i], point.kept[i - 1]) << "a guess is judged only when the one before it was kept";
        }
        kept += point.kept[i];
    }
    const auto run = test::finished(models, settings);
    EXPECT_EQ(kept, fold(run->trace(), run->trace().size()).accepted_drafts);
    settings.drafter = "small";
    settings.k = 99;
    EXPECT_NE(study_point(models, settings).problem, "");
}

TEST(Study, TakesTheMiddleOfItsTimes) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({4}), 4);
    EXPECT_EQ(median({9, 1}), 9) << "the upper one of two";
    EXPECT_EQ(median({5, 9, 1, 7, 3}), 5);
}

// Three rounds of two guesses and one of a single guess: neither the first nor a short one says what a full
// one takes.
TEST(Study, SummarisesARunByItsFullRoundsBehindTheFirst) {
    RunSettings settings;
    settings.drafter = "small";
    settings.k = 2;
    Trace trace([](int) { return std::string(); });
    Header header;
    header.drafter = "small";
    header.k = 2;
    header.prompt = {9};
    trace.append(header);
    const std::vector<std::vector<bool>> kept = {{true, true}, {true, false}, {false}, {true, true}};
    for (int round = 0; round < 4; ++round) {
        const auto& answers = kept[static_cast<std::size_t>(round)];
        for (int i = 0; i < static_cast<int>(answers.size()); ++i) {
            Drafted draft;
            draft.round = round;
            draft.index = i;
            draft.parent = i - 1;
            draft.ms = round == 0 ? 100 : round;
            draft.head_ms = round == 0 ? 50 : 0.5;
            trace.append(draft);
        }
        trace.append(Verified{round, 3, round == 0 ? 900.0 : 10.0 * round, 0});
        Committed commit;
        commit.round = round;
        for (int i = 0; i < static_cast<int>(answers.size()); ++i) {
            Checked check;
            check.round = round;
            check.index = i;
            check.accepted = answers[static_cast<std::size_t>(i)];
            trace.append(check);
            if (!check.accepted) break;
            ++commit.accepted_drafts;
        }
        for (int i = 0; i <= commit.accepted_drafts; ++i) commit.tokens.push_back(10 * round + i);
        trace.append(commit);
    }
    const StudyPoint point = summary_of(settings, trace);
    EXPECT_EQ(point.problem, "");
    EXPECT_EQ(point.rounds, 4);
    EXPECT_EQ(point.tokens, 9);
    EXPECT_EQ(point.output, (std::vector<int>{0, 1, 2, 10, 11, 20, 30, 31, 32}));
    EXPECT_EQ(point.judged, (std::vector<int>{4, 3}));
    EXPECT_EQ(point.kept, (std::vector<int>{3, 2}));
    EXPECT_EQ(point.without, 0);
    EXPECT_EQ(point.timed, 2) << "the second and the fourth";
    EXPECT_EQ(point.draft_ms, 7) << "3 + 0.5 a guess, the upper one of two rounds";
    EXPECT_EQ(point.head_ms, 1);
    EXPECT_EQ(point.verify_ms, 30);
}

// A round is full when it has as many guesses as the drafter can make.
TEST(Study, TimesADrafterThatCannotGuessSoMany) {
    const auto models = test::micro_models(1);
    for (const auto& [drafter, most] : {std::pair{"medusa", 4}, {"medusa_tree", 4}, {"dflash", 7}}) {
        RunSettings settings = replay_settings(drafter, 0);
        settings.k = 12;
        const StudyPoint point = study_point(models, settings);
        ASSERT_EQ(point.problem, "") << drafter;
        EXPECT_EQ(point.most, most) << drafter;
        EXPECT_EQ(point.draft_length(), most) << drafter;
        EXPECT_GT(point.draft_ms, 0) << drafter;
        EXPECT_GT(point.verify_ms, 0) << drafter;
        settings.k = 3;
        EXPECT_EQ(study_point(models, settings).draft_length(), 3) << drafter;
    }
}

} // namespace
} // namespace speclens
