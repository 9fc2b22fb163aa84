// Memory of the CPU backend: aligned, and on huge pages, because a pass over a gigabyte of weights touches 300 000 small
// pages and would spend its time on address translation, and because the processor reads ahead within a page only.
// Matrices that are not very large share blocks of them, so that none ends in a part of a page that is wasted or small.
#pragma once

#include <cstddef>

namespace speclens {

// Bytes that can be allocated without swapping (MemAvailable).
[[nodiscard]] std::size_t available_memory();

// Bytes of the largest cache that the first core shares, as the kernel lists it; 0: it lists none.
[[nodiscard]] std::size_t largest_cache();

// 64-byte aligned. Throws an Error of the kind out_of_memory when `bytes` is more than the machine has available.
[[nodiscard]] void* allocate_aligned(std::size_t bytes);
void release_aligned(void* data) noexcept;
// What was released and is kept to be lent again goes back to the system.
void give_back_released() noexcept;

} // namespace speclens
