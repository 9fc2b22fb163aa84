#include "kernels/cuda/cuda_backend.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/cuda/transfer.cuh"
#include "kernels/error.h"

namespace speclens::cuda {

namespace {

constexpr std::size_t kPinned = std::size_t{8} << 20;
constexpr std::size_t kEvents = 1024; // marks that may be asked for later

bool divides_into_tiles(std::int64_t rows, std::int64_t cols) { return rows > 0 && cols > 0 && rows % kTile == 0 && cols % kTile == 0; }

std::string gigabytes(std::size_t bytes) {
    const std::size_t tenths = bytes / 100'000'000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

} // namespace

static_assert(kTile == kTiledRows);

Matrix matrix_of(const Tensor& tensor) {
    CHECK(tensor.dtype == DType::f32 || tensor.dtype == DType::bf16, "a matrix is f32 or bf16");
    const Layout layout = tensor.dtype == DType::f32 ? Layout::f32_rows : tensor.tiled ? Layout::bf16_tiles : Layout::bf16_rows;
    return {tensor.data, tensor.cols, layout};
}

std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options, std::string& why) {
    int devices = 0;
    cudaError_t status = cudaGetDeviceCount(&devices);
    cudaDeviceProp properties = {};
    if (status == cudaSuccess && devices == 0) status = cudaErrorNoDevice;
    if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, 0);
    if (status != cudaSuccess) {
        why = cudaGetErrorString(status);
        if (status == cudaErrorInsufficientDriver) why = "no NVIDIA driver is installed, or it is too old for this build (" + why + ")";
        (void)cudaGetLastError(); // it is not ours to report twice
        return nullptr;
    }
    const bool tensor_cores = options.tensor_cores && properties.major >= 8 && built_with_tensor_cores();
    const std::string description = std::string("CUDA · ") + properties.name + " · " + gigabytes(properties.totalGlobalMem) +
                                    (tensor_cores ? "" : " · without tensor cores");
    return std::make_unique<CudaBackend>(options, description, tensor_cores, static_cast<std::size_t>(properties.l2CacheSize));
}

CudaBackend::CudaBackend(const CudaOptions& options, std::string description, bool tensor_cores, std::size_t cache_bytes)
    : description_(std::move(description)), tensor_cores_(tensor_cores), cache_bytes_(cache_bytes),
      attention_bytes_(options.attention_bytes), list_(options.graphs) {
    check(cudaStreamCreate(&stream_), "making a stream");
    check(cudaMallocHost(&pinned_, kPinned), "reserving host memory");
}

CudaBackend::~CudaBackend() {
    (void)cudaStreamSynchronize(stream_);
    for (cudaEvent_t event : events_) (void)cudaEventDestroy(event);
    for (const Scratch* scratch : {&staging_, &partial_, &keys_, &tables_})
        if (scratch->data != nullptr) (void)cudaFree(scratch->data);
    (void)cudaFreeHost(pinned_);
    (void)cudaStreamDestroy(stream_);
}

std::size_t CudaBackend::free_memory() const {
    std::size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
}

// ---- memory ----

void* CudaBackend::allocate(std::size_t bytes) {
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); // not sticky: later calls work
        throw Error("out of memory: need " + std::to_string(bytes >> 20) + " MiB more on the GPU, " + std::to_string(free_memory() >> 20) +
                        " MiB are free",
                    "Choose a smaller model or a shorter context, close other programs on the GPU, or use "
                    "--backend cpu.",
                    Exit::device, ErrorKind::out_of_memory);
    }
    check(status, "reserving memory");
    return data;
}

void CudaBackend::release(void* data, std::size_t) noexcept {
    try {
        flush();    // launches that use it were asked for before
    } catch (...) { // nobody can be told here: whoever asks for results next is
        lost_ = std::current_exception();
    }
    (void)cudaStreamSynchronize(stream_); // they have run: cudaFree is not promised to wait for them
    (void)cudaFree(data);
}

void CudaBackend::flush() {
    if (lost_) {
        list_.drop(); // what it was to read is not there, or its own memory is released next
        paged_ = {};  // its tables may have been among them
        std::rethrow_exception(std::exchange(lost_, nullptr));
    }
    try {
        list_.flush(stream_);
    } catch (...) {
        paged_ = {};
        throw;
    }
}

void* CudaBackend::reserve(Scratch& scratch, std::size_t bytes) {
    if (scratch.bytes >= bytes) return scratch.data;
    flush();
    if (scratch.data != nullptr) release(scratch.data, scratch.bytes);
    scratch = {};
    scratch.data = allocate(bytes);
    scratch.bytes = bytes;
    return scratch.data;
}

Buffer CudaBackend::allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision precision) {
    shapes::weight(*this, stored, rows, cols);
    if (precision != Precision::f32)
        throw Error(std::string("the CUDA backend multiplies in f32 only, not in ") + name_of(precision), "Use --precision f32.",
                    Exit::device);
    Tensor view = {.data = nullptr, .dtype = shapes::kept_as(stored), .rows = rows, .cols = cols};
    view.tiled = stored == DType::bf16 && divides_into_tiles(rows, cols);
    view.data = allocate(view.bytes());
    return Buffer(*this, view);
}

// In pieces of whole tiles, through pinned memory: file order to the device, then packed or widened there.
void CudaBackend::import_weight(const Tensor& to, DType stored, const void* host) {
    CHECK(to.dtype == shapes::kept_as(stored), "import_weight: dtype");
    const bool convert = to.tiled || stored == DType::f16;
    const std::int64_t unit = to.tiled ? kTile : 1;
    const std::size_t row_bytes = static_cast<std::size_t>(to.cols) * bytes_of(stored);
    const std::size_t piece_bytes = std::max(kPinned / 2, static_cast<std::size_t>(unit) * row_bytes);
    const std::int64_t most =
        std::max<std::int64_t>(unit, static_cast<std::int64_t>(piece_bytes / std::max<std::size_t>(row_bytes, 1)) / unit * unit);
    const auto* bytes = static_cast<const std::byte*>(host);
    for (std::int64_t row = 0; row < to.rows && to.cols > 0; row += most) {
        const Tensor part = to.slice(row, std::min(most, to.rows - row));
        const std::size_t count = static_cast<std::size_t>(part.rows) * row_bytes;
        void* const landing = convert ? reserve(staging_, count) : part.data;
        flush();
        for (std::size_t at = 0; at < count; at += kPinned) {
            const std::size_t some = std::min(kPinned, count - at);
            check(cudaStreamSynchronize(stream_), "loading weights"); // the pinned memory is free again
            std::memcpy(pinned_, bytes + static_cast<std::size_t>(row) * row_bytes + at, some);
            check(cudaMemcpyAsync(static_cast<std::byte*>(landing) + at, pinned_, some, cudaMemcpyHostToDevice, stream_),
                  "loading weights");
        }
        const auto* from = static_cast<const std::uint16_t*>(landing);
        if (to.tiled)
            list_.add(pack_tiles, blocks(part.size(), kCopyThreads), kCopyThreads, 0, from, part.rows, part.cols,
                      data_of<std::uint16_t>(part));
        else if (convert)
            list_.add(widen_halves, blocks(part.size(), kCopyThreads), kCopyThreads, 0, from, part.size(), data_of<float>(part));
    }
    sync();
}

void CudaBackend::upload(const Tensor& to, const void* host) {
    CHECK(!to.tiled, "upload into a tiled weight");
    const std::size_t bytes = to.bytes();
    if (bytes == 0) return;
    const bool words = bytes % sizeof(std::int32_t) == 0 && reinterpret_cast<std::uintptr_t>(to.data) % 4 == 0;
    if (words && bytes <= sizeof(Letter::word)) {
        Letter letter;
        letter.count = static_cast<std::int32_t>(bytes / sizeof(std::int32_t));
        std::memcpy(letter.word, host, bytes);
        list_.add(deliver, 1, kCopyThreads, 0, letter, data_of<std::int32_t>(to));
        return;
    }
    flush();
    for (std::size_t at = 0; at < bytes; at += kPinned) {
        const std::size_t some = std::min(kPinned, bytes - at);
        check(cudaStreamSynchronize(stream_), "uploading");
        std::memcpy(pinned_, static_cast<const std::byte*>(host) + at, some);
        check(cudaMemcpyAsync(data_of<std::byte>(to) + at, pinned_, some, cudaMemcpyHostToDevice, stream_), "uploading");
    }
}

void CudaBackend::download(const Tensor& from, void* host) {
    if (from.bytes() == 0) return;
    flush();
    const std::size_t bytes = from.bytes();
    for (std::size_t at = 0; at < bytes; at += kPinned) {
        const std::size_t some = std::min(kPinned, bytes - at);
        check(cudaMemcpyAsync(pinned_, data_of<const std::byte>(from) + at, some, cudaMemcpyDeviceToHost, stream_), "reading results");
        check(cudaStreamSynchronize(stream_), "reading results");
        std::memcpy(static_cast<std::byte*>(host) + at, pinned_, some);
    }
}

void CudaBackend::copy(const Tensor& from, const Tensor& to) {
    CHECK(from.dtype == to.dtype && from.size() == to.size(), "copy between different tensors");
    CHECK(from.tiled == to.tiled, "copy between a weight in tiles and one in rows");
    const std::size_t bytes = from.bytes();
    if (bytes == 0 || from.data == to.data) return;
    const auto a = reinterpret_cast<std::uintptr_t>(from.data), b = reinterpret_cast<std::uintptr_t>(to.data);
    const bool apart = a + bytes <= b || b + bytes <= a;
    if (apart && bytes % sizeof(std::int32_t) == 0 && a % 4 == 0 && b % 4 == 0) {
        const auto words = static_cast<std::int64_t>(bytes / sizeof(std::int32_t));
        list_.add(copy_words, blocks(words, kCopyThreads), kCopyThreads, 0, data_of<const std::int32_t>(from), words,
                  data_of<std::int32_t>(to));
        return;
    }
    void* const between = reserve(staging_, bytes);
    flush();
    check(cudaMemcpyAsync(between, from.data, bytes, cudaMemcpyDeviceToDevice, stream_), "copying");
    check(cudaMemcpyAsync(to.data, between, bytes, cudaMemcpyDeviceToDevice, stream_), "copying");
}

void CudaBackend::sync() {
    flush();
    check(cudaStreamSynchronize(stream_), "waiting for results");
}

// ---- time ----

TimeMark CudaBackend::mark() {
    flush();
    if (events_.size() < kEvents) {
        cudaEvent_t event = nullptr;
        check(cudaEventCreate(&event), "making an event");
        events_.push_back(event);
    }
    const std::size_t place = next_event_++ % kEvents;
    check(cudaEventRecord(events_[place], stream_), "recording a time");
    return {.ticks = static_cast<std::int64_t>(next_event_ - 1), .event = static_cast<int>(place)};
}

double CudaBackend::elapsed_ms(const TimeMark& from, const TimeMark& to) {
    for (const TimeMark& at : {from, to})
        CHECK(at.event >= 0 && static_cast<std::size_t>(at.ticks) + kEvents >= next_event_, "a mark is too old");
    float ms = 0;
    check(cudaEventSynchronize(events_[static_cast<std::size_t>(to.event)]), "waiting for a time");
    check(cudaEventElapsedTime(&ms, events_[static_cast<std::size_t>(from.event)], events_[static_cast<std::size_t>(to.event)]),
          "reading a time");
    return static_cast<double>(ms);
}

Buffer CudaBackend::make_read_buffer(std::size_t bytes) {
    const std::int64_t count = std::max<std::int64_t>(static_cast<std::int64_t>(bytes / sizeof(uint4)), 1);
    Buffer data(*this, DType::i64, 1, 2 * count);
    check(cudaMemsetAsync(data.view().data, 1, data.bytes(), stream_), "measuring the memory");
    return data;
}

double CudaBackend::read_ms(const Tensor& buffer) {
    constexpr int kBlocks = 4096, kReads = 8; // at once: starting the first one takes time, too
    const std::int64_t count = buffer.size() / 2;
    const Buffer sums(*this, DType::i32, 1, std::int64_t{kBlocks} * kReadThreads);
    const auto grid = dim3(static_cast<unsigned>(std::min<std::int64_t>(kBlocks, (count + kReadThreads - 1) / kReadThreads)));
    const TimeMark start = mark();
    for (int read = 0; read < kReads; ++read)
        list_.add(read_all, grid, kReadThreads, 0, data_of<const uint4>(buffer), count, data_of<unsigned>(sums.view()));
    return elapsed_ms(start, mark()) / kReads;
}

} // namespace speclens::cuda
