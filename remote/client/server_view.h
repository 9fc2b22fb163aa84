// What the window knows about a server: one consistent snapshot.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "remote/client/served_text.h"
#include "remote/client/server_facts.h"
#include "remote/reading/watch.h"

namespace speclens {

struct ServerView {
    enum class State : std::uint8_t { detached, probing, attached, failed } state = State::detached;
    std::string address; // of the endpoint, or as typed while it is looked for
    bool own = false;    // this program's own engine, started for this
    ServerFacts facts;
    Watch watch;                              // empty where the server tells nothing
    bool asking = false;                      // a request is under way
    RequestSettings asked;                    // the last one
    std::shared_ptr<const ServedText> served; // its answer so far; null before the first
    std::vector<double> token_ms;             // of every answer since it was attached to that could be timed: ms a token behind the first
    std::string problem, remedy;              // the last thing that failed; empty: nothing since
};

// What a user may order.
struct AttachServer {
    std::string address;
};
struct ServeHere {}; // start our own engine behind an address and attach to it
struct DetachServer {};
struct AskServer {
    RequestSettings request;
};
using ServerOrder = std::variant<AttachServer, ServeHere, DetachServer, AskServer>;

} // namespace speclens
