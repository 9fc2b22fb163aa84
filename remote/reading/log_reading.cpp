#include "remote/reading/log_reading.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/base/read_number.h"
#include "kernels/error.h"
#include "remote/reading/log_line.h"
#include "remote/reading/reported_number.h"

namespace speclens {
namespace log_lines { // named, since LogReader::State holds them

// A printed number, and how far the truth may be from it.
struct Printed {
    double value = 0, off = 0;
};

// The number that follows `key` (spaces, quotes, ':' and '=' in between); absent where there is none that can
// be. With `end`, only where that follows at once: a number at the end of a cut line has lost digits.
std::optional<Printed> printed_after(std::string_view line, std::string_view key, std::string_view end = "") {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return {};
    std::string_view rest = line.substr(at + key.size());
    const std::size_t begin = rest.find_first_not_of(" :=(\t'\"");
    if (begin == std::string_view::npos) return {};
    rest.remove_prefix(begin);
    double value = 0;
    const auto read = read_number(rest.data(), rest.data() + rest.size(), value);
    if (read.ec != std::errc() || !reported_count(value)) return {};
    const std::string_view digits = rest.substr(0, static_cast<std::size_t>(read.ptr - rest.data()));
    if (!rest.substr(digits.size()).starts_with(end)) return {};
    const std::size_t point = digits.find('.');
    const auto decimals = point == std::string_view::npos ? 0 : static_cast<double>(digits.size() - point - 1);
    return Printed{value + 0.0, 0.5 * std::pow(10, -decimals)};
}

std::optional<double> after(std::string_view line, std::string_view key, std::string_view end = "") {
    const auto reported = printed_after(line, key, end);
    return reported ? std::optional(reported->value) : std::nullopt;
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
        const auto read = read_number(rest.data(), rest.data() + rest.size(), value);
        if (read.ec != std::errc()) break;
        const auto reported = reported_count(value);
        if (!reported) return {};
        out.push_back(*reported);
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        if (rest.empty() || rest.front() != ',') break;
    }
    return out;
}

constexpr double kShareOff = 0.0005, kTiny = 1e-9; // shares of places have three decimals

std::string figure(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

// What one entry is made of, until no line adds to it.
struct Open {
    LogEntry entry;
    std::optional<double> accepted, drafted, rounds;
    std::optional<Printed> length, rate;
    std::vector<double> places;
    // What cannot be is not reported, and said.
    void leave_out(const std::string& words) { entry.left_out += (entry.left_out.empty() ? "" : ", ") + words; }
    void settle();

  private:
    void settle_figures();
    void settle_counts();
    void settle_places(double off);
};

struct Rounds {
    double count, off; // off: how far the truth may be
};
struct RoundRange {
    double low = 0, high = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool any() const { return low <= high; }
};

// As the header says.
RoundRange rounds_allowed(double accepted, double drafted, std::optional<Printed> length, const std::vector<double>& places) {
    RoundRange range;
    const auto narrow = [&](double kept, double off) { // accepted ÷ rounds, as printed
        if (kept + off > 0) range.low = std::max(range.low, accepted / (kept + off));
        if (kept > off) range.high = std::min(range.high, accepted / (kept - off));
    };
    if (length) narrow(length->value - 1, length->off);
    const auto n = static_cast<double>(places.size());
    if (n > 0) {
        narrow(std::accumulate(places.begin(), places.end(), 0.0), n * kShareOff);
        range.low = std::max(range.low, drafted / n);
    }
    range.low = std::max(0.0, std::ceil(range.low - kTiny * std::max(1.0, range.low))); // and no negative zero
    range.high = std::floor(range.high + kTiny * std::max(1.0, range.high));
    return range;
}

std::optional<Rounds> rounds_in(const RoundRange& range, double accepted, double drafted, std::optional<Printed> length,
                                std::size_t full) { // full: places that every round may draft
    constexpr double kMostOff = 0.01;
    if (full > 0 && range.low * static_cast<double>(full) == drafted) return Rounds{range.low, 0};
    if (!std::isfinite(range.high)) return {};
    const double middle = length && length->value > 1 ? std::round(accepted / (length->value - 1)) : range.low,
                 count = std::clamp(middle, range.low, range.high), off = std::max(count - range.low, range.high - count);
    return off <= kMostOff * count ? std::optional(Rounds{count, off}) : std::nullopt;
}

void Open::settle_figures() {
    LogEntry& e = entry;
    // Servers print two decimals. With fewer the line may be cut there, which is no rounding.
    constexpr double kTwoDecimals = 0.0051, kOneDecimal = 0.051;
    if (length && length->off > kOneDecimal) length.reset();
    if (length && length->off > kTwoDecimals) length->off *= 2;
    if (rate && !reported_share(rate->value)) {
        leave_out(figure(100 * rate->value) + " % accepted");
        rate.reset();
    }
    if (length && !reported_length(length->value)) {
        leave_out("an acceptance length of " + figure(length->value));
        length.reset();
    }
    for (const double share : places)
        if (!reported_share(share)) {
            leave_out("a place kept in " + figure(100 * share) + " % of the rounds");
            places.clear();
            break;
        }
    for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i] > places[i - 1]) {
            leave_out("place " + std::to_string(i + 1) + " kept more often (" + figure(places[i]) + ") than place " + std::to_string(i) +
                      " (" + figure(places[i - 1]) + ")");
            places.clear();
            break;
        }
    const auto k = static_cast<double>(places.size());
    if (length && k > 0 && length->value > k + 1 + length->off) {
        leave_out("an acceptance length of " + figure(length->value) + " with " + std::to_string(places.size()) + " places");
        length.reset();
        places.clear();
    }
    if (length && k > 0) {
        const double sum = std::accumulate(places.begin(), places.end(), 0.0);
        if (std::abs(sum - (length->value - 1)) > length->off + k * kShareOff + kTiny) {
            leave_out("places that add up to " + figure(sum) + " beside an acceptance length of " + figure(length->value));
            length.reset();
            places.clear();
        }
    }
    if (length) e.length = length->value;
    if (rate) e.rate = rate->value;
}

void Open::settle_places(double off) {
    SpecCounts& c = *entry.counts;
    for (const double share : places) c.accepted_at.push_back(std::round(share * *c.rounds));
    if (!places.empty()) c.places_off = std::floor(0.5 + kShareOff * *c.rounds + places.front() * off);
}

void Open::settle_counts() {
    LogEntry& e = entry;
    if (!accepted || !drafted) return;
    if (*accepted > *drafted) {
        leave_out(figure(*accepted) + " accepted of " + figure(*drafted) + " drafted");
        return;
    }
    if (rate && *drafted > 0 && std::abs(*accepted / *drafted - rate->value) > rate->off + 1e-6) {
        leave_out(figure(*accepted) + " accepted of " + figure(*drafted) + " drafted beside a rate of " + figure(rate->value));
        e.rate.reset();
        e.length.reset();
        return;
    }
    e.counts = SpecCounts{{}, *drafted, *accepted, {}};
    if (rounds) {
        e.counts->rounds = rounds;
        const bool fits = *rounds > 0 ? *drafted >= *rounds : *drafted == 0;
        const auto own = acceptance_length(*e.counts);
        if (!fits || (length && own && std::abs(*own - length->value) > length->off + 1e-6)) {
            leave_out(figure(*accepted) + " accepted in " + figure(*rounds) + " rounds" +
                      (fits ? " beside an acceptance length of " + figure(length->value) : ", " + figure(*drafted) + " drafted"));
            e.length.reset();
            e.counts->rounds.reset();
            return;
        }
        if (!e.length) e.length = own;
        settle_places(0);
        return;
    }
    if (*drafted == 0) { // none of them had a draft
        e.counts->rounds = 0;
        e.counts->accepted_at.assign(places.size(), 0);
        return;
    }
    if (*accepted == 0) e.counts->accepted_at.assign(places.size(), 0);
    if (!length && places.empty()) return;
    const RoundRange range = rounds_allowed(*accepted, *drafted, length, places);
    if (!range.any() || (*accepted == 0 && length && length->value > 1 + length->off)) {
        std::string why = figure(*accepted) + " accepted of " + figure(*drafted) + " drafted, which no number of rounds makes";
        if (length) why += " an acceptance length of " + figure(length->value);
        if (!places.empty()) why += (length ? " with " : " ") + std::to_string(places.size()) + " places";
        leave_out(why);
        e.length.reset();
        places.clear();
        e.counts->accepted_at.clear();
        return;
    }
    // llama-server drafts fewer towards the limit of a text: there drafted ÷ K is no count of rounds.
    const std::size_t full = e.kind == ServerKind::vllm ? places.size() : 0;
    if (const auto reported = rounds_in(range, *accepted, *drafted, length, full)) {
        e.counts->accepted_at.clear();
        e.counts->rounds = reported->count;
        e.counts->worked_out = true;
        settle_places(reported->off);
    }
}

void Open::settle() {
    if (entry.listed) return;
    settle_figures();
    settle_counts();
    entry.per_position = places;
    if (entry.counts && !entry.length) entry.length = entry.left_out.empty() ? acceptance_length(*entry.counts) : std::nullopt;
    if (entry.counts && entry.counts->drafted > 0 && !entry.rate && entry.kind == ServerKind::llamacpp)
        entry.rate = entry.counts->accepted / entry.counts->drafted;
}

std::optional<Open> vllm_entry(std::string_view line) {
    if (line.find("SpecDecoding metrics:") == std::string_view::npos) return {};
    Open o;
    o.entry.kind = ServerKind::vllm;
    o.length = printed_after(line, "Mean acceptance length");
    if (const auto percent = printed_after(line, "raft acceptance rate")) o.rate = Printed{percent->value / 100, percent->off / 100};
    o.places = list_after(line, "Per-position acceptance rate");
    o.accepted = after(line, "Accepted:", " tok");
    o.drafted = after(line, "Drafted:", " tok");
    return o;
}

// Up to 0.8, since the start: what its rounds emitted tells the rounds' length, "accepted" does not.
std::optional<Open> vllm_v0_entry(std::string_view line) {
    if (line.find("Speculative metrics:") == std::string_view::npos) return {};
    Open o;
    o.entry.kind = ServerKind::vllm;
    o.entry.span = LogEntry::Span::start;
    const auto k = after(line, "Number of speculative tokens"), accepted = after(line, "Number of accepted tokens"),
               drafted = after(line, "Number of draft tokens"), emitted = after(line, "Number of emitted tokens");
    const auto efficiency = printed_after(line, "System efficiency");
    if (!accepted || !drafted || !emitted) return {};
    o.rate = printed_after(line, "Draft acceptance rate");
    const V0Counts reported = read_v0_counts(
        {*drafted, *accepted, *emitted, k, efficiency ? std::optional(efficiency->value) : std::nullopt, efficiency ? efficiency->off : 0});
    if (!reported.wrong.empty()) o.leave_out(reported.wrong);
    o.entry.reported_accepted = *accepted;
    o.entry.counts = reported.counts;
    if (reported.counts) o.entry.length = acceptance_length(*reported.counts);
    o.entry.reported_rate = o.rate && reported_share(o.rate->value) ? std::optional(o.rate->value) : std::nullopt;
    if (reported.counts && reported.counts->drafted > 0) o.entry.rate = reported.counts->accepted / reported.counts->drafted;
    o.rate.reset();
    return o;
}

std::optional<Open> sglang_entry(std::string_view line) {
    if (line.find("Decode batch") == std::string_view::npos || line.find("accept len") == std::string_view::npos) return {};
    Open o;
    LogEntry& e = o.entry;
    e.kind = ServerKind::sglang;
    if (const auto length = printed_after(line, "accept len"); length && length->value != 0) { // 0: a rank without requests
        o.length = length;
        if (const auto rate = after(line, "accept rate")) {
            e.reported_rate = reported_share(*rate);
            if (!e.reported_rate) o.leave_out(figure(100 * *rate) + " % accepted");
        }
    }
    e.tokens_per_second = after(line, "gen throughput (token/s)");
    e.running = after(line, "#running-req");
    e.waiting = after(line, "#queue-req");
    return o;
}

// K where a line shows the settings SGLang was started with.
std::optional<double> sglang_drafts(std::string_view line) {
    return drafts_of_settings(after(line, "speculative_num_draft_tokens"), after(line, "speculative_num_steps"));
}

// What the rates of all lines together mean, and with it the rate of each.
ReportedRates settle_rates(std::vector<LogEntry>& entries, std::optional<double> drafts) {
    constexpr double kRounding = 0.005; // SGLang prints two decimals
    std::vector<ReportedAverage> averages;
    for (const LogEntry& e : entries)
        if (e.kind == ServerKind::sglang && e.length && e.reported_rate) averages.push_back({*e.length, *e.reported_rate});
    const ReportedRates reported = read_reported_rates(averages, drafts, kRounding);
    for (LogEntry& e : entries)
        if (e.kind == ServerKind::sglang) e.rate = reported.share(e.length, e.reported_rate);
    return reported;
}

// "id  1 | task 21": slot and task of llama-server.
std::string task_of(std::string_view line) {
    const std::size_t at = line.find("id ");
    if (at == std::string_view::npos) return {};
    const auto slot = after(line.substr(at), "id "), task = after(line.substr(at), "| task ");
    if (!slot || !task) return {};
    return "slot " + figure(*slot) + ", task " + figure(*task);
}

// Its words for length and places have changed: "mean acceptance length" and "acceptance rate per position",
// then "mean len" and "acc per pos"; on the line of the counts, or on lines of their own.
std::optional<Printed> llama_length(std::string_view line) {
    for (const char* key : {"mean acceptance length", "mean len"})
        if (const auto length = printed_after(line, key)) return length;
    return {};
}
std::vector<double> llama_places(std::string_view line) {
    for (const char* key : {"acceptance rate per position", "acc per pos"})
        if (auto places = list_after(line, key); !places.empty()) return places;
    return {};
}

std::optional<Open> llama_request(std::string_view line) {
    // Older builds: "draft acceptance rate = 0.57576 (  171 accepted /   297 generated)"
    const std::size_t at = line.find("draft acceptance");
    if (at == std::string_view::npos || line.find("accepted /", at) == std::string_view::npos) return {};
    Open o;
    o.entry.kind = ServerKind::llamacpp;
    o.entry.span = LogEntry::Span::request;
    o.entry.task = task_of(line);
    o.rate =
        printed_after(line, line.find("acceptance rate =", at) != std::string_view::npos ? "draft acceptance rate" : "draft acceptance");
    const std::size_t open = line.find('(', at);
    if (open == std::string_view::npos) return {};
    o.accepted = after(line.substr(open), "", " accepted");
    o.drafted = after(line, "accepted /", " gen");
    const std::string_view rest = line.substr(open);
    o.length = llama_length(rest);
    o.places = llama_places(rest);
    return o;
}

std::optional<Open> llama_statistics(std::string_view line) {
    const std::size_t at = line.find("statistics ");
    if (at == std::string_view::npos || line.find("#gen tokens", at) == std::string_view::npos) return {};
    Open o;
    o.entry.kind = ServerKind::llamacpp;
    o.entry.span = LogEntry::Span::start;
    std::string_view name = line.substr(at + 11);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    o.entry.method = name.substr(0, name.find(':'));
    o.length = printed_after(line, "#mean acc len");
    o.places = list_after(line, "#acc rate/pos");
    o.accepted = after(line, "#acc tokens");
    o.drafted = after(line, "#gen tokens");
    o.rounds = after(line, "#gen drafts");
    if (o.rounds == 0.0) { // it was asked, and proposed nothing: no round to average over
        o.length.reset();
        o.places.clear();
    }
    return o;
}

struct OneRound {
    double drafted, accepted;
};
// "accepted  2/ 3 draft tokens", at trace level; older builds: "accepted 2/3 draft tokens, new n_tokens = 71"
std::optional<OneRound> llama_round(std::string_view line) {
    const std::size_t at = line.find("accepted ");
    if (at == std::string_view::npos || line.find("draft tokens", at) == std::string_view::npos) return {};
    const std::string_view rest = line.substr(at);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return {};
    const auto accepted = after(rest, "accepted ", "/"), drafted = after(rest.substr(slash + 1), "", " draft");
    if (!accepted || !drafted || *drafted > kMostServedDrafts) return {};
    return OneRound{*drafted, *accepted};
}

// "adaptive draft depth seq 0: 7 -> 6 (n_draft=7, n_accepted=4, …)"
struct DepthLine {
    double seq, from, to;
    OneRound round;
};
std::optional<DepthLine> llama_depth(std::string_view line) {
    const auto seq = after(line, "adaptive draft depth seq", ":");
    if (!seq) return {};
    const std::string_view rest = line.substr(line.find("adaptive draft depth seq"));
    const auto from = after(rest.substr(rest.find(':')), ""), to = after(rest, "->"), drafted = after(rest, "n_draft=", ","),
               accepted = after(rest, "n_accepted=", ",");
    if (!from || !to || !drafted || !accepted || *drafted > kMostServedDrafts || *from > kMostServedDrafts || *to > kMostServedDrafts)
        return {};
    return DepthLine{*seq, *from, *to, {*drafted, *accepted}};
}

// "n_accept  = 313" of llama.cpp's examples, where nothing but a prefix stands before the name.
std::optional<double> example_figure(std::string_view line, std::string_view name) {
    const std::size_t at = line.find(name);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t')) return {};
    std::string_view rest = line.substr(at + name.size());
    const std::size_t equals = rest.find_first_not_of(' ');
    if (equals == std::string_view::npos || rest[equals] != '=') return {};
    return after(rest.substr(equals), "=");
}

} // namespace log_lines

using namespace log_lines;

struct LogReader::State {
    LogReading out;
    std::function<void(const LogEntry&)> reported;
    std::string pending; // a line without its end
    std::optional<double> sglang_k;
    std::optional<Open> last; // a request that lines of its own may complete
    // Rounds of requests that have not ended, by writer and task; adaptive ones by their sequence.
    std::map<std::string, Open> running, adaptive;
    bool rounds_listed = false; // then lines of adaptive depth tell the same rounds again
    struct Example {
        std::optional<double> k, predicted, drafted, accepted;
        int line = 0;
    } example;

    void settle(Open open) {
        open.settle();
        out.entries.push_back(std::move(open.entry));
        if (reported) reported(out.entries.back());
    }
    void settle_last() {
        if (!last) return;
        Open open = std::move(*last);
        last.reset();
        settle(std::move(open));
    }
    static void add_round(Open& open, const OneRound& round) {
        LogEntry& e = open.entry;
        e.listed = true;
        SpecCounts& c = *(e.counts ? e.counts : (e.counts = SpecCounts()));
        if (round.accepted > round.drafted) {
            if (e.left_out.empty())
                open.leave_out("a round with " + figure(round.accepted) + " accepted of " + figure(round.drafted) + " drafted");
            return;
        }
        if (round.drafted == 0) return; // a pass without a draft
        c.rounds = *c.rounds + 1;
        c.drafted += round.drafted;
        c.accepted += round.accepted;
        const auto places = static_cast<std::size_t>(round.drafted), kept = static_cast<std::size_t>(round.accepted);
        if (c.accepted_at.size() < places) {
            c.accepted_at.resize(places, 0);
            c.judged_at.resize(places, 0);
        }
        for (std::size_t i = 0; i < kept; ++i) c.accepted_at[i] += 1;
        for (std::size_t i = 0; i < std::min(kept + 1, places); ++i) c.judged_at[i] += 1;
        e.length = acceptance_length(c);
        e.rate = c.drafted > 0 ? std::optional(c.accepted / c.drafted) : std::nullopt;
    }
    Open& rounds_of(std::map<std::string, Open>& where, const std::string& writer, const std::string& task) {
        const auto [at, fresh] = where.try_emplace(writer + "\n" + task);
        if (fresh) {
            LogEntry& e = at->second.entry;
            e.kind = ServerKind::llamacpp;
            e.span = LogEntry::Span::request;
            e.line = out.lines;
            e.writer = writer;
            e.task = task;
        }
        return at->second;
    }
    // The rounds that were listed for a request are its own, counted exactly, where they are all there.
    void absorb(Open& request) {
        const std::string slot = request.entry.task.substr(0, request.entry.task.find(','));
        const auto take = [&](std::map<std::string, Open>& where, const std::string& task) {
            const auto found = where.find(request.entry.writer + "\n" + task);
            if (found == where.end()) return;
            const LogEntry& rounds = found->second.entry;
            if (rounds.counts && request.accepted && request.drafted && rounds.counts->drafted == *request.drafted &&
                rounds.counts->accepted == *request.accepted && !request.entry.listed) {
                const int line = request.entry.line;
                std::vector<int> depths = rounds.depths;
                LogEntry whole = rounds;
                whole.task = request.entry.task;
                whole.line = line;
                whole.depths = std::move(depths);
                request.entry = std::move(whole);
            } else if (request.entry.depths.empty()) {
                request.entry.depths = rounds.depths;
            }
            where.erase(found);
        };
        take(running, request.entry.task);
        take(adaptive, slot);
    }
    bool take_example(std::string_view line) {
        const auto figure_of = [&](const char* name, std::optional<double>& into) {
            const auto value = example_figure(line, name);
            if (!value) return false;
            into = value;
            if (example.line == 0) example.line = out.lines;
            return true;
        };
        for (const auto& [name, into] : {std::pair{"n_draft", &example.k},
                                         {"n_predict", &example.predicted},
                                         {"n_drafted", &example.drafted},
                                         {"n_accept", &example.accepted}})
            if (figure_of(name, *into)) return true;
        const auto percent =
            example.drafted && example.accepted && example_figure(line, "accept") ? printed_after(line, "accept ") : std::nullopt;
        if (!percent) return false;
        Open o;
        o.entry.kind = ServerKind::llamacpp;
        o.entry.span = LogEntry::Span::request;
        o.entry.method = "example";
        o.entry.line = example.line;
        o.rate = Printed{percent->value / 100, percent->off / 100};
        o.accepted = example.accepted;
        o.drafted = example.drafted;
        if (example.predicted && *example.predicted >= *example.accepted) {
            o.rounds = *example.predicted - *example.accepted;
            if (example.k && *o.rounds * *example.k<*example.drafted&& * example.k> 0) {
                o.leave_out(figure(*example.drafted) + " drafted in " + figure(*o.rounds) + " rounds of " + figure(*example.k));
                o.rounds.reset();
            }
        }
        example = Example();
        settle(std::move(o));
        return true;
    }

    void message(std::string_view line, const std::string& writer) {
        if (const auto k = sglang_drafts(line)) sglang_k = k;
        if (const auto round = llama_round(line)) {
            rounds_listed = true;
            add_round(rounds_of(running, writer, task_of(line)), *round);
            return;
        }
        if (const auto depth = llama_depth(line)) {
            Open& open = rounds_of(adaptive, writer, "slot " + figure(depth->seq));
            if (open.entry.depths.empty()) open.entry.depths.push_back(static_cast<int>(depth->from));
            open.entry.depths.push_back(static_cast<int>(depth->to));
            add_round(open, depth->round);
            return;
        }
        for (const auto read : {vllm_entry, vllm_v0_entry, sglang_entry, llama_request, llama_statistics})
            if (std::optional<Open> open = read(line)) {
                open->entry.line = out.lines;
                open->entry.writer = writer;
                settle_last();
                const bool request = read == llama_request;
                if (request) absorb(*open);
                if (request && (!open->length || open->places.empty()) && !open->entry.listed)
                    last = std::move(open);
                else
                    settle(std::move(*open));
                return;
            }
        if (complete_last(line, writer) || take_example(line)) return;
    }
    // "mean acceptance length = 1.83" and its like, of the request before.
    bool complete_last(std::string_view line, const std::string& writer) {
        if (!last || last->entry.writer != writer) return false;
        const std::string task = task_of(line);
        if (!task.empty() && task != last->entry.task) return false;
        const auto length = last->length ? std::nullopt : llama_length(line);
        const auto places = last->places.empty() ? llama_places(line) : std::vector<double>();
        if (!length && places.empty()) return false;
        if (length) last->length = length;
        if (!places.empty()) last->places = places;
        if (last->length && !last->places.empty()) settle_last();
        return true;
    }
    void line(std::string_view raw) {
        ++out.lines;
        std::string writer;
        bool first = true;
        each_message(raw, [&](std::string_view text) {
            if (std::exchange(first, false)) writer = writer_of(raw);
            message(text, writer);
        });
    }
};

LogReader::LogReader() : state_(std::make_unique<State>()) {}
LogReader::~LogReader() = default;

void LogReader::on_entry(std::function<void(const LogEntry&)> reported) { state_->reported = std::move(reported); }

void LogReader::push(std::string_view bytes) {
    std::string& pending = state_->pending;
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        if (pending.empty()) {
            state_->line(bytes.substr(0, end));
        } else {
            pending += bytes.substr(0, end);
            state_->line(pending);
            pending.clear();
        }
        bytes.remove_prefix(end + 1);
    }
    pending += bytes;
}

void LogReader::flush() { state_->settle_last(); }

LogReading LogReader::finish(const std::string& source) {
    State& s = *state_;
    if (!s.pending.empty()) s.line(s.pending);
    s.pending.clear();
    s.settle_last();
    for (auto& [key, open] : s.running) s.settle(std::move(open));
    if (!s.rounds_listed)
        for (auto& [key, open] : s.adaptive) s.settle(std::move(open));
    if (s.example.drafted && s.example.accepted) { // cut off before its last line
        Open o;
        o.entry.kind = ServerKind::llamacpp;
        o.entry.span = LogEntry::Span::request;
        o.entry.method = "example";
        o.entry.line = s.example.line;
        o.accepted = s.example.accepted;
        o.drafted = s.example.drafted;
        if (s.example.predicted && *s.example.predicted >= *s.example.accepted) o.rounds = *s.example.predicted - *s.example.accepted;
        s.settle(std::move(o));
    }
    LogReading out = std::move(s.out);
    std::ranges::stable_sort(out.entries, {}, &LogEntry::line);
    if (out.entries.empty())
        throw Error(source + (out.lines == 1 ? ": its one line does not speak of acceptance"
                                             : ": none of its " + std::to_string(out.lines) + " lines speaks of acceptance"),
                    "Lines of vLLM (SpecDecoding metrics:), SGLang (Decode batch … accept len) and llama.cpp (draft "
                    "acceptance = …, statistics …) are understood.");
    out.reported = settle_rates(out.entries, s.sglang_k);
    return out;
}

namespace {

struct Sums {
    std::optional<SpecCounts> parts, whole;
    [[nodiscard]] bool whole_holds_parts() const {
        return whole && (!parts || (whole->drafted >= parts->drafted && whole->accepted >= parts->accepted));
    }
};

Sums sums_of(const std::vector<LogEntry>& entries) {
    Sums out;
    std::map<std::pair<std::string, std::string>, SpecCounts> last; // by writer and method
    const auto add = [](std::optional<SpecCounts>& to, const SpecCounts& counts) { to = to ? *to + counts : counts; };
    for (const LogEntry& e : entries) {
        if (!e.counts) continue;
        if (!e.whole()) {
            add(out.parts, *e.counts);
            continue;
        }
        const auto [at, fresh] = last.try_emplace({e.writer, e.method}, *e.counts);
        if (fresh) continue;
        if (e.counts->drafted < at->second.drafted) add(out.whole, at->second); // the server began anew
        at->second = *e.counts;
    }
    for (const auto& [key, counts] : last) add(out.whole, counts);
    return out;
}

} // namespace

SpecCounts LogReading::sum() const {
    const Sums sums = sums_of(entries);
    if (!sums.whole_holds_parts()) return sums.parts.value_or(SpecCounts());
    // Of the same tokens, whichever tells more.
    const bool same = sums.parts && sums.parts->drafted == sums.whole->drafted && sums.parts->accepted == sums.whole->accepted;
    const bool counted = same && sums.parts->rounds && (!sums.parts->worked_out || !sums.whole->rounds);
    return counted ? *sums.parts : *sums.whole;
}

bool LogReading::sum_is_whole() const { return sums_of(entries).whole_holds_parts(); }

std::vector<std::string> log_findings(const LogReading& log) {
    std::vector<std::string> out;
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
        out.push_back(nothing_accepted_words("nothing is accepted: " + std::to_string(averages) +
                                             (averages == 1 ? " line says" : " lines say") +
                                             " an acceptance length of 1.00, the target's own token alone"));
    constexpr int kSuspicious = 3;
    if (repeats >= kSuspicious)
        out.push_back(std::to_string(repeats) + " of " + std::to_string(requests) +
                      " requests have the same counts: one prompt repeated? Only the first counts, the others ran on "
                      "warm caches (of the prompt, and of n-grams that hold the answer)");
    return out;
}

ServerKind LogReading::kind() const { return entries.empty() ? ServerKind::unknown : entries.front().kind; }

LogReading parse_log(std::string_view text, const std::string& source) {
    LogReader reader;
    reader.push(text);
    return reader.finish(source);
}

} // namespace speclens
