// How long one product takes with weights of each type, and its ratio to bf16 (no test: a program to be run by hand). The
// types take turns, product by product, and the quickest product counts: another program's load falls on all of them
// alike and is left out as far as it leaves any product alone. SmolLM2-135M's shapes.
//
//     product_bench [threads] [seconds for each number]
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
constexpr Shape kShapes[] = {{1536, 576, 60}, {576, 1536, 60}, {49152, 576, 1}};
constexpr DType kTypes[] = {DType::bf16, DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0, DType::q4_k, DType::q6_k};

// Random bytes with small finite scales.
Buffer weights_of(Backend& backend, DType dtype, const Shape& shape) {
    Numbers numbers(7);
    const std::int64_t values = block_of(dtype).values, cols = (shape.inputs + values - 1) / values * values;
    if (dtype == DType::bf16) return make_weights(backend, dtype, shape.outputs, cols, numbers).buffer;
    std::vector<std::byte> bytes(bytes_of(dtype, shape.outputs * cols));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(numbers.bits() >> 56);
    const QuantLayout& layout = *quant_layout(dtype);
    for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(layout.bytes))
        for (int i = 0; i < layout.halves; ++i) {
            const std::uint16_t half = narrow_f16(0.01f);
            std::memcpy(bytes.data() + at + layout.half_at[i], &half, 2);
        }
    return backend.import_weight(bytes.data(), dtype, shape.outputs, cols);
}

void run_shape(Backend& backend, const Shape& shape, double seconds) {
    std::vector<std::vector<Buffer>> weights;
    for (const DType dtype : kTypes) {
        weights.emplace_back();
        for (int i = 0; i < shape.copies; ++i) weights.back().push_back(weights_of(backend, dtype, shape));
    }
    std::printf("%lld x %lld, ms a product (ratio to bf16)\n", static_cast<long long>(shape.outputs),
                static_cast<long long>(shape.inputs));
    std::printf("%6s", "rows");
    for (const DType dtype : kTypes) {
        const std::int64_t values = block_of(dtype).values;
        std::printf("%16s", (std::string(name_of(dtype)) + (shape.inputs % values == 0 ? "" : "*")).c_str());
    }
    std::printf("\n");
    for (const int rows : {1, 2, 4, 8, 16, 64}) {
        Numbers numbers(9);
        const Buffer out(backend, DType::f32, rows, shape.outputs);
        std::vector<Buffer> inputs;
        for (const auto& of_type : weights) {
            const std::int64_t cols = of_type.front().view().cols;
            inputs.emplace_back(backend, DType::f32, rows, cols);
            backend.upload(inputs.back().view(), numbers.floats(rows * cols).data());
        }
        std::vector<double> best(std::size(kTypes), 1e9);
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
        for (const double ms : best) std::printf("%9.4f (%.2f)", ms, ms / best[0]);
        std::printf("\n");
    }
}

} // namespace
} // namespace speclens::test

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 0;
    const double seconds = count > 2 ? std::atof(words[2]) : 0.3;
    const auto backend = speclens::make_cpu_backend({.threads = std::max(threads, 0)});
    std::printf("%s; * on as many columns as make whole blocks, the time in proportion\n", backend->description().c_str());
    for (const auto& shape : speclens::test::kShapes) speclens::test::run_shape(*backend, shape, seconds);
    return 0;
}
