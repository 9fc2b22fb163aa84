// Names of points in small charts (Relaxed rules, the race).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/shared/point_labels.h"
#include "scenes/shared/told.h"
#include "tests/scenes/scenes_bench.h"
#include "ui/canvas_record.h"

namespace speclens {
namespace {

TEST(PointLabels, StandBesideTheirMarkOrAtALineAndCoverNothing) {
    ui::RecordCanvas canvas(scene_fonts(), {0, 0, 800, 600});
    const ui::Rect bounds{100, 100, 440, 300};
    std::uint32_t dice = 7;
    const auto next = [&] { return static_cast<float>((dice = dice * 1664525 + 1013904223) >> 8) / (1 << 24); };
    int led = 0, named = 0;
    for (int picture = 0; picture < 60; ++picture) {
        std::vector<ui::Vec2> points;
        for (int i = 0; i < 9; ++i) // most of them in a corner
            points.push_back({100 + 440 * (i < 6 ? 0.85F + 0.15F * next() : next()), 100 + 300 * (i < 6 ? 0.2F * next() : next())});
        std::vector<ui::Vec2> anchors;
        for (const auto& group : coinciding(points, 9)) anchors.push_back(points[group[0]]);
        PointLabels labels(canvas, bounds, anchors);
        for (const ui::Vec2 at : points) labels.block({at.x - 7, at.y - 7, 14, 14});
        for (const ui::Vec2 at : anchors) labels.name(at, "tokenV1,\nchow", ui::Font::text, {}, {});
        for (std::size_t i = 0; i < labels.named().size(); ++i) {
            const PointLabels::Named& one = labels.named()[i];
            ++named;
            led += one.led;
            for (const ui::Vec2 at : points) EXPECT_FALSE(one.box.contains(at)) << "a name covers a mark";
            for (std::size_t k = i + 1; k < labels.named().size(); ++k) {
                const ui::Rect both = ui::intersect(one.box, labels.named()[k].box);
                EXPECT_FALSE(both.w > 0 && both.h > 0) << "a name covers a name";
            }
            const float dx = std::max({one.box.x - one.mark.x, one.mark.x - one.box.right(), 0.0F}),
                        dy = std::max({one.box.y - one.mark.y, one.mark.y - one.box.bottom(), 0.0F});
            EXPECT_TRUE(one.led || std::hypot(dx, dy) < 16) << "nothing tells whose name it is";
        }
    }
    EXPECT_GT(led, 0) << "or nothing was tried";
    EXPECT_GT(named, 200);
}

// A chart too low for names above and below, and another mark where the name would begin.
TEST(PointLabels, StandSidewaysWhereThereIsNoRoomAboveAndBelow) {
    ui::RecordCanvas canvas(scene_fonts(), {0, 0, 800, 600});
    const ui::Vec2 mark{60, 22}, other{84, 12};
    PointLabels labels(canvas, {0, 0, 300, 44}, {mark, other});
    ASSERT_TRUE(labels.name(mark, "EAGLE-3, tree", ui::Font::text, {}, {}));
    const PointLabels::Named& named = labels.named().front();
    EXPECT_TRUE(named.led);
    EXPECT_GT(named.box.x, other.x + 8);
    EXPECT_LE(named.box.bottom(), 44);
}

TEST(PointLabels, AMessageIsDrawnInItsLinesAndToldAsAWhole) {
    ui::RecordCanvas canvas(scene_fonts(), {0, 0, 800, 600});
    PointLabels labels(canvas, {0, 0, 800, 600}, {{100, 100}, {400, 100}});
    const Message kept = shared_says("charts.kept"_t);
    ASSERT_EQ(kept, "Acceptance by position");
    ASSERT_TRUE(labels.name({100, 100}, Message("Acceptance\nby position", kept.said), ui::Font::text, {}, {}));
    ASSERT_TRUE(labels.name({400, 100}, "chow,\ndiff", ui::Font::text, {}, {})); // a label, which nobody is told
    std::vector<std::string> lines;
    for (const ui::RecordedText& text : canvas.texts()) lines.push_back(text.text);
    EXPECT_EQ(lines, (std::vector<std::string>{"Acceptance", "by position", "chow,", "diff"}));
    ASSERT_EQ(canvas.told().size(), 1U);
    EXPECT_EQ(canvas.told()[0].message.said, kept.said);
    EXPECT_EQ(canvas.told()[0].message.words(), "Acceptance by position");
    EXPECT_TRUE(canvas.told()[0].how == ui::Canvas::Told::drawn);
}

} // namespace
} // namespace speclens
