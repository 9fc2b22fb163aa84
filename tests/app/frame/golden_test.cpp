// Every scene over every recorded run, at the first, a middle and the last step, at several sizes: no text is cut off or
// written over another one, and what scene and window say is compared with golden files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "app/frame/saved_files.h"
#include "engine/run/trace_json.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

fs::path trace_file(const std::string& name) { return fs::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (name + ".jsonl"); }
std::vector<std::size_t> cursors(const Trace& trace) { return {1, (trace.size() + 1) / 2, trace.size()}; }

class EveryRun : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(EveryRun, NothingCollides) {
    const auto& [scene, name] = GetParam();
    const std::shared_ptr<const Trace> trace = load_trace(trace_file(name));
    for (const Size& s : kSizes) {
        for (const std::size_t cursor : cursors(*trace)) {
            SceneBench bench(scene, {}, {0, 0, s.w, s.h});
            bench.show(trace, cursor);
            bench.frame();
            const std::string what =
                scene + " " + name + " " + s.name + " step " + std::to_string(cursor) + " of " + std::to_string(trace->size());
            look(bench, what, s.w < 1000);
            const std::string dark = bench.words;
            bench.controller.theme = ui::ThemeKind::light;
            bench.frame();
            EXPECT_EQ(bench.words, dark) << "the theme changes colours only";
        }
    }
}

// The runs that a scene is looked at with. Of MTP's the others would tell nothing that EAGLE-3's does not.
std::vector<std::string> names(const std::string& scene = "") {
    std::vector<std::string> list;
    for (const fixtures::Toy& toy : fixtures::toys()) list.push_back(toy.name);
    for (const char* recorded : fixtures::kRecorded)
        if (std::string_view(recorded) != "mtp" || scene == recorded) list.emplace_back(recorded);
    return list;
}
std::vector<std::string> scenes() {
    std::vector<std::string> list;
    for (const SceneInfo& info : scene_list())
        if (std::string(info.name) != "race") list.emplace_back(info.name); // it shows no single run
    return list;
}
std::string run_name(const ::testing::TestParamInfo<EveryRun::ParamType>& run) {
    std::string name = std::get<0>(run.param) + "_" + std::get<1>(run.param);
    std::ranges::replace(name, '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Scenes, EveryRun, ::testing::Combine(::testing::ValuesIn(scenes()), ::testing::ValuesIn(names())), run_name);
INSTANTIATE_TEST_SUITE_P(Mtp, EveryRun, ::testing::Values(std::tuple<std::string, std::string>("mtp", "mtp")), run_name);

// What is shown of every run at the sizes that golden files have: `shot` gets the size, the run and its cursor.
void for_every_shot(const std::string& scene,
                    const std::function<void(SceneBench&, const Size&, const std::string&, const std::string&)>& shot) {
    for (const std::string& name : names(scene)) {
        const std::shared_ptr<const Trace> trace = load_trace(trace_file(name));
        for (const Size& s : {kSizes[0], kSizes[1]})
            for (const std::size_t cursor : cursors(*trace)) {
                if (s.w == 1280 && cursor < trace->size()) continue;
                SceneBench bench(scene, {}, {0, 0, s.w, s.h});
                bench.show(trace, cursor);
                steady_frame(bench);
                shot(bench, s, name, std::to_string(cursor));
            }
    }
}

class EveryScene : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryScene, SaysWhatWasRecorded) {
    const std::string& scene = GetParam();
    Golden golden;
    for_every_shot(scene, [&](SceneBench& bench, const Size& s, const std::string& run, const std::string& step) {
        const FrameLayout layout = layout_of(bench);
        expect_all_in_regions(bench, layout, run + " " + s.name + " step " + step);
        add_regions(golden, bench, scene_regions(layout), s.name, run, step);
    });
    expect_golden(scene, golden.text());
}
INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, ::testing::ValuesIn(scenes()), [](const auto& scene) {
    std::string name = scene.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

// Menu, rail, output, timeline and status bar are recorded of one scene, and say the same about a run in all others.
TEST(WindowRegions, SayWhatWasRecordedWhateverTheScene) {
    std::map<std::string, Golden> goldens;
    std::map<std::string, std::string> said;
    for (const std::string& scene : scenes())
        for_every_shot(scene, [&](SceneBench& bench, const Size& s, const std::string& run, const std::string& step) {
            for (const RegionRect& region : window_regions(layout_of(bench))) {
                const auto& [name, rect] = region;
                if (rect.w <= 0) continue; // a scene that is not about the run has neither output nor timeline
                const std::string shot = std::string(name) + ", " + s.name + ", " + run + " " + step;
                const std::string text = lines_of(texts_in(bench.texts, rect));
                if (said.emplace(shot, text).second)
                    add_regions(goldens[name], bench, {region}, s.name, run, step);
                else
                    EXPECT_EQ(said[shot], text) << shot << " in the scene " << scene;
            }
        });
    for (const auto& [region, golden] : goldens) expect_golden(region, golden.text(), "app/frame");
}

// They are there to be read when they change. What is repeated in them belongs to a region of its own.
TEST(GoldenFiles, AreFewEnoughLinesToBeRead) {
    int lines = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPEC_SOURCE_DIR) / "tests"))
        if (entry.path().extension() == ".txt" && entry.path().parent_path().filename() == "golden")
            lines += static_cast<int>(std::ranges::count(read(entry.path()), '\n'));
    EXPECT_GT(lines, 1000);
    EXPECT_LE(lines, 15000);
}

TEST(TraceFiles, AreWhatTheToyModelWrites) {
    for (const fixtures::Toy& toy : fixtures::toys()) {
        const std::shared_ptr<Trace> made = fixtures::toy_run(toy);
        if (updating()) save_trace(*made, trace_file(toy.name));
        const std::shared_ptr<Trace> loaded = load_trace(trace_file(toy.name));
        ASSERT_EQ(loaded->size(), made->size()) << toy.name;
        EXPECT_EQ(loaded->hash(loaded->size()), made->hash(made->size())) << toy.name;
    }
}

TEST(EveryBeat, FitsItsPlaceAndKeepsToAFewWords) {
    std::vector<std::shared_ptr<const Trace>> traces = {fixtures::toy_run(fixtures::toys().front())};
    for (const char* recorded : fixtures::kRecorded) traces.push_back(load_trace(trace_file(recorded)));
    for (const std::shared_ptr<const Trace>& trace : traces)
        for (const SceneInfo& info : scene_list()) {
            // a recorded run has one scene that is made for it
            if (trace != traces.front() && trace->header()->drafter != info.name) continue;
            for (std::size_t cursor = 1; cursor <= trace->size(); ++cursor) {
                SceneBench bench(info.name);
                bench.show(trace, cursor);
                const std::unique_ptr<Scene> scene = info.make();
                const int beats = std::max(1, scene->beats(bench.controller.frame(0).scene));
                for (int beat = 0; beat < beats; ++beat) {
                    bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                    bench.frame();
                    EXPECT_EQ(overlap_of(bench.texts), "") << info.name << " step " << cursor << " beat " << beat;
                    EXPECT_TRUE(bench.clipped.empty()) << info.name << " step " << cursor << " beat " << beat << ": "
                                                       << (bench.clipped.empty() ? "" : bench.clipped[0].text);
                    int words = 0;
                    const ui::Rect heading{1200, 70, 400, 54};
                    for (const ui::RecordedText& text : bench.texts) {
                        EXPECT_FALSE(heading.contains(text.box.center()) && text.text.ends_with("…"))
                            << info.name << " beat " << beat << ": " << text.text;
                        if (!ui::Rect{1200, 124, 400, 176}.contains(text.box.center())) continue;
                        words += static_cast<int>(std::ranges::count(text.text, ' ')) + 1;
                        EXPECT_FALSE(text.text.ends_with("…")) << info.name << " step " << cursor << " beat " << beat << ": " << text.text;
                    }
                    EXPECT_LE(words, 75) << "story and aside, " << info.name << " step " << cursor << " beat " << beat;
                }
            }
        }
}

TEST(Stories, AreToldToTheirEnd) {
    const ui::Vec2 sizes[] = {{1280, 720}, {1600, 1000}};
    for (const ui::Vec2 size : sizes) ASSERT_GT(frame_layout(size).story.w, 0);
    const auto figures =
        std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    std::vector<std::shared_ptr<const Trace>> traces = {fixtures::toy_run(fixtures::toys().front())};
    for (const char* recorded : fixtures::kRecorded) traces.push_back(load_trace(trace_file(recorded)));
    for (const std::shared_ptr<const Trace>& trace : traces)
        for (const SceneInfo& info : scene_list()) {
            if (trace != traces.front() && trace->header()->drafter != info.name) continue;
            for (const ui::Vec2 size : sizes) {
                SceneBench bench(info.name, {}, {0, 0, size.x, size.y});
                bench.controller.figures = figures;
                bench.show(trace, trace->size());
                const int beats = std::max(1, info.make()->beats(bench.controller.frame(0).scene));
                for (int beat = 0; beat < beats; ++beat) {
                    bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                    bench.frame();
                    expect_whole_story(bench, std::string(info.name) + " beat " + std::to_string(beat));
                }
            }
        }
}

TEST(SmallWindows, GiveUpTheTimelineBeforeTheyShowOneRegionAtATime) {
    const FrameLayout laptop = frame_layout({1280, 720}), enlarged = frame_layout({1280 / 1.1F, 720 / 1.1F}),
                      low = frame_layout({1280, 635});
    EXPECT_EQ(laptop.density, Density::compact);
    EXPECT_EQ(laptop.timeline.h, 56);
    EXPECT_EQ(enlarged.density, Density::compact);
    EXPECT_EQ(enlarged.timeline.w, 0);
    EXPECT_GE(enlarged.stage.h, frame_layout({1280, 692}).stage.h);
    EXPECT_EQ(enlarged.ribbon.bottom(), enlarged.status.y);
    EXPECT_EQ(low.density, Density::single);
    EXPECT_EQ(frame_layout({1280, 654}, {}, true).density, Density::single) << "all of the window is its stage";
}

TEST(SmallWindows, DrawersAndSingleRegionsFit) {
    const std::shared_ptr<const Trace> toy = fixtures::toy_run(fixtures::toys().front());
    for (const SceneInfo& info : scene_list()) {
        std::shared_ptr<const Trace> trace = toy;
        for (const char* recorded : fixtures::kRecorded)
            if (info.name == std::string(recorded)) trace = load_trace(trace_file(recorded));
        // The first is 1280×720 at 110 %.
        for (const Size& s : {Size{1164, 654, "1164x654"}, Size{1100, 636, "1100x636"}}) {
            SceneBench bench(info.name, {}, {0, 0, s.w, s.h});
            bench.show(trace, 20);
            look(bench, std::string(info.name) + " " + s.name, false);
        }
        for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1400, 800, "1400x800"}}) {
            SceneBench bench(info.name, {}, {0, 0, s.w, s.h});
            bench.show(trace, 20);
            bench.key(ui::Key::i);
            look(bench, std::string(info.name) + " details drawer " + s.name, false);
        }
        for (const Size& s : {Size{800, 500, "800x500"}, Size{640, 360, "640x360"}, Size{1099, 691, "1099x691"}}) {
            SceneBench bench(info.name, {}, {0, 0, s.w, s.h});
            bench.show(trace, 20);
            for (int region = 0; region < kRegions; ++region) {
                look(bench, std::string(info.name) + " region " + std::to_string(region) + " " + s.name, region == 0);
                bench.key(ui::Key::f6);
            }
        }
    }
}

TEST(Presenter, ShowsTheStageTheOutputAndOneSentence) {
    const std::shared_ptr<const Trace> toy = fixtures::toy_run(fixtures::toys().front());
    Golden golden;
    for (const SceneInfo& info : scene_list()) {
        std::shared_ptr<const Trace> trace = toy;
        for (const char* recorded : fixtures::kRecorded)
            if (info.name == std::string(recorded)) trace = load_trace(trace_file(recorded));
        for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1920, 1080, "1920x1080"}}) {
            const float scale = presenter_scale({s.w, s.h});
            SceneBench bench(info.name, {}, {0, 0, s.w / scale, s.h / scale});
            bench.controller.window = {s.w, s.h};
            bench.show(trace);
            bench.key(ui::Key::f5);
            EXPECT_EQ(bench.controller.scale(), scale);
            EXPECT_GT(scale, 1.1F) << "larger type";
            const int beats = find_scene(info.name)->make()->beats(bench.controller.frame(0).scene);
            for (int beat = 0; beat < std::max(1, beats); ++beat) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.frame();
                look(bench, std::string("presenter ") + info.name + " " + s.name + " beat " + std::to_string(beat), false);
                EXPECT_FALSE(bench.shows("SpecLens")) << "no menu";
                for (const ui::RecordedText& text : bench.texts)
                    EXPECT_FALSE(text.text.find(' ') != std::string::npos && text.text.ends_with("…"))
                        << info.name << " " << s.name << " beat " << beat << ": " << text.text;
            }
            steady_frame(bench);
            const FrameLayout layout = layout_of(bench);
            std::vector<RegionRect> regions{{"stage", layout.stage}, {"output", layout.ribbon}, {"story", layout.story}};
            std::erase_if(regions, [](const RegionRect& region) { return region.second.w <= 0; });
            add_regions(golden, bench, regions, s.name, info.name, "");
            bench.key(ui::Key::escape);
            EXPECT_EQ(bench.controller.scale(), 1);
        }
    }
    expect_golden("presenter", golden.text(), "app/frame");
}

TEST(Popups, FitEverySize) {
    const std::shared_ptr<const Trace> trace = fixtures::toy_run(fixtures::toys().front());
    for (const Size& s : kSizes) {
        for (const Popup popup : {Popup::palette, Popup::prompt, Popup::keys, Popup::description, Popup::open_file, Popup::models,
                                  Popup::export_frame, Popup::fork, Popup::lengths}) {
            SceneBench bench("loop", {}, {0, 0, s.w, s.h});
            bench.show(trace, 20);
            bench.controller.chrome.popup = popup;
            bench.settle();
            for (const ui::RecordedText& text : bench.texts) {
                if (s.w < 1000) break; // the stage behind it pans
                EXPECT_LE(text.box.right(), s.w + 0.5F) << s.name << ": " << text.text;
            }
            EXPECT_EQ(bench.controller.chrome.popup, popup);
            bench.key(ui::Key::escape);
            bench.settle();
            EXPECT_EQ(bench.controller.chrome.popup, Popup::none) << s.name;
        }
    }
}

TEST(StepBack, GivesTheSamePicture) {
    const std::shared_ptr<const Trace> trace = fixtures::toy_run(fixtures::toys().front());
    SceneBench bench("loop");
    bench.show(trace, 1);
    std::vector<std::string> seen;
    std::vector<int> shapes;
    for (std::size_t i = 1; i < trace->size(); ++i) {
        bench.settle();
        seen.push_back(bench.words);
        shapes.push_back(bench.shapes);
        bench.key(ui::Key::right);
    }
    for (std::size_t i = trace->size() - 1; i-- > 0;) {
        bench.key(ui::Key::left);
        // Tasks that are done stay done; everything else must be as it was.
        EXPECT_EQ(bench.words, seen[i]) << "step " << i + 1;
    }
}

// A header has its prompt with it, as text, as ids and as the texts of the ids.
TEST(SavedFiles, FindARunWithALongPrompt) {
    const test::TempFolder folder;
    const std::string head = R"({"schema":"speclens-trace/1","kind":"header","drafter":"small","k":4,"prompt_text":")";
    for (const std::size_t length : {std::size_t{10}, std::size_t{65500}, std::size_t{70000}, std::size_t{3} << 20}) {
        std::ofstream(folder.path() / "a.jsonl") << head << std::string(length, 'a') << "\"}\n{\"kind\":\"stop\"}\n";
        const std::vector<SavedFile> found = saved_files(folder.path());
        ASSERT_EQ(found.size(), 1u) << length;
        EXPECT_EQ(found[0].label, std::string(std::min<std::size_t>(length, 400), 'a'));
        EXPECT_TRUE(found[0].path.ends_with("a.jsonl"));
        std::ofstream(folder.path() / "b.json")
            << R"({"schema":"speclens-race/1","prompt":")" << std::string(length, 'b') << "\",\"lanes\":[1,2]}";
        ASSERT_EQ(saved_files(folder.path()).size(), 2u) << length;
        std::filesystem::remove(folder.path() / "b.json");
    }
    std::ofstream(folder.path() / "a.jsonl") << head << std::string(std::size_t{20} << 20, 'a') << "\"}\n";
    EXPECT_TRUE(saved_files(folder.path()).empty()) << "there is an end to reading";
}

TEST(SavedFiles, LeaveOutWhatIsNeitherRunNorRace) {
    const test::TempFolder folder;
    for (const char* text : {"{\"lanes\":[]}", "\"lanes\"", "", "[1,2", "{\"a\":1,\"lanes\":[]}"}) {
        std::ofstream(folder.path() / "a.json") << text;
        std::ofstream(folder.path() / "b.jsonl") << text;
        EXPECT_TRUE(saved_files(folder.path()).empty()) << text;
    }
}

} // namespace
} // namespace speclens
