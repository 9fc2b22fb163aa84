// The backend object: creation, instruction sets, memory, imports, clocks.
#include <cstring>
#include <random>

#include "kernels/cuda_module.h"
#include "kernels/device_words.h"
#include "kernels/error.h"
#include "kernels/process_memory.h"
#include "kernels/product_probe.h"
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

TEST(MakeBackend, AutoIsTheBestOfThisMachine) {
    std::string why;
    const std::unique_ptr<Backend> cuda = load_cuda_backend(why);
    EXPECT_EQ(make_backend("auto")->name(), cuda ? "cuda" : "cpu");
    EXPECT_NE(cuda == nullptr, why.empty());
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    EXPECT_EQ(backend->threads(), 1);
    EXPECT_EQ(backend->cache_dtype(Precision::f32), DType::f32);
    EXPECT_EQ(backend->cache_dtype(Precision::bf16), DType::f16);
    EXPECT_EQ(backend->cache_dtype(Precision::int8), DType::f16);
    EXPECT_GE(backend->max_rows(), 64);
}

void expect_error(const std::string& name, const std::string& words, Exit code) {
    try {
        (void)make_backend(name);
        ADD_FAILURE() << "no error for " << name;
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        EXPECT_FALSE(error.remedy().empty());
        EXPECT_EQ(error.code(), code);
    }
}

TEST(MakeBackend, SaysWhatIsMissingOrUnknown) {
    expect_error("cuda", "no CUDA engine", Exit::device);
    expect_error("tpu", "unknown backend", Exit::usage);
}

TEST(DeviceWords, AreReadAsTheyAreWritten) {
    for (const DeviceWords& of : {DeviceWords{"CPU · AVX-512 + AMX", 1}, DeviceWords{"CPU · portable", 64}, DeviceWords{"NVIDIA H200", 0}})
        EXPECT_EQ(DeviceWords::of(of.words()), of) << of.words();
    EXPECT_EQ((DeviceWords{"CPU · AVX2", 1}.words()), "CPU · AVX2 · 1 thread");
    EXPECT_EQ((DeviceWords{"CPU · AVX2", 2}.words()), "CPU · AVX2 · 2 threads");
    for (const char* other :
         {"", "avx2, 2 threads", "CPU · AVX2 · 1 threads", "CPU · AVX2 · 2 threads more", "CPU · -1 thread", "CPU · two threads"})
        EXPECT_EQ(DeviceWords::of(other), (DeviceWords{other, 0})) << other;
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 2});
    EXPECT_EQ(DeviceWords::of(backend->description()).threads, 2) << backend->description();
}

TEST(Isa, NamesItselfInTheDescription) {
    for (Isa isa : available_isas()) {
        const std::string amx = narrow_products(isa).amx_bf16 ? " + AMX" : "";
        EXPECT_EQ(cpu_backend(isa, 2)->description(), std::string("CPU · ") + title_of(isa) + amx + " · 2 threads");
    }
}

TEST(Isa, RefusesAnUnknownName) {
    const ForcedIsa forced("mmx");
    expect_error("cpu", "SPECLENS_ISA=mmx: unknown", Exit::device);
}

TEST(Isa, AlwaysHasThePortableOne) {
    ASSERT_FALSE(available_isas().empty());
    EXPECT_EQ(available_isas().front(), Isa::portable);
}

TEST(Memory, IsAlignedAndReportsWhatIsFree) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    EXPECT_GT(backend->free_memory(), std::size_t{1} << 20);
    for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{5} << 20}) {
        void* data = backend->allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
        backend->release(data, bytes);
    }
}

// Matrices of narrow models share blocks of huge pages: none lies in another one, whatever was released between them.
TEST(Memory, IsLentToOneAtATime) {
    struct Lent {
        unsigned char* data;
        std::size_t bytes;
        unsigned char mark;
    };
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    std::vector<Lent> lent;
    std::mt19937 dice(5);
    const auto give_back = [&](std::size_t at) {
        const Lent one = lent[at];
        for (std::size_t i = 0; i < one.bytes; i += 61) ASSERT_EQ(one.data[i], one.mark) << "of " << one.bytes;
        ASSERT_EQ(one.data[one.bytes - 1], one.mark) << "of " << one.bytes;
        backend->release(one.data, one.bytes);
        lent[at] = lent.back();
        lent.pop_back();
    };
    for (int round = 0; round < 400; ++round) {
        if (round % 50 == 49) give_back_memory(); // what nobody holds
        if (lent.size() > 24 || (!lent.empty() && dice() % 3 == 0)) give_back(dice() % lent.size());
        const std::size_t bytes = 1 + dice() % (dice() % 4 == 0 ? std::size_t{5} << 20 : std::size_t{600} << 10);
        void* data = backend->allocate(bytes);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
        lent.push_back({static_cast<unsigned char*>(data), bytes, static_cast<unsigned char>(round)});
        std::memset(data, static_cast<unsigned char>(round), bytes);
    }
    while (!lent.empty()) give_back(lent.size() - 1);
}

TEST(Memory, CountsWhatIsHeld) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    EXPECT_EQ(backend->held_memory(), 0u);
    {
        const Buffer small(*backend, DType::f32, 3, 5), large(*backend, DType::bf16, 1000, 1000);
        EXPECT_EQ(backend->held_memory(), 60u + 2'000'000u);
        Buffer moved = Buffer(*backend, DType::f32, 1, 1);
        moved = Buffer();
        EXPECT_EQ(backend->held_memory(), 60u + 2'000'000u);
    }
    EXPECT_EQ(backend->held_memory(), 0u);
}

TEST(Memory, ThatWasReleasedGoesBackToTheSystemWhateverIsLentBeside) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer keeps what was released";
#endif
    constexpr std::size_t kEach = 3'000'000, kCount = 60, kKeepEvery = 20;
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    const auto more_than = [before = process_memory().now] {
        return static_cast<double>(process_memory().now) - static_cast<double>(before);
    };
    ASSERT_GT(process_memory().now, 0u);
    std::vector<void*> lent;
    for (std::size_t i = 0; i < kCount; ++i) std::memset(lent.emplace_back(backend->allocate(kEach)), 1, kEach);
    EXPECT_GT(more_than(), .9 * kCount * kEach);
    for (std::size_t i = 0; i < kCount; ++i)
        if (i % kKeepEvery != 0) backend->release(lent[i], kEach);
    give_back_memory();
    EXPECT_LT(more_than(), 2.0 * kCount / kKeepEvery * kEach);
    for (std::size_t i = 0; i < kCount; i += kKeepEvery) {
        EXPECT_EQ(static_cast<const unsigned char*>(lent[i])[kEach - 1], 1);
        backend->release(lent[i], kEach);
    }
    EXPECT_LT(more_than(), kEach);
    EXPECT_GE(process_memory().most, process_memory().now);
}

TEST(Memory, RefusesMoreThanTheMachineHas) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    for (std::size_t bytes : {std::size_t{1} << 46, std::size_t{1} << 62}) {
        try {
            backend->release(backend->allocate(bytes), bytes);
            ADD_FAILURE() << "allocated " << bytes << " bytes";
        } catch (const Error& error) {
            const std::string words = "out of memory: need " + std::to_string(bytes >> 20) + " MiB";
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
            EXPECT_EQ(error.code(), Exit::device);
            EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
        }
    }
}

TEST(Buffer, MovesItsAllocation) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    Buffer a(*backend, DType::f32, 2, 3);
    void* data = a.view().data;
    Buffer b(std::move(a));
    EXPECT_TRUE(a.empty()); // NOLINT: the moved-from state is part of the contract
    EXPECT_EQ(b.view().data, data);
    Buffer c;
    EXPECT_TRUE(c.empty());
    c = std::move(b);
    EXPECT_EQ(c.view().data, data);
    EXPECT_EQ(c.bytes(), 24u);
}

TEST(Tensor, SlicesWholeRows) {
    std::uint16_t values[12] = {};
    const Tensor tensor = {values, DType::bf16, 4, 3};
    const Tensor part = tensor.slice(1, 2);
    EXPECT_EQ(part.data, values + 3);
    EXPECT_EQ(part.rows, 2);
    EXPECT_EQ(part.cols, 3);
    EXPECT_EQ(part.bytes(), 12u);
    EXPECT_DEATH((void)tensor.slice(3, 2), "slice outside");
}

TEST(Tensor, RefusesToCutATileOfAWeight) {
    std::uint16_t values[64] = {};
    const Tensor weight = {.data = values, .dtype = DType::bf16, .rows = 32, .cols = 2, .tiled = true};
    EXPECT_EQ(weight.slice(16, 16).data, values + 32);
    EXPECT_DEATH((void)weight.slice(8, 16), "cuts a tile");
}

TEST(ImportWeight, KeepsBf16AndF32AsTheyAre) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    const std::vector<std::uint16_t> halves = {0x3F80, 0x7FC0, 0x8000, 0x0001};
    const Buffer bf16 = backend->import_weight(halves.data(), DType::bf16, 2, 2);
    EXPECT_EQ(bf16.view().dtype, DType::bf16);
    std::vector<std::uint16_t> back(4);
    backend->download(bf16.view(), back.data());
    EXPECT_EQ(back, halves);

    const std::vector<float> floats = {1, -2, 3e-40f, INFINITY};
    const Buffer f32 = backend->import_weight(floats.data(), DType::f32, 1, 4);
    std::vector<float> floats_back(4);
    backend->download(f32.view(), floats_back.data());
    EXPECT_TRUE(same_bits(floats_back, floats));
}

// The value of a half-precision number, from its definition.
double half_value(int bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(ImportWeight, ConvertsEveryHalfExactly) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    std::vector<std::uint16_t> halves;
    for (int bits = 0; bits < 65536; ++bits) halves.push_back(static_cast<std::uint16_t>(bits));
    const Buffer weight = backend->import_weight(halves.data(), DType::f16, 256, 256);
    ASSERT_EQ(weight.view().dtype, DType::f32);
    std::vector<float> values(65536);
    backend->download(weight.view(), values.data());
    for (int bits = 0; bits < 65536; ++bits) {
        const float value = values[static_cast<std::size_t>(bits)];
        if ((bits & 0x7C00) != 0x7C00) {
            ASSERT_EQ(static_cast<double>(value), half_value(bits)) << bits;
            ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
        } else if (bits & 0x03FF) {
            ASSERT_TRUE(std::isnan(value)) << bits;
        } else {
            ASSERT_EQ(value, bits & 0x8000 ? -INFINITY : INFINITY);
        }
    }
}

TEST(Backend, CopiesBetweenTensors) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    const std::vector<float> values = Numbers(1).floats(12);
    const Guarded from(*backend, DType::f32, 3, 4, values), to(*backend, DType::f32, 3, 4);
    backend->copy(from, to);
    backend->sync();
    EXPECT_TRUE(same_bits(to.floats(), values));
    EXPECT_TRUE(to.guards_intact());
}

TEST(Backend, MeasuresTimeForwardsAndAPlainRead) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    const TimeMark start = backend->mark();
    const Buffer buffer = backend->make_read_buffer(1 << 20);
    EXPECT_EQ(buffer.bytes(), std::size_t{1} << 20);
    EXPECT_GT(backend->read_ms(buffer.view()), 0.0);
    EXPECT_GT(backend->elapsed_ms(start, backend->mark()), 0.0);
}

TEST(Backend, MeasuresTheProductOfAMatrixInTheCache) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    ProductProbe probe(*backend);
    EXPECT_EQ(probe.rows(), (std::vector<int>{8, 16, 32, 64, 128}));
    for (const int rows : probe.rows()) {
        EXPECT_GT(probe.ms(rows), 0.0);
        EXPECT_EQ(probe.multiply_adds(rows), rows * 512.0 * 512);
    }
}

TEST(Backend, MeasuresTheProductOfEveryFormInEveryPrecision) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    for (const DType stored : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0, DType::q4_k, DType::q6_k})
        for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
            EXPECT_GT(ProductProbe(*backend, stored, precision).ms(8), 0.0) << name_of(stored) << ", " << name_of(precision);
}

TEST(Backend, AbortsOnAWrongShapeInsteadOfReadingBeyondIt) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    const Guarded x(*backend, DType::f32, 1, 8), out(*backend, DType::f32, 1, 4), weight(*backend, DType::f32, 5, 8);
    const Projection parts[] = {{weight, {}, out}};
    EXPECT_DEATH(backend->matmul(x, parts), "matmul: weight");
}

} // namespace
} // namespace speclens::test
