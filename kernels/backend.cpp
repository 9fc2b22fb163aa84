#include "kernels/backend.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "kernels/error.h"

namespace speclens {

namespace {

struct TypeFacts {
    DType dtype;
    const char* name;
    Block block;
};
// clang-format off
constexpr TypeFacts kTypes[] = {
    {DType::f32, "f32", {1, 4}},        {DType::f16, "f16", {1, 2}},        {DType::bf16, "bf16", {1, 2}},
    {DType::i64, "i64", {1, 8}},        {DType::i32, "i32", {1, 4}},        {DType::u8, "u8", {1, 1}},
    {DType::boolean, "bool", {1, 1}},   {DType::q4_0, "Q4_0", {32, 18}},    {DType::q4_1, "Q4_1", {32, 20}},
    {DType::q5_0, "Q5_0", {32, 22}},    {DType::q5_1, "Q5_1", {32, 24}},    {DType::q8_0, "Q8_0", {32, 34}},
    {DType::q2_k, "Q2_K", {256, 84}},   {DType::q3_k, "Q3_K", {256, 110}},  {DType::q4_k, "Q4_K", {256, 144}},
    {DType::q5_k, "Q5_K", {256, 176}},  {DType::q6_k, "Q6_K", {256, 210}},
};
// clang-format on
const TypeFacts& facts(DType dtype) {
    const auto at = static_cast<std::size_t>(dtype);
    CHECK(at < std::size(kTypes) && kTypes[at].dtype == dtype, "dtype out of range");
    return kTypes[at];
}

} // namespace

const char* name_of(DType dtype) { return facts(dtype).name; }

const char* name_of(Precision precision) {
    constexpr const char* names[] = {"f32", "bf16", "int8"};
    const auto at = static_cast<std::size_t>(precision);
    CHECK(at < std::size(names), "precision out of range");
    return names[at];
}

Block block_of(DType dtype) { return facts(dtype).block; }

bool is_quantised(DType dtype) { return block_of(dtype).values > 1; }

std::size_t bytes_of(DType dtype) {
    CHECK(!is_quantised(dtype), "a value of a quantised type has no bytes of its own");
    return block_of(dtype).bytes;
}

std::size_t bytes_of(DType dtype, std::int64_t values) {
    const Block block = block_of(dtype);
    CHECK(values % block.values == 0, "a part of a block");
    return static_cast<std::size_t>(values / block.values) * block.bytes;
}

std::size_t Tensor::bytes() const {
    const bool whole_tiles = tiled && is_quantised(dtype);
    return bytes_of(dtype, whole_tiles ? (rows + kTiledRows - 1) / kTiledRows * kTiledRows * cols : size());
}

Tensor Tensor::slice(std::int64_t first, std::int64_t count) const {
    CHECK(first >= 0 && count >= 0 && first + count <= rows, "slice outside the tensor");
    const bool to_the_end = is_quantised(dtype) && first + count == rows;
    CHECK(!tiled || (first % kTiledRows == 0 && (count % kTiledRows == 0 || to_the_end)), "slice cuts a tile of a weight");
    Tensor part = *this;
    part.rows = count;
    if (data != nullptr) {
        part.data = static_cast<std::byte*>(data) + bytes_of(dtype, first * cols);
    }
    return part;
}

Buffer::Buffer(Backend& backend, DType dtype, std::int64_t rows, std::int64_t cols) : backend_(&backend) {
    CHECK(rows >= 0 && cols >= 0, "negative tensor size");
    tensor_ = {.data = nullptr, .dtype = dtype, .rows = rows, .cols = cols};
    tensor_.data = backend.allocate(tensor_.bytes());
}

Buffer::Buffer(Backend& backend, const Tensor& owned) : backend_(&backend), tensor_(owned) {}

Buffer::Buffer(Buffer&& other) noexcept : backend_(std::exchange(other.backend_, nullptr)), tensor_(std::exchange(other.tensor_, {})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(tensor_, other.tensor_);
    return *this;
}

Buffer::~Buffer() {
    if (backend_ != nullptr && tensor_.data != nullptr) backend_->release(tensor_.data, tensor_.bytes());
}

Buffer Backend::import_weight(const void* host, DType stored, std::int64_t rows, std::int64_t cols, Precision precision) {
    Buffer weight = allocate_weight(stored, rows, cols, precision);
    import_weight(weight.view(), stored, host);
    return weight;
}

std::int64_t rows_per_piece(std::int64_t rows, std::size_t row_bytes, std::size_t piece_bytes) {
    const auto tiles = static_cast<std::int64_t>(piece_bytes / row_bytes) / kTiledRows;
    return std::clamp(tiles * kTiledRows, std::min(kTiledRows, rows), rows);
}

void Backend::import_pieces(const Tensor& to, DType stored, std::size_t piece_bytes, const FillRows& fill) {
    const std::size_t row_bytes = bytes_of(stored, to.cols);
    const std::int64_t together = rows_per_piece(to.rows, row_bytes, piece_bytes);
    std::vector<std::byte> host(static_cast<std::size_t>(together) * row_bytes);
    for (std::int64_t first = 0; first < to.rows; first += together) {
        const std::int64_t count = std::min(together, to.rows - first);
        fill(static_cast<std::size_t>(first) * row_bytes, std::span(host).first(static_cast<std::size_t>(count) * row_bytes));
        import_weight(to.slice(first, count), stored, host.data());
    }
}

namespace {

[[noreturn]] void no_pages(const Backend& backend) {
    throw Error("the backend " + backend.name() + " cannot compute several texts in one pass yet", "Use the CPU: --backend cpu.",
                Exit::device);
}

} // namespace

void Backend::rope_store_paged(const HeadShape&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, float,
                               const Tensor&, const Tensor&, const KvLayer&, const PagedRows&) {
    no_pages(*this);
}

void Backend::attention_paged(const HeadShape&, const Tensor&, const KvLayer&, const PagedRows&, const Tensor&) { no_pages(*this); }

} // namespace speclens
