// Draft workers here, the target behind a socket: what a round costs on the way, what a bad line costs, and what is no answer.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "engine/base/json.h"
#include "engine/batch/scoring.h"
#include "engine/batch/worker_pool.h"
#include "engine/model/decoder.h"
#include "engine/run/run.h"
#include "engine/run/wire_totals.h"
#include "kernels/error.h"
#include "remote/client/prompt_scorer.h"
#include "remote/reading/exposition.h"
#include "tests/shared/listening.h"
#include "tests/shared/proxy.h"

namespace speclens::test {
namespace {

using std::chrono::milliseconds;

Vocabulary pool_vocabulary() {
    const Models& bundle = *whole_bundle();
    return {bundle.tokenizer, bundle.vocab(), bundle.stops()};
}

// A worker's models: the draft model of the bundle, and a target at `endpoint`.
std::shared_ptr<const Models> worker(const Endpoint& endpoint, int listed = 20) {
    ScorerSettings settings;
    settings.listed = listed;
    settings.http.silence_seconds = 250; // under a sanitizer
    ModelPaths paths;
    paths.scorer = [=](const Vocabulary&, const Progress&) { return connect_scorer(endpoint, settings, pool_vocabulary()); };
    return std::make_shared<Models>(load_models(paths));
}

bool is_pass(const std::string& path) { return path == "/v1/completions" || path == "/generate"; }

RunSettings drafting(const std::string& drafter, double temperature, int k = 4, const std::string& rule = "token") {
    RunSettings settings;
    settings.prompt.text = "Once upon a time";
    settings.drafter = drafter;
    settings.rule = rule;
    settings.k = k;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 24;
    return settings;
}

std::vector<int> text_of(const speclens::Run& run) {
    return {run.sequence().begin() + std::ssize(run.trace().header()->prompt), run.sequence().end()};
}

std::uint64_t hash_of(const speclens::Run& run) {
    const auto* stopped = std::get_if<Stopped>(&run.trace()[run.trace().size() - 1]);
    EXPECT_NE(stopped, nullptr);
    return stopped ? stopped->hash : 0;
}

std::vector<Verified> passes_of(const Trace& trace) {
    std::vector<Verified> passes;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* pass = std::get_if<Verified>(&trace[i])) passes.push_back(*pass);
    return passes;
}

WireTotals totals_of(const speclens::Run& run) { return wire_totals(fold(run.trace(), run.trace().size())); }

} // namespace

TEST(Pool, CountsTheBytesOfEveryRoundThatPassTheLine) {
    const Listening server(RunSettings{});
    const Proxy line(server.port);
    const auto models = worker(line.endpoint);
    const std::size_t before = line.passed().size(); // to find out who is there
    speclens::Run run(models, drafting("small", 0));
    run.finish();
    const std::vector<Verified> passes = passes_of(run.trace());
    std::vector<Proxy::Passed> passed = line.passed();
    while (passed.size() < before + passes.size()) passed = line.passed(); // the last connection ends behind its answer
    ASSERT_GT(passes.size(), 3u);
    for (std::size_t i = 0; i < passes.size(); ++i) {
        ASSERT_TRUE(passes[i].wire);
        EXPECT_EQ(passes[i].wire->sent, passed[before + i].up) << i;
        // The system counts the end of a connection, where it came already, as a byte.
        EXPECT_GE(passes[i].wire->received, passed[before + i].down) << i;
        EXPECT_LE(passes[i].wire->received, passed[before + i].down + 1) << i;
        EXPECT_GT(passes[i].wire->ms, 0);
        EXPECT_LE(passes[i].wire->ms, passes[i].ms);
    }
    const WireTotals totals = totals_of(run);
    EXPECT_EQ(totals.rounds, std::ssize(passes));
    EXPECT_EQ(totals.ahead, 0);
    RunSettings here = drafting("small", 0);
    speclens::Run local(whole_bundle(), here);
    local.finish();
    EXPECT_FALSE(totals_of(local).any());
    EXPECT_FALSE(passes_of(local.trace()).front().wire);
}

// By ids alone: greedy needs the likeliest token of each place and no more.
TEST(Pool, GreedyTextIsPlainDecodingsWhateverIsListed) {
    const Listening server(RunSettings{});
    RunSettings plain = drafting("none", 0);
    speclens::Run alone(whole_bundle(), plain);
    alone.finish();
    std::int64_t before = 0;
    for (const int listed : {1, 5, 20}) {
        const auto models = worker(server.endpoint, listed);
        for (const char* drafter : {"small", "lookup", "none"}) {
            speclens::Run run(models, drafting(drafter, 0));
            run.finish();
            EXPECT_EQ(text_of(run), text_of(alone)) << drafter << " " << listed;
            if (std::string(drafter) != "small") continue;
            EXPECT_GT(totals_of(run).received, before) << "more entries are more bytes";
            before = totals_of(run).received;
        }
    }
}

// The whole distribution, as a list of all its tokens: then nothing is cut off, and every lossless rule is exact as it is here.
TEST(Pool, WithAllTokensListedAnyTemperatureIsExact) {
    const int vocab = whole_bundle()->vocab();
    const Listening server(RunSettings{}, 32, whole_bundle(), {}, false, vocab);
    const auto models = worker(server.endpoint, vocab);
    for (const char* rule : {"token", "block", "match"}) {
        RunSettings settings = drafting("small", 0.8, 3, rule);
        settings.max_tokens = 8;
        settings.trace_top = 0;
        speclens::Run there(models, settings), here(whole_bundle(), settings);
        there.finish();
        here.finish();
        EXPECT_EQ(text_of(there), text_of(here)) << rule;
        EXPECT_EQ(there.trace().header()->sampling.top_k, 0);
        EXPECT_EQ(there.trace().header()->notice, "");
    }
}

TEST(Pool, ASlowLineCostsTimeNeverText) {
    const Listening server(RunSettings{});
    const Proxy slow(server.port, [](int, const std::string&) { return Proxy::Treatment{.delay = milliseconds(20)}; });
    for (const double temperature : {0.0, 0.8}) {
        const RunSettings settings = drafting("small", temperature);
        speclens::Run direct(worker(server.endpoint), settings), delayed(worker(slow.endpoint), settings);
        direct.finish();
        delayed.finish();
        EXPECT_EQ(hash_of(delayed), hash_of(direct));
        for (const Verified& pass : passes_of(delayed.trace())) EXPECT_GE(pass.wire->ms, 20);
    }
}

// A pass may be asked for again: what it answers does not depend on how often.
TEST(Pool, ALineThatBreaksOnceIsTriedAgainAndOneThatKeepsBreakingEndsTheRun) {
    const Listening server(RunSettings{});
    const RunSettings settings = drafting("small", 0.8);
    speclens::Run direct(worker(server.endpoint), settings);
    direct.finish();
    for (const long bytes : {0L, 40L, 900L}) {
        std::atomic<bool> dead{false};
        std::atomic<int> scores{0};
        const Proxy line(server.port, [&](int, const std::string& path) {
            const bool breaks = is_pass(path) && (dead || scores++ % 3 == 2);
            return Proxy::Treatment{.answer_bytes = breaks ? bytes : -1};
        });
        const auto models = worker(line.endpoint);
        speclens::Run run(models, settings);
        run.finish();
        EXPECT_EQ(hash_of(run), hash_of(direct)) << bytes;
        EXPECT_GT(totals_of(run).retries, 0) << bytes;

        speclens::Run cut(models, settings);
        while (cut.sequence().size() < cut.trace().header()->prompt.size() + 5) ASSERT_TRUE(cut.step());
        dead = true;
        EXPECT_NE(network_error([&] { cut.finish(); }), "") << bytes;
        const std::vector<int> begun = text_of(cut), whole = text_of(direct);
        ASSERT_LE(begun.size(), whole.size());
        EXPECT_TRUE(std::equal(begun.begin(), begun.end(), whole.begin())) << bytes;
        EXPECT_TRUE(std::holds_alternative<Failed>(cut.trace()[cut.trace().size() - 1]));
    }
}

// ---- drafting ahead ----

TEST(Pool, DraftingAheadWritesTheSameAndSaysWhatItWasted) {
    const Listening server(RunSettings{});
    const auto models = worker(server.endpoint);
    int taken = 0, wasted = 0;
    for (const char* drafter : {"small", "lookup"})
        for (const char* rule : {"token", "match", "block"})
            for (const double temperature : {0.0, 0.8})
                for (const int k : {1, 2, 5}) {
                    SCOPED_TRACE(std::string(drafter) + " " + rule + " " + std::to_string(temperature) + " " + std::to_string(k));
                    RunSettings settings = drafting(drafter, temperature, k, rule);
                    settings.prompt.text = "1, 2, 3, 4, 1, 2, 3, 4, 1, 2,";
                    settings.max_tokens = 16;
                    settings.timing = false;
                    speclens::Run after(models, settings);
                    after.finish();
                    settings.draft_ahead = true;
                    speclens::Run ahead(models, settings);
                    ahead.finish();
                    EXPECT_EQ(hash_of(ahead), hash_of(after));
                    const WireTotals totals = totals_of(ahead);
                    EXPECT_GE(totals.wasted(), 0);
                    int before = 0, drafted = 0; // ahead of the round that is looked at; by whom it was drafted
                    const RunView view = fold(ahead.trace(), ahead.trace().size());
                    for (const RoundSummary& round : view.round_list) {
                        if (!round.verify) continue;
                        drafted = static_cast<int>(round.drafts.size());
                        EXPECT_TRUE(round.verify->from_ahead == 0 || round.verify->from_ahead == drafted);
                        EXPECT_LE(round.verify->from_ahead, std::max(0, before - 1));
                        before = round.verify->ahead;
                    }
                    taken += totals.taken;
                    wasted += totals.wasted();
                }
    EXPECT_GT(taken, 20);
    EXPECT_GT(wasted, 50);
}

TEST(Pool, DraftingAheadIsForTargetsElsewhere) {
    RunSettings settings = drafting("small", 0);
    settings.draft_ahead = true;
    try {
        speclens::Run run(whole_bundle(), settings);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::usage);
    }
}

// A pass under way when something else goes wrong is waited for, and nothing is written of it.
TEST(Pool, ABreakWhileDraftingAheadEndsTheRunToo) {
    const Listening server(RunSettings{});
    std::atomic<bool> dead{false};
    const Proxy line(server.port, [&](int, const std::string&) { return Proxy::Treatment{.answer_bytes = dead ? 10 : -1}; });
    RunSettings settings = drafting("small", 0);
    settings.draft_ahead = true;
    speclens::Run run(worker(line.endpoint), settings);
    while (run.sequence().size() < run.trace().header()->prompt.size() + 3) ASSERT_TRUE(run.step());
    dead = true;
    EXPECT_NE(network_error([&] { run.finish(); }), "");
}

// ---- several workers ----

TEST(Pool, SeveralWorkersShareATargetAndADeadOneDisturbsNobody) {
    const Listening server(RunSettings{});
    constexpr int kWorkers = 4;
    std::vector<std::uint64_t> alone(kWorkers), together(kWorkers);
    const auto settings_of = [](int i) {
        RunSettings settings = drafting(i % 2 ? "lookup" : "small", i % 3 ? 0.8 : 0.0, 1 + i);
        settings.seed = static_cast<std::uint64_t>(i);
        return settings;
    };
    for (int i = 0; i < kWorkers; ++i) {
        speclens::Run run(worker(server.endpoint), settings_of(i));
        run.finish();
        alone[static_cast<std::size_t>(i)] = hash_of(run);
    }
    std::vector<std::thread> workers;
    for (int i = 0; i < kWorkers; ++i)
        workers.emplace_back([&, i] {
            speclens::Run run(worker(server.endpoint), settings_of(i));
            run.finish();
            together[static_cast<std::size_t>(i)] = hash_of(run);
        });
    workers.emplace_back([&] { // asks for a pass and hangs up before it is answered, again and again
        const Proxy line(server.port,
                         [](int, const std::string& path) { return Proxy::Treatment{.answer_bytes = is_pass(path) ? 0 : -1}; });
        EXPECT_NE(network_error([&] { (void)worker(line.endpoint); }), "");
    });
    for (std::thread& one : workers) one.join();
    EXPECT_EQ(together, alone);
    EXPECT_TRUE(http_get(server.endpoint, "/health").ok());
}

// The same in one program, on one thread: what the window shows as lanes.
TEST(Pool, WorkersOfOneProgramShareAServersPasses) {
    const Listening server(RunSettings{});
    const auto models = worker(server.endpoint);
    std::vector<RunSettings> workers;
    for (int i = 0; i < 4; ++i) {
        workers.push_back(drafting(i % 2 ? "lookup" : "small", i < 2 ? 0.0 : 0.8, 2 + i));
        workers.back().seed = static_cast<std::uint64_t>(i);
        workers.back().draft_ahead = i == 2;
    }
    WorkerPool pool(models, workers);
    while (pool.step()) {
    }
    for (int i = 0; i < 4; ++i) {
        const PoolWorker& shown = pool.film().workers[static_cast<std::size_t>(i)];
        speclens::Run alone(models, workers[static_cast<std::size_t>(i)]);
        alone.finish();
        ASSERT_EQ(shown.state, PoolWorker::State::done) << shown.error;
        EXPECT_EQ(hash_of(pool.run(i)), hash_of(alone)) << i;
        const WireTotals wire = shown.wire();
        EXPECT_EQ(wire.rounds, std::ssize(shown.rounds));
        EXPECT_GT(wire.sent, 0);
        EXPECT_GT(wire.received, 0);
        EXPECT_EQ(wire.ahead > 0, i == 2);
    }
    EXPECT_GT(pool.film().at_once(), 0);
}

// ---- what our server tells ----

TEST(PoolServer, JudgesGuessesInEverybodysPasses) {
    const Listening server(RunSettings{}, 32, whole_bundle(), {.texts = 8, .blocks = 64, .poison = true});
    const auto told = [&](const std::string& name) {
        for (const MetricSample& sample : parse_exposition(http_get(server.endpoint, "/metrics").body, "test"))
            if (sample.name == name) return sample.value;
        return -1.0;
    };
    std::vector<int> text = whole_bundle()->tokenizer->encode("Once upon a time there was a little fox. The fox was hungry");
    const auto body = [&](std::size_t first) {
        return Json{{"input_ids", text},      {"sampling_params", {{"max_new_tokens", 0}, {"temperature", 0}}},
                    {"return_logprob", true}, {"logprob_start_len", first},
                    {"top_logprobs_num", 3},  {"return_text_in_logprobs", true}}
            .dump();
    };
    const auto ask = [&](std::size_t first) {
        std::string bytes;
        HttpSettings patient;
        patient.silence_seconds = 250;
        const HttpAnswer answer = http_post(server.endpoint, "/generate", body(first), patient, [&](std::string_view some) {
            bytes += some;
            return true;
        });
        EXPECT_EQ(answer.status, 200) << answer.body;
        return Json::parse(bytes);
    };
    const std::unique_ptr<Decoder> decoder = make_model_decoder(whole_bundle()->target);
    {
        std::vector<std::thread> clients;
        std::unique_lock<Turns> hold(*whole_bundle()->turns); // no round is made
        for (int i = 0; i < 6; ++i)
            clients.emplace_back(
                [&, i] { EXPECT_EQ(ask(text.size() - 4 - static_cast<std::size_t>(i))["meta_info"]["prompt_tokens"], text.size()); });
        while (told("vllm:num_requests_waiting") < 6) std::this_thread::yield();
        hold.unlock();
        for (std::thread& client : clients) client.join();
    }
    EXPECT_GT(told("speclens:batch_texts_total"), 1.5 * told("speclens:batch_passes_total"));
    const double rows = told("speclens:batch_rows_total");
    const std::size_t first = text.size() - 5;
    const Json meta = ask(first)["meta_info"];
    EXPECT_EQ(told("speclens:batch_rows_total") - rows, 4) << "the text was read before";
    EXPECT_EQ(told("speclens:kv_blocks_free"), 64) << "what is kept is free for who needs it";
    ASSERT_EQ(meta["input_token_logprobs"].size(), 5U);
    EXPECT_TRUE(meta["input_token_logprobs"][0][0].is_null());
    EXPECT_GT(meta["e2e_latency"].get<double>(), 0);
    const std::lock_guard turn(*whole_bundle()->turns);
    PassRows& pass = decoder->forward({.tokens = std::span(text).first(text.size() - 1), .logits_from = static_cast<int>(first)});
    for (std::size_t i = 1; i < 5; ++i) {
        const ScoredToken want = scored_token(pass.distribution(static_cast<int>(i) - 1, kRawSampling), text[first + i], 3);
        EXPECT_EQ(meta["input_token_logprobs"][i][0].get<double>(), want.logp);
        EXPECT_EQ(meta["input_token_logprobs"][i][1], text[first + i]);
        for (std::size_t entry = 0; entry < 3; ++entry) {
            EXPECT_EQ(meta["input_top_logprobs"][i][entry][1], want.top.entries[entry].id);
            EXPECT_EQ(meta["input_top_logprobs"][i][entry][0].get<double>(), want.top.entries[entry].logp);
        }
    }
}

TEST(PoolServer, RefusesByNameWhatItDoesNotTell) {
    const Listening server(RunSettings{}, 32, whole_bundle(), {.texts = 2, .blocks = 4});
    const Json good = {{"input_ids", {5, 6, 7}}, {"sampling_params", {{"max_new_tokens", 0}}}, {"return_logprob", true}};
    const auto status = [&](const Json& body, const std::string& why) {
        const HttpAnswer answer = http_post(server.endpoint, "/generate", body.dump(), {}, [](std::string_view) { return true; });
        EXPECT_NE(answer.body.find(why), std::string::npos) << answer.body;
        return answer.status;
    };
    EXPECT_EQ(status(good, ""), 200);
    const auto with = [&](const char* key, const Json& value) {
        Json body = good;
        body[key] = value;
        return body;
    };
    const struct {
        Json body;
        const char* why;
    } bad[] = {{Json::array(), "not a JSON object"},
               {with("input_ids", Json()), "input_ids"},
               {with("input_ids", {5}), "two token ids"},
               {with("input_ids", {5, "6"}), "no token id"},
               {with("input_ids", {5, -6}), "no token id"},
               {with("input_ids", {5, 99'000'000}), R"("kind":"unknown_token")"},
               {with("input_ids", std::vector<int>(100, 5)), "blocks"},
               {with("return_logprob", false), "return_logprob"},
               {with("stream", true), "stream"},
               {with("sampling_params", Json()), "max_new_tokens must be 0"},
               {with("sampling_params", {{"max_new_tokens", 3}}), "max_new_tokens must be 0"},
               {with("sampling_params", {{"max_new_tokens", 0}, {"top_p", 0.5}}), "top_p is not supported"},
               {with("logprob_start_len", 2), "logprob_start_len is 2"},
               {with("top_logprobs_num", 21), "top_logprobs_num is 21"},
               {with("lora_path", "x"), "lora_path is not supported"}};
    for (const auto& one : bad) EXPECT_EQ(status(one.body, one.why), 400) << one.body;
    EXPECT_EQ(http_get(server.endpoint, "/generate").status, 405);
}

// ---- nonsense ----

TEST(Pool, AnAnswerThatCannotBeTrueEndsTheRun) {
    const std::vector<int> text = {5, 6, 7};
    const auto vllm = [](const std::string& last) {
        return R"({"choices":[{"prompt_logprobs":[null,{"6":{"logprob":-0.1}},{"7":{"logprob":-0.5}},)" + last + "]}]}";
    };
    const auto sglang = [](const std::string& last, const std::string& own = "[-1.0,1,null]") {
        return R"({"meta_info":{"input_token_logprobs":[[null,6,null],[-0.5,7,null],)" + own +
               R"(],"input_top_logprobs":[null,[[-0.5,7,null]],)" + last + "]}}";
    };
    const struct {
        ServerKind kind;
        std::string body, why;
    } cases[] = {{ServerKind::vllm, vllm(R"({"1":{"logprob":0.2}})"), "a log-probability is 0.2"},
                 {ServerKind::vllm, vllm(R"({"1":{"logprob":-0.2},"3":{"logprob":-0.3}})"), "add up to 1.55"},
                 {ServerKind::vllm, vllm(R"({"1":{"logprob":-1}},{"1":{"logprob":-1}})"), "5 places of a text of 4 tokens"},
                 {ServerKind::vllm, R"({"choices":[{"prompt_logprobs":[null,{"7":{"logprob":-1}},{"1":{"logprob":-1}}]}]})",
                  "3 places of a text of 4 tokens"},
                 {ServerKind::vllm, vllm(R"({"2":{"logprob":-0.2},"3":{"logprob":-3}})"), "token 1 of the text is not among"},
                 {ServerKind::sglang, sglang(R"([[-0.2,1,null],[-0.3,3,null]])"), "add up to 1.55"},
                 {ServerKind::sglang, sglang(R"([[-0.9,1,null],[-0.9,1,null]])"), "names token 1 twice"},
                 {ServerKind::sglang, sglang(R"([[-0.9,3,null]])", "[-2.0,4,null]"), "a place is of token 4 instead of 1"},
                 {ServerKind::sglang, sglang(R"([[-1,1,null]],[[-1,1,null]],[[-1,1,null]])"), "places of a text of 4 tokens"}};
    for (const auto& one : cases) {
        SCOPED_TRACE(one.body);
        const std::string why = network_error([&] { (void)read_scores(one.kind, one.body, text, 2, 1, 10, "s", "d"); });
        EXPECT_NE(why.find(one.why), std::string::npos) << why;
    }
    EXPECT_EQ(read_scores(ServerKind::vllm, vllm(R"({"1":{"logprob":-1}})"), text, 2, 1, 10, "s", "d").rows.size(), 2u);
    const Scored timed = read_scores(ServerKind::sglang, R"({"meta_info":{"e2e_latency":0.25,"input_top_logprobs":[[[-1,7]],[[-1,1]]]}})",
                                     text, 2, 1, 10, "s", "d");
    EXPECT_EQ(timed.wire.server_ms, 250);
}

// Top-k 20 is exact only where 20 are told: a server that tells fewer is no target at a temperature, and a fine one without.
TEST(Pool, FewerTokensThanWereAskedForAreNoDistribution) {
    class Few final : public Scorer {
      public:
        Few() : vocabulary_(pool_vocabulary()) {}
        [[nodiscard]] const std::string& name() const override { return name_; }
        [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
        [[nodiscard]] int listed() const override { return 20; }
        [[nodiscard]] int capacity() const override { return 64; }
        [[nodiscard]] std::vector<TopEntries> score(std::span<const int>, int rows, Wire&) const override {
            return std::vector<TopEntries>(static_cast<std::size_t>(rows), TopEntries{{{17, std::log(.6)}, {18, std::log(.2)}}, .2});
        }

      private:
        std::string name_ = "few";
        Vocabulary vocabulary_;
    };
    ModelPaths paths;
    paths.scorer = [](const Vocabulary&, const Progress&) { return std::make_shared<Few>(); };
    const auto models = std::make_shared<Models>(load_models(paths));
    speclens::Run greedy(models, drafting("small", 0));
    greedy.finish();
    EXPECT_EQ(text_of(greedy), std::vector<int>(24, 17));
    speclens::Run sampled(models, drafting("small", 0.8));
    EXPECT_NE(network_error([&] { sampled.finish(); }).find("2 of the 20 likeliest"), std::string::npos);
}

} // namespace speclens::test
