// The exposition format, what each server's names mean, counts over time, and the names of acceptance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/error.h"
#include "remote/reading/exposition.h"
#include "remote/reading/spec_counts.h"
#include "remote/reading/watch.h"
#include "tests/shared/mutate.h"

namespace speclens::test {

namespace {

constexpr const char* kVllmMetrics =
    R"(# HELP vllm:spec_decode_num_drafts_total Number of spec decoding drafts.
# TYPE vllm:spec_decode_num_drafts_total counter
vllm:spec_decode_num_drafts_total{engine="0",model_name="m"} 40.0
vllm:spec_decode_num_drafts_total{engine="1",model_name="m"} 3.0
vllm:spec_decode_num_drafts_created{engine="0",model_name="m"} 1.7e+09
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 120.0
vllm:spec_decode_num_draft_tokens_total{engine="1",model_name="m"} 9.0
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="m"} 10.0
vllm:spec_decode_num_accepted_tokens_total{engine="1",model_name="m"} 0.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="2"} 3.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="0"} 4.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="1"} 3.0
vllm:num_requests_running{engine="0",model_name="m"} 2.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.2
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.4
vllm:generation_tokens_total{engine="0",model_name="m"} 500.0
vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 0.5
vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 10
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="m"} 10
)";

ServerReading reading_of(const std::string& text) { return read_metrics(parse_exposition(text, "test")); }

} // namespace

TEST(Exposition, ReadsEveryFormOfALine) {
    const auto samples = parse_exposition("# a comment\n\nplain 1\nwith{a=\"x\",b=\"q\\\"\\\\\\n\",} -2.5e3 "
                                          "1700000000\r\n  lead\t+Inf # {trace=\"1\"} 2\nnan NaN\n"
                                          "broken{a=\"x\" 3\nno_value\n9starts 1\nempty{} 4\nlast 7",
                                          "test");
    ASSERT_EQ(samples.size(), 6u);
    EXPECT_EQ(samples[0].name, "plain");
    EXPECT_DOUBLE_EQ(samples[1].value, -2500);
    EXPECT_EQ(*samples[1].label("b"), "q\"\\\n");
    EXPECT_EQ(samples[1].label("c"), nullptr);
    EXPECT_TRUE(std::isinf(samples[2].value));
    EXPECT_TRUE(std::isnan(samples[3].value));
    EXPECT_EQ(samples[4].name, "empty");
    EXPECT_DOUBLE_EQ(samples[5].value, 7);
}

TEST(Exposition, TakesDigitsInsideNames) {
    const auto samples = parse_exposition("p50_909{dp0=\"a\"} 3\n", "test");
    ASSERT_EQ(samples.size(), 1u);
    EXPECT_EQ(samples[0].name, "p50_909");
    EXPECT_EQ(*samples[0].label("dp0"), "a");
    EXPECT_DOUBLE_EQ(samples[0].value, 3);
}

TEST(Exposition, SkipsTheMarkAtTheBeginningOfASavedFile) {
    const auto samples = parse_exposition("\xEF\xBB\xBF"
                                          "first 1\nsecond 2\n",
                                          "test");
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_EQ(samples[0].name, "first");
}

TEST(Exposition, RefusesWhatHoldsNoMetrics) {
    for (const char* text : {"", "<html><body>404</body></html>\n", "{\"error\": 1}", "# only comments\n"})
        EXPECT_THROW((void)parse_exposition(text, "x"), Error) << text;
}

TEST(Exposition, SurvivesDamage) {
    Mutator mutator(5);
    for (int i = 0; i < 2000; ++i) {
        try {
            (void)what_is_missing(reading_of(mutator.mutate(kVllmMetrics)));
        } catch (const Error&) { // nothing left
        }
    }
}

TEST(ServerReading, SumsTheEnginesOfVllm) {
    const ServerReading r = reading_of(kVllmMetrics);
    EXPECT_EQ(r.kind, ServerKind::vllm);
    ASSERT_TRUE(r.counts.has_value());
    EXPECT_DOUBLE_EQ(*r.counts->rounds, 43);
    EXPECT_DOUBLE_EQ(r.counts->drafted, 129);
    EXPECT_DOUBLE_EQ(r.counts->accepted, 10);
    EXPECT_EQ(r.counts->accepted_at, (std::vector<double>{4, 3, 3}));
    EXPECT_DOUBLE_EQ(*r.running, 2);
    EXPECT_FALSE(r.waiting.has_value());
    EXPECT_NEAR(*r.cache_share, 0.3, 1e-12);
    EXPECT_DOUBLE_EQ(*r.first_token.mean_ms(), 50);
    EXPECT_EQ(r.models, std::vector<std::string>{"m"});
    EXPECT_TRUE(what_is_missing(r).empty());
}

TEST(ServerReading, TakesNoFigureThatCannotBe) {
    const std::string drafted = "vllm:spec_decode_num_draft_tokens_total ", accepted = "vllm:spec_decode_num_accepted_tokens_total 10\n";
    for (const char* odd : {"NaN", "+Inf", "-Inf", "-5", "1e308"}) {
        const ServerReading r =
            reading_of(drafted + odd + "\n" + accepted + "vllm:num_requests_running " + odd + "\nvllm:kv_cache_usage_perc 9.64\n");
        EXPECT_EQ(r.kind, ServerKind::vllm) << odd;
        EXPECT_FALSE(r.counts.has_value()) << odd;
        EXPECT_FALSE(r.running.has_value()) << odd;
        EXPECT_FALSE(r.cache_share.has_value()) << "more than all of it";
        ASSERT_EQ(what_is_missing(r).size(), 1u) << "it speculates all the same";
        EXPECT_EQ(what_is_missing(r)[0].text, "missing.odd");
    }
    const ServerReading told = reading_of("sglang:spec_accept_length 2.5\nsglang:spec_accept_rate 9.64\n");
    EXPECT_DOUBLE_EQ(*told.reported_length, 2.5);
    EXPECT_FALSE(told.reported_rate.has_value());
    EXPECT_FALSE(reading_of("sglang:spec_accept_length 1e308\nsglang:spec_accept_rate 0.5\n").reported_length);
    // No share above 1 either where the settings have a smaller K than the length has drafts.
    EXPECT_FALSE(ReportedRates{.drafts = 2}.share(11.0, {}).has_value());
    EXPECT_DOUBLE_EQ(*ReportedRates{.drafts = 2}.share(3.0, {}), 1);
}

TEST(ServerReading, ReadsSglangsAverages) {
    const ServerReading r = reading_of("sglang:spec_accept_length{model_name=\"m\"} 2.6\nsglang:spec_accept_rate{model_name=\"m\"} "
                                       "0.4\nsglang:num_running_reqs{model_name=\"m\"} 3\n"
                                       "sglang:num_queue_reqs{model_name=\"m\"} 1\nsglang:token_usage{model_name=\"m\"} "
                                       "0.5\nsglang:gen_throughput{model_name=\"m\"} 77\n");
    EXPECT_EQ(r.kind, ServerKind::sglang);
    EXPECT_DOUBLE_EQ(*r.reported_length, 2.6);
    EXPECT_DOUBLE_EQ(*r.reported_rate, 0.4);
    EXPECT_DOUBLE_EQ(*r.running, 3);
    EXPECT_DOUBLE_EQ(*r.waiting, 1);
    EXPECT_DOUBLE_EQ(*r.reported_throughput, 77);
    EXPECT_TRUE(r.speculates());
    const auto missing = what_is_missing(r);
    ASSERT_EQ(missing.size(), 1u);
    EXPECT_EQ(missing[0].text, "missing.sglang_averages");
    const ServerReading idle = reading_of("sglang:spec_accept_length 0\n");
    EXPECT_FALSE(idle.speculates());
    EXPECT_EQ(what_is_missing(idle).at(0).text, "missing.sglang");
}

TEST(ServerReading, TakesSglangsReplicasApart) {
    const auto row = [](const char* name, int dp, int tp, const char* value) {
        return std::string("sglang:") + name + "{model_name=\"m\",dp_rank=\"" + std::to_string(dp) + "\",tp_rank=\"" + std::to_string(tp) +
               "\"} " + value + "\n";
    };
    const std::string busy = row("gen_throughput", 0, 0, "300") + row("spec_accept_length", 0, 0, "3.0") +
                             row("spec_accept_rate", 0, 0, "0.6666666666666666") + row("num_running_reqs", 0, 0, "2");
    // A replica without requests is no part of the averages.
    const ServerReading idle = reading_of(busy + row("gen_throughput", 1, 1, "0") + row("spec_accept_length", 1, 1, "0.0") +
                                          row("spec_accept_rate", 1, 1, "0.0") + row("num_running_reqs", 1, 1, "0"));
    EXPECT_DOUBLE_EQ(*idle.reported_length, 3);
    EXPECT_DOUBLE_EQ(*idle.reported_rate, 0.6666666666666666);
    EXPECT_DOUBLE_EQ(*reported_rates(idle).drafts, 3);
    EXPECT_DOUBLE_EQ(*idle.reported_throughput, 300);
    // Of two that work the throughput adds up; the ranks of one tell the same thing.
    const ServerReading both =
        reading_of(busy + row("gen_throughput", 0, 1, "300") + row("num_running_reqs", 0, 1, "2") + row("gen_throughput", 1, 2, "500") +
                   row("num_running_reqs", 1, 2, "1") + row("spec_accept_length", 1, 2, "2.0"));
    EXPECT_DOUBLE_EQ(*both.reported_throughput, 800);
    EXPECT_DOUBLE_EQ(*both.running, 3);
    EXPECT_DOUBLE_EQ(*both.reported_length, 2.5);
}

TEST(ServerReading, KnowsWhatSglangsRateCounts) {
    const auto share = [](const ServerReading& r) { return reported_rates(r).share(r.reported_length, r.reported_rate); };
    const ServerReading newer = reading_of("sglang:spec_accept_length 2.6\nsglang:spec_accept_rate 0.4\n");
    EXPECT_DOUBLE_EQ(*reported_rates(newer).drafts, 4);
    EXPECT_NEAR(*share(newer), 0.4, 1e-12);
    // Pull request 23530: before it, 1 ÷ (K + 1) where nothing is kept.
    const ServerReading nothing = reading_of("sglang:spec_accept_length 1.0\nsglang:spec_accept_rate 0.16666666666666666\n");
    EXPECT_TRUE(reported_rates(nothing).own_token);
    EXPECT_DOUBLE_EQ(*reported_rates(nothing).drafts, 5);
    EXPECT_DOUBLE_EQ(*share(nothing), 0);
    const std::string either = "sglang:spec_accept_length 2.5\nsglang:spec_accept_rate 0.5\n";
    EXPECT_FALSE(share(reading_of(either)).has_value());
    EXPECT_DOUBLE_EQ(*share(reading_of(either + "sglang:spec_num_draft_tokens 5\n")), 1.5 / 4);
    EXPECT_DOUBLE_EQ(*share(reading_of(either + "sglang:spec_num_steps 3\n")), 0.5);
    EXPECT_DOUBLE_EQ(*share(reading_of("sglang:spec_accept_length 2.5\nsglang:spec_num_draft_tokens 6\n")), 1.5 / 5)
        << "no rate at all, but K";
}

TEST(ServerReading, ReadsLlamaWithAndWithoutTheSuffix) {
    for (const std::string suffix : {"", "_total"}) {
        const ServerReading r = reading_of("llamacpp:spec_decode_num_drafts" + suffix + " 87\nllamacpp:spec_decode_num_draft_tokens" +
                                           suffix + " 259\nllamacpp:spec_decode_num_accepted_tokens" + suffix +
                                           " 167\nllamacpp:spec_decode_num_accepted_tokens_per_pos" + suffix +
                                           "{position=\"0\"} 70\nllamacpp:spec_decode_num_accepted_tokens_per_pos" + suffix +
                                           "{position=\"1\"} 55\nllamacpp:spec_decode_num_accepted_tokens_per_pos" + suffix +
                                           "{position=\"2\"} 42\nllamacpp:tokens_predicted_total 256\n");
        EXPECT_EQ(r.kind, ServerKind::llamacpp);
        EXPECT_DOUBLE_EQ(r.counts->drafted, 259) << suffix;
        EXPECT_EQ(r.counts->accepted_at, (std::vector<double>{70, 55, 42}));
        EXPECT_DOUBLE_EQ(*r.generated, 256);
    }
    EXPECT_EQ(what_is_missing(reading_of("llamacpp:requests_processing 0\n")).at(0).text, "missing.llamacpp");
}

// The V0 engine counted what its rounds emitted instead of the rounds; what it calls accepted says nothing of them.
TEST(ServerReading, FindsTheRoundsOfVllmsOlderEngine) {
    const std::string tokens = "vllm:spec_decode_num_accepted_tokens_total{model_name=\"m\"} 180.0\n"
                               "vllm:spec_decode_num_draft_tokens_total{model_name=\"m\"} 300.0\n",
                      emitted = "vllm:spec_decode_num_emitted_tokens_total{model_name=\"m\"} 250.0\n";
    const ServerReading old = reading_of(tokens + emitted + "vllm:spec_decode_efficiency{model_name=\"m\"} 0.625\n"); // of 100 · 4
    EXPECT_EQ(old.counts->rounds, 100.0);
    EXPECT_DOUBLE_EQ(*acceptance_length(*old.counts), 2.5);
    EXPECT_EQ(old.reported_accepted, 180.0);
    const ServerReading unclear = reading_of(tokens + emitted);
    EXPECT_FALSE(unclear.counts.has_value());
    EXPECT_EQ(what_is_missing(unclear).at(0).text, "missing.v0_without_rounds");
    const ServerReading open = reading_of(tokens);
    EXPECT_FALSE(open.counts->rounds.has_value());
    EXPECT_EQ(what_is_missing(open).at(0).text, "missing.rounds");
}

TEST(ServerReading, SaysThatTextWasWrittenAndNothingDrafted) {
    const std::string zeros = "vllm:spec_decode_num_drafts_total 0\nvllm:spec_decode_num_draft_tokens_total 0\n"
                              "vllm:spec_decode_num_accepted_tokens_total 0\nvllm:generation_tokens_total ";
    EXPECT_EQ(what_is_missing(reading_of(zeros + "318\n")), std::vector<Said>{server_said("missing.never_drafts"_t, "tokens"_v = 318.0)});
    EXPECT_EQ(what_is_missing(reading_of(zeros + "0\n")).at(0).text, "missing.nothing_yet");
    (void)what_is_missing(reading_of(zeros + "1e300\n"));
}

TEST(ServerReading, SaysWhatVllmDoesNotTell) {
    EXPECT_EQ(what_is_missing(reading_of("vllm:num_requests_running 0\n")).at(0).text, "missing.vllm");
    EXPECT_EQ(what_is_missing(reading_of("process_cpu_seconds_total 1\n")).at(0).text, "missing.unknown_kind");
}

// vLLM pull request 48915 prints this run: 43 rounds of 3 drafts.
TEST(Acceptance, HasSixNamesForOneRun) {
    const SpecCounts counts = counts_of_histogram({39, 1, 0, 3}, 129);
    EXPECT_DOUBLE_EQ(*counts.rounds, 43);
    EXPECT_DOUBLE_EQ(counts.accepted, 10);
    EXPECT_EQ(counts.accepted_at, (std::vector<double>{4, 3, 3}));
    const auto names = acceptance_names(counts);
    ASSERT_EQ(names.size(), 6u);
    EXPECT_DOUBLE_EQ(*names[0].value, 0.07751937984496124); // as printed there
    EXPECT_DOUBLE_EQ(*names[1].value, 1.2325581395348837);  // as printed there
    EXPECT_DOUBLE_EQ(*names[2].value, 10.0 / 43);
    EXPECT_DOUBLE_EQ(*names[3].value, 4.0 / 43);
    EXPECT_DOUBLE_EQ(*names[4].value, 3.0 / 43);
    EXPECT_DOUBLE_EQ(*names[5].value, 10.0 / 53);
    const PositionAcceptance places = position_acceptance(counts);
    EXPECT_EQ(places.unconditional, (std::vector<double>{4.0 / 43, 3.0 / 43, 3.0 / 43}));
    EXPECT_EQ(places.conditional, (std::vector<double>{4.0 / 43, 0.75, 1.0}));
}

// K = 4: one round kept all four, the other all of the three it had. Nothing was refused.
TEST(Acceptance, DividesAPlaceByTheRoundsThatHadAGuessThere) {
    SpecCounts counts{2, 7, 7, {2, 2, 2, 1}};
    EXPECT_EQ(position_acceptance(counts).conditional, (std::vector<double>{1, 1, 1, 0.5}));
    const auto fewer = [](const SpecCounts& c) {
        const std::vector<Said> all = findings(c);
        return std::ranges::find(all, server_said("finding.shorter"_t, "places"_v = 4)) != all.end();
    };
    EXPECT_TRUE(fewer(counts)) << "the server does not tell them";
    counts.judged_at = {2, 2, 2, 1};
    EXPECT_EQ(position_acceptance(counts).conditional, (std::vector<double>{1, 1, 1, 1}));
    EXPECT_EQ(position_acceptance(counts).unconditional, (std::vector<double>{1, 1, 1, 0.5}));
    EXPECT_FALSE(fewer(counts));
    EXPECT_EQ((counts + counts).judged_at, (std::vector<double>{4, 4, 4, 2}));
    EXPECT_TRUE((counts + SpecCounts{1, 4, 4, {1, 1, 1, 1}}).judged_at.empty()) << "one side does not tell";
}

TEST(Acceptance, OfNothingIsNothing) {
    for (const AcceptanceName& name : acceptance_names({})) EXPECT_FALSE(name.value.has_value()) << name.name.id();
    EXPECT_TRUE(findings({}).empty());
    EXPECT_TRUE(position_acceptance({}).unconditional.empty());
    EXPECT_TRUE(std::isnan(position_acceptance({10, 20, 0, {0, 0}}).conditional[1]));
}

TEST(Acceptance, WithoutRoundsSaysNothingThatNeedsThem) {
    const SpecCounts counts{{}, 297, 171, {}};
    const auto names = acceptance_names(counts);
    EXPECT_DOUBLE_EQ(*names[0].value, 171.0 / 297);
    for (std::size_t i = 1; i < names.size(); ++i) EXPECT_FALSE(names[i].value.has_value()) << names[i].name.id();
    EXPECT_FALSE((counts + SpecCounts{10, 30, 20, {}}).rounds.has_value());
    EXPECT_FALSE(drafts_per_round(counts).has_value());
    EXPECT_FALSE(counts.empty());
    const SpecCounts places = SpecCounts{10, 30, 20, {}} + SpecCounts{10, 30, 20, {9, 7, 4}};
    EXPECT_TRUE(places.accepted_at.empty()) << "one side does not say them";
}

TEST(Acceptance, SaysWhatStandsOut) {
    const auto says = [](const SpecCounts& counts, const Said& wanted) {
        const std::vector<Said> all = findings(counts);
        return std::ranges::find(all, wanted) != all.end();
    };
    EXPECT_TRUE(says({1000, 3000, 60, {40, 15, 5}}, nothing_accepted(server_said("accepted.almost_nothing"_t))));
    EXPECT_TRUE(says({1000, 3000, 2990, {998, 997, 995}}, server_said("finding.everything"_t)));
    EXPECT_TRUE(says({1000, 4000, 1300, {700, 400, 150, 50}}, server_said("finding.last_place"_t, "share"_v = 0.05, "tree"_v = false)));
    EXPECT_TRUE(says({1000, 3000, 2400, {850, 800, 750}}, server_said("finding.high_last_place"_t, "tree"_v = false)));
    EXPECT_TRUE(says({1000, 3000, 3100, {}}, server_said("finding.more_accepted"_t)));
    EXPECT_TRUE(says({1000, 3000, 1500, {500, 600, 400}}, server_said("finding.rises"_t)));
    EXPECT_TRUE(says({1000, 3000, 1500, {700, 300, 100}}, server_said("wrong.sum"_t, "places"_v = 1100.0, "accepted"_v = 1500.0)));
    EXPECT_TRUE(findings({1000, 3000, 1500, {700, 500, 300}}).empty());
}

TEST(WatchTest, CountsWhatHappenedBetweenReadings) {
    Watch watch;
    EXPECT_FALSE(watch.recent(10).has_value());
    ServerReading r = reading_of(kVllmMetrics);
    watch.add(0, r);
    EXPECT_FALSE(watch.recent(10).has_value());
    for (int second = 1; second <= 5; ++second) {
        *r.counts = *r.counts + SpecCounts{10, 30, 20, {9, 7, 4}};
        *r.generated += 30;
        r.first_token.seconds += 0.2;
        r.first_token.count += 2;
        watch.add(second, r);
    }
    const WatchInterval last = watch.step(5), whole = *watch.recent(100), three = *watch.recent(3);
    EXPECT_DOUBLE_EQ(*last.counts.rounds, 10);
    EXPECT_DOUBLE_EQ(*acceptance_length(last.counts), 3);
    EXPECT_DOUBLE_EQ(*last.tokens_per_second, 30);
    EXPECT_DOUBLE_EQ(*last.first_token_ms, 100);
    EXPECT_FALSE(last.between_tokens_ms.has_value());
    EXPECT_DOUBLE_EQ(whole.seconds, 5);
    EXPECT_EQ(whole.counts.accepted_at, (std::vector<double>{45, 35, 20}));
    EXPECT_DOUBLE_EQ(three.seconds, 3);
    EXPECT_EQ(watch.restarts(), 0);
}

TEST(WatchTest, KeepsTheSumOfWhatCameBeforeARestart) {
    const auto reading = [](double rounds) {
        ServerReading r = reading_of(kVllmMetrics);
        *r.counts = SpecCounts{rounds, 3 * rounds, 2 * rounds, {rounds, rounds, 0}};
        r.generated = 3 * rounds;
        return r;
    };
    Watch watch;
    EXPECT_TRUE(watch.whole().counts.empty());
    watch.add(10, reading(100));
    EXPECT_TRUE(watch.whole().counts.empty()) << "what was before we watched";
    watch.add(11, reading(130));
    watch.add(12, reading(7)); // anew
    EXPECT_EQ(watch.whole().counts.rounds, 37.0);
    watch.add(13, reading(10));
    EXPECT_EQ(watch.whole().counts.rounds, 40.0);
    EXPECT_EQ(watch.whole().counts.accepted_at, (std::vector<double>{40, 40, 0}));
    EXPECT_DOUBLE_EQ(watch.whole().seconds, 3);
    EXPECT_EQ(watch.recent(1e9)->counts.rounds, 3.0);
    // Nor is anything lost of what is too long ago to be kept.
    for (int i = 0; i < static_cast<int>(Watch::kMostReadings) + 10; ++i) watch.add(14 + i, reading(11 + i));
    EXPECT_EQ(watch.whole().counts.rounds, 41.0 + static_cast<double>(Watch::kMostReadings) + 9);
}

TEST(WatchTest, ForgetsWhatCameBeforeARestart) {
    Watch watch;
    watch.add(0, reading_of(kVllmMetrics));
    watch.add(1, reading_of("vllm:generation_tokens_total 3\n"));
    EXPECT_EQ(watch.restarts(), 1);
    EXPECT_EQ(watch.size(), 1u);
    // The counters of speculation appear with the first request that drafts.
    ServerReading later = reading_of(kVllmMetrics);
    watch.add(2, later);
    EXPECT_DOUBLE_EQ(*watch.step(1).counts.rounds, 43);
}

} // namespace speclens::test
