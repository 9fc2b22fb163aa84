// Somebody's server, as the command line meets it.
#pragma once

#include <string>

#include "app/cli/options.h"
#include "remote/client/probe.h"

namespace speclens::cli {

// With the key of --key-from; Ctrl+C ends a request.
[[nodiscard]] HttpSettings http_settings(const Options& options);
// Sleeps in small steps; false when interrupted.
[[nodiscard]] bool pause(double seconds);
// A server that loads its model is waited for, and that is said.
[[nodiscard]] ServerFacts when_loaded(const Endpoint& endpoint, const HttpSettings& http, const std::string& model);

} // namespace speclens::cli
