// A small fixed pool for many very short launches (a forward pass has four or five per layer). The caller is
// thread 0 and works too. Workers spin for some microseconds after a launch, because the next one usually
// comes at once, then sleep on a futex, because another process may need the core. There is no queue: the
// work is cut into one fixed share per thread (see share_of), so results cannot depend on who was faster. A
// thread keeps its share from launch to launch, whose weights are in its cache; only when another process
// holds its core does the caller do that share too, instead of waiting for the scheduler at every launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace speclens {

struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0; // exclusive
};

// The share of `thread` out of `threads` when `units` pieces of work are dealt out in order.
[[nodiscard]] inline Range share_of(std::int64_t units, int thread, int threads) {
    return {units * thread / threads, units * (thread + 1) / threads};
}

// Cores this process may run on (affinity and cgroup quota respected), at least 1.
[[nodiscard]] int available_cores();

class ThreadPool {
  public:
    // Where the system does not let so many start, the pool has fewer.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

    // Calls work(share) once for every share 0 … threads() - 1, at the same time where the cores are free;
    // returns when all are done. `work` must not throw and must not call run() again. One caller at a time.
    template <class Work>
    void run(const Work& work) {
        if (workers_.empty()) return work(0);
        launch([](const void* context, int share) { (*static_cast<const Work*>(context))(share); }, &work);
    }

  private:
    using Function = void (*)(const void* context, int share);

    // How far a worker's share is: the numbers of the last launches in which it was begun, and done.
    struct alignas(64) Share {
        std::atomic<std::uint32_t> begun = 0;
        std::atomic<std::uint32_t> done = 0;
        // True for one of those who ask: the share of this launch is theirs. Also false when the launch is
        // over.
        bool take(std::uint32_t launch) {
            std::uint32_t before = launch - 1;
            if (begun.load(std::memory_order_relaxed) != before) return false; // without claiming the line
            return begun.compare_exchange_strong(before, launch, std::memory_order_acq_rel,
                                                 std::memory_order_relaxed);
        }
    };

    void launch(Function function, const void* context);
    void work_loop(int thread, Share& share);
    // Returns once `value` differs from `old`: spins first, then sleeps.
    void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const;

    bool spin_ = true;
    // One cache line: a worker that sees a new launch has what to do with it.
    alignas(64) std::atomic<std::uint32_t> launch_ = 0; // one more per launch
    Function function_ = nullptr; // written before launch_ changes, read by who took a share of that launch
    const void* context_ = nullptr;
    std::vector<Share> shares_; // of the workers: share i + 1
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> workers_;
};

} // namespace speclens
