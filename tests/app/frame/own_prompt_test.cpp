// A prompt of one's own: what starts it, what kind it is, and where its answer is seen; and a model that is opened for a scene.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/window/shell_input.h"
#include "engine/models/model_names.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/scenes/scenes_tab.h"

namespace speclens {
namespace {

// A window on a model that is tuned for chats, as a Qwen pair is.
struct Pair {
    LiveBench live;
    explicit Pair(const std::string& scene) : live(scene) {
        live.bench.controller.gallery = live.bench.controller.general = {{"code", "Write a loop", "", true}};
        show(true);
    }
    void show(bool chats) {
        Snapshot p;
        p.trace = fixtures::mixed();
        p.settings.prompt.text = "The capital of France is";
        p.status.built_in = false;
        p.status.chats = chats;
        p.status.model = "Qwen2.5-Coder 1.5B Instruct";
        live.observe(std::move(p));
    }
    void open_prompt() {
        live.bench.key(ui::Key::n, {.ctrl = true});
        live.sent.clear();
    }
    [[nodiscard]] FrameUi& chrome() { return live.bench.controller.chrome; }
    [[nodiscard]] const RunSettings* started() const {
        const auto* restart = live.last<Restart>();
        return restart ? &restart->settings : nullptr;
    }
    [[nodiscard]] std::string scene() { return live.bench.controller.frame(live.bench.time).scene_name; }
};

TEST(OwnPrompt, EnterStartsItFromEveryControlButAButton) {
    for (const char* clicked : {"chat turn", "raw text", "New run"}) {
        Pair window("loop");
        window.open_prompt();
        window.live.type("What is a star?");
        window.live.bench.click(window.live.bench.find(clicked));
        window.live.bench.key(ui::Key::enter);
        ASSERT_NE(window.started(), nullptr) << clicked;
        EXPECT_EQ(window.started()->prompt.text, "What is a star?") << clicked;
        EXPECT_EQ(window.chrome().popup, Popup::none);
    }
    // Whatever Tab leads to: a list is opened with Space, a button is pressed.
    int started = 0, taken = 0;
    for (int stop = 1; stop <= 5; ++stop) { // the button, the kind, a ready-made prompt, the list of them, the text
        Pair window("loop");
        window.open_prompt();
        window.live.type("What is a star?");
        for (int i = 0; i < stop; ++i) window.live.bench.key(ui::Key::tab);
        window.live.bench.key(ui::Key::enter);
        if (window.chrome().popup == Popup::prompt) { // a ready-made prompt was taken, which is a button's own work
            EXPECT_EQ(window.chrome().prompt, "Write a loop") << stop;
            EXPECT_EQ(window.started(), nullptr);
            ++taken;
            continue;
        }
        ASSERT_NE(window.started(), nullptr) << stop;
        EXPECT_EQ(window.started()->prompt.text, "What is a star?") << stop;
        ++started;
    }
    EXPECT_EQ(started, 4);
    EXPECT_EQ(taken, 1);
}

TEST(OwnPrompt, ShiftEnterBreaksTheLineAndControlEnterStartsAlways) {
    Pair window("loop");
    window.open_prompt();
    window.live.type("One");
    window.live.bench.key(ui::Key::enter, {.shift = true});
    window.live.type("two");
    EXPECT_EQ(window.started(), nullptr);
    window.live.bench.key(ui::Key::tab);
    window.live.bench.key(ui::Key::tab);
    window.live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_NE(window.started(), nullptr);
    EXPECT_EQ(window.started()->prompt.text, "One\ntwo");
}

// GLFW tells of the keys that an input method takes, and of its text when it gives some.
TEST(OwnPrompt, AnInputMethodKeepsItsEnter) {
    Pair window("loop");
    window.open_prompt();
    InputQueue queue;
    const auto press = [&](ui::Key key) { queue.push({.kind = RawEvent::Kind::key, .key = {.key = key}}); };
    const auto text = [&](const std::string& words) { queue.push({.kind = RawEvent::Kind::text, .text = words}); };
    const auto run = [&] {
        while (!queue.empty()) window.live.bench.frame(queue.next(window.live.bench.time, {}));
        window.live.bench.settle();
    };
    press(ui::Key::a), text("a");
    press(ui::Key::n), press(ui::Key::i), press(ui::Key::enter), text("你");
    run();
    EXPECT_EQ(window.started(), nullptr) << "it chose a word";
    EXPECT_EQ(window.chrome().prompt, "a你");
    press(ui::Key::enter);
    run();
    ASSERT_NE(window.started(), nullptr) << "and this one is the dialog's";
    EXPECT_EQ(window.started()->prompt.text, "a你");
}

TEST(OwnPrompt, IsAChatTurnOnAModelThatIsTunedForChats) {
    Pair window("loop");
    window.open_prompt();
    EXPECT_TRUE(window.chrome().chat);
    window.live.bench.key(ui::Key::f2);
    EXPECT_FALSE(window.chrome().chat) << "raw text is one key away";
    EXPECT_TRUE(window.live.bench.shows("F2 makes it a chat turn")) << window.live.bench.words;
    window.live.type("Once upon a time");
    window.live.bench.key(ui::Key::enter);
    ASSERT_NE(window.started(), nullptr);
    EXPECT_FALSE(window.started()->prompt.chat);
    window.open_prompt();
    EXPECT_FALSE(window.chrome().chat) << "whoever asked as text does so again";

    Pair other("loop");
    other.show(false);
    other.open_prompt();
    EXPECT_FALSE(other.chrome().chat);
    other.live.bench.click({20, 500});
    EXPECT_EQ(other.chrome().popup, Popup::none);

    Pair unchanged("loop");
    unchanged.open_prompt();
    unchanged.live.bench.click({20, 500});
    EXPECT_EQ(unchanged.chrome().popup, Popup::none) << "nothing was typed that could be lost";
}

TEST(OwnPrompt, OpensTheLoopWhereTheSceneHasNoOutput) {
    for (const SceneInfo& info : scene_list()) {
        if (std::string(info.name) == "race") continue; // its lanes answer
        Pair window(info.name);
        window.open_prompt();
        window.live.type("What is a star?");
        window.live.bench.key(ui::Key::enter);
        ASSERT_NE(window.started(), nullptr) << info.name;
        EXPECT_EQ(window.started()->prompt.text, "What is a star?");
        EXPECT_EQ(window.scene(), info.make()->shows_run() ? info.name : "loop");
    }
}

TEST(OwnPrompt, WhatExplainsNonsenseIsWhole) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1000, 700}}) {
        SceneBench bench("loop", {}, screen);
        bench.show(fixtures::mixed());
        FrameInput input = bench.controller.frame(bench.time);
        input.offer = {
            "If this makes no sense: this model has 5 million parameters and knows a small world. A real model answers your own words.",
            "Get SmolLM2-135M-Instruct, 98 MB"};
        ui::RecordCanvas canvas(*bench.fonts, screen);
        const ui::Input nothing;
        ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), bench.widgets, screen);
        (void)compose(input, bench.controller.chrome, ui);
        std::string all;
        for (const ui::RecordedText& text : canvas.texts())
            if (text.text.find("makes") != std::string::npos || text.text.find("parameters") != std::string::npos ||
                text.text.find("answers") != std::string::npos || text.text.find("words.") != std::string::npos)
                all += text.text + " ";
        EXPECT_NE(canvas.visible_text().find("words."), std::string::npos) << screen.w << ": " << all;
        EXPECT_EQ(all.find("…"), std::string::npos) << all;
    }
}

// ---- a head that this model lacks ----

TEST(BuiltInModel, ShowsASceneWhoseHeadIsMissing) {
    for (const char* scene : {"eagle3", "dflash", "domino", "mtp"}) {
        Pair window(scene);
        EXPECT_TRUE(window.live.bench.shows("tiny, the built-in model, has one")) << scene << window.live.bench.words;
        EXPECT_FALSE(window.live.bench.shows("give one with --drafter")) << "one sentence";
        window.live.sent.clear();
        window.live.bench.key(ui::Key::u);
        const auto* opened = window.live.last<OpenModel>();
        ASSERT_NE(opened, nullptr) << scene;
        EXPECT_TRUE(opened->paths.target.empty()) << "the one that is built in";
        Snapshot tiny;
        tiny.trace = fixtures::toy_run(fixtures::toys().front());
        tiny.status.opened = 1;
        tiny.status.opened_as = kBuiltInModel;
        tiny.status.state = EngineStatus::State::idle;
        tiny.status.ready_drafters = {"none", "small", "eagle3", "dflash", "domino", "mtp"};
        tiny.runs = window.live.runs;
        window.live.bench.controller.observe(tiny, window.live.bench.time);
        window.live.bench.settle();
        EXPECT_EQ(window.scene(), scene) << "the same scene";
        const auto asked = std::ranges::find_if(window.live.sent, [](const Command& c) { return std::holds_alternative<Restart>(c); });
        ASSERT_NE(asked, window.live.sent.end()) << scene;
        EXPECT_EQ(std::get<Restart>(*asked).settings.drafter, scene);
    }
}

// ---- rail and tooltips ----

TEST(Rail, HasItsPlacesInEveryScene) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1500, 880}, ui::Rect{0, 0, 1280, 720}}) {
        std::vector<float> first;
        const float right = frame_layout({screen.w, screen.h}).rail.right();
        for (const SceneInfo& scene : scene_list()) {
            SceneBench bench(scene.name, {}, screen);
            bench.settle();
            std::vector<float> names;
            for (const SceneInfo& other : scene_list())
                for (const ui::RecordedText& text : bench.texts)
                    if (text.box.right() < right && text.text == message(other.title).substr(0, text.text.size()) && text.text.size() > 2)
                        names.push_back(text.box.y);
            std::ranges::sort(names);
            if (first.empty()) first = names;
            EXPECT_EQ(names, first) << scene.name << " at " << screen.w;
        }
        EXPECT_GT(first.size(), 15U);
    }
}

TEST(Tooltip, LeavesAfterItWasReadAndCoversNotWhatItExplains) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    const ui::Rect rail = frame_layout({1600, 1000}).rail;
    const ui::Vec2 row = bench.find("Lossless?", rail);
    EXPECT_NE(bench.tip_at(row), "");
    const auto tip = std::find_if(bench.texts.rbegin(), bench.texts.rend(), // it is drawn last; its first word stands in the rail as well
                                  [&](const ui::RecordedText& text) { return !text.text.empty() && bench.tip.starts_with(text.text); });
    ASSERT_NE(tip, bench.texts.rend());
    EXPECT_GT(tip->box.x, rail.right()) << "the next rows stay free";
    for (int i = 0; i < 60 && !bench.tip.empty(); ++i) bench.frame();
    EXPECT_EQ(bench.tip, "") << "the mouse has not moved";
    EXPECT_NE(bench.tip_at({row.x, row.y - 100}), "") << "another one comes";
}

} // namespace
} // namespace speclens
