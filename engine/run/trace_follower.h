// A run that arrives line by line, as `speclens run --json -` writes it on this machine or another one: read
// from a pipe on a thread of its own, into a trace that grows.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/run/trace_json.h"

namespace speclens {

class TraceFollower {
  public:
    struct End {
        std::string what, remedy; // a line that is no event of a run; empty: the stream is over
        std::string notice;       // the last line broke off
    };

    // Reads the open file `descriptor`, which stays the caller's, and waits for the header of the run.
    // `grown` is called on the thread that reads, after every piece that arrived and at the end. Throws
    // Error: what arrives is no run, or nothing does. Cancelled: `stop` was set while waiting.
    TraceFollower(int descriptor, const std::string& name, std::function<void()> grown, const std::atomic<bool>* stop = nullptr);
    ~TraceFollower(); // does not wait for more

    [[nodiscard]] std::shared_ptr<const Trace> trace() const { return reader_.trace(); }
    [[nodiscard]] std::optional<End> end() const; // absent while more may come

  private:
    void read_on(); // until the end, or until closing_
    bool read_piece();
    void over(End end);

    int descriptor_;
    std::function<void()> grown_;
    TraceReader reader_;
    std::string rest_; // of a line whose end has not arrived
    mutable std::mutex end_mutex_;
    std::optional<End> end_;
    std::atomic<bool> closing_{false};
    std::thread thread_;
};

} // namespace speclens
