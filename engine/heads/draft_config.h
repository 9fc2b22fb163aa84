// The config.json of a draft network: which method it is, the geometry of its layers, what it taps from the
// target, and how its rows are aligned. Dialects of the public checkpoints:
// SafeAILab/AngelSlim/SpecForge/NeMo EAGLE-3, RedHat speculators (EAGLE-3, DFlash, DFlash 2, Domino, DSpark), z-lab DFlash and
// DFlash 2, transformers DFlash, Domino, deepseek-ai DSpark and block-7 DFlash, Medusa, DART. Where the name of the architecture says too
// little, the tensors say what a head is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.h"
#include "engine/weights/tensor_files.h"

namespace speclens {

struct DraftConfig {
    enum class Method { eagle3, dflash, domino, dspark, medusa, dart, mtp, dflash2 } method = Method::dflash;
    std::string architecture;         // as the file names it
    ModelConfig layer;                // geometry of the draft layers; vocab and hidden size are the target's
    std::vector<int> taps;            // see PassInput::taps
    std::string notice;               // lines: what of the files can be read in two ways, and which one was taken; empty: nothing
    std::vector<std::string> ignored; // places of keys that were passed over because they were named

    bool interleaved =
        false; // q and k are rotated in pairs (2i, 2i + 1), not (i, i + d/2); the loader brings their rows into the usual order

    // ---- block drafters: DFlash, DFlash 2, Domino, DSpark ----
    int block = 0;               // B: rows of a block, the anchor's included
    int mask_id = -1;            // the token that stands for "to be filled"; -1: the head has a row of its own
    bool own_mask = false;       // that row is the tensor mask_embedding, (1, h)
    bool anchor_aligned = false; // row k proposes the token at anchor + k + 1; else row k that at anchor + k
    bool conditioned = true;     // false: trained without the target's features (an ablation)
    // Most tokens one block can propose.
    [[nodiscard]] int most_drafts() const;

    // Window W of each layer, 0: it sees the whole text. Row j of a block sees the keys from anchor + j − (W
    // − 1) on (the rule of SpecForge's trainer and of vLLM); of the block itself the rows up to
    // its own, unless `window_causal` is false. Empty: no layer has a window.
    std::vector<int> windows;
    bool window_causal = true;

    // Ids that it ranks where those are not all of the target's (d2t says which), and of every EAGLE-3 and DART head;
    // else 0.
    int draft_vocab = 0;
    bool d2t_ids = false;      // the tensor d2t holds these ids themselves, not how far each is above its row
    bool gathers_head = false; // blocks: the files name the ids alone, and their rows are the target's

    // ---- EAGLE-3, DART ----
    bool fc_norm = false;              // every tap has a norm of its own before `fc`
    bool norm_before_fc = false;       // all taps, side by side, have one
    bool norm_before_residual = false; // the residual starts from the normed feature
    bool norm_output = false;          // EAGLE-3.1: the next guess goes on from the state behind `norm`, not from the one before it
    int output_norms = 1;              // times that `norm` is applied before the logits; 2: DART
    int masks = 0;                     // DART: columns behind the newest one, each for one place further ahead

    // ---- Domino ----
    int gru = 0;    // G, width of the causal state
    int rank = 0;   // E, width of the correction
    int prefix = 0; // R, leading drafts that use base logits only

    // ---- DSpark ----
    int markov_rank = 0;
    enum class Markov { vanilla, gated, rnn } markov = Markov::vanilla;
    bool confidence = false;
    bool confidence_with_markov = false;

    // ---- DFlash 2 ----
    int conv_taps = 0;     // rows that a convolution joins: each with those right before it
    int conv_group = 0;    // columns that share what a row adds to its kernel
    int candidates = 0;    // ids of a row that the selector chooses among
    int selector_rank = 0; // r

    // ---- Medusa ----
    int medusa_heads = 0;
    int medusa_blocks = 0;    // residual blocks per head
    bool shared_head = false; // the heads use the target's output matrix

    // ---- MTP ----
    std::string tensors;       // what stands before the names of its tensors
    bool state_first = false;  // the joining matrix reads the target's state first, then the token (MiMo)
    bool zeroes_first = false; // the token of the first row counts as zeros (MiMo)
};
[[nodiscard]] const char* name_of(DraftConfig::Method method); // "eagle3", as --drafter spells it
inline constexpr const char* kQwenMtp = "mtp.";                // DraftConfig::tensors of Qwen's layout; the others end in "mtp_layers.0."
inline constexpr const char* kAssistantTensors = "encoder.";   // before what reads the target's states, in transformers' layout of DFlash
inline constexpr int kMostCandidates = 1024;                   // of a row, DraftConfig::candidates
inline constexpr const char* kMaskTensor = "mask_embedding";   // see DraftConfig::own_mask

// The shape of the public heads of `drafter` (AngelSlim EAGLE-3, DART on the same layer, z-lab DFlash and DFlash 2, Huang2020 Domino,
// deepseek-ai DSpark) for a target of this shape, for cost measurements with random weights (bench --geometry). A small target gets heads
// as much smaller. Throws Error (usage) for drafters that have no such head.
[[nodiscard]] DraftConfig head_geometry(const std::string& drafter, const ModelConfig& target);

// Why a list of tapped layers makes no sense; empty: it does. `one_above`: by how much its numbers are above the layers whose outputs
// they mean; `joined`: how many fc.weight joins, 0: not known; `layers`: of the target.
[[nodiscard]] std::string taps_problem(const std::vector<int>& taps, int one_above, std::size_t joined, int layers);
inline constexpr const char* kTapsRemedy = "As many different layers of the target as fc.weight joins, in its order.";
// What a head that reads the target's last layer leaves open; empty: it reads others.
[[nodiscard]] std::string ambiguous_tap(const std::string& file, const std::vector<int>& taps, int layers);

// Throws Error naming the field. `target` is what the network drafts for: sizes that must agree are compared.
// `file`: the head's tensors, by whose names and shapes a head is told that its config.json calls something
// else. Keys that are `ignored` count as absent. `changes`: a JSON merge patch (RFC 7396) of the file's object, read instead of it.
[[nodiscard]] DraftConfig read_draft_config(const std::filesystem::path& folder, const ModelConfig& target, const TensorFiles& file,
                                            const IgnoredKeys& ignored = {}, std::string_view changes = {});

} // namespace speclens
