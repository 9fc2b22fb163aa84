// Logs of servers. The lines are those that people pasted into pull requests; each is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/error.h"
#include "remote/reading/log_reading.h"
#include "tests/shared/in_english.h"
#include "tests/shared/mutate.h"

namespace speclens::test {

namespace {

// vLLM pull request 24127
constexpr const char* kVllmLine = "(APIServer pid=2236552) INFO 09-09 11:51:35 [metrics.py:96] SpecDecoding "
                                  "metrics: Draft acceptance rate: 88.8%, Mean acceptance length: 5.44, "
                                  "Accepted throughput: 4.37 tokens/s, Drafted throughput: 4.92 tokens/s, "
                                  "Accepted: 262 tokens, Drafted: 295 tokens, Per-position acceptance rate: "
                                  "0.983, 0.949, 0.915, 0.881, 0.712\n";
// SGLang pull request 30047
constexpr const char* kSglang = "[2026-07-04 05:01:33 TP0] Decode batch, #running-req: 40, #full token: 350592, full token usage: 0.74, "
                                "mamba num: 160, mamba usage: 0.80, accept len: "
                                "3.13, accept rate: 0.71, npu graph: True, gen throughput (token/s): 155.34, #queue-req: 0\n";
// llama.cpp pull request 24536
constexpr const char* kLlama = "0.06.896.015 I slot print_timing: id  1 | task 0 | draft acceptance = "
                               "0.64479 (  167 accepted /   259 generated), mean acceptance length =  2.92, "
                               "acceptance rate per position = (0.805, 0.632, 0.483)\n";
constexpr const char* kStatistics = "0.06.896.057 I statistics     draft-eagle3: #calls(b,g,a) =    1     87     87, #gen drafts =     87, "
                                    "#acc drafts =    70, #gen tokens =    259, #acc "
                                    "tokens =   167, #mean acc len = 2.92, #acc rate/pos = (0.805, 0.632, 0.483), dur(b,g,a) = 0.005, "
                                    "325.555, 0.114 ms\n";

} // namespace

TEST(Log, ReadsVllm) {
    const LogReading log = parse_log(std::string("noise\n") + kVllmLine, "log");
    ASSERT_EQ(log.entries.size(), 1u);
    const LogEntry& e = log.entries[0];
    EXPECT_EQ(e.line, 2);
    EXPECT_EQ(e.kind, ServerKind::vllm);
    EXPECT_DOUBLE_EQ(*e.rate, 0.888);
    EXPECT_EQ(e.per_position, (std::vector<double>{0.983, 0.949, 0.915, 0.881, 0.712}));
    // 262 accepted at 5.44 - 1 a round are 59 rounds, and 59 x 5 are the 295 drafted ones.
    EXPECT_DOUBLE_EQ(*e.counts->rounds, 59);
    EXPECT_DOUBLE_EQ(e.counts->drafted, 295);
    EXPECT_EQ(e.counts->accepted_at, (std::vector<double>{58, 56, 54, 52, 42}));
    EXPECT_NEAR(*acceptance_length(log.sum()), 5.44, 0.005);
}

// A line of vLLM.
std::string vllm_log(const char* length, int accepted, int drafted, const char* places) {
    return std::string("INFO [metrics.py:86] SpecDecoding metrics: Mean acceptance length: ") + length +
           ", Accepted: " + std::to_string(accepted) + " tokens, Drafted: " + std::to_string(drafted) +
           " tokens, Per-position acceptance rate: " + places +
           ", Avg Draft acceptance rate: " + std::to_string(std::min(100.0, 100.0 * accepted / drafted)) + "%\n";
}

// Drafted ÷ places is exact where every round drafts all of them, also in a second that kept nothing.
TEST(Log, CountsVllmsRoundsByWhatTheyDrafted) {
    const LogReading log =
        parse_log(vllm_log("1.00", 0, 400, "0.000, 0.000, 0.000, 0.000") + vllm_log("3.00", 200, 400, "0.800, 0.600, 0.400, 0.200"), "log");
    const SpecCounts sum = log.sum();
    EXPECT_EQ(sum.rounds, 200.0);
    EXPECT_EQ(sum.accepted_at, (std::vector<double>{80, 60, 40, 20}));
    EXPECT_DOUBLE_EQ(*acceptance_length(sum), 2);
    EXPECT_DOUBLE_EQ(*drafts_per_round(sum), 4);
    // 3 accepted at 1.01 - 1 would be 300 rounds, and 15 at 1.02 - 1 would be 750.
    EXPECT_EQ(parse_log(vllm_log("1.01", 3, 1600, "0.007, 0.000, 0.000, 0.000"), "log").sum().rounds, 400.0);
    const SpecCounts big = parse_log(vllm_log("1.02", 15, 3000, "0.015, 0.000, 0.000"), "log").sum();
    EXPECT_EQ(big.rounds, 1000.0);
    for (const Said& finding : findings(big)) EXPECT_NE(finding.text, "wrong.sum");
}

TEST(Log, LeavesRoundsOpenThatNothingDetermines) {
    // Drafts of different lengths: 401 are no multiple of 4, and a length of 1.00 allows any number.
    const LogReading nothing = parse_log(vllm_log("1.00", 0, 401, "0.000, 0.000, 0.000, 0.000"), "log");
    EXPECT_FALSE(nothing.sum().rounds.has_value());
    EXPECT_EQ(nothing.sum().accepted_at, (std::vector<double>{0, 0, 0, 0}));
    // Shorter drafts than four: the length knows better than drafted ÷ 4 = 250.
    const LogReading shorter = parse_log(vllm_log("2.00", 300, 1000, "0.500, 0.300, 0.150, 0.050"), "log");
    EXPECT_EQ(shorter.sum().rounds, 300.0);
    // One line of which they are not known leaves the sum open, and no place of it is lost.
    const LogReading both =
        parse_log(vllm_log("1.00", 0, 401, "0.000, 0.000, 0.000, 0.000") + vllm_log("3.00", 200, 400, "0.800, 0.600, 0.400, 0.200"), "log");
    EXPECT_FALSE(both.sum().rounds.has_value());
    EXPECT_EQ(both.sum().accepted_at, (std::vector<double>{80, 60, 40, 20}));
}

// Shares of three decimals say the places of many rounds only roughly: no alarm.
TEST(Log, AllowsForTheRoundingOfPlaces) {
    const SpecCounts sum = parse_log(vllm_log("1.02", 212, 30000, "0.015, 0.005, 0.001"), "log").sum();
    EXPECT_EQ(sum.rounds, 10000.0);
    for (const Said& finding : findings(sum)) EXPECT_NE(finding.text, "wrong.sum");
}

TEST(Log, ReadsSglang) {
    const LogEntry e = parse_log(kSglang, "log").entries.at(0);
    EXPECT_EQ(e.kind, ServerKind::sglang);
    EXPECT_DOUBLE_EQ(*e.length, 3.13);
    EXPECT_DOUBLE_EQ(*e.reported_rate, 0.71);
    EXPECT_DOUBLE_EQ(*e.rate, 2.13 / 3) << "K = 3 is all that 3.13 and .71 allow";
    EXPECT_DOUBLE_EQ(*e.running, 40);
    EXPECT_DOUBLE_EQ(*e.waiting, 0);
    EXPECT_DOUBLE_EQ(*e.tokens_per_second, 155.34);
    EXPECT_FALSE(e.counts.has_value());
    EXPECT_TRUE(parse_log(kSglang, "log").sum().empty());
}

// One "Decode batch" line of SGLang for each pair.
std::string sglang_log(const std::vector<std::pair<const char*, const char*>>& lengths_and_rates) {
    std::string text;
    for (const auto& [length, rate] : lengths_and_rates)
        text += std::string("Decode batch, #running-req: 1, accept len: ") + length + ", accept rate: " + rate + ", #queue-req: 0\n";
    return text;
}

// Before pull request 23530 the rate was (accepted + 1) ÷ (K + 1): .17 with K = 5 where nothing is kept.
TEST(Log, DoesNotCountSglangsOwnTokenAsAccepted) {
    const LogReading nothing = parse_log(sglang_log({{"1.00", "0.17"}}), "log");
    EXPECT_DOUBLE_EQ(*nothing.entries[0].rate, 0);
    EXPECT_DOUBLE_EQ(*nothing.entries[0].reported_rate, 0.17);
    EXPECT_DOUBLE_EQ(*nothing.reported.drafts, 5);
    EXPECT_TRUE(nothing.reported.own_token);
    EXPECT_TRUE(nothing.reported.inferred);
    EXPECT_NE(nothing.reported.words().find("as SGLang did before pull request 23530 (April 2026)"), std::string::npos)
        << nothing.reported.words();
    // Either formula may have made this line, with K = 4 or K = 3: no share, but SGLang's figure.
    const LogReading either = parse_log(sglang_log({{"2.50", "0.50"}}), "log");
    EXPECT_FALSE(either.entries[0].rate.has_value());
    EXPECT_DOUBLE_EQ(*either.entries[0].reported_rate, 0.5);
    EXPECT_EQ(either.reported.words().find("SGLang's own accept rate: before pull request 23530"), 0u);
    // A second line decides.
    const LogReading older = parse_log(sglang_log({{"2.50", "0.50"}, {"1.25", "0.25"}}), "log");
    EXPECT_DOUBLE_EQ(*older.reported.drafts, 4);
    EXPECT_DOUBLE_EQ(*older.entries[0].rate, 1.5 / 4);
    EXPECT_DOUBLE_EQ(*older.entries[1].rate, 0.25 / 4);
    const LogReading newer = parse_log(sglang_log({{"2.50", "0.50"}, {"1.30", "0.10"}}), "log");
    EXPECT_DOUBLE_EQ(*newer.reported.drafts, 3);
    EXPECT_FALSE(newer.reported.own_token);
    EXPECT_DOUBLE_EQ(*newer.entries[0].rate, 0.5);
    // Both agree where everything is kept, and where nothing is, a length of 1 says so whatever K.
    EXPECT_DOUBLE_EQ(*parse_log(sglang_log({{"6.00", "1.00"}}), "log").entries[0].rate, 1);
    const LogReading many = parse_log(sglang_log({{"1.00", "0.06"}}), "log");
    EXPECT_FALSE(many.reported.drafts.has_value()) << "15, 16 or 17";
    EXPECT_DOUBLE_EQ(*many.entries[0].rate, 0);
}

// A rank of data parallelism that has no request prints zeros.
TEST(Log, TellsNothingOfSglangsIdleRanks) {
    const LogReading log = parse_log(sglang_log({{"3.13", "0.71"}, {"0.00", "0.00"}, {"1.00", "0.00"}}), "log");
    ASSERT_EQ(log.entries.size(), 3u);
    EXPECT_FALSE(log.entries[1].length.has_value());
    EXPECT_FALSE(log.entries[1].rate.has_value());
    EXPECT_FALSE(log.entries[1].reported_rate.has_value());
    EXPECT_DOUBLE_EQ(*log.reported.drafts, 3);
    EXPECT_DOUBLE_EQ(*log.entries[2].rate, 0);
}

TEST(Log, TakesSglangsDraftsFromTheSettingsInTheLog) {
    const std::string line = sglang_log({{"2.50", "0.50"}});
    // The slot of the current token is one of its draft tokens.
    for (const char* settings : {"server_args=ServerArgs(speculative_num_steps=4, "
                                 "speculative_eagle_topk=1, speculative_num_draft_tokens=5, seed=1)\n",
                                 "{'speculative_num_steps': 4, 'speculative_num_draft_tokens': None}\n"}) {
        const LogReading log = parse_log(settings + line, "log");
        EXPECT_DOUBLE_EQ(*log.reported.drafts, 4) << settings;
        EXPECT_FALSE(log.reported.inferred);
        EXPECT_DOUBLE_EQ(*log.entries[0].rate, 1.5 / 4);
        EXPECT_NE(log.reported.words().find("K = 4 by SGLang's settings"), std::string::npos);
    }
    // Settings that no formula fits belong to another run.
    const LogReading other = parse_log("speculative_num_draft_tokens=9\n" + line, "log");
    EXPECT_FALSE(other.reported.drafts.has_value());
    EXPECT_FALSE(other.entries[0].rate.has_value());
}

TEST(Log, ReadsLlama) {
    const LogReading log = parse_log(std::string(kLlama) + kStatistics, "log");
    ASSERT_EQ(log.entries.size(), 2u);
    EXPECT_DOUBLE_EQ(*log.entries[0].counts->rounds, 87);
    EXPECT_DOUBLE_EQ(log.entries[0].counts->accepted, 167);
    EXPECT_FALSE(log.entries[0].whole());
    EXPECT_TRUE(log.entries[1].whole());
    EXPECT_EQ(log.entries[1].method, "draft-eagle3");
    EXPECT_DOUBLE_EQ(*log.entries[1].counts->rounds, 87);
    EXPECT_EQ(log.entries[1].counts->accepted_at, (std::vector<double>{70, 55, 42}));
    EXPECT_DOUBLE_EQ(log.sum().accepted, 167); // the statistics hold the request already
    EXPECT_DOUBLE_EQ(parse_log(kStatistics, "log").sum().accepted, 167);
    // Builds before it had no length, so the number of rounds stays open.
    const LogEntry old =
        parse_log("slot print_timing: draft acceptance rate = 0.57576 (  171 accepted /   297 generated)\n", "log").entries.at(0);
    EXPECT_DOUBLE_EQ(*old.rate, 0.57576);
    EXPECT_DOUBLE_EQ(old.counts->accepted, 171);
    EXPECT_FALSE(old.counts->rounds.has_value());
    EXPECT_FALSE(acceptance_length(*old.counts).has_value());
}

// Statistics before "#mean acc len": the length follows from their rounds, and the request's rounds from
// them.
TEST(Log, ReadsLlamasOlderStatistics) {
    const std::string statistics = "statistics draft: #calls = 10, #gen drafts = 10, #acc drafts = 8, "
                                   "#gen tokens = 40, #acc tokens = 20, dur(b,g,a) = 0.1, 0.2, 0.3 ms\n",
                      request = "draft acceptance = 0.50000 (   20 accepted /    40 generated)\n";
    const LogReading log = parse_log(statistics + request, "log");
    EXPECT_DOUBLE_EQ(*log.entries[0].length, 3);
    EXPECT_FALSE(log.entries[1].length.has_value());
    EXPECT_DOUBLE_EQ(*log.sum().rounds, 10);
    // Of other tokens they say nothing.
    EXPECT_FALSE(parse_log(statistics + request + request, "log").sum().rounds.has_value());
}

// A server that divided by nothing writes nan or inf: it tells nothing then.
TEST(Log, TakesNoNumberThatIsNone) {
    const LogReading vllm = parse_log("SpecDecoding metrics: Mean acceptance length: 1.00, Accepted: 0 tokens, Drafted: 0 tokens, "
                                      "Per-position acceptance rate: 0.000, 0.000, Avg Draft acceptance rate: nan%\n"
                                      "SpecDecoding metrics: Mean acceptance length: nan, Accepted: 0 tokens, Drafted: 0 tokens, "
                                      "Per-position acceptance rate: nan, nan, Avg Draft acceptance rate: nan%\n",
                                      "log");
    for (const LogEntry& e : vllm.entries) {
        EXPECT_FALSE(e.rate.has_value());
        EXPECT_EQ(e.counts->rounds, 0.0);
        EXPECT_FALSE(std::signbit(*e.counts->rounds)) << "-0.0 in the JSON";
        EXPECT_TRUE(e.left_out.empty()) << "not told, and nothing wrong";
    }
    EXPECT_EQ(vllm.entries[0].counts->accepted_at, (std::vector<double>{0, 0}));
    EXPECT_FALSE(vllm.entries[1].length.has_value());
    EXPECT_TRUE(vllm.entries[1].per_position.empty());
    EXPECT_TRUE(vllm.sum().empty());
    const LogEntry llama = parse_log("draft acceptance = nan (    0 accepted /     0 generated), mean acceptance length = -nan, "
                                     "acceptance rate per position = (0.8, inf, 0.4)\n",
                                     "log")
                               .entries.at(0);
    EXPECT_FALSE(llama.rate.has_value());
    EXPECT_FALSE(llama.length.has_value());
    EXPECT_TRUE(llama.per_position.empty()) << "the third place is not the second";
    const LogEntry sglang = parse_log(sglang_log({{"2.50", "inf"}}), "log").entries.at(0);
    EXPECT_DOUBLE_EQ(*sglang.length, 2.5);
    EXPECT_FALSE(sglang.reported_rate.has_value());
    EXPECT_FALSE(sglang.rate.has_value());
    EXPECT_FALSE(
        parse_log("Decode batch, #running-req: 1e300, accept len: 2.50, accept rate: 0.50\n", "log").entries.at(0).running.has_value());
}

TEST(Log, LeavesOutWhatCannotBeAndSaysSo) {
    struct Case {
        std::string line;
        const char* left_out;
    };
    const std::string places = "0.500, 0.500";
    for (const Case& c :
         {Case{"draft acceptance = 1.15830 (  300 accepted /   259 generated), mean acceptance length =  "
               "2.92\n",
               "115.83 % accepted, 300 accepted of 259 drafted"},
          Case{sglang_log({{"2.50", "9.64"}}), "964 % accepted"}, Case{sglang_log({{"0.50", "0.10"}}), "an acceptance length of 0.5"},
          Case{vllm_log("2.00", 500, 400, places.c_str()), "500 accepted of 400 drafted"},
          Case{vllm_log("3.00", 200, 400, "1.200, 0.800"), "a place kept in 120 % of the rounds"}}) {
        const LogEntry e = parse_log(c.line, "log").entries.at(0);
        EXPECT_EQ(test::english(listed(e.left_out)), c.left_out);
        EXPECT_LE(e.rate.value_or(0), 1);
        EXPECT_LE(e.reported_rate.value_or(0), 1);
        const SpecCounts counts = e.counts.value_or(SpecCounts());
        EXPECT_LE(counts.accepted, counts.drafted);
    }
    EXPECT_TRUE(parse_log(vllm_log("2.00", 500, 400, places.c_str()), "log").sum().empty());
    EXPECT_TRUE(parse_log(kLlama, "log").entries[0].left_out.empty());
}

TEST(Log, SaysWhatItUnderstandsWhenNothingFits) {
    for (const char* text : {"", "hello\nworld\n", "Decode batch without lengths\n"}) {
        try {
            (void)parse_log(text, "some.log");
            FAIL();
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("some.log"), std::string::npos);
            EXPECT_NE(error.remedy().find("SpecDecoding"), std::string::npos);
            EXPECT_EQ(error.code(), Exit::model) << "a file, not a server";
        }
    }
}

TEST(Log, ALineWithoutItsCountsIsLeftOut) {
    const LogReading log = parse_log("slot print: draft acceptance = 0.5 5 accepted / 10 generated\n" + std::string(kLlama), "some.log");
    EXPECT_EQ(log.entries.size(), parse_log(kLlama, "some.log").entries.size());
}

TEST(Log, SurvivesDamage) {
    Mutator mutator(11);
    const std::string text = std::string(kVllmLine) + kSglang + kLlama + kStatistics;
    for (int i = 0; i < 2000; ++i) {
        try {
            (void)parse_log(mutator.mutate(text), "log").sum();
        } catch (const Error&) { // nothing left that it knows
        }
    }
}

} // namespace speclens::test
