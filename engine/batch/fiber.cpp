#include "engine/batch/fiber.h"

#include <cstdint>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "kernels/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace speclens {
namespace {

// Kernels keep blocks of keys and values on the stack. Only pages that are touched take memory.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStack = 16 << 20;
#else
constexpr std::size_t kStack = 4 << 20;
#endif

thread_local Fiber* running = nullptr;

void* stack_of(void* memory) { return static_cast<char*>(memory) + getpagesize(); }

} // namespace

Fiber::Fiber() : bytes_(kStack + static_cast<std::size_t>(getpagesize())) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory_, static_cast<std::size_t>(getpagesize()), PROT_NONE);
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
    if (own_thread_ != nullptr) __tsan_destroy_fiber(own_thread_);
#endif
    munmap(memory_, bytes_);
}

void Fiber::start(std::function<void()> work) {
    CHECK(ended_, "a fiber has one work at a time");
    work_ = std::move(work);
    ended_ = false;
    own_fake_ = nullptr;
#if defined(__SANITIZE_THREAD__)
    if (own_thread_ != nullptr) __tsan_destroy_fiber(own_thread_); // its calls never returned
    own_thread_ = __tsan_create_fiber(0);
#endif
    CHECK(getcontext(&own_) == 0, "getcontext");
    own_.uc_stack.ss_sp = stack_of(memory_);
    own_.uc_stack.ss_size = kStack;
    own_.uc_link = nullptr;
    // Arguments are ints: the address goes in two of them.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    resume();
}

void Fiber::enter(unsigned high, unsigned low) { reinterpret_cast<Fiber*>((static_cast<std::uintptr_t>(high) << 32) | low)->run(); }

void Fiber::run() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &caller_stack_, &caller_bytes_);
#endif
    work_();
    work_ = nullptr;
    ended_ = true;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, caller_stack_, caller_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(caller_thread_, 0);
#endif
    swapcontext(&own_, &caller_);
}

void Fiber::resume() {
    CHECK(!ended_, "a work that has ended does not go on");
    Fiber* const outer = std::exchange(running, this);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&caller_fake_, stack_of(memory_), kStack);
#endif
#if defined(__SANITIZE_THREAD__)
    caller_thread_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_thread_, 0);
#endif
    swapcontext(&caller_, &own_);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(caller_fake_, nullptr, nullptr);
#endif
    running = outer;
}

void Fiber::pause() {
    CHECK(running != nullptr, "only a work on a fiber pauses");
    Fiber& self = *running;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&self.own_fake_, self.caller_stack_, self.caller_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(self.caller_thread_, 0);
#endif
    swapcontext(&self.own_, &self.caller_);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(self.own_fake_, &self.caller_stack_, &self.caller_bytes_);
#endif
}

} // namespace speclens
