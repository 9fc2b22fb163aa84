// Records of a load generator, in the form that its guide prints.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/quantile.h"
#include "kernels/error.h"
#include "remote/reading/bench_records.h"
#include "tests/shared/mutate.h"

namespace speclens::test {

namespace {

// A record as NVIDIA's guide to profile export files prints it, on one line, and a request that was
// cancelled.
constexpr const char* kAnswered =
    R"({"metadata":{"session_num":45,"x_request_id":"7609a2e7","turn_index":0,"request_start_ns":1759813207532900363,"benchmark_phase":"profiling","was_cancelled":false},)"
    R"("metrics":{"input_sequence_length":{"value":550,"unit":"tokens"},"time_to_first_token":{"value":4.5,"unit":"ms"},"request_latency":{"value":0.046,"unit":"sec"},)"
    R"("output_token_count":{"value":9,"unit":"tokens"},"inter_chunk_latency":{"value":[4.0,5.0,6.0,5.0],"unit":"ms"},"output_sequence_length":{"value":10,"unit":"tokens"},)"
    R"("inter_token_latency":{"value":5200000,"unit":"ns"}},"error":null})";
constexpr const char* kFailed =
    R"({"metadata":{"session_num":80,"was_cancelled":true},"metrics":{"error_isl":{"value":550,"unit":"tokens"}},"error":{"code":499,"type":"RequestCancellationError","message":"cancelled"}})";

} // namespace

TEST(BenchRecords, ReadRequestsAndWhatCameAtOnce) {
    const std::string text = std::string(kAnswered) + "\n\n" + kFailed + "\nno record\n" + kAnswered;
    ASSERT_TRUE(looks_like_bench_records(text));
    const BenchRecords records = parse_bench_records(text, "file");
    ASSERT_EQ(records.answered.size(), 2u);
    EXPECT_EQ(records.failed, 1);
    EXPECT_EQ(records.skipped, 1);
    const BenchRecord& r = records.answered[0];
    EXPECT_EQ(r.tokens, 10);
    EXPECT_EQ(r.first_ms, 4.5);
    EXPECT_EQ(r.whole_ms, 46) << "seconds become milliseconds";
    EXPECT_EQ(r.between_ms, 5.2) << "so do nanoseconds";
    EXPECT_EQ(r.gaps, (std::vector<double>{4, 5, 6, 5}));
    EXPECT_EQ(r.tokens_per_chunk(), 2) << "10 tokens in 5 chunks";
    EXPECT_EQ(records.tokens(), 20);
    EXPECT_EQ(records.chunks(), 10);
    EXPECT_EQ(records.tokens_per_chunk(), 2);
}

TEST(BenchRecords, AnswersThatWereNotStreamedTellNoChunks) {
    std::string text = kAnswered;
    text.replace(text.find("inter_chunk_latency"), 5, "other");
    const BenchRecords records = parse_bench_records(text, "file");
    EXPECT_EQ(records.answered[0].tokens_per_chunk(), 0);
    EXPECT_EQ(records.tokens_per_chunk(), 0);
    text = kAnswered;
    text.replace(text.find("[4.0,5.0,6.0,5.0]"), 17, "[4.0,null,-1,\"x\"]");
    EXPECT_EQ(parse_bench_records(text, "file").answered[0].gaps, (std::vector<double>{4}));
}

TEST(BenchRecords, TakeNoFigureThatNobodyMeasured) {
    std::string text = kAnswered;
    const auto put = [&](const std::string& what, const std::string& with) {
        const std::size_t at = text.find(what);
        ASSERT_NE(at, std::string::npos) << what;
        text.replace(at, what.size(), with);
    };
    put(R"({"value":0.046,"unit":"sec"})", R"({"value":1e308,"unit":"sec"})"); // infinite as milliseconds
    put("[4.0,5.0,6.0,5.0]", "[4.0,1e308]");
    put(R"({"value":10,"unit":"tokens"})", R"({"value":1e40,"unit":"tokens"})");
    const BenchRecord record = parse_bench_records(text, "file").answered.at(0);
    EXPECT_EQ(record.whole_ms, 0);
    EXPECT_EQ(record.gaps, (std::vector<double>{4}));
    EXPECT_EQ(record.tokens, 9) << "the other count";
    EXPECT_EQ(record.first_ms, 4.5);
}

TEST(BenchRecords, NonsenseIsAnError) {
    for (const char* text : {"", "\n", "[]", "{}", "{\"metadata\":{}}", "plain text", "{\"metadata\":3,\"metrics\":{}}"}) {
        EXPECT_FALSE(looks_like_bench_records(text)) << text;
        try {
            (void)parse_bench_records(text, "file");
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::model) << "a file, not a server";
            EXPECT_FALSE(error.remedy().empty());
        }
    }
    const std::string text = std::string(kAnswered) + "\n" + kFailed;
    Mutator mutator(3);
    for (int i = 0; i < 400; ++i) {
        try {
            const BenchRecords records = parse_bench_records(mutator.mutate(text), "file");
            for (const BenchRecord& record : records.answered) {
                EXPECT_TRUE(std::isfinite(record.tokens_per_chunk()));
                EXPECT_GE(record.first_ms, 0);
            }
        } catch (const Error&) {
        }
    }
}

TEST(BenchRecords, Quantiles) {
    EXPECT_EQ(quantile({}, 0.5), 0);
    EXPECT_EQ(quantile({3}, 0.9), 3);
    EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2);
    EXPECT_EQ(quantile({4, 1, 3, 2}, 0.9), 4);
    EXPECT_EQ(quantile({4, 1, 3, 2}, 0), 1);
}

} // namespace speclens::test
