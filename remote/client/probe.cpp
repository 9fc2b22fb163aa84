#include "remote/client/probe.h"

#include <cctype>

#include "engine/base/json_read.h"
#include "remote/reading/reported_number.h"

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
    return found != json.end() && found->is_string() ? found->get<std::string>().substr(0, 200) : std::string();
}

DraftSettings settings_in(const Json& info) {
    return {reported_at(info, "speculative_num_draft_tokens"), reported_at(info, "speculative_num_steps"),
            reported_at(info, "speculative_eagle_topk")};
}

void take_settings(ServerReading& reading, const DraftSettings& settings) {
    reading.drafting = settings;
    reading.reported_drafts = settings.nodes() ? settings.nodes() : settings.depth();
    if (reading.counts && reading.kind == ServerKind::sglang) reading.counts->shape = settings.shape();
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
bool read_metrics_at(const Endpoint& endpoint, const std::string& path, const HttpAnswer& answer, ServerFacts& facts) {
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

// Ids, and of llama-server's router which are loaded; who owns them tells the server where /metrics is closed.
void read_models(const Json& json, ServerFacts& facts, const std::string& wanted) {
    const auto data = json.find("data");
    if (data == json.end() || !data->is_array()) return;
    std::vector<std::string> loaded, others;
    for (const Json& model : *data) {
        if (!model.is_object() || loaded.size() + others.size() >= 64) continue;
        std::string id = text_of(model, "id");
        if (id.empty()) continue;
        if (facts.kind == ServerKind::unknown) {
            const std::string owner = text_of(model, "owned_by");
            if (owner == "llamacpp") facts.kind = ServerKind::llamacpp;
            if (owner == "vllm") facts.kind = ServerKind::vllm;
            if (owner == "sglang") facts.kind = ServerKind::sglang;
        }
        const auto status = model.find("status");
        if (status == model.end() || !status->is_object()) {
            loaded.push_back(std::move(id));
            continue;
        }
        facts.router = true;
        const bool there = text_of(*status, "value") == "loaded";
        if (there && id == wanted)
            loaded.insert(loaded.begin(), std::move(id));
        else
            (there ? loaded : others).push_back(std::move(id));
    }
    if (facts.router) facts.loaded = loaded.size();
    facts.models = std::move(loaded);
    facts.models.insert(facts.models.end(), others.begin(), others.end());
}

[[noreturn]] void key_refused(const Endpoint& endpoint, bool has_key) {
    if (has_key)
        throw Error(endpoint.shown() + " refuses this key", "Is the variable that --key-from names the right one, and its value whole?",
                    Exit::network);
    throw Error(endpoint.shown() + " wants a key", "Put it into an environment variable and name that: --key-from NAME.", Exit::network);
}

// llama-server: {"error":{"message":"Loading model","type":"unavailable_error","code":503}}
bool loads(const HttpAnswer& answer) {
    if (answer.status != 503) return false;
    const Json json = parse_foreign_json(answer.body);
    const auto error = json.is_object() ? json.find("error") : json.end();
    return json.is_object() && error != json.end() && error->is_object() &&
           (text_of(*error, "type") == "unavailable_error" || text_of(*error, "message").find("oading") != std::string::npos);
}

// Tokens that running requests have written: llama-server's slots. Absent: it does not tell.
std::optional<double> written_in_slots(const std::string& body) {
    const Json slots = parse_foreign_json(body);
    if (!slots.is_array()) return {};
    double written = 0;
    for (const Json& slot : slots) {
        if (!slot.is_object() || slot.value("is_processing", Json()) != true) continue;
        const auto next = slot.find("next_token");
        if (next == slot.end()) continue;
        // An array of one since October 2025, an object before.
        const Json& token = next->is_array() && !next->empty() ? next->front() : *next;
        const auto decoded = token.is_object() ? token.find("n_decoded") : token.end();
        if (token.is_object() && decoded != token.end() && decoded->is_number())
            written += reported_count(decoded->get<double>()).value_or(0);
    }
    return written;
}

std::string slots_path(const ServerFacts& facts) {
    return facts.router && !facts.models.empty() ? "/slots?model=" + query_value(facts.models.front()) + "&autoload=false" : "/slots";
}

} // namespace

ServerFacts probe_server(const Endpoint& endpoint, const HttpSettings& settings, const std::string& model) {
    ServerFacts facts;
    const HttpAnswer metrics = http_get(endpoint, "/metrics", settings);
    if (loads(metrics)) throw ServerLoads(endpoint.shown() + " loads its model", "Wait until it has.", Exit::network);
    const bool refused = metrics.status == 401 || metrics.status == 403;
    if (refused && !settings.key.empty()) key_refused(endpoint, true);
    if (read_metrics_at(endpoint, "/metrics", metrics, facts)) facts.kind = facts.reading.kind;
    if (const auto version = object_at(endpoint, "/version", settings)) {
        facts.version = text_of(*version, "version");
        if (facts.kind == ServerKind::unknown && !facts.version.empty()) facts.kind = ServerKind::vllm;
    }
    if (facts.kind == ServerKind::unknown || facts.kind == ServerKind::llamacpp)
        if (const auto props = object_at(endpoint, "/props", settings);
            props && (props->contains("default_generation_settings") || text_of(*props, "role") == "router")) {
            facts.kind = ServerKind::llamacpp;
            facts.version = text_of(*props, "build_info");
            facts.router = text_of(*props, "role") == "router";
        }
    if (facts.kind == ServerKind::unknown ||
        (facts.kind == ServerKind::sglang && (!facts.reading.reported_length || !facts.reading.reported_drafts)))
        for (const char* path : {"/server_info", "/get_server_info"})
            if (const auto info = object_at(endpoint, path, settings); info && info->contains("internal_states")) {
                facts.kind = ServerKind::sglang;
                facts.version = text_of(*info, "version");
                if (!facts.reading.reported_length) facts.reading.reported_length = length_in_server_info(*info);
                if (!facts.reading.drafting.told()) take_settings(facts.reading, settings_in(*info));
                break;
            }
    if (const auto models = object_at(endpoint, "/v1/models", settings)) read_models(*models, facts, model);
    // llama.cpp's router keeps the metrics of each model apart, and would load one that is asked for them.
    const bool others = facts.kind == ServerKind::vllm || facts.kind == ServerKind::sglang;
    if (!facts.metrics && !refused && !others && !facts.models.empty() && (!facts.router || facts.loaded > 0)) {
        const std::string path = "/metrics?model=" + query_value(facts.models.front()) + "&autoload=false";
        if (read_metrics_at(endpoint, path, http_get(endpoint, path, settings), facts)) facts.kind = facts.reading.kind;
    }
    if (facts.kind == ServerKind::llamacpp && facts.metrics) {
        const HttpAnswer slots = http_get(endpoint, slots_path(facts), settings);
        facts.slots = slots.ok() && written_in_slots(slots.body).has_value();
        if (facts.slots) facts.reading.in_flight = written_in_slots(slots.body);
    }
    facts.reading.kind = facts.kind;
    if (facts.kind == ServerKind::unknown && facts.models.empty()) {
        if (refused) key_refused(endpoint, false);
        throw Error(endpoint.shown() + " answers, but is no server of language models that we know",
                    "vLLM, SGLang and llama-server are understood; check the port (8000, 30000 and 9931 are usual, "
                    "8080 for an older llama-server).",
                    Exit::network);
    }
    if (!facts.metrics)
        facts.missing.push_back(no_metrics(facts.kind, refused                             ? NoMetrics::refused
                                                       : facts.router && facts.loaded == 0 ? NoMetrics::none_loaded
                                                                                           : NoMetrics::closed));
    else
        facts.missing = what_is_missing(facts.reading);
    if (facts.router && !model.empty() && (facts.models.empty() || facts.models.front() != model || facts.loaded == 0))
        facts.missing.push_back(not_loaded(model, facts.loaded > 0 ? facts.models.front() : ""));
    return facts;
}

ServerReading scrape(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& settings) {
    if (!facts.metrics) {
        ServerReading reading;
        reading.kind = facts.kind;
        if (facts.kind == ServerKind::sglang)
            for (const char* path : {"/server_info", "/get_server_info"})
                if (const auto info = object_at(endpoint, path, settings)) {
                    reading.reported_length = length_in_server_info(*info);
                    take_settings(reading, settings_in(*info));
                    break;
                }
        return reading;
    }
    const HttpAnswer answer = http_get(endpoint, facts.metrics_path, settings);
    if (!answer.ok())
        throw Error(endpoint.shown() + "/metrics answers with status " + std::to_string(answer.status), "Is the server going down?",
                    Exit::network);
    ServerReading reading = read_metrics(parse_exposition(answer.body, endpoint.shown() + "/metrics"));
    // Older versions tell their settings elsewhere, and those stay.
    if (!reading.drafting.told()) take_settings(reading, facts.reading.drafting);
    if (facts.slots) {
        reading.in_flight = 0;
        if (reading.running.value_or(0) > 0)
            if (const HttpAnswer slots = http_get(endpoint, slots_path(facts), settings); slots.ok())
                reading.in_flight = written_in_slots(slots.body);
    }
    return reading;
}

std::string caution(const Endpoint& endpoint, bool has_key) {
    if (endpoint.loopback || endpoint.secure) return "";
    return endpoint.shown() + (has_key ? " is another machine and http is not encrypted: others on the way can read the key and the "
                                         "prompt"
                                       : " is another machine and http is not encrypted: others on the way can read what is sent");
}

} // namespace speclens
