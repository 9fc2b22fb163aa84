// Brings weights onto the backend in pieces of bounded size: a cancel is seen within a fraction of a second
// and host memory stays small, however large an embedding is. Internal to the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/model_parts.h"

namespace speclens {

// Imported in well under 0.1 s; and large enough that handing out the work to threads costs nothing, also
// where other programs compete for the cores.
inline constexpr std::size_t kImportBytes = 32'000'000;

// Rows of a (rows, …) matrix that are imported together: whole tiles, and what is left at the end.
[[nodiscard]] std::int64_t rows_per_piece(std::int64_t rows, std::size_t row_bytes, std::size_t piece_bytes);

class WeightImport {
  public:
    // Fills `to` with the stored bytes from byte `first` of the matrix on.
    using Fill = std::function<void(std::size_t first, std::span<std::byte> to)>;

    // Products with the matrices are in `precision`.
    WeightImport(Backend& backend, const Progress& progress, Precision precision, std::size_t piece_bytes = kImportBytes)
        : backend_(backend), progress_(progress), precision_(precision), piece_bytes_(piece_bytes) {}

    // What Backend::import_weight makes of the whole. Throws Cancelled, and what `fill` throws.
    [[nodiscard]] Buffer matrix(DType stored, std::int64_t rows, std::int64_t cols, const Fill& fill);
    // (1, cols) f32. Norms and biases are small, so no backend has to widen them in every pass.
    [[nodiscard]] Buffer vector(DType stored, std::int64_t cols, const Fill& fill);
    // The matrix or vector of `slot`, into slot.to and into the counts of bytes.
    void slot(const Slot& slot, DType stored, const Fill& fill, WeightBytes& bytes);

  private:
    void read(std::size_t first, std::size_t bytes, const Fill& fill);

    Backend& backend_;
    const Progress& progress_;
    Precision precision_;
    std::size_t piece_bytes_;
    std::vector<std::byte> host_; // one piece as it is stored
};

} // namespace speclens
