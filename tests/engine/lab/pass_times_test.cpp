// Times of passes: the estimator, what limits a model, and the measurement itself.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "engine/lab/pass_bound.h"
#include "engine/lab/pass_pair.h"
#include "engine/lab/pass_times.h"
#include "engine/model/model.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/pass_times.h"
#include "tests/shared/said_values.h"

namespace speclens {
namespace {

using test::made_passes;

TEST(Timing, IsTheLowerQuartileAndHowFarTheMedianLiesAbove) {
    const Timing timing = timing_of({8, 1, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(timing.ms, 2);
    EXPECT_EQ(timing.median, 5);
    EXPECT_EQ(timing.repeats, 8);
    EXPECT_DOUBLE_EQ(timing.spread(), 1.5);
    EXPECT_EQ(timing_of({3}).spread(), 0);
    EXPECT_EQ(timing_of({}).repeats, 0);
    EXPECT_EQ(timing_of({}).spread(), 0);
}

TEST(Timing, IsToldApartWhereTheIntervalsHaveNothingInCommon) {
    EXPECT_TRUE(distinguishable({1, 1.1, 9}, {1.2, 1.3, 9}));
    EXPECT_TRUE(distinguishable({1.2, 1.3, 9}, {1, 1.1, 9}));
    EXPECT_FALSE(distinguishable({1, 1.25, 9}, {1.2, 1.3, 9}));
    EXPECT_FALSE(distinguishable({1, 9, 9}, {2, 3, 9}));
}

TEST(PassDoubt, NamesWhatWasWrong) {
    PassTimes times = made_passes();
    const auto expect_spread = [&](const char* id, double spread) {
        EXPECT_EQ(times.in_doubt().id(), id);
        EXPECT_NEAR(test::real(times.in_doubt(), "spread"), spread, 1e-9);
    };
    EXPECT_TRUE(times.in_doubt().empty());
    times.passes[3].median = times.passes[3].ms * 1.14;
    EXPECT_TRUE(times.in_doubt().empty());
    times.passes[3].median = times.passes[3].ms * 1.34;
    expect_spread("bottleneck.doubt.pass", 0.34);
    EXPECT_EQ(test::whole(times.in_doubt(), "tokens"), 8);
    times.other_cores = 0.3;
    expect_spread("bottleneck.doubt.pass", 0.34);
    times.other_cores = 1.24;
    EXPECT_EQ(times.in_doubt().id(), "shared.doubt.busy");
    EXPECT_EQ(test::real(times.in_doubt(), "cores"), 1.24);
    times = made_passes();
    times.read_spread = 0.2;
    expect_spread("bottleneck.doubt.read", 0.2);
    times.read_spread = 0, times.product_spread = 0.16;
    expect_spread("bottleneck.doubt.product", 0.16);
    times.stopped = true;
    EXPECT_EQ(times.in_doubt().id(), "bottleneck.doubt.stopped");
}

// No pass is quicker than its bytes or its products alone: the times are of different minutes then.
TEST(PassDoubt, NamesThePassThatIsFarthestBelowItsBound) {
    PassTimes times = made_passes(); // of 2 ms; reading takes 1 ms, the products of 64 tokens 1.28 of 19.2
    for (const double ms : {1.0, 0.953}) {
        times.passes[1].ms = times.passes[1].median = ms;
        EXPECT_TRUE(times.in_doubt().empty()) << ms << ": as near as repeats lie to each other";
    }
    times.passes[1].ms = times.passes[1].median = 0.94;
    EXPECT_EQ(times.in_doubt().id(), "bottleneck.doubt.bound");
    EXPECT_EQ(test::whole(times.in_doubt(), "tokens"), 2);
    EXPECT_NEAR(test::real(times.in_doubt(), "less"), 0.06, 1e-9);
    times.passes[6].ms = times.passes[6].median = 1.28 * 0.9; // more than reading takes, less than the products
    EXPECT_EQ(test::whole(times.in_doubt(), "tokens"), 64);
    EXPECT_NEAR(test::real(times.in_doubt(), "less"), 0.1, 1e-9);
    times.product_rate = std::nan("");
    EXPECT_EQ(test::whole(times.in_doubt(), "tokens"), 2) << "what reading takes is known alone";
    times.bandwidth_gbs = std::nan("");
    EXPECT_TRUE(times.in_doubt().empty()) << "nothing is known that it could be held against";
}

TEST(PassBound, ComesFromNumbersNotFromNames) {
    PassTimes times = made_passes(); // reading takes 1 of the 2 ms of a pass, arithmetic 0.02
    times.cache_limit = 1e6;
    EXPECT_FALSE(stays_in_cache(times));
    EXPECT_EQ(bound_of(times), Bound::memory);
    times.bandwidth_gbs = 5; // 0.4 of the 2 ms
    EXPECT_EQ(bound_of(times), Bound::neither);
    times.cache_limit = 3e6;
    EXPECT_FALSE(stays_in_cache(times)) << "that there is room for it shows nothing";
    EXPECT_FALSE(comes_from_memory(times));
    for (const auto& [by, cached, memory] : {std::tuple(1.6, true, false), {1.3, false, false}, {1.05, false, true}}) {
        times.far_gbs = times.bandwidth_gbs / by; // of a read of four times as many bytes
        EXPECT_EQ(stays_in_cache(times), cached) << by;
        EXPECT_EQ(comes_from_memory(times), memory) << by;
    }
    times.far_gbs = times.bandwidth_gbs / 1.5;
    EXPECT_TRUE(stays_in_cache(times));
    EXPECT_NEAR(rows_that_fill(times), 20, 1e-9);
    EXPECT_EQ(bound_of(times), Bound::neither) << "20 rows until the arithmetic takes longer";
    times.bandwidth_gbs = 40, times.far_gbs = 12;
    EXPECT_NEAR(rows_that_fill(times), 2.5, 1e-9);
    EXPECT_EQ(bound_of(times), Bound::arithmetic);
    times.cache_bytes = 2e6; // a long context beside the weights
    EXPECT_FALSE(stays_in_cache(times));
    times.product_rate = std::nan("");
    EXPECT_EQ(rows_that_fill(times), 0);
    EXPECT_EQ(bound_of(PassTimes{}), Bound::neither);
}

TEST(PassBound, LeavesRoomWhereFourRowsCostLessThanTwoPasses) {
    PassTimes times = made_passes();
    EXPECT_TRUE(leaves_room(times));
    EXPECT_EQ(cheap_rows(times), 8) << "16 tokens take 4.8 ms, more than two passes";
    times.other_cores = 1;
    EXPECT_FALSE(leaves_room(times)) << "in doubt";
    times.other_cores = 0;
    times.passes[2].ms = times.passes[2].median = 4;
    EXPECT_FALSE(leaves_room(times));
    EXPECT_EQ(cheap_rows(times), 2) << "cheap is a width only where every narrower one is";
    EXPECT_FALSE(leaves_room(PassTimes{}));
}

TEST(PassTimes, CountTheCacheAmongWhatIsRead) {
    PassTimes times = made_passes();
    EXPECT_DOUBLE_EQ(times.floor_ms(), 1);
    EXPECT_DOUBLE_EQ(times.read_share(times.passes[0]), 0.5);
    times.cache_bytes = 1e6;
    EXPECT_DOUBLE_EQ(times.floor_ms(), 1.5);
    EXPECT_NEAR(times.arithmetic_share(times.passes[6]), 64e6 / 19.2e-3 / 50e9, 1e-9);
    times.attention_adds = 1e6;
    EXPECT_NEAR(times.arithmetic_share(times.passes[6]), 2 * 64e6 / 19.2e-3 / 50e9, 1e-9);
    times.bandwidth_gbs = std::nan("");
    EXPECT_EQ(times.floor_ms(), 0);
    EXPECT_EQ(times.read_share(times.passes[0]), 0);
}

TEST(PassTimes, AreMeasuredForEveryWidthAsOften) {
    const auto models = test::micro_models(1);
    int asked = 0;
    double before = -1;
    const PassTimes times = measure_passes(*models, {.rows = {1, 3, 8}, .context = 5, .repeats = 4}, [&](double done) {
        EXPECT_GT(done, before);
        before = done;
        ++asked;
        return true;
    });
    EXPECT_EQ(before, 1);
    EXPECT_EQ(asked, 8) << "three rounds of warming up, four that count, and the end";
    EXPECT_EQ(times.repeats, 4);
    EXPECT_EQ(times.model, "micro target");
    ASSERT_EQ(times.passes.size(), 3u);
    for (const PassTime& pass : times.passes) {
        EXPECT_EQ(pass.repeats, 4);
        EXPECT_GT(pass.ms, 0);
        EXPECT_LE(pass.ms, pass.median);
    }
    EXPECT_EQ(times.of(3)->rows, 3);
    EXPECT_EQ(times.of(2), nullptr);
    EXPECT_EQ(times.form, DType::bf16);
    EXPECT_DOUBLE_EQ(times.weight_bytes, static_cast<double>(models->target->bytes.per_token));
    const ModelConfig& config = models->target->config;
    EXPECT_DOUBLE_EQ(times.cache_bytes, 2.0 * 5 * config.layers * config.kv_heads * config.head_dim * sizeof(float));
    EXPECT_GT(times.multiply_adds, times.weight_bytes / 4);
    EXPECT_LT(times.multiply_adds, times.weight_bytes) << "a multiply-add for every weight of two bytes or four";
    EXPECT_GT(times.bandwidth_gbs, 0);
    EXPECT_GT(times.product_rate, 0);
}

TEST(PassTimes, EndWhenAskedToWithWholeRoundsOnly) {
    const auto models = test::micro_models(1);
    const PassPlan plan{.rows = {1, 2}, .context = 5, .repeats = 50};
    const auto after = [&](int rounds) { return measure_passes(*models, plan, [&, left = rounds](double) mutable { return left-- > 0; }); };
    EXPECT_TRUE(after(2).passes.empty()) << "still warming up";
    EXPECT_EQ(after(6).repeats, 3);
}

// On a slow model the widest passes would take minutes: what does not fit is left out.
TEST(PassTimes, KeepToTheirTimeWithFewerWidths) {
    const auto models = test::micro_models(1);
    const PassTimes times = measure_passes(*models, {.rows = {1, 2, 4, 8, 16}, .context = 5, .repeats = 50, .seconds = 1e-9});
    ASSERT_EQ(times.passes.size(), 2u);
    EXPECT_EQ(times.passes.back().rows, 2);
    EXPECT_EQ(times.repeats, 1);
}

// What is quick is repeated more often: a wide pass may not take all the time there is.
TEST(PassTimes, GiveEveryWidthAnEqualShareOfTheTime) {
    const auto models = test::micro_models(1);
    const PassTimes times = measure_passes(*models, {.rows = {1, 64}, .context = 5, .repeats = 100000, .seconds = 1});
    ASSERT_EQ(times.passes.size(), 2u);
    EXPECT_GT(times.of(1)->repeats, 2 * times.of(64)->repeats);
    EXPECT_EQ(times.repeats, times.of(64)->repeats);
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

TEST(PlainRead, IsAsLargeAsAPassOfASmallModelOnly) {
    const auto models = test::micro_models(1);
    const PassTimes times = measure_passes(*models, {.rows = {1}, .context = 5, .repeats = 1});
    EXPECT_DOUBLE_EQ(times.read_bytes, times.weight_bytes);
    EXPECT_LT(kLargeRead, Model::weight_bytes(geometry("qwen3-8b")) / 10);
}

TEST(PlainRead, IsLeftOpenWithoutMemory) {
    const auto backend = make_backend("cpu", {.threads = 1});
    EXPECT_GT(time_reads(*backend, 1 << 16, 3).ms, 0);
    EXPECT_EQ(time_reads(*backend, std::size_t{1} << 60, 3).repeats, 0);
}

// The weights of the real shape live as long as they are timed, and the loaded model's times are there before.
TEST(PassPair, TimesTheLoadedModelAndThenARealShape) {
    PassPair pair(test::micro_models(1), "bundle-s");
    EXPECT_EQ(pair.model(), "micro target");
    double before = 0;
    bool own_first = false;
    while (pair.step()) {
        EXPECT_GE(pair.done(), before);
        before = pair.done();
        own_first = own_first || (pair.own() && !pair.beside());
    }
    EXPECT_EQ(pair.done(), 1);
    EXPECT_TRUE(own_first);
    ASSERT_TRUE(pair.own() && pair.beside());
    EXPECT_FALSE(pair.own()->random_weights);
    EXPECT_EQ(pair.beside()->model, "bundle-s");
    EXPECT_TRUE(pair.beside()->random_weights);
    EXPECT_GE(pair.beside()->passes.size(), 2u);
    EXPECT_EQ(pair.beside()->problem, "");
}

TEST(PassPair, NeedsNoShapeSmallerThanTheModel) {
    PassPair pair(test::micro_models(1), "micro");
    while (pair.step()) {
    }
    EXPECT_TRUE(pair.own());
    EXPECT_FALSE(pair.beside());
}

TEST(PassPair, SaysWhyTheShapeWasNotMeasured) {
    PassPair pair(test::micro_models(1), "bundle-s", [] { return false; });
    while (pair.step()) {
    }
    ASSERT_TRUE(pair.beside());
    EXPECT_TRUE(pair.beside()->passes.empty());
    EXPECT_EQ(pair.beside()->problem, "it was stopped");
    PassPair huge(test::micro_models(1), "qwen3-8b");
    if (test::micro_models(1)->backend->free_memory() > Model::weight_bytes(geometry("qwen3-8b"))) return;
    while (huge.step()) {
    }
    EXPECT_NE(huge.beside()->problem.find("memory"), std::string::npos) << huge.beside()->problem;
}

TEST(PassPair, TimesOneShapeInOtherForms) {
    PassPair pair(test::micro_models(1), MeasurePasses{.beside = "bundle-s", .forms = true});
    EXPECT_EQ(pair.model(), "bundle-s in Q8_0");
    double before = 0;
    std::size_t complete = 0;
    while (pair.step()) {
        EXPECT_GE(pair.done(), before);
        before = pair.done();
        const std::size_t now = pair.forms() ? pair.forms()->size() : 0;
        EXPECT_LE(now - complete, 1u) << "each is there when it is complete";
        complete = now;
    }
    EXPECT_EQ(pair.done(), 1);
    EXPECT_FALSE(pair.own() || pair.beside()) << "these are asked for by themselves";
    ASSERT_TRUE(pair.forms());
    ASSERT_EQ(pair.forms()->size(), 2u) << "bf16 is what the shape has beside the loaded model";
    double bytes = static_cast<double>(Model::weight_bytes(geometry("bundle-s")));
    for (std::size_t i = 0; i < 2; ++i) {
        const PassTimes& times = (*pair.forms())[i];
        EXPECT_EQ(times.model, "bundle-s");
        EXPECT_EQ(times.form, i == 0 ? DType::q8_0 : DType::q4_0);
        EXPECT_TRUE(times.random_weights);
        EXPECT_EQ(times.problem, "");
        EXPECT_GE(times.passes.size(), 2u);
        EXPECT_LT(times.weight_bytes, 0.7 * bytes);
        bytes = times.weight_bytes;
    }
}

// A large model needs no other shape: its own in forms that it does not have. What cannot be had is said.
TEST(PassPair, TimesTheLoadedModelsShapeInOtherFormsAndSaysWhyNot) {
    const auto problems = [](PassPair pair) {
        while (pair.step()) {
        }
        std::vector<std::string> found;
        for (const PassTimes& times : *pair.forms()) {
            EXPECT_EQ(times.model, "micro target");
            EXPECT_TRUE(times.passes.empty());
            found.push_back(std::string(name_of(times.form)) + ": " + times.problem);
        }
        return found;
    };
    const std::string none = "the backend cpu keeps no ", shape = " matrices of this shape";
    EXPECT_EQ(problems(PassPair(test::micro_models(1), MeasurePasses{.beside = "micro", .forms = true})),
              (std::vector<std::string>{"Q8_0: " + none + "Q8_0" + shape, "Q4_0: " + none + "Q4_0" + shape}))
        << "rows of 48 are no whole number of blocks";
    auto models = std::make_shared<Models>();
    models->backend = make_backend("cpu", {.threads = 1});
    models->target = Model::random(*models->backend, geometry("micro"), "micro target", 1, {}, DType::q4_1);
    EXPECT_EQ(problems(PassPair(models, MeasurePasses{.forms = true}, [] { return false; })),
              (std::vector<std::string>{"bf16: it was stopped", "Q8_0: it was stopped"}))
        << "Q4_0 would be the same again";
}

} // namespace
} // namespace speclens
