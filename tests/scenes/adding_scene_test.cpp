// The scene of docs/adding.md: in the list, drawn, told in words, and nothing of it is cut off or runs into something else.
#include <cstdlib>

#include <gtest/gtest.h>

#include "scenes/shared/scene.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"

namespace speclens {
namespace {

// Its story lies beside the shipped ones, as one of somebody's own does.
[[maybe_unused]] const int kOwnStories = setenv("SPECLENS_STORIES", SPEC_ADDING_STORIES, 1);

TEST(AddingScene, StandsInTheRailAndIsFoundByNameAndNumber) {
    const SceneInfo* kept = find_scene("kept");
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(find_scene("S" + std::to_string(scene_list().size())), kept);
    EXPECT_EQ(&scene_list().back(), kept);
    const auto& limits = scene_groups()[3];
    EXPECT_EQ(limits.scenes.back(), kept) << limits.title.id();
}

TEST(AddingScene, DrawsTheRoundsThatTheCursorHasReached) {
    const std::shared_ptr<Trace> trace = fixtures::mixed();
    SceneBench bench("kept");
    bench.show(trace, 1);
    EXPECT_TRUE(bench.shows("No round was judged yet")) << bench.words;
    bench.show(trace, trace->size());
    const RunView whole = fold(*trace, trace->size());
    ASSERT_GT(whole.rounds, 2);
    EXPECT_TRUE(bench.shows(std::to_string(whole.accepted_drafts) + " of " + std::to_string(whole.drafted) + " draft tokens accepted"))
        << bench.words;
    for (const RoundSummary& round : whole.round_list) {
        EXPECT_TRUE(bench.shows("round " + std::to_string(round.round + 1))) << bench.words;
        EXPECT_TRUE(bench.shows(std::to_string(round.accepted) + " of " + std::to_string(round.drafts.size()))) << bench.words;
    }
    EXPECT_EQ(overlap_of(bench.texts), "");
    EXPECT_TRUE(bench.clipped.empty());
    expect_whole_story(bench, "kept");
    const std::string words = find_scene("kept")->make()->describe(bench.controller.frame(bench.time).scene);
    EXPECT_NE(words.find("Round 1: "), std::string::npos) << words;
    EXPECT_NE(words.find(" accepted.\n"), std::string::npos) << words;
}

} // namespace
} // namespace speclens
