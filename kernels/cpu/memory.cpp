#include "kernels/cpu/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "kernels/error.h"

namespace speclens {

namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMiB = std::size_t{1} << 20;

[[noreturn]] void out_of_memory(std::size_t bytes, std::size_t available) {
    throw Error("out of memory: need " + std::to_string((bytes + kMiB - 1) / kMiB) + " MiB, " +
                    std::to_string(available / kMiB) + " MiB available",
                "choose a smaller model or a shorter context, or close other programs", Exit::device);
}

} // namespace

std::size_t available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::size_t kib = 0;
    while (file >> key >> kib) {
        if (key == "MemAvailable:") return kib * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::numeric_limits<std::size_t>::max(); // unknown: let the allocation itself decide
}

std::size_t largest_cache() {
    std::size_t largest = 0;
    for (int index = 0; index < 8; ++index) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
        std::size_t size = 0;
        char unit = 0;
        if (!(file >> size >> unit)) break;
        largest = std::max(largest, unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : std::size_t{0});
    }
    return largest;
}

void* allocate_aligned(std::size_t bytes) {
    // The kernel promises more than it has and kills the process later, so large requests are checked first.
    if (bytes >= 64 * kMiB) {
        if (const std::size_t available = available_memory(); bytes > available)
            out_of_memory(bytes, available);
    }
    const bool large = bytes >= 2 * kHugePage;
    void* data = nullptr;
    if (posix_memalign(&data, large ? kHugePage : kCacheLine, std::max<std::size_t>(bytes, 1)) != 0) {
        out_of_memory(bytes, available_memory());
    }
#if defined(MADV_HUGEPAGE)
    if (large)
        madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE); // a wish; failure changes only speed
#endif
    return data;
}

void release_aligned(void* data) noexcept {
    std::free(data);
}

} // namespace speclens
