#include "engine/run/auto_length.h"

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/run_view.h"
#include "engine/run/saved_settings.h"

namespace speclens {
namespace {

constexpr DraftSize kAnything{.k = 1 << 20, .nodes = 1 << 20};

DraftSize asked_of(const RoundSummary& round) { return round.verify && round.verify->asked ? *round.verify->asked : DraftSize(); }

} // namespace

DraftLength::Way way_of(const DrafterInfo& drafter, const RunSettings& s) {
    using enum DraftLength::Way;
    if (drafter.tree) return tree;
    if (drafter.copies()) return all_or_none;
    const bool by_row = drafter.drafting == Drafting::one_by_one && !s.options.by_text && !find_rule(s.rule)->is_cascade();
    return by_row ? rows : before;
}

void follow(DraftLength& length, const RunView& view, int round) {
    for (const RoundSummary& one : view.round_list) {
        if (one.round >= round || !one.complete()) break;
        (void)length.next(kAnything);
        int drafted = 0;
        std::vector<double> drawn;
        for (std::size_t i = 0; i < one.drafts.size(); ++i) {
            const Drafted& draft = *one.drafts[i].draft;
            drafted = std::max(drafted, one.drafts[i].depth);
            drawn.push_back(std::exp(draft.q));
            const auto& row = draft.raw_top.empty() ? draft.top.entries : draft.raw_top.entries;
            if (row.size() > 1) length.told(static_cast<int>(i), row[0].logp - row[1].logp);
        }
        length.saw(drafted, one.commit->accepted_drafts, drawn);
    }
}

std::optional<LengthReason> why_length(const RunView& view, int round) {
    const Header* const header = view.header;
    if (!header || !header->k_auto || !header->k_costs || round < 0 || round > static_cast<int>(view.round_list.size())) return {};
    std::vector<DraftSize> written;
    for (int i = 0; i < round; ++i) written.push_back(asked_of(view.round_list[static_cast<std::size_t>(i)]));
    const DrafterInfo& drafter = *find_drafter(header->drafter);
    const DraftSize most{header->k, header->nodes};
    LengthReason reason;
    reason.way = way_of(drafter, settings_of(*header));
    DraftLength length(*header->k_costs, {reason.way, most}, std::move(written));
    follow(length, view, round);
    int before = 0;
    for (int i = 0; i < round; ++i) {
        const RoundSummary& one = view.round_list[static_cast<std::size_t>(i)];
        before += one.commit ? static_cast<int>(one.commit->tokens.size()) : 0;
    }
    const DraftSize room{std::min(most.k, header->max_tokens - before - 1), most.nodes};
    reason.decided = length.next(room);
    reason.why = length.why();
    reason.wait = length.wait(), reason.waited = length.waited();
    reason.plain = {{}, 1, length.ms({})};
    reason.choices = length.choices({most.k, drafter.tree ? most.nodes : 0});
    reason.asked = reason.decided;
    if (round == static_cast<int>(view.round_list.size()) || !view.round_list[static_cast<std::size_t>(round)].verify) return reason;
    reason.asked = asked_of(view.round_list[static_cast<std::size_t>(round)]);
    // Of a chain that stops by itself no more is known than how far it went.
    const bool same = reason.way == DraftLength::Way::rows ? reason.decided.k > 0 || reason.asked.k == 0 : reason.asked == reason.decided;
    if (!same) reason.why = DraftLength::Why::written;
    return reason;
}

} // namespace speclens
