// Threads for requests: as many as there are at once, each started when none is idle.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <httplib.h>

namespace speclens {

class RequestThreads final : public httplib::TaskQueue {
  public:
    // nothing up to 0.11 of the library, since then whether it was taken
    using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));
    explicit RequestThreads(std::size_t most) : most_(most) {}
    ~RequestThreads() override { end(); }
    Taken enqueue(std::function<void()> task) override;
    void shutdown() override { end(); } // what waits is still done

  private:
    void work();
    void end();

    const std::size_t most_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool ending_ = false;
};

} // namespace speclens
