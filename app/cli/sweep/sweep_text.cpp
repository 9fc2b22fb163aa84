#include "app/cli/sweep/sweep_text.h"

#include <algorithm>

#include "engine/base/lists.h"
#include "engine/base/quantile.h"
#include "engine/batch/block_film.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/paged_model.h"
#include "engine/run/speed_up.h"

namespace speclens::cli {

namespace {

constexpr int kTexts = 5, kName = 12, kK = 3, kRate = 9, kEach = 8, kSpeed = 20, kKept = 6, kPerRound = 7, kTimes = 14, kShare = 8,
              kCost = 11;

std::string name_of(const SweepMethod& method) { return method.plain() ? "plain" : method.drafter; }

std::string head_line(const SweepFacts& facts) {
    const std::string cost = facts.rent ? pad_left(cost_head(*facts.rent), kCost) : "";
    return pad_left("texts", kTexts) + "  " + pad("drafter", kName) + pad_left("K", kK) + pad_left("tok/s", kRate) +
           pad_left("a text", kEach) + "  " + pad("  speed-up (90 %)", kSpeed) + pad_left("kept", kKept) + pad_left("tok/rd", kPerRound) +
           pad_left("first ms", kTimes) + pad_left("next ms", kTimes) + pad_left("draft", kShare) + pad_left("verify", kShare) + cost +
           "  equal";
}

// "120 / 310": median and p95.
std::string times(double middle, double p95) {
    const int decimals = middle < 10 ? 2 : middle < 100 ? 1 : 0;
    return number(middle, decimals) + " / " + number(p95, decimals);
}

// In doubt it is no verdict: it has no colour. One turn has no interval.
std::string interval_text(const SweepInterval& speed, std::size_t turns, bool in_doubt, const Terminal& terminal) {
    const std::string text = pad_left((in_doubt ? "~" : "") + number(speed.value, 2) + "x", 7) +
                             (turns > 1 ? " (" + number(speed.low, 2) + "–" + number(speed.high, 2) + ")" : " (one turn)");
    Tone tone = Tone::plain;
    if (in_doubt)
        tone = Tone::muted;
    else if (speed.low > 1)
        tone = Tone::accepted;
    else if (speed.high < 1)
        tone = Tone::rejected;
    return terminal.paint(tone, pad(text, kSpeed));
}

std::string speed_text(const SweepCell& cell, const Terminal& terminal) {
    if (cell.method.plain()) return pad("   1x", kSpeed);
    return cell.speed_up ? interval_text(*cell.speed_up, cell.slices.size(), cell.in_doubt, terminal) : pad("   –", kSpeed);
}

// Why figures have a ~ before them; empty: none has.
std::string doubt_note(bool busy, bool any) {
    if (busy) return "~ in doubt: other programs kept the cores busy";
    return any ? "~ in doubt: its repeats lie more than " + number(100 * kMostSpread, 0) + " % from the figure" : "";
}

std::string cell_line(const SweepCell& cell, bool first_of_texts, const SweepFacts& facts, const Terminal& terminal) {
    std::string line = pad_left(first_of_texts ? std::to_string(cell.concurrency) : "", kTexts) + "  " + pad(name_of(cell.method), kName) +
                       pad_left(cell.method.plain() ? "–" : std::to_string(cell.method.k), kK);
    if (!cell.measured()) return line + "  " + terminal.paint(Tone::muted, "not measured") + "\n";
    const SweepFigures f = figures_of(cell);
    line += pad_left(number(f.tokens_per_second, f.tokens_per_second < 1000 ? 1 : 0), kRate) +
            pad_left(number(f.per_text, f.per_text < 1000 ? 1 : 0), kEach) + "  " + speed_text(cell, terminal);
    line += pad_left(percent(static_cast<double>(cell.sum.accepted), static_cast<double>(cell.sum.drafted)), kKept) +
            pad_left(number(f.tokens_per_round, 2), kPerRound) + pad_left(" " + times(f.first_ms, f.first_p95_ms), kTimes) +
            pad_left(" " + times(f.between_ms, f.between_p95_ms), kTimes) + pad_left(percent(f.draft_share, 1), kShare) +
            pad_left(percent(f.verify_share, 1), kShare);
    if (facts.rent) line += pad_left(cost_text(facts.rent->per_million(f.tokens_per_second)), kCost);
    line += "  ";
    const std::string equal = cell.compared == 0 ? "–" : std::to_string(cell.equal) + " of " + std::to_string(cell.compared);
    return line + (cell.compared > 0 && !cell.texts_equal() ? terminal.paint(Tone::rejected, equal) : equal) + "\n";
}

std::string texts_of(double value) { return number(value, value < 10 ? 1 : 0); }

std::string crossing_line(const SweepMethod& method, const SweepCrossing& crossing, const SweepPlan& plan, bool busy) {
    const std::string end = busy ? "; in doubt." : ".";
    const std::string who = method.drafter + " with K = " + std::to_string(method.k);
    const std::string fewest = std::to_string(plan.concurrency.front()), most = std::to_string(plan.concurrency.back());
    const std::string interval = std::string(" (90 %: ") + (crossing.open_low ? "fewer than " + fewest : texts_of(crossing.texts.low)) +
                                 " to " + (crossing.open_high ? "more than " + most : texts_of(crossing.texts.high)) + ")";
    switch (crossing.where) {
    case SweepCrossing::Where::below:
        return who + " does not pay, not even with " + fewest + (plan.concurrency.front() == 1 ? " text" : " texts") + " at once" +
               (crossing.open_high || crossing.texts.high > crossing.texts.low ? interval : "") + end;
    case SweepCrossing::Where::above:
        return who + " still pays with " + most + " texts at once" +
               (crossing.open_low || crossing.texts.high > crossing.texts.low ? interval : "") + end;
    case SweepCrossing::Where::at: break;
    }
    return who + " pays up to about " + (busy ? "~" : "") + texts_of(crossing.texts.value) + " texts at once" + interval + end;
}

std::string film_words(const BlockFilm& film) {
    int preempted = 0, copied = 0, shared = 0;
    for (const FilmRound& round : film.rounds) preempted += round.preempted(), copied += round.copied, shared += round.shared_tokens;
    return "Memory of the keys and values, of a batch recorded first for that alone: " + std::to_string(film.asked) + " texts of " +
           film.drafter + " with K = " + std::to_string(film.k) + ", " + std::to_string(film.texts) + " at a time, on " +
           std::to_string(film.blocks) + " blocks of " + std::to_string(PagedModel::kBlock) + " tokens. The drafts of a round needed " +
           number(film.mean_for_drafts(), 2) + " more blocks on average, at " + std::to_string(film.lengths()) +
           " lengths of texts; the rule of thumb, K ÷ " + std::to_string(PagedModel::kBlock) + " for each text, says " +
           number(film.mean_estimated(), 2) + ". " + std::to_string(shared) + " tokens of prompts were shared, " + std::to_string(copied) +
           " blocks copied on write, and a text gave up its blocks " + std::to_string(preempted) + " times.";
}

std::string way_name(const AdaptiveWay& way) {
    const std::string k = std::to_string(way.k);
    switch (way.chooser) {
    case Chooser::fixed: return way.k == 0 ? "plain" : "K = " + k;
    case Chooser::article: return "the article's controller";
    case Chooser::formula: return "the formula's controller";
    case Chooser::gain: return "expected gain";
    case Chooser::margin: return "margin, K up to " + k;
    case Chooser::confidence: return "confidence, K up to " + k;
    case Chooser::automatic: return "K auto, up to " + k;
    case Chooser::oracle: break;
    }
    return "in hindsight (computed)";
}

// Tokens a round by domain, a column for every method.
std::string domain_lines(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts, const Terminal& terminal) {
    constexpr int kDomain = 16, kCell = 14;
    const std::vector<SweepDomain> domains = by_domain(sweep, plan, facts);
    if (domains.empty()) return "";
    std::string head = pad("tokens a round", kDomain);
    for (std::size_t m = 1; m < plan.methods.size(); ++m)
        head += pad_left(plan.methods[m].drafter + " " + std::to_string(plan.methods[m].k), kCell);
    std::string text = "\n" + terminal.paint(Tone::muted, head) + "\n";
    for (const SweepDomain& domain : domains) {
        text += pad(clip(domain.domain, kDomain - 1), kDomain);
        for (std::size_t m = 1; m < plan.methods.size(); ++m)
            text += pad_left(domain.tokens_per_round[m] > 0 ? number(domain.tokens_per_round[m], 2) : "–", kCell);
        text += "\n";
    }
    return text + "\n";
}

// Every way to choose K on the same arrivals.
std::string adaptive_text(const AdaptiveResult& result, const Terminal& terminal) {
    const std::string about = "K chosen as one goes: " + std::to_string(result.texts) + " texts of " + result.drafter + " on " +
                              std::to_string(result.seats) +
                              " seats arrive seldom at first, then in a crowd; the same arrivals and dice for every way.";
    std::string text = wrap(about, terminal.prose_width()) + "\n";
    text += terminal.paint(Tone::muted, pad("chosen by", 26) + pad_left("tok/s", 9) + "  " + pad("  speed-up (90 %)", kSpeed) +
                                            pad_left("tok/rd", 8) + pad_left("a text, ms", 12)) +
            "\n";
    bool doubt = false;
    for (const AdaptiveWay& way : result.ways) {
        if (way.rates.empty()) continue;
        const bool computed = way.chooser == Chooser::oracle;
        text += pad(way_name(way) + (&way == result.best_fixed() ? " *" : ""), 26) + pad_left(number(way.rate(), 0), 9) + "  " +
                (&way == &result.ways.front() ? pad("   1x", kSpeed)
                                              : interval_text(result.speed_up(way), way.rates.size(), result.in_doubt(way), terminal)) +
                pad_left(computed ? "" : number(way.tokens_per_round, 2), 8) + pad_left(computed ? "" : number(way.wait_ms, 0), 12) + "\n";
        doubt = doubt || result.in_doubt(way);
    }
    if (const std::string note = doubt_note(result.busy_cores > kMostBusyCores, doubt); !note.empty()) text += note + "\n";
    text +=
        wrap("* the best fixed K. In hindsight: every text drafts just what will be kept, at the measured costs.", terminal.prose_width());
    if (const AdaptiveWay* const margin = result.way(Chooser::margin); margin && margin->auc)
        text += "\n" + wrap("Margin: how clear a row of the draft is; of a kept and a refused guess it foretold the kept one as likelier " +
                                number(100 * *margin->auc, 0) + " % of the time, fitted on earlier rounds only.",
                            terminal.prose_width());
    if (result.compared > 0)
        text += "\n" + std::to_string(result.equal) + " of " + std::to_string(result.compared) + " texts are those of plain decoding.";
    return text;
}

std::string conditions(const SweepPlan& plan, const SweepFacts& facts) {
    const RunSettings& text = plan.texts.front();
    return "At every number of texts the seats are always taken: one that ends makes room for the next of " +
           std::to_string(facts.prompts) + " prompts, " + std::to_string(text.max_tokens) + " new tokens each at most, temperature " +
           number(text.sampling.temperature, 1) +
           ". Speed-ups are over plain batched decoding with as many texts; first: from arrival to the first token, next: from token to "
           "token "
           "(median / p95).";
}

} // namespace

SweepFigures figures_of(const SweepCell& cell) {
    const SweepSlice& sum = cell.sum;
    SweepFigures f;
    f.tokens_per_second = sum.tokens_per_second();
    f.per_text = f.tokens_per_second / cell.concurrency;
    if (sum.text_rounds > 0) f.tokens_per_round = static_cast<double>(sum.tokens) / static_cast<double>(sum.text_rounds);
    if (sum.rounds > 0) f.rows_per_pass = static_cast<double>(sum.rows) / static_cast<double>(sum.rounds);
    f.first_ms = quantile(sum.first_ms, 0.5);
    f.first_p95_ms = quantile(sum.first_ms, 0.95);
    f.between_ms = quantile(sum.between_ms, 0.5);
    f.between_p95_ms = quantile(sum.between_ms, 0.95);
    if (sum.ms > 0) {
        f.draft_share = sum.draft_ms / sum.ms;
        f.verify_share = sum.pass_ms / sum.ms;
        f.rest_share = 1 - f.draft_share - f.verify_share;
    }
    return f;
}

std::vector<SweepDomain> by_domain(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts) {
    std::vector<std::string> names;
    for (const std::string& domain : facts.domains)
        if (std::ranges::find(names, domain) == names.end()) names.push_back(domain);
    std::vector<SweepDomain> list;
    if (names.size() < 2) return list;
    for (const std::string& name : names) {
        std::vector<SweepSlice::OfText> sums(plan.methods.size());
        for (std::size_t c = 0; c < sweep.cells.size(); ++c)
            for (std::size_t i = 0; i < sweep.cells[c].sum.by_text.size(); ++i)
                if (facts.domains[i] == name) {
                    SweepSlice::OfText& sum = sums[c % sums.size()];
                    sum.rounds += sweep.cells[c].sum.by_text[i].rounds, sum.tokens += sweep.cells[c].sum.by_text[i].tokens;
                }
        SweepDomain& domain = list.emplace_back();
        domain.domain = name;
        for (const SweepSlice::OfText& sum : sums)
            domain.tokens_per_round.push_back(sum.rounds > 0 ? static_cast<double>(sum.tokens) / static_cast<double>(sum.rounds) : 0);
    }
    return list;
}

std::vector<std::string> usual_drafters(const std::vector<std::string>& ready) {
    constexpr int kMade = 3; // that have a model or a head
    std::vector<const DrafterInfo*> found;
    for (const DrafterInfo& info : drafter_list())
        if (info.race_place > 0 && (info.copies() || info.needs != DrafterNeeds::nothing) && std::ranges::count(ready, info.name) > 0)
            found.push_back(&info);
    std::ranges::sort(found, {}, [](const DrafterInfo* info) { return info->copies() ? 0 : info->race_place; });
    std::vector<std::string> names;
    int made = 0;
    for (const DrafterInfo* info : found)
        if (info->copies() || ++made <= kMade) names.emplace_back(info->name);
    return names;
}

int texts_compared(const Sweep& sweep) { return sum_over<int>(sweep.cells, &SweepCell::compared); }

int texts_equal(const Sweep& sweep) { return sum_over<int>(sweep.cells, &SweepCell::equal); }

std::string sweep_text(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts, const Terminal& terminal) {
    std::string text =
        wrap(conditions(plan, facts), terminal.prose_width()) + "\n\n" + terminal.paint(Tone::muted, head_line(facts)) + "\n";
    int texts = 0;
    for (const SweepCell& cell : sweep.cells) {
        text += cell_line(cell, cell.concurrency != texts, facts, terminal);
        texts = cell.concurrency;
    }
    const bool any = std::ranges::any_of(sweep.cells, &SweepCell::in_doubt);
    if (const std::string note = doubt_note(sweep.busy(), any); !note.empty()) text += terminal.paint(Tone::muted, note) + "\n";
    if (const std::size_t all = sweep.cells.size() * static_cast<std::size_t>(plan.repeats); sweep.left_out > 0)
        text += wrap("Time was up after " + std::to_string(all - sweep.left_out) + " of " + std::to_string(all) +
                         " turns: a longer --for, or fewer drafters, lengths or texts at once, measures the others.",
                     terminal.prose_width()) +
                "\n";
    text += "\n";
    for (std::size_t m = 0; m < sweep.crossings.size(); ++m)
        if (sweep.crossings[m])
            text += wrap(crossing_line(plan.methods[m], *sweep.crossings[m], plan, sweep.busy()), terminal.prose_width()) + "\n";
    text += domain_lines(sweep, plan, facts, terminal);
    if (sweep.film && sweep.film->lengths() > 0) text += wrap(film_words(*sweep.film), terminal.prose_width()) + "\n";
    if (facts.rent) text += cost_notes(*facts.rent, facts.header.tier, terminal);
    if (sweep.adaptive && sweep.adaptive->best_fixed()) text += "\n" + adaptive_text(*sweep.adaptive, terminal) + "\n";
    const int compared = texts_compared(sweep), equal = texts_equal(sweep);
    const auto closed = [&](Tone tone, const std::string& verdict) {
        return text + terminal.paint(tone, wrap(verdict, terminal.prose_width())) + "\n";
    };
    if (compared == 0) return closed(Tone::muted, "No text was compared with its run alone.");
    if (compared == equal)
        return closed(Tone::accepted,
                      "All " + std::to_string(compared) + " texts that were compared are, token for token, those of their runs alone.");
    return closed(Tone::rejected, std::to_string(compared - equal) + " of " + std::to_string(compared) +
                                      " texts that were compared differ from their runs alone: that is a bug.");
}

} // namespace speclens::cli
