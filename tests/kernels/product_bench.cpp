// How long one product takes with weights of each type in each precision (no test: a program to be run by hand). The types
// take turns, product by product, and the quickest product counts: another program's load falls on all of them alike and is
// left out as far as it leaves any product alone. SmolLM2-135M's shapes.
//
//     product_bench [threads] [seconds for each number] [rows…]
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kernels/cpu/quant_tiles.h"
#include "kernels/quant.h"
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

struct Shape {
    std::int64_t outputs, inputs;
    int copies; // matrices that take turns, as the layers of a model do: none is in a cache of the core when it is used
};
constexpr Shape kShapes[] = {{576, 576, 120}, {1536, 576, 60}, {576, 1536, 60}, {49152, 576, 1}};
struct Kind {
    DType dtype;
    Precision precision;
};
// clang-format off
constexpr Kind kKinds[] = {
    {DType::bf16, Precision::f32}, {DType::bf16, Precision::bf16},
    {DType::q8_0, Precision::f32}, {DType::q8_0, Precision::bf16}, {DType::q8_0, Precision::int8},
    {DType::q4_0, Precision::f32}, {DType::q4_0, Precision::bf16}, {DType::q4_0, Precision::int8},
    {DType::q4_1, Precision::f32}, {DType::q4_1, Precision::bf16}, {DType::q4_1, Precision::int8},
    {DType::q5_0, Precision::f32}, {DType::q5_0, Precision::bf16}, {DType::q5_0, Precision::int8},
    {DType::q4_k, Precision::f32}, {DType::q4_k, Precision::bf16}, {DType::q4_k, Precision::int8},
    {DType::q6_k, Precision::f32}, {DType::q6_k, Precision::bf16}, {DType::q6_k, Precision::int8},
};
// clang-format on

// Random bytes with small finite scales.
Buffer weights_of(Backend& backend, const Kind& kind, const Shape& shape) {
    const DType dtype = kind.dtype;
    Numbers numbers(7);
    const std::int64_t values = block_of(dtype).values, cols = (shape.inputs + values - 1) / values * values;
    if (dtype == DType::bf16) {
        std::vector<std::uint16_t> bits;
        for (const float value : numbers.floats(shape.outputs * cols)) bits.push_back(to_bf16(value));
        return backend.import_weight(bits.data(), dtype, shape.outputs, cols, kind.precision);
    }
    std::vector<std::byte> bytes(bytes_of(dtype, shape.outputs * cols));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(numbers.bits() >> 56);
    const QuantLayout& layout = *quant_layout(dtype);
    for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(layout.bytes))
        for (int i = 0; i < layout.halves; ++i) {
            const std::uint16_t half = narrow_f16(0.01f);
            std::memcpy(bytes.data() + at + layout.half_at[i], &half, 2);
        }
    return backend.import_weight(bytes.data(), dtype, shape.outputs, cols, kind.precision);
}

void run_shape(Backend& backend, const Shape& shape, double seconds, const std::vector<int>& all_rows) {
    std::vector<std::vector<Buffer>> weights;
    for (const Kind& kind : kKinds) {
        weights.emplace_back();
        for (int i = 0; i < shape.copies; ++i) weights.back().push_back(weights_of(backend, kind, shape));
    }
    std::printf("%lld x %lld, ms a product (thousand million operations a second)\n%6s", static_cast<long long>(shape.outputs),
                static_cast<long long>(shape.inputs), "rows");
    for (const Kind& kind : kKinds) {
        const char* star = shape.inputs % block_of(kind.dtype).values == 0 ? "" : "*";
        std::printf("%15s", (std::string(name_of(kind.dtype)) + "·" + name_of(kind.precision) + star).c_str());
    }
    std::printf("\n");
    for (const int rows : all_rows) {
        Numbers numbers(9);
        const Buffer out(backend, DType::f32, rows, shape.outputs);
        std::vector<Buffer> inputs;
        for (const auto& of_kind : weights) {
            const std::int64_t cols = of_kind.front().view().cols;
            inputs.emplace_back(backend, DType::f32, rows, cols);
            backend.upload(inputs.back().view(), numbers.floats(rows * cols).data());
        }
        std::vector<double> best(std::size(kKinds), 1e9);
        const TimeMark begin = backend.mark();
        for (std::size_t turn = 0; backend.elapsed_ms(begin, backend.mark()) < 1000 * seconds * static_cast<double>(best.size()); ++turn)
            for (std::size_t i = 0; i < best.size(); ++i) {
                const Buffer& weight = weights[i][turn % weights[i].size()];
                const Projection part[] = {{weight.view(), {}, out.view()}};
                const TimeMark start = backend.mark();
                backend.matmul(inputs[i].view(), part);
                const double ms = backend.elapsed_ms(start, backend.mark());
                best[i] = std::min(best[i], ms * static_cast<double>(shape.inputs) / static_cast<double>(weight.view().cols));
            }
        std::printf("%6d", rows);
        const double operations = 2e-6 * static_cast<double>(shape.outputs * shape.inputs * rows);
        for (const double ms : best) std::printf("%8.4f (%4.0f)", ms, operations / ms);
        std::printf("\n");
    }
}

} // namespace
} // namespace speclens::test

int main(int count, char** words) {
    using speclens::Precision;
    const int threads = count > 1 ? std::atoi(words[1]) : 0;
    const double seconds = count > 2 ? std::atof(words[2]) : 0.3;
    std::vector<int> rows;
    for (int i = 3; i < count; ++i) rows.push_back(std::max(std::atoi(words[i]), 1));
    if (rows.empty()) rows = {1, 4, 8, 16, 32};
    const auto backend = speclens::make_cpu_backend({.threads = std::max(threads, 0)});
    std::printf("%s; bf16 by %s, int8 by %s; * on as many columns as make whole blocks, the time in proportion\n",
                backend->description().c_str(), backend->products_title(Precision::bf16).c_str(),
                backend->products_title(Precision::int8).c_str());
    constexpr std::size_t kBytes = std::size_t{256} << 20; // more than any cache
    const speclens::Buffer memory = backend->make_read_buffer(kBytes);
    double read = 1e9;
    for (int i = 0; i < 10; ++i) read = std::min(read, backend->read_ms(memory.view()));
    std::printf("a plain read: %.1f GB/s\n", static_cast<double>(kBytes) / read * 1e-6);
    for (const auto& shape : speclens::test::kShapes) speclens::test::run_shape(*backend, shape, seconds, rows);
    return 0;
}
