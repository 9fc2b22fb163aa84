// What a precision changes: by hand, and by models that really differ.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/lab/pass_times.h"
#include "engine/lab/precision_change.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RunSettings continuing(std::vector<int> ids) {
    RunSettings settings;
    settings.prompt.token_ids = std::move(ids);
    settings.max_tokens = 16;
    return settings;
}

TEST(PrecisionChange, CountsByHand) {
    PrecisionReading from{.precision = Precision::f32, .logp = {-1, -2, -3, -4}, .likeliest = {5, 6, 7, 8}};
    PrecisionReading to{.precision = Precision::bf16, .logp = {-1, -2.5, -2.9, -4}, .likeliest = {5, 6, 9, 8}};
    from.drafters = {{.drafter = "lookup", .k = 4, .rounds = 10, .tokens = 20}, {.drafter = "skip", .k = 4, .rounds = 5, .tokens = 10}};
    to.drafters = {{.drafter = "skip", .k = 4, .rounds = 4, .tokens = 10}};
    const PrecisionChange change = change_between(from, to);
    EXPECT_EQ(change.from, Precision::f32);
    EXPECT_EQ(change.to, Precision::bf16);
    EXPECT_EQ(change.tokens, 4);
    EXPECT_NEAR(change.mean, -0.1, 1e-12);
    EXPECT_NEAR(change.mean_size, 0.15, 1e-12);
    EXPECT_NEAR(change.worst, 0.5, 1e-12);
    EXPECT_EQ(change.worst_at, 2) << "the first token has no log-probability";
    EXPECT_EQ(change.likeliest_differs, 1);
    ASSERT_EQ(change.drafters.size(), 1u);
    EXPECT_DOUBLE_EQ(change.drafters[0].from.tokens_per_round(), 2);
    EXPECT_DOUBLE_EQ(change.drafters[0].to.tokens_per_round(), 2.5);
}

TEST(PrecisionChange, ReadsWhatTheModelSaysOfEveryToken) {
    const auto models = test::precise_models(2, Precision::f32);
    std::vector<int> text(80); // more than one pass
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<int>(i * 7 % 61);
    const std::vector<RunSettings> runs = {continuing({7, 8, 9, 7, 8}), continuing({1, 2, 1, 2, 1})};
    double last = -1;
    const PrecisionReading reading = read_precision(models, text, runs, [&](double done) {
        EXPECT_GE(done, last);
        last = done;
    });
    EXPECT_EQ(last, 1);
    ASSERT_EQ(reading.logp.size(), 79u);
    ASSERT_EQ(reading.likeliest.size(), 79u);
    const auto decoder = make_model_decoder(models->target, 128);
    PassRows& rows = decoder->forward({.tokens = std::span(text).first(60)});
    for (const int at : {0, 31, 32, 59}) {
        const Distribution distribution = rows.distribution(at, kRawSampling);
        EXPECT_NEAR(reading.logp[static_cast<std::size_t>(at)],
                    std::log(distribution[static_cast<std::size_t>(text[static_cast<std::size_t>(at) + 1])]), 1e-5);
        EXPECT_EQ(reading.likeliest[static_cast<std::size_t>(at)], rows.argmax()[static_cast<std::size_t>(at)]);
    }
    EXPECT_EQ(reading.drafters.size() + 1, models->ready_drafters().size()) << "plain decoding guesses nothing";
    for (const DraftReading& one : reading.drafters) {
        EXPECT_EQ(one.tokens, 32) << one.drafter;
        EXPECT_GE(one.tokens_per_round(), 1) << one.drafter;
    }
    const PrecisionChange none = change_between(reading, read_precision(models, text, runs));
    EXPECT_EQ(none.worst, 0);
    EXPECT_EQ(none.likeliest_differs, 0);
    for (const auto& one : none.drafters) EXPECT_EQ(one.from.rounds, one.to.rounds) << one.to.drafter;
}

// Models that differ are told apart, whatever made them differ.
TEST(PrecisionChange, SeesAnotherModel) {
    std::vector<int> text(40);
    std::iota(text.begin(), text.end(), 3);
    const PrecisionReading one = read_precision(test::micro_models(1), text, {});
    const PrecisionReading other = read_precision(test::precise_models(1, Precision::f32), text, {});
    const PrecisionChange change = change_between(one, other);
    EXPECT_GT(change.mean_size, 0.01);
    EXPECT_GE(change.worst, change.mean_size);
    EXPECT_GT(change.likeliest_differs, 0);
}

} // namespace
} // namespace speclens
