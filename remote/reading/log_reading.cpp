#include "remote/reading/log_reading.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kernels/error.h"
#include "remote/reading/bench_output.h"
#include "remote/reading/log_clock.h"
#include "remote/reading/log_line.h"
#include "remote/reading/open_entry.h"
#include "remote/reading/reported_number.h"

namespace speclens {
namespace log_lines { // named, since LogReader::State holds them

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

// What a line shows of the settings SGLang was started with: server_args=ServerArgs(…), or its command line.
void take_settings(DraftSettings& settings, std::string_view line) {
    if (line.find("speculative") == std::string_view::npos) return;
    const auto take = [&](std::optional<double>& into, std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (const auto value = after(line, name)) into = value;
    };
    take(settings.draft_tokens, {"speculative_num_draft_tokens", "--speculative-num-draft-tokens"});
    take(settings.steps, {"speculative_num_steps", "--speculative-num-steps"});
    take(settings.topk, {"speculative_eagle_topk", "--speculative-eagle-topk"});
}

// "DiffusionDecoding metrics: …, Committed: 4120 tokens, Denoising steps: 1600, Canvas positions evaluated: 51200"
std::optional<DiffusionCounts> diffusion_line(std::string_view line) {
    if (line.find("DiffusionDecoding metrics:") == std::string_view::npos) return {};
    const auto committed = after(line, "Committed:", " tok"), steps = after(line, ", Denoising steps:"),
               positions = after(line, "Canvas positions evaluated:");
    if (!committed || !steps) return DiffusionCounts{};
    return DiffusionCounts{*steps, positions.value_or(0), *committed};
}

// "       eval time =    9846.15 ms /   192 tokens (…": what a request of llama.cpp wrote; not how long its prompt was.
std::optional<double> llama_written(std::string_view line) {
    const std::size_t at = line.find("eval time =");
    if (at == std::string_view::npos || line.substr(0, at).ends_with("prompt ")) return {};
    const std::string_view rest = line.substr(at);
    const std::size_t slash = rest.find(" / ");
    return slash == std::string_view::npos ? std::nullopt : after(rest.substr(slash + 2), "", " tok");
}

// vLLM tells tokens a second of an interval on one line, and on the next what was accepted in it and how much a second:
// together what was written.
struct Throughput {
    Printed tokens;
    int line = 0;
};
std::optional<WrittenText> written_in_interval(std::string_view line, const Open& o, const std::optional<Throughput>& throughput) {
    const bool kept = o.accepted.value_or(0) > 0;
    const auto count = kept ? o.accepted : o.drafted;
    const auto speed = printed_after(line, kept ? "Accepted throughput" : "Drafted throughput");
    if (!throughput || !count || !speed || !(*count > 0) || !(speed->value > 2 * speed->off)) return {};
    const double seconds = *count / speed->value, longest = *count / (speed->value - speed->off);
    const double tokens = throughput->tokens.value * seconds;
    // The two clocks are read one after the other: a thousandth of the interval.
    const double off = (throughput->tokens.value + throughput->tokens.off) * longest * 1.001 - tokens;
    return WrittenText{.tokens = std::round(tokens), .off = std::ceil(off)};
}

// What the rates of all lines together mean, and with it the rate of each.
ReportedRates settle_rates(std::vector<LogEntry>& entries, const DraftSettings& drafting) {
    constexpr double kRounding = 0.005; // SGLang prints two decimals
    std::vector<ReportedAverage> averages;
    for (const LogEntry& e : entries)
        if (e.kind == ServerKind::sglang && e.length && e.reported_rate) averages.push_back({*e.length, *e.reported_rate});
    const ReportedRates reported = read_reported_rates(averages, drafting, kRounding);
    for (LogEntry& e : entries)
        if (e.kind == ServerKind::sglang && e.span != LogEntry::Span::run) e.rate = reported.share(e.length, e.reported_rate);
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
    std::string pending;                          // a line without its end
    std::map<std::string, double> written;        // tokens of requests that end, by writer and task
    std::map<std::string, Throughput> throughput; // vLLM's, by writer
    std::optional<double> clock;                  // of the line that is read
    BenchOutput bench;
    std::optional<Open> last; // a request that lines of its own may complete
    // Rounds of requests that have not ended, by writer and task; adaptive ones by their sequence.
    std::map<std::string, Open> running, adaptive;
    bool rounds_listed = false; // then lines of adaptive depth tell the same rounds again
    struct Example {
        std::optional<double> k, predicted, drafted, accepted;
        int line = 0;
    } example;

    void settle(Open open) {
        if (!open.entry.seconds) open.entry.seconds = clock;
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

    void take_text(Open& request) {
        const auto found = written.find(request.entry.writer + "\n" + request.entry.task);
        if (found == written.end()) return;
        if (found->second > 0) request.entry.text = WrittenText{.tokens = found->second, .answers = 1};
        written.erase(found);
    }

    void message(std::string_view line, const std::string& writer) {
        take_settings(out.drafting, line);
        if (const auto diffusion = diffusion_line(line)) {
            if (!out.diffusion) out.diffusion.emplace();
            out.diffusion->steps += diffusion->steps;
            out.diffusion->positions += diffusion->positions;
            out.diffusion->committed += diffusion->committed;
            return;
        }
        if (const auto tokens = llama_written(line)) {
            written[writer + "\n" + task_of(line)] = *tokens;
            return;
        }
        if (const auto tokens = printed_after(line, "Avg generation throughput")) {
            const auto [at, fresh] = throughput.try_emplace(writer, Throughput{*tokens, out.lines});
            if (!fresh) at->second = {*tokens, at->second.line < 0 ? out.lines : -1}; // of several engines: whose?
            return;
        }
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
                if (read == vllm_entry) {
                    const auto found = throughput.find(writer);
                    constexpr int kNear = 4; // lines
                    if (found != throughput.end() && found->second.line >= 0 && out.lines - found->second.line <= kNear)
                        open->entry.text = written_in_interval(line, *open, found->second);
                    throughput.erase(writer);
                }
                if (request) {
                    absorb(*open);
                    take_text(*open);
                }
                if (request && (!open->length || open->places.empty()) && !open->entry.listed)
                    last = std::move(open);
                else
                    settle(std::move(*open));
                return;
            }
        if (complete_last(line, writer) || take_example(line)) return;
        bench.line(line, out.lines, [&](Open open) {
            open.entry.writer = writer;
            settle_last();
            settle(std::move(open));
        });
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
        clock = log_clock(raw);
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

namespace {

// Of one server's intervals, or else of its requests, as they follow each other.
std::optional<LengthDrift> drift_of(const std::vector<LogEntry>& entries) {
    for (const auto span : {LogEntry::Span::interval, LogEntry::Span::request}) {
        std::vector<LengthPoint> points;
        for (const LogEntry& e : entries) {
            if (e.span != span || !e.length || !e.seconds || !e.left_out.empty()) continue;
            if (e.counts && e.counts->drafted <= 0) continue;
            LengthPoint point{*e.seconds, *e.length, e.counts ? e.counts->rounds.value_or(0) : 0, {}};
            if (e.counts) point.drafts = drafts_per_round(*e.counts);
            if (!points.empty() && point.seconds < points.back().seconds) return {}; // clocks of several, or a new start
            points.push_back(point);
        }
        if (auto drift = length_drift(points)) return drift;
    }
    return {};
}

} // namespace

LogReading LogReader::finish(const std::string& source) {
    State& s = *state_;
    if (!s.pending.empty()) s.line(s.pending);
    s.pending.clear();
    s.settle_last();
    s.bench.finish([&](Open open) { s.settle(std::move(open)); });
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
    if (out.entries.empty() && !out.diffusion)
        throw Error(source + (out.lines == 1 ? ": its one line does not speak of acceptance"
                                             : ": none of its " + std::to_string(out.lines) + " lines speaks of acceptance"),
                    "Lines of vLLM (SpecDecoding metrics:), SGLang (Decode batch … accept len) and llama.cpp (draft "
                    "acceptance = …, statistics …) are understood, and the tables of their benchmarks.");
    out.reported = settle_rates(out.entries, out.drafting);
    out.drift = drift_of(out.entries);
    return out;
}

LogReading log_of_entries(std::vector<LogEntry> entries, int lines) {
    LogReading out;
    out.entries = std::move(entries);
    out.lines = lines;
    return out;
}

LogReading parse_log(std::string_view text, const std::string& source) {
    LogReader reader;
    reader.push(text);
    return reader.finish(source);
}

} // namespace speclens
