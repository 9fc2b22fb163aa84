#include "engine/advice/advice_words.h"

#include <algorithm>
#include <cmath>

#include "engine/advice/break_even.h"
#include "engine/advice/printed.h"

namespace speclens {
namespace {

std::string named(const AdviceCell& cell) { return cell.drafter + " with K = " + std::to_string(cell.k); }

std::string chance_words(double p) { return printed("%.2f", p).substr(p < 1 ? 1 : 0); }

// The best cell of one drafter.
const AdviceCell* best_of(const Advice& advice, const std::string& drafter) {
    const AdviceCell* best = nullptr;
    for (const AdviceCell& cell : advice.cells)
        if (cell.drafter == drafter && (!best || cell.speed_up > best->speed_up)) best = &cell;
    return best;
}

std::string alike_words(const AdviceVerdict& verdict) {
    if (verdict.as_fast.empty()) return "";
    std::string list;
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(kMost, verdict.as_fast.size()); ++i)
        list += (i == 0 ? "" : ", ") + verdict.as_fast[i]->drafter + " " + std::to_string(verdict.as_fast[i]->k);
    const std::size_t more = verdict.as_fast.size() - std::min(kMost, verdict.as_fast.size());
    return "Not told apart from it: " + list + (more > 0 ? printed(" and %zu more", more) : "") + ".";
}

// A longer draft of the same drafter that loses for sure.
std::string too_long_words(const Advice& advice, const AdviceCell& best) {
    const AdviceCell* longest = nullptr;
    for (const AdviceCell& cell : advice.cells)
        if (cell.drafter == best.drafter && cell.k > best.k) longest = &cell;
    if (!longest || longest->high >= best.speed_up) return "";
    return printed("%s: K = %d brings %.2f tokens a round instead of %.2f, and a round takes %.2f times as long: %.2f×.",
                   best.drafter.c_str(), longest->k, longest->tokens_per_round, best.tokens_per_round,
                   longest->round_ms() / best.round_ms(), longest->speed_up);
}

// A drafter that no acceptance could save, or that comes nowhere near.
std::string hopeless_words(const Advice& advice, const AdviceDrafter& drafter) {
    const AdviceCell* cell = best_of(advice, drafter.name);
    if (!cell || cell->high >= 1 || advice.plain_ms <= 0) return "";
    const CellBreakEven even = break_even_of(*cell, advice.plain_ms);
    if (even.tokens > cell->k + 1)
        return printed("%s cannot pay here: with K = %d a round takes %.1f plain passes and brings %d tokens at most.",
                       cell->drafter.c_str(), cell->k, even.tokens, cell->k + 1);
    return printed("%s does not pay: at its best, K = %d, %.2f×; a round brings %.2f tokens and would need %.2f.", cell->drafter.c_str(),
                   cell->k, cell->speed_up, cell->tokens_per_round, even.tokens);
}

// Checking is not free on this machine.
std::string dear_check_words(const Advice& advice, const AdviceCell& best) {
    const double passes = advice.plain_ms > 0 ? best.verify_ms / advice.plain_ms : 0;
    if (passes < 1.5) return "";
    return printed("Checking is dear here: a pass over %d tokens takes %.2f plain tokens' time.", best.k + 1, passes);
}

std::string dear_draft_words(const AdviceCell& best) {
    if (best.round_ms() <= 0 || best.draft_ms < 0.4 * best.round_ms()) return "";
    return printed("%.0f %% of a round is drafting: a cheaper drafter of the same acceptance would gain most.",
                   100 * best.draft_ms / best.round_ms());
}

// A place behind which hardly anything is kept.
std::string dead_place_words(const AdviceDrafter& drafter) {
    constexpr int kEnough = 30;
    for (std::size_t i = 1; i < drafter.judged.size(); ++i)
        if (drafter.judged[i] >= kEnough && drafter.kept[i] * 50 < drafter.judged[i])
            return printed("%s: guess %zu is kept %d times of %d; longer drafts are for nothing.", drafter.name.c_str(), i + 1,
                           drafter.kept[i], drafter.judged[i]);
    return "";
}

std::string context_words(const Advice& advice, const AdviceCell& best) {
    if (advice.contexts.empty()) return "";
    const AdviceContext& last = advice.contexts.back();
    if (std::abs(last.speed_up / best.speed_up - 1) < 0.05)
        return printed("Behind %d tokens of text it would gain about as much.", last.tokens);
    return printed("Behind %d tokens of text, with the same acceptance, it would be %.2f×.", last.tokens, last.speed_up);
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

std::string range_words(const AdviceCell& cell) {
    const std::string low = printed("%.2f×", cell.low), high = printed("%.2f×", cell.high);
    return low == high ? low : low + " to " + high;
}

std::string verdict_sentence(const Advice& advice) {
    const AdviceVerdict verdict = verdict_of(advice);
    switch (verdict.kind) {
    case AdviceVerdict::Kind::none: return "No verdict: " + verdict.reason + ".";
    case AdviceVerdict::Kind::plain:
        return "Do not speculate here: the best, " + named(*verdict.best) + ", would be " + range_words(*verdict.best) + ".";
    case AdviceVerdict::Kind::speculate: break;
    }
    const AdviceCell& best = *verdict.best;
    std::string sentence = "Use " + named(best) + ": " + range_words(best) + " here";
    const CellBreakEven even = break_even_of(best, advice.plain_ms);
    if (even.most_plain_rate && std::isfinite(*even.most_plain_rate))
        sentence += printed("; where plain decoding writes more than %.0f tokens a second, it does not pay", *even.most_plain_rate);
    return sentence + ".";
}

std::vector<std::string> break_even_words(const Advice& advice) {
    const AdviceVerdict verdict = verdict_of(advice);
    std::vector<std::string> list;
    if (!verdict.best || advice.plain_ms <= 0) return list;
    const AdviceCell& best = *verdict.best;
    const CellBreakEven even = break_even_of(best, advice.plain_ms);
    list.push_back(printed("%s breaks even at %.2f tokens a round", named(best).c_str(), even.tokens) +
                   (even.alpha ? ", every guess kept with " + chance_words(*even.alpha) : ", which no acceptance gives") +
                   printed("; here a round brings %.2f.", best.tokens_per_round));
    std::string pays = "; drafting costs nothing, so it pays at every speed.";
    if (!even.most_plain_rate)
        pays = "; checking alone costs more than a round brings, so it pays at no speed of the target.";
    else if (std::isfinite(*even.most_plain_rate))
        pays = printed("; it pays below %.0f, if drafting takes as long as here.", *even.most_plain_rate);
    list.push_back(printed("Plain decoding writes %.0f tokens a second here", 1000 / advice.plain_ms) + pays);
    return list;
}

std::vector<std::string> advice_findings(const Advice& advice) {
    std::vector<std::string> list;
    const auto add = [&](std::string text) {
        if (!text.empty()) list.push_back(std::move(text));
    };
    const AdviceVerdict verdict = verdict_of(advice);
    if (!verdict.best) return list;
    add(alike_words(verdict));
    add(too_long_words(advice, *verdict.best));
    add(dear_check_words(advice, *verdict.best));
    add(dear_draft_words(*verdict.best));
    for (const AdviceDrafter& drafter : advice.drafters) {
        add(hopeless_words(advice, drafter));
        add(dead_place_words(drafter));
    }
    add(context_words(advice, *verdict.best));
    if (advice.clock > 0.05) add(printed("Costs drifted by %.0f %% while this was measured: the intervals hold that.", 100 * advice.clock));
    return list;
}

std::string advice_conditions(const Advice& advice) {
    return printed("%d %s, texts of %d to %d tokens, T = %g, at most %d new tokens; intervals for 90 %% of other prompts of this kind",
                   advice.prompts, advice.prompts == 1 ? "prompt" : "prompts", advice.shortest, advice.longest, advice.temperature,
                   advice.max_tokens);
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
