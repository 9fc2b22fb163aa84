// What every scene must look like: nothing cut off, no text over another, and the text as it was recorded.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scenes/scenes_bench.h"

namespace speclens {

inline bool updating() {
    const char* flag = std::getenv("SPEC_UPDATE_GOLDEN");
    return flag && std::string(flag) == "1";
}

inline std::string read(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

// Two texts that share a place, and neither is painted over there.
inline std::string overlap_of(const std::vector<ui::RecordedText>& texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const ui::RecordedText& a = texts[i];
        if (a.text.find_first_not_of(' ') == std::string::npos) continue;
        if (a.seen.w <= 0 || a.seen.h <= 0) continue;
        for (std::size_t k = i + 1; k < texts.size(); ++k) {
            const ui::RecordedText& b = texts[k];
            if (b.text.find_first_not_of(' ') == std::string::npos) continue;
            const ui::Rect both = ui::intersect(a.seen, b.seen);
            if (both.w > 0.5F && both.h > 0.5F)
                return "\"" + a.text + "\" and \"" + b.text + "\" at " + std::to_string(static_cast<int>(both.x)) + "," +
                       std::to_string(static_cast<int>(both.y));
        }
    }
    return {};
}

struct Size {
    float w, h;
    const char* name;
};
// 800x500 and 640x360 are 1600×1000 and 1280×720 at 200 %; the last one is the smallest window.
inline constexpr Size kSizes[] = {{1600, 1000, "1600x1000"}, {1280, 720, "1280x720"}, {1500, 880, "1500x880"},
                                  {1100, 700, "1100x700"},   {1000, 700, "1000x700"}, {800, 500, "800x500"},
                                  {731, 411, "731x411"},     {640, 360, "640x360"},   {480, 320, "480x320"}};

inline void look(SceneBench& bench, const std::string& what, bool pans) {
    EXPECT_EQ(overlap_of(bench.texts), "") << what;
    for (const ui::RecordedText& text : bench.clipped) {
        // A stage that pans cuts at its own edges, like every scrolled view.
        const bool at_pan_edge = pans && text.clip.y <= 25 && text.clip.h > 100;
        EXPECT_TRUE(at_pan_edge) << what << ": \"" << text.text << "\" is cut off at " << text.box.x << "," << text.box.y;
    }
}

// In a small window the story has two lines: what is cut off there stands nowhere else.
inline void expect_whole_story(const SceneBench& bench, const std::string& what) {
    const ui::Rect screen = bench.screen();
    const ui::Rect story = frame_layout({screen.w, screen.h}, bench.controller.chrome.layout).story;
    for (const ui::RecordedText& text : bench.texts)
        EXPECT_FALSE(story.contains(text.box.center()) && text.text.ends_with("…")) << what << ": " << text.text;
}

// Compares with tests/ROOM/golden/NAME.txt, or writes it when SPEC_UPDATE_GOLDEN=1.
inline void expect_golden(const std::string& name, const std::string& text, const std::string& room = "scenes") {
    const std::filesystem::path file = std::filesystem::path(SPEC_SOURCE_DIR) / "tests" / room / "golden" / (name + ".txt");
    if (updating()) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    EXPECT_EQ(read(file), text) << "regenerate with SPEC_UPDATE_GOLDEN=1 and look at the difference";
}

} // namespace speclens
