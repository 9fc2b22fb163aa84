// DFlash (Z Lab 2026): every row of the block is drawn by itself, so the draft tokens of one block do not know each other.
#include "engine/drafters/block.h"

namespace speclens {

DrafterInfo dflash_info() {
    return {
        .name = "dflash",
        .title = drafter_said("dflash.title"_t),
        .short_title = drafter_said("dflash.title"_t),
        .icon = "square",
        .about = drafter_said("dflash.about"_t),
        .how = drafter_said("dflash.how"_t),
        .cost = draft_cost<"cost.block">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:pass_once"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
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
