// Medusa heads trained here: the loop against runs of the engine itself, and files that load again.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "engine/drafters/draft_network.h"
#include "engine/lab/medusa_training.h"
#include "engine/run/full_distributions.h"
#include "engine/session/session.h"
#include "tests/shared/eventually.h"
#include "tests/shared/micro.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/whole_bundle.h"

namespace speclens::test {

namespace {

HeadPlan short_plan(int steps = 120) {
    HeadPlan plan = default_head_plan({});
    plan.prompts.resize(24);
    plan.held_out.resize(8);
    plan.texts = 2;
    plan.max_tokens = 24;
    plan.steps = steps;
    plan.batch = 64;
    return plan;
}

// Teaches nothing worth having: for what does not depend on how good the heads are.
HeadPlan tiny_plan() {
    HeadPlan plan = short_plan(10);
    plan.prompts.resize(6);
    plan.held_out.resize(4);
    plan.texts = 1;
    plan.max_tokens = 16;
    return plan;
}

std::unique_ptr<MedusaTraining> trained(const HeadPlan& plan) {
    auto training = std::make_unique<MedusaTraining>(whole_bundle(), plan);
    while (training->step()) {
    }
    return training;
}

void expect_same_curve(const MedusaTraining& a, const MedusaTraining& b) {
    const std::vector<HeadTrainingPoint>&x = a.view().curve, &y = b.view().curve;
    ASSERT_GE(x.size(), 2u);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(x[i].loss, y[i].loss);
        EXPECT_EQ(x[i].worth.shares, y[i].worth.shares);
    }
}

// The bundle with these heads instead of its own.
std::shared_ptr<const Models> with_heads(std::shared_ptr<const DraftNetwork> heads) {
    auto models = std::make_shared<Models>(*whole_bundle());
    models->networks["medusa"] = std::move(heads);
    return models;
}

Exit code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty()) << error.what();
        return error.code();
    }
    return Exit::ok;
}

} // namespace

TEST(MedusaTraining, LearnsAndRepeatsIt) {
    const auto training = trained(short_plan());
    const HeadTrainingView& view = training->view();
    ASSERT_TRUE(view.complete);
    EXPECT_FALSE(view.ended_early);
    EXPECT_EQ(view.texts_done, view.texts);
    EXPECT_EQ(view.texts, 24 * 2 + 8);
    ASSERT_GE(view.curve.size(), 4u);
    EXPECT_EQ(view.curve.front().step, 0);
    EXPECT_EQ(view.curve.back().step, 120);
    EXPECT_LT(view.curve.back().loss, 0.8 * view.curve[1].loss);
    EXPECT_GT(view.curve.back().worth.tokens_per_round, view.curve.front().worth.tokens_per_round + 0.05);
    EXPECT_GT(view.shipped.tokens_per_round, view.curve.back().worth.tokens_per_round) << "trained for far longer";
    ASSERT_EQ(view.shipped.shares.size(), 4u);
    expect_same_curve(*trained(short_plan()), *training);
}

TEST(MedusaTraining, RepeatsItself) {
    const auto training = trained(tiny_plan());
    expect_same_curve(*trained(tiny_plan()), *training);
    HeadPlan other = tiny_plan();
    other.seed = 8;
    EXPECT_NE(trained(other)->view().curve.back().loss, training->view().curve.back().loss);
}

// What is measured while it trains is what greedy runs of the engine come to with these heads.
TEST(MedusaTraining, MeasuresWhatARunKeeps) {
    const HeadPlan plan = short_plan();
    const auto training = trained(plan);
    const auto models = with_heads(training->network());
    MedusaTraining measuring(models, [&] {
        HeadPlan p = plan;
        p.steps = 1;
        return p;
    }());
    while (measuring.step()) {
    }
    EXPECT_NEAR(measuring.view().shipped.tokens_per_round, training->view().curve.back().worth.tokens_per_round, 0.03) << "bf16";
    int tokens = 0, rounds = 0;
    for (const GalleryPrompt& prompt : plan.held_out) {
        RunSettings settings;
        settings.prompt = prompt_of(prompt, false);
        settings.drafter = "medusa";
        settings.rule = "greedy";
        settings.max_tokens = plan.max_tokens;
        speclens::Run run(models, settings);
        run.finish();
        for (std::size_t i = 0; i < run.trace().size(); ++i)
            if (const auto* commit = std::get_if<Committed>(&run.trace()[i])) {
                tokens += static_cast<int>(commit->tokens.size());
                ++rounds;
            }
    }
    EXPECT_NEAR(measuring.view().shipped.tokens_per_round, static_cast<double>(tokens) / rounds, 1e-12);
}

TEST(MedusaTraining, FilesLoadAgain) {
    const auto training = trained(tiny_plan());
    const std::filesystem::path folder = fresh_folder() / "deep" / "heads";
    training->save(folder);
    const auto loaded = DraftNetwork::load(whole_bundle()->target, folder);
    const auto kept = training->network();
    EXPECT_EQ(loaded->config.medusa_heads, 4);
    EXPECT_TRUE(loaded->config.shared_head);
    const auto text_of = [](const std::shared_ptr<const Models>& models) {
        RunSettings settings;
        settings.prompt.text = "Write a short poem about the moon.";
        settings.prompt.chat = true;
        settings.drafter = "medusa";
        settings.sampling.temperature = 0.8;
        settings.max_tokens = 30;
        settings.timing = false;
        speclens::Run run(models, settings);
        run.finish();
        std::vector<int> drafts;
        for (std::size_t i = 0; i < run.trace().size(); ++i)
            if (const auto* drafted = std::get_if<Drafted>(&run.trace()[i])) drafts.push_back(drafted->token);
        return drafts;
    };
    EXPECT_EQ(text_of(with_heads(loaded)), text_of(with_heads(kept)));
    EXPECT_NE(text_of(with_heads(loaded)), text_of(whole_bundle()));
    const std::filesystem::path file = fresh_folder() / "file";
    std::ofstream(file) << "in the way";
    EXPECT_EQ(code_of([&] { training->save(file); }), Exit::model);
}

TEST(MedusaTraining, AskedForFewPromptsItTakesTheFirst) {
    const HeadPlan all = default_head_plan({}), few = default_head_plan({.prompts = 40});
    EXPECT_GT(all.prompts.size(), 200u);
    ASSERT_EQ(few.prompts.size(), 40u);
    ASSERT_EQ(few.held_out.size(), 40u);
    EXPECT_EQ(few.prompts.back().prompt, all.prompts[39].prompt);
    EXPECT_EQ(few.held_out.back().prompt, all.held_out[39].prompt);
    EXPECT_EQ(default_head_plan({.prompts = 100000}).prompts.size(), all.prompts.size());
}

TEST(MedusaTraining, SaysWhatItCannotDo) {
    const auto refused = [](const std::function<void(HeadPlan&)>& change) {
        HeadPlan plan = short_plan();
        change(plan);
        return code_of([&] { MedusaTraining training(whole_bundle(), plan); });
    };
    EXPECT_EQ(refused([](HeadPlan&) {}), Exit::ok);
    EXPECT_EQ(refused([](HeadPlan& p) { p.prompts.clear(); }), Exit::usage);
    EXPECT_EQ(refused([](HeadPlan& p) { p.held_out.clear(); }), Exit::usage);
    EXPECT_EQ(refused([](HeadPlan& p) { p.heads = 0; }), Exit::usage);
    EXPECT_EQ(refused([](HeadPlan& p) { p.steps = 0; }), Exit::usage);
    EXPECT_EQ(refused([](HeadPlan& p) { p.batch = 513; }), Exit::usage);
    EXPECT_EQ(refused([](HeadPlan& p) { p.rate = 0; }), Exit::usage);
    EXPECT_EQ(refused([](HeadPlan& p) { p.rate = std::nan(""); }), Exit::usage);
    EXPECT_EQ(code_of([] { MedusaTraining training(micro_models(1), short_plan()); }), Exit::usage) << "no tokenizer";
    HeadPlan silent = short_plan();
    for (auto* prompts : {&silent.prompts, &silent.held_out}) prompts->resize(1);
    silent.max_tokens = 2;
    MedusaTraining cut(whole_bundle(), silent);
    ASSERT_TRUE(cut.step());
    cut.stop();
    EXPECT_TRUE(cut.view().complete && cut.view().ended_early);
    EXPECT_TRUE(cut.view().curve.empty());
    EXPECT_FALSE(cut.step());
}

TEST(MedusaTraining, OfASessionReplacesTheHeadsOfLaterRuns) {
    RunSettings settings;
    settings.drafter = "medusa";
    settings.max_tokens = 8;
    Session session({}, settings);
    session.send(TrainHeads{12, 1, 4, 40});
    ASSERT_TRUE(eventually([&] {
        const auto t = session.published().training;
        return t && t->texts_done > 3;
    }));
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] {
        const auto t = session.published().training;
        return t && t->complete;
    }));
    EXPECT_TRUE(session.published().training->ended_early);
    session.send(Restart{settings, kUnlimitedPhases});
    const auto model = [&] {
        const auto trace = session.published().trace;
        return trace ? trace->header()->drafter_model : "";
    };
    ASSERT_TRUE(eventually([&] { return model() == "medusa"; })) << model();
    // What is asked about the run on the screen is answered with the heads that it was made with.
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    const auto distributions = [&] {
        const auto before = session.published().distributions; // taken first: the answer may come at once
        session.send(FetchDistributions{0, 0});
        EXPECT_TRUE(eventually([&] { return session.published().distributions != before; }));
        return session.published().distributions->draft;
    };
    const Distribution before = distributions();
    session.send(TrainHeads{12, 1, 4, 8});
    ASSERT_TRUE(eventually([&] {
        const auto t = session.published().training;
        return t && t->complete && !t->ended_early;
    }));
    EXPECT_EQ(distributions(), before);
    EXPECT_EQ(session.published().training->curve.back().step, 12);
    session.send(Restart{settings, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return model() == "heads trained here"; })) << model();
}

TEST(MedusaTraining, OfASessionOutlivesTheErrorOfAnother) {
    Session session({}, {});
    session.send(TrainHeads{12, 1, 4, 8});
    ASSERT_TRUE(eventually([&] { return session.published().training != nullptr; }));
    RunSettings unknown;
    unknown.drafter = "no such drafter";
    session.send(Restart{unknown});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_FALSE(session.published().training->ended_early) << "it learns beside the run";
    ASSERT_TRUE(eventually([&] { return session.published().training->complete; }));
    EXPECT_FALSE(session.published().training->ended_early);
    EXPECT_NE(session.published().status.error.find("no such drafter"), std::string::npos);
}

} // namespace speclens::test
