#include "engine/run/fitting.h"

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "engine/models/models.h"
#include "kernels/error.h"

namespace speclens {
namespace {

void as_text(Prompt& prompt) {
    prompt.chat = false;
    prompt.system.clear();
}

void fit_prompt(const Models& models, Prompt& prompt, const std::string& text) {
    if (models.tokenizer) {
        if (prompt.token_ids.empty()) return;
        prompt.token_ids.clear(); // numbers of another vocabulary
        as_text(prompt);
        if (!text.empty()) prompt.text = text;
    } else if (models.target) { // it can be told ids only
        const auto known = [&](int id) { return id >= 0 && id < models.vocab(); };
        if (prompt.token_ids.empty() || !std::ranges::all_of(prompt.token_ids, known)) prompt.token_ids = {0};
    }
}

bool suits(const Models& models, const RunSettings& settings) {
    if (draft_ids(settings.options) > models.vocab() || (settings.options.small_ids > 0 && !models.small_ids)) return false;
    try {
        check_options(settings.drafter, settings.options, models.layers());
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

std::string default_drafter(const std::function<bool(const std::string&)>& ready) {
    const DrafterInfo* by_default = find_drafter(kNoDrafter);
    for (const DrafterInfo& drafter : drafter_list())
        if (drafter.default_order > 0 && (by_default->default_order == 0 || drafter.default_order < by_default->default_order) &&
            ready(drafter.name))
            by_default = &drafter;
    return by_default->name;
}
std::string default_drafter(const Models& models) {
    return default_drafter([&](const std::string& drafter) { return models.why_not(drafter).empty(); });
}

RunSettings fitting_settings(const Models& models, RunSettings before, const std::string& text) {
    RunSettings settings = std::move(before);
    settings.k_costs.reset(); // of another model's rounds
    settings.k_rounds.clear();
    fit_prompt(models, settings.prompt, text);
    if (settings.prompt.chat && !models.chat.problem.empty()) as_text(settings.prompt);
    if (!models.why_not(settings.drafter).empty()) {
        const std::string by_default = default_drafter(models);
        settings.rule = judging_rule(settings.rule, settings.drafter, by_default);
        settings.draft_with(by_default);
        settings.options = {};
    } else if (!suits(models, settings)) {
        settings.options = {};
    }
    return settings;
}

} // namespace speclens
