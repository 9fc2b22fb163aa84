// One streamed answer: events in pieces, and which pieces were guessed, for each kind of server.
#include <gtest/gtest.h>

#include "engine/base/json.h"
#include "kernels/error.h"
#include "remote/client/answer_reader.h"
#include "remote/client/served_json.h"
#include "remote/client/served_text.h"
#include "remote/reading/event_stream.h"
#include "tests/shared/in_english.h"
#include "tests/shared/listening.h"
#include "tests/shared/mutate.h"

namespace speclens::test {

namespace {

std::string vllm_chunk(const std::vector<std::string>& tokens, bool chat = true) {
    std::string text;
    Json list = Json::array();
    for (const std::string& token : tokens) {
        text += token;
        if (chat)
            list.push_back({{"token", token}, {"logprob", -0.1}});
        else
            list.push_back(token);
    }
    Json choice = {{"index", 0}, {"logprobs", {{chat ? "content" : "tokens", list}}}};
    if (chat)
        choice["delta"] = {{"content", text}};
    else
        choice["text"] = text;
    return Json({{"choices", Json::array({choice})}}).dump();
}

std::string vllm_end(const std::vector<int>& accepted, int k, bool detailed = true) {
    std::vector<int> histogram(static_cast<std::size_t>(k) + 1, 0), drafted(accepted.size(), k);
    for (const int a : accepted) ++histogram[static_cast<std::size_t>(a)];
    Json spec = {{"acceptance_histogram", histogram}, {"num_draft_tokens", k * static_cast<int>(accepted.size())}};
    if (detailed) {
        spec["per_step_accepted"] = accepted;
        spec["per_step_drafted"] = drafted;
    }
    return Json({{"choices", Json::array()}, {"usage", {{"completion_tokens", 9}}}, {"metrics", {{"speculative_decoding", spec}}}}).dump();
}

std::string authors(const ServedText& served) {
    std::string out;
    for (const ServedPiece& piece : served.pieces) out += "?fdt"[static_cast<int>(piece.author)];
    return out;
}

ServedText answer_of(ServerKind kind, const std::vector<std::string>& events) {
    AnswerReader reader(kind);
    double ms = 0;
    for (const std::string& event : events) reader.event(event, ms += 10);
    return reader.finish(ms);
}

} // namespace

TEST(EventStreamTest, PutsPiecesTogether) {
    const std::string text = ": hello\n\ndata: one\n\ndata:two\r\ndata: lines\r\n\r\nevent: x\ndata: [DONE]\n\ndata: rest";
    for (std::size_t size : {1u, 2u, 7u, 1000u}) {
        std::vector<std::string> events;
        EventStream stream([&](const std::string& data) { events.push_back(data); });
        for (std::size_t at = 0; at < text.size(); at += size) stream.push(std::string_view(text).substr(at, size));
        stream.finish();
        EXPECT_EQ(events, (std::vector<std::string>{"one", "two\nlines", "[DONE]", "rest"})) << size;
    }
}

TEST(ServedTextTest, FollowsTheRoundsThatVllmLists) {
    for (const bool chat : {true, false}) {
        const ServedText s =
            answer_of(ServerKind::vllm, {vllm_chunk({"a"}, chat), vllm_chunk({"b", "c", "d"}, chat), vllm_chunk({"e"}, chat),
                                         vllm_chunk({"f", "g"}, chat), vllm_end({2, 0, 3}, 3), "[DONE]"});
        EXPECT_EQ(s.provenance, Provenance::exact);
        EXPECT_EQ(authors(s), "fddttdd"); // the last round was cut behind two of its four tokens
        EXPECT_EQ(s.text(), "abcdefg");
        ASSERT_EQ(s.rounds.size(), 3u);
        EXPECT_EQ(s.rounds[2].drafted, 3);
        EXPECT_EQ(s.pieces[3].round, 0);
        EXPECT_DOUBLE_EQ(s.counts->drafted, 9);
        EXPECT_DOUBLE_EQ(s.first_ms, 10);
        EXPECT_EQ(s.tokens, 9);
    }
}

// What a run would read is what is sent.
TEST(ServedTextTest, AsksLikeARun) {
    RunSettings run;
    run.prompt = {.text = "Hi", .system = "Be brief.", .chat = true};
    run.max_tokens = 7;
    run.sampling.temperature = 0.5;
    run.seed = 11;
    const Json chat = Json::parse(request_body(ServerKind::llamacpp, request_like(run)));
    EXPECT_EQ(chat["messages"], Json::parse(R"([{"role":"system","content":"Be brief."},)"
                                            R"({"role":"user","content":"Hi"}])"));
    EXPECT_EQ(chat["max_tokens"], 7);
    EXPECT_EQ(chat["temperature"], 0.5);
    EXPECT_EQ(chat["seed"], 11);
    run.prompt.chat = false;
    const Json raw = Json::parse(request_body(ServerKind::llamacpp, request_like(run)));
    EXPECT_EQ(raw["prompt"], "Hi");
    EXPECT_FALSE(raw.contains("messages"));
}

TEST(ServedTextTest, CountsTheGuessesOfEveryPlace) {
    const auto counts = [](const Json& drafted) {
        const Json spec = {{"acceptance_histogram", {0, 0, 0, 1, 1}},
                           {"num_draft_tokens", 7},
                           {"per_step_accepted", {4, 3}},
                           {"per_step_drafted", drafted}};
        return *answer_of(ServerKind::vllm,
                          {vllm_chunk({"a"}), Json({{"choices", Json::array()}, {"metrics", {{"speculative_decoding", spec}}}}).dump()})
                    .counts;
    };
    EXPECT_EQ(counts({4, 3}).judged_at, (std::vector<double>{2, 2, 2, 1}));
    EXPECT_TRUE(counts({4, 9}).judged_at.empty()) << "more than places: a tree";
    EXPECT_TRUE(counts({4}).judged_at.empty());
}

// Our own server says what every round wrote: both layouts fit these, and the pieces came together.
TEST(ServedTextTest, FollowsTheTokensThatOurServerLists) {
    const std::string end = R"({"choices":[],"metrics":{"speculative_decoding":{"acceptance_histogram":[0,0,0,1],)"
                            R"("num_draft_tokens":3,"per_step_accepted":[3],"per_step_drafted":[3],"per_step_tokens":)";
    const auto with = [&](const std::string& tokens) {
        return answer_of(ServerKind::vllm, {vllm_chunk({"a", "b", "c"}), end + tokens + "}}}"});
    };
    EXPECT_EQ(authors(with("[3]")), "ddd");
    EXPECT_EQ(with("[3]").provenance, Provenance::exact);
    for (const char* wrong : {"[4]", "[1,2]", "[]", "\"x\""}) EXPECT_EQ(authors(with(wrong)), "fdd") << "read as vLLM's: " << wrong;
}

TEST(ServedTextTest, AsksOurServerForPiecesAndVllmForLogprobs) {
    for (const bool own : {true, false}) {
        RequestSettings request;
        request.prompt = "a";
        request.own_server = own;
        const Json body = Json::parse(request_body(ServerKind::vllm, request));
        EXPECT_EQ(body.contains("return_pieces"), own);
        EXPECT_EQ(body.contains("logprobs"), !own);
    }
}

TEST(ServedTextTest, NoticesAServerWithoutAFirstToken) {
    // Round 1 keeps nothing, so one token alone comes first either way: where later pieces end decides.
    const ServedText s =
        answer_of(ServerKind::vllm, {vllm_chunk({"a"}), vllm_chunk({"b", "c"}), vllm_chunk({"d", "e", "f"}), vllm_end({0, 1, 2}, 3)});
    EXPECT_EQ(s.provenance, Provenance::exact);
    EXPECT_EQ(authors(s), "tdtddt");
}

TEST(ServedTextTest, LeavesOpenWhatDoesNotFit) {
    const ServedText s = answer_of(ServerKind::vllm, {vllm_chunk({"a", "b"}), vllm_end({3, 3, 3}, 3)});
    EXPECT_EQ(s.provenance, Provenance::aggregate);
    EXPECT_EQ(authors(s), "??");
    ASSERT_EQ(s.notes.size(), 1u);
    EXPECT_DOUBLE_EQ(s.counts->accepted, 9);
}

TEST(ServedTextTest, ReadsRoundsOffThePiecesWhereOnlyTotalsAreTold) {
    const ServedText s =
        answer_of(ServerKind::vllm, {vllm_chunk({"a"}), vllm_chunk({"b", "c", "d"}), vllm_chunk({"e"}), vllm_end({2, 0}, 3, false)});
    EXPECT_EQ(s.provenance, Provenance::inferred);
    EXPECT_EQ(authors(s), "fddtt");
    EXPECT_EQ(s.notes.at(0).text, "note.arrivals");
}

TEST(ServedTextTest, SaysHowVllmWouldTell) {
    const ServedText s = answer_of(ServerKind::vllm, {vllm_chunk({"a", "b"})});
    EXPECT_EQ(s.provenance, Provenance::aggregate);
    EXPECT_FALSE(s.counts.has_value());
    EXPECT_EQ(s.notes.at(0).text, "note.vllm_silent");
}

TEST(ServedTextTest, AdvisesNoOptionWhereNothingIsDrafted) {
    AnswerReader off(ServerKind::vllm);
    off.event(vllm_chunk({"a", "b"}), 1);
    EXPECT_EQ(off.finish(2, true).notes, std::vector<Said>{server_said("note.vllm_nothing"_t)});
    const ServedText none = answer_of(ServerKind::vllm, {vllm_chunk({"a"}), R"({"choices":[],"metrics":{"speculative_decoding":null}})"});
    EXPECT_EQ(none.notes.at(0).text, "note.vllm_no_round");
}

TEST(ServedTextTest, CountsPassesWithoutADraft) {
    const std::string end = R"({"choices":[],"metrics":{"speculative_decoding":{"acceptance_histogram":[0,1],"num_draft_tokens":2,)"
                            R"("per_step_accepted":[1,0,0],"per_step_drafted":[2,0,0]}}})";
    const ServedText s = answer_of(ServerKind::vllm, {vllm_chunk({"a", "b"}), vllm_chunk({"c"}), vllm_chunk({"d"}), end});
    EXPECT_EQ(s.provenance, Provenance::exact);
    EXPECT_DOUBLE_EQ(*s.counts->rounds, 1);
    EXPECT_EQ(s.passes_without_draft(), 2);
    EXPECT_EQ(s.counts->accepted + *s.counts->rounds + s.passes_without_draft(), 4);
    const AcceptanceName share = acceptance_names(*s.counts, s.passes_without_draft()).back();
    EXPECT_EQ(share.name.text, "name.share");
    EXPECT_DOUBLE_EQ(share.value.value_or(0), 1.0 / 4) << "one of the four tokens was guessed";
    EXPECT_DOUBLE_EQ(acceptance_names(*s.counts).back().value.value_or(0), 1.0 / 4) << "the counts know their text";
    SpecCounts rounds = *s.counts;
    rounds.text.reset(); // rounds alone: what it would be if every pass drafted, and that is said
    EXPECT_DOUBLE_EQ(acceptance_names(rounds).back().value.value_or(0), 1.0 / 2);
    EXPECT_EQ(acceptance_names(rounds).back().formula.text, "formula.share:rounds");
}

TEST(ServedTextTest, FollowsTheCountersOfLlama) {
    const auto chunk = [](const char* text, int drafted, int accepted) {
        return Json({{"choices", Json::array({{{"delta", {{"content", text}}}}})},
                     {"timings", {{"draft_n", drafted}, {"draft_n_accepted", accepted}}}})
            .dump();
    };
    const ServedText s = answer_of(ServerKind::llamacpp, {chunk("a", 0, 0), chunk("b", 3, 2), chunk("c", 3, 2), chunk("d", 3, 2),
                                                          chunk("e", 6, 2), chunk("f", 6, 2), chunk("g", 9, 3), chunk("h", 9, 3)});
    EXPECT_EQ(s.provenance, Provenance::inferred);
    EXPECT_EQ(authors(s), "fddtttdt"); // f: a pass without drafts
    ASSERT_EQ(s.rounds.size(), 3u);
    EXPECT_EQ(s.rounds[0].drafted, 3);
    EXPECT_DOUBLE_EQ(s.counts->drafted, 9);
    EXPECT_EQ(s.counts->accepted_at, (std::vector<double>{2, 1, 0}));
    EXPECT_EQ(
        answer_of(ServerKind::llamacpp, {Json({{"choices", Json::array({{{"delta", {{"content", "a"}}}}})}}).dump()}).notes.at(0).text,
        "note.no_timings");
}

// SGLang pull request 33518 shows this answer.
TEST(ServedTextTest, ReadsSglangsTotals) {
    const std::string end =
        R"({"choices":[],"usage":{"completion_tokens":106},"sglext":{"spec_tokens_details":{"spec_accept_rate":0.2930232558139535,"spec_accept_length":2.4651162790697674,
        "spec_num_correct_drafts":63,"spec_num_proposed_drafts":215,"spec_verify_ct":43,"spec_correct_drafts_histogram":[11,14,11,4,0,3]}}})";
    const ServedText s = answer_of(ServerKind::sglang, {R"({"choices":[{"delta":{"content":"ab"}}]})", end});
    EXPECT_EQ(s.provenance, Provenance::aggregate);
    EXPECT_EQ(s.tokens, 106);
    EXPECT_DOUBLE_EQ(*s.counts->rounds, 43);
    EXPECT_DOUBLE_EQ(s.counts->accepted, 63);
    EXPECT_EQ(s.counts->accepted_at, (std::vector<double>{32, 18, 7, 3, 3}));
    EXPECT_NEAR(*acceptance_length(*s.counts), 2.4651162790697674, 1e-9);
}

TEST(ServedTextTest, AsksEveryServerOnlyWhatItKnows) {
    RequestSettings r;
    r.prompt = "hi \"there\"";
    r.system = "short";
    r.seed = 7;
    const Json vllm = Json::parse(request_body(ServerKind::vllm, r)), llama = Json::parse(request_body(ServerKind::llamacpp, r)),
               sglang = Json::parse(request_body(ServerKind::sglang, r));
    EXPECT_EQ(vllm["messages"][1]["content"], r.prompt);
    EXPECT_EQ(vllm["messages"][0]["role"], "system");
    EXPECT_EQ(vllm["logprobs"], true);
    EXPECT_EQ(vllm["stream_options"]["include_usage"], true);
    EXPECT_FALSE(vllm.contains("timings_per_token"));
    EXPECT_EQ(llama["timings_per_token"], true);
    EXPECT_FALSE(llama.contains("logprobs"));
    EXPECT_EQ(sglang["return_spec_tokens_details"], true);
    r.chat = false;
    const Json raw = Json::parse(request_body(ServerKind::vllm, r));
    EXPECT_EQ(raw["prompt"], r.prompt);
    EXPECT_EQ(raw["logprobs"], 0);
    EXPECT_FALSE(raw.contains("messages"));
    r.prompt = "broken \xff bytes"; // must not throw
    EXPECT_NO_THROW((void)request_body(ServerKind::unknown, r));
}

TEST(ServedTextTest, AnErrorInTheStreamIsAnError) {
    AnswerReader reader(ServerKind::vllm);
    try {
        reader.event(R"({"error":{"message":"context too long"}})", 1);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("context too long"), std::string::npos);
    }
}

// The first arrival holds a whole round, and nobody knows how long that took.
TEST(ServedTextTest, TimesWhatCameBehindTheFirstArrival) {
    const std::vector<std::string> round = {"a", "b", "c", "d", "e", "f", "g", "h"};
    const auto speed = [&](const std::vector<double>& times) {
        AnswerReader reader(ServerKind::vllm);
        for (const double ms : times) reader.event(vllm_chunk(round), ms);
        const ServedText served = reader.finish(times.back() + 50); // the connection closes later
        const Json json = Json::parse(served_json(served, test::english));
        EXPECT_EQ(json.contains("tokens_per_second"), served.tokens_per_second().has_value());
        EXPECT_EQ(json.value("tokens_per_second", 0.0), served.tokens_per_second().value_or(0));
        return served.tokens_per_second();
    };
    ASSERT_TRUE(speed({5, 15, 25}).has_value());
    EXPECT_DOUBLE_EQ(*speed({5, 15, 25}), 800) << "16 tokens in 20 ms, not 23";
    EXPECT_DOUBLE_EQ(*speed({5, 5.2, 5.4, 15.4, 25.4}), 800) << "three rounds came together first";
    for (const std::vector<double>& times : {std::vector<double>{5}, {5, 55}, {5, 5.01, 5.02, 5.03}, {5, 8, 11}, {5, 5.2, 5.4, 45}})
        EXPECT_FALSE(speed(times).has_value()) << times.size() << " pieces until " << times.back();
}

TEST(ServedTextTest, TimesPiecesOfSeveralTokensByTheirShareOfTheText) {
    const auto chunk = [](const char* text) { return Json({{"choices", Json::array({{{"delta", {{"content", text}}}}})}}).dump(); };
    const std::string end = R"({"choices":[],"usage":{"completion_tokens":30}})";
    for (const bool told : {true, false}) {
        AnswerReader reader(ServerKind::sglang);
        double ms = -15;
        for (const char* text : {"0123456789", "01234", "012345678901234"}) reader.event(chunk(text), ms += 20);
        if (told) reader.event(end, ms);
        const auto speed = reader.finish(ms).tokens_per_second();
        EXPECT_EQ(speed.has_value(), told) << "pieces are no tokens";
        EXPECT_DOUBLE_EQ(speed.value_or(500), 500) << "two thirds of 30 tokens in 40 ms";
    }
}

TEST(ServedTextTest, SurvivesDamage) {
    const std::vector<std::string> events = {vllm_chunk({"a"}), vllm_chunk({"b", "c", "d"}), vllm_end({2, 0, 3}, 3),
                                             R"({"choices":[{"delta":{"content":"x"}}],"timings":{"draft_n":3,"draft_n_accepted":2}})"};
    Mutator mutator(23);
    for (int i = 0; i < 3000; ++i) {
        AnswerReader reader(ServerKind::vllm);
        try {
            for (const std::string& event : events) reader.event(mutator.mutate(event), 1);
            (void)served_json(reader.finish(2), test::english);
        } catch (const Error&) { // the damage made an "error" of it
        }
    }
}

TEST(Answer, ARefusalNamesWhatWasAsked) {
    const std::string body = R"({"error":{"message":"expected a whole number"}})";
    const RawServer server("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                           body);
    for (const bool seeded : {true, false}) {
        RequestSettings request;
        request.prompt = "hi";
        if (seeded) request.seed = 7;
        try {
            (void)send_request(server.endpoint, {}, request, {});
            ADD_FAILURE() << "no error";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("expected a whole number"), std::string::npos);
            EXPECT_EQ(error.remedy().find("--seed") != std::string::npos, seeded) << error.remedy();
        }
    }
}

TEST(Answer, ThatEndsInTheMiddleIsAnError) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    const std::string piece = "data: " + vllm_chunk({"a"}, false) + "\n\n";
    ServerFacts facts;
    facts.kind = ServerKind::vllm;
    RequestSettings request;
    request.prompt = "hi";
    const auto sent = [&](const std::string& events) {
        const RawServer server(head + events);
        return send_request(server.endpoint, facts, request, {});
    };
    const std::string cut_finish = R"(data: {"choices":[{"index":0,"text":"b","finish_reason":"length"}]})";
    EXPECT_EQ(sent(piece + cut_finish + "\n\n").finish, "length");
    EXPECT_EQ(sent(piece + "data: [DONE]\n\n").text(), "a");
    for (const std::string& events : {piece, piece + "data: {\"choi", std::string("garbage\n\n"), std::string()}) {
        try {
            (void)sent(events);
            ADD_FAILURE() << events;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::network);
            EXPECT_FALSE(error.remedy().empty());
        }
    }
}

} // namespace speclens::test
