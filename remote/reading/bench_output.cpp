#include "remote/reading/bench_output.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "engine/base/json_read.h"
#include "remote/reading/reported_number.h"

namespace speclens {

using log_lines::after;
using log_lines::figure;
using log_lines::Open;
using log_lines::Printed;
using log_lines::printed_after;
using log_lines::printed_at;

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

Open entry_of(ServerKind kind, const std::string& program, int line) {
    Open o;
    o.entry.kind = kind;
    o.entry.span = LogEntry::Span::run;
    o.entry.method = program;
    o.entry.line = line;
    return o;
}

Printed of_percent(Printed percent) { return {percent.value / 100, percent.off / 100}; }

// Places that no round drafted: some builds print more of them than K.
void drop_undrafted_places(Open& o) {
    if (!o.rounds || !o.drafted || *o.rounds <= 0) return;
    const double k = *o.drafted / *o.rounds;
    if (k != std::round(k) || k < 1) return;
    while (static_cast<double>(o.places.size()) > k && o.places.back() == 0) o.places.pop_back();
}

// The two latencies tell the length again: what came at once is one chunk for ITL, and so many tokens for TPOT.
std::string latencies_words(const std::optional<Printed>& chunk, const std::optional<Printed>& token) {
    if (!chunk || !token || !(token->value > 0)) return {};
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "mean ITL ÷ TPOT is %.2f: as many tokens came at once", chunk->value / token->value);
    return text.data();
}

} // namespace

// -------------------------------------------------------------------------------------------------- labelled figures

namespace {

constexpr int kMostUnknown = 40; // lines of a table that are not ours

struct Label {
    const char *printed, *name;
    bool opens = false; // a table begins with it
};
constexpr Label kLabels[] = {
    {"successful_requests", "answers"},
    {"total_generated_tokens", "tokens"},
    {"total_num_output_tokens", "tokens", true},
    {"output_throughput", "speed"},
    {"output_token_throughput", "speed"},
    {"mean_tpot", "token_ms"},
    {"mean_itl", "chunk_ms"},
    {"acceptance_rate", "rate"},
    {"acceptance_length", "length"},
    {"mean_acceptance_length", "length"},
    {"accept_length", "length"},
    {"drafts", "rounds"},
    {"num_drafts", "rounds", true},
    {"draft_tokens", "drafted"},
    {"num_draft_tokens", "drafted"},
    {"accepted_tokens", "accepted"},
    {"num_accepted_tokens", "accepted"},
    // OpenVINO GenAI
    {"num_generated_token", "tokens"},
    {"num_accepted_token", "accepted"},
    {"total_iteration_number", "passes"},
};

// "Acceptance rate (%)" becomes "acceptance_rate"; what stands in brackets is its unit.
std::string name_of(std::string_view label, std::string& unit) {
    label = trimmed(label);
    if (const std::size_t open = label.rfind('('); open != std::string_view::npos && label.ends_with(')')) {
        unit = label.substr(open + 1, label.size() - open - 2);
        label = trimmed(label.substr(0, open));
    }
    std::string out;
    for (const char c : label) out += c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

struct Labelled {
    std::string name, unit;
    Printed value;
    int place = -1; // of "Position 0", "acceptance at token 0"
};

std::optional<Labelled> labelled_figure(std::string_view line) {
    line = trimmed(line);
    std::size_t split = line.find(':');
    std::size_t behind = split == std::string_view::npos ? split : split + 1;
    if (split == std::string_view::npos) { // a report in columns
        split = line.find("  ");
        behind = split;
    }
    if (split == std::string_view::npos) return {};
    Labelled out;
    out.name = name_of(line.substr(0, split), out.unit);
    const std::string_view value = trimmed(line.substr(behind));
    const auto number = printed_at(value);
    if (!number) return {};
    out.value = *number;
    if (value.ends_with('%')) out.unit = "%";
    for (const std::string_view prefix : {"position_", "acceptance_at_token_"})
        if (out.name.starts_with(prefix))
            if (const auto place = printed_at(std::string_view(out.name).substr(prefix.size())); place && place->value < 256)
                out.place = static_cast<int>(place->value);
    return out;
}

const Label* label_of(const std::string& name) {
    const auto found = std::ranges::find_if(kLabels, [&](const Label& label) { return name == label.printed; });
    return found == std::end(kLabels) ? nullptr : found;
}

// The heading of a table of figures, with the program that prints it; empty: none.
std::string heading_in(std::string_view line) {
    if (line.find("Serving Benchmark Result") != std::string_view::npos) return "vllm bench serve";
    if (line.find("Speculative Decoding Acceptance Report") != std::string_view::npos) return "speculators' report";
    if (trimmed(line).starts_with("MAIN MODEL")) return "OpenVINO GenAI";
    return {};
}

} // namespace

void BenchOutput::close(const Take& take) {
    if (!block_) return;
    const Block b = std::move(*block_);
    block_.reset();
    const auto figure_of = [&](const char* name) -> std::optional<Printed> {
        const auto found = b.figures.find(name);
        return found == b.figures.end() ? std::nullopt : std::optional(found->second);
    };
    const auto value_of = [&](const char* name) { return figure_of(name) ? std::optional(figure_of(name)->value) : std::nullopt; };
    const auto tokens = value_of("tokens"), answers = value_of("answers");
    if (b.program == "OpenVINO GenAI") {
        const auto accepted = value_of("accepted"), passes = value_of("passes");
        if (!tokens || !accepted) return;
        Open o = entry_of(ServerKind::openvino, b.program, b.line);
        o.entry.text = WrittenText{.tokens = *tokens, .answers = 1};
        // Its passes count the one that read the prompt: tokens − passes were guessed and delivered.
        if (passes && *tokens - *passes <= *accepted && *tokens >= *passes) o.entry.text->cut = *accepted - (*tokens - *passes);
        if (passes && !o.entry.text->cut) o.entry.remark = figure(*passes) + " passes of the target by its own count";
        if (passes && !o.entry.text->cut)
            o.leave_out(figure(*passes) + " passes for " + figure(*tokens) + " tokens of which " + figure(*accepted) + " were accepted");
        const auto drafted = value_of("draft_tokens_written");
        o.entry.remark +=
            (o.entry.remark.empty() ? "" : ", ") + (drafted ? std::string("drafted is what the draft model wrote")
                                                            : figure(*accepted) + " of " + figure(*tokens) + " tokens were guessed");
        if (drafted) {
            o.accepted = accepted;
            o.drafted = drafted;
        }
        take(std::move(o));
        return;
    }
    const bool accepts = value_of("length") || value_of("drafted") || !b.places.empty();
    if (!accepts) return;
    const bool sglang = b.program == "SGLang's bench_serving";
    Open o = entry_of(sglang ? ServerKind::sglang : ServerKind::vllm, b.program, b.line);
    o.accepted = value_of("accepted");
    o.drafted = value_of("drafted");
    o.rounds = value_of("rounds");
    o.length = figure_of("length");
    if (const auto rate = figure_of("rate")) o.rate = rate;
    o.place_off = 0;
    for (const auto& [place, share] : b.places) {
        if (place != static_cast<int>(o.places.size())) { // one is missing: the others would stand at wrong places
            o.places.clear();
            break;
        }
        o.places.push_back(share.value);
        o.place_off = std::max(o.place_off, share.off + 1e-9);
    }
    drop_undrafted_places(o);
    if (tokens) o.entry.text = WrittenText{.tokens = *tokens, .answers = answers};
    o.entry.tokens_per_second = value_of("speed");
    o.entry.remark = latencies_words(figure_of("chunk_ms"), figure_of("token_ms"));
    take(std::move(o));
}

bool BenchOutput::labelled(std::string_view text, int number, const Take& take) {
    if (const std::string program = heading_in(text); !program.empty()) {
        close(take);
        block_ = Block{};
        block_->line = number;
        block_->program = program;
        return true;
    }
    const std::string_view line = trimmed(text);
    if (block_ && line.starts_with("DRAFT MODEL")) {
        block_->heading = "draft";
        return true;
    }
    if (block_ && line.starts_with("Per-position")) {
        block_->heading = line.find('%') != std::string_view::npos ? "%" : "";
        return true;
    }
    if (block_ && line.starts_with("Backend:")) {
        if (line.find("sglang") != std::string_view::npos) block_->program = "SGLang's bench_serving";
        return true;
    }
    if (block_ && !line.empty() && line.find_first_not_of('=') == std::string_view::npos && line.size() > 8) { // its last line
        if (!block_->figures.empty()) close(take);
        return true;
    }
    const auto found = labelled_figure(text);
    const Label* label = found ? label_of(found->name) : nullptr;
    const bool place = block_ && found && found->place >= 0;
    if (!label && !place) {
        if (block_ && ++block_->unknown > kMostUnknown) close(take);
        return false;
    }
    if (label && label->opens && (!block_ || block_->figures.contains(label->name))) {
        close(take);
        block_ = Block{};
        block_->line = number;
        block_->program =
            found->name.starts_with("num_") || found->name.starts_with("total_num") ? "vLLM's offline example" : "a benchmark";
    }
    if (!block_) return false;
    block_->unknown = 0;
    const auto as_share = [&](Printed value) { return found->unit == "%" || value.value > 1 ? of_percent(value) : value; };
    if (place) {
        // A list under "Per-position acceptance (%)" is in per cent though its lines do not say so.
        const Printed value = block_->heading == "%" ? of_percent(found->value) : as_share(found->value);
        block_->places.emplace(found->place, value);
        return true;
    }
    std::string name = label->name;
    if (block_->heading == "draft") name = name == "tokens" ? "draft_tokens_written" : "draft_" + name;
    if (name == "length" && found->name == "accept_length") block_->program = "SGLang's bench_serving";
    block_->figures.emplace(name, name == "rate" ? as_share(found->value) : found->value);
    return true;
}

// ----------------------------------------------------------------------------------------------- a table in columns

namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> out;
    line = trimmed(line);
    while (line.starts_with('>')) line = trimmed(line.substr(1)); // quoted
    if (!line.starts_with('|')) return out;
    line.remove_prefix(1);
    while (!line.empty()) {
        const std::size_t end = std::min(line.find('|'), line.size());
        out.push_back(trimmed(line.substr(0, end)));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (!out.empty() && out.back().empty()) out.pop_back();
    return out;
}

// "538/660"
std::optional<std::pair<double, double>> fraction(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return {};
    const auto part = printed_at(trimmed(text.substr(0, slash))), whole = printed_at(trimmed(text.substr(slash + 1)));
    if (!part || !whole) return {};
    return std::pair(part->value, whole->value);
}

} // namespace

bool BenchOutput::columns(std::string_view text, int number, const Take& take) {
    const std::vector<std::string_view> cells = cells_of(text);
    if (cells.size() < 4) {
        if (!trimmed(text).empty()) columns_.clear();
        return false;
    }
    const auto has = [&](std::string_view name) { return std::ranges::find(cells, name) != cells.end(); };
    if (has("rounds") && has("accepted") && has("tokens")) {
        columns_.clear();
        for (std::size_t i = 0; i < cells.size(); ++i) columns_.emplace(std::string(cells[i]), i);
        return true;
    }
    if (columns_.empty()) return false;
    const auto cell = [&](const char* name) -> std::string_view {
        const auto found = columns_.find(name);
        return found == columns_.end() || found->second >= cells.size() ? std::string_view() : cells[found->second];
    };
    if (cells.front().starts_with("---") || cells.front().starts_with(":-")) return true;
    const auto kept = fraction(cell("accepted"));
    const auto tokens = printed_at(cell("tokens")), rounds = printed_at(cell("rounds"));
    if (!kept || !tokens || !rounds) return true; // plain decoding, for comparison
    Open o = entry_of(ServerKind::llamacpp, "llama-spec-bench", number);
    for (const char* name : {"task", "run", "stage"})
        if (const std::string_view word = cell(name); !word.empty()) o.entry.task += (o.entry.task.empty() ? "" : " ") + std::string(word);
    o.accepted = kept->first;
    o.drafted = kept->second;
    o.rounds = rounds->value;
    if (const auto rate = printed_at(cell("rate"))) o.rate = of_percent(*rate);
    o.length = printed_at(cell("a.len"));
    o.place_off = 0;
    std::string_view places = cell("pos accept");
    while (!(places = trimmed(places)).empty()) {
        const auto share = printed_at(places);
        if (!share) break;
        o.places.push_back(share->value / 100);
        o.place_off = std::max(o.place_off, share->off / 100 + 1e-9);
        places.remove_prefix(std::min(places.find_first_of(" \t"), places.size()));
    }
    // Of the rounds that drafted there: of all of them only where every round drafts as many.
    if (*o.drafted != *o.rounds * static_cast<double>(o.places.size())) o.places.clear();
    if (const auto speed = printed_at(cell("tok/s"))) o.entry.tokens_per_second = speed->value;
    o.entry.text = WrittenText{.tokens = tokens->value, .answers = 1};
    take(std::move(o));
    return true;
}

// -------------------------------------------------------------------------------------------------------- one line

namespace {

// "code_python        pred= 192 draft= 139 acc= 138 rate=0.993 tok/s=19.5"
std::optional<Open> mtp_line(std::string_view text, int number) {
    if (text.find("pred=") == std::string_view::npos || text.find("acc=") == std::string_view::npos) return {};
    const auto written = after(text, "pred="), drafted = after(text, "draft="), accepted = after(text, "acc=");
    if (!written || !drafted || !accepted) return {};
    Open o = entry_of(ServerKind::llamacpp, "MTP benchmark", number);
    std::string_view name = trimmed(text.substr(0, text.find("pred=")));
    while (name.starts_with('>')) name = trimmed(name.substr(1));
    o.entry.task = name;
    o.drafted = drafted;
    o.accepted = accepted;
    o.rate = printed_after(text, "rate=");
    if (o.rate) o.rate->off *= 2; // published lines round up: .985 for 127 of 129
    o.entry.tokens_per_second = after(text, "tok/s=");
    if (*written > 0) o.entry.text = WrittenText{.tokens = *written, .answers = 1};
    return o;
}

// "vlm_mtp stats: request=… rounds=1079 accepted=1414/2158 (65.5%) tokens_per_round=2.31 emitted=2493 block_size=3"
std::optional<Open> omlx_line(std::string_view text, int number) {
    const std::size_t at = text.find("vlm_mtp stats:");
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at);
    const auto rounds = after(text, "rounds="), accepted = after(text, "accepted=", "/"), emitted = after(text, "emitted=");
    const std::size_t slash = text.find('/');
    const auto drafted = slash == std::string_view::npos ? std::nullopt : printed_at(text.substr(slash + 1));
    if (!rounds || !accepted || !drafted) return {};
    Open o = entry_of(ServerKind::mlx, "an answer of oMLX", number);
    o.rounds = rounds;
    o.accepted = accepted;
    o.drafted = drafted->value;
    o.length = printed_after(text, "tokens_per_round=");
    if (emitted && *emitted > 0) o.entry.text = WrittenText{.tokens = *emitted, .answers = 1};
    return o;
}

// "DFlash generation complete: 64 tokens, 25.2 tok/s, acceptance=81.5%, cycles=7": what its acceptance divides is not said.
std::optional<Open> dflash_line(std::string_view text, int number) {
    const auto tokens = after(text, "DFlash generation complete:", " tok"), cycles = after(text, "cycles=");
    if (!tokens || !cycles || !(*cycles > 0)) return {};
    Open o = entry_of(ServerKind::mlx, "an answer of MLX", number);
    std::array<char, 96> words{};
    std::snprintf(words.data(), words.size(), "%.6g tokens in %.6g rounds, %.2f a round", *tokens, *cycles, *tokens / *cycles);
    o.entry.remark = words.data();
    o.entry.text = WrittenText{.tokens = *tokens, .answers = 1};
    if (const std::size_t comma = text.find(','); comma != std::string_view::npos)
        if (const auto speed = printed_at(trimmed(text.substr(comma + 1)))) o.entry.tokens_per_second = speed->value;
    return o;
}

} // namespace

bool BenchOutput::line(std::string_view text, int number, const Take& take) {
    for (const auto read : {mtp_line, omlx_line, dflash_line})
        if (auto open = read(text, number)) {
            take(std::move(*open));
            return true;
        }
    return columns(text, number, take) || labelled(text, number, take);
}

void BenchOutput::finish(const Take& take) {
    close(take);
    columns_.clear();
}

// ------------------------------------------------------------------------------------------------------------ JSON

namespace {

std::optional<double> number_in(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number()) return {};
    return reported_count(found->get<double>());
}

std::optional<Printed> rounded_in(const Json& json, const char* key) { // saved with all digits, or with four
    const auto value = number_in(json, key);
    return value ? std::optional(Printed{*value, 5e-5}) : std::nullopt;
}

std::optional<Open> bench_result(const Json& json, int number) {
    const auto length = rounded_in(json, "spec_decode_acceptance_length"), sglang = rounded_in(json, "accept_length");
    const auto drafted = number_in(json, "spec_decode_draft_tokens");
    const auto tokens = number_in(json, "total_output_tokens");
    if (!length && !drafted && !(sglang && tokens)) return {};
    const bool vllm = length || drafted;
    Open o = entry_of(vllm ? ServerKind::vllm : ServerKind::sglang, vllm ? "vllm bench serve" : "SGLang's bench_serving", number);
    o.rounds = number_in(json, "spec_decode_num_drafts");
    o.drafted = drafted;
    o.accepted = number_in(json, "spec_decode_accepted_tokens");
    o.length = vllm ? length : sglang;
    if (const auto rate = rounded_in(json, "spec_decode_acceptance_rate")) o.rate = of_percent(*rate);
    // Modular's copy of the benchmark may hold a fraction under the same key.
    if (o.rate && o.drafted && o.accepted && *o.drafted > 0 && std::abs(100 * o.rate->value - *o.accepted / *o.drafted) < 1e-4)
        o.rate = Printed{100 * o.rate->value, 1e-4};
    o.place_off = 5e-5 + 1e-9;
    if (const auto places = json.find("spec_decode_per_position_acceptance_rates"); places != json.end() && places->is_array())
        for (const Json& share : *places) o.places.push_back(share.is_number() ? share.get<double>() : 2); // 2: no share, and said so
    drop_undrafted_places(o);
    if (tokens) o.entry.text = WrittenText{.tokens = *tokens, .answers = number_in(json, "completed")};
    o.entry.tokens_per_second = number_in(json, "output_throughput");
    o.entry.remark = latencies_words(rounded_in(json, "mean_itl_ms"), rounded_in(json, "mean_tpot_ms"));
    return o;
}

// Iterations of TensorRT-LLM: requests that drafted are rounds; of requests that decode the others wrote without a draft.
struct Iterations {
    int seen = 0, zeros = 0;
    double rounds = 0, drafted = 0, accepted = 0, decoding = 0, tokens = 0;
    bool all_decoding = true; // every iteration tells how many requests decoded, and how many tokens each wrote
    bool length_differs = false;

    void add(const Json& json) {
        const auto stats = json.find("specDecodingStats");
        const auto batch = json.find("inflightBatchingStats");
        const auto of = [](const auto& where, const Json& whole, const char* key) {
            return where != whole.end() && where->is_object() ? number_in(*where, key) : std::nullopt;
        };
        const auto drafts = of(stats, json, "numDraftTokens"), kept = of(stats, json, "numAcceptedTokens"),
                   requests = of(stats, json, "numRequestsWithDraftTokens"), length = of(stats, json, "acceptanceLength"),
                   decodes = of(batch, json, "numGenRequests"), each = of(batch, json, "avgNumDecodedTokensPerIter");
        ++seen;
        if (decodes && (each || *decodes == 0)) {
            decoding += *decodes;
            tokens += *decodes * each.value_or(0);
        } else {
            all_decoding = false;
        }
        if (!drafts || !kept || !requests) return;
        if (length && *length > 1 && (*drafts == 0 || *kept == 0 || *requests == 0)) { // pull request 17082
            ++zeros;
            return;
        }
        drafted += *drafts, accepted += *kept, rounds += *requests;
        length_differs |= length && *requests > 0 && *length > 0 && std::abs((*requests + *kept) / *requests - *length) > 0.006;
    }
    [[nodiscard]] Open entry() const {
        Open o = entry_of(ServerKind::tensorrt, seen == 1 ? "one iteration" : figure(seen) + " iterations", 1);
        if (zeros > 0) {
            o.leave_out(figure(zeros) +
                        " of its iterations count 0 beside an acceptance length above 1, so they are not told (TensorRT-LLM "
                        "before pull request 17082 of July 2026)");
            return o;
        }
        o.rounds = rounds, o.drafted = drafted, o.accepted = accepted;
        if (length_differs) o.leave_out("an acceptance length that is not (requests + accepted) ÷ requests");
        if (all_decoding && tokens > 0 && decoding >= rounds) {
            o.entry.text = WrittenText{.tokens = std::round(tokens), .answers = 0, .first_apart = false, .off = 0.5};
            o.entry.text->plain = decoding - rounds;
            if (std::abs(tokens - std::round(tokens)) < 0.01) o.entry.text->off = 0;
        }
        return o;
    }
};

bool is_iteration(const Json& json) {
    return json.is_object() && (json.contains("specDecodingStats") || (json.contains("iter") && json.contains("iterLatencyMS")));
}

} // namespace

std::optional<std::vector<LogEntry>> read_bench_json(std::string_view text) {
    text = trimmed(text.substr(std::min(text.size(), text.find_first_not_of("\xEF\xBB\xBF \t\r\n"))));
    if (!text.starts_with('{') && !text.starts_with('[')) return {};
    std::vector<LogEntry> out;
    Iterations iterations;
    int line = 1;
    const auto take = [&](const Json& json) {
        if (!json.is_object()) return false;
        if (is_iteration(json)) {
            iterations.add(json);
            return true;
        }
        auto open = bench_result(json, line);
        if (!open) return false;
        open->settle();
        out.push_back(std::move(open->entry));
        return true;
    };
    if (const Json json = parse_foreign_json(text); json.is_array()) {
        for (const Json& one : json) take(one);
    } else if (json.is_object()) {
        take(json);
    } else { // an object a line
        for (; !text.empty(); ++line) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            if (const std::string_view one = trimmed(text.substr(0, end)); !one.empty() && !take(parse_foreign_json(one))) break;
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    if (iterations.seen > 0) {
        Open open = iterations.entry();
        open.settle();
        out.push_back(std::move(open.entry));
    }
    if (out.empty()) return {};
    return out;
}

} // namespace speclens
