#include "engine/session/gate.h"

#include "engine/run/session_commands.h"

namespace speclens {

void Gate::set(std::int64_t steps) {
    {
        const std::lock_guard lock(mutex_);
        woken_ = woken_ || budget_ != steps;
        budget_ = steps;
    }
    changed_.notify_all();
}

void Gate::add(std::int64_t steps) {
    {
        const std::lock_guard lock(mutex_);
        budget_ = budget_ > kUnlimitedPhases - steps ? kUnlimitedPhases : budget_ + steps;
    }
    changed_.notify_all();
}

void Gate::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    changed_.notify_all();
}

void Gate::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    changed_.notify_all();
}

bool Gate::try_take() {
    const std::lock_guard lock(mutex_);
    if (closed_ || budget_ <= 0) return false;
    if (budget_ != kUnlimitedPhases) --budget_;
    return true;
}

bool Gate::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || woken_ || budget_ > 0; });
    woken_ = false;
    return !closed_;
}

void Gate::put_work_first(bool first) {
    {
        const std::lock_guard lock(mutex_);
        work_first_ = first;
    }
    changed_.notify_all();
}

bool Gate::work_first() const {
    const std::lock_guard lock(mutex_);
    return work_first_;
}

std::int64_t Gate::budget() const {
    const std::lock_guard lock(mutex_);
    return budget_;
}

} // namespace speclens
