// The layout half of the charts, and what the drawing half writes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ui/desk.h"
#include "ui/plot.h"

namespace speclens::ui {
namespace {

TEST(Ticks, AreRoundNumbersInsideTheRange) {
    EXPECT_EQ(ticks(0, 1, 5).values, (std::vector<double>{0, 0.2, 0.4, 0.2 * 3, 0.8, 1}));
    EXPECT_EQ(ticks(0, 1, 5).decimals, 1);
    EXPECT_EQ(ticks(0, 400, 8).step, 50);
    EXPECT_EQ(ticks(0, 24, 6, true).step, 4);
    EXPECT_EQ(ticks(0, 256, 8, true).step, 32);
    EXPECT_EQ(ticks(0, 66000, 8, true).step, 10000) << "seconds";
    for (const auto& [lo, hi] : {std::pair{-3.2, 17.9}, {0.001, 0.0042}, {1e6, 3e7}, {-1.0, 0.0}}) {
        const Ticks t = ticks(lo, hi, 6);
        EXPECT_GE(t.values.size(), 3U);
        EXPECT_LE(t.values.size(), 13U);
        EXPECT_GE(t.values.front(), lo - 1e-9);
        EXPECT_LE(t.values.back(), hi + 1e-9 * std::abs(hi));
    }
}

TEST(Ticks, DegenerateRangesGiveOneTick) {
    EXPECT_EQ(ticks(3, 3, 5).values.size(), 1U);
    EXPECT_EQ(ticks(0, std::nan(""), 5).values.size(), 1U);
    EXPECT_EQ(ticks(5, 1, 5).values.size(), 1U);
}

TEST(Ticks, LabelsTellNeighboursApart) {
    EXPECT_EQ(tick_label(0.4, 1), ".4");
    EXPECT_EQ(tick_label(0, 1), "0");
    EXPECT_EQ(tick_label(1, 1), "1");
    EXPECT_EQ(tick_label(2.5, 1), "2.5");
    EXPECT_EQ(tick_label(-0.5, 1), "−.5");
    EXPECT_EQ(tick_label(128, 0), "128");
}

TEST(Scale, MapsBothWaysAndUpwards) {
    const Scale y{0, 2, 300, 100};
    EXPECT_FLOAT_EQ(y(0), 300);
    EXPECT_FLOAT_EQ(y(1), 200);
    EXPECT_DOUBLE_EQ(y.inverse(100), 2);
    EXPECT_FLOAT_EQ(y.length(0.5), 50);
    EXPECT_FLOAT_EQ((Scale{1, 1, 5, 9})(7), 5);
}

TEST(Gantt, LabelsAppearOnlyWhereTheyFitAndTheMouseFindsSegments) {
    RecordCanvas canvas(test_fonts(), {0, 0, 800, 600});
    const Scale x{0, 24, 336, 1104};
    const std::vector<Segment> lane = {{.start = 0, .length = 1.2, .role = Role::draft, .label = "d1", .mono = true},
                                       {.start = 6, .length = 9, .label = "verify, 6 rows", .value = "9.0"},
                                       {.start = 15, .length = 2, .label = "verify, 6 rows", .value = "2.0"}};
    EXPECT_EQ(gantt_lane(canvas, dark(), x, 560, 32, lane, 2, Vec2{x(7), 570}), 1);
    EXPECT_EQ(gantt_lane(canvas, dark(), x, 560, 32, lane, 2, Vec2{x(5), 570}), -1);
    EXPECT_EQ(canvas.texts().size(), 6U); // d1, verify, 9.0, twice
}

TEST(Axis, DropsLabelsThatWouldCollide) {
    RecordCanvas canvas(test_fonts(), {0, 0, 800, 600});
    Ticks many;
    for (int i = 0; i < 50; ++i) many.values.push_back(100 + i);
    axis_x(canvas, dark(), {100, 150, 0, 200}, 100, many, {.unit = "ms"});
    float last = -100;
    for (const RecordedText& t : canvas.texts()) {
        EXPECT_GE(t.box.x, last);
        last = t.box.right();
    }
    EXPECT_LT(canvas.texts().size(), 12U);
}

TEST(Gauge, DrawsNothingButAnOutlineWhenNotJudged) {
    RecordCanvas judged(test_fonts(), {0, 0, 800, 600}), open(test_fonts(), {0, 0, 800, 600});
    gauge(judged, dark(), {0, 0, 128, 16}, {.accept = 0.4, .coin = 0.63});
    gauge(open, dark(), {0, 0, 128, 16}, {.coin = 0.63, .judged = false});
    EXPECT_GT(judged.shapes(), open.shapes());
    EXPECT_EQ(open.shapes(), 2);
}

} // namespace
} // namespace speclens::ui
