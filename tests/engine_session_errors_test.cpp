// The engine thread when something fails or is stopped: what is told of it, and what goes on beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "engine/session.h"
#include "tests/temp_folder.h"

namespace speclens {
namespace {

std::filesystem::path error_table() {
    const std::filesystem::path file = test::fresh_folder() / "table.json";
    std::ofstream(file) << R"({"schema":"speclens-table/1","vocab":3,"texts":["a","b","c"],
        "target":{"":[0.5,0.3,0.2],"0":[0.2,0.5,0.3]},"draft":{"":[0.4,0.4,0.2],"1":[0.1,0.1,0.8]}})";
    return file;
}

bool within_seconds(const std::function<bool()>& condition) {
    for (int i = 0; i < 20000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

RunSettings twenty_tokens() {
    RunSettings settings;
    settings.k = 2;
    settings.sampling.temperature = 1;
    settings.max_tokens = 20;
    return settings;
}

RaceSettings short_race() {
    RaceSettings race;
    race.base = twenty_tokens();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    return race;
}

bool any_lane_finished(const RaceView& race) {
    return std::ranges::any_of(race.lanes, &RaceLane::finished);
}

// Between the pieces of something else its passes would run on cold caches.
TEST(SessionRace, ATimedRaceWaitsForAStudy) {
    std::atomic<Session*> place = nullptr;
    std::atomic<bool> seen = false, raced = false, begun = false;
    Session session({.target = error_table()}, twenty_tokens(), [&] {
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
    session.send(RunStudy{"lengths", std::vector<RunSettings>(300, twenty_tokens())});
    session.send(StartRace{short_race()});
    ASSERT_TRUE(within_seconds([&] { return seen.load(); }));
    EXPECT_TRUE(begun);
    EXPECT_FALSE(raced);
    EXPECT_TRUE(within_seconds([&] { return session.published().race->finished(); })) << "then it goes on";
}

TEST(SessionRace, ARaceThatBeginsClearsTheErrorOfOneThatDidNot) {
    for (const bool stepped : {false, true}) {
        Session session({.target = error_table()}, twenty_tokens());
        const auto failed = [&] { return session.published().status.state == EngineStatus::State::failed; };
        RaceSettings race = short_race(), bad = race;
        race.stepped = bad.stepped = stepped;
        bad.lanes.clear();
        session.send(StartRace{bad});
        ASSERT_TRUE(within_seconds(failed));
        session.send(StartRace{race});
        ASSERT_TRUE(within_seconds([&] { return !failed(); })) << session.published().status.error;
        EXPECT_TRUE(session.published().status.error.empty());
        EXPECT_TRUE(session.published().status.remedy.empty());

        // The error of a run is not the race's to clear.
        RunSettings nonsense = twenty_tokens();
        nonsense.rule = "nonsense";
        session.send(Restart{nonsense});
        ASSERT_TRUE(within_seconds(failed));
        race.base.seed = 99;
        session.send(StartRace{race});
        ASSERT_TRUE(within_seconds([&] {
            const Snapshot now = session.published();
            const auto& view = stepped ? now.stepped : now.race;
            return view && view->settings.base.seed == 99;
        }));
        session.send(StopRace{});
        EXPECT_TRUE(failed());
    }
}

TEST(SessionRace, MeasuresPlainDecodingWithTheFirstPromptThatFits) {
    RunSettings settings = twenty_tokens();
    settings.token_ids.assign(300, 5); // the context is 256
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/golden/micro_qwen3"},
                    settings);
    ASSERT_TRUE(
        within_seconds([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_TRUE(session.published().status.prompt_too_long);
    settings.token_ids = {5, 6, 5};
    session.send(Restart{settings});
    ASSERT_TRUE(within_seconds([&] { return session.published().trace != nullptr; }));
    const Snapshot now = session.published();
    EXPECT_GT(now.status.plain_ms_per_token, 0);
    EXPECT_EQ(now.trace->plain_ms(), now.status.plain_ms_per_token);
    EXPECT_TRUE(now.status.job.empty()) << now.status.job;
    EXPECT_FALSE(now.status.prompt_too_long);
}

// An endless study keeps the timed race from its end.
TEST(SessionRace, ARaceThatGoesNoFurtherSaysSo) {
    enum class End { stop, cancel, failure };
    for (const End end : {End::stop, End::cancel, End::failure}) {
        Session session({.target = error_table()}, twenty_tokens());
        session.send(RunStudy{"endless", std::vector<RunSettings>(100000, twenty_tokens())});
        session.send(StartRace{short_race()});
        ASSERT_TRUE(within_seconds([&] { return session.published().race != nullptr; }));
        EXPECT_FALSE(session.published().race->lanes_over());
        RaceSettings bad = short_race();
        bad.lanes.clear();
        session.send(end == End::stop     ? Command{StopRace{}}
                     : end == End::cancel ? Command{Cancel{}}
                                          : Command{StartRace{bad}});
        ASSERT_TRUE(within_seconds([&] { return session.published().race->lanes_over(); }));
        EXPECT_TRUE(session.published().race->cut);
        EXPECT_FALSE(session.published().race->lanes_finished()) << "nothing of it counts as measured";
    }
}

// Whoever stops a study has a run and a stepped race that stand still, and goes on with them.
TEST(SessionRace, StoppingAStudyLeavesWhatStandsStill) {
    Session session({.target = error_table()}, twenty_tokens());
    RaceSettings stepped = short_race();
    stepped.stepped = true;
    session.send(StartRace{stepped});
    session.send(RunStudy{"endless", std::vector<RunSettings>(100000, twenty_tokens())});
    const auto study = [&] { return session.published().studies["endless"]; };
    const auto steps = [&] {
        const auto view = session.published().stepped;
        return view ? view->steps.size() : 0;
    };
    ASSERT_TRUE(within_seconds([&] { return steps() == 1 && study() && !study()->points.empty(); }));
    session.gate().add(1);
    ASSERT_TRUE(within_seconds([&] { return session.published().trace->size() == 2; }));
    ASSERT_TRUE(within_seconds([&] { return session.gate().budget() == 0; }));
    session.send(Cancel{});
    ASSERT_TRUE(within_seconds([&] { return study()->complete(); }));
    EXPECT_LT(study()->points.size(), 100000u);
    EXPECT_FALSE(session.published().stepped->cut);
    session.send(StepRace{Stride::phase});
    EXPECT_TRUE(within_seconds([&] { return steps() == 2; }));
    session.gate().set(Gate::kUnlimited);
    ASSERT_TRUE(
        within_seconds([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    const auto trace = session.published().trace;
    EXPECT_NE(std::get<Stopped>((*trace)[trace->size() - 1]).reason, "cancelled");
}

TEST(SessionRace, StoppingASteppedRaceLeavesTheTimedOneThatWaitsForIt) {
    Session session({.target = error_table()}, twenty_tokens());
    RaceSettings stepped = short_race();
    stepped.stepped = true;
    stepped.base.max_tokens = 4000;
    session.send(StartRace{stepped});
    session.send(StartRace{short_race()});
    session.send(StepRace{Stride::end});
    session.send(StopRace{});
    ASSERT_TRUE(within_seconds([&] {
        const auto view = session.published().stepped;
        return view && view->lanes_over();
    }));
    EXPECT_TRUE(session.published().stepped->cut);
    EXPECT_TRUE(within_seconds([&] { return session.published().race->finished(); }));
    EXPECT_FALSE(session.published().race->cut) << "a finished race stays one";

    session.send(StartRace{stepped});
    session.send(Cancel{});
    ASSERT_TRUE(
        within_seconds([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_TRUE(session.published().stepped->cut) << "nothing is left to step";
}

} // namespace
} // namespace speclens
