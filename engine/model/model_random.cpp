// A model of a given shape with made-up weights: everything about its speed is right, nothing about its text.
// Matrix entries are uniform with standard deviation 0.02, a pure function of (seed, tensor, index).
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/model/prompt_cache.h"
#include "engine/model/weight_import.h"
#include "kernels/bf16.h"

namespace speclens {
namespace {

constexpr double kScale = 0.02;
constexpr std::size_t kPiece = 1 << 22; // numbers between two looks at the cancel flag: about 15 ms

// SplitMix64 (Steele et al. 2014) as a hash of a counter: one multiply-xor chain gives eight bytes.
std::uint64_t hash(std::uint64_t counter) {
    std::uint64_t z = counter * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// 256 equally likely values with mean 0 and standard deviation kScale: a table makes the fill cheap, and a
// matrix product cannot tell.
std::vector<std::uint16_t> levels() {
    std::vector<std::uint16_t> table(256);
    const double width = kScale * std::sqrt(12.0);
    for (int i = 0; i < 256; ++i)
        table[static_cast<std::size_t>(i)] = narrow_bf16(static_cast<float>(((i + 0.5) / 256 - 0.5) * width));
    return table;
}

} // namespace

std::size_t bf16_bytes(std::span<const Slot> slots) {
    std::size_t total = 0;
    for (const Slot& slot : slots)
        total += static_cast<std::size_t>(slot.rows * slot.cols) *
                 (slot.vector ? sizeof(float) : sizeof(std::uint16_t));
    return total;
}

void import_random(Backend& backend, const std::vector<Slot>& slots, const std::string& what,
                   std::uint64_t seed, const Progress& progress, WeightBytes& bytes) {
    const std::vector<std::uint16_t> level = levels();
    const std::uint16_t one = narrow_bf16(1), zero = 0;
    const std::size_t total = bf16_bytes(slots);
    std::size_t done = 0;
    WeightImport importer(backend, progress);
    for (std::size_t tensor = 0; tensor < slots.size(); ++tensor) {
        const Slot& slot = slots[tensor];
        const std::uint64_t stream = hash(hash(seed + 1) ^ tensor);
        const std::uint16_t constant = slot.name.ends_with("bias") ? zero : one;
        const auto fill = [&](std::size_t first, std::span<std::byte> to) {
            const std::size_t begin = first / sizeof(std::uint16_t),
                              count = to.size() / sizeof(std::uint16_t);
            auto* host = reinterpret_cast<std::uint16_t*>(to.data());
            if (slot.vector) std::fill_n(host, count, constant);
            std::uint64_t numbers = 0;
            for (std::size_t piece = 0; !slot.vector && piece < count; piece += kPiece) {
                check_cancelled(progress);
                const std::size_t end = std::min(count, piece + kPiece);
                for (std::size_t i = piece; i < end; ++i) {
                    if (i == 0 || (begin + i) % 8 == 0)
                        numbers = hash(stream + (begin + i) / 8) >> (begin + i) % 8 * 8;
                    host[i] = level[numbers & 0xFF];
                    numbers >>= 8;
                }
                report_megabytes(progress, what, done + 2 * (begin + end), total);
            }
        };
        importer.slot(slot, DType::bf16, fill, bytes);
        done += bf16_bytes({&slot, 1});
    }
}

std::size_t Model::weight_bytes(const ModelConfig& config) {
    Model shape;
    shape.config = config;
    return bf16_bytes(model_slots(shape)) + cos_sin_bytes(config);
}

std::shared_ptr<const Model> Model::random(Backend& backend, const ModelConfig& config, std::string name,
                                           std::uint64_t seed, const Progress& progress) {
    check_config(config, name);
    auto model = std::make_shared<Model>();
    model->prompts = std::make_shared<PromptCache>();
    model->backend = &backend;
    model->name = std::move(name);
    model->config = config;
    const std::vector<Slot> slots = model_slots(*model);
    check_memory(model->name, loading_memory(config, backend, bf16_bytes(slots)), backend.free_memory());
    import_random(backend, slots, model->name, seed, progress, model->bytes);
    model->cos_sin = make_cos_sin(backend, config);
    model->bytes.add_table(model->cos_sin.bytes());
    backend.sync();
    return model;
}

} // namespace speclens
