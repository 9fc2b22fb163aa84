// The controls of a run and its prompt: what is chosen, pressed and typed reaches the engine as one run.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "engine/run/trace_json.h"
#include "scenes/shared/run_controls.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/shared/speaking.h"

namespace speclens {
namespace {

TEST(Controls, ChoosingADrafterRestartsWithIt) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const ui::Rect controls{208, 692, 992, 96};
    live.bench.click(live.bench.find("small", controls));
    live.bench.click(live.bench.find("lookup"));
    const auto* restart = live.last<Restart>();
    ASSERT_TRUE(restart);
    EXPECT_EQ(restart->settings.drafter, "lookup");
}

TEST(Controls, ADrafterThatCannotRunSaysWhyAndSendsNothing) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.sent.clear();
    const ui::Rect controls{208, 692, 992, 96};
    live.bench.click(live.bench.find("small", controls));
    live.bench.click(live.bench.find("skip"));
    EXPECT_EQ(live.last<Restart>(), nullptr);
}

TEST(Controls, KeysChangeLengthTemperatureAndSeed) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k);
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.k, 5);
    live.bench.key(ui::Key::t, {.shift = true});
    EXPECT_NEAR(live.last<Restart>()->settings.sampling.temperature, 0.9, 1e-9);
    const std::uint64_t seed = live.last<Restart>()->settings.seed;
    live.bench.key(ui::Key::r);
    EXPECT_EQ(live.last<Restart>()->settings.seed, seed + 1);
}

TEST(Controls, KStopsAtWhatTheDrafterCanGuess) {
    LiveBench live("loop");
    Snapshot published;
    published.trace = fixtures::toy_run({.name = "medusa", .drafter = "medusa", .k = 4});
    published.settings.drafter = "medusa";
    published.settings.k = 5; // asked for; the run has four heads
    live.observe(published);
    std::string& said = live.bench.controller.chrome.message;
    EXPECT_NE(said.find("medusa guesses at most 4 tokens"), std::string::npos) << said;
    said.clear();
    live.sent.clear();
    live.bench.key(ui::Key::k);
    EXPECT_TRUE(live.sent.empty()) << "the same run again";
    EXPECT_NE(said.find("medusa guesses at most 4 tokens"), std::string::npos) << said;
    live.bench.key(ui::Key::k, {.shift = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.k, 3);
    live.bench.key(ui::Key::k); // before the shorter run is there
    EXPECT_EQ(live.last<Restart>()->settings.k, 4);
}

TEST(Controls, APictureShowsTheLengthThatTheDrafterMade) {
    SceneBench bench("loop");
    bench.show(fixtures::toy_run({.name = "medusa", .drafter = "medusa", .k = 4}));
    SceneInput input = bench.controller.frame(0).scene;
    RunSettings asked = *input.settings;
    asked.k = 15;
    input.settings = &asked;
    input.still = true;
    input.controls = {208, 692, 992, 96};
    ui::RecordCanvas canvas(scene_fonts(), bench.screen());
    ui::WidgetState widgets;
    const ui::Input nothing;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, bench.screen());
    std::vector<SceneCommand> out;
    draw_run_controls(input, ui, out);
    EXPECT_NE(canvas.visible_text().find("K, at most 4"), std::string::npos) << canvas.visible_text();
    EXPECT_EQ(canvas.visible_text().find("15"), std::string::npos) << canvas.visible_text();
}

TEST(Controls, LengthsPressedInARowAddUp) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    for (int i = 0; i < 3; ++i) live.bench.key(ui::Key::k);
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.k, 7) << "though the run on screen still has K = 4";
}

TEST(Controls, KeepDrafterRuleAndTemperatureCompatible) {
    RunSettings settings;
    settings.sampling.temperature = 0.8;
    EXPECT_EQ(with_drafter(settings, "lookup").rule, "token");
    EXPECT_EQ(with_drafter(settings, "small_tree").rule, "tree_wor") << "the token rule judges chains";
    settings.rule = "tree_wr";
    EXPECT_EQ(with_drafter(settings, "small_tree").rule, "tree_wr");
    EXPECT_EQ(with_drafter(settings, "lookup").rule, "tree_wr") << "chosen for a chain: a chain is a tree too";
    settings.drafter = "small_tree";
    EXPECT_EQ(with_drafter(settings, "small").rule, "token") << "only the tree had needed the other";
    EXPECT_EQ(with_drafter(settings, "small_tree").rule, "tree_wr");
    settings.rule = "match";
    EXPECT_EQ(with_drafter(settings, "small").rule, "match") << "no rule for trees";
    settings.drafter = "small_tree";
    settings.rule = "token";
    settings.sampling.temperature = 0;
    EXPECT_EQ(with_temperature(settings, 0.5).rule, "tree_wor");
    EXPECT_EQ(with_temperature(settings, 0).rule, "token") << "greedy decoding needs no other";
    settings.options.tree_depth = 9;
    EXPECT_EQ(with_draft_length(settings, 3).options.tree_depth, 0) << "K is the depth that was chosen last";
}

TEST(Controls, ARuleThatComesAndGoesWithATreeIsSaid) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::d3);
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.drafter, "small_tree");
    EXPECT_EQ(live.last<Restart>()->settings.rule, "tree_wor");
    EXPECT_TRUE(live.bench.shows("rule: tree_wor, a tree needs it")) << live.bench.words;
    live.bench.key(ui::Key::d2);
    EXPECT_EQ(live.last<Restart>()->settings.rule, "token");
    EXPECT_TRUE(live.bench.shows("rule: token again")) << live.bench.words;
}

TEST(Controls, LongNamesOfRulesStandThereWhole) {
    const ui::Rect controls{208, 692, 992, 96};
    for (const char* rule : {"tree_kseq", "cascade_tokenV1", "cascade_tokenV2", "cascade_tokenV3"}) {
        LiveBench live("loop");
        Snapshot p;
        p.trace = fixtures::mixed();
        p.settings.rule = rule;
        live.observe(p);
        (void)live.bench.find(rule, controls);
        (void)live.bench.find("small", controls);
    }
}

TEST(Controls, TenthsOfATemperatureAddUpToTenths) {
    RunSettings settings;
    settings.sampling.temperature = 0;
    for (int i = 0; i < 3; ++i) settings = with_temperature(settings, settings.sampling.temperature + 0.1);
    EXPECT_EQ(settings.sampling.temperature, 0.3) << "and not 0.30000000000000004";
}

TEST(Controls, AChangeDuringAMeasurementSaysWhatItWasOf) {
    LiveBench live("loop");
    Snapshot p;
    p.trace = fixtures::mixed();
    auto study = std::make_shared<Study>();
    study->planned = 2;
    p.studies["lengths"] = study;
    live.observe(p);
    live.bench.key(ui::Key::k);
    EXPECT_TRUE(live.bench.shows("the measurement under way is of the settings before")) << live.bench.words;
    LiveBench quiet("loop");
    quiet.observe(fixtures::mixed());
    quiet.bench.key(ui::Key::k);
    EXPECT_FALSE(quiet.bench.shows("the measurement under way")) << quiet.bench.words;
}

TEST(Serving, IsOfTheSettingsOnScreenAndSaysWhich) {
    std::vector<ServerOrder> orders;
    EnginePort port;
    port.server = [&](ServerOrder order) { orders.push_back(std::move(order)); };
    SceneBench bench("server", port);
    EXPECT_EQ(bench.controller.served(), nullptr);
    bench.show(fixtures::toy_run({.name = "domino", .drafter = "domino", .k = 7, .temperature = 0.8}));
    bench.click(bench.find("Serve this engine"));
    ASSERT_EQ(orders.size(), 1u);
    ASSERT_NE(bench.controller.served(), nullptr);
    EXPECT_EQ(bench.controller.served()->drafter, "domino");
    EXPECT_EQ(bench.controller.served()->k, 7);
    EXPECT_EQ(bench.controller.served()->sampling.temperature, 0.8);
    EXPECT_TRUE(bench.shows("Serves domino K = 7 · T 0.8 · token rule")) << bench.words;
    bench.show(fixtures::mixed()); // another run; the server stays what it is
    auto view = std::make_shared<ServerView>();
    view->state = ServerView::State::attached;
    view->own = true;
    bench.controller.observe_server(view);
    bench.time += 10; // the note is gone
    bench.settle();
    EXPECT_TRUE(bench.shows("serves domino K = 7 · T 0.8")) << bench.words;
    auto other = std::make_shared<ServerView>(*view);
    other->own = false;
    bench.controller.observe_server(other);
    bench.settle();
    EXPECT_FALSE(bench.shows("serves domino")) << bench.words;
}

TEST(StatusBar, SaysThatARecordedRunWasChanged) {
    const auto trace = fixtures::mixed();
    TraceWriter writer(*trace);
    std::string lines;
    for (std::size_t i = 0; i < trace->size(); ++i) lines += writer.line((*trace)[i]) + "\n";
    const auto shown = [](const std::string& text) {
        std::istringstream in(text);
        SceneBench bench("loop");
        bench.show(read_trace(in, "run.jsonl"));
        return bench.words;
    };
    EXPECT_EQ(shown(lines).find("CHANGED after it was recorded"), std::string::npos) << shown(lines);
    const std::size_t at = lines.find("\"accepted\":true");
    ASSERT_NE(at, std::string::npos);
    lines.replace(at, 15, "\"accepted\":false");
    EXPECT_NE(shown(lines).find("CHANGED after it was recorded"), std::string::npos) << shown(lines);
}

TEST(StatusBar, NamesTheTemperatureAndNoLengthOfPlainDecoding) {
    EXPECT_EQ(run_words("domino", 7, 0.8, 0.8, "token"), "domino K = 7 · T 0.8 · token rule");
    EXPECT_EQ(run_words("domino", 7, 0.8, 0, "token"), "domino K = 7 · T 0.8, likeliest drafts · token rule");
    EXPECT_EQ(run_words("small", 4, 0, 0, "greedy"), "small K = 4 · greedy");
    EXPECT_EQ(run_words("small", 4, 0, 0, "block"), "small K = 4 · greedy · block rule");
    EXPECT_EQ(run_words("none", 7, 1, 0, "token"), "plain decoding · T 1");
    EXPECT_EQ(run_words("none", 7, 0, 0, "token"), "plain decoding · greedy");
    {
        const test::Speaking german("de");
        EXPECT_EQ(run_words("domino", 7, 0.8, 0, "token"), "domino K = 7 · T 0,8, wahrscheinlichste Entwürfe · Token-Regel");
        EXPECT_EQ(run_words("small", 4, 1, 0.5, "block", true), "small K auto · T 1, Entwürfe bei T = 0,5 · Block-Verifikation");
    }
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    EXPECT_TRUE(bench.shows("small K = 4 · T 1 · token rule")) << bench.words;
    bench.show(fixtures::toy_run({.name = "plain", .drafter = "none", .k = 0, .cycles = 5}));
    EXPECT_TRUE(bench.shows("plain decoding · T 1")) << bench.words;
    EXPECT_FALSE(bench.shows("none K")) << bench.words;
}

TEST(Lanes, OpenWithTheLensThatScenesOfHeadsShow) {
    LiveBench live("race");
    live.observe(fixtures::mixed());
    ASSERT_TRUE(live.last<StartRace>());
    Snapshot p;
    p.trace = fixtures::mixed();
    auto race = std::make_shared<RaceView>();
    race->settings = live.last<StartRace>()->settings;
    race->lanes.resize(1);
    race->lanes[0].settings.drafter = "lookup";
    ASSERT_FALSE(race->lanes[0].settings.internals);
    p.race = race;
    live.observe(p);
    live.perform(OpenLane{0});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.drafter, "lookup");
    EXPECT_TRUE(live.last<Restart>()->settings.internals);
}

TEST(PromptEditor, StartsARunWithTheTypedText) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.settle();
    live.bench.key(ui::Key::a, {.ctrl = true});
    ui::Input input;
    input.typed = "Two dogs";
    live.bench.frame(input);
    live.bench.settle();
    live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.prompt.text, "Two dogs");
}

TEST(PromptEditor, WhatIsTypedReplacesThePromptBefore) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.settle();
    live.type("Two dogs");
    live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.prompt.text, "Two dogs");
}

TEST(PromptEditor, StartsFromWhicheverPartHasTheFocus) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.settle();
    live.bench.click(live.bench.find("chat turn"));
    live.bench.settle();
    live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_TRUE(live.last<Restart>()->settings.prompt.chat);
}

TEST(Text, LettersDoNothingElseWhileAFieldHasTheFocus) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.settle();
    live.sent.clear();
    const std::size_t before = live.bench.cursor();
    for (const ui::Key key : {ui::Key::x, ui::Key::k, ui::Key::right, ui::Key::space}) live.bench.key(key);
    EXPECT_TRUE(live.sent.empty());
    EXPECT_EQ(live.bench.cursor(), before);
}

TEST(Controls, BelongToTheSavedRunOnTheScreenAlsoWhenALiveOneBegins) {
    LiveBench live("loop");
    RunSettings saved;
    saved.prompt.text = "what was saved";
    saved.k = 9;
    live.bench.controller.show_saved(fixtures::mixed(), saved);
    live.observe(fixtures::mixed());
    EXPECT_EQ(*live.bench.controller.frame(live.bench.time).scene.settings, saved);
}

// A run that takes its place would be asked for a round that it does not have, and would halt.
TEST(Controls, AQuestionAboutARunIsNotPutToTheNextOne) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto asked = [&] {
        return std::ranges::count_if(live.sent, [](const Command& c) { return std::holds_alternative<FetchDistributions>(c); });
    };
    const FetchDistributions question{0, 0};
    live.perform(Command{question});
    EXPECT_EQ(asked(), 1);
    RunSettings other = *live.bench.controller.frame(live.bench.time).scene.settings;
    other.seed = 99;
    live.perform(Command{Restart{other}});
    live.perform(Command{question});
    EXPECT_EQ(asked(), 1);
    const std::shared_ptr<const Trace> next = fixtures::toy_run({.name = "next"});
    live.observe(next);
    EXPECT_EQ(asked(), 1) << "of the run before";
    live.perform(Command{question});
    EXPECT_EQ(asked(), 2);
    other.seed = 100;
    live.perform(Command{Restart{other}});
    live.perform(Command{question});
    EXPECT_EQ(asked(), 2);
    Snapshot failed;
    failed.trace = next;
    failed.status.state = EngineStatus::State::failed;
    live.bench.controller.observe(failed, live.bench.time);
    EXPECT_EQ(asked(), 3) << "the run stays, and the scene does not ask again";
}

} // namespace
} // namespace speclens
