#include "kernels/cpu/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <system_error>

#if defined(__linux__)
#include <sched.h>
#endif

#include "hwy/cache_control.h"

namespace speclens {

namespace {

// Longer than the gap between two launches of a forward pass and than sampling a token; short enough that an
// idle engine does not hold a core.
constexpr std::chrono::microseconds kSpin{40};

// A container's CPU quota, rounded up, or 0 when there is none (cgroup v2: "max 100000" or "150000 100000").
int quota_cores() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
    const double cores = std::strtod(quota.c_str(), nullptr) / period;
    return cores > 0 ? std::max(1, static_cast<int>(cores + 0.999)) : 0;
}

} // namespace

int available_cores() {
    int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
#endif
    if (const int quota = quota_cores(); quota > 0) cores = std::min(cores, quota);
    return std::max(1, cores);
}

ThreadPool::ThreadPool(int threads) : shares_(static_cast<std::size_t>(std::max(0, threads - 1))) {
    // With more threads than cores a spinning thread only keeps the working one waiting.
    spin_ = threads <= available_cores();
    workers_.reserve(shares_.size());
    try {
        for (int thread = 1; thread < threads; ++thread) {
            Share& share = shares_[static_cast<std::size_t>(thread) - 1];
            workers_.emplace_back([this, thread, &share] { work_loop(thread, share); });
        }
    } catch (const std::system_error&) { // a limit (ulimit -u): those that started do all the work
        while (shares_.size() > workers_.size()) shares_.pop_back();
    }
}

ThreadPool::~ThreadPool() {
    stop_.store(true, std::memory_order_relaxed);
    launch_.fetch_add(1, std::memory_order_release);
    launch_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::launch(Function function, const void* context) {
    function_ = function;
    context_ = context;
    const std::uint32_t number = launch_.load(std::memory_order_relaxed) + 1;
    launch_.store(number, std::memory_order_release);
    launch_.notify_all();

    function(context, 0);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        if (!shares_[i].take(number)) continue;
        function(context, static_cast<int>(i) + 1);
        shares_[i].done.store(number, std::memory_order_relaxed);
    }
    for (const Share& share : shares_) wait_while(share.done, number - 1);
}

void ThreadPool::work_loop(int thread, Share& share) {
    std::uint32_t seen = 0; // the last launch that this thread looked at
    while (true) {
        wait_while(launch_, seen);
        seen = launch_.load(std::memory_order_acquire);
        if (stop_.load(std::memory_order_relaxed)) return;
        // The caller cannot begin another launch before somebody took this share, so what was read with
        // `seen` is still true for who takes it.
        if (!share.take(seen)) continue;
        function_(context_, thread);
        share.done.store(seen, std::memory_order_release);
        share.done.notify_one();
    }
}

void ThreadPool::wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const {
    if (value.load(std::memory_order_acquire) != old) return;
    if (spin_) {
        const auto until = std::chrono::steady_clock::now() + kSpin;
        do {
            for (int i = 0; i < 16; ++i) {
                hwy::Pause();
                if (value.load(std::memory_order_acquire) != old) return;
            }
        } while (std::chrono::steady_clock::now() < until);
    }
    value.wait(old, std::memory_order_acquire);
}

} // namespace speclens
