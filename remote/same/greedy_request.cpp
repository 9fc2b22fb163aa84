#include "remote/same/greedy_request.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "engine/base/json_read.h"
#include "remote/client/answer_reader.h"
#include "remote/client/prompt_scorer.h"

namespace speclens {
namespace {

constexpr int kListed = 20;      // likeliest tokens; vLLM tells more only when started so
constexpr int kListedOfText = 5; // OpenAI's most

// Greedy, and nothing that would turn the choice: every server's own defaults may be others.
Json neutral(const GreedyDialect& d, const std::string& salt) {
    Json body = {{"temperature", 0}, {"top_p", 1}, {"presence_penalty", 0}, {"frequency_penalty", 0}, {"stream", false}};
    if (!d.model.empty()) body["model"] = d.model;
    if (d.kind == ServerKind::llamacpp)
        body.update({{"top_k", 0},
                     {"min_p", 0},
                     {"typical_p", 1},
                     {"top_n_sigma", -1},
                     {"xtc_probability", 0},
                     {"dynatemp_range", 0},
                     {"repeat_penalty", 1},
                     {"dry_multiplier", 0},
                     {"mirostat", 0},
                     {"cache_prompt", false}});
    if (d.kind == ServerKind::vllm || d.kind == ServerKind::sglang)
        body.update({{"top_k", -1}, {"min_p", 0}, {"repetition_penalty", 1}, {"cache_salt", salt}});
    return body;
}

Json messages(const GreedyPrompt& prompt) {
    Json list = Json::array();
    if (!prompt.system.empty()) list.push_back({{"role", "system"}, {"content", prompt.system}});
    list.push_back({{"role", "user"}, {"content", prompt.text}});
    return list;
}

Json ids_json(std::span<const int> ids) { return Json(std::vector<int>(ids.begin(), ids.end())); }

std::string dumped(const Json& body) { return body.dump(-1, BadUtf8::replaced); }

std::vector<int> ids_at(const Json& json, const char* key) {
    std::vector<int> ids;
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (!json.is_object() || found == json.end() || !found->is_array()) return ids;
    for (const Json& one : *found) {
        const Json& id = one.is_object() && one.contains("id") ? one["id"] : one; // "with_pieces"
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > 100'000'000) return {};
        ids.push_back(id.get<int>());
    }
    return ids;
}

const Json* object_at(const Json& json, const char* key) {
    if (!json.is_object()) return nullptr;
    const auto found = json.find(key);
    return found != json.end() && found->is_object() ? &*found : nullptr;
}

// The first of a list, or null.
const Json* first_at(const Json& json, const char* key) {
    if (!json.is_object()) return nullptr;
    const auto found = json.find(key);
    return found != json.end() && found->is_array() && !found->empty() ? &found->front() : nullptr;
}

// vLLM writes a token as "token_id:N" where it is asked to.
ListedToken token_named(const std::string& name, double logp) {
    constexpr std::string_view kMark = "token_id:";
    ListedToken token{-1, name, logp};
    if (name.starts_with(kMark)) {
        const char* const end = name.data() + name.size();
        if (int id = 0; std::from_chars(name.data() + kMark.size(), end, id).ptr == end) token.id = id, token.text.clear();
    }
    return token;
}

std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// {"id", "token", "logprob"} of llama.cpp.
std::optional<ListedToken> llamacpp_token(const Json& json) {
    if (!json.is_object() || !json.contains("logprob") || !json["logprob"].is_number()) return {};
    ListedToken token{-1, text_at(json, "token"), json["logprob"].get<double>()};
    if (json.contains("id") && json["id"].is_number_integer()) token.id = json["id"].get<int>();
    return token;
}

// [logprob, id, text] of SGLang.
std::optional<ListedToken> sglang_token(const Json& json) {
    if (!json.is_array() || json.size() < 2 || !json[0].is_number() || !json[1].is_number_integer()) return {};
    return ListedToken{json[1].get<int>(), json.size() > 2 && json[2].is_string() ? json[2].get<std::string>() : "", json[0].get<double>()};
}

void read_llamacpp(const Json& json, Reread& out) {
    const std::vector<int> ids = ids_at(json, "tokens");
    out.written = {ids.empty() ? -1 : ids.front(), text_at(json, "content"), 0};
    const Json* place = first_at(json, "completion_probabilities");
    if (!place || !place->is_object()) return;
    // With drafts every later token has an empty list and log-probability 0. That is nothing told, never certainty.
    if (const auto list = place->find("top_logprobs"); list != place->end() && list->is_array())
        for (const Json& one : *list)
            if (const auto token = llamacpp_token(one)) out.listed.push_back(*token);
}

void read_sglang(const Json& json, Reread& out) {
    out.written.text = text_at(json, "text");
    const Json* meta = object_at(json, "meta_info");
    if (!meta) return;
    if (const Json* own = first_at(*meta, "output_token_logprobs"))
        if (const auto token = sglang_token(*own)) out.written = *token;
    const Json* place = first_at(*meta, "output_top_logprobs");
    // Our own server judges a text without writing one behind it: the last place of what it read.
    if (const auto read = meta->find("input_top_logprobs"); !place && read != meta->end() && read->is_array() && !read->empty())
        place = &read->back();
    if (place && place->is_array())
        for (const Json& one : *place)
            if (const auto token = sglang_token(one)) out.listed.push_back(*token);
}

void read_openai(const Json& json, Reread& out) {
    const Json* choice = first_at(json, "choices");
    if (!choice || !choice->is_object()) return;
    out.written.text = text_at(*choice, "text");
    if (const std::vector<int> ids = ids_at(*choice, "token_ids"); !ids.empty()) out.written.id = ids.front();
    const Json* told = object_at(*choice, "logprobs");
    if (!told) return;
    if (const Json* own = first_at(*told, "tokens"); own && own->is_string() && out.written.id < 0)
        out.written.id = token_named(own->get<std::string>(), 0).id;
    if (const Json* place = first_at(*told, "top_logprobs"); place && place->is_object())
        for (const auto& [name, logp] : place->items())
            if (logp.is_number()) out.listed.push_back(token_named(name, logp.template get<double>()));
}

} // namespace

GreedyRequest answer_request(const GreedyDialect& d, const GreedyPrompt& prompt, std::span<const int> ids, const std::string& salt) {
    Json body = neutral(d, salt);
    if (d.drafts) body["speculative.n_max"] = *d.drafts;
    if (d.kind == ServerKind::llamacpp && (!ids.empty() || !prompt.chat)) { // its own address has the ids of what it wrote
        body["prompt"] = ids.empty() ? Json(prompt.text) : ids_json(ids);
        body["n_predict"] = d.max_tokens;
        body["return_tokens"] = true;
        return {"/completion", dumped(body)};
    }
    body["max_tokens"] = d.max_tokens;
    if (d.kind == ServerKind::sglang) body["return_spec_tokens_details"] = true;
    if ((d.kind == ServerKind::vllm && !d.own_server) || d.kind == ServerKind::sglang) body["return_token_ids"] = true;
    if (prompt.chat)
        body["messages"] = messages(prompt);
    else
        body["prompt"] = ids.empty() ? Json(prompt.text) : ids_json(ids);
    return {prompt.chat ? "/v1/chat/completions" : "/v1/completions", dumped(body)};
}

GreedyRequest reread_request(const GreedyDialect& d, const ForkPrefix& prefix, const std::string& salt) {
    if (d.own_server) { // judged, with any id behind it
        ScorerSettings settings;
        settings.listed = kListed;
        settings.no_tokens = true;
        const ScoreRequest request = score_request(ServerKind::sglang, settings, prefix.ids, 1, prefix.ids.back());
        return {request.path, request.body};
    }
    const Json text = prefix.text ? Json(*prefix.text) : ids_json(prefix.ids);
    if (d.kind == ServerKind::sglang && !prefix.text) // with ids in its lists
        return {"/generate", dumped({{"input_ids", text},
                                     {"sampling_params",
                                      {{"temperature", 0},
                                       {"max_new_tokens", 1},
                                       {"top_p", 1},
                                       {"top_k", -1},
                                       {"min_p", 0},
                                       {"repetition_penalty", 1},
                                       {"presence_penalty", 0},
                                       {"frequency_penalty", 0}}},
                                     {"return_logprob", true},
                                     {"top_logprobs_num", kListed},
                                     {"return_text_in_logprobs", true},
                                     {"stream", false}})};
    Json body = neutral(d, salt);
    body["prompt"] = text;
    if (d.kind == ServerKind::llamacpp) {
        body.update({{"n_predict", 1}, {"n_probs", kListed}, {"post_sampling_probs", false}, {"return_tokens", true}});
        return {"/completion", dumped(body)};
    }
    body["max_tokens"] = 1;
    body["logprobs"] = d.kind == ServerKind::vllm ? kListed : kListedOfText;
    if (d.kind == ServerKind::vllm && !d.own_server) body["return_tokens_as_token_ids"] = true;
    return {"/v1/completions", dumped(body)};
}

GreedyRequest tokenize_request(const GreedyDialect& d, const std::string& text, bool with_beginning) {
    Json body;
    if (!d.model.empty()) body["model"] = d.model;
    if (d.kind == ServerKind::llamacpp)
        body.update({{"content", text}, {"add_special", with_beginning}, {"parse_special", true}});
    else
        body.update({{"prompt", text}, {"add_special_tokens", with_beginning}});
    return {"/tokenize", dumped(body)};
}

GreedyRequest template_request(const GreedyDialect& d, const GreedyPrompt& prompt) {
    Json body = {{"messages", messages(prompt)}};
    if (!d.model.empty()) body["model"] = d.model;
    if (d.kind == ServerKind::llamacpp) return {"/apply-template", dumped(body)};
    body["add_generation_prompt"] = true;
    return {"/tokenize", dumped(body)};
}

GreedyAnswer read_greedy_answer(const GreedyDialect& d, std::string_view body) {
    const Json json = parse_foreign_json(body);
    if (!json.is_object()) throw Error("the answer is no JSON object", "Look into the server's log.", Exit::network);
    AnswerReader reader(d.kind);
    reader.event(std::string(body), 0);
    if (!reader.complete())
        throw Error("the answer does not say why it ended", "Is this the address of a server of language models?", Exit::network);
    const ServedText served = reader.finish(0);
    GreedyAnswer answer;
    answer.text = served.text();
    answer.finish = served.finish;
    answer.tokens = served.tokens;
    answer.ids = ids_at(json, "tokens");
    if (const Json* choice = first_at(json, "choices"); choice && choice->is_object()) {
        answer.ids = ids_at(*choice, "token_ids");
        answer.prompt = ids_at(*choice, "prompt_token_ids");
    }
    if (answer.prompt.empty()) answer.prompt = ids_at(json, "prompt_token_ids");
    if (served.counts) {
        answer.drafted = served.counts->drafted;
        answer.accepted = served.counts->accepted;
        answer.rounds = served.counts->rounds;
    } else if (d.own_server || (d.kind == ServerKind::llamacpp && json.contains("timings"))) {
        answer.drafted = 0; // who drafts tells, and says nothing of an answer without drafts
    }
    return answer;
}

Reread read_reread(const GreedyDialect& d, std::string_view body) {
    Reread out;
    const Json json = parse_foreign_json(body);
    if (!json.is_object()) return out;
    if (d.kind == ServerKind::llamacpp)
        read_llamacpp(json, out);
    else if (json.contains("meta_info"))
        read_sglang(json, out);
    else
        read_openai(json, out);
    std::ranges::stable_sort(out.listed, std::ranges::greater{}, &ListedToken::logp);
    return out;
}

std::vector<int> read_ids(std::string_view body) { return ids_at(parse_foreign_json(body), "tokens"); }

} // namespace speclens
