#include "app/render/code_labels.h"

#include <algorithm>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/scene.h"
#include "ui/theme.h"

namespace speclens {
namespace {

std::set<std::string> labels_in_tables() {
    std::set<std::string> labels;
    for (const SceneInfo& scene : scene_list()) {
        labels.insert({scene.title, scene.about});
        for (const auto& [keys, words] : scene.make()->keys()) labels.insert(words);
    }
    for (const SceneGroup& group : scene_groups()) labels.insert(group.title);
    for (const DrafterInfo& drafter : drafter_list()) labels.insert({drafter.title, drafter.about, method_title(drafter.name)});
    for (const RuleInfo& rule : rule_list()) labels.insert(rule.title);
    for (const ui::Role role : ui::kRoles) labels.insert(ui::role_name(role));
    return labels;
}

} // namespace

std::vector<std::string> labels_left_in_english(const ui::Language& language) {
    ui::Language listening = language;
    bool left = false;
    listening.unknown = [&](std::string_view) { left = true; };
    std::vector<std::string> labels;
    for (const std::string& label : labels_in_tables()) {
        left = false;
        (void)listening.label(label);
        if (left || !listening.translates()) labels.push_back(label);
    }
    return labels;
}

} // namespace speclens
