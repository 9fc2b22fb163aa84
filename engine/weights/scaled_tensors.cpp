#include "engine/weights/scaled_tensors.h"

#include <cmath>
#include <cstring>

#include "kernels/bf16.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr const char* kScaleSuffix = "_scale";
constexpr int kZero = 128;

// The scales of a matrix of bytes. Throws Error where they are missing, or no finite number for each row.
std::vector<float> scales_of(const TensorFiles& file, const std::string& name, const StoredTensor& bytes) {
    const std::string scales = name + kScaleSuffix;
    const auto refuse = [&](const StoredTensor& where, const std::string& what) {
        throw Error(file.file_name(where) + ": " + what,
                    "A matrix NAME (rows, cols) in U8 needs NAME_scale in F32, one number for each row: see engine/drafters/README.md.");
    };
    const StoredTensor* stored = file.find(scales);
    if (stored == nullptr) refuse(bytes, name + " is stored as u8, and there is no " + scales);
    if (stored->dtype != DType::f32 || stored->shape != std::vector<std::int64_t>{bytes.shape[0]})
        refuse(*stored, scales + " is " + name_of(stored->dtype) + " of shape " + shape_text(stored->shape) + ", expected f32 of shape " +
                            shape_text({bytes.shape[0]}));
    std::vector<float> values(static_cast<std::size_t>(bytes.shape[0]));
    file.read(*stored, 0, std::as_writable_bytes(std::span(values)));
    for (std::size_t row = 0; row < values.size(); ++row)
        if (!std::isfinite(values[row])) refuse(*stored, scales + "[" + std::to_string(row) + "] is no finite number");
    return values;
}

// Lists of bytes are something else: marks of ids.
bool is_bytes(const StoredTensor& stored) { return stored.dtype == DType::u8 && stored.shape.size() == 2 && stored.shape[1] > 1; }

bool is_scale(const TensorFiles& file, const std::string& name) {
    const std::string suffix = kScaleSuffix;
    if (!name.ends_with(suffix)) return false;
    const StoredTensor* matrix = file.find(name.substr(0, name.size() - suffix.size()));
    return matrix != nullptr && is_bytes(*matrix);
}

} // namespace

ScaledTensors::ScaledTensors(const TensorFiles& file) : file_(file) {
    for (const auto& [name, stored] : file.tensors()) {
        if (is_scale(file, name)) continue;
        StoredTensor tensor = stored;
        tensor.begin = items_.size();
        Item item{&stored, {}};
        if (is_bytes(stored)) {
            item.scale = scales_of(file, name, stored);
            tensor.dtype = DType::bf16;
            tensor.bytes = bytes_of(DType::bf16, static_cast<std::int64_t>(stored.bytes));
        }
        items_.push_back(std::move(item));
        tensors_.emplace(name, std::move(tensor));
    }
}

void ScaledTensors::read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const {
    const Item& item = items_[tensor.begin];
    if (item.scale.empty()) return file_.read(*item.stored, first, to);
    CHECK(first % 2 == 0 && to.size() % 2 == 0, "half a value");
    std::vector<std::uint8_t> stored(to.size() / 2);
    file_.read(*item.stored, first / 2, std::as_writable_bytes(std::span(stored)));
    const auto cols = static_cast<std::size_t>(tensor.shape[1]);
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const float scale = item.scale[(first / 2 + i) / cols];
        const std::uint16_t value = narrow_bf16(static_cast<float>(stored[i] - kZero) * scale);
        std::memcpy(to.data() + 2 * i, &value, 2);
    }
}

const std::string& ScaledTensors::file_name(const StoredTensor& tensor) const { return file_.file_name(*items_[tensor.begin].stored); }

} // namespace speclens
