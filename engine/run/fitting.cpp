#include "engine/run/fitting.h"

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "engine/run/models.h"
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
    if (settings.options.fr_spec > models.vocab()) return false;
    try {
        check_options(settings.drafter, settings.options, models.layers());
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

std::string usual_drafter(const std::function<bool(const std::string&)>& ready) {
    const DrafterInfo* usual = find_drafter(kNoDrafter);
    for (const DrafterInfo& drafter : drafter_list())
        if (drafter.usual_place > 0 && (usual->usual_place == 0 || drafter.usual_place < usual->usual_place) && ready(drafter.name)) usual = &drafter;
    return usual->name;
}
std::string usual_drafter(const Models& models) {
    return usual_drafter([&](const std::string& drafter) { return models.why_not(drafter).empty(); });
}

RunSettings fitting_settings(const Models& models, RunSettings before, const std::string& text) {
    RunSettings settings = std::move(before);
    fit_prompt(models, settings.prompt, text);
    if (settings.prompt.chat && !models.chat.problem.empty()) as_text(settings.prompt);
    if (!models.why_not(settings.drafter).empty()) {
        const std::string usual = usual_drafter(models);
        settings.rule = judging_rule(settings.rule, settings.drafter, usual);
        settings.drafter = usual;
        settings.options = {};
    } else if (!suits(models, settings)) {
        settings.options = {};
    }
    return settings;
}

} // namespace speclens
