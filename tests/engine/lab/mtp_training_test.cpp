// An MTP layer trained here: it learns, repeats itself, is measured as runs measure it, and its files load again.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/drafters/draft_network.h"
#include "engine/lab/mtp_training.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/session/session.h"
#include "tests/shared/micro.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/whole_bundle.h"

namespace speclens::test {
namespace {

HeadPlan short_mtp_plan(int steps) {
    HeadPlan plan = default_head_plan({.prompts = 40, .kind = HeadKind::mtp});
    plan.held_out.resize(8);
    plan.texts = 2;
    plan.max_tokens = 40;
    plan.steps = steps;
    plan.batch = 128;
    plan.rate = 2e-3;
    return plan;
}

std::unique_ptr<HeadTraining> trained_mtp(const HeadPlan& plan) {
    auto training = make_head_training(whole_bundle(), plan);
    while (training->step()) {
    }
    return training;
}

// Enough that some guesses are kept; two tests look at it.
const HeadTraining& learned_mtp() {
    static const std::unique_ptr<HeadTraining> training = trained_mtp(short_mtp_plan(60));
    return *training;
}

std::shared_ptr<const Models> with_head(std::shared_ptr<const DraftNetwork> head) {
    auto models = std::make_shared<Models>(*whole_bundle());
    models->networks["mtp"] = std::move(head);
    return models;
}

RunSettings settings_for(const GalleryPrompt& prompt, const HeadPlan& plan) {
    RunSettings settings;
    settings.prompt = prompt_of(prompt, false);
    settings.drafter = "mtp";
    settings.k = plan.heads;
    settings.rule = "greedy";
    settings.max_tokens = plan.max_tokens;
    return settings;
}

TEST(MtpTraining, LearnsAndRepeatsItself) {
    const HeadTrainingView& view = learned_mtp().view();
    ASSERT_TRUE(view.complete);
    EXPECT_FALSE(view.ended_early);
    ASSERT_EQ(view.curve.size(), 7u); // at 0, 10, … 60 steps
    ASSERT_EQ(view.curve.back().worth.shares.size(), 3u);
    EXPECT_LT(view.curve.back().loss, 0.7 * view.curve[1].loss);
    EXPECT_GT(view.curve.back().worth.tokens_per_round, view.curve.front().worth.tokens_per_round + 0.05);
    const auto again = make_head_training(whole_bundle(), short_mtp_plan(60));
    while (again->view().curve.size() < 2) ASSERT_TRUE(again->step());
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(again->view().curve[i].loss, view.curve[i].loss);
        EXPECT_EQ(again->view().curve[i].worth.shares, view.curve[i].worth.shares);
    }
}

// What is measured while it trains is what greedy runs of the engine come to with it; and a folder holds the same head.
TEST(MtpTraining, MeasuresWhatARunKeepsAndFilesLoadAgain) {
    const HeadPlan& plan = learned_mtp().view().plan;
    const std::filesystem::path folder = fresh_folder() / "deep" / "head";
    learned_mtp().save(folder);
    const auto loaded = DraftNetwork::load(whole_bundle()->target, folder);
    EXPECT_EQ(loaded->config.method, DraftConfig::Method::mtp);
    const auto here = with_head(learned_mtp().network()), there = with_head(loaded);
    HeadPlan measuring = plan;
    measuring.steps = 1;
    const auto measured = make_head_training(there, measuring);
    while (measured->step()) {
    }
    int tokens = 0, rounds = 0;
    std::vector<int> judged(3), kept(3);
    for (const GalleryPrompt& prompt : plan.held_out) {
        speclens::Run one(here, settings_for(prompt, plan)), two(there, settings_for(prompt, plan));
        one.finish();
        two.finish();
        EXPECT_EQ(one.sequence(), two.sequence());
        ASSERT_EQ(one.trace().size(), two.trace().size());
        for (std::size_t i = 0; i < two.trace().size(); ++i)
            if (const auto* commit = std::get_if<Committed>(&two.trace()[i])) {
                tokens += static_cast<int>(commit->tokens.size());
                ++rounds;
                EXPECT_EQ(std::get<Committed>(one.trace()[i]).tokens, commit->tokens);
            }
        for (const RoundSummary& round : fold(two.trace(), two.trace().size()).round_list)
            for (std::size_t k = 0; k < round.judged_in_order(); ++k) ++judged[k], kept[k] += round.drafts[k].check->accepted;
    }
    EXPECT_EQ(measured->view().shipped.judged, judged);
    EXPECT_EQ(measured->view().shipped.kept, kept);
    ASSERT_EQ(measured->view().shipped.shares.size(), 3u);
    EXPECT_NEAR(measured->view().shipped.tokens_per_round, static_cast<double>(tokens) / rounds, 1e-12);
    EXPECT_GT(tokens, rounds) << "some guess was kept, or this tells nothing";
}

// In the window: complete, the layer takes the place of the one that was loaded, for whatever is begun once it is seen
// complete.
TEST(MtpTraining, OfASessionReplacesTheLayerOfLaterRuns) {
    RunSettings settings;
    settings.drafter = "mtp";
    settings.max_tokens = 8;
    Session session({}, settings, {}, {}, Session::Worker::caller);
    while (session.work_for(1)) {
    }
    session.send(TrainHeads{.steps = 3, .texts = 1, .max_tokens = 8, .prompts = 3, .kind = HeadKind::mtp});
    const auto complete = [&] {
        const auto t = session.published().training;
        return t && t->complete;
    };
    while (!complete()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(160)); // so long after the last one, every step is shown
        ASSERT_TRUE(session.work_for(0));
    }
    const auto t = session.published().training;
    EXPECT_FALSE(t->ended_early);
    EXPECT_EQ(t->plan.kind, HeadKind::mtp);
    EXPECT_EQ(t->curve.back().step, 3);
    EXPECT_EQ(t->curve.back().worth.shares.size(), 3u);
    session.send(Restart{settings, kUnlimitedPhases});
    while (session.work_for(1)) {
    }
    ASSERT_TRUE(session.published().trace && session.published().trace->header());
    EXPECT_EQ(session.published().trace->header()->drafter_model, "head trained here");
}

TEST(MtpTraining, StopsAndKeepsWhatThereIs) {
    const auto training = make_head_training(whole_bundle(), short_mtp_plan(1000));
    while (training->view().curve.empty()) ASSERT_TRUE(training->step());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(training->step());
    training->stop();
    EXPECT_TRUE(training->view().complete && training->view().ended_early);
    EXPECT_EQ(training->view().curve.back().step, 3);
    training->save(fresh_folder() / "cut");
    EXPECT_FALSE(training->step());
}

} // namespace
} // namespace speclens::test
