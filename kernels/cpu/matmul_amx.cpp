// Products of bf16 by AMX (amx_tiles.h). The instructions stand here as assembly, so that nothing else of this file needs a
// processor that has them.
#include "kernels/cpu/kernels.h"

#if defined(__x86_64__)

#include "kernels/cpu/amx_tiles.h"

namespace speclens {
namespace {

struct Processor {
    static void set_shapes(const amx::Shapes& shapes) { asm volatile("ldtilecfg %0" ::"m"(shapes)); }
    template <int tile>
    static void clear() {
        asm volatile("tilezero %%tmm%c0" ::"i"(tile));
    }
    template <int tile>
    static void load(const void* from, std::int64_t stride) {
        asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(tile) : "memory");
    }
    template <int sums, int x, int weights>
    static void add_product() {
        asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(sums), "i"(x), "i"(weights));
    }
    template <int tile>
    static void store(void* to, std::int64_t stride) {
        asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(tile) : "memory");
    }
    // Leaves no state for the system to save with the thread.
    static void release() { asm volatile("tilerelease"); }
};

void multiply_amx(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    amx::multiply<Processor>(task, bf16_matmul()->packed_row(task.k), first, last);
}

void multiply_kept_amx(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    const MatmulKernels& alone = *kept_tile_matmul();
    if (task.rows == 1) return alone.multiply(task, first, last);
    amx::multiply_kept<Processor>(task, *kept_steps(task.dtype), alone.packed_row(task.k), first, last);
}

} // namespace

const MatmulKernels* amx_kept_matmul() {
    static const MatmulKernels kernels = {kept_tile_matmul()->pack, kept_tile_matmul()->packed_row, multiply_kept_amx};
    return &kernels;
}

const MatmulKernels* amx_matmul() {
    static const MatmulKernels kernels = {bf16_matmul()->pack, bf16_matmul()->packed_row, multiply_amx};
    return &kernels;
}

} // namespace speclens

#else

namespace speclens {

const MatmulKernels* amx_matmul() { return nullptr; }
const MatmulKernels* amx_kept_matmul() { return nullptr; }

} // namespace speclens

#endif
