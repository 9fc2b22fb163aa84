// The comparison as tables for a terminal.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "app/cli/compare/compare_rows.h"
#include "engine/base/equation.h"

namespace speclens::cli {

namespace {

// Room for the column of positions.
bool full_width(const TableLook& look) { return look.terminal.width >= 95 + look.name; }

std::string positions(const std::vector<double>& acceptance) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < acceptance.size() && i < kMost; ++i) text += (i ? " " : "") + probability(acceptance[i]);
    if (acceptance.size() > kMost) text += "…";
    return text.empty() ? "–" : text;
}

// The measured speed-up; a dash where it is no speed-up.
std::string speed_of(const Row& row) { return row.possible() ? (row.in_doubt() ? "~" : "") + number(row.speed.value, 2) + "×" : "–"; }

bool has_interval(const Row& row) { return row.speed.interval && row.contestant->name != kNoDrafter && row.possible(); }

// Right-aligned, and apart from the cell before it however wide the value is.
std::string cell(const std::string& text, int width) { return pad_left(columns(text) < width ? text : " " + text, width); }

// Left-aligned, and apart from the cell behind it.
std::string padded(const std::string& text, int width) { return pad(columns(text) < width ? text : text + " ", width); }

} // namespace

std::string table_line(const Row& row, const TableLook& look) {
    const Terminal& terminal = look.terminal;
    const Contestant& c = *row.contestant;
    std::string line = "  " + pad(c.label, look.name);
    if (!c.problem.empty()) return line + terminal.paint(Tone::muted, "cannot run: " + c.problem) + "\n";
    const Totals& t = row.totals;
    line += cell(number(t.tokens_per_round(), 2), 6);
    const std::string drafted = t.drafted < 10000 ? std::to_string(t.drafted) : std::to_string((t.drafted + 500) / 1000) + "k";
    line += cell(c.name == kNoDrafter ? "–" : std::to_string(t.accepted) + "/" + drafted, 10) + "  ";
    if (full_width(look)) line += pad(positions(t.acceptance), 17);
    const auto timed = [&](double value, int decimals, int width) { return cell(look.times ? number(value, decimals) : "–", width); };
    line += timed(t.draft_ms - t.head_ms, 2, 6) + (t.head_ms > 0 ? timed(t.head_ms, 2, 6) : cell("–", 6)) + timed(t.verify_ms, 2, 7) +
            timed(t.other_ms, 2, 6) + cell(look.times ? rate(t.tokens_per_second) : "–", 7);
    if (look.speed_up) {
        const std::string interval = has_interval(row) ? " [" + number(row.speed.low, 2) + ", " + number(row.speed.high, 2) + "]" : "";
        const Tone tone = c.name == kNoDrafter || !row.possible() ? Tone::plain : row.speed.value >= 1 ? Tone::accepted : Tone::rejected;
        line += "  " + terminal.paint(tone, padded(speed_of(row) + interval, 19));
    } else {
        line += "  ";
    }
    if (!look.greedy) return line + "–\n";
    return line +
           terminal.paint(row.identical    ? Tone::accepted
                          : c.is_cascade() ? Tone::plain
                                           : Tone::rejected,
                          row.identical    ? "yes"
                          : c.is_cascade() ? "no"
                                           : "NO") +
           "\n";
}

bool has_interval(const std::vector<Row>& rows) {
    return std::ranges::any_of(
        rows, [](const Row& row) { return row.contestant->problem.empty() && row.totals.rounds > 0 && has_interval(row); });
}

std::string setting_lines(const std::vector<Contestant>& contestants) {
    std::map<std::string, std::string> lengths;   // by drafter: every K it is measured with
    std::map<std::string, std::string> ks, rules; // value: the drafters that have it
    const auto add = [](std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; };
    std::vector<const Contestant*> first; // of every drafter
    for (const Contestant& c : contestants) {
        if (c.name == kNoDrafter || !c.problem.empty()) continue;
        if (!lengths.contains(c.name)) first.push_back(&c);
        add(lengths[c.name], c.settings.k_auto ? "auto, " + std::to_string(c.settings.k) + " at most" : std::to_string(c.settings.k));
    }
    for (const Contestant* c : first) {
        add(ks["K = " + lengths[c->name]], c->name);
        add(rules[c->settings.rule], c->name);
    }
    std::string text;
    for (const auto& [k, names] : ks) text += k + ": " + names + "\n";
    for (const auto& [rule, names] : rules) {
        const RunSettings& run = contestants.front().settings;
        const bool lossless = keeps_target(*find_rule(rule), run.rule_params, run.sampling);
        text += "rule " + rule;
        if (rules.size() == 1)
            text += lossless ? "\n" : " is NOT lossless: it changes what is written\n";
        else
            text += (lossless ? ": " : ", NOT lossless (it changes what is written): ") + names + "\n";
    }
    return text;
}

std::string table_head(const TableLook& look) {
    const Terminal& terminal = look.terminal;
    const bool full = full_width(look);
    const std::string first = "  " + pad("drafter", look.name) + pad_left("tok/", 6) + pad_left("accepted/", 10) + "  " +
                              (full ? pad("accepted at", 17) : "") + pad_left("ms per round", 25) + pad_left("tok/s", 7) + "  " +
                              (look.speed_up ? pad("speed-up", 19) : "") + "same";
    const std::string second = pad("", look.name + 2) + pad_left("round", 6) + pad_left("drafted", 10) + "  " +
                               (full ? pad("position 1 2 3 4", 17) : "") + pad_left("draft", 6) + pad_left("head", 6) +
                               pad_left("verify", 7) + pad_left("other", 6) + pad("", 7) + "  " +
                               (look.speed_up ? pad(look.interval ? "[95 % interval]" : "", 19) : "") + "text";
    return terminal.paint(Tone::muted, first) + "\n" + terminal.paint(Tone::muted, second) + "\n";
}

std::string speed_notes(const std::vector<Row>& rows) {
    const auto measured = [](const Row& row) { return row.contestant->problem.empty() && row.totals.rounds > 0; };
    std::string text;
    if (has_interval(rows))
        text += "  the interval covers which prompts were chosen, not the noise of the clock\n";
    else if (rows.size() > 1 && std::ranges::none_of(rows, [](const Row& row) { return row.speed.interval; }))
        text += "  no interval: that takes several prompts\n";
    if (std::ranges::any_of(rows, [&](const Row& row) { return measured(row) && !row.possible(); }))
        text += "  – for a speed-up: more than tokens per round allow, time it again\n";
    if (std::ranges::any_of(rows, [](const Row& row) { return row.busy && row.in_doubt(); }))
        text += "  ~ in doubt: other programs kept the cores busy\n";
    else if (std::ranges::any_of(rows, &Row::in_doubt))
        text += "  ~ in doubt: repeats of one pass lie more than " + number(100 * kMostSpread, 0) + " % apart\n";
    return text.empty() ? "" : "\n" + text;
}

std::string vocabulary_notes(const std::vector<Row>& rows, int vocab, bool from_file) {
    std::string text;
    for (const Row& row : rows) {
        if (row.domain != "all" || row.contestant->ids.empty() || row.totals.tokens == 0) continue;
        text += "  " + row.contestant->label + " ranks " + std::to_string(row.contestant->ids.size()) + " of " + std::to_string(vocab) +
                " ids; " + std::to_string(row.outside) + " of " + std::to_string(row.totals.tokens) +
                " written tokens are not among them\n";
    }
    const bool by_number = std::ranges::any_of(rows, [](const Row& row) { return row.contestant->settings.options.fr_spec > 0; });
    if (!text.empty() && by_number && !from_file) text += "  no frequent.json with the target: these are the ids with the lowest numbers\n";
    return text.empty() ? "" : "\n" + text;
}

std::string formula_table(const std::vector<Row>& rows, const Row& plain, const TableLook& look) {
    const double pass = plain.totals.round_ms();
    std::string text;
    for (const Row& row : rows) {
        if (row.domain != "all" || !row.contestant->problem.empty() || &row == &plain || row.totals.rounds == 0) continue;
        const Totals& t = row.totals;
        const int decimals = equation_decimals(t.tokens_per_pass(), pass, 0, t.round_ms(), 3);
        const double predicted = t.predicted_speed_up(plain.totals);
        text += "  " + pad(row.contestant->label, look.name) + number(t.tokens_per_pass(), decimals) + " × " + number(pass, decimals) +
                " ÷ " + number(t.round_ms(), decimals) + " = " + (row.allows(predicted) ? number(predicted, 2) + "×\n" : "–\n");
    }
    if (text.empty()) return text;
    return "\n" + look.terminal.paint(Tone::muted, "  speed-up = tokens per round × a plain pass ÷ a round, ms") + "\n" + text;
}

std::string position_table(const std::vector<Row>& rows, const TableLook& look) {
    constexpr int kCell = 5;
    const std::size_t room = static_cast<std::size_t>(std::max(4, (look.terminal.width - 2 - look.name) / kCell));
    std::size_t most = 0;
    std::string text;
    for (const Row& row : rows) {
        if (row.domain != "all" || !row.contestant->problem.empty()) continue;
        const Totals& t = row.totals;
        std::string line;
        std::size_t shown = 0;
        for (std::size_t i = 0; i < t.judged_at.size() && i < room && t.judged_at[i] >= kLeastRounds; ++i) {
            line += pad_left(probability(t.conditional[i]), kCell);
            ++shown;
        }
        if (shown == 0) continue;
        most = std::max(most, shown);
        text += "  " + pad(row.contestant->label, look.name) + line + "\n";
    }
    if (text.empty()) return text;
    std::string numbers;
    for (std::size_t i = 1; i <= most; ++i) numbers += pad_left(std::to_string(i), kCell);
    return "\n" +
           look.terminal.paint(Tone::muted, "  chance that guess i stays once all before it did (at least " + std::to_string(kLeastRounds) +
                                                " rounds)\n  " + pad("i", look.name) + numbers) +
           "\n" + text;
}

std::vector<PairedRows> paired_rows(const std::vector<Row>& rows, std::uint64_t seed) {
    std::set<std::string> names;
    std::vector<const Row*> whole; // of all domains
    for (const Row& row : rows)
        if (row.domain == "all") names.insert(row.contestant->name), whole.push_back(&row);
    const bool of_one_length = names.size() == whole.size(); // each, be it another one
    const auto length = [&](const Contestant& c) { return of_one_length || c.settings.k_auto ? 0 : c.settings.k; };
    const auto samples = [](const Contestant& c) {
        std::vector<const Sample*> all;
        for (const Sample& sample : c.samples) all.push_back(&sample);
        return all;
    };
    std::vector<PairedRows> pairs;
    for (auto b = whole.begin(); b != whole.end(); ++b)
        for (auto a = whole.begin(); a != b; ++a) {
            const Contestant &first = *(*a)->contestant, &other = *(*b)->contestant;
            const std::vector<const Sample*> one = samples(first), two = samples(other);
            if (first.name == kNoDrafter || length(first) != length(other) || one.size() < 2 || one.size() != two.size()) continue;
            pairs.push_back({&first, &other, tokens_more(one, two, seed), speed_up(one, two, seed), !(*a)->certain() || !(*b)->certain()});
        }
    return pairs;
}

std::string paired_table(const std::vector<PairedRows>& pairs, const TableLook& look) {
    const auto interval = [](const Estimate& of) { return " [" + number(of.low, 2) + ", " + number(of.high, 2) + "]"; };
    std::string text;
    for (const PairedRows& pair : pairs) {
        text += "  " + pad(pair.other->label + " – " + pair.first->label, 2 * look.name + 3) + pad_left(number(pair.tokens.value, 2), 5) +
                pad(interval(pair.tokens), 18);
        text += (look.speed_up ? (pair.in_doubt ? "~" : "") + number(pair.speed.value, 2) + "×" + interval(pair.speed) : "") + "\n";
    }
    if (text.empty()) return text;
    const std::string head = std::string("  in pairs over the prompts: tokens per round more") + (look.speed_up ? ", times as fast" : "");
    return "\n" + look.terminal.paint(Tone::muted, head) + "\n" + text;
}

std::string wire_table(const std::vector<Row>& rows, const TableLook& look) {
    constexpr int kCell = 11;
    std::string text;
    bool ahead = false, server = true;
    for (const Row& row : rows) ahead = ahead || row.totals.wire.ahead > 0;
    for (const Row& row : rows) {
        const WireTotals& wire = row.totals.wire;
        if (row.domain != "all" || !wire.any()) continue;
        server = server && wire.knows_server();
        const auto mean = [&](double sum) { return wire.per_round(sum); };
        const auto cell = [](const std::string& value) { return pad_left(value, kCell); };
        text += "  " + pad(row.contestant->label, look.name) + cell(kilobytes(mean(static_cast<double>(wire.sent)))) +
                cell(kilobytes(mean(static_cast<double>(wire.received)))) + cell(number(mean(wire.ms), 2)) +
                cell(wire.knows_server() ? number(mean(wire.server_ms), 2) : "–") +
                cell(wire.knows_server() ? number(mean(wire.ms - wire.server_ms), 2) : "–");
        if (ahead)
            text += cell(wire.ahead > 0 ? std::to_string(wire.taken) : "–") + cell(wire.ahead > 0 ? std::to_string(wire.wasted()) : "–") +
                    cell(wire.ahead > 0 ? number(mean(wire.ahead_ms), 2) : "–");
        text += "\n";
    }
    if (text.empty()) return text;
    std::string head = "  a round on the way\n  " + pad("", look.name);
    for (const char* name : {"sent", "received", "ms in all", "server ms", "way ms"}) head += pad_left(name, kCell);
    if (ahead)
        for (const char* name : {"ahead kept", "wasted", "ms beside"}) head += pad_left(name, kCell);
    return "\n" + look.terminal.paint(Tone::muted, head) + "\n" + text + (server ? "" : "  –: the server does not tell its own time\n");
}

std::string cost_table(const std::vector<Row>& rows, const TableLook& look, const Rent& rent, const std::string& tier) {
    constexpr int kCell = 12;
    std::string text;
    for (const Row& row : rows) {
        if (row.domain != "all" || !row.contestant->problem.empty() || row.totals.tokens_per_second <= 0) continue;
        text += "  " + pad(row.contestant->label, look.name) + pad_left(number(row.totals.tokens_per_second, 1), kCell) +
                pad_left(cost_text(rent.per_million(row.totals.tokens_per_second)), kCell) + "\n";
    }
    if (text.empty()) return text;
    const std::string head = "  " + pad("", look.name) + pad_left("tok/s", kCell) + pad_left(cost_head(rent), kCell);
    return "\n" + look.terminal.paint(Tone::muted, head) + "\n" + text + cost_notes(rent, tier, look.terminal);
}

std::string first_draft_table(const std::vector<Row>& rows, const TableLook& look) {
    constexpr int kCell = 14;
    const auto cell = [](int kept, int of) {
        return pad_left(of < kLeastRounds ? "–" : probability(static_cast<double>(kept) / of), kCell);
    };
    std::string text;
    for (const Row& row : rows) {
        const FirstDrafts& first = row.totals.first;
        if (row.domain != "all" || !row.contestant->problem.empty() ||
            std::max({first.at_start, first.after_full, first.after_refusal}) < kLeastRounds)
            continue;
        text += "  " + pad(row.contestant->label, look.name) + cell(first.kept_at_start, first.at_start) +
                cell(first.kept_after_full, first.after_full) + cell(first.kept_after_refusal, first.after_refusal) + "\n";
    }
    if (text.empty()) return text;
    return "\n" +
           look.terminal.paint(Tone::muted, "  chance that guess 1 stays, by what is before it (at least " + std::to_string(kLeastRounds) +
                                                " rounds)\n  " + pad("", look.name) + pad_left("the prompt", kCell) +
                                                pad_left("a full round", kCell) + pad_left("a refusal", kCell)) +
           "\n" + text;
}

std::string one_more_table(const std::vector<Row>& rows, const TableLook& look) {
    constexpr int kCell = 7;
    std::string text;
    bool unlisted = false;
    const auto line = [&](const std::string& label, const RefusedRanks& ranks) {
        const WiderOrDeeper told = wider_or_deeper(ranks);
        if (told.kind == WiderOrDeeper::Kind::not_told) {
            unlisted = true;
            return;
        }
        std::array<int, 4> told_ranks{}; // 1 and 2, 3, 4 to the last one listed, further down
        for (const RefusedRanks::Place& place : ranks.places)
            for (std::size_t r = 0; r < place.ranks.size(); ++r)
                told_ranks[r < 2 ? 0 : r == 2 ? 1 : r < RefusedRanks::kListed ? 2 : 3] += place.ranks[r];
        const int refused = ranks.refused();
        text += "  " + pad(label, look.name) + pad_left(std::to_string(refused), 8);
        for (const int count : told_ranks) text += pad_left(refused > 0 ? probability(static_cast<double>(count) / refused) : "–", kCell);
        const std::string verdict = told.kind == WiderOrDeeper::Kind::alike ? "not told apart" : name_of(told.kind);
        text += pad_left("+" + number(told.wider, 2), 9) + pad(told.place > 0 ? " at " + std::to_string(told.place) : "", 6) +
                pad_left("+" + number(told.deeper, 2), 8) + "  " + verdict + "\n";
    };
    for (const Row& row : rows) {
        const RefusedRanks& ranks = row.totals.ranks;
        if (row.domain != "all" || !row.contestant->problem.empty()) continue;
        if (ranks.by.empty() && ranks.rounds >= WiderOrDeeper::kFewestRounds) line(row.contestant->label, ranks);
        const auto told = [](const RefusedRanks& one) {
            return one.rounds >= WiderOrDeeper::kFewestRounds && wider_or_deeper(one).kind != WiderOrDeeper::Kind::not_told;
        };
        if (std::ranges::any_of(ranks.by, told)) text += "  " + row.contestant->label + "\n";
        for (const RefusedRanks& one : ranks.by) // of two chained drafters
            if (told(one)) line("· " + one.drafter, one);
    }
    if (text.empty()) return text;
    std::string head =
        "  wider or deeper: the rank, in the draft's list, of the token that came instead of a guess; tokens a round by one guess\n"
        "  more, beside one (at the place where it brings most) or behind the last\n  " +
        pad("", look.name) + pad_left("refused", 8);
    for (const char* name : {"to 2nd", "3rd", "to 8th", "below"}) head += pad_left(name, kCell);
    head += pad_left("wider", 9) + pad("", 6) + pad_left("deeper", 8);
    return "\n" + look.terminal.paint(Tone::muted, head) + "\n" + text + (unlisted ? "  who is not here drafts without a list\n" : "");
}

std::string spoken_table(const std::vector<Row>& rows, const TableLook& look) {
    constexpr int kCell = 14;
    std::string text;
    for (const Row& row : rows) {
        if (row.domain != "all" || !row.contestant->problem.empty() || row.totals.ranks.by.empty()) continue;
        text += "  " + row.contestant->label + "\n";
        for (const RefusedRanks& one : row.totals.ranks.by)
            text += "  " + pad("· " + one.drafter, look.name) + cell(std::to_string(one.rounds), kCell) +
                    cell(std::to_string(one.kept) + "/" + std::to_string(one.drafted), kCell) +
                    cell(one.rounds > 0 ? number(static_cast<double>(one.kept) / one.rounds, 2) : "–", kCell) + "\n";
    }
    if (text.empty()) return text;
    return "\n" +
           look.terminal.paint(Tone::muted, "  who drafted in a round\n  " + pad("", look.name) + pad_left("rounds", kCell) +
                                                pad_left("kept/drafted", kCell) + pad_left("kept a round", kCell)) +
           "\n" + text;
}

std::string domain_table(const std::vector<Row>& rows, const std::vector<std::string>& domains, const std::vector<Contestant>& contestants,
                         const TableLook& look) {
    constexpr int kDomain = 13;
    const int cell_width = std::max(14, look.name + 1);
    std::vector<const Contestant*> shown;
    for (const Contestant& c : contestants)
        if (c.problem.empty() && c.name != kNoDrafter) shown.push_back(&c);
    // As many drafters side by side as fit.
    const std::size_t room = static_cast<std::size_t>(std::max(1, (look.terminal.width - 2 - kDomain) / cell_width));
    std::string text;
    for (std::size_t from = 0; from < shown.size(); from += room) {
        const std::size_t to = std::min(shown.size(), from + room);
        std::string head = "  " + pad("by domain", kDomain);
        for (std::size_t i = from; i < to; ++i) head += pad_left(shown[i]->label, cell_width);
        if (from == 0) head += look.speed_up ? "   (tokens per round, speed-up)" : "   (tokens per round)";
        text += "\n" + look.terminal.paint(Tone::muted, head) + "\n";
        for (const std::string& domain : domains) {
            if (domain == "all") continue;
            text += "  " + pad(clip(domain, kDomain - 1), kDomain);
            for (std::size_t i = from; i < to; ++i)
                for (const Row& row : rows)
                    if (row.domain == domain && row.contestant == shown[i])
                        text += cell(number(row.totals.tokens_per_round(), 2) + (look.speed_up ? "  " + speed_of(row) : ""), cell_width);
            text += "\n";
        }
    }
    return text;
}

} // namespace speclens::cli
