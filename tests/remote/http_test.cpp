// Somebody's server: nobody listens, no HTTP, silence, endless answers, and what a probe finds out of it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <httplib.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "engine/net/http.h"
#include "engine/net/received_bytes.h"
#include "kernels/error.h"
#include "remote/client/probe.h"
#include "tests/shared/eventually.h"
#include "tests/shared/listening.h"

namespace speclens::test {

// Counted by the system, so a test has to say that it is the right count.
TEST(Http, CountsWhatCameOverAConnection) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listener, any, size), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    ASSERT_EQ(getsockname(listener, any, &size), 0);
    ASSERT_EQ(connect(client, any, size), 0);
    const int server = accept(listener, nullptr, nullptr);
    EXPECT_EQ(received_bytes(client), 0u);
    const std::string text(12345, 'x');
    ASSERT_EQ(send(server, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    for (int i = 0; i < 200 && received_bytes(client) < text.size(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(received_bytes(client), text.size()) << "read or not";
    EXPECT_EQ(received_bytes(server), 0u);
    for (const int one : {listener, client, server}) close(one);
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    EXPECT_EQ(received_bytes(pair[0]), 0u) << "no TCP";
    for (const int one : pair) close(one);
    EXPECT_EQ(received_bytes(-1), 0u);
}

TEST(Http, NobodyListens) {
    Endpoint nobody;
    {
        const RawServer gone("x");
        nobody = gone.endpoint;
    }
    EXPECT_NE(network_error([&] { (void)http_get(nobody, "/metrics"); }).find("nobody listens"), std::string::npos);
}

TEST(Http, AnAnswerThatIsNoHttp) {
    const RawServer server("SSH-2.0-OpenSSH\r\n");
    (void)network_error([&] { (void)probe_server(server.endpoint, {}); });
}

TEST(Http, SilenceEndsInTime) {
    const RawServer server("", /*close_after=*/false);
    HttpSettings settings;
    settings.silence_seconds = 0.3;
    EXPECT_NE(network_error([&] { (void)http_get(server.endpoint, "/metrics", settings); }).find("in time"), std::string::npos);
}

TEST(Http, AnEndlessAnswerIsCut) {
    std::string body(300000, 'x');
    const RawServer server("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + body);
    HttpSettings settings;
    settings.most_bytes = 100000;
    EXPECT_NE(network_error([&] { (void)http_get(server.endpoint, "/metrics", settings); }).find("more than 100000 bytes"),
              std::string::npos);
}

// Each of the next ones would never end: some byte always comes before the silence is over.
HttpSettings impatient() {
    HttpSettings settings;
    settings.connect_seconds = 0.1;
    settings.silence_seconds = 0.4;
    return settings;
}

constexpr std::chrono::milliseconds kDrip{20};

TEST(Http, AHeaderThatDripsEndsInTime) {
    const RawServer server(RawServer::Answer{.bytes = "HTTP/1.1 200 OK\r\nX-Never: ", .again = "x", .pause = kDrip});
    EXPECT_NE(network_error([&] { (void)http_get(server.endpoint, "/metrics", impatient()); }).find("in time"), std::string::npos);
}

TEST(Http, AnEndlessHeaderIsCut) {
    const RawServer server(RawServer::Answer{.bytes = "HTTP/1.1 200 OK\r\n", .again = "X-More: of the same\r\n"});
    HttpSettings settings;
    settings.most_bytes = 100000;
    const std::string said = network_error([&] { (void)http_post(server.endpoint, "/v1/completions", "{}", settings, {}); });
    // Newer versions of the library take no more than a hundred lines.
    EXPECT_TRUE(said.find("more than 100000 bytes") != std::string::npos || said.find("breaks off or is too long") != std::string::npos)
        << said;
}

TEST(Http, AHeaderThatBreaksOffIsNoSilence) {
    const RawServer server("HTTP/1.1 200 OK\r\nContent-Type: text/pl");
    const std::string said = network_error([&] { (void)http_get(server.endpoint, "/metrics", {}); });
    EXPECT_NE(said.find("breaks off or is too long"), std::string::npos) << said;
    const RawServer mute("");
    const std::string nothing = network_error([&] { (void)http_get(mute.endpoint, "/metrics", {}); });
    EXPECT_NE(nothing.find("closed the connection"), std::string::npos) << nothing;
}

// Without a length: where the connection ends the body does, but not where we end it.
TEST(Http, ABodyThatDripsEndsInTime) {
    const RawServer server(RawServer::Answer{.bytes = "HTTP/1.1 200 OK\r\n\r\n", .again = "x", .pause = kDrip});
    EXPECT_NE(network_error([&] { (void)http_get(server.endpoint, "/metrics", impatient()); }).find("in time"), std::string::npos);
}

TEST(Http, AStreamOfNothingEndsInTime) {
    const RawServer server(RawServer::Answer{.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                                             .again = "0", // of the length of a chunk
                                             .pause = kDrip});
    const auto more = [](std::string_view) { return true; };
    EXPECT_NE(network_error([&] { (void)http_post(server.endpoint, "/v1/completions", "{}", impatient(), more); }).find("in time"),
              std::string::npos);
}

// Longer than a header or the body of a GET may take, and never silent.
TEST(Http, AStreamMayTakeItsTime) {
    const RawServer server(RawServer::Answer{
        .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\n", .again = "x\n", .pause = std::chrono::milliseconds(44), .times = 40});
    HttpSettings settings;
    settings.connect_seconds = 0.1;
    settings.silence_seconds = 0.55;
    std::string body;
    const HttpAnswer answer = http_post(server.endpoint, "/v1/completions", "{}", settings, [&](std::string_view bytes) {
        body += bytes;
        return true;
    });
    EXPECT_TRUE(answer.ok());
    EXPECT_EQ(body.size(), 80u);
}

// However much of it comes meanwhile.
TEST(Http, AnAnswerThatIsLateEndsInTime) {
    for (const RawServer::Answer& answer : {RawServer::Answer{.bytes = "", .close = false},
                                            RawServer::Answer{.bytes = "HTTP/1.1 200 OK\r\n\r\n", .again = "x", .pause = kDrip}}) {
        const RawServer server(answer);
        HttpSettings settings;
        settings.silence_seconds = 600;
        settings.until = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count() + 0.3;
        const auto more = [](std::string_view) { return true; };
        EXPECT_NE(network_error([&] { (void)http_post(server.endpoint, "/v1/completions", "{}", settings, more); }).find("in time"),
                  std::string::npos);
    }
}

TEST(Http, CancellingEndsAWait) {
    std::atomic<bool> asked{false}, cancelled{false};
    const RawServer server([&](const std::string&) {
        asked.store(true);
        return RawServer::Answer{"", /*close=*/false};
    });
    HttpSettings settings;
    settings.cancelled = &cancelled;
    settings.silence_seconds = 60;
    std::thread later([&] {
        EXPECT_TRUE(eventually([&] { return asked.load(); }));
        cancelled.store(true);
    });
    try {
        (void)http_get(server.endpoint, "/metrics", settings);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::interrupted);
        EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
    later.join();
}

TEST(Probe, AWebServerIsNoModelServer) {
    const RawServer server("HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\n<html>hello</html>\r\n");
    EXPECT_NE(network_error([&] { (void)probe_server(server.endpoint, {}); }).find("no server of language models"), std::string::npos);
}

// llama.cpp's router answers /metrics for a named model only.
TEST(Probe, FindsTheMetricsOfARoutersModel) {
    httplib::Server router;
    router.Get("/metrics", [](const httplib::Request& request, httplib::Response& response) {
        if (request.get_param_value("model") != "a b/c") {
            response.status = 400;
            response.set_content("{}", "application/json");
            return;
        }
        response.set_content("llamacpp:spec_decode_num_draft_tokens_total "
                             "9\nllamacpp:spec_decode_num_accepted_tokens_total 4\n"
                             "llamacpp:spec_decode_num_drafts_total 3\n",
                             "text/plain");
    });
    router.Get("/v1/models", [](const httplib::Request&, httplib::Response& response) {
        response.set_content(R"({"data":[{"id":"a b/c"}]})", "application/json");
    });
    const int port = router.bind_to_any_port("127.0.0.1");
    std::thread thread([&] { router.listen_after_bind(); });
    const Endpoint endpoint = parse_endpoint("127.0.0.1:" + std::to_string(port));
    const ServerFacts facts = probe_server(endpoint, {});
    EXPECT_EQ(facts.kind, ServerKind::llamacpp);
    EXPECT_DOUBLE_EQ(facts.reading.counts->drafted, 9);
    EXPECT_DOUBLE_EQ(*scrape(endpoint, facts, {}).counts->rounds, 3);
    router.stop();
    thread.join();
}

// SGLang's older gauges tell lengths and rates, its settings K.
TEST(Probe, FindsTheDraftsOfSglangsSettings) {
    for (const bool metrics : {true, false}) {
        httplib::Server sglang;
        if (metrics)
            sglang.Get("/metrics", [](const httplib::Request&, httplib::Response& response) {
                response.set_content("sglang:spec_accept_length 2.5\nsglang:spec_accept_rate 0.5\n", "text/plain");
            });
        sglang.Get("/server_info", [](const httplib::Request&, httplib::Response& response) {
            response.set_content(R"({"version":"0.5.5","speculative_num_steps":4,)"
                                 R"("speculative_num_draft_tokens":5,)"
                                 R"("internal_states":[{"avg_spec_accept_length":2.5}]})",
                                 "application/json");
        });
        const int port = sglang.bind_to_any_port("127.0.0.1");
        std::thread thread([&] { sglang.listen_after_bind(); });
        const Endpoint endpoint = parse_endpoint("127.0.0.1:" + std::to_string(port));
        const ServerFacts facts = probe_server(endpoint, {});
        EXPECT_EQ(facts.kind, ServerKind::sglang);
        for (const ServerReading& reading : {facts.reading, scrape(endpoint, facts, {})})
            EXPECT_DOUBLE_EQ(reported_rates(reading).share(reading.reported_length, reading.reported_rate).value_or(-1), 1.5 / 4)
                << metrics;
        sglang.stop();
        thread.join();
    }
}

// Metrics that tell K and no length: the length stands in the server's state.
TEST(Probe, FindsTheLengthThatSglangsMetricsLack) {
    httplib::Server sglang;
    sglang.Get("/metrics", [](const httplib::Request&, httplib::Response& response) {
        response.set_content("sglang:num_running_reqs 1\nsglang:spec_num_draft_tokens 5\n", "text/plain");
    });
    sglang.Get("/server_info", [](const httplib::Request&, httplib::Response& response) {
        response.set_content(R"({"version":"0.5.9","internal_states":[{"avg_spec_accept_length":2.5}]})", "application/json");
    });
    const int port = sglang.bind_to_any_port("127.0.0.1");
    std::thread thread([&] { sglang.listen_after_bind(); });
    const ServerFacts facts = probe_server(parse_endpoint("127.0.0.1:" + std::to_string(port)), {});
    EXPECT_EQ(facts.version, "0.5.9");
    EXPECT_EQ(facts.reading.reported_length, 2.5);
    EXPECT_EQ(facts.reading.reported_drafts, 4.0) << "of the five the current token's slot is one";
    sglang.stop();
    thread.join();
}

TEST(Probe, AsksForAKey) {
    const RawServer server("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
    try {
        (void)probe_server(server.endpoint, {});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(error.remedy().find("--key-from"), std::string::npos);
    }
}

} // namespace speclens::test
