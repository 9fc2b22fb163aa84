// Waiting for what another thread or program does: as long as it takes, not as long as it took on some machine.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace speclens {

// Whether the condition came true; the bound only ends a test that hangs.
[[nodiscard]] inline bool eventually(const std::function<bool()>& condition) {
    const auto bound = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > bound) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

} // namespace speclens
