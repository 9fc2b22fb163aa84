// A server of a language model that is a formula, in the dialects of others, honest or with a fault planted in it: what a meter of greedy
// texts has to find, or must not.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/json_read.h"
#include "tests/shared/listening.h"

namespace speclens::test {

struct ToyToken {
    int id;
    double logp;
};

// Tokens begin with their blank; an answer is of the words w1 to w63, and 0 ends it. Every eighth place or so is a near tie, the others
// are 1.5 nats or more apart.
struct ToyModel {
    static constexpr int kWords = 64;
    static constexpr double kWidestTie = 0.015;

    static std::uint64_t hash(std::span<const int> ids) {
        std::uint64_t h = 0x9e3779b97f4a7c15ULL;
        for (const int id : ids.last(std::min<std::size_t>(ids.size(), 8))) {
            h = (h ^ static_cast<std::uint64_t>(id)) * 0xbf58476d1ce4e5b9ULL;
            h ^= h >> 29;
        }
        return h;
    }
    static bool near_tie(std::span<const int> ids) { return (hash(ids) >> 8) % 8 == 0; }

    // The twenty likeliest.
    static std::vector<ToyToken> next(std::span<const int> ids) {
        const std::uint64_t h = hash(ids);
        const double part = static_cast<double>((h >> 20) % 1000) / 1000;
        const int best = (h >> 40) % 61 == 0 ? 0 : 1 + static_cast<int>(h % (kWords - 1));
        const double margin = near_tie(ids) ? kWidestTie * part : 1.5 + 4 * part;
        std::vector<ToyToken> list{{best, -0.4}};
        for (int i = 1; i < 20; ++i) list.push_back({1 + (best + i * 3) % (kWords - 1), -0.4 - margin - (i - 1) * 0.3});
        return list;
    }
    static std::string text(int id) { return id == 0 ? "" : " w" + std::to_string(id); }
    static std::vector<int> ids_of(const std::string& text) {
        std::vector<int> ids;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at + 1), text.size());
            const std::string piece = text.substr(at, end - at);
            int id = 0;
            if (piece.starts_with(" w") && piece.find_first_not_of("0123456789", 2) == std::string::npos && piece.size() > 2)
                id = std::stoi(piece.substr(2));
            else
                for (const char c : piece) id = kWords + (id * 31 + static_cast<unsigned char>(c)) % 900;
            ids.push_back(id);
            at = end;
        }
        return ids;
    }
};

struct ToyBehaviour {
    enum class Dialect { llamacpp, vllm, text_only } dialect = Dialect::llamacpp;
    enum class Planted {
        nothing,
        near_ties, // with drafts every 40th near tie falls the other way
        row_short, // with drafts now and then a token as if the one before had not been written
        noisy,     // with drafts or without: now and then the second best token, another time elsewhere
    } planted = Planted::nothing;
    int k = 4;                 // drafts of a round; 0: none
    bool listens = true;       // to "speculative.n_max"
    int harmless = 0;          // drafts of a round up to which a planted fault does not show
    bool probabilities = true; // behind the first token
    bool tokenizes = true;
    std::string system = "";            // that its template puts before every chat
    bool other_ids = false;             // /tokenize makes more tokens of a text than were written
    std::chrono::milliseconds pause{0}; // before every answer
};

class ToyServer {
  public:
    explicit ToyServer(ToyBehaviour behaviour = {})
        : behaviour_(behaviour), server_([this](const std::string& request) { return answer(request); }), endpoint(server_.endpoint) {}

  private:
    using Dialect = ToyBehaviour::Dialect;
    using Planted = ToyBehaviour::Planted;

    struct Written {
        std::vector<int> ids;
        int drafted = 0, accepted = 0;
        bool ended = false;
    };

    Written write(std::vector<int> ids, int most, int k) {
        Written out;
        int left = 0; // of the round
        while (static_cast<int>(out.ids.size()) < most && !out.ended) {
            const std::uint64_t h = ToyModel::hash(ids);
            const std::vector<ToyToken> list = ToyModel::next(ids);
            const bool shows = k > behaviour_.harmless && !out.ids.empty(); // the first token is the prefill's
            int token = list[0].id;
            if (behaviour_.planted == Planted::noisy && dice_() % 60 == 0) token = list[1].id;
            if (behaviour_.planted == Planted::near_ties && shows && ToyModel::near_tie(ids) && (h >> 30) % 40 == 0) token = list[1].id;
            if (behaviour_.planted == Planted::row_short && shows && (h >> 30) % 150 == 0 && ids.size() > 1)
                token = ToyModel::next(std::span(ids).first(ids.size() - 1))[0].id;
            if (k > 0 && !out.ids.empty() && left-- == 0) {
                left = static_cast<int>(h % static_cast<unsigned>(k + 1));
                out.drafted += k;
                out.accepted += left;
            }
            out.ids.push_back(token);
            ids.push_back(token);
            out.ended = token == 0;
        }
        return out;
    }

    RawServer::Answer answer(const std::string& request) {
        const std::string path = request.substr(request.find(' ') + 1, request.find(' ', request.find(' ') + 1) - request.find(' ') - 1);
        const std::size_t at = request.find("\r\n\r\n");
        const Json body = at == std::string::npos ? Json() : parse_foreign_json(request.substr(at + 4));
        int status = 200;
        const Json json = answered(path, body, status);
        const std::string text = json.dump();
        return {"HTTP/1.1 " + std::to_string(status) + (status == 200 ? " OK" : " Not Found") +
                "\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text};
    }

    Json answered(const std::string& path, const Json& body, int& status) {
        const bool llamacpp = behaviour_.dialect == Dialect::llamacpp;
        if (path == "/v1/models") return {{"data", Json::array({Json{{"id", "toy"}}})}};
        if (path == "/props" && llamacpp) return {{"default_generation_settings", Json::object()}, {"build_info", "b1-toy"}};
        if (path == "/version" && behaviour_.dialect == Dialect::vllm) return {{"version", "0.32.0"}};
        if (path == "/apply-template" && llamacpp) return {{"prompt", chat(body)}};
        if (path == "/tokenize" && behaviour_.tokenizes) {
            const std::string text = body.contains("messages") ? chat(body) : body.value(llamacpp ? "content" : "prompt", "");
            std::vector<int> ids = ToyModel::ids_of(text);
            if (behaviour_.other_ids) ids.push_back(7);
            return {{"tokens", ids}, {"count", ids.size()}};
        }
        if (path == (llamacpp ? "/completion" : "/v1/completions")) return completed(body, llamacpp, status);
        if (path == "/v1/chat/completions" && !llamacpp) return completed(body, false, status);
        status = 404;
        return {{"error", {{"message", "no such address"}}}};
    }

    std::string chat(const Json& body) const {
        return behaviour_.system + "<user> " + body["messages"].back()["content"].get<std::string>() + " <assistant>";
    }

    Json completed(const Json& body, bool llamacpp, int& status) {
        std::this_thread::sleep_for(behaviour_.pause);
        const Json& prompt = body.contains("prompt") ? body["prompt"] : body;
        if (prompt.is_array() && behaviour_.dialect == Dialect::text_only) {
            status = 400;
            return {{"error", {{"message", "prompt must be a string"}}}};
        }
        const std::vector<int> ids = prompt.is_array()    ? prompt.get<std::vector<int>>()
                                     : prompt.is_string() ? ToyModel::ids_of(prompt.get<std::string>())
                                                          : ToyModel::ids_of(chat(body));
        const int most = body.value(llamacpp ? "n_predict" : "max_tokens", 16), listed = body.value(llamacpp ? "n_probs" : "logprobs", 0);
        const int k = behaviour_.listens ? std::min(behaviour_.k, body.value("speculative.n_max", behaviour_.k)) : behaviour_.k;
        const Written written = write(ids, most, k);
        std::string text;
        for (const int id : written.ids) text += ToyModel::text(id);
        std::vector<ToyToken> list = ToyModel::next(ids);
        if (!behaviour_.probabilities) list.clear();
        list.resize(std::min<std::size_t>(list.size(), static_cast<std::size_t>(listed)), ToyToken{0, 0});
        if (llamacpp) {
            Json timings = {{"predicted_n", written.ids.size()}, {"prompt_n", ids.size()}};
            if (written.drafted > 0) timings["draft_n"] = written.drafted, timings["draft_n_accepted"] = written.accepted;
            Json json = {{"content", text},
                         {"tokens", written.ids},
                         {"stop", true},
                         {"stop_type", written.ended ? "eos" : "limit"},
                         {"timings", timings}};
            Json top = Json::array();
            for (const ToyToken& one : list) top.push_back({{"id", one.id}, {"token", ToyModel::text(one.id)}, {"logprob", one.logp}});
            if (listed > 0)
                json["completion_probabilities"] = Json::array({Json{{"id", written.ids[0]}, {"logprob", 0}, {"top_logprobs", top}}});
            return json;
        }
        Json choice = {{"index", 0}, {"finish_reason", written.ended ? "stop" : "length"}};
        if (body.contains("messages"))
            choice["message"] = {{"content", text}};
        else
            choice["text"] = text;
        const auto name = [&](int id) {
            return body.contains("return_tokens_as_token_ids") ? "token_id:" + std::to_string(id) : ToyModel::text(id);
        };
        Json top = Json::object();
        for (const ToyToken& one : list)
            if (one.id != 0 || body.contains("return_tokens_as_token_ids")) top[name(one.id)] = one.logp;
        if (listed > 0 && behaviour_.probabilities)
            choice["logprobs"] = {{"tokens", Json::array({name(written.ids[0])})}, {"top_logprobs", Json::array({top})}};
        if (body.contains("return_token_ids")) choice["token_ids"] = written.ids, choice["prompt_token_ids"] = ids;
        return {{"choices", Json::array({choice})}, {"usage", {{"completion_tokens", written.ids.size()}, {"prompt_tokens", ids.size()}}}};
    }

    ToyBehaviour behaviour_;
    std::mt19937_64 dice_{7};
    RawServer server_;

  public:
    Endpoint endpoint;
};

} // namespace speclens::test
