// Scene S1: passes that were timed, what the user said before, and the figures that are printed elsewhere.
#include <gtest/gtest.h>

#include "engine/lab/pass_times.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/scenes_tab.h"
#include "tests/shared/micro.h"
#include "ui/format.h"

namespace speclens {
namespace {

// A million weights of two bytes. A pass over N tokens takes 2 ms, from N = 8 on 0.3 ms a token; reading
// alone takes 1 ms.
PassTimes some_passes() {
    PassTimes times;
    times.context = 64;
    times.repeats = 20;
    times.weight_bytes = 2e6;
    times.read_bytes = times.weight_bytes;
    times.multiply_adds = 1e6;
    times.bandwidth_gbs = 2;
    for (const int rows : {1, 2, 4, 8, 16, 32, 64}) {
        const double ms = std::max(2.0, rows * 0.3);
        times.passes.push_back({rows, ms, ms * 0.9, ms * 1.1});
    }
    return times;
}

// Where anything is drawn, as far as the clip in force lets it be seen.
class EdgeCanvas final : public ui::Canvas {
  public:
    float top = 1e9F, bottom = -1e9F;
    void fill(ui::Rect r, ui::Color, float) override { see(r.y), see(r.bottom()); }
    void outline(ui::Rect r, const ui::Stroke&, float) override { see(r.y), see(r.bottom()); }
    void line(ui::Vec2 a, ui::Vec2 b, const ui::Stroke&) override { see(a.y), see(b.y); }
    void polyline(std::span<const ui::Vec2> points, const ui::Stroke&, bool) override {
        for (const ui::Vec2 p : points) see(p.y);
    }
    void fill_convex(std::span<const ui::Vec2> points, ui::Color) override {
        for (const ui::Vec2 p : points) see(p.y);
    }
    void disc(ui::Vec2 at, float r, ui::Color) override { see(at.y - r), see(at.y + r); }
    void ring(ui::Vec2 at, float r, const ui::Stroke&) override { see(at.y - r), see(at.y + r); }
    void hatch(ui::Rect r, ui::Color, float, float) override { see(r.y), see(r.bottom()); }
    void text(ui::Vec2 at, std::string_view, ui::Font, float, ui::Color, ui::Align) override { see(at.y); }
    float text_width(std::string_view words, ui::Font font, float size) const override {
        return steady_fonts().width(words, font, size);
    }
    void push_clip(ui::Rect r) override { clips_.push_back(r); }
    void pop_clip() override { clips_.pop_back(); }

  private:
    void see(float y) {
        for (const ui::Rect& clip : clips_) y = std::clamp(y, clip.y, clip.bottom());
        top = std::min(top, y), bottom = std::max(bottom, y);
    }
    std::vector<ui::Rect> clips_;
};

struct Window {
    std::vector<Command> sent;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    explicit Window(bool measured, ui::Rect screen = {0, 0, 1600, 1000}) {
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("bottleneck", port, screen);
        bench->controller.figures = std::make_shared<const Published>(
            Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
        published.status.state = EngineStatus::State::idle;
        published.status.model = "bundle S";
        published.status.ready_drafters = {"none", "small"};
        if (measured) published.passes = std::make_shared<const PassTimes>(some_passes());
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    void finish_measuring() {
        published.passes = std::make_shared<const PassTimes>(some_passes());
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
};

TEST(BottleneckScene, NamesItsSourcesWhole) {
    const Window window(true);
    EXPECT_TRUE(window.bench->shows("Share of a decoding step spent computing on an"));
    EXPECT_TRUE(window.bench->shows("A100")) << window.bench->words;
}

TEST(PassTimes, AreMeasuredForEveryWidthOnce) {
    const auto models = test::micro_models(1);
    int asked = 0;
    const PassTimes times =
        measure_passes(*models, {.rows = {1, 3, 8}, .context = 5, .repeats = 4}, [&](int done, int all) {
            EXPECT_EQ(done, asked++);
            EXPECT_EQ(all, 7) << "with three rounds of warming up";
            return true;
        });
    EXPECT_EQ(asked, 7);
    EXPECT_EQ(times.repeats, 4);
    ASSERT_EQ(times.passes.size(), 3u);
    for (const PassTime& pass : times.passes) {
        EXPECT_GT(pass.low, 0);
        EXPECT_LE(pass.low, pass.ms);
        EXPECT_LE(pass.ms, pass.high);
    }
    EXPECT_EQ(times.of(3)->rows, 3);
    EXPECT_EQ(times.of(2), nullptr);
    EXPECT_DOUBLE_EQ(times.weight_bytes, static_cast<double>(models->target->bytes.per_token));
    EXPECT_GT(times.multiply_adds, times.weight_bytes / 4);
    EXPECT_LT(times.multiply_adds, times.weight_bytes)
        << "a multiply-add for every weight of two bytes or four";
    EXPECT_GT(times.bandwidth_gbs, 0);
}

TEST(PassTimes, EndWhenAskedToWithWholeRoundsOnly) {
    const auto models = test::micro_models(1);
    const PassPlan plan{.rows = {1, 2}, .context = 5, .repeats = 50};
    EXPECT_TRUE(measure_passes(*models, plan, [](int done, int) { return done < 2; }).passes.empty())
        << "still warming up";
    EXPECT_EQ(measure_passes(*models, plan, [](int done, int) { return done < 6; }).repeats, 3);
}

// On a slow model the widest passes would take minutes: what does not fit is left out.
TEST(PassTimes, KeepToTheirTimeWithFewerWidths) {
    const auto models = test::micro_models(1);
    const PassTimes times =
        measure_passes(*models, {.rows = {1, 2, 4, 8, 16}, .context = 5, .repeats = 50, .seconds = 1e-9});
    ASSERT_EQ(times.passes.size(), 2u);
    EXPECT_EQ(times.passes.back().rows, 2);
    EXPECT_EQ(times.repeats, 1);
}

TEST(PassTimes, NameTheLargestContextThatFits) {
    const auto models = test::micro_models(1);
    try {
        (void)measure_passes(*models, {.rows = {1, 8}, .context = 510, .repeats = 1});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(error.remedy().find("at most 504"), std::string::npos) << error.remedy();
    }
}

TEST(PassTimes, TheWindowAsksForNoMoreThanTheModelCanSee) {
    const auto models = test::micro_models(1);
    const PassPlan plan = window_passes(*models);
    EXPECT_EQ(plan.rows.front(), 1);
    EXPECT_LE(plan.context + plan.rows.back(), models->target->config.max_positions);
    EXPECT_GT(plan.seconds, 0);
}

TEST(BottleneckScene, CountsWhatAPassCosts) {
    Window window(true);
    window.beat(kQuestionBeat + 2);
    BottleneckState state;
    BottleneckModel m = bottleneck_model(window.input(), state);
    ASSERT_TRUE(m.measured());
    EXPECT_EQ(m.marked, 8);
    EXPECT_EQ(m.cheap, 8) << "16 tokens take 4.8 ms, more than two passes";
    EXPECT_NEAR(m.factor(8), 1.2, 1e-9);
    EXPECT_NEAR(m.factor(64), 9.6, 1e-9);
    EXPECT_NEAR(m.rate(64), 64e6 / 19.2e-3 / 1e9, 1e-9);
    EXPECT_NEAR(m.rate(1) / m.best_rate(), 0.15, 1e-9);
    state.rows = 63; // between two that were measured
    EXPECT_EQ(bottleneck_model(window.input(), state).marked, 32);
    EXPECT_TRUE(window.bench->shows("Eight tokens at once cost 1.20× the time of one"));
    EXPECT_TRUE(window.bench->shows("2.40 ms against 8 × 2.00 = 16.00 ms: 6.67×"));
    EXPECT_TRUE(window.bench->shows("up to 8 tokens a pass costs less than two"));
    window.bench->key(ui::Key::up);
    EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40× the time of one"))
        << window.bench->words;
    const std::string words = find_scene("bottleneck")->make()->describe(window.input());
    EXPECT_NE(words.find("64 tokens: 19.200 ms (17.280 to 21.120), 9.60×, 0.300 ms per token"),
              std::string::npos)
        << words;
    EXPECT_NE(words.find("85 % (wrong in its source)"), std::string::npos) << words;
}

// A pass that the machine was kept from: its median sets the scale, its quartile, far outside, does not.
TEST(BottleneckScene, DrawsNothingOutsideItsChart) {
    for (const double median : {0.9, 40.0, 400.0}) {
        PassTimes times = some_passes();
        times.passes[2] = {4, median, 0.8, 900};
        times.passes[3].high = 700;
        EXPECT_GE(chart_top(times, true), median / 4);
        EXPECT_GE(chart_top(times, false), median);
        Window window(true);
        BottleneckState state;
        const SceneInput input = window.input();
        BottleneckModel m = bottleneck_model(input, state);
        m.times = &times;
        EdgeCanvas canvas;
        ui::WidgetState widgets;
        ui::Input mouse;
        ui::Ui ui(canvas, mouse, ui::theme(ui::ThemeKind::dark), widgets, {0, 0, 1600, 1000});
        std::vector<SceneCommand> out;
        const ui::Rect area{300, 200, 900, 300};
        draw_bottleneck_charts({input, m, state, ui, out}, area);
        EXPECT_GE(canvas.top, area.y) << median;
        EXPECT_LE(canvas.bottom, area.bottom()) << median;
    }
}

TEST(BottleneckScene, GivesBothSharesOfTheBestRate) {
    Window window(true);
    SceneInput input = window.input();
    input.beat = 2;
    const std::string text = bottleneck_story(input, bottleneck_model(input, {}), {}).text;
    EXPECT_NE(text.find("ran at " + ui::percent(0.15) + " of the best rate seen, now at " + ui::percent(1)),
              std::string::npos)
        << text;
}

TEST(BottleneckScene, CallsAWidthCheapOnlyWhereEveryNarrowerOneIs) {
    Window window(true);
    PassTimes times = some_passes();
    times.passes[2].ms = 40;
    SceneInput input = window.input();
    input.passes = &times;
    EXPECT_EQ(bottleneck_model(input, {}).cheap, 2);
}

TEST(BottleneckScene, DoubtsAPassThatAWiderOneOutran) {
    Window window(true);
    PassTimes times = some_passes();
    SceneInput input = window.input();
    input.passes = &times;
    input.beat = 2;
    const auto told = [&] { return bottleneck_description(input, bottleneck_model(input, {}), {}); };
    EXPECT_EQ(told().find("in doubt"), std::string::npos);
    times.passes[0].ms = 5; // one token slower than two
    EXPECT_NE(told().find("timing in doubt"), std::string::npos);
    EXPECT_NE(told().find("these times are in doubt"), std::string::npos);
}

TEST(BottleneckScene, MeasuresOnDemand) {
    Window window(false);
    EXPECT_TRUE(window.bench->shows("One token or many: what does a pass cost?"));
    window.bench->key(ui::Key::m);
    ASSERT_EQ(window.sent.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<MeasurePasses>(window.sent.back()));
}

// The question is about sixteen tokens, and so is the answer; a width that the user chose stays.
TEST(BottleneckScene, AnswersForAsManyTokensAsItAsksAbout) {
    Window window(true);
    SceneInput input = window.input();
    for (const int beat : {kQuestionBeat, kQuestionBeat + 1}) {
        input.beat = beat;
        EXPECT_EQ(bottleneck_model(input, {}).marked, kAsked) << beat;
        EXPECT_EQ(bottleneck_model(input, {.rows = 4}).marked, 4) << beat;
    }
    window.beat(kQuestionBeat + 1);
    EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40×")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("The same 16 tokens")) << window.bench->words;
}

// Who measured before the lesson, or draws a handout, still asks before it is told.
TEST(BottleneckScene, ShowsNoTimesBeforeTheAnswer) {
    Window window(true);
    for (const int beat : {0, kQuestionBeat}) {
        window.beat(beat);
        for (const char* told : {"Time of a pass", "2.40", "4.80", "1.20"})
            EXPECT_FALSE(window.bench->shows(told)) << beat << ": " << window.bench->words;
        const std::string words = find_scene("bottleneck")->make()->describe(window.input());
        EXPECT_EQ(words.find("2.40"), std::string::npos) << words;
    }
    EXPECT_TRUE(window.bench->shows("Sixteen tokens in one pass: how much longer?")) << window.bench->words;
    window.beat(0);
    EXPECT_TRUE(window.bench->shows("the warehouse, all of it")) << window.bench->words;
    window.beat(kQuestionBeat);
    window.bench->key(ui::Key::m);
    EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40×")) << window.bench->words;
    window.beat(0);
    window.beat(kQuestionBeat);
    EXPECT_FALSE(window.bench->shows("2.40")) << "the next room is asked again";
}

TEST(BottleneckScene, DrawsAPictureBeforeAnythingIsMeasured) {
    Window window(false);
    EXPECT_TRUE(window.bench->shows("the walk, for every token")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("will stand here"));
    window.beat(kQuestionBeat);
    for (const Saying& saying : kSayings) EXPECT_TRUE(window.bench->shows(saying.aloud)) << saying.aloud;
}

// A presenter has no controls and a laptop keeps them in a drawer: the answer is chosen with keys, and the
// story names them.
TEST(BottleneckScene, IsAnsweredByKeysBeforeItIsMeasured) {
    for (const Size& s :
         {Size{1280, 720, "1280x720"}, Size{1366, 768, "1366x768"}, Size{1600, 1000, "1600x1000"}})
        for (const bool presenter : {false, true}) {
            const float scale =
                presenter ? presenter_scale({s.w, s.h}, find_scene("bottleneck")->make()->presenter_stage())
                          : 1;
            Window window(false, {0, 0, s.w / scale, s.h / scale});
            window.bench->controller.window = {s.w, s.h};
            if (presenter) window.bench->key(ui::Key::f5);
            window.beat(kQuestionBeat);
            const std::string what = std::string(s.name) + (presenter ? " presenter: " : ": ");
            const SceneInput input = window.input();
            const std::string story = bottleneck_story(input, bottleneck_model(input, {}), {}).text;
            EXPECT_NE(story.find("Choose with ↑ ↓, then press M."), std::string::npos) << what << story;
            EXPECT_TRUE(window.bench->shows("↑")) << what << window.bench->words;
            window.bench->key(ui::Key::down);
            window.bench->key(ui::Key::down);
            window.bench->key(ui::Key::m);
            window.finish_measuring();
            EXPECT_TRUE(window.bench->shows("You said 4×, the nearest")) << what << window.bench->words;
            EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40×"))
                << what << window.bench->words;
        }
}

// Arrows and the stepper choose a width: Tab does not stop at marks, which draw no ring.
TEST(BottleneckScene, TabStopsAtControlsOnly) {
    Window window(true);
    window.beat(kQuestionBeat + 1);
    const auto id = [&](const std::string& name) { return id_in(*window.bench, "bottleneck", name); };
    const std::set<ui::Id> stops = tab_stops(*window.bench);
    EXPECT_TRUE(stops.contains(id("measure")));
    for (const PassTime& pass : some_passes().passes)
        for (const char* chart : {"pass ", "token "})
            EXPECT_FALSE(stops.contains(id(chart + std::to_string(pass.rows)))) << chart << pass.rows;
}

TEST(BottleneckScene, HoldsWhatWasSaidAgainstWhatWasMeasured) {
    Window window(true);
    BottleneckState state;
    const BottleneckModel m = bottleneck_model(window.input(), state);
    EXPECT_EQ(verdict_words(m, state), "");
    state.said = 1;
    EXPECT_EQ(verdict_words(m, state), "You said 4×, the nearest: it is 2.40×.");
    state.said = 2;
    EXPECT_EQ(verdict_words(m, state), "You said 16×: it is 2.40×.");
    EXPECT_EQ(verdict_words(BottleneckModel{}, state), "") << "nothing was measured";
    window.bench->controller.perform({SceneCommand{SetBeat{1}}}, 0);
    window.bench->settle();
    window.bench->click(window.bench->find("16×"));
    window.bench->settle();
    EXPECT_TRUE(window.bench->shows("You said 16×")) << window.bench->words;
}

TEST(BottleneckScene, NothingCollidesWhereEverythingIsShown) {
    for (const bool measured : {true, false})
        for (const Size& s : kSizes) {
            Window window(measured, {0, 0, s.w, s.h});
            for (int beat = 0; beat < kBottleneckBeats; ++beat) {
                window.beat(beat);
                look(*window.bench, std::string("bottleneck ") + s.name + " beat " + std::to_string(beat),
                     s.w < 1000);
            }
        }
}

} // namespace
} // namespace speclens
