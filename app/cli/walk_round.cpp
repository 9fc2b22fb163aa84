// One round of a walk-through: told in full with its table of guesses, or in one line.
#include <algorithm>
#include <cmath>

#include "app/cli/walk.h"
#include "app/cli/walk_words.h"

namespace speclens::cli {

// The likeliest tokens of a law, and the one that was drawn from it.
std::string Walk::alternatives(const Top& top, int drawn) const {
    constexpr std::size_t kShown = 4;
    const auto& entries = top.entries;
    std::vector<Top::Entry> shown(entries.begin(),
                                  entries.begin() + std::ptrdiff_t(std::min(entries.size(), kShown)));
    const auto chosen = std::ranges::find(entries, drawn, &Top::Entry::id);
    if (shown.size() == kShown && chosen != entries.end() &&
        chosen - entries.begin() >= std::ptrdiff_t(kShown))
        shown.back() = *chosen;
    std::string text;
    double listed = 0;
    for (const Top::Entry& entry : shown) {
        const double p = std::exp(entry.logp);
        if (p <= 0) break;
        text += (text.empty() ? "" : "   ") + token(entry.id) + " " + probability(p);
        listed += p;
    }
    if (listed < 0.995) text += "   others " + probability(1 - listed);
    return text;
}

std::string Walk::table(const CycleSummary& cycle) const {
    const Header& h = *trace_->header();
    const bool greedy = h.sampling.temperature == 0;
    const bool coins =
        (!greedy || h.rule.starts_with("cascade_")) && h.rule != "match" && h.rule != "typical";
    const bool certain = h.rule == "tree_topk"; // what the draft thought is shown, it does not count
    // What the target wanted in place of a rejected guess: a guess beside it that stayed, else its own token.
    const auto wanted = [&](const DraftSlot& missed) {
        for (const DraftSlot& other : cycle.drafts)
            if (other.parent == missed.parent && other.state == DraftSlot::State::accepted)
                return token(other.draft->token, 14);
        return cycle.resample ? token(cycle.resample->token, 14) : std::string();
    };
    const int guess_width = std::clamp(terminal_.width - 57, 8, 17); // the other columns take 57
    std::string text =
        "     " +
        paint(Tone::muted, pad("guess", guess_width) + pad_left(certain && !greedy ? "draft" : "draft q", 8) +
                               pad_left("target p", 10) +
                               (coins ? "   stays if   coin u   verdict" : "   target says       verdict")) +
        "\n";
    for (const int i : cycle.reading_order()) {
        const DraftSlot& slot = cycle.drafts[static_cast<std::size_t>(i)];
        const Drafted& d = *slot.draft;
        const bool missed = slot.state == DraftSlot::State::rejected;
        // In a tree a guess stands below the one that it follows, one step further in.
        const int indent = cycle.tree ? std::min(slot.depth - 1, guess_width - 6) : 0;
        const std::string guess =
            std::string(static_cast<std::size_t>(indent), ' ') + token(d.token, guess_width - 1 - indent);
        std::string line =
            pad(guess, guess_width) +
            pad_left(probability(greedy || (certain && !d.u) ? at_one(d.raw_top, d.token, std::exp(d.q))
                                                             : std::exp(d.q)),
                     8);
        text += "  " + pad_left(std::to_string(i + 1), 2) + " ";
        if (!slot.check) {
            text += paint(Tone::muted,
                          line + pad_left("–", 10) + (coins ? "" : "   –") + "   · dropped, never judged") +
                    "\n";
            continue;
        }
        const Checked& c = *slot.check;
        line += pad_left(
            probability(greedy ? at_one(c.raw_top, d.token, std::exp(c.p)) : std::exp(c.left.value_or(c.p))),
            10);
        if (coins) {
            line += "   " + pad(stays_if(c.threshold), 9);
            line += pad_left(c.u ? coin(*c.u) : "–", 8) + "   ";
        } else {
            line += "   " + pad(c.limit  ? (missed ? "≤ limit " : "> limit ") + probability(*c.limit)
                                : missed ? wanted(slot)
                                         : token(d.token, 14),
                                18);
        }
        const bool rescued = !missed && c.joint && c.u && *c.u >= c.threshold;
        text += line + (missed    ? paint(Tone::rejected, "✕ rejected")
                        : rescued ? paint(Tone::accepted, "✓ rescued")
                                  : paint(Tone::accepted, "✓ stays"));
        const int left = terminal_.width - 18 - columns(line);
        if (!d.extra.empty() && left > 8) text += paint(Tone::muted, "   " + clip(d.extra, left));
        text += "\n";
    }
    return text;
}

std::string Walk::own_token(const CycleSummary& cycle) const {
    if (!cycle.resample) return "";
    if (cut_off(cycle))
        return paint(Tone::muted, "  ") + token(cycle.commit->tokens.back()) +
               " ends the text: nothing follows it\n";
    const Resampled& r = *cycle.resample;
    const Header& h = *trace_->header();
    const bool mixture = h.rule.starts_with("cascade_"), blocks = h.rule_params.block;
    const bool drafted = !cycle.drafts.empty();
    const std::string lead = !drafted                   ? "one pass, one token: "
                             : cycle.drafts.size() == 1 ? "the guess stayed: one token more for free, "
                                                        : "every guess stayed: one token more for free, ";
    const Mark mark = mark_of(r, drafted);
    const std::string word = token(r.token);
    const std::string thrown = r.u ? " with coin " + coin(*r.u) : "";
    std::string line, law;
    switch (r.from) {
    case Resampled::From::residual:
        line = "the target puts " + word + " there, drawn" + thrown +
               (cycle.tree              ? " from what the rejected guesses left over:"
                : mixture && blocks     ? " from what the guesses left of the mixture m, max(P m − q, 0):"
                : mixture               ? " from what the guess left of the mixture:"
                : h.rule == "block"     ? " from what the guesses left over, max(P p − q, 0):"
                : h.rule == "tree_topk" ? " from its law without the guess, scaled to 1:"
                                        : " from what the guess left over, max(p − q, 0):");
        law = alternatives(r.top, r.token);
        break;
    case Resampled::From::bonus:
        if (mixture)
            line = lead + word + thrown +
                   (r.top.empty()          ? ""
                    : r.target_top.empty() ? ", from the target's own law, as the drafter has none there:"
                                           : ", from the mixture:");
        else
            line = cycle.tree
                       ? "no guess was made behind the last one that stayed: one token more for free, " +
                             word + thrown + ", from the target's own law:"
                       : lead + word + thrown +
                             (drafted ? ", from the target's own law:" : ", from the target's law:");
        break;
    case Resampled::From::target:
        line = drafted ? "the target puts its own token there: " + word + thrown + ", from its law:"
                       : lead + word + thrown + ", from the target's law:";
        break;
    }
    if (law.empty())
        law = alternatives(r.top.entries.size() > 1 || r.raw_top.empty() ? r.top : r.raw_top, r.token);
    std::string text =
        paint(mark.tone, std::string(mark.glyph) + " ") + wrap(line, terminal_.width - 2, 2) + "\n";
    if (!r.top.empty()) text += "     " + clip(law, terminal_.width - 5) + "\n";
    return text;
}

std::string Walk::times(const CycleSummary& cycle) const {
    if (!timed()) return "";
    // The printed parts add up to the printed total: the last one is what is left of it.
    const int decimals = cycle.total_ms() < 1 ? 3 : 2;
    const double digit = std::pow(10, decimals);
    const double total = std::round(cycle.total_ms() * digit), draft = std::round(cycle.draft_ms * digit),
                 verify = std::min(std::round(cycle.verify_ms * digit), std::max(0.0, total - draft));
    const auto shown = [&](double units) { return number(units / digit, decimals); };
    return "draft " + shown(draft) + " + verify " + shown(verify) + " + other " +
           shown(std::max(0.0, total - draft - verify)) + " = " + shown(total) + " ms";
}

// Why a round has none: the drafter had nothing, or was not asked.
std::string Walk::no_guesses(const CycleSummary& cycle) const {
    const CycleView whole = fold(*trace_, trace_->size()); // what ended the run stands behind the round
    if (!no_room_for_guess(whole, cycle)) return "nothing to propose this time";
    const bool length = whole.output_tokens == whole.header->max_tokens;
    return std::string("no room for a guess: ") + (length ? "one token is left" : "the context is full");
}

std::string Walk::full(const CycleView& view, const CycleSummary& cycle) const {
    const bool timing = timed();
    const int guesses = static_cast<int>(cycle.drafts.size());
    std::string text = "\n" + rule_line("round " + std::to_string(cycle.cycle + 1));
    if (guesses > 0) {
        text += paint(Tone::draft, "◇ draft ") + "  " + std::to_string(guesses) +
                (guesses == 1 ? " guess" : " guesses") + (cycle.tree ? ", as a tree" : "") +
                (timing ? " in " + ms(cycle.draft_ms) : "") + "\n";
    } else if (trace_->header()->drafter != "none") {
        text += paint(Tone::draft, "◇ draft ") + "  " + no_guesses(cycle) +
                (timing && cycle.draft_ms >= 0.005 ? ", in " + ms(cycle.draft_ms) : "") + "\n";
    }
    text += paint(Tone::target, "■ verify") + "  one target pass over " +
            counted(cycle.verify ? cycle.verify->rows : 0, "token") +
            (timing ? " in " + ms(cycle.verify_ms) : "") + "\n";
    if (guesses > 0) text += table(cycle);
    text += own_token(cycle);
    const int gained = cycle.commit ? static_cast<int>(cycle.commit->tokens.size()) : 0;
    const std::string time = times(cycle);
    text += paint(Tone::strong, "+" + counted(gained, "token")) +
            (time.empty() ? "" : "   " + paint(Tone::muted, time)) + "\n";
    return text + text_so_far(view);
}

std::string Walk::compact(const CycleSummary& cycle) const {
    std::string line = pad_left(std::to_string(cycle.cycle + 1), 5) + "  ";
    const int room = terminal_.width - 30;
    int used = 0;
    const auto add = [&](Tone tone, const std::string& glyph, int id) {
        if (used < 0) return;
        const std::string piece = glyph + token(id, 12);
        if (used + columns(piece) + 2 > room) {
            line += "…";
            used = -1 - used;
            return;
        }
        line += paint(tone, piece) + " ";
        used += columns(piece) + 1;
    };
    for (const int i : cycle.reading_order()) {
        const DraftSlot& slot = cycle.drafts[static_cast<std::size_t>(i)];
        if (cycle.tree && !slot.check) continue; // most of a tree: only what was judged is listed
        const bool dropped =
            slot.state == DraftSlot::State::discarded || slot.state == DraftSlot::State::drafted;
        const bool missed = slot.state == DraftSlot::State::rejected;
        add(dropped  ? Tone::muted
            : missed ? Tone::rejected
                     : Tone::accepted,
            dropped  ? "·"
            : missed ? "✕"
                     : "✓",
            slot.draft->token);
    }
    if (cycle.resample && !cut_off(cycle)) {
        const Mark mark = mark_of(*cycle.resample, !cycle.drafts.empty());
        add(mark.tone, mark.glyph, cycle.resample->token);
    }
    const int gained = cycle.commit ? static_cast<int>(cycle.commit->tokens.size()) : 0;
    line = pad(line, terminal_.width - 20) + pad_left("+" + std::to_string(gained), 4);
    if (timed()) line += pad_left(ms(cycle.total_ms()), 12);
    return line + "\n";
}

} // namespace speclens::cli
