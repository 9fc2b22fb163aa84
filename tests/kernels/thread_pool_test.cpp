#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/thread_pool.h"

namespace speclens {
namespace {

TEST(ThreadPool, RunsEveryShareOnce) {
    for (int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        std::vector<int> calls(static_cast<std::size_t>(threads));
        pool.run([&](int share) { ++calls[static_cast<std::size_t>(share)]; });
        EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(threads), 1));
    }
}

TEST(ThreadPool, LosesNoLaunchAmongManyQuickOnes) {
    for (int threads : {2, 5}) {
        ThreadPool pool(threads);
        std::vector<std::int64_t> sums(static_cast<std::size_t>(threads) * 8); // a cache line each
        std::int64_t expected = 0;
        for (std::int64_t i = 0; i < 3000; ++i) {
            pool.run([&](int share) { sums[static_cast<std::size_t>(share) * 8] += i; });
            expected += i;
        }
        for (int share = 0; share < threads; ++share) EXPECT_EQ(sums[static_cast<std::size_t>(share) * 8], expected);
    }
}

TEST(ThreadPool, SeesWhatTheCallerWroteBeforeAndShowsWhatTheWorkersWrote) {
    ThreadPool pool(3);
    std::vector<int> values(3);
    for (int round = 1; round <= 500; ++round) {
        const int input = round;
        pool.run([&](int share) { values[static_cast<std::size_t>(share)] = input * (share + 1); });
        EXPECT_EQ(values, (std::vector<int>{round, 2 * round, 3 * round}));
    }
}

TEST(ThreadPool, WakesWorkersThatFellAsleep) {
    ThreadPool pool(4);
    std::vector<int> calls(4);
    for (int round = 0; round < 5; ++round) {
        // Longer than any spin phase, without sleeping in the test itself.
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
        while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
        pool.run([&](int share) { ++calls[static_cast<std::size_t>(share)]; });
    }
    EXPECT_EQ(calls, std::vector<int>(4, 5));
}

// With four threads a core most of them have no core when a launch comes; their shares are not left undone,
// and not done twice, whoever does them.
TEST(ThreadPool, DoesTheSharesOfThreadsThatGetNoCore) {
    const int threads = 4 * available_cores() + 1;
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
    constexpr int kLaunches = 2000;
    for (int launch = 0; launch < kLaunches; ++launch)
        pool.run([&](int share) { calls[static_cast<std::size_t>(share)].fetch_add(1, std::memory_order_relaxed); });
    for (const std::atomic<int>& count : calls) EXPECT_EQ(count.load(), kLaunches);
}

TEST(ThreadPool, DealsEveryPieceOnceWhoeverIsSlow) {
    for (const int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        for (const int pieces : {threads, threads + 1, 5 * threads, 1000}) {
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(pieces));
            for (int launch = 1; launch <= 50; ++launch) {
                pool.deal(pieces, [&](int first, int last) {
                    EXPECT_LT(first, last);
                    for (int piece = first; piece < last; ++piece) calls[static_cast<std::size_t>(piece)].fetch_add(1);
                });
                for (const std::atomic<int>& count : calls) ASSERT_EQ(count.load(), launch);
            }
        }
    }
}

TEST(ThreadPool, ARangeLiesInTheShareOfOneThread) {
    ThreadPool pool(3);
    for (const int pieces : {3, 7, 24, 100})
        pool.deal(pieces, [&](int first, int last) {
            int owners = 0;
            for (int thread = 0; thread < 3; ++thread) {
                const Range share = share_of(pieces, thread, 3);
                owners += first >= share.first && last <= share.last;
            }
            EXPECT_EQ(owners, 1) << first << " to " << last << " of " << pieces;
        });
}

// A worker that is held up in its first piece keeps that and no other: all else is done meanwhile, its own as well.
TEST(ThreadPool, ABusyThreadKeepsOnlyThePieceItIsAt) {
    const int pieces = 64;
    ThreadPool pool(2);
    for (int launch = 0; launch < 20; ++launch) {
        std::atomic<int> done = 0;
        std::atomic<bool> held = false; // one of the two threads, whichever comes first to piece 32
        pool.deal(pieces, [&](int first, int last) {
            if (first == pieces / 2 && !held.exchange(true)) {
                const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
                while (done.load() < pieces - (last - first) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
                EXPECT_EQ(done.load(), pieces - (last - first));
            }
            done.fetch_add(last - first);
        });
        EXPECT_EQ(done.load(), pieces);
    }
}

// In a process of its own, because the limit cannot be lifted again. _exit: what the child inherited is not
// its own to clean up.
void work_under_a_limit() {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(0); // no limit holds for root
    const rlimit none{};
    setrlimit(RLIMIT_NPROC, &none);
    try {
        std::thread([] {}).join();
        _exit(0); // this system has no such limit
    } catch (const std::system_error&) {
    }
    ThreadPool pool(4);
    int units = 0;
    pool.run([&](int share) {
        const Range range = share_of(100, share, pool.threads());
        units += static_cast<int>(range.last - range.first);
    });
    _exit(pool.threads() == 1 && units == 100 ? 0 : 1);
}

TEST(ThreadPool, WorksWithTheThreadsThatTheSystemLetsStart) { EXPECT_EXIT(work_under_a_limit(), ::testing::ExitedWithCode(0), ""); }

TEST(ThreadPool, StartsAndStopsCleanlyWithoutEverWorking) {
    for (int round = 0; round < 20; ++round) ThreadPool pool(4);
}

TEST(ThreadPool, SharesCoverEveryUnitExactlyOnce) {
    for (std::int64_t units : {0, 1, 2, 7, 100}) {
        for (int threads : {1, 2, 3, 8}) {
            std::int64_t next = 0;
            for (int thread = 0; thread < threads; ++thread) {
                const Range range = share_of(units, thread, threads);
                EXPECT_EQ(range.first, next);
                EXPECT_LE(range.first, range.last);
                next = range.last;
            }
            EXPECT_EQ(next, units);
        }
    }
}

} // namespace
} // namespace speclens
