#include "engine/model/weight_import.h"

#include <cstring>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/error.h"

namespace speclens {

constexpr std::size_t kToldBytes = 8'000'000; // between two reports

void WeightImport::tell(std::string what, std::size_t total) {
    what_ = std::move(what);
    total_ = total;
}

Buffer WeightImport::matrix(DType stored, std::int64_t rows, std::int64_t cols, const Fill& fill) {
    CHECK(rows > 0 && cols > 0, "an empty matrix");
    Buffer whole = backend_.allocate_weight(stored, rows, cols, precision_);
    backend_.import_pieces(whole.view(), stored, piece_bytes_, [&](std::size_t first, std::span<std::byte> to) { read(first, to, fill); });
    return whole;
}

Buffer WeightImport::vector(DType stored, std::int64_t cols, const Fill& fill) {
    std::vector<std::byte> host(bytes_of(stored, cols));
    read(0, host, fill);
    if (stored != DType::bf16) return backend_.import_weight(host.data(), stored, 1, cols);
    std::vector<float> wide(static_cast<std::size_t>(cols));
    for (std::size_t i = 0; i < wide.size(); ++i) {
        std::uint16_t upper = 0;
        std::memcpy(&upper, host.data() + 2 * i, 2);
        wide[i] = widen_bf16(upper);
    }
    return backend_.import_weight(wide.data(), DType::f32, 1, cols);
}

void WeightImport::slot(const WeightSlot& slot, DType stored, const Fill& fill, WeightBytes& bytes) {
    *slot.to = slot.vector ? vector(stored, slot.cols, fill) : matrix(stored, slot.rows, slot.cols, fill);
    if (slot.read_per_token) bytes.per_token += slot.to->bytes();
    bytes.all += slot.to->bytes();
    report(0);
}

void WeightImport::read(std::size_t first, std::span<std::byte> to, const Fill& fill) {
    check_cancelled(progress_);
    fill(first, to);
    check_cancelled(progress_);
    done_ += to.size();
    if (std::this_thread::get_id() == caller_) report(kToldBytes);
}

void WeightImport::report(std::size_t least) {
    const std::size_t done = done_;
    if (total_ == 0 || done == told_ || done < told_ + least) return;
    told_ = done;
    report_megabytes(progress_, what_, done, total_);
}

} // namespace speclens
