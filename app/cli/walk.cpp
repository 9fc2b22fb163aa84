#include "app/cli/walk.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "app/cli/walk_words.h"
#include "engine/base/display_name.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/reference.h"
#include "engine/run/speed_up.h"
#include "engine/run/wire_totals.h"
#include "ui/language/language.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

std::optional<std::string> words_of(bool told, double ms_taken) {
    return told ? std::optional(ui::in_language(ms(ms_taken))) : std::nullopt;
}

Said reason_said(const std::string& reason) {
    if (reason == Stopped::kEndOfText) return walk_said("reason.end"_t);
    if (reason == Stopped::kLength) return walk_said("reason.length"_t);
    return reason == Stopped::kContextFull ? SaidOf<"loop">()("stop.reason:context"_t) : walk_said("reason.cancelled"_t);
}

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
    const std::vector<Said> device = device_said(h.backend);
    const auto line = [&](const std::string& head, const std::string& words) {
        return head + "  " + wrap(words, terminal_.width - 10, 10) + "\n";
    };
    std::string text = paint(Tone::strong, "SpecLens") + " · " + message(walk_said("open.title"_t)) + "   " +
                       paint(Tone::muted, "[" + h.tier + "]") + "\n";
    text += paint(Tone::target, "■ " + pad(message(walk_said("open.target"_t)), 6)) + "  " + h.model + "   " +
            paint(Tone::muted, device.empty() ? h.backend : message(device.front()).words()) + "\n";
    if (!plain)
        text += line(paint(Tone::draft, "◇ " + pad(message(walk_said("open.draft"_t)), 6)),
                     message(walk_said("open.drafter"_t, "drafter"_v = drafter ? message(drafter->title).words() : h.drafter,
                                       "model"_v = h.drafter_model, "nodes"_v = h.nodes, "auto"_v = h.k_auto, "k"_v = h.k,
                                       "ids"_v = h.draft_ids, "vocab"_v = std::to_string(h.vocab))));
    const std::string numbers = rule ? to_text(h.rule_params, *rule) : "";
    const bool counts = h.sampling.temperature > 0 || (rule && rule->is_cascade());
    text += line("  " + pad(message(walk_said("open.rule"_t)), 6),
                 message(walk_said(
                     "open.judged"_t, "rule"_v = rule ? message(rule->title).words() : h.rule, "sampling"_v = sampling_said(h.sampling),
                     "draft"_v = plain || h.draft_sampling == h.sampling ? std::nullopt : std::optional(sampling_said(h.draft_sampling)),
                     "numbers"_v = counts ? numbers : "", "seed"_v = std::to_string(h.seed))));
    if (!h.notice.empty()) text += line(paint(Tone::rejected, "  " + pad(message(walk_said("open.note"_t)), 6)), message(h.notice_said()));
    std::string how;
    for (const Said& sentence : how_to_read_it()) how += (how.empty() ? "" : " ") + message(sentence);
    return text + "\n" + wrap(how, terminal_.width) + "\n\n" + prompt_lines();
}

// When a guess stays.
Said Walk::when_it_stays(RuleKind kind, bool mixed) const {
    const Header& h = *trace_->header();
    if (mixed && h.rule_params.block) return walk_said("stays.mixed_block"_t);
    if (mixed) return walk_said("stays.mixed"_t);
    if (h.sampling.temperature == 0) return walk_said("stays.greedy"_t);
    switch (kind) {
    case RuleKind::match: return walk_said("stays.match"_t);
    case RuleKind::typical: return walk_said("stays.typical"_t);
    case RuleKind::block: return walk_said("stays.block"_t);
    case RuleKind::lenient: return walk_said("stays.lenient"_t);
    case RuleKind::certain: return h.nodes > 0 ? walk_said("stays.favourites"_t) : walk_said("stays.certain"_t);
    case RuleKind::kseq: return walk_said("stays.kseq"_t, "set"_v = h.rule_params.rho > 0);
    default: return walk_said("stays.token"_t);
    }
}

std::vector<Said> Walk::how_to_read_it() const {
    const Header& h = *trace_->header();
    const RuleInfo* rule = find_rule(h.rule);
    const RuleKind kind = kind_of(h);
    const bool greedy = h.sampling.temperature == 0, tree = h.nodes > 0;
    const bool mixed = !tree && rule && rule->is_cascade(), behind = kind == RuleKind::block || (mixed && h.rule_params.block);
    if (h.drafter == kNoDrafter) return {walk_said("how.plain"_t)};
    const Said lossless = greedy ? walk_said("text_is.greedy"_t) : walk_said("text_is.target"_t);
    if (tree)
        return {walk_said("how.tree"_t, "nodes"_v = h.nodes, "k"_v = h.k), when_it_stays(kind, false),
                greedy ? walk_said("miss.greedy_tree"_t) : walk_said("miss.tree"_t, "residual"_v = kind != RuleKind::kseq),
                walk_said("gives.tree"_t, "text"_v = lossless)};
    std::vector<Said> all = {walk_said("how.chain"_t, "k"_v = h.k), when_it_stays(kind, mixed)};
    if (mixed && greedy) all.push_back(walk_said("stays.shown_at_one"_t)); // it counts with other distributions than are shown
    const Said own = greedy || kind == RuleKind::match || kind == RuleKind::typical
                         ? (mixed ? walk_said("own_is.mixed"_t) : walk_said("own_is.greedy"_t))
                     : kind == RuleKind::certain ? walk_said("own_is.certain"_t)
                                                 : walk_said("own_is.residual"_t);
    all.push_back(behind     ? walk_said("miss.block"_t, "own"_v = own)
                  : h.k == 1 ? walk_said("miss.one"_t, "own"_v = own)
                             : walk_said("miss.first"_t, "own"_v = own));
    const bool keeps = !rule || keeps_target(*rule, h.rule_params, h.sampling);
    all.push_back(walk_said("gives.chain"_t, "all_stay"_v = walk_said("gives.all_stay"_t, "k"_v = h.k),
                            "text"_v = keeps   ? lossless
                                       : mixed ? walk_said("text_is.mixture"_t)
                                               : walk_said("text_is.lossy"_t)));
    return all;
}

// The first lines of the prompt as the model gets it, chat turns and all.
std::string Walk::prompt_lines() const {
    constexpr int kMost = 8;
    const std::string& prompt = trace_->header()->prompt_text;
    const std::string head = "  " + pad(message(walk_said("open.prompt"_t)), 8);
    if (prompt.empty()) return head + paint(Tone::muted, message(walk_said("open.no_prompt"_t))) + "\n";
    std::string text;
    std::istringstream lines(printable(prompt.substr(0, prompt.find_last_not_of('\n') + 1)));
    std::string line;
    int count = 0;
    while (std::getline(lines, line) && ++count <= kMost)
        text += (count == 1 ? head : "          ") + paint(Tone::muted, clip(line, terminal_.width - 10)) + "\n";
    if (count > kMost) text += "          " + paint(Tone::muted, message(walk_said("open.more"_t))) + "\n";
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
            text = "\n" + rule_line(message(walk_said("round.others"_t)));
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
    std::string text = "\n" + rule_line(message(walk_said("result.title"_t))) + text_so_far(view);
    int used = 0;
    const auto marked = [&](Tone tone, const char* glyph, const Said& word) { return paint(tone, glyph + message(word)); };
    for (const std::string& piece :
         {terminal_.color ? marked(Tone::muted, "", walk_said("mark.prompt"_t)) : message(walk_said("mark.none"_t)).words(),
          marked(Tone::accepted, "✓ ", walk_said("mark.accepted"_t)), marked(Tone::residual, "↻ ", walk_said("mark.residual"_t)),
          marked(Tone::bonus, "★ ", walk_said("mark.bonus"_t)), marked(Tone::target, "■ ", walk_said("mark.target"_t))}) {
        if (used + columns(piece) + 3 > terminal_.width) {
            text += "\n";
            used = 0;
        }
        text += (used ? "   " : "  ") + piece;
        used += columns(piece) + 3;
    }
    text += "\n\n";
    const auto row = [&](const Said& name, const std::string& value, const Said& note = {}) {
        const std::string words = note.empty() ? "" : message(note).words();
        text += "  " + pad(message(name), 20) + pad_left(value, 12) +
                (words.empty() ? "" : "   " + paint(Tone::muted, clip(words, terminal_.width - 41))) + "\n";
    };
    const auto per_round = [&](double ms_taken) { return ui::in_language(number(ms_taken / view.rounds, 2)); };
    if (view.stopped)
        text += "  " +
                message(walk_said("result.ended"_t, "tokens"_v = view.output_tokens, "rounds"_v = view.rounds,
                                  "reason"_v = reason_said(view.stopped->reason))) +
                "\n";
    if (view.plain_passes > 0)
        row(walk_said("row.plain_passes"_t), std::to_string(view.plain_passes), walk_said("row_note.plain_passes"_t));
    row(SaidOf<"shared">()("words.tokens_per_round"_t), ui::in_language(number(view.tokens_per_round(), 2)),
        walk_said("row_note.tokens"_t, "one"_v = ui::in_language("1.00")));
    if (h.drafter != kNoDrafter)
        row(walk_said("row.accepted"_t), message(walk_said("row.kept"_t, "kept"_v = view.accepted_drafts, "drafted"_v = view.drafted)),
            walk_said("row_note.share"_t, "share"_v = percent(view.accepted_drafts, view.drafted)));
    if (h.tier == "TABLE") row(walk_said("row.time"_t), "–", SaidOf<"shared">()("words.untimed:table"_t));
    if (timed() && view.rounds > 0 && view.total_ms > 0) {
        double draft = 0, verify = 0, other = 0;
        for (const RoundSummary& round : view.round_list) {
            if (!round.complete()) continue;
            draft += round.draft_ms;
            verify += round.verify_ms;
            other += round.other_ms;
        }
        row(walk_said("row.time_per_round"_t), ui::in_language(ms(view.total_ms / view.rounds)),
            walk_said("row_note.parts"_t, "draft"_v = per_round(draft), "verify"_v = per_round(verify), "other"_v = per_round(other)));
        row(walk_said("row.speed"_t), ui::in_language(rate(1000 * view.output_tokens / view.total_ms)) + " tok/s",
            walk_said("row_note.prefill"_t, "load"_v = words_of(load_ms_ > 0, load_ms_),
                      "prefill"_v = ui::in_language(ms(view.prefill_ms))));
        const SpeedUp gain = speed_up(view, *trace_);
        if (gain.known()) {
            row(SaidOf<"shared">()("words.plain"_t), ui::in_language(rate(1000 / trace_->plain_ms())) + " tok/s",
                walk_said("row_note.plain"_t));
            Said words;
            if (gain.value < 1) words = walk_said("row_note.did_not_pay"_t);
            if (!gain.sure()) words = doubt_said(gain, trace_->times().get());
            row(walk_said("row.speed_up"_t),
                gain.doubt == SpeedUp::Doubt::impossible ? "–" : (gain.sure() ? "" : "~") + ui::in_language(number(gain.value, 2)) + "×",
                words);
            if (!gain.sure())
                if (const Reference* known = reference_of(h))
                    row(walk_said("row.recorded"_t), ui::in_language(number(known->speed_up, 2)) + "×",
                        walk_said("row_note.recorded"_t, "machine"_v = machine_said(known->machine), "date"_v = known->date));
        }
    }
    if (const WireTotals wire = wire_totals(view); wire.any()) {
        const auto size = [&](double bytes) { return ui::in_language(kilobytes(wire.per_round(bytes))); };
        const auto away = [&](double ms_taken) { return ui::in_language(number(wire.per_round(ms_taken), 2)); };
        row(walk_said("row.sent"_t), size(static_cast<double>(wire.sent)),
            walk_said("row_note.received"_t, "received"_v = size(static_cast<double>(wire.received))));
        if (timed())
            row(walk_said("row.away"_t), ui::in_language(ms(wire.per_round(wire.ms))),
                wire.knows_server()
                    ? walk_said("row_note.way"_t, "server"_v = away(wire.server_ms), "way"_v = away(wire.ms - wire.server_ms))
                    : walk_said("row_note.no_way"_t));
        if (wire.retries > 0) row(walk_said("row.again"_t), std::to_string(wire.retries), walk_said("row_note.again"_t));
        if (h.draft_ahead)
            row(walk_said("row.ahead"_t),
                message(walk_said("row.kept"_t, "kept"_v = static_cast<int>(wire.taken), "drafted"_v = static_cast<int>(wire.ahead))),
                walk_said("row_note.ahead"_t, "ms"_v = timed() ? std::optional(away(wire.ahead_ms)) : std::nullopt));
    }
    if (view.stopped) {
        char hash[20];
        std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(view.stopped->hash));
        row(walk_said("row.hash"_t), hash, walk_said("row_note.hash"_t));
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
    if (listed < 0.995) text += "   " + message(walk_said("table.others"_t, "chance"_v = probability(1 - listed)));
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
    const std::string draft_q = message(certain && !greedy ? walk_said("table.draft"_t) : walk_said("table.draft_q"_t));
    const std::string judged_by =
        coins ? pad(message(walk_said("table.stays_if"_t)), 9) + pad_left(message(walk_said("table.coin"_t)), 8) + "   "
              : pad(message(walk_said("table.says"_t)), 18);
    std::string text = "     " +
                       paint(Tone::muted, pad(message(walk_said("table.guess"_t)), draft_width) + pad_left(draft_q, 8) +
                                              pad_left(message(walk_said("table.target_p"_t)), 10) + "   " + judged_by +
                                              message(walk_said("table.verdict"_t))) +
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
            text += paint(Tone::muted, line + pad_left("–", 10) + (coins ? "" : "   –") + "   · " + message(walk_said("table.dropped"_t))) +
                    "\n";
            continue;
        }
        const Checked& c = *slot.check;
        line += pad_left(probability(greedy ? at_one(c.raw_top, d.token, std::exp(c.p)) : std::exp(c.sibling_residual.value_or(c.p))), 10);
        if (coins) {
            line += "   " + pad(stays_if(c.threshold), 9);
            line += pad_left(c.u ? ui::in_language(coin(*c.u)) : "–", 8) + "   ";
        } else {
            const auto limit = [&] {
                return message(walk_said("table.limit"_t, "missed"_v = missed, "chance"_v = probability(*c.typical_threshold)));
            };
            line += "   " + pad(c.typical_threshold ? limit().words() : missed ? wanted(slot) : token(d.token, 14), 18);
        }
        const bool rescued = !missed && c.prefix_coefficient && c.u && *c.u >= c.threshold;
        const Said kept = rescued ? walk_said("table.rescued"_t) : walk_said("table.stays"_t);
        text += line + (missed ? paint(Tone::rejected, "✕ " + message(walk_said("table.rejected"_t)))
                               : paint(Tone::accepted, "✓ " + message(kept)));
        const int left = terminal_.width - 18 - columns(line);
        if (!d.extra.empty() && left > 8) text += paint(Tone::muted, "   " + clip(d.extra, left));
        text += "\n";
    }
    return text;
}

// What a recovered token is drawn from.
static Said left_over(bool tree, RuleKind kind, bool blocks) {
    if (tree) return walk_said("from.tree"_t);
    switch (kind) {
    case RuleKind::cascade: return blocks ? walk_said("from.mixed_block"_t) : walk_said("from.mixed"_t);
    case RuleKind::block: return walk_said("from.block"_t);
    case RuleKind::certain: return walk_said("from.certain"_t);
    default: return walk_said("from.residual"_t);
    }
}

std::string Walk::own_token(const RoundSummary& round) const {
    if (!round.resample) return "";
    if (truncated(round))
        return paint(Tone::muted, "  ") + message(walk_said("own.ends"_t, "token"_v = token(round.commit->tokens.back()))) + "\n";
    const TargetToken& r = *round.resample;
    const Header& h = *trace_->header();
    const RuleKind kind = kind_of(h);
    const bool mixture = kind == RuleKind::cascade;
    const bool drafted = !round.drafts.empty();
    const auto word = "token"_v = token(r.token);
    const auto thrown = "coin"_v = r.u ? std::optional(ui::in_language(coin(*r.u))) : std::nullopt;
    const Said targets = walk_said("from.target"_t), own = walk_said("from.own"_t);
    const auto plain = [&](const std::optional<Said>& from) { return walk_said("own.plain"_t, word, thrown, "from"_v = from); };
    Said said;
    switch (r.from) {
    case TargetToken::From::residual:
        said = walk_said("own.left"_t, word, thrown, "from"_v = left_over(round.tree, kind, h.rule_params.block));
        break;
    case TargetToken::From::bonus: {
        std::optional<Said> from = drafted || round.tree ? own : targets;
        if (mixture)
            from = r.top.empty() ? std::nullopt
                                 : std::optional(r.target_top.empty() ? walk_said("from.own_alone"_t) : walk_said("from.mixture"_t));
        if (round.tree && !mixture)
            said = walk_said("own.leaf"_t, word, thrown, "from"_v = from);
        else if (drafted)
            said = walk_said("own.stayed"_t, "guesses"_v = round.drafts.size(), word, thrown, "from"_v = from);
        else
            said = plain(from);
        break;
    }
    case TargetToken::From::target: said = drafted ? walk_said("own.there"_t, word, thrown) : plain(targets); break;
    }
    const bool residual = r.from == TargetToken::From::residual;
    std::string distribution = residual ? alternatives(r.top, r.token) : "";
    if (distribution.empty()) distribution = alternatives(r.top.entries.size() > 1 || r.raw_top.empty() ? r.top : r.raw_top, r.token);
    const Mark mark = mark_of(r, drafted);
    std::string text = paint(mark.tone, std::string(mark.glyph) + " ") + wrap(message(said), terminal_.width - 2, 2) + "\n";
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
    const auto shown = [&](double units) { return ui::in_language(number(units / digit, decimals)); };
    return message(walk_said("round.times"_t, "draft"_v = shown(draft), "verify"_v = shown(verify),
                             "other"_v = shown(std::max(0.0, total - draft - verify)), "total"_v = shown(total)));
}

// Why a round has none: the drafter had nothing, or was not asked.
Said Walk::no_drafts(const RoundSummary& round) const {
    const RunView whole = fold(*trace_, trace_->size()); // what ended the run stands behind the round
    if (no_room_for_draft(whole, round))
        return whole.output_tokens == whole.header->max_tokens ? walk_said("round.one_left"_t) : walk_said("round.full"_t);
    const bool not_asked = round.verify && round.verify->asked && round.verify->asked->k == 0 && round.draft_ms == 0;
    return not_asked ? walk_said("round.auto"_t) : walk_said("round.nothing"_t);
}

std::string Walk::full(const RunView& view, const RoundSummary& round) const {
    const bool timing = timed();
    std::string text = "\n" + rule_line(message(walk_said("round.title"_t, "round"_v = round.round + 1)));
    const auto line = [&](Tone tone, const std::string& head, const Said& said) {
        text += paint(tone, head) + "  " + message(said) + "\n";
    };
    const std::string draft = "◇ " + pad(message(walk_said("round.draft"_t)), 6);
    if (!round.drafts.empty()) {
        const auto part = [&](const DraftSlot& slot) { return part_of(trace_->header()->drafter, slot.draft->by); };
        const DrafterInfo* const first = part(round.drafts.front()); // of two chained drafters
        const DrafterInfo* const last = part(round.drafts.back());
        line(Tone::draft, draft,
             walk_said("round.drafted"_t, "guesses"_v = round.drafts.size(), "tree"_v = round.tree, "by"_v = first ? first->name : "",
                       "then"_v = last != first ? last->name : "", "ms"_v = words_of(timing, round.draft_ms)));
    } else if (trace_->header()->drafter != kNoDrafter)
        line(Tone::draft, draft,
             walk_said("round.none"_t, "why"_v = no_drafts(round), "ms"_v = words_of(timing && round.draft_ms >= 0.005, round.draft_ms)));
    line(Tone::target, "■ " + pad(message(walk_said("round.verify"_t)), 6),
         walk_said("round.pass"_t, "tokens"_v = round.verify ? round.verify->rows : 0, "ms"_v = words_of(timing, round.verify_ms)));
    if (!round.drafts.empty()) text += table(round);
    text += own_token(round);
    const std::string time = times(round);
    const auto gained = round.commit ? round.commit->tokens.size() : 0;
    text += paint(Tone::strong, message(walk_said("round.gained"_t, "tokens"_v = gained))) +
            (time.empty() ? "" : "   " + paint(Tone::muted, time)) + "\n";
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
    if (timed()) line += pad_left(ui::in_language(ms(round.total_ms())), 12);
    return line + "\n";
}

} // namespace speclens::cli
