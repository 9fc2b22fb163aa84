// A small fixed pool for many very short launches (a forward pass has four or five per layer). The caller is
// thread 0 and works too. Workers spin for some microseconds after a launch, because the next one usually
// comes at once, then sleep on a futex, because another process may need the core. There is no queue and no
// stealing: each thread owns a fixed share of the outputs (see share_of), so results cannot depend on who was
// faster.
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
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

    // Calls work(thread) once on every thread, 0 being the caller; returns when all are done. `work` must not
    // throw and must not call run() again. One caller at a time.
    template <class Work>
    void run(const Work& work) {
        if (workers_.empty()) return work(0);
        launch([](const void* context, int thread) { (*static_cast<const Work*>(context))(thread); }, &work);
    }

  private:
    using Function = void (*)(const void* context, int thread);

    void launch(Function function, const void* context);
    void work_loop(int thread);
    // Returns once `value` differs from `old`: spins first, then sleeps.
    void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const;

    bool spin_ = true;
    Function function_ = nullptr; // written before epoch_ changes, read after
    const void* context_ = nullptr;
    alignas(64) std::atomic<std::uint32_t> epoch_ = 0;   // one more per launch
    alignas(64) std::atomic<std::uint32_t> pending_ = 0; // workers that have not finished this launch
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> workers_;
};

} // namespace speclens
