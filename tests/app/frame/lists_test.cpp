// The lists over the window: glossary, quiz and the files that were saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/frame/popups.h"
#include "engine/run/models.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/view_bench.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

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
        << R"( "prompt_text": "<|im_start|>user\nWhat is\n3 + 4?<|im_end|>\n<|im_start|>assistant\n"})"
        << "\n";
    std::filesystem::last_write_time(sessions / "chat.jsonl",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(60));
    std::filesystem::last_write_time(sessions / "old.json",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(50));
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

} // namespace
} // namespace speclens
