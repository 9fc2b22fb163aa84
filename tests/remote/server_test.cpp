// Our own server, asked over a real socket: what it tells is what the engine did, and others' troubles end as
// errors.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <ctime>
#include <httplib.h>
#include <new>
#include <thread>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/model/scorer.h"
#include "engine/net/http.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"
#include "remote/client/probe.h"
#include "remote/client/served_text.h"
#include "remote/reading/exposition.h"
#include "remote/serving/spec_server.h"
#include "tests/shared/eventually.h"
#include "tests/shared/listening.h"

namespace speclens::test {

namespace {

RunSettings base(const std::string& drafter, const std::string& rule = "token") {
    RunSettings settings;
    settings.drafter = drafter;
    settings.rule = rule;
    settings.k = 4;
    return settings;
}

RequestSettings question(double temperature = 0) {
    RequestSettings request;
    request.prompt = "Write a short poem about the moon.";
    request.max_tokens = 40;
    request.temperature = temperature;
    request.seed = 5;
    return request;
}

HttpAnswer post(const Endpoint& endpoint, const std::string& path, const std::string& body) {
    HttpSettings patient;
    patient.silence_seconds = 250; // a queue of whole answers, under a sanitizer
    return http_post(endpoint, path, body, patient, {});
}

// What it answers to these bytes, until it closes the connection.
std::string said_to(int port, const std::string& bytes) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
    std::string answer;
    char some[4096];
    for (ssize_t n = 0; (n = read(connection, some, sizeof some)) > 0;) answer.append(some, static_cast<std::size_t>(n));
    close(connection);
    return answer;
}

} // namespace

TEST(SpecServerTest, TellsExactlyWhatTheEngineDid) {
    for (const char* drafter : {"domino", "small", "small_tree", "none"})
        for (const double temperature : {0.0, 0.8}) {
            SCOPED_TRACE(std::string(drafter) + " at " + std::to_string(temperature));
            const std::string rule = std::string(drafter) == "small_tree" ? "tree_wor" : "token";
            const Listening server(base(drafter, rule));
            const ServerFacts facts = probe_server(server.endpoint, {});
            EXPECT_EQ(facts.kind, ServerKind::vllm);
            EXPECT_NE(facts.version.find("SpecLens"), std::string::npos);
            const RequestSettings request = question(temperature);
            const ServedText served = send_request(server.endpoint, facts, request, {});

            // The same run without any network.
            RunSettings settings = base(drafter, rule);
            settings.prompt.text = request.prompt;
            settings.prompt.chat = true;
            settings.max_tokens = request.max_tokens;
            settings.sampling.temperature = temperature;
            settings.seed = *request.seed;
            speclens::Run run(whole_bundle(), settings);
            run.finish();
            const RunView view = fold(run.trace(), run.trace().size());
            EXPECT_EQ(served.text(), run.output_text());
            EXPECT_EQ(served.tokens, view.output_tokens);
            ASSERT_EQ(static_cast<int>(served.pieces.size()), view.output_tokens);

            const ServerReading after = scrape(server.endpoint, facts, {});
            EXPECT_DOUBLE_EQ(*after.generated, view.output_tokens);
            EXPECT_DOUBLE_EQ(*after.prompt_tokens, view.prompt_tokens);
            if (view.drafted == 0) {
                EXPECT_FALSE(served.counts.has_value());
                EXPECT_DOUBLE_EQ(*after.counts->rounds, 0);
                continue;
            }
            EXPECT_EQ(served.provenance, Provenance::exact);
            ASSERT_EQ(static_cast<int>(served.rounds.size()), view.rounds);
            std::size_t at = 0;
            for (int round = 0; round < view.rounds; ++round) {
                const RoundSummary& cycle = view.round_list[static_cast<std::size_t>(round)];
                EXPECT_EQ(served.rounds[static_cast<std::size_t>(round)].accepted, cycle.accepted);
                EXPECT_EQ(served.rounds[static_cast<std::size_t>(round)].drafted, static_cast<int>(cycle.drafts.size()));
                for (std::size_t i = 0; i < cycle.commit->tokens.size(); ++i, ++at) {
                    EXPECT_EQ(served.pieces[at].round, round);
                    EXPECT_EQ(served.pieces[at].author, static_cast<int>(i) < cycle.accepted ? Author::draft : Author::target);
                }
            }
            EXPECT_DOUBLE_EQ(*served.counts->rounds, view.rounds);
            EXPECT_DOUBLE_EQ(served.counts->drafted, view.drafted);
            EXPECT_DOUBLE_EQ(served.counts->accepted, view.accepted_drafts);
            EXPECT_DOUBLE_EQ(*after.counts->rounds, *served.counts->rounds);
            EXPECT_DOUBLE_EQ(after.counts->drafted, served.counts->drafted);
            EXPECT_DOUBLE_EQ(after.counts->accepted, served.counts->accepted);
            double kept = 0;
            for (const double places : after.counts->accepted_at) kept += places;
            EXPECT_DOUBLE_EQ(kept, view.accepted_drafts);
        }
}

// The text ends among kept guesses, so that its rounds would also fit behind a token from the prefill.
TEST(SpecServerTest, MarksATextThatEndsAmongKeptGuesses) {
    RunSettings settings = base("domino");
    settings.k = 7;
    const Listening server(settings);
    const ServerFacts facts = probe_server(server.endpoint, {});
    struct Case {
        const char* prompt;
        bool chat;
    };
    for (const Case& c : {Case{"The capital of Germany is", false}, Case{"What is the capital of France?", true},
                          Case{"What is the capital of Japan?", true}}) {
        SCOPED_TRACE(c.prompt);
        RequestSettings request = question();
        request.prompt = c.prompt;
        request.chat = c.chat;
        const ServedText served = send_request(server.endpoint, facts, request, {});
        settings.prompt.text = c.prompt;
        settings.prompt.chat = c.chat;
        settings.max_tokens = request.max_tokens;
        settings.seed = *request.seed;
        settings.sampling.temperature = 0;
        speclens::Run run(whole_bundle(), settings);
        run.finish();
        const RunView view = fold(run.trace(), run.trace().size());
        EXPECT_EQ(served.provenance, Provenance::exact);
        std::size_t at = 0;
        for (const RoundSummary& round : view.round_list)
            for (std::size_t i = 0; i < round.commit->tokens.size(); ++i, ++at) {
                ASSERT_LT(at, served.pieces.size());
                EXPECT_EQ(served.pieces[at].author, static_cast<int>(i) < round.accepted ? Author::draft : Author::target)
                    << at << " " << served.pieces[at].text;
            }
        EXPECT_EQ(at, served.pieces.size());
    }
}

TEST(SpecServerTest, TellsWhichPlacesWereJudged) {
    for (const char* drafter : {"domino", "small_tree"}) {
        SCOPED_TRACE(drafter);
        const Listening server(base(drafter, std::string(drafter) == "small_tree" ? "tree_wor" : "token"));
        const ServerFacts facts = probe_server(server.endpoint, {});
        const ServedText served = send_request(server.endpoint, facts, question(0.8), {});
        const SpecCounts counts = *scrape(server.endpoint, facts, {}).counts;
        EXPECT_EQ(counts.judged_at, served.counts->judged_at);
        ASSERT_EQ(counts.judged_at.size(), counts.accepted_at.size());
        EXPECT_DOUBLE_EQ(counts.judged_at[0], *counts.rounds) << "every round has a first guess";
        for (std::size_t i = 0; i < counts.judged_at.size(); ++i) {
            EXPECT_GE(counts.judged_at[i], counts.accepted_at[i]);
            if (i > 0) {
                EXPECT_LE(counts.judged_at[i], counts.accepted_at[i - 1]);
            }
        }
    }
}

TEST(SpecServerTest, HasBoundsInItsHistograms) {
    const Listening server(base("small"));
    const ServerFacts facts = probe_server(server.endpoint, {});
    const ServedText served = send_request(server.endpoint, facts, question(), {});
    const auto samples = parse_exposition(http_get(server.endpoint, "/metrics").body, "test");
    for (const std::string name : {"vllm:time_to_first_token_seconds", "vllm:inter_token_latency_seconds"}) {
        double buckets = 0, last = 0, count = -1;
        std::string bound;
        for (const MetricSample& sample : samples) {
            if (sample.name == name + "_count") count = sample.value;
            if (sample.name != name + "_bucket") continue;
            EXPECT_GE(sample.value, last);
            last = sample.value;
            bound = *sample.label("le");
            ++buckets;
        }
        EXPECT_GT(buckets, 15) << name;
        EXPECT_EQ(bound, "+Inf");
        EXPECT_DOUBLE_EQ(last, count);
        EXPECT_DOUBLE_EQ(count, name.find("first") != std::string::npos ? 1 : served.tokens - 1);
    }
}

// A first token that came alone has nothing between it and itself.
TEST(SpecServerTest, MeasuresNoGapWhereThereIsNone) {
    const Listening server(base("none"));
    EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":1})").status, 200);
    int lines = 0;
    for (const MetricSample& sample : parse_exposition(http_get(server.endpoint, "/metrics").body, "test")) {
        if (!sample.name.starts_with("vllm:inter_token_latency_seconds")) continue;
        EXPECT_EQ(sample.value, 0) << sample.name;
        ++lines;
    }
    EXPECT_GT(lines, 15);
}

TEST(SpecServerTest, HasTheFieldsThatClientsOfVllmRead) {
    const Listening server(base("small"));
    const auto now = static_cast<double>(std::time(nullptr));
    const auto recent = [&](const Json& json) { return json.contains("created") && std::abs(json["created"].get<double>() - now) < 600; };
    EXPECT_TRUE(recent(Json::parse(http_get(server.endpoint, "/v1/models").body)["data"][0]));
    EXPECT_TRUE(recent(Json::parse(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":2})").body)));
    const std::string chat = R"("messages":[{"role":"user","content":"Hi"}],"max_tokens":9)";
    EXPECT_TRUE(recent(Json::parse(post(server.endpoint, "/v1/chat/completions", "{" + chat + "}").body)));
    std::string stream;
    (void)http_post(server.endpoint, "/v1/chat/completions", "{" + chat + R"(,"stream":true})", {}, [&](std::string_view bytes) {
        stream += bytes;
        return true;
    });
    EXPECT_TRUE(recent(Json::parse(stream.substr(6, stream.find('\n') - 6)))) << stream;
    const std::size_t role = stream.find(R"("role":"assistant")");
    EXPECT_LT(role, stream.find('\n')) << stream;
    EXPECT_EQ(stream.find(R"("role":"assistant")", role + 1), std::string::npos) << "in the first chunk only";
    for (const char* streamed : {"false", "true"}) {
        const HttpAnswer other =
            post(server.endpoint, "/v1/completions", R"({"model":"other","prompt":"The","stream":)" + std::string(streamed) + "}");
        EXPECT_EQ(other.status, 404) << other.body;
        EXPECT_EQ(Json::parse(other.body)["error"]["type"], "NotFoundError");
    }
    EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"model":"bundle S","prompt":"The","max_tokens":2})").status, 200);
}

TEST(SpecServerTest, TellsTheIdsOfAPrompt) {
    const Listening server(base("none"));
    const auto ids = [&](const Json& body) {
        const HttpAnswer answer = post(server.endpoint, "/tokenize", body.dump());
        EXPECT_EQ(answer.status, 200) << answer.body;
        return Json::parse(answer.body)["tokens"].get<std::vector<int>>();
    };
    const std::string text = "The capital of France is";
    EXPECT_EQ(ids({{"prompt", text}}), whole_bundle()->tokenizer->encode(text));
    EXPECT_EQ(ids({{"prompt", text}, {"add_special_tokens", false}, {"model", "bundle S"}}), whole_bundle()->tokenizer->encode(text));
    RunSettings chat = base("none");
    chat.prompt.text = "Hi";
    chat.prompt.chat = true;
    speclens::Run run(whole_bundle(), chat);
    run.finish();
    EXPECT_EQ(ids({{"messages", Json::array({Json{{"role", "user"}, {"content", "Hi"}}})}, {"add_generation_prompt", true}}),
              run.trace().header()->prompt);
    EXPECT_EQ(post(server.endpoint, "/tokenize", R"({"prompt":""})").status, 400);
    EXPECT_EQ(post(server.endpoint, "/tokenize", R"({"prompt":"a","model":"other"})").status, 404);
    EXPECT_EQ(post(server.endpoint, "/tokenize", "{}").status, 400);
    EXPECT_EQ(http_get(server.endpoint, "/tokenize").status, 405);
}

TEST(SpecServerTest, AnswersAtOnceWhenNobodyStreams) {
    const Listening server(base("small"));
    const HttpAnswer chat =
        post(server.endpoint, "/v1/chat/completions",
             R"({"messages":[{"role":"user","content":[{"type":"text","text":"What is the capital of Japan?"}]}],"temperature":0})");
    ASSERT_EQ(chat.status, 200) << chat.body;
    const Json answer = Json::parse(chat.body);
    EXPECT_EQ(answer["choices"][0]["message"]["content"], "The capital of Japan is Tokyo.");
    EXPECT_EQ(answer["choices"][0]["finish_reason"], "stop");
    EXPECT_GT(answer["metrics"]["speculative_decoding"]["num_accepted_draft_tokens"], 0);
    const HttpAnswer raw =
        post(server.endpoint, "/v1/completions", R"({"prompt":"The capital of France is","max_tokens":2,"temperature":0})");
    EXPECT_EQ(Json::parse(raw.body)["choices"][0]["finish_reason"], "length") << raw.body;
    EXPECT_EQ(Json::parse(raw.body)["usage"]["completion_tokens"], 2);
    // A conversation is answered with its earlier turns, not without them.
    const auto length = [&](const char* body) {
        const HttpAnswer answered = post(server.endpoint, "/v1/chat/completions", body);
        EXPECT_EQ(answered.status, 200) << answered.body;
        return Json::parse(answered.body)["usage"]["prompt_tokens"].get<int>();
    };
    EXPECT_GT(length(
                  R"({"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hello there."},
                        {"role":"user","content":"Who are you?"}],"stop":null})"),
              length(R"({"messages":[{"role":"user","content":"Who are you?"}],"max_tokens":1})") + 6);
    EXPECT_EQ(Json::parse(http_get(server.endpoint, "/v1/models").body)["data"][0]["id"], "bundle S");
}

// llama.cpp's field: how somebody who measures asks the same server for less speculation, or none.
TEST(SpecServerTest, DraftsAsFewAsARequestAsksFor) {
    const Listening server(base("domino"));
    const auto asked = [&](const std::string& n_max) {
        return post(server.endpoint, "/v1/chat/completions",
                    R"({"messages":[{"role":"user","content":"Write a short poem about the moon."}],"max_tokens":40,"temperature":0)" +
                        n_max + "}");
    };
    const auto answer = [&](const std::string& n_max) {
        const HttpAnswer got = asked(n_max);
        EXPECT_EQ(got.status, 200) << got.body;
        return Json::parse(got.body);
    };
    const Json usual = answer(""), two = answer(R"(,"speculative.n_max":2)"), plain = answer(R"(,"speculative.n_max":0)");
    const auto text = [](const Json& of) { return of["choices"][0]["message"]["content"].get<std::string>(); };
    EXPECT_EQ(text(two), text(usual));
    EXPECT_EQ(text(plain), text(usual));
    const auto rounds = [](const Json& of) { return of["metrics"]["speculative_decoding"]; };
    const Json drafted = rounds(two)["per_step_drafted"];
    for (const Json& step : drafted) EXPECT_LE(step.get<int>(), 2) << two;
    EXPECT_EQ(drafted[0], 2) << two;
    EXPECT_EQ(rounds(usual)["per_step_drafted"][0], 4) << usual;
    EXPECT_GT(rounds(two)["num_spec_steps"].get<int>(), rounds(usual)["num_spec_steps"].get<int>()) << "shorter drafts, more rounds";
    EXPECT_TRUE(rounds(plain).is_null()) << plain;
    for (const char* wrong : {"5", "-1", "1.5", "\"two\""}) {
        const HttpAnswer refused = asked(std::string(",\"speculative.n_max\":") + wrong);
        EXPECT_EQ(refused.status, 400) << wrong;
        EXPECT_NE(refused.body.find("speculative.n_max"), std::string::npos) << refused.body;
    }
}

TEST(SpecServerTest, RefusesWithAReason) {
    const Listening server(base("small"));
    struct Case {
        const char *path, *body, *word;
    };
    std::string long_prompt = R"({"prompt":")";
    for (int i = 0; i < 9000; ++i) long_prompt += "word ";
    long_prompt += "\"}";
    for (const Case& c :
         {Case{"/v1/completions", "nonsense", "JSON"},
          Case{"/v1/completions", "{}", "prompt"},
          Case{"/v1/completions", R"({"prompt":["a","b"]})", "one answer"},
          Case{"/v1/completions", R"({"prompt":""})", ""},
          Case{"/v1/completions", R"({"prompt":"a","temperature":-1})", "temperature"},
          Case{"/v1/completions", R"({"prompt":"a","max_tokens":0})", "max_tokens"},
          Case{"/v1/completions", R"({"prompt":"a","n":3})", "n "},
          Case{"/v1/completions", R"({"prompt":[99999999]})", ""},
          Case{"/v1/chat/completions", R"({"messages":[]})", "messages"},
          Case{"/v1/chat/completions", R"({"messages":[{"content":"x"}]})", "role"},
          Case{"/v1/chat/completions", R"({"messages":[{"role":"tool","content":"x"}]})", "tool"},
          Case{"/v1/chat/completions", R"({"messages":[{"role":"user","content":""}]})", "empty"},
          Case{"/v1/completions", R"({"prompt":"a","stop":["\n"]})", "stop"},
          Case{"/v1/completions", R"({"prompt":"a","presence_penalty":0.5})", "presence_penalty"},
          Case{"/v1/completions", R"({"prompt":"a","temperature":1e-31})", "temperature"},
          Case{"/v1/completions", R"({"prompt":"a","model":3})", "model"},
          Case{"/v1/completions", R"({"prompt":"a","logprobs":true})", "expected an integer from 0 to 20"},
          Case{"/v1/completions", R"({"prompt":"a","logprobs":21})", "expected an integer from 0 to 20"},
          Case{"/v1/completions", R"({"prompt":"a","logprobs":1,"top_logprobs":2})", "as logprobs"},
          Case{"/v1/completions", R"({"prompt":"a","return_token_sources":1})", "return_token_sources"},
          Case{"/v1/chat/completions", R"({"messages":[{"role":"user","content":"x"}],"logprobs":2})", "logprobs"},
          Case{"/v1/chat/completions", R"({"messages":[{"role":"user","content":"x"}],"top_logprobs":2})", "needs logprobs"},
          Case{"/v1/chat/completions", R"({"messages":[{"role":"user","content":"x"}],"logprobs":true,"top_logprobs":21})",
               "top_logprobs is 21"},
          Case{"/v1/completions", long_prompt.c_str(), ""}})
        for (const bool stream : {false, true}) { // a status goes before a stream, too
            std::string body = c.body;
            if (stream && body.ends_with("}") && body != "{}") body.replace(body.size() - 1, 1, R"(,"stream":true})");
            const HttpAnswer answer = post(server.endpoint, c.path, body);
            EXPECT_EQ(answer.status, 400) << stream << std::string(c.body).substr(0, 60) << "\n" << answer.body;
            const Json json = Json::parse_or_discard(answer.body);
            ASSERT_TRUE(json.is_object()) << answer.body;
            EXPECT_NE(json["error"]["message"].get<std::string>().find(c.word), std::string::npos) << answer.body;
        }
    EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":2,"logprobs":null})").status, 200);
    // and goes on
    EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":2})").status, 200);
}

// Also where the library refuses by itself: clients look for the reason in the body.
TEST(SpecServerTest, RefusesWithAReasonBeforeARequestIsRead) {
    const Listening server(base("small"));
    httplib::Client client(server.endpoint.origin);
    client.set_read_timeout(120);
    client.set_write_timeout(120);
    const auto expect = [](const httplib::Result& answer, int status, const std::string& word) {
        ASSERT_TRUE(answer) << word;
        EXPECT_EQ(answer->status, status) << answer->body;
        EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
        const Json json = Json::parse_or_discard(answer->body);
        ASSERT_TRUE(json.is_object()) << status << ": '" << answer->body << "'";
        EXPECT_EQ(json["error"]["code"], status);
        EXPECT_TRUE(json["error"]["type"].is_string());
        EXPECT_NE(json["error"]["message"].get<std::string>().find(word), std::string::npos) << answer->body;
    };
    for (const char* path : {"/v1/completions", "/v1/chat/completions"})
        for (const httplib::Result& answer : {client.Get(path), client.Put(path, "{}", "application/json"), client.Delete(path),
                                              client.Options(path), client.Patch(path, "{}", "application/json")}) {
            expect(answer, 405, path);
            EXPECT_EQ(answer->get_header_value("Allow"), "POST");
        }
    const std::string bare = "PUT /v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const Stopwatch watch;
    EXPECT_NE(said_to(server.port, bare).find("\r\nAllow: POST\r\n"), std::string::npos);
    EXPECT_LT(watch.ms(), 4000) << "the library waits five seconds for a body that nobody announced";
    const httplib::Result posted = client.Post("/metrics", "{}", "application/json");
    expect(posted, 405, "not POST");
    EXPECT_EQ(posted->get_header_value("Allow"), "GET, HEAD");
    const httplib::Result head = client.Head("/v1/completions");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 405);
    EXPECT_EQ(client.Head("/health")->status, 200);
    expect(client.Get("/nowhere"), 404, "/v1/chat/completions");
    expect(client.Post("/nowhere", "{}", "application/json"), 404, "no such address");
    const std::string large = R"({"prompt":")" + std::string(8'000'000, 'a') + "\"}";
    expect(client.Post("/v1/completions", large, "application/json"), 413, "8000000 bytes");
    // What curl -d calls every body.
    const std::string form = large.substr(large.size() - 9000);
    expect(client.Post("/v1/completions", form, "application/x-www-form-urlencoded"), 413, "Content-Type: application/json");
    // and goes on
    EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":2})").status, 200);
}

TEST(SpecServerTest, ServesSeveralWithTheTextOfOne) {
    const Listening server(base("small"));
    const ServerFacts facts = probe_server(server.endpoint, {});
    const ServedText alone = send_request(server.endpoint, facts, question(), {});
    std::vector<std::thread> threads;
    std::vector<std::string> texts(4);
    for (std::string& text : texts)
        threads.emplace_back([&, out = &text] { *out = send_request(server.endpoint, facts, question(), {}).text(); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : texts) EXPECT_EQ(text, alone.text());
    const ServerReading reading = scrape(server.endpoint, facts, {});
    EXPECT_DOUBLE_EQ(*reading.running, 0);
    EXPECT_DOUBLE_EQ(*reading.waiting, 0);
    EXPECT_DOUBLE_EQ(*reading.generated, 5.0 * alone.tokens);
    EXPECT_DOUBLE_EQ(reading.first_token.count, 5);
}

// Targets that only say what follows a text.
class OwnScorer : public Scorer {
  public:
    explicit OwnScorer(const Models& like) : vocabulary_{like.tokenizer, like.vocab(), like.stops()} {}
    const std::string& name() const override { return name_; }
    const Vocabulary& vocabulary() const override { return vocabulary_; }
    int listed() const override { return 4; }
    int capacity() const override { return 1000; }

    // Models that have this scorer as their target.
    template <class Own>
    [[nodiscard]] static std::pair<std::shared_ptr<Own>, std::shared_ptr<const Models>> target() {
        auto models = std::make_shared<Models>(*whole_bundle());
        auto scorer = std::make_shared<Own>(*models);
        models->scorer = scorer;
        models->target = nullptr;
        models->networks.clear();
        return {std::move(scorer), std::move(models)};
    }

  private:
    std::string name_ = "a scorer of this test";
    Vocabulary vocabulary_;
};

// It runs out of memory with every answer.
class Exhausted final : public OwnScorer {
  public:
    using OwnScorer::OwnScorer;
    std::vector<TopEntries> score(std::span<const int>, int, Wire&) const override { throw std::bad_alloc(); }
};

// It says nothing until it may.
class Halting final : public OwnScorer {
  public:
    using OwnScorer::OwnScorer;
    std::vector<TopEntries> score(std::span<const int>, int rows, Wire&) const override {
        may_.wait(false);
        TopEntries top;
        top.entries = {{5, 0.0}};
        return std::vector<TopEntries>(static_cast<std::size_t>(rows), top);
    }
    void go() {
        may_.store(true);
        may_.notify_all();
    }

  private:
    std::atomic<bool> may_{false};
};

TEST(SpecServerTest, TellsHowManyWaitAndRefusesTooMany) {
    const auto [target, models] = OwnScorer::target<Halting>();
    const Listening server(base("none"), 12, models);
    const ServerFacts facts = probe_server(server.endpoint, {});
    std::atomic<int> answered{0}, refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
            const HttpAnswer answer = post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":24})");
            EXPECT_TRUE(answer.status == 200 || answer.status == 503) << answer.body;
            ++(answer.status == 503 ? refused : answered);
        });
    // One is served and eleven wait: more than the library's own eight workers leave to see.
    ServerReading reading;
    EXPECT_TRUE(eventually([&] {
        reading = scrape(server.endpoint, facts, {});
        return *reading.running == 1 && *reading.waiting == 11 && refused == 4;
    })) << *reading.running
        << " running, " << *reading.waiting << " waiting, " << refused << " refused";
    EXPECT_EQ(answered, 0);
    target->go();
    EXPECT_TRUE(eventually([&] {
        reading = scrape(server.endpoint, facts, {});
        EXPECT_LE(*reading.running, 1) << "one after the other";
        return *reading.running == 0 && *reading.waiting == 0 && reading.first_token.count == 12;
    }));
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(answered, 12);
    EXPECT_EQ(refused, 4);
}

// Three hundred connections that say nothing, and as many that had their answer: a request waits for none of them.
TEST(SpecServerTest, IdleConnectionsDelayNobody) {
    const Listening server(base("none"));
    const auto ms_of = [&] {
        const auto began = std::chrono::steady_clock::now();
        EXPECT_TRUE(http_get(server.endpoint, "/health").ok());
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    };
    const auto fastest = [&] { return std::min({ms_of(), ms_of(), ms_of(), ms_of(), ms_of()}); };
    const double alone = fastest();
    std::vector<int> idle;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(server.port));
    const std::string get = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    for (int i = 0; i < 300; ++i) {
        idle.push_back(socket(AF_INET, SOCK_STREAM, 0));
        ASSERT_EQ(connect(idle.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << i;
        if (i % 10 != 0) continue;
        ASSERT_GT(send(idle.back(), get.data(), get.size(), MSG_NOSIGNAL), 0);
        char bytes[256];
        EXPECT_GT(recv(idle.back(), bytes, sizeof bytes, 0), 0);
    }
    EXPECT_LT(fastest(), 50 * std::max(alone, 1.0)) << "the library would keep a thread for five seconds";
    for (const int connection : idle) close(connection);
}

TEST(SpecServerTest, AnswersManyStreamsAtOnce) {
    const Listening server(base("none"), ServeSettings().most_waiting);
    std::atomic<int> whole{0};
    HttpSettings patient;
    patient.silence_seconds = 60;
    std::vector<std::thread> threads;
    for (int i = 0; i < 120; ++i)
        threads.emplace_back([&] {
            std::string text;
            const HttpAnswer answer = http_post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":2,"stream":true})",
                                                patient, [&](std::string_view bytes) {
                                                    text += bytes;
                                                    return true;
                                                });
            whole += answer.status == 200 && text.find("[DONE]") != std::string::npos;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(whole, 120);
}

// Who leaves and who comes next are counted one after the other.
TEST(SpecServerTest, NeverTellsThatMoreRunThanHaveASeat) {
    const Listening server(base("none"), 32, whole_bundle(), {.texts = 1});
    const ServerFacts facts = probe_server(server.endpoint, {});
    std::atomic<int> left{4};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 60; ++k)
                EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":1})").status, 200);
            --left;
        });
    while (left > 0) EXPECT_LE(*scrape(server.endpoint, facts, {}).running, 1);
    for (std::thread& thread : threads) thread.join();
}

TEST(SpecServerTest, StopsWritingWhenTheReaderLeaves) {
    const Listening server(base("none"));
    const ServerFacts facts = probe_server(server.endpoint, {});
    RequestSettings request = question(1);
    request.max_tokens = 100000;
    request.own_server = true;
    int bytes = 0;
    const HttpAnswer answer =
        http_post(server.endpoint, "/v1/chat/completions", request_body(facts.kind, request), {}, [&](std::string_view data) {
            bytes += static_cast<int>(data.size());
            return false;
        });
    EXPECT_EQ(answer.status, 200);
    EXPECT_GT(bytes, 0);
    // the next request is served although the first one asked for a hundred thousand tokens
    EXPECT_EQ(post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":2})").status, 200);
    EXPECT_LT(*scrape(server.endpoint, facts, {}).generated, 50000);
}

TEST(SpecServerTest, OutlivesAnAnswerThatThereIsNoMemoryFor) {
    const Listening server(base("none"), 32, OwnScorer::target<Exhausted>().second);
    const std::string asked = R"({"prompt":"The","max_tokens":4,"temperature":0)";
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(post(server.endpoint, "/v1/completions", asked + "}").status, 500);
        const HttpAnswer streamed = post(server.endpoint, "/v1/completions", asked + R"(,"stream":true})");
        EXPECT_EQ(streamed.status, 200);
        EXPECT_NE(streamed.body.find("\"code\":500"), std::string::npos) << streamed.body;
        EXPECT_NE(streamed.body.find("[DONE]"), std::string::npos) << streamed.body;
        EXPECT_TRUE(http_get(server.endpoint, "/health").ok());
    }
}

// The system keeps a port for a minute that a connection was closed from.
TEST(SpecServerTest, ListensAgainWhereItHasListened) {
    int port = 0;
    {
        const Listening server(base("none"));
        port = server.port;
        EXPECT_NE(said_to(port, "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").find("200"), std::string::npos);
    }
    SpecServer next(whole_bundle(), {"127.0.0.1", port, 32, base("none"), {}});
    EXPECT_EQ(next.bind(), port);
}

TEST(SpecServerTest, TheSecondOneAtAPortSaysSo) {
    const Listening server(base("none"));
    SpecServer second(whole_bundle(), {"127.0.0.1", server.port, 32, base("none"), {}});
    EXPECT_NE(network_error([&] { (void)second.bind(); }).find("cannot listen"), std::string::npos);
}

} // namespace speclens::test
