#include "scenes/accept/accept_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/base/lists.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr int kTokens = 10;

// A guess that the target judged by its own row. A later sibling of a tree is judged by what the rejected ones left: not the story of
// this scene.
struct Judged {
    const RoundSummary* round;
    int index;
    [[nodiscard]] Position at() const { return {round->round, index}; }
    [[nodiscard]] const DraftSlot& slot() const { return round->drafts[static_cast<std::size_t>(index)]; }
    [[nodiscard]] const Checked& check() const { return *slot().check; }
    [[nodiscard]] bool rejected() const { return !check().accepted; }
    [[nodiscard]] double beyond() const { return std::exp(check().q) - std::exp(check().p); } // what the draft claims beyond the target
};
using JudgedList = std::vector<Judged>; // oldest first

void add_judged(JudgedList& list, const RoundSummary& round) {
    for (std::size_t i = 0; i < round.drafts.size(); ++i)
        if (const DraftSlot& slot = round.drafts[i]; slot.draft && slot.check && !slot.check->sibling_residual)
            list.push_back({&round, static_cast<int>(i)});
}
JudgedList judged_in(const RoundSummary& round) {
    JudgedList list;
    add_judged(list, round);
    return list;
}
JudgedList judged_in(const RunView& view) {
    JudgedList list;
    for (const RoundSummary& round : view.round_list) add_judged(list, round);
    return list;
}
const Judged* find_judged(const JudgedList& list, const Position& at) { return find_with(list, at, &Judged::at); }
const Judged* last_rejected(const JudgedList& list) {
    const auto found = std::find_if(list.rbegin(), list.rend(), std::mem_fn(&Judged::rejected));
    return found == list.rend() ? nullptr : &*found;
}
const Judged& most_claimed(const JudgedList& list) { // of two alike the later one
    return *std::ranges::max_element(list.rbegin(), list.rend(), {}, &Judged::beyond);
}

// Another rule rejects for other reasons, so its rejections may have nothing to show here.
bool by_another_rule(const RunView& view) { return view.header && view.header->rule != "token" && view.header->sampling.temperature > 0; }

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

// What was recorded of a row; raw: at temperature 1, where that was recorded on its own.
const TopEntries& top_of(const auto& row, bool raw) { return raw && !row.raw_top.empty() ? row.raw_top : row.top; }

// The same and the draft token, whose probability the run recorded wherever it stands in the distribution that was used.
TopEntries head_of(const auto& row, bool raw, int token, double logp) {
    TopEntries head = top_of(row, raw);
    if ((raw && !row.raw_top.empty()) || most_outside(head) <= 0 || listed(head, token)) return head;
    head.entries.push_back({token, logp});
    head.rest = std::max(0.0, head.rest - std::exp(logp));
    return head;
}

// What is cut off by filters is within the draft's reach: the distributions at temperature 1 say what it can name.
AcceptReach reach_of(const Distribution& p, const Distribution& p_raw, const Distribution& q_raw) {
    AcceptReach reach{.known = true, .never = 1};
    for (std::size_t id = 0; id < p.size(); ++id) {
        reach.ids += p_raw[id] > 0 || q_raw[id] > 0;
        reach.named += q_raw[id] > 0;
        if (q_raw[id] > 0)
            reach.never -= p[id];
        else if (p[id] > reach.most)
            reach.most = p[id], reach.largest = static_cast<int>(id);
    }
    reach.never = std::clamp(reach.never, 0.0, 1.0);
    return reach;
}

std::vector<AcceptBar> bars_of_distributions(const AcceptSource& s, const Distribution& q_raw) {
    std::vector<int> ids(s.p.size());
    std::iota(ids.begin(), ids.end(), 0);
    const std::size_t want = std::min<std::size_t>(kTokens, ids.size());
    std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(want), ids.end(),
                      [&](int a, int b) { return s.p[a] != s.p[b] ? s.p[a] > s.p[b] : a < b; });
    ids.resize(want);
    if (std::ranges::find(ids, s.draft_token) == ids.end() && s.draft_token < static_cast<int>(s.p.size()) && !ids.empty())
        ids.back() = s.draft_token;
    std::vector<AcceptBar> bars;
    AcceptBar other{.p = 1, .q = 1, .kept = overlap(s.p, s.q), .never = s.reach.never};
    for (const int id : ids) {
        bars.push_back({.id = id, .p = s.p[id], .q = s.q[id], .kept = std::min(s.p[id], s.q[id]), .never = q_raw[id] > 0 ? 0 : s.p[id]});
        for (double AcceptBar::*mass : {&AcceptBar::p, &AcceptBar::q, &AcceptBar::kept, &AcceptBar::never})
            other.*mass = std::max(0.0, other.*mass - bars.back().*mass);
    }
    other.never = std::min(other.never, other.p);
    other.kept = std::min({other.kept, other.p, other.q});
    if (ids.size() < s.p.size()) bars.push_back(other);
    return bars;
}

std::vector<AcceptBar> bars_of_heads(const Checked& check, const Drafted& draft, AcceptSource& s) {
    const double p_most = most_outside(top_of(check, s.raw)), q_most = most_outside(top_of(draft, s.raw));
    s.heads_are_all = p_most <= 0 && q_most <= 0;
    const TopEntries p = head_of(check, s.raw, check.token, check.p);
    TopEntries q = head_of(draft, s.raw, check.token, check.q);
    if (p.empty()) return {};
    if (q.empty()) q.entries = {{s.draft_token, 0.0}}; // a copied guess
    const DistributionTable table = distribution_table(p, q, kTokens, s.draft_token);
    std::vector<AcceptBar> bars;
    double kept_tokens = 0;
    for (const DistributionRow& row : table.rows) {
        const double target = row.target.value_or(0), drafted = row.draft.value_or(0); // below 0: not in the head
        AcceptBar bar{.id = row.id, .p = std::max(0.0, target), .q = std::max(0.0, drafted)};
        bar.kept = std::min(bar.p, bar.q);
        if (target < 0) bar.p_most = p_most;
        if (drafted < 0) bar.q_most = q_most;
        bar.at_least = !table.exact && (row.id < 0 || !bar.listed());
        if (row.id >= 0) kept_tokens += bar.kept;
        bars.push_back(bar);
    }
    if (!bars.empty() && bars.back().id < 0) // what the heads prove
        bars.back().kept = std::clamp(table.overlap - kept_tokens, 0.0, bars.back().kept);
    return bars;
}

// Where the distributions of this position come from, and their bars.
std::vector<AcceptBar> load(const SceneInput& input, const AcceptEdit& edit, AcceptSource& s) {
    const RunView& view = *input.view;
    s.position = view.header ? accept_position(view, input.selected) : std::nullopt;
    if (!s.position) return {};
    const JudgedList all = judged_in(view);
    const DraftSlot& slot = find_judged(all, *s.position)->slot();
    s.draft_token = slot.check->token;
    s.coin = slot.check->u;
    s.accepted = slot.check->accepted;
    s.target_t = edit.target_t.value_or(view.header->sampling.temperature);
    s.draft_t = edit.draft_t.value_or(view.header->draft_sampling.temperature);
    // At temperature 0 each distribution is a single bar: the raw ones say more, unless somebody set a temperature.
    s.frozen = !edit.raw && view.header->sampling.temperature == 0 && !edit.target_t && !edit.draft_t;
    s.raw = edit.raw || s.frozen;
    if (s.raw) s.target_t = s.draft_t = 1;
    const DistributionPair* of = input.distributions.get();
    if (!of || Position{of->round, of->index} != *s.position || of->target.empty() || of->target.size() != of->draft.size())
        return bars_of_heads(*slot.check, *slot.draft, s);
    const bool has_raw = of->target_raw.size() == of->target.size() && of->draft_raw.size() == of->target.size();
    const Distribution &p_raw = has_raw ? of->target_raw : of->target, &q_raw = has_raw ? of->draft_raw : of->draft;
    s.full = true;
    s.p = s.raw ? p_raw : reshape(of->target, p_raw, view.header->sampling, edit.target_t);
    s.q = s.raw ? q_raw : reshape(of->draft, q_raw, view.header->draft_sampling, edit.draft_t);
    s.reach = reach_of(s.p, p_raw, q_raw);
    return bars_of_distributions(s, q_raw);
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
    const std::vector<AcceptBar> loaded = load(input, edit, view.source);
    view.bars = loaded;
    if (view.bars.empty()) return view;
    const bool changed_t = edit.target_t || edit.draft_t;
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
    if (view.source.full && !view.edited && !edit.raw) view.places = input.distributions->places;
    view.chosen = chosen >= 0 && chosen < static_cast<int>(view.bars.size()) ? chosen : std::max(0, view.drafted);
    if (const auto at = static_cast<std::size_t>(view.chosen); at < loaded.size()) view.kept_as_loaded = loaded[at].p >= loaded[at].q;
    view.thrown = edit.coin || view.source.coin;
    view.coin = edit.coin.value_or(view.source.coin.value_or(0.5));
    return view;
}

std::vector<Position> judged_positions(const RunView& view) {
    std::vector<Position> positions;
    for (const Judged& one : judged_in(view))
        if (!one.check().top.empty()) positions.push_back(one.at());
    return positions;
}

namespace {

// How much the two distributions of a judged guess have to tell, from 0 (certain, or foreign to each other) on.
double contest(const DraftSlot& slot) {
    if (slot.check->top.empty() || slot.draft->top.empty()) return 0;
    const double shared = distribution_table(slot.check->top, slot.draft->top, kTokens, slot.check->token).overlap;
    if (shared < 0.2 || shared > 0.85) return 0;
    return std::min(shared, 1 - shared) + (slot.check->accepted ? 0.0 : 1.0);
}

// Whether the target gives much to tokens that its own head lists and the draft's does not, and much to others.
double unlisted(const DraftSlot& slot) {
    const TopEntries &target = top_of(*slot.check, true), &draft = top_of(*slot.draft, true);
    if (slot.draft->top.empty() || draft.entries.size() < 2) return 0; // a copied guess
    double mass = 0;
    for (const TopEntries::Entry& entry : target.entries)
        if (!listed(draft, entry.id)) mass += std::exp(entry.logp);
    return mass * (1 - mass);
}

// The guess of a round that scores most, above `least`.
template <double (*score)(const DraftSlot&)>
Criterion most_telling(const char* name, std::function<Message()> what, double least) {
    return {name, std::move(what),
            [least](const RoundSummary& round) {
                std::optional<Position> best;
                double most = least;
                for (const Judged& one : judged_in(round))
                    if (const double much = score(one.slot()); much > most) most = much, best = one.at();
                return best;
            },
            [](const RoundSummary& round, const Position& at) { return score(round.drafts[static_cast<std::size_t>(at.index)]); }};
}

} // namespace

const Criterion& unlisted_by_the_draft() { // looked for in this run only, so without words
    static const Criterion kUnlisted = most_telling<unlisted>("unlisted by the draft", {}, 0.01);
    return kUnlisted;
}

const Criterion& contested_guess() {
    static const Criterion kContested = most_telling<contest>(
        "contested guess", [] { return accept_says("words.criterion"_t); }, 0);
    return kContested;
}

bool tells_much(const RunView& view, const Position& at) {
    const JudgedList all = judged_in(view);
    const Judged* found = find_judged(all, at);
    return found && contest(found->slot()) > 0;
}

std::optional<Position> last_rejection(const RunView& view) {
    const JudgedList all = judged_in(view);
    const Judged* last = last_rejected(all);
    return last ? std::optional(last->at()) : std::nullopt;
}

std::optional<std::size_t> accept_first_look(const RunView& whole) {
    const JudgedList all = judged_in(whole);
    if (!by_another_rule(whole) || all.empty()) return {};
    const RoundSummary& round = *most_claimed(all).round;
    return round.complete() ? round.end_event - 1 : round.end_event;
}

std::optional<Position> accept_position(const RunView& view, const std::optional<Position>& selected) {
    const JudgedList all = judged_in(view);
    if (all.empty() || (selected && find_judged(all, *selected))) return all.empty() ? std::nullopt : selected;
    const RoundSummary& newest = *all.back().round;
    if (by_another_rule(view)) return most_claimed(judged_in(newest)).at();
    const Judged* rejected = last_rejected(all); // one long ago is no news
    const bool news = rejected && (rejected->round == &newest || view.current()->round - rejected->round->round <= 8);
    return (news ? *rejected : all.back()).at();
}

void set_bar(std::vector<AcceptBar>& bars, std::size_t index, ModelSide side, double value) {
    const auto height = [&](AcceptBar& bar) -> double& { return side == ModelSide::target ? bar.p : bar.q; };
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
