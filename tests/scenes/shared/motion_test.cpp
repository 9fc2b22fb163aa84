// Tokens that move: one chip from the draft to the output, by the clock, and interrupted by nothing but its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "scenes/shared/motion.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {
namespace {

// The loop of a run, stepped at moments that the test chooses.
struct Moving {
    SceneBench bench{"loop"};
    std::shared_ptr<const Trace> trace = fixtures::mixed();

    // Right before the first event of a kind for which `wanted` says yes.
    template <class Kind, class Wanted>
    explicit Moving(const Kind&, const Wanted& wanted) {
        std::size_t at = 0;
        while (at < trace->size()) {
            const auto* event = std::get_if<Kind>(&(*trace)[at]);
            if (event && wanted(*event)) break;
            ++at;
        }
        EXPECT_LT(at, trace->size());
        bench.show(trace, at);
        bench.settle();
    }
    void step() {
        ui::Input input;
        input.keys = {{.key = ui::Key::right}};
        stepped = bench.time;
        bench.frame(input);
    }
    void at(double seconds) {
        bench.time = stepped + seconds;
        bench.frame();
    }
    // Of every chip of the picture and the output that shows this token.
    [[nodiscard]] std::vector<float> heights(int token) const {
        std::string word = trace->text(token);
        word.erase(0, word.find_first_not_of(' '));
        std::vector<float> found;
        for (const ui::RecordedText& text : bench.texts)
            if (text.text == word && text.box.x > 300 && text.box.right() < 1190) found.push_back(text.box.center().y);
        std::ranges::sort(found);
        return found;
    }
    double stepped = 0;
};

bool any(const auto&) { return true; }

TEST(Motion, IsOverAfterAtMostFourTenthsAndThenNothingIsAskedForAgain) {
    for (const Event& event : {Event{Drafted{}}, Event{Verified{}}, Event{Checked{}}, Event{TargetToken{}}, Event{Committed{}}}) {
        EXPECT_GE(motion_seconds(event, false), 0.18);
        EXPECT_LE(motion_seconds(event, false), 0.4);
        EXPECT_LT(motion_seconds(event, true), 0.2);
    }
    Moving loop(Drafted{}, [](const Drafted& d) { return d.index == 1; });
    loop.step();
    EXPECT_EQ(loop.bench.controller.next_change(loop.stepped + 0.1), 0) << "the next frame at once";
    EXPECT_LT(loop.bench.controller.next_change(loop.stepped + 0.41), 0) << "at rest";
    loop.at(0.5);
    const std::uint64_t rest = loop.bench.picture;
    loop.at(60);
    EXPECT_EQ(loop.bench.picture, rest);
}

TEST(Motion, GoesByTheClockAndNotByTheFrame) {
    const auto accepted = [](const Checked& c) { return c.accepted; };
    Moving seldom(Checked{}, accepted), often(Checked{}, accepted);
    seldom.step();
    often.step();
    for (int i = 1; i < 30; ++i) often.at(0.01 * i);
    often.at(0.3);
    seldom.at(0.3);
    EXPECT_EQ(seldom.bench.picture, often.bench.picture);
}

TEST(Motion, AKeptGuessComesDownFromTheDraftRowAndGoesOnToTheOutput) {
    Moving loop(Checked{}, [](const Checked& c) { return c.accepted; });
    const SceneInput before = loop.bench.controller.frame(loop.bench.time).scene;
    const std::size_t cursor = before.cursor;
    const int token = std::get<Checked>((*loop.trace)[cursor]).token;
    const auto shown_at = [&](double seconds) {
        loop.at(seconds);
        return loop.heights(token);
    };
    loop.step();
    const std::vector<float> first = loop.heights(token), falling = shown_at(0.05);
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(falling, first) << "the coin falls first";
    const std::vector<float> under_way = shown_at(0.3), rest = shown_at(0.6);
    ASSERT_EQ(rest.size(), first.size() + 2) << "in the outcome and in the output:\n" << loop.bench.words;
    const float draft = rest[0], outcome = rest[rest.size() - 2], output = rest.back();
    const auto between = [&](float a, float b) { return std::ranges::any_of(under_way, [&](float y) { return y > a + 4 && y < b - 4; }); };
    EXPECT_TRUE(between(draft, outcome));
    EXPECT_TRUE(between(outcome - 100, output));
}

TEST(Motion, ARefusedGuessIsStruckAboveItsPlaceAndDrops) {
    const auto texts = fixtures::mixed();
    const auto short_word = [&](const Checked& c) { // which no chip shortens
        const std::string word = texts->text(c.token);
        return !c.accepted && word.size() < 7 && std::ranges::all_of(word, [](char one) { return one >= ' ' && one <= '~'; });
    };
    Moving loop(Checked{}, short_word);
    const std::size_t cursor = loop.bench.cursor();
    const int token = std::get<Checked>((*loop.trace)[cursor]).token;
    loop.step();
    loop.at(0.4 * 0.8);
    const std::vector<float> struck = loop.heights(token);
    loop.at(0.6);
    const std::vector<float> rest = loop.heights(token);
    ASSERT_EQ(struck.size(), rest.size());
    ASSERT_FALSE(rest.empty()) << loop.bench.words;
    float most = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) most = std::max(most, rest[i] - struck[i]);
    EXPECT_NEAR(most, 14, 1);
}

TEST(Motion, AStepBeforeTheLastOneIsAtRestLetsBothGoOn) {
    Moving loop(Drafted{}, [](const Drafted& d) { return d.index == 0; });
    loop.step();
    loop.at(0.1);
    const double first = loop.stepped;
    const SceneInput one = loop.bench.controller.frame(first + 0.1).scene;
    ASSERT_EQ(one.moving.size(), 1U);
    loop.bench.time = first + 0.1;
    loop.step();
    const SceneInput both = loop.bench.controller.frame(first + 0.1).scene;
    ASSERT_EQ(both.moving.size(), 2U);
    EXPECT_EQ(both.moving[0].event, one.moving[0].event);
    EXPECT_EQ(both.moving[0].t, one.moving[0].t) << "it neither jumps nor begins again";
    EXPECT_EQ(both.moving[1].t, 0);
    EXPECT_EQ(loop.bench.controller.frame(first + 0.3).scene.moving.size(), 1U);
    // Any jump is at rest at once.
    loop.bench.time = first + 0.12;
    ui::Input back;
    back.keys = {{.key = ui::Key::left}};
    loop.bench.frame(back);
    EXPECT_TRUE(loop.bench.controller.frame(first + 0.12).scene.moving.empty());
}

TEST(Motion, ReducedMotionFadesAndMovesNothing) {
    Moving loop(Checked{}, any<Checked>);
    loop.bench.controller.reduced_motion = true;
    loop.step();
    loop.at(0.09);
    std::vector<ui::Vec2> fading;
    for (const ui::RecordedText& text : loop.bench.texts) fading.push_back(text.box.center());
    loop.at(0.5);
    ASSERT_EQ(loop.bench.texts.size(), fading.size());
    for (std::size_t i = 0; i < fading.size(); ++i) {
        EXPECT_EQ(loop.bench.texts[i].box.center().x, fading[i].x) << loop.bench.texts[i].text;
        EXPECT_EQ(loop.bench.texts[i].box.center().y, fading[i].y) << loop.bench.texts[i].text;
    }
}

TEST(Motion, TheResidualOpensBeforeItsTokenComesOut) {
    Moving loop(TargetToken{}, [](const TargetToken& own) { return own.from == TargetToken::From::residual; });
    const std::size_t cursor = loop.bench.cursor();
    const int token = std::get<TargetToken>((*loop.trace)[cursor]).token;
    const std::size_t before = loop.heights(token).size();
    loop.step();
    loop.at(0.1);
    EXPECT_FALSE(loop.bench.shows("second coin ")) << "the strip is not open yet";
    loop.at(0.5);
    EXPECT_TRUE(loop.bench.shows("second coin ") || loop.bench.shows(" · coin ")) << loop.bench.words;
    EXPECT_GT(loop.heights(token).size(), before);
}

} // namespace
} // namespace speclens
