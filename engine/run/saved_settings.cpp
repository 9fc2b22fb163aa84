#include "engine/run/saved_settings.h"

namespace speclens {

RunSettings settings_of(const Header& header) {
    RunSettings settings;
    settings.prompt = header.chat ? header.chat->said : header.prompt_text;
    settings.chat = header.chat.has_value();
    if (header.chat) settings.system = header.chat->system, settings.thinking = header.chat->thinking;
    settings.drafter = header.drafter;
    settings.rule = header.rule;
    settings.rule_params = header.rule_params;
    settings.k = header.k;
    settings.options = header.options;
    if (header.nodes > 0) settings.options.tree_budget = header.nodes;
    settings.options.fr_spec = header.draft_ids;
    settings.sampling = header.sampling;
    if (!(header.draft_sampling == header.sampling)) settings.draft_sampling = header.draft_sampling;
    settings.seed = header.seed;
    settings.max_tokens = header.max_tokens;
    settings.timing = header.timing;
    return settings;
}

} // namespace speclens
