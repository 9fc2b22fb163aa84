// The step budget: one of the two mutexes between a session and whoever drives it (the other: mailbox.h).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace speclens {

// How many phases the engine may still perform. Run = kUnlimitedPhases (engine/run/session_commands.h), pause = 0, step = 1.
class Gate {
  public:
    void set(std::int64_t steps); // replaces the budget and, where it changes, wakes the engine
    void add(std::int64_t steps);
    void wake();                   // a command is waiting
    void close();                  // no more waiting: wait() returns false from now on
    [[nodiscard]] bool try_take(); // takes one step if there is budget
    // Blocks until there is budget, wake() was called or the gate was closed. False when closed.
    [[nodiscard]] bool wait();
    [[nodiscard]] std::int64_t budget() const;
    // What is asked for beside the run goes before it, whatever budget there is: the window shows that, and not the run.
    void put_work_first(bool first);
    [[nodiscard]] bool work_first() const;

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t budget_ = 0;
    bool woken_ = false;
    bool closed_ = false;
    bool work_first_ = false;
};

} // namespace speclens
