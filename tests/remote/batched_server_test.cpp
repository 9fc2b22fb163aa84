// Our own server with many clients: they share passes, and every text is byte for byte the one that its request alone would get.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/net/http.h"
#include "engine/run/run.h"
#include "remote/reading/exposition.h"
#include "remote/serving/key_memory.h"
#include "remote/serving/retry_after.h"
#include "remote/serving/single_queue.h"
#include "tests/shared/eventually.h"
#include "tests/shared/listening.h"

namespace speclens::test {
namespace {

RunSettings batched(const std::string& drafter, const std::string& rule = "token") {
    RunSettings settings;
    settings.drafter = drafter;
    settings.rule = rule;
    settings.k = 4;
    return settings;
}

// A request of its own: prompt, seed, length, temperature.
struct Asked {
    std::string prompt;
    int seed = 0, max_tokens = 0;
    double temperature = 0;
    [[nodiscard]] std::string body(bool stream) const {
        return Json{{"prompt", prompt}, {"seed", seed}, {"max_tokens", max_tokens}, {"temperature", temperature}, {"stream", stream}}
            .dump();
    }
};

Asked asked_of(unsigned number) {
    static const char* const prompts[] = {"The capital of France is",
                                          "Once upon a time there was",
                                          "The capital of France is",
                                          "def main():\n",
                                          "1, 2, 3, 4,",
                                          "Write a short poem about the moon.",
                                          "The moon is",
                                          "A"};
    std::mt19937 random(number * 7919 + 1);
    return {prompts[number % std::size(prompts)], static_cast<int>(random() % 1000), 1 + static_cast<int>(random() % 40),
            number % 2 == 0 ? 0.0 : 0.8};
}

// The same without any network and any company.
std::string text_alone(const RunSettings& base, const Asked& asked) {
    RunSettings settings = base;
    settings.prompt.text = asked.prompt;
    settings.prompt.chat = false;
    settings.seed = static_cast<std::uint64_t>(asked.seed);
    settings.max_tokens = asked.max_tokens;
    settings.sampling.temperature = asked.temperature;
    const std::lock_guard turn(*whole_bundle()->turns);
    speclens::Run run(whole_bundle(), settings);
    run.finish();
    return run.output_text();
}

// The text of an answer, streamed or not; empty where it is none.
std::string text_of_stream(const std::string& body) {
    std::string text;
    for (std::size_t at = 0; (at = body.find("data: {", at)) != std::string::npos; ++at) {
        const Json event = Json::parse(body.substr(at + 6, body.find('\n', at) - at - 6));
        if (event.contains("choices") && !event["choices"].empty()) text += event["choices"][0]["text"].get<std::string>();
    }
    return text;
}

std::string ask(const Endpoint& endpoint, const Asked& asked, bool stream) {
    HttpSettings patient;
    patient.silence_seconds = 250;
    std::string bytes;
    const HttpAnswer answer = http_post(endpoint, "/v1/completions", asked.body(stream), patient, [&](std::string_view some) {
        bytes += some;
        return true;
    });
    EXPECT_EQ(answer.status, 200) << bytes << answer.body;
    if (stream) return text_of_stream(bytes);
    const Json json = Json::parse_or_discard(bytes.empty() ? answer.body : bytes);
    return json.is_object() && json.contains("choices") ? json["choices"][0]["text"].get<std::string>() : "?";
}

double told(const Endpoint& endpoint, const std::string& name) {
    for (const MetricSample& sample : parse_exposition(http_get(endpoint, "/metrics").body, "test"))
        if (sample.name == name) return sample.value;
    ADD_FAILURE() << name;
    return -1;
}

bool idle(const Endpoint& endpoint) {
    return told(endpoint, "vllm:num_requests_running") == 0 && told(endpoint, "vllm:num_requests_waiting") == 0 &&
           told(endpoint, "speclens:kv_blocks_free") == told(endpoint, "speclens:kv_blocks");
}

// A connection on which a request was sent and nothing is read.
class Caller {
  public:
    Caller(int port, const std::string& path, const std::string& body, const std::string& more = "") {
        socket_ = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        const std::string bytes = "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + more +
                                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        EXPECT_EQ(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() { hang_up(); }
    void hang_up() {
        if (socket_ >= 0) close(socket_);
        socket_ = -1;
    }
    std::string hear() const {
        std::string answer;
        char some[4096];
        for (ssize_t n = 0; (n = read(socket_, some, sizeof some)) > 0;) answer.append(some, static_cast<std::size_t>(n));
        return answer;
    }

  private:
    int socket_ = -1;
};

// Counts the texts that become tokens.
class CountingTokenizer final : public Tokenizer {
  public:
    explicit CountingTokenizer(std::shared_ptr<const Tokenizer> inner) : inner_(std::move(inner)) {}
    std::vector<int> encode(std::string_view text) const override { return ++texts, inner_->encode(text); }
    std::vector<int> encode(std::span<const TextPart> parts) const override { return ++texts, inner_->encode(parts); }
    std::string decode(const std::vector<int>& ids, bool skip) const override { return inner_->decode(ids, skip); }
    std::string bytes_of(int id) const override { return inner_->bytes_of(id); }
    int size() const override { return inner_->size(); }
    int id_of(std::string_view token) const override { return inner_->id_of(token); }
    bool is_special(int id) const override { return inner_->is_special(id); }
    int bos() const override { return inner_->bos(); }
    mutable std::atomic<int> texts{0};

  private:
    std::shared_ptr<const Tokenizer> inner_;
};

TEST(ServedPrompt, BecomesTokensOnce) {
    const auto tokenizer = std::make_shared<CountingTokenizer>(whole_bundle()->tokenizer);
    auto models = std::make_shared<Models>(*whole_bundle());
    models->tokenizer = tokenizer;
    const auto posted = [](const Endpoint& endpoint, const std::string& path, const std::string& body) {
        return http_post(endpoint, path, body, {}, [](std::string_view) { return true; }).status;
    };
    {
        const Listening server(batched("small"), 32, models, {.texts = 2, .blocks = 64});
        for (const char* body : {R"({"prompt":"The moon is","max_tokens":8})", R"({"prompt":"The moon is","max_tokens":8,"stream":true})",
                                 R"({"prompt":"The moon is","max_tokens":8,"prompt_logprobs":1})"}) {
            tokenizer->texts = 0;
            EXPECT_EQ(posted(server.endpoint, "/v1/completions", body), 200) << body;
            EXPECT_EQ(tokenizer->texts, 1) << body;
        }
        tokenizer->texts = 0;
        EXPECT_EQ(posted(server.endpoint, "/v1/chat/completions", R"({"messages":[{"role":"user","content":"Hi"}],"max_tokens":8})"), 200);
        EXPECT_EQ(tokenizer->texts, 1) << "a chat";
    }
    ServeCounts counts;
    SingleQueue queue(models, 1, counts);
    tokenizer->texts = 0;
    const std::unique_ptr<TextQueue::Ticket> ticket = queue.enter(batched("small"), "");
    while (ticket->wait()) {
    }
    EXPECT_EQ(tokenizer->texts, 1) << "one after the other";
}

// No round is made while it lives.
using NoRounds = std::unique_lock<Turns>;

TEST(BatchedServer, TextsShareAPassAndAreThoseOfTheirRequestsAlone) {
    for (const char* drafter : {"none", "lookup", "small", "eagle3", "domino", "small_tree"}) {
        SCOPED_TRACE(drafter);
        const RunSettings base = batched(drafter, std::string(drafter) == "small_tree" ? "tree_wor" : "token");
        std::vector<std::string> alone;
        for (unsigned i = 0; i < 10; ++i) alone.push_back(text_alone(base, asked_of(i)));
        const Listening server(base, 32, whole_bundle(), {.texts = 8, .blocks = 64, .poison = true});
        std::vector<std::thread> clients;
        {
            const NoRounds hold(*whole_bundle()->turns);
            for (unsigned i = 0; i < 10; ++i)
                clients.emplace_back([&, i] { EXPECT_EQ(ask(server.endpoint, asked_of(i), i % 3 == 0), alone[i]) << i; });
            EXPECT_TRUE(eventually([&] { return told(server.endpoint, "vllm:num_requests_waiting") == 10; }));
        }
        for (std::thread& client : clients) client.join();
        EXPECT_GT(told(server.endpoint, "speclens:batch_texts_total"), 2 * told(server.endpoint, "speclens:batch_passes_total"));
        EXPECT_GE(told(server.endpoint, "speclens:batch_rows_total"), told(server.endpoint, "speclens:batch_texts_total"));
        EXPECT_TRUE(eventually([&] { return idle(server.endpoint); }));
    }
}

TEST(BatchedServer, WhoeverIsRefusedIsToldWhenToComeAgain) {
    const Listening server(batched("none"), 3, whole_bundle(), {.texts = 2, .blocks = 64});
    std::vector<std::thread> clients;
    {
        const NoRounds hold(*whole_bundle()->turns);
        for (unsigned i = 0; i < 3; ++i) clients.emplace_back([&, i] { (void)ask(server.endpoint, asked_of(i), false); });
        EXPECT_TRUE(eventually([&] { return told(server.endpoint, "vllm:num_requests_waiting") == 3; }));
        for (const bool stream : {false, true}) {
            const std::string refused = Caller(server.port, "/v1/completions", asked_of(3).body(stream), "Connection: close\r\n").hear();
            EXPECT_TRUE(refused.starts_with("HTTP/1.1 503")) << refused;
            EXPECT_NE(refused.find("\r\nRetry-After: 1\r\n"), std::string::npos) << refused;
        }
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(ask(server.endpoint, asked_of(3), true), text_alone(batched("none"), asked_of(3)));
}

TEST(BatchedServer, AClientThatLeavesFreesItsBlocks) {
    const Listening server(batched("none"), 8, whole_bundle(), {.texts = 2, .blocks = 160});
    const auto endless = [](bool stream) {
        return Json{{"prompt", "The moon"}, {"max_tokens", 100'000}, {"temperature", 1.5}, {"stream", stream}}.dump();
    };
    for (const bool stream : {false, true}) {
        SCOPED_TRACE(stream);
        { // while it waits
            NoRounds hold(*whole_bundle()->turns);
            Caller caller(server.port, "/v1/completions", endless(stream));
            EXPECT_TRUE(eventually([&] { return told(server.endpoint, "vllm:num_requests_waiting") == 1; }));
            caller.hang_up();
        }
        EXPECT_TRUE(eventually([&] { return idle(server.endpoint); }));
        const double before = told(server.endpoint, "speclens:batch_passes_total");
        Caller caller(server.port, "/v1/completions", endless(stream)); // and in the middle
        EXPECT_TRUE(eventually([&] { return told(server.endpoint, "speclens:batch_passes_total") > before; }));
        caller.hang_up();
        EXPECT_TRUE(eventually([&] { return idle(server.endpoint); }));
    }
    EXPECT_EQ(ask(server.endpoint, asked_of(1), false), text_alone(batched("none"), asked_of(1)));
}

TEST(BatchedServer, SaysWhichTextHasNoRoom) {
    const Listening server(batched("none"), 8, whole_bundle(), {.texts = 2, .blocks = 4});
    EXPECT_EQ(Json::parse(http_get(server.endpoint, "/v1/models").body)["data"][0]["max_model_len"], 64);
    const HttpAnswer answer = http_post(server.endpoint, "/v1/completions", R"({"prompt":"The","max_tokens":200})", {}, {});
    EXPECT_EQ(answer.status, 400);
    EXPECT_NE(answer.body.find("room for 64"), std::string::npos) << answer.body;
    EXPECT_EQ(ask(server.endpoint, {"The", 1, 20, 0}, false), text_alone(batched("none"), {"The", 1, 20, 0}));
}

// What one key was answered helps this key alone, and nobody where it is not switched on.
TEST(BatchedServer, AKeysAnswersAreItsOwn) {
    const RunSettings base = batched("suffix");
    const Asked asked{"Once upon a time there was", 3, 48, 0}; // which repeats nothing
    struct Got {
        std::string text;
        int rounds = 0;
    };
    for (const bool on : {false, true}) {
        const Listening server(base, 8, whole_bundle(), {.texts = 2, .blocks = 64}, on);
        const auto get = [&](const std::string& key) {
            const std::string header = key.empty() ? "" : "Authorization: Bearer " + key + "\r\n";
            const std::string heard = Caller(server.port, "/v1/completions", asked.body(false), header + "Connection: close\r\n").hear();
            const Json json = Json::parse_or_discard(heard.substr(heard.find("\r\n\r\n") + 4));
            if (!json.is_object() || !json.contains("metrics")) return Got{heard, -1};
            const Json rounds = json["metrics"]["speculative_decoding"]; // null: nothing was drafted, so every round wrote one token
            return Got{json["choices"][0]["text"].get<std::string>(), rounds.is_null()
                                                                          ? json["usage"]["completion_tokens"].get<int>()
                                                                          : static_cast<int>(rounds["per_step_tokens"].size())};
        };
        const Got first = get("anna"), nobody = get(""), again = get("anna"), other = get("bert"), still_nobody = get("");
        for (const Got& got : {first, nobody, again, other, still_nobody}) EXPECT_EQ(got.text, text_alone(base, asked));
        EXPECT_EQ(nobody.rounds, first.rounds);
        EXPECT_EQ(other.rounds, first.rounds);
        EXPECT_EQ(still_nobody.rounds, first.rounds);
        if (on)
            EXPECT_LT(again.rounds, first.rounds);
        else
            EXPECT_EQ(again.rounds, first.rounds);
    }
}

TEST(BatchedServer, AStopEndsEveryText) {
    const std::string endless = R"({"prompt":"The moon","max_tokens":100000,"temperature":1.5,"stream":true})";
    std::vector<std::unique_ptr<Caller>> callers;
    {
        const Listening server(batched("domino"), 16, whole_bundle(), {.texts = 3, .blocks = 160});
        for (int i = 0; i < 6; ++i) callers.push_back(std::make_unique<Caller>(server.port, "/v1/completions", endless));
        EXPECT_TRUE(eventually([&] { return told(server.endpoint, "speclens:batch_passes_total") > 3; }));
    } // returns
    int cut = 0;
    for (const auto& caller : callers) cut += caller->hear().find("\"finish_reason\":\"abort\"") != std::string::npos;
    EXPECT_GT(cut, 0);
}

// Clients of every kind at once, on a pool that is too small for all: nothing leaks, no text is lost or mixed up.
TEST(BatchedServer, ASoakLeaksAndMixesNothing) {
    const RunSettings base = batched("domino");
    std::vector<std::string> alone;
    for (unsigned i = 0; i < 24; ++i) alone.push_back(text_alone(base, asked_of(i)));
    const Listening server(base, 64, whole_bundle(), {.texts = 6, .blocks = 14, .prompt_rows = 8, .poison = true});
    const Stopwatch watch;
    constexpr double kSeconds = 4;
    std::atomic<int> whole{0}, aborted{0}, refused{0};
    std::vector<std::thread> clients;
    for (unsigned client = 0; client < 12; ++client)
        clients.emplace_back([&, client] {
            std::mt19937 random(client + 1);
            for (int turn = 0; turn < 4 || watch.ms() < 1000 * kSeconds; ++turn) {
                const auto number = static_cast<unsigned>(random() % 24), kind = static_cast<unsigned>(random() % 8);
                const Asked asked = asked_of(number);
                if (kind < 4) {
                    EXPECT_EQ(ask(server.endpoint, asked, kind < 2), alone[number]) << number;
                    ++whole;
                } else if (kind == 4) { // hangs up after the first bytes
                    const HttpAnswer answer =
                        http_post(server.endpoint, "/v1/completions", asked.body(true), {}, [](std::string_view) { return false; });
                    EXPECT_EQ(answer.status, 200);
                    ++aborted;
                } else if (kind == 5) { // hangs up before them
                    Caller caller(server.port, "/v1/completions", asked.body(random() % 2 == 0));
                    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
                    ++aborted;
                } else if (kind == 6) {
                    const char* bad[] = {"", "{", R"({"prompt":[99999999]})", R"({"prompt":"a","temperature":-1})",
                                         R"({"prompt":"a","max_tokens":5000})"};
                    EXPECT_EQ(http_post(server.endpoint, "/v1/completions", bad[random() % std::size(bad)], {}, {}).status, 400);
                    ++refused;
                } else { // a body that never comes
                    const Caller caller(server.port, "/v1/completions", "", "X-Padding: " + std::string(random() % 500, 'x') + "\r\n");
                }
            }
        });
    for (std::thread& client : clients) client.join();
    EXPECT_GT(whole, 0);
    EXPECT_GT(aborted + refused, 0);
    EXPECT_TRUE(eventually([&] { return idle(server.endpoint); })) << told(server.endpoint, "speclens:kv_blocks_free") << " blocks free";
    EXPECT_EQ(ask(server.endpoint, asked_of(5), true), alone[5]);
}

TEST(KeyMemory, ForgetsTheOldestFirst) {
    KeyMemory memory;
    EXPECT_EQ(memory.answers("a", 8), nullptr);
    memory.remember("", std::vector<int>{1, 2, 3});
    EXPECT_EQ(memory.answers("", 8), nullptr) << "without a key nobody is remembered";
    memory.remember("a", std::vector<int>{1, 2, 3});
    const auto before = memory.answers("a", 8);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(memory.answers("a", 8), before);
    const std::vector<int> run{2, 3};
    memory.remember("a", std::vector<int>{7, 2, 3});
    EXPECT_EQ(before->count(run), 1) << "a text keeps what was there when it came";
    EXPECT_EQ(memory.answers("a", 8)->count(run), 2);
    memory.remember("a", std::vector<int>(KeyMemory::kMostTokens - 3, 9));
    EXPECT_EQ(memory.answers("a", 8)->count(run), 1);
    for (std::size_t i = 1; i < KeyMemory::kMostKeys; ++i) memory.remember("key " + std::to_string(i), run);
    EXPECT_NE(memory.answers("a", 8), nullptr) << "used just now, so key 1 is older";
    memory.remember("one more", run);
    EXPECT_NE(memory.answers("a", 8), nullptr);
    EXPECT_EQ(memory.answers("key 1", 8), nullptr);
}

TEST(RetryAfter, IsWhatTextsTookOfLateSharedByThoseAtOnce) {
    RetryAfter retry;
    EXPECT_EQ(retry.seconds(4), 1);
    retry.took(12);
    EXPECT_EQ(retry.seconds(4), 3);
    EXPECT_EQ(retry.seconds(1), 12);
    retry.took(2); // 12 - 0.2 * 10
    EXPECT_EQ(retry.seconds(1), 10);
    retry.took(1e9);
    EXPECT_EQ(retry.seconds(1), RetryAfter::kMost);
}

} // namespace
} // namespace speclens::test
