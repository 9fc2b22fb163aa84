// A window as it is projected in a room, and what has to be readable in it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scenes/scenes_look.h"

namespace speclens {

// In 720 lines; twice as large as what is printed in a book held as far away as it is wide. A screen of more lines is no larger.
inline constexpr float kSecondaryType = 20;

// Of a suite over every scene.
inline std::vector<std::string> every_scene() {
    std::vector<std::string> names;
    for (const SceneInfo& one : scene_list()) names.emplace_back(one.name);
    return names;
}

inline std::string scene_test_name(const ::testing::TestParamInfo<std::string>& scene) {
    std::string name = scene.param;
    std::ranges::replace(name, '-', '_');
    return name;
}

inline void present(SceneBench& bench, ui::Vec2 window = {1280, 720}) {
    const float scale = presenter_scale(window);
    bench.resize({0, 0, window.x / scale, window.y / scale});
    bench.controller.window = window;
    if (!bench.controller.chrome.layout.presenter) bench.key(ui::Key::f5);
    bench.settle();
}

// No text is smaller, none is cut off or lies over another one, none is shortened in the middle of a sentence.
inline void expect_readable(SceneBench& bench, const std::string& what) {
    const float scale = bench.controller.scale();
    for (const ui::RecordedText& text : bench.texts) {
        if (text.seen.w <= 0 || text.seen.h <= 0) continue;
        EXPECT_GE(text.size * scale * 720 / bench.controller.window.y, kSecondaryType - 0.01F) << what << ": " << text.text;
        EXPECT_FALSE(text.text.find(' ') != std::string::npos && text.text.ends_with("…")) << what << ": " << text.text;
    }
    look(bench, what, false);
}

} // namespace speclens
