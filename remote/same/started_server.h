// A server that is started by a command line, for as long as the object lives. The line goes to /bin/sh in a process group of its own;
// standard input stays open until the end, standard output and error are kept for messages.
#pragma once

#include <memory>
#include <string>

#include "engine/net/endpoint.h"

namespace speclens {

class StartedServer {
  public:
    // {k} and {port} in the command are replaced; the port is one that nobody listens at now. Throws Error (usage) for a command without
    // them, and Error (device) where no process can be started.
    StartedServer(const std::string& command, int k);
    ~StartedServer(); // ends the whole group: asks, then kills after five seconds
    StartedServer(const StartedServer&) = delete;
    StartedServer& operator=(const StartedServer&) = delete;

    [[nodiscard]] const Endpoint& endpoint() const;
    [[nodiscard]] const std::string& command() const; // as it was run
    [[nodiscard]] bool ended();                       // by itself
    [[nodiscard]] std::string last_words() const;     // the end of what it printed

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace speclens
