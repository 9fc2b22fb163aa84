#include "engine/run/saved_settings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/values.h"
#include "engine/run/draft_sizes.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"

namespace speclens {

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

// ---- the lengths of a run's drafts (draft_sizes.h) ----

namespace {

constexpr int kMostRounds = 100000, kMostDrafts = 256;

} // namespace

std::vector<DraftSize> draft_sizes(const std::string& text) {
    std::vector<DraftSize> sizes;
    if (text.empty()) return sizes;
    for (const std::string& part : split(text, ',')) {
        const std::string name = "the lengths of rounds";
        const std::size_t star = part.find('*'), colon = part.substr(0, star).find(':');
        const long long times = star == std::string::npos ? 1 : whole(name, part.substr(star + 1), 1, kMostRounds);
        DraftSize size;
        size.k = static_cast<int>(whole(name, part.substr(0, std::min(star, colon)), 0, 64));
        if (colon != std::string::npos)
            size.nodes =
                static_cast<int>(whole(name, part.substr(colon + 1, star == std::string::npos ? star : star - colon - 1), 0, kMostDrafts));
        if (static_cast<long long>(sizes.size()) + times > kMostRounds)
            throw Error(name + " are more than " + std::to_string(kMostRounds), "Give those of one run.", Exit::usage);
        sizes.insert(sizes.end(), static_cast<std::size_t>(times), size);
    }
    return sizes;
}

std::string text_of(const std::vector<DraftSize>& sizes) {
    std::string text;
    for (auto from = sizes.begin(); from != sizes.end();) {
        const auto to = std::find_if(from, sizes.end(), [&](const DraftSize& size) { return size != *from; });
        text += (text.empty() ? "" : ",") + std::to_string(from->k);
        if (from->nodes > 0) text += ":" + std::to_string(from->nodes);
        if (to - from > 1) text += "*" + std::to_string(to - from);
        from = to;
    }
    return text;
}

std::vector<DraftSize> written_sizes(const Trace& trace, int until) {
    std::vector<DraftSize> sizes;
    const RunView view = fold(trace, trace.size());
    for (const RoundSummary& round : view.round_list) {
        if (round.round >= until || !round.verify) break;
        DraftSize size;
        for (const DraftSlot& slot : round.drafts) size.k = std::max(size.k, slot.depth);
        if (round.tree || view.header->nodes > 0) size.nodes = static_cast<int>(round.drafts.size());
        sizes.push_back(round.verify->asked.value_or(size));
    }
    return sizes;
}

} // namespace speclens
