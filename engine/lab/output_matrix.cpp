#include "engine/lab/output_matrix.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "kernels/backend.h"

namespace speclens {

Buffer transposed_head(const Model& target) {
    Backend& backend = *target.backend;
    const auto h = static_cast<std::size_t>(target.config.hidden), v = static_cast<std::size_t>(target.config.vocab),
               most = std::min(v, static_cast<std::size_t>(backend.max_rows()));
    const Buffer index(backend, DType::i32, 1, static_cast<std::int64_t>(most)),
        found(backend, DType::f32, static_cast<std::int64_t>(most), target.config.hidden);
    std::vector<float> transposed(h * v), rows(most * h);
    std::vector<int> ids(most);
    bool narrow = true;
    for (std::size_t first = 0; first < v; first += most) {
        const std::size_t count = std::min(v - first, most);
        std::iota(ids.begin(), ids.end(), static_cast<int>(first));
        const Tensor tokens = {index.view().data, DType::i32, 1, static_cast<std::int64_t>(count)},
                     out = found.view().slice(0, static_cast<std::int64_t>(count));
        backend.upload(tokens, ids.data());
        backend.embed(target.head(), tokens, out);
        backend.download(out, rows.data());
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < h; ++j) {
                transposed[j * v + first + i] = rows[i * h + j];
                narrow = narrow && (std::bit_cast<std::uint32_t>(rows[i * h + j]) & 0xFFFFu) == 0;
            }
    }
    if (!narrow) return backend.import_weight(transposed.data(), DType::f32, target.config.hidden, target.config.vocab);
    std::vector<std::uint16_t> halves(transposed.size());
    std::ranges::transform(transposed, halves.begin(),
                           [](float x) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16); });
    return backend.import_weight(halves.data(), DType::bf16, target.config.hidden, target.config.vocab);
}

std::vector<float> through_head(const Model& target, const Buffer& transposed, std::span<const float> slopes) {
    Backend& backend = *target.backend;
    const std::int64_t v = target.config.vocab, h = target.config.hidden, rows = static_cast<std::int64_t>(slopes.size()) / v;
    std::vector<float> out(static_cast<std::size_t>(rows * h));
    if (rows == 0) return out;
    const std::int64_t most = std::min<std::int64_t>(rows, backend.max_rows());
    const Buffer left(backend, DType::f32, most, v), to(backend, DType::f32, most, h);
    for (std::int64_t first = 0; first < rows; first += most) {
        const std::int64_t some = std::min(most, rows - first);
        backend.upload(left.view().slice(0, some), slopes.data() + first * v);
        const Projection parts[] = {{transposed.view(), {}, to.view().slice(0, some)}};
        backend.matmul(left.view().slice(0, some), parts);
        backend.download(to.view().slice(0, some), out.data() + first * h);
    }
    return out;
}

} // namespace speclens
