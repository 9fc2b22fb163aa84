#include "engine/model/weight_import.h"

#include <algorithm>
#include <cstring>

#include "kernels/backend.h"
#include "kernels/bf16.h"
#include "kernels/error.h"

namespace speclens {

std::int64_t rows_per_piece(std::int64_t rows, std::size_t row_bytes, std::size_t piece_bytes) {
    const auto tiles = static_cast<std::int64_t>(piece_bytes / row_bytes) / kTiledRows;
    return std::clamp(tiles * kTiledRows, std::min(kTiledRows, rows), rows);
}

Buffer WeightImport::matrix(DType stored, std::int64_t rows, std::int64_t cols, const Fill& fill) {
    CHECK(rows > 0 && cols > 0, "an empty matrix");
    const std::size_t row_bytes = bytes_of(stored, cols);
    const std::int64_t together = rows_per_piece(rows, row_bytes, piece_bytes_);
    Buffer whole = backend_.allocate_weight(stored, rows, cols, precision_);
    for (std::int64_t first = 0; first < rows; first += together) {
        const std::int64_t count = std::min(together, rows - first);
        read(static_cast<std::size_t>(first) * row_bytes, static_cast<std::size_t>(count) * row_bytes, fill);
        backend_.import_weight(whole.view().slice(first, count), stored, host_.data());
    }
    return whole;
}

Buffer WeightImport::vector(DType stored, std::int64_t cols, const Fill& fill) {
    read(0, bytes_of(stored, cols), fill);
    std::vector<float> wide;
    if (stored == DType::bf16) {
        wide.resize(static_cast<std::size_t>(cols));
        for (std::size_t i = 0; i < wide.size(); ++i) {
            std::uint16_t upper = 0;
            std::memcpy(&upper, host_.data() + 2 * i, 2);
            wide[i] = widen_bf16(upper);
        }
    }
    return wide.empty() ? backend_.import_weight(host_.data(), stored, 1, cols) : backend_.import_weight(wide.data(), DType::f32, 1, cols);
}

void WeightImport::slot(const Slot& slot, DType stored, const Fill& fill, WeightBytes& bytes) {
    *slot.to = slot.vector ? vector(stored, slot.cols, fill) : matrix(stored, slot.rows, slot.cols, fill);
    if (slot.read_per_token) bytes.per_token += slot.to->bytes();
    bytes.all += slot.to->bytes();
}

void WeightImport::read(std::size_t first, std::size_t bytes, const Fill& fill) {
    check_cancelled(progress_);
    if (host_.size() < bytes) host_.resize(bytes);
    fill(first, std::span(host_).first(bytes));
    check_cancelled(progress_);
}

} // namespace speclens
