// How a long job tells how far it is, and how it is told to stop.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>

namespace speclens {

// Thrown by a long job when Progress::cancelled became true; not an Error, because nothing went wrong.
struct Cancelled : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

// Progress of a long job; `cancelled` is polled at least every 100 ms of work.
struct Progress {
    static constexpr const char* kMegabytes = "MB"; // a unit; other jobs count other things
    std::function<void(const std::string& what, double done, double total, const std::string& unit)> report;
    const std::atomic<bool>* cancelled = nullptr;
};
inline void check_cancelled(const Progress& progress) { // throws Cancelled
    if (progress.cancelled != nullptr && progress.cancelled->load(std::memory_order_relaxed)) throw Cancelled();
}

} // namespace speclens
