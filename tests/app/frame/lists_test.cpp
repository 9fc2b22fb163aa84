// The lists over the window: glossary, quiz and the files that were saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/frame/popups.h"
#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
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
    std::ofstream(sessions / "chat.jsonl") << R"({"schema": "speclens-trace/1", "drafter": "domino", "k": 7, "date": "2026-11-22T13:10Z",)"
                                           << R"( "sampling": {"temperature": 0.7},)"
                                           << R"( "prompt_text": "<|im_start|>user\nWhat is\n3 + 4?<|im_end|>\n<|im_start|>assistant\n"})"
                                           << "\n";
    std::filesystem::last_write_time(sessions / "chat.jsonl", std::filesystem::file_time_type::clock::now() - std::chrono::hours(60));
    std::filesystem::last_write_time(sessions / "old.json", std::filesystem::file_time_type::clock::now() - std::chrono::hours(50));
    bench.show(fixtures::mixed(), 3);
    bench.key(ui::Key::s, {.ctrl = true});
    bench.show(fixtures::toy_run(fixtures::toys()[2]));
    bench.key(ui::Key::o, {.ctrl = true});
    EXPECT_TRUE(bench.shows("“An old race”")) << bench.words;
    EXPECT_TRUE(bench.shows("race · 2026-01-02 03:04 UTC")) << bench.words;
    const auto listed = [&] {
        return std::ranges::count_if(bench.texts, [](const ui::RecordedText& text) { return text.text.find(" UTC") != std::string::npos; });
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
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 640, 400}}) {
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

// ---- files ----

TEST(OpenDialog, SaysWhatAFileIsThatIsNoRun) {
    const test::TempFolder folder;
    const auto write = [&](const std::string& name, const std::string& bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return (folder / name).string();
    };
    const std::vector<std::pair<std::string, std::string>> files = {
        {write("a.png", "\x89PNG\r\n\x1A\n rest"), "a.png is a PNG picture, not a run"},
        {write("a.pdf", "%PDF-1.7"), "a.pdf is a PDF document, not a run"},
        {write("a.docx", std::string("PK\x03\x04", 4)), "a.docx is a ZIP archive"},
        {write("empty", ""), "empty is an empty file, not a run"},
        {write("page.html", "<!DOCTYPE html>"), "page.html is a web page"},
        {write("model.safetensors", std::string("\x40\0\0\0\0\0\0\0{\"a\":", 14)), "weights in the safetensors format"},
        {write("notes.md", "# What a run is\n"), "notes.md is a text, not a run"},
        {write("noise", std::string("ab\0cd", 5)), "no text, and of a kind that is not known here"}};
    for (const auto& [path, words] : files) {
        SceneBench bench("loop");
        bench.show(fixtures::mixed());
        bench.controller.perform({OpenFile{path}}, bench.time);
        bench.settle();
        EXPECT_TRUE(bench.shows(words)) << words << " in\n" << bench.words;
        EXPECT_TRUE(bench.shows("Ctrl+S")) << bench.words;
    }
}

TEST(OpenDialog, AsksTheDesktopWhereItCan) {
    SceneBench alone("loop");
    alone.show(fixtures::mixed());
    alone.key(ui::Key::o, {.ctrl = true});
    EXPECT_FALSE(alone.shows("Browse…")) << "paths can be typed";

    std::vector<FileQuestion> asked;
    SceneBench bench("loop",
                     {.send = {}, .set_budget = {}, .add_budget = {}, .cancel_loading = {}, .browse = [&](const FileQuestion& question) {
                          asked.push_back(question);
                      }});
    bench.show(fixtures::mixed());
    bench.key(ui::Key::o, {.ctrl = true});
    bench.click(bench.find("Browse…"));
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].what, FileQuestion::For::open);
    EXPECT_EQ(asked[0].known + "/" + asked[0].every, "What SpecLens reads/All files") << "in the language of the window";
    bench.controller.chose("", bench.time);
    bench.settle();
    EXPECT_EQ(bench.controller.chrome.popup, Popup::open_file) << "closed without a choice";
    bench.click(bench.find("Browse…"));
    bench.controller.chose("/nowhere/at/all.jsonl", bench.time);
    bench.settle();
    EXPECT_EQ(bench.controller.chrome.query, "/nowhere/at/all.jsonl") << "to be corrected";
    EXPECT_FALSE(bench.controller.chrome.problem.empty());
    bench.click(bench.find("Browse…"));
    bench.controller.chose((std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl").string(), bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("Opened ")) << bench.words;
    EXPECT_EQ(bench.controller.chrome.popup, Popup::none);

    std::filesystem::path written;
    bench.controller.export_frame = [&](const std::filesystem::path& file) { written = file; };
    bench.key(ui::Key::e, {.ctrl = true});
    bench.click(bench.find("Browse…"));
    EXPECT_EQ(asked.back().what, FileQuestion::For::save);
    bench.controller.chose("/some/where/picture", bench.time);
    EXPECT_EQ(written, "/some/where/picture.png");
    EXPECT_EQ(bench.controller.chrome.popup, Popup::none) << "it is no part of the picture";
}

// ---- own prompts ----

TEST(PromptEditor, SaysWhatTheModelCanDoAndOffersPromptsThatItKnows) {
    LiveBench live("loop");
    live.bench.controller.gallery = load_gallery(gallery_file(std::filesystem::path(SPEC_SOURCE_DIR) / "assets", true));
    Snapshot p;
    p.trace = fixtures::mixed();
    p.settings.prompt.text = live.bench.controller.gallery.front().prompt;
    p.status.built_in = true;
    p.prompt_room = [](const RunSettings&) { return PromptRoom{5, 100}; };
    live.observe(p);
    live.bench.key(ui::Key::n, {.ctrl = true});
    EXPECT_TRUE(live.bench.shows("5 million parameters")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("None of its prompts"));
    int good = 0;
    std::string last;
    for (const GalleryPrompt& one : live.bench.controller.gallery)
        for (const ui::RecordedText& text : live.bench.texts) {
            if (text.box.y > 440) continue;              // the field
            const std::size_t cut = text.text.find("…"); // of a long one
            if (text.text == one.prompt) last = one.prompt;
            if (text.text.size() > 12 && one.prompt.starts_with(text.text.substr(0, cut))) ++good;
        }
    EXPECT_EQ(good, 6) << live.bench.words;
    live.sent.clear();
    live.bench.click(live.bench.find(last));
    EXPECT_EQ(live.bench.controller.chrome.prompt, last);
    live.bench.key(ui::Key::enter);
    ASSERT_TRUE(live.last<Restart>()) << "Enter starts it";
    EXPECT_EQ(live.last<Restart>()->settings.prompt.text, last);
    EXPECT_EQ(live.bench.controller.chrome.popup, Popup::none);
    // Own words: it says why they may come to nothing, and names the way to a model that knows more.
    live.observe(p);
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.type("Wie alt ist die Welt?");
    EXPECT_TRUE(live.bench.shows("None of its prompts: this model has 5 million parameters")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("SmolLM2-135M-Instruct")) << live.bench.words;
    live.bench.key(ui::Key::enter, {.shift = true});
    EXPECT_EQ(live.bench.controller.chrome.prompt, "Wie alt ist die Welt?\n");
    // A real model answers anything.
    p.status.built_in = false;
    p.status.model = "SmolLM2-135M-Instruct";
    live.bench.key(ui::Key::escape);
    live.observe(p);
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.type("Wie alt ist die Welt?");
    EXPECT_TRUE(live.bench.shows("Ask SmolLM2-135M-Instruct any question")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("None of its prompts"));
}

// Five million, as every text says.
TEST(PromptEditor, CountsTheParametersOfTheBuiltInModel) {
    std::uintmax_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "target"))
        if (file.path().extension() == ".safetensors") bytes += file.file_size();
    EXPECT_GE(bytes / 2, 5'000'000U) << "two bytes each";
    EXPECT_LT(bytes / 2, 6'000'000U);
}

// ---- the real model ----

TEST(OwnPrompt, IsFollowedOnceByTheWayToARealModel) {
    std::vector<Command> sent;
    SceneBench bench("loop", {.send = [&](Command c) { sent.push_back(std::move(c)); },
                              .set_budget = [](std::int64_t) {},
                              .add_budget = [](std::int64_t) {},
                              .cancel_loading = [] {},
                              .fetch = [](const std::string&) {}});
    Controller& window = bench.controller;
    window.gallery = {{"facts", "What is the capital of Japan?", "", false}};
    const auto offer = [&] { return window.frame(bench.time).offer.words; };
    Snapshot p;
    p.trace = fixtures::mixed();
    p.settings.prompt.text = window.gallery[0].prompt;
    p.status.state = EngineStatus::State::idle;
    p.status.ready_drafters = {"none", "small"};
    p.status.built_in = true;
    p.runs = 1;
    window.observe(p, bench.time);
    bench.settle();
    LectureView::Step asks{"A question", "Notes.", 1, {.scene = "loop"}};
    asks.view.settings.prompt.text = "Why is the sky blue?";
    window.begin_lecture({"A lecture", {asks}}, bench.time);
    const auto ask = [&](const std::string& words) {
        RunSettings asked = *window.frame(bench.time).scene.settings;
        asked.prompt.text = words;
        window.perform({SceneCommand{Command{Restart{asked}}}}, bench.time);
        EXPECT_TRUE(offer().empty()) << "nothing was read yet";
        Snapshot answer = p;
        answer.trace = fixtures::toy_run(fixtures::toys()[3]);
        answer.settings = asked;
        answer.runs = ++p.runs;
        window.observe(answer, bench.time);
        bench.settle();
    };
    ask("Why is the sky blue?");
    EXPECT_TRUE(offer().empty()) << "the words of whoever wrote the lecture";
    ask("And of Peru?");
    EXPECT_NE(offer().find("5 million parameters"), std::string::npos) << offer();
    EXPECT_TRUE(bench.shows("SmolLM2-135M-Instruct")) << bench.words;
    bench.key(ui::Key::escape);
    EXPECT_TRUE(offer().empty());
    ask("What is the capital of Japan?");
    EXPECT_TRUE(offer().empty()) << "one of its own";
    ask("Noch etwas.");
    EXPECT_TRUE(offer().empty()) << "said once";
}

} // namespace
} // namespace speclens
