#include "scenes/drafters/drafters_model.h"

#include <algorithm>

#include "engine/doctor/variants.h"
#include "engine/rules/verify.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"

namespace speclens {
namespace {

// The accepted path, then the draft token that the target rejected there, then first children: what a chain would be.
std::vector<int> path_of(const RoundSummary& round) {
    std::vector<int> shown;
    const int count = static_cast<int>(round.drafts.size());
    if (!round.tree) {
        for (int i = 0; i < count; ++i) shown.push_back(i);
        return shown;
    }
    shown = round.path;
    const auto child_of = [&](int parent) {
        for (int i = parent + 1; i < count; ++i)
            if (round.drafts[static_cast<std::size_t>(i)].parent == parent) return i;
        return count;
    };
    int next = round.own_slot();
    if (next >= count) next = child_of(round.end_of_path());
    for (; next < count; next = child_of(next)) shown.push_back(next);
    return shown;
}

bool lets_through(DrafterFilter filter, const DrafterInfo& info, const Header& header) {
    if (filter == DrafterFilter::warm) return judged_when_warm(header, info);
    if (filter == DrafterFilter::no_head) return !info.needs_network();
    if (filter == DrafterFilter::no_memory) return info.needs == DrafterNeeds::nothing;
    return true;
}

Message why_empty(const DraftersModel& model, const DrafterRow& row) {
    if (row.no_head) return drafters_says("why.no_head"_t);
    return no_guess_words(row.compared, model.can_ask, model.asking);
}

DrafterRow make_row(const SceneInput& input, const DraftersModel& model, const DrafterInfo& info) {
    DrafterRow row;
    row.info = &info;
    row.title = message(info.short_title);
    row.mark = method_mark(info.name);
    const DrafterInfo* spoke = model.round->verify ? part_of(model.header->drafter, model.round->verify->by) : nullptr;
    row.of_run = model.header->drafter == info.name || spoke == &info; // of two chained drafters whoever spoke in this round
    row.published = published_speed_ups(input.figures, info.name);
    if (model.comparison)
        for (const ComparisonRow& one : model.comparison->rows)
            if (one.drafter == info.name) row.compared = &one;
    if (row.compared) {
        row.draft_ms = row.compared->draft_ms;
        if (row.compared->trace) row.answer = fold(*row.compared->trace, row.compared->trace->size());
    } else if (row.of_run) {
        row.own = model.round;
        row.draft_ms = model.round->draft_ms;
    }
    row.no_head = model.can_ask && !row.round() && info.needs_network() && !drafter_ready(input, info.name);
    if (!row.round()) row.problem = why_empty(model, row);
    if (const RoundSummary* round = row.round()) {
        row.shown = path_of(*round);
        if (round->commit) row.tokens = static_cast<int>(round->commit->tokens.size());
    }
    return row;
}

// That of the selected row, else the one that was examined last, else the first.
int head_to_examine(const SceneInput& input, const DraftersModel& model) {
    const auto of = [&](std::string_view method) {
        return std::ranges::find_if(model.heads, [&](int i) { return model.rows[static_cast<std::size_t>(i)].name() == method; });
    };
    auto found = of(model.row()->info->method);
    if (found == model.heads.end() && input.diagnosis) found = of(input.diagnosis->drafter);
    return found == model.heads.end() ? model.heads.front() : *found;
}

} // namespace

bool judged_when_warm(const Header& header, const DrafterInfo& info) {
    const RuleInfo* rule = find_rule(header.rule);
    return rule && !rule->greedy_only && can_judge(*rule, info);
}

DraftersModel drafters_model(const SceneInput& input, const DrafterChoice& choice) {
    DraftersModel model;
    model.header = input.whole->header;
    model.filter = choice.filter;
    if (!model.header) {
        model.empty = DraftersModel::Empty::no_run;
        return model;
    }
    model.round = shown_round(input);
    if (!model.round) {
        model.empty = DraftersModel::Empty::no_round;
        return model;
    }
    // A saved run in a window: the engine is there, but it holds another one, and the status names no model.
    model.can_ask = models_loaded(input) && !input.status->model.empty();
    if (input.comparison && input.comparison->of == input.trace && input.comparison->round == model.round->round)
        model.comparison = input.comparison.get();
    model.asking = model.can_ask && (!model.comparison || !model.comparison->complete());
    int written = 0;
    for (const OutputToken& token : input.whole->tokens) written += token.origin != Origin::prompt && token.round < model.round->round;
    model.text_tokens = written + (starts_empty(*model.header) ? 0 : input.whole->prompt_tokens);
    // Plain decoding asks nobody, but whoever is asked here would have no more room.
    model.no_room =
        no_room_for_draft(*input.whole, *model.round) || (model.round->drafts.empty() && model.header->max_tokens - written == 1);
    for (const DrafterInfo& info : drafter_list()) {
        if (!info.drafts()) continue;
        if (lets_through(choice.filter, info, *model.header)) model.rows.push_back(make_row(input, model, info));
    }
    for (int i = 0; i < static_cast<int>(model.rows.size()); ++i) {
        const DrafterRow& row = model.rows[static_cast<std::size_t>(i)];
        if (row.no_head && model.headless.empty()) model.headless = row.name();
        if (choice.drafter.empty() ? row.of_run : row.name() == choice.drafter) model.selected = i;
        if (row.tokens > model.most) model.best.clear();
        if (row.info->method == std::string_view(row.info->name) && has_variants(row.name()) && drafter_ready(input, row.name()))
            model.heads.push_back(i);
        model.most = std::max(model.most, row.tokens);
        if (row.tokens > 0 && row.tokens == model.most) model.best.push_back(i);
    }
    // Whom the title names is the one that is marked.
    const bool doctor = input.beat == kDraftersDoctorBeat;
    if (!doctor && choice.drafter.empty() && verdicts_told(input) && !model.asking && model.best.size() == 1)
        model.selected = model.best.front();
    if (doctor && !model.heads.empty()) model.selected = head_to_examine(input, model);
    return model;
}

} // namespace speclens
