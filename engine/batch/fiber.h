// A task with a stack of its own that can pause in the middle and go on later, all on one thread: what lets code that knows
// nothing of others wait for them (lockstep.h).
#pragma once

#include <cstddef>
#include <functional>

#include <ucontext.h>

namespace speclens {

class Fiber {
  public:
    Fiber(); // throws std::bad_alloc
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber(); // no work may be under way

    // Runs `work`, which must not throw, until it pauses or ends. The one before has ended.
    void start(std::function<void()> work);
    void resume(); // the same, from where it paused
    [[nodiscard]] bool ended() const { return ended_; }
    static void pause(); // in a work only: back to who started or resumed it

  private:
    static void enter(unsigned high, unsigned low);
    void run();

    void* memory_ = nullptr; // of the stack, with a page below it that nobody may touch
    std::size_t bytes_ = 0;
    ucontext_t own_{}, caller_{};
    std::function<void()> work_;
    bool ended_ = true;
    // What the sanitizers have to be told of a change of stacks.
    void *own_fake_ = nullptr, *caller_fake_ = nullptr, *own_thread_ = nullptr, *caller_thread_ = nullptr;
    const void* caller_stack_ = nullptr;
    std::size_t caller_bytes_ = 0;
};

} // namespace speclens
