// Somebody's server as a target: a text goes there as token ids, and the log-probabilities of its tokens come
// back. One request for every pass of the target. vLLM: POST /v1/completions with `prompt_logprobs` (its own
// extension; it computes the whole text anew, since such requests pass by the prefix cache). SGLang: POST
// /generate with `logprob_start_len` and `top_logprobs_num`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/scorer.h"
#include "engine/net/http.h"
#include "remote/reading/server_reading.h"

namespace speclens {

struct ScorerSettings {
    std::string model;                          // which of the server's; empty: its first
    int listed = 20;                            // likeliest tokens to ask for; vLLM answers more only when started with --max-logprobs
    std::string vocabulary = "the draft model"; // whose ids the server is sent, for messages
    bool no_tokens = false;                     // the server judges a text without writing one behind it: ours
    HttpSettings http;
};
// Finds out what listens there and sends it one short text, to see that it answers and means the same tokens
// by the same ids. Throws Error: exit network when nobody or no such server answers, exit model when its
// vocabulary is another one.
[[nodiscard]] std::shared_ptr<const Scorer> connect_scorer(const Endpoint& endpoint, ScorerSettings settings, Vocabulary vocabulary);

// ---- the parts that know no network ----
struct ScoreRequest {
    std::string path, body; // for http_post
};
// The distribution behind a text's last token is told only as that of a token that follows, so `filler` is appended.
[[nodiscard]] ScoreRequest score_request(ServerKind kind, const ScorerSettings& settings, std::span<const int> tokens, int rows,
                                         int filler);

struct Scored {
    std::vector<TopEntries> rows;   // of the last `rows` tokens before the filler
    std::vector<std::string> texts; // what the server calls each of those tokens but the first, and the
                                    // filler; empty where it does not say
    Wire wire = {};                 // the server's own time where the answer tells it; the rest is the connection's
};
// Throws Error: exit network when the answer has no rows or too few, exit model when it has an id outside the
// `vocab` ids of `vocabulary`.
[[nodiscard]] Scored read_scores(ServerKind kind, std::string_view body, std::span<const int> tokens, int rows, int filler, int vocab,
                                 const std::string& server, const std::string& vocabulary);

} // namespace speclens
