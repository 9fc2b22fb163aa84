#include "scenes/accept/accept_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/run/full_distributions.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr int kTokens = 10;

const Checked* find_check(const RunView& view, const Position& position, const Drafted** draft) {
    for (auto round = view.round_list.rbegin(); round != view.round_list.rend(); ++round) {
        if (round->round != position.round) continue;
        if (position.index < 0 || position.index >= static_cast<int>(round->drafts.size())) return nullptr;
        const DraftSlot& slot = round->drafts[static_cast<std::size_t>(position.index)];
        *draft = slot.draft;
        // A later sibling of a tree is judged by what the rejected ones left: not the story of this scene.
        return slot.check && slot.check->sibling_residual ? nullptr : slot.check;
    }
    return nullptr;
}

// A temperature by hand starts from the raw distribution; the filters stay those of the run.
Distribution reshape(const Distribution& shown, const Distribution& raw, const Sampling& sampling, std::optional<double> temperature) {
    if (!temperature) return shown;
    Sampling changed = sampling;
    changed.temperature = *temperature;
    return apply_sampling(raw, changed);
}

// Most that a token outside a head can have; 0: there is none.
double most_outside(const TopEntries& head) {
    return head.rest < 1e-9 || head.empty() ? 0 : std::min(head.rest, std::exp(head.entries.back().logp));
}

// A recorded head and the draft token, whose probability the run recorded wherever it stands in the distribution.
TopEntries with_draft(TopEntries head, int token, double logp) {
    if (most_outside(head) <= 0 || listed(head, token)) return head;
    head.entries.push_back({token, logp});
    head.rest = std::max(0.0, head.rest - std::exp(logp));
    return head;
}

// What is cut off by filters is within the draft's reach: the distributions at temperature 1 say what it can name.
void find_reach(const Distribution& p_raw, const Distribution& q_raw, AcceptSource& s) {
    AcceptReach& reach = s.reach;
    double within = 0;
    s.named.assign(s.p.size(), false);
    for (std::size_t id = 0; id < s.p.size(); ++id) {
        s.named[id] = q_raw[id] > 0;
        reach.ids += p_raw[id] > 0 || q_raw[id] > 0;
        reach.named += q_raw[id] > 0;
        if (s.named[id])
            within += s.p[id];
        else if (s.p[id] > reach.most)
            reach.most = s.p[id], reach.largest = static_cast<int>(id);
    }
    reach.never = std::clamp(1 - within, 0.0, 1.0);
    reach.known = true;
}

AcceptSource load(const SceneInput& input, const AcceptEdit& edit) {
    AcceptSource s;
    const RunView& view = *input.view;
    if (!view.header) return s;
    const std::optional<Position> position = accept_position(view, input.selected);
    if (!position) return s;
    const Drafted* draft = nullptr;
    const Checked* check = find_check(view, *position, &draft);
    if (!check || !draft) return s;
    s.position = position;
    s.draft_token = check->token;
    s.coin = check->u;
    s.accepted = check->accepted;
    s.target_t = edit.target_t.value_or(view.header->sampling.temperature);
    s.draft_t = edit.draft_t.value_or(view.header->draft_sampling.temperature);
    // At temperature 0 each distribution is a single bar: the raw ones say more, unless somebody set a temperature.
    const bool frozen = view.header->sampling.temperature == 0 && !edit.target_t && !edit.draft_t;
    if (frozen && !edit.raw) s.why_raw = "the run is greedy";
    s.raw = edit.raw || frozen;
    if (s.raw) s.target_t = s.draft_t = 1;

    if (input.distributions && input.distributions->round == position->round && input.distributions->index == position->index &&
        !input.distributions->target.empty() && input.distributions->target.size() == input.distributions->draft.size()) {
        const DistributionPair& distributions = *input.distributions;
        const bool has_raw =
            distributions.target_raw.size() == distributions.target.size() && distributions.draft_raw.size() == distributions.target.size();
        const Distribution& p_raw = has_raw ? distributions.target_raw : distributions.target;
        const Distribution& q_raw = has_raw ? distributions.draft_raw : distributions.draft;
        s.full = true;
        s.p = s.raw ? p_raw : reshape(distributions.target, p_raw, view.header->sampling, edit.target_t);
        s.q = s.raw ? q_raw : reshape(distributions.draft, q_raw, view.header->draft_sampling, edit.draft_t);
        find_reach(p_raw, q_raw, s);
        return s;
    }
    const bool raw_p = s.raw && !check->raw_top.empty(), raw_q = s.raw && !draft->raw_top.empty();
    s.p_head = raw_p ? check->raw_top : check->top;
    s.q_head = raw_q ? draft->raw_top : draft->top;
    s.p_most = most_outside(s.p_head);
    s.q_most = most_outside(s.q_head);
    s.heads_are_all = s.p_most <= 0 && s.q_most <= 0;
    if (!raw_p) s.p_head = with_draft(std::move(s.p_head), check->token, check->p);
    if (!raw_q) s.q_head = with_draft(std::move(s.q_head), check->token, check->q);
    if (s.q_head.empty() && !s.p_head.empty()) s.q_head.entries = {{check->token, 0.0}}; // a copied guess
    return s;
}

std::vector<AcceptBar> bars_of_distributions(const AcceptSource& s) {
    std::vector<int> ids(s.p.size());
    std::iota(ids.begin(), ids.end(), 0);
    const std::size_t want = std::min<std::size_t>(kTokens, ids.size());
    std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(want), ids.end(),
                      [&](int a, int b) { return s.p[a] != s.p[b] ? s.p[a] > s.p[b] : a < b; });
    ids.resize(want);
    if (std::ranges::find(ids, s.draft_token) == ids.end() && s.draft_token < static_cast<int>(s.p.size()) && !ids.empty())
        ids.back() = s.draft_token;
    std::vector<AcceptBar> bars;
    AcceptBar other{-1, 1, 1, overlap(s.p, s.q), false, false};
    other.never = s.reach.never;
    for (int id : ids) {
        AcceptBar bar{id, s.p[id], s.q[id], std::min(s.p[id], s.q[id]), false, false};
        if (!s.named[static_cast<std::size_t>(id)]) bar.never = bar.p;
        other.never -= bar.never;
        other.p -= bar.p;
        other.q -= bar.q;
        other.kept -= bar.kept;
        bars.push_back(bar);
    }
    other.p = std::max(0.0, other.p);
    other.never = std::clamp(other.never, 0.0, other.p);
    other.q = std::max(0.0, other.q);
    other.kept = std::clamp(other.kept, 0.0, std::min(other.p, other.q));
    if (ids.size() < s.p.size()) bars.push_back(other);
    return bars;
}

std::vector<AcceptBar> bars_of_heads(const AcceptSource& s) {
    if (s.p_head.empty()) return {};
    const DistributionTable table = distribution_table(s.p_head, s.q_head, kTokens, s.draft_token);
    std::vector<AcceptBar> bars;
    double kept_tokens = 0;
    for (const DistributionRow& row : table.rows) {
        AcceptBar bar{row.id, std::max(0.0, row.target.value_or(0)), std::max(0.0, row.draft.value_or(0)), 0, false, false};
        bar.kept = std::min(bar.p, bar.q);
        if (row.target.value_or(0) < 0) bar.p_most = s.p_most;
        if (row.draft.value_or(0) < 0) bar.q_most = s.q_most;
        bar.at_least = !table.exact && (row.id < 0 || !bar.listed());
        if (row.id >= 0) kept_tokens += bar.kept;
        bars.push_back(bar);
    }
    if (!bars.empty() && bars.back().id < 0) // what the heads prove
        bars.back().kept = std::clamp(table.overlap - kept_tokens, 0.0, bars.back().kept);
    return bars;
}

void make_one_hot(std::vector<AcceptBar>& bars, int token) {
    for (AcceptBar& bar : bars) {
        bar.q = bar.id == token ? 1 : 0;
        bar.q_most = 0;
        bar.kept = std::min(bar.p, bar.q);
        bar.at_least = bar.id == token && !bar.listed();
    }
}

} // namespace

AcceptView accept_view(const SceneInput& input, const AcceptEdit& edit, int chosen) {
    AcceptView view;
    view.source = load(input, edit);
    if (!view.source.position) return view;
    const bool changed_t = edit.target_t || edit.draft_t;
    view.bars = view.source.full ? bars_of_distributions(view.source) : bars_of_heads(view.source);
    if (view.bars.empty()) return view;
    const std::vector<AcceptBar> loaded = view.bars;
    if (edit.one_hot) make_one_hot(view.bars, view.source.draft_token);
    if (!edit.bars.empty()) view.bars = edit.bars;
    const bool dragged = std::ranges::any_of(edit.bars, [](const AcceptBar& bar) { return bar.touched; });
    view.edited = dragged || edit.one_hot || changed_t;
    if (!view.edited) view.reach = view.source.reach;
    for (std::size_t i = 0; i < view.bars.size(); ++i) {
        if (view.bars[i].id == view.source.draft_token) view.drafted = static_cast<int>(i);
        view.kept += view.bars[i].kept;
        view.at_least = view.at_least || view.bars[i].at_least;
    }
    view.chosen = chosen >= 0 && chosen < static_cast<int>(view.bars.size()) ? chosen : std::max(0, view.drafted);
    if (const auto at = static_cast<std::size_t>(view.chosen); at < loaded.size()) view.kept_as_loaded = loaded[at].p >= loaded[at].q;
    view.thrown = edit.coin || view.source.coin;
    view.coin = edit.coin.value_or(view.source.coin.value_or(0.5));
    return view;
}

std::vector<Position> judged_positions(const RunView& view) {
    std::vector<Position> positions;
    for (const RoundSummary& round : view.round_list)
        for (std::size_t i = 0; i < round.drafts.size(); ++i)
            if (round.drafts[i].check && !round.drafts[i].check->sibling_residual && !round.drafts[i].check->top.empty())
                positions.push_back({round.round, static_cast<int>(i)});
    return positions;
}

namespace {

// The judged guess of a round of which the draft claims most beyond the target.
struct Claimed {
    Position at;
    double beyond = -2;
};
std::optional<Claimed> most_claimed(const RoundSummary& round) {
    std::optional<Claimed> found;
    for (std::size_t i = 0; i < round.drafts.size(); ++i) {
        const Checked* check = round.drafts[i].check;
        if (!check || check->sibling_residual) continue;
        const double beyond = std::exp(check->q) - std::exp(check->p);
        if (!found || beyond >= found->beyond) // of two alike the later one
            found = Claimed{{round.round, static_cast<int>(i)}, beyond};
    }
    return found;
}

// Another rule rejects for other reasons, so its rejections may have nothing to show here.
bool by_another_rule(const RunView& view) { return view.header && view.header->rule != "token" && view.header->sampling.temperature > 0; }

// How much the two distributions of a judged guess have to tell, from 0 (certain, or foreign to each other) on.
double contest(const DraftSlot& slot) {
    if (!slot.check || slot.check->sibling_residual || slot.check->top.empty() || slot.draft->top.empty()) return 0;
    const double shared = distribution_table(slot.check->top, slot.draft->top, kTokens, slot.check->token).overlap;
    if (shared < 0.2 || shared > 0.85) return 0;
    return std::min(shared, 1 - shared) + (slot.check->accepted ? 0.0 : 1.0);
}

// Whether the target gives much to tokens that its own head lists and the draft's does not, and much to others.
double unlisted(const DraftSlot& slot) {
    if (!slot.check || slot.check->sibling_residual || slot.draft->top.empty()) return 0;
    const TopEntries& target = slot.check->raw_top.empty() ? slot.check->top : slot.check->raw_top;
    const TopEntries& draft = slot.draft->raw_top.empty() ? slot.draft->top : slot.draft->raw_top;
    if (draft.entries.size() < 2) return 0; // a copied guess
    double mass = 0;
    for (const TopEntries::Entry& entry : target.entries)
        if (!listed(draft, entry.id)) mass += std::exp(entry.logp);
    return mass * (1 - mass);
}

// The guess of a round that scores most, above `least`.
std::optional<Position> most_telling(const RoundSummary& round, double least, double (*score)(const DraftSlot&)) {
    std::optional<Position> best;
    for (std::size_t i = 0; i < round.drafts.size(); ++i)
        if (const double much = score(round.drafts[i]); much > least) least = much, best = Position{round.round, static_cast<int>(i)};
    return best;
}

} // namespace

const Criterion& unlisted_by_the_draft() {
    static const Criterion kUnlisted{
        "unlisted by the draft",
        {}, // looked for in this run only
        [](const RoundSummary& round) { return most_telling(round, 0.01, unlisted); },
        [](const RoundSummary& round, const Position& at) { return unlisted(round.drafts[static_cast<std::size_t>(at.index)]); }};
    return kUnlisted;
}

const Criterion& contested_guess() {
    static const Criterion kContested{
        "contested guess", [] { return accept_says("words.criterion"_t); },
        [](const RoundSummary& round) { return most_telling(round, 0, contest); },
        [](const RoundSummary& round, const Position& at) { return contest(round.drafts[static_cast<std::size_t>(at.index)]); }};
    return kContested;
}

bool tells_much(const RunView& view, const Position& at) {
    for (const RoundSummary& round : view.round_list)
        if (round.round == at.round && at.index < static_cast<int>(round.drafts.size()))
            return contest(round.drafts[static_cast<std::size_t>(at.index)]) > 0;
    return false;
}

std::optional<Position> last_rejection(const RunView& view) {
    std::optional<Position> last;
    for (const RoundSummary& round : view.round_list)
        for (std::size_t i = 0; i < round.drafts.size(); ++i)
            if (const Checked* check = round.drafts[i].check; check && !check->sibling_residual && !check->accepted)
                last = Position{round.round, static_cast<int>(i)};
    return last;
}

std::optional<std::size_t> accept_first_look(const RunView& whole) {
    if (!by_another_rule(whole)) return {};
    std::optional<std::size_t> found;
    double most = -2;
    for (const RoundSummary& round : whole.round_list)
        if (const auto claimed = most_claimed(round); claimed && claimed->beyond >= most) {
            most = claimed->beyond;
            found = round.complete() ? round.end_event - 1 : round.end_event;
        }
    return found;
}

std::optional<Position> accept_position(const RunView& view, const std::optional<Position>& selected) {
    const Drafted* draft = nullptr;
    if (selected && find_check(view, *selected, &draft)) return selected;
    std::optional<Position> judged;
    for (auto round = view.round_list.rbegin(); by_another_rule(view) && round != view.round_list.rend(); ++round)
        if (const auto claimed = most_claimed(*round)) return claimed->at;
    for (auto round = view.round_list.rbegin(); round != view.round_list.rend(); ++round) {
        for (std::size_t i = round->drafts.size(); i-- > 0;) {
            const DraftSlot& slot = round->drafts[i];
            if (!slot.check || slot.check->sibling_residual) continue;
            const Position here{round->round, static_cast<int>(i)};
            if (!slot.check->accepted) return here;
            if (!judged) judged = here;
        }
        if (judged && view.current()->round - round->round >= 8) break; // a rejection long ago is no news
    }
    return judged;
}

void set_bar(std::vector<AcceptBar>& bars, std::size_t index, Side side, double value) {
    const auto height = [&](AcceptBar& bar) -> double& { return side == Side::target ? bar.p : bar.q; };
    double locked = 0, free = 0;
    int free_count = 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        if (i == index) continue;
        if (bars[i].locked) {
            locked += height(bars[i]);
        } else {
            free += height(bars[i]);
            ++free_count;
        }
    }
    value = std::clamp(value, 0.0, std::max(0.0, 1 - locked));
    if (free_count == 0) value = std::max(0.0, 1 - locked);
    const double rest = std::max(0.0, 1 - locked - value);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        if (i == index || bars[i].locked) continue;
        height(bars[i]) = free > 1e-12 ? height(bars[i]) * rest / free : rest / free_count;
    }
    height(bars[index]) = value;
    bars[index].touched = true;
    for (AcceptBar& bar : bars) { // a table of the user's own: nothing in it is unknown
        bar.kept = std::min(bar.p, bar.q);
        bar.p_most = bar.q_most = 0;
        bar.at_least = false;
    }
}

} // namespace speclens
