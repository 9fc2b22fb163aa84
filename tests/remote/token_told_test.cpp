// What our server tells of every token: where it came from and what both models said of it, as a saved run of the same settings has it, and
// log-probabilities in the formats of OpenAI's completions and chats, as a pass over the text has them.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <utility>

#include "engine/account/refused_ranks.h"
#include "engine/account/token_account.h"
#include "engine/base/json.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "remote/client/probe.h"
#include "remote/reading/exposition.h"
#include "remote/serving/completion_request.h"
#include "remote/serving/token_json.h"
#include "tests/shared/listening.h"

namespace speclens::test {
namespace {

RunSettings served(const std::string& drafter, const std::string& rule = "token") {
    RunSettings settings;
    settings.drafter = drafter;
    settings.rule = rule;
    settings.k = 4;
    return settings;
}

Json asked(const Listening& server, const std::string& path, const Json& body) {
    HttpSettings patient;
    patient.silence_seconds = 250;
    const HttpAnswer answer = http_post(server.endpoint, path, body.dump(), patient, {});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Json::parse_or_discard(answer.body);
}

// The chunks of a stream.
std::vector<Json> streamed(const Listening& server, const std::string& path, Json body) {
    body["stream"] = true;
    const HttpAnswer answer = http_post(server.endpoint, path, body.dump(), {}, {});
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::vector<Json> chunks;
    std::istringstream lines(answer.body);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("data: {")) chunks.push_back(Json::parse(line.substr(6)));
    return chunks;
}

const Json kQuestion = {{"prompt", "Once upon a time"}, {"max_tokens", 40}, {"temperature", 0.8}, {"seed", 5}};

// The same text without any network, saved and opened again.
std::shared_ptr<Trace> saved_run(RunSettings settings, double temperature, int listed) {
    settings.prompt.text = "Once upon a time";
    settings.max_tokens = 40;
    settings.sampling.temperature = temperature;
    settings.seed = 5;
    settings.trace_top = listed;
    speclens::Run run(whole_bundle(), settings);
    run.finish();
    TraceWriter writer(run.trace());
    std::string file;
    for (std::size_t i = 0; i < run.trace().size(); ++i) file += writer.line(run.trace()[i]) + "\n";
    std::istringstream in(file);
    return read_trace(in, "saved");
}

// Samples of a counter, by one of its labels.
double counted(const Listening& server, const std::string& name, const std::string& label, const std::string& value) {
    double sum = 0;
    for (const MetricSample& sample : parse_exposition(http_get(server.endpoint, "/metrics").body, "test"))
        if (sample.name == name && sample.label(label) && *sample.label(label) == value) sum += sample.value;
    return sum;
}

} // namespace

TEST(TokensTold, AreThoseOfTheSavedRun) {
    using Drafting = std::pair<const char*, const char*>;
    for (const auto& [drafter, rule] : {Drafting("small", "token"), Drafting("domino", "block"), Drafting("small_tree", "tree_wor"),
                                        Drafting("lookup", "token"), Drafting("none", "token")})
        for (const double temperature : {0.0, 0.8}) {
            SCOPED_TRACE(std::string(drafter) + " at " + std::to_string(temperature));
            const Listening server(served(drafter, rule));
            Json body = kQuestion;
            body["temperature"] = temperature;
            body["return_token_sources"] = true;
            const Json answer = asked(server, "/v1/completions", body);
            const auto trace = saved_run(served(drafter, rule), temperature, kSourceListed);
            const RunView view = fold(*trace, trace->size());
            Json expected = Json::array();
            std::array<double, kTokenRoles> roles{};
            for (const RoundSummary& round : view.round_list) {
                const std::vector<TokenAccount> accounts = token_accounts(round, *view.header);
                for (const Json& one : token_sources(accounts)) expected.push_back(one);
                for (const TokenAccount& account : accounts) ++roles[static_cast<std::size_t>(account.role)];
            }
            const Json& told = answer["choices"][0]["token_sources"];
            ASSERT_EQ(told.size(), expected.size());
            for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i].dump(), expected[i].dump()) << i;
            EXPECT_FALSE(answer["choices"][0].contains("logprobs"));
            double all = 0;
            for (int role = 0; role < kTokenRoles; ++role) {
                const double here = counted(server, "speclens:tokens_by_source_total", "source", name_of(static_cast<TokenRole>(role)));
                EXPECT_EQ(here, roles[static_cast<std::size_t>(role)]) << role;
                all += here;
            }
            EXPECT_EQ(all, view.output_tokens);
            const RefusedRanks ranks = refused_ranks(view);
            for (int rank = 1; rank <= RefusedRanks::kListed + 1; ++rank) {
                double sum = 0;
                for (const RefusedRanks::Place& place : ranks.places) sum += place.ranks[static_cast<std::size_t>(rank) - 1];
                EXPECT_EQ(counted(server, "speclens:spec_decode_refused_rank_total", "rank",
                                  rank > RefusedRanks::kListed ? "more" : std::to_string(rank)),
                          sum)
                    << rank;
            }
            // In a stream each chunk has those of its tokens.
            Json joined = Json::array();
            for (const Json& chunk : streamed(server, "/v1/completions", body))
                if (!chunk["choices"].empty())
                    for (const Json& one : chunk["choices"][0]["token_sources"]) joined.push_back(one);
            EXPECT_EQ(joined.dump(), told.dump());
        }
}

TEST(TokensTold, DisturbNobodyWhoDoesNotAsk) {
    const Listening server(served("small"));
    const Json plain = asked(server, "/v1/completions", kQuestion);
    Json body = kQuestion;
    body["return_token_sources"] = true;
    body["logprobs"] = 5;
    const Json told = asked(server, "/v1/completions", body);
    EXPECT_FALSE(plain["choices"][0].contains("token_sources"));
    EXPECT_FALSE(plain["choices"][0].contains("logprobs"));
    EXPECT_EQ(plain["choices"][0]["text"], told["choices"][0]["text"]) << "recording changes no text";
    EXPECT_EQ(plain["metrics"].dump(), told["metrics"].dump());
    // Ranks of who did not ask are counted where the server was started so.
    const Listening counting(served("small"), 32, whole_bundle(), {}, false, 20, true);
    EXPECT_EQ(asked(counting, "/v1/completions", kQuestion)["choices"][0].dump(), plain["choices"][0].dump());
    const auto ranks = [](const Listening& of) {
        double sum = 0;
        for (const MetricSample& sample : parse_exposition(http_get(of.endpoint, "/metrics").body, "test"))
            if (sample.name == "speclens:spec_decode_refused_rank_total") sum += sample.value;
        return sum;
    };
    EXPECT_GT(ranks(counting), 0);
    EXPECT_EQ(ranks(counting), ranks(server)) << "of the one request there that asked";
}

TEST(TokensTold, LogprobsAreTheTargetsOverTheText) {
    for (const double temperature : {0.0, 0.8, 1.0}) {
        SCOPED_TRACE(temperature);
        const Listening server(served("domino"));
        Json body = kQuestion;
        body["temperature"] = temperature;
        body["logprobs"] = 3;
        const Json answer = asked(server, "/v1/completions", body);
        const Json& choice = answer["choices"][0];
        const Json& told = choice["logprobs"];
        const std::size_t count = told["tokens"].size();
        ASSERT_EQ(count, answer["usage"]["completion_tokens"].get<std::size_t>());
        ASSERT_EQ(told["token_logprobs"].size(), count);
        ASSERT_EQ(told["top_logprobs"].size(), count);
        ASSERT_EQ(told["text_offset"].size(), count);
        std::string text;
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(told["text_offset"][i], characters(text));
            text += told["tokens"][i].get<std::string>();
        }
        EXPECT_EQ(text, choice["text"].get<std::string>());
        // Another address judges the text, in passes of its own.
        Json ids = body;
        ids["return_tokens_as_token_ids"] = true;
        const Json named = asked(server, "/v1/completions", ids)["choices"][0]["logprobs"];
        const auto trace = saved_run(served("domino"), temperature, 0);
        std::vector<int> tokens = trace->header()->prompt;
        const std::size_t first = tokens.size() - 1;
        for (std::size_t i = 0; i < count; ++i) {
            const auto name = named["tokens"][i].get<std::string>();
            ASSERT_TRUE(name.starts_with("token_id:")) << name;
            tokens.push_back(std::stoi(name.substr(9)));
        }
        const Json judged = asked(server, "/generate",
                                  {{"input_ids", tokens},
                                   {"sampling_params", {{"max_new_tokens", 0}}},
                                   {"return_logprob", true},
                                   {"logprob_start_len", first},
                                   {"top_logprobs_num", 3}})["meta_info"];
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_NEAR(told["token_logprobs"][i].get<double>(), judged["input_token_logprobs"][i + 1][0].get<double>(), 1e-5) << i;
            const Json& list = judged["input_top_logprobs"][i + 1];
            std::size_t others = 0;
            for (const Json& one : list) {
                const std::string name = "token_id:" + std::to_string(one[1].get<int>());
                ASSERT_TRUE(named["top_logprobs"][i].contains(name)) << i;
                EXPECT_NEAR(named["top_logprobs"][i][name].get<double>(), one[0].get<double>(), 1e-5);
                others += one[1] != tokens[first + i + 1];
            }
            EXPECT_EQ(named["top_logprobs"][i].size(), others + 1) << "and the token that was written";
        }
    }
}

TEST(TokensTold, ChatsAndStreamsTellTheSame) {
    const Listening server(served("small"));
    Json body = kQuestion;
    body.erase("prompt");
    body["messages"] = Json::array({{{"role", "user"}, {"content", "Write a short poem about the moon."}}});
    body["logprobs"] = true;
    body["top_logprobs"] = 2;
    const Json choice = asked(server, "/v1/chat/completions", body)["choices"][0];
    const Json& content = choice["logprobs"]["content"];
    std::string text, bytes;
    ASSERT_GT(content.size(), 10U);
    for (const Json& token : content) {
        text += token["token"].get<std::string>();
        for (const Json& byte : token["bytes"]) bytes += static_cast<char>(byte.get<int>());
        ASSERT_EQ(token["top_logprobs"].size(), 2U);
        EXPECT_GE(token["top_logprobs"][0]["logprob"].get<double>(), token["top_logprobs"][1]["logprob"].get<double>());
        EXPECT_GE(token["top_logprobs"][0]["logprob"].get<double>(), token["logprob"].get<double>() - 1e-9);
        EXPECT_LE(token["logprob"].get<double>(), 0);
    }
    EXPECT_EQ(text, choice["message"]["content"].get<std::string>());
    EXPECT_TRUE(bytes.starts_with(text)) << "and what ends a text, which is no text";
    Json joined = Json::array();
    for (const Json& chunk : streamed(server, "/v1/chat/completions", body))
        if (!chunk["choices"].empty())
            for (const Json& one : chunk["choices"][0]["logprobs"]["content"]) joined.push_back(one);
    EXPECT_EQ(joined.dump(), content.dump());
    // Completions count offsets through the chunks, and 0 asks for the written tokens alone.
    Json raw = kQuestion;
    raw["logprobs"] = 0;
    const Json whole = asked(server, "/v1/completions", raw)["choices"][0]["logprobs"];
    Json offsets = Json::array();
    for (const Json& chunk : streamed(server, "/v1/completions", raw))
        if (!chunk["choices"].empty())
            for (const Json& one : chunk["choices"][0]["logprobs"]["text_offset"]) offsets.push_back(one);
    EXPECT_EQ(offsets.dump(), whole["text_offset"].dump());
    for (const Json& one : whole["top_logprobs"]) EXPECT_EQ(one.size(), 1U);
    EXPECT_FALSE(
        asked(server, "/v1/chat/completions", {{"messages", body["messages"]}, {"max_tokens", 4}, {"logprobs", false}})["choices"][0]
            .contains("logprobs"));
}

} // namespace speclens::test
