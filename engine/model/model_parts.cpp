#include "engine/model/model_parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// Dimension at which `rotations` full turns fit into the original context (YaRN, Peng et al. 2023, eq. 22).
double yarn_dimension(double rotations, const ModelConfig& config) {
    return config.head_dim * std::log(config.rope_original_positions / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(config.rope_theta));
}

void stretch_by_yarn(const ModelConfig& config, std::vector<float>& inverse) {
    constexpr double kBetaFast = 32, kBetaSlow = 1;
    const double low = std::max(std::floor(yarn_dimension(kBetaFast, config)), 0.0);
    double high = std::min(std::ceil(yarn_dimension(kBetaSlow, config)), config.head_dim - 1.0);
    if (high == low) high += 0.001; // the reference's guard against a division by zero
    for (std::size_t j = 0; j < inverse.size(); ++j) {
        const double ramp = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
        float& value = inverse[j];
        value = static_cast<float>(value / config.rope_factor * ramp + value * (1 - ramp));
    }
}

// In single precision, operation by operation, as transformers' llama3 scaling.
void stretch_as_llama3(const ModelConfig& config, std::vector<float>& inverse) {
    const auto factor = static_cast<float>(config.rope_factor), positions = static_cast<float>(config.rope_original_positions);
    const auto low = static_cast<float>(config.rope_low), high = static_cast<float>(config.rope_high);
    for (float& value : inverse) {
        const float wave = static_cast<float>(2 * std::numbers::pi) / value; // positions of one turn
        if (wave < positions / high) continue;
        if (wave > positions / low) {
            value /= factor;
        } else {
            const float smooth = (positions / wave - low) / (high - low);
            value = (1 - smooth) * value / factor + smooth * value;
        }
    }
}

// Angle per position of each pair. Single precision like the reference: the rounding is part of the model.
std::vector<float> inverse_frequencies(const ModelConfig& config) {
    const int half = config.head_dim / 2;
    std::vector<float> inverse(static_cast<std::size_t>(half));
    for (int j = 0; j < half; ++j)
        inverse[static_cast<std::size_t>(j)] = static_cast<float>(std::pow(config.rope_theta, -2.0 * j / config.head_dim));
    using Scaling = ModelConfig::RopeScaling;
    switch (config.rope_scaling) {
    case Scaling::none: break;
    case Scaling::linear:
        for (float& value : inverse) value /= static_cast<float>(config.rope_factor);
        break;
    case Scaling::yarn:
        if (config.rope_factor > 1) stretch_by_yarn(config, inverse);
        break;
    case Scaling::llama3: stretch_as_llama3(config, inverse); break;
    case Scaling::divisors:
        CHECK(config.rope_divisors.size() == inverse.size(), "a divisor for each pair");
        for (std::size_t j = 0; j < inverse.size(); ++j) inverse[j] /= config.rope_divisors[j];
        break;
    }
    return inverse;
}

} // namespace

void layer_slots(const ModelConfig& c, const std::string& prefix, std::int64_t input, LayerWeights& w, std::vector<WeightSlot>& slots) {
    const std::int64_t h = c.hidden, f = c.ffn, q = std::int64_t{c.heads} * c.head_dim, kv = std::int64_t{c.kv_heads} * c.head_dim;
    const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t cols, Buffer& to) {
        slots.push_back({prefix + name, rows, cols, false, true, &to});
    };
    const auto vector = [&](const std::string& name, std::int64_t size, Buffer& to) {
        slots.push_back({prefix + name, 1, size, true, true, &to});
    };
    vector("input_layernorm.weight", h, w.input_norm);
    matrix("self_attn.q_proj.weight", q, input, w.wq);
    matrix("self_attn.k_proj.weight", kv, input, w.wk);
    matrix("self_attn.v_proj.weight", kv, input, w.wv);
    if (c.qkv_bias) {
        vector("self_attn.q_proj.bias", q, w.bq);
        vector("self_attn.k_proj.bias", kv, w.bk);
        vector("self_attn.v_proj.bias", kv, w.bv);
    }
    matrix("self_attn.o_proj.weight", h, q, w.wo);
    if (c.qk_norm) {
        vector("self_attn.q_norm.weight", c.head_dim, w.q_norm);
        vector("self_attn.k_norm.weight", c.head_dim, w.k_norm);
    }
    vector("post_attention_layernorm.weight", h, w.post_norm);
    matrix("mlp.gate_proj.weight", f, h, w.gate);
    matrix("mlp.up_proj.weight", f, h, w.up);
    matrix("mlp.down_proj.weight", h, f, w.down);
}

std::vector<WeightSlot> model_slots(Model& model) {
    const ModelConfig& c = model.config;
    std::vector<WeightSlot> slots;
    slots.push_back({"model.embed_tokens.weight", c.vocab, c.hidden, false, /*read_per_token=*/c.tied, &model.embedding});
    model.layer.resize(static_cast<std::size_t>(c.layers));
    for (std::size_t l = 0; l < model.layer.size(); ++l)
        layer_slots(c, "model.layers." + std::to_string(l) + ".", c.hidden, model.layer[l], slots);
    slots.push_back({"model.norm.weight", 1, c.hidden, true, true, &model.final_norm});
    if (!c.tied) {
        WeightSlot head = {"lm_head.weight", c.vocab, c.hidden, false, true, &model.lm_head};
        head.absent = "and config.json does not say that the embedding stands for it (tie_word_embeddings is "
                      "false or not given)";
        head.absent_remedy = "Download the weights again; set tie_word_embeddings to true only where the "
                             "model was trained so.";
        slots.push_back(std::move(head));
    }
    return slots;
}

bool is_mtp_tensor(std::string_view name, const ModelConfig& config) {
    if (name.starts_with("mtp.") || name.starts_with("model.mtp")) return true;
    constexpr std::string_view kLayers = "model.layers.";
    if (!name.starts_with(kLayers)) return false;
    int layer = -1;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kLayers.size(), end, layer);
    return parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '.' && layer >= config.layers &&
           layer < config.layers + config.mtp_layers;
}

std::string mtp_notice(const TensorFiles& file, const ModelConfig& config) {
    const auto stored = std::ranges::find_if(file.tensors(), [&](const auto& tensor) { return is_mtp_tensor(tensor.first, config); });
    if (stored != file.tensors().end())
        return file.file_name(stored->second) + ": has an MTP head (" + stored->first +
               " …), which guesses several next tokens; --drafter mtp drafts with it where docs/models.md has its layout";
    if (config.mtp_layers == 0) return "";
    return file.name() + ": config.json names an MTP head of " + std::to_string(config.mtp_layers) +
           (config.mtp_layers == 1 ? " layer" : " layers") +
           ", but the file has no tensor of one: it was stripped. Nothing else is missing";
}

std::size_t cos_sin_bytes(const ModelConfig& config) {
    return static_cast<std::size_t>(config.context()) * static_cast<std::size_t>(config.head_dim) * sizeof(float);
}

std::vector<float> cos_sin_table(const ModelConfig& config, const Progress& progress) {
    const int positions = config.context(), half = config.head_dim / 2;
    const std::vector<float> inverse = inverse_frequencies(config);
    const double scale = config.rope_attention;
    std::vector<float> table(static_cast<std::size_t>(positions) * config.head_dim);
    for (int p = 0; p < positions; ++p) {
        check_cancelled(progress);
        float* row = table.data() + static_cast<std::size_t>(p) * config.head_dim;
        for (int j = 0; j < half; ++j) {
            const float angle = static_cast<float>(p) * inverse[static_cast<std::size_t>(j)];
            row[j] = static_cast<float>(scale * std::cos(static_cast<double>(angle)));
            row[half + j] = static_cast<float>(scale * std::sin(static_cast<double>(angle)));
        }
    }
    return table;
}

Buffer make_cos_sin(Backend& backend, const ModelConfig& config) {
    Buffer result(backend, DType::f32, config.context(), config.head_dim);
    backend.upload(result.view(), cos_sin_table(config).data());
    return result;
}

void report_megabytes(const Progress& progress, const std::string& what, std::size_t done, std::size_t total) {
    if (progress.report) progress.report(what, static_cast<double>(done) / 1e6, static_cast<double>(total) / 1e6, Progress::kMegabytes);
}

} // namespace speclens
