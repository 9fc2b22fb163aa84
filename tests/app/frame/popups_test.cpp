// Dialogs, the notes of a lecture and the handles of small windows: what they keep, what keys do in them, and
// what they say.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "engine/length/costs_file.h"
#include "kernels/error.h"
#include "scenes/shared/story.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/micro.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

constexpr int kHolds = 30; // tokens; here every character is one

// A window with an engine that only listens.
struct Listening {
    std::vector<Command> sent;
    SceneBench bench;
    Snapshot published;

    explicit Listening(const std::string& scene, ui::Rect screen = {0, 0, 1600, 1000})
        : bench(scene,
                {.send = [this](Command c) { sent.push_back(std::move(c)); },
                 .set_budget = [](std::int64_t) {},
                 .add_budget = [](std::int64_t) {},
                 .cancel_loading = [] {}},
                screen) {
        published.trace = fixtures::toy_run(fixtures::toys().front());
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "small", "lookup", "eagle3", "dflash", "domino"};
        published.prompt_room = [](const RunSettings& s) { return PromptRoom{static_cast<int>(s.prompt.text.size()), kHolds}; };
        show();
    }
    void show() {
        bench.controller.observe(published, bench.time);
        bench.settle();
    }
    void type(const std::string& text) {
        ui::Input input;
        input.typed = text;
        bench.frame(input);
        bench.settle();
    }
    [[nodiscard]] const RunSettings* started() const {
        const Restart* last = sent.empty() ? nullptr : std::get_if<Restart>(&sent.back());
        return last ? &last->settings : nullptr;
    }
    [[nodiscard]] FrameUi& chrome() { return bench.controller.chrome; }
};

LectureView two_steps() {
    LectureView lecture;
    lecture.steps = {{"First", "Say this.", 2, {.scene = "loop", .place = {.at = 4}}},
                     {"Second", "Say that.", 0, {.scene = "loop", .place = {.at = 7}}}};
    return lecture;
}

// ---- the prompt editor ----

TEST(PromptEditor, AClickBesideItDoesNotThrowAwayWhatWasTyped) {
    Listening live("loop");
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.click({20, 500});
    EXPECT_EQ(live.chrome().popup, Popup::none) << "nothing was typed";
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.type(" now");
    live.bench.click({20, 500});
    ASSERT_EQ(live.chrome().popup, Popup::prompt);
    live.type(" and then");
    EXPECT_TRUE(live.chrome().prompt.ends_with(" now and then")) << "the field keeps the focus";
    live.bench.key(ui::Key::escape);
    live.bench.key(ui::Key::escape);
    EXPECT_EQ(live.chrome().popup, Popup::none);
}

TEST(PromptEditor, OpensWithTheCaretAtTheEnd) {
    Listening live("loop");
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.key(ui::Key::home);
    live.bench.key(ui::Key::escape);
    live.bench.key(ui::Key::escape);
    ASSERT_EQ(live.chrome().popup, Popup::none);
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.type("!");
    EXPECT_TRUE(live.chrome().prompt.ends_with("!")) << live.chrome().prompt;
}

TEST(PromptEditor, KeepsAConversationUntilItsTextIsAnother) {
    Listening live("loop");
    live.published.settings.prompt = {.text = "Why?<end>", .thinking = true, .parts = {{"Why?", true}, {"<end>", false}}};
    live.published.trace = fixtures::toy_run(fixtures::toys().front()); // another run: its settings are shown
    ++live.published.runs;
    live.show();
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_NE(live.started(), nullptr);
    EXPECT_EQ(live.started()->prompt, live.published.settings.prompt);
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.key(ui::Key::end);
    live.type("!");
    live.bench.key(ui::Key::enter, {.ctrl = true});
    EXPECT_EQ(live.started()->prompt, (Prompt{.text = "Why?<end>!", .thinking = true}));
}

TEST(PromptEditor, CountsTokensAndStartsNothingThatIsTooLong) {
    Listening live("loop");
    live.bench.key(ui::Key::n, {.ctrl = true});
    const int before = static_cast<int>(live.chrome().prompt.size());
    EXPECT_TRUE(live.bench.shows(std::to_string(before) + " of 30 tokens")) << live.bench.words;
    live.bench.key(ui::Key::end); // behind the prompt before, which is selected
    live.type(std::string(static_cast<std::size_t>(kHolds - before), 'x'));
    EXPECT_TRUE(live.bench.shows("30 of 30 tokens")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("shorten it by at least 1 token")) << live.bench.words;
    live.sent.clear();
    live.bench.key(ui::Key::enter, {.ctrl = true});
    EXPECT_EQ(live.started(), nullptr);
    EXPECT_EQ(live.chrome().popup, Popup::prompt);
    live.bench.key(ui::Key::backspace);
    live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_NE(live.started(), nullptr);
    EXPECT_EQ(live.started()->prompt.text.size(), static_cast<std::size_t>(kHolds - 1));
}

TEST(PromptEditor, StartsNoChatThatTheModelHasNoFormatFor) {
    Listening live("loop");
    live.published.prompt_room = [](const RunSettings& s) {
        if (s.prompt.chat) throw Error("the chat template is not ChatML", "Ask with raw text.");
        return PromptRoom{static_cast<int>(s.prompt.text.size()), kHolds};
    };
    live.show();
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.chrome().chat = true;
    live.type("?");
    EXPECT_TRUE(live.bench.shows("the chat template is not ChatML")) << live.bench.words;
    live.sent.clear();
    live.bench.key(ui::Key::enter, {.ctrl = true});
    EXPECT_EQ(live.started(), nullptr);
    live.chrome().chat = false;
    live.bench.settle();
    EXPECT_FALSE(live.bench.shows("the chat template is not ChatML")) << live.bench.words;
    live.bench.key(ui::Key::enter, {.ctrl = true});
    EXPECT_NE(live.started(), nullptr);
}

// ---- how K is chosen ----

TEST(LengthsPanel, SwitchesKAutoOnAndOff) {
    Listening live("loop");
    live.published.status.model = "tiny";
    live.show();
    live.bench.controller.perform({PickAction{Action::draft_lengths}}, live.bench.time);
    live.bench.settle();
    ASSERT_EQ(live.chrome().popup, Popup::lengths);
    EXPECT_TRUE(live.bench.shows("Each round drafts as many tokens.")) << live.bench.words;
    live.sent.clear();
    live.bench.click(live.bench.find("K auto"));
    ASSERT_NE(live.started(), nullptr);
    EXPECT_TRUE(live.started()->k_auto);
    EXPECT_EQ(live.started()->k, kMostAuto);
    live.bench.settle();
    live.bench.click(live.bench.find("one K"));
    EXPECT_FALSE(live.started()->k_auto);
    EXPECT_EQ(live.started()->k, default_k(live.started()->drafter));
    EXPECT_EQ(live.chrome().popup, Popup::lengths) << "it stays: what comes of it is told there";
}

TEST(LengthsPanel, TakesCostsOfAFileAndMeasuresThemAnew) {
    const test::TempFolder folder;
    const std::string file = (folder.path() / "costs.json").string();
    const DraftCosts costs{.pass = {{1, 10}, {5, 12}}, .draft = {{1, 2}, {4, 8}}};
    Listening live("loop");
    live.published.status.model = "tiny";
    live.show();
    const std::string drafter = live.bench.controller.frame(0).scene.settings->drafter;
    live.bench.controller.perform({PickAction{Action::draft_lengths}}, live.bench.time);
    live.sent.clear();
    live.bench.controller.perform({UseCosts{file}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("costs.json is no file")) << live.bench.words;
    EXPECT_EQ(live.started(), nullptr);
    add_costs(file, "tiny", drafter, costs);
    live.bench.controller.perform({UseCosts{file}}, live.bench.time);
    live.bench.settle();
    EXPECT_FALSE(live.bench.shows("costs.json is no file"));
    ASSERT_NE(live.started(), nullptr);
    EXPECT_EQ(live.started()->k_costs, costs);
    EXPECT_TRUE(live.started()->k_auto);
    live.sent.clear();
    live.bench.click(live.bench.find("Measure"));
    ASSERT_NE(live.started(), nullptr);
    EXPECT_FALSE(live.started()->k_costs.has_value());
    EXPECT_TRUE(live.started()->k_auto);
    EXPECT_TRUE(std::get<Restart>(live.sent.back()).measure);
    add_costs(folder.path() / "other.json", "another model", drafter, costs);
    live.bench.controller.perform({UseCosts{(folder.path() / "other.json").string()}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("the costs of another model")) << live.bench.words;
    EXPECT_EQ(live.chrome().popup, Popup::lengths);
}

// Of a run with K auto: what rounds cost there, and why the round on screen asked for what it asked for.
TEST(LengthsPanel, TellsCostsAndTheReasonOfARound) {
    const auto models = test::micro_models(1);
    RunSettings settings = test::greedy("small", 8);
    settings.k_auto = true;
    settings.k_costs = DraftCosts{.pass = {{1, 11.5}, {9, 13.25}}, .draft = {{1, 2.5}, {8, 20}}};
    settings.max_tokens = 40;
    const auto run = test::finished(models, settings);
    Listening live("loop");
    live.published.trace = run->shared_trace();
    live.published.settings = settings;
    ++live.published.runs;
    live.show();
    live.bench.controller.perform({PickAction{Action::last}}, live.bench.time);
    live.bench.controller.perform({PickAction{Action::draft_lengths}}, live.bench.time);
    live.bench.settle();
    for (const char* part : {"11.5", "13.2", "20.0", "tokens of a pass", "draft tokens in a row",
                             "Given by a file or a saved run, and frozen.", "Round ", "tokens a second"})
        EXPECT_TRUE(live.bench.shows(part)) << part << "\n" << live.bench.words;
}

TEST(EngineBanner, LeadsToThePromptWhereThePromptIsTooLong) {
    Listening live("loop");
    live.published.status.state = EngineStatus::State::failed;
    live.published.status.error = "the engine broke";
    live.show();
    EXPECT_TRUE(live.bench.shows("Try again")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("the engine broke")) << live.bench.words;
    live.published.status.error_kind = ErrorKind::prompt_too_long;
    live.show();
    EXPECT_TRUE(live.bench.shows("The prompt is too long")) << "what kind of problem it is, and what the engine says below\n"
                                                            << live.bench.words;
    EXPECT_TRUE(live.bench.shows("the engine broke.")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("Try again")) << "it would fail again";
    live.bench.click(live.bench.find("Edit the prompt"));
    EXPECT_EQ(live.chrome().popup, Popup::prompt);
}

// ---- keys, words ----

TEST(KeysPanel, ScrollsByKeysAndListsEverythingInFull) {
    SceneBench bench("race", {}, {0, 0, 1280, 720});
    bench.settle();
    bench.key(ui::Key::f1);
    const auto first = bench.words;
    EXPECT_TRUE(bench.shows("a phase in every lane, Shift+→ a")) << "the second line of three\n" << first;
    EXPECT_TRUE(bench.shows("1\u00a0none, 2\u00a0small")) << first;
    bench.key(ui::Key::end);
    EXPECT_NE(bench.words, first);
    EXPECT_TRUE(bench.shows("This frame in words")) << bench.words;
    bench.key(ui::Key::home);
    EXPECT_EQ(bench.words, first);
    bench.key(ui::Key::page_down);
    bench.key(ui::Key::page_up);
    EXPECT_EQ(bench.words, first);
    bench.key(ui::Key::down);
    EXPECT_NE(bench.words, first);
    bench.key(ui::Key::end);
    bench.key(ui::Key::escape);
    bench.key(ui::Key::f1);
    EXPECT_EQ(bench.words, first) << "it opens at its beginning";
}

TEST(KeysPanel, AKeyOfTheSceneIsNotListedForTheWindowToo) {
    // Everything that the panel lists, from both ends of it.
    const auto listed = [](const char* scene) {
        SceneBench bench(scene);
        bench.settle();
        bench.key(ui::Key::f1);
        std::vector<std::string> all;
        for (const ui::Key end : {ui::Key::home, ui::Key::end}) {
            bench.key(end);
            for (const ui::RecordedText& text : bench.texts) all.push_back(text.text);
        }
        return all;
    };
    const std::vector<std::string> race = listed("race"), loop = listed("loop");
    for (const char* shadowed : {"Longer drafts", "Temperature + 0.1", "Next round", "Step"}) {
        EXPECT_EQ(std::ranges::count(race, shadowed), 0) << shadowed;
        EXPECT_GT(std::ranges::count(loop, shadowed), 0) << shadowed;
    }
    EXPECT_EQ(std::ranges::count(race, "1 … 9"), std::ranges::count(loop, "1 … 9"));
    EXPECT_GT(std::ranges::count(race, "Shorter drafts"), 0) << "Shift+K has no line of the scene";
}

TEST(WordsPanel, ScrollsByKeys) {
    SceneBench bench("loop", {}, {0, 0, 1280, 560});
    const auto trace = fixtures::toy_run(fixtures::toys().front());
    bench.show(trace, trace->size());
    bench.key(ui::Key::d);
    const auto top = [&] {
        for (const ui::RecordedText& text : bench.texts)
            if (text.box.x > 270 && text.box.y > 70) return text.text;
        return std::string();
    };
    const std::string words = bench.words;
    bench.key(ui::Key::end);
    EXPECT_NE(bench.words, words) << top();
    bench.key(ui::Key::home);
    EXPECT_EQ(bench.words, words);
}

// ---- notes ----

TEST(Notes, AreNoDialogAndFollowTheLecture) {
    Listening live("loop");
    live.bench.controller.begin_lecture(two_steps(), live.bench.time);
    live.show();
    live.bench.key(ui::Key::f4);
    ASSERT_TRUE(live.bench.shows("Say this.")) << live.bench.words;
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("Say that.")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("Say this."));
    const std::size_t cursor = live.bench.cursor();
    live.bench.key(ui::Key::right);
    EXPECT_EQ(live.bench.cursor(), cursor + 1);
    live.bench.key(ui::Key::f4);
    EXPECT_FALSE(live.bench.shows("Say that."));
    live.bench.key(ui::Key::f4);
    live.bench.key(ui::Key::f5);
    EXPECT_TRUE(live.bench.shows("Say that."));
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(live.bench.shows("Say that."));
    EXPECT_TRUE(live.chrome().layout.presenter) << "Escape put the notes away, and nothing else";
}

TEST(Lecture, TheButtonAndTheStatusSayHowItGoesOn) {
    Listening live("loop");
    live.bench.controller.begin_lecture(two_steps(), live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("PageDown goes on")) << live.bench.words;
    EXPECT_EQ(live.bench.controller.frame(0).lecture->step, 0);
    live.bench.click(live.bench.find("Next step"));
    EXPECT_EQ(live.bench.controller.frame(0).lecture->step, 1) << "what is white goes on in the lecture";
    EXPECT_FALSE(live.bench.shows("PageDown goes on")) << "it was the last";
}

TEST(Notes, KeepThePointerFromWhatTheyCover) {
    Listening live("loop");
    live.bench.controller.begin_lecture(two_steps(), live.bench.time);
    live.show();
    const ui::Rect screen = live.bench.screen();
    const std::size_t cursor = live.bench.cursor();
    live.bench.key(ui::Key::f4);
    live.bench.click({screen.w / 2, screen.h - 70}); // the timeline is below
    EXPECT_EQ(live.bench.cursor(), cursor);
    live.bench.click(live.bench.find("Close"));
    EXPECT_FALSE(live.bench.shows("Say this."));
    live.bench.click({screen.w / 2, screen.h - 70});
    EXPECT_NE(live.bench.cursor(), cursor);
}

TEST(Presenter, TellsTheLecturesStepFromTheScenes) {
    Listening live("loop");
    live.bench.controller.begin_lecture(two_steps(), live.bench.time);
    live.show();
    live.bench.key(ui::Key::f5);
    EXPECT_TRUE(live.bench.shows("lecture 1 of 2")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("step 1 of ")) << live.bench.words;
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("lecture 2 of 2")) << live.bench.words;
    live.bench.key(ui::Key::page_down, {.ctrl = true});
    EXPECT_TRUE(live.bench.shows("lecture 2 (away)")) << live.bench.words;
}

TEST(Presenter, SaysThatAWindowIsTooSmallForIt) {
    Listening live("loop", {0, 0, 640, 480});
    live.bench.key(ui::Key::f5);
    EXPECT_TRUE(live.bench.shows("This window is too small to present")) << live.bench.words;
    EXPECT_FALSE(live.chrome().layout.presenter);
    live.bench.resize({0, 0, 1280, 720});
    live.bench.settle();
    live.bench.key(ui::Key::f5);
    EXPECT_TRUE(live.chrome().layout.presenter);
    live.bench.resize({0, 0, 640, 480});
    live.bench.settle();
    live.bench.key(ui::Key::f5);
    EXPECT_FALSE(live.chrome().layout.presenter) << "it can always be left";
}

// ---- handles ----

TEST(Handles, OpenAndCloseTheDrawersOfACompactWindow) {
    Listening live("loop", {0, 0, 1280, 720});
    EXPECT_FALSE(live.bench.shows("Draft length K"));
    live.bench.click(live.bench.find("Controls"));
    EXPECT_TRUE(live.bench.shows("Draft length K")) << live.bench.words;
    live.bench.click(live.bench.find("Controls"));
    EXPECT_FALSE(live.bench.shows("Draft length K"));
    live.bench.click(live.bench.find("Details"));
    EXPECT_TRUE(live.chrome().layout.details);
    Listening large("loop");
    EXPECT_FALSE(large.bench.shows("Shift+I")) << "everything is on screen";
    Listening race("race", {0, 0, 1280, 720});
    EXPECT_FALSE(race.bench.shows("Shift+I")) << "it has no drawers";
}

TEST(Handles, GoFromRegionToRegionOfASmallWindow) {
    Listening live("loop", {0, 0, 900, 600});
    live.bench.click(live.bench.find("Picture, 1 of 5"));
    EXPECT_EQ(live.chrome().layout.region, Region::story);
    live.bench.key(ui::Key::f6);
    EXPECT_TRUE(live.bench.shows("Details, 3 of 5")) << live.bench.words;
}

TEST(Drawers, OpenForWhatAKeyWritesIntoThem) {
    Listening live("accept-rule", {0, 0, 1280, 720});
    const std::size_t size = live.published.trace->size();
    live.bench.controller.perform({SceneCommand{SetCursor{size}}}, live.bench.time);
    live.bench.settle();
    EXPECT_FALSE(live.bench.shows("flips land on the target"));
    live.bench.key(ui::Key::m);
    EXPECT_TRUE(live.bench.shows("flips land on the target")) << live.bench.words;
}

TEST(Strip, ShowsTheTaskOfABeat) {
    Listening live("accept-rule", {0, 0, 1280, 720});
    live.bench.key(ui::Key::end);
    EXPECT_TRUE(live.bench.shows("Flip a thousand coins with M")) << live.bench.words;
}

// What is seen of a story in its region.
std::string seen_of(const Story& story, ui::Rect region, bool strip) {
    const ui::Rect screen{0, 0, region.right(), strip ? 720.0F : 1000.0F};
    SceneInput in;
    in.story = region;
    in.strip = strip;
    ui::RecordCanvas canvas(scene_fonts(), screen);
    const ui::Input input;
    ui::WidgetState widgets;
    ui::Ui ui(canvas, input, ui::theme(ui::ThemeKind::dark), widgets, screen);
    std::vector<SceneCommand> commands;
    draw_story(in, ui, story, commands);
    ui.finish();
    return canvas.visible_text();
}

std::string sentences(int count) {
    std::string all;
    for (int i = 1; i < count; ++i) all += "The token joins the output here. ";
    return all + "And the last one.";
}

// A story of so many sentences, in a strip; with a task its words.
std::string strip_of(int count, const std::string& task) {
    Story story;
    story.heading = "Three tokens";
    story.task = task;
    story.text = sentences(count);
    return seen_of(story, {0, 600, 1280, 52}, true);
}

TEST(Strip, HoldsThreeLinesWhereTwoDoNotSuffice) {
    const std::string long_one = strip_of(11, "");
    EXPECT_NE(long_one.find("And the last one."), std::string::npos) << long_one;
    EXPECT_EQ(long_one.find("…"), std::string::npos) << long_one;
    EXPECT_EQ(strip_of(40, "").find("And the last one."), std::string::npos);
}

TEST(Strip, ShowsTheWordsOfATaskWhereTheStoryLeavesThemRoom) {
    const std::string some = strip_of(3, "Flip a thousand coins: M"), full = strip_of(12, "Flip a thousand coins: M");
    EXPECT_NE(some.find("Flip a thousand coins: M"), std::string::npos) << some;
    EXPECT_NE(full.find("Task"), std::string::npos) << full;
    EXPECT_NE(full.find("And the last one."), std::string::npos) << full;
}

TEST(Panel, SetsALongStorySmallerRatherThanCuttingIt) {
    Story story;
    story.heading = "Three tokens";
    story.task = "Something to try";
    story.text = sentences(10);
    const std::string seen = seen_of(story, {1200, 28, 400, 376}, false);
    EXPECT_EQ(seen.find("…"), std::string::npos) << seen;
}

// The second paragraph is set smaller with the first, and then left out by whole sentences.
TEST(Panel, NeverCutsTheSecondParagraph) {
    bool all = false, some = false, none = false;
    for (int first = 4; first <= 10; ++first) {
        Story story;
        story.heading = "Three tokens";
        story.task = "Something to try";
        story.text = sentences(first);
        story.what_if = "Had it not come, all would be well with the text that follows. And another token would have been drawn instead.";
        const std::string seen = seen_of(story, {1200, 28, 400, 376}, false);
        EXPECT_EQ(seen.find("…"), std::string::npos) << first << "\n" << seen;
        const bool begun = seen.find("Had it not") != std::string::npos, ended = seen.find("instead.") != std::string::npos;
        all |= ended;
        some |= begun && !ended;
        none |= !begun;
        EXPECT_TRUE(begun || !ended) << seen;
    }
    EXPECT_TRUE(all && some && none) << "each was met";
}

TEST(Strip, LeavesOutWholeSentences) {
    Story story;
    story.heading = "Three tokens";
    story.text = "The token joins the output.";
    for (int i = 0; i < 60; ++i) story.text += i == 0 ? " This round" : " took long";
    story.text += ".";
    const std::string shown = seen_of(story, {0, 600, 1280, 52}, true);
    EXPECT_NE(shown.find("The token joins the output."), std::string::npos) << shown;
    EXPECT_EQ(shown.find("This round"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("…"), std::string::npos) << shown;
}

// ---- a scene that is made for another drafter ----

TEST(OtherDrafter, AKeySwitchesAndNextSaysThatItIsNeeded) {
    for (const char* scene : {"eagle3", "dflash", "domino"}) {
        Listening live(scene, {0, 0, 1280, 720});
        live.bench.click(live.bench.find("Next"));
        live.bench.key(ui::Key::right);
        EXPECT_EQ(live.bench.controller.frame(live.bench.time).scene.beat, 0) << scene;
        live.bench.time += 1; // it leaves once it was read
        live.bench.frame();
        EXPECT_TRUE(live.bench.shows("first (U)")) << scene << "\n" << live.bench.words;
        live.sent.clear();
        live.bench.key(ui::Key::u);
        ASSERT_NE(live.started(), nullptr) << scene;
        EXPECT_EQ(live.started()->drafter, scene);
    }
}

} // namespace
} // namespace speclens
