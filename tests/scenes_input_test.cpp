// Mouse and keys to commands: what is clicked, dragged and typed reaches the controller and the engine.
#include <gtest/gtest.h>

#include "app/shell_input.h"
#include "scenes/run_controls.h"
#include "scenes_bench.h"
#include "scenes_fixtures.h"

namespace speclens {
namespace {

std::shared_ptr<const Trace> mixed() {
    return fixtures::toy_run(fixtures::toys().front());
}

// A bench with an engine that only listens.
struct LiveBench {
    std::vector<Command> sent;
    std::vector<std::int64_t> budgets;
    int cancelled = 0;
    SceneBench bench;

    explicit LiveBench(const std::string& scene)
        : bench(scene, {.send = [this](Command c) { sent.push_back(std::move(c)); },
                        .set_budget = [this](std::int64_t n) { budgets.push_back(n); },
                        .add_budget = [this](std::int64_t n) { budgets.push_back(n); },
                        .cancel_loading = [this] { ++cancelled; }}) {}

    void observe(std::shared_ptr<const Trace> trace, std::shared_ptr<const LawPair> laws = nullptr) {
        Snapshot p;
        p.trace = std::move(trace);
        p.laws = std::move(laws);
        p.settings.k = 4;
        p.settings.sampling.temperature = 1;
        p.status.state = EngineStatus::State::idle;
        p.status.ready_drafters = {"none", "small", "lookup"};
        p.status.plain_ms_per_token = 8;
        bench.controller.observe(p, bench.time);
        bench.settle();
    }
    template <class T>
    [[nodiscard]] const T* last() const {
        return sent.empty() ? nullptr : std::get_if<T>(&sent.back());
    }
};

TEST(Stepping, ArrowKeysMoveOneEvent) {
    SceneBench bench("loop");
    bench.show(mixed(), 3);
    bench.key(ui::Key::right);
    EXPECT_EQ(bench.cursor(), 4U);
    bench.key(ui::Key::left);
    bench.key(ui::Key::left);
    EXPECT_EQ(bench.cursor(), 2U);
    bench.key(ui::Key::home);
    EXPECT_EQ(bench.cursor(), 1U);
    bench.key(ui::Key::end);
    EXPECT_EQ(bench.cursor(), mixed()->size());
}

TEST(Stepping, ThreeKeyPressesWithinOneFrameAreThreeSteps) {
    SceneBench bench("loop");
    bench.show(mixed(), 2);
    ui::Input input;
    input.keys = {{.key = ui::Key::right}, {.key = ui::Key::right}, {.key = ui::Key::right}};
    bench.frame(input);
    EXPECT_EQ(bench.cursor(), 5U);
}

TEST(Stepping, XFindsTheNextRejection) {
    SceneBench bench("loop");
    const auto trace = mixed();
    bench.show(trace, 1);
    bench.key(ui::Key::x);
    const std::size_t found = bench.cursor();
    ASSERT_GT(found, 1U);
    const auto* check = std::get_if<Checked>(&(*trace)[found - 1]);
    ASSERT_TRUE(check);
    EXPECT_FALSE(check->accepted);
    EXPECT_EQ(found, next_rejection(*trace, 1));
}

TEST(Undo, TakesChangesOfSettingsBackOneByOne) {
    LiveBench live("loop");
    live.observe(mixed());
    const auto asked = [&] {
        const auto* run = live.last<Restart>();
        return run ? run->settings : RunSettings{};
    };
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_TRUE(live.sent.empty());
    EXPECT_TRUE(live.bench.shows("Nothing was changed yet")) << live.bench.words;
    const RunSettings first = *live.bench.controller.frame(live.bench.time).scene.settings;
    live.bench.key(ui::Key::k);
    live.bench.key(ui::Key::t);
    const RunSettings last = asked();
    EXPECT_EQ(last.k, first.k + 1);
    EXPECT_GT(last.sampling.temperature, first.sampling.temperature);
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(asked().k, first.k + 1);
    EXPECT_EQ(asked().sampling.temperature, first.sampling.temperature);
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(asked(), first);
    live.bench.key(ui::Key::y, {.ctrl = true});
    live.bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(asked(), last);
    live.bench.key(ui::Key::z, {.ctrl = true});
    live.bench.key(ui::Key::r); // another change: nothing to redo any more
    const std::size_t sent = live.sent.size();
    live.bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(live.sent.size(), sent);
    EXPECT_TRUE(live.bench.shows("Nothing was taken back")) << live.bench.words;
    live.bench.key(ui::Key::r, {.shift = true}); // the same once more is no change
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(asked().k, first.k + 1);
    EXPECT_EQ(asked().seed, first.seed);
}

TEST(Stepping, ARunThatIsStillArrivingIsFollowed) {
    const auto whole = mixed();
    const auto growing = std::make_shared<Trace>([whole](int id) { return whole->text(id); });
    growing->append((*whole)[0]);
    SceneBench bench("loop");
    bench.controller.show_saved(growing, RunSettings{}, true);
    bench.settle();
    EXPECT_EQ(bench.cursor(), 1U);
    std::size_t arrived = 1;
    const auto more = [&](std::size_t until) {
        for (; arrived < until; ++arrived) growing->append((*whole)[arrived]);
        bench.settle();
    };
    more(whole->size() / 2);
    EXPECT_GT(bench.cursor(), 1U) << "something worth seeing came";
    bench.key(ui::Key::end);
    EXPECT_EQ(bench.cursor(), whole->size() / 2);
    bench.key(ui::Key::p);
    EXPECT_TRUE(bench.controller.frame(bench.time).playing) << "it waits for more";
    more(whole->size());
    for (int i = 0; i < 400 && bench.controller.frame(bench.time).playing; ++i) bench.frame();
    EXPECT_EQ(bench.cursor(), whole->size());
    EXPECT_FALSE(bench.controller.frame(bench.time).playing) << "its end has come";
    bench.controller.saved_is_broken("standard input, line 9: not valid JSON", "Is this a run?");
    bench.settle();
    EXPECT_TRUE(bench.shows("line 9: not valid JSON")) << bench.words;
}

TEST(Stepping, PastTheEndAsksTheEngineForOnePhase) {
    LiveBench live("loop");
    live.observe(fixtures::toy_run(fixtures::toys()[2])); // in the middle of a cycle
    live.bench.key(ui::Key::end);
    live.budgets.clear();
    live.bench.key(ui::Key::right);
    ASSERT_FALSE(live.budgets.empty());
    EXPECT_EQ(live.budgets[0], 1);
}

TEST(Stepping, XRunsOnWhenNoRejectionIsThereYet) {
    LiveBench live("loop");
    live.observe(fixtures::toy_run({.name = "open", .cycles = 1, .noise = 0, .stop = false}));
    live.budgets.clear();
    live.bench.key(ui::Key::x);
    ASSERT_FALSE(live.budgets.empty());
    EXPECT_EQ(live.budgets[0], Gate::kUnlimited);
}

TEST(Stepping, StepButtonAndTimelineMoveTheCursor) {
    LiveBench live("loop");
    live.observe(mixed());
    live.bench.key(ui::Key::home);
    live.bench.click(live.bench.find("Step"));
    EXPECT_EQ(live.bench.cursor(), 2U);
    live.bench.click({1200, 905}); // on the spec lane
    const std::size_t scrubbed = live.bench.cursor();
    EXPECT_GT(scrubbed, 10U);
    live.bench.drag({1200, 905}, {300, 905});
    EXPECT_LT(live.bench.cursor(), scrubbed);
}

TEST(Playing, GoesOnByItselfAndPauses) {
    SceneBench bench("loop");
    bench.show(mixed(), 1);
    bench.key(ui::Key::p);
    const std::size_t before = bench.cursor();
    for (int i = 0; i < 6; ++i) {
        bench.time += 1;
        bench.frame();
    }
    EXPECT_GT(bench.cursor(), before + 3);
    bench.key(ui::Key::p);
    const std::size_t paused = bench.cursor();
    bench.time += 5;
    bench.settle();
    EXPECT_EQ(bench.cursor(), paused);
}

TEST(Columns, AClickSelectsThePosition) {
    SceneBench bench("loop");
    const auto trace = mixed();
    bench.show(trace, next_cycle_end(*trace, 0));
    bench.click({420, 486}); // the first column, below its chips
    EXPECT_TRUE(bench.shows("Position 1"));
    bench.key(ui::Key::down);
    EXPECT_TRUE(bench.shows("Position 2"));
}

TEST(Controls, ChoosingADrafterRestartsWithIt) {
    LiveBench live("loop");
    live.observe(mixed());
    const ui::Rect controls{208, 692, 992, 96};
    live.bench.click(live.bench.find("small", controls));
    live.bench.click(live.bench.find("lookup"));
    const auto* restart = live.last<Restart>();
    ASSERT_TRUE(restart);
    EXPECT_EQ(restart->settings.drafter, "lookup");
}

TEST(Controls, ADrafterThatCannotRunSaysWhyAndSendsNothing) {
    LiveBench live("loop");
    live.observe(mixed());
    live.sent.clear();
    const ui::Rect controls{208, 692, 992, 96};
    live.bench.click(live.bench.find("small", controls));
    live.bench.click(live.bench.find("skip"));
    EXPECT_EQ(live.last<Restart>(), nullptr);
}

TEST(Controls, KeysChangeLengthTemperatureAndSeed) {
    LiveBench live("loop");
    live.observe(mixed());
    live.bench.key(ui::Key::k);
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.k, 5);
    live.bench.key(ui::Key::t, {.shift = true});
    EXPECT_NEAR(live.last<Restart>()->settings.sampling.temperature, 0.9, 1e-9);
    const std::uint64_t seed = live.last<Restart>()->settings.seed;
    live.bench.key(ui::Key::r);
    EXPECT_EQ(live.last<Restart>()->settings.seed, seed + 1);
}

TEST(Controls, KeepDrafterRuleAndTemperatureCompatible) {
    RunSettings settings;
    settings.sampling.temperature = 0.8;
    EXPECT_EQ(with_drafter(settings, "lookup").rule, "token");
    EXPECT_EQ(with_drafter(settings, "small_tree").rule, "tree_wor") << "the token rule judges chains";
    settings.rule = "tree_wr";
    EXPECT_EQ(with_drafter(settings, "small_tree").rule, "tree_wr");
    EXPECT_EQ(with_drafter(settings, "small").rule, "tree_wr") << "a chain is a tree too";
    settings.drafter = "small_tree";
    settings.rule = "token";
    settings.sampling.temperature = 0;
    EXPECT_EQ(with_temperature(settings, 0.5).rule, "tree_wor");
    EXPECT_EQ(with_temperature(settings, 0).rule, "token") << "greedy decoding needs no other";
    settings.options.tree_depth = 9;
    EXPECT_EQ(with_draft_length(settings, 3).options.tree_depth, 0) << "K is the depth that was chosen last";
}

TEST(Fork, ListsTokensAndSendsTheForcedOne) {
    LiveBench live("loop");
    const auto trace = mixed();
    live.observe(trace);
    live.bench.key(ui::Key::f);
    EXPECT_TRUE(live.bench.shows("Fork here"));
    live.bench.key(ui::Key::down);
    live.bench.key(ui::Key::down);
    live.bench.key(ui::Key::enter);
    const auto* fork = live.last<Fork>();
    ASSERT_TRUE(fork);
    EXPECT_TRUE(fork->force_draft || fork->force_coin);
}

TEST(Palette, FindsAndRunsACommand) {
    SceneBench bench("loop");
    bench.show(mixed());
    bench.key(ui::Key::k, {.ctrl = true});
    ui::Input input;
    input.typed = "accept";
    bench.frame(input);
    bench.settle();
    bench.key(ui::Key::enter);
    bench.settle();
    EXPECT_TRUE(bench.shows("Beat 1 of 8")) << bench.words;
}

TEST(PromptEditor, StartsARunWithTheTypedText) {
    LiveBench live("loop");
    live.observe(mixed());
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.settle();
    live.bench.key(ui::Key::a, {.ctrl = true});
    ui::Input input;
    input.typed = "Two dogs";
    live.bench.frame(input);
    live.bench.settle();
    live.bench.key(ui::Key::enter, {.ctrl = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.prompt, "Two dogs");
}

TEST(Text, LettersDoNothingElseWhileAFieldHasTheFocus) {
    LiveBench live("loop");
    live.observe(mixed());
    live.bench.key(ui::Key::n, {.ctrl = true});
    live.bench.settle();
    live.sent.clear();
    const std::size_t before = live.bench.cursor();
    for (const ui::Key key : {ui::Key::x, ui::Key::k, ui::Key::right, ui::Key::space}) live.bench.key(key);
    EXPECT_TRUE(live.sent.empty());
    EXPECT_EQ(live.bench.cursor(), before);
}

TEST(AcceptRule, DraggingATargetHandleMakesItATableAndZTakesItBack) {
    SceneBench bench("accept-rule");
    bench.show(mixed());
    EXPECT_TRUE(bench.shows("LIVE"));
    // The handle of the first bar: left of it, at the height of its target cap. Found by trying heights.
    bool moved = false;
    for (float y = 120; y < 336 && !moved; y += 6) {
        bench.drag({318, y}, {318, y > 200 ? y - 60 : y + 60});
        moved = bench.shows("TABLE");
    }
    ASSERT_TRUE(moved);
    EXPECT_FALSE(bench.shows("LIVE"));
    bench.key(ui::Key::z);
    EXPECT_TRUE(bench.shows("LIVE"));
}

TEST(AcceptRule, AThousandFlipsAreCounted) {
    SceneBench bench("accept-rule");
    bench.show(mixed());
    bench.key(ui::Key::m);
    EXPECT_TRUE(bench.shows("χ² p = "));
    EXPECT_TRUE(bench.shows(" kept"));
}

TEST(AcceptRule, AsksForTheFullRowsOnce) {
    LiveBench live("accept-rule");
    live.observe(mixed());
    live.bench.settle();
    int asked = 0;
    for (const Command& command : live.sent) asked += std::holds_alternative<FetchLaws>(command) ? 1 : 0;
    EXPECT_EQ(asked, 1);
}

TEST(Menus, OpenAndRunAnItem) {
    SceneBench bench("loop");
    bench.show(mixed(), 4);
    bench.click(bench.find("View", {0, 0, 1600, 28}));
    EXPECT_TRUE(bench.shows("High contrast"));
    bench.click(bench.find("Light"));
    EXPECT_EQ(bench.controller.theme, ui::ThemeKind::light);
    EXPECT_FALSE(bench.shows("High contrast"));
}

TEST(Rail, EveryRowOpensItsScene) {
    EXPECT_EQ(scene_list().size(), 17u);
    for (const SceneInfo& info : scene_list()) {
        SceneBench bench(info.number == 2 ? "accept-rule" : "loop");
        bench.show(mixed());
        bench.click(bench.find(info.title, {0, 0, 208, 800}));
        EXPECT_EQ(bench.controller.frame(0).scene_name, info.name);
    }
}

TEST(Compact, DrawersOpenAndClose) {
    SceneBench bench("loop", {}, {0, 0, 1280, 720});
    bench.show(mixed());
    EXPECT_FALSE(bench.shows("sorted by target"));
    bench.key(ui::Key::i);
    EXPECT_TRUE(bench.shows("sorted by target"));
    bench.key(ui::Key::i);
    bench.key(ui::Key::i, {.shift = true});
    EXPECT_TRUE(bench.shows("Draft length K"));
}

TEST(Input, ButtonChangesEndAFrameAndKeysAreNeverLost) {
    InputQueue queue;
    queue.push({.kind = RawEvent::Kind::move, .at = {10, 10}});
    queue.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::a}});
    queue.push({.kind = RawEvent::Kind::button, .down = true});
    queue.push({.kind = RawEvent::Kind::move, .at = {90, 90}});
    queue.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::b}});
    queue.push({.kind = RawEvent::Kind::button, .down = false});
    const ui::Input first = queue.next(1, {});
    EXPECT_TRUE(first.pressed && first.down && !first.released);
    EXPECT_FLOAT_EQ(first.mouse.x, 10);
    ASSERT_EQ(first.keys.size(), 1U);
    const ui::Input second = queue.next(1.1, {});
    EXPECT_TRUE(second.released && !second.down);
    EXPECT_FLOAT_EQ(second.mouse.x, 90);
    ASSERT_EQ(second.keys.size(), 1U);
    EXPECT_TRUE(queue.empty());
}

// FR-Spec from the menu: a quarter of the ids, and all of them again.
TEST(Actions, DraftWithAQuarterOfTheIdsAndBack) {
    LiveBench live("loop");
    live.observe(mixed());
    const auto trace = mixed();
    for (const int wanted : {trace->header()->vocab / 4, 0}) {
        live.sent.clear();
        live.bench.controller.perform({PickAction{Action::fewer_ids}}, live.bench.time);
        ASSERT_FALSE(live.sent.empty());
        EXPECT_EQ(std::get<Restart>(live.sent.back()).settings.options.fr_spec, wanted);
    }
}

} // namespace
} // namespace speclens
