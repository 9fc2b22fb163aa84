#include "app/cli/walk.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include "app/cli/walk_words.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/reference.h"
#include "engine/rules/verify.h"
#include "engine/run/speed_up.h"
#include "engine/run/wire_totals.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

constexpr const char* kGreedyHow = "At temperature 0 a guess stays (✓) when it is the target's most likely token; q and p are the chances "
                                   "that drafter and target would give it at temperature 1. ";

namespace {

RuleKind kind_of(const Header& h) {
    const RuleInfo* rule = find_rule(h.rule);
    return rule ? speclens::kind_of(*rule, h.rule_params, h.sampling, h.nodes > 0) : RuleKind::token;
}

} // namespace

std::string Walk::token(int id, int most) const { return clip(visible(trace_->text(id)), most); }

bool Walk::timed() const { return trace_->header()->timing && trace_->header()->tier != "TABLE"; }

std::string Walk::rule_line(const std::string& title) const {
    std::string line = "── " + title + " ";
    for (int i = columns(line); i < terminal_.width; ++i) line += "─";
    return paint(Tone::muted, line) + "\n";
}

std::string Walk::opening() const {
    const Header& h = *trace_->header();
    const DrafterInfo* drafter = find_drafter(h.drafter);
    const RuleInfo* rule = find_rule(h.rule);
    const bool plain = h.drafter == kNoDrafter;
    const bool greedy = h.sampling.temperature == 0;
    const bool is_cascade = rule && rule->is_cascade();
    const RuleKind kind = kind_of(h);
    std::string text;
    text += paint(Tone::strong, "SpecLens") + " · one generation, step by step   " + paint(Tone::muted, "[" + h.tier + "]") + "\n";
    text += paint(Tone::target, "■ target") + "  " + h.model + "   " + paint(Tone::muted, h.backend) + "\n";
    if (!plain) {
        std::string who = drafter ? drafter->title : h.drafter.c_str();
        if (!h.drafter_model.empty()) who += ": " + h.drafter_model;
        if (h.nodes > 0) who += ", at most " + std::to_string(h.nodes) + (h.nodes == 1 ? " guess" : " guesses");
        who += (h.k_auto ? ", K auto, at most " : ", K = ") + std::to_string(h.k);
        if (h.draft_ids > 0) who += ", ranks " + std::to_string(h.draft_ids) + " of " + std::to_string(h.vocab) + " ids";
        text += paint(Tone::draft, "◇ draft ") + "  " + wrap(who, terminal_.width - 10, 10) + "\n";
    }
    std::string how_judged = std::string(rule ? rule->title : h.rule.c_str()) + ", " + sampling_words(h.sampling);
    if (!plain && !(h.draft_sampling == h.sampling)) how_judged += " (draft: " + sampling_words(h.draft_sampling) + ")";
    if (const std::string numbers = rule ? to_text(h.rule_params, *rule) : ""; !numbers.empty() && (!greedy || is_cascade))
        how_judged += ", " + numbers;
    how_judged += ", seed " + std::to_string(h.seed);
    text += "  rule    " + wrap(how_judged, terminal_.width - 10, 10) + "\n";
    if (!h.notice.empty()) text += paint(Tone::rejected, "  note    ") + wrap(h.notice, terminal_.width - 10, 10) + "\n";

    std::string how;
    if (plain) {
        how = "Plain decoding: every round is one pass of the target over all its weights, and gives one "
              "token (■). "
              "This is the baseline that speculation is compared with.";
    } else if (h.nodes > 0) {
        how = how_to_read_a_tree();
    } else {
        how = "How to read this. A large model spends most of a pass on reading its weights, so checking "
              "several tokens "
              "costs about as much as making one. Each round a cheap drafter guesses " +
              (h.k == 1 ? "one token (◇), then the target reads it in one pass (■). "
                        : "up to " + std::to_string(h.k) + " tokens (◇), then the target reads all of them in one pass (■). ");
        const bool blocks = is_cascade && h.rule_params.block;
        if (blocks) {
            how += "q is the chance the drafter gave its guess; the rule mixes its distribution and the target's into "
                   "one. The product of all mixture/q so far, never above 1, and the distributions behind give every "
                   "place a threshold, and a coin u is thrown there. The last success counts: it keeps "
                   "everything before it (✓; rescued where the own coin failed). ";
        } else if (is_cascade) {
            how += "q is the chance the drafter gave its guess, p the target's; the rule mixes both distributions into "
                   "one. A coin u "
                   "between 0 and 1 is thrown: the guess stays (✓) when u is below the mixture's share over q. ";
        } else if (greedy) {
            how += kGreedyHow;
        } else if (kind == RuleKind::match) {
            how += "The target draws its own token at every place; a guess stays (✓) when it equals the draw. ";
        } else if (kind == RuleKind::typical) {
            how += "p is the target's chance of a guess: it stays (✓) while that is above a limit, lower "
                   "where the target is "
                   "unsure. No coin is thrown. ";
        } else if (kind == RuleKind::block) {
            how += "q is the chance the drafter gave its guess, p the target's. P is the product of all p/q "
                   "so far, never above 1; "
                   "from it and the distributions behind follows the threshold of each place, and a coin u is thrown "
                   "there. The last success counts: it keeps everything before it (✓; rescued where the own "
                   "coin failed). ";
        } else if (kind == RuleKind::lenient) {
            how += "q is the chance the drafter gave its guess, p the target's. A coin u between 0 and 1 is "
                   "thrown: the "
                   "guess stays (✓) when u is below p/((1-l)q), more often than the target's distribution allows. ";
        } else if (kind == RuleKind::certain) {
            how += "p is the target's chance of a guess. The guess counts as certain, whatever the drafter gave "
                   "it: a coin u between 0 and 1 is thrown, and it stays (✓) when u is below p. ";
        } else {
            how += "q is the chance the drafter gave its guess, p the target's. A coin u between 0 and 1 is "
                   "thrown: the "
                   "guess stays (✓) when u is below p/q. ";
        }
        // The rule counts with other distributions than the ones whose shares are shown.
        if (is_cascade && greedy)
            how += "q and p are shown at temperature 1; at temperature 0 each distribution is its favourite alone, so "
                   "the threshold is always or never. ";
        if (kind == RuleKind::block || blocks)
            how += "What lies behind it (✕) goes, and the target puts its own token there";
        else if (h.k == 1)
            how += "A miss (✕) ends the round, and the target puts its own token there";
        else
            how += "The first miss (✕) ends the round: what follows it is dropped (·) and the target puts its own token there";
        if (greedy || kind == RuleKind::match || kind == RuleKind::typical)
            how += is_cascade ? " (↻). " : " (■). ";
        else
            how += kind == RuleKind::certain ? " (↻), drawn from its distribution without the guess. "
                                             : " (↻), drawn from what the guess left over. ";
        how += std::string(h.k == 1 ? "When the guess stays" : "When every guess stays") +
               ", the target adds one more token (★). A round gives at least one token, and the text ";
        if (rule && !keeps_target(*rule, h.rule_params, h.sampling))
            how += is_cascade ? "follows the mixture, NOT the target; where the drafter has no distribution behind its last "
                                "guess, the token there is the target's own."
                              : "does NOT follow the target's distribution: this rule is not lossless.";
        else
            how += greedy ? "is the one that the target alone would write."
                          : "follows the target's own distribution, as if nobody had guessed.";
    }
    text += "\n" + wrap(how, terminal_.width) + "\n\n";
    return text + prompt_lines();
}

std::string Walk::how_to_read_a_tree() const {
    const Header& h = *trace_->header();
    const RuleKind kind = kind_of(h);
    const bool greedy = h.sampling.temperature == 0;
    std::string how = "How to read this. Each round a cheap drafter guesses a tree of up to " + counted(h.nodes, "token") +
                      " (◇): several ways to go on, each up to " + std::to_string(h.k) + (h.k == 1 ? " token" : " tokens") +
                      " long. A guess stands below the one that it follows, one step further in. The "
                      "target reads all of "
                      "them in one pass (■), each guess seeing only the ones it follows. ";
    if (greedy)
        how += kGreedyHow;
    else if (kind == RuleKind::certain)
        how += "The guesses are the drafter's favourites and count as certain: a coin u between 0 and 1 is "
               "thrown, and a "
               "guess stays (✓) when u is below p, the target's chance. ";
    else if (kind == RuleKind::kseq)
        how += "q is the chance the drafter gave its guess, p the target's. Each of the guesses at one place "
               "is held back by rho" +
               std::string(h.rule_params.rho > 0 ? "" : ", which is their number unless --rule-param sets it") +
               ": a coin u between 0 and 1 is thrown, and it stays (✓) when u is below p/(rho q). ";
    else
        how += "q is the chance the drafter gave its guess, p the target's. A coin u between 0 and 1 is "
               "thrown: the "
               "guess stays (✓) when u is below p/q. ";
    if (greedy)
        how += "Then one of its own continuations may stay, and so on; ";
    else if (kind == RuleKind::kseq)
        how += "After a miss (✕) the next guess at the same place is tried, after a guess that stays its own continuations are. ";
    else
        how += "After a miss (✕) the next guess at the same place is tried, with p what the miss left of the "
               "target's distribution; after a guess that stays its own continuations are. ";
    how += greedy ? "where none does, the target puts its own token (■). " : "Where none stays, the target puts its own token (↻). ";
    how += "Where no guess was made, it adds one more (★). All other guesses are dropped (·). A round gives "
           "at least one "
           "token, and the text ";
    return how +
           (greedy ? "is the one that the target alone would write." : "follows the target's own distribution, as if nobody had guessed.");
}

// The first lines of the prompt as the model gets it, chat turns and all.
std::string Walk::prompt_lines() const {
    constexpr int kMost = 8;
    const std::string& prompt = trace_->header()->prompt_text;
    if (prompt.empty()) return "  prompt  " + paint(Tone::muted, "(nothing: the table starts a text)") + "\n";
    std::string text;
    std::istringstream lines(printable(prompt.substr(0, prompt.find_last_not_of('\n') + 1)));
    std::string line;
    int count = 0;
    while (std::getline(lines, line) && ++count <= kMost)
        text += (count == 1 ? "  prompt  " : "          ") + paint(Tone::muted, clip(line, terminal_.width - 10)) + "\n";
    if (count > kMost) text += "          " + paint(Tone::muted, "… and more") + "\n";
    return text;
}

// The first rounds, and the first one with a rejection: without it half of the rule would not be shown.
bool Walk::in_full(const RunView& view, const RoundSummary& round) const {
    if (verbose_ || round.round < kFullRounds) return true;
    const auto rejects = [](const RoundSummary& each) {
        return std::ranges::any_of(each.drafts, [](const DraftSlot& slot) { return slot.state == DraftSlot::State::rejected; });
    };
    const auto first = std::ranges::find_if(view.round_list, rejects);
    return first != view.round_list.end() && first->round == round.round;
}

std::string Walk::round(const RunView& view) const {
    for (auto round = view.round_list.rbegin(); round != view.round_list.rend(); ++round) {
        if (!round->complete()) continue;
        if (in_full(view, *round)) return full(view, *round);
        std::string text;
        if (const auto before = std::next(round); before != view.round_list.rend() && in_full(view, *before))
            text = "\n" + rule_line("the other rounds, one line each (--verbose explains them all)");
        return text + compact(*round);
    }
    return "";
}

std::string Walk::text_so_far(const RunView& view) const {
    // Tokens may be parts of a character: pieces are closed only where the bytes so far are whole characters.
    const std::string edge = "  │ ";
    std::string text = edge;
    const std::string& prompt = view.header->prompt_text; // repeated when it is one short line
    const bool repeat_prompt = !prompt.empty() && prompt.find('\n') == std::string::npos && columns(prompt) < terminal_.width;
    const int room = terminal_.width - columns(edge);
    int used = 0;
    std::string bytes;
    for (std::size_t i = 0; i < view.tokens.size(); ++i) {
        const OutputToken& t = view.tokens[i];
        if (t.origin == Origin::prompt && !repeat_prompt) continue;
        bytes += trace_->text(t.id);
        const bool last = i + 1 == view.tokens.size();
        const std::string shown_text = printable(bytes);
        if (!last && shown_text.find("⟨") != std::string::npos && bytes.size() < 4 && t.origin != Origin::prompt) continue;
        bytes.clear();
        const Mark mark = mark_of(t.origin);
        const bool own = t.origin != Origin::prompt && t.origin != Origin::accepted;
        std::string piece;
        const std::string glyph = own && !terminal_.color ? mark.glyph : ""; // without colours the mark stands in the text
        if (!glyph.empty() && used + columns(glyph) >= room) {               // a mark stays with its token
            text += "\n" + edge;
            used = 0;
        }
        used += columns(glyph);
        piece = glyph;
        const auto put = [&] { text += paint(mark.tone, std::exchange(piece, "")); };
        for (std::size_t at = 0; at < shown_text.size();) {
            std::size_t next = at + 1;
            while (next < shown_text.size() && (static_cast<unsigned char>(shown_text[next]) & 0xC0) == 0x80) ++next;
            const std::string character = shown_text.substr(at, next - at) == "\t" ? "    " : shown_text.substr(at, next - at);
            at = next;
            if (character == "\n" || used + columns(character) > room) {
                put();
                text += "\n" + edge;
                used = 0;
                if (character == "\n" || character == " ") continue;
            }
            piece += character;
            used += columns(character);
        }
        put();
    }
    return text + "\n";
}

std::string Walk::closing(const RunView& view) const {
    const Header& h = *trace_->header();
    std::string text = "\n" + rule_line("result") + text_so_far(view);
    int used = 0;
    for (const std::string& piece :
         {terminal_.color ? paint(Tone::muted, "prompt") : std::string("no mark: prompt and accepted"), paint(Tone::accepted, "✓ accepted"),
          paint(Tone::residual, "↻ residual"), paint(Tone::bonus, "★ bonus"), paint(Tone::target, "■ target")}) {
        if (used + columns(piece) + 3 > terminal_.width) {
            text += "\n";
            used = 0;
        }
        text += (used ? "   " : "  ") + piece;
        used += columns(piece) + 3;
    }
    text += "\n\n";
    const auto row = [&](const std::string& name, const std::string& value, const std::string& note = "") {
        text += "  " + pad(name, 20) + pad_left(value, 12) +
                (note.empty() ? "" : "   " + paint(Tone::muted, clip(note, terminal_.width - 41))) + "\n";
    };
    if (view.stopped)
        text += "  " + counted(view.output_tokens, "new token") + " in " + counted(view.rounds, "round") +
                ", ended by: " + view.stopped->reason + "\n";
    if (view.plain_passes > 0) row("plain passes", std::to_string(view.plain_passes), "of these rounds: nothing was drafted");
    row("tokens per round", number(view.tokens_per_round(), 2), "plain decoding: 1.00");
    if (h.drafter != kNoDrafter)
        row("accepted guesses", std::to_string(view.accepted_drafts) + " of " + std::to_string(view.drafted),
            percent(view.accepted_drafts, view.drafted));
    if (h.tier == "TABLE") row("time", "–", "a table costs nothing to ask");
    if (timed() && view.rounds > 0 && view.total_ms > 0) {
        double draft = 0, verify = 0, other = 0;
        for (const RoundSummary& round : view.round_list) {
            if (!round.complete()) continue;
            draft += round.draft_ms;
            verify += round.verify_ms;
            other += round.other_ms;
        }
        row("time per round", ms(view.total_ms / view.rounds),
            "draft " + number(draft / view.rounds, 2) + " + verify " + number(verify / view.rounds, 2) + " + other " +
                number(other / view.rounds, 2));
        const double per_token = view.total_ms / view.output_tokens;
        row("speed", number(1000 / per_token, 0) + " tok/s",
            (load_ms_ > 0 ? "loading " + ms(load_ms_) + ", prefill " : "prefill of the prompt ") + ms(view.prefill_ms) + ", not counted");
        const SpeedUp gain = speed_up(view, *trace_);
        if (gain.known()) {
            row("plain decoding", number(1000 / trace_->plain_ms(), 0) + " tok/s", "measured by turns with these rounds, same prompt");
            std::string words = gain.value < 1 ? "guessing did not pay here" : "";
            if (!gain.sure()) words = message(doubt_said(gain, trace_->times().get()));
            row("speed-up", gain.doubt == SpeedUp::Doubt::impossible ? "–" : (gain.sure() ? "" : "~") + number(gain.value, 2) + "×", words);
            if (!gain.sure())
                if (const Reference* known = reference_of(h))
                    row("recorded", number(known->speed_up, 2) + "×", "on " + known->machine + ", " + known->date);
        }
    }
    if (const WireTotals wire = wire_totals(view); wire.any()) {
        row("sent per round", kilobytes(wire.per_round(static_cast<double>(wire.sent))),
            "received " + kilobytes(wire.per_round(static_cast<double>(wire.received))));
        if (timed())
            row("away per round", ms(wire.per_round(wire.ms)),
                wire.knows_server() ? "the server " + number(wire.per_round(wire.server_ms), 2) + " + the way " +
                                          number(wire.per_round(wire.ms - wire.server_ms), 2)
                                    : "the server's time and the way's: it does not tell its own");
        if (wire.retries > 0) row("asked again", std::to_string(wire.retries), "the line broke; bytes of such tries are not counted");
        if (h.draft_ahead)
            row("drafted ahead", std::to_string(wire.taken) + " of " + std::to_string(wire.ahead),
                "became drafts" +
                    (timed() ? ", " + number(wire.per_round(wire.ahead_ms), 2) + " ms a round beside the server's pass" : ""));
    }
    if (view.stopped) {
        char hash[20];
        std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(view.stopped->hash));
        row("trace hash", hash, "the same for the same input, whatever the thread count");
    }
    return text;
}

// The likeliest tokens of a distribution, and the one that was drawn from it.
std::string Walk::alternatives(const TopEntries& top, int drawn) const {
    constexpr std::size_t kShown = 4;
    const auto& entries = top.entries;
    std::vector<TopEntries::Entry> shown(entries.begin(), entries.begin() + std::ptrdiff_t(std::min(entries.size(), kShown)));
    const auto chosen = std::ranges::find(entries, drawn, &TopEntries::Entry::id);
    if (shown.size() == kShown && chosen != entries.end() && chosen - entries.begin() >= std::ptrdiff_t(kShown)) shown.back() = *chosen;
    std::string text;
    double listed = 0;
    for (const TopEntries::Entry& entry : shown) {
        const double p = std::exp(entry.logp);
        if (p <= 0) break;
        text += (text.empty() ? "" : "   ") + token(entry.id) + " " + probability(p);
        listed += p;
    }
    if (listed < 0.995) text += "   others " + probability(1 - listed);
    return text;
}

std::string Walk::table(const RoundSummary& round) const {
    const Header& h = *trace_->header();
    const RuleInfo* rule = find_rule(h.rule);
    const RuleKind kind = kind_of(h);
    const bool greedy = h.sampling.temperature == 0;
    const bool coins = kind != RuleKind::greedy && kind != RuleKind::match && kind != RuleKind::typical;
    const bool certain = rule && rule->kind == RuleKind::certain; // what the draft thought is shown, it does not count
    // What the target wanted in place of a rejected draft token: a draft token beside it that stayed, else its own token.
    const auto wanted = [&](const DraftSlot& missed) {
        for (const DraftSlot& other : round.drafts)
            if (other.parent == missed.parent && other.state == DraftSlot::State::accepted) return token(other.draft->token, 14);
        return round.resample ? token(round.resample->token, 14) : std::string();
    };
    const int draft_width = std::clamp(terminal_.width - 57, 8, 17); // the other columns take 57
    std::string text =
        "     " +
        paint(Tone::muted, pad("guess", draft_width) + pad_left(certain && !greedy ? "draft" : "draft q", 8) + pad_left("target p", 10) +
                               (coins ? "   stays if   coin u   verdict" : "   target says       verdict")) +
        "\n";
    for (const int i : round.reading_order()) {
        const DraftSlot& slot = round.drafts[static_cast<std::size_t>(i)];
        const Drafted& d = *slot.draft;
        const bool missed = slot.state == DraftSlot::State::rejected;
        // In a tree a draft token stands below the one that it follows, one step further in.
        const int indent = round.tree ? std::min(slot.depth - 1, draft_width - 6) : 0;
        const std::string draft_token = std::string(static_cast<std::size_t>(indent), ' ') + token(d.token, draft_width - 1 - indent);
        std::string line =
            pad(draft_token, draft_width) +
            pad_left(probability(greedy || (certain && !d.u) ? at_one(d.raw_top, d.token, std::exp(d.q)) : std::exp(d.q)), 8);
        text += "  " + pad_left(std::to_string(i + 1), 2) + " ";
        if (!slot.check) {
            text += paint(Tone::muted, line + pad_left("–", 10) + (coins ? "" : "   –") + "   · dropped, never judged") + "\n";
            continue;
        }
        const Checked& c = *slot.check;
        line += pad_left(probability(greedy ? at_one(c.raw_top, d.token, std::exp(c.p)) : std::exp(c.sibling_residual.value_or(c.p))), 10);
        if (coins) {
            line += "   " + pad(stays_if(c.threshold), 9);
            line += pad_left(c.u ? coin(*c.u) : "–", 8) + "   ";
        } else {
            line += "   " + pad(c.typical_threshold ? (missed ? "≤ limit " : "> limit ") + probability(*c.typical_threshold)
                                : missed            ? wanted(slot)
                                                    : token(d.token, 14),
                                18);
        }
        const bool rescued = !missed && c.prefix_coefficient && c.u && *c.u >= c.threshold;
        const std::string kept = rescued ? "✓ rescued" : "✓ stays";
        text += line + (missed ? paint(Tone::rejected, "✕ rejected") : paint(Tone::accepted, kept));
        const int left = terminal_.width - 18 - columns(line);
        if (!d.extra.empty() && left > 8) text += paint(Tone::muted, "   " + clip(d.extra, left));
        text += "\n";
    }
    return text;
}

// Of what a recovered token is drawn from.
static const char* left_over_words(bool tree, RuleKind kind, bool blocks) {
    if (tree) return " from what the rejected guesses left over:";
    if (kind == RuleKind::cascade && blocks) return " from what the guesses left of the mixture m, max(P m − q, 0):";
    if (kind == RuleKind::cascade) return " from what the guess left of the mixture:";
    if (kind == RuleKind::block) return " from what the guesses left over, max(P p − q, 0):";
    if (kind == RuleKind::certain) return " from its distribution without the guess, scaled to 1:";
    return " from what the guess left over, max(p − q, 0):";
}

std::string Walk::own_token(const RoundSummary& round) const {
    if (!round.resample) return "";
    if (truncated(round)) return paint(Tone::muted, "  ") + token(round.commit->tokens.back()) + " ends the text: nothing follows it\n";
    const TargetToken& r = *round.resample;
    const Header& h = *trace_->header();
    const RuleKind kind = kind_of(h);
    const bool mixture = kind == RuleKind::cascade;
    const bool drafted = !round.drafts.empty();
    std::string lead = "one pass, one token: ";
    if (drafted)
        lead = round.drafts.size() == 1 ? "the guess stayed: one token more for free, " : "every guess stayed: one token more for free, ";
    if (round.tree && !mixture && r.from == TargetToken::From::bonus)
        lead = "no guess was made behind the last one that stayed: one token more for free, ";
    const Mark mark = mark_of(r, drafted);
    const std::string word = token(r.token);
    const std::string thrown = r.u ? " with coin " + coin(*r.u) : "";
    std::string line, distribution;
    switch (r.from) {
    case TargetToken::From::residual:
        line = "the target puts " + word + " there, drawn" + thrown + left_over_words(round.tree, kind, h.rule_params.block);
        distribution = alternatives(r.top, r.token);
        break;
    case TargetToken::From::bonus:
        line = lead + word + thrown;
        if (!mixture)
            line += drafted || round.tree ? ", from the target's own distribution:" : ", from the target's distribution:";
        else if (!r.top.empty())
            line += r.target_top.empty() ? ", from the target's own distribution, as the drafter has none there:" : ", from the mixture:";
        break;
    case TargetToken::From::target:
        line = drafted ? "the target puts its own token there: " + word + thrown + ", from its distribution:"
                       : lead + word + thrown + ", from the target's distribution:";
        break;
    }
    if (distribution.empty()) distribution = alternatives(r.top.entries.size() > 1 || r.raw_top.empty() ? r.top : r.raw_top, r.token);
    std::string text = paint(mark.tone, std::string(mark.glyph) + " ") + wrap(line, terminal_.width - 2, 2) + "\n";
    if (!r.top.empty()) text += "     " + clip(distribution, terminal_.width - 5) + "\n";
    return text;
}

std::string Walk::times(const RoundSummary& round) const {
    if (!timed()) return "";
    // The printed parts add up to the printed total: the last one is what is left of it.
    const int decimals = round.total_ms() < 1 ? 3 : 2;
    const double digit = std::pow(10, decimals);
    const double total = std::round(round.total_ms() * digit), draft = std::round(round.draft_ms * digit),
                 verify = std::min(std::round(round.verify_ms * digit), std::max(0.0, total - draft));
    const auto shown = [&](double units) { return number(units / digit, decimals); };
    return "draft " + shown(draft) + " + verify " + shown(verify) + " + other " + shown(std::max(0.0, total - draft - verify)) + " = " +
           shown(total) + " ms";
}

// Why a round has none: the drafter had nothing, or was not asked.
std::string Walk::no_drafts(const RoundSummary& round) const {
    const RunView whole = fold(*trace_, trace_->size()); // what ended the run stands behind the round
    if (round.verify && round.verify->asked && round.verify->asked->k == 0 && round.draft_ms == 0 && !no_room_for_draft(whole, round))
        return "none: a plain pass pays more here (K auto)";
    if (!no_room_for_draft(whole, round)) return "nothing to propose this time";
    const bool length = whole.output_tokens == whole.header->max_tokens;
    return std::string("no room for a guess: ") + (length ? "one token is left" : "the context is full");
}

std::string Walk::full(const RunView& view, const RoundSummary& round) const {
    const bool timing = timed();
    const int draft_tokens = static_cast<int>(round.drafts.size());
    std::string text = "\n" + rule_line("round " + std::to_string(round.round + 1));
    if (draft_tokens > 0) {
        const DrafterInfo* first = part_of(trace_->header()->drafter, round.drafts.front().draft->by); // of two chained drafters
        const DrafterInfo* last = part_of(trace_->header()->drafter, round.drafts.back().draft->by);
        text += paint(Tone::draft, "◇ draft ") + "  " + std::to_string(draft_tokens) + (draft_tokens == 1 ? " guess" : " guesses") +
                (round.tree ? ", as a tree" : "") + (first ? std::string(" by ") + first->name : "") +
                (last != first ? std::string(", then ") + last->name : "") + (timing ? " in " + ms(round.draft_ms) : "") + "\n";
    } else if (trace_->header()->drafter != kNoDrafter) {
        text += paint(Tone::draft, "◇ draft ") + "  " + no_drafts(round) +
                (timing && round.draft_ms >= 0.005 ? ", in " + ms(round.draft_ms) : "") + "\n";
    }
    text += paint(Tone::target, "■ verify") + "  one target pass over " + counted(round.verify ? round.verify->rows : 0, "token") +
            (timing ? " in " + ms(round.verify_ms) : "") + "\n";
    if (draft_tokens > 0) text += table(round);
    text += own_token(round);
    const int gained = round.commit ? static_cast<int>(round.commit->tokens.size()) : 0;
    const std::string time = times(round);
    text += paint(Tone::strong, "+" + counted(gained, "token")) + (time.empty() ? "" : "   " + paint(Tone::muted, time)) + "\n";
    return text + text_so_far(view);
}

std::string Walk::compact(const RoundSummary& round) const {
    std::string line = pad_left(std::to_string(round.round + 1), 5) + "  ";
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
    for (const int i : round.reading_order()) {
        const DraftSlot& slot = round.drafts[static_cast<std::size_t>(i)];
        if (round.tree && !slot.check) continue; // most of a tree: only what was judged is listed
        const bool dropped = slot.state == DraftSlot::State::discarded || slot.state == DraftSlot::State::drafted;
        const bool missed = slot.state == DraftSlot::State::rejected;
        add(dropped ? Tone::muted : missed ? Tone::rejected : Tone::accepted, dropped ? "·" : missed ? "✕" : "✓", slot.draft->token);
    }
    if (round.resample && !truncated(round)) {
        const Mark mark = mark_of(*round.resample, !round.drafts.empty());
        add(mark.tone, mark.glyph, round.resample->token);
    }
    const int gained = round.commit ? static_cast<int>(round.commit->tokens.size()) : 0;
    line = pad(line, terminal_.width - 20) + pad_left("+" + std::to_string(gained), 4);
    if (timed()) line += pad_left(ms(round.total_ms()), 12);
    return line + "\n";
}

} // namespace speclens::cli
