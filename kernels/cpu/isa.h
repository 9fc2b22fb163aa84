// Which instruction set the CPU kernels run on. Every kernel file is compiled once per set (Google Highway,
// foreach_target.h) and the choice is made once, when a backend is created. Environment variable SPECLENS_ISA
// forces one: the golden hashes are one per set, and a slow path that nobody can reach would rot.
#pragma once

#include <vector>

namespace speclens {

enum class Isa { portable, avx2, avx512 };

// "portable", "avx2", "avx512": the words SPECLENS_ISA accepts.
[[nodiscard]] const char* name_of(Isa isa);
// For people: "AVX-512", "AVX2", "portable (SSSE3)".
[[nodiscard]] const char* title_of(Isa isa);

// The sets this machine can run, slowest first.
[[nodiscard]] std::vector<Isa> available_isas();
// Instructions for products of narrow numbers. Processors have or lack them beside their set.
struct NarrowProducts {
    bool vnni = false; // sums of four products of 8 bits: AVX512_VNNI, or beside AVX2 AVX-VNNI
    bool bf16 = false; // sums of two products of bf16: AVX512_BF16
    // It begins half as many multiply-adds in a cycle as plain ones do: Intel's processors, as measured on two generations.
    bool slow_bf16 = false;
    bool amx_bf16 = false; // products of tiles of bf16: AMX-BF16, where the system lets us use it
};
// Those that this machine has beside `isa`; none beside the portable set.
[[nodiscard]] NarrowProducts narrow_products(Isa isa);

// SPECLENS_ISA when it is set, otherwise the fastest one. Throws Error when the machine lacks what is asked
// for.
[[nodiscard]] Isa choose_isa();

} // namespace speclens
