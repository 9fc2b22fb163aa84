#include "engine/lab/output_matrix.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>

#include "kernels/backend.h"

namespace speclens {

namespace {

// Rows [first, first + count) of the head, (count, h), some at a time.
void for_rows(const Model& target, const std::function<void(std::size_t first, std::size_t count, std::span<const float> rows)>& take) {
    Backend& backend = *target.backend;
    const auto h = static_cast<std::size_t>(target.config.hidden), v = static_cast<std::size_t>(target.config.vocab),
               most = std::min(v, static_cast<std::size_t>(backend.max_rows()));
    const Buffer index(backend, DType::i32, 1, static_cast<std::int64_t>(most)),
        found(backend, DType::f32, static_cast<std::int64_t>(most), target.config.hidden);
    std::vector<float> rows(most * h);
    std::vector<int> ids(most);
    for (std::size_t first = 0; first < v; first += most) {
        const std::size_t count = std::min(v - first, most);
        std::iota(ids.begin(), ids.end(), static_cast<int>(first));
        const Tensor tokens = {index.view().data, DType::i32, 1, static_cast<std::int64_t>(count)},
                     out = found.view().slice(0, static_cast<std::int64_t>(count));
        backend.upload(tokens, ids.data());
        backend.embed(target.head(), tokens, out);
        backend.download(out, rows.data());
        take(first, count, std::span(rows).first(count * h));
    }
}

bool is_bf16(float x) { return (std::bit_cast<std::uint32_t>(x) & 0xFFFFu) == 0; }

} // namespace

// One copy at a time: that of a real vocabulary takes as much memory as the model.
Buffer transposed_head(const Model& target) {
    Backend& backend = *target.backend;
    const auto h = static_cast<std::size_t>(target.config.hidden), v = static_cast<std::size_t>(target.config.vocab);
    bool narrow = !is_quantised(target.head().dtype); // a scale times a number hardly ever is
    if (narrow && target.head().dtype != DType::bf16)
        for_rows(target,
                 [&](std::size_t, std::size_t, std::span<const float> rows) { narrow = narrow && std::ranges::all_of(rows, is_bf16); });
    if (narrow) {
        std::vector<std::uint16_t> transposed(h * v);
        for_rows(target, [&](std::size_t first, std::size_t count, std::span<const float> rows) {
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < h; ++j)
                    transposed[j * v + first + i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rows[i * h + j]) >> 16);
        });
        return backend.import_weight(transposed.data(), DType::bf16, target.config.hidden, target.config.vocab);
    }
    Buffer whole = backend.allocate_weight(DType::f32, target.config.hidden, target.config.vocab); // in rows
    std::vector<float> column;
    for_rows(target, [&](std::size_t first, std::size_t count, std::span<const float> rows) {
        column.resize(count);
        for (std::size_t j = 0; j < h; ++j) {
            for (std::size_t i = 0; i < count; ++i) column[i] = rows[i * h + j];
            backend.upload({static_cast<float*>(whole.view().data) + j * v + first, DType::f32, 1, static_cast<std::int64_t>(count)},
                           column.data());
        }
    });
    return whole;
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
