// A number that is drawn and that no message has would be one that only eyes see.
#pragma once

#include <functional>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "scenes/shared/in_words.h"
#include "scenes/shared/scene.h"
#include "scenes/shared/scene_input.h"
#include "tests/scenes/scenes_bench.h"
#include "ui/canvas_record.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace speclens::test {

// Draws this frame at 1600x1800 and looks for every number with two digits or more behind the point in what it tells, but for those that
// are `excused`, such as an axis's. How many there were.
using Excused = std::function<bool(const SceneInput& input, const ui::RecordedText& text, const std::string& number)>;
inline std::size_t expect_drawn_numbers_told(const char* scene, SceneInput input, const Excused& excused = {}) {
    input.stage = input.stage_clip = {0, 0, 1100, 800};
    input.controls = {0, 800, 1100, 96};
    input.story = {1100, 0, 500, 700};
    input.details = {1100, 700, 500, 1100};
    const ui::Rect screen{0, 0, 1600, 1800};
    ui::RecordCanvas canvas(scene_fonts(), screen);
    const ui::Input nothing;
    ui::WidgetState widgets;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, screen);
    (void)find_scene(scene)->make()->draw(input, ui);
    const std::string words = in_words(canvas.told());
    const std::regex number(R"(\d*\.\d\d+)");
    std::size_t seen = 0;
    for (const ui::RecordedText& text : canvas.texts())
        for (std::sregex_iterator at(text.text.begin(), text.text.end(), number), end; at != end; ++at, ++seen)
            EXPECT_TRUE((excused && excused(input, text, at->str())) || words.find(at->str()) != std::string::npos)
                << at->str() << " of “" << text.text << "”\n"
                << words;
    return seen;
}

} // namespace speclens::test
