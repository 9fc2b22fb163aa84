#include "remote/client/probe.h"

#include <cctype>

#include "engine/base/json_read.h"
#include "remote/reading/told_number.h"

namespace speclens {
namespace {

// The JSON object of a good answer; discarded where it is none.
std::optional<Json> object_at(const Endpoint& endpoint, const char* path, const HttpSettings& settings) {
    const HttpAnswer answer = http_get(endpoint, path, settings);
    if (!answer.ok()) return {};
    Json json = parse_foreign_json(answer.body);
    if (!json.is_object()) return {};
    return json;
}

std::string text_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>().substr(0, 200)
                                                     : std::string();
}

// SGLang without --enable-metrics still has the average here.
std::optional<double> length_told_in(const Json& info) {
    const auto states = info.find("internal_states");
    if (states == info.end() || !states->is_array() || states->empty() || !states->front().is_object())
        return {};
    const auto length = states->front().find("avg_spec_accept_length");
    if (length == states->front().end() || !length->is_number()) return {};
    return told_length(length->get<double>()); // 0 before the first request
}

std::optional<double> told_drafts(const Json& info) {
    const auto number = [&](const char* key) -> std::optional<double> {
        const auto found = info.find(key);
        if (found == info.end() || !found->is_number()) return {};
        return told_count(found->get<double>());
    };
    return drafts_of_settings(number("speculative_num_draft_tokens"), number("speculative_num_steps"));
}

// Percent-encoded for a query.
std::string query_value(const std::string& text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    for (const unsigned char c : text)
        if (std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~')
            out += static_cast<char>(c);
        else
            out = out + '%' + kHex[c >> 4] + kHex[c & 15];
    return out;
}

// Whether the answer at this path is metrics; keeps what they say.
bool read_metrics_at(const Endpoint& endpoint, const std::string& path, const HttpAnswer& answer,
                     ServerFacts& facts) {
    if (!answer.ok()) return false;
    try {
        facts.reading = read_metrics(parse_exposition(answer.body, endpoint.shown() + path));
    } catch (const Error&) { // an answer, but not metrics: the other addresses may say what it is
        return false;
    }
    facts.metrics = true;
    facts.metrics_path = path;
    return true;
}

void read_models(const Json& json, ServerFacts& facts) {
    const auto data = json.find("data");
    if (data == json.end() || !data->is_array()) return;
    for (const Json& model : *data)
        if (model.is_object() && facts.models.size() < 64)
            if (std::string id = text_of(model, "id"); !id.empty()) facts.models.push_back(std::move(id));
}

} // namespace

ServerFacts probe_server(const Endpoint& endpoint, const HttpSettings& settings) {
    ServerFacts facts;
    bool refused = false;
    const HttpAnswer metrics = http_get(endpoint, "/metrics", settings);
    refused = metrics.status == 401 || metrics.status == 403;
    if (read_metrics_at(endpoint, "/metrics", metrics, facts)) facts.kind = facts.reading.kind;
    if (const auto version = object_at(endpoint, "/version", settings)) {
        facts.version = text_of(*version, "version");
        if (facts.kind == ServerKind::unknown && !facts.version.empty()) facts.kind = ServerKind::vllm;
    }
    if (facts.kind == ServerKind::unknown || facts.kind == ServerKind::llamacpp)
        if (const auto props = object_at(endpoint, "/props", settings);
            props && props->contains("default_generation_settings")) {
            facts.kind = ServerKind::llamacpp;
            facts.version = text_of(*props, "build_info");
        }
    if (facts.kind == ServerKind::unknown ||
        (facts.kind == ServerKind::sglang && (!facts.reading.told_length || !facts.reading.told_drafts)))
        for (const char* path : {"/server_info", "/get_server_info"})
            if (const auto info = object_at(endpoint, path, settings);
                info && info->contains("internal_states")) {
                facts.kind = ServerKind::sglang;
                facts.version = text_of(*info, "version");
                if (!facts.reading.told_length) facts.reading.told_length = length_told_in(*info);
                if (!facts.reading.told_drafts) facts.reading.told_drafts = told_drafts(*info);
                break;
            }
    if (const auto models = object_at(endpoint, "/v1/models", settings)) read_models(*models, facts);
    // llama.cpp's router keeps the metrics of each model apart.
    if (!facts.metrics && !refused && facts.kind != ServerKind::vllm && facts.kind != ServerKind::sglang &&
        !facts.models.empty()) {
        const std::string path = "/metrics?model=" + query_value(facts.models.front());
        if (read_metrics_at(endpoint, path, http_get(endpoint, path, settings), facts))
            facts.kind = facts.reading.kind;
    }
    facts.reading.kind = facts.kind;
    if (facts.kind == ServerKind::unknown && facts.models.empty()) {
        if (refused)
            throw Error(endpoint.shown() + " wants a key",
                        "Put it into an environment variable and name that: --key-from NAME.", Exit::network);
        throw Error(endpoint.shown() + " answers, but is no server of language models that we know",
                    "vLLM, SGLang and llama-server are understood; check the port.", Exit::network);
    }
    if (!facts.metrics) {
        const char* option = facts.kind == ServerKind::sglang     ? " (--enable-metrics)"
                             : facts.kind == ServerKind::llamacpp ? " (--metrics)"
                                                                  : "";
        facts.missing.push_back(refused
                                    ? "/metrics wants a key (--key-from NAME)"
                                    : std::string("no /metrics: no figures of the whole server") + option);
    } else {
        facts.missing = what_is_missing(facts.reading);
    }
    return facts;
}

ServerReading scrape(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& settings) {
    if (!facts.metrics) {
        ServerReading reading;
        reading.kind = facts.kind;
        if (facts.kind == ServerKind::sglang)
            for (const char* path : {"/server_info", "/get_server_info"})
                if (const auto info = object_at(endpoint, path, settings)) {
                    reading.told_length = length_told_in(*info);
                    reading.told_drafts = told_drafts(*info);
                    break;
                }
        return reading;
    }
    const HttpAnswer answer = http_get(endpoint, facts.metrics_path, settings);
    if (!answer.ok())
        throw Error(endpoint.shown() + "/metrics answers with status " + std::to_string(answer.status),
                    "Is the server going down?", Exit::network);
    ServerReading reading = read_metrics(parse_exposition(answer.body, endpoint.shown() + "/metrics"));
    // Older versions tell their settings elsewhere, and those stay.
    if (!reading.told_drafts) reading.told_drafts = facts.reading.told_drafts;
    return reading;
}

std::string caution(const Endpoint& endpoint, bool has_key) {
    if (endpoint.loopback || endpoint.secure) return "";
    return endpoint.shown() +
           (has_key
                ? " is another machine and http is not encrypted: others on the way can read the key and the "
                  "prompt"
                : " is another machine and http is not encrypted: others on the way can read what is sent");
}

} // namespace speclens
