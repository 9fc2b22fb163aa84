#include "engine/advice/served_advice.h"

#include <algorithm>
#include <cmath>

#include "engine/advice/advice.h"
#include "engine/advice/break_even.h"

namespace speclens {
namespace {

constexpr double kLeastDeviation = 0.02; // of a clock over a network
constexpr double kLongestDraft = 4096;   // of one round: more is no count of drafts

// Half of a 95 % interval of the mean of so many more (Student's t, two-sided), as a factor on their deviation.
double span(std::size_t n) {
    static constexpr double kStudent[] = {12.7, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13};
    const double t = n < 2 ? kStudent[0] : n - 2 < std::size(kStudent) ? kStudent[n - 2] : 2.1;
    return t * std::sqrt(2.0 / static_cast<double>(std::max<std::size_t>(1, n)));
}

struct Middle {
    double log_mean = 0, half = 0;
    [[nodiscard]] double value() const { return std::exp(log_mean); }
    [[nodiscard]] double low() const { return std::exp(log_mean - half); }
    [[nodiscard]] double high() const { return std::exp(log_mean + half); }
};

Middle middle_of(const std::vector<double>& ratios) {
    Middle m;
    const auto n = static_cast<double>(ratios.size());
    for (const double ratio : ratios) m.log_mean += std::log(ratio) / n;
    double squares = 0;
    for (const double ratio : ratios) squares += (std::log(ratio) - m.log_mean) * (std::log(ratio) - m.log_mean);
    const double deviation = ratios.size() > 1 ? std::sqrt(squares / (n - 1)) : 1;
    m.half = span(ratios.size()) * std::max(deviation, kLeastDeviation);
    return m;
}

// Who was handed counts alone: more drafts than places are a tree.
DraftShape shape_of(const ServedEvidence& evidence) {
    DraftShape shape = evidence.shape;
    if (shape.kind != DraftShape::Kind::counted) return shape;
    const auto places = static_cast<double>(evidence.accepted_at.size());
    const double drafts = evidence.rounds > 0 ? evidence.drafted / evidence.rounds : 0;
    if (!(places > 0 && drafts > places + 1e-6)) return {.kind = DraftShape::Kind::chain};
    return {.kind = DraftShape::Kind::tree, .depth = places, .nodes = drafts};
}

// Whether all rounds drafted k, but for the last ones of answers, which their ends cut.
bool all_draft(const ServedEvidence& evidence, int k) {
    constexpr double kUntold = 0.001; // of drafts, where nobody says how many answers there were
    const double ends = std::max(kUntold * evidence.drafted, k * evidence.text.answers.value_or(0));
    return k * evidence.rounds - evidence.drafted <= ends;
}

void take_length(ServedAdvice& advice, const ServedEvidence& evidence) {
    advice.shape = shape_of(evidence);
    if (evidence.rounds <= 0) return;
    advice.drafts_per_round = evidence.drafted / evidence.rounds;
    if (advice.shape.kind != DraftShape::Kind::chain) return;
    if (advice.shape.depth)
        advice.k = static_cast<int>(std::min(*advice.shape.depth, kLongestDraft));
    else if (!evidence.accepted_at.empty())
        advice.k = static_cast<int>(evidence.accepted_at.size());
    // A mean alone tells no length, also where it is whole: rounds of 4 and 6 drafts have it, too.
    advice.drafts_alike = advice.k > 0 && all_draft(evidence, advice.k);
}

void take_counts(ServedAdvice& advice, const ServedEvidence& evidence) {
    take_length(advice, evidence);
    if (evidence.rounds <= 0) return;
    advice.tokens_per_round = 1 + evidence.accepted / evidence.rounds;
    TextTotals text = evidence.text;
    if (text.tokens <= 0) return;
    text.rounds = evidence.rounds;
    text.accepted = evidence.accepted;
    if (advice.shape.depth) text.most = advice.shape.depth;
    if (!text.most && !evidence.accepted_at.empty()) text.most = static_cast<double>(evidence.accepted_at.size());
    advice.text = text_shares(text);
    if (!advice.text.plain || advice.text.plain_holds_first) return;
    advice.passes_told = true;
    advice.plain_per_round = advice.text.plain->low / evidence.rounds;
}

// A round is what the passes without a draft leave of the time: (t − a) ÷ speed − those passes, over the rounds; in
// plain passes. Its ends: the clock may be off by what it says of plain tokens, which take alike, and of the passes
// without a draft only their ends may be known.
struct RoundCost {
    double middle = 0;
    Between ends;
};
std::optional<RoundCost> round_cost(const ServedAdvice& advice, const ServedEvidence& evidence) {
    const Between without = advice.passes_told ? *advice.text.plain : Between();
    const double first = advice.passes_told && evidence.text.first_apart ? evidence.text.answers.value_or(0) : 0;
    const double decoded = advice.passes_told ? evidence.text.tokens - first : advice.tokens_per_round * evidence.rounds;
    double ms = 0;
    std::vector<double> plain;
    for (const ServedTiming& prompt : evidence.prompts) {
        ms += std::max(0.0, prompt.with_ms) / advice.prompts;
        if (advice.plain_measured && prompt.without_ms && *prompt.without_ms > 0) plain.push_back(*prompt.without_ms);
    }
    if (std::ssize(plain) < kFewestServed) plain.assign(static_cast<std::size_t>(advice.prompts), 1);
    const double token = ms * *advice.plain_rate / 1000, off = std::exp(middle_of(plain).half); // passes that a token takes
    if (!(decoded * token > without.low)) return {}; // faster than its plain passes alone: the two speeds are not of one server
    const auto of = [&](double passes, double none) { return std::max(0.0, decoded * passes - none) / evidence.rounds; };
    return RoundCost{of(token, (without.low + without.high) / 2), {of(token / off, without.high), of(token * off, without.low)}};
}

// What a round costs, and which draft length would be best with these places.
void take_costs(ServedAdvice& advice, const ServedEvidence& evidence) {
    if (advice.tokens_per_round <= 0 || !advice.plain_rate || evidence.drafted <= 0 || advice.prompts < kFewestServed) return;
    const std::optional<RoundCost> round = round_cost(advice, evidence);
    if (!round) return;
    advice.round_passes_range = round->ends;
    // The middle, where both ends are near enough for it to say something.
    constexpr double kWidest = 0.25;
    if (round->ends.high - round->ends.low > kWidest * round->ends.high) return;
    advice.round_passes = round->middle;
    if (!advice.drafts_alike) return; // a tree's nodes are no chain, and of shorter drafts it is not told what they cost
    advice.alpha = alpha_for(*advice.round_passes, advice.k);
    const double drafts = evidence.drafted / evidence.rounds;
    if (drafts <= 0 || evidence.accepted_at.empty()) return;
    const double cost = std::max(0.0, *advice.round_passes - 1) / drafts; // timed a little below a pass: a guess costs nothing
    advice.draft_token_passes = cost;
    advice.best_k = 0;
    advice.best_speed_up = 1;
    // Passes without a draft come as often whatever K is, and cost one each.
    const double plain = advice.passes_told ? (advice.text.plain->low + advice.text.plain->high) / 2 / evidence.rounds : 0;
    double tokens = 1;
    for (int k = 1; k <= advice.k; ++k) {
        if (k <= std::ssize(evidence.accepted_at)) tokens += evidence.accepted_at[static_cast<std::size_t>(k - 1)] / evidence.rounds;
        const double speed_up = (plain + tokens) / (plain + std::max(1.0, 1 + cost * k));
        if (speed_up > advice.best_speed_up) advice.best_k = k, advice.best_speed_up = speed_up;
    }
    if (advice.text.most_speed_up) advice.best_speed_up = std::min(advice.best_speed_up, advice.text.most_speed_up->high);
}

void take_speed_up(ServedAdvice& advice, const ServedEvidence& evidence) {
    std::vector<double> with, ratios;
    double plain = 0;
    for (const ServedTiming& prompt : evidence.prompts) {
        if (prompt.with_ms <= 0) continue;
        with.push_back(1000 / prompt.with_ms);
        if (!prompt.without_ms || *prompt.without_ms <= 0) continue;
        ratios.push_back(*prompt.without_ms / prompt.with_ms);
        plain += std::log(1000 / *prompt.without_ms);
    }
    advice.prompts = static_cast<int>(with.size());
    if (with.empty()) return;
    const Middle rate = middle_of(with);
    advice.rate = rate.value(), advice.rate_low = rate.low(), advice.rate_high = rate.high();
    if (evidence.reported_plain_rate) {
        advice.plain_rate = evidence.reported_plain_rate;
        advice.speed_up = advice.rate / *advice.plain_rate;
        advice.low = advice.rate_low / *advice.plain_rate, advice.high = advice.rate_high / *advice.plain_rate;
    } else if (!ratios.empty()) {
        const Middle gain = middle_of(ratios);
        advice.plain_measured = true;
        advice.plain_rate = std::exp(plain / static_cast<double>(ratios.size()));
        advice.speed_up = gain.value(), advice.low = gain.low(), advice.high = gain.high();
    }
}

// No text can be written faster by guessing than by all that was guessed costing nothing.
bool beyond_what_is_possible(const ServedAdvice& advice) {
    return advice.text.most_speed_up && !advice.text.of_whole_answers && advice.low > advice.text.most_speed_up->high * 1.02;
}

} // namespace

ServedAdvice advise_on(const ServedEvidence& evidence) {
    ServedAdvice advice;
    advice.texts = evidence.texts, advice.same_texts = evidence.same_texts;
    take_speed_up(advice, evidence);
    take_counts(advice, evidence);
    if (!beyond_what_is_possible(advice)) take_costs(advice, evidence); // else the told speed says nothing of this server's rounds
    // Nothing is promised that the text cannot hold; where even the least would be more, the two speeds do not belong together.
    if (advice.speed_up > 0 && advice.text.most_speed_up && !advice.text.of_whole_answers)
        advice.high = std::max(advice.low, std::min(advice.high, advice.text.most_speed_up->high));
    if (evidence.rounds <= 0 && evidence.drafted <= 0)
        advice.reason = advice_said("served_reason.nothing"_t);
    else if (advice.prompts < kFewestServed)
        advice.reason = advice_said("served_reason.few"_t, "answers"_v = advice.prompts, "least"_v = kFewestServed);
    else if (!advice.plain_rate)
        advice.reason = advice_said("served_reason.plain"_t, "low"_v = advice.rate_low, "high"_v = advice.rate_high);
    else if (beyond_what_is_possible(advice))
        advice.reason = advice_said("served_reason.beyond"_t, "low"_v = advice.low, "most"_v = advice.text.most_speed_up->high);
    else if (advice.low > 1)
        advice.kind = ServedAdvice::Kind::keep;
    else if (advice.high < 1)
        advice.kind = ServedAdvice::Kind::change;
    else
        advice.reason = advice_said("served_reason.either_side"_t, "low"_v = advice.low, "high"_v = advice.high);
    return advice;
}

namespace {

// "a tree of depth 5, 31 nodes"; absent: no tree.
std::optional<Said> tree_said(const DraftShape& shape) {
    if (!shape.tree()) return {};
    return advice_said("served.tree"_t, "depth"_v = shape.depth, "nodes"_v = shape.nodes);
}

// What a round can bring at most.
std::optional<double> most_tokens(const ServedAdvice& advice) {
    if (advice.k > 0) return advice.k + 1;
    return advice.shape.tree() && advice.shape.depth ? std::optional(*advice.shape.depth + 1) : std::nullopt;
}

Said round_said(const ServedAdvice& advice) {
    const auto tokens = "tokens"_v = advice.tokens_per_round;
    const auto low = "low"_v = advice.round_passes_range->low;
    const auto high = "high"_v = advice.round_passes_range->high;
    if (!advice.round_passes) return advice_said("served.round_range:open"_t, tokens, low, high);
    if (advice.drafts_alike)
        return advice_said("served.round_range:middle"_t, tokens, low, high, "kept"_v = advice.alpha, "most"_v = advice.k + 1);
    const std::optional<double> most = most_tokens(advice);
    return advice_said("served.round_range:alone"_t, tokens, low, high,
                       "most"_v = most && *advice.round_passes > *most ? most : std::nullopt);
}

} // namespace

Said verdict_said(const ServedAdvice& advice) {
    const bool shorter = advice.best_k && *advice.best_k > 0 && *advice.best_k < advice.k && advice.best_speed_up > 1.05 * advice.speed_up;
    const auto k = "k"_v = advice.k;
    const auto tree = "tree"_v = tree_said(advice.shape);
    const auto best_k = "best_k"_v = shorter ? *advice.best_k : 0;
    const auto low = "low"_v = advice.low;
    const auto high = "high"_v = advice.high;
    const auto best = "best"_v = advice.best_speed_up;
    switch (advice.kind) {
    case ServedAdvice::Kind::keep: return advice_said("served.keep"_t, k, tree, low, high, best_k, best, "plain"_v = *advice.plain_rate);
    case ServedAdvice::Kind::change: return advice_said("served.change"_t, k, tree, low, high, best_k, best);
    case ServedAdvice::Kind::none: break;
    }
    return advice_said("sentence.none"_t, "reason"_v = advice.reason);
}

std::vector<Said> advice_findings(const ServedAdvice& advice) {
    std::vector<Said> list;
    const bool several = advice.prompts >= kFewestServed;
    if (advice.rate > 0)
        list.push_back(advice_said("served.speed"_t, "rate"_v = advice.rate,
                                   "low"_v = several ? std::optional(advice.rate_low) : std::nullopt, "high"_v = advice.rate_high,
                                   "plain"_v = advice.plain_rate, "measured"_v = advice.plain_measured,
                                   "told"_v = advice.plain_rate && !advice.plain_measured));
    if (advice.texts > 0)
        list.push_back(advice_said("served.texts"_t, "same"_v = advice.same_texts, "texts"_v = advice.texts,
                                   "differ"_v = advice.same_texts < advice.texts));
    if (advice.passes_told && advice.text.plain->low >= 0.5)
        list.push_back(advice_said("served.plain"_t, "exact"_v = advice.text.plain->exact(), "plain"_v = advice.text.plain->low,
                                   "per_round"_v = advice.plain_per_round));
    if (!advice.passes_told && advice.tokens_per_round > 0) list.push_back(advice_said("served.passes_open"_t));
    if (advice.text.share)
        list.push_back(advice_said("served.share"_t, "exact"_v = advice.text.share->exact(), "share"_v = advice.text.share->high,
                                   "most"_v = advice.text.most_speed_up ? std::optional(advice.text.most_speed_up->high) : std::nullopt));
    if (!advice.text.wrong.empty()) list.push_back(advice_said("served.wrong"_t, "wrong"_v = advice.text.wrong));
    if (beyond_what_is_possible(advice)) list.push_back(advice_said("served.beyond"_t));
    if (advice.round_passes_range) list.push_back(round_said(advice));
    if (advice.tokens_per_round > 0) {
        if (const std::optional<Said> tree = tree_said(advice.shape))
            list.push_back(advice_said("served.drafts:tree"_t, "tree"_v = *tree));
        else if (advice.shape.kind == DraftShape::Kind::open)
            list.push_back(advice_said("served.drafts:open"_t));
        else if (!advice.drafts_alike)
            list.push_back(advice_said("served.drafts:varying"_t, "mean"_v = advice.drafts_per_round));
    }
    if (advice.draft_token_passes)
        list.push_back(advice_said("served.guess"_t, "passes"_v = *advice.draft_token_passes, "best_k"_v = *advice.best_k,
                                   "best"_v = advice.best_speed_up));
    return list;
}

} // namespace speclens
