// Our own engine behind the addresses of a language-model server, so that there is something to attach to:
// every figure it tells was counted in a real run. Speaks vLLM's dialect (/v1/completions,
// /v1/chat/completions, /v1/models, /metrics, /health, /version), with the rounds of every request listed as
// vLLM does with --per-request-spec-decode-metrics detailed. One text at a time; others wait. A
// connection costs a thread from the first byte of its request to the last of the answer, which closes it. The models may be in use
// elsewhere too: it takes a turn at them for every phase (engine/run/turns.h).
#pragma once

#include <memory>
#include <string>

#include "engine/run/models.h"
#include "engine/run/run.h"

namespace speclens {

struct ServeSettings {
    std::string host = "127.0.0.1";
    int port = 8000; // 0: any free one
    int most_waiting = 256; // more requests than this are refused; each costs a thread until it is answered
    RunSettings base; // drafter, rule, K, dice; prompt, length and temperature come with the requests
};

class SpecServer {
  public:
    SpecServer(std::shared_ptr<const Models> models, ServeSettings settings);
    ~SpecServer();                             // stops
    int bind();                                // the port; throws Error (exit network) when it is taken
    void serve();                              // answers until stop(); call bind() first
    void stop();                               // from any thread; a text under way ends after its round
    [[nodiscard]] std::string metrics() const; // what GET /metrics answers

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace speclens
