#include "engine/weights/safetensors_write.h"

#include <algorithm>

#include "engine/base/json.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace {

const char* spelling(DType dtype) {
    switch (dtype) {
    case DType::f32: return "F32";
    case DType::f16: return "F16";
    case DType::bf16: return "BF16";
    case DType::i64: return "I64";
    case DType::i32: return "I32";
    case DType::u8: return "U8";
    case DType::boolean: return "BOOL";
    default: CHECK(false, "no type of a safetensors file"); return "";
    }
}

std::size_t size_of(const TensorToWrite& tensor) {
    std::int64_t values = 1;
    for (const std::int64_t length : tensor.shape) values *= length;
    return bytes_of(tensor.dtype, values);
}

} // namespace

void write_safetensors(const std::filesystem::path& file, std::vector<TensorToWrite> tensors) {
    std::ranges::stable_sort(tensors, std::ranges::greater{}, [](const TensorToWrite& tensor) { return bytes_of(tensor.dtype); });
    OrderedJson header = {{"__metadata__", {{"format", "pt"}}}};
    std::size_t at = 0;
    for (const TensorToWrite& tensor : tensors) {
        const std::size_t end = at + size_of(tensor);
        header[tensor.name] = {{"dtype", spelling(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
        at = end;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const auto length = static_cast<std::uint64_t>(text.size());
    AtomicFile out(file);
    out.write({reinterpret_cast<const char*>(&length), sizeof length});
    out.write(text);
    for (const TensorToWrite& tensor : tensors) {
        const std::vector<std::byte> bytes = tensor.bytes();
        CHECK(bytes.size() == size_of(tensor), "a tensor of another size than its shape");
        out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    out.commit();
}

} // namespace speclens
