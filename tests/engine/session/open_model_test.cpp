// Another model while the engine runs: what ends with the old one, what a failure costs, and who still holds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "engine/models/model_names.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/fitting.h"
#include "engine/session/session.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/session_bench.h"

namespace speclens {
namespace {

std::filesystem::path micro(const std::string& name = "micro_qwen3") {
    return std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden" / name;
}

RunSettings with_ids(std::string drafter = "lookup") {
    RunSettings settings = on_table();
    settings.prompt.token_ids = {5, 6, 5};
    settings.drafter = std::move(drafter);
    settings.max_tokens = 8;
    settings.timing = false;
    return settings;
}

bool loads_micro(const EngineJob& job) { return job.what == EngineJob::What::opening && job.of == "micro_qwen3"; }

bool answered(const Session& session, int times) { return session.published().status.opened == times; }

// A step of a lecture is tried on its own model, and left again: what was there comes back as it was.
TEST(OpenModel, WhatIsKeptBesideItComesBackWithoutBeingLoaded) {
    RunSettings first = on_table();
    Session session({.target = table_file()}, first);
    ASSERT_TRUE(eventually([&] { return session.models() != nullptr; }));
    const auto old = session.models();
    const auto open = [&](const ModelPaths& paths, bool keep) {
        const int before = session.published().status.opened;
        session.send(OpenModel{paths, kUnlimitedPhases, keep});
        ASSERT_TRUE(eventually([&] { return answered(session, before + 1); }));
        ASSERT_EQ(session.published().status.open_error, "");
    };
    open({.target = micro()}, true);
    const auto beside = session.models();
    EXPECT_NE(beside, old);
    open({.target = micro("micro_llama")}, true);
    EXPECT_NE(session.models(), beside);
    open({.target = micro()}, true);
    EXPECT_EQ(session.models(), beside) << "the same object: nothing was read";
    EXPECT_EQ(session.published().status.model, "micro_qwen3");
    open({.target = micro()}, false);
    EXPECT_NE(session.models(), beside) << "itself is not what is beside it";
    open({.target = micro("micro_llama")}, false);
    const auto alone = session.models();
    open({.target = micro()}, false);
    open({.target = micro("micro_llama")}, false);
    EXPECT_NE(session.models(), alone) << "nothing was kept";
}

TEST(OpenModel, EndsWhatWasMadeWithTheOldOneAndBeginsARunThatFits) {
    RunSettings first = on_table();
    first.drafter = "small"; // which needs a draft model
    first.k = 3;
    first.sampling.temperature = 0.5;
    Session session({.target = table_file()}, first);
    RaceSettings race;
    race.base = on_table();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    session.send(StartRace{race});
    race.stepped = true;
    session.send(StartRace{race});
    session.send(RunStudy{"endless", std::vector<RunSettings>(100000, on_table())});
    session.send(CompareDrafters{0});
    ASSERT_TRUE(eventually([&] {
        const Snapshot now = session.published();
        return now.race && now.stepped && now.comparison && now.studies.contains("endless");
    }));
    const auto old = session.published().trace;
    session.send(OpenModel{{.target = micro()}, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] {
        const Snapshot now = session.published();
        return now.status.opened == 1 && now.trace && now.status.state == EngineStatus::State::stopped;
    })) << session.published().status.error;
    const Snapshot now = session.published();
    EXPECT_EQ(now.status.model, "micro_qwen3");
    EXPECT_EQ(now.status.opened_as, "micro_qwen3");
    EXPECT_EQ(now.status.open_error, "");
    EXPECT_FALSE(now.status.built_in);
    EXPECT_NE(now.trace, old);
    EXPECT_EQ(now.trace->header()->model, "micro_qwen3");
    EXPECT_EQ(now.settings.drafter, "lookup");
    EXPECT_EQ(now.settings.k, 3);
    EXPECT_EQ(now.settings.sampling.temperature, 0.5);
    EXPECT_EQ(std::ranges::count(now.status.ready_drafters, "small"), 0);
    EXPECT_EQ(now.race, nullptr);
    EXPECT_EQ(now.stepped, nullptr);
    EXPECT_EQ(now.comparison, nullptr);
    EXPECT_TRUE(now.studies.empty());
    EXPECT_EQ(now.runs, 2U);
    EXPECT_EQ(old->text(0), "a") << "a trace has its own words";
    // What is asked now is asked of the new one.
    session.send(RunStudy{"one", {now.settings}});
    ASSERT_TRUE(eventually([&] {
        const auto study = session.published().studies["one"];
        return study && study->complete();
    }));
    EXPECT_EQ(session.published().studies["one"]->points[0].problem, "");
    EXPECT_EQ(session.published().studies["one"]->points[0].trace->header()->model, "micro_qwen3");
}

TEST(OpenModel, OneThatCannotBeLoadedCostsNothing) {
    Session session({.target = table_file()}, on_table());
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const auto trace = session.published().trace;
    const auto models = session.models();
    session.send(RunStudy{"many", std::vector<RunSettings>(200, on_table())});
    session.gate().add(1);
    const std::filesystem::path broken = test::fresh_folder() / "broken.gguf";
    std::ofstream(broken) << "GGUF and no more";
    session.send(OpenModel{{.target = broken}, kUnlimitedPhases});
    session.send(OpenModel{{.target = test::fresh_folder() / "nowhere"}, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return answered(session, 2); }));
    const EngineStatus status = session.published().status;
    EXPECT_NE(status.open_error.find("nowhere"), std::string::npos) << status.open_error;
    EXPECT_NE(status.open_remedy.find("was lost"), std::string::npos) << status.open_remedy;
    EXPECT_NE(status.state, EngineStatus::State::failed);
    EXPECT_NE(status.state, EngineStatus::State::loading);
    EXPECT_EQ(status.error, "");
    EXPECT_EQ(session.published().trace, trace);
    EXPECT_EQ(session.models(), models);
    session.gate().set(kUnlimitedPhases);
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_EQ(session.published().trace, trace) << "the same run went to its end";
    ASSERT_TRUE(eventually([&] { return session.published().studies["many"]->complete(); }));
    EXPECT_EQ(session.published().studies["many"]->points.size(), 200U);
}

// By its kind, whatever its words are.
TEST(OpenModel, WithoutMemorySaysWhatMakesRoom) {
    std::atomic<Session*> place = nullptr;
    Session session({.target = table_file()}, on_table(), [&] {
        Session* here = place;
        if (here && loads_micro(here->published().status.job))
            throw Error("too large", "Look elsewhere.", Exit::device, ErrorKind::out_of_memory);
    });
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    place = &session;
    session.send(OpenModel{{.target = micro()}});
    ASSERT_TRUE(eventually([&] { return answered(session, 1); }));
    place = nullptr;
    const EngineStatus status = session.published().status;
    EXPECT_EQ(status.open_error, "too large");
    EXPECT_NE(status.open_remedy.find("Close other programs"), std::string::npos) << status.open_remedy;
}

TEST(OpenModel, CanBeCancelledAndTriedAgain) {
    std::atomic<Session*> place = nullptr;
    std::atomic<bool> bored = true;
    Session session({.target = table_file()}, on_table(), [&] {
        Session* here = place;
        if (!here || !loads_micro(here->published().status.job)) return;
        if (bored.exchange(false)) here->cancel_loading();
    });
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const auto trace = session.published().trace;
    place = &session;
    session.send(OpenModel{{.target = micro()}});
    ASSERT_TRUE(eventually([&] { return answered(session, 1); }));
    EXPECT_NE(session.published().status.open_error.find("cancelled"), std::string::npos);
    EXPECT_EQ(session.published().trace, trace);
    EXPECT_EQ(session.published().status.state, EngineStatus::State::idle);
    session.send(OpenModel{{.target = micro()}});
    ASSERT_TRUE(eventually([&] { return answered(session, 2) && session.published().trace; }));
    EXPECT_EQ(session.published().status.open_error, "");
    EXPECT_EQ(session.published().status.model, "micro_qwen3");
    place = nullptr;
}

TEST(OpenModel, ComesAfterModelsThatCouldNotBeLoaded) {
    Session session({.target = table_file("{\"vocab\":")}, on_table());
    session.send(OpenModel{{.target = test::fresh_folder() / "nowhere"}});
    ASSERT_TRUE(eventually([&] { return answered(session, 1); }));
    EXPECT_EQ(session.published().status.state, EngineStatus::State::failed) << "as before";
    EXPECT_FALSE(session.published().status.error.empty());
    session.send(OpenModel{{.target = micro()}, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_EQ(session.published().status.error, "");
    EXPECT_EQ(session.published().status.model, "micro_qwen3");
    session.send(Restart{with_ids(), kUnlimitedPhases});
    EXPECT_TRUE(eventually([&] { return session.published().runs == 2; })) << "of the new one";
}

// Snapshots, traces and what counts a prompt outlive the weights, which go on the engine's thread.
TEST(OpenModel, LetsGoOfTheOldWeights) {
    Session session({.target = micro("micro_llama")}, with_ids());
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const Snapshot old = session.published();
    const std::string five = old.trace->text(5);
    const std::weak_ptr<const Models> models = session.models();
    session.send(OpenModel{{.target = micro()}, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return answered(session, 1) && session.published().trace; }));
    EXPECT_TRUE(models.expired());
    EXPECT_EQ(old.prompt_room(with_ids()).tokens, 3);
    EXPECT_EQ(old.trace->text(5), five);
    EXPECT_EQ(session.published().settings.prompt.text, RunSettings{}.prompt.text) << "its ids say nothing without a tokenizer";
    EXPECT_TRUE(session.published().settings.prompt.token_ids.empty());
}

// A server of this window, say: it computes while others are loaded, run and released.
TEST(OpenModel, WhoeverKeepsTheOldModelsGoesOnWithThem) {
    const RunSettings settings = with_ids("skip");
    Session session({.target = micro("micro_llama")}, settings);
    ASSERT_TRUE(eventually([&] { return session.models() != nullptr; }));
    std::shared_ptr<const Models> kept = session.models();
    const auto hash = [&] {
        const auto turn = [&](const auto& work) {
            const std::lock_guard mine(*kept->turns);
            return work();
        };
        auto run = turn([&] { return std::make_unique<speclens::Run>(kept, settings); });
        while (turn([&] { return run->step(); })) {
        }
        return turn([&] {
            const std::uint64_t found = run->trace().hash(run->trace().size());
            run.reset();
            return found;
        });
    };
    const std::uint64_t before = hash();
    std::atomic<bool> over{false};
    std::atomic<int> others{0}, done{0};
    std::thread server([&] {
        while (!over) {
            others += hash() != before;
            ++done;
        }
        const std::lock_guard turn(*kept->turns);
    });
    for (int i = 1; i <= 6; ++i) {
        session.send(OpenModel{{.target = micro(i % 2 ? "micro_qwen3" : "micro_llama")}, kUnlimitedPhases});
        EXPECT_TRUE(eventually([&] { return answered(session, i) && session.published().trace; }));
    }
    EXPECT_TRUE(eventually([&] { return done > 2; }));
    over = true;
    server.join();
    EXPECT_EQ(others, 0);
    EXPECT_NE(session.models(), kept);
    kept.reset(); // the last of them, on a thread that is not the engine's
}

TEST(OpenModel, ClosingEndsItWhereverItIs) {
    for (int i = 0; i < 4; ++i) {
        Session session({.target = table_file()}, on_table());
        const auto loaded = [&] { return session.published().trace != nullptr; };
        ASSERT_TRUE(i < 2 || eventually(loaded));
        session.send(OpenModel{{.target = micro()}});
        const auto begun = [&] {
            const EngineStatus now = session.published().status;
            return now.opened == 1 || now.job.what == EngineJob::What::opening || now.job.what == EngineJob::What::weights;
        };
        EXPECT_TRUE(i < 3 || eventually(begun));
    }
}

TEST(FittingSettings, KeepWhatTheNextModelsCanDo) {
    const auto models = test::micro_models(1);
    RunSettings all = with_ids("domino");
    all.options.fr_spec = 20;
    all.k = 6;
    EXPECT_EQ(fitting_settings(*models, all), all) << "all of it is possible";
    all.options.fr_spec = 50000;
    EXPECT_EQ(fitting_settings(*models, all).options, DrafterOptions{});
    all = with_ids("skip");
    all.options.exit_layer = 5;
    EXPECT_EQ(fitting_settings(*models, all).options.exit_layer, 5);
    all.options.exit_layer = 40;
    EXPECT_EQ(fitting_settings(*models, all).options.exit_layer, DrafterOptions{}.exit_layer);
    all = with_ids();
    all.prompt.token_ids = {5, 61};
    EXPECT_EQ(fitting_settings(*models, all, "text").prompt.token_ids, std::vector<int>{0}) << "61 ids, and no tokenizer";
}

// A real model comes with heads and without a small one beside it: the best of them guesses, not a copier.
TEST(FittingSettings, TakeTheHeadOfEagleWhereThereIsNoSmallModel) {
    Models models = *test::micro_models(1);
    EXPECT_EQ(default_drafter(models), "small");
    models.draft.reset();
    EXPECT_EQ(default_drafter(models), "eagle3");
    RunSettings settings = with_ids("small_tree");
    settings.rule = "tree_topk";
    const RunSettings fits = fitting_settings(models, settings);
    EXPECT_EQ(fits.drafter, "eagle3");
    EXPECT_TRUE(can_judge(*find_rule(fits.rule), *find_drafter("eagle3"))) << fits.rule;
    models.networks.clear();
    EXPECT_EQ(default_drafter(models), "lookup");
}

TEST(FittingSettings, AreTextAndChatWhereTheyCanBe) {
    Models models = *test::micro_models(1);
    models.networks.clear();
    models.draft.reset();
    models.tokenizer = Tokenizer::load(micro() / "tokenizer.json");
    RunSettings ids = with_ids("small_tree");
    ids.rule = "tree_topk";
    RunSettings fits = fitting_settings(models, ids, "as it was read");
    EXPECT_TRUE(fits.prompt.token_ids.empty());
    EXPECT_EQ(fits.prompt.text, "as it was read");
    EXPECT_EQ(fits.drafter, "lookup");
    EXPECT_TRUE(can_judge(*find_rule(fits.rule), *find_drafter("lookup"))) << fits.rule;
    RunSettings chat;
    chat.drafter = "none";
    chat.prompt.chat = true;
    chat.prompt.system = "Be brief.";
    EXPECT_EQ(fitting_settings(models, chat), chat);
    models.chat.problem = "its template is not known";
    fits = fitting_settings(models, chat);
    EXPECT_FALSE(fits.prompt.chat);
    EXPECT_EQ(fits.prompt.system, "");
    EXPECT_EQ(fits.prompt.text, chat.prompt.text);
}

TEST(ModelNames, TellAModelFromARun) {
    const std::filesystem::path folder = test::fresh_folder();
    EXPECT_TRUE(looks_like_model(micro()));
    EXPECT_TRUE(looks_like_model("somewhere/else.gguf"));
    EXPECT_FALSE(looks_like_model(folder));
    EXPECT_FALSE(looks_like_model(folder / "run.jsonl"));
    std::ofstream(folder / "a.gguf") << "x";
    EXPECT_TRUE(looks_like_model(folder));
}

} // namespace
} // namespace speclens
