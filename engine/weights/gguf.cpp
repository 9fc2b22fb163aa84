#include "engine/weights/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/base/printed.h"
#include "engine/base/utf8.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestGgufHeader = std::size_t{1} << 30; // a vocabulary of 256 k tokens takes some 20 MB
constexpr std::size_t kReadAhead = 1 << 20;
constexpr std::int64_t kMostParts = 10'000;
constexpr const char* kAgain = "Download the file again, or make it anew; it may be incomplete.";
constexpr const char* kServe = "Serve it with llama-server and attach to it (speclens attach http://127.0.0.1:PORT), or use a "
                               "file of type F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1 or Q2_K to Q6_K.";

// Types of tensors by their number in the file; `dtype` where the engine reads them.
struct GgufType {
    std::uint32_t number;
    const char* name;
    std::optional<DType> dtype;
};
// clang-format off
constexpr GgufType kTypes[] = {
    {0, "F32", DType::f32},    {1, "F16", DType::f16},    {2, "Q4_0", DType::q4_0},  {3, "Q4_1", DType::q4_1},
    {6, "Q5_0", DType::q5_0},  {7, "Q5_1", DType::q5_1},  {8, "Q8_0", DType::q8_0},  {9, "Q8_1", {}},
    {10, "Q2_K", DType::q2_k}, {11, "Q3_K", DType::q3_k}, {12, "Q4_K", DType::q4_k}, {13, "Q5_K", DType::q5_k},
    {14, "Q6_K", DType::q6_k}, {15, "Q8_K", {}},          {16, "IQ2_XXS", {}},       {17, "IQ2_XS", {}},
    {18, "IQ3_XXS", {}},       {19, "IQ1_S", {}},         {20, "IQ4_NL", {}},        {21, "IQ3_S", {}},
    {22, "IQ2_S", {}},         {23, "IQ4_XS", {}},        {24, "I8", {}},            {25, "I16", {}},
    {26, "I32", DType::i32},   {27, "I64", DType::i64},   {28, "F64", {}},           {29, "IQ1_M", {}},
    {30, "BF16", DType::bf16}, {34, "TQ1_0", {}},         {35, "TQ2_0", {}},         {39, "MXFP4", {}},
    {40, "NVFP4", {}},         {41, "Q1_0", {}},          {42, "Q2_0", {}},
};
// clang-format on

// Kinds of values of the metadata.
enum Kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

// Walks through the header from its first byte; every read is checked against the end of the file.
class Walk {
  public:
    Walk(const StoredFile& file, const Progress& progress) : file_(file), progress_(progress) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::size_t left() const { return file_.size() - at_; }
    [[noreturn]] void fail(const std::string& what, const char* remedy = kAgain) const { throw Error(file_.name() + ": " + what, remedy); }
    void need(std::uint64_t bytes, const std::string& of) const {
        if (bytes > left()) fail("ends within " + of + " (byte " + std::to_string(at_) + " of " + std::to_string(file_.size()) + ")");
        if (at_ + bytes > kLargestGgufHeader) fail("the header is larger than 1 GB", "Is this a GGUF file of a language model?");
    }
    void bytes(void* to, std::size_t count, const std::string& of) {
        need(count, of);
        std::byte* out = static_cast<std::byte*>(to);
        while (count > 0) {
            if (at_ < begin_ || at_ >= begin_ + buffer_.size()) {
                check_cancelled(progress_);
                begin_ = at_;
                buffer_.resize(std::min(kReadAhead, file_.size() - at_));
                file_.read(begin_, buffer_);
            }
            const std::size_t now = std::min(count, begin_ + buffer_.size() - at_);
            std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(at_ - begin_), now, out);
            at_ += now, out += now, count -= now;
        }
    }
    template <class Number>
    Number number(const std::string& of) {
        static_assert(std::endian::native == std::endian::little);
        Number value{};
        bytes(&value, sizeof value, of);
        return value;
    }
    std::string string(const std::string& of) {
        const auto length = number<std::uint64_t>(of);
        need(length, of);
        std::string result(static_cast<std::size_t>(length), '\0');
        bytes(result.data(), result.size(), of);
        return result;
    }

  private:
    const StoredFile& file_;
    const Progress& progress_;
    std::size_t at_ = 0, begin_ = 0; // begin_: of what buffer_ holds
    std::vector<std::byte> buffer_;
};

std::size_t size_of(std::uint32_t kind) { // 0: of no fixed size
    switch (kind) {
    case u8:
    case i8:
    case boolean: return 1;
    case u16:
    case i16: return 2;
    case u32:
    case i32:
    case f32: return 4;
    case u64:
    case i64:
    case f64: return 8;
    default: return 0;
    }
}

GgufValue read_number(Walk& walk, std::uint32_t kind, const std::string& key) {
    switch (kind) {
    case u8: return std::int64_t{walk.number<std::uint8_t>(key)};
    case i8: return std::int64_t{walk.number<std::int8_t>(key)};
    case u16: return std::int64_t{walk.number<std::uint16_t>(key)};
    case i16: return std::int64_t{walk.number<std::int16_t>(key)};
    case u32: return std::int64_t{walk.number<std::uint32_t>(key)};
    case i32: return std::int64_t{walk.number<std::int32_t>(key)};
    case i64: return walk.number<std::int64_t>(key);
    case u64: {
        const auto value = walk.number<std::uint64_t>(key);
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return value;
        return static_cast<std::int64_t>(value);
    }
    case f32: return double{walk.number<float>(key)};
    case f64: return walk.number<double>(key);
    case boolean: return walk.number<std::uint8_t>(key) != 0;
    default: walk.fail("the metadata " + key + " has the unknown type " + std::to_string(kind));
    }
}

GgufValue read_array(Walk& walk, const std::string& key) {
    const auto kind = walk.number<std::uint32_t>(key);
    const auto count = walk.number<std::uint64_t>(key);
    const std::size_t least = kind == text ? 8 : size_of(kind); // bytes of an element
    if (least == 0) walk.fail("the metadata " + key + " is an array of the unsupported type " + std::to_string(kind));
    if (count > walk.left() / least)
        walk.fail("the metadata " + key + " claims " + std::to_string(count) + " elements, more than the file can hold");
    if (kind == text) {
        std::vector<std::string> texts;
        for (std::uint64_t i = 0; i < count; ++i) texts.push_back(walk.string(key));
        return texts;
    }
    walk.need(count * least, key);
    if (kind == f32 || kind == f64) {
        std::vector<double> values;
        for (std::uint64_t i = 0; i < count; ++i) values.push_back(std::get<double>(read_number(walk, kind, key)));
        return GgufNumbers(std::move(values));
    }
    std::vector<std::int64_t> values;
    for (std::uint64_t i = 0; i < count; ++i) {
        const GgufValue value = read_number(walk, kind, key);
        if (const auto* flag = std::get_if<bool>(&value)) {
            values.push_back(*flag ? 1 : 0);
        } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
            values.push_back(*whole);
        } else {
            walk.fail("the metadata " + key + " has a number beyond 2^63");
        }
    }
    return GgufNumbers(std::move(values));
}

std::map<std::string, GgufValue, std::less<>> read_metadata(Walk& walk, std::uint64_t count) {
    std::map<std::string, GgufValue, std::less<>> metadata;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string key = walk.string("the names of its metadata");
        if (!is_valid_utf8(key)) walk.fail("a name of its metadata is no text");
        const auto kind = walk.number<std::uint32_t>(key);
        GgufValue value = kind == text ? GgufValue(walk.string(key)) : kind == array ? read_array(walk, key) : read_number(walk, kind, key);
        const auto [place, added] = metadata.emplace(std::move(key), std::move(value));
        if (!added) walk.fail("the metadata " + place->first + " is there twice");
    }
    return metadata;
}

// A tensor whose offset is still counted from the start of the data.
StoredTensor read_tensor(Walk& walk, const std::string& name) {
    const auto dimensions = walk.number<std::uint32_t>(name);
    if (dimensions > 4) walk.fail("tensor " + name + " has " + std::to_string(dimensions) + " dimensions, 4 are the most");
    StoredTensor tensor;
    std::uint64_t values = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
        const auto size = walk.number<std::uint64_t>(name);
        if (size == 0 || size > (std::uint64_t{1} << 48) / values)
            walk.fail("tensor " + name + " has a shape that cannot be (" + std::to_string(size) + " values in one dimension)");
        values *= size;
        tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(size));
    }
    const auto number = walk.number<std::uint32_t>(name);
    const auto* type = std::ranges::find(kTypes, number, &GgufType::number);
    if (type == std::end(kTypes)) walk.fail("tensor " + name + " is of the unknown type " + std::to_string(number), kServe);
    if (!type->dtype) walk.fail("tensor " + name + " is stored as " + type->name + ", which is not supported", kServe);
    tensor.dtype = *type->dtype;
    const Block block = block_of(tensor.dtype);
    if (!tensor.shape.empty() && tensor.shape.back() % block.values != 0)
        walk.fail("tensor " + name + " has rows of " + std::to_string(tensor.shape.back()) + " values, no multiple of the " +
                  std::to_string(block.values) + " of a block of " + type->name);
    tensor.bytes = bytes_of(tensor.dtype, static_cast<std::int64_t>(values));
    tensor.begin = static_cast<std::size_t>(walk.number<std::uint64_t>(name));
    return tensor;
}

// "model" and 3 of "model-00002-of-00003.gguf".
struct PartName {
    std::string stem;
    std::int64_t part = 0, parts = 0;
};
std::optional<PartName> part_name(const std::string& file) {
    constexpr std::size_t kTail = std::string_view("-00001-of-00002.gguf").size();
    if (file.size() <= kTail) return {};
    const std::string tail = file.substr(file.size() - kTail);
    const auto digits = [&](std::size_t from) {
        std::int64_t value = 0;
        for (std::size_t i = from; i < from + 5; ++i) value = tail[i] >= '0' && tail[i] <= '9' ? 10 * value + (tail[i] - '0') : -1'000'000;
        return value;
    };
    if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || !tail.ends_with(".gguf")) return {};
    const std::int64_t part = digits(1), parts = digits(10);
    if (part < 1 || parts < part) return {};
    return PartName{file.substr(0, file.size() - kTail), part, parts};
}

std::string part_file(const PartName& name, std::int64_t part) {
    return name.stem + printed("-%05d-of-%05d.gguf", static_cast<int>(part), static_cast<int>(name.parts));
}

} // namespace

std::map<std::string, GgufValue, std::less<>> Gguf::add(std::unique_ptr<StoredFile> file, const Progress& progress) {
    Walk walk(*file, progress);
    char magic[4] = {};
    if (file->size() < 24) walk.fail("only " + std::to_string(file->size()) + " bytes long, a GGUF file has at least 24");
    walk.bytes(magic, 4, "its first bytes");
    if (std::memcmp(magic, "GGUF", 4) != 0) {
        if (std::memcmp(magic, "vers", 4) == 0) throw lfs_pointer(file->name());
        walk.fail("is no GGUF file (it does not begin with GGUF)",
                  "Old GGML files must be converted first; a folder of safetensors is given as the folder.");
    }
    const auto version = walk.number<std::uint32_t>("its version");
    if (version == 0x02000000 || version == 0x03000000)
        walk.fail("is a GGUF file for big-endian machines", "Convert it: gguf-py has a script gguf_convert_endian.");
    if (version != 2 && version != 3)
        walk.fail("is of GGUF version " + std::to_string(version) + "; 2 and 3 are supported", "Convert it with a current llama.cpp.");
    const auto tensors = walk.number<std::uint64_t>("its counts"), values = walk.number<std::uint64_t>("its counts");
    constexpr std::uint64_t kLeastTensor = 8 + 1 + 4 + 8 + 4 + 8, kLeastValue = 8 + 4 + 1;
    if (tensors > file->size() / kLeastTensor || values > file->size() / kLeastValue)
        walk.fail("claims " + std::to_string(tensors) + " tensors and " + std::to_string(values) + " values of metadata, more than its " +
                  std::to_string(file->size()) + " bytes can hold");
    auto metadata = read_metadata(walk, values);

    StoredTensors found;
    for (std::uint64_t i = 0; i < tensors; ++i) {
        std::string name = walk.string("the names of its tensors");
        if (name.empty() || !is_valid_utf8(name)) walk.fail("the name of a tensor is no text");
        StoredTensor tensor = read_tensor(walk, name);
        tensor.file = static_cast<int>(files_.size());
        const auto [place, added] = found.emplace(std::move(name), std::move(tensor));
        if (!added) walk.fail("tensor " + place->first + " is there twice");
    }
    std::size_t alignment = 32;
    if (const auto given = metadata.find("general.alignment"); given != metadata.end()) {
        const auto* size = std::get_if<std::int64_t>(&given->second);
        if (size == nullptr || *size < 1 || *size > (1 << 20) || !std::has_single_bit(static_cast<std::uint64_t>(*size)))
            walk.fail("general.alignment is no power of two up to 2^20");
        alignment = static_cast<std::size_t>(*size);
    }
    const std::size_t data = (walk.at() + alignment - 1) / alignment * alignment;
    for (auto& [name, tensor] : found) {
        if (tensor.begin % alignment != 0)
            walk.fail("tensor " + name + " begins at " + std::to_string(tensor.begin) + ", no multiple of " + std::to_string(alignment));
        if (data > file->size() || tensor.begin > file->size() - data || tensor.bytes > file->size() - data - tensor.begin)
            walk.fail("tensor " + name + " lies outside the file (" + std::to_string(tensor.bytes) + " bytes from byte " +
                      std::to_string(tensor.begin) + " of the data on; the file has " + std::to_string(file->size()) + ")");
        tensor.begin += data;
    }
    std::vector<const StoredTensors::value_type*> order;
    for (const auto& item : found) order.push_back(&item);
    std::ranges::sort(order, {}, [](const auto* item) { return item->second.begin; });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i]->second.begin < order[i - 1]->second.begin + order[i - 1]->second.bytes)
            walk.fail("tensors " + order[i - 1]->first + " and " + order[i]->first + " overlap");
    for (auto& [name, tensor] : found)
        if (!tensors_.emplace(name, std::move(tensor)).second)
            walk.fail("tensor " + name + " is also in another part", "The parts are of different files: download all of them again.");
    files_.push_back(std::move(file));
    return metadata;
}

Gguf Gguf::parse(std::vector<std::byte> image, const std::string& name, const Progress& progress) {
    Gguf result;
    result.metadata_ = result.add(std::make_unique<StoredFile>(std::move(image), name), progress);
    return result;
}

Gguf Gguf::open(const std::filesystem::path& path, const Progress& progress) {
    const auto part = [](const std::filesystem::path& file) { return std::make_unique<StoredFile>(file, "a GGUF file"); };
    const std::optional<PartName> split = part_name(path.filename().string());
    const auto first = split ? path.parent_path() / part_file(*split, 1) : path;
    std::error_code failure;
    const auto missing = [&](std::int64_t number) {
        const std::string name = part_file(*split, number);
        return Error(short_name(path.parent_path() / name) + ": this part of the model is missing",
                     "All " + std::to_string(split->parts) + " parts must lie in one folder, under the names they were made with.");
    };
    if (split && !std::filesystem::exists(first, failure)) throw missing(1);
    Gguf result;
    result.metadata_ = result.add(part(first), progress);
    const std::int64_t parts = result.integer("split.count", 0, kMostParts).value_or(0);
    if (parts <= 1) return result;
    if (!split || split->parts != parts)
        result.fail("split.count", "is " + std::to_string(parts) +
                                       ", and the name of the file does not say which part it is: NAME-00001-of-0000" +
                                       std::to_string(parts) + ".gguf is expected");
    for (std::int64_t number = 2; number <= parts; ++number) {
        const auto file = path.parent_path() / part_file(*split, number);
        if (!std::filesystem::exists(file, failure)) throw missing(number);
        const auto metadata = result.add(part(file), progress);
        const auto place = metadata.find("split.no");
        const auto* stored = place == metadata.end() ? nullptr : std::get_if<std::int64_t>(&place->second);
        if (stored != nullptr && *stored != number - 1)
            throw Error(short_name(file) + ": says that it is part " + std::to_string(*stored + 1),
                        "The parts were renamed: download all of them again.");
    }
    const auto tensors = result.integer("split.tensors.count", 0, std::numeric_limits<std::int64_t>::max());
    if (tensors && *tensors != static_cast<std::int64_t>(result.tensors_.size()))
        result.fail("split.tensors.count",
                    "is " + std::to_string(*tensors) + ", but the parts hold " + std::to_string(result.tensors_.size()) + " tensors");
    return result;
}

const GgufValue* Gguf::value(std::string_view key) const {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? nullptr : &found->second;
}

void Gguf::fail(std::string_view key, const std::string& what) const {
    throw Error(name() + ": " + std::string(key) + " " + what,
                "Is this a GGUF file of a language model? Download it again, or make it anew.");
}

std::optional<std::string> Gguf::text(std::string_view key) const {
    const GgufValue* found = value(key);
    if (found == nullptr) return {};
    if (const auto* is = std::get_if<std::string>(found)) return *is;
    fail(key, "is no text");
}

std::optional<std::int64_t> Gguf::integer(std::string_view key, std::int64_t low, std::int64_t high) const {
    const GgufValue* found = value(key);
    if (found == nullptr) return {};
    const auto* is = std::get_if<std::int64_t>(found);
    if (is == nullptr || *is < low || *is > high)
        fail(key, "is " + (is != nullptr ? std::to_string(*is) : std::string("no such number")) + ", expected an integer from " +
                      std::to_string(low) + " to " + std::to_string(high));
    return *is;
}

std::optional<double> Gguf::number(std::string_view key, double low, double high) const {
    const GgufValue* found = value(key);
    if (found == nullptr) return {};
    const auto* real = std::get_if<double>(found);
    const auto* whole = std::get_if<std::int64_t>(found);
    const double is = real != nullptr ? *real : whole != nullptr ? static_cast<double>(*whole) : std::numeric_limits<double>::quiet_NaN();
    if (!(is >= low && is <= high)) fail(key, "makes no sense there");
    return is;
}

std::optional<bool> Gguf::flag(std::string_view key) const {
    const GgufValue* found = value(key);
    if (found == nullptr) return {};
    if (const auto* is = std::get_if<bool>(found)) return *is;
    fail(key, "is neither true nor false");
}

std::optional<std::vector<std::string>> Gguf::take_texts(std::string_view key) {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) return {};
    auto* is = std::get_if<std::vector<std::string>>(&found->second);
    if (is == nullptr) fail(key, "is no list of texts");
    return std::exchange(*is, {});
}

std::optional<std::vector<std::int64_t>> Gguf::integers(std::string_view key, std::int64_t low, std::int64_t high) const {
    const GgufValue* found = value(key);
    if (found == nullptr) return {};
    const auto* list = std::get_if<GgufNumbers>(found);
    const auto* whole = list != nullptr ? std::get_if<std::vector<std::int64_t>>(list) : nullptr;
    if (whole == nullptr) fail(key, "is no list of integers");
    for (const std::int64_t one : *whole)
        if (one < low || one > high)
            fail(key, "has the entry " + std::to_string(one) + ", expected integers from " + std::to_string(low) + " to " +
                          std::to_string(high));
    return *whole;
}

std::optional<std::vector<double>> Gguf::numbers(std::string_view key) const {
    const GgufValue* found = value(key);
    if (found == nullptr) return {};
    const auto* list = std::get_if<GgufNumbers>(found);
    if (list == nullptr) fail(key, "is no list of numbers");
    if (const auto* real = std::get_if<std::vector<double>>(list)) return *real;
    const auto& whole = std::get<std::vector<std::int64_t>>(*list);
    return std::vector<double>(whole.begin(), whole.end());
}

void Gguf::read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const {
    CHECK(first <= tensor.bytes && to.size() <= tensor.bytes - first, "a read outside the tensor");
    files_[static_cast<std::size_t>(tensor.file)]->read(tensor.begin + first, to);
}

const std::string& Gguf::file_name(const StoredTensor& tensor) const { return files_[static_cast<std::size_t>(tensor.file)]->name(); }

bool looks_like_gguf(const std::filesystem::path& path) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) return false;
    char magic[4] = {};
    std::ifstream in(path, std::ios::binary);
    return in.read(magic, 4) && std::memcmp(magic, "GGUF", 4) == 0;
}

} // namespace speclens
