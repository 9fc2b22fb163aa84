#include "engine/run/saved_settings.h"

#include <limits>
#include <utility>

namespace speclens {

RunSettings settings_of(const Header& header) {
    RunSettings settings;
    settings.prompt.text = header.chat ? header.chat->said : header.prompt_text;
    settings.prompt.chat = header.chat.has_value();
    if (header.chat) settings.prompt.system = header.chat->system, settings.prompt.thinking = header.chat->thinking;
    settings.drafter = header.drafter;
    settings.rule = header.rule;
    settings.rule_params = header.rule_params;
    settings.options = header.options;
    if (header.nodes > 0) settings.options.tree_budget = header.nodes;
    settings.options.fr_spec = header.draft_ids;
    settings.k_costs = header.k_costs;
    settings.sampling = header.sampling;
    if (!(header.draft_sampling == header.sampling)) settings.draft_sampling = header.draft_sampling;
#define SETTING(member, ...) settings.member = header.member;
#include "engine/run/run_settings.inc"
    return settings;
}

RunSettings repeated(RunSettings settings, const Trace& trace) {
    if (settings.k_auto) settings.k_rounds = text_of(written_sizes(trace, std::numeric_limits<int>::max()));
    return settings;
}

void take_settings(const RunSettings& settings, Header& header) {
    header.drafter = settings.drafter;
    header.rule = settings.rule;
    header.rule_params = settings.rule_params;
    header.sampling = settings.sampling;
    header.draft_sampling = settings.drafts();
#define SETTING(member, ...) header.member = settings.member;
#include "engine/run/run_settings.inc"
}

} // namespace speclens
