// Links and lectures in the window: copying a link, going to a named place, from step to step.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/link.h"
#include "app/popups.h"
#include "engine/models.h"
#include "kernels/error.h"
#include "scenes_bench.h"
#include "scenes_fixtures.h"
#include "temp_folder.h"

namespace speclens {
namespace {

struct ViewBench {
    std::vector<Command> sent;
    SceneBench bench;

    explicit ViewBench(const std::string& scene)
        : bench(scene, {.send = [this](Command c) { sent.push_back(std::move(c)); },
                        .set_budget = [](std::int64_t) {},
                        .add_budget = [](std::int64_t) {},
                        .cancel_loading = [] {}}) {}

    void observe(std::shared_ptr<const Trace> trace, const RunSettings& settings) {
        Snapshot p;
        p.trace = std::move(trace);
        p.settings = settings;
        p.status.state = EngineStatus::State::idle;
        p.status.ready_drafters = {"none", "small", "lookup", "domino"};
        bench.controller.observe(p, bench.time);
        bench.settle();
    }
    template <class T>
    [[nodiscard]] std::vector<T> all() const {
        std::vector<T> found;
        for (const Command& command : sent)
            if (const T* one = std::get_if<T>(&command)) found.push_back(*one);
        return found;
    }
    [[nodiscard]] FrameInput now() { return bench.controller.frame(bench.time); }
};

RunSettings other_dice(RunSettings settings = {}) {
    settings.seed = 99;
    return settings;
}

LectureView three_steps() {
    LectureView lecture;
    lecture.title = "A lecture";
    lecture.steps = {
        {"First", "Say this.", 2, {.scene = "loop", .place = {.at = 4}}},
        {"Second", "", 3, {.scene = "bottleneck", .place = {.beat = 3}}},
        {"Third", "Say that.\n", 0, {.scene = "loop", .place = {.at = 7}, .settings = other_dice()}}};
    return lecture;
}

} // namespace

TEST(Links, CtrlLCopiesTheFrameOnScreen) {
    ViewBench live("loop");
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({SceneCommand{SetCursor{9}}}, live.bench.time);
    live.bench.key(ui::Key::l, {.ctrl = true});
    const Link link = parse_link(live.bench.controller.clipboard);
    EXPECT_EQ(link.scene, "loop");
    EXPECT_EQ(link.at, 9U);
    EXPECT_EQ(link.options, options_of(RunSettings{}));
    live.bench.key(ui::Key::l, {.shift = true, .ctrl = true});
    EXPECT_EQ(live.bench.controller.clipboard, command_of(options_of(RunSettings{})));
}

TEST(Links, NameBeatsAndWhatIsSelected) {
    ViewBench live("domino");
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({SceneCommand{SetBeat{2}}}, live.bench.time);
    live.bench.controller.perform({SceneCommand{Select{Position{0, 2}}}}, live.bench.time);
    const Link link = live.bench.controller.link();
    EXPECT_EQ(link.scene, "domino");
    EXPECT_EQ(link.beat, 3);
    EXPECT_EQ(link.selected, std::pair(0, 2));
    live.bench.controller.folders = {{"model", "/models/q"}};
    EXPECT_EQ(live.bench.controller.link().options.front().second, "/models/q");
}

TEST(Links, ASavedRunAndAForkedOneHaveNone) {
    SceneBench saved("loop");
    saved.show(fixtures::mixed(), 5);
    saved.key(ui::Key::l, {.ctrl = true});
    EXPECT_TRUE(saved.controller.clipboard.empty());
    EXPECT_TRUE(saved.shows("a saved run has no link")) << saved.words;

    ViewBench forked("loop");
    auto trace = fixtures::toy_run(fixtures::toys().front());
    trace->append(Commanded{"another guess"});
    forked.observe(trace, {});
    forked.bench.key(ui::Key::l, {.ctrl = true});
    EXPECT_TRUE(forked.bench.controller.clipboard.empty());
    EXPECT_TRUE(forked.bench.shows("a forked run has no link")) << forked.bench.words;
    forked.bench.key(ui::Key::l, {.shift = true, .ctrl = true});
    EXPECT_TRUE(forked.bench.controller.clipboard.empty());
    EXPECT_TRUE(forked.bench.shows("a forked run has no command")) << forked.bench.words;
}

TEST(Links, APlaceIsGoneToAsSoonAsTheRunIsLongEnough) {
    ViewBench live("loop");
    live.bench.controller.expect_place({.at = 12, .selected = std::pair(0, 1)});
    live.bench.settle(); // nothing there yet
    const auto whole = fixtures::mixed();
    auto growing = std::make_shared<Trace>([](int) { return std::string(); });
    for (std::size_t i = 0; i < 8; ++i) growing->append((*whole)[i]);
    live.observe(growing, {});
    EXPECT_LT(live.now().scene.cursor, 12U);
    for (std::size_t i = 8; i < whole->size(); ++i) growing->append((*whole)[i]);
    live.bench.settle();
    EXPECT_EQ(live.now().scene.cursor, 12U);
    ASSERT_TRUE(live.now().scene.selected);
    EXPECT_EQ(*live.now().scene.selected, (Position{0, 1}));
    live.bench.key(ui::Key::right); // and only once
    EXPECT_EQ(live.now().scene.cursor, 13U);
}

TEST(Links, APlaceIsForgottenWhereTheUserGoesElsewhere) {
    const auto whole = fixtures::mixed();
    const auto beginning = [&] {
        auto trace = std::make_shared<Trace>([](int) { return std::string(); });
        for (std::size_t i = 0; i < 8; ++i) trace->append((*whole)[i]);
        return trace;
    };
    for (const bool steps : {true, false}) {
        ViewBench live("loop");
        live.bench.controller.expect_place({.at = 12});
        const auto growing = beginning();
        live.observe(growing, {});
        if (steps)
            live.bench.key(ui::Key::home);
        else
            live.bench.controller.perform({SceneCommand{OpenScene{"accept-rule"}}}, live.bench.time);
        for (std::size_t i = 8; i < whole->size(); ++i) growing->append((*whole)[i]);
        live.bench.settle();
        EXPECT_NE(live.now().scene.cursor, 12U);
    }
}

TEST(Links, APlaceBehindTheEndIsTheEnd) {
    ViewBench live("loop");
    live.bench.controller.expect_place({.at = 100000});
    const auto trace = fixtures::mixed();
    live.observe(trace, {});
    EXPECT_EQ(live.now().scene.cursor, trace->size());
    ViewBench beats("bottleneck");
    beats.bench.controller.expect_place({.beat = 99});
    beats.observe(trace, {});
    EXPECT_EQ(beats.now().scene.beat, beats.now().active->beats(beats.now().scene) - 1);
}

TEST(Lectures, PageDownGoesFromStepToStep) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    EXPECT_NE(live.bench.controller.told.find("1 of 3  First   at 0:00, planned 0:00\nSay this.\n"),
              std::string::npos)
        << live.bench.controller.told;
    live.observe(fixtures::mixed(), {});
    EXPECT_EQ(live.now().scene.cursor, 4U);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;

    live.bench.controller.told.clear();
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    EXPECT_EQ(live.now().scene.beat, 2);
    EXPECT_TRUE(live.all<Restart>().empty()) << "the same run";
    EXPECT_NE(live.bench.controller.told.find("2 of 3  Second"), std::string::npos);
    EXPECT_NE(live.bench.controller.told.find("planned 2:00"), std::string::npos);

    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<Restart>().size(), 1U) << "other dice";
    EXPECT_EQ(live.all<Restart>()[0].settings.seed, 99U);
    const std::size_t before = live.now().scene.cursor;
    EXPECT_NE(before, 7U) << "the old run is no place to go to";
    live.observe(fixtures::toy_run(fixtures::toys()[3]), other_dice());
    EXPECT_EQ(live.now().scene.cursor, 7U);

    live.bench.key(ui::Key::page_down); // the last one
    EXPECT_TRUE(live.bench.shows("This is the last step")) << live.bench.words;
    live.bench.key(ui::Key::page_up);
    live.bench.key(ui::Key::page_up);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;
}

TEST(Lectures, TheFirstPageAfterADetourLeadsBack) {
    for (const ui::Key page : {ui::Key::page_down, ui::Key::page_up}) {
        ViewBench live("loop");
        live.bench.controller.begin_lecture(three_steps(), live.bench.time);
        live.bench.controller.expect_place({.at = 4});
        live.observe(fixtures::mixed(), {});
        live.bench.key(ui::Key::page_down);
        ASSERT_EQ(live.now().scene_name, "bottleneck");
        EXPECT_FALSE(live.bench.shows("(away)")) << live.bench.words;
        live.bench.key(ui::Key::page_down, {.ctrl = true});
        ASSERT_NE(live.now().scene_name, "bottleneck");
        EXPECT_TRUE(live.bench.shows("step 2 of 3 (away) · Second")) << live.bench.words;
        live.bench.key(page);
        EXPECT_EQ(live.now().scene_name, "bottleneck");
        EXPECT_EQ(live.now().scene.beat, 2);
        EXPECT_EQ(live.now().lecture->step, 1);
        EXPECT_FALSE(live.bench.shows("(away)"));
        live.bench.key(ui::Key::page_up);
        EXPECT_EQ(live.now().lecture->step, 0) << "the next one turns the page";
    }
}

TEST(Lectures, TheLastStepIsReturnedToAsWell) {
    LectureView lecture = three_steps();
    lecture.steps.pop_back();
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    live.bench.key(ui::Key::page_down, {.ctrl = true});
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("This is the last step")) << live.bench.words;
}

TEST(Lectures, StepsAreFoundByTheirNamesAndTheLectureCanBeLeft) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::k, {.ctrl = true});
    ui::Input typed;
    typed.typed = "second";
    live.bench.frame(typed);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Step 2: Second")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().lecture->step, 1);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    live.bench.key(ui::Key::f4);
    live.bench.controller.perform({PickAction{Action::leave_lecture}}, live.bench.time);
    live.bench.settle();
    EXPECT_FALSE(live.now().lecture);
    EXPECT_FALSE(live.bench.controller.chrome.notes);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene.beat, 3) << "a clicker steps again";
    live.bench.controller.perform({PickAction{Action::leave_lecture}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("No lecture is open")) << live.bench.words;
}

TEST(Lectures, ArrowKeysStepAsEver) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::right);
    EXPECT_EQ(live.now().scene.cursor, 5U);
    EXPECT_EQ(live.now().lecture->step, 0);
}

TEST(Lectures, F4ShowsTheNotes) {
    ViewBench live("loop");
    live.bench.key(ui::Key::f4);
    EXPECT_TRUE(live.bench.shows("No lecture is open")) << live.bench.words;
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::f4);
    EXPECT_TRUE(live.bench.shows("Say this.")) << live.bench.words;
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(live.bench.shows("Say this."));
}

TEST(Lectures, ARaceIsAskedForOnceAndWithItsOwnPrompt) {
    LectureView lecture = three_steps();
    lecture.steps[1].view.scene = "race";
    lecture.steps[1].view.race.base.prompt = "Another prompt";
    lecture.steps[1].view.race.base.sampling.temperature = 0;
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<StartRace>().size(), 1U);
    EXPECT_EQ(live.all<StartRace>()[0].settings.base.prompt, "Another prompt");
    EXPECT_FALSE(live.all<StartRace>()[0].settings.lanes.empty()) << "the usual ones";
    live.bench.key(ui::Key::page_up);
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.all<StartRace>().size(), 1U) << "it is still there";
}

TEST(GlossaryPopup, ExplainsAWordAndLeadsToItsScene) {
    ViewBench live("loop");
    live.bench.key(ui::Key::g);
    EXPECT_TRUE(live.bench.shows("There is no glossary")) << live.bench.words;
    live.bench.controller.glossary = parse_glossary(R"([
        {"term": "bonus token", "text": "One for free.", "see": "loop"},
        {"term": "residual distribution", "also": ["resampling"], "text": "What is owed.", "see": "accept-rule/6"}])",
                                                    "g");
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::g);
    EXPECT_TRUE(live.bench.shows("One for free.")) << live.bench.words;
    live.bench.key(ui::Key::down);
    EXPECT_TRUE(live.bench.shows("What is owed.")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("also: resampling")) << live.bench.words;
    ui::Input typed;
    typed.typed = "bonus";
    live.bench.frame(typed);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("One for free.")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("residual distribution"));
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(live.bench.shows("One for free."));
    live.bench.key(ui::Key::g);
    live.bench.key(ui::Key::down);
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().scene_name, "accept-rule");
    EXPECT_EQ(live.now().scene.beat, 5);
}

TEST(OpenDialog, ListsWhatWasSavedNewestFirst) {
    const test::TempFolder folder;
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    SceneBench bench("loop");
    bench.key(ui::Key::o, {.ctrl = true});
    EXPECT_TRUE(bench.shows("Nothing was saved yet")) << bench.words;
    bench.key(ui::Key::escape);
    const std::filesystem::path sessions = folder / "speclens" / "sessions";
    std::ofstream(sessions / "broken.jsonl") << "{\"schema\": 7";
    std::ofstream(sessions / "other.json") << "[1, 2]\n";
    std::ofstream(sessions / "empty.json").flush();
    std::ofstream(sessions / "old.json") << R"({"schema": "speclens-race/1", "date": "2026-01-02T03:04Z",
        "prompt": "An old race", "lanes": [{"drafter": )"; // a beginning is enough for the list
    std::ofstream(sessions / "chat.jsonl")
        << R"({"schema": "speclens-trace/1", "drafter": "domino", "k": 7, "date": "2026-11-22T13:10Z",)"
        << R"( "sampling": {"temperature": 0.7},)"
        << R"( "prompt_text": "<|im_start|>user\nWhat is\n3 + 4?<|im_end|>\n<|im_start|>assistant\n"})" << "\n";
    std::filesystem::last_write_time(sessions / "chat.jsonl", std::filesystem::file_time_type::clock::now() -
                                                                  std::chrono::hours(60));
    std::filesystem::last_write_time(sessions / "old.json", std::filesystem::file_time_type::clock::now() -
                                                                std::chrono::hours(50));
    bench.show(fixtures::mixed(), 3);
    bench.key(ui::Key::s, {.ctrl = true});
    bench.show(fixtures::toy_run(fixtures::toys()[2]));
    bench.key(ui::Key::o, {.ctrl = true});
    EXPECT_TRUE(bench.shows("“An old race”")) << bench.words;
    EXPECT_TRUE(bench.shows("race · 2026-01-02 03:04 UTC")) << bench.words;
    const auto listed = [&] {
        return std::ranges::count_if(bench.texts, [](const ui::RecordedText& text) {
            return text.text.find(" UTC") != std::string::npos;
        });
    };
    EXPECT_TRUE(bench.shows("“What is 3 + 4?”")) << bench.words;
    EXPECT_TRUE(bench.shows("domino, K = 7, T = 0.7 · 2026-11-22 13:10 UTC")) << bench.words;
    EXPECT_EQ(listed(), 3) << bench.words;
    EXPECT_FALSE(bench.shows("broken"));
    EXPECT_FALSE(bench.shows("other.json"));
    ui::Input typed;
    typed.typed = "old";
    bench.frame(typed);
    bench.settle();
    EXPECT_TRUE(bench.shows("“An old race”"));
    EXPECT_EQ(listed(), 1) << bench.words;
    typed.typed = "/nowhere.jsonl";
    bench.frame(typed);
    bench.settle();
    EXPECT_TRUE(bench.shows("Open this file")) << bench.words;
    bench.key(ui::Key::enter);
    EXPECT_TRUE(bench.shows("cannot open the session file old/nowhere.jsonl")) << bench.words;
    EXPECT_EQ(bench.controller.chrome.popup, Popup::open_file) << "to be corrected";
    EXPECT_EQ(bench.controller.chrome.query, "old/nowhere.jsonl");
    EXPECT_TRUE(bench.controller.frame(bench.time).banner.empty()) << "it is said once";
    const bool run_ahead = bench.controller.frame(bench.time).run_ahead;
    typed.typed = "x"; // goes into the field, and what was said about the text before goes
    bench.frame(typed);
    bench.settle();
    EXPECT_EQ(bench.controller.chrome.query, "old/nowhere.jsonlx");
    EXPECT_EQ(bench.controller.frame(bench.time).run_ahead, run_ahead);
    EXPECT_FALSE(bench.shows("cannot open the session file")) << bench.words;
    bench.key(ui::Key::escape);
    ASSERT_EQ(bench.controller.chrome.popup, Popup::none);
    bench.key(ui::Key::o, {.ctrl = true});
    EXPECT_TRUE(bench.controller.chrome.query.empty());
    bench.key(ui::Key::enter); // the newest one
    EXPECT_EQ(bench.controller.chrome.popup, Popup::none);
    EXPECT_EQ(bench.controller.frame(bench.time).scene.trace->size(), fixtures::mixed()->size());
    ::unsetenv("XDG_DATA_HOME");
}

TEST(SavedFiles, OfOneSecondDoNotReplaceEachOther) {
    const test::TempFolder folder;
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 3);
    for (int i = 0; i < 5; ++i) bench.key(ui::Key::s, {.ctrl = true});
    const std::filesystem::directory_iterator files(folder / "speclens" / "sessions");
    EXPECT_EQ(std::distance(begin(files), end(files)), 5);
    ::unsetenv("XDG_DATA_HOME");
}

TEST(GlossaryPopup, ThePaletteFindsItsWords) {
    ViewBench live("loop");
    live.bench.controller.glossary = parse_glossary(
        R"([{"term": "a", "text": "x", "see": "loop"}, {"term": "residual", "also": ["owed"], "text": "What is owed.", "see": "accept-rule"}])",
        "g");
    live.observe(fixtures::mixed(), {});
    const std::vector<PaletteRow> rows = palette_rows(live.now(), "?owed");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].label, "Word: residual");
    live.bench.controller.perform({rows[0].command}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("What is owed.")) << live.bench.words;
}

TEST(QuizPopup, AsksFromTheOpenSceneOnAndSaysWhatIsRight) {
    ViewBench live("race");
    live.bench.controller.quiz = parse_quiz(R"([
        {"see": "loop", "question": "First?", "choices": ["x1", "y1"], "answer": 1, "why": "Because one."},
        {"see": "race/2", "question": "Second?", "choices": ["x2", "y2"], "answer": 0, "why": "Because two."}])",
                                            "q");
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({SceneCommand{OpenScene{"race"}}}, live.bench.time);
    live.bench.key(ui::Key::q);
    EXPECT_TRUE(live.bench.shows("Second?")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("Because two."));
    live.bench.key(ui::Key::b);
    EXPECT_TRUE(live.bench.shows("Because two.")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("0 of 1 right")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_TRUE(live.bench.shows("First?")) << live.bench.words;
    live.bench.click(live.bench.find("y1"));
    EXPECT_TRUE(live.bench.shows("1 of 2 right")) << live.bench.words;
    live.bench.click(live.bench.find("Show it: Loop"));
    EXPECT_EQ(live.now().scene_name, "loop");
    EXPECT_FALSE(live.bench.shows("First?"));
    live.bench.key(ui::Key::q); // goes on where it was
    EXPECT_TRUE(live.bench.shows("Because one.")) << live.bench.words;
}

TEST(QuizPopup, CountsTheHandsOfARoom) {
    ViewBench live("loop");
    live.bench.controller.quiz = parse_quiz(
        R"([{"see": "loop", "question": "Which?", "choices": ["x1", "y1", "z1"], "answer": 1, "why": "So."},
            {"see": "loop", "question": "And?", "choices": ["x2", "y2"], "answer": 0, "why": "So."}])",
        "q");
    live.observe(fixtures::mixed(), {});
    const QuizRound& round = live.bench.controller.chrome.quiz;
    live.bench.key(ui::Key::q);
    EXPECT_TRUE(live.bench.shows("counts a hand")) << live.bench.words;
    const auto hand = [&](ui::Key key) { live.bench.key(key, {.shift = true}); };
    hand(ui::Key::a);
    live.bench.key(ui::Key::backspace);
    EXPECT_EQ(round.hands(), 0) << "counted anew";
    for (const ui::Key key : {ui::Key::b, ui::Key::b, ui::Key::c}) hand(key);
    hand(ui::Key::d); // there is no such choice
    EXPECT_EQ(round.hands(), 3);
    EXPECT_EQ(round.hands(1), 2);
    ui::Input fast; // two presses within one frame are two hands
    fast.keys = {{.key = ui::Key::b, .shift = true}, {.key = ui::Key::b, .shift = true}};
    live.bench.frame(fast);
    EXPECT_EQ(round.hands(1), 4);
    EXPECT_EQ(round.given(), -1) << "a hand is no answer";
    live.bench.key(ui::Key::b);
    EXPECT_TRUE(live.bench.shows("4 of 5 hands went up for the right answer")) << live.bench.words;
    hand(ui::Key::a);
    EXPECT_EQ(round.hands(), 5) << "the answer is known";
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(round.hands(), 0) << "of the next question";
}

TEST(QuizPopup, EveryQuestionFitsAtEverySize) {
    const std::vector<QuizQuestion> quiz = load_quiz(assets_folder() / "quiz.json");
    for (const ui::Rect screen :
         {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 640, 400}}) {
        SceneBench bench("loop", {}, screen);
        bench.controller.quiz = quiz;
        bench.show(fixtures::mixed(), 5);
        bench.key(ui::Key::q);
        for (const QuizQuestion& q : quiz) {
            (void)q;
            bench.key(ui::Key::a);
            bench.frame();
            for (const ui::RecordedText& text : bench.clipped)
                EXPECT_TRUE(screen.h < 500) << text.text << " is cut off at " << screen.w << "x" << screen.h;
            bench.key(ui::Key::enter);
        }
        EXPECT_EQ(bench.controller.chrome.quiz.answered(), static_cast<int>(quiz.size()));
    }
}

TEST(Links, CanBePastedIntoTheWindow) {
    ViewBench live("loop");
    live.bench.controller.read.link = [](const std::string& text) -> SceneView {
        const Link link = parse_link(text);
        if (link.scene != "bottleneck") throw Error("no such scene", "Try another.");
        return {.scene = link.scene, .place = {.beat = link.beat}};
    };
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::k, {.ctrl = true});
    ui::Input typed;
    typed.typed = "speclens://bottleneck/3";
    live.bench.frame(typed);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Go to this link")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    EXPECT_EQ(live.now().scene.beat, 2);
    live.bench.controller.perform({OpenFile{"speclens://loop"}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("no such scene")) << live.bench.words;
    EXPECT_EQ(live.now().scene_name, "bottleneck");
}

TEST(Lectures, AreFoundInTheWindow) {
    ViewBench live("bottleneck");
    live.bench.controller.read.lectures = {{"A lecture of mine", "mine.lec.toml"}};
    live.bench.controller.read.lecture = [](const std::string& file) {
        EXPECT_EQ(file, "mine.lec.toml");
        return three_steps();
    };
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({PickAction{Action::open_lecture}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Lecture: A lecture of mine")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().scene_name, "loop");
    EXPECT_EQ(live.now().scene.cursor, 4U);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;
    EXPECT_EQ(live.bench.controller.told.find("1 of 3"), live.bench.controller.told.rfind("1 of 3"))
        << "told once";
}

} // namespace speclens
