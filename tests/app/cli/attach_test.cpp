// `attach` and `serve` as a user meets them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <thread>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"
#include "tests/shared/eventually.h"
#include "tests/shared/listening.h"

namespace speclens::test {

namespace {

RunSettings domino() {
    RunSettings settings;
    settings.drafter = "domino";
    settings.k = 7;
    return settings;
}

// What a vLLM server says that is asked for no text.
RawServer::Answer reported_by_vllm(const std::string& request) {
    if (!request.starts_with("GET /metrics")) return {"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"};
    const std::string body = "vllm:spec_decode_num_drafts_total 43\n";
    return {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body};
}

std::string file_with(const std::string& name, const std::string& text) {
    const std::filesystem::path file = fresh_folder() / name;
    write_file(file, text);
    return file.string();
}

constexpr const char* kLlamaLog = "0.06.896.015 I slot print_timing: id  1 | task 0 | draft acceptance = 0.64479 (  167 accepted /   259 "
                                  "generated), mean acceptance length =  2.92, "
                                  "acceptance rate per position = (0.805, 0.632, 0.483)\n";

} // namespace

TEST(Attach, ShowsWhichTokensWereGuessed) {
    const Listening server(domino());
    const Outcome out = speclens({"attach", server.endpoint.origin, "--prompt", "What is the capital of Japan?", "--chat", "--json", "-"});
    ASSERT_EQ(out.code, 0) << out.err;
    const Json json = Json::parse(out.out);
    EXPECT_EQ(json["tier"], "REMOTE");
    EXPECT_EQ(json["provenance"], "exact");
    EXPECT_EQ(json["text"], "The capital of Japan is Tokyo.");
    EXPECT_EQ(json["pieces"].size(), json["tokens"]);
    const Outcome words = speclens({"attach", server.endpoint.origin, "--prompt", "What is the capital of Japan?", "--chat"});
    ASSERT_EQ(words.code, 0) << words.err;
    for (const char* part : {"[REMOTE]", "The capital of Japan is Tokyo.", "exact: the server lists every round", "kept ",
                             "six \"acceptances\"", "mean acceptance length"})
        EXPECT_NE(words.out.find(part), std::string::npos) << part << "\n" << words.out;
    std::istringstream lines(words.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 130u) << line;
}

// The server judges what is guessed here: the same text as if its model were loaded here.
TEST(Attach, AServerCanBeTheTarget) {
    const Listening server(domino());
    const std::vector<std::string> question = {"--prompt", "What is the capital of Japan?", "--chat", "--temp", "0", "--text"};
    const auto with = [&](std::vector<std::string> words, bool asked = true) {
        if (asked) words.insert(words.end(), question.begin(), question.end());
        return speclens(words);
    };
    for (const char* drafter : {"small", "lookup"}) {
        const Outcome there = with({"run", "--model", server.endpoint.origin, "--drafter", drafter});
        ASSERT_EQ(there.code, 0) << there.err;
        EXPECT_EQ(there.out, "The capital of Japan is Tokyo.\n");
    }
    const Outcome walk = speclens({"run", "--model", server.endpoint.origin, "--max-tokens", "8"});
    ASSERT_EQ(walk.code, 0) << walk.err;
    for (const char* part : {"[REMOTE]", "bundle S at http://127.0.0.1", "top-k 20: the server tells its 20 likeliest"})
        EXPECT_NE(walk.out.find(part), std::string::npos) << part << "\n" << walk.out;
    const Outcome check = speclens({"check", "--model", server.endpoint.origin, "--listed", "5"});
    EXPECT_NE(check.out.find("answers, tells its 5 likeliest tokens"), std::string::npos) << check.out << check.err;
    const Outcome compare = with({"compare", "--model", server.endpoint.origin, "--drafters", "none,small,dflash", "--max-tokens", "8",
                                  "--repeats", "1", "--prompt", "Hello", "--temp", "0"},
                                 false);
    ASSERT_EQ(compare.code, 0) << compare.err;
    EXPECT_NE(compare.out.find("cannot run: a server does not tell the hidden states"), std::string::npos) << compare.out;
    // Plain decoding is a request per token there: a speed-up over that would be nobody's.
    EXPECT_NE(compare.out.find("no speed-up: "), std::string::npos) << compare.out;
    for (const char* part : {"×", "95 % interval", " threads"})
        EXPECT_EQ(compare.out.find(part), std::string::npos) << part << "\n" << compare.out;

    const Outcome foreign =
        speclens({"run", "--model", server.endpoint.origin, "--drafter", "small=" + micro_model(), "--prompt", "The capital"});
    EXPECT_EQ(foreign.code, 3) << foreign.err;
    for (const char* part : {"uses token id", "micro_qwen3 has ", "another family", "--tokenizer DIR"})
        EXPECT_NE(foreign.err.find(part), std::string::npos) << part << "\n" << foreign.err;
    const Outcome head = with({"run", "--model", server.endpoint.origin, "--drafter", "dflash"});
    EXPECT_EQ(head.code, 3) << head.err;
    EXPECT_NE(head.err.find("hidden states"), std::string::npos) << head.err;

    EXPECT_EQ(with({"run", "--listed", "5"}).code, 2);
    EXPECT_EQ(with({"run", "--model", server.endpoint.origin, "--rule", "cascade_tokenV3"}).code, 2);
    EXPECT_EQ(with({"run", "--model", server.endpoint.origin, "--server-model", "other"}).code, 2);
    EXPECT_EQ(with({"run", "--model", server.endpoint.origin, "--tokenizer", fresh_folder().string()}).code, 3);
    EXPECT_EQ(with({"run", "--model", "http://127.0.0.1:1"}).code, 6);
    EXPECT_EQ(speclens({"bench", "--model", server.endpoint.origin}).code, 2);
}

TEST(Attach, WatchesAServer) {
    const Listening server(domino());
    const std::string json = (fresh_folder() / "readings.jsonl").string();
    const Outcome out = speclens({"attach", server.endpoint.origin, "--every", "0.1", "--for", "0.5", "--json", json});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_NE(out.out.find("acc.length"), std::string::npos) << out.out;
    std::istringstream lines(read_file(json));
    int readings = 0;
    for (std::string line; std::getline(lines, line); ++readings) EXPECT_EQ(Json::parse(line)["schema"], "speclens-reading/1");
    EXPECT_GE(readings, 3);
    const Outcome once = speclens({"attach", server.endpoint.origin, "--once"});
    EXPECT_EQ(once.code, 0);
    EXPECT_EQ(once.out.find("acc.length  accepted"), std::string::npos);
    EXPECT_NE(once.out.find("no request has drafted yet"), std::string::npos) << once.out;
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--every", "0.1", "--for", "0.3"}, {"--prompt", "The", "--max-tokens", "4"}}) {
        const std::filesystem::path kept = fresh_folder() / "kept.jsonl";
        Start unread; // as with | head
        unread.arguments = {"attach", server.endpoint.origin, "--json", kept.string()};
        unread.arguments.insert(unread.arguments.end(), more.begin(), more.end());
        unread.reader_gone = true;
        EXPECT_EQ(speclens(unread).code, 0);
        EXPECT_NE(read_file(kept).find("\"schema\""), std::string::npos);
    }
    Start interrupted;
    interrupted.arguments = {"attach", server.endpoint.origin, "--every", "0.1"};
    interrupted.interrupt_when = "ms between tokens\n";
    EXPECT_EQ(speclens(interrupted).code, 130);
}

// Rounds that the log does not tell are no zero.
TEST(Attach, LeavesOpenWhatALogDoesNotTell) {
    const std::string line = "slot print_timing: draft acceptance rate = 0.57576 (  171 accepted /   297 generated)\n";
    const Outcome out = speclens({"attach", file_with("old.log", line)});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_NE(out.out.find("– rounds, 297 tokens drafted, 171 accepted\n"), std::string::npos) << out.out;
    const Json json = Json::parse(speclens({"attach", file_with("old.log", line), "--json", "-"}).out);
    EXPECT_FALSE(json["counts"].contains("rounds")) << json;
}

TEST(Attach, KeepsTheReadingsOfAServerThatGoesAway) {
    const std::string json = (fresh_folder() / "readings.jsonl").string();
    std::atomic<int> asked{0};
    auto server = std::make_unique<RawServer>([&](const std::string& request) {
        asked += request.starts_with("GET /metrics");
        return reported_by_vllm(request);
    });
    Outcome out;
    std::thread watching([&, address = server->endpoint.origin] { out = speclens({"attach", address, "--every", "0.1", "--json", json}); });
    EXPECT_TRUE(eventually([&] { return asked >= 5; })) << "the first may only have found out what it is";
    server.reset();
    watching.join();
    EXPECT_EQ(out.code, 6) << out.err;
    ASSERT_TRUE(std::filesystem::exists(json)) << out.err;
    std::istringstream lines(read_file(json));
    int readings = 0;
    for (std::string line; std::getline(lines, line); ++readings) EXPECT_EQ(Json::parse(line)["schema"], "speclens-reading/1");
    EXPECT_GE(readings, 2);
}

// What a server said before it broke off is kept, whether it went away or the user did.
TEST(Attach, KeepsAnAnswerThatBreaksOff) {
    for (const bool hangs : {false, true}) {
        SCOPED_TRACE(hangs ? "interrupted" : "closed");
        const RawServer server([hangs](const std::string& request) -> RawServer::Answer {
            if (!request.starts_with("POST")) return reported_by_vllm(request);
            std::string events;
            for (const char* word : {"The ", "capital ", "is"})
                events += "data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(word) + "\"}}]}\n\n";
            return {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100000\r\n\r\n" + events, !hangs};
        });
        const std::string json = (fresh_folder() / "answer.json").string();
        Start start;
        start.arguments = {"attach", server.endpoint.origin, "--prompt", "x", "--chat", "--json", json};
        const Outcome out = hangs ? interrupted_when(start, [](const Outcome& o) { return !o.out.empty(); }) : speclens(start);
        EXPECT_EQ(out.code, hangs ? 130 : 6) << out.err;
        EXPECT_NE(out.out.find("The capital is"), std::string::npos) << out.out << out.err;
        EXPECT_NE(out.out.find("broke off here"), std::string::npos) << out.out;
        ASSERT_TRUE(std::filesystem::exists(json)) << out.err;
        EXPECT_EQ(Json::parse(read_file(json))["text"], "The capital is");
        EXPECT_EQ(Json::parse(read_file(json))["finish"], "broken off");
    }
}

// A whole answer that arrives at once says nothing about its speed.
TEST(Attach, TellsNoSpeedOfWhatCameTogether) {
    const auto attach = [](const std::string& more, bool slowly) {
        const std::string event = "data: {\"choices\":[{\"index\":0,\"text\":\"abcd\",\"logprobs\":{\"tokens\":"
                                  "[\"a\",\"b\",\"c\",\"d\"]},\"finish_reason\":\"length\"}]}\n\n";
        const RawServer server([&](const std::string& request) -> RawServer::Answer {
            if (!request.starts_with("POST")) return reported_by_vllm(request);
            const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            if (slowly) return {head + event, true, event, std::chrono::milliseconds(40), 3};
            return {head + event + event + event + event};
        });
        std::vector<std::string> words = {"attach", server.endpoint.origin, "--prompt", "x", "--max-tokens", "16"};
        if (!more.empty()) words.insert(words.end(), {more, "-"});
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 0) << out.err;
        return out.out;
    };
    const std::string together = attach("", false);
    EXPECT_NE(together.find("; then – tokens/s"), std::string::npos) << together;
    EXPECT_NE(together.find("no speed: "), std::string::npos) << together;
    EXPECT_FALSE(Json::parse(attach("--json", false)).contains("tokens_per_second"));
    const std::string apart = attach("", true);
    EXPECT_EQ(apart.find("no speed: "), std::string::npos) << apart;
    const Json json = Json::parse(attach("--json", true));
    ASSERT_EQ(json["pieces"].size(), 16u);
    const double ms = json["pieces"][15]["ms"].get<double>() - json["pieces"][3]["ms"].get<double>();
    EXPECT_DOUBLE_EQ(json.value("tokens_per_second", 0.0), 1000 * 12 / ms) << "the first four took no time";
}

TEST(Attach, SendsEverySeedThatItTakes) {
    const Listening server(domino());
    const Outcome out = speclens(
        {"attach", server.endpoint.origin, "--prompt", "hi", "--max-tokens", "2", "--temp", "0.8", "--seed", "9223372036854775807"});
    EXPECT_EQ(out.code, 0) << out.err;
    const Outcome beyond = speclens({"attach", server.endpoint.origin, "--prompt", "hi", "--seed", "9223372036854775808"});
    EXPECT_EQ(beyond.code, 2) << beyond.err;
    EXPECT_NE(beyond.err.find("--seed"), std::string::npos) << beyond.err;
}

// No nan, no inf, no share above all of it, no row of zeros: a dash, or a word why.
TEST(Attach, PrintsNoFigureThatCannotBe) {
    struct Case {
        const char *text, *words;
    };
    for (const Case& c : {Case{"SpecDecoding metrics: Mean acceptance length: 1.00, Accepted: 0 tokens, Drafted: 0 tokens, "
                               "Per-position acceptance rate: nan, nan, Avg Draft acceptance rate: nan%\n",
                               "nothing was drafted in these lines"},
                          Case{"draft acceptance = nan (    0 accepted /     0 generated)\n", "–  one request"},
                          Case{"Decode batch, #running-req: 1, accept len: 2.50, accept rate: inf, #queue-req: 0\n", "–  a batch of 1"},
                          Case{"Decode batch, #running-req: 1, accept len: 2.50, accept rate: 9.64, #queue-req: 0\n",
                               "line 1 says what cannot be, and that is left out: 964 % accepted"},
                          Case{"Decode batch, #running-req: 1e300, accept len: 2.50, accept rate: 0.50\n", "  a batch\n"},
                          Case{"draft acceptance = 1.15830 (  300 accepted /   259 generated)\n", "300 accepted of 259 drafted"},
                          Case{"vllm:spec_decode_num_draft_tokens_total 1e308\nvllm:spec_decode_num_accepted_tokens_total 3\n"
                               "vllm:generation_tokens_total 1e308\nvllm:num_requests_running NaN\n",
                               "counters say what cannot be"},
                          Case{R"({"metadata":{},"metrics":{"request_latency":{"value":1e308,"unit":"ms"},)"
                               R"("time_to_first_token":{"value":1e14,"unit":"ms"},"inter_chunk_latency":{"value":[20,1e308],)"
                               R"("unit":"sec"},"output_sequence_length":{"value":10,"unit":"tokens"}},"error":null})",
                               "1.00e+14"}}) {
        const std::string file = file_with("told.log", c.text);
        const Outcome out = speclens({"attach", file}), json = speclens({"attach", file, "--json", "-"});
        EXPECT_EQ(out.code, 0) << out.err;
        EXPECT_NE(out.out.find(c.words), std::string::npos) << c.words << "\n" << out.out;
        const std::string told = out.out.substr(out.out.find('\n')); // behind the name of the file
        for (const char* never : {"nan", "inf %", "inf ", "964 %*", "116 %", "00000000"})
            EXPECT_EQ(told.find(never), std::string::npos) << never << "\n" << told;
        for (const char* never : {"null", "-0.0", "nan"}) EXPECT_EQ(json.out.find(never), std::string::npos) << never << "\n" << json.out;
    }
}

TEST(Attach, ReadsTheRecordsOfALoadGenerator) {
    const std::string record =
        R"({"metadata":{},"metrics":{"time_to_first_token":{"value":80,"unit":"ms"},)"
        R"("inter_chunk_latency":{"value":[20,22,24],"unit":"ms"},"output_sequence_length":{"value":10,"unit":"tokens"}},"error":null})";
    const std::string file = file_with("profile_export.jsonl", record + "\n" + record + "\n");
    const Outcome out = speclens({"attach", file});
    ASSERT_EQ(out.code, 0) << out.err;
    for (const char* part : {"records of AIPerf", "[RECORDED]", "2 requests answered", "2.50 tokens per chunk", "inferred"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    const Outcome json = speclens({"attach", file, "--json", "-"});
    ASSERT_EQ(json.code, 0) << json.err;
    EXPECT_EQ(Json::parse(json.out.substr(0, json.out.find('\n')))["tokens_per_chunk"], 2.5);
}

TEST(Attach, ReadsLogsAndSavedMetrics) {
    const Outcome log = speclens({"attach", file_with("server.log", std::string("noise\n") + kLlamaLog)});
    ASSERT_EQ(log.code, 0) << log.err;
    for (const char* part : {"llama.cpp", "[RECORDED]", "1 of 2 lines", "one request", "87 rounds, 259 tokens drafted, 167 accepted"})
        EXPECT_NE(log.out.find(part), std::string::npos) << part << "\n" << log.out;
    const Outcome metrics =
        speclens({"attach",
                  file_with("metrics.txt", "vllm:spec_decode_num_drafts_total 43\nvllm:spec_decode_num_draft_tokens_total 129\n"
                                           "vllm:spec_decode_num_accepted_tokens_total 10\n"),
                  "--json", "-"});
    ASSERT_EQ(metrics.code, 0) << metrics.err;
    EXPECT_EQ(Json::parse(metrics.out)["counts"]["drafted"], 129);
    EXPECT_EQ(Json::parse(metrics.out)["tier"], "RECORDED");
    const std::string words = speclens({"attach", file_with("metrics.txt", "vllm:spec_decode_num_drafts_total 43\n"
                                                                           "vllm:spec_decode_num_draft_tokens_total 129\n"
                                                                           "vllm:spec_decode_num_accepted_tokens_total 10\n")})
                                  .out;
    for (const char* part : {"[RECORDED]", "then: – running"}) EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
    for (const char* never : {"[REMOTE]", "now: ", "speclens run"})
        EXPECT_EQ(words.find(never), std::string::npos) << never << "\n" << words;
}

TEST(Attach, ReadsWhatIsPipedIn) {
    Start start;
    start.input = kLlamaLog;
    for (const auto& [word, name] : {std::pair<std::string, std::string>{"-", "standard input"}, {"/dev/stdin", "/dev/stdin"}}) {
        start.arguments = {"attach", word};
        const Outcome out = speclens(start);
        ASSERT_EQ(out.code, 0) << out.err;
        for (const std::string& part : {" · " + name + " · log of llama.cpp · ", std::string("  1 of 1 line speaks of acceptance\n"),
                                        std::string("87 rounds, 259 tokens drafted, 167 accepted")})
            EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
        EXPECT_EQ(out.out, speclens(start).out);
    }
    start.arguments = {"attach", "-", "--json", "-"};
    EXPECT_EQ(Json::parse(speclens(start).out)["line"], 1);
    start.arguments = {"attach", "-", "--prompt", "x"};
    EXPECT_EQ(speclens(start).code, 2);
    start.arguments = {"attach", "-"};
    start.input = "";
    EXPECT_EQ(speclens(start).code, 3) << "nothing came";
    start.input = kLlamaLog;
    start.input_goes_on = true;
    start.interrupt_when_read = true;
    const Outcome cut = speclens(start);
    EXPECT_EQ(cut.code, 130) << cut.err;
    EXPECT_NE(cut.out.find("87 rounds, 259 tokens drafted, 167 accepted"), std::string::npos) << cut.out;
}

// llama-server 2>&1 | speclens attach -
TEST(Attach, FollowsALogWhileItIsWritten) {
    Start start;
    start.arguments = {"attach", "-"};
    start.input = kLlamaLog;
    start.input_goes_on = true;
    start.interrupt_when = "one request"; // its row comes although the pipe goes on
    const Outcome out = speclens(start);
    EXPECT_EQ(out.code, 130) << out.err;
    for (const char* part : {"acc.length", "six \"acceptances\"", "87 rounds, 259 tokens drafted, 167 accepted"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    start.arguments = {"attach", "-", "--json", "-"};
    start.interrupt_when = "\"accepted\":167";
    const Outcome json = speclens(start);
    EXPECT_EQ(json.code, 130) << json.err;
    EXPECT_EQ(Json::parse(json.out)["counts"]["rounds"], 87);
}

TEST(Attach, ReadsSavedAnswersAndStreams) {
    const auto attach = [](std::vector<std::string> words) {
        words.insert(words.begin(), "attach");
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 0) << out.err;
        return out.out;
    };
    const std::string folder = std::string(SPEC_SOURCE_DIR) + "/tests/remote/servers/";
    const std::string chat = attach({folder + "llamacpp_chat_held_back_piece.sse"});
    for (const char* part : {"[RECORDED]", "6 rounds, 18 tokens drafted, 5 accepted", "inferred"})
        EXPECT_NE(chat.find(part), std::string::npos) << part << "\n" << chat;
    EXPECT_EQ(chat.find("over the network"), std::string::npos) << chat;
    const std::string cut = attach({folder + "vllm_answer_eos_inside.json"});
    for (const char* part : {"as the server counts: length", "6.000", "as written: tokens ÷ rounds", "3.000"})
        EXPECT_NE(cut.find(part), std::string::npos) << part << "\n" << cut;
    const std::string openai = attach({folder + "openai_predicted_outputs.json"});
    for (const char* part : {"300 tokens drafted, 210 accepted", "at most 90 rounds"})
        EXPECT_NE(openai.find(part), std::string::npos) << part << "\n" << openai;
    const Json json = Json::parse(attach({folder + "sglang_answer.json", "--json", "-"}));
    EXPECT_EQ(json["counts"]["rounds"], 43);
    EXPECT_EQ(json["tier"], "RECORDED");
    const std::string none = attach({folder + "sglang_nothing_accepted.log"});
    EXPECT_NE(none.find("nothing is accepted"), std::string::npos) << none;
    const std::string two = attach({folder + "llamacpp_two_speculators.log"});
    for (const char* part : {"since its start, draft-mtp", "730 rounds, 1 639 tokens drafted, 1 178 accepted"})
        EXPECT_NE(two.find(part), std::string::npos) << part << "\n" << two;
}

// What people post (tests/remote/trackers_test.cpp has the figures): read, and said in words.
TEST(Attach, ReadsWhatPeoplePaste) {
    struct Case {
        const char* file;
        std::vector<std::string> says, never;
    };
    const std::string folder = std::string(SPEC_SOURCE_DIR) + "/tests/remote/servers/";
    for (const Case& c :
         {Case{"vllm_suffix.prom",
               {"13\u2009781 of 15\u2009767 passes (87\u2009%) had no draft", "1.078 tokens", "0.072  ≤ accepted ÷ tokens written"},
               {"0.382"}},
          Case{"vllm_ngram_answer.json", {"13 with a draft, 156 to 161 without", "0.056", "no speed-up above 1.059×"}, {"0.435"}},
          Case{"vllm_bench_serve.txt", {"vllm bench serve: 6 393 rounds, 14 090 of 19 179 drafts kept", "ITL ÷ TPOT is 3.20", "3.204"}, {}},
          Case{"vllm_bench_serve.json", {"vllm bench serve: 6 393 rounds", "0.735"}, {}},
          Case{"vllm_offline.txt", {"4 816 rounds", "3.535"}, {"had no draft"}},
          Case{"aiperf_acceptance.jsonl",
               {"2 requests answered", "1 request of the warm-up left out", "29 rounds, 116 tokens drafted, 26 accepted", "coding", "3.25",
                "1.38"},
               {"nothing tells how many tokens came at once"}},
          Case{"sglang_tree_settings.log", {"a tree of depth 5, 31 nodes", "7 %"}, {}},
          Case{"llamacpp_fork_verify_steps.prom", {"174 rounds, 518 tokens drafted, 334 accepted"}, {"drafts nothing"}},
          Case{"tensorrt.prom", {"TensorRT-LLM", "600 rounds, 1 800 tokens drafted, 1 134 accepted"}, {}},
          Case{"tensorrt_iterations.json", {"8 rounds, 14 of 24 drafts kept", "2.750"}, {}},
          Case{"vllm_length_falls.log", {"the acceptance length fell over 5.3 hours: 3.10", "2.05 in the last one"}, {}},
          Case{"llamacpp_mtp_p_min.log", {"3.56 a pass", "3.69 a pass", "the rate ranks nothing here"}, {}},
          Case{"llamacpp_mtp_benchmark.txt", {"MTP benchmark, code_python: 138 of 139 drafts kept"}, {}},
          Case{"vllm_diffusion.log", {"a diffusion model: 2.575 tokens a denoising step, 12.4 steps a canvas", "not speculation"}, {}},
          Case{"vllm_diffusion.prom", {"a diffusion model"}, {"--speculative-config"}},
          Case{"openvino_genai.txt", {"100 tokens in 34 passes, 2.94 a pass"}, {}},
          Case{"sglang_bench_serving.txt", {"2.46", "2 784 tokens"}, {}},
          Case{"ik_llama_spec_bench.txt", {"llama-spec-bench, code 1 mtp: 220 rounds", "at least 71 passes without a draft"}, {}},
          Case{"macmlx_answer.json", {"160 tokens drafted, 80 accepted"}, {}},
          Case{"lmstudio_answer.json", {"492 tokens drafted, 176 accepted"}, {}},
          Case{"omlx.log", {"1 079 rounds, 1 414 of 2 158 drafts kept"}, {}}}) {
        const Outcome out = speclens({"attach", folder + c.file}), json = speclens({"attach", folder + c.file, "--json", "-"});
        EXPECT_EQ(out.code, 0) << c.file << "\n" << out.err;
        EXPECT_EQ(json.code, 0) << c.file << "\n" << json.err;
        EXPECT_NE(json.out, "") << c.file;
        std::string words; // on one line
        for (const char letter : out.out)
            if (letter != '\n')
                words += letter;
            else
                words += ' ';
        for (std::size_t two = words.find("  "); two != std::string::npos; two = words.find("  ", two)) words.erase(two, 1);
        for (std::string part : c.says) {
            for (std::size_t two = part.find("  "); two != std::string::npos; two = part.find("  ", two)) part.erase(two, 1);
            EXPECT_NE(words.find(part), std::string::npos) << c.file << ": " << part << "\n" << out.out;
        }
        for (const std::string& part : c.never) EXPECT_EQ(words.find(part), std::string::npos) << c.file << ": " << part << "\n" << out.out;
    }
}

// The last token has no room for a guess: a pass of its own, which is no round.
TEST(Attach, CountsPassesWithoutADraft) {
    const Listening server(domino());
    // The last pass drafts nothing where the limit leaves room for one token: after how many depends on the model.
    std::vector<std::string> asked;
    Json json;
    int with = 0, without = 0, kept = 0;
    for (int limit = 2; limit < 24 && (with == 0 || without == 0); ++limit) {
        asked = {"attach", server.endpoint.origin, "--prompt", "hi", "--temp", "0", "--max-tokens", std::to_string(limit)};
        std::vector<std::string> machine = asked;
        machine.insert(machine.end(), {"--json", "-"});
        json = Json::parse(speclens(machine).out);
        with = without = kept = 0;
        for (const Json& round : json["rounds"]) {
            (round["drafted"] == 0 ? without : with) += 1;
            kept += round["accepted"].get<int>();
        }
    }
    ASSERT_GT(without, 0) << "every pass drafted: no limit tests anything";
    EXPECT_EQ(with + without + kept, json["tokens"]);
    const std::string words = speclens(asked).out;
    for (const std::string& part :
         {std::to_string(with) + (with == 1 ? " round" : " rounds") + " with a draft + " + std::to_string(without) + " without, ",
          std::string("rounds: passes of the target that judged a draft")})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
}

TEST(Attach, SaysThatNothingIsDrafted) {
    RunSettings plain;
    plain.drafter = "none";
    plain.k = 0;
    const Listening server(plain);
    const auto attach = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"attach", server.endpoint.origin});
        const Outcome out = speclens(more);
        EXPECT_EQ(out.code, 0) << out.err;
        return out.out;
    };
    EXPECT_NE(attach({"--once"}).find("no request has drafted yet"), std::string::npos);
    const std::string asked = attach({"--prompt", "hi", "--max-tokens", "5"});
    EXPECT_NE(asked.find("no token was drafted"), std::string::npos) << asked;
    EXPECT_EQ(asked.find("--per-request"), std::string::npos) << asked;
    const std::string after = attach({"--once"});
    EXPECT_NE(after.find("5 tokens written, none drafted"), std::string::npos) << after;
    EXPECT_EQ(after.find("no request has drafted yet"), std::string::npos) << after;
}

// SGLang before pull request 23530: nothing is accepted here, and its rate is 1 ÷ (K + 1).
TEST(Attach, DoesNotTakeSglangsOwnTokenForAnAcceptedOne) {
    const auto attach = [](const std::string& name, const std::string& text) {
        const Outcome out = speclens({"attach", file_with(name, text)});
        EXPECT_EQ(out.code, 0) << out.err;
        return out.out;
    };
    const std::string nothing = attach("server.log", "Decode batch, #running-req: 1, accept len: 1.00, accept rate: 0.17\n");
    EXPECT_NE(nothing.find("         1       1.00       0 %  a batch of 1"), std::string::npos) << nothing;
    EXPECT_EQ(nothing.find("17 %"), std::string::npos) << nothing;
    EXPECT_NE(nothing.find("K = 5,"), std::string::npos) << nothing;
    const std::string either = attach("server.log", "Decode batch, #running-req: 1, accept len: 2.50, accept rate: 0.50\n");
    EXPECT_NE(either.find("50 %*"), std::string::npos) << either;
    EXPECT_NE(either.find("* SGLang's own"), std::string::npos) << either;
    const std::string gauges = attach("metrics.txt", "sglang:spec_accept_length 1.0\nsglang:spec_accept_rate 0.16666666666666666\n");
    EXPECT_NE(gauges.find("accepted ÷ drafted 0\n"), std::string::npos) << gauges;
    const std::string unclear = attach("metrics.txt", "sglang:spec_accept_length 2.5\nsglang:spec_accept_rate 0.5\n");
    EXPECT_NE(unclear.find("SGLang's accept rate .50"), std::string::npos) << unclear;
    EXPECT_EQ(unclear.find("accepted ÷ drafted"), std::string::npos) << unclear;
}

TEST(Attach, SaysWhatIsWrong) {
    struct Case {
        std::vector<std::string> arguments;
        int code;
        const char* word;
    };
    for (const Case& c : {
             Case{{"attach"}, 2, "URL|FILE"},
             Case{{"attach", "http://me:pw@host"}, 2, "--key-from"},
             Case{{"attach", "127.0.0.1:1"}, 6, "nobody listens"},
             Case{{"attach", "127.0.0.1:1", "--key-from", "NO_SUCH_VARIABLE"}, 2, "NO_SUCH_VARIABLE"},
             Case{{"attach", "127.0.0.1:1", "--max-tokens", "5"}, 2, "--prompt"},
             Case{{"attach", "127.0.0.1:1", "--once", "--for", "5"}, 2, "exclude"},
             Case{{"attach", "127.0.0.1:1", "--every", "0"}, 2, "--every"},
             Case{{"attach", "no-such-file.log"}, 3, "does not exist"},
             Case{{"attach", file_with("a.log", "nothing of interest\n")}, 3, "does not speak of acceptance"},
             Case{{"attach", file_with("a.log", "nothing\nof interest\n")}, 3, "2 lines speaks of acceptance"},
             Case{{"attach", file_with("a.log", kLlamaLog), "--prompt", "x"}, 2, "is a file"},
             Case{{"serve", "--drafter", "smal"}, 2, "small"},
             Case{{"serve", "--prompt", "x"}, 2, "does nothing"},
             Case{{"serve", "--port", "70000"}, 2, "--port"},
             Case{{"serve", "--model", micro_model(), "--drafter", "eagle3", "--port", "0"}, 3, "no eagle3 head"},
             Case{{"serve", "--drafter", "small_tree=" + micro_model(), "--port", "0"}, 3, "'small_tree' cannot run"},
         }) {
        const Outcome out = speclens(c.arguments);
        EXPECT_EQ(out.code, c.code) << c.arguments.back() << "\n" << out.err;
        EXPECT_NE(out.err.find(c.word), std::string::npos) << c.arguments.back() << "\n" << out.err;
        EXPECT_EQ(out.out, "");
    }
}

TEST(Serve, ServesAPageInsteadOfTheEngine) {
    const TempFolder folder;
    EXPECT_EQ(speclens({"serve", "--page", folder.path().string()}).code, 3) << "there is no index.html";
    write_file(folder / "index.html", "a page");
    Start start;
    start.arguments = {"serve", "--page", folder.path().string(), "--port", "0"};
    start.interrupt_when = "Ctrl+C ends it.";
    const Outcome out = speclens(start);
    EXPECT_EQ(out.code, 130) << out.err;
    EXPECT_NE(out.out.find("serves the page of " + folder.path().string() + " at http://127.0.0.1:"), std::string::npos) << out.out;
}

TEST(Serve, SaysWhereItListensAndEndsWithCtrlC) {
    Start start;
    start.arguments = {"serve", "--drafter", "small", "--port", "0"};
    start.interrupt_when = "http://127.0.0.1:";
    const Outcome out = speclens(start);
    EXPECT_EQ(out.code, 130) << out.err;
    EXPECT_NE(out.out.find("serves bundle S with small at http://127.0.0.1:"), std::string::npos) << out.out;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--drafter", "none"}, {"--k", "0"}}) {
        start.arguments = {"serve", "--port", "0"};
        start.arguments.insert(start.arguments.end(), words.begin(), words.end());
        const std::string plain = speclens(start).out;
        EXPECT_NE(plain.find("serves bundle S without speculation at"), std::string::npos) << plain;
    }
    // What cannot run is said before anybody asks.
    start.arguments = {"serve", "--port", "0", "--drafter", "domino", "--tap-shift", "60"};
    const Outcome wrong = speclens(start);
    EXPECT_EQ(wrong.code, 2) << wrong.out;
    EXPECT_EQ(wrong.out, "");
    const Listening taken(domino());
    const Outcome second = speclens({"serve", "--drafter", "small", "--port", std::to_string(taken.port)});
    EXPECT_EQ(second.code, 6) << second.err;
    EXPECT_NE(second.err.find("--port 0"), std::string::npos);
}

} // namespace speclens::test
