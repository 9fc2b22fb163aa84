#include "remote/reading/log_reading.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "kernels/error.h"
#include "remote/reading/told_number.h"

namespace speclens {
namespace {

// The number that follows `key` (spaces, quotes, ':' and '=' in between); absent where there is none that can
// be.
std::optional<double> after(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return {};
    std::string_view rest = line.substr(at + key.size());
    const std::size_t begin = rest.find_first_not_of(" :=(\t'\"");
    if (begin == std::string_view::npos) return {};
    rest.remove_prefix(begin);
    double value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return read.ec == std::errc() ? told_count(value) : std::nullopt;
}

// "0.983, 0.949, 0.915" after `key`, up to the first thing that is no number. Without one of its places the
// list would be of others: then none.
std::vector<double> list_after(std::string_view line, std::string_view key) {
    std::vector<double> out;
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return out;
    std::string_view rest = line.substr(at + key.size());
    while (out.size() < 256) {
        const std::size_t begin = rest.find_first_not_of(" :=(,\t");
        if (begin == std::string_view::npos) break;
        rest.remove_prefix(begin);
        double value = 0;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (read.ec != std::errc()) break;
        const auto told = told_count(value);
        if (!told) return {};
        out.push_back(*told);
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        if (rest.empty() || rest.front() != ',') break;
    }
    return out;
}

// How far the quotients of a line may be off, since they are printed with two and three decimals.
constexpr double kLengthOff = 0.005, kShareOff = 0.0005;

struct Rounds {
    double count, off; // off: how far the truth may be
};
// As the header says.
std::optional<Rounds> rounds_that_fit(double accepted, double drafted, std::optional<double> length,
                                      const std::vector<double>& per_position) {
    constexpr double kMostOff = 0.01, kTiny = 1e-9;
    if (!length && per_position.empty()) return {};
    double low = 0, high = std::numeric_limits<double>::infinity();
    const auto narrow = [&](double kept, double off) { // accepted ÷ rounds, as printed
        low = std::max(low, accepted / (kept + off));
        if (kept > off) high = std::min(high, accepted / (kept - off));
    };
    if (length) narrow(*length - 1, kLengthOff);
    const auto places = static_cast<double>(per_position.size());
    if (places > 0) {
        narrow(std::accumulate(per_position.begin(), per_position.end(), 0.0), places * kShareOff);
        low = std::max(low, drafted / places);
    }
    low = std::max(0.0, std::ceil(low - kTiny)); // and no negative zero
    high = std::floor(high + kTiny);
    if (!(low <= high)) return {};
    if (places > 0 && low * places == drafted) return Rounds{low, 0};
    const double middle = length && *length > 1 ? std::round(accepted / (*length - 1)) : low,
                 count = std::clamp(middle, low, high), off = std::max(count - low, high - count);
    return off <= kMostOff * count ? std::optional(Rounds{count, off}) : std::nullopt;
}

std::string figure(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

// What cannot be is not told, and said.
void leave_out(LogEntry& e, const std::string& words) {
    e.left_out += (e.left_out.empty() ? "" : ", ") + words;
}

std::optional<double> share_of(LogEntry& e, std::optional<double> told) {
    if (!told) return {};
    const auto share = told_share(*told);
    if (!share) leave_out(e, figure(100 * *told) + " % accepted");
    return share;
}

std::optional<double> length_of(LogEntry& e, std::optional<double> told) {
    if (!told) return {};
    const auto length = told_length(*told);
    if (!length) leave_out(e, "an acceptance length of " + figure(*told));
    return length;
}

std::vector<double> places_of(LogEntry& e, std::vector<double> told) {
    for (const double share : told)
        if (!told_share(share)) {
            leave_out(e, "a place kept in " + figure(100 * share) + " % of the rounds");
            return {};
        }
    return told;
}

// Counts from what a line says, once its length and places are read.
std::optional<SpecCounts> counts_of(LogEntry& e, std::optional<double> accepted,
                                    std::optional<double> drafted, std::optional<double> told_rounds = {}) {
    if (!accepted || !drafted) return {};
    if (*accepted > *drafted) {
        leave_out(e, figure(*accepted) + " accepted of " + figure(*drafted) + " drafted");
        return {};
    }
    SpecCounts out{{}, *drafted, *accepted, {}};
    const auto rounds = told_rounds     ? std::optional(Rounds{*told_rounds, 0})
                        : *drafted == 0 ? std::optional(Rounds{0, 0}) // none of them had a draft
                                        : rounds_that_fit(*accepted, *drafted, e.length, e.per_position);
    if (rounds) {
        out.rounds = rounds->count;
        for (const double share : e.per_position)
            out.accepted_at.push_back(std::round(share * rounds->count));
        if (!e.per_position.empty())
            out.places_off =
                std::floor(0.5 + kShareOff * rounds->count + e.per_position.front() * rounds->off);
    } else if (*accepted == 0) {
        out.accepted_at.assign(e.per_position.size(), 0);
    }
    return out;
}

std::optional<LogEntry> vllm_entry(std::string_view line) {
    if (line.find("SpecDecoding metrics:") == std::string_view::npos) return {};
    LogEntry e;
    e.kind = ServerKind::vllm;
    e.length = length_of(e, after(line, "Mean acceptance length"));
    if (const auto percent = after(line, "raft acceptance rate")) e.rate = share_of(e, *percent / 100);
    e.per_position = places_of(e, list_after(line, "Per-position acceptance rate"));
    e.counts = counts_of(e, after(line, "Accepted:"), after(line, "Drafted:"));
    return e;
}

std::optional<LogEntry> sglang_entry(std::string_view line) {
    if (line.find("Decode batch") == std::string_view::npos ||
        line.find("accept len") == std::string_view::npos)
        return {};
    LogEntry e;
    e.kind = ServerKind::sglang;
    if (const auto length = after(line, "accept len"); length != 0.0) { // 0: a rank without requests
        e.length = length_of(e, length);
        e.told_rate = share_of(e, after(line, "accept rate"));
    }
    e.tokens_per_second = after(line, "gen throughput (token/s)");
    e.running = after(line, "#running-req");
    e.waiting = after(line, "#queue-req");
    return e;
}

// K where a line shows the settings SGLang was started with.
std::optional<double> sglang_drafts(std::string_view line) {
    return drafts_of_settings(after(line, "speculative_num_draft_tokens"),
                              after(line, "speculative_num_steps"));
}

// What the rates of all lines together mean, and with it the rate of each.
ToldRates settle_rates(std::vector<LogEntry>& entries, std::optional<double> drafts) {
    constexpr double kRounding = 0.005; // SGLang prints two decimals
    std::vector<ToldAverage> averages;
    for (const LogEntry& e : entries)
        if (e.length && e.told_rate) averages.push_back({*e.length, *e.told_rate});
    const ToldRates told = read_told_rates(averages, drafts, kRounding);
    for (LogEntry& e : entries)
        if (e.kind == ServerKind::sglang) e.rate = told.share(e.length, e.told_rate);
    return told;
}

std::optional<LogEntry> llama_request(std::string_view line) {
    // Older builds: "draft acceptance rate = 0.57576 (  171 accepted /   297 generated)"
    const std::size_t at = line.find("draft acceptance");
    if (at == std::string_view::npos || line.find("accepted /", at) == std::string_view::npos) return {};
    LogEntry e;
    e.kind = ServerKind::llamacpp;
    e.rate = share_of(e, after(line, line.find("acceptance rate =", at) != std::string_view::npos
                                         ? "draft acceptance rate"
                                         : "draft acceptance"));
    e.length = length_of(e, after(line, "mean acceptance length"));
    e.per_position = places_of(e, list_after(line, "acceptance rate per position"));
    const std::size_t open = line.find('(', at);
    if (open == std::string_view::npos) return {};
    e.counts = counts_of(e, after(line.substr(open), ""), after(line, "accepted /"));
    return e;
}

std::optional<LogEntry> llama_statistics(std::string_view line) {
    const std::size_t at = line.find("statistics ");
    if (at == std::string_view::npos || line.find("#gen tokens", at) == std::string_view::npos) return {};
    LogEntry e;
    e.kind = ServerKind::llamacpp;
    e.whole = true;
    std::string_view name = line.substr(at + 11);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    e.method = name.substr(0, name.find(':'));
    e.length = length_of(e, after(line, "#mean acc len"));
    e.per_position = places_of(e, list_after(line, "#acc rate/pos"));
    e.counts =
        counts_of(e, after(line, "#acc tokens"), after(line, "#gen tokens"), after(line, "#gen drafts"));
    if (e.counts && e.counts->drafted > 0) e.rate = e.counts->accepted / e.counts->drafted;
    if (e.counts && !e.length) e.length = acceptance_length(*e.counts);
    return e;
}

} // namespace

SpecCounts LogReading::sum() const {
    std::optional<SpecCounts> parts, whole;
    for (const LogEntry& e : entries)
        if (e.counts && e.whole)
            whole = e.counts;
        else if (e.counts)
            parts = parts.value_or(SpecCounts()) + *e.counts;
    const bool same =
        parts && whole && parts->drafted == whole->drafted && parts->accepted == whole->accepted;
    if (same && !parts->rounds) return *whole;
    return parts ? *parts : whole.value_or(SpecCounts());
}

ServerKind LogReading::kind() const {
    return entries.empty() ? ServerKind::unknown : entries.front().kind;
}

LogReading parse_log(std::string_view text, const std::string& source) {
    LogReading out;
    std::optional<double> drafts;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        ++out.lines;
        if (const auto k = sglang_drafts(line)) drafts = k;
        for (const auto read : {vllm_entry, sglang_entry, llama_request, llama_statistics})
            if (std::optional<LogEntry> entry = read(line)) {
                entry->line = out.lines;
                out.entries.push_back(std::move(*entry));
                break;
            }
    }
    if (out.entries.empty())
        throw Error(
            source + (out.lines == 1
                          ? ": its one line does not speak of acceptance"
                          : ": none of its " + std::to_string(out.lines) + " lines speaks of acceptance"),
            "Lines of vLLM (SpecDecoding metrics:), SGLang (Decode batch … accept len) and llama.cpp (draft "
            "acceptance = …, statistics …) are understood.");
    out.told = settle_rates(out.entries, drafts);
    return out;
}

} // namespace speclens
