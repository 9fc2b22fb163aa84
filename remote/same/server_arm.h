// A server of somebody's, asked for greedy texts: one whole answer a request. llama.cpp is sent token ids, and has the ids of what it
// wrote; newer versions of vLLM (pull request 22587) and SGLang tell both; of others the ids are found out where /tokenize makes as many of
// the text as the server says it wrote.
#pragma once

#include <memory>

#include "engine/net/http.h"
#include "remote/client/server_facts.h"
#include "remote/same/greedy_request.h"

namespace speclens {

struct ServerArmSettings {
    std::string model; // empty: the server's first
    int max_tokens = 64;
    std::optional<int> drafts; // of a round, asked for in each request: may_switch_off() says where that may help
};
// Its calls throw what http_post throws, and Error (network) with the server's words where it refuses to answer.
[[nodiscard]] std::shared_ptr<SameArm> server_arm(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& http,
                                                  const ServerArmSettings& settings);

} // namespace speclens
