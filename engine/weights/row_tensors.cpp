#include "engine/weights/row_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "kernels/bf16.h"
#include "kernels/error.h"
#include "kernels/quant.h"

namespace speclens {
namespace {

bool is_number(DType dtype) { return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16 || is_quantised(dtype); }

void narrow(DType as, const float* from, std::int64_t values, std::byte* to) {
    if (as == DType::f32) {
        std::memcpy(to, from, 4 * static_cast<std::size_t>(values));
    } else if (as == DType::q8_0) {
        narrow_q8_0(from, values, to);
    } else {
        CHECK(as == DType::bf16, "no such form");
        for (std::int64_t i = 0; i < values; ++i) {
            const std::uint16_t bits = narrow_bf16(from[i]);
            std::memcpy(to + 2 * i, &bits, 2);
        }
    }
}

} // namespace

void narrow_q8_0(const float* from, std::int64_t values, std::byte* to) {
    constexpr std::int64_t kBlock = 32;
    CHECK(values % kBlock == 0, "a part of a block");
    for (std::int64_t block = 0; block < values; block += kBlock, from += kBlock, to += 34) {
        float largest = 0;
        for (std::int64_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::abs(from[i]));
        const std::uint16_t scale = narrow_f16(largest / 127);
        std::memcpy(to, &scale, 2);
        const float inverse = largest > 0 ? 127 / largest : 0;
        for (std::int64_t i = 0; i < kBlock; ++i)
            to[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(std::lround(from[i] * inverse)));
    }
}

RowTensors::RowTensors(const TensorFiles& file, std::map<std::string, Source> sources) : file_(file) {
    for (const auto& [name, source] : sources) {
        const StoredTensor* stored = file.find(source.name);
        if (stored == nullptr) continue; // who needs it says that it is missing
        const auto refuse = [&](const std::string& why) {
            throw Error(file.file_name(*stored) + ": tensor " + source.name + " " + why, "Is this a file of a language model?");
        };
        if (stored->shape.empty() || stored->shape.size() > 3) refuse("has shape " + shape_text(stored->shape));
        StoredTensor tensor = *stored;
        tensor.dtype = source.as;
        if (source.as != stored->dtype && !is_number(stored->dtype)) refuse(std::string("is stored as ") + name_of(stored->dtype));
        const bool values_are_rows = stored->shape.size() == 1 && source.paired_rows > 0; // a norm's weight, a bias
        const std::int64_t cols = values_are_rows ? 1 : stored->shape.back();
        const std::int64_t rows =
            values_are_rows ? stored->shape.front()
                            : std::accumulate(stored->shape.begin(), stored->shape.end() - 1, std::int64_t{1}, std::multiplies<>());
        if (cols % block_of(source.as).values != 0)
            refuse("has rows of " + std::to_string(cols) + " values, which cannot be kept as " + name_of(source.as));
        if (source.paired_rows > 0 && (rows % source.paired_rows != 0 || source.paired_rows % 2 != 0))
            refuse("has " + std::to_string(rows) + " rows, no multiple of the " + std::to_string(source.paired_rows) + " of a head");
        tensor.bytes = bytes_of(source.as, rows * cols);
        tensor.begin = items_.size();
        items_.push_back({stored, source.paired_rows, cols});
        tensors_.emplace(name, std::move(tensor));
    }
}

void RowTensors::read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const {
    const Item& item = items_[tensor.begin];
    const std::int64_t cols = item.cols;
    const std::size_t row_bytes = bytes_of(tensor.dtype, cols), stored_bytes = bytes_of(item.stored->dtype, cols);
    CHECK(first % row_bytes == 0 && to.size() % row_bytes == 0, "a part of a row");
    if (tensor.dtype == item.stored->dtype && item.paired_rows == 0) return file_.read(*item.stored, first, to);
    const auto begin = static_cast<std::int64_t>(first / row_bytes), end = begin + static_cast<std::int64_t>(to.size() / row_bytes);
    // Whole heads, where rows change places within them.
    const std::int64_t unit = std::max<std::int64_t>(item.paired_rows, 1);
    const std::int64_t from = begin / unit * unit, until = (end + unit - 1) / unit * unit;
    std::vector<std::byte> rows(static_cast<std::size_t>(until - from) * stored_bytes);
    file_.read(*item.stored, static_cast<std::size_t>(from) * stored_bytes, rows);
    std::vector<float> wide(tensor.dtype == item.stored->dtype ? 0 : static_cast<std::size_t>(cols));
    for (std::int64_t row = begin; row < end; ++row) {
        std::int64_t place = row;
        if (unit > 1) {
            const std::int64_t half = unit / 2, within = row % unit;
            place = row - within + 2 * (within % half) + within / half;
        }
        const std::byte* stored = rows.data() + static_cast<std::size_t>(place - from) * stored_bytes;
        std::byte* out = to.data() + static_cast<std::size_t>(row - begin) * row_bytes;
        if (wide.empty()) {
            std::memcpy(out, stored, row_bytes);
        } else {
            widen(item.stored->dtype, stored, cols, wide.data());
            narrow(tensor.dtype, wide.data(), cols, out);
        }
    }
}

const std::string& RowTensors::file_name(const StoredTensor& tensor) const { return file_.file_name(*items_[tensor.begin].stored); }

} // namespace speclens
