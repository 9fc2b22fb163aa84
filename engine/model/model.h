// An immutable transformer: configuration, weights on a backend, tokenizer. Loads an unchanged Hugging Face
// folder (config.json, model.safetensors or a sharded index, tokenizer.json) or a GGUF file: dense Qwen3, Qwen2.5, and
// the Llama family (Llama, Mistral, SmolLM2).
// Formats: Qwen3 technical report; transformers modeling_qwen3/modeling_qwen2/modeling_llama define the operation order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/model/config_keys.h"
#include "engine/model/precision.h"
#include "engine/text/chat.h"
#include "kernels/buffer.h"

namespace speclens {

// Positions that get a row in the rotary table; longer contexts are refused by make_model_decoder.
inline constexpr int kLargestContext = 131072;

struct ModelConfig {
    enum class Family { qwen3, qwen2, llama } family = Family::qwen3;
    int hidden = 0;   // h
    int ffn = 0;      // f
    int layers = 0;   // L
    int heads = 0;    // H
    int kv_heads = 0; // K
    int head_dim = 0; // d (never computed from h / H when the file states it)
    int vocab = 0;    // V, rows of the embedding
    float rms_eps = 1e-6f;
    double rope_theta = 1e6;
    // How the angles of rotary positions are stretched for long texts: not at all, all by rope_factor, by YaRN (Peng et al.
    // 2023), as Llama 3.1 does (its long waves by rope_factor, its short ones not), or each by a divisor of its own.
    enum class RopeScaling { none, linear, yarn, llama3, divisors } rope_scaling = RopeScaling::none;
    double rope_factor = 1;
    int rope_original_positions = 0;    // yarn, llama3
    double rope_attention = 1;          // what cos and sin are multiplied by; yarn: 0.1 ln rope_factor + 1 where the file says nothing else
    double rope_low = 1, rope_high = 4; // llama3: waves that fit less often than `low` into the original positions are long
    std::vector<float> rope_divisors;   // divisors: d / 2 of them (rope_freqs.weight of a GGUF file)
    bool tied = false;
    bool qkv_bias = false;            // Qwen2.5
    bool qk_norm = true;              // Qwen3: RMSNorm of q and k per head
    int max_positions = 0;            // as config.json says
    std::vector<int> stops;           // eos ids of generation_config.json and config.json
    int mtp_layers = 0;               // of a head for several next tokens (MTP) that the file names; it is not used
    std::string notice;               // what the file says in two ways, and which one counts; empty: nothing
    std::vector<std::string> ignored; // places of keys that were passed over because they were named

    // Tokens that a text can have here: max_positions, at most kLargestContext.
    [[nodiscard]] int context() const { return std::min(max_positions, kLargestContext); }
};
// Throws Error naming the field and the value. `folder` has config.json; keys that are `ignored` count as absent.
[[nodiscard]] ModelConfig read_config(const std::filesystem::path& folder, const IgnoredKeys& ignored = {});

struct LayerWeights {
    Buffer input_norm;     // (1, h)
    Buffer wq, wk, wv, wo; // (H*d, h) (K*d, h) (K*d, h) (h, H*d)
    Buffer bq, bk, bv;     // (1, H*d) … empty for Qwen3
    Buffer q_norm, k_norm; // (1, d), empty for Qwen2.5
    Buffer post_norm;      // (1, h)
    Buffer gate, up, down; // (f, h) (f, h) (h, f)
};

struct WeightBytes {
    std::size_t all = 0;       // on the backend
    std::size_t tables = 0;    // the part that is in no file: worked out from weights and shape when they are loaded
    std::size_t per_token = 0; // what one decode step reads: all matrices, the head once, not the embedding rows
    [[nodiscard]] std::size_t stored() const { return all - tables; }
    void add_table(std::size_t bytes) { all += bytes, tables += bytes; }
};

class Tokenizer;   // engine/text/tokenizer.h
class PromptCache; // engine/model/prompt_cache.h

class Model {
  public:
    // Throws Error (missing or broken files, wrong shapes, no memory) or Cancelled.
    // `path`: a Hugging Face folder, a GGUF file, or a folder that holds one GGUF file (or one split into parts).
    // `precision`: of the products with its matrices, and of the draft heads that are loaded for it. `ignored`: keys of its
    // config.json or metadata that count as absent.
    [[nodiscard]] static std::shared_ptr<const Model> load(Backend& backend, const std::filesystem::path& path,
                                                           const Progress& progress = {}, WeightForm form = WeightForm::by_default,
                                                           Precision precision = Precision::f32, const IgnoredKeys& ignored = {});
    // The same in two parts: everything but the weights, which any thread may do and which reads hardly anything of a disk, and
    // these. Throws as load(), at once what is wrong with the files. What it returns is called once, by the backend's thread.
    using Weights = std::function<std::shared_ptr<const Model>(const Progress& progress)>;
    [[nodiscard]] static Weights open(Backend& backend, const std::filesystem::path& path, const Progress& progress = {},
                                      WeightForm form = WeightForm::by_default, Precision precision = Precision::f32,
                                      const IgnoredKeys& ignored = {});
    // Random weights of a given shape (bench --geometry): scale 0.02, norms 1, seeded. No tokenizer. Matrices are `form`
    // (bf16, q8_0, q5_0, q4_1, q4_0; another: Error, usage) where the backend keeps that, elsewhere bf16: see forms().
    [[nodiscard]] static std::shared_ptr<const Model> random(Backend& backend, const ModelConfig& config, std::string name,
                                                             std::uint64_t seed, const Progress& progress = {}, DType form = DType::bf16,
                                                             Precision precision = Precision::f32);

    // Bytes of a model of this shape in bf16, with its rotary table: WeightBytes::all without loading anything.
    [[nodiscard]] static std::size_t weight_bytes(const ModelConfig& config);

    [[nodiscard]] const Tensor& head() const { return config.tied ? embedding.view() : lm_head.view(); }
    // What the matrices that a token reads are in memory, that of most bytes first. Not empty.
    [[nodiscard]] std::vector<DType> forms() const;

    void forget_prompts() const; // the next prompt is read, whatever was read before

    Backend* backend = nullptr;
    std::string name; // of the folder, or of the file without .gguf
    ModelConfig config;
    Buffer embedding;  // (V, h)
    Buffer lm_head;    // (V, h), empty when tied
    Buffer final_norm; // (1, h)
    Buffer cos_sin;    // (positions, d): rotary table, f32
    std::vector<LayerWeights> layer;
    ChatFormat chat;                            // as its template says; has a problem without a tokenizer or a template
    std::shared_ptr<const Tokenizer> tokenizer; // null for random models and folders without tokenizer.json
    std::shared_ptr<PromptCache> prompts;       // what runs over one prompt share; the only part that changes
    WeightBytes bytes;
    Precision precision = Precision::f32; // of products with its matrices
    std::string stored_as;                // the type of the file's matrices: "bf16", "Q4_1"; empty: random
    std::string kept_as;                  // what was made of them when that is another: "bf16"; empty: the same
    std::string notice;                   // what of the folder is not used although it says something else; empty: nothing
};

// The GGUF file that `path` names: itself, or the only one of a folder without config.json; empty: none.
// Throws Error where a folder holds several and nothing else.
[[nodiscard]] std::filesystem::path gguf_file(const std::filesystem::path& path);

// Known shapes for cost measurements with random weights: "qwen3-0.6b", "qwen3-1.7b", "qwen3-4b", "qwen3-8b",
// "qwen2.5-0.5b", "smollm2-135m", "bundle-s", "micro". Throws Error (usage) listing the names.
[[nodiscard]] ModelConfig geometry(const std::string& name);
[[nodiscard]] std::vector<std::string> geometry_names();

} // namespace speclens
