// What a room can read: in a window of 1280x720, and on 4:3, every text of every scene and beat is at least 20 px large in 720
// lines, none is cut off and none is written over another one.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "engine/published/published.h"
#include "engine/run/trace_json.h"
#include "tests/scenes/room.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {
namespace {

std::shared_ptr<const Trace> run_for(const std::string& scene) {
    for (const char* recorded : fixtures::kRecorded)
        if (scene == recorded) return load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (scene + ".jsonl"));
    return fixtures::mixed();
}

// What a projector of 4:3 shows is as large whatever its pixels.
constexpr ui::Vec2 kWide{1280, 720}, kOld{1024, 768};

class EveryRoom : public ::testing::TestWithParam<std::tuple<std::string, ui::Vec2>> {};

TEST_P(EveryRoom, CanReadEveryBeat) {
    const auto& [name, window] = GetParam();
    const auto figures =
        std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    for (const std::shared_ptr<const Trace>& trace : {run_for(name), run_for("loop")}) {
        SceneBench bench(name);
        bench.controller.figures = figures;
        bench.show(trace);
        present(bench, window);
        const int beats = bench.controller.frame(0).active->beats(bench.controller.frame(0).scene);
        for (int beat = 0; beat < beats; ++beat) {
            bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
            bench.settle();
            expect_readable(bench, name + " beat " + std::to_string(beat + 1));
        }
        const std::size_t step = beats > 0 ? 5 : 1; // a scene with beats shows the round that the cursor is in
        for (std::size_t cursor = 1; cursor <= std::min<std::size_t>(trace->size(), 60); cursor += step) {
            bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
            bench.settle();
            expect_readable(bench, name + " step " + std::to_string(cursor));
        }
    }
}

std::string room_name(const ::testing::TestParamInfo<EveryRoom::ParamType>& room) {
    const auto& [scene, window] = room.param;
    std::string name = scene + "_" + std::to_string(std::lround(window.x)) + "x" + std::to_string(std::lround(window.y));
    std::ranges::replace(name, '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryRoom, ::testing::Combine(::testing::ValuesIn(every_scene()), ::testing::Values(kWide, kOld)),
                         room_name);

// The reason behind the first sentence is for the room too.
TEST(Room, HearsTheReasonBehindTheFirstSentence) {
    for (const auto& [scene, beat, reason] :
         std::initializer_list<std::tuple<const char*, int, const char*>>{{"accept-rule", 6, "come out too often"},
                                                                          {"domino", 5, "Above zero the word becomes likelier"},
                                                                          {"failures", 5, "the program says why"}}) {
        SceneBench bench(scene);
        bench.show(run_for(scene));
        present(bench);
        bench.controller.perform({SceneCommand{SetBeat{beat - 1}}}, bench.time);
        bench.settle();
        EXPECT_TRUE(bench.shows(reason)) << scene << ": " << bench.words;
    }
}

TEST(Room, HasTheSameSizeOfTypeInEveryScene) {
    EXPECT_NEAR(presenter_scale({1280, 720}), 20.0F / 14, 1e-4);
    EXPECT_EQ(presenter_scale({640, 360}), 1) << "a window with no room for it is drawn as it is";
    EXPECT_EQ(presenter_scale({16000, 9000}), 2);
    EXPECT_NEAR(presenter_scale({960, 720}), 20.0F / 14, 1e-4) << "4:3 too";
}

} // namespace
} // namespace speclens
