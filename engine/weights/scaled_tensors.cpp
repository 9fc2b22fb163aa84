#include "engine/weights/scaled_tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "kernels/bf16.h"
#include "kernels/error.h"
#include "kernels/quant.h"

namespace speclens {
namespace {

constexpr const char *kScaleSuffix = "_scale", *kColumnSuffix = "_column_scale";
constexpr int kZero = 128;
constexpr std::size_t kBlockValues = 32, kBlockBytes = 34; // of Q8_0: a scale in f16, then a signed byte each

// One finite number for each row (dimension 0) or column (1) of a matrix of bytes; empty: the file has none. Throws Error for anything
// else.
std::vector<float> scales_of(const TensorFiles& file, const std::string& name, const StoredTensor& bytes, std::size_t dimension) {
    const std::string scales = name + (dimension == 0 ? kScaleSuffix : kColumnSuffix);
    const auto refuse = [&](const StoredTensor& where, const std::string& what) {
        throw Error(file.file_name(where) + ": " + what, "A matrix NAME (rows, cols) in U8 needs NAME_scale in F32, one number for each "
                                                         "row, and may have NAME_column_scale, one for each column: see "
                                                         "engine/drafters/README.md.");
    };
    const StoredTensor* stored = file.find(scales);
    if (stored == nullptr) {
        if (dimension == 0) refuse(bytes, name + " is stored as u8, and there is no " + scales);
        return {};
    }
    const std::vector<std::int64_t> shape{bytes.shape[dimension]};
    if (stored->dtype != DType::f32 || stored->shape != shape)
        refuse(*stored, scales + " is " + name_of(stored->dtype) + " of shape " + shape_text(stored->shape) + ", expected f32 of shape " +
                            shape_text(shape));
    std::vector<float> values(static_cast<std::size_t>(shape[0]));
    file.read(*stored, 0, std::as_writable_bytes(std::span(values)));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i])) refuse(*stored, scales + "[" + std::to_string(i) + "] is no finite number");
    return values;
}

// Lists of bytes are something else: marks of ids.
bool is_bytes(const StoredTensor& stored) { return stored.dtype == DType::u8 && stored.shape.size() == 2 && stored.shape[1] > 1; }

bool is_scale(const TensorFiles& file, const std::string& name) {
    return std::ranges::any_of(std::array<std::string_view, 2>{kScaleSuffix, kColumnSuffix}, [&](std::string_view suffix) {
        const StoredTensor* matrix = name.ends_with(suffix) ? file.find(name.substr(0, name.size() - suffix.size())) : nullptr;
        return matrix != nullptr && is_bytes(*matrix);
    });
}

// As f16 a scale is off by one part in 512 at most; below 2^-14 its steps grow.
bool fits_f16(float scale) { return scale == 0 || (std::fabs(scale) >= 0x1p-16f && std::fabs(scale) <= 65504); }

} // namespace

ScaledTensors::ScaledTensors(const TensorFiles& file, const std::function<bool(const std::string& name, std::int64_t cols)>& kept)
    : file_(file) {
    for (const auto& [name, stored] : file.tensors()) {
        if (is_scale(file, name)) continue;
        StoredTensor tensor = stored;
        tensor.begin = items_.size();
        Item item{&stored, {}, {}};
        if (is_bytes(stored)) {
            item.scale = scales_of(file, name, stored, 0);
            item.column = scales_of(file, name, stored, 1);
            const std::int64_t cols = stored.shape[1];
            const bool blocks = kept && item.column.empty() && cols % block_of(DType::q8_0).values == 0 && kept(name, cols) &&
                                std::ranges::all_of(item.scale, fits_f16);
            tensor.dtype = blocks ? DType::q8_0 : DType::bf16;
            tensor.bytes = bytes_of(tensor.dtype, static_cast<std::int64_t>(stored.bytes));
        }
        items_.push_back(std::move(item));
        tensors_.emplace(name, std::move(tensor));
    }
}

void ScaledTensors::read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const {
    const Item& item = items_[tensor.begin];
    if (item.scale.empty()) return file_.read(*item.stored, first, to);
    const auto cols = static_cast<std::size_t>(tensor.shape[1]);
    if (tensor.dtype == DType::q8_0) {
        CHECK(first % kBlockBytes == 0 && to.size() % kBlockBytes == 0, "part of a block");
        const std::size_t block = first / kBlockBytes, blocks = to.size() / kBlockBytes;
        std::vector<std::uint8_t> stored(blocks * kBlockValues);
        file_.read(*item.stored, block * kBlockValues, std::as_writable_bytes(std::span(stored)));
        for (std::size_t i = 0; i < blocks; ++i) {
            std::byte* const out = to.data() + i * kBlockBytes;
            const std::uint16_t scale = narrow_f16(item.scale[(block + i) * kBlockValues / cols]);
            std::memcpy(out, &scale, 2);
            for (std::size_t j = 0; j < kBlockValues; ++j) out[2 + j] = static_cast<std::byte>(stored[i * kBlockValues + j] - kZero);
        }
        return;
    }
    CHECK(first % 2 == 0 && to.size() % 2 == 0, "half a value");
    std::vector<std::uint8_t> stored(to.size() / 2);
    file_.read(*item.stored, first / 2, std::as_writable_bytes(std::span(stored)));
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::size_t at = first / 2 + i;
        const float scale = item.scale[at / cols] * (item.column.empty() ? 1 : item.column[at % cols]);
        const std::uint16_t value = narrow_bf16(static_cast<float>(stored[i] - kZero) * scale);
        std::memcpy(to.data() + 2 * i, &value, 2);
    }
}

const std::string& ScaledTensors::file_name(const StoredTensor& tensor) const { return file_.file_name(*items_[tensor.begin].stored); }

} // namespace speclens
