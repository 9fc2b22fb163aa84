// What model.cpp (files) and model_random.cpp (made-up weights) share: the list of matrices with their names
// and shapes, the rotary table, the accounting. Internal to the engine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.h"
#include "engine/weights/tensor_files.h"

namespace speclens {

// Relations between fields that both a file and a geometry must satisfy. Throws Error naming `file`.
void check_config(const ModelConfig& config, const std::string& file);

// One matrix of the checkpoint and where it goes.
struct WeightSlot {
    std::string name;  // "model.layers.3.self_attn.q_proj.weight"
    std::int64_t rows; // 1 for vectors
    std::int64_t cols;
    bool vector;         // stored with one dimension
    bool read_per_token; // counts for WeightBytes::per_token (the embedding of an untied model does not)
    Buffer* to;
    // Columns first_col … of a stored matrix that has stored_cols; 0: the whole matrix.
    std::int64_t first_col = 0;
    std::int64_t stored_cols = 0;
    // What it means that the file has no such tensor, behind "… is missing", and what to try; null: nothing
    // special.
    const char* absent = nullptr;
    const char* absent_remedy = nullptr;
    std::vector<std::int64_t> shape = {}; // as it is stored, where that is neither (cols) nor (rows, cols)
};
// The matrices and norms of one decoder layer, named PREFIXinput_layernorm.weight … `input` is the width of
// what q, k and v are made from.
void layer_slots(const ModelConfig& config, const std::string& prefix, std::int64_t input, LayerWeights& to,
                 std::vector<WeightSlot>& slots);
// Every tensor of the architecture, in file order of a Hugging Face export. Sizes model.layer.
[[nodiscard]] std::vector<WeightSlot> model_slots(Model& model);

// Tensors of a head for several next tokens (MTP) that checkpoints carry along: mtp.*, or layers behind the
// last one where config.json counts some there. The model does not use them, the drafter mtp may.
[[nodiscard]] bool is_mtp_tensor(std::string_view name, const ModelConfig& config);
// What becomes of such a head, named by config.json or by its tensors: "model.safetensors: has an MTP head
// …"; empty: there is none.
[[nodiscard]] std::string mtp_notice(const TensorFiles& file, const ModelConfig& config);

// Made-up weights for every slot: uniform with standard deviation 0.02, norms 1, biases 0; a pure function of
// (seed, slot, index). Matrices as Model::random has them. Throws Cancelled.
void import_random(Backend& backend, const std::vector<WeightSlot>& slots, const std::string& what, std::uint64_t seed,
                   const Progress& progress, WeightBytes& bytes, Precision precision, DType form = DType::bf16);
// What the slots of a bf16 checkpoint take on a backend: vectors become f32.
[[nodiscard]] std::size_t bf16_bytes(std::span<const WeightSlot> slots);

// (ModelConfig::context(), d) f32: cos of the d/2 angles, then their sines.
[[nodiscard]] Buffer make_cos_sin(Backend& backend, const ModelConfig& config);
// What it holds. Throws Cancelled.
[[nodiscard]] std::vector<float> cos_sin_table(const ModelConfig& config, const Progress& progress = {});
[[nodiscard]] std::size_t cos_sin_bytes(const ModelConfig& config);
// Progress of a job of `total` bytes, in MB (1e6).
void report_megabytes(const Progress& progress, const std::string& what, std::size_t done, std::size_t total);

} // namespace speclens
