#include "engine/drafters/draft_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "engine/base/display_name.h"
#include "engine/base/json_read.h"
#include "engine/heads/gguf_head.h"
#include "engine/model/config_geometry.h"
#include "engine/model/frequent.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/model/weight_files.h"
#include "engine/weights/gguf.h"
#include "engine/weights/row_tensors.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/scaled_tensors.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using Method = DraftConfig::Method;

// Collects the slots of a network, with the names of the released checkpoints.
class SlotList {
  public:
    void matrix(const std::string& name, std::int64_t rows, std::int64_t cols, Buffer& to) {
        slots_.push_back({name, rows, cols, false, true, &to});
    }
    void vector(const std::string& name, std::int64_t size, Buffer& to) { slots_.push_back({name, 1, size, true, true, &to}); }
    // A matrix of which a token's row is looked up.
    void table(const std::string& name, std::int64_t rows, std::int64_t cols, Buffer& to) {
        slots_.push_back({name, rows, cols, false, false, &to});
    }
    // Numbers that are stored in another shape.
    void vector(const std::string& name, std::vector<std::int64_t> shape, Buffer& to) {
        const std::int64_t size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
        slots_.push_back(
            {.name = name, .rows = 1, .cols = size, .vector = true, .read_per_token = true, .to = &to, .shape = std::move(shape)});
    }
    // Columns [first, first + cols) of a matrix that has `stored` of them.
    void columns(const std::string& name, std::int64_t rows, std::int64_t first, std::int64_t cols, std::int64_t stored, Buffer& to) {
        slots_.push_back({name, rows, cols, false, true, &to, first, stored});
    }
    void layer(const ModelConfig& config, const std::string& prefix, std::int64_t input, LayerWeights& to) {
        layer_slots(config, prefix, input, to, slots_);
    }
    [[nodiscard]] std::vector<WeightSlot> take() { return std::move(slots_); }

  private:
    std::vector<WeightSlot> slots_;
};

// Early exports put a section's name before its tensors; the first spelling whose tensor exists.
std::string spelling(const TensorFiles* file, const std::vector<std::string>& prefixes, const std::string& name) {
    for (const std::string& prefix : prefixes)
        if (file != nullptr && file->find(prefix + name) != nullptr) return prefix;
    return prefixes.front();
}

// Some exports write this before all names, or before all but those of the head.
constexpr const char* kModelPrefix = "model.";

void eagle3_slots(DraftNetwork& n, const TensorFiles* file, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden;
    const std::string all = spelling(file, {"", kModelPrefix}, "fc.weight");
    const std::string prefix = spelling(file, {all + "midlayer.", all + "layers.0."}, "hidden_norm.weight");
    slots.matrix(all + "fc.weight", h, static_cast<std::int64_t>(c.taps.size()) * h, n.fc);
    if (c.fc_norm) n.fc_norm.resize(c.taps.size());
    for (std::size_t i = 0; i < n.fc_norm.size(); ++i) slots.vector(all + "fc_norm." + std::to_string(i) + ".weight", h, n.fc_norm[i]);
    if (c.norm_before_fc) slots.vector(all + "input_norm.weight", static_cast<std::int64_t>(c.taps.size()) * h, n.input_norm);
    n.layer.resize(static_cast<std::size_t>(c.layer.layers));
    slots.vector(prefix + "hidden_norm.weight", h, n.hidden_norm);
    if (c.masks > 0) slots.vector(prefix + "mask_rep", 2 * h, n.mask);
    slots.layer(c.layer, prefix, 2 * h, n.layer[0]); // only the first layer sees pairs
    for (std::size_t l = 1; l < n.layer.size(); ++l) slots.layer(c.layer, all + "layers." + std::to_string(l) + ".", h, n.layer[l]);
    slots.vector(all + "norm.weight", h, n.norm);
    if (c.gathers_head) return;
    const std::string head = spelling(file, {"", kModelPrefix}, "lm_head.weight");
    slots.matrix(head + "lm_head.weight", c.draft_vocab, h, n.lm_head);
}

// Of the target's ids, all or some.
int ranked_ids(const DraftConfig& c) { return c.draft_vocab > 0 ? c.draft_vocab : c.layer.vocab; }

void domino_slots(DraftNetwork& n, const std::string& prefix, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden, g = c.gru, e = c.rank;
    slots.matrix(prefix + "prefix_gru.weight_ih_l0", 3 * g, h, n.gru_input);
    slots.matrix(prefix + "prefix_gru.weight_hh_l0", 3 * g, g, n.gru_hidden);
    slots.columns(prefix + "embed_proj.0.weight", e, 0, h, h + g, n.mix_row);
    slots.columns(prefix + "embed_proj.0.weight", e, h, g, h + g, n.mix_state);
    slots.matrix(prefix + "embed_proj.2.weight", ranked_ids(c), e, n.correction);
}

void dspark_slots(DraftNetwork& n, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden, rank = c.markov_rank;
    if (rank > 0) {
        slots.matrix("markov_head.markov_w1.weight", c.layer.vocab, rank, n.markov_in);
        slots.matrix("markov_head.markov_w2.weight", ranked_ids(c), rank, n.markov_out);
    }
    if (rank > 0 && c.markov == DraftConfig::Markov::gated) { // columns: the row, then the token before
        slots.columns("markov_head.gate_proj.weight", rank, 0, h, h + rank, n.gate_row);
        slots.columns("markov_head.gate_proj.weight", rank, h, rank, h + rank, n.gate_prev);
        slots.vector("markov_head.gate_proj.bias", rank, n.gate_bias);
    }
    if (rank > 0 && c.markov == DraftConfig::Markov::rnn) { // columns: the state, the token before, the row
        const char* const name = "markov_head.joint_proj.weight";
        slots.columns(name, 3 * rank, 0, rank, 2 * rank + h, n.joint_state);
        slots.columns(name, 3 * rank, rank, rank, 2 * rank + h, n.joint_prev);
        slots.columns(name, 3 * rank, 2 * rank, h, 2 * rank + h, n.joint_row);
        slots.vector("markov_head.joint_proj.bias", 3 * rank, n.joint_bias);
    }
    if (!c.confidence) return;
    const std::int64_t stored = c.confidence_with_markov ? h + rank : h;
    slots.columns("confidence_head.proj.weight", 1, 0, h, stored, n.confidence_row);
    if (c.confidence_with_markov) slots.columns("confidence_head.proj.weight", 1, h, rank, stored, n.confidence_prev);
    slots.vector("confidence_head.proj.bias", 1, n.confidence_bias);
}

void block_slots(DraftNetwork& n, const TensorFiles* file, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden;
    const std::string encoder = spelling(file, {"", kAssistantTensors}, "fc.weight");
    slots.matrix(encoder + "fc.weight", h, static_cast<std::int64_t>(c.taps.size()) * h, n.fc);
    slots.vector(encoder.empty() ? "hidden_norm.weight" : encoder + "output_norm_enc.weight", h, n.hidden_norm);
    n.layer.resize(static_cast<std::size_t>(c.layer.layers));
    for (std::size_t l = 0; l < n.layer.size(); ++l) slots.layer(c.layer, "layers." + std::to_string(l) + ".", h, n.layer[l]);
    slots.vector("norm.weight", h, n.norm);
    if (c.own_mask) slots.matrix(kMaskTensor, 1, h, n.mask);
    if (c.draft_vocab > 0 && !c.gathers_head) slots.matrix("lm_head.weight", c.draft_vocab, h, n.lm_head);
}

void dflash2_slots(DraftNetwork& n, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden, taps = c.conv_taps, rank = c.selector_rank;
    n.convolutions.resize(n.layer.size());
    for (std::size_t l = 0; l < n.layer.size(); ++l)
        for (auto& [name, conv] : {std::pair<const char*, SubLayerConvolutions&>{"attention_conv", n.convolutions[l].attention},
                                   {"mlp_conv", n.convolutions[l].mlp}}) {
            const std::string prefix = "layers." + std::to_string(l) + "." + name + ".";
            slots.vector(prefix + "base_kernel", {2, taps, h}, conv.base);
            slots.matrix(prefix + "kernel_projection.weight", 2 * taps * (h / c.conv_group), h, conv.added);
        }
    slots.matrix("candidate_selector.hidden_projection.weight", rank, h, n.selector_row);
    slots.table("candidate_selector.predecessor_codebook", c.layer.vocab, rank, n.predecessors);
    slots.table("candidate_selector.successor_codebook", c.layer.vocab, rank, n.successors);
}

void medusa_slots(DraftNetwork& n, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden;
    n.medusa.resize(static_cast<std::size_t>(c.medusa_heads));
    for (std::size_t i = 0; i < n.medusa.size(); ++i) {
        MedusaHead& head = n.medusa[i];
        const std::string prefix = "medusa_head." + std::to_string(i) + ".";
        head.blocks.resize(static_cast<std::size_t>(c.medusa_blocks));
        for (std::size_t b = 0; b < head.blocks.size(); ++b) {
            const std::string block = prefix + std::to_string(b) + ".linear.";
            slots.matrix(block + "weight", h, h, head.blocks[b].weight);
            slots.vector(block + "bias", h, head.blocks[b].bias);
        }
        if (!c.shared_head) slots.matrix(prefix + std::to_string(c.medusa_blocks) + ".weight", c.layer.vocab, h, head.head);
    }
}

// DraftConfig::tensors says in which of the layouts.
void mtp_slots(DraftNetwork& n, SlotList& slots) {
    const DraftConfig& c = n.config;
    const std::int64_t h = c.layer.hidden;
    const bool qwen = c.tensors == kQwenMtp;
    slots.matrix(c.tensors + (qwen ? "fc.weight" : "input_proj.weight"), h, 2 * h, n.fc);
    slots.vector(c.tensors + (qwen ? "pre_fc_norm_embedding.weight" : "token_layernorm.weight"), h, n.token_norm);
    slots.vector(c.tensors + (qwen ? "pre_fc_norm_hidden.weight" : "hidden_layernorm.weight"), h, n.hidden_norm);
    n.layer.resize(1);
    slots.layer(c.layer, c.tensors + (qwen ? "layers.0." : ""), h, n.layer[0]);
    slots.vector(c.tensors + (qwen ? "norm.weight" : "final_layernorm.weight"), h, n.norm);
}

// `file` chooses between spellings of names; null: the first ones.
std::vector<WeightSlot> network_slots(DraftNetwork& n, const TensorFiles* file) {
    SlotList slots;
    switch (n.config.method) {
    case Method::medusa: medusa_slots(n, slots); break;
    case Method::eagle3:
    case Method::dart: eagle3_slots(n, file, slots); break;
    case Method::dflash: block_slots(n, file, slots); break;
    case Method::domino:
        block_slots(n, file, slots);
        domino_slots(n, spelling(file, {"", "logit_head.", "logits_correction.", "domino_head."}, "prefix_gru.weight_ih_l0"), slots);
        break;
    case Method::dspark:
        block_slots(n, file, slots);
        dspark_slots(n, slots);
        break;
    case Method::mtp: mtp_slots(n, slots); break;
    case Method::dflash2:
        block_slots(n, file, slots);
        dflash2_slots(n, slots);
        break;
    }
    return slots.take();
}

bool is_list(const StoredTensor& stored, std::int64_t count) {
    return stored.shape == std::vector<std::int64_t>{count} || stored.shape == std::vector<std::int64_t>{count, 1};
}

// A list of `count` integers, stored as (count) or (count, 1) in any of the integer types that exports
// use; `marks` may be bytes too.
std::vector<std::int64_t> read_integers(const TensorFiles& file, const std::string& name, const StoredTensor& stored, std::int64_t count,
                                        bool marks) {
    const DType type = stored.dtype;
    const bool whole = type == DType::i64 || type == DType::i32 || (marks && (type == DType::u8 || type == DType::boolean));
    if (!whole || !is_list(stored, count))
        throw Error(file.file_name(stored) + ": " + name + " is " + name_of(type) + " of shape " + shape_text(stored.shape) +
                        ", expected i64 or i32 of shape " + shape_text({count}),
                    "Is this the right config.json?");
    const std::vector<std::byte> data = file.read(stored);
    std::vector<std::int64_t> values(static_cast<std::size_t>(count), 0);
    const auto widen = [&](auto narrow) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&narrow, data.data() + sizeof narrow * i, sizeof narrow);
            values[i] = static_cast<std::int64_t>(narrow);
        }
    };
    if (type == DType::i64)
        widen(std::int64_t{});
    else if (type == DType::i32)
        widen(std::int32_t{});
    else
        widen(std::uint8_t{});
    return values;
}

// t2d marks the target's ids that the head drafts. Where it marks as many as d2t names, they must be the
// same; nothing else reads it.
void compare_marks(const TensorFiles& file, const DraftConfig& config, const std::vector<int>& ids,
                   const std::vector<std::int64_t>& offsets) {
    const std::string name = spelling(&file, {"", kModelPrefix}, "t2d") + "t2d";
    const StoredTensor* stored = file.find(name);
    if (stored == nullptr || !is_list(*stored, config.layer.vocab)) return;
    const std::vector<std::int64_t> marks = read_integers(file, name, *stored, config.layer.vocab, true);
    if (std::ranges::count_if(marks, [](std::int64_t mark) { return mark != 0; }) != config.draft_vocab) return;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (marks[static_cast<std::size_t>(ids[i])] != 0) continue;
        const bool absolute = offsets[i] >= 0 && offsets[i] < config.layer.vocab && marks[static_cast<std::size_t>(offsets[i])] != 0;
        throw Error(file.file_name(*stored) + ": d2t[" + std::to_string(i) + "] is " + std::to_string(offsets[i]) +
                        ", which names the target's id " + std::to_string(ids[i]) + ", and t2d does not mark that one" +
                        (absolute ? "; it marks " + std::to_string(offsets[i]) + ", so d2t seems to hold ids" : ""),
                    absolute ? "d2t must hold offsets: subtract i from entry i." : "Download the weights again; the two must agree.");
    }
}

// d2t[i] is an offset: row i of the head stands for the target's id i + d2t[i]; or that id itself, where config.json says so.
std::vector<int> read_target_ids(const TensorFiles& file, const DraftConfig& config) {
    std::vector<int> ids(static_cast<std::size_t>(config.draft_vocab));
    const std::string name = spelling(&file, {"", kModelPrefix}, "d2t") + "d2t";
    const StoredTensor* stored = file.find(name);
    if (stored == nullptr && config.draft_vocab != config.layer.vocab)
        throw Error("model.safetensors: tensor d2t is missing, and the head has " + std::to_string(config.draft_vocab) + " of " +
                        std::to_string(config.layer.vocab) + " ids (draft_vocab_size)",
                    "Download the weights again; d2t says which ids they are.");
    std::vector<std::int64_t> offsets(ids.size(), 0);
    if (stored != nullptr) offsets = read_integers(file, name, *stored, config.draft_vocab, false);
    if (config.d2t_ids)
        for (std::size_t i = 0; stored != nullptr && i < offsets.size(); ++i) offsets[i] -= static_cast<std::int64_t>(i);
    const bool absolute = !config.d2t_ids && std::ranges::is_sorted(offsets, std::ranges::less_equal{}) && !offsets.empty() &&
                          offsets.front() >= 0 && offsets.back() < config.layer.vocab; // as ids they would fit
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        const std::int64_t last = i == 0 ? -1 : ids[i - 1];
        // compared before the addition, so that a wild offset cannot overflow
        if (offsets[i] < last + 1 - row || offsets[i] > config.layer.vocab - 1 - row) {
            const std::string what = "model.safetensors: d2t[" + std::to_string(i) + "] is " + std::to_string(offsets[i]);
            if (i > 0 && offsets[i] == last - row)
                throw Error(what + ", so " + std::to_string(i - 1) + " and " + std::to_string(i) +
                                " are two draft ids for the target's id " + std::to_string(last),
                            "The file is damaged: download the weights again.");
            throw Error(what + ", which is no ascending id of the target" + (absolute ? ": it holds ids, where offsets are expected" : ""),
                        absolute ? "d2t must hold offsets: subtract i from entry i, or say \"d2t_holds\": \"ids\" in config.json."
                                 : "The file is damaged or belongs to another vocabulary.");
        }
        ids[i] = static_cast<int>(row + offsets[i]);
    }
    if (stored != nullptr) compare_marks(file, config, ids, offsets);
    return ids;
}

// What a head pays for ranking every id of the target, although its own matrix could have fewer rows.
std::string whole_vocabulary(const DraftNetwork& network) {
    const DraftConfig& c = network.config;
    if ((c.method != Method::eagle3 && c.method != Method::dart) || c.draft_vocab != c.layer.vocab) return "";
    // of a step of its own: states of the target are fused once a round
    const auto step = static_cast<double>(network.bytes.per_token - network.fc.bytes());
    const auto share = static_cast<int>(std::lround(100 * static_cast<double>(network.lm_head.bytes()) / step));
    return "config.json: the head ranks all " + std::to_string(c.draft_vocab) +
           " ids of the target (draft_vocab_size = vocab_size); its output matrix is " + std::to_string(share) +
           " % of the bytes that a draft step reads";
}

// Tensors that exports carry along: copies of the target's own, and what only training needs.
bool ignorable(std::string_view name, bool own_head) {
    if (name.starts_with(kModelPrefix)) name.remove_prefix(std::string_view(kModelPrefix).size());
    if (name.ends_with(".inv_freq") || name == "t2d" || name == "embed_tokens.weight") return true;
    if (name == "verifier_lm_head.weight" || name == "verifier_norm.weight") return true; // the target's, by speculators
    return own_head ? name == "d2t" : name == "lm_head.weight";
}

// What the GRU adds for each token, so that a step of the head need not multiply for it: 5 MB for the
// built-in target, but 2 GB for an 8B model, where the product is faster than the memory.
std::size_t gru_table_bytes(const DraftConfig& c) {
    constexpr std::size_t kLargestTable = 32'000'000;
    if (c.method != Method::domino) return 0;
    const std::size_t bytes = static_cast<std::size_t>(ranked_ids(c)) * 3 * static_cast<std::size_t>(c.gru) * sizeof(float);
    return bytes > kLargestTable ? 0 : bytes;
}

void make_gru_table(DraftNetwork& network) {
    const DraftConfig& c = network.config;
    const std::int64_t columns = 3 * c.gru, vocab = ranked_ids(c);
    Backend& backend = network.backend();
    const std::int64_t most = backend.max_rows();
    network.gru_table = Buffer(backend, DType::f32, vocab, columns);
    Buffer ids(backend, DType::i32, 1, most), embedded(backend, DType::f32, most, c.layer.hidden);
    std::vector<int> these(static_cast<std::size_t>(most));
    for (std::int64_t first = 0; first < vocab; first += most) {
        const std::int64_t count = std::min(most, vocab - first);
        if (c.draft_vocab > 0)
            std::copy_n(network.target_id.begin() + first, count, these.begin());
        else
            std::iota(these.begin(), these.end(), static_cast<int>(first));
        const Tensor tokens = {ids.view().data, DType::i32, 1, count};
        backend.upload(tokens, these.data());
        backend.embed(network.target->embedding.view(), tokens, embedded.view().slice(0, count));
        const Projection input[] = {{network.gru_input.view(), {}, network.gru_table.view().slice(first, count)}};
        backend.matmul(embedded.view().slice(0, count), input);
    }
    network.bytes.add_table(network.gru_table.bytes());
}

// The target's rows of the ids that the head names.
void gather_head(DraftNetwork& network) {
    network.lm_head = gather_head_rows(network.backend(), network.target->head(), network.target_id);
    network.bytes.add_table(network.lm_head.bytes());
    network.bytes.per_token += network.lm_head.bytes();
}

void finish(DraftNetwork& network) {
    if (network.config.gathers_head) gather_head(network);
    if (gru_table_bytes(network.config) > 0) make_gru_table(network);
    if (network.config.method != Method::medusa) {
        network.cos_sin = make_cos_sin(network.backend(), network.config.layer);
        network.bytes.add_table(network.cos_sin.bytes());
    }
    network.backend().sync();
}

// The n-grams beside a DART head: of the two released files the full one first. Null: no file ends in .trie.
std::shared_ptr<const NgramTrie> read_ngrams(const std::filesystem::path& folder, const Progress& progress) {
    std::vector<std::filesystem::path> found;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failure))
        if (entry.path().extension() == ".trie") found.push_back(entry.path());
    if (found.empty()) return nullptr;
    std::ranges::sort(found);
    const auto full = std::ranges::find(found, "full.trie", [](const auto& path) { return path.filename(); });
    return std::make_shared<const NgramTrie>(NgramTrie::read(full == found.end() ? found.front() : *full, progress));
}

// Of a text that repeats itself with small changes.
std::shared_ptr<const NgramTrie> made_up_ngrams(int vocab) {
    std::vector<int> text;
    for (int i = 0; i < 4096; ++i) text.push_back(static_cast<int>((i * 31LL + i / 7 * 5LL) % vocab));
    return std::make_shared<const NgramTrie>(NgramTrie::count(std::span(&text, 1), 3));
}

// What both kinds of files end with: everything was compared, and the weights are brought to the backend.
void bring(DraftNetwork& network, const StoredWeights& weights, const Progress& progress) {
    check_memory(network.name, {.weights = weights.bytes_on_device()}, network.backend().free_memory());
    weights.import_into(network.backend(), network.name, progress, network.bytes, network.target->precision);
    finish(network);
    add_notice(network.config.notice, whole_vocabulary(network));
}

void load_gguf(DraftNetwork& network, const std::filesystem::path& path, const Progress& progress, const IgnoredKeys& ignored) {
    Gguf file = Gguf::open(path, progress);
    const std::vector<std::string> taken = take_ignored(file, ignored);
    const auto said = [&](const char* key) {
        const auto* text = std::get_if<std::string>(file.value(key));
        return text ? *text : std::string();
    };
    network.name = display_name(path, said("general.name"), said("general.basename"));
    network.config = gguf_head_config(file, network.target->config);
    network.config.ignored = taken;
    add_notice(network.config.notice, ignored_notice(file.name(), taken));
    network.target_id = gguf_head_ids(file, network.config);
    const RowTensors rows(file, gguf_head_tensors(file, network.config, [&](const StoredTensor& tensor) {
                              const bool kept = is_quantised(tensor.dtype) && network.backend().keeps(tensor.dtype, tensor.shape.back());
                              return kept ? tensor.dtype : DType::bf16;
                          }));
    bring(network, StoredWeights(rows, network_slots(network, &rows), [](std::string_view) { return false; }), progress);
}

// The tensors of a head that rotates pairs, in the order of one that rotates halves: the same scores, q and k alike.
std::map<std::string, RowTensors::Source> unpaired(const TensorFiles& file, const ModelConfig& layer) {
    std::map<std::string, RowTensors::Source> sources;
    for (const auto& [name, tensor] : file.tensors()) {
        const bool rotated = std::ranges::any_of(std::initializer_list<const char*>{"q_proj.", "k_proj.", "q_norm.", "k_norm."},
                                                 [&](const char* part) { return name.find(part) != std::string::npos; });
        sources[name] = {name, tensor.dtype, rotated ? layer.head_dim : 0};
    }
    return sources;
}

void load_folder(DraftNetwork& network, const std::filesystem::path& folder, const Progress& progress, const IgnoredKeys& ignored,
                 std::string_view changes) {
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure))
        throw wrong_path(folder, "a folder or a GGUF file",
                         "Give the folder of a draft head with config.json and model.safetensors, or a .gguf file of one.");
    network.name = std::filesystem::weakly_canonical(folder, failure).filename().string();
    const Safetensors stored = Safetensors::open_folder(folder);
    const ScaledTensors as_stored(stored);
    network.config = read_draft_config(folder, network.target->config, as_stored, ignored, changes);
    check_cancelled(progress);
    std::set<std::string> sliced; // by columns, which blocks of eight bits are not
    for (const WeightSlot& slot : network_slots(network, &stored))
        if (slot.stored_cols > 0) sliced.insert(slot.name);
    const ScaledTensors kept(stored, [&](const std::string& name, std::int64_t cols) {
        return !sliced.contains(name) && network.backend().keeps(DType::q8_0, cols);
    });
    std::optional<RowTensors> in_halves;
    if (network.config.interleaved) in_halves.emplace(kept, unpaired(kept, network.config.layer));
    const TensorFiles& file = in_halves ? static_cast<const TensorFiles&>(*in_halves) : kept;
    const bool own_head = network.config.draft_vocab > 0, mtp = network.config.method == Method::mtp;
    // An MTP head may stand in its model's own checkpoint: whatever has another beginning is the model's.
    const StoredWeights weights(file, network_slots(network, &file), [&](std::string_view name) {
        return mtp ? !name.starts_with(network.config.tensors) || name.ends_with("embed_tokens.weight") || name.ends_with(".inv_freq")
                   : ignorable(name, own_head);
    });
    if (own_head) network.target_id = read_target_ids(file, network.config);
    if (network.config.method == Method::dart) network.ngrams = read_ngrams(folder, progress);
    bring(network, weights, progress);
}

} // namespace

std::shared_ptr<const DraftNetwork> DraftNetwork::load(std::shared_ptr<const Model> target, const std::filesystem::path& path,
                                                       const Progress& progress, const IgnoredKeys& ignored, std::string_view changes) {
    auto network = std::make_shared<DraftNetwork>();
    network->target = std::move(target);
    network->path = path;
    if (const std::filesystem::path file = gguf_file(path); !file.empty())
        load_gguf(*network, file, progress, ignored);
    else
        load_folder(*network, path, progress, ignored, changes);
    return network;
}

std::size_t DraftNetwork::weight_bytes(const DraftConfig& config) {
    DraftNetwork shape;
    shape.config = config;
    const auto gathered =
        config.gathers_head ? bytes_of(DType::bf16, std::int64_t{config.draft_vocab} * config.layer.hidden) : std::size_t{0};
    return bf16_bytes(network_slots(shape, nullptr)) + gathered + gru_table_bytes(config) +
           (config.method == Method::medusa ? 0 : cos_sin_bytes(config.layer));
}

std::shared_ptr<const DraftNetwork> DraftNetwork::random(std::shared_ptr<const Model> target, const DraftConfig& config, std::string name,
                                                         std::uint64_t seed, const Progress& progress) {
    auto network = std::make_shared<DraftNetwork>();
    network->name = std::move(name);
    network->target = std::move(target);
    network->config = config;
    Backend& backend = network->backend();
    const std::vector<WeightSlot> slots = network_slots(*network, nullptr);
    check_memory(network->name, {.weights = bf16_bytes(slots)}, backend.free_memory());
    import_random(backend, slots, network->name, seed, progress, network->bytes, network->target->precision);
    if (config.method == Method::dart) network->ngrams = made_up_ngrams(config.layer.vocab);
    network->target_id.resize(static_cast<std::size_t>(config.draft_vocab));
    std::iota(network->target_id.begin(), network->target_id.end(), 0);
    finish(*network);
    return network;
}

} // namespace speclens
