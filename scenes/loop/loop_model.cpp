#include "scenes/loop/loop_model.h"

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

RuleKind rule_kind(const Header& header) {
    const RuleInfo* rule = find_rule(header.rule);
    return rule ? kind_of(*rule, header.rule_params, header.sampling, header.nodes > 0) : RuleKind::token;
}

// In block verification every guess is judged, also behind the first that goes.
bool judges_all(const LoopModel& model) {
    return model.tree || model.rule == RuleKind::block || (model.rule == RuleKind::cascade && model.header->rule_params.block);
}

constexpr int kMostPlaces = 256; // columns for guesses to come; a file from elsewhere may ask for any number

std::optional<double> shown(double logp, const TopEntries& raw, int token, bool greedy) {
    constexpr double kBelowHead = 1e-6; // not among the recorded tokens: shown as "<.01"
    if (greedy && !raw.empty()) return listed(raw, token).value_or(kBelowHead);
    return std::exp(logp);
}

void fill_columns(LoopModel& model) {
    if (model.round) {
        model.tree = model.round->tree || (model.header && model.header->nodes > 0);
        for (const DraftSlot& slot : model.round->drafts) {
            LoopColumn column;
            column.draft = slot.draft;
            column.check = slot.check;
            column.parent = slot.parent;
            column.ms = slot.ms;
            column.head_ms = slot.head_ms;
            switch (slot.state) {
            case DraftSlot::State::drafted: column.fate = Fate::drafted; break;
            case DraftSlot::State::accepted: column.fate = Fate::accepted; break;
            case DraftSlot::State::rejected: column.fate = Fate::rejected; break;
            case DraftSlot::State::discarded: column.fate = Fate::discarded; break;
            }
            // What counts as certain is shown with what the draft gave it.
            column.q = shown(slot.draft->q, slot.draft->raw_top, slot.draft->token,
                             model.greedy || (model.rule == RuleKind::certain && !slot.draft->u));
            if (slot.check) column.p = shown(slot.check->p, slot.check->raw_top, slot.check->token, model.greedy);
            if (slot.check && (model.rejected < 0 || judges_all(model))) {
                ++model.judged;
                if (slot.check->accepted)
                    ++model.accepted;
                else if (!model.tree && model.rejected < 0)
                    model.rejected = static_cast<int>(model.columns.size());
            }
            model.columns.push_back(column);
        }
        model.drafted = static_cast<int>(model.columns.size());
        model.newest = judges_all(model) ? model.round->last_judged : model.judged - 1;
        const int own = model.round->own_slot();
        if (model.tree && model.round->resample && own < model.drafted) model.rejected = own;
        model.drafting_over = model.round->verify != nullptr || model.judged > 0 || model.round->resample;
    }
    // Places for the guesses to come. A tree's are not known before they are made.
    while (!model.drafting_over && !model.tree && static_cast<int>(model.columns.size()) < model.places) model.columns.emplace_back();
}

// Where each round chooses, only its pass says what it had asked for.
int places_of(const LoopModel& model, const RunView& whole, bool k_auto) {
    if (!k_auto || model.asked == 0) return model.asked;
    for (const RoundSummary& round : whole.round_list)
        if (model.round && round.first_event == model.round->first_event && round.verify && round.verify->asked)
            return round.verify->asked->k;
    return 0;
}

} // namespace

bool has_child(const LoopModel& model, int column) {
    return std::ranges::any_of(model.columns, [&](const LoopColumn& c) { return c.parent == column; });
}

bool has_sibling(const LoopModel& model, int column) {
    const auto at = static_cast<std::size_t>(column);
    return column >= 0 && at < model.columns.size() &&
           std::any_of(model.columns.begin() + column + 1, model.columns.end(),
                       [&](const LoopColumn& c) { return c.parent == model.columns[at].parent; });
}

namespace {

const DrafterInfo* who_drafts(const LoopModel& model) {
    int by = model.round && model.round->verify ? model.round->verify->by : -1;
    if (model.drafted > 0) by = model.columns[static_cast<std::size_t>(model.drafted - 1)].draft->by;
    const DrafterInfo* part = part_of(model.header->drafter, by);
    return part ? part : find_drafter(model.header->drafter);
}

} // namespace

LoopModel loop_model(const SceneInput& input) {
    LoopModel model;
    const RunView& view = *input.view;
    model.header = view.header;
    model.round = view.current();
    model.phase = view.phase;
    if (model.header) {
        model.rule = rule_kind(*model.header);
        model.greedy = model.header->sampling.temperature == 0;
        const Header& h = *model.header;
        model.asked = h.drafter == kNoDrafter ? 0 : std::min(h.nodes > 0 ? h.nodes : h.k, kMostPlaces);
    } else if (input.settings) {
        model.asked = input.settings->drafter == kNoDrafter ? 0 : input.settings->k;
    }
    const bool k_auto = model.header ? model.header->k_auto : input.settings && input.settings->k_auto;
    model.places = input.whole ? places_of(model, *input.whole, k_auto) : model.asked;
    fill_columns(model);
    if (model.header) {
        model.drafter = who_drafts(model);
        model.head = model.drafter && model.drafter->causal_head &&
                     (!input.settings || round_settings(input, model.round ? model.round->round : 0).options.correction);
    }
    if (model.round) {
        if (const auto times = input.trace ? input.trace->times() : nullptr) model.typical = times->events.size() >= model.round->end_event;
        model.own = model.round->resample;
        const bool rows = std::ranges::any_of(
            model.columns, [](const LoopColumn& c) { return (c.draft && !c.draft->top.empty()) || (c.check && !c.check->top.empty()); });
        model.fast = model.drafted > 0 && !rows;
        model.no_room = no_room_for_draft(*input.whole, *model.round);
    }
    const Committed* commit = model.round ? commit_of(*input.whole, *model.round) : nullptr;
    model.own_dropped = model.own && commit && drops_own_token(*commit);
    if (commit && (model.round->commit || model.own))
        model.produced = static_cast<int>(commit->tokens.size());
    else
        model.produced = model.accepted + (model.own ? 1 : 0);
    model.plain_ms = plain_ms(input);
    if (model.plain_ms > 0 && input.trace && input.whole && input.whole->drafted > 0) {
        const ReportedSpeed told = reported_speed(*input.whole, *input.trace, model.plain_ms);
        model.doubt = told.doubt;
        if (told.figure.known()) model.run_speed = loop_says("clock.run"_t, "times"_v = told.figure.value, "note"_v = told.note());
    }
    if (model.round) {
        // The commit costs microseconds; with it known already, the clock need not wait for the last step.
        model.other_ms = model.round->other_ms;
        if (model.own && !model.round->complete())
            for (const RoundSummary& round : input.whole->round_list)
                if (round.first_event == model.round->first_event && round.complete()) {
                    model.other_ms = round.other_ms;
                    model.settled = true;
                }
        if (model.round->complete()) model.settled = true;
    }

    const int count = static_cast<int>(model.columns.size());
    if (model.own)
        model.active = model.own_column();
    else if (model.judged > 0)
        model.active = std::max(0, model.newest);
    else if (model.drafting_over)
        model.active = 0;
    else
        model.active = std::max(0, model.drafted - 1);
    model.active = std::min(model.active, count);
    model.selected = model.active;
    if (input.selected && model.round && input.selected->round == model.round->round)
        model.selected = std::clamp(input.selected->index, 0, count);
    return model;
}

ColumnDistributions column_distributions(const LoopModel& model, int column) {
    ColumnDistributions distributions;
    const int count = static_cast<int>(model.columns.size());
    const auto pick = [&](const TopEntries& top, const TopEntries& raw, bool own) { return own && !raw.empty() ? raw : top; };
    if (column < 0 || column > count) return distributions;
    if (column == count) {
        if (model.own && model.rejected < 0) distributions.target = model.own->top;
        return distributions;
    }
    const LoopColumn& c = model.columns[static_cast<std::size_t>(column)];
    if (c.draft) distributions.draft = pick(c.draft->top, c.draft->raw_top, model.greedy || model.is_favourite(column));
    if (c.check) distributions.target = pick(c.check->top, c.check->raw_top, model.greedy);
    return distributions;
}

int LoopModel::ms_decimals() const {
    if (!timed()) return 1;
    double least = 1e9, most = 0;
    for (const double amount :
         {round->draft_ms, round->verify_ms, plain_ms, settled && plain_ms > 0 ? std::abs(plain_total() - spec_ms()) : 0.0})
        if (amount > 0) least = std::min(least, amount), most = std::max(most, amount);
    return least >= 1 ? 1 : most >= 10 ? 2 : 3;
}

Message LoopModel::ms(double amount) const {
    const auto ms = "ms"_v = amount;
    const int decimals = ms_decimals();
    return decimals == 1   ? loop_says("time.ms:tenths"_t, ms)
           : decimals == 2 ? loop_says("time.ms:hundredths"_t, ms)
                           : loop_says("time.ms:thousandths"_t, ms);
}

} // namespace speclens
