// The parts of the controller, each by itself.
#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "app/frame/actions.h"
#include "app/frame/controller.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "scenes/shared/speak.h"
#include "tests/shared/session_bench.h"

namespace speclens {
namespace {

struct PartsBench {
    FrameUi chrome;
    std::vector<Command> sent;
    std::vector<std::int64_t> budgets;
    ControllerCommon common{{.send = [this](Command c) { sent.push_back(std::move(c)); },
                             .set_budget = [this](std::int64_t n) { budgets.push_back(n); },
                             .add_budget = [this](std::int64_t n) { budgets.push_back(n); },
                             .cancel_loading = {}},
                            chrome};
    Snapshot now;

    template <typename C>
    [[nodiscard]] bool sent_last() const {
        return !sent.empty() && std::holds_alternative<C>(sent.back());
    }
    // A run of the table to its end, or so many phases of it.
    void run(int phases = 100000) {
        static const auto models = std::make_shared<const Models>(load_models({.target = table_file()}));
        Run run(models, on_table());
        while (phases-- > 0 && run.step()) {
        }
        now.trace = run.shared_trace();
        now.settings = on_table();
        ++now.runs;
        now.status.state = EngineStatus::State::idle;
        now.status.ready_drafters = {"none", "small", "lookup"};
        common.status = now.status;
    }
};

std::size_t first_rejection(const Trace& trace) {
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* check = std::get_if<Checked>(&trace[i]); check && !check->accepted) return i + 1;
    return 0;
}

TEST(ControllerParts, TheCursorStepsAndSeeks) {
    PartsBench bench;
    bench.run();
    CursorPart cursor(bench.common);
    cursor.stand(bench.now.trace, 1);
    EXPECT_TRUE(cursor.step(0));
    EXPECT_EQ(cursor.at(), 2U);
    EXPECT_EQ(cursor.moving(0, false).size(), 1U) << "what the step brought moves";
    EXPECT_TRUE(cursor.moving(10, false).empty());
    cursor.step_back(0);
    EXPECT_EQ(cursor.at(), 1U);
    const std::size_t rejection = first_rejection(*bench.now.trace);
    ASSERT_GT(rejection, 0U);
    cursor.seek(CursorPart::Seek::rejection, true);
    cursor.follow_seek(true, 0);
    EXPECT_EQ(cursor.at(), rejection);
    EXPECT_TRUE(cursor.selected) << "the guess that was asked for";
    EXPECT_TRUE(bench.budgets.empty()) << "it was there";
    cursor.go_to(cursor.end(), 0, false);
    EXPECT_FALSE(cursor.step(0));
    cursor.seek(CursorPart::Seek::rejection, true);
    cursor.follow_seek(true, 0);
    EXPECT_EQ(cursor.at(), cursor.end());
    EXPECT_EQ(bench.chrome.message, "No further rejection in this run");
}

TEST(ControllerParts, TheCursorLetsTheEngineRunForWhatIsNotThere) {
    PartsBench bench;
    bench.run(2);
    CursorPart cursor(bench.common);
    cursor.stand(bench.now.trace, bench.now.trace->size());
    cursor.seek(CursorPart::Seek::step, false);
    EXPECT_EQ(bench.budgets, std::vector<std::int64_t>{1});
    EXPECT_TRUE(cursor.seeking());
    cursor.follow_seek(false, 0);
    EXPECT_TRUE(cursor.seeking()) << "not there yet";
    cursor.seek(CursorPart::Seek::round, false);
    EXPECT_EQ(bench.budgets.back(), kUnlimitedPhases);
    bench.run();
    cursor.grow(bench.now.trace);
    cursor.follow_seek(false, 0);
    EXPECT_FALSE(cursor.seeking());
    EXPECT_TRUE(std::holds_alternative<Committed>((*bench.now.trace)[cursor.at() - 1]));
}

TEST(ControllerParts, ARunKeepsQuestionsForTheOneThatWasAskedFor) {
    PartsBench bench;
    bench.run();
    RunPart run(bench.common, on_table());
    EXPECT_TRUE(run.observe(bench.now, 0));
    EXPECT_EQ(bench.budgets, std::vector<std::int64_t>{kUnlimitedPhases}) << "of the first one";
    run.ask(FetchReplay{1, {}}, 0);
    EXPECT_TRUE(bench.sent_last<FetchReplay>());
    run.begin(on_table());
    EXPECT_TRUE(run.due());
    run.ask(FetchReplay{1, {}}, 0);
    EXPECT_TRUE(bench.sent_last<Restart>()) << "it would be answered of the new run";
    bench.now.status.state = EngineStatus::State::failed;
    EXPECT_FALSE(run.observe(bench.now, 0));
    EXPECT_TRUE(bench.sent_last<FetchReplay>()) << "the old run is still the engine's";
    EXPECT_FALSE(run.due());
    run.open(bench.now.trace, on_table(), false);
    const std::size_t before = bench.sent.size();
    run.ask(FetchReplay{1, {}}, 0);
    EXPECT_EQ(bench.sent.size(), before) << "the engine holds another run";
    EXPECT_FALSE(run.grows());
}

TEST(ControllerParts, ARaceIsStartedOnceAndEndsTheSteppedOne) {
    PartsBench bench;
    bench.run();
    RacePart race(bench.common, on_table());
    race.enter();
    ASSERT_TRUE(bench.sent_last<StartRace>());
    EXPECT_FALSE(race.wish().lanes.empty());
    race.enter();
    EXPECT_EQ(bench.sent.size(), 1U);
    race.toggle_stepped();
    EXPECT_TRUE(std::get<StartRace>(bench.sent.back()).settings.stepped);
    RaceSettings timed = race.wish();
    timed.stepped = false;
    race.start(timed);
    ASSERT_EQ(bench.sent.size(), 4U);
    EXPECT_TRUE(std::holds_alternative<EndSteppedRace>(bench.sent[2]));
    RunSettings hotter = on_table();
    hotter.sampling.temperature = 0.5;
    race.change(hotter);
    ASSERT_NE(race.next(false), nullptr);
    race.take_back(false);
    EXPECT_EQ(race.wish().base.sampling.temperature, on_table().sampling.temperature);
    EXPECT_NE(race.next(true), nullptr);
}

TEST(ControllerParts, ALectureTellsItsStepsAndEndsAtTheLast) {
    std::string told;
    LecturePart lecture(told);
    EXPECT_FALSE(lecture.open());
    EXPECT_FALSE(lecture.place());
    LectureView view;
    view.steps = {{.title = "One", .notes = "Say this.", .minutes = 2, .view = {}},
                  {.title = "Two", .notes = "Of its own run.", .minutes = 0, .view = {}, .found_notes = "Of another model's."}};
    const auto elsewhere = [](const LectureView::Step& step) { return !step.found_notes.empty(); };
    lecture.begin(view, false, 100);
    EXPECT_EQ(told, "\n1 of 2  One   at 0:00, planned 0:00\nSay this.\n");
    told.clear();
    (void)lecture.go_to(7, elsewhere, 225);
    EXPECT_EQ(lecture.at(), 1);
    EXPECT_EQ(told, "\n2 of 2  Two   at 2:05, planned 2:00\nOf another model's.\n");
    EXPECT_EQ(lecture.next(), nullptr);
    (void)lecture.go_to(-1, elsewhere, 230);
    EXPECT_EQ(lecture.at(), 0);
    EXPECT_NE(lecture.next(), nullptr);
}

TEST(ControllerParts, UndoNamesWhatItWouldChange) {
    UndoPart undo;
    RunSettings other = on_table();
    other.k = 5;
    undo.keep(undo.version(on_table()));
    ASSERT_NE(undo.next(false), nullptr);
    EXPECT_EQ(change_words(undo.version(other), *undo.next(false)), "K = 2");
    RunSettings several = other;
    several.drafter = "domino", several.seed = 9, several.sampling.temperature = 0.5;
    EXPECT_EQ(change_words(other, several), "drafter domino, T = 0.5, seed 9");
    undo.branched(other, Fork{.round = 2});
    EXPECT_TRUE(undo.forked());
    EXPECT_EQ(undo.version(on_table()).settings, other) << "those that the forks were made on";
    EXPECT_EQ(change_words(undo.version(other), RunVersion{other}), "the run before the fork at round 3");
    undo.began();
    EXPECT_FALSE(undo.forked());
}

// The tables of actions are open: what stands in no table would do nothing without a word.
TEST(ControllerParts, EveryActionIsInATable) {
    for (const ActionInfo& info : action_list()) {
        Controller controller(
            {.send = [](Command) {}, .set_budget = [](std::int64_t) {}, .add_budget = [](std::int64_t) {}, .cancel_loading = {}},
            RunSettings{}, "loop");
        EXPECT_NO_THROW(controller.perform({PickAction{info.action}}, 1)) << info.label.id();
    }
    speak("en"); // one of them was another language
}

} // namespace
} // namespace speclens
