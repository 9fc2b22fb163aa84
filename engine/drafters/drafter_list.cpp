// What the names of drafters stand for, and what belongs to every drafter's arguments and drafts.
#include <algorithm>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {

const DrafterInfo* find_drafter(const std::string& name) {
    for (const DrafterInfo& info : drafter_list())
        if (name == info.name) return &info;
    return nullptr;
}

bool can_judge(const RuleInfo& rule, const DrafterInfo& drafter) {
    return !drafter.tree || rule.siblings != Siblings::none;
}

std::string judging_rule(const std::string& rule, const std::string& drafter) {
    const RuleInfo* by = find_rule(rule);
    const DrafterInfo* who = find_drafter(drafter);
    if (!by || !who) return rule;
    if (!can_judge(*by, *who)) return who->needs_network() ? "tree_topk" : "tree_wor";
    // On a chain top tokens would keep a drawn guess with p, not min(1, p / q).
    return rule == "tree_topk" && !who->tree ? "token" : rule;
}

std::string judging_rule(const std::string& rule, const std::string& before, const std::string& drafter) {
    const RuleInfo* by = find_rule(rule);
    const DrafterInfo *from = find_drafter(before), *to = find_drafter(drafter);
    const bool leaves_trees = from && from->tree && to && !to->tree;
    const bool asked_for = leaves_trees && by && by->siblings != Siblings::none && !by->greedy_only;
    return judging_rule(asked_for ? "token" : rule, drafter);
}

bool Draft::is_chain() const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].parent != static_cast<int>(i) - 1) return false;
    return true;
}

std::vector<int> Draft::depths() const {
    std::vector<int> depth;
    for (const DraftNode& node : nodes)
        depth.push_back(node.parent < 0 ? 1 : depth[static_cast<std::size_t>(node.parent)] + 1);
    return depth;
}

std::vector<int> Draft::lanes() const {
    std::vector<int> lane, children(nodes.size() + 1, 0);  // children so far of node i at i + 1
    for (const DraftNode& node : nodes) lane.push_back(children[static_cast<std::size_t>(node.parent + 1)]++);
    return lane;
}

std::optional<int> DraftRequest::forced(int index) const {
    for (const auto& [at, token] : force)
        if (at == index) return token;
    return std::nullopt;
}

OutputHead DrafterArgs::target_head() const {
    if (options.fr_spec == 0) return {network->target->head(), {}, {}};
    CHECK(frequent != nullptr, "--fr-spec without a list of ids");
    return frequent->cut(network->backend(), network->target->head(), network->target, options.fr_spec);
}

OutputHead DrafterArgs::output_head(const Tensor& matrix) const {
    if (options.fr_spec == 0) return {matrix, {}, {}};
    CHECK(frequent != nullptr, "--fr-spec without a list of ids");
    return frequent->cut(network->backend(), matrix, network, options.fr_spec);
}

std::string network_of(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info && info->tree ? drafter.substr(0, drafter.rfind("_tree")) : drafter;
}

bool has_whole_head(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    if (!info || drafter == "none" || drafter == "lookup") return false;
    return drafter != "eagle3" && drafter != "eagle3_tree" && drafter != "dart"; // theirs ranks some ids only
}

int usual_k(const std::string& drafter) {
    if (drafter == "none") return 0;
    if (drafter == "dflash" || drafter == "domino" || drafter == "dspark") return 7; // half a block of 16, a verify of 8
    if (drafter == "dart") return 7; // levels of its tree, all from one pass
    return 4;
}

bool guesses_at_once(const std::string& drafter) {
    constexpr const char* kBlocks[] = {"dflash", "domino", "dspark", "medusa", "dart", "lookup"};
    return std::ranges::find(kBlocks, drafter) != std::end(kBlocks);
}

void take_options(const std::string& drafter, const DrafterOptions& from, DrafterOptions& to) {
    if (drafter == "lookup") {
        to.ngram_min = from.ngram_min;
        to.ngram_max = from.ngram_max;
        to.ngram_recent = from.ngram_recent;
    }
    if (drafter == "skip") {
        to.exit_layer = from.exit_layer;
        to.skip_attention = from.skip_attention;
        to.skip_mlp = from.skip_mlp;
    }
    if (drafter == "dflash" || drafter == "domino" || drafter == "dspark") {
        to.conditioning = from.conditioning;
        to.context_last = from.context_last;
        to.tap_shift = from.tap_shift;
    }
    if (drafter == "domino" || drafter == "dspark") to.correction = from.correction;
    if (drafter == "dspark") to.confidence = from.confidence;
    if (drafter == "dart") to.ngram_weight = from.ngram_weight;
    if (drafter == "domino") to.head_pool = from.head_pool;
    if (has_whole_head(drafter)) to.fr_spec = from.fr_spec;
    if (const DrafterInfo* info = find_drafter(drafter); info && info->tree) {
        to.tree_topk = from.tree_topk;
        to.tree_depth = from.tree_depth;
        to.tree_budget = from.tree_budget;
    }
}

void check_options(const std::string& drafter, const DrafterOptions& options, int target_layers) {
    const DrafterOptions defaults;
    const auto reject = [&](const char* option, const char* owner) {
        throw Error(std::string(option) + " has no meaning for the drafter \"" + drafter + "\"",
                    std::string("It belongs to --drafter ") + owner + ".", Exit::usage);
    };
    if (drafter != "lookup") {
        if (options.ngram_min != defaults.ngram_min || options.ngram_max != defaults.ngram_max) reject("--ngram", "lookup");
        if (options.ngram_recent) reject("--ngram-recent", "lookup");
    } else if (options.ngram_min < 1 || options.ngram_max < options.ngram_min || options.ngram_max > 64) {
        throw Error("--ngram needs 1 <= MIN <= MAX <= 64, got " + std::to_string(options.ngram_min) + "," +
                        std::to_string(options.ngram_max),
                    "For example --ngram 1,3.", Exit::usage);
    }
    const bool block = drafter == "dflash" || drafter == "domino" || drafter == "dspark";
    if (!block) {
        if (!options.conditioning) reject("--no-conditioning", "dflash, domino or dspark");
        if (options.context_last != 0) reject("--context-last", "dflash, domino or dspark");
        if (options.tap_shift != 0) reject("--tap-shift", "dflash, domino or dspark");
    } else if (options.context_last < 0) {
        throw Error("--context-last must be at least 1 position, got " + std::to_string(options.context_last),
                    "Leave it out to use the whole text.", Exit::usage);
    }
    if (drafter != "domino" && drafter != "dspark" && !options.correction) reject("--no-correction", "domino or dspark");
    if (drafter != "dspark" && options.confidence != 0) reject("--confidence", "dspark");
    if (!(options.confidence >= 0 && options.confidence <= 1))
        throw Error("--confidence must be a probability from 0 to 1, got " + std::to_string(options.confidence),
                    "0 never stops early.", Exit::usage);
    if (options.fr_spec < 0)
        throw Error("--fr-spec must be a number of ids, got " + std::to_string(options.fr_spec), "For example --fr-spec 1024.",
                    Exit::usage);
    if (options.fr_spec > 0 && (drafter == "eagle3" || drafter == "eagle3_tree" || drafter == "dart"))
        throw Error("--fr-spec does nothing for \"" + drafter + "\": its head has a reduced vocabulary of its own",
                    "Leave it out; draft_vocab_size in the head's config.json says how many ids it ranks.", Exit::usage);
    if (options.fr_spec > 0 && !has_whole_head(drafter)) reject("--fr-spec", "small, skip, dflash, domino, dspark or medusa");
    if (drafter != "dart" && options.ngram_weight != defaults.ngram_weight) reject("--ngram-weight", "dart");
    if (!(options.ngram_weight >= 0 && options.ngram_weight <= 10))
        throw Error("--ngram-weight must be 0 … 10, got " + std::to_string(options.ngram_weight),
                    "The released search has 0.5; 0 drafts without n-grams.", Exit::usage);
    if (drafter != "domino" && options.head_pool != 0) reject("--head-pool", "domino");
    if (options.head_pool < 0)
        throw Error("--head-pool must be a number of ids, got " + std::to_string(options.head_pool), "For example --head-pool 256.",
                    Exit::usage);
    const DrafterInfo* info = find_drafter(drafter);
    if (!info || !info->tree) {
        if (options.tree_topk != defaults.tree_topk) reject("--tree-topk", "small_tree, eagle3_tree, medusa_tree or dart");
        if (options.tree_depth != defaults.tree_depth) reject("--tree-depth", "small_tree, eagle3_tree, medusa_tree or dart");
        if (options.tree_budget != defaults.tree_budget) reject("--tree-budget", "small_tree, eagle3_tree, medusa_tree or dart");
    } else {
        const auto within = [](const char* option, int value, int least, int most) {
            if (value >= least && value <= most) return;
            throw Error(std::string(option) + " must be " + std::to_string(least) + " … " + std::to_string(most) + ", got " +
                            std::to_string(value),
                        "For example --tree-topk 3 --tree-depth 4 --tree-budget 16.", Exit::usage);
        };
        within("--tree-topk", options.tree_topk, 1, 64);
        within("--tree-depth", options.tree_depth, 0, 64);
        within("--tree-budget", options.tree_budget, 1, 256);
    }
    if (drafter != "skip") {
        if (options.exit_layer != 0) reject("--exit-layer", "skip");
        if (!options.skip_attention.empty()) reject("--skip-attention", "skip");
        if (!options.skip_mlp.empty()) reject("--skip-mlp", "skip");
        return;
    }
    if (options.exit_layer < 0 || options.exit_layer > target_layers)
        throw Error("--exit-layer must be 1 … " + std::to_string(target_layers) + " for this target, got " +
                        std::to_string(options.exit_layer),
                    "Leave it out to use two thirds of the layers.", Exit::usage);
    for (const std::vector<int>* set : {&options.skip_attention, &options.skip_mlp})
        for (int layer : *set)
            if (layer < 0 || layer >= target_layers)
                throw Error("layer " + std::to_string(layer) + " to skip does not exist; the target has layers 0 … " +
                                std::to_string(target_layers - 1),
                            "List layer numbers separated by commas.", Exit::usage);
}

}  // namespace speclens
