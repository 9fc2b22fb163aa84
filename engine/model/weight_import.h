// Brings weights onto the backend in pieces of bounded size: a cancel is seen within a fraction of a second
// and host memory stays small, however large an embedding is. Internal to the engine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>

#include "engine/model/model.h"
#include "engine/model/model_parts.h"
#include "kernels/backend.h"

namespace speclens {

// Of each thread. Read in a moment and still in a cache when it is rearranged; large enough that asking for it costs nothing.
inline constexpr std::size_t kImportBytes = 2'000'000;

class WeightImport {
  public:
    // Fills `to` with the stored bytes from byte `first` of the matrix on; called by several threads at once.
    using Fill = Backend::FillRows;

    // Products with the matrices are in `precision`.
    WeightImport(Backend& backend, const Progress& progress, Precision precision, std::size_t piece_bytes = kImportBytes)
        : backend_(backend), progress_(progress), precision_(precision), piece_bytes_(piece_bytes) {}
    // From now on progress tells of `what`, of which `total` bytes as they are stored are to come.
    void tell(std::string what, std::size_t total);

    // What Backend::import_weight makes of the whole. Throws Cancelled, and what `fill` throws.
    [[nodiscard]] Buffer matrix(DType stored, std::int64_t rows, std::int64_t cols, const Fill& fill);
    // (1, cols) f32. Norms and biases are small, so no backend has to widen them in every pass.
    [[nodiscard]] Buffer vector(DType stored, std::int64_t cols, const Fill& fill);
    // The matrix or vector of `slot`, into slot.to and into the counts of bytes.
    void slot(const WeightSlot& slot, DType stored, const Fill& fill, WeightBytes& bytes);

  private:
    void read(std::size_t first, std::span<std::byte> to, const Fill& fill);
    void report(std::size_t least); // bytes since the last time

    Backend& backend_;
    const Progress& progress_;
    Precision precision_;
    std::size_t piece_bytes_;
    std::string what_;
    std::size_t total_ = 0, told_ = 0;
    std::atomic<std::size_t> done_ = 0;
    std::thread::id caller_ = std::this_thread::get_id(); // who tells: nobody else is asked to be ready for it
};

} // namespace speclens
