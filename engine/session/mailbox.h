// The pending commands: one of the two mutexes between a session and whoever drives it (the other: gate.h). The engine takes them
// at phase boundaries.
#pragma once

#include <mutex>
#include <vector>

#include "engine/run/session_commands.h"

namespace speclens {

class Mailbox {
  public:
    void push(Command command);
    [[nodiscard]] std::vector<Command> take(); // swap, oldest first
    [[nodiscard]] bool ends_run() const;       // a command waits that replaces the run, or stops it
    [[nodiscard]] bool ends_race() const;      // or a race

  private:
    mutable std::mutex mutex_;
    std::vector<Command> commands_;
};

} // namespace speclens
