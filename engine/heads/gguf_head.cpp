#include "engine/heads/gguf_head.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "engine/model/config_geometry.h"
#include "engine/model/config_keys.h"
#include "engine/model/gguf_model.h"
#include "engine/model/model_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using Method = DraftConfig::Method;

constexpr const char* kHeadRemedy =
    "Supported are EAGLE-3, DFlash, DFlash 2 and DSpark heads as llama.cpp's convert_hf_to_gguf.py writes them; the "
    "folder that the file was made of opens, too, where docs/models.md has its layout.";

constexpr std::string_view kEagle3Keys[] = {"target_layers", "extract_layers", "target_hidden_size", "norm_before_residual",
                                            "norm_before_fc"};
constexpr std::string_view kDflashKeys[] = {"target_layers", "block_size", "sample_from_anchor", "has_confidence_head", "attention.causal",
                                            "attention.sliding_window", "attention.sliding_window_pattern",
                                            // DFlash 2's own, the last four
                                            "conv_kernel_size", "conv_group_size", "selector_rank", "selector_top_k"};

[[noreturn]] void refuse_head(const Gguf& file, const std::string& what) { throw Error(file.name() + ": " + what, kHeadRemedy); }

std::string architecture_of(const Gguf& file) {
    const std::string arch = file.text("general.architecture").value_or("");
    if (arch == "eagle3" || arch == "dflash") return arch;
    const bool other = arch.starts_with("dflash") || arch.starts_with("dspark") || arch.starts_with("eagle");
    if (other) refuse_head(file, "is of the architecture " + arch + ", a fork's or an older one's: llama.cpp's are eagle3 and dflash");
    throw Error(file.name() + ": is of the architecture " + (arch.empty() ? "\"\"" : arch) + ", no draft head's",
                "A model drafts for another with --drafter small=FILE.gguf; heads are of the architectures eagle3 and dflash.",
                Exit::usage);
}

// Sizes that must be the target's. The vocabulary is the list of tokens, which the converter copies from the target.
void compare_with_target(const Gguf& file, const std::string& arch, const ModelConfig& target, DraftConfig& config) {
    const auto differ = [&](const std::string& key, std::int64_t here, int there) {
        throw Error(file.name() + ": " + key + " is " + std::to_string(here) + ", the target has " + std::to_string(there),
                    "This head belongs to another target: give that one with --model.");
    };
    if (config.layer.hidden != target.hidden) differ(arch + ".embedding_length", config.layer.hidden, target.hidden);
    const auto width = file.integer(arch + ".target_hidden_size", 1, 1 << 17);
    if (width && *width != target.hidden) differ(arch + ".target_hidden_size", *width, target.hidden);
    const auto* tokens = std::get_if<std::vector<std::string>>(file.value("tokenizer.ggml.tokens"));
    const std::int64_t listed = tokens != nullptr ? static_cast<std::int64_t>(tokens->size()) : target.vocab;
    const auto said = file.integer(arch + ".vocab_size", 1, 1 << 22);
    if (listed != target.vocab) differ("tokenizer.ggml.tokens", listed, target.vocab);
    if (said && *said != target.vocab) differ(arch + ".vocab_size", *said, target.vocab);
    config.layer.vocab = target.vocab;
}

void read_taps_of(const Gguf& file, const std::string& key, int layers, DraftConfig& config) {
    const auto ids = file.integers(key, -(1 << 20), 1 << 20);
    if (!ids || ids->empty()) file.fail(key, "is missing or empty: it names the target's layers that the head reads");
    for (const std::int64_t id : *ids) config.taps.push_back(static_cast<int>(id) - 1);
    const StoredTensor* fuse = file.find("fc.weight");
    if (fuse == nullptr || fuse->shape.size() != 2) refuse_head(file, "has no matrix fc.weight");
    const auto joined = static_cast<std::size_t>(fuse->shape[1] / config.layer.hidden);
    if (const std::string problem = taps_problem(config.taps, 1, joined, layers); !problem.empty())
        throw Error(file.name() + ": " + key + " " + problem, kTapsRemedy);
    add_notice(config.notice, ambiguous_tap(file.name(), config.taps, layers));
}

// How many of the target's ids the head ranks by its own list; 0: there is none.
int listed_ids(const Gguf& file, const ModelConfig& target) {
    const StoredTensor* ids = file.find("d2t");
    if (ids == nullptr) return 0;
    if (ids->shape.size() != 1 || ids->shape[0] < 1 || ids->shape[0] > target.vocab)
        refuse_head(file,
                    "d2t has shape " + shape_text(ids->shape) + "; it lists some of the target's " + std::to_string(target.vocab) + " ids");
    return static_cast<int>(ids->shape[0]);
}

void read_gguf_eagle3(const Gguf& file, const ModelConfig& target, DraftConfig& config) {
    config.method = Method::eagle3;
    if (config.layer.layers != 1)
        file.fail("eagle3.block_count", "is " + std::to_string(config.layer.layers) + "; such a head has one layer");
    const bool older = file.value("eagle3.target_layers") == nullptr && file.value("eagle3.extract_layers") != nullptr;
    read_taps_of(file, older ? "eagle3.extract_layers" : "eagle3.target_layers", target.layers, config);
    if (const auto second = older ? std::nullopt : file.integers("eagle3.extract_layers", -(1 << 20), 1 << 20);
        second && *second != file.integers("eagle3.target_layers", -(1 << 20), 1 << 20))
        file.fail("eagle3.extract_layers", "names other layers than target_layers, which takes its place in newer files");
    config.norm_before_residual = file.flag("eagle3.norm_before_residual").value_or(false);
    config.norm_before_fc = file.flag("eagle3.norm_before_fc").value_or(false);
    const int listed = listed_ids(file, target);
    config.draft_vocab = listed > 0 ? listed : target.vocab;
    config.gathers_head = file.find("output.weight") == nullptr;
}

// A window of some layers; rows of a block see each other unless attention.causal says otherwise, and so where it says nothing.
void read_gguf_windows(const Gguf& file, DraftConfig& config) {
    const std::string window_key = "dflash.attention.sliding_window", pattern_key = window_key + "_pattern";
    const bool causal = file.flag("dflash.attention.causal").value_or(false);
    const int window = static_cast<int>(file.integer(window_key, 0, 1 << 30).value_or(0));
    bool every = window > 0;
    if (window > 0) {
        const auto pattern = file.integers(pattern_key, 0, 1);
        if (!pattern || static_cast<int>(pattern->size()) != config.layer.layers)
            file.fail(pattern_key, "has " + std::to_string(pattern ? pattern->size() : 0) + " entries for " +
                                       std::to_string(config.layer.layers) + " layers");
        for (const std::int64_t narrow : *pattern) {
            config.windows.push_back(narrow != 0 ? window : 0);
            every = every && narrow != 0;
        }
        if (std::ranges::all_of(config.windows, [](int one) { return one == 0; })) config.windows.clear();
        if (!config.windows.empty() && file.value("dflash.attention.causal") == nullptr)
            add_notice(config.notice, file.name() +
                                          ": does not say whether rows of a block see later ones in layers with a window "
                                          "(attention.causal); they do here, as in llama.cpp, and do not in the folder's own code");
    }
    if (causal && !every) file.fail("dflash.attention.causal", "is true for layers that see the whole block, which is not supported");
    config.window_causal = causal;
}

void read_gguf_selector(const Gguf& file, DraftConfig& config) {
    const auto integer = [&](const std::string& name, int most) {
        const auto value = file.integer("dflash." + name, 1, most);
        if (!value) file.fail("dflash." + name, "is missing, which a head with a selector has");
        return static_cast<int>(*value);
    };
    config.conv_taps = integer("conv_kernel_size", config.block);
    config.conv_group = integer("conv_group_size", config.layer.hidden);
    if (config.layer.hidden % config.conv_group != 0)
        file.fail("dflash.conv_group_size",
                  "is " + std::to_string(config.conv_group) + ", no divisor of the hidden size " + std::to_string(config.layer.hidden));
    config.selector_rank = integer("selector_rank", 1 << 16);
    config.candidates = integer("selector_top_k", std::min(config.layer.vocab, kMostCandidates));
    if (config.draft_vocab > 0) refuse_head(file, "has d2t: a DFlash 2 head over some of the ids is not documented, and not supported");
}

void read_gguf_dflash(const Gguf& file, const ModelConfig& target, DraftConfig& config) {
    const StoredTensor* markov = file.find("markov_w1.weight");
    const bool selects = file.find("selector_hidden.weight") != nullptr;
    if (selects && markov != nullptr) refuse_head(file, "has a selector and a Markov head, and no method has both");
    config.method = markov != nullptr ? Method::dspark : selects ? Method::dflash2 : Method::dflash;
    config.layer.qk_norm = true;
    read_taps_of(file, "dflash.target_layers", target.layers, config);
    const auto block = file.integer("dflash.block_size", 2, 64);
    if (!block) file.fail("dflash.block_size", "is missing");
    config.block = static_cast<int>(*block);
    const auto mask = file.integer("tokenizer.ggml.mask_token_id", 0, target.vocab - 1);
    if (!mask) file.fail("tokenizer.ggml.mask_token_id", "is missing: it stands for a place to be filled");
    config.mask_id = static_cast<int>(*mask);
    const bool anchor = file.flag("dflash.sample_from_anchor").value_or(markov != nullptr);
    config.anchor_aligned = markov != nullptr && anchor;
    if (anchor && markov == nullptr)
        add_notice(config.notice, file.name() +
                                      ": dflash.sample_from_anchor is true, which is read of DSpark heads alone; this head has no "
                                      "Markov head, and its anchor's row is taken for no guess");
    read_gguf_windows(file, config);
    if (const std::string act = file.text("dflash.hidden_act").value_or("silu"); act != "silu")
        refuse_head(file, "dflash.hidden_act is \"" + act + "\", which is not supported");
    config.draft_vocab = listed_ids(file, target);
    config.gathers_head = config.draft_vocab > 0 && file.find("output.weight") == nullptr;
    if (selects) read_gguf_selector(file, config);
    if (markov == nullptr && file.flag("dflash.has_confidence_head").value_or(false))
        refuse_head(file, "dflash.has_confidence_head is true, and there is no Markov head, beside which it stands");
    if (markov == nullptr) return;
    if (markov->shape.size() != 2) refuse_head(file, "markov_w1.weight has shape " + shape_text(markov->shape));
    config.markov_rank = static_cast<int>(markov->shape[1]);
    const StoredTensor* confidence = file.find("conf_proj.weight");
    if (confidence != nullptr && confidence->shape.size() != 2)
        refuse_head(file, "conf_proj.weight has shape " + shape_text(confidence->shape));
    config.confidence = confidence != nullptr;
    config.confidence_with_markov = confidence != nullptr && confidence->shape.back() == config.layer.hidden + config.markov_rank;
    if (file.flag("dflash.has_confidence_head").value_or(config.confidence) != config.confidence)
        refuse_head(file, std::string("dflash.has_confidence_head is ") +
                              (config.confidence ? "false, and there is a conf_proj.weight" : "true, and there is no conf_proj.weight"));
}

} // namespace

KeyList gguf_head_keys(Method method) {
    if (method == Method::eagle3) return kEagle3Keys;
    const KeyList all = kDflashKeys;
    return method == Method::dflash2 ? all : all.first(all.size() - 4);
}

DraftConfig gguf_head_config(const Gguf& file, const ModelConfig& target) {
    const std::string arch = architecture_of(file);
    DraftConfig config;
    config.architecture = arch;
    config.layer.qk_norm = config.layer.qkv_bias = false;
    read_gguf_geometry(file, arch, config.layer);
    compare_with_target(file, arch, target, config);
    add_notice(config.notice, config.layer.notice);
    check_config(config.layer, file.name());
    if (arch == "eagle3") {
        read_gguf_eagle3(file, target, config);
    } else {
        read_gguf_dflash(file, target, config);
    }
    refuse_unread(file, arch, {gguf_geometry_keys(), gguf_head_keys(config.method)});
    if (file.find("token_embd.weight") != nullptr)
        add_notice(config.notice,
                   file.name() + ": has an embedding (token_embd.weight); it is taken for a copy of the target's, whose own is used");
    return config;
}

std::map<std::string, RowTensors::Source> gguf_head_tensors(const Gguf& file, const DraftConfig& config,
                                                            const std::function<DType(const StoredTensor&)>& as) {
    const bool eagle = config.method == Method::eagle3;
    std::map<std::string, RowTensors::Source> sources;
    std::set<std::string> used = {"token_embd.weight", "d2t", "rope_freqs.weight"};
    const auto add = [&](const std::string& name, const std::string& stored) {
        const StoredTensor* tensor = file.find(stored);
        if (tensor == nullptr) return;
        used.insert(stored);
        const bool sliced = stored == "conf_proj.weight"; // by columns
        RowTensors::Source source{stored, tensor->shape.size() != 2 ? DType::f32 : sliced ? DType::bf16 : as(*tensor)};
        if (eagle && (stored.ends_with(".attn_q.weight") || stored.ends_with(".attn_k.weight"))) source.paired_rows = config.layer.head_dim;
        sources.emplace(name, std::move(source));
    };
    add("fc.weight", "fc.weight");
    add(eagle ? "input_norm.weight" : "hidden_norm.weight", "enc.output_norm.weight");
    add("norm.weight", "output_norm.weight");
    if (config.draft_vocab > 0) add("lm_head.weight", "output.weight");
    used.insert("output.weight"); // else a copy of the target's, as in folders
    for (int l = 0; l < config.layer.layers; ++l) {
        const std::string block = "blk." + std::to_string(l) + ".", layer = eagle ? "midlayer." : "layers." + std::to_string(l) + ".";
        for (const auto& [name, stored] : gguf_layer_names()) {
            const bool norm = name.starts_with("self_attn.q_norm") || name.starts_with("self_attn.k_norm");
            if (!name.ends_with(".bias") && (config.layer.qk_norm || !norm)) add(layer + std::string(name), block + std::string(stored));
        }
        if (eagle) add(layer + "hidden_norm.weight", block + "attn_norm_2.weight");
        if (config.method != Method::dflash2) continue;
        for (const auto& [part, short_part] : {std::pair<std::string, std::string>{"attention", "attn"}, {"mlp", "ffn"}}) {
            add(layer + part + "_conv.base_kernel", block + short_part + "_conv_base");
            add(layer + part + "_conv.kernel_projection.weight", block + short_part + "_conv_proj.weight");
        }
    }
    if (config.method == Method::dspark) {
        add("markov_head.markov_w1.weight", "markov_w1.weight");
        add("markov_head.markov_w2.weight", "markov_w2.weight");
        add("confidence_head.proj.weight", "conf_proj.weight");
        add("confidence_head.proj.bias", "conf_proj.bias");
    }
    if (config.method == Method::dflash2) {
        add("candidate_selector.hidden_projection.weight", "selector_hidden.weight");
        add("candidate_selector.predecessor_codebook", "selector_predecessor.weight");
        add("candidate_selector.successor_codebook", "selector_successor.weight");
    }
    for (const auto& [name, tensor] : file.tensors())
        if (!used.contains(name))
            refuse_head(file, "has the tensor " + name + ", which no " + name_of(config.method) +
                                  " head has here: what it drafts would be wrong");
    return sources;
}

std::vector<int> gguf_head_ids(const Gguf& file, DraftConfig& config) {
    std::vector<int> ids(static_cast<std::size_t>(config.draft_vocab));
    const StoredTensor* stored = file.find("d2t");
    if (stored == nullptr) {
        std::iota(ids.begin(), ids.end(), 0);
        return ids;
    }
    if (stored->dtype != DType::i64 && stored->dtype != DType::i32)
        refuse_head(file, std::string("d2t is stored as ") + name_of(stored->dtype) + ", expected i64");
    const std::vector<std::byte> bytes = file.read(*stored);
    std::vector<std::int64_t> values(ids.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (stored->dtype == DType::i64) {
            std::memcpy(&values[i], bytes.data() + 8 * i, 8);
        } else {
            std::int32_t narrow = 0;
            std::memcpy(&narrow, bytes.data() + 4 * i, 4);
            values[i] = narrow;
        }
    }
    // The first place at which `values`, with i added `times` times, are no ascending ids.
    const auto breaks = [&](std::int64_t times) {
        std::int64_t last = -1;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::int64_t row = times * static_cast<std::int64_t>(i);
            if (values[i] < last + 1 - row || values[i] > config.layer.vocab - 1 - row) return i;
            last = values[i] + row;
        }
        return values.size();
    };
    const std::size_t as_ids = breaks(0), as_differences = breaks(1);
    const bool differences = as_ids < values.size();
    if (differences && as_differences < values.size())
        refuse_head(file, "d2t[" + std::to_string(as_ids) + "] is " + std::to_string(values[as_ids]) +
                              ", which is no ascending id of the target's " + std::to_string(config.layer.vocab) +
                              ", nor are they differences (d2t[" + std::to_string(as_differences) + "] is " +
                              std::to_string(values[as_differences]) + ")");
    if (differences)
        add_notice(config.notice, file.name() + ": d2t holds differences, as folders do, and is read so; llama.cpp takes them for ids");
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(values[i] + (differences ? static_cast<std::int64_t>(i) : 0));
    return ids;
}

} // namespace speclens
