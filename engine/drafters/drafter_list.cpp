// What the names of drafters stand for, and what belongs to every drafter's arguments and drafts.
#include <algorithm>

#include "engine/drafters/chained.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {

const DrafterInfo* find_drafter(const std::string& name) {
    for (const DrafterInfo& info : drafter_list())
        if (name == info.name) return &info;
    return find_chained(name);
}

std::vector<const DrafterInfo*> DrafterInfo::parts() const {
    return chained() ? std::vector<const DrafterInfo*>{first, second} : std::vector<const DrafterInfo*>{this};
}

std::vector<Setting> reads_of(std::span<const Setting> shared, std::initializer_list<Setting> own) {
    std::vector<Setting> all(shared.begin(), shared.end());
    for (const Setting one : own) all.push_back(one);
    return all;
}

bool can_judge(const RuleInfo& rule, const DrafterInfo& drafter) {
    return (!drafter.tree || rule.siblings != Siblings::none) && !(drafter.chained() && rule.is_cascade());
}

std::string judging_rule(const std::string& rule, const std::string& drafter) {
    const RuleInfo* by = find_rule(rule);
    const DrafterInfo* who = find_drafter(drafter);
    if (!by || !who) return rule;
    if (!can_judge(*by, *who)) return !who->tree ? "token" : who->needs_network() ? "tree_topk" : "tree_wor";
    // On a chain top tokens would keep a drawn draft token with p, not min(1, p / q).
    return rule == "tree_topk" && !who->tree ? "token" : rule;
}

std::string judging_rule(const std::string& rule, const std::string& before, const std::string& drafter) {
    const RuleInfo* by = find_rule(rule);
    const DrafterInfo *from = find_drafter(before), *to = find_drafter(drafter);
    const bool leaves_trees = from && from->tree && to && !to->tree;
    const bool asked_for = leaves_trees && by && by->siblings != Siblings::none && !by->greedy_only;
    // Nor was the usual rule of one tree asked for where another one takes over, which may have another: drawn siblings, chosen ones.
    const bool by_default = from && from->tree && to && to->tree && rule == judging_rule("token", before);
    return judging_rule(asked_for || by_default ? "token" : rule, drafter);
}

bool Draft::is_chain() const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].parent != static_cast<int>(i) - 1) return false;
    return true;
}

std::vector<int> Draft::depths() const {
    std::vector<int> depth;
    for (const DraftNode& node : nodes) depth.push_back(node.parent < 0 ? 1 : depth[static_cast<std::size_t>(node.parent)] + 1);
    return depth;
}

std::vector<int> Draft::lanes() const {
    std::vector<int> lane, children(nodes.size() + 1, 0); // children so far of node i at i + 1
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
    return frequent->reduced_head(network->backend(), network->target->head(), network->target, options.fr_spec);
}

OutputHead DrafterArgs::output_head(const Tensor& matrix) const {
    if (options.fr_spec == 0) return {matrix, {}, {}};
    CHECK(frequent != nullptr, "--fr-spec without a list of ids");
    return frequent->reduced_head(network->backend(), matrix, network, options.fr_spec);
}

std::string network_of(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    if (!info) return drafter;
    if (info->chained()) {
        const DrafterInfo* loads = info->first->needs == DrafterNeeds::nothing ? info->second : info->first;
        return network_of(!loads->needs_network() && info->second->needs_network() ? info->second->name : loads->name);
    }
    return *info->method ? info->method : drafter;
}

const DrafterInfo* part_of(const std::string& drafter, int part) {
    const DrafterInfo* info = part == 0 || part == 1 ? find_drafter(drafter) : nullptr;
    return info && info->chained() ? info->parts()[static_cast<std::size_t>(part)] : nullptr;
}

std::vector<std::string> offered_chains(const std::vector<std::string>& ready) {
    std::vector<std::string> chains;
    for (const DrafterInfo& first : drafter_list())
        for (const DrafterInfo& second : drafter_list())
            if (first.copies() && !second.copies() && first.default_order > 0 && second.default_order > 0 && is_ready(ready, first.name) &&
                is_ready(ready, second.name))
                chains.push_back(std::string(first.name) + "+" + second.name);
    return chains;
}

bool drafts_with(const std::string& drafter, const std::string& name) {
    const DrafterInfo* info = find_drafter(drafter);
    return info && std::ranges::any_of(info->parts(), [&](const DrafterInfo* part) { return name == part->name; });
}

bool is_ready(const std::vector<std::string>& ready, const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    if (!info) return false;
    return std::ranges::all_of(info->parts(), [&](const DrafterInfo* part) { return std::ranges::find(ready, part->name) != ready.end(); });
}

int default_k(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->default_k : 4;
}

bool drafts_at_once(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info && info->at_once();
}

bool reads_setting(const std::string& drafter, Setting setting) {
    const DrafterInfo* info = find_drafter(drafter);
    return info && info->reads_setting(setting);
}

std::string readers_of(Setting setting) {
    std::string names;
    for (const DrafterInfo& info : drafter_list())
        if (info.reads_setting(setting)) names += (names.empty() ? "" : ", ") + std::string(info.name);
    return names;
}

void take_options(const std::string& drafter, const DrafterOptions& from, DrafterOptions& to) {
    for (const DrafterSetting& setting : drafter_settings())
        if (reads_setting(drafter, setting.id)) copy(setting, from, to);
}

void check_options(const std::string& drafter, const DrafterOptions& options, int target_layers) {
    const DrafterInfo* info = find_drafter(drafter);
    for (const DrafterSetting& setting : drafter_settings()) {
        check_range(setting, options);
        if (is_default(setting, options) || reads_setting(drafter, setting.id)) continue;
        const std::string option = "--" + std::string(setting.option);
        if (setting.id == Setting::fr_spec && info && info->own_ids)
            throw Error(option + " does nothing for \"" + drafter + "\": its head has a reduced vocabulary of its own",
                        "Leave it out; draft_vocab_size in the head's config.json says how many ids it ranks.", Exit::usage);
        throw Error(option + " has no meaning for the drafter \"" + drafter + "\"",
                    "It belongs to --drafter " + readers_of(setting.id) + ".", Exit::usage);
    }
    if (options.fr_spec > 0 && options.small_ids > 0)
        throw Error("--fr-spec and --small-ids both say which ids are ranked", "Give one of them.", Exit::usage);
    if (!info) return;
    for (const DrafterInfo* part : info->parts())
        if (part->check) part->check(options, target_layers);
}

} // namespace speclens
