// Somebody's server, as the command line meets it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "engine/run/gallery.h"
#include "remote/client/probe.h"
#include "remote/client/served_text.h"

namespace speclens::cli {

// With the key of --key-from; Ctrl+C ends a request.
[[nodiscard]] HttpSettings http_settings(const Options& options);
// Of --prompts, of --domain, or ready-made ones for any model, domains in turn.
[[nodiscard]] std::vector<GalleryPrompt> server_prompts(const Options& options);
// What is sent with a prompt: model, length, temperature and seed are the options'.
[[nodiscard]] RequestSettings request_with(const Options& options, const std::string& prompt, const std::string& system, bool chat);
// Sleeps in small steps; false when interrupted.
[[nodiscard]] bool pause(double seconds);
// A server that loads its model is waited for, and that is said.
[[nodiscard]] ServerFacts when_loaded(const Endpoint& endpoint, const HttpSettings& http, const std::string& model);

} // namespace speclens::cli
