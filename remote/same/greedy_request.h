// What is sent to a server for a greedy text that nothing else has a hand in, and what comes back: no network. Only fields that a kind of
// server documents are sent; a neutral value is sent for each penalty and filter, because servers have defaults of their own (vLLM takes
// a model's generation_config.json).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "remote/reading/server_reading.h"
#include "remote/same/greedy.h"
#include "remote/same/same_measure.h"

namespace speclens {

struct GreedyDialect {
    ServerKind kind = ServerKind::unknown;
    bool own_server = false; // SpecLens: vLLM's fields, but those that it does not have
    std::string model;       // sent along; empty: none
    int max_tokens = 64;
    std::optional<int> drafts; // of a round, asked for as "speculative.n_max"; absent: as the server does
};

struct GreedyRequest {
    std::string path, body;
};
// `ids`: those of the prompt, where they are known and the server takes them; else its text. `salt`: another one for every request, where
// the API keeps caches of prompts apart by it; llama.cpp has a switch.
[[nodiscard]] GreedyRequest answer_request(const GreedyDialect& dialect, const GreedyPrompt& prompt, std::span<const int> ids,
                                           const std::string& salt);
// One new token behind the prefix, and the likeliest ones in its place.
[[nodiscard]] GreedyRequest reread_request(const GreedyDialect& dialect, const ForkPrefix& prefix, const std::string& salt);
// Whose answer has the ids of a text, or of a chat as the server writes it. Both dialects of /tokenize in one; only llama.cpp has a
// template without ids ("/apply-template").
[[nodiscard]] GreedyRequest tokenize_request(const GreedyDialect& dialect, const std::string& text, bool with_beginning = true);
[[nodiscard]] GreedyRequest template_request(const GreedyDialect& dialect, const GreedyPrompt& prompt);

[[nodiscard]] inline bool takes_ids(ServerKind kind) {
    return kind == ServerKind::llamacpp || kind == ServerKind::vllm || kind == ServerKind::sglang;
}

// Of an answer that is not streamed. Throws Error (network) where it is none.
[[nodiscard]] GreedyAnswer read_greedy_answer(const GreedyDialect& dialect, std::string_view body);
// Without probabilities where the answer has none.
[[nodiscard]] Reread read_reread(const GreedyDialect& dialect, std::string_view body);
// Empty: it is no such answer.
[[nodiscard]] std::vector<int> read_ids(std::string_view body);

} // namespace speclens
