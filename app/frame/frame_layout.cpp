#include "app/frame/frame_layout.h"

#include <algorithm>
#include <cmath>

namespace speclens {
namespace {

using ui::Rect;

// All of them hold the names of the scenes, the narrow one the first word of some: it leaves the stage what every scene needs.
constexpr float kRail = 208, kNamedRail = 116, kNarrowRail = kWholeWidth - kStageWidth;
constexpr float kStrip = 52;                        // a story of two lines, or three close ones, with its buttons
constexpr float kDrawer = 400, kBesideDrawer = 780; // of the details, and what a stage needs to be whole beside them

constexpr float kTall = 984; // below that the stage needs the height more than the chrome does

float compact_rail(ui::Vec2 size) { return size.x >= 1348 ? kNamedRail : kNarrowRail; }

FrameLayout full_layout(ui::Vec2 size, bool run) {
    FrameLayout l;
    l.tall = size.y >= kTall;
    const float menu = l.tall ? 28 : 24, ribbon = l.tall ? 88 : 64, timeline = l.tall ? 96 : 56, status = l.tall ? 28 : 24;
    const float rail = kRail, side = 400, controls = 96, story = 376;
    const float bottom = size.y - status - (run ? timeline + ribbon : 0);
    l.menu = {0, 0, size.x, menu};
    l.rail = {0, menu, rail, bottom - menu};
    l.stage = {rail, menu, size.x - rail - side, bottom - menu - controls};
    l.story = {size.x - side, menu, side, story};
    l.details = {size.x - side, menu + story, side, bottom - menu - story};
    l.controls = {rail, bottom - controls, l.stage.w, controls};
    if (run) l.ribbon = {0, bottom, size.x, ribbon};
    if (run) l.timeline = {0, bottom + ribbon, size.x, timeline};
    l.status = {0, size.y - status, size.x, status};
    l.stage_clip = l.stage;
    return l;
}

// A stage of 472: below kTimelineHeight only without the timeline, which keys and menus stand in for.
constexpr float kCompactWidth = kWholeWidth, kCompactHeight = 636, kTimelineHeight = kWholeHeight;

FrameLayout compact_layout(ui::Vec2 size, const LayoutWish& wish) {
    FrameLayout l;
    l.density = Density::compact;
    l.strip = true;
    l.tall = false;
    const float menu = 24, rail = compact_rail(size), strip = kStrip, ribbon = wish.run ? 64 : 0, status = 24;
    const float timeline = wish.run && size.y >= kTimelineHeight ? 56 : 0;
    const float bottom = size.y - status - timeline - ribbon;
    l.menu = {0, 0, size.x, menu};
    l.rail = {0, menu, rail, bottom - strip - menu};
    l.stage = {rail, menu, size.x - rail, bottom - strip - menu};
    l.story = {0, bottom - strip, size.x, strip};
    if (wish.run) l.ribbon = {0, bottom, size.x, ribbon};
    if (timeline > 0) l.timeline = {0, bottom + ribbon, size.x, timeline};
    l.status = {0, size.y - status, size.x, status};
    l.stage_clip = l.stage;
    if (wish.details) {
        l.details = {size.x - kDrawer, menu, kDrawer, l.stage.h};
        l.stage_clip.w -= kDrawer;
        if (l.stage.w - kDrawer >= kBesideDrawer) l.stage.w -= kDrawer;
    }
    if (wish.controls) {
        l.controls = {rail, l.stage.bottom() - 96, l.stage_clip.w, 96};
        l.stage_clip.h -= 96;
    }
    return l;
}

// What the words of a story need beside its buttons, and a picture above them.
constexpr float kStripWidth = 720, kStripHeight = 360;

FrameLayout single_layout(ui::Vec2 size, const LayoutWish& wish, bool whole) {
    FrameLayout l;
    l.density = Density::single;
    l.tall = false;
    l.menu = {0, 0, size.x, 24};
    l.status = {0, size.y - 24, size.x, 24};
    const Rect body{0, 24, size.x, size.y - 48};
    switch (wish.region) {
    case Region::stage: {
        l.stage_clip = body;
        if (l.strip = !whole && body.w >= kStripWidth && body.h >= kStripHeight; l.strip) {
            l.stage_clip.h -= kStrip;
            l.story = {body.x, l.stage_clip.bottom(), body.w, kStrip};
        }
        const Rect& seen = l.stage_clip;
        l.stage = {seen.x, seen.y, std::max(seen.w, kStageWidth), std::max(seen.h, kStageHeight)};
        l.pan_limit = {l.stage.w - seen.w, l.stage.h - seen.h};
        l.stage.x -= std::clamp(wish.pan.x, 0.0F, l.pan_limit.x);
        l.stage.y -= std::clamp(wish.pan.y, 0.0F, l.pan_limit.y);
        break;
    }
    case Region::story: l.story = body; break;
    case Region::details: l.details = body; break;
    case Region::controls: l.controls = {body.x, body.y, body.w, 96}; break;
    case Region::output:
        l.ribbon = {body.x, body.y, body.w, 88};
        l.timeline = {body.x, body.y + 88, body.w, 96};
        l.tall = true;
        break;
    }
    return l;
}

// Scenes that lay out the whole window themselves. Small windows pan them like any other stage.
FrameLayout whole_layout(ui::Vec2 size) {
    FrameLayout l;
    l.tall = size.x >= 1440 && size.y >= 840;
    if (!l.tall) l.density = Density::compact;
    const float menu = l.tall && size.y >= kTall ? 28 : 24, status = menu;
    l.menu = {0, 0, size.x, menu};
    l.status = {0, size.y - status, size.x, status};
    const float rail = l.tall ? kRail : compact_rail(size);
    l.rail = {0, menu, rail, size.y - menu - status};
    l.stage = l.stage_clip = {rail, menu, size.x - rail, size.y - menu - status};
    return l;
}

// The presenter's window: in 720 lines its smallest type, 14 px here, has 20 and is read from the back of a room.
constexpr float kRoomWidth = 672, kRoomHeight = 504, kMostScale = 2;
constexpr float kRibbon = 66, kSentence = 62, kCount = 26;
constexpr float kTitleRises = 12; // without a menu above it the title stands nearer to the edge

// No menu, rail, timeline or status bar. Scenes that take the whole window have no output and no sentence, beside which a lecture counts
// its steps: it has a line below them.
FrameLayout presenter_layout(ui::Vec2 size, bool whole, bool run, bool counts) {
    FrameLayout l;
    l.density = Density::presenter;
    l.tall = false;
    const float ribbon = whole || !run ? 0 : kRibbon, sentence = !whole ? kSentence : counts ? kCount : 0;
    l.stage_clip = {0, 0, size.x, size.y - ribbon - sentence};
    l.stage = {0, -kTitleRises, size.x, l.stage_clip.h + kTitleRises};
    if (whole) return l;
    if (ribbon > 0) l.ribbon = {0, l.stage.bottom(), size.x, ribbon};
    l.story = {0, l.stage.bottom() + ribbon, size.x, sentence};
    return l;
}

} // namespace

FrameLayout frame_layout(ui::Vec2 size, const LayoutWish& wish, bool whole) {
    if (wish.presenter && can_present(size)) return presenter_layout(size, whole, wish.run, wish.counts);
    if (whole && size.x >= kCompactWidth && size.y >= kTimelineHeight) return whole_layout(size);
    if (size.x >= 1440 && size.y >= 840) return full_layout(size, wish.run);
    if (!whole && size.x >= kCompactWidth && size.y >= kCompactHeight) return compact_layout(size, wish);
    return single_layout(size, wish, whole);
}

bool can_present(ui::Vec2 size) { return size.x >= 660 && size.y >= 440; }

float window_scale(ui::Vec2 window) {
    const float fits = std::min(window.x / 1600, window.y / 1000);
    return std::clamp(std::floor(fits * 10 + 0.001F) / 10, 1.0F, 3.0F);
}

float presenter_scale(ui::Vec2 window) { return std::clamp(std::min(window.x / kRoomWidth, window.y / kRoomHeight), 1.0F, kMostScale); }

} // namespace speclens
