// A pass after the first asks for no memory: the products keep what they pack x into.
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/kernels/quant_support.h"

namespace {

std::atomic<long> allocations = 0;

void* counted(std::size_t bytes) {
    ++allocations;
    if (void* data = std::malloc(bytes)) return data;
    throw std::bad_alloc();
}

} // namespace

// The C++ library lets a program replace these (new.delete in the standard); the others call them. The sanitizers have a
// form of their own that throws nothing, whose memory must not come back to the delete of this file.
void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes);
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }

namespace speclens::test {
namespace {

TEST(Products, AskForNoMemoryAfterTheFirstPass) {
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
        on_every_backend([&](Backend& backend) {
            SCOPED_TRACE(name_of(precision));
            Numbers numbers(103);
            const Stored kept = stored_matrix(DType::q4_0, 48, 256, numbers);
            const std::vector<std::uint16_t> bits(48 * 256, 0x3F80);
            const Buffer a = kept.in(backend, precision), b = backend.import_weight(bits.data(), DType::bf16, 48, 256, precision);
            const Buffer c = backend.import_weight(bits.data(), DType::bf16, 47, 256, precision);
            const Guarded x(backend, DType::f32, 9, 256, numbers.floats(9 * 256));
            const Guarded out_a(backend, DType::f32, 9, 48), out_b(backend, DType::f32, 9, 48), out_c(backend, DType::f32, 9, 47);
            const Projection parts[] = {{a.view(), {}, out_a}, {b.view(), {}, out_b}, {c.view(), {}, out_c}};
            const auto pass = [&] {
                backend.matmul(x, parts);
                backend.matmul_swiglu(x, a.view(), b.view(), out_a);
            };
            const long before_the_first = allocations;
            pass();
            EXPECT_GT(allocations, before_the_first); // so the count sees what the products ask for
            const long before = allocations;
            pass();
            EXPECT_EQ(allocations, before);
        });
}

} // namespace
} // namespace speclens::test
