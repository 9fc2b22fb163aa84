#include "engine/advice/advice_words.h"

#include <algorithm>
#include <cmath>

#include "engine/advice/break_even.h"

namespace speclens {
namespace {

// The best cell of one drafter.
const AdviceCell* best_of(const Advice& advice, const std::string& drafter) {
    const AdviceCell* best = nullptr;
    for (const AdviceCell& cell : advice.cells)
        if (cell.drafter == drafter && (!best || cell.speed_up > best->speed_up)) best = &cell;
    return best;
}

void add_alike(std::vector<Said>& list, const AdviceVerdict& verdict) {
    if (verdict.as_fast.empty()) return;
    constexpr std::size_t kMost = 3;
    std::vector<Said> named;
    for (std::size_t i = 0; i < std::min(kMost, verdict.as_fast.size()); ++i)
        named.push_back(advice_said("sentence.short_choice"_t, "drafter"_v = verdict.as_fast[i]->drafter, "k"_v = verdict.as_fast[i]->k));
    list.push_back(advice_said("finding.alike"_t, "others"_v = named, "more"_v = verdict.as_fast.size() - named.size()));
}

// A longer draft of the same drafter that loses for sure.
void add_too_long(std::vector<Said>& list, const Advice& advice, const AdviceCell& best) {
    const AdviceCell* longest = nullptr;
    for (const AdviceCell& cell : advice.cells)
        if (cell.drafter == best.drafter && cell.k > best.k) longest = &cell;
    if (!longest || longest->high >= best.speed_up) return;
    list.push_back(advice_said("finding.too_long"_t, "drafter"_v = best.drafter, "k"_v = longest->k, "tokens"_v = longest->tokens_per_round,
                               "best_tokens"_v = best.tokens_per_round, "times"_v = longest->round_ms() / best.round_ms(),
                               "speed_up"_v = longest->speed_up));
}

// Checking is not free on this machine.
void add_dear_check(std::vector<Said>& list, const Advice& advice, const AdviceCell& best) {
    const double passes = advice.plain_ms > 0 ? best.verify_ms / advice.plain_ms : 0;
    if (passes >= 1.5) list.push_back(advice_said("finding.dear_check"_t, "rows"_v = best.k + 1, "passes"_v = passes));
}

void add_dear_draft(std::vector<Said>& list, const AdviceCell& best) {
    const double share = best.round_ms() > 0 ? best.draft_ms / best.round_ms() : 0;
    if (share >= 0.4) list.push_back(advice_said("finding.dear_draft"_t, "share"_v = share));
}

// Wider or deeper? What one guess more would bring at either place.
void add_one_more(std::vector<Said>& list, const AdviceCell& best) {
    using Kind = WiderOrDeeper::Kind;
    const auto add = [&](const RefusedRanks& ranks, const std::string& drafter) {
        const WiderOrDeeper told = wider_or_deeper(ranks);
        if (told.kind == Kind::not_told) return;
        const auto said = [&](auto text) {
            return advice_said(text, "drafter"_v = drafter, "k"_v = best.k, "place"_v = std::max(1, told.place), "wider"_v = told.wider,
                               "deeper"_v = told.deeper, "next"_v = told.next, "rounds"_v = told.rounds);
        };
        list.push_back(told.kind == Kind::wider    ? said("finding.one_more:wider"_t)
                       : told.kind == Kind::deeper ? said("finding.one_more:deeper"_t)
                                                   : said("finding.one_more:alike"_t));
    };
    if (best.ranks.by.empty()) add(best.ranks, best.drafter);
    for (const RefusedRanks& one : best.ranks.by) add(one, one.drafter); // of two chained drafters
}

// A drafter that no acceptance could save, or that comes nowhere near.
void add_hopeless(std::vector<Said>& list, const Advice& advice, const AdviceDrafter& drafter) {
    const AdviceCell* cell = best_of(advice, drafter.name);
    if (!cell || cell->high >= 1 || advice.plain_ms <= 0) return;
    const CellBreakEven even = break_even_of(*cell, advice.plain_ms);
    if (even.tokens > cell->k + 1)
        list.push_back(advice_said("finding.hopeless:never"_t, "drafter"_v = cell->drafter, "k"_v = cell->k, "passes"_v = even.tokens,
                                   "most"_v = cell->k + 1));
    else
        list.push_back(advice_said("finding.hopeless:not_here"_t, "drafter"_v = cell->drafter, "k"_v = cell->k,
                                   "speed_up"_v = cell->speed_up, "tokens"_v = cell->tokens_per_round, "even"_v = even.tokens));
}

// A place behind which hardly anything is kept.
void add_dead_place(std::vector<Said>& list, const AdviceDrafter& drafter) {
    constexpr int kEnough = 30;
    for (std::size_t i = 1; i < drafter.judged.size(); ++i)
        if (drafter.judged[i] >= kEnough && drafter.kept[i] * 50 < drafter.judged[i]) {
            list.push_back(advice_said("finding.dead_place"_t, "drafter"_v = drafter.name, "place"_v = i + 1, "kept"_v = drafter.kept[i],
                                       "judged"_v = drafter.judged[i]));
            return;
        }
}

// A round whose text ends is cut, and of short texts there are many such rounds.
void add_short_texts(std::vector<Said>& list, const Advice& advice, const AdviceCell& best) {
    constexpr double kEnough = 8; // rounds of a text
    if (advice.max_tokens > 0 && best.tokens_per_round * kEnough > advice.max_tokens)
        list.push_back(advice_said("finding.short_texts"_t, "most"_v = advice.max_tokens));
}

// What keeping quantised weights saves here, and where it may cost.
void add_kept_weights(std::vector<Said>& list, const Advice& advice, const AdviceCell& best) {
    if (advice.read_bytes <= 0 || advice.plain_ms <= 0) return;
    list.push_back(advice_said("finding.kept_weights"_t, "kept"_v = advice.read_bytes / 1e6, "wide"_v = advice.wide_bytes / 1e6,
                               "rows"_v = best.k + 1, "passes"_v = best.verify_ms / advice.plain_ms));
}

void add_context(std::vector<Said>& list, const Advice& advice, const AdviceCell& best) {
    if (advice.contexts.empty()) return;
    const AdviceContext& last = advice.contexts.back();
    if (std::abs(last.speed_up / best.speed_up - 1) < 0.05)
        list.push_back(advice_said("finding.context:alike"_t, "tokens"_v = last.tokens));
    else
        list.push_back(advice_said("finding.context:other"_t, "tokens"_v = last.tokens, "speed_up"_v = last.speed_up));
}

} // namespace

CellBreakEven break_even_of(const AdviceCell& cell, double plain_ms) {
    CellBreakEven even;
    if (plain_ms <= 0) return even;
    even.tokens = cell.round_ms() / plain_ms;
    even.alpha = alpha_for(even.tokens, cell.k);
    even.most_plain_rate = most_plain_rate({cell.tokens_per_round, cell.draft_ms + cell.other_ms, cell.verify_ms / plain_ms});
    return even;
}

Said choice_said(const AdviceCell& cell) { return advice_said("sentence.choice"_t, "drafter"_v = cell.drafter, "k"_v = cell.k); }

Said range_said(const AdviceCell& cell) {
    const auto shown = [](double speed_up) { return std::lround(100 * speed_up); }; // two decimals of it
    if (shown(cell.low) == shown(cell.high)) return advice_said("sentence.range:one"_t, "low"_v = cell.low);
    return advice_said("sentence.range:two"_t, "low"_v = cell.low, "high"_v = cell.high);
}

Said verdict_said(const Advice& advice) {
    const AdviceVerdict verdict = verdict_of(advice);
    if (verdict.kind == AdviceVerdict::Kind::none) return advice_said("sentence.none"_t, "reason"_v = verdict.reason);
    const AdviceCell& best = *verdict.best;
    if (verdict.kind == AdviceVerdict::Kind::plain)
        return advice_said("sentence.plain"_t, "choice"_v = choice_said(best), "range"_v = range_said(best));
    std::optional<double> most = break_even_of(best, advice.plain_ms).most_plain_rate;
    if (most && !std::isfinite(*most)) most.reset();
    return advice_said("sentence.use"_t, "choice"_v = choice_said(best), "range"_v = range_said(best), "rate"_v = most);
}

std::vector<Said> break_even_said(const Advice& advice) {
    const AdviceVerdict verdict = verdict_of(advice);
    if (!verdict.best || advice.plain_ms <= 0) return {};
    const AdviceCell& best = *verdict.best;
    const CellBreakEven even = break_even_of(best, advice.plain_ms);
    const double rate = 1000 / advice.plain_ms;
    const auto pays = [&] {
        if (!even.most_plain_rate) return advice_said("break_even.pays:never"_t, "rate"_v = rate);
        if (std::isfinite(*even.most_plain_rate))
            return advice_said("break_even.pays:below"_t, "rate"_v = rate, "most"_v = *even.most_plain_rate);
        return advice_said("break_even.pays:always"_t, "rate"_v = rate);
    };
    return {advice_said("break_even.round"_t, "choice"_v = choice_said(best), "even"_v = even.tokens, "kept"_v = even.alpha,
                        "tokens"_v = best.tokens_per_round),
            pays()};
}

std::vector<Said> advice_findings(const Advice& advice) {
    std::vector<Said> list;
    const AdviceVerdict verdict = verdict_of(advice);
    if (!verdict.best) return list;
    add_alike(list, verdict);
    add_too_long(list, advice, *verdict.best);
    add_dear_check(list, advice, *verdict.best);
    add_dear_draft(list, *verdict.best);
    add_one_more(list, *verdict.best);
    add_short_texts(list, advice, *verdict.best);
    add_kept_weights(list, advice, *verdict.best);
    for (const AdviceDrafter& drafter : advice.drafters) {
        add_hopeless(list, advice, drafter);
        add_dead_place(list, drafter);
    }
    add_context(list, advice, *verdict.best);
    if (advice.clock > 0.05) list.push_back(advice_said("finding.drift"_t, "share"_v = advice.clock));
    return list;
}

Said conditions_said(const Advice& advice) {
    if (advice.prompts == 0)
        return advice_said("sentence.unfinished"_t, "temperature"_v = advice.temperature, "most"_v = advice.max_tokens);
    return advice_said("sentence.conditions"_t, "prompts"_v = advice.prompts, "shortest"_v = advice.shortest, "longest"_v = advice.longest,
                       "temperature"_v = advice.temperature, "most"_v = advice.max_tokens, "covers"_v = kAdviceCovers);
}

std::vector<const AdviceCell*> best_of_each(const Advice& advice) {
    std::vector<const AdviceCell*> best;
    for (const AdviceCell& cell : advice.cells) {
        const auto same = std::ranges::find_if(best, [&](const AdviceCell* other) { return other->drafter == cell.drafter; });
        if (same == best.end())
            best.push_back(&cell);
        else if (cell.speed_up > (*same)->speed_up)
            *same = &cell;
    }
    std::ranges::stable_sort(best, [](const AdviceCell* a, const AdviceCell* b) { return a->speed_up > b->speed_up; });
    return best;
}

} // namespace speclens
