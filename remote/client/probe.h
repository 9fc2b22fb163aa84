// Finding out what listens at an address and what it tells.
#pragma once

#include <string>

#include "engine/net/http.h"
#include "kernels/error.h"
#include "remote/client/server_facts.h"

namespace speclens {

// It answers 503 while it loads its model (llama-server): try again later.
struct ServerLoads : Error {
    using Error::Error;
};

// Asks /metrics, /version, /props, /server_info and /v1/models, in this order, and only what still matters. Of a
// router it asks only `model` (empty: the first loaded one), and nothing that would load it. Throws ServerLoads, and
// Error (exit network) when nobody listens, when the key is wrong or missing, and when nothing that answers is a server
// of language models.
[[nodiscard]] ServerFacts probe_server(const Endpoint& endpoint, const HttpSettings& settings, const std::string& model = "");
// One more scrape; for a server without /metrics the one figure that SGLang keeps elsewhere.
[[nodiscard]] ServerReading scrape(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& settings);

// Why sending a key or a prompt there needs a second thought; empty: no reason.
[[nodiscard]] std::string caution(const Endpoint& endpoint, bool has_key);

} // namespace speclens
