#include "engine/model/weight_files.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/model/weight_import.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

bool is_weight(DType dtype, bool vector) {
    return dtype == DType::bf16 || dtype == DType::f16 || dtype == DType::f32 || (is_quantised(dtype) && !vector);
}

const StoredTensor& check_slot(const TensorFiles& file, const WeightSlot& slot) {
    const StoredTensor* tensor = file.find(slot.name);
    if (tensor == nullptr)
        throw Error(file.name() + ": tensor " + slot.name + " is missing" + (slot.absent ? std::string(", ") + slot.absent : ""),
                    slot.absent_remedy ? slot.absent_remedy : "Is this the right config.json? Or download the weights again.");
    if (!is_weight(tensor->dtype, slot.vector))
        throw Error(file.file_name(*tensor) + ": " + slot.name + " is stored as " + name_of(tensor->dtype),
                    "Weights must be bf16, f16 or f32: use an unquantised checkpoint.");
    const std::int64_t cols = slot.stored_cols > 0 ? slot.stored_cols : slot.cols;
    const std::vector<std::int64_t> expected = !slot.shape.empty() ? slot.shape
                                               : slot.vector       ? std::vector<std::int64_t>{cols}
                                                                   : std::vector<std::int64_t>{slot.rows, cols};
    if (tensor->shape != expected)
        throw Error(file.file_name(*tensor) + ": " + slot.name + " has shape " + shape_text(tensor->shape) + ", expected " +
                        shape_text(expected),
                    "Is this the right config.json?");
    return *tensor;
}

// gate_proj and up_proj are multiplied side by side: both bf16, or neither.
void check_pairs(const TensorFiles& file, const std::vector<WeightSlot>& slots, const std::vector<const StoredTensor*>& stored) {
    const std::string gate = "gate_proj.weight", up = "up_proj.weight";
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (!slots[i].name.ends_with(gate)) continue;
        const std::string other = slots[i].name.substr(0, slots[i].name.size() - gate.size()) + up;
        const auto found = std::ranges::find(slots, other, &WeightSlot::name);
        if (found == slots.end()) continue;
        const DType a = stored[i]->dtype, b = stored[static_cast<std::size_t>(found - slots.begin())]->dtype;
        if ((a == DType::bf16) != (b == DType::bf16) && !is_quantised(a) && !is_quantised(b))
            throw Error(file.file_name(*stored[i]) + ": " + slots[i].name + " is stored as " + name_of(a) + " and " + other + " as " +
                            name_of(b),
                        "Store both alike, for example with model.to(torch.bfloat16).save_pretrained(...).");
    }
}

// Bytes of the part of the tensor that `slot` takes.
std::size_t part_bytes(const WeightSlot& slot, const StoredTensor& tensor) { return bytes_of(tensor.dtype, slot.rows * slot.cols); }

// Reads some of the columns of a matrix: whole rows from the file, the wanted part of each kept.
void read_columns(const TensorFiles& file, const StoredTensor& tensor, const WeightSlot& slot, std::size_t first, std::span<std::byte> to) {
    CHECK(!is_quantised(tensor.dtype), "columns of a quantised matrix");
    const std::size_t width = bytes_of(tensor.dtype);
    const std::size_t part = static_cast<std::size_t>(slot.cols) * width;
    const std::size_t whole = static_cast<std::size_t>(slot.stored_cols) * width;
    const std::size_t skip = static_cast<std::size_t>(slot.first_col) * width;
    CHECK(first % part == 0 && to.size() % part == 0, "a piece of a matrix is not made of whole rows");
    std::vector<std::byte> rows(to.size() / part * whole);
    file.read(tensor, first / part * whole, rows);
    for (std::size_t row = 0; row < to.size() / part; ++row) std::memcpy(to.data() + row * part, rows.data() + row * whole + skip, part);
}

} // namespace

StoredWeights::StoredWeights(const TensorFiles& file, std::vector<WeightSlot> slots, const std::function<bool(std::string_view)>& ignorable)
    : file_(file), slots_(std::move(slots)) {
    std::set<std::string_view> known;
    for (const WeightSlot& slot : slots_) {
        stored_.push_back(&check_slot(file, slot));
        known.insert(slot.name);
    }
    check_pairs(file, slots_, stored_);
    for (const auto& [name, tensor] : file.tensors())
        if (!known.contains(name) && !ignorable(name))
            throw Error(file.file_name(tensor) + ": unknown tensor " + name,
                        "It belongs to another architecture than config.json names; the result would be wrong.");
}

// f16 is widened to f32 by Backend::import_weight.
std::size_t StoredWeights::bytes_on_device() const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) bytes += part_bytes(slots_[i], *stored_[i]) * (stored_[i]->dtype == DType::f16 ? 2 : 1);
    return bytes;
}

void StoredWeights::import_into(Backend& backend, const std::string& what, const Progress& progress, WeightBytes& bytes,
                                Precision precision) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) total += part_bytes(slots_[i], *stored_[i]);
    WeightImport importer(backend, progress, precision);
    importer.tell(what, total);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const WeightSlot& slot = slots_[i];
        const StoredTensor& tensor = *stored_[i];
        const auto fill = [&](std::size_t first, std::span<std::byte> to) {
            slot.stored_cols > 0 ? read_columns(file_, tensor, slot, first, to) : file_.read(tensor, first, to);
        };
        importer.slot(slot, tensor.dtype, fill, bytes);
    }
}

} // namespace speclens
