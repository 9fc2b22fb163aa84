// A small fixed pool for many very short launches (a forward pass has four or five per layer). The caller is
// thread 0 and works too. Workers spin for some microseconds after a launch, because the next one usually
// comes at once, then sleep on a futex, because another process may need the core. There is no queue: the
// work is cut into one fixed share per thread (see share_of), in pieces. A thread works through its own share
// from the front, half of what is left at a time, so while nothing disturbs, it meets from launch to launch the weights
// that are in its cache, in a few calls. Who is done early takes pieces from the back of another's share: a slow core,
// or one that another process holds, costs what it does less and not the time of the slowest. What is computed
// in a piece must not depend on who does it, nor on which pieces come in one call.
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

    // The most pieces of one deal().
    static constexpr int kMostPieces = 0xFFFF;

    // Calls work(first, last) for ranges of the pieces 0 … pieces - 1, each in one of them, at the same time where the
    // cores are free; a range lies within share_of(pieces, thread, threads()) of one thread. Returns when all are done.
    // threads() <= pieces <= kMostPieces. `work` must not throw and must not come back here. One caller at a time.
    template <class Work>
    void deal(int pieces, const Work& work) {
        if (workers_.empty()) return work(0, pieces);
        launch(
            pieces, [](const void* context, int first, int last) { (*static_cast<const Work*>(context))(first, last); }, &work);
    }
    // Calls work(share) once for every share 0 … threads() - 1.
    template <class Work>
    void run(const Work& work) {
        deal(threads(), [&](int first, int last) {
            for (int share = first; share < last; ++share) work(share);
        });
    }

  private:
    using Function = void (*)(const void* context, int first, int last);

    struct alignas(64) Share {
        // The last launch in which a piece was taken, the pieces that were left then: launch << 32 | first << 16 | last.
        std::atomic<std::uint64_t> left = 0;
        std::atomic<std::uint32_t> done = 0; // pieces, of all launches together
        std::uint32_t due = 0;               // what `done` will be; the caller's
    };

    // Half of what is left of a share in this launch, from the front or the back; empty: nothing, or the launch is over.
    Range take(int share, std::uint32_t launch, bool front);
    // Works on the share of `thread`, then on what others have left.
    void work_on(int thread, std::uint32_t launch);
    void launch(int pieces, Function function, const void* context);
    void work_loop(int thread);
    // Returns once `value` differs from `old`: spins first, then sleeps.
    void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const;

    bool spin_ = true;
    // One cache line: a worker that sees a new launch has what to do with it.
    alignas(64) std::atomic<std::uint32_t> launch_ = 0; // one more per launch
    std::atomic<int> pieces_ = 0;                       // may be read by who comes late; what he takes with it is refused
    Function function_ = nullptr;                       // written before launch_ changes, read by who took pieces of that launch
    const void* context_ = nullptr;
    std::vector<Share> shares_;
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> workers_;
};

} // namespace speclens
