#include "remote/serving/request_threads.h"

#include <type_traits>

namespace speclens {

RequestThreads::Taken RequestThreads::enqueue(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        if (idle_ < tasks_.size() && threads_.size() < most_) threads_.emplace_back([this] { work(); });
    }
    wake_.notify_one();
    if constexpr (!std::is_void_v<Taken>) return Taken(true);
}

void RequestThreads::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        wake_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
        --idle_;
        if (tasks_.empty()) return;
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

void RequestThreads::end() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_)
        if (thread.joinable()) thread.join();
}

} // namespace speclens
