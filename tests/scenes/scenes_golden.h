// What the regions of the window say, as text that can be read: each distinct text once, under everybody who sees it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/scenes/scenes_look.h"

namespace speclens {

class Golden {
  public:
    // `run` is shown at `step` (may be empty) in a window of this size, and the region says `text`.
    void add(const std::string& region, const std::string& size, const std::string& run, const std::string& step, const std::string& text) {
        std::vector<Block>& blocks = find(regions_, region).second;
        auto block = std::ranges::find(blocks, text, &Block::text);
        if (block == blocks.end()) block = blocks.insert(block, Block{text, {}});
        std::vector<std::string>& steps = find(find(block->sizes, size).second, run).second;
        if (std::ranges::find(steps, step) == steps.end()) steps.push_back(step);
    }

    // "== stage", then for each text "-- 1600x1000: mixed 1 30, greedy 1; 1280x720: mixed 30" and its lines.
    [[nodiscard]] std::string text() const {
        std::string out;
        for (const auto& [region, blocks] : regions_) {
            out += "== " + region + "\n";
            for (const Block& block : blocks) {
                std::string who;
                for (const auto& [size, runs] : block.sizes) {
                    who += (who.empty() ? "" : "; ") + size + ":";
                    for (const auto& [run, steps] : runs) {
                        who += (&run == &runs.front().first ? " " : ", ") + run;
                        for (const std::string& step : steps) who += (step.empty() ? "" : " ") + step;
                    }
                }
                out += "-- " + who + "\n" + block.text;
            }
            out += "\n";
        }
        return out;
    }

  private:
    template <typename T>
    using Named = std::vector<std::pair<std::string, T>>; // in the order of the first mention
    struct Block {
        std::string text;
        Named<Named<std::vector<std::string>>> sizes; // runs of each size, steps of each run
    };

    template <typename T>
    static std::pair<std::string, T>& find(Named<T>& list, const std::string& name) {
        for (auto& entry : list)
            if (entry.first == name) return entry;
        list.emplace_back(name, T{});
        return list.back();
    }

    Named<std::vector<Block>> regions_;
};

// The frame in the type whose widths never change.
inline void steady_frame(SceneBench& bench) {
    bench.fonts = &steady_fonts();
    bench.frame();
}

inline FrameLayout layout_of(SceneBench& bench) {
    const ui::Rect screen = bench.screen();
    const FrameInput input = bench.controller.frame(bench.time);
    return frame_layout({screen.w, screen.h}, bench.controller.chrome.layout, input.active->whole_window());
}

using RegionRect = std::pair<const char*, ui::Rect>;

// What belongs to the scene: what it says stands there, and nothing of the window around it.
inline std::vector<RegionRect> scene_regions(const FrameLayout& l) {
    return {{"stage", l.stage_clip}, {"story", l.story}, {"details", l.details}, {"controls", l.controls}};
}
inline std::vector<RegionRect> window_regions(const FrameLayout& l) {
    return {{"menu", l.menu}, {"rail", l.rail}, {"output", l.ribbon}, {"timeline", l.timeline}, {"status", l.status}};
}

// Nothing is said outside the regions, so nothing is missed by looking at them one by one.
inline void expect_all_in_regions(const SceneBench& bench, const FrameLayout& layout, const std::string& what) {
    std::vector<RegionRect> regions = scene_regions(layout);
    for (const RegionRect& region : window_regions(layout)) regions.push_back(region);
    std::size_t inside = 0;
    for (const RegionRect& region : regions) inside += texts_in(bench.texts, region.second).size();
    EXPECT_EQ(inside, texts_in(bench.texts, bench.screen()).size()) << what;
}

// Adds the regions that this window has. Call steady_frame() before.
inline void add_regions(Golden& golden, const SceneBench& bench, const std::vector<RegionRect>& regions, const std::string& size,
                        const std::string& run, const std::string& step) {
    for (const auto& [name, rect] : regions)
        if (rect.w > 0 && rect.h > 0) golden.add(name, size, run, step, lines_of(texts_in(bench.texts, rect)));
}

// A race has the whole window, and its status bar tells of lanes.
inline void add_race(Golden& golden, SceneBench& bench, const std::string& size, const std::string& race, const std::string& step) {
    steady_frame(bench);
    const FrameLayout layout = layout_of(bench);
    expect_all_in_regions(bench, layout, "race " + race + " " + size + " " + step);
    add_regions(golden, bench, {{"stage", layout.stage}, {"status", layout.status}}, size, race, step);
}

} // namespace speclens
