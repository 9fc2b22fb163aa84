// The engine thread: stepping, restart, cancel, errors that keep it alive.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/advice/advice.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/study.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/full_distributions.h"
#include "engine/run/other_drafter_round.h"
#include "engine/run/replay.h"
#include "engine/session/session.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/session_bench.h"

namespace speclens {
namespace {

TEST(Session, StepsOnePhasePerBudgetAndRunsToTheEnd) {
    Session session({.target = table_file()}, on_table());
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const auto trace = session.published().trace;
    EXPECT_EQ(trace->size(), 1u) << "nothing happens without budget";
    session.gate().add(1);
    ASSERT_TRUE(eventually([&] { return trace->size() == 2; }));
    EXPECT_TRUE(std::holds_alternative<Prefill>((*trace)[1]));
    session.gate().add(1);
    ASSERT_TRUE(eventually([&] { return trace->size() == 4; })) << "two drafts";
    session.gate().set(kUnlimitedPhases);
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_TRUE(std::holds_alternative<Stopped>((*trace)[trace->size() - 1]));
}

bool timed(const Session& session) {
    const Snapshot now = session.published();
    return now.trace && !now.status.timing && now.trace->times() && now.trace->times()->plain_ms > 0;
}

TEST(Session, TimesARunThatStandsStillBesidePlainDecoding) {
    RunSettings settings = on_table();
    settings.prompt.token_ids = {5, 6, 5};
    settings.drafter = "skip";
    settings.options.exit_layer = 1; // which plain decoding has no use for
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings, {},
                    {.seconds = 0.1, .most_busy_cores = 1000});
    ASSERT_TRUE(eventually([&] { return timed(session); })) << session.published().status.error;
    const Snapshot now = session.published();
    EXPECT_EQ(now.status.plain_ms_per_token, now.trace->plain_ms());
    EXPECT_EQ(now.status.state, EngineStatus::State::idle) << "it stands where it stood";
    EXPECT_EQ(now.trace->size(), 1u);
}

// What was timed once is known: of the same run again, and of a fork before it is timed on its own.
TEST(Session, UndoAndForkKeepTheirTimes) {
    RunSettings settings = on_table();
    settings.prompt.token_ids = {5, 6, 5};
    settings.drafter = "skip";
    settings.options.exit_layer = 1;
    settings.max_tokens = 12;
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings, {},
                    {.seconds = 0.1, .most_busy_cores = 1000});
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    session.gate().set(kUnlimitedPhases);
    ASSERT_TRUE(eventually([&] { return timed(session) && session.published().status.state == EngineStatus::State::stopped; }));
    const auto first = session.published().trace;
    const double plain = first->plain_ms(), total = fold(*first, first->size()).total_ms;
    EXPECT_GT(total, 0);
    session.send(Restart{settings, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] {
        const Snapshot now = session.published();
        return now.trace != first && now.status.state == EngineStatus::State::stopped;
    }));
    const auto again = session.published().trace;
    EXPECT_EQ(again->plain_ms(), plain);
    EXPECT_EQ(fold(*again, again->size()).total_ms, total);
    session.send(Fork{.round = 1, .budget = 0});
    ASSERT_TRUE(eventually([&] { return session.published().trace != again; }));
    const auto fork = session.published().trace;
    EXPECT_GT(fork->plain_ms(), 0) << "at once, before it is timed itself";
}

// A window that draws beside every step would be in the times of the next one.
TEST(Session, TellsOfARunThatGoesOnByItselfNowAndThen) {
    std::atomic<int> told{0};
    RunSettings settings = on_table();
    settings.max_tokens = 200;
    Session session({.target = table_file()}, settings, [&] { ++told; });
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const int before = told;
    session.gate().set(kUnlimitedPhases);
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    const Snapshot shown = session.published();
    int rounds = 0;
    for (std::size_t i = 0; i < shown.trace->size(); ++i) rounds += std::holds_alternative<Committed>((*shown.trace)[i]);
    EXPECT_GT(rounds, 60);
    EXPECT_LT(told - before, rounds / 2);
}

TEST(Session, TellsWhereARunStandsThatIsHalted) {
    std::atomic<int> told{0};
    RunSettings settings = on_table();
    settings.max_tokens = 4000;
    Session session({.target = table_file()}, settings, [&] { ++told; });
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const auto trace = session.published().trace;
    const auto state = [&] { return session.published().status.state; };
    for (int i = 0; i < 5 && state() != EngineStatus::State::stopped; ++i) {
        const std::size_t events = trace->size();
        const int before = told;
        session.gate().set(kUnlimitedPhases);
        while (trace->size() < events + 2) std::this_thread::yield();
        session.gate().set(0);
        ASSERT_TRUE(eventually([&] { return told > before && state() != EngineStatus::State::running; })) << i;
    }
}

// Whoever sees a new run may ask for its first step at once: the step is not lost to the start of the run.
TEST(Session, KeepsAStepThatIsAskedForAsSoonAsTheRunIsShown) {
    std::atomic<const Trace*> before = nullptr; // the run that was shown first, once the next one is asked for
    std::atomic<Session*> place = nullptr;
    Session session({.target = table_file()}, on_table(), [&] {
        // Not of the first run: what is told of it may come late, and its step would be thrown away with it.
        Session* here = place;
        const Trace* old = before;
        if (!here || !old || here->published().trace.get() == old) return;
        if (before.exchange(nullptr)) here->gate().add(1);
    });
    place = &session;
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    const auto first = session.published().trace;
    before = first.get();
    session.send(Restart{on_table(), 0});
    ASSERT_TRUE(eventually([&] { return session.published().trace != first; }));
    const auto trace = session.published().trace;
    EXPECT_TRUE(eventually([&] { return trace->size() == 2; })) << trace->size();
}

TEST(Session, MeasuresBesideTheRunOnTheScreen) {
    Session session({.target = table_file()}, on_table());
    RunStudy plan{"lengths", {}};
    for (const int k : {1, 2, 3}) {
        plan.runs.push_back(on_table());
        plan.runs.back().k = k;
    }
    plan.runs.push_back(on_table());
    plan.runs.back().drafter = "nobody";
    session.send(plan);
    const auto study = [&]() -> std::shared_ptr<const Study> {
        const Snapshot now = session.published();
        const auto found = now.studies.find("lengths");
        return found == now.studies.end() ? nullptr : found->second;
    };
    ASSERT_TRUE(eventually([&] { return study() && study()->complete(); })) << "although the run stands still";
    const auto done = study();
    ASSERT_EQ(done->points.size(), 4u);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(done->points[static_cast<std::size_t>(i)].settings.k, i + 1);
        EXPECT_EQ(done->points[static_cast<std::size_t>(i)].tokens, 20);
    }
    EXPECT_NE(done->points[3].problem.find("nobody"), std::string::npos);
    EXPECT_EQ(session.published().trace->size(), 1u) << "the run itself did not move";
    EXPECT_NE(session.published().status.state, EngineStatus::State::failed);
    // a long one is given up in the middle, and what was measured stays
    RunStudy endless{"endless", std::vector<RunSettings>(100000, on_table())};
    session.send(endless);
    const auto second = [&] { return session.published().studies["endless"]; };
    ASSERT_TRUE(eventually([&] { return second() && !second()->points.empty(); }));
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] { return second()->complete(); }));
    EXPECT_LT(second()->points.size(), 100000u);
}

TEST(Session, TimesPassesOnRequest) {
    RunSettings settings;
    settings.prompt.token_ids = {1, 2, 3};
    settings.drafter = "none";
    settings.k = 0;
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings);
    session.send(MeasurePasses{});
    ASSERT_TRUE(eventually([&] { return session.published().passes != nullptr; }));
    EXPECT_EQ(session.published().passes_beside, nullptr);
    const auto times = session.published().passes;
    ASSERT_GE(times->passes.size(), 2u);
    EXPECT_EQ(times->passes.front().rows, 1);
    EXPECT_NE(session.published().status.state, EngineStatus::State::failed);

    Session table({.target = table_file()}, on_table());
    table.send(MeasurePasses{});
    ASSERT_TRUE(eventually([&] { return table.published().status.state == EngineStatus::State::failed; }));
    EXPECT_NE(table.published().status.error.find("no passes"), std::string::npos);
    EXPECT_EQ(table.published().passes, nullptr);
}

TEST(Session, AdvisesOnWholePromptsAndKeepsThemWhenItIsCut) {
    RunSettings short_text;
    short_text.max_tokens = 4;
    Session session({}, short_text);
    session.send(AskAdvice{.base = short_text, .seconds = 0.01});
    const auto advice = [&] { return session.published().advice; };
    ASSERT_TRUE(eventually([&] { return advice() && advice()->complete; })) << session.published().status.error;
    const auto done = advice();
    EXPECT_EQ(done->prompts, kFewestAdvicePrompts) << "as few as tell something, since the time was up";
    EXPECT_GT(done->plain_ms, 0);
    EXPECT_GE(done->drafters.size(), 10U);
    for (const AdviceDrafter& drafter : done->drafters) EXPECT_EQ(drafter.problem, "") << drafter.name;
    EXPECT_NE(done->cell("eagle3", 4), nullptr);
    ASSERT_TRUE(eventually([&] { return session.published().status.timed_model.empty(); })) << "nothing is measured any more";

    session.send(AskAdvice{.base = short_text, .seconds = 1e6});
    ASSERT_TRUE(eventually([&] { return advice() && !advice()->complete; })) << "another one began";
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] { return advice()->complete; }));
    EXPECT_NE(session.published().status.state, EngineStatus::State::failed);
    EXPECT_TRUE(session.published().status.timed_model.empty());
}

TEST(Session, SaysWhyThereIsNoAdvice) {
    Session session({.target = table_file()}, on_table());
    session.send(AskAdvice{.base = on_table(), .seconds = 1});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_NE(session.published().status.error, "");
    EXPECT_EQ(session.published().advice, nullptr);
}

TEST(Session, TimesARealShapeBesideAndStopsOnRequest) {
    RunSettings settings;
    settings.prompt.token_ids = {1, 2, 3};
    settings.drafter = "none";
    settings.k = 0;
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings);
    session.send(MeasurePasses{"bundle-s"});
    ASSERT_TRUE(eventually([&] { return session.published().status.timed_model == "bundle-s"; }));
    EXPECT_NE(session.published().passes, nullptr) << "what is complete is shown";
    ASSERT_TRUE(eventually([&] { return session.published().passes_beside != nullptr; }));
    ASSERT_TRUE(eventually([&] { return session.published().status.timed_model.empty(); }));
    EXPECT_TRUE(session.published().passes_beside->random_weights);

    const auto first = session.published().passes;
    session.send(MeasurePasses{"bundle-s"});
    ASSERT_TRUE(eventually([&] { return session.published().status.timed > 0; }));
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] { return session.published().status.timed_model.empty(); }));
    EXPECT_EQ(session.published().passes, first) << "what was measured before stays";
    EXPECT_NE(session.published().status.state, EngineStatus::State::stopped) << "the run that stands still";
}

TEST(Session, TimesAShapeInOtherFormsOnRequest) {
    RunSettings settings;
    settings.prompt.token_ids = {1, 2, 3};
    settings.drafter = "none";
    settings.k = 0;
    Session session({.target = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3"}, settings);
    session.send(MeasurePasses{.beside = "bundle-s", .forms = true});
    ASSERT_TRUE(eventually([&] { return session.published().status.timed_model == "bundle-s in Q8_0"; }));
    ASSERT_TRUE(eventually([&] { return session.published().passes_forms != nullptr; }));
    EXPECT_EQ(session.published().passes_forms->size(), 1u) << "what is complete is shown";
    EXPECT_EQ(session.published().passes, nullptr);
    ASSERT_TRUE(eventually([&] { return session.published().passes_forms->size() == 2; }));
    ASSERT_TRUE(eventually([&] { return session.published().status.timed_model.empty(); }));
}

TEST(Session, ReplaysACycleOnRequest) {
    Session session({.target = table_file()}, on_table());
    session.send(Restart{on_table(), kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    session.send(FetchReplay{1, {}});
    ASSERT_TRUE(eventually([&] { return session.published().replayed != nullptr; }));
    const Snapshot now = session.published();
    EXPECT_EQ(now.replayed->of, now.trace.get());
    EXPECT_EQ(now.replayed->round, 1);
    session.send(Restart{on_table()});
    ASSERT_TRUE(eventually([&] { return session.published().trace != now.trace; }));
    EXPECT_EQ(session.published().replayed, nullptr) << "it belongs to the old run";
}

TEST(Session, AsksEveryDrafterBesideTheRun) {
    Session session({.target = table_file()}, on_table());
    session.send(Restart{on_table(), kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    session.send(CompareDrafters{1});
    ASSERT_TRUE(eventually([&] { return session.published().comparison && session.published().comparison->complete(); }));
    const Snapshot now = session.published();
    EXPECT_EQ(now.comparison->of, now.trace.get());
    EXPECT_EQ(now.comparison->round, 1);
    EXPECT_EQ(now.comparison->rows.size() + 1, drafter_list().size());
    for (const ComparisonRow& row : now.comparison->rows)
        if (row.drafter == "skip") {
            EXPECT_NE(row.problem, "") << "a table has no layers";
        }
    session.send(Restart{on_table()});
    ASSERT_TRUE(eventually([&] { return session.published().trace != now.trace; }));
    EXPECT_EQ(session.published().comparison, nullptr) << "they belong to the old run";
    // asked while the run is under way: answered when it stands still, without another command
    session.send(Restart{on_table(), kUnlimitedPhases});
    session.send(CompareDrafters{0});
    ASSERT_TRUE(eventually([&] { return session.published().comparison && session.published().comparison->complete(); }));
    session.send(CompareDrafters{999});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
}

TEST(Session, DraftsACycleWithAnotherHeadOnRequest) {
    Session session({.target = table_file()}, on_table());
    session.send(Restart{on_table(), kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    session.send(FetchOtherDrafterRound{1, "lookup"});
    ASSERT_TRUE(eventually([&] { return session.published().other_round != nullptr; }));
    const Snapshot now = session.published();
    EXPECT_EQ(now.other_round->of, now.trace.get());
    EXPECT_EQ(now.other_round->problem, "");
    EXPECT_EQ(now.other_round->round, 1);
    EXPECT_EQ(now.other_round->trace->header()->drafter, "lookup");
    session.send(FetchOtherDrafterRound{0, "lookup"}); // whoever turns pages wants the last one only
    session.send(FetchOtherDrafterRound{1, "eagle3"});
    ASSERT_TRUE(eventually([&] { return session.published().other_round->drafter == "eagle3"; }));
    EXPECT_NE(session.published().other_round->problem, "") << "no head for a table";
    EXPECT_EQ(session.published().status.state, EngineStatus::State::stopped) << "and the run is as it was";
    session.send(Restart{on_table()});
    ASSERT_TRUE(eventually([&] { return session.published().trace != now.trace; }));
    EXPECT_EQ(session.published().other_round, nullptr) << "it belongs to the old run";
}

TEST(Session, RestartForkAndFetchAreAppliedAtPhaseBoundaries) {
    Session session({.target = table_file()}, on_table());
    RunSettings again = on_table();
    again.seed = 99;
    session.send(Restart{again, kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_EQ(session.published().trace->header()->seed, 99u);
    const auto first = session.published().trace;

    session.send(FetchDistributions{0, 0});
    ASSERT_TRUE(eventually([&] { return session.published().distributions != nullptr; }));
    EXPECT_EQ(session.published().distributions->target.size(), 3u);

    session.send(Fork{.round = 1, .force_draft = std::pair{0, 2}, .budget = kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] {
        const Snapshot p = session.published();
        return p.trace != first && p.status.state == EngineStatus::State::stopped;
    }));
    EXPECT_EQ(first->header()->seed, 99u) << "the old branch stays readable";
}

// How a forked run is brought back: begun again and forked at once, before it has come so far.
TEST(Session, AForkRightBehindARestartWaitsForItsRound) {
    Session session({.target = table_file()}, on_table());
    session.send(Restart{on_table()});
    session.send(Fork{.round = 3, .force_draft = std::pair{0, 2}});
    ASSERT_TRUE(eventually([&] { return session.published().runs == 3; })) << session.published().status.error;
    const Snapshot now = session.published();
    EXPECT_NE(now.status.state, EngineStatus::State::failed) << now.status.error;
    const RunView view = fold(*now.trace, now.trace->size());
    EXPECT_EQ(view.rounds, 3);
    EXPECT_TRUE(std::holds_alternative<Commanded>((*now.trace)[now.trace->size() - 1]));
}

// The way to a late round may be long: it is left when the run is stopped or begun anew.
TEST(Session, AForkThatWaitsForItsRoundCanBeGivenUp) {
    RunSettings settings = on_table();
    settings.max_tokens = 4000;
    Session session({.target = table_file()}, settings);
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    for (const bool restart : {false, true}) {
        bool given_up = false;
        for (int tries = 0; tries < 50 && !given_up; ++tries) { // on a busy machine it may be there before
            const auto before = session.published().trace;
            session.send(Restart{settings});
            ASSERT_TRUE(eventually([&] { return session.published().trace != before; }));
            const Snapshot begun = session.published();
            session.send(Fork{.round = 1000000});
            while (begun.trace->size() < 4) std::this_thread::yield();
            session.send(restart ? Command{Restart{settings}} : Command{Cancel{}});
            const auto end = [&]() -> const Event& { return (*begun.trace)[begun.trace->size() - 1]; };
            ASSERT_TRUE(eventually([&] {
                const Snapshot now = session.published();
                return restart ? now.trace != begun.trace : now.status.state == EngineStatus::State::stopped;
            }));
            const auto* stopped = std::get_if<Stopped>(&end());
            given_up = restart ? stopped == nullptr : stopped && stopped->reason == "cancelled";
            if (given_up && restart) {
                EXPECT_EQ(session.published().runs, begun.runs + 2) << "the fork is not waited for";
            }
        }
        EXPECT_TRUE(given_up) << restart;
    }
}

// A fork may go on with another temperature, seed or head: what is asked about the rounds before it is told
// with what they were made with.
TEST(Session, ReplaysTheRoundsBeforeAForkWithTheirOwnSettings) {
    Session session({.target = table_file()}, on_table());
    std::uint64_t runs = 1;
    const auto finish = [&](const Command& command) {
        session.send(command);
        ++runs;
        ASSERT_TRUE(eventually([&] {
            const Snapshot p = session.published();
            return p.runs == runs && p.status.state == EngineStatus::State::stopped;
        })) << session.published().status.error;
    };
    RunSettings warm = on_table(), hot = on_table();
    warm.draft_sampling = hot.draft_sampling = on_table().sampling;
    warm.draft_sampling->temperature = 2;
    hot.draft_sampling->temperature = 4;
    warm.seed = 8;
    hot.seed = 9;
    hot.fork = 1;
    finish(Restart{on_table(), kUnlimitedPhases});
    finish(Fork{.round = 2, .settings = warm, .budget = kUnlimitedPhases});
    finish(Fork{.round = 3, .settings = hot, .budget = kUnlimitedPhases});
    const Snapshot run = session.published();
    const RunView view = fold(*run.trace, run.trace->size());
    ASSERT_GE(view.round_list.size(), 4u);
    int judged = 0;
    for (const RoundSummary& round : view.round_list) {
        for (const DraftSlot& slot : round.drafts) {
            if (!slot.check) continue;
            ++judged;
            session.send(FetchDistributions{round.round, slot.draft->index});
            ASSERT_TRUE(eventually([&] {
                const auto distributions = session.published().distributions;
                return distributions && distributions->round == round.round && distributions->index == slot.draft->index;
            }));
            const auto distributions = session.published().distributions;
            const auto token = static_cast<std::size_t>(slot.draft->token);
            EXPECT_NEAR(distributions->draft[token], std::exp(slot.draft->q), 1e-6) << round.round;
            EXPECT_NEAR(distributions->target[token], std::exp(slot.check->p), 1e-6) << round.round;
        }
        session.send(FetchReplay{round.round, {}});
        ASSERT_TRUE(eventually([&] {
            const auto replayed = session.published().replayed;
            return replayed && replayed->round == round.round;
        }));
        const auto replayed = session.published().replayed;
        EXPECT_EQ(fold(*replayed->trace, replayed->trace->size()).round_list.at(0).commit->tokens, round.commit->tokens)
            << "the same dice in round " << round.round;
        session.send(CompareDrafters{round.round});
        ASSERT_TRUE(eventually([&] {
            const auto all = session.published().comparison;
            return all && all->complete() && all->round == round.round;
        }));
        for (const ComparisonRow& row : session.published().comparison->rows)
            if (row.drafter == "small") {
                const RunView again = fold(*row.trace, row.trace->size());
                ASSERT_EQ(again.round_list.at(0).drafts.size(), round.drafts.size());
                for (std::size_t i = 0; i < round.drafts.size(); ++i)
                    EXPECT_EQ(again.round_list[0].drafts[i].draft->token, round.drafts[i].draft->token);
            }
    }
    EXPECT_GT(judged, 4);
    ASSERT_TRUE(run.earlier);
    EXPECT_EQ(settings_at(1, *run.earlier, run.settings), on_table());
    EXPECT_EQ(settings_at(2, *run.earlier, run.settings).seed, 8u);
    EXPECT_EQ(settings_at(3, *run.earlier, run.settings).seed, 9u);
    finish(Fork{.round = 1, .budget = kUnlimitedPhases});
    const Snapshot back = session.published();
    EXPECT_EQ(settings_at(0, *back.earlier, back.settings), on_table());
    EXPECT_EQ(settings_at(1, *back.earlier, back.settings).seed, 9u) << "what a later fork had is gone";
}

TEST(Session, ARaceRunsBesideTheRunAndCanBeStopped) {
    Session session({.target = table_file()}, on_table());
    RaceSettings race;
    race.base = on_table();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    session.send(StartRace{race});
    ASSERT_TRUE(eventually([&] {
        const auto view = session.published().race;
        return view && view->finished();
    }));
    EXPECT_TRUE(session.published().race->lanes[1].trace->size() > 2);
    ASSERT_TRUE(session.published().trace) << "the run of the other scenes is untouched";

    race.base.max_tokens = 4000;
    session.send(StartRace{race});
    ASSERT_TRUE(eventually([&] { return session.published().race->settings.base.max_tokens == 4000; }));
    session.send(StopRace{});
    ASSERT_TRUE(eventually([&] { return session.published().race->running < 0; }));
    session.send(Restart{on_table(), kUnlimitedPhases});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    EXPECT_TRUE(session.published().race) << "it stays as it was when it was stopped";

    race.lanes.clear();
    session.send(StartRace{race});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::failed; }));
    EXPECT_NE(session.published().status.error.find("0 lanes"), std::string::npos);
}

TEST(Session, ASteppedRaceGoesAsFarAsIsAskedAndATimedOneWaitsForIt) {
    Session session({.target = table_file()}, on_table());
    RaceSettings race;
    race.base = on_table();
    race.lanes = race_entries({"none", "lookup"}, race.base);
    race.stepped = true;
    session.send(StartRace{race});
    const auto steps = [&] {
        const auto view = session.published().stepped;
        return view ? view->steps.size() : 0;
    };
    ASSERT_TRUE(eventually([&] { return steps() == 1; }));
    session.send(StepRace{Stride::phase});
    ASSERT_TRUE(eventually([&] { return steps() == 2; }));
    race.stepped = false;
    session.send(StartRace{race});
    ASSERT_TRUE(eventually([&] { return session.published().race != nullptr; }));
    session.send(StepRace{Stride::round});
    ASSERT_TRUE(eventually([&] { return steps() == 3; }));
    EXPECT_FALSE(session.published().race->finished()) << "times are measured alone";
    session.send(EndSteppedRace{});
    ASSERT_TRUE(eventually([&] { return session.published().race->finished(); }));
    EXPECT_EQ(steps(), 3u) << "what was stepped stays to be seen";
}

TEST(Session, CancelStopsARunAndClosingNeverHangs) {
    RunSettings endless = on_table();
    endless.max_tokens = 4000;
    Session session({.target = table_file()}, endless);
    ASSERT_TRUE(eventually([&] { return session.published().trace != nullptr; }));
    session.gate().set(kUnlimitedPhases);
    session.send(Cancel{});
    ASSERT_TRUE(eventually([&] { return session.published().status.state == EngineStatus::State::stopped; }));
    const auto trace = session.published().trace;
    EXPECT_TRUE(std::holds_alternative<Stopped>((*trace)[trace->size() - 1]));
}

} // namespace
} // namespace speclens
