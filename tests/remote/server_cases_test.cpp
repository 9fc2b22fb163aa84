// What servers of others wrote, from public trackers and from real ones (tests/remote/servers; names of people and
// hosts are replaced), and what it means; then the same lines as collectors of logs and terminals wrap them.
#include <gtest/gtest.h>

#include "engine/base/json.h"
#include "engine/recall/suffix_trie.h"
#include "remote/client/answer_reader.h"
#include "remote/client/probe.h"
#include "remote/client/served_json.h"
#include "remote/reading/exposition.h"
#include "remote/reading/log_reading.h"
#include "remote/reading/watch.h"
#include "tests/shared/in_english.h"
#include "tests/shared/listening.h"
#include "tests/shared/server_files.h"

namespace speclens::test {

namespace {

using List = std::vector<double>;

bool says(const std::vector<Said>& findings, const std::string& words) {
    for (const Said& finding : findings)
        if (english(finding).find(words) != std::string::npos) return true;
    return false;
}

} // namespace

TEST(ServerCases, LlamasRequestsWithTheirMeanLength) {
    const LogReading log = log_of("llamacpp_mean_len.log");
    ASSERT_EQ(log.entries.size(), 2u);
    EXPECT_EQ(log.entries[0].length, 4.38);
    EXPECT_EQ(log.entries[0].task, "slot 0, task 9126");
    expect_counts(*log.entries[0].counts, 32, 160, 108);
    EXPECT_EQ(log.entries[1].length, 5.64);
    expect_counts(*log.entries[1].counts, 11, 55, 51);
    EXPECT_EQ(log.entries[1].counts->accepted_at, (List{11, 10, 10, 10, 10})) << "a line of its own at trace level";
    EXPECT_TRUE(log.entries[1].counts->worked_out);
    expect_counts(log.sum(), 43, 215, 159);
    expect_counts(log_of("llamacpp_b11434_default_log.txt").sum(), 6, 18, 5);
    const LogReading verbose = log_of("llamacpp_b11434_verbose_log.txt");
    ASSERT_EQ(verbose.entries.size(), 1u);
    EXPECT_EQ(verbose.entries[0].per_position, (List{.333, .333, .167}));
    EXPECT_EQ(verbose.entries[0].counts->accepted_at, (List{2, 2, 1}));
    expect_counts(verbose.sum(), 6, 18, 5);
    const LogReading lines = log_of("llamacpp_b11434_log_jsonl.txt");
    EXPECT_EQ(lines.entries.at(0).length, 3.07);
    expect_counts(lines.sum(), 15, 45, 31);
}

// Drafts become shorter towards the limit of a text: 9 drafted of at most 3 were four rounds, which no line says; the
// statistics do.
TEST(ServerCases, LlamasShorterDraftsAreNotTakenForFullOnes) {
    const std::string
        request = "slot print_timing: id  1 | task 1 | draft acceptance = 0.00000 (    0 accepted /     9 generated), mean len =  1.00\n"
                  "slot print_timing: id  1 | task 1 |      acc per pos = (0.000, 0.000, 0.000)\n",
        statistics = "statistics     draft-simple: #calls(b,g,a) =    1     4     4, #gen drafts =     4, #acc drafts =     0, #gen tokens "
                     "=     9, #acc tokens =     0, #mean acc len = 1.00, #acc rate/pos = ()\n";
    const LogReading alone = parse_log(request, "log");
    EXPECT_FALSE(alone.sum().rounds.has_value());
    EXPECT_EQ(alone.sum().accepted_at, (List{0, 0, 0}));
    EXPECT_EQ(parse_log(request + statistics, "log").sum().rounds, 4);
}

TEST(ServerCases, LlamasRequestOnThreeLines) {
    const LogReading log = log_of("llamacpp_fork_three_lines.log");
    ASSERT_EQ(log.entries.size(), 2u);
    EXPECT_EQ(log.entries[0].length, 1.83);
    EXPECT_EQ(log.entries[0].per_position, (List{.439, .245, .144}));
    expect_counts(*log.entries[0].counts, 139, 415, 115);
    EXPECT_TRUE(log.entries[1].whole());
    EXPECT_EQ(log.entries[1].method, "draft-dflash");
    expect_counts(*log.entries[1].counts, 691, 2064, 526);
    EXPECT_NEAR(*log.entries[1].length, 1.76, 0.005);
}

TEST(ServerCases, LlamasRoundsOneByOne) {
    const LogReading log = log_of("llamacpp_trace_rounds.txt");
    ASSERT_EQ(log.entries.size(), 1u) << "one request";
    EXPECT_TRUE(log.entries[0].listed);
    expect_counts(log.sum(), 6, 18, 5);
    EXPECT_EQ(log.sum().accepted_at, (List{2, 2, 1}));
    EXPECT_EQ(log.sum().judged_at, (List{6, 2, 2}));
    EXPECT_FALSE(log.sum().worked_out);
    // The line of the request says the same rounds again: counted once, and exactly.
    const LogReading both = parse_log(case_file("llamacpp_trace_rounds.txt") + case_file("llamacpp_b11434_verbose_log.txt"), "log");
    ASSERT_EQ(both.entries.size(), 1u);
    expect_counts(both.sum(), 6, 18, 5);
    EXPECT_FALSE(both.sum().worked_out);
    // A log that begins in the middle of a request lacks some of its rounds: the request knows better.
    const std::string text = case_file("llamacpp_trace_rounds.txt");
    const LogReading cut = parse_log(text.substr(text.find('\n') + 9) + case_file("llamacpp_b11434_verbose_log.txt"), "log");
    expect_counts(cut.sum(), 6, 18, 5);
}

TEST(ServerCases, LlamasSlotsAtTheSameTime) {
    const auto round = [](int slot, int task, int kept, int of) {
        return "0.1 I slot   operator(): id  " + std::to_string(slot) + " | task " + std::to_string(task) + " | accepted  " +
               std::to_string(kept) + "/ " + std::to_string(of) + " draft tokens\n";
    };
    const std::string
        zero =
            "0.2 I slot print_timing: id  0 | task 7 | draft acceptance = 0.75000 (    6 accepted /     8 generated), mean len =  4.00\n",
        one = "0.2 I slot print_timing: id  1 | task 9 | draft acceptance = 0.25000 (    1 accepted /     4 generated), mean len =  1.50\n",
        places_one = "0.2 T slot print_timing: id  1 | task 9 |      acc per pos = (0.500, 0.000)\n";
    const LogReading log =
        parse_log(round(0, 7, 4, 4) + round(1, 9, 0, 2) + round(0, 7, 2, 4) + round(1, 9, 1, 2) + zero + one + places_one, "log");
    ASSERT_EQ(log.entries.size(), 2u);
    expect_counts(*log.entries[0].counts, 2, 8, 6);
    EXPECT_EQ(log.entries[0].counts->accepted_at, (List{2, 2, 1, 1}));
    expect_counts(*log.entries[1].counts, 2, 4, 1);
    expect_counts(log.sum(), 4, 12, 7);
    // A line of another slot completes nothing.
    const LogReading other = parse_log(zero + places_one, "log");
    EXPECT_TRUE(other.entries.at(0).per_position.empty());
}

TEST(ServerCases, LlamasSpeculatorsEachAndInSum) {
    const LogReading two = log_of("llamacpp_two_speculators.log");
    ASSERT_EQ(two.entries.size(), 4u);
    EXPECT_EQ(two.entries[1].method, "ngram-map-k");
    EXPECT_EQ(two.entries[3].method, "draft-mtp");
    EXPECT_EQ(two.entries[3].writer, "[53409]");
    EXPECT_NEAR(*two.entries[3].length, 2.56, 0.005);
    EXPECT_TRUE(two.sum_is_whole());
    expect_counts(two.sum(), 730, 1639, 1178);
    EXPECT_NEAR(*acceptance_length(two.sum()), 2.61, 0.005);
    const SpecCounts methods = log_of("llamacpp_two_methods_statistics.txt").sum();
    expect_counts(methods, 86, 288, 103);
    EXPECT_EQ(methods.accepted_at, (List{39, 32, 30, 1, 1}));
    EXPECT_NEAR(*acceptance_length(methods), 2.198, 0.0005);
    const ServerReading scrape = read_metrics(parse_exposition(case_file("llamacpp_b11549_mixed_metrics.txt"), "metrics"));
    expect_counts(*scrape.counts, 86, 288, 103);
    EXPECT_EQ(scrape.counts->accepted_at, (List{39, 32, 30, 1, 1, 0, 0, 0}));
    EXPECT_NEAR(*scrape.between_tokens.mean_ms(), 1000 * 0.935023 / 198, 1e-9);
    // Later figures of a method replace earlier ones, unless the server began anew.
    const std::string text = case_file("llamacpp_two_methods_statistics.txt");
    expect_counts(parse_log(text + text, "log").sum(), 86, 288, 103);
    const std::string anew = "statistics draft-simple: #gen drafts = 2, #acc drafts = 1, #gen tokens = 6, #acc tokens = 1\n";
    expect_counts(parse_log(text + anew, "log").sum(), 88, 294, 104);
}

TEST(ServerCases, LlamasAbortedRequestsAreInItsStatistics) {
    const LogReading log = log_of("llamacpp_aborted_requests_log.txt");
    EXPECT_TRUE(log.sum_is_whole());
    expect_counts(log.sum(), 279, 834, 369);
    expect_counts(*log.entries.at(0).counts, 5, 12, 10);
    EXPECT_NEAR(*acceptance_length(log.sum()), 2.32, 0.005);
}

TEST(ServerCases, LlamasAdaptiveDepth) {
    const LogReading log = log_of("llamacpp_adaptive_depth.log");
    ASSERT_EQ(log.entries.size(), 1u);
    expect_counts(log.sum(), 2, 13, 10);
    EXPECT_EQ(log.entries[0].depths, (std::vector<int>{7, 6, 7}));
}

TEST(ServerCases, LlamasExamples) {
    const LogReading log = log_of("llama_speculative.log");
    ASSERT_EQ(log.entries.size(), 1u);
    expect_counts(log.sum(), 58, 912, 313);
    EXPECT_NEAR(*acceptance_length(log.sum()), 6.40, 0.005);
    EXPECT_NEAR(*drafts_per_round(log.sum()), 15.7, 0.05);
    const SpecCounts simple = log_of("llamacpp_speculative_simple.txt").sum();
    EXPECT_FALSE(simple.rounds.has_value()) << "n_predict is missing";
    EXPECT_EQ(simple.drafted, 54);
    EXPECT_EQ(simple.accepted, 32);
}

TEST(ServerCases, VllmsOlderEngine) {
    const LogReading log = log_of("vllm_v0.log");
    expect_counts(log.sum(), 4437, 13311, 10616 - 4437);
    EXPECT_NEAR(*log.entries.at(0).length, 2.393, 0.0005);
    EXPECT_EQ(log.entries[0].reported_accepted, 8547);
    const ServerReading scrape = read_metrics(parse_exposition(case_file("vllm_v0.prom"), "metrics"));
    ASSERT_TRUE(scrape.counts.has_value());
    expect_counts(*scrape.counts, 4437, 13311, 10616 - 4437);
    EXPECT_NEAR(*acceptance_length(*scrape.counts), 2.393, 0.0005);
    EXPECT_EQ(scrape.reported_accepted, 8547);
    EXPECT_TRUE(says(what_is_missing(scrape), "0.8 or older"));
    // K and the efficiency of another K: nothing is told then.
    const V0Counts impossible =
        read_v0_counts({.drafted = 300, .accepted = 180, .emitted = 280, .k = 3, .efficiency = 0.2, .efficiency_off = 0.0005});
    EXPECT_FALSE(impossible.counts.has_value());
}

TEST(ServerCases, VllmsPlacesThatNothingReaches) {
    const LogReading log = log_of("vllm_k15_dead_places.log");
    expect_counts(log.sum(), 65, 975, 89);
    EXPECT_TRUE(says(findings(log.sum()), "K = 5 gives the same text for 33 % of the drafts (325 instead of 975, length 2.37 either way)"))
        << english(findings(log.sum()).at(0));
    // Well kept up to a place and never behind it: not the text, the head.
    EXPECT_TRUE(says(findings({100, 600, 400, {95, 90, 80, 70, 65, 0}}), "place 6 is never kept: a limit of the head?"));
    EXPECT_FALSE(says(findings({100, 600, 400, {95, 90, 80, 70, 60, 5}}), "limit of the head"));
}

TEST(ServerCases, SglangThatAcceptsNothing) {
    const LogReading log = log_of("sglang_nothing_accepted.log");
    for (const char* words : {"nothing is accepted", "lm_head", "tapped layers one off", "chat template"})
        EXPECT_TRUE(says(log_findings(log), words)) << words;
    EXPECT_TRUE(says(findings({100, 300, 0, {0, 0, 0}}), "nothing is accepted; usual causes"));
}

TEST(ServerCases, OnePromptRepeated) {
    const std::string line =
        "slot print_timing: id  0 | task 1 | draft acceptance = 0.67500 (  108 accepted /   160 generated), mean len =  4.38\n";
    EXPECT_FALSE(says(log_findings(parse_log(line + line, "log")), "one prompt repeated"));
    EXPECT_TRUE(says(log_findings(parse_log(line + line + line, "log")), "one prompt repeated? Only the first counts"));
}

namespace {

ServedText answer_in(const std::string& name, const std::string& text) {
    const auto answers = read_saved_answers(text);
    EXPECT_TRUE(answers && answers->size() == 1) << name;
    return answers ? answers->front().served : ServedText();
}
ServedText answer_in(const std::string& name) { return answer_in(name, case_file(name)); }
std::string who_wrote(const ServedText& served) {
    std::string out;
    for (const ServedPiece& piece : served.pieces) out += "?fdtm"[static_cast<int>(piece.author)];
    return out;
}

} // namespace

TEST(ServerCases, APieceIsNotAToken) {
    const ServedText s = answer_in("llamacpp_chat_held_back_piece.sse");
    expect_counts(*s.counts, 6, 18, 5);
    EXPECT_EQ(s.counts->accepted_at, (List{2, 2, 1}));
    EXPECT_NEAR(*acceptance_length(*s.counts), 1.833, 0.001);
    EXPECT_NEAR(*acceptance_names(*s.counts)[4].value, 0.167, 0.001) << "kept to the last place";
    EXPECT_EQ(s.tokens, 12);
    EXPECT_EQ(s.unwritten, 0);
    EXPECT_EQ(s.provenance, Provenance::inferred) << "two rounds in the first piece, by K = 3";
    EXPECT_EQ(who_wrote(s), "ttddttddd") << s.text();
    EXPECT_EQ(s.pieces[0].tokens, 3);
}

TEST(ServerCases, TheLastRoundWroteOnlyTheEnd) {
    const ServedText s = answer_in("llamacpp_last_round_only_eos.sse");
    expect_counts(*s.counts, 2, 6, 3);
    EXPECT_EQ(acceptance_length(*s.counts), 2.5);
    EXPECT_EQ(s.provenance, Provenance::exact);
    EXPECT_EQ(who_wrote(s), "fdddt");
}

TEST(ServerCases, CharactersOfSeveralTokens) {
    const ServedText s = answer_in("llamacpp_emoji_pieces_of_several_tokens.sse");
    expect_counts(*s.counts, 2, 24, 24);
    EXPECT_EQ(s.unwritten, 0) << "the text does not end in the middle";
    EXPECT_EQ(s.provenance, Provenance::exact);
    EXPECT_EQ(who_wrote(s), "mdddmdddd") << "the fifth holds the target's own token of round 1";
}

TEST(ServerCases, ARequestWithoutADraftGuessedNothing) {
    const ServedText s = answer_in("plain", R"(data: {"choices":[{"text":"a"}],"timings":{"predicted_n":1}}

data: {"choices":[{"text":"b"}],"timings":{"predicted_n":2}}

data: {"choices":[{"text":"","finish_reason":"length"}],"timings":{"predicted_n":2,"predicted_per_second":30.5}}

)");
    ASSERT_TRUE(s.counts.has_value()) << "exactly nothing, not unknown";
    EXPECT_EQ(s.counts->drafted, 0);
    EXPECT_EQ(s.counts->rounds, 0);
    EXPECT_EQ(who_wrote(s), "ft");
    EXPECT_EQ(s.reported_tokens_per_second, 30.5);
}

// Two kept drafts of the last round are beyond the limit of five tokens.
TEST(ServerCases, TheTextEndsInsideWhatARoundKept) {
    const ServedText s = answer_in("cut", R"(data: {"choices":[{"text":"a"}],"timings":{"predicted_n":1}}

data: {"choices":[{"text":"b"}],"timings":{"predicted_n":2,"draft_n":4,"draft_n_accepted":0}}

data: {"choices":[{"text":"c"}],"timings":{"predicted_n":3,"draft_n":8,"draft_n_accepted":4}}

data: {"choices":[{"text":"d"}],"timings":{"predicted_n":4,"draft_n":8,"draft_n_accepted":4}}

data: {"choices":[{"text":"","finish_reason":"length"}],"timings":{"predicted_n":4,"draft_n":8,"draft_n_accepted":4}}

)");
    expect_counts(*s.counts, 2, 8, 4);
    EXPECT_EQ(s.unwritten, 3) << "two drafts and the target's own";
    EXPECT_EQ(acceptance_length(*s.counts), 3) << "as the server counts";
    EXPECT_EQ(s.written_per_round(), 1.5) << "as written";
    const Json json = Json::parse(served_json(s, english));
    EXPECT_EQ(json["tokens_per_round"], 3);
    EXPECT_EQ(json["written_per_round"], 1.5);
    EXPECT_TRUE(says(s.notes, "as written, 2 of them are not in the text"));
}

TEST(ServerCases, SavedAnswers) {
    const ServedText vllm = answer_in("vllm_answer_eos_inside.json");
    expect_counts(*vllm.counts, 1, 5, 5);
    EXPECT_EQ(acceptance_length(*vllm.counts), 6) << "as the server counts";
    EXPECT_EQ(vllm.written_per_round(), 3) << "by tokens";
    EXPECT_TRUE(says(vllm.notes, "cut by the end of the text"));
    const ServedText sglang = answer_in("sglang_answer.json");
    expect_counts(*sglang.counts, 43, 215, 63);
    EXPECT_NEAR(*acceptance_length(*sglang.counts), 2.465, 0.0005);
    EXPECT_NEAR(*sglang.written_per_round(), 106.0 / 43, 1e-9);
    const ServedText openai = answer_in("openai_predicted_outputs.json");
    EXPECT_EQ(openai.counts->drafted, 300);
    EXPECT_EQ(openai.counts->accepted, 210);
    EXPECT_FALSE(openai.counts->rounds.has_value());
    EXPECT_EQ(openai.rounds_at_most, 90);
    EXPECT_EQ(Json::parse(served_json(openai, english))["counts"]["rounds_at_most"], 90);
    // Printed with indents, several a file, one a line, with CRLF.
    const Json whole = Json::parse(case_file("sglang_answer.json"));
    EXPECT_EQ(answer_in("indented", whole.dump(2)).counts->rounds, 43);
    EXPECT_EQ(read_saved_answers(Json::array({whole, whole}).dump())->size(), 2u);
    EXPECT_EQ(read_saved_answers(whole.dump() + "\r\n" + whole.dump() + "\n")->size(), 2u);
    std::string crlf;
    for (const char c : case_file("llamacpp_last_round_only_eos.sse")) crlf += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(answer_in("crlf", crlf).counts->rounds, 2);
    for (const char* none : {"", "{}", "[]", "{\"type\":\"log\"}", "data: nothing\n\n", "text"})
        EXPECT_FALSE(read_saved_answers(none)) << none;
}

TEST(ServerCases, AnswersThatContradictThemselves) {
    Json answer = Json::parse(case_file("sglang_answer.json"));
    answer["sglext"]["spec_tokens_details"]["spec_verify_ct"] = 21;
    EXPECT_FALSE(answer_in("rounds", answer.dump()).counts.has_value());
    EXPECT_TRUE(says(answer_in("rounds", answer.dump()).notes, "contradict each other"));
    Json vllm = Json::parse(case_file("vllm_answer_eos_inside.json"));
    vllm["metrics"]["speculative_decoding"]["mean_acceptance_length"] = 7.5;
    EXPECT_FALSE(answer_in("length", vllm.dump()).counts.has_value());
}

// Listed rounds that go beyond the text, of counts that are none.
TEST(ServerCases, ContradictionsLeaveNoRoundBehind) {
    AnswerReader reader(ServerKind::vllm);
    reader.event(R"({"choices":[{"text":"a","logprobs":{"tokens":["a"]}}]})", 1);
    reader.event(R"({"choices":[],"metrics":{"speculative_decoding":{"acceptance_histogram":[0,0,0,1],"num_draft_tokens":2,)"
                 R"("per_step_accepted":[3],"per_step_drafted":[3]}}})",
                 2);
    const ServedText served = reader.finish(3);
    EXPECT_FALSE(served.counts.has_value());
    EXPECT_TRUE(served.rounds.empty());
    EXPECT_EQ(served.unwritten, 0);
}

TEST(ServerCases, ReasoningAndToolCallsAreText) {
    const ServedText s = answer_in("tools", R"(data: {"choices":[{"delta":{"reasoning_content":"hm"}}],"timings":{"predicted_n":1}}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}],"timings":{"predicted_n":2,"draft_n":1,"draft_n_accepted":1}}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}],"timings":{"predicted_n":3,"draft_n":1,"draft_n_accepted":1}}

data: [DONE]

)");
    EXPECT_EQ(s.text(), "hmf{}");
    EXPECT_EQ(who_wrote(s), "fdt");
    expect_counts(*s.counts, 1, 1, 1);
}

// The same lines as they come out of journald, Docker, Kubernetes, loggers and terminals.
TEST(ServerCases, LinesThatOthersWrapped) {
    const std::string line = case_file("llamacpp_b11434_default_log.txt"), bare = line.substr(0, line.size() - 1);
    const Json bytes = std::vector<unsigned char>(bare.begin(), bare.end());
    for (const std::string& wrapped :
         std::vector<std::string>{bare, bare + "\r\n", "Oct 12 08:00:01 host llama-server[812]: " + line,
                                  "2026-10-12T08:00:01.123456789Z stdout F " + line, "llama-1  | " + line, "[pod/llm-0/server] " + line,
                                  Json({{"log", line}, {"stream", "stderr"}, {"time", "2026-10-12T08:00:01Z"}}).dump() + "\n",
                                  Json({{"MESSAGE", bare}, {"_PID", "812"}}).dump() + "\n", Json({{"MESSAGE", bytes}}).dump(),
                                  "2026-10-12T08:00:01Z stdout F " + Json({{"level", "info"}, {"message", bare}}).dump() + "\n",
                                  Json({{"log", Json({{"type", "log"}, {"msg", line}}).dump() + "\n"}, {"stream", "stdout"}}).dump(),
                                  "\x1b[34m0.38.487.626\x1b[0m \x1b[32mI slot print_timing: id  1 | task 21 | draft acceptance = 0.27778 "
                                  "(\x1b[1m    5 accepted /    18 generated), mean len =  1.83\x1b[0m\n"}) {
        const LogReading log = parse_log("noise\n" + wrapped, "log");
        EXPECT_EQ(log.entries.at(0).line, 2) << wrapped;
        expect_counts(log.sum(), 6, 18, 5);
    }
    const std::string vllm = case_file("vllm_k15_dead_places.log");
    expect_counts(parse_log(Json({{"levelname", "INFO"}, {"message", vllm}}).dump(), "log").sum(), 65, 975, 89);
}

// A tail or a head of a log cuts lines, and with them numbers.
TEST(ServerCases, CutLinesTellNoWrongFigure) {
    const std::string
        line =
            "0.1 I slot print_timing: id  0 | task 9126 | draft acceptance = 0.67500 (  108 accepted /   160 generated), mean len =  4.38",
        vllm = case_file("vllm_k15_dead_places.log");
    for (const std::string& whole : {line, vllm.substr(0, vllm.size() - 1)})
        for (std::size_t cut = 1; cut < whole.size(); ++cut)
            for (const bool front : {true, false}) {
                const std::string text = front ? whole.substr(cut) : whole.substr(0, cut);
                try {
                    const SpecCounts sum = parse_log(text, "log").sum();
                    if (sum.empty()) continue;
                    EXPECT_EQ(sum.accepted, whole == line ? 108 : 89) << text;
                    EXPECT_EQ(sum.drafted, whole == line ? 160 : 975) << text;
                    EXPECT_EQ(sum.rounds.value_or(whole == line ? 32 : 65), whole == line ? 32 : 65) << text;
                } catch (const Error&) { // nothing of it is left
                }
            }
}

// A figure that breaks an identity is said, and no other is made from it.
TEST(ServerCases, FiguresThatContradictEachOther) {
    struct Case {
        const char *line, *said;
    };
    for (const Case& c : {
             Case{"draft acceptance = 0.67500 (  108 accepted /   160 generated), mean len =  4.38, acceptance rate per position = (0.900, "
                  "0.800)",
                  "an acceptance length of 4.38 with 2 places"},
             Case{"draft acceptance = 0.67500 (  108 accepted /   160 generated), mean len =  2.20, acceptance rate per position = (0.900, "
                  "0.800)",
                  "places that add up to 1.7"},
             Case{"draft acceptance = 0.50000 (  108 accepted /   160 generated), mean len =  4.38", "beside a rate of 0.5"},
             Case{"draft acceptance = 0.00000 (    0 accepted /   160 generated), mean len =  4.38", "no number of rounds makes"},
             Case{"statistics draft: #gen drafts = 100, #gen tokens = 300, #acc tokens = 50, #mean acc len = 2.50",
                  "beside an acceptance length of 2.5"},
             Case{"SpecDecoding metrics: Mean acceptance length: 5.10, Accepted: 410 tokens, Drafted: 300 tokens, Per-position acceptance "
                  "rate: 1.000, 1.000, 1.000",
                  "an acceptance length of 5.1 with 3 places"},
         }) {
        const LogReading log = parse_log(c.line, "log");
        const LogEntry& e = log.entries.at(0);
        EXPECT_TRUE(says(e.left_out, c.said)) << c.line << "\n" << english(listed(e.left_out));
        EXPECT_FALSE(e.length.has_value()) << c.line << *e.length;
        EXPECT_FALSE(acceptance_length(log.sum()).has_value()) << c.line;
        const Json json = Json::parse(log_json(e, english));
        EXPECT_FALSE(json.contains("tokens_per_round")) << json;
    }
    const LogEntry rises = parse_log("draft acceptance = 0.67500 (  108 accepted /   160 generated), mean len =  2.50, acceptance rate per "
                                     "position = (0.700, 0.800)",
                                     "log")
                               .entries.at(0);
    EXPECT_TRUE(says(rises.left_out, "place 2 kept more often")) << english(listed(rises.left_out));
    EXPECT_TRUE(rises.per_position.empty());
    EXPECT_TRUE(rises.counts->accepted_at.empty());
    for (const char* text : {"vllm:spec_decode_num_drafts_total 100\nvllm:spec_decode_num_draft_tokens_total "
                             "300\nvllm:spec_decode_num_accepted_tokens_total 400\n",
                             "vllm:spec_decode_num_drafts_total 100\nvllm:spec_decode_num_draft_tokens_total "
                             "300\nvllm:spec_decode_num_accepted_tokens_total 100\n"
                             "vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"0\"} "
                             "40\nvllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"1\"} 60\n"}) {
        const ServerReading r = read_metrics(parse_exposition(text, "metrics"));
        EXPECT_FALSE(r.counts.has_value());
        EXPECT_TRUE(says(what_is_missing(r), "contradict each other")) << text;
        EXPECT_TRUE(Json::parse(reading_json(r, 0, english)).contains("contradiction"));
    }
}

// One model of a reading: a line, an answer and a scrape say the same keys.
TEST(ServerCases, OneReadingModel) {
    const Json line = Json::parse(log_json(log_of("llamacpp_mean_len.log").entries.at(1), english)),
               sum = Json::parse(log_sum_json(log_of("llamacpp_two_methods_statistics.txt"), english)),
               scrape = Json::parse(
                   reading_json(read_metrics(parse_exposition(case_file("llamacpp_b11549_mixed_metrics.txt"), "m")), 0, english));
    EXPECT_EQ(line["counts"]["rounds"], 11);
    EXPECT_EQ(line["counts"]["inferred"], (Json{"rounds", "accepted_at"}));
    EXPECT_EQ(line["tokens_per_round"], 5.64);
    for (const Json& one : {sum, scrape}) {
        EXPECT_EQ(one["counts"]["rounds"], 86);
        EXPECT_EQ(one["counts"]["drafted"], 288);
        EXPECT_EQ(one["counts"]["accepted"], 103);
        EXPECT_EQ(one["counts"]["accepted_at"][0], 39);
        EXPECT_NEAR(one["tokens_per_round"].get<double>(), 2.198, 0.0005);
    }
}

// Engines and models behind one address, and the creation times that OpenMetrics adds.
TEST(ServerCases, EnginesApartAndInSum) {
    const ServerReading r =
        read_metrics(parse_exposition("vllm:spec_decode_num_drafts_total{engine=\"0\",model_name=\"m\"} "
                                      "40\nvllm:spec_decode_num_drafts_total{engine=\"1\",model_name=\"m\"} 3\n"
                                      "vllm:spec_decode_num_drafts_created{engine=\"0\",model_name=\"m\"} 1.7e9\n"
                                      "vllm:spec_decode_num_draft_tokens_total{engine=\"0\",model_name=\"m\"} "
                                      "120\nvllm:spec_decode_num_draft_tokens_total{engine=\"1\",model_name=\"m\"} 9\n"
                                      "vllm:spec_decode_num_draft_tokens_created{engine=\"0\",model_name=\"m\"} 1.7e9\n"
                                      "vllm:spec_decode_num_accepted_tokens_total{engine=\"0\",model_name=\"m\"} "
                                      "10\nvllm:spec_decode_num_accepted_tokens_total{engine=\"1\",model_name=\"m\"} 6\n",
                                      "metrics"));
    expect_counts(*r.counts, 43, 129, 16);
    ASSERT_EQ(r.parts.size(), 2u);
    EXPECT_EQ(r.parts[0].name, "0");
    EXPECT_EQ(acceptance_length(r.parts[0].counts), 1.25);
    EXPECT_EQ(acceptance_length(r.parts[1].counts), 3);
}

// ---- watching ----

namespace {

ServerReading llama_reading(double generated, double seconds, std::optional<double> in_flight, double running) {
    ServerReading r;
    r.kind = ServerKind::llamacpp;
    r.generated = generated;
    r.generating_seconds = seconds;
    r.in_flight = in_flight;
    r.running = running;
    return r;
}

std::string http_answer(int status, const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) + " x\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

std::string words_of_error(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what() + std::string(" | ") + error.remedy();
    }
    return "";
}

} // namespace

// llama.cpp books a request when it ends.
TEST(ServerCases, ALongRequestIsNoTwentyRowsOfNothing) {
    Watch slots;
    for (int second = 0; second < 5; ++second) slots.add(second, llama_reading(10, 1, 7.0 * second, 1));
    slots.add(5, llama_reading(10 + 35, 6, 0, 0));
    for (std::size_t i = 1; i <= 5; ++i) EXPECT_EQ(slots.step(i).tokens_per_second, 7) << i;
    Watch booked; // /slots is switched off
    for (int second = 0; second < 5; ++second) booked.add(second, llama_reading(10, 1, {}, 1));
    booked.add(5, llama_reading(10 + 35, 6, {}, 0));
    for (std::size_t i = 1; i < 5; ++i) EXPECT_FALSE(booked.step(i).tokens_per_second.has_value()) << i;
    EXPECT_EQ(booked.step(5).tokens_per_second, 7);
    booked.add(6, llama_reading(10 + 35, 6, {}, 0));
    EXPECT_EQ(booked.step(6).tokens_per_second, 0) << "nothing runs";
}

TEST(ServerCases, SglangCountsTheRoundsOfTheLastSeconds) {
    Watch watch;
    for (const double calls : {100.0, 143.0}) {
        ServerReading r = read_metrics(
            parse_exposition("sglang:spec_accept_length 2.5\nsglang:spec_verify_calls_total " + std::to_string(calls) + "\n", "m"));
        watch.add(calls == 100 ? 0 : 2, std::move(r));
    }
    EXPECT_EQ(watch.step(1).rounds_per_second, 21.5);
}

TEST(ServerCases, AServerThatLoadsIsNoStranger) {
    const RawServer server(http_answer(503, case_file("llamacpp_loading_503.json")));
    EXPECT_THROW((void)probe_server(server.endpoint, {}), ServerLoads);
    EXPECT_NE(words_of_error([&] { (void)probe_server(server.endpoint, {}); }).find("loads its model"), std::string::npos);
}

TEST(ServerCases, AWrongKeyIsNotTheSameAsNone) {
    const RawServer server([](const std::string& request) -> RawServer::Answer {
        const bool open = request.starts_with("GET /v1/models");
        return {open ? http_answer(200, R"({"data":[{"id":"m","owned_by":"llamacpp"}]})")
                     : http_answer(401, R"({"error":{"message":"Invalid API Key","code":401}})")};
    });
    HttpSettings wrong;
    wrong.key = "nobody";
    EXPECT_NE(words_of_error([&] { (void)probe_server(server.endpoint, wrong); }).find("refuses this key"), std::string::npos);
    const ServerFacts facts = probe_server(server.endpoint, {});
    EXPECT_EQ(facts.kind, ServerKind::llamacpp) << "who owns its models";
    EXPECT_TRUE(says(facts.missing, "wants a key (--key-from NAME)"));
    RequestSettings request;
    request.prompt = "x";
    EXPECT_NE(words_of_error([&] { (void)send_request(server.endpoint, facts, request, {}); }).find("--key-from NAME names"),
              std::string::npos);
    EXPECT_NE(words_of_error([&] { (void)send_request(server.endpoint, facts, request, wrong); }).find("refuses this key"),
              std::string::npos);
}

// A router would load a model that is asked for its metrics.
TEST(ServerCases, ARoutersModelsAreLookedAtAndNotLoaded) {
    const auto router = [](bool loaded, std::string& asked) {
        return [loaded, &asked](const std::string& request) -> RawServer::Answer {
            const std::string path = request.substr(4, request.find(" HTTP") - 4);
            asked += path + "\n";
            if (path == "/props") return {http_answer(200, R"({"role":"router","default_generation_settings":{}})")};
            if (path == "/v1/models")
                return {http_answer(200, R"({"data":[{"id":"cold","status":{"value":"unloaded"}},{"id":"warm","status":{"value":")" +
                                             std::string(loaded ? "loaded" : "unloaded") + R"("}}]})")};
            if (path.starts_with("/metrics?model=warm"))
                return {http_answer(200, "llamacpp:spec_decode_num_drafts_total 2\nllamacpp:spec_decode_num_draft_tokens_total "
                                         "6\nllamacpp:spec_decode_num_accepted_tokens_total 3\n")};
            return {http_answer(400, "{}")};
        };
    };
    std::string asked;
    {
        const RawServer server(router(true, asked));
        const ServerFacts facts = probe_server(server.endpoint, {});
        EXPECT_TRUE(facts.router);
        EXPECT_EQ(facts.models, (std::vector<std::string>{"warm", "cold"})) << "what is loaded first";
        EXPECT_EQ(facts.loaded, 1u);
        EXPECT_EQ(facts.reading.counts->rounds, 2);
        EXPECT_NE(asked.find("/metrics?model=warm&autoload=false\n"), std::string::npos) << asked;
        EXPECT_TRUE(says(probe_server(server.endpoint, {}, "cold").missing, "cold is not loaded"));
    }
    EXPECT_EQ(asked.find("model=cold"), std::string::npos) << asked;
    asked.clear();
    const RawServer server(router(false, asked));
    const ServerFacts none = probe_server(server.endpoint, {});
    EXPECT_TRUE(says(none.missing, "none of its models is loaded"));
    EXPECT_EQ(asked.find("model="), std::string::npos) << asked;
}

} // namespace speclens::test
