#include "scenes/domino/domino_model.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

using State = DominoVerdict::State;

// The token that the target would choose here at temperature 0.
int target_choice(const Checked& check) {
    return check.accepted ? check.token : favourite(check.top);
}

State state_of(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted:
        return State::accepted;
    case DraftSlot::State::rejected:
        return State::rejected;
    case DraftSlot::State::discarded:
        return State::discarded;
    case DraftSlot::State::drafted:
        break;
    }
    return State::none;
}

// Verdicts of a cycle that was really run.
void judge(const CycleSummary& cycle, std::vector<DominoColumn>& columns, DominoVerdict DominoColumn::*row) {
    for (std::size_t i = 0; i < columns.size() && i < cycle.drafts.size(); ++i) {
        DominoVerdict& verdict = columns[i].*row;
        verdict.state = state_of(cycle.drafts[i].state);
        verdict.token = cycle.drafts[i].draft->token;
        if (verdict.state == State::rejected && cycle.resample) verdict.replacement = cycle.resample->token;
    }
}

// At temperature 0 the other verdict follows from the trace as far as both drafts share a prefix: the guess
// without the head is the base favourite, and the target's choice is known wherever it was judged.
void derive_off(DominoModel& model) {
    bool judged = true; // nothing was rejected so far
    for (DominoColumn& column : model.columns) {
        DominoVerdict& off = column.off;
        off.token = column.forced ? column.draft->token : column.base_choice;
        if (!judged) {
            off.state = State::discarded;
            continue;
        }
        const bool same = off.token == column.draft->token;
        if (!column.check || off.token < 0) { // the run never asked the target here with this prefix
            for (std::size_t i = static_cast<std::size_t>(&column - model.columns.data());
                 i < model.columns.size(); ++i)
                model.columns[i].off = {State::unknown, model.columns[i].base_choice, {}};
            model.other = DominoModel::Other::partly;
            return;
        }
        const int wanted = target_choice(*column.check);
        if (off.token == wanted) {
            off.state = State::accepted;
            ++model.kept_off;
            if (same) continue;
            // Kept although the run drafted something else: what follows stands after another prefix.
            for (std::size_t i = static_cast<std::size_t>(&column - model.columns.data()) + 1;
                 i < model.columns.size(); ++i)
                model.columns[i].off = {State::unknown, model.columns[i].base_choice, {}};
            model.other = DominoModel::Other::partly;
            return;
        }
        off.state = State::rejected;
        off.replacement = model.own_off = wanted;
        judged = false;
    }
    model.other = DominoModel::Other::whole;
    if (judged) model.own_off = model.own_on;
    model.produced_off = model.kept_off + 1;
}

void use_twin(DominoModel& model, const Twin& twin) {
    const CycleView view = fold(*twin.trace, twin.trace->size());
    const CycleSummary* cycle = view.current();
    if (!cycle || !cycle->complete()) return;
    for (DominoColumn& column : model.columns) column.off = {};
    judge(*cycle, model.columns, &DominoColumn::off);
    model.kept_off = cycle->accepted;
    model.produced_off = static_cast<int>(cycle->commit->tokens.size());
    model.own_off = cycle->resample ? cycle->resample->token : -1;
    model.other = DominoModel::Other::whole;
    model.replayed = true;
}

} // namespace

int rescued_position(const CycleSummary& cycle, bool greedy) {
    for (std::size_t i = 0; i < cycle.drafts.size(); ++i) {
        const DraftSlot& slot = cycle.drafts[i];
        if (slot.state != DraftSlot::State::accepted || !slot.check)
            return -1; // what follows stands elsewhere
        const int base = favourite(slot.draft->base_top);
        if (base < 0 || base == slot.draft->token || slot.draft->extra == "forced") continue;
        if (greedy) return static_cast<int>(i);
        if (favourite(at_one(*slot.draft)) != slot.draft->token) continue;
        const Top& target = slot.check->raw_top.empty() ? slot.check->top : slot.check->raw_top;
        const double stayed = listed(target, slot.draft->token).value_or(0),
                     lost = listed(target, base).value_or(0);
        if (stayed > 2 * lost) return static_cast<int>(i);
    }
    return -1;
}

int parting_position(const DominoModel& model) {
    using enum DominoVerdict::State;
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
        const State on = model.columns[i].on.state, off = model.columns[i].off.state;
        if ((on == accepted && off == rejected) || (on == rejected && off == accepted))
            return static_cast<int>(i);
    }
    return -1;
}

int telling_position(const DominoModel& m) {
    if (m.chosen) return m.selected;
    if (m.rescued >= 0) return m.rescued;
    for (std::size_t i = 0; i < m.columns.size(); ++i)
        if (m.columns[i].changed) return static_cast<int>(i);
    return m.selected;
}

int force_position(const DominoModel& m) {
    const int last = static_cast<int>(m.columns.size()) - 1;
    return m.chosen || last < 1 ? m.selected : std::min(m.selected, last - 1);
}

std::optional<Position> next_rescue(const CycleView& whole, int from) {
    const bool greedy = whole.header && whole.header->sampling.temperature == 0;
    std::optional<Position> first;
    for (const CycleSummary& cycle : whole.cycles) {
        const int at = rescued_position(cycle, greedy);
        if (at < 0) continue;
        if (cycle.cycle > from) return Position{cycle.cycle, at};
        if (!first) first = Position{cycle.cycle, at};
    }
    return first;
}

DominoModel domino_model(const SceneInput& input) {
    DominoModel model;
    if (!find_cycle(model, input, "domino")) return model;
    model.head_on = !input.settings || round_settings(input, model.cycle->cycle).options.correction;
    bool any_base = false;
    for (const DraftSlot& slot : model.cycle->drafts) {
        DominoColumn column;
        column.draft = slot.draft;
        column.check = slot.check;
        column.forced = slot.draft->extra == "forced";
        column.corrected = !slot.draft->base_top.empty() || slot.draft->lens.number("corrected") == 1;
        column.final = at_one(*slot.draft);
        column.base = slot.draft->base_top.empty() ? column.final : slot.draft->base_top;
        column.base_choice = favourite(column.base);
        column.changed = column.corrected && favourite(column.final) != column.base_choice;
        any_base = any_base || !slot.draft->base_top.empty();
        model.lens = model.lens || !slot.draft->lens.empty();
        if (column.forced) model.forced = static_cast<int>(model.columns.size());
        model.columns.push_back(std::move(column));
    }
    model.fast = model.columns.front().final.empty();
    // A saved run does not say whether its head was on, but its laws do.
    if (model.columns.size() > 1 && !model.fast) model.head_on = any_base;
    judge(*model.cycle, model.columns, &DominoColumn::on);
    model.kept_on = model.cycle->accepted;
    model.produced_on = model.cycle->commit ? static_cast<int>(model.cycle->commit->tokens.size()) : 0;
    model.own_on = model.cycle->resample ? model.cycle->resample->token : -1;
    if (model.head_on && model.greedy && model.cycle->complete() && !model.fast) derive_off(model);
    const Twin* twin = input.twin;
    if (twin && twin->of == input.trace && twin->cycle == model.cycle->cycle &&
        twin->options.correction != model.head_on)
        use_twin(model, *twin);
    model.head_ms = model.cycle->head_ms;
    model.backbone_ms = model.cycle->draft_ms - model.cycle->head_ms;
    if (model.head_on) model.rescued = rescued_position(*model.cycle, model.greedy);

    model.selected = 1;
    int usual = model.rescued >= 0 ? model.rescued : 1;
    if (input.presenter) { // shows two positions only: those that the sentence is about
        const int parting = input.beat == kDominoBothBeat ? parting_position(model) : -1;
        usual = parting >= 0 ? parting : telling_position(model);
    }
    choose_guess(model, input, usual);
    return model;
}

} // namespace speclens
