#include "engine/weights/safetensors_header.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/json_read.h"

namespace speclens {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000; // the limit of the reference reader
const char* const kDownloadAgain = "The file is damaged or incomplete: download or copy it again.";
const char* const kWriterBug = "The file was written wrongly: export it again with the safetensors library.";

std::optional<DType> dtype_of(const std::string& text) {
    // clang-format off
    static const std::pair<const char*, DType> known[] = {
        {"BF16", DType::bf16}, {"F16", DType::f16}, {"F32", DType::f32},     {"I64", DType::i64},
        {"I32", DType::i32},   {"U8", DType::u8},   {"BOOL", DType::boolean}};
    // clang-format on
    for (const auto& [spelling, dtype] : known)
        if (text == spelling) return dtype;
    return std::nullopt;
}

// The JSON library keeps the last of two equal keys; two tensors of one name must be an error instead.
Json parse_header(std::string_view text, const std::string& name) {
    if (too_deep(text)) throw Error(name + ": the header is nested too deeply", kDownloadAgain);
    std::string twice;
    try {
        Json header = Json::parse(text, [&](int depth, const std::string& key) {
            if (depth == 1) twice = key;
        });
        if (!twice.empty()) throw Error(name + ": tensor " + twice + " is listed twice", kWriterBug);
        if (header.is_object()) return header;
    } catch (const JsonError& failure) {
        throw Error(name + ": the header is not valid JSON (" + failure.what() + ")", kDownloadAgain);
    }
    throw Error(name + ": the header is not a JSON object", kDownloadAgain);
}

// Elements of a shape; empty when the product does not fit.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
    std::uint64_t count = 1;
    for (const std::int64_t size : shape) {
        const auto factor = static_cast<std::uint64_t>(size);
        if (factor != 0 && count > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
        count *= factor;
    }
    return count;
}

struct Where {
    const std::string& file;
    const std::string& tensor;
    [[noreturn]] void fail(const std::string& what, const char* remedy) const {
        throw Error(file + ": tensor " + tensor + " " + what, remedy);
    }
};

std::vector<std::int64_t> read_shape(const Json& entry, const Where& where) {
    const auto found = entry.find("shape");
    if (found == entry.end() || !found->is_array()) where.fail("has no shape", kWriterBug);
    std::vector<std::int64_t> shape;
    for (const Json& size : *found) {
        if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
            where.fail("has a shape with the entry " + shown(size), kWriterBug);
        shape.push_back(size.get<std::int64_t>());
    }
    return shape;
}

std::pair<std::uint64_t, std::uint64_t> read_offsets(const Json& entry, const Where& where) {
    const auto found = entry.find("data_offsets");
    if (found == entry.end() || !found->is_array() || found->size() != 2 || !(*found)[0].is_number_unsigned() ||
        !(*found)[1].is_number_unsigned())
        where.fail("has no data_offsets of two non-negative integers", kWriterBug);
    return {(*found)[0].get<std::uint64_t>(), (*found)[1].get<std::uint64_t>()};
}

StoredTensor read_entry(const Json& entry, std::uint64_t data_start, std::uint64_t data_bytes, const Where& where) {
    if (!entry.is_object()) where.fail("has no description", kWriterBug);
    StoredTensor tensor;
    const auto spelling = entry.find("dtype");
    if (spelling == entry.end() || !spelling->is_string()) where.fail("has no dtype", kWriterBug);
    const auto dtype = dtype_of(spelling->get<std::string>());
    if (!dtype)
        where.fail("has the unknown dtype " + shown(*spelling),
                   "Supported are BF16, F16, F32, I64, I32, U8 and BOOL: use an unquantised checkpoint.");
    tensor.dtype = *dtype;
    tensor.shape = read_shape(entry, where);

    const auto [begin, end] = read_offsets(entry, where);
    const std::string range = std::to_string(begin) + " … " + std::to_string(end);
    if (begin > end) where.fail("ends before it begins (data_offsets " + range + ")", kWriterBug);
    if (end > data_bytes)
        where.fail("lies outside the file (data_offsets " + range + ", the file has " + std::to_string(data_bytes) + " bytes of data)",
                   kDownloadAgain);
    const std::uint64_t size = bytes_of(tensor.dtype);
    const auto count = element_count(tensor.shape);
    if (!count || *count > std::numeric_limits<std::int64_t>::max() / size)
        where.fail("has shape " + shape_text(tensor.shape) + ", which is too large to exist", kWriterBug);
    if (*count * size != end - begin)
        where.fail("has " + std::to_string(end - begin) + " bytes, but shape " + shape_text(tensor.shape) + " as " + name_of(tensor.dtype) +
                       " needs " + std::to_string(*count * size),
                   kWriterBug);
    if ((data_start + begin) % size != 0)
        where.fail("is misaligned (byte " + std::to_string(data_start + begin) + " is not a multiple of " + std::to_string(size) + ")",
                   kWriterBug);
    tensor.begin = static_cast<std::size_t>(data_start + begin);
    tensor.bytes = static_cast<std::size_t>(end - begin);
    return tensor;
}

void check_overlap(const std::map<std::string, StoredTensor, std::less<>>& tensors, const std::string& name) {
    std::vector<const std::pair<const std::string, StoredTensor>*> order;
    for (const auto& item : tensors)
        if (item.second.bytes > 0) order.push_back(&item);
    std::ranges::sort(order, {}, [](const auto* item) { return item->second.begin; });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i]->second.begin < order[i - 1]->second.begin + order[i - 1]->second.bytes)
            throw Error(name + ": tensors " + order[i - 1]->first + " and " + order[i]->first + " overlap", kWriterBug);
}

} // namespace

std::size_t safetensors_header_length(std::span<const std::byte> start, std::size_t file_size, const std::string& name) {
    if (start.size() < kHeaderStart)
        throw Error(name + ": only " + std::to_string(start.size()) + " bytes long, a safetensors file has at least 8", kDownloadAgain);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kHeaderStart; ++i) length |= std::to_integer<std::uint64_t>(start[i]) << (8 * i);
    if (std::memcmp(start.data(), "version ", kHeaderStart) == 0) // as a length this could not be
        throw lfs_pointer(name);
    if (length > kLargestHeader)
        throw Error(name + ": the header claims " + std::to_string(length) + " bytes, more than the 100 MB allowed",
                    "Is this a safetensors file? Pickled .bin files must be converted first.");
    if (length > file_size - kHeaderStart)
        throw Error(name + ": the header claims " + std::to_string(length) + " bytes, the file has only " + std::to_string(file_size),
                    kDownloadAgain);
    return static_cast<std::size_t>(length);
}

std::map<std::string, StoredTensor, std::less<>> read_safetensors_header(std::string_view text, std::size_t file_size,
                                                                         const std::string& name) {
    const std::size_t data_start = kHeaderStart + text.size();
    std::map<std::string, StoredTensor, std::less<>> tensors;
    const Json header = parse_header(text, name);
    for (const auto& [tensor, entry] : header.items()) {
        if (tensor == "__metadata__") continue;
        tensors.emplace(tensor, read_entry(entry, data_start, file_size - data_start, {name, tensor}));
    }
    check_overlap(tensors, name);
    return tensors;
}

} // namespace speclens
