#include "app/cli/advise_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/advice/advice_words.h"
#include "engine/run/speed_up.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr int kName = 13;

// In doubt no figure is told as if it were sure.
bool times_in_doubt(const Advice& advice) { return advice.busy_cores > kMostBusyCores; }

std::string speed_figure(const Advice& advice, double speed_up) { return (times_in_doubt(advice) ? "~" : "") + number(speed_up, 2) + "×"; }

Tone tone_of_cell(const AdviceCell& cell) { return cell.low > 1 ? Tone::accepted : cell.high < 1 ? Tone::rejected : Tone::plain; }

std::string best_table(const Advice& advice, const Terminal& terminal) {
    std::string text = terminal.paint(Tone::muted, "  " + pad("drafter", kName) + pad_left("best K", 7) + "  " +
                                                       pad("speed-up [90 %]", 22) + pad_left("tok/round", 10) + pad_left("needs", 7) +
                                                       pad_left("draft", 8) + pad_left("verify", 8) + pad_left("other ms", 10)) +
                       "\n";
    for (const AdviceCell* cell : best_of_each(advice)) {
        const CellBreakEven even = break_even_of(*cell, advice.plain_ms);
        const std::string range = speed_figure(advice, cell->speed_up) + " [" + number(cell->low, 2) + ", " + number(cell->high, 2) + "]";
        text += "  " + pad(cell->drafter, kName) + pad_left(std::to_string(cell->k), 7) + "  " +
                terminal.paint(tone_of_cell(*cell), pad(range, 22)) + pad_left(number(cell->tokens_per_round, 2), 10) +
                pad_left(number(even.tokens, 2), 7) + pad_left(number(cell->draft_ms, 2), 8) + pad_left(number(cell->verify_ms, 2), 8) +
                pad_left(number(cell->other_ms, 2), 10) + "\n";
    }
    for (const AdviceDrafter& drafter : advice.drafters)
        if (!drafter.problem.empty())
            text += "  " + pad(drafter.name, kName) + terminal.paint(Tone::muted, "cannot run: " + drafter.problem) + "\n";
    return text;
}

std::string length_table(const Advice& advice, const Terminal& terminal) {
    constexpr int kCell = 7;
    std::set<int> lengths;
    for (const AdviceCell& cell : advice.cells) lengths.insert(cell.k);
    if (lengths.size() < 2) return "";
    std::string head = "  " + pad("speed-up, K =", kName);
    for (const int k : lengths) head += pad_left(std::to_string(k), kCell);
    std::string text = "\n" + terminal.paint(Tone::muted, head) + "\n";
    for (const AdviceCell* best : best_of_each(advice)) {
        text += "  " + pad(best->drafter, kName);
        for (const int k : lengths) {
            const AdviceCell* cell = advice.cell(best->drafter, k);
            text +=
                cell ? terminal.paint(tone_of_cell(*cell), pad_left(speed_figure(advice, cell->speed_up), kCell)) : pad_left("–", kCell);
        }
        text += "\n";
    }
    return text;
}

std::string place_table(const Advice& advice, const Terminal& terminal) {
    constexpr int kCell = 5, kEnough = 30;
    std::size_t most = 0;
    std::string rows;
    for (const AdviceDrafter& drafter : advice.drafters) {
        std::string line;
        std::size_t shown = 0;
        for (; shown < drafter.judged.size() && drafter.judged[shown] >= kEnough; ++shown)
            line += pad_left(probability(static_cast<double>(drafter.kept[shown]) / drafter.judged[shown]), kCell);
        if (shown == 0) continue;
        most = std::max(most, shown);
        rows += "  " + pad(drafter.name, kName) + line + "\n";
    }
    if (rows.empty()) return "";
    std::string numbers;
    for (std::size_t i = 1; i <= most; ++i) numbers += pad_left(std::to_string(i), kCell);
    return "\n" + terminal.paint(Tone::muted, "  chance that guess i stays once all before it did\n  " + pad("i", kName) + numbers) + "\n" +
           rows;
}

std::string domain_table(const Advice& advice, const Terminal& terminal) {
    constexpr int kCell = 15;
    const std::vector<const AdviceCell*> cells = best_of_each(advice);
    if (advice.domains.empty()) return "";
    const auto room = static_cast<std::size_t>(std::max(1, (terminal.width - 2 - kName) / kCell));
    std::string head = "  " + pad("by domain", kName), text;
    for (std::size_t i = 0; i < std::min(room, cells.size()); ++i)
        head += pad_left(cells[i]->drafter + " " + std::to_string(cells[i]->k), kCell);
    std::string last;
    for (const AdviceDomain& first : advice.domains) {
        if (first.domain == last) continue;
        last = first.domain;
        text += "  " + pad(clip(first.domain, kName - 1), kName);
        for (std::size_t i = 0; i < std::min(room, cells.size()); ++i) {
            const auto found = std::ranges::find_if(
                advice.domains, [&](const AdviceDomain& one) { return one.domain == first.domain && one.drafter == cells[i]->drafter; });
            const bool told = found != advice.domains.end();
            text += pad_left(told ? number(found->tokens_per_round, 2) + "  " + speed_figure(advice, found->speed_up) : "–", kCell);
        }
        text += "\n";
    }
    return "\n" + terminal.paint(Tone::muted, head + "   (tokens per round, speed-up)") + "\n" + text;
}

std::string sentence_lines(const std::vector<Said>& sentences, const Terminal& terminal) {
    std::string text;
    for (const Said& sentence : sentences) text += wrap("  " + message(sentence), terminal.prose_width(), 2) + "\n";
    return text;
}

} // namespace

std::string verdict_text(const Advice& advice, const Terminal& terminal) {
    const AdviceVerdict verdict = verdict_of(advice);
    const Tone tone = verdict.kind == AdviceVerdict::Kind::speculate ? Tone::accepted
                      : verdict.kind == AdviceVerdict::Kind::plain   ? Tone::rejected
                                                                     : Tone::strong;
    return terminal.paint(tone, wrap(message(verdict_said(advice)), terminal.prose_width())) + "\n";
}

std::string advice_text(const Advice& advice, const Terminal& terminal) {
    std::string text =
        best_table(advice, terminal) + length_table(advice, terminal) + place_table(advice, terminal) + domain_table(advice, terminal);
    if (const std::string found = sentence_lines(advice_findings(advice), terminal); !found.empty()) text += "\n" + found;
    if (const std::string even = sentence_lines(break_even_said(advice), terminal); !even.empty()) text += "\n" + even;
    return text + "\n" + verdict_text(advice, terminal);
}

} // namespace speclens::cli
