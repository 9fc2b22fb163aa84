// Loading a Hugging Face folder: config, tokenizer, weights. All shapes are compared before the first byte is
// imported, so that a wrong folder fails in milliseconds and not after a gigabyte.
#include "engine/model.h"

#include <algorithm>
#include <set>

#include "engine/json_read.h"
#include "engine/model_memory.h"
#include "engine/model_parts.h"
#include "engine/safetensors.h"
#include "engine/tokenizer.h"
#include "engine/weight_import.h"

namespace speclens {
namespace {

constexpr std::size_t kPieceBytes = 8'000'000; // between two looks at the cancel flag: 80 ms at 100 MB/s

bool is_weight(DType dtype) {
    return dtype == DType::bf16 || dtype == DType::f16 || dtype == DType::f32;
}

// Bytes on the device: f16 is widened to f32 by Backend::import_weight.
std::size_t imported_bytes(const StoredTensor& tensor) {
    return tensor.dtype == DType::f16 ? 2 * tensor.bytes : tensor.bytes;
}

// Tensors of an export that carry nothing the engine needs (formats §9.6).
bool ignorable(std::string_view name, const ModelConfig& config) {
    return name.ends_with(".inv_freq") || name == "t2d" || (config.tied && name == "lm_head.weight");
}

const StoredTensor& check_slot(const Safetensors& file, const Slot& slot) {
    const StoredTensor* tensor = file.find(slot.name);
    if (tensor == nullptr)
        throw Error("model.safetensors: tensor " + slot.name + " is missing",
                    "Is this the right config.json? Or download the weights again.");
    if (!is_weight(tensor->dtype))
        throw Error(file.file_name(*tensor) + ": " + slot.name + " is stored as " + name_of(tensor->dtype),
                    "Weights must be bf16, f16 or f32: use an unquantised checkpoint.");
    const std::vector<std::int64_t> expected =
        slot.vector ? std::vector<std::int64_t>{slot.cols} : std::vector<std::int64_t>{slot.rows, slot.cols};
    if (tensor->shape != expected)
        throw Error(file.file_name(*tensor) + ": " + slot.name + " has shape " + shape_text(tensor->shape) +
                        ", expected " + shape_text(expected),
                    "Is this the right config.json?");
    return *tensor;
}

void refuse_unknown(const Safetensors& file, const std::vector<Slot>& slots, const ModelConfig& config) {
    std::set<std::string_view> known;
    for (const Slot& slot : slots) known.insert(slot.name);
    for (const auto& [name, tensor] : file.tensors())
        if (!known.contains(name) && !ignorable(name, config))
            throw Error(
                file.file_name(tensor) + ": unknown tensor " + name,
                "It belongs to another architecture than config.json names; the result would be wrong.");
}

// Reads piece by piece, so that a slow disk neither hides progress nor delays a cancel.
WeightImport::Fill reader(const Safetensors& file, const StoredTensor& tensor, const Progress& progress,
                          const std::function<void(std::size_t)>& done) {
    return [&file, &tensor, &progress, done](std::size_t first, std::span<std::byte> to) {
        for (std::size_t at = 0; at < to.size(); at += kPieceBytes) {
            check_cancelled(progress);
            const std::size_t bytes = std::min(kPieceBytes, to.size() - at);
            file.read(tensor, first + at, to.subspan(at, bytes));
            done(first + at + bytes);
        }
    };
}

} // namespace

std::shared_ptr<const Model> Model::load(Backend& backend, const std::filesystem::path& folder,
                                         const Progress& progress) {
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure))
        throw Error(folder.filename().string() + " is not a folder",
                    "Give a Hugging Face folder with config.json, model.safetensors and tokenizer.json.");
    auto model = std::make_shared<Model>();
    model->backend = &backend;
    model->name = std::filesystem::weakly_canonical(folder, failure).filename().string();
    model->config = read_config(folder);
    check_cancelled(progress);
    if (std::filesystem::exists(folder / "tokenizer.json", failure))
        model->tokenizer = Tokenizer::load(folder / "tokenizer.json");
    if (model->tokenizer && model->tokenizer->size() > model->config.vocab)
        throw Error(short_name(folder / "tokenizer.json") + ": has " +
                        std::to_string(model->tokenizer->size()) + " ids, config.json only " +
                        std::to_string(model->config.vocab) + " (vocab_size)",
                    "The files are from different models: download the folder again.");

    const Safetensors file = Safetensors::open_folder(folder);
    const std::vector<Slot> slots = model_slots(*model);
    std::vector<const StoredTensor*> stored;
    std::size_t total = 0, on_device = 0;
    for (const Slot& slot : slots) {
        stored.push_back(&check_slot(file, slot));
        total += stored.back()->bytes;
        on_device += imported_bytes(*stored.back());
    }
    refuse_unknown(file, slots, model->config);
    check_memory(model->name, loading_memory(model->config, backend, on_device), backend.free_memory());

    std::size_t before = 0;
    WeightImport importer(backend, progress);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto read = reader(file, *stored[i], progress, [&](std::size_t done) {
            report_megabytes(progress, model->name, before + done, total);
        });
        importer.slot(*model, slots[i], stored[i]->dtype, read);
        before += stored[i]->bytes;
    }
    model->cos_sin = make_cos_sin(backend, model->config);
    model->memory_bytes += model->cos_sin.bytes();
    backend.sync();
    return model;
}

} // namespace speclens
