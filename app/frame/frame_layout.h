// Where the regions of the window are, from its size in logical pixels alone.
#pragma once

#include "ui/canvas.h"

namespace speclens {

// full: all regions. compact: narrow rail, story strip, drawers; no timeline
// in low windows. single: one region at a time, the stage pans.
// presenter: the stage, the output and one sentence, for a room; its caller draws it presenter_scale()
// larger.
enum class Density : std::uint8_t { full, compact, single, presenter };
enum class Region : std::uint8_t { stage, story, details, controls, output };
inline constexpr int kRegions = 5;

struct LayoutWish {
    bool details = false; // drawers of the compact layout
    bool controls = false;
    bool presenter = false;
    bool run = true;               // the scene is about the run: output and timeline belong to it
    bool counts = false;           // a lecture is open, whose steps a presenter counts
    Region region = Region::stage; // of the single layout
    ui::Vec2 pan;                  // of the single layout's stage
};

struct FrameLayout {
    Density density = Density::full;
    bool strip = false; // the story is two lines across the window
    bool tall = true;   // room for two timeline lanes of one height, the ghost lane at full height and the legend
    ui::Rect menu, rail, stage, stage_clip, story, details, controls, ribbon, timeline, status;
    ui::Vec2 pan_limit; // how far the stage can be panned
};
// whole: the stage takes everything between menu and status bar.
[[nodiscard]] FrameLayout frame_layout(ui::Vec2 size, const LayoutWish& wish = {}, bool whole = false);

// Least logical size of a stage that every scene can draw without crowding.
inline constexpr float kStageWidth = 920, kStageHeight = 500;

// Least logical size of a window that shows a whole scene, stage and words.
inline constexpr float kWholeWidth = 1000, kWholeHeight = 692;

// Whether a window of this logical size has room for the presenter's layout.
[[nodiscard]] bool can_present(ui::Vec2 size);
// The zoom at which a window that is larger than the 1600 × 1000 px which the scenes are drawn for is filled by as much
// as that, in tenths; 1 for a smaller one, at most 3.
[[nodiscard]] float window_scale(ui::Vec2 window);
// How much larger everything is drawn for a room: in every scene alike, and as large as its picture allows.
[[nodiscard]] float presenter_scale(ui::Vec2 window);

} // namespace speclens
