// The palette: commands, drafters, rules and what the open scene can do, found by their words.
#include <gtest/gtest.h>

#include "app/popups.h"
#include "scenes_fixtures.h"
#include "scenes_live_bench.h"

namespace speclens {
namespace {

TEST(Palette, FindsAndRunsACommand) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::k, {.ctrl = true});
    ui::Input input;
    input.typed = "accept";
    bench.frame(input);
    bench.settle();
    bench.key(ui::Key::enter);
    bench.settle();
    EXPECT_TRUE(bench.shows("Beat 1 of 8")) << bench.words;
}

TEST(Palette, ChoosesADrafterAndARule) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("drafter: lookup");
    live.bench.key(ui::Key::enter);
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.drafter, "lookup");
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("rule: match");
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.last<Restart>()->settings.rule, "match");
    for (const PaletteRow& row :
         palette_rows(live.bench.controller.frame(live.bench.time), "drafter: domino"))
        EXPECT_NE(row.label, "Drafter: domino") << "it cannot run here";
}

TEST(Palette, DoesWhatTheOpenSceneCan) {
    LiveBench live("bottleneck");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("time passes");
    live.bench.key(ui::Key::enter);
    live.bench.settle();
    EXPECT_TRUE(live.last<MeasurePasses>()) << live.bench.words;
}

} // namespace
} // namespace speclens
