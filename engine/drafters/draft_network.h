// The weights of a trained drafter that lives on its target: EAGLE-3, DART, DFlash, DFlash 2, Domino, DSpark, Medusa or MTP. It
// has no embedding of its own and, where it ranks all ids, no output matrix: it shares the target's. Immutable after
// loading. What the parts compute is said in engine/drafters/.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/drafters/ngram_trie.h"
#include "engine/heads/draft_config.h"
#include "engine/model/model.h"

namespace speclens {

struct MedusaHead {
    struct Block {
        Buffer weight, bias; // (h, h), (1, h)
    };
    std::vector<Block> blocks;
    Buffer head; // (V, h), empty when the target's is shared
};

// DFlash 2: the convolutions before a sub-layer and behind it, with t taps over g groups of columns.
struct SubLayerConvolutions {
    Buffer base;  // (1, 2t * h) f32: (t, h) of the first, then of the second
    Buffer added; // (2t * g, h): what a row of the sub-layer's input adds to both
};

class DraftNetwork {
  public:
    // `path`: a folder with config.json and model.safetensors, a GGUF file, or a folder that holds one. Throws Error (files, shapes, a head
    // for another target) or Cancelled. Keys of its config.json or metadata that are `ignored` count as absent; `changes` as
    // read_draft_config(), of folders only.
    [[nodiscard]] static std::shared_ptr<const DraftNetwork> load(std::shared_ptr<const Model> target, const std::filesystem::path& path,
                                                                  const Progress& progress = {}, const IgnoredKeys& ignored = {},
                                                                  std::string_view changes = {});

    // Random weights of a given shape (cost measurements, tests); an EAGLE-3 head drafts the first ids.
    [[nodiscard]] static std::shared_ptr<const DraftNetwork> random(std::shared_ptr<const Model> target, const DraftConfig& config,
                                                                    std::string name, std::uint64_t seed, const Progress& progress = {});

    // Bytes of a head of this shape in bf16, with its tables: WeightBytes::all without loading anything.
    [[nodiscard]] static std::size_t weight_bytes(const DraftConfig& config);

    [[nodiscard]] Backend& backend() const { return *target->backend; }

    std::string name;           // of the folder, or what a GGUF file calls itself
    std::filesystem::path path; // that it was loaded from; empty: it was made here
    DraftConfig config;
    std::shared_ptr<const Model> target;

    Buffer fc;                   // (h, taps * h); MTP: (h, 2h)
    std::vector<Buffer> fc_norm; // EAGLE-3: (1, h) of each tap, or empty
    Buffer input_norm;           // EAGLE-3: (1, taps * h), of all of them side by side, or empty
    Buffer hidden_norm;          // (1, h): of the fused features; MTP: of the target's state
    Buffer token_norm;           // MTP: (1, h), of the embedding
    Buffer norm;                 // (1, h): before the logits
    Buffer cos_sin;              // (positions, d)
    std::vector<LayerWeights> layer;

    Buffer lm_head;             // (draft vocabulary, h), its own or gathered; empty where the target's is used
    std::vector<int> target_id; // id in the target's vocabulary of each row of lm_head, ascending

    Buffer mask; // what stands for a place still to be drafted. DART: (1, 2h) f32; blocks with a mask of their own: (1, h)
    std::shared_ptr<const NgramTrie> ngrams; // DART: of the .trie file in the folder; null: there is none

    Buffer gru_input, gru_hidden; // Domino: (3G, h), (3G, G)
    Buffer mix_row, mix_state;    // Domino: (E, h), (E, G), the two halves of embed_proj.0
    Buffer correction;            // Domino: (V or draft vocabulary, E)
    // Domino: (V or draft vocabulary, 3G) f32, gru_input·embedding of every token that the head ranks, where that is small
    Buffer gru_table;

    Buffer markov_in, markov_out;          // DSpark: (V, ρ), (V or draft vocabulary, ρ)
    Buffer gate_row, gate_prev, gate_bias; // gated: (ρ, h), (ρ, ρ), (1, ρ)
    // rnn: (3ρ, ρ), (3ρ, ρ), (3ρ, h), (1, 3ρ), stacked as gate, candidate, output
    Buffer joint_state, joint_prev, joint_row, joint_bias;
    Buffer confidence_row, confidence_prev; // DSpark: (1, h), (1, ρ)
    Buffer confidence_bias;                 // DSpark: (1, 1)

    struct LayerConvolutions {
        SubLayerConvolutions attention, mlp;
    };
    std::vector<LayerConvolutions> convolutions; // DFlash 2: of each layer
    Buffer predecessors, successors;             // DFlash 2: (V, r), of the token before and of a candidate
    Buffer selector_row;                         // DFlash 2: (r, h)

    std::vector<MedusaHead> medusa;
    WeightBytes bytes; // without what is shared
};

} // namespace speclens
