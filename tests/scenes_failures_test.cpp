// Scene S14: the map over requests and draft length, the entropy of the judges, and the reason that is given.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/run.h"
#include "scenes/failures_model.h"
#include "scenes_bench.h"
#include "scenes_look.h"
#include "tests/micro.h"

namespace speclens {
namespace {

// Flat up to 8 rows, then a millisecond for every 8 more.
PassTimes bend() {
    PassTimes times;
    times.repeats = 3;
    for (const int rows : {1, 2, 4, 8, 16, 32, 64})
        times.passes.push_back({rows, rows <= 8 ? 1.0 : rows / 8.0, 1, 1});
    return times;
}

TEST(Failures, PassesBetweenAndBeyondTheMeasuredWidths) {
    const PassTimes times = bend();
    EXPECT_DOUBLE_EQ(pass_ms(times, 1), 1);
    EXPECT_DOUBLE_EQ(pass_ms(times, 6), 1);
    EXPECT_DOUBLE_EQ(pass_ms(times, 12), 1.5);
    EXPECT_DOUBLE_EQ(pass_ms(times, 64), 8);
    EXPECT_DOUBLE_EQ(pass_ms(times, 128), 16) << "the last slope goes on";
    PassTimes falling = bend();
    falling.passes.back().ms = 3; // noise: the widest pass quicker than the one before
    EXPECT_DOUBLE_EQ(pass_ms(falling, 200), 3) << "but never falls";
}

TEST(Failures, ACellIsTokensAgainstTheRound) {
    const Levers levers{0.8, 0.1, 0};
    const LoadCell alone = load_cell(bend(), levers, 1, 4);
    EXPECT_NEAR(alone.speedup, expected_tokens(0.8, 4) / (4 * 0.1 + 1), 1e-12);
    EXPECT_FALSE(alone.extrapolated);
    const LoadCell busy = load_cell(bend(), levers, 16, 4); // 80 rows: 10 ms; a plain pass 2 ms
    EXPECT_NEAR(busy.speedup, expected_tokens(0.8, 4) * 2 / (4 * 0.1 * 2 + 10), 1e-12);
    EXPECT_TRUE(busy.extrapolated);
    EXPECT_LT(busy.speedup, 1);
    EXPECT_GT(alone.speedup, 1);
}

TEST(Failures, EntropyCountsTheRestAsOneToken) {
    const Top even{{{1, std::log(0.5)}, {2, std::log(0.5)}}, 0};
    EXPECT_NEAR(entropy_of(even), std::log(2.0), 1e-9);
    const Top sure{{{1, 0.0}}, 0};
    EXPECT_NEAR(entropy_of(sure), 0, 1e-9);
    const Top cut{{{1, std::log(0.5)}}, 0.5};
    EXPECT_NEAR(entropy_of(cut), std::log(2.0), 1e-9);
}

struct Loaded {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;
    explicit Loaded(bool measured, ui::Rect screen = {0, 0, 1600, 1000}) {
        settings.token_ids = {5, 6, 7, 8, 9};
        settings.max_tokens = 30;
        settings.sampling.temperature = 1;
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("failures", port, screen);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "small", "lookup"};
        if (measured) published.passes = std::make_shared<const PassTimes>(bend());
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
};

TEST(FailuresScene, MeasuresFirstAndThenShowsTheMap) {
    Loaded empty(false);
    EXPECT_TRUE(empty.bench->shows("time passes first: M"));
    empty.bench->key(ui::Key::m);
    ASSERT_FALSE(empty.sent.empty());
    EXPECT_TRUE(std::holds_alternative<MeasurePasses>(empty.sent.back()));
    Loaded live(true);
    EXPECT_TRUE(live.bench->shows("1 request, 4 guesses each"));
    EXPECT_TRUE(live.bench->shows("SIM"));
    for (int i = 0; i < 6; ++i) live.bench->key(ui::Key::down);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("64 requests, 4 guesses each"));
    EXPECT_TRUE(live.bench->shows("slower than plain decoding"));
    EXPECT_TRUE(live.bench->shows("beyond the measured widths"));
}

TEST(FailuresScene, CountsTheRunsGuessesByEntropy) {
    Loaded live(true);
    const FailuresModel m = failures_model(live.bench->controller.frame(0).scene, {});
    int judged = 0, kept = 0;
    for (const EntropyBin& bin : m.bins) judged += bin.judged, kept += bin.kept;
    const CycleView view = fold(live.run->trace(), live.run->trace().size());
    int checks = 0;
    for (const CycleSummary& cycle : view.cycles)
        for (const DraftSlot& slot : cycle.drafts) checks += slot.check != nullptr;
    EXPECT_EQ(judged, checks);
    EXPECT_EQ(kept, view.accepted_drafts);
}

TEST(FailuresScene, NothingCollidesWhereEverythingIsShown) {
    for (const Size& s : kSizes) {
        Loaded live(true, {0, 0, s.w, s.h});
        for (int beat = 0; beat < kFailuresBeats; ++beat) {
            live.bench->controller.perform({SceneCommand{SetBeat{beat}}}, live.bench->time);
            live.bench->settle();
            look(*live.bench, std::string("failures ") + s.name + " beat " + std::to_string(beat),
                 s.w < 1000);
        }
    }
}

} // namespace
} // namespace speclens
