// The emulated device of simt.h: fibres and the scheduler of one block.
#include "kernels/simt/simt.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>

#include <sys/mman.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace simt {

unsigned char* shared = nullptr;
Order order = Order::ascending;
Device device;

namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;

#if defined(__x86_64__)
// Saves the callee-saved registers on the stack, exchanges the stacks, restores them.
extern "C" void simt_switch(void** save, void* load);
asm(R"(
.text
.type simt_switch, @function
simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size simt_switch, . - simt_switch
)");
using Context = void*;
void exchange(Context& save, Context& load) { simt_switch(&save, load); }
void prepare(Context& context, unsigned char* stack, void (*entry)()) {
    auto* top = reinterpret_cast<void**>(stack + kStack) - 3; // `entry` finds the alignment that a call leaves
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    context = top;
}
#else
using Context = ucontext_t;
void exchange(Context& save, Context& load) { swapcontext(&save, &load); }
void prepare(Context& context, unsigned char* stack, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = kStack;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
}
#endif

enum class State : std::uint8_t { ready, at_barrier, at_warp, done };

struct Fibre {
    Context context{};
    unsigned char* stack = nullptr;
    State state = State::ready;
    const char* place = nullptr;
    WarpWork work = nullptr;
    void* own = nullptr;
};

struct Block { // the block that runs now
    std::vector<Fibre> fibres;
    std::vector<unsigned> turn;
    Context scheduler{};
    unsigned running = 0, size = 0;
    const void* kernel = nullptr;
    void (*call)(const void*, void**) = nullptr;
    void** arguments = nullptr;
    std::string fault;
    bool abandoned = false; // a fault ended the last block: its fibres never returned
} block;

void yield_as(State state, const char* place) {
    Fibre& self = block.fibres[block.running];
    self.state = state;
    self.place = place;
    exchange(self.context, block.scheduler);
}

void run_fibre() {
    block.call(block.kernel, block.arguments);
    yield_as(State::done, "the end of the kernel");
}

// Lets the threads that wait at one barrier go on when all of them do.
bool release_barrier() {
    for (unsigned i = 0; i < block.size; ++i)
        if (block.fibres[i].state != State::at_barrier) return false;
    const std::string first = block.fibres[0].place;
    for (unsigned i = 1; i < block.size; ++i)
        if (block.fibres[i].place != first)
            throw Fault("threads of a block wait at different barriers: " + first + " and " + block.fibres[i].place);
    for (unsigned i = 0; i < block.size; ++i) block.fibres[i].state = State::ready;
    return true;
}

bool release_warp(unsigned first) {
    void* lanes[32];
    for (unsigned i = 0; i < 32; ++i) {
        const Fibre& fibre = block.fibres[first + i];
        if (fibre.state != State::at_warp) return false;
        if (std::strcmp(fibre.place, block.fibres[first].place) != 0)
            throw Fault(std::string("lanes of a warp wait at different operations: ") + block.fibres[first].place + " and " + fibre.place);
        lanes[i] = fibre.own;
    }
    block.fibres[first].work(lanes);
    for (unsigned i = 0; i < 32; ++i) block.fibres[first + i].state = State::ready;
    return true;
}

void run_block() {
    for (unsigned i = 0; i < block.size; ++i) {
        Fibre& fibre = block.fibres[i];
        fibre.state = State::ready;
        prepare(fibre.context, fibre.stack, run_fibre);
    }
    unsigned done = 0;
    while (done < block.size) {
        bool moved = false;
        for (const unsigned i : block.turn) {
            Fibre& fibre = block.fibres[i];
            if (fibre.state != State::ready) continue;
            block.running = i;
            const unsigned w = blockDim.x, h = blockDim.y;
            threadIdx = dim3(i % w, i / w % h, i / (w * h));
            exchange(block.scheduler, fibre.context);
            if (!block.fault.empty()) throw Fault(std::exchange(block.fault, ""));
            done += fibre.state == State::done;
            moved = true;
        }
        for (unsigned first = 0; first + 32 <= block.size; first += 32) moved = release_warp(first) || moved;
        if (done == 0) moved = release_barrier() || moved;
        if (moved || done == block.size) continue;
        std::string places;
        for (unsigned i = 0; i < block.size; ++i) {
            const Fibre& fibre = block.fibres[i];
            if (places.find(fibre.place) == std::string::npos) places += std::string(places.empty() ? "" : ", ") + fibre.place;
        }
        throw Fault("threads of a block wait for ones that never come: " + places);
    }
}

std::unordered_map<const void*, Kernel>& kernels() {
    static std::unordered_map<const void*, Kernel> map;
    return map;
}

void make_fibres(unsigned count) {
    while (block.fibres.size() < count) {
        void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED) throw Fault("no memory for fibres");
        block.fibres.push_back({});
        block.fibres.back().stack = static_cast<unsigned char*>(stack);
    }
}

// What the sanitizer remembers of frames that were left behind is no longer there.
void forget_frames() {
#if defined(__SANITIZE_ADDRESS__)
    for (const Fibre& fibre : block.fibres) ASAN_UNPOISON_MEMORY_REGION(fibre.stack, kStack);
#endif
}

} // namespace

void barrier(const char* place) { yield_as(State::at_barrier, place); }

void warp_collective(const char* place, WarpWork work, void* own) {
    Fibre& self = block.fibres[block.running];
    self.work = work;
    self.own = own;
    yield_as(State::at_warp, place);
}

void trap(const char* place) {
    block.fault = std::string("trap at ") + place;
    yield_as(State::done, place); // and is never resumed
}

void remember(const void* address, Kernel kernel) { kernels()[address] = std::move(kernel); }

void run_grid(const void* kernel, dim3 grid, dim3 size, void** arguments, std::size_t bytes) {
    if (device.fault_after >= 0 && device.fault_after-- == 0) device.fault = cudaErrorIllegalAddress;
    if (device.fault != cudaSuccess) return; // a device that failed runs nothing more
    const auto found = kernels().find(kernel);
    if (found == kernels().end()) throw Fault("a kernel was launched that was never remembered");
    block.size = size.x * size.y * size.z;
    if (block.size == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) throw Fault("a launch without threads");
    if (block.size > 1024 || grid.y > 65535 || grid.z > 65535) throw Fault("a launch larger than a GPU allows");
    if (bytes > (std::size_t{48} << 10)) throw Fault("more than 48 KiB of shared memory");
    make_fibres(block.size);
    if (block.abandoned) forget_frames();
    block.abandoned = true;
    block.kernel = kernel;
    block.call = found->second.call;
    block.arguments = arguments;
    block.turn.resize(block.size);
    std::iota(block.turn.begin(), block.turn.end(), 0u);
    if (order == Order::descending) std::ranges::reverse(block.turn);
    if (order == Order::shuffled) {
        std::uint32_t state = 12345;
        for (std::size_t i = block.turn.size(); i > 1; --i) {
            state = state * 1664525u + 1013904223u;
            std::swap(block.turn[i - 1], block.turn[state % i]);
        }
    }
    blockDim = size;
    gridDim = grid;
    const std::unique_ptr<unsigned char[]> memory(new unsigned char[bytes]);
    shared = memory.get();
    const float poison = std::numeric_limits<float>::quiet_NaN();
    for (unsigned z = 0; z < grid.z; ++z)
        for (unsigned y = 0; y < grid.y; ++y)
            for (unsigned x = 0; x < grid.x; ++x) {
                blockIdx = dim3(x, y, z);
                for (std::size_t i = 0; i + 4 <= bytes; i += 4) std::memcpy(memory.get() + i, &poison, 4);
                run_block();
            }
    block.abandoned = false;
}

const std::vector<std::size_t>& argument_sizes(const void* kernel) { return kernels().at(kernel).sizes; }

} // namespace simt
