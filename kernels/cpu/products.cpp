#include "kernels/cpu/products.h"

#include "kernels/error.h"

namespace speclens {
namespace {

Products of_f32(Isa isa) { return {tile_matmul(isa), quant_matmul(isa), row_matmul(isa), true, title_of(isa)}; }

Products of_bf16(Isa isa, const NarrowProducts& narrow) {
    const bool pairs = narrow.bf16 && !narrow.slow_bf16 && bf16_matmul() != nullptr;
    const MatmulKernels& rounded = tile_matmul(isa, true);
    Products products = {rounded, rounded, row_matmul(isa, true), narrow.bf16, title_of(isa)};
    products.quantised.multiply = quant_matmul(isa).multiply;
    if (const MatmulKernels* kernels = kept_matmul(isa, pairs); kernels != nullptr) {
        products.quantised = *kernels;
        products.fast = true;
    }
    if (pairs) {
        products.tiles = *bf16_matmul();
        products.path = "AVX-512 BF16";
    }
    // One order of additions for every number of rows, so AMX for all or for none. Its one-row product reads the same bytes.
    if (const MatmulKernels* kernels = amx_matmul(); narrow.amx_bf16 && kernels != nullptr) {
        products.tiles = *kernels;
        products.quantised = *amx_kept_matmul();
        products.fast = true;
        products.path = "AMX BF16";
    }
    return products;
}

Products of_int8(Isa isa, const NarrowProducts& narrow) {
    Products products = of_bf16(isa, narrow); // of weights that are not quantised
    products.quantised = int8_matmul(isa, narrow.vnni);
    products.fast = isa != Isa::portable;
    products.path = title_of(isa);
    if (narrow.vnni) products.path = isa == Isa::avx512 ? "AVX-512 VNNI" : "AVX-VNNI";
    return products;
}

} // namespace

Products products_of(Isa isa, const NarrowProducts& narrow, Precision precision) {
    switch (precision) {
    case Precision::f32: return of_f32(isa);
    case Precision::bf16: return of_bf16(isa, narrow);
    case Precision::int8: return of_int8(isa, narrow);
    }
    check_failed("a precision", __FILE__, __LINE__, name_of(precision));
}

} // namespace speclens
