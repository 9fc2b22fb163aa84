// The scene Numbers with the figures that are shipped.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "scenes/numbers/numbers_draw.h"
#include "tests/scenes/scenes_bench.h"

namespace speclens::test {

inline std::shared_ptr<const Published> shipped_figures() {
    return std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
}

// The first of `told` with this id, "table.sorted"; without one a failure.
inline Said said_in(const std::vector<ui::ToldMessage>& told, const std::string& id, const std::string& scene = "numbers") {
    for (const ui::ToldMessage& one : told)
        if (one.message.said.id() == scene + "." + id) return one.message.said;
    ADD_FAILURE() << "nothing says " << scene << "." << id;
    return {};
}

struct Listed {
    std::unique_ptr<SceneBench> bench;
    explicit Listed(ui::Rect screen = {0, 0, 1600, 1000}) : bench(std::make_unique<SceneBench>("numbers", EnginePort{}, screen)) {
        bench->controller.figures = shipped_figures();
        bench->settle();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    // What the scene on screen says.
    [[nodiscard]] std::vector<ui::ToldMessage> told() {
        const FrameInput frame = bench->controller.frame(0);
        return frame.active->told(frame.scene);
    }
    [[nodiscard]] Said said(const std::string& id, const std::string& scene = "numbers") { return said_in(told(), id, scene); }
    [[nodiscard]] bool says(const std::string& id) {
        return std::ranges::any_of(told(), [&](const ui::ToldMessage& one) { return one.message.said.id() == "numbers." + id; });
    }
};

} // namespace speclens::test
