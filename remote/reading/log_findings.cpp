// What the entries of a log tell together: their sum, and what stands out in it.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "engine/base/printed.h"
#include "remote/reading/log_reading.h"

namespace speclens {
namespace {

struct Sums {
    std::optional<SpecCounts> parts, whole;
    [[nodiscard]] bool whole_holds_parts() const {
        return whole && (!parts || (whole->drafted >= parts->drafted && whole->accepted >= parts->accepted));
    }
};

Sums sums_of(const std::vector<LogEntry>& entries) {
    Sums out;
    bool texts = true;
    std::map<std::pair<std::string, std::string>, SpecCounts> last; // by writer and method
    const auto add = [](std::optional<SpecCounts>& to, const SpecCounts& counts) { to = to ? *to + counts : counts; };
    for (const LogEntry& e : entries) {
        if (!e.counts) continue;
        if (!e.whole()) {
            add(out.parts, *e.counts);
            texts = texts && e.counts->text; // of a text in part nothing follows
            continue;
        }
        const auto [at, fresh] = last.try_emplace({e.writer, e.method}, *e.counts);
        if (fresh) continue;
        if (e.counts->drafted < at->second.drafted) add(out.whole, at->second); // the server began anew
        at->second = *e.counts;
    }
    for (const auto& [key, counts] : last) add(out.whole, counts);
    if (out.parts && !texts) out.parts->text.reset();
    return out;
}

} // namespace

SpecCounts LogReading::sum() const {
    const Sums sums = sums_of(entries);
    if (!sums.whole_holds_parts()) return sums.parts.value_or(SpecCounts());
    // Of the same tokens, whichever tells more.
    const bool same = sums.parts && sums.parts->drafted == sums.whole->drafted && sums.parts->accepted == sums.whole->accepted;
    const bool counted = same && sums.parts->rounds && (!sums.parts->worked_out || !sums.whole->rounds);
    SpecCounts out = counted ? *sums.parts : *sums.whole;
    if (same && !out.text) out.text = sums.parts->text; // statistics count no tokens of the text
    return out;
}

bool LogReading::sum_is_whole() const { return sums_of(entries).whole_holds_parts(); }

namespace {

// Of two requests the one of the lower rate may have needed fewer passes: what a threshold of confidence leaves out
// raises the rate, and its passes write one token each.
std::string rate_against_passes(const std::vector<LogEntry>& entries) {
    constexpr double kMore = 1.01, kRates = 0.02;
    const auto per_pass = [](const LogEntry& e) -> double {
        if (!e.counts || !e.rate || e.whole()) return 0;
        const auto quotient = text_shares(*e.counts).per_pass;
        return quotient ? quotient->high : 0;
    };
    const LogEntry *best = nullptr, *fewest = nullptr;
    for (const LogEntry& a : entries)
        if (per_pass(a) > 1 && (!fewest || *a.rate > *fewest->rate)) fewest = &a; // of the highest rate
    if (!fewest) return {};
    for (const LogEntry& a : entries)
        if (per_pass(a) > 1 && *a.rate < *fewest->rate - kRates && per_pass(a) > kMore * per_pass(*fewest) &&
            (!best || per_pass(a) > per_pass(*best)))
            best = &a;
    if (!best) return {};
    return printed("the rate ranks nothing here: %.0f %% kept is at most %.2f tokens a pass (line %d), %.0f %% is %.2f (line %d)",
                   100 * *fewest->rate, per_pass(*fewest), fewest->line, 100 * *best->rate, per_pass(*best), best->line);
}

} // namespace

std::vector<Said> log_findings(const LogReading& log) {
    std::vector<Said> out;
    int averages = 0, alone = 0, requests = 0, repeats = 0;
    std::map<std::tuple<double, double, double>, int> seen;
    for (const LogEntry& e : log.entries) {
        if (!e.counts && e.length) {
            ++averages;
            alone += *e.length <= 1;
        }
        if (e.span == LogEntry::Span::request && e.counts && e.counts->drafted > 0) {
            ++requests;
            repeats = std::max(repeats, ++seen[{e.counts->rounds.value_or(-1), e.counts->drafted, e.counts->accepted}]);
        }
    }
    if (averages > 0 && alone == averages)
        out.push_back(
            nothing_accepted(as_it_is("nothing is accepted: " + std::to_string(averages) + (averages == 1 ? " line says" : " lines say") +
                                      " an acceptance length of 1.00, the target's own token alone")));
    if (log.drift)
        if (Said words = log.drift->words(); !words.empty()) out.push_back(std::move(words));
    if (std::string words = rate_against_passes(log.entries); !words.empty()) out.push_back(as_it_is(std::move(words)));
    constexpr int kSuspicious = 3;
    if (repeats >= kSuspicious)
        out.push_back(as_it_is(std::to_string(repeats) + " of " + std::to_string(requests) +
                               " requests have the same counts: one prompt repeated? Only the first counts, the others ran on "
                               "warm caches (of the prompt, and of n-grams that hold the answer)"));
    return out;
}

ServerKind LogReading::kind() const {
    if (entries.empty()) return diffusion ? ServerKind::vllm : ServerKind::unknown;
    return entries.front().kind;
}

} // namespace speclens
