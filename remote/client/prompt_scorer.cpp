#include "remote/client/prompt_scorer.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/base/utf8.h"
#include "engine/text/tokenizer.h"
#include "remote/client/probe.h"
#include "remote/serving/completion_request.h"

namespace speclens {
namespace {

constexpr const char* kProbe = "The capital of France is Paris. 12 + 30 = 42";
constexpr const char* kOwnFamily = "Give a draft model of the server's family, --drafter small=DIR, or its tokenizer, --tokenizer DIR.";
constexpr int kDefaultContext = 4096; // where a server does not tell its own

[[noreturn]] void bad_answer(const std::string& server, const std::string& what) {
    throw Error(server + " did not tell the log-probabilities of a text: " + what,
                "vLLM answers such requests at /v1/completions, SGLang at /generate; llama.cpp does not.", Exit::network);
}

// What a sum of rounded probabilities may be above 1.
constexpr double kRounding = 0.02;

// The mass that is left for ids that are not listed; sorts them.
TopEntries top_from(std::vector<TopEntries::Entry> entries, const std::string& server) {
    std::ranges::sort(
        entries, [](const TopEntries::Entry& a, const TopEntries::Entry& b) { return a.logp != b.logp ? a.logp > b.logp : a.id < b.id; });
    TopEntries top;
    double listed = 0;
    for (const TopEntries::Entry& entry : entries) listed += std::exp(entry.logp);
    if (listed > 1 + kRounding) bad_answer(server, "the probabilities of a place add up to " + shown(Json(listed)));
    top.entries = std::move(entries);
    top.rest = std::max(0.0, 1 - listed);
    return top;
}

struct ScoreReader {
    const std::string& server;
    int vocab;
    const std::string& vocabulary;

    [[nodiscard]] TopEntries::Entry entry(long long id, const Json& logp) const {
        if (id < 0) bad_answer(server, "a token id is " + std::to_string(id));
        if (id >= vocab)
            throw Error(server + " uses token id " + std::to_string(id) + ", the tokenizer of " + vocabulary + " has " +
                            std::to_string(vocab) + " ids: another family",
                        kOwnFamily);
        if (!logp.is_number() || !(logp.get<double>() <= 1e-3)) bad_answer(server, "a log-probability is " + shown(logp));
        return {static_cast<int>(id), std::min(0.0, logp.get<double>())};
    }

    // vLLM: {"17": {"logprob": -0.1, "rank": 1, "decoded_token": " the"}, …}; the text's own token is among
    // them wherever it ranks.
    TopEntries vllm(const Json& reported, int token, std::string& text) const {
        std::vector<TopEntries::Entry> entries;
        for (const auto& [key, value] : reported.items()) {
            if (key.empty() || key.size() > 9 || key.find_first_not_of("0123456789") != std::string::npos || !value.is_object() ||
                !value.contains("logprob"))
                bad_answer(server, "\"" + key.substr(0, 20) + "\" is no token id with a logprob");
            entries.push_back(entry(std::stoll(key), value["logprob"]));
            if (entries.back().id != token) continue;
            if (const auto said = value.find("decoded_token"); said != value.end() && said->is_string()) text = said->get<std::string>();
        }
        if (entries.empty()) bad_answer(server, "a place of the text has no tokens");
        if (std::ranges::find(entries, token, &TopEntries::Entry::id) == entries.end())
            bad_answer(server,
                       "token " + std::to_string(token) + " of the text is not among those of its place: an answer about another text");
        return top_from(std::move(entries), server);
    }

    // SGLang: [[-0.1, 17, " the"], …], without the text's own token where it is not among the likeliest.
    TopEntries sglang(const Json& reported, const Json& own, int token, std::string& text) const {
        std::vector<TopEntries::Entry> entries;
        const auto add = [&](const Json& triple) {
            if (!triple.is_array() || triple.size() < 2 || !triple[1].is_number_integer())
                bad_answer(server, "an entry is " + shown(triple) + ", not [logprob, id, text]");
            const TopEntries::Entry one = entry(triple[1].get<long long>(), triple[0]);
            if (one.id == token && triple.size() > 2 && triple[2].is_string()) text = triple[2].get<std::string>();
            if (std::ranges::find(entries, one.id, &TopEntries::Entry::id) != entries.end()) return false;
            entries.push_back(one);
            return true;
        };
        for (const Json& triple : reported)
            if (!add(triple)) bad_answer(server, "a place names token " + shown(triple[1]) + " twice");
        if (own.is_array() && own.size() >= 2 && own[0].is_number()) {
            if (own[1] != token)
                bad_answer(server, "a place is of token " + shown(own[1]) + " instead of " + std::to_string(token) +
                                       ": an answer about another text");
            (void)add(own);
        }
        if (entries.empty()) bad_answer(server, "a place of the text has no tokens");
        return top_from(std::move(entries), server);
    }
};

// Whether what the server calls a token is the same as ours. Parts of characters cannot be held against each
// other, and some servers leave a token's leading space out.
bool contradicts(std::string theirs, std::string ours) {
    for (std::string* text : {&theirs, &ours}) {
        if (!is_valid_utf8(*text) || text->find("\xEF\xBF\xBD") != std::string::npos) return false;
        text->erase(0, text->find_first_not_of(' '));
        if (text->empty()) return false;
    }
    return theirs != ours;
}

// What a refusal says: {"error": {"message": …}}, {"message": …}, {"detail": …} or any text.
std::string reason_in(const std::string& body, bool& unknown) {
    const Json json = parse_foreign_json(body);
    if (json.is_object()) {
        const Json& inner = json.contains("error") && json["error"].is_object() ? json["error"] : json;
        unknown = inner.contains("kind") && inner["kind"] == kUnknownToken;
        for (const char* key : {"message", "detail", "error"})
            if (inner.contains(key) && inner[key].is_string()) return inner[key].get<std::string>().substr(0, 300);
    }
    return body.substr(0, 300);
}

constexpr std::size_t kEntryBytes = 256; // of an answer; vLLM takes about 75

class PromptScorer final : public Scorer {
  public:
    PromptScorer(Endpoint endpoint, ServerKind kind, ScorerSettings settings, Vocabulary vocabulary, int capacity)
        : endpoint_(std::move(endpoint)), kind_(kind), settings_(std::move(settings)), vocabulary_(std::move(vocabulary)),
          capacity_(capacity),
          name_((settings_.model.empty() ? server_name(kind) : settings_.model) + std::string(" at ") + endpoint_.shown()) {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
    [[nodiscard]] int listed() const override { return settings_.listed; }
    [[nodiscard]] int capacity() const override { return capacity_; }
    [[nodiscard]] std::vector<TopEntries> score(std::span<const int> tokens, int rows, Wire& wire) const override {
        Scored scored = ask(tokens, rows);
        wire = scored.wire;
        return std::move(scored.rows);
    }

    [[nodiscard]] Scored ask(std::span<const int> tokens, int rows) const {
        const int filler = tokens.back(); // any id that the server has
        const ScoreRequest request = score_request(kind_, settings_, tokens, rows, filler);
        std::string body;
        HttpSettings http = settings_.http; // the whole text is answered, `listed` entries at every place
        http.most_bytes = 1'000'000 + (tokens.size() + 1) * (static_cast<std::size_t>(settings_.listed) + 1) * kEntryBytes;
        const Stopwatch watch;
        int retries = 0;
        const HttpAnswer answer = posted(request, http, body, retries);
        bool unknown = false; // more ids here than there: our own server says so, of another the words tell
        const std::string reason = answer.ok() ? "" : reason_in(answer.body, unknown);
        if (unknown || reason.find("vocab") != std::string::npos)
            throw Error(endpoint_.shown() + " does not know the ids of the tokenizer of " + settings_.vocabulary +
                            ", another family: " + reason,
                        kOwnFamily);
        if (!answer.ok()) {
            std::string remedy = "The log of the server may say more.";
            if (reason.find("logprobs") != std::string::npos)
                remedy = "vLLM tells more than 20 tokens of a distribution only when started with --max-logprobs N, speclens serve with "
                         "--listed N.";
            if (reason.find("context length") != std::string::npos)
                remedy = "Shorten the prompt, or ask for fewer new tokens with --max-tokens N.";
            throw Error(endpoint_.shown() + request.path + " answers with status " + std::to_string(answer.status) + ": " + reason, remedy,
                        Exit::network);
        }
        const Wire wire{answer.sent, answer.received, watch.ms(), 0, retries};
        Scored scored = read_scores(kind_, body, tokens, rows, filler, vocabulary_.size, endpoint_.shown(), settings_.vocabulary);
        scored.wire = {wire.sent, wire.received, wire.ms, scored.wire.server_ms, wire.retries};
        return scored;
    }

    // The same ids for the same texts, as far as the server spells its tokens.
    void compare_vocabularies() const {
        const std::vector<int> probe = vocabulary_.tokenizer->encode(kProbe);
        const int rows = static_cast<int>(probe.size());
        const Scored scored = ask(probe, rows);
        for (int i = 1; i < rows; ++i) {
            const std::string& theirs = scored.texts[static_cast<std::size_t>(i) - 1];
            const int id = probe[static_cast<std::size_t>(i)];
            const std::string ours = vocabulary_.tokenizer->bytes_of(id);
            if (contradicts(theirs, ours))
                throw Error(name_ + " has another vocabulary: token " + std::to_string(id) + " is \"" + theirs + "\" there and \"" + ours +
                                "\" here",
                            kOwnFamily);
        }
    }

  private:
    // What a text is followed by does not change by being asked for: a line that breaks is tried again. One that stays silent
    // is not, since that has taken long enough.
    [[nodiscard]] HttpAnswer posted(const ScoreRequest& request, const HttpSettings& http, std::string& body, int& retries) const {
        constexpr int kRetries = 2;
        const Stopwatch watch;
        for (;; ++retries) {
            body.clear();
            try {
                return http_post(endpoint_, request.path, request.body, http, [&](std::string_view bytes) {
                    body += bytes;
                    return true;
                });
            } catch (const Error& error) {
                if (error.code() != Exit::network || retries == kRetries || watch.ms() > 1000 * http.silence_seconds) throw;
            }
        }
    }

    Endpoint endpoint_;
    ServerKind kind_;
    ScorerSettings settings_;
    Vocabulary vocabulary_;
    int capacity_;
    std::string name_;
};

// The largest text of the model that will answer, as /v1/models tells; also picks the model.
int context_of(const Endpoint& endpoint, ScorerSettings& settings) {
    const HttpAnswer answer = http_get(endpoint, "/v1/models", settings.http);
    const Json json = answer.ok() ? parse_foreign_json(answer.body) : Json();
    const auto data = json.is_object() ? json.find("data") : json.end();
    if (!json.is_object() || data == json.end() || !data->is_array()) return kDefaultContext;
    std::string known;
    for (const Json& model : *data) {
        if (!model.is_object() || !model.contains("id") || !model["id"].is_string()) continue;
        const auto id = model["id"].get<std::string>();
        known += (known.empty() ? "" : ", ") + id;
        if (!settings.model.empty() && settings.model != id) continue;
        settings.model = id;
        const auto length = model.find("max_model_len");
        const bool reported = length != model.end() && length->is_number_integer() && *length > 3 && *length < 100'000'000;
        // a request has the filler behind the text, and a token to come
        return reported ? length->get<int>() - 2 : kDefaultContext;
    }
    if (!known.empty() && !settings.model.empty())
        throw Error(endpoint.shown() + " has no model \"" + settings.model + "\"", "It has: " + known + ".", Exit::usage);
    return kDefaultContext;
}

// An earlier version of ours does not know the address; one that does refuses an empty request.
bool has_scoring_address(const Endpoint& endpoint, const HttpSettings& settings) {
    return http_post(endpoint, "/generate", "{}", settings, [](std::string_view) { return true; }).status == 400;
}

} // namespace

ScoreRequest score_request(ServerKind kind, const ScorerSettings& settings, std::span<const int> tokens, int rows, int filler) {
    Json ids = Json::array();
    for (const int id : tokens) ids.push_back(id);
    ids.push_back(filler);
    if (kind == ServerKind::sglang)
        return {"/generate", Json({{"input_ids", ids},
                                   {"sampling_params", {{"max_new_tokens", settings.no_tokens ? 0 : 1}, {"temperature", 0}}},
                                   {"return_logprob", true},
                                   {"logprob_start_len", tokens.size() - static_cast<std::size_t>(rows)},
                                   {"top_logprobs_num", settings.listed},
                                   {"return_text_in_logprobs", true}})
                                 .dump()};
    return {"/v1/completions",
            Json({{"model", settings.model}, {"prompt", ids}, {"max_tokens", 1}, {"temperature", 0}, {"prompt_logprobs", settings.listed}})
                .dump()};
}

Scored read_scores(ServerKind kind, std::string_view body, std::span<const int> tokens, int rows, int filler, int vocab,
                   const std::string& server, const std::string& vocabulary) {
    const Json json = parse_foreign_json(body);
    if (!json.is_object()) bad_answer(server, "the answer is no JSON object");
    const Json* reported = nullptr;
    const Json* own = nullptr;
    double server_ms = 0;
    if (kind == ServerKind::sglang) {
        if (const auto meta = json.find("meta_info"); meta != json.end() && meta->is_object()) {
            if (const auto top = meta->find("input_top_logprobs"); top != meta->end()) reported = &*top;
            if (const auto took = meta->find("e2e_latency"); took != meta->end() && took->is_number() && *took > 0)
                server_ms = 1000 * took->get<double>();
            if (const auto token = meta->find("input_token_logprobs"); token != meta->end() && token->is_array()) own = &*token;
        }
    } else if (const auto choices = json.find("choices");
               choices != json.end() && choices->is_array() && !choices->empty() && choices->front().is_object()) {
        if (const auto top = choices->front().find("prompt_logprobs"); top != choices->front().end()) reported = &*top;
    }
    if (!reported || !reported->is_array()) bad_answer(server, kind == ServerKind::sglang ? "no input_top_logprobs" : "no prompt_logprobs");
    const auto size = reported->size(), wanted = static_cast<std::size_t>(rows), whole = tokens.size() + 1; // with the filler
    if (size < wanted) bad_answer(server, std::to_string(size) + " places instead of " + std::to_string(rows));
    // vLLM tells of all places, SGLang from one on.
    const auto wrong_count = [&] {
        bad_answer(server, std::to_string(size) + " places of a text of " + std::to_string(whole) + " tokens");
    };
    if (size > whole) wrong_count();
    const ScoreReader reader{server, vocab, vocabulary};
    Scored scored;
    for (std::size_t row = 0; row < wanted; ++row) { // counted from the end: where the list begins differs
        const std::size_t at = size - wanted + row;
        const Json& place = (*reported)[at];
        const int token = row + 1 < wanted ? tokens[tokens.size() - wanted + row + 1] : filler;
        std::string text;
        if (kind == ServerKind::sglang) {
            if (!place.is_array()) bad_answer(server, "a place of the text is " + shown(place));
            const bool has_own = own && own->size() == size;
            scored.rows.push_back(reader.sglang(place, has_own ? (*own)[at] : Json(), token, text));
        } else {
            if (!place.is_object()) bad_answer(server, "a place of the text is " + shown(place));
            scored.rows.push_back(reader.vllm(place, token, text));
        }
        scored.texts.push_back(std::move(text));
    }
    if (kind == ServerKind::vllm && size != whole) wrong_count();
    scored.wire.server_ms = server_ms;
    return scored;
}

std::shared_ptr<const Scorer> connect_scorer(const Endpoint& endpoint, ScorerSettings settings, Vocabulary vocabulary) {
    ServerFacts facts = probe_server(endpoint, settings.http);
    if (facts.kind != ServerKind::vllm && facts.kind != ServerKind::sglang)
        throw Error(endpoint.shown() + (facts.kind == ServerKind::llamacpp
                                            ? " is llama.cpp, which tells no log-probabilities of a text it is given"
                                            : " is no server of a kind that SpecLens knows"),
                    "As a target it takes vLLM and SGLang; speclens attach works with llama.cpp too.", Exit::network);
    const int capacity = context_of(endpoint, settings);
    // Our own server tells the places that are asked for and no others at SGLang's address; at vLLM's it tells all of the text.
    if (facts.own() && has_scoring_address(endpoint, settings.http)) {
        facts.kind = ServerKind::sglang;
        settings.no_tokens = true;
    }
    auto scorer = std::make_shared<PromptScorer>(endpoint, facts.kind, std::move(settings), std::move(vocabulary), capacity);
    scorer->compare_vocabularies();
    return scorer;
}

} // namespace speclens
