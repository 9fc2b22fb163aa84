// The engine driven by plain calls: no thread, so what happens after each is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/batch/sweep.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "engine/model/model.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/session/engine.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "tests/shared/session_bench.h"
#include "tests/shared/slow_model.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens {
namespace {

struct Watcher : EngineHost {
    Call call = Call::none;
    int told = 0, missing = 0;
    std::vector<EngineJob::What> jobs; // that were told of
    std::vector<std::string> opened;   // what was open, since another model was
    Call called() const override { return call; }
    void published(const Snapshot& now) override {
        ++told;
        if (now.status.job.what != EngineJob::What::nothing) jobs.push_back(now.status.job.what);
        if (now.status.opened > 0) opened.push_back(now.status.model);
    }
    void models_missing() override { ++missing; }
};

int drain(Engine& engine) {
    int steps = 0;
    while (engine.step()) ++steps;
    return steps;
}

const std::filesystem::path& shipped_micro() {
    static const std::filesystem::path folder = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3";
    return folder;
}

RunSettings on_micro() {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 5};
    settings.drafter = "none";
    settings.k = 0;
    settings.max_tokens = 6;
    return settings;
}

RaceSettings race_on_table() {
    RaceSettings race;
    race.base = on_table();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    return race;
}

TEST(Engine, DoesAsManyPhasesAsTheGateAllows) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    EXPECT_EQ(engine.models(), nullptr);
    engine.load();
    ASSERT_NE(engine.run(), nullptr) << engine.shown().status.error;
    EXPECT_EQ(drain(engine), 0) << "a table is not timed, and nobody asked for anything";
    engine.gate().add(2);
    EXPECT_EQ(drain(engine), 2);
    EXPECT_EQ(engine.run()->trace().size(), 4U) << "the prompt, then two drafts";
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::idle);
    engine.gate().set(kUnlimitedPhases);
    EXPECT_GT(drain(engine), 0);
    EXPECT_TRUE(engine.run()->stopped());
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::stopped);
    EXPECT_EQ(engine.gate().budget(), 0) << "of a run that is over";
    EXPECT_FALSE(engine.step());
}

TEST(Engine, TellsNothingWithoutAChange) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    const int before = host.told;
    const std::uint64_t revision = engine.shown().revision;
    EXPECT_EQ(drain(engine), 0);
    EXPECT_EQ(host.told, before);
    engine.obey(FetchOtherDrafterRound{0, "lookup"});
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::idle) << "answered when the engine works";
    EXPECT_EQ(engine.doing(), "drafting with lookup");
    EXPECT_EQ(engine.shown().other_round, nullptr);
    EXPECT_GT(engine.shown().revision, revision);
}

// Somebody who looks on goes first, a timed race last: nothing may stand between its passes.
TEST(Engine, JobsHaveTheirTurnsWhateverWasAskedForFirst) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    engine.gate().set(kUnlimitedPhases);
    drain(engine);
    RaceSettings stepped = race_on_table();
    stepped.stepped = true;
    engine.obey(StartRace{race_on_table()});
    engine.obey(RunStudy{"b", {on_table()}});
    engine.obey(RunStudy{"a", {on_table()}});
    engine.obey(CompareDrafters{0});
    engine.obey(FetchOtherDrafterRound{0, "lookup"});
    engine.obey(StartRace{stepped});
    std::vector<std::string> order;
    const auto note = [&](const std::string& what, bool there) {
        if (there && std::find(order.begin(), order.end(), what) == order.end()) order.push_back(what);
    };
    const auto study = [](const Snapshot& now, const char* name) { return now.studies.at(name)->complete(); };
    while (engine.step()) {
        const Snapshot& now = engine.shown();
        note("stepped", now.stepped->steps.size() == 1);
        note("guest", now.other_round != nullptr);
        note("guesses", now.comparison->complete());
        note("b", study(now, "b"));
        note("a", study(now, "a"));
        note("race", now.race->lanes_finished());
    }
    EXPECT_EQ(order, (std::vector<std::string>{"stepped", "guest", "guesses", "b", "a"})) << "the race waits for the stepped one";
    engine.obey(EndSteppedRace{});
    drain(engine);
    EXPECT_TRUE(engine.shown().race->finished());
}

TEST(Engine, TheRunGoesBeforeEveryJob) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    engine.obey(RunStudy{"one", {on_table()}});
    engine.gate().set(kUnlimitedPhases);
    while (!engine.run()->stopped()) {
        ASSERT_TRUE(engine.step());
        EXPECT_TRUE(engine.shown().studies.at("one")->points.empty());
    }
    drain(engine);
    EXPECT_TRUE(engine.shown().studies.at("one")->complete());
}

TEST(Engine, AStudyThatIsEndedGoesAndNothingElse) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    engine.gate().set(kUnlimitedPhases);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(engine.step());
    engine.gate().put_work_first(true);
    engine.obey(RunStudy{"one", std::vector<RunSettings>(100000, on_table())}); // endless
    engine.obey(RunStudy{"two", {on_table()}});
    while (engine.shown().studies.at("one")->points.empty()) ASSERT_TRUE(engine.step());
    engine.obey(EndStudy{"one"});
    EXPECT_FALSE(engine.shown().studies.contains("one")) << "it is asked for anew by whoever comes back";
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::running) << "the run only waits";
    drain(engine);
    EXPECT_TRUE(engine.shown().studies.at("two")->complete());
    EXPECT_TRUE(engine.run()->stopped());
    engine.obey(EndStudy{"two"});
    EXPECT_TRUE(engine.shown().studies.contains("two")) << "what was over stays";
}

// Whoever opens what shows no run, or a page that tells of what is not measured, does not wait for the run to end.
TEST(Engine, WorkGoesBeforeTheRunWhereTheWindowWantsIt) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    engine.gate().set(kUnlimitedPhases);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(engine.step());
    const std::size_t events = engine.run()->trace().size();
    engine.obey(CompareDrafters{0}); // a question about the run
    engine.obey(RunStudy{"one", {on_table(), on_table()}});
    engine.gate().put_work_first(true);
    while (!engine.shown().studies.at("one")->complete()) {
        ASSERT_TRUE(engine.step());
        EXPECT_EQ(engine.run()->trace().size(), events) << "the run waits";
        EXPECT_TRUE(!engine.shown().comparison || engine.shown().comparison->rows.empty()) << "and with it what is asked about it";
    }
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::running) << "it only waits";
    drain(engine);
    EXPECT_TRUE(engine.run()->stopped()) << "without work it goes on";
    EXPECT_FALSE(engine.shown().comparison->rows.empty());
    engine.obey(Restart{on_table(), kUnlimitedPhases});
    engine.obey(RunStudy{"two", {on_table()}});
    engine.gate().put_work_first(false);
    ASSERT_TRUE(engine.step());
    EXPECT_GT(engine.run()->trace().size(), 1U) << "the run first, as ever";
}

// K auto measures first what rounds cost. Until that is done no other run passes for the one that was asked for.
TEST(Engine, SaysThatItMeasuresWhatRoundsCostAndShowsNoOtherRunMeanwhile) {
    struct Costs : Watcher {
        std::vector<std::pair<double, std::size_t>> told; // rounds that are done, events of the run that is shown
        void published(const Snapshot& now) override {
            if (now.status.job.what == EngineJob::What::costs) told.emplace_back(now.status.job.done, now.trace->size());
            Watcher::published(now);
        }
    } host;
    Engine engine(host, test::slow_models({.target_ms = 0.5, .draft_ms = 0.1}).models);
    RunSettings settings;
    settings.prompt.text = "Write a short poem about the moon.";
    settings.drafter = "small";
    settings.max_tokens = 8;
    engine.obey(Restart{settings, kUnlimitedPhases});
    drain(engine);
    EXPECT_TRUE(host.told.empty()) << "K is what was asked for";
    settings.k_auto = true;
    settings.k = kMostAuto;
    engine.obey(Restart{settings, kUnlimitedPhases});
    ASSERT_GE(host.told.size(), 5U);
    for (const auto& [done, events] : host.told) EXPECT_EQ(events, 0U) << "after " << done << " rounds";
    EXPECT_EQ(host.told.front().first, 0);
    EXPECT_TRUE(std::ranges::is_sorted(host.told));
    EXPECT_TRUE(engine.shown().trace->header()->k_auto);
    EXPECT_EQ(engine.shown().status.job.what, EngineJob::What::nothing);
    drain(engine);
    EXPECT_TRUE(engine.run()->stopped());
    host.told.clear();
    ++settings.seed;
    engine.obey(Restart{settings});
    EXPECT_TRUE(host.told.empty()) << "it is known";
    host.call = EngineHost::Call::end_of_run; // somebody does not want to wait
    engine.obey(Restart{.settings = settings, .measure = true});
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::failed);
    EXPECT_EQ(engine.shown().status.remedy, "Start the run again.");
    host.call = EngineHost::Call::end_of_job; // a race was asked for, of which more is seen
    engine.obey(Restart{.settings = settings, .measure = true});
    EXPECT_EQ(engine.run(), nullptr);
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::idle) << "nothing failed";
    host.call = EngineHost::Call::none;
    ASSERT_TRUE(engine.step()) << "then it is measured after all";
    ASSERT_NE(engine.run(), nullptr);
    EXPECT_TRUE(engine.shown().trace->header()->k_auto);
    engine.obey(Restart{settings});
    EXPECT_EQ(engine.shown().trace->size(), 1U) << "and it can be started again";
}

TEST(Engine, WhatFailsIsToldAndThrownOnceAndEndsNothingElse) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    engine.obey(RunStudy{"one", {on_table()}});
    engine.obey(AskAdvice{.base = on_table()});
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::failed) << "a table has no passes";
    EXPECT_THROW(engine.rethrow(), Error);
    EXPECT_NO_THROW(engine.rethrow());
    drain(engine);
    EXPECT_TRUE(engine.shown().studies.at("one")->complete());
    EXPECT_FALSE(engine.shown().status.error.empty()) << "and it can be read";
    engine.obey(Restart{on_table()});
    EXPECT_TRUE(engine.shown().status.error.empty());
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::idle);
}

TEST(Engine, MeasuresOneThingAtATimeByTheClock) {
    Watcher host;
    Engine engine(host, {.target = shipped_micro()}, on_micro(), {.generations = 0});
    engine.load();
    ASSERT_NE(engine.run(), nullptr) << engine.shown().status.error;
    MeasureLoad load;
    load.base = on_micro();
    load.base.drafter = "lookup";
    load.base.rule = "token";
    load.seconds = 1e6;
    engine.obey(load);
    EXPECT_EQ(engine.shown().status.error, "");
    EXPECT_EQ(engine.shown().status.timed_model, "micro_qwen3");
    ASSERT_TRUE(engine.step());
    ASSERT_NE(engine.shown().load, nullptr);
    engine.obey(MeasurePasses{});
    EXPECT_EQ(engine.doing(), "timing passes");
    engine.obey(load);
    EXPECT_EQ(engine.doing(), "decoding batches");
    engine.obey(Cancel{});
    EXPECT_EQ(engine.doing(), "") << "batches end with everything else";
    EXPECT_EQ(engine.shown().status.timed_model, "");
    EXPECT_FALSE(engine.step());
}

TEST(Engine, LeavesALongPromptWhereSomethingElseWaits) {
    Watcher host;
    RunSettings settings = on_micro();
    settings.prompt.token_ids.assign(600, 5); // more than are read at once
    Engine engine(host, {}, settings, {.generations = 0});
    engine.load();
    engine.gate().set(1);
    drain(engine);
    EXPECT_EQ(engine.shown().status.error, "");
    EXPECT_EQ(host.jobs.back(), EngineJob::What::reading);
    settings.prompt.token_ids.assign(600, 6);
    engine.obey(Restart{settings, 1});
    host.call = EngineHost::Call::end_of_run;
    drain(engine);
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::failed);
}

TEST(Engine, TellsWhoeverWaitsThatTheModelsAreMissing) {
    Watcher host;
    Engine engine(host, {.target = table_file("{\"vocab\":")}, on_table());
    engine.load();
    EXPECT_EQ(host.missing, 1);
    engine.obey(FetchDistributions{0, 0});
    EXPECT_EQ(host.missing, 1) << "nothing was tried again";
    EXPECT_NE(engine.shown().status.error.find("no model"), std::string::npos);
    engine.obey(Restart{on_table()});
    EXPECT_EQ(host.missing, 2);
    EXPECT_EQ(engine.run(), nullptr);
}

// What a command line does with models that it loaded, and why its pictures are always the same.
TEST(Engine, ShowsAnOpenedModelWithItsNameFromTheFirst) {
    Watcher host;
    Engine engine(host, {.target = table_file()}, on_table());
    engine.load();
    engine.obey(OpenModel{{.target = shipped_micro()}, 0});
    ASSERT_FALSE(host.opened.empty()) << engine.shown().status.open_error;
    for (const std::string& name : host.opened) EXPECT_EQ(name, "micro_qwen3");
}

TEST(Engine, TheSameCallsOnGivenModelsGiveTheSame) {
    const auto models = std::make_shared<const Models>(load_models({.target = table_file()}));
    const auto answers = [&] {
        Watcher host;
        Engine engine(host, models);
        EXPECT_EQ(engine.shown().status.model, models->target_name());
        engine.obey(Restart{on_table(), kUnlimitedPhases});
        drain(engine);
        engine.obey(FetchReplay{1, {}});
        engine.obey(CompareDrafters{1});
        drain(engine);
        EXPECT_TRUE(engine.shown().comparison->complete());
        const auto replayed = engine.shown().replayed;
        engine.forget_answers();
        EXPECT_EQ(engine.shown().comparison, nullptr);
        EXPECT_NE(engine.shown().trace, nullptr) << "the run is no answer";
        std::vector<int> tokens = engine.run()->sequence();
        tokens.push_back(static_cast<int>(replayed->trace->size()));
        return tokens;
    };
    EXPECT_EQ(answers(), answers());
}

// Assets with the built-in model and one head, as a page begins; put() brings another one.
class LaterHeads {
  public:
    LaterHeads() : assets_("SPECLENS_ASSETS", folder_.path().string()) {
        std::filesystem::create_directories(folder_ / "models");
        for (const char* name : {"target", "eagle3", "MANIFEST.json"}) put(name, name);
    }
    void put(const std::string& name, const std::string& of) const {
        std::filesystem::create_symlink(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models" / of, folder_ / "models" / name);
    }

  private:
    const test::TempFolder folder_;
    const test::Variable assets_;
};

RunSettings drafted_by(const std::string& drafter) {
    RunSettings settings;
    settings.drafter = drafter;
    settings.k = 4;
    settings.max_tokens = 12;
    settings.timing = false;
    return settings;
}

const ComparisonRow& row_of(const Engine& engine, const std::string& drafter) {
    static const ComparisonRow kNone;
    if (!engine.shown().comparison) return kNone;
    const auto found = std::ranges::find(engine.shown().comparison->rows, drafter, &ComparisonRow::drafter);
    return found == engine.shown().comparison->rows.end() ? kNone : *found;
}

bool can_run(const Engine& engine, const std::string& drafter) {
    return std::ranges::count(engine.shown().status.ready_drafters, drafter) > 0;
}

TEST(EngineHeads, ThatComeLaterLeaveTheRunAndAnswerWhatWasAsked) {
    const LaterHeads folder;
    Watcher host;
    Engine engine(host, {.threads = 1}, drafted_by("eagle3"));
    engine.load();
    ASSERT_NE(engine.run(), nullptr) << engine.shown().status.error;
    engine.gate().set(kUnlimitedPhases);
    drain(engine);
    engine.obey(CompareDrafters{1});
    drain(engine);
    EXPECT_NE(row_of(engine, "dflash").problem, "");
    EXPECT_FALSE(can_run(engine, "dflash"));
    const Snapshot before = engine.shown();
    engine.obey(LoadHeads{}); // nothing came
    EXPECT_EQ(engine.shown().revision, before.revision);

    folder.put("dflash", "dflash");
    engine.obey(LoadHeads{});
    EXPECT_TRUE(can_run(engine, "dflash"));
    EXPECT_TRUE(can_run(engine, "dflash_tree"));
    drain(engine);
    EXPECT_EQ(row_of(engine, "dflash").problem, "");
    EXPECT_NE(row_of(engine, "dflash").trace, nullptr);
    EXPECT_EQ(engine.shown().comparison->round, 1);
    EXPECT_EQ(engine.shown().trace, before.trace);
    EXPECT_EQ(engine.shown().runs, before.runs);
    EXPECT_EQ(engine.shown().status.state, EngineStatus::State::stopped);
    engine.obey(FetchOtherDrafterRound{1, "dflash"});
    drain(engine);
    EXPECT_NE(engine.shown().other_round, nullptr) << engine.shown().status.error;
    engine.obey(Fork{.round = 1, .settings = drafted_by("dflash"), .budget = kUnlimitedPhases});
    drain(engine);
    EXPECT_EQ(engine.shown().status.error, "");
    EXPECT_EQ(engine.shown().runs, before.runs + 1);
    engine.obey(Restart{drafted_by("dflash"), kUnlimitedPhases});
    drain(engine);
    EXPECT_EQ(engine.shown().trace->header()->drafter, "dflash");
    EXPECT_EQ(engine.shown().trace->header()->notice, "");
}

TEST(EngineHeads, ThatComeLaterAreRefusedWhereTheyAreOfAnotherDrafter) {
    const LaterHeads folder;
    Watcher host;
    Engine engine(host, {.threads = 1}, drafted_by("eagle3"));
    engine.obey(LoadHeads{}); // no models yet: load() takes what is there
    EXPECT_EQ(engine.shown().status.error, "");
    engine.load();
    const auto trace = engine.shown().trace;
    folder.put("dflash", "eagle3");
    engine.obey(LoadHeads{});
    EXPECT_TRUE(engine.shown().status.error.ends_with("is an eagle3 head, not one for the drafter dflash")) << engine.shown().status.error;
    EXPECT_FALSE(can_run(engine, "dflash"));
    EXPECT_EQ(engine.shown().trace, trace);
}

// Weights in other forms, caches of lanes, gradients of heads: what somebody asked for is given back when it is done, ended or
// left, and the run that stands beside it needs what it needed before.
TEST(EngineMemory, IsGivenBackWithWhatItWasAskedFor) {
    Watcher host;
    RunSettings settings;
    settings.drafter = "lookup";
    settings.k = 3;
    settings.max_tokens = 8;
    Engine engine(host, {.backend = "cpu", .threads = 2}, settings, {.generations = 0});
    engine.load();
    ASSERT_NE(engine.run(), nullptr) << engine.shown().status.error;
    engine.gate().set(kUnlimitedPhases);
    drain(engine);
    const Backend& backend = *engine.models()->backend;
    const std::size_t before = backend.held_memory();
    EXPECT_GE(before, engine.models()->target->bytes.all);

    RaceSettings race;
    race.base = settings;
    race.lanes = race_entries({"none", "lookup"}, race.base);
    RaceSettings stepped = race;
    stepped.stepped = true;
    MeasureLoad load;
    load.base = settings;
    load.base.rule = "token";
    struct Asked {
        const char* name;
        Command command;
        bool holds; // something between two steps
    };
    const Asked kAsked[] = {
        {"forms", MeasurePasses{.forms = true}, true},
        {"passes", MeasurePasses{}, true},
        {"batches", load, true},
        {"advice", AskAdvice{.base = settings}, true},
        {"heads", TrainHeads{300, 1, 4, 2}, true},
        {"an MTP layer", TrainHeads{.steps = 300, .texts = 1, .max_tokens = 4, .prompts = 2, .kind = HeadKind::mtp}, true},
        {"race", StartRace{race}, true},
        {"stepped race", StartRace{stepped}, true},
        {"study", RunStudy{"one", {settings}}, true},
        {"comparison", CompareDrafters{1}, false},
        {"another drafter", FetchOtherDrafterRound{1, "eagle3"}, false},
        {"distributions", FetchDistributions{1, 0}, false},
        {"replay", FetchReplay{1, {}}, false}};
    for (const auto& [name, command, holds] : kAsked) {
        engine.obey(command);
        ASSERT_EQ(engine.shown().status.error, "") << name;
        std::size_t most = backend.held_memory();
        for (int steps = 0; steps < 200 && (steps < 8 || most == before) && engine.step(); ++steps)
            most = std::max(most, backend.held_memory());
        EXPECT_EQ(most > before, holds) << name;
        if (std::string(name) == "stepped race")
            engine.obey(EndSteppedRace{});
        else
            engine.obey(Cancel{});
        EXPECT_FALSE(engine.step()) << name;
        engine.models()->target->forget_prompts(); // long ones are kept on purpose
        EXPECT_EQ(backend.held_memory(), before) << name;
    }
}

} // namespace
} // namespace speclens
