// What a client asks our server for, in OpenAI's JSON as vLLM reads it.
#pragma once

#include <string>

#include "engine/run/run_settings.h"
#include "engine/text/chat.h"
#include "kernels/error.h"

namespace speclens {

// A request that cannot be answered: the status and the words that go back.
struct Refused {
    int status;
    std::string why;
    int retry_seconds = 0;             // 503: when to come again; 0: nobody knows
    ErrorKind kind = ErrorKind::other; // unknown_token is told in the answer, so that a client of ours need not read `why`
};
[[nodiscard]] Refused refused_by(const Error& error);
inline constexpr const char* kUnknownToken = "unknown_token";

struct CompletionRequest {
    RunSettings settings;
    std::string model; // empty: whichever is served
    bool stream = false, usage = false,
         pieces = false;  // pieces: tokens apart, a field of ours (return_pieces)
    std::string notice;   // what is asked for and does nothing; goes back with the answer
    int prompt_top = -1;  // likeliest tokens to tell for every place of the prompt (prompt_logprobs); -1: none
    int top = -1;         // likeliest tokens to tell for every token that is written (logprobs, top_logprobs); -1: nothing of it
    bool as_ids = false;  // there, tokens are called by their ids (return_tokens_as_token_ids)
    bool sources = false; // where every token came from, a field of ours (return_token_sources)
};
inline constexpr int kSourceListed = 20;  // of the draft's list at each place, for `sources`
inline constexpr int kMostPromptTop = 20; // where nobody says more; as vLLM unless started with --max-logprobs
// `chat`: /v1/chat/completions, in the format of the model, else /v1/completions. Drafter, rule and K are
// those of `base`. Throws Refused.
[[nodiscard]] CompletionRequest read_request(const std::string& body, bool chat, const RunSettings& base, const ChatFormat& format = {},
                                             int most_listed = kMostPromptTop);

} // namespace speclens
