#include "app/cli_walk.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "engine/drafter.h"
#include "engine/verify.h"

namespace speclens::cli {

namespace {

struct Mark {
    const char* glyph;
    Tone tone;
};

Mark mark_of(Origin origin) {
    switch (origin) {
        case Origin::prompt: return {"", Tone::muted};
        case Origin::accepted: return {"✓", Tone::accepted};
        case Origin::residual: return {"↻", Tone::residual};
        case Origin::bonus: return {"★", Tone::bonus};
        case Origin::plain: break;
    }
    return {"■", Tone::target};
}

Mark mark_of(const Resampled& own, bool drafted) {
    if (own.from == Resampled::From::residual) return mark_of(Origin::residual);
    if (own.from == Resampled::From::bonus && drafted) return mark_of(Origin::bonus);
    return mark_of(Origin::plain);
}

// Probability of `token` in the law at temperature 1 where the trace has that law, else the given one. A token that
// is not listed has at most the probability of the last one that is.
double at_one(const Top& raw, int token, double otherwise) {
    if (raw.empty()) return otherwise;
    for (const Top::Entry& entry : raw.entries)
        if (entry.id == token) return std::exp(entry.logp);
    return std::min(raw.rest, std::exp(raw.entries.back().logp));
}

std::string ms(double value) { return number(value, value < 10 ? 2 : 1) + " ms"; }
std::string coin(double u) { return number(std::min(u, 0.999), 3).substr(1); }  // .046; never rounded up to 1
std::string stays_if(double threshold) {
    if (threshold >= 1) return "always";
    if (threshold <= 0) return "never";
    return threshold < 0.0005 ? "u ≈ 0" : "u < " + coin(threshold);
}
// The text ended inside the accepted guesses: what the target would have added is cut off.
bool cut_off(const CycleSummary& cycle) {
    return cycle.commit && static_cast<int>(cycle.commit->tokens.size()) <= cycle.commit->accepted_drafts;
}
std::string counted(int n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }
std::string sampling_words(const Sampling& s) {
    std::string words = "temperature " + number(s.temperature, 2);
    if (s.top_k > 0) words += ", top-k " + std::to_string(s.top_k);
    if (s.top_p < 1) words += ", top-p " + number(s.top_p, 2);
    return words;
}

}  // namespace

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
    const bool plain = h.drafter == "none";
    const bool greedy = h.sampling.temperature == 0;
    std::string text;
    text += paint(Tone::strong, "SpecLens") + " · one generation, step by step   " + paint(Tone::muted, "[" + h.tier + "]") + "\n";
    text += paint(Tone::target, "■ target") + "  " + h.model + "   " + paint(Tone::muted, h.backend) + "\n";
    if (!plain) {
        text += paint(Tone::draft, "◇ draft ") + "  " + (drafter ? drafter->title : h.drafter.c_str());
        if (!h.drafter_model.empty()) text += ": " + h.drafter_model;
        text += ", K = " + std::to_string(h.k) + "\n";
    }
    text += "  rule    " + std::string(rule ? rule->title : h.rule.c_str()) + ", " + sampling_words(h.sampling);
    if (!plain && !(h.draft_sampling == h.sampling)) text += " (draft: " + sampling_words(h.draft_sampling) + ")";
    text += ", seed " + std::to_string(h.seed) + "\n";
    if (!h.notice.empty()) text += paint(Tone::rejected, "  note    ") + wrap(h.notice, terminal_.width - 10, 10) + "\n";

    std::string how;
    if (plain) {
        how = "Plain decoding: every round is one pass of the target over all its weights, and gives one token (■). "
              "This is the baseline that speculation is compared with.";
    } else {
        how = "How to read this. A large model spends most of a pass on reading its weights, so checking several tokens "
              "costs about as much as making one. Each round a cheap drafter guesses up to " + std::to_string(h.k) +
              " tokens (◇), then the target reads all of them in one pass (■). ";
        if (greedy) {
            how += "At temperature 0 a guess stays (✓) when it is the target's most likely token. ";
        } else if (h.rule == "match") {
            how += "The target draws its own token at every place; a guess stays (✓) when it equals the draw. ";
        } else {
            how += "q is the chance the drafter gave its guess, p the target's. A coin u between 0 and 1 is thrown: the "
                   "guess stays (✓) when u is below p/q. ";
        }
        how += "The first miss (✕) ends the round: what follows it is dropped (·) and the target puts its own token there";
        if (greedy || h.rule == "match") how += " (■). ";
        else how += " (↻), drawn from what the guess left over. ";
        how += "When every guess stays, the target adds one more token (★). A round gives at least one token, and the text ";
        how += greedy ? "is the one that the target alone would write." : "follows the target's own law, as if nobody had guessed.";
    }
    text += "\n" + wrap(how, terminal_.width) + "\n\n";
    return text + prompt_lines();
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

std::string Walk::alternatives(const Top& top, std::size_t count) const {
    std::string text;
    double listed = 0;
    std::size_t shown_entries = 0;
    for (const Top::Entry& entry : top.entries) {
        const double p = std::exp(entry.logp);
        if (shown_entries == count || p <= 0) break;
        text += (shown_entries++ ? "   " : "") + token(entry.id) + " " + probability(p);
        listed += p;
    }
    if (listed < 0.995) text += "   others " + probability(1 - listed);
    return text;
}

std::string Walk::table(const CycleSummary& cycle) const {
    const Header& h = *trace_->header();
    const bool greedy = h.sampling.temperature == 0;
    const bool coins = !greedy && h.rule != "match";
    const std::string own = cycle.resample ? token(cycle.resample->token, 14) : "";
    const int guess_width = std::clamp(terminal_.width - 57, 8, 17);  // the other columns take 57
    std::string text = "     " + paint(Tone::muted, pad("guess", guess_width) + pad_left("draft q", 8) + pad_left("target p", 10) +
                                                     (coins ? "   stays if   coin u   verdict" : "   target says       verdict")) + "\n";
    for (std::size_t i = 0; i < cycle.drafts.size(); ++i) {
        const DraftSlot& slot = cycle.drafts[i];
        const Drafted& d = *slot.draft;
        const bool missed = slot.state == DraftSlot::State::rejected;
        std::string line = pad(token(d.token, guess_width - 1), guess_width) + pad_left(probability(greedy ? at_one(d.raw_top, d.token, std::exp(d.q)) : std::exp(d.q)), 8);
        text += "  " + pad_left(std::to_string(i + 1), 2) + " ";
        if (!slot.check) {
            text += paint(Tone::muted, line + pad_left("–", 10) + (coins ? "" : "   –") + "   · dropped, never judged") + "\n";
            continue;
        }
        const Checked& c = *slot.check;
        line += pad_left(probability(greedy ? at_one(c.raw_top, d.token, std::exp(c.p)) : std::exp(c.p)), 10);
        if (coins) {
            line += "   " + pad(stays_if(c.threshold), 9);
            line += pad_left(c.u ? coin(*c.u) : "–", 8) + "   ";
        } else {
            line += "   " + pad(missed ? own : token(d.token, 14), 18);
        }
        text += line + (missed ? paint(Tone::rejected, "✕ rejected") : paint(Tone::accepted, "✓ stays"));
        const int left = terminal_.width - 18 - columns(line);
        if (!d.extra.empty() && left > 8) text += paint(Tone::muted, "   " + clip(d.extra, left));
        text += "\n";
    }
    return text;
}

std::string Walk::own_token(const CycleSummary& cycle) const {
    if (!cycle.resample) return "";
    if (cut_off(cycle)) return paint(Tone::muted, "  ") + token(cycle.commit->tokens.back()) + " ends the text: nothing follows it\n";
    const Resampled& r = *cycle.resample;
    const bool drafted = !cycle.drafts.empty();
    const Mark mark = mark_of(r, drafted);
    const std::string word = token(r.token);
    const std::string thrown = r.u ? " with coin " + coin(*r.u) : "";
    std::string line, law;
    switch (r.from) {
        case Resampled::From::residual:
            line = "the target puts " + word + " there, drawn" + thrown + " from what the guess left over, max(p − q, 0):";
            law = alternatives(r.top, 4);
            break;
        case Resampled::From::bonus:
            line = drafted ? "every guess stayed: one token more for free, " + word + thrown + ", from the target's own law:"
                           : "one pass, one token: " + word + thrown + ", from the target's law:";
            break;
        case Resampled::From::target:
            line = drafted ? "the target puts its own token there: " + word + thrown + ", from its law:"
                           : "one pass, one token: " + word + thrown + ", from the target's law:";
            break;
    }
    if (law.empty()) law = alternatives(r.top.entries.size() > 1 || r.raw_top.empty() ? r.top : r.raw_top, 4);
    std::string text = paint(mark.tone, std::string(mark.glyph) + " ") + wrap(line, terminal_.width - 2, 2) + "\n";
    if (!r.top.empty()) text += "     " + clip(law, terminal_.width - 5) + "\n";
    return text;
}

std::string Walk::times(const CycleSummary& cycle) const {
    if (!timed()) return "";
    return "draft " + number(cycle.draft_ms, 2) + " + verify " + number(cycle.verify_ms, 2) + " + other " +
           number(cycle.other_ms, 2) + " = " + ms(cycle.total_ms());
}

std::string Walk::full(const CycleView& view, const CycleSummary& cycle) const {
    const bool timing = timed();
    const int guesses = static_cast<int>(cycle.drafts.size());
    std::string text = "\n" + rule_line("round " + std::to_string(cycle.cycle + 1));
    if (guesses > 0) {
        text += paint(Tone::draft, "◇ draft ") + "  " + std::to_string(guesses) + (guesses == 1 ? " guess" : " guesses") +
                (timing ? " in " + ms(cycle.draft_ms) : "") + "\n";
    } else if (trace_->header()->drafter != "none") {
        text += paint(Tone::draft, "◇ draft ") + "  nothing to propose this time\n";
    }
    text += paint(Tone::target, "■ verify") + "  one target pass over " + counted(cycle.verify ? cycle.verify->rows : 0, "token") +
            (timing ? " in " + ms(cycle.verify_ms) : "") + "\n";
    if (guesses > 0) text += table(cycle);
    text += own_token(cycle);
    const int gained = cycle.commit ? static_cast<int>(cycle.commit->tokens.size()) : 0;
    const std::string time = times(cycle);
    text += paint(Tone::strong, "+" + counted(gained, "token")) + (time.empty() ? "" : "   " + paint(Tone::muted, time)) + "\n";
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
    for (const DraftSlot& slot : cycle.drafts) {
        const bool dropped = slot.state == DraftSlot::State::discarded || slot.state == DraftSlot::State::drafted;
        const bool missed = slot.state == DraftSlot::State::rejected;
        add(dropped ? Tone::muted : missed ? Tone::rejected : Tone::accepted, dropped ? "·" : missed ? "✕" : "✓", slot.draft->token);
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

std::string Walk::round(const CycleView& view) const {
    for (auto cycle = view.cycles.rbegin(); cycle != view.cycles.rend(); ++cycle) {
        if (!cycle->complete()) continue;
        if (verbose_ || cycle->cycle < kFullRounds) return full(view, *cycle);
        std::string text;
        if (cycle->cycle == kFullRounds)
            text = "\n" + rule_line("the other rounds, one line each (--verbose explains them all)");
        return text + compact(*cycle);
    }
    return "";
}

std::string Walk::text_so_far(const CycleView& view) const {
    // Tokens may be parts of a character: pieces are closed only where the bytes so far are whole characters.
    const std::string edge = "  │ ";
    std::string text = edge;
    const std::string& prompt = view.header->prompt_text;  // repeated when it is one short line
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
        const std::string glyph = own && !terminal_.color ? mark.glyph : "";  // without colours the mark stands in the text
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

std::string Walk::closing(const CycleView& view, double plain_ms_per_token) const {
    const Header& h = *trace_->header();
    std::string text = "\n" + rule_line("result") + text_so_far(view);
    int used = 0;
    for (const std::string& piece : {terminal_.color ? paint(Tone::muted, "prompt") : std::string("no mark: prompt and accepted"),
                                     paint(Tone::accepted, "✓ accepted"), paint(Tone::residual, "↻ residual"),
                                     paint(Tone::bonus, "★ bonus"), paint(Tone::target, "■ target")}) {
        if (used + columns(piece) + 3 > terminal_.width) {
            text += "\n";
            used = 0;
        }
        text += (used ? "   " : "  ") + piece;
        used += columns(piece) + 3;
    }
    text += "\n\n";
    const auto row = [&](const std::string& name, const std::string& value, const std::string& note = "") {
        text += "  " + pad(name, 20) + pad_left(value, 12) + (note.empty() ? "" : "   " + paint(Tone::muted, clip(note, terminal_.width - 41))) + "\n";
    };
    if (view.stopped) text += "  " + counted(view.output_tokens, "new token") + " in " + counted(view.rounds, "round") + ", ended by: " + view.stopped->reason + "\n";
    row("tokens per round", number(view.tokens_per_round(), 2), "plain decoding: 1.00");
    if (h.drafter != "none")
        row("accepted guesses", std::to_string(view.accepted_drafts) + " of " + std::to_string(view.drafted), percent(view.accepted_drafts, view.drafted));
    if (h.tier == "TABLE") row("time", "–", "a table costs nothing to ask");
    if (timed() && view.rounds > 0 && view.total_ms > 0) {
        double draft = 0, verify = 0, other = 0;
        for (const CycleSummary& cycle : view.cycles) {
            if (!cycle.complete()) continue;
            draft += cycle.draft_ms;
            verify += cycle.verify_ms;
            other += cycle.other_ms;
        }
        row("time per round", ms(view.total_ms / view.rounds), "draft " + number(draft / view.rounds, 2) + " + verify " +
                number(verify / view.rounds, 2) + " + other " + number(other / view.rounds, 2));
        const double per_token = view.total_ms / view.output_tokens;
        row("speed", number(1000 / per_token, 0) + " tok/s", "prefill of the prompt " + ms(view.prefill_ms) + ", not counted");
        if (plain_ms_per_token > 0) {
            row("plain decoding", number(1000 / plain_ms_per_token, 0) + " tok/s", "measured just now, same prompt, same recording");
            row("speed-up", number(plain_ms_per_token / per_token, 2) + "×", plain_ms_per_token < per_token ? "guessing did not pay here" : "");
        }
    }
    if (view.stopped) {
        char hash[20];
        std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(view.stopped->hash));
        row("trace hash", hash, "the same for the same input, whatever the thread count");
    }
    return text;
}

}  // namespace speclens::cli
