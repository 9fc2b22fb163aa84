// Models that several threads compute with. A backend serves one thread at a time, so whoever computes, allocates or
// releases with it takes a turn, as with a mutex, and keeps it for one phase. Turns come in the order in which they
// were asked for: a run that never pauses would keep everybody else from a plain mutex.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace speclens {

class Turns {
  public:
    void lock() {
        std::unique_lock lock(mutex_);
        const std::uint64_t mine = next_++;
        free_.wait(lock, [&] { return served_ == mine; });
    }
    void unlock() {
        {
            const std::lock_guard lock(mutex_);
            ++served_;
        }
        free_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable free_;
    std::uint64_t next_ = 0, served_ = 0;
};

} // namespace speclens
