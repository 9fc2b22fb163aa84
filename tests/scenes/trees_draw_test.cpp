// The picture of a tree: small ones, wide ones, and what is said of a length that is not the run's.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/trees/trees_draw.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/trees_bench.h"

namespace speclens {
namespace {

TEST(TreesScene, TellsALengthThatIsNotTheRuns) {
    const Judged one("small_tree", "tree_wor", {0, 0, 1600, 1000}, 1);
    EXPECT_TRUE(one.bench->shows("On this prompt, K = 4: small")) << one.bench->words;
}

TEST(TreesScene, ASmallTreeHasItsMaskToo) {
    Judged one("small_tree", "tree_wor", {0, 0, 1600, 1000}, 1);
    one.beat(3);
    EXPECT_TRUE(one.bench->shows("Who sees whom")) << one.bench->words;
    look(*one.bench, "a tree of one level", false);
}

// Where the lines of a picture end.
class LineCanvas : public ui::RecordCanvas {
  public:
    using RecordCanvas::RecordCanvas;
    std::vector<ui::Vec2> ends;
    void line(ui::Vec2 from, ui::Vec2 to, const ui::Stroke& stroke) override {
        ends.push_back(to);
        RecordCanvas::line(from, to, stroke);
    }
};

TEST(TreesScene, BranchesEndBeforeTheNumbersOfTheirNodes) {
    const auto trace = fixtures::toy_run(
        {.name = "wide", .rule = "tree_wor", .drafter = "small_tree", .k = 10, .nodes = 40});
    SceneBench bench("trees");
    bench.show(trace, fold(*trace, trace->size()).cycles[0].end_event);
    SceneInput input = bench.controller.frame(0).scene;
    TreesState state;
    state.tree = true;
    const TreesModel model = trees_model(input, state);
    for (const float width : {1400.0F, 900.0F, 700.0F}) {
        const ui::Rect screen{0, 0, width, 560};
        LineCanvas canvas(scene_fonts(), screen);
        ui::WidgetState widgets;
        ui::Ui ui(canvas, {}, ui::theme(ui::ThemeKind::dark), widgets, screen);
        std::vector<SceneCommand> out;
        draw_trees_stage({input, model, state, ui, out}, screen);
        int numbers = 0;
        for (const ui::RecordedText& text : canvas.texts())
            for (const ui::Vec2 end : canvas.ends) {
                const bool number = text.text.find_first_not_of("0123456789") == std::string::npos &&
                                    text.text != "42"; // a token of the toy model
                const bool its = number && std::abs(text.box.center().y - end.y) < 6 &&
                                 end.x > text.box.x - 16 && end.x < text.box.right();
                numbers += its;
                EXPECT_TRUE(!its || end.x <= text.box.x - 3) << text.text << " at " << width;
            }
        EXPECT_GT(numbers, 5) << width;
    }
}

} // namespace
} // namespace speclens
