// A number that is drawn and that no message has would be one that only eyes see.
#pragma once

#include <functional>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenes/shared/in_words.h"
#include "scenes/shared/scene.h"
#include "scenes/shared/scene_input.h"
#include "tests/scenes/scenes_golden.h"
#include "ui/canvas_record.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace speclens::test {

// Looks in `words` for every number with two digits or more behind the point in what was drawn, but for those that are excused. How many
// there were.
inline std::size_t expect_numbers_told(const std::vector<ui::RecordedText>& drawn, const std::string& words,
                                       const std::function<bool(const ui::RecordedText&, const std::string&)>& excused = {}) {
    const std::regex number(R"(\d*\.\d\d+)");
    std::size_t seen = 0;
    for (const ui::RecordedText& text : drawn)
        for (std::sregex_iterator at(text.text.begin(), text.text.end(), number), end; at != end; ++at, ++seen)
            EXPECT_TRUE((excused && excused(text, at->str())) || words.find(at->str()) != std::string::npos)
                << at->str() << " of “" << text.text << "”\n"
                << words;
    return seen;
}

// Of what the bench drew last what stands on the stage and in the details.
inline std::vector<ui::RecordedText> scene_texts(SceneBench& bench) {
    const FrameLayout layout = layout_of(bench);
    std::vector<ui::RecordedText> texts = bench.texts;
    std::erase_if(texts, [&](const ui::RecordedText& text) {
        return !layout.stage.contains(text.box.center()) && !layout.details.contains(text.box.center());
    });
    return texts;
}

// Draws this frame at 1600x1800 and looks for its numbers in what it tells, but for those that are `excused`, such as an axis's.
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
    return expect_numbers_told(canvas.texts(), in_words(canvas.told()), [&](const ui::RecordedText& text, const std::string& number) {
        return excused && excused(input, text, number);
    });
}

} // namespace speclens::test
