// The shapes of published heads for cost measurements with random weights: those of assets/public/models.json.
#include <algorithm>

#include "engine/heads/draft_config.h"
#include "kernels/error.h"

namespace speclens {

DraftConfig head_geometry(const std::string& drafter, const ModelConfig& target) {
    using Method = DraftConfig::Method;
    DraftConfig config;
    config.layer = target;
    const bool wide = target.hidden >= 1024;
    if (drafter == "eagle3" || drafter == "eagle3_tree" || drafter == "dart") {
        config.method = drafter == "dart" ? Method::dart : Method::eagle3;
        if (config.method == Method::dart) config.masks = 7, config.output_norms = 2;
        config.layer.layers = 1;
        config.layer.qk_norm = config.layer.qkv_bias = false;
        config.taps = {2, target.layers / 2, target.layers - 3};
        config.draft_vocab = std::min(32000, target.vocab / 2);
        return config;
    }
    const auto methods = {Method::dflash, Method::dflash2, Method::domino, Method::dspark};
    const auto* const found = std::ranges::find(methods, drafter, [](Method method) { return std::string(name_of(method)); });
    if (found == methods.end())
        throw Error("no published shape for a head of \"" + drafter + "\"",
                    "With --geometry, choose from eagle3, eagle3_tree, dart, dflash, dflash2, domino, dspark, lookup and skip.",
                    Exit::usage);
    config.method = *found;
    config.layer.layers = wide ? 5 : 2;
    config.layer.qk_norm = true;
    config.layer.qkv_bias = false;
    for (int i = 0; i < 5; ++i) config.taps.push_back(std::max(0, 1 + i * (target.layers - 4) / 4));
    config.block = config.method == Method::dspark ? 7 : 16;
    config.mask_id = target.vocab - 1;
    config.anchor_aligned = config.method == Method::domino || config.method == Method::dspark;
    config.conv_taps = 2;
    config.conv_group = 16;
    config.candidates = 16;
    config.selector_rank = wide ? 256 : 16;
    config.gru = wide ? 1024 : 64;
    config.rank = wide ? 256 : 16;
    config.prefix = 1;
    config.markov_rank = wide ? 256 : 16;
    config.confidence = config.confidence_with_markov = config.method == Method::dspark;
    return config;
}

} // namespace speclens
