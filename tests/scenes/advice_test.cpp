// Scene S18: a made advice on every beat and at every size, what is measured and what is done with it.
#include <gtest/gtest.h>

#include <memory>
#include <variant>

#include "scenes/advice/advice_model.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/made_advice.h"

namespace speclens {
namespace {

using test::made_advice;

struct Window {
    std::vector<Command> sent;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    explicit Window(std::optional<Advice> advice, ui::Rect screen = {0, 0, 1600, 1000}) {
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("advice", port, screen);
        published.trace = fixtures::mixed();
        published.status.state = EngineStatus::State::stopped;
        published.status.model = "bundle S";
        published.status.ready_drafters = {"none", "small", "eagle3", "medusa", "lookup"};
        if (advice) published.advice = std::make_shared<const Advice>(std::move(*advice));
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    template <typename T>
    [[nodiscard]] const T* last_sent() const {
        return sent.empty() ? nullptr : std::get_if<T>(&sent.back());
    }
};

TEST(AdviceScene, AsksBeforeItAnswers) {
    Window window(std::nullopt);
    EXPECT_TRUE(window.bench->shows("Does speculation pay on this machine?")) << window.bench->words;
    window.bench->key(ui::Key::m);
    const auto* ask = window.last_sent<AskAdvice>();
    ASSERT_NE(ask, nullptr);
    EXPECT_GT(ask->seconds, 10);
}

TEST(AdviceScene, TellsTheVerdictWithItsInterval) {
    Window window(made_advice());
    window.beat(1);
    const AdviceModel m = advice_model(window.input(), {});
    ASSERT_TRUE(m.measured());
    EXPECT_EQ(m.best.size(), 4U);
    EXPECT_EQ(m.best.front()->drafter, "eagle3");
    EXPECT_EQ(m.marked, m.best.front());
    EXPECT_EQ(m.lengths.size(), 7U);
    const AdviceCell& best = *m.verdict.best;
    EXPECT_TRUE(window.bench->shows("eagle3, K = " + std::to_string(best.k) + ": ")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("Use eagle3 with K = " + std::to_string(best.k))) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("eagle3 by draft length"));
}

TEST(AdviceScene, AsksForABetBeforeItShowsTheAnswer) {
    Window window(made_advice());
    EXPECT_TRUE(window.bench->shows("Which of 4 drafters pays here?")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("×")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("by draft length"));
    EXPECT_EQ(window.input().beat, kBetBeat);
    const SceneInput input = window.input();
    EXPECT_EQ(find_scene("advice")->make()->describe(input).find("Plain decoding: "), std::string::npos);
    window.bench->click(window.bench->find("medusa"));
    EXPECT_TRUE(window.bench->shows("your bet"));
    window.beat(1);
    EXPECT_TRUE(window.bench->shows(" · your bet")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("by draft length"));
}

TEST(AdviceScene, EveryBeatHasAPictureOfItsOwn) {
    Window window(made_advice());
    std::vector<std::uint64_t> pictures;
    for (const int beat : {1, kWhyBeat, kChangeBeat}) {
        window.beat(beat);
        for (const std::uint64_t other : pictures) EXPECT_NE(window.bench->picture, other) << beat;
        pictures.push_back(window.bench->picture);
    }
    window.beat(kWhyBeat);
    EXPECT_TRUE(window.bench->shows("The same tokens, twice"));
    EXPECT_TRUE(window.bench->shows("saved "));
    window.beat(kChangeBeat);
    EXPECT_TRUE(window.bench->shows("breaks even"));
    EXPECT_TRUE(window.bench->shows("If plain decoding were slower or faster"));
}

TEST(AdviceScene, ArrowsMarkAnotherDrafterAndUndoComesBack) {
    Window window(made_advice());
    window.beat(1);
    window.bench->key(ui::Key::down);
    EXPECT_TRUE(window.bench->shows("small by draft length")) << window.bench->words;
    window.bench->key(ui::Key::z, {.ctrl = true});
    EXPECT_TRUE(window.bench->shows("eagle3 by draft length")) << window.bench->words;
}

TEST(AdviceScene, TheAdviceCanBeTaken) {
    Window window(made_advice());
    window.beat(1);
    const AdviceModel m = advice_model(window.input(), {});
    const Command command = run_marked(window.input(), m);
    const auto* restart = std::get_if<Restart>(&command);
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "eagle3");
    EXPECT_EQ(restart->settings.k, m.best.front()->k);
}

TEST(AdviceScene, InDoubtNothingIsToldAsIfItWereSure) {
    Advice busy = made_advice();
    busy.busy_cores = 1.4;
    Window window(busy);
    window.beat(1);
    EXPECT_TRUE(window.bench->shows("Timing in doubt: no verdict"));
    EXPECT_TRUE(window.bench->shows("other programs kept 1.4 cores busy"));
    EXPECT_TRUE(window.bench->shows("~"));
    EXPECT_FALSE(window.bench->shows("Use eagle3 with K")) << window.bench->words;
}

TEST(AdviceScene, ARunThatWasSavedHasNothingToMeasure) {
    SceneBench bench("advice");
    bench.show(fixtures::mixed());
    EXPECT_TRUE(bench.shows("No models are loaded: this run was saved earlier")) << bench.words;
}

TEST(AdviceScene, TheCurveCrossesOneWhereItBreaksEven) {
    const Advice advice = made_advice();
    const AdviceCell& cell = *advice.cell("small", 4);
    const CellBreakEven even = break_even_of(cell, advice.plain_ms);
    ASSERT_TRUE(even.most_plain_rate.has_value());
    const std::vector<PlainRatePoint> points = by_plain_rate(cell, advice.plain_ms);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_LT(points[i].speed_up, points[i - 1].speed_up);
        EXPECT_EQ(points[i].speed_up<1, points[i].rate> * even.most_plain_rate) << points[i].rate;
    }
}

TEST(AdviceScene, NothingCollidesOnAnyBeatAtAnySize) {
    for (const Size& s : kSizes)
        for (int beat = 0; beat < kAdviceBeats; ++beat) {
            Window window(made_advice(), {0, 0, s.w, s.h});
            window.beat(beat);
            look(*window.bench, std::string("advice beat ") + std::to_string(beat) + " " + s.name, s.w < 1000);
        }
}

TEST(AdviceScene, SaysInWordsWhatThePictureShows) {
    Window window(made_advice());
    window.beat(1);
    const SceneInput input = window.input();
    const std::string words = advice_description(input, advice_model(input, {}));
    for (const char* part : {"Plain decoding: 10.000 ms a token", "eagle3 by K:", "(marked)", "Use eagle3 with K"})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
}

} // namespace
} // namespace speclens
