#include "kernels/cpu/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <system_error>

#if defined(__linux__)
#include <sched.h>
#endif

#if defined(__EMSCRIPTEN__)
#include <emscripten/threading.h>
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
#if defined(__EMSCRIPTEN__) // the browser tells its cores also where no thread may be started
    if (emscripten_has_threading_support() == 0) return 1;
#endif
    int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
#endif
    if (const int quota = quota_cores(); quota > 0) cores = std::min(cores, quota);
    return std::max(1, cores);
}

ThreadPool::ThreadPool(int threads) : shares_(static_cast<std::size_t>(std::max(1, threads))) {
    // With more threads than cores a spinning thread only keeps the working one waiting.
    spin_ = threads <= available_cores();
    workers_.reserve(shares_.size());
    try {
        for (int thread = 1; thread < threads; ++thread) workers_.emplace_back([this, thread] { work_loop(thread); });
    } catch (const std::system_error&) { // a limit (ulimit -u): those that started do all the work
    }
}

ThreadPool::~ThreadPool() {
    stop_.store(true, std::memory_order_relaxed);
    launch_.fetch_add(1, std::memory_order_release);
    launch_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::launch(int pieces, Function function, const void* context) {
    function_ = function;
    context_ = context;
    pieces_.store(pieces, std::memory_order_relaxed);
    for (int thread = 0; thread < threads(); ++thread) {
        const Range range = share_of(pieces, thread, threads());
        shares_[static_cast<std::size_t>(thread)].due += static_cast<std::uint32_t>(range.last - range.first);
    }
    const std::uint32_t number = launch_.load(std::memory_order_relaxed) + 1;
    launch_.store(number, std::memory_order_release);
    launch_.notify_all();

    work_on(0, number);
    for (int thread = 0; thread < threads(); ++thread) {
        const Share& share = shares_[static_cast<std::size_t>(thread)];
        for (std::uint32_t done = 0; (done = share.done.load(std::memory_order_acquire)) != share.due;) wait_while(share.done, done);
    }
}

Range ThreadPool::take(int share, std::uint32_t launch, bool front) {
    std::atomic<std::uint64_t>& left = shares_[static_cast<std::size_t>(share)].left;
    std::uint64_t before = left.load(std::memory_order_relaxed); // without claiming the line
    while (true) {
        // Every share has pieces and all of them are taken before the next launch, so a share of which nothing was taken
        // in this launch shows the one before; anything else is of a launch after the one that is asked for.
        const auto number = static_cast<std::uint32_t>(before >> 32);
        Range range = {static_cast<std::int64_t>(before >> 16 & 0xFFFF), static_cast<std::int64_t>(before & 0xFFFF)};
        if (number == launch - 1)
            range = share_of(pieces_.load(std::memory_order_relaxed), share, threads());
        else if (number != launch)
            return {};
        if (range.first == range.last) return {};
        const std::int64_t some = (range.last - range.first + 1) / 2;
        const Range taken = front ? Range{range.first, range.first + some} : Range{range.last - some, range.last};
        const Range rest = front ? Range{taken.last, range.last} : Range{range.first, taken.first};
        const std::uint64_t after =
            std::uint64_t{launch} << 32 | static_cast<std::uint64_t>(rest.first) << 16 | static_cast<std::uint64_t>(rest.last);
        if (left.compare_exchange_weak(before, after, std::memory_order_acq_rel, std::memory_order_relaxed)) return taken;
    }
}

void ThreadPool::work_on(int thread, std::uint32_t launch) {
    for (int i = 0; i < threads(); ++i) {
        const int share = (thread + i) % threads();
        for (Range range = take(share, launch, i == 0); range.first < range.last; range = take(share, launch, i == 0)) {
            function_(context_, static_cast<int>(range.first), static_cast<int>(range.last));
            std::atomic<std::uint32_t>& done = shares_[static_cast<std::size_t>(share)].done;
            done.fetch_add(static_cast<std::uint32_t>(range.last - range.first), std::memory_order_release);
            done.notify_one();
        }
    }
}

void ThreadPool::work_loop(int thread) {
    std::uint32_t seen = 0; // the last launch that this thread looked at
    while (true) {
        wait_while(launch_, seen);
        seen = launch_.load(std::memory_order_acquire);
        if (stop_.load(std::memory_order_relaxed)) return;
        // The caller cannot begin another launch before all pieces are done, so what was read with `seen` is still true
        // for who takes one.
        work_on(thread, seen);
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
