#include "scenes/domino/domino_model.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

using State = DominoVerdict::State;

// The token that the target would choose here at temperature 0.
int target_choice(const Checked& check) { return check.accepted ? check.token : favourite(check.top); }

State state_of(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return State::accepted;
    case DraftSlot::State::rejected: return State::rejected;
    case DraftSlot::State::discarded: return State::discarded;
    case DraftSlot::State::drafted: break;
    }
    return State::none;
}

// Verdicts of a round that was really run.
void judge(const RoundSummary& round, std::vector<DominoColumn>& columns, DominoVerdict DominoColumn::*row) {
    for (std::size_t i = 0; i < columns.size() && i < round.drafts.size(); ++i) {
        DominoVerdict& verdict = columns[i].*row;
        verdict.state = state_of(round.drafts[i].state);
        verdict.token = round.drafts[i].draft->token;
        if (verdict.state == State::rejected && round.resample) verdict.replacement = round.resample->token;
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
            for (std::size_t i = static_cast<std::size_t>(&column - model.columns.data()); i < model.columns.size(); ++i)
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
            for (std::size_t i = static_cast<std::size_t>(&column - model.columns.data()) + 1; i < model.columns.size(); ++i)
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

void use_replay(DominoModel& model, const Replay& replayed) {
    const RunView view = fold(*replayed.trace, replayed.trace->size());
    const RoundSummary* round = view.current();
    if (!round || !round->complete()) return;
    for (DominoColumn& column : model.columns) column.off = {};
    judge(*round, model.columns, &DominoColumn::off);
    model.kept_off = round->accepted;
    model.produced_off = static_cast<int>(round->commit->tokens.size());
    model.own_off = round->resample ? round->resample->token : -1;
    model.other = DominoModel::Other::whole;
    model.replayed = true;
}

} // namespace

int rescued_position(const RoundSummary& round, bool greedy) {
    for (std::size_t i = 0; i < round.drafts.size(); ++i) {
        const DraftSlot& slot = round.drafts[i];
        if (slot.state != DraftSlot::State::accepted || !slot.check) return -1; // what follows stands elsewhere
        const int base = favourite(slot.draft->base_top);
        if (base < 0 || base == slot.draft->token || slot.draft->forced()) continue;
        if (greedy) return static_cast<int>(i);
        if (favourite(at_one(*slot.draft)) != slot.draft->token) continue;
        const TopEntries& target = slot.check->raw_top.empty() ? slot.check->top : slot.check->raw_top;
        const double stayed = listed(target, slot.draft->token).value_or(0), lost = listed(target, base).value_or(0);
        if (stayed > 2 * lost) return static_cast<int>(i);
    }
    return -1;
}

int parting_position(const DominoModel& model) {
    using enum DominoVerdict::State;
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
        const State on = model.columns[i].on.state, off = model.columns[i].off.state;
        if ((on == accepted && off == rejected) || (on == rejected && off == accepted)) return static_cast<int>(i);
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

Criterion kept_change(const RunView& whole) {
    const bool greedy = whole.header && whole.header->sampling.temperature == 0;
    return {"kept change", [] { return domino_says("words.criterion"_t); },
            [greedy](const RoundSummary& round) -> std::optional<Position> {
                if (const int at = rescued_position(round, greedy); at >= 0) return Position{round.round, at};
                return {};
            }};
}

std::optional<Position> next_rescue(const RunView& whole, int from) {
    const Criterion kept = kept_change(whole);
    for (const RoundSummary& round : whole.round_list)
        if (const std::optional<Position> at = round.round > from ? kept.holds(round) : std::nullopt) return at;
    return find_in(whole, kept);
}

DominoModel domino_model(const SceneInput& input) {
    DominoModel model;
    if (!find_round(model, input, kDominoDrafter)) return model;
    model.head_on = !input.settings || round_settings(input, model.round->round).options.correction;
    bool any_base = false;
    for (const DraftSlot& slot : model.round->drafts) {
        DominoColumn column;
        column.draft = slot.draft;
        column.check = slot.check;
        column.forced = slot.draft->forced();
        column.corrected = !slot.draft->base_top.empty() || slot.draft->internals.number("corrected") == 1;
        column.final = at_one(*slot.draft);
        column.base = slot.draft->base_top.empty() ? column.final : slot.draft->base_top;
        column.base_choice = favourite(column.base);
        column.changed = column.corrected && favourite(column.final) != column.base_choice;
        any_base = any_base || !slot.draft->base_top.empty();
        model.internals = model.internals || !slot.draft->internals.empty();
        if (column.forced) model.forced = static_cast<int>(model.columns.size());
        model.columns.push_back(std::move(column));
    }
    model.fast = model.columns.front().final.empty();
    // A saved run does not say whether its head was on, but its distributions do.
    if (model.columns.size() > 1 && !model.fast) model.head_on = any_base;
    judge(*model.round, model.columns, &DominoColumn::on);
    model.kept_on = model.round->accepted;
    model.produced_on = model.round->commit ? static_cast<int>(model.round->commit->tokens.size()) : 0;
    model.own_on = model.round->resample ? model.round->resample->token : -1;
    if (model.head_on && model.greedy && model.round->complete() && !model.fast) derive_off(model);
    const Replay* replayed = input.replayed.get();
    if (replayed && replayed->of == input.trace && replayed->round == model.round->round && replayed->options.correction != model.head_on)
        use_replay(model, *replayed);
    model.head_ms = model.round->head_ms;
    model.backbone_ms = model.round->draft_ms - model.round->head_ms;
    if (model.head_on) model.rescued = rescued_position(*model.round, model.greedy);

    model.selected = 1;
    int usual = model.rescued >= 0 ? model.rescued : 1;
    if (input.presenter) { // shows two positions only: those that the sentence is about
        const int parting = input.beat == kDominoBothBeat ? parting_position(model) : -1;
        usual = parting >= 0 ? parting : telling_position(model);
    }
    choose_guess(model, input, usual);
    return model;
}

std::vector<int> domino_tokens(const DominoColumn& column, int rows) {
    std::vector<int> ids;
    for (const TopEntries::Entry& entry : column.base.entries) {
        if (static_cast<int>(ids.size()) == rows) break;
        ids.push_back(entry.id);
    }
    const auto keep = [&](int id, std::size_t from_end) { // at the end, which is the least likely row
        if (id < 0 || std::ranges::find(ids, id) != ids.end()) return;
        if (static_cast<int>(ids.size()) < rows) return ids.push_back(id);
        if (ids.size() > from_end) ids[ids.size() - 1 - from_end] = id;
    };
    const int best = column.final.entries.empty() ? -1 : column.final.entries.front().id;
    keep(best, 0);
    if (column.draft && rows > 2) keep(column.draft->token, best == ids.back() ? 1 : 0);
    return ids;
}

std::optional<double> correction_of(const DominoColumn& column, int token) {
    if (!column.corrected) return {};
    if (const Internals* internals = column.internals())
        for (const Internals::Mover& mover : internals->movers)
            if (mover.token == token) return mover.gain();
    const auto logp = [&](const TopEntries& distribution) -> std::optional<double> {
        for (const TopEntries::Entry& entry : distribution.entries)
            if (entry.id == token) return entry.logp;
        return {};
    };
    const std::optional<double> base = logp(column.base), final = logp(column.final);
    if (!base || !final) return {};
    return *final - *base;
}

std::optional<double> known_share(const TopEntries& top, int token) {
    const std::optional<double> p = listed(top, token);
    return p || top.rest > 0 ? p : 0;
}

std::optional<double> correction_size(const DominoModel& model, const DominoColumn& column) {
    const Internals* internals = column.internals();
    const std::optional<double> all = internals ? internals->number("delta l2") : std::nullopt;
    if (!all) return {};
    const double mean = internals->number("delta mean").value_or(0);
    return std::sqrt(std::max(0.0, *all * *all - mean * mean * model.header->vocab));
}

const Internals::Mover* largest_mover(const DominoColumn& column) {
    const Internals* internals = column.internals();
    return internals && !internals->movers.empty() ? &internals->movers.front() : nullptr;
}

bool same_base(const DominoModel& m, const DominoBefore& before, int position) {
    const auto i = static_cast<std::size_t>(position);
    if (i >= before.base.size() || i >= m.columns.size()) return false;
    const TopEntries &a = before.base[i], &b = m.columns[i].base;
    return std::ranges::equal(a.entries, b.entries,
                              [](const TopEntries::Entry& x, const TopEntries::Entry& y) { return x.id == y.id && x.logp == y.logp; });
}

std::optional<double> state_cosine(const DominoModel& m, const DominoBefore& before, int position) {
    const DominoColumn* column = m.column(position);
    const Internals* internals = column ? column->internals() : nullptr;
    const Internals::Strip* now = internals ? internals->strip("state") : nullptr;
    const auto at = static_cast<std::size_t>(position);
    if (!now || before.round != m.round->round || at >= before.states.size() || before.states[at].size() != now->cells.size()) return {};
    double dot = 0, a = 0, b = 0;
    for (std::size_t i = 0; i < now->cells.size(); ++i) {
        dot += now->cells[i] * before.states[at][i];
        a += now->cells[i] * now->cells[i];
        b += before.states[at][i] * before.states[at][i];
    }
    if (a <= 0 || b <= 0) return {};
    return std::clamp(dot / std::sqrt(a * b), -1.0, 1.0);
}

SceneCommand switch_head(const SceneInput& input, const DominoModel& model) {
    Fork fork;
    fork.round = model.round->round;
    fork.settings = input.settings ? *input.settings : RunSettings{};
    fork.settings->options.correction = !model.head_on;
    return Command{std::move(fork)};
}

SceneCommand force_token(const DominoModel& model, int position, int token) {
    Fork fork;
    fork.round = model.round->round;
    fork.force_draft = {position, token};
    return Command{std::move(fork)};
}

SceneCommand example_run(const SceneInput& input) {
    RunSettings settings = input.settings ? *input.settings : RunSettings{};
    if (settings.drafter != kDominoDrafter) settings = with_drafter(std::move(settings), kDominoDrafter);
    settings.prompt = {.text = kHeadPrompt, .chat = true, .chat_if_possible = true};
    settings.options = {};
    settings.k = 7;
    return Command{Restart{with_temperature(std::move(settings), 0)}};
}

DominoGrid domino_grid(const SceneInput& input, const DominoModel& model) {
    const ui::Rect stage = input.stage;
    DominoGrid g;
    g.spare = input.presenter;
    g.opening = input.presenter && input.beat <= kDominoBaseBeat;
    g.gutter = stage.x + 24;
    g.left = stage.x + 152;
    g.limit = stage.right() - 24;
    const int total = std::max(1, static_cast<int>(model.columns.size()));
    const float room = g.limit - g.left + 48;
    g.count = std::clamp(static_cast<int>(room / 200), 1, total);
    if (g.spare && !g.opening) g.count = std::min(g.count, 2);
    // few columns are wide: the words of the backbone and of the clock go across them
    g.pitch = std::min((g.spare && !g.opening) || g.count == 2 ? 380.0F
                       : g.count == 1                          ? 640.0F
                                                               : 264.0F,
                       std::floor(room / static_cast<float>(g.count) / 4) * 4);
    g.width = g.pitch - 48;
    // the chosen position and what came before it
    g.first = std::clamp(model.selected - (g.count > 2 ? 1 : g.count - 1), 0, total - g.count);
    const float y = stage.y;
    g.tall = stage.h >= 640;
    g.rows = g.tall || stage.h >= 560 ? 3 : 2;
    const float distribution = 23.0F * static_cast<float>(g.rows);
    g.labels = y + 98;
    if (g.opening) {
        g.tall = true;
        g.rows = 3;
        g.labels = y + 92, g.block = y + 106, g.backbone = y + 144, g.features = y + 186, g.head = y + 208, g.base = y + 240;
        g.on = input.beat == kDominoBaseBeat ? g.base + 39 : g.head;
    } else if (g.spare) {
        g.rows = 2;
        g.labels = y + 92, g.block = g.backbone = g.features = g.head = 0, g.base = y + 108;
        g.head_shown = input.beat < kDominoBothBeat;
        g.both = input.beat == kDominoBothBeat;
        g.state = g.mixed = g.base + 46 + 18;
        g.delta = g.head_shown ? g.state + 47 : g.state + 6;
        g.final = g.delta + 7;
        g.draft = g.final + 46 + 8;
        g.off = g.draft + (g.both ? 46 : 42), g.on = g.both ? g.off + 32 : g.off;
        g.clock = input.beat > kDominoBothBeat ? g.on + 40 : stage.bottom();
        g.tall = false;
    } else if (g.tall) {
        g.block = y + 106, g.backbone = y + 144, g.features = y + 186, g.head = y + 208, g.base = y + 240;
        g.state = g.base + distribution + 23;
        g.mixed = g.state + 38, g.delta = g.state + 69, g.final = g.state + 77;
        g.draft = g.final + distribution + 8;
        g.off = g.draft + 50, g.on = g.off + 34, g.clock = g.on + 44;
    } else {
        g.block = y + 106, g.backbone = y + 138, g.features = g.head = g.backbone, g.base = y + 172;
        g.state = g.base + distribution + 16;
        g.mixed = g.state, g.delta = g.state + 47, g.final = g.state + 54;
        g.draft = g.final + distribution + 6;
        g.off = g.draft + 46, g.on = g.off + 32, g.clock = g.on + 36;
    }
    g.bottom = stage.bottom();
    return g;
}

} // namespace speclens
