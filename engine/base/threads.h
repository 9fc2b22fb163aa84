// Whether this program can start threads. Everywhere but in a page that the browser gives no memory to share; there one thread
// does everything, by turns.
#pragma once

#include <future>

#if defined(__EMSCRIPTEN__)
#include <emscripten/threading.h>
#endif

namespace speclens {

[[nodiscard]] inline bool threads_possible() {
#if defined(__EMSCRIPTEN__)
    return emscripten_has_threading_support() != 0;
#else
    return true;
#endif
}

// For std::async: beside the caller, or where no thread can be had when the result is asked for.
[[nodiscard]] inline std::launch beside() {
    return threads_possible() ? std::launch::async | std::launch::deferred : std::launch::deferred;
}

} // namespace speclens
