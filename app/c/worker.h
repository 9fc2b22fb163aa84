// One `speclens` that answers calls (app/c/frames.h), in a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "app/c/speclens.h"

struct speclens_result {
    std::string text, error, remedy, notices;
};

namespace speclens::calls {

// Asked about every 50 ms while a call waits or runs; false: it is to end.
using GoOn = std::function<bool(const speclens_progress& progress)>;

class Worker {
  public:
    Worker(); // not started
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker(); // ends the process

    // Each says in `result` what went wrong.
    [[nodiscard]] speclens_kind start(speclens_result& result);
    // One at a time.
    [[nodiscard]] speclens_kind call(const std::string& name, const std::string& options, const GoOn& go_on, speclens_result& result);
    // In a process that was forked from the one that started it: the other end hears of the end of that one alone.
    void forget();

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool send_request(const std::string& name, const std::string& options) const;
    [[nodiscard]] bool read_more(); // false: its end is closed
    // Takes the frames that have come; true: the last of the call was among them.
    [[nodiscard]] bool take_frames(speclens_result& result, speclens_kind& kind);
    [[nodiscard]] speclens_kind ended(speclens_result& result);

    pid_t process_ = -1;
    int to_ = -1, from_ = -1, errors_ = -1;
    std::string came_; // bytes of frames that are not complete
    std::string what_, unit_;
    double done_ = 0, total_ = 0;
    bool behind_ = false; // the last call was left before its end, which comes first
};

} // namespace speclens::calls
