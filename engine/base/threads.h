// Whether this program can start threads. Everywhere but in a page that the browser gives no memory to share; there one thread
// does everything, by turns.
#pragma once

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

} // namespace speclens
