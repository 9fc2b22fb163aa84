#include "kernels/cpu/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

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
    throw Error("out of memory: need " + std::to_string((bytes + kMiB - 1) / kMiB) + " MiB, " + std::to_string(available / kMiB) +
                    " MiB available",
                "choose a smaller model or a shorter context, or close other programs", Exit::device, ErrorKind::out_of_memory);
}

// At the start of a huge page where `bytes` fill some. Null: there is no memory.
void* map_aligned(std::size_t bytes) {
    const bool large = bytes >= 2 * kHugePage;
    void* data = nullptr;
    if (posix_memalign(&data, large ? kHugePage : kCacheLine, std::max<std::size_t>(bytes, 1)) != 0) return nullptr;
#if defined(MADV_HUGEPAGE)
    if (large) madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE); // a wish; failure changes only speed
#endif
    return data;
}

// Matrices that fill no huge page of their own share blocks that do. A block goes when the last of them has gone; the
// newest one stays, to be filled again.
class SharedBlocks {
  public:
    // The address sanitizer sees no end of a matrix inside a block, so with it every matrix stands alone.
#if defined(__SANITIZE_ADDRESS__)
    static bool takes(std::size_t) { return false; }
#else
    static bool takes(std::size_t bytes) { return bytes >= kLeast && bytes < 2 * kHugePage; }
#endif
    void* allocate(std::size_t bytes) {
        const std::size_t room = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
        const std::lock_guard lock(mutex_);
        if (!newest_ || blocks_.at(newest_).used + room > kBlock) {
            auto* const block = static_cast<std::byte*>(map_aligned(kBlock));
            if (!block) return nullptr;
            drop_if_empty(newest_);
            newest_ = block;
            blocks_.emplace(block, Block{});
        }
        Block& block = blocks_.at(newest_);
        ++block.lent;
        return newest_ + std::exchange(block.used, block.used + room);
    }
    // False: it is of no block.
    bool release(void* data) noexcept {
        const std::lock_guard lock(mutex_);
        auto found = blocks_.upper_bound(static_cast<std::byte*>(data));
        if (found == blocks_.begin()) return false;
        --found;
        if (static_cast<std::byte*>(data) >= found->first + kBlock) return false;
        if (--found->second.lent > 0) return true;
        found->second.used = 0;
        if (found->first != newest_) drop_if_empty(found->first);
        return true;
    }

  private:
    static constexpr std::size_t kBlock = 8 * kHugePage, kLeast = std::size_t{64} << 10;
    struct Block {
        std::size_t used = 0;
        int lent = 0;
    };
    void drop_if_empty(std::byte* block) {
        const auto found = blocks_.find(block);
        if (found == blocks_.end() || found->second.lent > 0) return;
        std::free(block);
        blocks_.erase(found);
    }
    std::mutex mutex_;
    std::map<std::byte*, Block, std::less<>> blocks_;
    std::byte* newest_ = nullptr;
};

SharedBlocks& shared_blocks() {
    static auto* const blocks = new SharedBlocks; // buffers of static storage may outlive a destructor
    return *blocks;
}

} // namespace

std::size_t available_memory() {
    std::ifstream file("/proc/meminfo");
    constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max(); // 4 GiB where addresses have 32 bits: more may be free
    std::string key;
    std::uint64_t kib = 0;
    while (file >> key >> kib) {
        if (key == "MemAvailable:") return static_cast<std::size_t>(std::min(kib * 1024, kMost));
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
        if (const std::size_t available = available_memory(); bytes > available) out_of_memory(bytes, available);
    }
    void* const data = SharedBlocks::takes(bytes) ? shared_blocks().allocate(bytes) : map_aligned(bytes);
    if (!data) out_of_memory(bytes, available_memory());
    return data;
}

void release_aligned(void* data) noexcept {
    if (!shared_blocks().release(data)) std::free(data);
}

} // namespace speclens
