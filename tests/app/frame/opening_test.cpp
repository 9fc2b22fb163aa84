// The opening: moves by the clock, is skipped by any key, has doors that lead somewhere, and is shown once.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "app/frame/controller.h"
#include "engine/run/trace_json.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"

namespace speclens {
namespace {

// A window that has just been opened, with a run that is over.
struct Opened {
    LiveBench live{"race"};
    explicit Opened(bool with_run = true) {
        live.bench.controller.chrome.opening.open = true;
        live.bench.frame();
        if (with_run) live.observe(fixtures::mixed());
    }
    void at(double seconds) {
        live.bench.time = live.bench.controller.chrome.opening.began + seconds;
        live.bench.frame();
    }
    [[nodiscard]] bool shows(const std::string& words) const { return live.bench.shows(words); }
    [[nodiscard]] bool open() const { return live.bench.controller.chrome.opening.open; }
};

TEST(OpeningMotion, TellsInTenSecondsWhatIsGuessedAndChecked) {
    Opened window(false);
    EXPECT_TRUE(window.shows("any key skips")) << window.live.bench.words;
    window.live.observe(fixtures::mixed());
    window.at(0.3);
    EXPECT_TRUE(window.shows("the target, writes one token a pass")) << window.live.bench.words;
    EXPECT_TRUE(window.shows("one pass"));
    EXPECT_GT(window.live.bench.widgets.wake_at, 0) << "it moves by itself";
    const std::uint64_t early = window.live.bench.picture;
    window.at(0.9);
    EXPECT_NE(window.live.bench.picture, early);
    EXPECT_TRUE(window.shows("2 passes, 1 token")) << window.live.bench.words;
    window.at(4.2);
    EXPECT_TRUE(window.shows("the draft, guesses what comes next")) << window.live.bench.words;
    window.at(7.2);
    EXPECT_TRUE(window.shows("one pass for all of them")) << window.live.bench.words;
    window.at(9.5);
    EXPECT_TRUE(window.shows("passes of the large model instead of")) << window.live.bench.words;
    const auto trace = fixtures::mixed();
    const RunView whole = fold(*trace, trace->size());
    EXPECT_TRUE(
        window.shows(std::to_string(whole.rounds) + " passes of the large model instead of " + std::to_string(whole.output_tokens)));
    EXPECT_FALSE(window.shows("The same text")) << "this one was drawn at a temperature";
    window.at(10.1);
    EXPECT_TRUE(window.shows("Watch one round")) << window.live.bench.words;
    window.live.bench.time += 5;
    window.live.bench.settle();
    EXPECT_EQ(window.live.bench.widgets.wake_at, 0) << "doors stand still";
}

// Guesses that lie there are no tokens yet, and a pass is paid when it is through: no count is worse than plain decoding's.
TEST(OpeningMotion, SaysNoFewerTokensThanItHasPaidPasses) {
    Opened window;
    for (double at = 0.2; at < 7.7; at += 0.1) {
        window.at(at);
        int passes = -1, tokens = 0;
        for (const ui::RecordedText& text : window.live.bench.texts)
            if (std::sscanf(text.text.c_str(), "%d pas%*[se], %d token", &passes, &tokens) == 2) break;
        ASSERT_GE(passes, 0) << at << window.live.bench.words;
        EXPECT_GE(tokens + 1, passes) << at << ": one pass is under way at most\n" << window.live.bench.words;
        const bool there = at > 3.05 && at < 6.65, gone = at < 2.95 || at > 6.75;
        const bool counted = window.shows("tokens, ") || window.shows("token, "); // "10 passes, 10 tokens, 4 guesses"
        EXPECT_TRUE(counted ? !gone : !there) << at << window.live.bench.words;
    }
    window.at(7.5);
    EXPECT_FALSE(window.shows("tokens, ")) << window.live.bench.words;
}

TEST(OpeningMotion, GivesWayToAFileThatIsDropped) {
    Opened window;
    ui::Input input;
    input.dropped = {SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl"};
    window.live.bench.frame(input);
    window.live.bench.settle();
    EXPECT_FALSE(window.open());
    EXPECT_TRUE(window.live.bench.controller.preferences().introduced);
    EXPECT_TRUE(window.shows("RECORDED")) << window.live.bench.words;
}

TEST(OpeningMotion, AnyKeySkipsItAndEscapeLeavesTheDoors) {
    for (const ui::Key key : {ui::Key::x, ui::Key::enter, ui::Key::escape, ui::Key::k}) {
        Opened window;
        window.at(1);
        window.live.sent.clear();
        window.live.bench.key(key);
        EXPECT_TRUE(window.open() && window.shows("Race the drafters")) << window.live.bench.words;
        EXPECT_TRUE(window.live.sent.empty()) << "the key did nothing else";
        EXPECT_FALSE(window.live.bench.controller.preferences().introduced);
        window.live.bench.key(ui::Key::escape);
        EXPECT_FALSE(window.open());
        EXPECT_TRUE(window.live.bench.controller.preferences().introduced);
        EXPECT_EQ(window.live.bench.controller.frame(0).scene_name, "race") << "the window as it is";
    }
}

TEST(OpeningMotion, DoorsLeadByKeyAndByPointer) {
    const auto through = [](const std::function<void(Opened&)>& go) {
        auto window = std::make_unique<Opened>();
        window->live.bench.controller.read.lectures = {{"Drafters", "/somewhere/drafters.lec.toml"},
                                                       {"First lesson", "/somewhere/first-lesson.lec.toml"}};
        std::string& opened = window->live.bench.controller.spoken;
        window->live.bench.controller.read.lecture = [&opened](const std::string& file) -> LectureView {
            LectureView lecture;
            lecture.title = file;
            lecture.steps.push_back({"one", "", 0, {}});
            opened = file;
            return lecture;
        };
        window->at(1);
        window->live.bench.key(ui::Key::space);
        go(*window);
        window->live.bench.settle();
        EXPECT_FALSE(window->open());
        return window;
    };
    const auto scene = [](Opened& window) { return window.live.bench.controller.frame(0).scene_name; };
    EXPECT_EQ(scene(*through([](Opened& w) { w.live.bench.key(ui::Key::d1); })), "loop");
    EXPECT_EQ(scene(*through([](Opened& w) { w.live.bench.key(ui::Key::d2); })), "race");
    EXPECT_EQ(through([](Opened& w) { w.live.bench.key(ui::Key::d3); })->live.bench.controller.chrome.popup, Popup::prompt);
    EXPECT_EQ(through([](Opened& w) { w.live.bench.key(ui::Key::d4); })->live.bench.controller.frame(0).lecture->lecture->title,
              "/somewhere/first-lesson.lec.toml");
    EXPECT_EQ(scene(*through([](Opened& w) { w.live.bench.click(w.live.bench.find("Watch one round")); })), "loop");
    EXPECT_EQ(scene(*through([](Opened& w) {
                  w.live.bench.key(ui::Key::right);
                  w.live.bench.key(ui::Key::right);
                  w.live.bench.key(ui::Key::left);
                  w.live.bench.key(ui::Key::enter);
              })),
              "race");
    // Who does not look for a key presses one of these.
    for (const ui::Key key : {ui::Key::enter, ui::Key::space})
        EXPECT_EQ(scene(*through([key](Opened& w) { w.live.bench.key(key); })), "loop");
    EXPECT_EQ(through([](Opened& w) { w.live.bench.key(ui::Key::page_down); })->live.bench.controller.frame(0).lecture->lecture->title,
              "/somewhere/first-lesson.lec.toml");
}

TEST(OpeningMotion, ShowsItsDoorsAtOnceWhereARunHasNoGuesses) {
    LiveBench plain("race");
    plain.bench.controller.chrome.opening.open = true;
    plain.observe(load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "plain.jsonl"));
    EXPECT_TRUE(plain.bench.shows("Watch one round")) << plain.bench.words;
}

TEST(OpeningMotion, FitsEveryWindow) {
    for (const ui::Rect screen :
         {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 800, 500}, ui::Rect{0, 0, 480, 320}}) {
        Opened window;
        window.live.bench.resize(screen);
        for (const double seconds : {0.5, 2.9, 4.5, 6.0, 7.5, 9.9, 11.0}) {
            window.at(seconds);
            for (const ui::RecordedText& text : window.live.bench.texts) {
                EXPECT_GE(text.box.x, 0) << text.text << " at " << seconds << " in " << screen.w;
                EXPECT_LE(text.box.right(), screen.w) << text.text << " at " << seconds << " in " << screen.w;
            }
        }
    }
}

TEST(OpeningMotion, IsInTheHelpMenu) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    bench.controller.perform({PickAction{Action::opening}}, bench.time);
    bench.frame();
    EXPECT_TRUE(bench.controller.chrome.opening.open);
    bench.key(ui::Key::escape);
    bench.key(ui::Key::escape);
    EXPECT_TRUE(bench.shows("Round ")) << bench.words;
}

} // namespace
} // namespace speclens
