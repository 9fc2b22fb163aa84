#include "kernels/cpu/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
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
    throw Error("out of memory: need " + std::to_string((bytes + kMiB - 1) / kMiB) + " MiB, " + std::to_string(available / kMiB) +
                    " MiB available",
                "choose a smaller model or a shorter context, or close other programs", Exit::device, ErrorKind::out_of_memory);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) // with it every matrix stands alone, so that it sees where one ends
constexpr bool kMaps = true;
#else
constexpr bool kMaps = false;
#endif

// What is large enough lies on huge pages of its own, the rest shares blocks of them. A block is address space, and memory only
// where somebody wrote. The gap that a matrix leaves is lent again; what is in no use goes back to the system where it is large, or
// when give_back() is called, and a block when nothing is left in it.
class Blocks {
  public:
    static bool takes(std::size_t bytes) { return kMaps && bytes >= kLeast; }
    // Null: there is no memory.
    void* allocate(std::size_t bytes) {
        const std::size_t room = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
        const std::lock_guard lock(mutex_);
        if (room <= kLargestShared)
            for (auto& [data, block] : blocks_)
                if (const std::size_t at = block.gap(room); at + room <= block.size) return data + block.lend(at, room);
        const std::size_t size = room <= kLargestShared ? kBlock : (room + kPage - 1) / kPage * kPage;
        std::byte* const data = map(size);
        if (data == nullptr) return nullptr;
        return data + blocks_.emplace(data, Block{.size = size, .touched = 0, .lent = {}}).first->second.lend(0, room);
    }
    // False: it is of no block.
    bool release(void* data) noexcept {
        const std::lock_guard lock(mutex_);
        auto found = blocks_.upper_bound(static_cast<std::byte*>(data));
        if (found == blocks_.begin()) return false;
        auto& [begin, block] = *--found;
        const auto at = static_cast<std::size_t>(static_cast<std::byte*>(data) - begin);
        if (at >= block.size) return false;
        const auto after = block.lent.erase(block.lent.find(at));
        if (block.lent.empty()) {
            unmap(begin, block.size);
            blocks_.erase(found);
            return true;
        }
        const auto before = after == block.lent.begin() ? block.lent.end() : std::prev(after);
        give_back(begin, block, before == block.lent.end() ? 0 : before->first + before->second,
                  after == block.lent.end() ? block.touched : after->first, kWorthGivingBack);
        return true;
    }
    void give_back() noexcept {
        const std::lock_guard lock(mutex_);
        for (auto& [data, block] : blocks_) {
            std::size_t end = 0;
            for (const auto& [at, room] : block.lent) {
                give_back(data, block, end, at, 0);
                end = at + room;
            }
            give_back(data, block, end, block.touched, 0);
        }
    }

  private:
    static constexpr std::size_t kPage = 4096, kLeast = std::size_t{64} << 10, kBlock = 32 * kHugePage, kLargestShared = kBlock / 2,
                                 kWorthGivingBack = 8 * kHugePage;
    struct Block {
        std::size_t size = 0;
        std::size_t touched = 0;                 // nothing behind it is memory
        std::map<std::size_t, std::size_t> lent; // where, and how much
        // Where the first gap of that size begins; too near to the end: there is none.
        [[nodiscard]] std::size_t gap(std::size_t room) const {
            std::size_t end = 0;
            for (const auto& [at, size_there] : lent) {
                if (at - end >= room) return end;
                end = at + size_there;
            }
            return end;
        }
        std::size_t lend(std::size_t at, std::size_t room) {
            lent.emplace(at, room);
            touched = std::max(touched, at + room);
            return at;
        }
    };
    // The whole pages of a gap, where it has so many bytes.
    static void give_back(std::byte* data, Block& block, std::size_t begin, std::size_t end, std::size_t least) noexcept {
        if (end < begin + std::max(least, kPage)) return;
        if (end == block.touched) block.touched = begin;
        drop((begin + kPage - 1) / kPage * kPage, end / kPage * kPage, data);
    }
#if defined(__linux__)
    static std::byte* map(std::size_t size) {
        void* const all = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) return nullptr;
        auto* const begin = static_cast<std::byte*>(all);
        const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(all) % kHugePage) % kHugePage;
        if (before > 0) munmap(begin, before);
        if (before < kHugePage) munmap(begin + before + size, kHugePage - before);
        madvise(begin + before, size, MADV_HUGEPAGE); // a wish; failure changes only speed
        return begin + before;
    }
    static void unmap(std::byte* data, std::size_t size) noexcept { munmap(data, size); }
    static void drop(std::size_t begin, std::size_t end, std::byte* data) noexcept {
        if (begin < end) madvise(data + begin, end - begin, MADV_DONTNEED);
    }
#else
    static std::byte* map(std::size_t) { return nullptr; }
    static void unmap(std::byte*, std::size_t) noexcept {}
    static void drop(std::size_t, std::size_t, std::byte*) noexcept {}
#endif
    std::mutex mutex_;
    std::map<std::byte*, Block, std::less<>> blocks_;
};

Blocks& blocks() {
    static auto* const all = new Blocks; // buffers of static storage may outlive a destructor
    return *all;
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
    void* data = nullptr;
    if (Blocks::takes(bytes))
        data = blocks().allocate(bytes);
    else if (posix_memalign(&data, kCacheLine, std::max<std::size_t>(bytes, 1)) != 0)
        data = nullptr;
    if (!data) out_of_memory(bytes, available_memory());
    return data;
}

void release_aligned(void* data) noexcept {
    if (!blocks().release(data)) std::free(data);
}

void give_back_released() noexcept { blocks().give_back(); }

} // namespace speclens
