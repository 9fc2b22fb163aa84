#include "app/cli/attach_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/cli/walk_words.h"
#include "engine/base/quantile.h"
#include "remote/reading/reported_number.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr std::size_t kShownRounds = 40, kShownLeftOut = 5;

std::string scientific(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2e", value);
    return text.data();
}

// Beyond a thousand million nobody reads digits of a quotient or a time, but its size.
std::string amount(double value, int decimals) {
    if (!std::isfinite(value)) return "–";
    return std::abs(value) < 1e9 ? number(value, decimals) : scientific(value);
}

std::string whole_amount(double value) { return std::abs(value) <= kMostReported ? grouped(value) : scientific(value); }

std::string several(double count, const std::string& what) { return whole_amount(count) + " " + what + (count == 1 ? "" : "s"); }

std::string value_or_dash(const std::optional<double>& value, int decimals, const char* unit = "") {
    return value && std::isfinite(*value) ? amount(*value, decimals) + unit : "–";
}

std::string time_or_dash(const std::optional<double>& ms, int decimals) {
    return ms && std::abs(*ms) < 1e9 ? duration(*ms, decimals) : value_or_dash(ms, decimals, " ms");
}

std::string bullet(const std::string& text, const Terminal& t) { return "  · " + wrap(text, std::max(t.width - 4, 40), 4) + "\n"; }
std::string bullet(const Said& said, const Terminal& t) { return bullet(message(said).words(), t); }

std::string places_row(const char* label, const std::vector<double>& values, std::size_t most) {
    std::string line = "  " + pad(label, 24);
    for (std::size_t i = 0; i < std::min(values.size(), most); ++i)
        line += pad_left(values[i] > 1 ? amount(values[i], 2) : probability(values[i]), 6);
    return line + "\n";
}

const char* provenance_words(Provenance p) {
    switch (p) {
    case Provenance::exact: return "exact: the server lists every round";
    case Provenance::inferred: return "inferred: read off how counters and pieces came, not told by the server";
    case Provenance::aggregate: break;
    }
    return "totals only: which pieces were guessed is not known";
}

} // namespace

static std::string program_words(const ServerFacts& facts) { return printable(facts.program()) + (facts.own() ? ", vLLM's names" : ""); }

std::string facts_text(const std::string& where, const ServerFacts& facts, const Terminal& t, Source source) {
    std::string out = t.paint(Tone::strong, "SpecLens attach") + " · " + where + " · " + program_words(facts);
    const auto& models = facts.models.empty() ? facts.reading.models : facts.models;
    if (!models.empty() && facts.router) {
        out += " · a router: ";
        for (std::size_t i = 0; i < models.size(); ++i)
            out += (i == 0 ? "" : ", ") + printable(models[i]) + (i < facts.loaded ? "" : " (not loaded)");
    } else if (!models.empty())
        out += " · " + printable(models.front()) + (models.size() > 1 ? " and " + std::to_string(models.size() - 1) + " more" : "");
    out += source == Source::live ? " · [REMOTE]\n" : " · [RECORDED]\n";
    for (const Said& missing : facts.missing) out += t.paint(Tone::muted, bullet(missing, t));
    if (source == Source::live && (facts.kind == ServerKind::vllm || facts.kind == ServerKind::sglang))
        out += t.paint(Tone::muted, bullet("to guess here and let it judge: speclens run --model " + where + " --drafter small=DIR", t));
    return out;
}

std::string counts_text(const SpecCounts& counts, const std::string& of, const Terminal& t, int without_draft) {
    std::string out = "\n  " + t.paint(Tone::strong, of) + "\n  " + (counts.rounds ? several(*counts.rounds, "round") : "– rounds") +
                      (without_draft > 0 ? " with a draft + " + std::to_string(without_draft) + " without, " : ", ") +
                      several(counts.drafted, "token") + " drafted, " + whole_amount(counts.accepted) + " accepted";
    if (const auto drafts = drafts_per_round(counts)) out += "; " + amount(*drafts, 2) + " drafted per round";
    for (const Said& line : text_words(counts)) out += "\n  " + wrap(message(line), std::max(t.width - 2, 40), 2);
    out += "\n\n  " + t.paint(Tone::strong, "one run, six \"acceptances\"") +
           t.paint(Tone::muted, "   (rounds: passes of the target that judged a draft)") + "\n";
    for (const AcceptanceName& name : acceptance_names(counts, without_draft)) {
        out += "  " + pad(message(name.name), 36) + pad_left(value_or_dash(name.value, 3), 7) + "  ";
        const std::string formula = message(name.formula);
        out += t.paint(Tone::muted, t.width >= 118 ? pad(formula, 33) + message(name.used_by) : formula) + "\n";
    }
    const PositionAcceptance places = position_acceptance(counts);
    if (!places.unconditional.empty()) {
        const std::size_t most = static_cast<std::size_t>(std::max(1, (t.width - 26) / 6));
        std::string head = "\n  " + pad("draft", 24);
        for (std::size_t i = 0; i < std::min(places.unconditional.size(), most); ++i) head += pad_left(std::to_string(i + 1), 6);
        out += head + "\n" + places_row("kept, of all rounds", places.unconditional, most) +
               places_row("once all before it were", places.conditional, most);
        if (places.unconditional.size() > most)
            out += "  (" + counted(static_cast<int>(places.unconditional.size() - most), "more place") + ")\n";
    }
    const std::vector<Said> odd = findings(counts);
    if (!odd.empty()) out += "\n  " + t.paint(Tone::strong, "what stands out") + "\n";
    for (const Said& finding : odd) out += bullet(finding, t);
    return out;
}

std::string reading_text(const ServerReading& r, const Terminal& t, Source source) {
    std::string out;
    if (r.counts && !r.counts->empty()) out += counts_text(*r.counts, "since the server's start, all requests", t);
    if (r.counts && r.counts->worked_out && !r.reported_accepted)
        out += "\n" + bullet("rounds are worked out from its acceptance length, not told by it", t);
    if (!r.parts.empty()) {
        double least = 1e300, most = 0;
        std::string each;
        for (const ReadingPart& part : r.parts) {
            const auto length = acceptance_length(part.counts);
            if (length) least = std::min(least, *length), most = std::max(most, *length);
            each += (each.empty() ? "" : " · ") + printable(part.name) + ": " + value_or_dash(length, 2);
        }
        out += "\n" + bullet("each of " + std::to_string(r.parts.size()) + " engines or models, acceptance length: " + each +
                                 (most > 0 ? " (from " + amount(least, 2) + " to " + amount(most, 2) + ")" : ""),
                             t);
    }
    if (r.reported_length) {
        const ReportedRates reported = reported_rates(r);
        const auto share = reported.share(r.reported_length, r.reported_rate);
        out += "\n  acceptance length, averaged by the server  " + amount(*r.reported_length, 2);
        if (share)
            out += "   accepted ÷ drafted " + probability(*share);
        else if (r.reported_rate)
            out += "   SGLang's accept rate " + probability(*r.reported_rate);
        out += "\n";
        if (share || r.reported_rate) out += bullet(reported.words(), t);
    }
    out += (source == Source::live ? "\n  now: " : "\n  then: ") + value_or_dash(r.running, 0) + " running, " +
           value_or_dash(r.waiting, 0) + " waiting, cache " + (r.cache_share ? percent(*r.cache_share, 1) : "–") + "\n";
    out += "  since the start: " + (r.generated ? several(*r.generated, "token") : "– tokens") + " written, first token after " +
           time_or_dash(r.first_token.mean_ms(), 1) + ", " + time_or_dash(r.between_tokens.mean_ms(), 2) + " between tokens (means)\n";
    return out;
}

std::string watch_heading() {
    return "\n      time  tokens/s  rounds/s acc.length  accepted  running  waiting  cache  ms between "
           "tokens\n";
}

std::string watch_row(const Watch& watch, double began) {
    const WatchInterval now = watch.step(watch.size() - 1);
    const ServerReading& r = watch.last();
    const bool drafted = now.counts.drafted > 0;
    std::string row = pad_left(number(watch.last_seconds() - began, watch.last_seconds() - began < 100 ? 1 : 0) + " s", 10);
    row += pad_left(value_or_dash(now.tokens_per_second ? now.tokens_per_second : r.reported_throughput, 1), 10);
    row += pad_left(value_or_dash(now.rounds_per_second, 1), 10);
    row += pad_left(drafted ? value_or_dash(acceptance_length(now.counts), 2) : value_or_dash(r.reported_length, 2), 11);
    row += pad_left(drafted ? percent(now.counts.accepted, now.counts.drafted) : "–", 10);
    row += pad_left(value_or_dash(r.running, 0), 9) + pad_left(value_or_dash(r.waiting, 0), 9);
    row += pad_left(r.cache_share ? percent(*r.cache_share, 1) : "–", 7) + pad_left(value_or_dash(now.between_tokens_ms, 2), 19);
    return row + "\n";
}

std::string served_text(const ServedText& served, const Terminal& t, Source source) {
    std::string out = "\n";
    for (const ServedPiece& piece : served.pieces) {
        const std::string text = printable(piece.text);
        out += piece.author == Author::draft    ? t.paint(Tone::accepted, text)
               : piece.author == Author::target ? t.paint(Tone::bonus, text)
                                                : text;
    }
    out += "\n\n  " + t.paint(Tone::strong, provenance_words(served.provenance)) + "\n";
    if (!served.rounds.empty()) {
        std::size_t at = 0;
        while (at < served.pieces.size() && served.pieces[at].round < 0) ++at;
        for (std::size_t round = 0; round < std::min(served.rounds.size(), kShownRounds); ++round) {
            std::string words;
            for (; at < served.pieces.size() && served.pieces[at].round <= static_cast<int>(round); ++at) {
                if (served.pieces[at].round < 0 || served.pieces[at].text.empty()) continue; // no round, or a hidden end token
                const bool own = served.pieces[at].author == Author::target;
                words += (words.empty() ? "" : "·") + std::string(own ? "★" : "") + visible(served.pieces[at].text);
            }
            const ServedRound& r = served.rounds[round];
            out += "  " + pad_left(std::to_string(round + 1), 4) +
                   (r.drafted == 0 ? "  no draft" : "  kept " + std::to_string(r.accepted)) +
                   (r.drafted > 0 ? " of " + std::to_string(r.drafted) : "") + "   " + clip(words, std::max(t.width - 24, 20)) +
                   (served.unwritten > 0 && round + 1 == served.rounds.size() ? t.paint(Tone::muted, "   the text ends here") : "") + "\n";
        }
        if (served.rounds.size() > kShownRounds)
            out += "  … " + counted(static_cast<int>(served.rounds.size() - kShownRounds), "more round") + "\n";
        out += t.paint(Tone::muted, "  ★ the target's own token, the others of a round were guessed\n");
    }
    if (served.counts && !served.counts->empty()) out += counts_text(*served.counts, "this request", t, served.passes_without_draft());
    if (served.rounds_at_most)
        out += bullet("at most " + several(*served.rounds_at_most, "round") +
                          ": each writes a token of the target's own (one more where the text ended inside what a round kept)",
                      t);
    if (const auto written = served.written_per_round(), length = served.counts ? acceptance_length(*served.counts) : std::nullopt;
        written && length && std::abs(*written - *length) > 1e-9)
        out += "  " + pad("as the server counts: length", 36) + pad_left(amount(*length, 3), 7) + "\n  " +
               pad("as written: tokens ÷ rounds", 36) + pad_left(amount(*written, 3), 7) + "\n";
    if (source == Source::recorded) {
        out += "\n  " + (served.tokens > 0 ? counted(served.tokens, "token") : counted(static_cast<int>(served.pieces.size()), "piece"));
        if (served.reported_tokens_per_second)
            out += ", " + amount(*served.reported_tokens_per_second, 1) + " tokens/s by the server's own clock";
        out += "\n";
        for (const Said& note : served.notes) out += t.paint(Tone::muted, bullet(note, t));
        return out;
    }
    out += "\n  " + (served.tokens > 0 ? counted(served.tokens, "token") : counted(static_cast<int>(served.pieces.size()), "piece")) +
           " in " + duration(served.total_ms, 0) + ", the first after " + duration(served.first_ms, 0);
    const auto speed = served.tokens_per_second();
    if (served.tokens > 1) out += "; then " + (speed ? amount(*speed, 1) : "–") + " tokens/s";
    out += " (over the network)\n";
    if (served.reported_tokens_per_second)
        out += "  " + amount(*served.reported_tokens_per_second, 1) + " tokens/s by the server's own clock\n";
    if (served.tokens > 1 && !speed && !served.pieces.empty())
        out += t.paint(Tone::muted, bullet("no speed: the tokens of a round come at once, and too little came apart to be "
                                           "timed (it takes " +
                                               std::to_string(kFewestTimedArrivals) + " arrivals, and " + number(kShortestTimedMs, 0) +
                                               " ms from the first to the last)",
                                           t));
    for (const Said& note : served.notes) out += t.paint(Tone::muted, bullet(note, t));
    return out;
}

namespace {

std::string span_words(const LogEntry& e) { // what an entry counts
    if (e.span == LogEntry::Span::run) return printable(e.method);
    if (e.method == "example") return "one run";
    if (e.whole()) return "since its start" + (e.method.empty() ? "" : ", " + printable(e.method));
    if (e.kind == ServerKind::llamacpp) return "one request";
    if (e.kind == ServerKind::sglang) return "a batch" + (e.running ? " of " + number(*e.running, 0) : "");
    return "the last seconds";
}

std::string entry_words(const LogEntry& e) {
    std::string out = span_words(e);
    if (!e.task.empty()) out += ", " + e.task;
    if (!e.writer.empty()) out += ", of " + printable(e.writer);
    if (e.counts && e.counts->drafted > 0)
        out += ": " + (e.counts->rounds ? several(*e.counts->rounds, "round") + ", " : "") + whole_amount(e.counts->accepted) + " of " +
               whole_amount(e.counts->drafted) + " drafts kept";
    if (e.counts && e.counts->text) {
        const TextShares text = text_shares(*e.counts);
        const double low = text.plain ? std::round(text.plain->low) : 0;
        out += "; " + several(e.counts->text->tokens, "token");
        if (e.counts->rounds && !text.plain_holds_first && low > 0)
            out += ", " + std::string(text.plain->exact() ? "" : "at least ") + whole_amount(low) + (low == 1 ? " pass" : " passes") +
                   " without a draft";
        else if (!e.counts->rounds && text.per_pass)
            out += " in " + std::string(text.per_pass->exact() ? "" : "at least ") + whole_amount(text.passes->low) + " passes, " +
                   amount(text.per_pass->high, 2) + " a pass" + (text.per_pass->exact() ? "" : " at most");
    }
    if (!e.counts && e.text) out += ": " + several(e.text->tokens, "token");
    constexpr std::size_t kShownPlaces = 16;
    if (e.counts && e.counts->rounds && !e.counts->accepted_at.empty()) {
        out += ", at places";
        for (std::size_t i = 0; i < std::min(e.counts->accepted_at.size(), kShownPlaces); ++i)
            out += " " + whole_amount(e.counts->accepted_at[i]);
        if (e.counts->accepted_at.size() > kShownPlaces) out += " …";
    }
    if (e.depths.size() > 1) {
        constexpr std::size_t kShownDepths = 12;
        out += "; K ";
        for (std::size_t i = 0; i < std::min(e.depths.size(), kShownDepths); ++i)
            out += (i == 0 ? "" : " → ") + std::to_string(e.depths[i]);
        if (e.depths.size() > kShownDepths) out += " → … " + std::to_string(e.depths.back());
    }
    if (!e.remark.empty()) out += "; " + e.remark;
    return out;
}

} // namespace

std::string log_heading() { return "      line acc.length  accepted  what it is\n"; }

std::string log_row(const LogEntry& e) {
    return pad_left(std::to_string(e.line), 10) + pad_left(value_or_dash(e.length, 2), 11) +
           pad_left(e.rate            ? percent(*e.rate, 1)
                    : e.reported_rate ? percent(*e.reported_rate, 1) + "*"
                                      : "–",
                    10) +
           "  " + entry_words(e) + (e.left_out.empty() ? "" : "; not all of it, see below") + "\n";
}

std::string log_text(const std::string& name, const LogReading& log, const Terminal& t) {
    std::string out =
        t.paint(Tone::strong, "SpecLens attach") + " · " + name + " · " +
        (std::ranges::any_of(log.entries, [](const LogEntry& e) { return e.span != LogEntry::Span::run; }) || log.entries.empty()
             ? "log of "
             : "benchmark of ") +
        server_name(log.kind()) + " · [RECORDED]\n";
    if (log.diffusion) out += bullet(diffusion_words(*log.diffusion), t);
    if (log.entries.empty()) return out;
    out += "  " + std::to_string(log.entries.size()) + " of " + counted(log.lines, "line") +
           (log.entries.size() == 1 ? " speaks" : " speak") + " of acceptance\n\n";
    out += log_heading();
    const std::size_t first = log.entries.size() > 20 ? log.entries.size() - 20 : 0;
    if (first > 0) out += "         … " + counted(static_cast<int>(first), "earlier one") + "\n";
    for (std::size_t i = first; i < log.entries.size(); ++i) {
        const LogEntry& e = log.entries[i];
        out += log_row(e);
    }
    const auto rated = [](const LogEntry& e) {
        return e.kind == ServerKind::sglang && e.span != LogEntry::Span::run && (e.rate || e.reported_rate);
    };
    const auto starred = [](const LogEntry& e) { return e.reported_rate && !e.rate; };
    if (std::ranges::any_of(log.entries, rated))
        out += "\n" + bullet((std::ranges::any_of(log.entries, starred) ? "* " : "") + log.reported.words(), t);
    std::size_t left_out = 0;
    for (const LogEntry& e : log.entries) {
        if (e.left_out.empty() || ++left_out > kShownLeftOut) continue;
        out += (left_out == 1 ? "\n" : "") +
               bullet("line " + std::to_string(e.line) + " says what cannot be, and that is left out: " + message(listed(e.left_out)), t);
    }
    if (const auto more = static_cast<int>(left_out) - static_cast<int>(kShownLeftOut); more > 0)
        out += bullet(counted(more, "more line") + (more == 1 ? " says" : " say") + " what cannot be", t);
    for (const LogEntry& e : log.entries)
        if (e.reported_accepted && e.counts) {
            out += "\n" + bullet("vLLM 0.8 or older: its \"accepted\" (" + whole_amount(*e.reported_accepted) +
                                     ") holds drafts behind the first refusal; rounds and kept drafts are worked out "
                                     "from what was emitted, and only those compare with later versions",
                                 t);
            break;
        }
    for (const Said& finding : log_findings(log)) out += "\n" + bullet(finding, t);
    const SpecCounts sum = log.sum();
    if (sum.worked_out) out += "\n" + bullet("rounds are worked out from quotients that the server rounded, not told by it", t);
    if (!sum.empty()) return out + counts_text(sum, log.sum_is_whole() ? "since the server's start" : "all these lines together", t);
    const bool counts = std::ranges::any_of(log.entries, [](const LogEntry& e) { return e.counts.has_value(); });
    std::string why = "these lines tell averages and no counts: nothing can be added up";
    if (counts) why = "nothing was drafted in these lines: there is nothing to divide";
    if (left_out > 0) why = "no counts are left that could be added up";
    return out + "\n" + bullet(why, t);
}

std::string bench_text(const std::string& name, const BenchRecords& records, const Terminal& t) {
    std::string out = t.paint(Tone::strong, "SpecLens attach") + " · " + name + " · records of AIPerf · [RECORDED]\n  " +
                      several(static_cast<double>(records.answered.size()), "request") + " answered, " + grouped(records.failed) +
                      " failed or cancelled, " + several(records.tokens(), "token") + " written";
    if (records.warm_up > 0) out += "; " + several(records.warm_up, "request") + " of the warm-up left out";
    if (records.skipped > 0) out += "; " + several(records.skipped, "line") + (records.skipped == 1 ? " is no record" : " are no records");
    out += "\n\n";
    out += t.paint(Tone::muted, "  " + pad("", 28) + pad_left("median", 10) + pad_left("90 %", 10)) + "\n";
    using Values = std::vector<double>;
    const auto row = [&](const char* label, const auto& of, int decimals) {
        std::vector<double> values;
        for (const BenchRecord& record : records.answered) of(record, values);
        std::erase_if(values, [](double value) { return value <= 0; });
        if (values.empty()) return;
        out += "  " + pad(label, 28) + pad_left(amount(quantile(values, 0.5), decimals), 10) +
               pad_left(amount(quantile(values, 0.9), decimals), 10) + "\n";
    };
    row(
        "first token, ms", [](const BenchRecord& r, Values& v) { v.push_back(r.first_ms); }, 1);
    row(
        "between two tokens, ms", [](const BenchRecord& r, Values& v) { v.push_back(r.between_ms); }, 2);
    row(
        "between two chunks, ms", [](const BenchRecord& r, Values& v) { v.insert(v.end(), r.gaps.begin(), r.gaps.end()); }, 2);
    row(
        "whole answer, ms", [](const BenchRecord& r, Values& v) { v.push_back(r.whole_ms); }, 1);
    row(
        "tokens per chunk, by request", [](const BenchRecord& r, Values& v) { v.push_back(r.tokens_per_chunk()); }, 2);
    const std::optional<SpecCounts> told = records.sum();
    if (told) {
        const std::string of = records.told() == static_cast<int>(records.answered.size())
                                   ? "all requests, as the server told of each"
                                   : grouped(records.told()) + " of these requests, as the server told of each";
        out += counts_text(*told, of, t);
        const auto sources = records.by_source();
        if (!sources.empty()) out += "\n  " + t.paint(Tone::strong, "by the source of the prompts") + "\n";
        for (const auto& [source, counts] : sources)
            out += "  " + pad(printable(source), 36) + pad_left(value_or_dash(acceptance_length(counts), 2), 7) + "  acceptance length; " +
                   several(counts.rounds.value_or(0), "round") + ", " + whole_amount(counts.accepted) + " of " +
                   whole_amount(counts.drafted) + " kept\n";
    }
    std::size_t left_out = 0;
    for (const BenchRecord& record : records.answered)
        if (!record.left_out.empty() && ++left_out <= kShownLeftOut)
            out += "\n" + bullet("a request is left out of these figures: " + message(record.left_out), t);
    if (const double all = records.tokens_per_chunk(); all > 0)
        out += "\n  " + t.paint(Tone::strong, amount(all, 2) + " tokens per chunk") + " over " + several(records.chunks(), "chunk") + "\n" +
               bullet("inferred: where the server sends a chunk after every round, these are tokens per "
                      "round (1 without "
                      "speculation); a server that joins or splits chunks makes it another number",
                      t) +
               bullet("the counters say it exactly: speclens attach http://… while the load runs", t);
    else if (!told)
        out += "\n" + bullet("no answer was streamed: nothing tells how many tokens came at once", t);
    return out;
}

} // namespace speclens::cli
