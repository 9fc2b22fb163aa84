// The result of bench, by made-up times: its table, its JSON, and how it compares with an earlier one.
#include <gtest/gtest.h>

#include "app/cli/bench_result.h"
#include "kernels/error.h"
#include "tests/shared/pass_times.h"

namespace speclens::cli {

namespace {

BenchResult made_result() {
    BenchResult result;
    result.machine = "Some CPU, 2 cores";
    result.date = "2026-11-25T10:00Z";
    result.backend = "cpu";
    result.device = "CPU · AVX-512 · 2 threads";
    result.isa = "AVX-512";
    result.threads = 2;
    result.precision = "weights bf16, cache f32";
    result.model = "bundle S";
    result.contexts = {test::made_passes()};
    result.prefill_tokens = 512;
    result.prefill = {100, 104, 8};
    return result;
}

Json json_of(const BenchResult& result) { return Json(bench_json(result)); }

std::string refusal(const Json& now, const Json& then) {
    try {
        (void)against_table(now, then, "old.json");
        return "nothing";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::usage);
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
}

TEST(BenchResult, OldKeysKeepTheirMeaning) {
    const Json result = json_of(made_result());
    EXPECT_EQ(result["schema"], "speclens-bench/1");
    EXPECT_DOUBLE_EQ(result["decode"]["ms"].get<double>(), 2.2) << "a median, as ever";
    EXPECT_DOUBLE_EQ(result["decode"]["fraction"].get<double>(), 2e6 / 2.2 / 1e6 / 2);
    EXPECT_EQ(result["verify"].size(), 4u);
    EXPECT_EQ(result["verify"][3]["tokens"], 16);
    EXPECT_NEAR(result["verify"][3]["ratio"].get<double>(), 2.4, 1e-9);
    EXPECT_EQ(result["passes"].size(), 7u);
    EXPECT_DOUBLE_EQ(result["passes"][0]["ms"].get<double>(), 2);
    EXPECT_DOUBLE_EQ(result["passes"][0]["median_ms"].get<double>(), 2.2);
    EXPECT_NEAR(result["passes"][0]["spread"].get<double>(), 0.1, 1e-9);
    EXPECT_EQ(result["in_doubt"], nullptr);
    EXPECT_EQ(result["prefill"]["tokens"], 512);
}

TEST(BenchResult, ShowsEveryContextAndSaysWhatIsInDoubt) {
    BenchResult result = made_result();
    EXPECT_EQ(bench_table(result).find("IN DOUBT"), std::string::npos);
    PassTimes longer = test::made_passes();
    longer.context = 1000;
    longer.cache_bytes = 2e6;
    longer.passes[1].median = 3;
    result.contexts.push_back(longer);
    result.left_out = {"a context of 4000 is left out: filling it takes 19 s."};
    const std::string table = bench_table(result);
    for (const char* words : {"IN DOUBT: a pass over 2 tokens varied by 50\u2009% (context 1000)",
                              "64 tokens before the pass, which reads 2.0 MB, 0.0 of them keys and values",
                              "1000 tokens before the pass, which reads 4.0 MB, 2.0 of them", "a context of 4000 is left out",
                              "50.0   billion multiply-adds a second, spread 0 %", "2.40×", "prefill, 512 tokens", "5120 tokens a second"})
        EXPECT_NE(table.find(words), std::string::npos) << words << "\n" << table;
    EXPECT_EQ(json_of(result)["in_doubt"], "a pass over 2 tokens varied by 50\u2009% (context 1000)");
}

TEST(BenchResult, ShowsNoShareAboveAllOfItWithoutADoubt) {
    BenchResult result = made_result();
    PassTime& eight = result.contexts.front().passes[3];
    eight.ms = eight.median = 0.8; // reading alone takes 1 ms
    const std::string table = bench_table(result);
    EXPECT_NE(table.find("IN DOUBT: a pass over 8 tokens took 20\u2009% less than its bound\n"), std::string::npos) << table;
    EXPECT_NE(table.find("125 %"), std::string::npos) << table;
    EXPECT_NE(table.find("0.80×"), std::string::npos) << table;
    EXPECT_EQ(json_of(result)["in_doubt"], "a pass over 8 tokens took 20\u2009% less than its bound");
}

TEST(BenchResult, CallsADifferenceNoCostAndSaysThatItWasStopped) {
    BenchResult result = made_result();
    EXPECT_EQ(bench_table(result).find("fixed cost"), std::string::npos);
    EXPECT_NE(bench_table(result).find("a difference, no cost that was measured"), std::string::npos) << bench_table(result);
    result.contexts.front().passes[1].median = 3;
    EXPECT_NE(bench_table(result).find("not to be told from times in doubt"), std::string::npos) << bench_table(result);
    result.ended_by = std::make_exception_ptr(1);
    EXPECT_NE(bench_table(result).find(" · stopped before it had all\n"), std::string::npos) << bench_table(result);
    result.contexts.front().bandwidth_gbs = 0.762, result.prefill = {493'807.7, 493'807.7, 1}; // a pair beside other programs
    for (const char* words : {"  0.76   GB/s", "1.04 tokens a second"})
        EXPECT_NE(bench_table(result).find(words), std::string::npos) << words << "\n" << bench_table(result);
}

TEST(BenchAgainst, TellsApartOnlyWhatCanBe) {
    BenchResult now = made_result();
    now.contexts[0].passes[0].ms = 2.1; // 2.1 … 2.2 against 2 … 2.2
    now.contexts[0].passes[3].ms = 1.2, now.contexts[0].passes[3].median = 1.3;
    now.contexts[0].passes.pop_back();
    const std::string table = against_table(json_of(now), json_of(made_result()), "old.json");
    EXPECT_NE(table.find("Against old.json of 2026-11-25T10:00Z"), std::string::npos) << table;
    const auto line = [&](const std::string& name) {
        const std::size_t at = table.find(name);
        return at == std::string::npos ? "" : table.substr(at, table.find('\n', at) - at);
    };
    EXPECT_NE(line("1 token behind 64").find("2.100      2.000      1.05   cannot be told apart"), std::string::npos) << table;
    EXPECT_NE(line("8 tokens behind 64").find("1.200      2.400      0.50"), std::string::npos) << table;
    EXPECT_EQ(line("8 tokens behind 64").find("told apart"), std::string::npos) << table;
    EXPECT_NE(line("prefill of 512").find("cannot be told apart"), std::string::npos) << table;
    EXPECT_EQ(line("64 tokens behind 64"), "") << "only what both have";
    EXPECT_EQ(table.find("machine"), std::string::npos) << table;
}

TEST(BenchAgainst, SaysWhatElseDiffers) {
    BenchResult then = made_result();
    then.machine = "Other CPU, 64 cores";
    then.threads = 16;
    then.contexts[0].other_cores = 1.5;
    const std::string table = against_table(json_of(made_result()), json_of(then), "old.json");
    for (const char* words : {"THEN IS of another machine: Other CPU, 64 cores, now Some CPU, 2 cores", "then with 16 threads, now with 2",
                              "then is in doubt: other programs kept 1.5 cores busy"})
        EXPECT_NE(table.find(words), std::string::npos) << words << "\n" << table;
}

TEST(BenchAgainst, RefusesWhatCannotBeCompared) {
    const Json now = json_of(made_result());
    const auto with = [&](const char* field, const char* value) {
        Json then = now;
        then[field] = value;
        return refusal(now, then);
    };
    EXPECT_EQ(with("model", "qwen3-0.6b"), "old.json is of another model: qwen3-0.6b, not bundle S");
    EXPECT_EQ(with("model", "bundle-S.Q4_1"), "nothing") << "the name of the same model's file, as older results have it";
    EXPECT_EQ(with("weights", "random"), "old.json is of another kind of weights: random, not trained");
    EXPECT_EQ(with("backend", "cuda"), "old.json is of another kind of device: cuda, not cpu");
    EXPECT_EQ(with("precision", "weights f32, cache f32"),
              "old.json is of another precision: weights f32, cache f32, not weights bf16, cache f32");
    EXPECT_EQ(with("schema", "speclens-compare/2"), "old.json is no result of bench");
    EXPECT_EQ(refusal(now, Json::array()), "old.json is no result of bench");
    Json old = now;
    old.erase("passes");
    old.erase("prefill");
    EXPECT_EQ(refusal(now, old), "old.json has no times with their spread: an earlier version made it");
    for (const Json& broken : {Json("fast"), Json{{{"ms", "fast"}}}, Json{{{"ms", -1}}}, Json{1, nullptr}}) {
        old["passes"] = broken;
        EXPECT_NE(refusal(now, old).find("no times"), std::string::npos) << broken;
    }
}

} // namespace

} // namespace speclens::cli
