// What people post about their servers, and what it means (tests/remote/servers; names are replaced): passes without a
// draft, trees, counters of other builds, the output of benchmarks. Then random servers, whose rounds are known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "engine/base/json.h"
#include "kernels/error.h"
#include "remote/client/answer_reader.h"
#include "remote/client/served_json.h"
#include "remote/reading/bench_output.h"
#include "remote/reading/bench_records.h"
#include "remote/reading/log_clock.h"
#include "remote/reading/log_reading.h"
#include "remote/reading/watch.h"
#include "tests/shared/in_english.h"
#include "tests/shared/mutate.h"
#include "tests/shared/server_files.h"

namespace speclens::test {

namespace {

using List = std::vector<double>;

ServerReading scrape_of(const std::string& name) { return read_metrics(parse_exposition(case_file(name), name)); }

LogReading results_of(const std::string& name) {
    auto entries = read_bench_json(case_file(name));
    EXPECT_TRUE(entries) << name;
    return log_of_entries(entries.value_or(std::vector<LogEntry>()), 1);
}

SavedAnswer answer_of(const std::string& name) {
    auto answers = read_saved_answers(case_file(name));
    EXPECT_TRUE(answers && answers->size() == 1) << name;
    return answers ? answers->front() : SavedAnswer();
}

std::string joined(const std::vector<Said>& lines) {
    std::string out;
    for (const Said& line : lines) out += english(line) + "\n";
    return out;
}

void expect_says(const std::string& all, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) EXPECT_NE(all.find(part), std::string::npos) << part << "\nin: " << all;
}

void expect_never(const std::string& all, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) EXPECT_EQ(all.find(part), std::string::npos) << part << "\nin: " << all;
}

void expect_between(const std::optional<Between>& range, double low, double high, double off = 1e-9) {
    ASSERT_TRUE(range.has_value());
    EXPECT_NEAR(range->low, low, off);
    EXPECT_NEAR(range->high, high, off);
}

double share_of(const SpecCounts& c) { return acceptance_names(c).back().value.value_or(-1); }

} // namespace

// ------------------------------------------------------------------------------------------ passes without a draft

TEST(WrittenText, ItsFiguresAreThoseOfTheFormulas) {
    // 100 tokens of 2 answers, 20 rounds that kept 40, K = 4; up to 8 of the 40 may have been cut.
    TextTotals t{.tokens = 100, .answers = 2, .rounds = 20, .accepted = 40, .most = 4};
    TextShares s = text_shares(t);
    expect_between(s.delivered, 32, 40);
    expect_between(s.share, .32, .40);
    expect_between(s.plain, 38, 46);
    expect_between(s.passes, 60, 68);
    expect_between(s.per_pass, 100.0 / 68, 100.0 / 60);
    expect_between(s.most_speed_up, 98.0 / 66, 98.0 / 58);
    EXPECT_FALSE(s.of_whole_answers);
    t.cut = 3; // told
    s = text_shares(t);
    expect_between(s.delivered, 38, 39); // one or two of the three are own tokens of the target
    expect_between(s.plain, 41, 41);
    expect_between(s.passes, 63, 63);
    t.cut.reset();
    t.plain = 45; // counted: 100 − 2 − 20 − 45 were delivered
    expect_between(text_shares(t).delivered, 33, 35);
    expect_between(text_shares(t).passes, 67, 67);
    t.plain.reset();
    t.answers.reset(); // how many answers is open: passes without a draft hold their first tokens, and no cut is bounded
    s = text_shares(t);
    expect_between(s.delivered, 0, 40);
    EXPECT_TRUE(s.plain_holds_first);
    EXPECT_TRUE(s.of_whole_answers);
    EXPECT_NEAR(s.most_speed_up->high, 100.0 / 60, 1e-9);
    t.answers = 2, t.first_apart = false; // a round writes the first token of an answer
    expect_between(text_shares(t).most_speed_up, 100.0 / 68, 100.0 / 60);
}

TEST(WrittenText, IsNotToldWhereADenominatorReachesZeroOrTotalsDisagree) {
    // Everything was guessed: nothing bounds the gain.
    const TextShares all = text_shares(TextTotals{.tokens = 10, .answers = 0, .first_apart = false, .accepted = 10, .cut = 0});
    EXPECT_FALSE(all.per_pass.has_value());
    EXPECT_FALSE(all.most_speed_up.has_value());
    expect_between(all.share, 1, 1);
    // An answer that ended in its first round: drafts behind the end count as accepted (mlx-vlm).
    const TextShares cut = text_shares(TextTotals{.tokens = 2, .answers = 1, .rounds = 1, .accepted = 6, .most = 7});
    expect_between(cut.delivered, 0, 1); // its one token is a draft
    expect_between(cut.plain, 0, 0);
    EXPECT_FALSE(cut.most_speed_up.has_value());
    const TextShares wrong = text_shares(TextTotals{.tokens = 50, .answers = 1, .rounds = 60, .accepted = 40, .most = 3});
    EXPECT_EQ(wrong.wrong, server_said("text.wrong"_t, "tokens"_v = 50.0, "rounds"_v = 60.0, "accepted"_v = 40.0, "answers"_v = 1.0));
    EXPECT_FALSE(wrong.share.has_value());
    SpecCounts counts{60, 180, 40, {30, 8, 2}};
    counts.text = WrittenText{.tokens = 50, .answers = 1};
    EXPECT_FALSE(acceptance_names(counts).back().value.has_value());
    expect_says(joined(text_words(counts)), {"50 tokens written by 60 rounds", "not told"});
    EXPECT_FALSE(text_shares(TextTotals{}).share.has_value());
}

// Two rounds drafted two, two drafted four, and the last one kept four, of which its end cut three: a mean of three is no K, and an end may
// cut more of a round.
TEST(WrittenText, AMeanThatIsWholeIsNotTheMostThatARoundKeeps) {
    SpecCounts c{4, 12, 7, {}};
    c.text = WrittenText{.tokens = 8, .answers = 1};
    EXPECT_FALSE(text_totals(c).most.has_value());
    EXPECT_TRUE(text_shares(c).wrong.empty()) << "four drafts of that round may be missing, not three";
    EXPECT_FALSE(text_shares(c).least_told);
    expect_between(text_shares(c).delivered, 0, 4);
    c.accepted_at = {3, 2, 1, 1}; // told
    EXPECT_EQ(text_totals(c).most, 4.0);
    // One round alone, and one draft in each: no round drafted more.
    SpecCounts one{1, 3, 3, {}}, single{100, 100, 60, {}};
    one.text = WrittenText{.tokens = 4, .answers = 1}, single.text = WrittenText{.tokens = 161, .answers = 1};
    EXPECT_EQ(text_totals(one).most, 3.0);
    EXPECT_EQ(text_totals(single).most, 1.0);
}

TEST(WrittenText, AddsUpAndSubtracts) {
    SpecCounts a{10, 30, 20, {9, 7, 4}}, b{5, 15, 6, {3, 2, 1}};
    a.text = WrittenText{.tokens = 40, .answers = 1}, b.text = WrittenText{.tokens = 20, .answers = 1};
    EXPECT_EQ((a + b).text->tokens, 60);
    EXPECT_EQ((a + b).text->answers, 2.0);
    EXPECT_EQ((a + b - b).text->tokens, 40);
    EXPECT_EQ((SpecCounts() + a).text->tokens, 40) << "nothing takes no part";
    SpecCounts unknown{5, 15, 6, {3, 2, 1}};
    EXPECT_FALSE((a + unknown).text.has_value()) << "of a text in part nothing follows";
    SpecCounts plain; // an interval in which nothing was drafted is text all the same
    plain.text = WrittenText{.tokens = 100, .answers = 1};
    EXPECT_EQ((a + plain).text->tokens, 140);
    EXPECT_NEAR(share_of(a + plain), 20.0 / 140, 1e-12);
}

TEST(Trackers, VllmsSuffixDecodingDraftsInAnEighthOfItsPasses) {
    for (const SpecCounts& c : {*scrape_of("vllm_suffix.prom").counts, log_of("vllm_offline_suffix.txt").sum()}) {
        expect_counts(c, 1986, 1986, 1226);
        EXPECT_EQ(c.text->tokens, 16993);
        EXPECT_NEAR(share_of(c), 1226.0 / 16993, 1e-9);
        EXPECT_EQ(acceptance_names(c).back().formula.text, "formula.share:text_most") << "how many answers were cut is open";
        const TextShares s = text_shares(c);
        EXPECT_EQ(s.passes->low, 15767);
        EXPECT_NEAR(s.per_pass->high, 1.0778, 5e-5);
        EXPECT_NEAR(s.most_speed_up->high, 1.0778, 5e-5);
        EXPECT_EQ(s.plain->low, 13781);
        expect_says(joined(findings(c)), {"13 781 of 15 767 passes (87 %) had no draft", "1.078 tokens", "no speed-up above 1.078×"});
        expect_says(joined(text_words(c)), {"16 993 tokens written", "15 767 passes", "1 986 with a draft", "7.2 %"});
    }
}

// 84 tokens of 7 answers: 60 accepted, 22 of the target's own by 25 rounds, of which three were cut before theirs, and two without a draft.
TEST(Trackers, OurServerCountsWhatItDelivered) {
    const auto reading = [](int accepted_by_source) {
        std::string text = "vllm:generation_tokens_total 84\nvllm:spec_decode_num_drafts_total 25\n"
                           "vllm:spec_decode_num_draft_tokens_total 90\nvllm:spec_decode_num_accepted_tokens_total 60\n"
                           "speclens:passes_without_draft_total 2\nvllm:time_to_first_token_seconds_sum 7\n"
                           "vllm:time_to_first_token_seconds_count 7\n";
        for (int place = 0; const int kept : {19, 15, 13, 13})
            text += "vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"" + std::to_string(place++) + "\"} " +
                    std::to_string(kept) + "\n";
        for (const auto& [source, count] : {std::pair("accepted", accepted_by_source), {"recovered", 9}, {"bonus", 13}, {"plain", 2}})
            text += "speclens:tokens_by_source_total{source=\"" + std::string(source) + "\"} " + std::to_string(count) + "\n";
        return *read_metrics(parse_exposition(text, "ours")).counts;
    };
    const SpecCounts c = reading(60);
    const TextShares s = text_shares(c);
    expect_between(s.share, 60.0 / 84, 60.0 / 84);
    expect_between(s.passes, 27, 27);
    expect_between(s.per_pass, 84.0 / 27, 84.0 / 27);
    expect_between(s.most_speed_up, 84.0 / 27, 84.0 / 27);
    expect_says(joined(text_words(c)), {"84 tokens written in 27 passes", "3.111 tokens a pass; 71.4 % of the text was guessed"});
    expect_never(joined(text_words(c)) + joined(findings(c)), {"3.500", "67.9"});
    EXPECT_EQ(acceptance_names(c).back().formula.text, "formula.share:text") << "exact";
    expect_between(text_shares(c + c - c).share, 60.0 / 84, 60.0 / 84);
    // Read between a round's tokens and where they came from: they are not of the same text.
    expect_between(text_shares(reading(58)).share, 57.0 / 84, 60.0 / 84);
}

TEST(Trackers, VllmsAnswerByNGrams) {
    const SavedAnswer answer = answer_of("vllm_ngram_answer.json");
    expect_counts(*answer.served.counts, 13, 65, 10);
    EXPECT_NEAR(share_of(*answer.served.counts), 10.0 / 180, 1e-12);
    const TextShares s = text_shares(*answer.served.counts);
    expect_between(s.delivered, 5, 10);
    expect_between(s.plain, 156, 161);
    expect_between(s.most_speed_up, 179.0 / 174, 179.0 / 169);
    expect_says(joined(findings(*answer.served.counts)), {"156 of 169 passes", "no speed-up above 1.059×"});
    const Json json = Json::parse(served_json(answer.served, english));
    EXPECT_EQ(json["counts"]["text"]["passes_without_draft"], (Json::array({156.0, 161.0})));
    EXPECT_NEAR(json["counts"]["text"]["share"][1].get<double>(), 10.0 / 180, 1e-12);
}

// The log tells tokens a second on the line before.
TEST(Trackers, VllmsLogTellsTheTextOfAnInterval) {
    const LogReading log = log_of("vllm_suffix.log");
    ASSERT_EQ(log.entries.size(), 1U);
    const SpecCounts c = log.sum();
    ASSERT_TRUE(c.text.has_value());
    EXPECT_NEAR(c.text->tokens, 169.9 * 123 / 12.26, 1);
    EXPECT_GE(c.text->off, 1);
    EXPECT_NEAR(share_of(c), .0722, .0002);
    expect_says(joined(findings(c)), {"had no draft"});
    // Another server's line between them, or one of long ago, is not of this interval.
    const std::string text = case_file("vllm_suffix.log"), spec = text.substr(text.find('\n') + 1);
    EXPECT_FALSE(parse_log(text.substr(0, text.find('\n') + 1) + "a\nb\nc\nd\ne\n" + spec, "log").sum().text.has_value());
    EXPECT_FALSE(parse_log(spec, "log").sum().text.has_value());
    EXPECT_FALSE(parse_log(text + spec, "log").sum().text.has_value()) << "of one interval of two it is not told";
    std::string two = text; // two engines: whose tokens these are is not said
    two.insert(two.find('\n') + 1, text.substr(0, text.find('\n') + 1));
    EXPECT_FALSE(parse_log(two, "log").sum().text.has_value());
}

TEST(Trackers, LlamasTokensStandOnTheEvalTimeLine) {
    const LogReading log = log_of("llamacpp_mtp_p_min.log");
    ASSERT_EQ(log.entries.size(), 2U);
    for (const auto& [i, accepted, passes, each] : {std::tuple{0, 138, 54, 3.56}, {1, 140, 52, 3.69}}) {
        const SpecCounts& c = *log.entries[static_cast<std::size_t>(i)].counts;
        EXPECT_EQ(c.accepted, accepted);
        EXPECT_EQ(c.text->tokens, 192);
        EXPECT_FALSE(c.rounds.has_value());
        EXPECT_EQ(text_shares(c).passes->low, passes);
        EXPECT_NEAR(text_shares(c).per_pass->high, each, .005);
    }
    expect_says(joined(log_findings(log)), {"the rate ranks nothing here", "99 % kept is at most 3.56", "92 % is 3.69"});
    // Of another slot or task it is not taken; the prompt's line is none.
    const std::string eval =
                          "slot print_timing: id  1 | task 7 |        eval time =    9846.15 ms /   192 tokens (   51.28 ms per token)\n",
                      prompt =
                          "slot print_timing: id  0 | task 7 | prompt eval time =    46.15 ms /   192 tokens (   51.28 ms per token)\n",
                      draft = "slot print_timing: id  0 | task 7 | draft acceptance = 0.99281 (  138 accepted /   139 generated)\n";
    EXPECT_FALSE(parse_log(eval + prompt + draft, "log").sum().text.has_value());
    // The older form, on lines without their slot.
    const LogReading older = parse_log("slot print_timing: id  0 | task 0 | \nprompt eval time =      10.00 ms /    20 tokens\n"
                                       "       eval time =     100.00 ms /    96 tokens\n      total time =     110.00 ms /   116 tokens\n"
                                       "draft acceptance rate = 0.57576 (   57 accepted /    99 generated)\n",
                                       "log");
    EXPECT_EQ(older.sum().text->tokens, 96);
}

TEST(Trackers, LlamaKeptOneDraftOf633) {
    const SpecCounts c = log_of("llamacpp_1_of_633.log").sum();
    expect_counts(c, 211, 633, 1);
    EXPECT_NEAR(*acceptance_length(c), 1.0047, 5e-5);
    EXPECT_EQ(c.text->tokens, 213) << "the request's; the statistics count none";
    expect_between(text_shares(c).plain, 0, 1);
    expect_says(joined(findings(c)), {"almost nothing is accepted", "a quantised key/value cache of the draft",
                                      "a head out of another file", "K = 1 gives the same text"});
}

TEST(Trackers, ARateOfLongDraftsRanksNothing) {
    const LogReading log = log_of("vllm_dspark_k7.log");
    expect_counts(*log.entries.at(0).counts, 23, 161, 44);
    expect_counts(*log.entries.at(1).counts, 55, 385, 106);
    expect_counts(log.sum(), 78, 546, 150);
    expect_says(joined(findings(log.sum())),
                {"27 % of the drafts at K = 7 is 2.92 tokens a round; with K = 4 the same places give 2.67 and 42 %"});
    EXPECT_FALSE(findings({100, 600, 240, {95, 80, 40, 20, 5, 0}}).empty());
    expect_never(joined(findings({100, 400, 100, {50, 30, 15, 5}})), {"ranks nothing"}); // short drafts
}

TEST(Trackers, DraftLengthByLoadAndEveryPassDrafted) {
    const SpecCounts c = *scrape_of("vllm_dynamic_k.prom").counts;
    expect_counts(c, 100, 480, 306);
    const TextShares s = text_shares(c);
    EXPECT_EQ(s.plain->low, 0);
    expect_never(joined(findings(c)), {"had no draft"});
    expect_says(joined(text_words(c)), {"406 tokens written", "nothing tells of one without a draft"});
    expect_counts(log_of("vllm_dynamic_k.log").sum(), 100, 480, 306);
    const LogReading nan = log_of("vllm_nan.log");
    EXPECT_EQ(nan.entries.size(), 2U);
    EXPECT_FALSE(nan.entries[0].rate.has_value());
    EXPECT_EQ(log_of("vllm_v1_early.log").sum().accepted, 47);
}

TEST(Trackers, ALengthThatFallsOverHoursIsTold) {
    const LogReading log = log_of("vllm_length_falls.log");
    ASSERT_TRUE(log.drift.has_value());
    EXPECT_NEAR(log.drift->first, 3.10, 1e-9);
    EXPECT_NEAR(log.drift->last, 2.05, 1e-9);
    EXPECT_TRUE(log.drift->clear);
    EXPECT_TRUE(log.drift->same_k());
    expect_says(joined(log_findings(log)),
                {"the acceptance length fell over 5.3 hours: 3.10 in the first hour, 2.05 in the last one (−34 %)",
                 "with 5 drafts a round all along", "restart", "prefix cache"});
    const Json json = Json::parse(log_sum_json(log, english));
    EXPECT_EQ(json["hours"]["differ"], true);
    // Of SGLang's averages, and of requests to llama.cpp by its clock.
    std::string sglang, steady, llama, adaptive;
    for (int i = 0; i < 12; ++i) {
        const std::string hour = (i < 10 ? "0" : "") + std::to_string(i), minutes = std::to_string(30 * i);
        const auto batch = [&](const std::string& length) {
            return "[2026-09-10 " + hour + ":10:00 TP0] Decode batch, #running-req: 1, accept len: " + length + ", accept rate: 0.40\n" +
                   "[2026-09-10 " + hour + ":40:00 TP0] Decode batch, #running-req: 1, accept len: " + length + ", accept rate: 0.40\n";
        };
        sglang += batch(i < 6 ? "3.00" : "2.00");
        steady += batch(i % 2 == 0 ? "3.00" : "2.90");
        llama += minutes + ".20.000.110 I slot print_timing: id  0 | task " + std::to_string(i) + " | draft acceptance = 0.50000 (  " +
                 (i < 6 ? "150 accepted /   300 generated), mean len =  2.50\n" : "100 accepted /   200 generated), mean len =  2.50\n");
    }
    EXPECT_FALSE(parse_log(sglang, "log").drift->words().empty());
    EXPECT_TRUE(parse_log(steady, "log").drift->words().empty()) << "no more than chance";
    EXPECT_TRUE(parse_log(llama, "log").drift->words().empty()) << "the same length all along";
    // Less than two hours say nothing of hours.
    const std::string text = case_file("vllm_length_falls.log");
    EXPECT_FALSE(parse_log(text.substr(0, text.find("10:00:00")), "log").drift.has_value());
}

TEST(Trackers, AWatchOfHoursTellsItToo) {
    Watch falls, steady, averages;
    double rounds = 0, kept = 0, same = 0;
    for (int minute = 0; minute <= 360; minute += 5) {
        const auto reading = [&](double accepted) {
            ServerReading r;
            r.kind = ServerKind::vllm;
            r.counts = SpecCounts{rounds, 4 * rounds, accepted, {}};
            r.counts->text = WrittenText{.tokens = rounds + accepted};
            return r;
        };
        falls.add(60.0 * minute, reading(kept));
        steady.add(60.0 * minute, reading(same));
        ServerReading sglang;
        sglang.kind = ServerKind::sglang;
        sglang.reported_length = minute < 180 ? 3.0 : 2.5;
        averages.add(60.0 * minute, sglang);
        rounds += 1000, kept += minute < 180 ? 2000 : 1400, same += minute % 10 == 0 ? 2000 : 1950;
    }
    ASSERT_TRUE(falls.drift().has_value());
    expect_says(english(falls.drift()->words()),
                {"fell over 5.9 hours: 3.00 in the first hour, 2.40 in the last one", "with 4 drafts a round all along"});
    EXPECT_TRUE(steady.drift()->words().empty());
    expect_says(english(averages.drift()->words()), {"3.00 in the first hour, 2.50 in the last one"});
    EXPECT_FALSE(Watch().drift().has_value());
}

TEST(Trackers, ClocksOfLogs) {
    const auto apart = [](const char* a, const char* b) { return log_clock(b).value_or(-1) - log_clock(a).value_or(-1); };
    EXPECT_EQ(apart("(APIServer pid=1) INFO 05-07 08:00:00 [m.py:1] x", "(APIServer pid=1) INFO 05-07 13:20:00 [m.py:1] x"), 19200);
    EXPECT_EQ(apart("INFO 02-28 23:59:59 x", "INFO 02-29 00:00:01 x"), 2);
    EXPECT_EQ(apart("[2025-11-10 09:09:00] a", "[2025-11-11 09:09:00 TP0] a"), 86400);
    EXPECT_EQ(apart("2026-05-07T08:00:00.123Z stdout F a", "{\"log\":\"x\",\"time\":\"2026-05-07T09:00:00Z\"}"), 3600);
    EXPECT_EQ(apart("Nov 28 08:00:00 host llama-server[812]: a", "Nov 28 09:00:05 host llama-server[812]: a"), 3605);
    EXPECT_NEAR(apart("0.20.000.100 I slot", "1.33.700.364 I slot"), 73.7, 1e-6);
    for (const char* none : {"", "a", "eval time = 9671.20 ms", "1.2.3.4 GET /", "2026-13-45 99:00:00", "version 0.20.1"})
        EXPECT_FALSE(log_clock(none).has_value()) << none;
}

// ------------------------------------------------------------------------------------------------------------- trees

TEST(Trackers, SglangsTreeBySettings) {
    const LogReading log = log_of("sglang_tree_settings.log");
    ASSERT_EQ(log.entries.size(), 10U);
    EXPECT_TRUE(log.reported.tree);
    EXPECT_EQ(log.reported.drafts, 31.0);
    EXPECT_EQ(log.reported.depth, 5.0);
    EXPECT_TRUE(log.reported.own_token);
    EXPECT_NEAR(*log.entries[0].rate, 2.2 / 31, 1e-9);
    expect_says(log.reported.words(), {"a tree of depth 5, 31 nodes", "SGLang's settings", "no length is above 6", "April 2026"});
    expect_never(log.reported.words(), {"K = 31 by SGLang's settings"});
    EXPECT_EQ(Json::parse(log_sum_json(log, english))["drafting"]["depth"], 5);
    // The same without the settings: the number fits, and what it is stays open.
    const LogReading before = log_of("sglang_tree_before_2026_04.log"), since = log_of("sglang_tree_since_2026_04.log");
    EXPECT_EQ(before.reported.drafts, 31.0);
    EXPECT_FALSE(before.reported.tree);
    expect_says(before.reported.words(), {"most likely the nodes of a tree", "not told", "compare lengths, not rates"});
    EXPECT_EQ(since.reported.drafts, 5.0);
    EXPECT_NEAR(*since.entries[0].rate, .44, 1e-9);
    expect_says(since.reported.words(), {"K = 5", "of a tree that is its depth", "not told"});
    // And since then with them: 31 nodes, its own rate is of the depth.
    const std::string settings = case_file("sglang_tree_settings.log");
    const LogReading both = parse_log(settings.substr(0, settings.find('\n') + 1) + case_file("sglang_tree_since_2026_04.log"), "log");
    EXPECT_EQ(both.reported.drafts, 31.0);
    EXPECT_TRUE(both.reported.drafts_only);
    EXPECT_NEAR(*both.entries[0].rate, 2.2 / 31, 1e-9);
    expect_says(both.reported.words(), {"a tree of depth 5", "of the depth alone"});
}

TEST(Trackers, SglangsChainsStayChains) {
    const std::string line = "[2025-11-10 09:10:00 TP0] Decode batch, #running-req: 1, accept len: 2.50, accept rate: 0.62\n";
    for (const char* settings :
         {"server_args=ServerArgs(speculative_num_steps=3, speculative_eagle_topk=1, speculative_num_draft_tokens=4)\n",
          "launch: --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4\n"}) {
        const LogReading log = parse_log(settings + line, "log");
        EXPECT_FALSE(log.reported.tree) << settings;
        EXPECT_EQ(log.reported.drafts, 3.0);
        expect_never(log.reported.words(), {"tree"});
    }
    const LogReading none = parse_log("server_args=ServerArgs(speculative_num_steps=None, speculative_eagle_topk=None)\n" + line, "log");
    EXPECT_FALSE(none.drafting.told());
    // A gauge's settings, and those of /server_info, are the same struct.
    const ServerReading reading =
        read_metrics(parse_exposition("sglang:spec_accept_length 3.2\nsglang:spec_accept_rate 0.44\nsglang:spec_num_steps "
                                      "5\nsglang:spec_num_draft_tokens 32\nsglang:spec_eagle_topk 8\n",
                                      "m"));
    EXPECT_TRUE(reading.drafting.tree());
    expect_says(reported_rates(reading).words(), {"a tree of depth 5, 31 nodes"});
    EXPECT_EQ(Json::parse(reading_json(reading, 0, english))["drafting"]["nodes"], 31);
    EXPECT_TRUE((DraftSettings{32, 5, {}}).tree()) << "more nodes than steps";
    EXPECT_FALSE((DraftSettings{6, 5, {}}).tree());
    EXPECT_FALSE((DraftSettings{{}, 5, 8}).nodes().has_value()) << "how many nodes is not told";
}

TEST(Trackers, CountsOfATreeAreCalledOne) {
    const SpecCounts tree{100, 3100, 220, {90, 70, 40, 15, 5}};
    EXPECT_TRUE(drafts_trees(tree));
    expect_says(joined(findings(tree)), {"a tree: 31.00 draft tokens a round at 5 depths"});
    EXPECT_FALSE(drafts_trees({100, 500, 220, {90, 70, 40, 15, 5}}));
    expect_never(joined(findings({100, 500, 220, {90, 70, 40, 15, 5}})), {"tree"});
}

// As many of a tree's nodes are kept as its depth allows, so a rate of a few per cent is good, and nothing of a chain is said.
TEST(Trackers, ATreeOfManyNodesIsNotSaidToKeepNothing) {
    const SpecCounts wide{1000, 63000, 2200, {900, 700, 400, 150, 50}};
    EXPECT_LT(wide.accepted / wide.drafted, 0.05);
    expect_never(joined(findings(wide)), {"almost nothing", "K ="});
    expect_says(joined(findings(wide)), {"a tree less deep drafts less"});
    SpecCounts alone{1000, 63000, 2200, {}};
    alone.shape = {DraftShape::Kind::tree, 5, 63};
    expect_never(joined(findings(alone)), {"almost nothing"});
    expect_says(joined(findings(alone)), {"a tree of depth 5, 63 nodes, by its settings"});
    alone.text = WrittenText{.tokens = 3300, .answers = 100};
    EXPECT_EQ(text_totals(alone).most, 5.0) << "an end cuts no more than the depth, though 63 drafts a round are a whole number";
    alone.accepted = 20;
    expect_says(joined(findings(alone)), {"almost nothing is accepted"});
}

// SGLang's histogram ends at the most that a round of the answer kept: what it drafts is told by its settings alone.
TEST(Trackers, SglangsHistogramTellsNoShape) {
    const std::string answer = R"({"choices":[{"text":"…"}],"usage":{"completion_tokens":32},"sglext":{"spec_tokens_details":{)"
                               R"("spec_verify_ct":10,"spec_num_correct_drafts":22,"spec_num_proposed_drafts":DRAFTED,)"
                               R"("spec_correct_drafts_histogram":[1,1,3,5]}}})";
    const auto counts_of = [&](int drafted, const DraftSettings& settings) {
        std::string text = answer;
        text.replace(text.find("DRAFTED"), 7, std::to_string(drafted));
        AnswerReader reader(ServerKind::sglang, settings);
        reader.event(text, 1);
        const auto counts = reader.finish(2).counts;
        EXPECT_TRUE(counts.has_value());
        return counts.value_or(SpecCounts());
    };
    using Kind = DraftShape::Kind;
    const DraftSettings tree{32, 5, 8}, chain{6, 5, 1};
    for (const int drafted : {310, 50}) { // before and since April 2026
        const SpecCounts c = counts_of(drafted, tree);
        EXPECT_EQ(draft_shape(c), (DraftShape{Kind::tree, 5, 31})) << drafted;
        EXPECT_EQ(all_places(c), (List{9, 8, 5, 0, 0}));
        EXPECT_EQ(acceptance_names(c)[4].value, 0.0) << "no round kept all five";
        expect_says(joined(findings(c)), {"a tree of depth 5, 31 nodes, by its settings"});
        expect_never(joined(findings(c)), {"at 3 depths"});
    }
    const SpecCounts told = counts_of(50, chain);
    EXPECT_EQ(draft_shape(told), (DraftShape{Kind::chain, 5, 5}));
    EXPECT_EQ(all_places(told), (List{9, 8, 5, 0, 0}));
    expect_never(joined(findings(told)), {"tree"});
    const SpecCounts open = counts_of(50, {});
    EXPECT_EQ(draft_shape(open).kind, Kind::open);
    EXPECT_EQ(all_places(open), (List{9, 8, 5}));
    EXPECT_FALSE(acceptance_names(open)[4].value.has_value()) << "whether five or three was all is not told";
    EXPECT_EQ(acceptance_names(counts_of(30, {}))[4].value, 0.5);
    expect_never(joined(findings(open)), {"a tree:"});
    EXPECT_EQ(draft_shape(told + counts_of(310, tree)).kind, Kind::open) << "two servers";
    // AIPerf's histogram has no empty buckets: where num_spec_tokens is not there, four drafts a round at two places are no tree.
    for (const bool settings : {false, true}) {
        const std::string most = settings ? R"("num_spec_tokens":4,)" : "";
        const BenchRecords records = parse_bench_records(
            R"({"metadata":{},"metrics":{"output_sequence_length":{"value":30,"unit":"tokens"}},"spec_decode_acceptance":{)" + most +
                R"("acceptance_histogram":{"0":15,"1":4,"2":2},"num_spec_steps":21,"num_accepted_draft_tokens":8,"num_draft_tokens":84},)"
                R"("error":null})"
                "\n",
            "f");
        const SpecCounts c = records.sum().value_or(SpecCounts());
        EXPECT_EQ(c.drafted, 84);
        EXPECT_EQ(draft_shape(c).kind, settings ? Kind::chain : Kind::open);
        expect_never(joined(findings(c)), {"a tree"});
    }
    // One setting alone is a tree's as well as a chain's.
    for (const DraftSettings& some : {DraftSettings{}, {6, {}, {}}, {{}, 5, {}}, {{}, {}, 1}}) EXPECT_EQ(some.shape().kind, Kind::open);
    for (const DraftSettings& some : {DraftSettings{6, 5, {}}, {6, {}, 1}, {{}, 5, 1}})
        EXPECT_EQ(some.shape(), (DraftShape{Kind::chain, 5, 5}));
    EXPECT_EQ((DraftSettings{{}, 5, 8}).shape(), (DraftShape{Kind::tree, 5, {}}));
}

// ---------------------------------------------------------------------------------------------- counters of other builds

TEST(Trackers, LlamasForksCountUnderOtherNames) {
    const ServerReading steps = scrape_of("llamacpp_fork_verify_steps.prom");
    expect_counts(*steps.counts, 174, 518, 334);
    EXPECT_NEAR(*acceptance_length(*steps.counts), 2.9195, 5e-5);
    EXPECT_EQ(text_shares(*steps.counts).plain->low, 3) << "174 + 334 of 511";
    expect_never(joined(what_is_missing(steps)), {"drafts nothing", "by position"});
    const ServerReading types = scrape_of("llamacpp_fork_by_spec_type.prom");
    expect_counts(*types.counts, 170, 610, 340);
    ASSERT_EQ(types.parts.size(), 2U);
    EXPECT_EQ(types.parts[0].name, "mtp");
    expect_counts(types.parts[0].counts, 150, 450, 250);
    const ServerReading tokens = scrape_of("llamacpp_fork_spec_tokens.prom");
    EXPECT_FALSE(tokens.counts->rounds.has_value());
    EXPECT_EQ(tokens.counts->accepted, 180);
    EXPECT_NEAR(share_of(*tokens.counts), .45, 1e-9) << "without rounds, by the text";
}

TEST(Trackers, DraftsNothingIsSaidOnlyWhereItIsTold) {
    const auto missing = [](const std::string& text) { return joined(what_is_missing(read_metrics(parse_exposition(text, "m")))); };
    const std::string silent = missing("llamacpp:tokens_predicted_total 511\nllamacpp:n_decode_total 232\n");
    expect_says(silent, {"is not told"});
    expect_never(silent, {"drafts nothing"});
    const std::string others =
        missing("llamacpp:tokens_predicted_total 511\nllamacpp:my_draft_hits_total 3\nllamacpp:speculative_accept_rate 0.4\n");
    expect_says(others, {"counters of another build: llamacpp:my_draft_hits_total, llamacpp:speculative_accept_rate", "not known here"});
    expect_never(others, {"drafts nothing"});
    expect_says(missing("vllm:generation_tokens_total 5\nvllm:my_spec_decode_hits_total 3\n"), {"counters of another build"});
    expect_says(
        missing(
            "llamacpp:tokens_predicted_total 318\nllamacpp:spec_decode_num_drafts_total 0\nllamacpp:spec_decode_num_draft_tokens_total 0\n"
            "llamacpp:spec_decode_num_accepted_tokens_total 0\n"),
        {"318 tokens written, none drafted"});
    EXPECT_FALSE(counts_would_be_there(read_metrics(parse_exposition("vllm:my_spec_decode_hits_total 3\n", "m"))));
    EXPECT_TRUE(counts_would_be_there(read_metrics(parse_exposition("vllm:generation_tokens_total 3\n", "m"))));
}

TEST(Trackers, DiffusionIsNoSpeculation) {
    const ServerReading reading = scrape_of("vllm_diffusion.prom");
    EXPECT_NEAR(*reading.diffusion->tokens_per_step(), 2.575, 1e-9);
    EXPECT_NEAR(*reading.diffusion->steps_per_canvas(), 12.427, 1e-3);
    const std::string words = joined(what_is_missing(reading));
    expect_says(words, {"a diffusion model: 2.575 tokens a denoising step, 12.4 steps a canvas", "not speculation"});
    expect_never(words, {"--speculative-config"});
    EXPECT_FALSE(counts_would_be_there(reading));
    const LogReading log = log_of("vllm_diffusion.log");
    EXPECT_TRUE(log.entries.empty());
    EXPECT_EQ(log.kind(), ServerKind::vllm);
    EXPECT_EQ(log.diffusion->committed, 4120);
    EXPECT_EQ(log.diffusion->positions, 51200);
    EXPECT_EQ(Json::parse(log_sum_json(log, english))["diffusion"]["denoising_steps"], 1600);
    // Twice as many lines, twice the steps; other lines of acceptance beside them stay.
    EXPECT_EQ(parse_log(case_file("vllm_diffusion.log") + case_file("vllm_diffusion.log"), "log").diffusion->steps, 3200);
}

TEST(Trackers, TensorRt) {
    const ServerReading reading = scrape_of("tensorrt.prom");
    EXPECT_EQ(reading.kind, ServerKind::tensorrt);
    expect_counts(*reading.counts, 600, 1800, 1134);
    EXPECT_TRUE(reading.counts->worked_out);
    EXPECT_EQ(drafts_per_round(*reading.counts), 3.0);
    // A length that no whole K makes leaves rounds open.
    const auto with = [](const char* length, const char* accepted) {
        return read_metrics(
            parse_exposition(std::string("trtllm_spec_decode_num_draft_tokens_total 1800\ntrtllm_spec_decode_num_accepted_tokens_total ") +
                                 accepted + "\ntrtllm_spec_decode_acceptance_length " + length + "\n",
                             "m"));
    };
    EXPECT_FALSE(with("2.61", "1134").counts->rounds.has_value());
    EXPECT_FALSE(with("1.0", "0").counts->rounds.has_value());
    const ServerReading zeros = with("2.89", "0");
    EXPECT_FALSE(zeros.counts.has_value());
    expect_says(joined(what_is_missing(zeros)), {"0 accepted beside an acceptance length of 2.89", "not told"});
    EXPECT_EQ(zeros.reported_length, 2.89);
}

// -------------------------------------------------------------------------------------------------------- benchmarks

TEST(Trackers, VllmBenchServe) {
    for (const LogReading& log : {log_of("vllm_bench_serve.txt"), results_of("vllm_bench_serve.json")}) {
        ASSERT_EQ(log.entries.size(), 1U);
        const LogEntry& e = log.entries[0];
        EXPECT_EQ(e.method, "vllm bench serve");
        EXPECT_TRUE(e.left_out.empty());
        expect_counts(log.sum(), 6393, 19179, 14090);
        EXPECT_NEAR(*e.rate, .7347, 1e-4) << "it prints per cent";
        EXPECT_NEAR(*acceptance_length(log.sum()), 3.204, 5e-4);
        ASSERT_EQ(log.sum().accepted_at.size(), 3U);
        EXPECT_NEAR(log.sum().accepted_at[0] / 6393, .834, 5e-4) << "\"Position 0\" is place 1";
        EXPECT_NEAR(log.sum().accepted_at[2] / 6393, .641, 5e-4);
        EXPECT_EQ(log.sum().text->tokens, 20480);
        EXPECT_EQ(log.sum().text->answers, 20.0);
        expect_between(text_shares(log.sum()).plain, 0, 37);
        expect_never(joined(findings(log.sum())), {"had no draft"});
        expect_says(e.remark, {"ITL ÷ TPOT is 3.20"});
    }
    // In the midst of other output, and two of them.
    const std::string table = case_file("vllm_bench_serve.txt");
    const LogReading two = parse_log("INFO start\n" + table + "\nnoise: 3\n" + table, "log");
    EXPECT_EQ(two.entries.size(), 2U);
    EXPECT_EQ(two.sum().rounds, 2 * 6393.0);
    const std::string cut = table.substr(0, table.find("Accepted tokens")); // cut off before its end
    EXPECT_FALSE(parse_log(cut, "log").entries.at(0).counts.has_value());
    EXPECT_EQ(parse_log(cut, "log").entries.at(0).length, 3.20);
    std::string plain = table; // a benchmark without speculation speaks of none
    plain.erase(plain.find("---------------Speculative"));
    EXPECT_THROW((void)parse_log(plain, "log"), Error);
}

TEST(Trackers, VllmsOfflineExampleAndReportsAlike) {
    const LogReading log = log_of("vllm_offline.txt");
    expect_counts(log.sum(), 4816, 33712, 12208);
    EXPECT_NEAR(*acceptance_length(log.sum()), 3.535, 5e-4);
    EXPECT_EQ(log.sum().accepted_at.size(), 7U);
    EXPECT_EQ(text_shares(log.sum()).plain->low, 0) << "16 990 of 17 024";
    expect_says(joined(text_words(log.sum())), {"nothing tells of one without a draft"});
    // K = 3 drafted, six places printed.
    const LogReading six = parse_log("num_drafts: 100\nnum_draft_tokens: 300\nnum_accepted_tokens: 150\nmean acceptance length: 2.50\n"
                                     "acceptance at token 0: 0.80\nacceptance at token 1: 0.50\nacceptance at token 2: 0.20\n"
                                     "acceptance at token 3: 0.00\nacceptance at token 4: 0.00\nacceptance at token 5: 0.00\n",
                                     "log");
    EXPECT_EQ(six.sum().accepted_at, (List{80, 50, 20}));
    const LogReading report = log_of("speculators_report.txt");
    expect_counts(report.sum(), 72730, 1090950, 12234);
    EXPECT_NEAR(report.sum().accepted_at.at(0), .1623 * 72730, 5);
    // Totals that contradict each other are told as that.
    const LogReading wrong =
        parse_log("num_drafts: 100\nnum_draft_tokens: 300\nnum_accepted_tokens: 350\nmean acceptance length: 2.50\n", "log");
    EXPECT_FALSE(wrong.entries.at(0).left_out.empty());
    EXPECT_TRUE(wrong.sum().empty());
}

// People paste the section alone, or the lines that interest them.
TEST(Trackers, PartsOfVllmsTable) {
    const LogReading section = log_of("vllm_bench_section.txt");
    ASSERT_EQ(section.entries.size(), 1U);
    expect_counts(section.sum(), 499545, 3496815, 1550240);
    EXPECT_NEAR(section.sum().accepted_at.at(6) / 499545, .1853, 5e-5);
    EXPECT_FALSE(section.sum().text.has_value());
    EXPECT_EQ(section.entries[0].method, "vllm bench serve");
    const LogReading lines = log_of("vllm_bench_lines.txt");
    ASSERT_EQ(lines.entries.size(), 1U);
    EXPECT_EQ(lines.entries[0].length, 3.20);
    EXPECT_NEAR(*lines.entries[0].rate, .7347, 1e-9);
    EXPECT_EQ(lines.entries[0].per_position.size(), 3U);
    EXPECT_FALSE(lines.entries[0].counts.has_value()) << "rounds and accepted tokens are not among them";
    EXPECT_TRUE(lines.entries[0].left_out.empty());
    // Without its heading a list of places is in per cent all the same, small ones too.
    std::string table = case_file("vllm_bench_section.txt");
    table.erase(table.find("Per-position"), std::string("Per-position acceptance (%):\n").size());
    table.replace(table.find("18.53"), 5, "0.53 ");
    const LogReading bare =
        parse_log("Acceptance rate (%): 40.00\nAcceptance length: 1.4053\n  Position 0: 40.00\n  Position 1: 0.53\n", "log");
    ASSERT_EQ(bare.entries.at(0).per_position.size(), 2U);
    EXPECT_NEAR(bare.entries[0].per_position[1], .0053, 1e-9);
    EXPECT_FALSE(parse_log(table, "log").entries.at(0).left_out.empty()) << "these places no longer add up";
    EXPECT_EQ(parse_log(case_file("vllm_bench_section.txt") + case_file("vllm_bench_section.txt"), "log").entries.size(), 2U);
}

TEST(Trackers, PlacesInBrackets) {
    const LogReading log = parse_log("SpecDecoding metrics: Mean acceptance length: 2.50, Accepted: 150 tokens, Drafted: 300 tokens, "
                                     "Per-position acceptance rate: [0.750, 0.480, 0.270], Avg Draft acceptance rate: 50.0%\n",
                                     "log");
    EXPECT_EQ(log.sum().accepted_at, (List{75, 48, 27}));
}

TEST(Trackers, AiperfsSummary) {
    const SpecCounts saved = results_of("aiperf_summary.json").sum();
    expect_counts(saved, 11, 44, 20);
    EXPECT_EQ(saved.accepted_at, (List{9, 6, 4, 1}));
    EXPECT_EQ(saved.text->tokens, 37);
    EXPECT_EQ(saved.text->answers, 2.0);
    EXPECT_NEAR(*acceptance_length(saved), 2.818, 5e-4) << "of all rounds; 2.458 is a mean over requests";
    const LogReading table = log_of("aiperf_spec_decode.txt");
    ASSERT_EQ(table.entries.size(), 1U);
    EXPECT_EQ(table.entries[0].length, 2.82);
    EXPECT_NEAR(*table.entries[0].rate, .4545, 1e-9);
    std::string wrong = case_file("aiperf_summary.json"); // Σh = steps, Σi·h = accepted
    wrong.replace(wrong.find("\"3\": 3"), 6, "\"3\": 4");
    const auto told = read_bench_json(wrong);
    ASSERT_TRUE(told.has_value());
    EXPECT_FALSE(told->at(0).counts.has_value());
    EXPECT_FALSE(told->at(0).left_out.empty());
}

// It counts K for the pass that reads a prompt, too: 288 of 96 passes, of which 95 drafted.
TEST(Trackers, TensorRtsBenchmark) {
    const auto saved = [](const char* drafted) {
        return std::string(
                   R"({"engine":{},"request_info":{"num_requests":20,"avg_output_length":256.0},"decoding_stats":{"mode":"eagle3",)") +
               R"("num_draft_tokens_percentiles":{"average":)" + drafted +
               R"(},"num_accepted_draft_tokens_percentiles":{"average":160.0},"acceptance_length_percentiles":{"average":2.68}}})";
    };
    for (const LogReading& log : {log_of("tensorrt_bench.txt"), log_of_entries(read_bench_json(saved("288.0")).value(), 1)}) {
        ASSERT_EQ(log.entries.size(), 1U);
        EXPECT_EQ(log.entries[0].kind, ServerKind::tensorrt);
        const SpecCounts c = log.sum();
        EXPECT_EQ(c.drafted, 5700);
        EXPECT_EQ(c.accepted, 3200);
        EXPECT_FALSE(c.rounds.has_value());
        EXPECT_NEAR(share_of(c), .625, 1e-9);
        expect_between(text_shares(c).passes, 1920, 1920);
        expect_between(text_shares(c).per_pass, 5120.0 / 1920, 5120.0 / 1920);
        expect_between(text_shares(c).most_speed_up, 5100.0 / 1900, 5100.0 / 1900);
    }
    const auto odd = read_bench_json(saved("250.0"));
    EXPECT_FALSE(odd->at(0).counts.has_value()) << "no K makes 250 of 96 passes";
    EXPECT_FALSE(odd->at(0).left_out.empty());
}

TEST(Trackers, DflashsBenchmarkMeansOverAnswers) {
    const LogReading log = log_of("dflash_benchmark.txt");
    ASSERT_EQ(log.entries.size(), 1U);
    EXPECT_EQ(log.entries[0].kind, ServerKind::sglang);
    EXPECT_FALSE(log.entries[0].length.has_value()) << "6.332 is a mean over answers";
    expect_says(log.entries[0].remark, {"17227 rounds wrote 5.96 tokens each", "6.332, is a mean over answers"});
    EXPECT_EQ(log.entries[0].text->tokens, 102679);
}

TEST(Trackers, SglangsServerInfo) {
    const LogReading log = results_of("sglang_server_info.json");
    ASSERT_EQ(log.entries.size(), 1U);
    EXPECT_EQ(log.entries[0].kind, ServerKind::sglang);
    EXPECT_EQ(log.entries[0].length, 2.46);
    EXPECT_FALSE(read_bench_json(R"({"internal_states":[{"avg_spec_accept_length":null}]})").has_value());
}

// llama-server as a router writes its child's port before lines that have lost their own prefix; three ways to draft in turn.
TEST(Trackers, LlamasRouterAndSeveralSpeculators) {
    const LogReading log = log_of("llamacpp_router.log");
    ASSERT_EQ(log.entries.size(), 4U);
    EXPECT_EQ(log.entries[0].counts->accepted, 111);
    EXPECT_EQ(log.entries[0].counts->text->tokens, 192);
    EXPECT_EQ(text_shares(*log.entries[0].counts).passes->low, 81);
    expect_counts(log.sum(), 1315, 3050, 2121);
}

TEST(Trackers, AiperfsRecords) {
    const BenchRecords records = parse_bench_records(case_file("aiperf_acceptance.jsonl"), "file");
    EXPECT_EQ(records.answered.size(), 2U);
    EXPECT_EQ(records.warm_up, 1);
    const SpecCounts sum = *records.sum();
    expect_counts(sum, 29, 116, 26);
    EXPECT_NEAR(*acceptance_length(sum), 1.897, 5e-4);
    EXPECT_EQ(sum.accepted_at, (List{14, 7, 4, 1}));
    const auto sources = records.by_source();
    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0].first, "coding");
    EXPECT_NEAR(*acceptance_length(sources[0].second), 3.25, 1e-9);
    EXPECT_EQ(sources[1].first, "writing");
    EXPECT_NEAR(*acceptance_length(sources[1].second), 1.381, 5e-4);
    EXPECT_EQ(text_shares(sources[1].second).plain->low, 1) << "31 tokens: 1 + 21 + 8 + a pass without a draft";
    EXPECT_EQ(records.tokens(), 58);
    // Σh = steps, Σi·h = accepted: where one does not hold nothing is taken.
    std::string text = case_file("aiperf_acceptance.jsonl");
    text.replace(text.find("\"num_spec_steps\": 21"), 20, "\"num_spec_steps\": 22");
    const BenchRecords wrong = parse_bench_records(text, "file");
    EXPECT_EQ(wrong.told(), 1);
    EXPECT_FALSE(wrong.answered[1].left_out.empty());
    const Json json = Json::parse(bench_sum_json(records, english));
    EXPECT_EQ(json["warm_up"], 1);
    EXPECT_EQ(json["by_source"].size(), 2U);
    // A file of warm-up alone is one of records, and of no figure.
    const std::string whole = case_file("aiperf_acceptance.jsonl");
    EXPECT_TRUE(parse_bench_records(whole.substr(0, whole.find('\n') + 1), "file").answered.empty());
}

TEST(Trackers, SglangsBenchmark) {
    const LogReading log = log_of("sglang_bench_serving.txt");
    ASSERT_EQ(log.entries.size(), 1U);
    EXPECT_EQ(log.entries[0].kind, ServerKind::sglang);
    EXPECT_EQ(log.entries[0].length, 2.46);
    EXPECT_EQ(log.entries[0].text->tokens, 2784);
    EXPECT_FALSE(log.entries[0].rate.has_value()) << "it tells no rate";
    EXPECT_TRUE(log.sum().empty());
    const auto json =
        read_bench_json(R"({"backend":"sglang","completed":10,"total_output_tokens":2784,"accept_length":2.46,"output_throughput":95.62})");
    ASSERT_TRUE(json.has_value());
    EXPECT_EQ(json->at(0).length, 2.46);
    EXPECT_FALSE(read_bench_json(R"({"backend":"sglang","completed":10,"total_output_tokens":2784,"accept_length":null})").has_value());
}

TEST(Trackers, TensorRtsIterations) {
    const LogReading log = results_of("tensorrt_iterations.json");
    ASSERT_EQ(log.entries.size(), 1U);
    expect_counts(log.sum(), 8, 24, 14);
    EXPECT_NEAR(*acceptance_length(log.sum()), 2.75, 1e-9);
    EXPECT_EQ(log.sum().text->tokens, 22);
    expect_between(text_shares(log.sum()).plain, 0, 0);
    // Two of four requests had no draft; and zeros beside a length above 1.
    const auto iteration = [](const char* with, const char* drafted, const char* kept, const char* length, const char* each) {
        return std::string(R"({"iter":1,"iterLatencyMS":14.0,"inflightBatchingStats":{"numGenRequests":4,"avgNumDecodedTokensPerIter":)") +
               each + R"(},"specDecodingStats":{"numDraftTokens":)" + drafted + R"(,"numAcceptedTokens":)" + kept +
               R"(,"numRequestsWithDraftTokens":)" + with + R"(,"acceptanceLength":)" + length + "}}";
    };
    const auto half = read_bench_json(iteration("2", "6", "4", "3.0", "2.0"));
    expect_between(text_shares(*half->at(0).counts).plain, 2, 2);
    EXPECT_NEAR(share_of(*half->at(0).counts), .5, 1e-9);
    const auto zeros = read_bench_json(iteration("0", "0", "0", "2.5", "2.5"));
    EXPECT_FALSE(zeros->at(0).counts.has_value());
    expect_says(joined(zeros->at(0).left_out), {"not told"});
    const auto lines = read_bench_json(iteration("4", "12", "6", "2.5", "2.5") + "\n" + iteration("4", "12", "8", "3.0", "3.0") + "\n");
    expect_counts(*lines->at(0).counts, 8, 24, 14);
}

TEST(Trackers, OpenVino) {
    const LogReading log = log_of("openvino_genai.txt");
    ASSERT_EQ(log.entries.size(), 1U);
    const SpecCounts c = *log.entries[0].counts;
    EXPECT_EQ(c.accepted, 66);
    EXPECT_EQ(c.drafted, 108);
    EXPECT_FALSE(c.rounds.has_value());
    expect_between(text_shares(c).passes, 34, 34);
    expect_between(text_shares(c).per_pass, 100.0 / 34, 100.0 / 34);
    EXPECT_NEAR(share_of(c), .66, 1e-9);
    // The sample in Python tells no passes and no draft model.
    const LogReading python = parse_log("MAIN MODEL\n  Num generated token: 100 tokens\n  Num accepted token: 66 tokens\n", "log");
    EXPECT_FALSE(python.entries.at(0).counts.has_value());
    expect_says(python.entries[0].remark, {"66 of 100 tokens were guessed"});
}

TEST(Trackers, AnswersOfLmStudioAndMlx) {
    const SavedAnswer lm = answer_of("lmstudio_answer.json");
    EXPECT_EQ(lm.kind, ServerKind::lmstudio);
    EXPECT_EQ(lm.served.counts->drafted, 492);
    EXPECT_EQ(lm.served.counts->accepted, 176);
    EXPECT_FALSE(lm.served.counts->rounds.has_value());
    EXPECT_EQ(text_shares(*lm.served.counts).passes->low, 124);
    EXPECT_NEAR(share_of(*lm.served.counts), 176.0 / 300, 1e-9);
    EXPECT_EQ(lm.served.reported_tokens_per_second, 17.93);
    const SavedAnswer stats = answer_of("lmstudio_stats.json");
    EXPECT_EQ(stats.kind, ServerKind::lmstudio);
    EXPECT_EQ(stats.served.counts->accepted, 80);
    EXPECT_EQ(stats.served.tokens, 233);
    const SavedAnswer mac = answer_of("macmlx_answer.json");
    EXPECT_EQ(mac.kind, ServerKind::mlx);
    EXPECT_EQ(mac.served.counts->drafted, 160);
    EXPECT_EQ(mac.served.counts->accepted, 80);
    EXPECT_NEAR(share_of(*mac.served.counts), 80.0 / 120, 1e-9);
    const SavedAnswer vlm = answer_of("mlxvlm_answer.json");
    EXPECT_EQ(vlm.kind, ServerKind::mlx);
    expect_counts(*vlm.served.counts, 30, 90, 81);
    expect_between(text_shares(*vlm.served.counts).plain, 0, 81); // its depth adapts (its pull request 2046): 90 in 30 rounds tell no K
    // Accepted may exceed what was written.
    const SavedAnswer brief = answer_of("mlxvlm_short_answer.json");
    expect_counts(*brief.served.counts, 1, 7, 6);
    expect_between(text_shares(*brief.served.counts).share, 0, .5);
    expect_between(text_shares(*brief.served.counts).plain, 0, 0);
    const LogReading omlx = log_of("omlx.log");
    ASSERT_EQ(omlx.entries.size(), 2U);
    expect_counts(*omlx.entries[0].counts, 1079, 2158, 1414);
    EXPECT_EQ(omlx.entries[0].counts->shape, (DraftShape{DraftShape::Kind::chain, 2, {}})) << "a block is one token more";
    expect_between(text_shares(*omlx.entries[0].counts).plain, 0, 1);
    EXPECT_EQ(omlx.sum().shape, (DraftShape{DraftShape::Kind::chain, {}, {}})) << "blocks of three and of four";
    const LogReading more =
        parse_log("vlm_mtp stats: rounds=10 accepted=5/30 (16.7%) tokens_per_round=1.50 emitted=15 block_size=3\n", "log");
    EXPECT_FALSE(more.entries.at(0).counts->shape.depth.has_value()) << "three drafts a round are none of a block of three";
    const LogReading dflash = parse_log("DFlash generation complete: 64 tokens, 25.2 tok/s, acceptance=81.5%, cycles=7\n", "log");
    expect_says(dflash.entries.at(0).remark, {"64 tokens in 7 rounds, 9.14 a round"});
}

TEST(Trackers, LlamasBenchmarks) {
    const LogReading mtp = log_of("llamacpp_mtp_benchmark.txt");
    ASSERT_EQ(mtp.entries.size(), 3U);
    EXPECT_EQ(mtp.entries[0].task, "code_python");
    EXPECT_EQ(mtp.entries[0].counts->accepted, 138);
    EXPECT_NEAR(text_shares(*mtp.entries[0].counts).per_pass->high, 192.0 / 54, 1e-9);
    EXPECT_EQ(mtp.entries[0].tokens_per_second, 19.5);
    EXPECT_EQ(mtp.sum().text->tokens, 439);
    const LogReading ik = log_of("ik_llama_spec_bench.txt");
    ASSERT_EQ(ik.entries.size(), 3U) << "plain decoding drafts nothing";
    expect_counts(*ik.entries[0].counts, 220, 660, 538);
    EXPECT_EQ(ik.entries[0].counts->accepted_at, (List{199, 177, 162}));
    EXPECT_EQ(ik.entries[0].task, "code 1 mtp");
    expect_counts(*ik.entries[1].counts, 300, 899, 722);
    EXPECT_TRUE(ik.entries[1].counts->accepted_at.empty()) << "its places divide by the rounds that drafted there";
    EXPECT_EQ(text_shares(*ik.entries[2].counts).plain->low, 71);
    expect_counts(ik.sum(), 780, 2079, 1440);
    EXPECT_EQ(ik.sum().text->answers, 3.0);
}

// Damage in any of these files is read or refused.
TEST(Trackers, SurviveDamage) {
    int seed = 1;
    for (const char* name : {"vllm_bench_serve.txt",
                             "vllm_bench_serve.json",
                             "vllm_offline.txt",
                             "aiperf_acceptance.jsonl",
                             "sglang_bench_serving.txt",
                             "tensorrt_iterations.json",
                             "tensorrt.prom",
                             "openvino_genai.txt",
                             "ik_llama_spec_bench.txt",
                             "llamacpp_mtp_benchmark.txt",
                             "omlx.log",
                             "aiperf_summary.json",
                             "aiperf_spec_decode.txt",
                             "tensorrt_bench.txt",
                             "dflash_benchmark.txt",
                             "vllm_bench_section.txt",
                             "sglang_server_info.json",
                             "lmstudio_answer.json",
                             "vllm_length_falls.log",
                             "sglang_tree_settings.log",
                             "vllm_suffix.log",
                             "vllm_diffusion.log"}) {
        const std::string text = case_file(name);
        Mutator mutator(static_cast<std::uint64_t>(seed++));
        for (int i = 0; i < 60; ++i) {
            const std::string damaged = mutator.mutate(text);
            try {
                if (const auto results = read_bench_json(damaged))
                    for (const LogEntry& e : *results) (void)log_json(e, english);
                if (const auto answers = read_saved_answers(damaged))
                    for (const SavedAnswer& answer : *answers) (void)served_json(answer.served, english);
                if (looks_like_bench_records(damaged)) (void)bench_sum_json(parse_bench_records(damaged, "f"), english);
                const LogReading log = parse_log(damaged, "f");
                (void)log_sum_json(log, english);
                for (const LogEntry& e : log.entries)
                    if (e.counts && e.counts->text && e.left_out.empty()) {
                        const TextShares s = text_shares(*e.counts);
                        EXPECT_LE(s.share.value_or(Between()).low, s.share.value_or(Between()).high) << name;
                        EXPECT_LE(s.share.value_or(Between()).high, 1) << name;
                    }
                (void)reading_json(read_metrics(parse_exposition(damaged, "f")), 0, english);
            } catch (const Error&) { // that is what it is for
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------- random servers

namespace {

// A server whose passes are known: it drafts in some of them, of some length, and texts end anywhere.
struct RandomServer {
    SpecCounts counts; // as a server counts: cut rounds whole
    double tokens = 0, answers = 0, cut = 0, delivered = 0, plain = 0, passes = 0;
    std::vector<std::string> lines; // of llama.cpp's log, a request each
    std::string records;            // of AIPerf
    bool places = true;

    explicit RandomServer(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
        const auto chance = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
        const int k = 1 + below(8), how_many = 1 + below(30);
        const double drafts = below(3) == 0 ? 1 : chance(), accepts = chance(), fewer = below(2) == 0 ? 0 : chance();
        counts.accepted_at.assign(static_cast<std::size_t>(k), 0);
        for (int answer = 0; answer < how_many; ++answer) {
            const int limit = 1 + below(200);
            int written = 1; // by reading the prompt
            std::vector<double> histogram(static_cast<std::size_t>(k) + 1, 0);
            double rounds = 0, drafted = 0, accepted = 0;
            while (written < limit) {
                passes += 1;
                if (chance() >= drafts) {
                    plain += 1;
                    ++written;
                    continue;
                }
                const int length = chance() < fewer ? 1 + below(k) : k;
                int kept = 0;
                while (kept < length && chance() < accepts) ++kept;
                rounds += 1, drafted += length, accepted += kept;
                histogram[static_cast<std::size_t>(kept)] += 1;
                const int room = limit - written, wrote = std::min(kept + 1, room);
                cut += kept + 1 - wrote;
                delivered += std::min(kept, wrote);
                written += wrote;
            }
            tokens += written, answers += 1;
            for (int i = 0; i <= k; ++i)
                for (int place = 0; place < i; ++place)
                    counts.accepted_at[static_cast<std::size_t>(place)] += histogram[static_cast<std::size_t>(i)];
            counts.rounds = *counts.rounds + rounds;
            counts.drafted += drafted, counts.accepted += accepted;
            char line[400];
            std::snprintf(
                line, sizeof line,
                "0.20.000.100 I slot print_timing: id  0 | task %d |        eval time =    9846.15 ms /   %d tokens (   51.28 ms)\n"
                "0.20.000.110 I slot print_timing: id  0 | task %d | draft acceptance = %.5f (  %.0f accepted /   %.0f generated)\n",
                answer, written, answer, drafted > 0 ? accepted / drafted : 0, accepted, drafted);
            if (drafted > 0) lines.emplace_back(line);
            Json spec = {
                {"num_spec_steps", rounds}, {"num_draft_tokens", drafted}, {"num_accepted_draft_tokens", accepted}, {"num_spec_tokens", k}};
            for (int i = 0; i <= k; ++i)
                if (histogram[static_cast<std::size_t>(i)] > 0)
                    spec["acceptance_histogram"][std::to_string(i)] = histogram[static_cast<std::size_t>(i)];
            if (rounds > 0)
                records += Json{{"metadata", {{"source_kind", answer % 2 == 0 ? "a" : "b"}}},
                                {"metrics", {{"output_sequence_length", {{"value", written}, {"unit", "tokens"}}}}},
                                {"spec_decode_acceptance", spec},
                                {"error", nullptr}}
                               .dump() +
                           "\n";
        }
        counts.text = WrittenText{.tokens = tokens, .answers = answers};
    }
    [[nodiscard]] std::string exposition(bool with_answers) const {
        std::ostringstream out;
        out.precision(17);
        out << "vllm:generation_tokens_total " << tokens << "\nvllm:spec_decode_num_drafts_total " << *counts.rounds
            << "\nvllm:spec_decode_num_draft_tokens_total " << counts.drafted << "\nvllm:spec_decode_num_accepted_tokens_total "
            << counts.accepted << "\n";
        for (std::size_t i = 0; i < counts.accepted_at.size(); ++i)
            out << "vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"" << i << "\"} " << counts.accepted_at[i] << "\n";
        if (with_answers) out << "vllm:time_to_first_token_seconds_count " << answers << "\nvllm:time_to_first_token_seconds_sum 1\n";
        return out.str();
    }
};

void expect_holds(const std::optional<Between>& range, double truth, const char* what, std::uint64_t seed) {
    ASSERT_TRUE(range.has_value()) << what << ", server " << seed;
    EXPECT_LE(range->low, truth + 1e-9) << what << ", server " << seed;
    EXPECT_GE(range->high, truth - 1e-9) << what << ", server " << seed;
}

} // namespace

TEST(Trackers, RandomServersRoundsShareAndLength) {
    int exact = 0, told = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const RandomServer server(seed);
        const auto check = [&](const SpecCounts& c, bool bounded) {
            EXPECT_EQ(c.rounds, *server.counts.rounds) << seed;
            EXPECT_EQ(c.accepted, server.counts.accepted) << seed;
            const auto length = acceptance_length(c);
            EXPECT_EQ(length.has_value(), *server.counts.rounds > 0) << seed;
            if (length) {
                EXPECT_NEAR(*length, 1 + server.counts.accepted / *server.counts.rounds, 1e-9) << seed;
            }
            const TextShares s = text_shares(c);
            EXPECT_TRUE(s.wrong.empty()) << seed;
            expect_holds(s.delivered, server.delivered, "delivered", seed);
            expect_holds(s.share, server.delivered / server.tokens, "share of the text", seed);
            if (bounded) expect_holds(s.plain, server.plain, "passes without a draft", seed);
            // The formula itself, with what was delivered, and what no draft could ever beat: as many tokens as were decoded in as many
            // passes.
            const double decoded = server.tokens - server.answers, gain = decoded / std::max(1.0, server.passes);
            // Of whole answers: a pass reads each prompt.
            const double least = bounded ? gain : server.tokens / (server.passes + server.answers);
            EXPECT_GE(s.most_speed_up.value_or(Between{1e9, 1e9}).high, least - 1e-9) << seed;
            if (bounded && s.most_speed_up) expect_holds(s.most_speed_up, decoded / (decoded - server.delivered), "the bound", seed);
        };
        check(read_metrics(parse_exposition(server.exposition(true), "m")).counts.value(), true);
        check(read_metrics(parse_exposition(server.exposition(false), "m")).counts.value(), false);
        SpecCounts bare = server.counts; // no places: a round may keep more than the mean draft has tokens
        bare.accepted_at.clear();
        check(bare, true);
        SpecCounts cut = server.counts; // the server tells what its ends cut
        cut.text->cut = server.cut;
        const TextShares s = text_shares(cut);
        expect_holds(s.delivered, server.delivered, "delivered", seed);
        EXPECT_LE(s.delivered->high - s.delivered->low, std::max(0.0, std::min(server.answers, server.cut) - 1)) << seed;
        EXPECT_NEAR(s.plain->low, server.plain, 1e-9) << seed;
        EXPECT_NEAR(s.plain->high, server.plain, 1e-9) << seed;
        if (server.passes > 0) {
            EXPECT_NEAR(s.passes.value_or(Between()).low, server.passes + server.answers, 1e-9) << seed;
        }
        exact += text_shares(server.counts).delivered->exact();
        // Between two readings, as a watch sees them.
        const RandomServer more(seed + 5000);
        SpecCounts sum = server.counts;
        if (more.counts.accepted_at.size() == server.counts.accepted_at.size()) {
            sum = sum + more.counts;
            const TextShares later = text_shares(sum - server.counts);
            EXPECT_TRUE(later.wrong.empty()) << seed;
            expect_holds(later.delivered, more.delivered, "delivered later", seed);
        }
        // llama.cpp's log, each request with its tokens; AIPerf's records.
        if (!server.lines.empty()) {
            std::string log;
            for (const std::string& line : server.lines) log += line;
            const LogReading reading = parse_log(log, "log");
            EXPECT_EQ(reading.entries.size(), server.lines.size()) << seed;
            EXPECT_EQ(reading.sum().accepted, server.counts.accepted) << seed;
            const TextShares share = text_shares(reading.sum());
            ASSERT_TRUE(share.share.has_value()) << seed << share.wrong.id();
            // Requests without any draft have no line: of those that have one the guessed tokens are the same.
            EXPECT_GE(share.delivered->high, server.delivered - 1e-9) << seed;
            const BenchRecords records = parse_bench_records(server.records, "f");
            EXPECT_EQ(records.sum()->rounds, *server.counts.rounds) << seed;
            expect_holds(text_shares(*records.sum()).delivered, server.delivered, "delivered, by records", seed);
            ++told;
        }
    }
    EXPECT_GT(told, 800);
    RecordProperty("exact", exact);
}

} // namespace speclens::test
