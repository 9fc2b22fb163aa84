#include "kernels/cpu/cpu_backend.h"

#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

#include "kernels/cpu/quant_tiles.h"
#include "kernels/cpu/weight_tiles.h"
#include "kernels/quant.h"

namespace speclens {

namespace {

constexpr int kMaxThreads = 16; // a default; more only helps machines with many memory channels

} // namespace

bool CpuBackend::keeps(DType stored, std::int64_t cols) const {
    const QuantLayout* layout = quant_layout(stored);
    return layout == nullptr ? Backend::keeps(stored, cols) : cols % layout->values == 0;
}

Buffer CpuBackend::allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision precision) {
    shapes::weight(*this, stored, rows, cols);
    Tensor view = {.data = nullptr, .dtype = shapes::kept_as(stored), .rows = rows, .cols = cols};
    view.precision = precision;
    view.tiled = is_quantised(stored) || (stored == DType::bf16 && divides_into_tiles(rows, cols));
    view.data = allocate(view.bytes());
    if (const std::int64_t whole = rows / kTiledRows * kTiledRows; is_quantised(stored) && whole < rows) {
        const Tensor last = view.slice(whole, rows - whole);
        std::memset(last.data, 0, last.bytes()); // lanes without a row are multiplied, too
    }
    return Buffer(*this, view);
}

namespace {

std::int64_t rows_of_unit(const Tensor& weight) { return weight.tiled ? kTiledRows : 1; }

// One for each layout, with all that it calls in one piece: where a number goes is known when this is compiled, and loading takes
// a third of the time that it takes otherwise.
using PackTiles = void (*)(const std::byte* from, std::int64_t rows, std::int64_t cols, std::int64_t first, std::int64_t last,
                           std::byte* to);
template <std::size_t kLayout>
[[gnu::flatten]] void pack_tiles_of(const std::byte* from, std::int64_t rows, std::int64_t cols, std::int64_t first, std::int64_t last,
                                    std::byte* to) {
    static constexpr QuantLayout layout = kQuantLayouts[kLayout];
    pack_quant_tiles(layout, from, rows, cols, first, last, to);
}
template <std::size_t... kLayouts>
PackTiles packer(std::size_t layout, std::index_sequence<kLayouts...>) {
    static constexpr PackTiles all[] = {pack_tiles_of<kLayouts>...};
    return all[layout];
}

// Units [first, last) of a matrix whose rows, as they are stored, begin at `bytes`.
void import_units(const Tensor& to, DType stored, const std::byte* bytes, std::int64_t first, std::int64_t last) {
    if (const QuantLayout* layout = quant_layout(stored)) {
        const auto place = static_cast<std::size_t>(layout - std::begin(kQuantLayouts));
        return packer(place, std::make_index_sequence<std::size(kQuantLayouts)>())(bytes, to.rows, to.cols, first, last,
                                                                                   data_of<std::byte>(to));
    }
    if (to.tiled) return pack_tiles(bytes, to.cols, first, last, data_of<std::uint16_t>(to));
    const Tensor part = to.slice(first, last - first);
    const std::byte* from = bytes + static_cast<std::size_t>(first * to.cols) * bytes_of(stored);
    if (stored != DType::f16) {
        if (part.bytes() > 0) std::memcpy(part.data, from, part.bytes());
        return;
    }
    for (std::int64_t i = 0; i < part.size(); ++i) {
        std::uint16_t bits = 0; // the file need not align its tensors
        std::memcpy(&bits, from + 2 * i, 2);
        data_of<float>(part)[i] = widen_f16(bits);
    }
}

} // namespace

// By rows, so that each thread is the first to touch pages that it will read.
void CpuBackend::import_weight(const Tensor& to, DType stored, const void* host) {
    CHECK(to.dtype == shapes::kept_as(stored), "import_weight: dtype");
    const std::int64_t unit = rows_of_unit(to);
    share((to.rows + unit - 1) / unit, unit * to.cols,
          [&](std::int64_t first, std::int64_t last) { import_units(to, stored, static_cast<const std::byte*>(host), first, last); });
}

void CpuBackend::import_pieces(const Tensor& to, DType stored, std::size_t piece_bytes, const FillRows& fill) {
    CHECK(to.dtype == shapes::kept_as(stored), "import_pieces: dtype");
    const std::int64_t unit = rows_of_unit(to);
    const std::size_t row_bytes = bytes_of(stored, to.cols);
    std::mutex mutex;
    std::exception_ptr failure; // the first
    std::atomic<bool> failed = false;
    share((to.rows + unit - 1) / unit, unit * to.cols, [&](std::int64_t first, std::int64_t last) {
        try { // nothing may be thrown through the pool
            const std::int64_t end = std::min(last * unit, to.rows), together = rows_per_piece(end - first * unit, row_bytes, piece_bytes);
            const auto host = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(together) * row_bytes);
            for (std::int64_t row = first * unit; row < end && !failed; row += together) {
                const std::int64_t count = std::min(together, end - row);
                fill(static_cast<std::size_t>(row) * row_bytes, {host.get(), static_cast<std::size_t>(count) * row_bytes});
                import_units(to.slice(row, count), stored, host.get(), 0, (count + unit - 1) / unit);
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            failed = true;
        }
    });
    if (failure) std::rethrow_exception(failure);
}

void CpuBackend::softmax(const Tensor& logits, float temperature, const Tensor& out) {
    shapes::softmax(logits, temperature, out);
    const std::int64_t n = out.cols;
    share(out.rows, 4 * n, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            row_.softmax(data_of<const float>(logits) + row * n, n, temperature, data_of<float>(out) + row * n);
        }
    });
}

void CpuBackend::argmax(const Tensor& rows, const Tensor& ids) {
    shapes::argmax(rows, ids);
    share(rows.rows, rows.cols, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            data_of<std::int32_t>(ids)[row] = row_.argmax(data_of<const float>(rows) + row * rows.cols, rows.cols);
        }
    });
}

void CpuBackend::top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) {
    shapes::top_k(rows, k, ids, values);
    share(rows.rows, 2 * rows.cols, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            row_.top_k(data_of<const float>(rows) + row * rows.cols, rows.cols, k, data_of<std::int32_t>(ids) + row * k,
                       data_of<float>(values) + row * k);
        }
    });
}

void CpuBackend::gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) {
    shapes::gather_rows(in, indices, out);
    const QuantLayout* layout = quant_layout(in.dtype);
    std::vector<std::byte> stored(layout == nullptr ? 0 : bytes_of(in.dtype, in.cols));
    for (std::int64_t row = 0; row < out.rows; ++row) {
        const std::int64_t index = data_of<const std::int32_t>(indices)[row];
        CHECK(index >= 0 && index < in.rows, "gather_rows: index outside the rows");
        if (layout != nullptr) {
            row_of_quant_tiles(*layout, data_of<const std::byte>(in), in.cols, index, stored.data());
            row_into_quant_tiles(*layout, stored.data(), in.cols, row, data_of<std::byte>(out));
            continue;
        }
        const Tensor from = in.slice(index, 1);
        std::memcpy(out.slice(row, 1).data, from.data, from.bytes());
    }
}

void CpuBackend::move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) {
    shapes::move_slots(cache, from, to);
    for (std::size_t i = 0; i < from.size(); ++i) {
        copy(cache.k.slice(from[i], 1), cache.k.slice(to[i], 1));
        copy(cache.v.slice(from[i], 1), cache.v.slice(to[i], 1));
    }
}

Buffer CpuBackend::make_read_buffer(std::size_t bytes) {
    Buffer buffer(*this, DType::i64, 1, std::max<std::int64_t>(static_cast<std::int64_t>(bytes / 8), 1));
    std::uint64_t* data = data_of<std::uint64_t>(buffer.view());
    pool_.run([&](int thread) {
        const Range range = share_of(buffer.view().cols, thread, threads());
        std::fill(data + range.first, data + range.last, std::uint64_t{1});
    });
    return buffer;
}

double CpuBackend::read_ms(const Tensor& buffer) {
    CHECK(buffer.dtype == DType::i64, "read_ms: a buffer of make_read_buffer");
    const std::uint64_t* data = data_of<const std::uint64_t>(buffer);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads()));
    const auto start = std::chrono::steady_clock::now();
    pool_.run([&](int thread) {
        const Range range = share_of(buffer.size(), thread, threads());
        sums[static_cast<std::size_t>(thread)] = row_.read_all(data + range.first, range.last - range.first);
    });
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums) total += sum;
    CHECK(total == static_cast<std::uint64_t>(buffer.size()), "a plain read gave something else than was written");
    return took.count();
}

std::unique_ptr<Backend> make_cpu_backend(const CpuOptions& options) {
    CHECK(options.threads >= 0, "negative number of threads");
    const int threads = options.threads > 0 ? options.threads : std::min(available_cores(), kMaxThreads);
    return std::make_unique<CpuBackend>(choose_isa(), threads);
}

} // namespace speclens
