// What a server tells of itself when it is asked for the first time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "remote/reading/server_reading.h"

namespace speclens {

struct ServerFacts {
    ServerKind kind = ServerKind::unknown;
    std::string version;                   // empty: not reported
    std::vector<std::string> models;       // ids of /v1/models; of a router those that are loaded first
    std::size_t loaded = 0;                // of a router: how many of them are
    bool router = false;                   // several models behind one llama-server, loaded when they are asked for
    bool slots = false;                    // /slots answers: what running requests have written so far
    bool metrics = false;                  // /metrics answers
    std::string metrics_path = "/metrics"; // with the name of a model where a llama.cpp router wants it
    ServerReading reading;                 // of that answer, or what /server_info has
    std::vector<Said> missing;             // what is not reported, with the option that would

    // `speclens serve`, which has vLLM's names and tells more.
    [[nodiscard]] bool own() const { return version.starts_with("SpecLens"); }
    // "vLLM 0.11.0", "SpecLens 0.1.0", as the server wrote it.
    [[nodiscard]] std::string program() const {
        return own() ? version : server_name(kind) + (version.empty() ? std::string() : " " + version);
    }
};

} // namespace speclens
