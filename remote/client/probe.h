// Finding out what listens at an address and what it tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "remote/client/http.h"
#include "remote/reading/server_reading.h"

namespace speclens {

struct ServerFacts {
    ServerKind kind = ServerKind::unknown;
    std::string version;                   // empty: not told
    std::vector<std::string> models;       // ids of /v1/models
    bool metrics = false;                  // /metrics answers
    std::string metrics_path = "/metrics"; // with the name of a model where a llama.cpp router wants it
    ServerReading reading;                 // of that answer, or what /server_info has
    std::vector<std::string> missing;      // what is not told, with the option that would
};
// Asks /metrics, /version, /props, /server_info and /v1/models, in this order, and only what still matters.
// Throws Error (exit network) when nobody listens, and when nothing that answers is a server of language
// models.
[[nodiscard]] ServerFacts probe_server(const Endpoint& endpoint, const HttpSettings& settings);
// One more scrape; for a server without /metrics the one figure that SGLang keeps elsewhere.
[[nodiscard]] ServerReading scrape(const Endpoint& endpoint, const ServerFacts& facts,
                                   const HttpSettings& settings);

// Why sending a key or a prompt there needs a second thought; empty: no reason.
[[nodiscard]] std::string caution(const Endpoint& endpoint, bool has_key);

} // namespace speclens
