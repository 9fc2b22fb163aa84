// A model of a given shape with made-up weights: everything about its speed is right, nothing about its text.
// Matrix entries are uniform with standard deviation 0.02, a pure function of (seed, tensor, index). Quantised blocks are
// made as they are stored: one scale for all, and random bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/model/prompt_cache.h"
#include "engine/model/weight_import.h"
#include "kernels/bf16.h"
#include "kernels/error.h"
#include "kernels/quant.h"

namespace speclens {
namespace {

constexpr double kScale = 0.02;

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
    for (int i = 0; i < 256; ++i) table[static_cast<std::size_t>(i)] = narrow_bf16(static_cast<float>(((i + 0.5) / 256 - 0.5) * width));
    return table;
}

// A random quantised block: scales first, the same in every block, then bits that are random throughout (quant.h).
struct RandomBlock {
    DType dtype;
    int steps;    // equally likely values of a number
    bool minimum; // behind the scale: chosen so that the mean is 0. Elsewhere it is half a step below
};
constexpr RandomBlock kBlocks[] = {{DType::q8_0, 256, false}, {DType::q5_0, 32, false}, {DType::q4_1, 16, true}, {DType::q4_0, 16, false}};

const RandomBlock* random_block(DType form) {
    const auto found = std::ranges::find(kBlocks, form, &RandomBlock::dtype);
    return found == std::end(kBlocks) ? nullptr : &*found;
}

// The scales that a block begins with, as they are stored: 2 bytes, or 4 with a minimum.
std::vector<std::byte> block_head(const RandomBlock& block) {
    const double scale = kScale * std::sqrt(12.0 / (block.steps * static_cast<double>(block.steps) - 1));
    std::vector<std::uint16_t> head = {narrow_f16(static_cast<float>(scale))};
    if (block.minimum) head.push_back(narrow_f16(static_cast<float>(-scale * (block.steps - 1) / 2)));
    std::vector<std::byte> bytes(2 * head.size());
    std::memcpy(bytes.data(), head.data(), bytes.size());
    return bytes;
}

// What a matrix of this many columns becomes.
DType form_here(const Backend& backend, DType form, std::int64_t cols) {
    return random_block(form) && backend.keeps(form, cols) ? form : DType::bf16;
}

std::size_t random_bytes(const Backend& backend, std::span<const WeightSlot> slots, DType form) {
    std::size_t total = 0;
    for (const WeightSlot& slot : slots) {
        const DType own = form_here(backend, form, slot.cols);
        // whole tiles, as the backend keeps them
        const std::int64_t rows = is_quantised(own) ? (slot.rows + kTiledRows - 1) / kTiledRows * kTiledRows : slot.rows;
        total += slot.vector ? static_cast<std::size_t>(slot.cols) * sizeof(float) : bytes_of(own, rows * slot.cols);
    }
    return total;
}

// Bytes from byte `first` of a stream of random bytes on; `first` and the size are multiples of 2.
void fill_bytes(std::uint64_t stream, std::size_t first, std::span<std::byte> to) {
    for (std::size_t i = 0; i < to.size();) {
        const std::size_t at = first + i, within = at % 8, count = std::min(8 - within, to.size() - i);
        const std::uint64_t bits = hash(stream + at / 8) >> within * 8;
        std::memcpy(to.data() + i, &bits, count);
        i += count;
    }
}

} // namespace

std::size_t bf16_bytes(std::span<const WeightSlot> slots) {
    std::size_t total = 0;
    for (const WeightSlot& slot : slots)
        total += static_cast<std::size_t>(slot.rows * slot.cols) * (slot.vector ? sizeof(float) : sizeof(std::uint16_t));
    return total;
}

void import_random(Backend& backend, const std::vector<WeightSlot>& slots, const std::string& what, std::uint64_t seed,
                   const Progress& progress, WeightBytes& bytes, Precision precision, DType form) {
    const std::vector<std::uint16_t> level = levels();
    const std::uint16_t one = narrow_bf16(1), zero = 0;
    std::size_t total = 0;
    for (const WeightSlot& slot : slots)
        total += bytes_of(slot.vector ? DType::bf16 : form_here(backend, form, slot.cols), slot.rows * slot.cols);
    WeightImport importer(backend, progress, precision);
    importer.tell(what, total);
    for (std::size_t tensor = 0; tensor < slots.size(); ++tensor) {
        const WeightSlot& slot = slots[tensor];
        const std::uint64_t stream = hash(hash(seed + 1) ^ tensor);
        const std::uint16_t constant = slot.name.ends_with("bias") ? zero : one;
        const auto fill = [&](std::size_t first, std::span<std::byte> to) {
            const std::size_t begin = first / sizeof(std::uint16_t), count = to.size() / sizeof(std::uint16_t);
            auto* host = reinterpret_cast<std::uint16_t*>(to.data());
            if (slot.vector) return std::fill(host, host + count, constant);
            std::uint64_t numbers = 0;
            for (std::size_t i = 0; i < count; ++i) {
                if (i == 0 || (begin + i) % 8 == 0) numbers = hash(stream + (begin + i) / 8) >> (begin + i) % 8 * 8;
                host[i] = level[numbers & 0xFF];
                numbers >>= 8;
            }
        };
        const DType own = slot.vector ? DType::bf16 : form_here(backend, form, slot.cols);
        const auto fill_blocks = [&](std::size_t first, std::span<std::byte> to) {
            const std::vector<std::byte> head = block_head(*random_block(own));
            const std::size_t block = block_of(own).bytes;
            for (std::size_t at = 0; at < to.size(); at += block) {
                fill_bytes(stream, first + at, to.subspan(at, block));
                std::ranges::copy(head, to.data() + at);
            }
        };
        if (is_quantised(own))
            importer.slot(slot, own, fill_blocks, bytes);
        else
            importer.slot(slot, DType::bf16, fill, bytes);
    }
}

std::size_t Model::weight_bytes(const ModelConfig& config) {
    Model shape;
    shape.config = config;
    return bf16_bytes(model_slots(shape)) + cos_sin_bytes(config);
}

std::shared_ptr<const Model> Model::random(Backend& backend, const ModelConfig& config, std::string name, std::uint64_t seed,
                                           const Progress& progress, DType form, Precision precision) {
    check_config(config, name);
    if (form != DType::bf16 && !random_block(form))
        throw Error(std::string("random weights cannot be made as ") + name_of(form), "Choose bf16, Q8_0, Q5_0, Q4_1 or Q4_0.",
                    Exit::usage);
    auto model = std::make_shared<Model>();
    model->prompts = std::make_shared<PromptCache>();
    model->backend = &backend;
    model->name = std::move(name);
    model->config = config;
    model->precision = precision;
    const std::vector<WeightSlot> slots = model_slots(*model);
    check_memory(model->name, loading_memory(config, backend, random_bytes(backend, slots, form)), backend.free_memory());
    import_random(backend, slots, model->name, seed, progress, model->bytes, precision, form);
    model->cos_sin = make_cos_sin(backend, config);
    model->bytes.add_table(model->cos_sin.bytes());
    backend.sync();
    return model;
}

} // namespace speclens
