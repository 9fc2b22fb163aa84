// DFlash (Z Lab 2026): every row of the block is drawn by itself, so the draft tokens of one block do not know each other.
#include "engine/drafters/block.h"

namespace speclens {

DrafterInfo dflash_info() {
    return {
        .name = "dflash",
        .title = "DFlash",
        .short_title = "DFlash",
        .icon = "square",
        .about = "A block of masks filled in one pass, with the target's hidden states injected into every layer (Chen et al. 2026).",
        .how = "A block of masks is filled in one pass, all guesses at once. Hidden states of the target go into every layer of the draft. "
               "No guess knows what the others became.",
        .cost = draft_cost<"cost.block">,
        .kin = {.takes = "several hidden states",
                .sequential = "nothing: one pass",
                .keeps = "a cache of the states",
                .year = 2026,
                .source = "arXiv:2602.06036",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .needs = DrafterNeeds::network,
        .method = "dflash",
        .needs_layers = true,
        .drafting = Drafting::at_once,
        .block = true,
        .default_k = 7,
        .race_place = 2,
        .reads = reads_of(kBlockSettings),
        .published = {"dflash"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<BlockDrafter>(args); },
    };
}

} // namespace speclens
