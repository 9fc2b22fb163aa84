// Our own engine behind the addresses of a language-model server, so that there is something to attach to:
// every figure it tells was counted in a real run. Speaks vLLM's dialect (/v1/completions,
// /v1/chat/completions, /tokenize, /v1/models, /metrics, /health, /version), with the rounds of every request listed as
// vLLM does with --per-request-spec-decode-metrics detailed. Texts share passes where the models can (batch_queue.h), else they
// come one after the other (single_queue.h). A connection costs a thread from the first byte of its request to the last of the
// answer, which closes it. The models may be in use elsewhere too: it takes a turn at them for every round (engine/models/turns.h).
#pragma once

#include <memory>
#include <string>

#include "engine/batch/batch_settings.h"
#include "engine/run/run_settings.h"

namespace speclens {

struct Models; // engine/models/models.h

struct ServeSettings {
    std::string host = "127.0.0.1";
    int port = 8000;         // 0: any free one
    int most_waiting = 256;  // more requests than this are refused; each costs a thread until it is answered
    RunSettings base;        // drafter, rule, K, dice; prompt, length and temperature come with the requests
    BatchSettings batch;     // blocks 0: as many as default_blocks()
    bool key_memory = false; // a key's answers are remembered for its next requests (key_memory.h)
    int most_listed = 20;    // likeliest tokens of a place that a client may ask for
    bool ranks = false;      // the draft's lists are recorded for every request, so that /metrics counts all refusals by rank
};

class SpecServer {
  public:
    SpecServer(std::shared_ptr<const Models> models, ServeSettings settings);
    ~SpecServer();                              // stops
    int bind();                                 // the port; throws Error (exit network) when it is taken
    void serve();                               // answers until stop(); call bind() first
    void stop();                                // from any thread; texts under way end after their round
    [[nodiscard]] std::string metrics() const;  // what GET /metrics answers
    [[nodiscard]] std::string batching() const; // how many texts at once, in how many blocks: one sentence

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace speclens
