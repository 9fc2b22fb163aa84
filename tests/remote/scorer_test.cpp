// A server as the target: what is judged there is what would be judged here, and nonsense ends as an error.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/json.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "engine/run/run.h"
#include "kernels/error.h"
#include "remote/client/prompt_scorer.h"
#include "tests/shared/listening.h"

namespace speclens::test {

namespace {

Vocabulary bundle_vocabulary() {
    const Models& bundle = *whole_bundle();
    return {bundle.tokenizer, bundle.vocab(), bundle.stops()};
}

RunSettings poem(const std::string& rule, double temperature, int k = 4) {
    RunSettings settings;
    settings.prompt.text = "Write a short poem about the moon.";
    settings.prompt.chat = true;
    settings.rule = rule;
    settings.k = k;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 40;
    settings.timing = false;
    return settings;
}

std::shared_ptr<const Models> judged_by(std::shared_ptr<const Scorer> scorer) {
    ModelPaths paths;
    paths.scorer = [scorer](const Vocabulary&, const Progress&) { return scorer; };
    return std::make_shared<Models>(load_models(paths));
}

ScorerSettings asking(int listed = 20) {
    ScorerSettings settings;
    settings.listed = listed;
    settings.http.silence_seconds = 250; // under a sanitizer
    return settings;
}

template <class F>
Error error_of(const F& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    ADD_FAILURE() << "no error";
    return {"", ""};
}

struct Judged {
    std::vector<int> tokens;
    std::vector<std::pair<int, bool>> checks; // token, accepted
    bool operator==(const Judged&) const = default;
};
Judged judged(const Run& run) {
    Judged out;
    for (std::size_t i = 0; i < run.trace().size(); ++i) {
        if (const auto* checked = std::get_if<Checked>(&run.trace()[i])) out.checks.emplace_back(checked->index, checked->accepted);
        if (const auto* commit = std::get_if<Committed>(&run.trace()[i]))
            out.tokens.insert(out.tokens.end(), commit->tokens.begin(), commit->tokens.end());
    }
    return out;
}

// A scorer of the test's own: always the same distribution, until it fails.
class Stubborn final : public Scorer {
  public:
    explicit Stubborn(int answers,
                      std::vector<TopEntries::Entry> distribution = {{17, std::log(.5)}, {18, std::log(.2)}, {19, std::log(.1)}})
        : vocabulary_(bundle_vocabulary()), answers_(answers), distribution_(std::move(distribution)) {}
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
    [[nodiscard]] int listed() const override { return 3; }
    [[nodiscard]] int capacity() const override { return 64; }
    [[nodiscard]] std::vector<TopEntries> score(std::span<const int> tokens, int rows, Wire&) const override {
        texts_.emplace_back(tokens.begin(), tokens.end());
        if (answers_-- == 0) throw Error("the line is dead", "Wait.", Exit::network);
        return std::vector<TopEntries>(static_cast<std::size_t>(rows), TopEntries{distribution_, .2});
    }
    mutable std::vector<std::vector<int>> texts_;

  private:
    std::string name_ = "stubborn";
    Vocabulary vocabulary_;
    mutable int answers_;
    std::vector<TopEntries::Entry> distribution_;
};

const ServerKind kBoth[] = {ServerKind::vllm, ServerKind::sglang};

} // namespace

// The same dice, the same filter: our own target behind a socket keeps exactly what it keeps without one.
TEST(PromptScorer, JudgesAsTheTargetHereDoes) {
    const Listening server(RunSettings{});
    const auto remote = judged_by(connect_scorer(server.endpoint, asking(), bundle_vocabulary()));
    for (const char* rule : {"token", "block", "match"})
        for (const double temperature : {0.0, 0.8}) {
            SCOPED_TRACE(std::string(rule) + " at " + std::to_string(temperature));
            RunSettings settings = poem(rule, temperature);
            settings.max_tokens = 24; // the server reads the whole text again for every round
            speclens::Run there(remote, settings);
            there.finish();
            if (temperature > 0) settings.sampling.top_k = 20;
            speclens::Run here(whole_bundle(), settings);
            here.finish();
            EXPECT_EQ(judged(there), judged(here));
            EXPECT_GT(judged(there).checks.size(), 10u);
            EXPECT_EQ(there.trace().header()->tier, "REMOTE");
            EXPECT_EQ(there.trace().header()->sampling.top_k, temperature > 0 ? 20 : 0);
            EXPECT_EQ(there.trace().header()->notice.empty(), temperature == 0) << there.trace().header()->notice;
        }
    speclens::Run lookup(remote, [&] {
        RunSettings s = poem("greedy", 0);
        s.drafter = "lookup";
        return s;
    }());
    lookup.finish();
    speclens::Run plain(whole_bundle(), [&] {
        RunSettings s = poem("greedy", 0);
        s.drafter = "none";
        return s;
    }());
    plain.finish();
    EXPECT_EQ(lookup.output_text(), plain.output_text());
}

TEST(PromptScorer, TellsTheDistributionsOfTheTarget) {
    const Listening server(RunSettings{});
    const auto scorer = connect_scorer(server.endpoint, asking(7), bundle_vocabulary());
    EXPECT_NE(scorer->name().find("bundle S at http://127.0.0.1"), std::string::npos) << scorer->name();
    EXPECT_EQ(scorer->capacity(), whole_bundle()->target->config.max_positions - 2) << "less filler and new token";
    const std::vector<int> text = whole_bundle()->tokenizer->encode("The capital of France is Paris. The people there");
    Wire wire;
    const std::vector<TopEntries> rows = scorer->score(text, 4, wire);
    EXPECT_GT(wire.server_ms, 0);
    EXPECT_LE(wire.server_ms, wire.ms);
    ASSERT_EQ(rows.size(), 4u);
    const auto decoder = make_model_decoder(whole_bundle()->target);
    PassRows& pass = decoder->forward({.tokens = text, .logits_from = static_cast<int>(text.size()) - 4});
    for (int row = 0; row < 4; ++row) {
        const Distribution& distribution = pass.distribution(row, kRawSampling);
        const TopEntries top = top_of(distribution, 7);
        const TopEntries& told = rows[static_cast<std::size_t>(row)];
        ASSERT_GE(told.entries.size(), 7u);
        double listed = 0;
        for (std::size_t i = 0; i < told.entries.size(); ++i) {
            if (i < 7) {
                EXPECT_EQ(told.entries[i].id, top.entries[i].id);
            }
            EXPECT_NEAR(told.entries[i].logp, std::log(distribution[static_cast<std::size_t>(told.entries[i].id)]), 1e-9);
            listed += std::exp(told.entries[i].logp);
        }
        EXPECT_NEAR(told.rest, 1 - listed, 1e-9);
    }
}

TEST(PromptScorer, RefusesAnotherVocabularyAndOtherServers) {
    const Listening server(RunSettings{});
    Vocabulary shifted = bundle_vocabulary();
    class Shifted final : public Tokenizer { // every id means what the next one means
      public:
        explicit Shifted(std::shared_ptr<const Tokenizer> inner) : inner_(std::move(inner)) {}
        [[nodiscard]] std::vector<int> encode(std::string_view text) const override { return inner_->encode(text); }
        [[nodiscard]] std::vector<int> encode(std::span<const TextPart> parts) const override { return inner_->encode(parts); }
        [[nodiscard]] std::string decode(const std::vector<int>& ids, bool skip) const override { return inner_->decode(ids, skip); }
        [[nodiscard]] std::string bytes_of(int id) const override { return inner_->bytes_of(id + 1); }
        [[nodiscard]] int size() const override { return inner_->size(); }
        [[nodiscard]] int id_of(std::string_view token) const override { return inner_->id_of(token); }
        [[nodiscard]] bool is_special(int id) const override { return inner_->is_special(id); }
        [[nodiscard]] int bos() const override { return inner_->bos(); }

      private:
        std::shared_ptr<const Tokenizer> inner_;
    };
    shifted.tokenizer = std::make_shared<Shifted>(shifted.tokenizer);
    const Error other = error_of([&] { (void)connect_scorer(server.endpoint, asking(), shifted); });
    EXPECT_EQ(other.code(), Exit::model);
    EXPECT_NE(std::string(other.what()).find("another vocabulary: token"), std::string::npos) << other.what();

    const Error listed = error_of([&] { (void)connect_scorer(server.endpoint, asking(21), bundle_vocabulary()); });
    EXPECT_EQ(listed.code(), Exit::network);
    EXPECT_NE(std::string(listed.what()).find("status 400: top_logprobs_num is 21"), std::string::npos) << listed.what();

    ScorerSettings named = asking();
    named.model = "qwen";
    const Error model = error_of([&] { (void)connect_scorer(server.endpoint, named, bundle_vocabulary()); });
    EXPECT_EQ(model.code(), Exit::usage);
    EXPECT_EQ(model.remedy(), "It has: bundle S.");

    const std::string props = R"({"default_generation_settings":{}})";
    const RawServer llama([&](const std::string& request) -> RawServer::Answer {
        const bool good = request.starts_with("GET /props");
        return {std::string(good ? "HTTP/1.1 200 OK" : "HTTP/1.1 404 Not Found") +
                "\r\nConnection: close\r\nContent-Length: " + std::to_string(good ? props.size() : 0) + "\r\n\r\n" + (good ? props : "")};
    });
    const Error kind = error_of([&] { (void)connect_scorer(llama.endpoint, asking(), bundle_vocabulary()); });
    EXPECT_NE(std::string(kind.what()).find("is llama.cpp"), std::string::npos) << kind.what();
}

TEST(PromptScorer, AsksBothServersInTheirWords) {
    const std::vector<int> text = {5, 6, 7};
    ScorerSettings settings = asking(9);
    settings.model = "m";
    const ScoreRequest vllm = score_request(ServerKind::vllm, settings, text, 2, 1);
    EXPECT_EQ(vllm.path, "/v1/completions");
    EXPECT_EQ(Json::parse(vllm.body),
              Json::parse(R"({"model":"m","prompt":[5,6,7,1],"max_tokens":1,"temperature":0,"prompt_logprobs":9})"));
    const ScoreRequest sglang = score_request(ServerKind::sglang, settings, text, 2, 1);
    EXPECT_EQ(sglang.path, "/generate");
    const Json body = Json::parse(sglang.body);
    EXPECT_EQ(body["input_ids"], Json::parse("[5,6,7,1]"));
    EXPECT_EQ(body["logprob_start_len"],
              1); // of this place itself SGLang says null, of those behind it everything
    EXPECT_EQ(body["top_logprobs_num"], 9);
    EXPECT_TRUE(body["return_logprob"].get<bool>());
}

TEST(PromptScorer, ReadsWhatBothServersTell) {
    const std::vector<int> text = {5, 6, 7};
    // Two rows: behind 6 (of the token 7) and behind 7 (of the filler 1).
    const std::string vllm = R"({"choices":[{"prompt_logprobs":[null,
        {"6":{"logprob":-0.1,"rank":1,"decoded_token":" a"}},
        {"8":{"logprob":-0.4,"rank":1,"decoded_token":"b"},"7":{"logprob":-9.5,"rank":30,"decoded_token":"c"}},
        {"3":{"logprob":-0.2,"rank":1},"1":{"logprob":-2.0,"rank":2,"decoded_token":"d"}}]}]})";
    // SGLang leaves the text's own token out where it is not among the likeliest; its list begins with null.
    const std::string sglang = R"({"meta_info":{
        "input_token_logprobs":[[null,6,null],[-9.5,7,"c"],[-2.0,1,"d"]],
        "input_top_logprobs":[null,[[-0.4,8,"b"]],[[-0.2,3,null],[-2.0,1,"d"]]]}})";
    for (const ServerKind kind : kBoth) {
        SCOPED_TRACE(server_name(kind));
        const Scored scored = read_scores(kind, kind == ServerKind::vllm ? vllm : sglang, text, 2, 1, 10, "s", "d");
        ASSERT_EQ(scored.rows.size(), 2u);
        EXPECT_EQ(scored.rows[0].entries, (std::vector<TopEntries::Entry>{{8, -0.4}, {7, -9.5}}));
        EXPECT_NEAR(scored.rows[0].rest, 1 - std::exp(-0.4) - std::exp(-9.5), 1e-12);
        EXPECT_EQ(scored.rows[1].entries, (std::vector<TopEntries::Entry>{{3, -0.2}, {1, -2.0}}));
        EXPECT_EQ(scored.texts, (std::vector<std::string>{"c", "d"}));
    }
}

TEST(PromptScorer, NonsenseIsAnError) {
    const std::vector<int> text = {5, 6, 7};
    const char* vllm[] = {"",
                          "[]",
                          "{}",
                          R"({"choices":[]})",
                          R"({"choices":[{"prompt_logprobs":null}]})",
                          R"({"choices":[{"prompt_logprobs":[{"3":{"logprob":-1}}]}]})",
                          R"({"choices":[{"prompt_logprobs":[null,null]}]})",
                          R"({"choices":[{"prompt_logprobs":[null,{},{}]}]})",
                          R"({"choices":[{"prompt_logprobs":[null,{"x":{"logprob":-1}},{"3":{"logprob":-1}}]}]})",
                          R"({"choices":[{"prompt_logprobs":[null,{"99999999999999999999":{"logprob":-1}},{"3":{"logprob":-1}}]}]})",
                          R"({"choices":[{"prompt_logprobs":[null,{"3":{"logprob":0.5}},{"3":{"logprob":-1}}]}]})",
                          R"({"choices":[{"prompt_logprobs":[null,{"3":{"logprob":null}},{"3":{"logprob":-1}}]}]})"};
    for (const char* body : vllm) {
        const Error error = error_of([&] { (void)read_scores(ServerKind::vllm, body, text, 2, 1, 10, "s", "d"); });
        EXPECT_EQ(error.code(), Exit::network) << body;
        EXPECT_FALSE(error.remedy().empty());
    }
    const char* sglang[] = {"{}",
                            R"({"meta_info":{}})",
                            R"({"meta_info":{"input_top_logprobs":[null,null]}})",
                            R"({"meta_info":{"input_top_logprobs":[[],[]]}})",
                            R"({"meta_info":{"input_top_logprobs":[[[-1]],[[-1,3]]]}})",
                            R"({"meta_info":{"input_top_logprobs":[[[-1,"3"]],[[-1,3]]]}})",
                            R"({"meta_info":{"input_top_logprobs":[[[-1,-3]],[[-1,3]]]}})"};
    for (const char* body : sglang) {
        const Error error = error_of([&] { (void)read_scores(ServerKind::sglang, body, text, 2, 1, 10, "s", "d"); });
        EXPECT_EQ(error.code(), Exit::network) << body;
    }
}

TEST(PromptScorer, DeepNonsenseIsAnErrorToo) {
    const std::vector<int> text = {5, 6, 7};
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    const std::string body =
        R"({"meta_info":{"input_top_logprobs":[[[-1,3]],[[-1,3]]],"input_token_logprobs":[)" + deep + "," + deep + "]}}";
    EXPECT_EQ(error_of([&] { (void)read_scores(ServerKind::sglang, body, text, 2, 1, 10, "s", "d"); }).code(), Exit::network);
}

// What a server of `length` positions refuses: a text, the filler behind it and the token to come are too
// many.
TEST(ScoredRun, EndsWhereTheContextOfTheServerDoes) {
    constexpr int kLength = 24;
    const RawServer server([](const std::string& request) -> RawServer::Answer {
        const auto json = [](const std::string& body, const char* status = "200 OK") {
            return RawServer::Answer{"HTTP/1.1 " + std::string(status) + "\r\nContent-Type: application/json\r\nContent-Length: " +
                                     std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body};
        };
        if (request.starts_with("GET /version")) return json(R"({"version":"0.11.0"})");
        if (request.starts_with("GET /v1/models"))
            return json(R"({"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":)" + std::to_string(kLength) + "}]}");
        const std::size_t at = request.find("\r\n\r\n");
        const Json body = Json::parse_or_discard(request.substr(std::min(at, request.size())));
        if (!body.is_object() || !body.contains("prompt")) return json("{}", "404 Not Found");
        const std::size_t tokens = body["prompt"].size();
        if (tokens + body["max_tokens"].get<std::size_t>() > kLength)
            return json(R"({"message":"This model's maximum context length is 24 tokens."})", "400 Bad Request");
        Json places = Json::array({nullptr});
        for (std::size_t i = 1; i < tokens; ++i)
            places.push_back({{std::to_string(body["prompt"][i].get<int>()), {{"logprob", -2.0}, {"rank", 2}}},
                              {"300", {{"logprob", -0.3}, {"rank", 1}}}});
        return json(Json{{"choices", {{{"prompt_logprobs", places}}}}}.dump());
    });
    const auto models = judged_by(connect_scorer(server.endpoint, asking(), bundle_vocabulary()));
    RunSettings settings = poem("token", 0);
    settings.prompt.chat = false;
    settings.prompt.text = "Once upon a time";
    settings.drafter = "lookup";
    settings.max_tokens = 64;
    speclens::Run run(models, settings);
    run.finish();
    const auto* stopped = std::get_if<Stopped>(&run.trace()[run.trace().size() - 1]);
    ASSERT_NE(stopped, nullptr);
    EXPECT_NE(stopped->reason.find("context"), std::string::npos) << stopped->reason;
    EXPECT_GT(run.sequence().size(), kLength - 4u);
}

// Entries of a list of models that name none are passed over.
TEST(PromptScorer, PicksTheModelFromAListWithNonsense) {
    for (const char* entry : {"3", "[]", "\"m\"", "{}", R"({"id":4})"}) {
        const RawServer server([&](const std::string& request) {
            const std::string body = request.starts_with("GET /version")     ? R"({"version":"0.11"})"
                                     : request.starts_with("GET /v1/models") ? R"({"data":[)" + std::string(entry) + R"(,{"id":"m"}]})"
                                                                             : "{}";
            return RawServer::Answer{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                     body};
        });
        ScorerSettings settings = asking();
        settings.model = "other";
        const Error error = error_of([&] { (void)connect_scorer(server.endpoint, settings, bundle_vocabulary()); });
        EXPECT_EQ(error.code(), Exit::usage) << entry;
        EXPECT_EQ(error.remedy(), "It has: m.") << entry;
    }
}

// Ids that one side lacks: the advice is a draft of the server's family, not another server.
TEST(PromptScorer, AnotherFamilyIsNamed) {
    const std::vector<int> text = {5, 6, 7};
    const std::string body = R"({"choices":[{"prompt_logprobs":[null,{"10":{"logprob":-1}},{"3":{"logprob":-1}}]}]})";
    const Error wider = error_of([&] { (void)read_scores(ServerKind::vllm, body, text, 2, 1, 10, "s", "d"); });
    EXPECT_EQ(wider.code(), Exit::model);
    EXPECT_STREQ(wider.what(), "s uses token id 10, the tokenizer of d has 10 ids: another family");
    EXPECT_NE(wider.remedy().find("--drafter small=DIR"), std::string::npos);
    // In vLLM's words, and in any words of our own server, which says of what kind the error is.
    std::string refusal;
    const RawServer server([&](const std::string& request) {
        const auto answer = [](const char* status, const std::string& json) {
            return RawServer::Answer{std::string("HTTP/1.1 ") + status +
                                     "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                                     std::to_string(json.size()) + "\r\n\r\n" + json};
        };
        if (request.starts_with("GET /version")) return answer("200 OK", R"({"version":"0.11"})");
        if (request.starts_with("POST")) return answer("400 Bad Request", refusal);
        return answer("404 Not Found", "{}");
    });
    for (const char* said :
         {R"({"error":{"message":"Token id 4000 is out of vocabulary"}})", R"({"error":{"message":"no","kind":"unknown_token"}})"}) {
        refusal = said;
        const Error narrower = error_of([&] { (void)connect_scorer(server.endpoint, asking(), bundle_vocabulary()); });
        EXPECT_EQ(narrower.code(), Exit::model) << narrower.what();
        EXPECT_NE(std::string(narrower.what()).find("another family"), std::string::npos) << narrower.what();
    }
}

TEST(ScoredRun, SendsTheWholeTextOnceARoundAndSaysWhatItCannot) {
    const auto scorer = std::make_shared<Stubborn>(-1);
    const auto models = judged_by(scorer);
    EXPECT_EQ(models->target_name(), "stubborn");
    EXPECT_EQ(models->ready_drafters(), (std::vector<std::string>{"none", "small", "lookup", "suffix", "sam", "ngram_mod", "ngram_map"}));
    RunSettings settings = poem("token", 0.8, 2);
    settings.prompt.chat = false;
    settings.max_tokens = 3;
    speclens::Run run(models, settings);
    run.finish();
    const std::size_t prompt = run.trace().header()->prompt.size();
    int rounds = 0;
    for (std::size_t i = 0; i < run.trace().size(); ++i) {
        rounds += std::holds_alternative<Committed>(run.trace()[i]);
        if (const auto* checked =
                std::get_if<Checked>(&run.trace()[i])) { // the distribution that judges is the filtered one, beside it the told one
            EXPECT_NEAR(checked->raw_top.rest, .2, 1e-12);
            EXPECT_NEAR(checked->top.rest, 0, 1e-12);
            ASSERT_EQ(checked->top.entries.size(), 3u);
            EXPECT_EQ(checked->raw_top.entries.size(), 3u);
        }
    }
    EXPECT_EQ(scorer->texts_.size(), static_cast<std::size_t>(rounds));
    EXPECT_EQ(scorer->texts_[0].size(), prompt + 2); // all that is known, and two guesses
    for (const char* drafter : {"eagle3", "skip", "small_tree"}) {
        RunSettings other = settings;
        other.drafter = drafter;
        other.rule = judging_rule(other.rule, drafter);
        EXPECT_NE(speclens::Run(models, other).trace().header()->notice.find("speculation is off: a server"), std::string::npos) << drafter;
    }
    RunSettings cascade = settings;
    cascade.rule = "cascade_tokenV3";
    EXPECT_EQ(error_of([&] { speclens::Run refused(models, cascade); }).code(), Exit::usage);
    RunSettings long_one = settings;
    for (int i = 0; i < 80; ++i) long_one.prompt.text += " moon";
    EXPECT_THROW(speclens::Run(models, long_one), PromptTooLong);
    settings.sampling.top_k = 2; // narrower than what is told: kept
    EXPECT_EQ(speclens::Run(models, settings).trace().header()->sampling.top_k, 2);
    settings.sampling.top_k = 4; // wider: the distribution would not be known
    EXPECT_EQ(speclens::Run(models, settings).trace().header()->sampling.top_k, 3);
}

TEST(ScoredRun, ADeadLineKeepsTheTextSoFar) {
    const auto models = judged_by(std::make_shared<Stubborn>(2));
    speclens::Run run(models, poem("token", 0.8));
    const Error error = error_of([&] { run.finish(); });
    EXPECT_EQ(error.code(), Exit::network);
    EXPECT_EQ(judged(run).tokens.size(), run.sequence().size() - run.trace().header()->prompt.size());
    EXPECT_GE(judged(run).tokens.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<Failed>(run.trace()[run.trace().size() - 1]));
}

} // namespace speclens::test
