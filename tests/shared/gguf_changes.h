// Another value for each key that the stack of layers of a GGUF file is read by: for the tests that none of them is read in vain.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/shared/gguf_writer.h"

namespace speclens::test {

struct GgufChange {
    using Edit = std::function<void(GgufWriter&, const std::string& prefix)>; // "llama."
    std::string key;                                                          // behind the prefix
    std::function<void(GgufWriter&, const std::string& whole)> value;
    Edit before = {};         // what the file has besides, changed or not
    std::string refusal = {}; // of it, where that names neither the key nor a tensor

    // Both files' metadata: `changed` or not.
    void write(GgufWriter& file, const std::string& prefix, bool changed) const {
        if (before) before(file, prefix);
        if (!changed) return;
        file.forget(prefix + key);
        value(file, prefix + key);
    }
    // That `refused` says what it does not take: by the key, by a tensor that no longer fits, or in words of its own.
    [[nodiscard]] bool told_by(const std::string& refused) const {
        for (const std::string& word :
             {key, std::string(".weight"), std::string(".bias"), std::string("base_kernel"), std::string("codebook"), refusal})
            if (!word.empty() && refused.find(word) != std::string::npos) return true;
        return false;
    }
};

inline auto gguf_u32(std::uint32_t value) {
    return [=](GgufWriter& file, const std::string& key) { file.u32(key, value); };
}
inline auto gguf_f32(float value) {
    return [=](GgufWriter& file, const std::string& key) { file.f32(key, value); };
}
inline auto gguf_flag(bool value) {
    return [=](GgufWriter& file, const std::string& key) { file.flag(key, value); };
}
inline auto gguf_ids(const std::vector<std::int32_t>& ids) {
    return [=](GgufWriter& file, const std::string& key) { file.array(key, 5, ids); };
}

// Of gguf_geometry_keys(), and the word beside them that says how rotary positions are stretched.
inline std::vector<GgufChange> gguf_geometry_changes() {
    const auto stretched = [](const char* type, std::uint32_t original) {
        return [=](GgufWriter& file, const std::string& prefix) {
            file.text(prefix + "rope.scaling.type", type);
            file.f32(prefix + "rope.scaling.factor", 4);
            if (original > 0) file.u32(prefix + "rope.scaling.original_context_length", original);
        };
    };
    const auto yarn = stretched("yarn", 64);
    return {{"block_count", gguf_u32(5)},
            {"context_length", gguf_u32(24), stretched("yarn", 0)}, // what was trained, where nothing else says it
            {"embedding_length", gguf_u32(128)},
            {"feed_forward_length", gguf_u32(112)},
            {"attention.head_count", gguf_u32(8)},
            {"attention.head_count_kv", gguf_u32(1)},
            {"attention.key_length", gguf_u32(32), {}, "where a head has 32"},
            {"attention.value_length", gguf_u32(32)},
            {"attention.layer_norm_rms_epsilon", gguf_f32(.01f)},
            {"rope.dimension_count", gguf_u32(12)},
            {"rope.freq_base", gguf_f32(50)},
            {"rope.scale_linear", gguf_f32(4)},
            {"rope.scaling.factor", gguf_f32(2)},
            {"rope.scaling.factor", gguf_f32(2), yarn},
            {"rope.scaling.factor", gguf_f32(.5f)},
            {"rope.scaling.original_context_length", gguf_u32(24), yarn},
            {"rope.scaling.attn_factor", gguf_f32(.5f)},
            {"rope.scaling.attn_factor", gguf_f32(.5f), yarn},
            {"rope.scaling.yarn_beta_fast", gguf_f32(16), yarn},
            {"rope.scaling.yarn_beta_slow", gguf_f32(2), yarn},
            {"rope.scaling.yarn_ext_factor", gguf_f32(.5f), yarn},
            {"rope.scaling.yarn_attn_factor", gguf_f32(.5f), yarn},
            {"rope.scaling.yarn_log_multiplier", gguf_f32(.5f), yarn},
            {"rope.scaling.type", [](GgufWriter& file, const std::string& key) { file.text(key, "none"); }, stretched("linear", 0)}};
}

} // namespace speclens::test
