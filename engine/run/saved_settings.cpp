#include "engine/run/saved_settings.h"

#include <algorithm>
#include <limits>

#include "engine/base/values.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run_view.h"

namespace speclens {

void RunSettings::draft_with(const std::string& name) {
    if (drafter == name) return;
    drafter = name;
    k_costs.reset();
    k_rounds.clear();
}

RunSettings RunSettings::with_fixed_k() const {
    RunSettings fixed = *this;
    fixed.k_auto = false;
    fixed.k_rounds.clear();
    fixed.k_costs.reset();
    return fixed;
}

const RunSettings& settings_at(int round, const std::vector<EarlierSettings>& earlier, const RunSettings& now) {
    for (const EarlierSettings& old : earlier)
        if (round < old.until) return old.settings;
    return now;
}

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
    if (settings.options.small_ids == 0) settings.options.fr_spec = header.draft_ids;
    settings.k_costs = header.k_costs;
    settings.sampling = header.sampling;
    if (!(header.draft_sampling == header.sampling)) settings.draft_sampling = header.draft_sampling;
#define SETTING(type, member, ...) settings.member = header.member;
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
#define SETTING(type, member, ...) header.member = settings.member;
#include "engine/run/run_settings.inc"
}

std::vector<DraftSize> written_sizes(const Trace& trace, int until) {
    std::vector<DraftSize> sizes;
    const RunView view = fold(trace, trace.size());
    for (const RoundSummary& round : view.round_list) {
        if (round.round >= until || !round.verify) break;
        DraftSize size;
        for (const DraftSlot& slot : round.drafts) size.k = std::max(size.k, slot.depth);
        if (round.tree || view.header->nodes > 0) size.nodes = static_cast<int>(round.drafts.size());
        size.by = part_of(view.header->drafter, 0) ? round.verify->by : 0;
        sizes.push_back(round.verify->asked.value_or(size));
    }
    return sizes;
}

} // namespace speclens
