#include "engine/run/auto_length.h"

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/prepared_run.h"
#include "engine/run/run_view.h"
#include "engine/run/saved_settings.h"

namespace speclens {
namespace {

constexpr DraftSize kAnything{.k = 1 << 20, .nodes = 1 << 20};

DraftSize asked_of(const RoundSummary& round) { return round.verify && round.verify->asked ? *round.verify->asked : DraftSize(); }

// What became of a round that `length` said the size of.
void learn_from(DraftLength& length, const RoundSummary& round) {
    int drafted = 0;
    std::vector<double> drawn;
    for (std::size_t i = 0; i < round.drafts.size(); ++i) {
        const Drafted& draft = *round.drafts[i].draft;
        drafted = std::max(drafted, round.drafts[i].depth);
        drawn.push_back(std::exp(draft.q));
        const auto& row = draft.raw_top.empty() ? draft.top.entries : draft.raw_top.entries;
        if (row.size() > 1) length.told(static_cast<int>(i), row[0].logp - row[1].logp);
    }
    length.saw(drafted, round.commit->accepted_drafts, drawn);
}

} // namespace

DraftLength::Way way_of(const DrafterInfo& drafter, const RunSettings& s) {
    using enum DraftLength::Way;
    if (drafter.tree) return tree;
    if (drafter.copies()) return all_or_none;
    const bool by_row = drafter.drafting == Drafting::one_by_one && !s.options.by_text && !find_rule(s.rule)->is_cascade();
    return by_row ? rows : before;
}

std::vector<DraftLength> lengths_of(const RunPlan& plan, const RunSettings& settings, const DraftCosts& costs,
                                    const std::vector<DraftSize>& written) {
    std::vector<DraftLength> lengths;
    for (const DrafterInfo* part : plan.drafter->parts()) {
        const int index = static_cast<int>(lengths.size());
        const DraftSize most{std::min(plan.k, plan.most[static_cast<std::size_t>(index)]), part->tree ? plan.nodes : 0};
        lengths.emplace_back(costs.of(index),
                             DraftLength::Limits{.way = way_of(*part, settings), .most = most, .chooses = settings.k_auto, .part = index},
                             written);
    }
    return lengths;
}

void follow(std::span<DraftLength> lengths, const RunView& view, int round) {
    for (const RoundSummary& one : view.round_list) {
        if (one.round >= round || !one.complete()) break;
        for (DraftLength& length : lengths) (void)length.next(kAnything);
        const int spoke = lengths.size() == 1 ? 0 : one.verify ? one.verify->by : kNobody;
        for (std::size_t part = 0; part < lengths.size(); ++part) {
            if (static_cast<int>(part) == spoke)
                learn_from(lengths[part], one);
            else
                lengths[part].passed();
        }
    }
}

std::optional<LengthReason> why_length(const RunView& view, int round) {
    const Header* const header = view.header;
    if (!header || !header->k_auto || !header->k_costs || round < 0 || round > static_cast<int>(view.round_list.size())) return {};
    std::vector<DraftSize> written;
    for (int i = 0; i < round; ++i) written.push_back(asked_of(view.round_list[static_cast<std::size_t>(i)]));
    const DrafterInfo& drafter = *find_drafter(header->drafter);
    const DraftSize most{header->k, header->nodes};
    const RunSettings settings = settings_of(*header);
    std::vector<DraftLength> lengths =
        lengths_of({.drafter = &drafter, .k = most.k, .nodes = most.nodes, .notice = {}}, settings, *header->k_costs, written);
    follow(lengths, view, round);
    int before = 0;
    for (int i = 0; i < round; ++i) {
        const RoundSummary& one = view.round_list[static_cast<std::size_t>(i)];
        before += one.commit ? static_cast<int>(one.commit->tokens.size()) : 0;
    }
    const DraftSize room{std::min(most.k, header->max_tokens - before - 1), most.nodes};
    const Verified* const verify =
        round < static_cast<int>(view.round_list.size()) ? view.round_list[static_cast<std::size_t>(round)].verify : nullptr;
    std::vector<DraftSize> decided;
    for (DraftLength& length : lengths) decided.push_back(length.next(room));
    // Of two chained drafters that of the one that spoke; where neither did, and of a round to come, that of the second.
    const std::size_t part = lengths.size() == 1 || (verify && verify->by == 0) ? 0 : 1;
    const DraftLength& length = lengths[part];
    LengthReason reason;
    reason.drafter = drafter.parts()[part];
    reason.way = way_of(*reason.drafter, settings);
    reason.decided = decided[part];
    reason.why = length.why();
    reason.wait = length.wait(), reason.waited = length.waited();
    reason.plain = {{}, 1, length.ms({})};
    reason.choices = length.choices({most.k, reason.drafter->tree ? most.nodes : 0});
    reason.asked = reason.decided;
    if (!verify) return reason;
    reason.asked = asked_of(view.round_list[static_cast<std::size_t>(round)]);
    reason.asked.by = 0;
    // Of a chain that stops by itself no more is known than how far it went.
    const bool same = reason.way == DraftLength::Way::rows ? reason.decided.k > 0 || reason.asked.k == 0 : reason.asked == reason.decided;
    if (!same) reason.why = DraftLength::Why::written;
    return reason;
}

} // namespace speclens
