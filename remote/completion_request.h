// What a client asks our server for, in OpenAI's JSON as vLLM reads it.
#pragma once

#include <string>

#include "engine/control.h"

namespace speclens {

// A request that cannot be answered: the status and the words that go back.
struct Refused {
    int status;
    std::string why;
};

struct CompletionRequest {
    RunSettings settings;
    bool stream = false, usage = false, pieces = false; // pieces: tokens apart (logprobs)
};
// `chat`: /v1/chat/completions, else /v1/completions. Drafter, rule and K are those of `base`. Throws
// Refused.
[[nodiscard]] CompletionRequest read_request(const std::string& body, bool chat, const RunSettings& base);

} // namespace speclens
