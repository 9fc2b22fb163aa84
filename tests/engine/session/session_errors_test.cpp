// The engine thread when something fails or is stopped: what is told of it, and what goes on beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "engine/batch/sweep.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "engine/run/drafter_comparison.h"
#include "engine/session/session.h"
#include "tests/shared/session_bench.h"

namespace speclens {
namespace {

RaceSettings short_race() {
    RaceSettings race;
    race.base = on_table();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    return race;
}

bool any_lane_finished(const RaceView& race) { return std::ranges::any_of(race.lanes, &RaceLane::finished); }

TEST(Session, AnErrorIsShownAndTheEngineStaysAlive) {
    Session session({.target = table_file()}, on_table());
    RunSettings bad = on_table();
    bad.rule = "nonsense";
    session.send(Restart{bad});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_NE(session.published().status.error.find("nonsense"), std::string::npos);
    EXPECT_FALSE(session.published().status.remedy.empty());
    session.send(Restart{on_table(), kUnlimitedPhases});
    EXPECT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_TRUE(session.published().status.error.empty());
}

TEST(Session, AnErrorEndsOnlyTheJobWhoseOwnItIs) {
    Session session({.target = table_file()}, on_table());
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    RaceSettings race;
    race.base = on_table();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    session.send(StartRace{race});
    race.stepped = true;
    session.send(StartRace{race});
    session.send(RunStudy{"lengths", std::vector<RunSettings>(50, on_table())});
    session.send(CompareDrafters{0});
    RunSettings bad = on_table();
    bad.rule = "nonsense";
    session.send(Restart{bad});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    session.send(StepRace{Stride::end});
    ASSERT_TRUE(eventually([&] {
        const auto view = session.published().stepped;
        return view && view->lanes_finished();
    })) << "the stepped race can still be stepped";
    session.send(EndSteppedRace{});
    ASSERT_TRUE(eventually([&] { return session.published().race->finished(); }));
    EXPECT_TRUE(session.published().race->lanes_finished());
    ASSERT_TRUE(eventually([&] { return session.published().studies["lengths"]->complete(); }));
    EXPECT_EQ(session.published().studies["lengths"]->points.size(), 50u);
    ASSERT_TRUE(eventually([&] { return session.published().comparison->complete(); }));
    EXPECT_EQ(session.published().comparison->rows.size() + 1, drafter_list().size());
    EXPECT_NE(session.published().status.error.find("nonsense"), std::string::npos) << "and it can be read";

    // A race that cannot begin is given up; the one of the other kind is not.
    race.stepped = false;
    race.lanes.clear();
    session.send(StartRace{race});
    ASSERT_TRUE(eventually([&] { return session.published().status.error.find("0 lanes") != std::string::npos; }));
    EXPECT_TRUE(session.published().stepped->lanes_finished());
}

TEST(Session, AModelThatCannotBeLoadedIsAMessageNotACrash) {
    const std::filesystem::path file = table_file("{\"vocab\":");
    Session session({.target = file}, on_table());
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_FALSE(session.published().status.error.empty());
    session.send(FetchDistributions{0, 0});
    ASSERT_TRUE(eventually([&] { return session.published().status.error.find("no model") != std::string::npos; }));
    EXPECT_EQ(session.published().status.state, EngineStatus::State::failed);
    // What "try again" sends: the file is read anew.
    std::filesystem::copy_file(table_file(), file, std::filesystem::copy_options::overwrite_existing);
    session.send(Restart{on_table(), kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_TRUE(session.published().status.error.empty());
}

TEST(Session, LoadsAgainAfterLoadingWasCancelled) {
    RunSettings settings;
    settings.prompt.token_ids = {1, 2, 3};
    settings.drafter = "none";
    settings.k = 0;
    settings.max_tokens = 3;
    for (const bool race : {false, true}) {
        std::atomic<Session*> place = nullptr;
        std::atomic<bool> bored = true;
        Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings, [&] {
            while (!place) std::this_thread::yield();
            if (bored.exchange(false)) place.load()->cancel_loading();
        });
        session.send(Restart{settings}); // given up together with the models
        place = &session;
        ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
        const EngineStatus status = session.published().status;
        EXPECT_NE(status.error.find("cancelled"), std::string::npos) << status.error;
        EXPECT_EQ(status.remedy.find("report"), std::string::npos) << "nothing went wrong: " << status.remedy;
        EXPECT_EQ(session.published().trace, nullptr);
        RaceSettings lanes;
        lanes.base = settings;
        lanes.lanes = race_entries({"none"}, settings);
        session.send(race ? Command{StartRace{lanes}} : Command{Restart{settings, kUnlimitedPhases}});
        ASSERT_TRUE(eventually([&] {
            const Snapshot now = session.published();
            return race ? now.race && now.race->finished() : now.status.state == EngineStatus::State::stopped;
        }));
        EXPECT_TRUE(session.published().status.error.empty());
        ASSERT_NE(session.published().trace, nullptr);
    }
}

// Between the pieces of something else its passes would run on cold caches.
TEST(SessionRace, ATimedRaceWaitsForAStudy) {
    std::atomic<Session*> place = nullptr;
    std::atomic<bool> seen = false, raced = false, begun = false;
    Session session({.target = table_file()}, on_table(), [&] {
        Session* here = place;
        if (!here || seen) return;
        const Snapshot now = here->published();
        const auto study = now.studies.find("lengths");
        if (study == now.studies.end() || !study->second->complete()) return;
        begun = now.race != nullptr;
        raced = now.race && any_lane_finished(*now.race);
        seen = true;
    });
    place = &session;
    session.send(RunStudy{"lengths", std::vector<RunSettings>(300, on_table())});
    session.send(StartRace{short_race()});
    ASSERT_TRUE(eventually([&] { return seen.load(); }));
    EXPECT_TRUE(begun);
    EXPECT_FALSE(raced);
    EXPECT_TRUE(eventually([&] { return session.published().race->finished(); })) << "then it goes on";
}

TEST(SessionRace, ARaceThatBeginsClearsTheErrorOfOneThatDidNot) {
    for (const bool stepped : {false, true}) {
        Session session({.target = table_file()}, on_table());
        const auto failed = [&] { return session.published().status.state == EngineStatus::State::failed; };
        RaceSettings race = short_race(), bad = race;
        race.stepped = bad.stepped = stepped;
        bad.lanes.clear();
        session.send(StartRace{bad});
        ASSERT_TRUE(eventually(failed));
        session.send(StartRace{race});
        ASSERT_TRUE(eventually([&] { return !failed(); })) << session.published().status.error;
        EXPECT_TRUE(session.published().status.error.empty());
        EXPECT_TRUE(session.published().status.remedy.empty());

        // The error of a run is not the race's to clear.
        RunSettings nonsense = on_table();
        nonsense.rule = "nonsense";
        session.send(Restart{nonsense});
        ASSERT_TRUE(eventually(failed));
        race.base.seed = 99;
        session.send(StartRace{race});
        ASSERT_TRUE(eventually([&] {
            const Snapshot now = session.published();
            const auto& view = stepped ? now.stepped : now.race;
            return view && view->settings.base.seed == 99;
        }));
        session.send(StopRace{});
        EXPECT_TRUE(failed());
    }
}

TEST(SessionRace, MeasuresPlainDecodingWithTheFirstPromptThatFits) {
    RunSettings settings = on_table();
    settings.prompt.token_ids.assign(300, 5); // the context is 256
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings);
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_EQ(session.published().status.error_kind, ErrorKind::prompt_too_long);
    settings.prompt.token_ids = {5, 6, 5};
    session.send(Restart{settings});
    ASSERT_TRUE(eventually([&] { return session.published().status.plain_ms_per_token > 0; }));
    const Snapshot now = session.published();
    EXPECT_EQ(now.trace->plain_ms(), now.status.plain_ms_per_token);
    EXPECT_EQ(now.status.job.what, EngineJob::What::nothing);
    EXPECT_EQ(now.status.error_kind, ErrorKind::other);
}

// An endless study keeps the timed race from its end.
TEST(SessionRace, ARaceThatGoesNoFurtherSaysSo) {
    enum class End { stop, cancel, failure };
    for (const End end : {End::stop, End::cancel, End::failure}) {
        Session session({.target = table_file()}, on_table());
        session.send(RunStudy{"endless", std::vector<RunSettings>(100000, on_table())});
        session.send(StartRace{short_race()});
        ASSERT_TRUE(eventually([&] { return session.published().race != nullptr; }));
        EXPECT_FALSE(session.published().race->lanes_over());
        RaceSettings bad = short_race();
        bad.lanes.clear();
        session.send(end == End::stop ? Command{StopRace{}} : end == End::cancel ? Command{Cancel{}} : Command{StartRace{bad}});
        ASSERT_TRUE(eventually([&] { return session.published().race->lanes_over(); }));
        EXPECT_TRUE(session.published().race->ended_early);
        EXPECT_FALSE(session.published().race->lanes_finished()) << "nothing of it counts as measured";
    }
}

// Whoever stops a study has a run and a stepped race that stand still, and goes on with them.
TEST(SessionRace, StoppingAStudyLeavesWhatStandsStill) {
    Session session({.target = table_file()}, on_table());
    RaceSettings stepped = short_race();
    stepped.stepped = true;
    session.send(StartRace{stepped});
    session.send(RunStudy{"endless", std::vector<RunSettings>(100000, on_table())});
    const auto study = [&] { return session.published().studies["endless"]; };
    const auto steps = [&] {
        const auto view = session.published().stepped;
        return view ? view->steps.size() : 0;
    };
    ASSERT_TRUE(eventually([&] { return steps() == 1 && study() && !study()->points.empty(); }));
    session.gate().add(1);
    ASSERT_TRUE(eventually([&] { return session.published().trace->size() == 2; }));
    ASSERT_TRUE(eventually([&] { return session.gate().budget() == 0; }));
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] { return study()->complete(); }));
    EXPECT_LT(study()->points.size(), 100000u);
    EXPECT_EQ(static_cast<std::size_t>(study()->left_out) + study()->points.size(), 100000u) << "and says that it was stopped";
    EXPECT_FALSE(session.published().stepped->ended_early);
    session.send(StepRace{Stride::phase});
    EXPECT_TRUE(eventually([&] { return steps() == 2; }));
    session.gate().set(kUnlimitedPhases);
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    const auto trace = session.published().trace;
    EXPECT_NE(std::get<Stopped>((*trace)[trace->size() - 1]).reason, "cancelled");
}

TEST(SessionRace, StoppingASteppedRaceLeavesTheTimedOneThatWaitsForIt) {
    Session session({.target = table_file()}, on_table());
    RaceSettings stepped = short_race();
    stepped.stepped = true;
    stepped.base.max_tokens = 4000;
    session.send(StartRace{stepped});
    session.send(StartRace{short_race()});
    session.send(StepRace{Stride::end});
    session.send(StopRace{});
    ASSERT_TRUE(eventually([&] {
        const auto view = session.published().stepped;
        return view && view->lanes_over();
    }));
    EXPECT_TRUE(session.published().stepped->ended_early);
    EXPECT_TRUE(eventually([&] { return session.published().race->finished(); }));
    EXPECT_FALSE(session.published().race->ended_early) << "a finished race stays one";

    session.send(StartRace{stepped});
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_TRUE(session.published().stepped->ended_early) << "nothing is left to step";
}

} // namespace
} // namespace speclens
