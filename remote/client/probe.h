// Finding out what listens at an address and what it tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/error.h"
#include "remote/client/http.h"
#include "remote/reading/server_reading.h"

namespace speclens {

// It answers 503 while it loads its model (llama-server): try again later.
struct ServerLoads : Error {
    using Error::Error;
};

struct ServerFacts {
    ServerKind kind = ServerKind::unknown;
    std::string version;                   // empty: not told
    std::vector<std::string> models;       // ids of /v1/models; of a router those that are loaded first
    std::size_t loaded = 0;                // of a router: how many of them are
    bool router = false;                   // several models behind one llama-server, loaded when they are asked for
    bool slots = false;                    // /slots answers: what running requests have written so far
    bool metrics = false;                  // /metrics answers
    std::string metrics_path = "/metrics"; // with the name of a model where a llama.cpp router wants it
    ServerReading reading;                 // of that answer, or what /server_info has
    std::vector<std::string> missing;      // what is not told, with the option that would
};
// Asks /metrics, /version, /props, /server_info and /v1/models, in this order, and only what still matters. Of a
// router it asks only `model` (empty: the first loaded one), and nothing that would load it. Throws ServerLoads, and
// Error (exit network) when nobody listens, when the key is wrong or missing, and when nothing that answers is a server
// of language models.
[[nodiscard]] ServerFacts probe_server(const Endpoint& endpoint, const HttpSettings& settings,
                                       const std::string& model = "");
// One more scrape; for a server without /metrics the one figure that SGLang keeps elsewhere.
[[nodiscard]] ServerReading scrape(const Endpoint& endpoint, const ServerFacts& facts,
                                   const HttpSettings& settings);

// Why sending a key or a prompt there needs a second thought; empty: no reason.
[[nodiscard]] std::string caution(const Endpoint& endpoint, bool has_key);

} // namespace speclens
