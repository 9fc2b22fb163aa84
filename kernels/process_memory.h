// What this process has of the machine's memory, as the kernel counts it.
#pragma once

#include <cstddef>

namespace speclens {

struct ProcessMemory {
    std::size_t now = 0, most = 0; // bytes resident (VmRSS), and at most since it began (VmHWM); 0: the system does not say
};
[[nodiscard]] ProcessMemory process_memory();

// What was released and is kept for whoever asks next, by the CPU backend or the heap, goes back to the system. For the end of
// something large; it takes some milliseconds.
void give_back_memory() noexcept;

} // namespace speclens
