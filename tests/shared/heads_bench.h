// A window over the run of one head, and what a presenter sees of its scene.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/finished.h"
#include "tests/shared/said_values.h"
#include "tests/shared/told_said.h"

namespace speclens {

inline std::shared_ptr<const Trace> recorded(const std::string& name) {
    return load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (name + ".jsonl"));
}

using ToldFrame = std::vector<ui::ToldMessage>;
inline ToldFrame told_of(const std::string& scene, const SceneInput& input) { return find_scene(scene)->make()->told(input); }
// Of the frame on screen.
inline ToldFrame told_of(SceneBench& bench) {
    const FrameInput frame = bench.controller.frame(bench.time);
    return frame.active->told(frame.scene);
}
inline bool says(const ToldFrame& told, const std::string& id) { return !test::all_said(told, id).empty(); }

inline RunSettings settings_for(const std::string& drafter) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = drafter;
    settings.k = 4;
    settings.sampling.temperature = 0;
    settings.max_tokens = 24;
    settings.internals = true;
    return settings;
}

// A window with an engine that only listens, showing a finished run of a micro head.
struct Live : RunWindow {
    explicit Live(const std::string& drafter, RunSettings with, ui::Rect screen = {0, 0, 1600, 1000}) {
        settings = std::move(with);
        open(drafter, {"none", "eagle3", "dflash", "domino"}, screen);
        show();
        sent.clear();
    }
    // Runs what was asked for, shortened, and shows the answer.
    void answer() {
        Study done{study()->name, static_cast<int>(study()->runs.size()), {}};
        for (RunSettings one : study()->runs) {
            one.prompt.token_ids = settings.prompt.token_ids;
            one.prompt.chat = false;
            one.k = std::min(one.k, 7);
            done.points.push_back(study_point(models, one));
            EXPECT_EQ(done.points.back().problem, "");
        }
        published.studies[done.name] = std::make_shared<const Study>(done);
        show();
    }
};

// Draws every beat for a room: what its sentence speaks of is on the stage.
inline void expect_presented(const std::string& scene, const std::vector<std::pair<int, const char*>>& shown) {
    const float scale = presenter_scale({1280, 720});
    SceneBench bench(scene, {}, {0, 0, 1280 / scale, 720 / scale});
    bench.controller.window = {1280, 720};
    bench.show(recorded(scene));
    bench.key(ui::Key::f5);
    for (const auto& [beat, words] : shown) {
        bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
        bench.settle();
        EXPECT_TRUE(bench.shows(words)) << bench.words;
        look(bench, scene + " presenter beat " + std::to_string(beat), false);
    }
}

} // namespace speclens
