#include "remote/reading/bench_output.h"

#include <algorithm>
#include <cctype>

#include "engine/base/printed.h"
#include "engine/base/values.h"
#include "remote/reading/bench_entry.h"

namespace speclens {

using log_lines::after;
using log_lines::figure;
using log_lines::Open;
using log_lines::Printed;
using log_lines::printed_after;
using log_lines::printed_at;

// -------------------------------------------------------------------------------------------------- labelled figures

namespace {

constexpr int kMostUnknown = 80; // lines of a table that are not ours
constexpr std::string_view kBar = "│";
constexpr const char *kTrtBench = "trtllm-bench", *kDflash = "dflash.benchmark";

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
    {"acceptance_rate", "rate", true},
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
    // trtllm-bench: of each request
    {"number_of_requests", "answers"},
    {"average_output_length", "tokens_each"},
    {"[dt]_average", "drafted_each"},
    {"[adt]_average", "accepted_each"},
    // AIPerf; its other acceptance length and rate are means over requests
    {"│_token_weighted_acceptance_length", "length"},
    {"│_overall_draft_acceptance_rate", "rate"},
    // dflash.benchmark
    {"num_prompts", "answers", true},
    {"output_tokens", "tokens"},
    {"spec_verify_ct", "rounds"},
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
    const bool boxed = line.starts_with(kBar); // a row of a table
    if (boxed) line.remove_prefix(kBar.size());
    std::size_t split = line.find(boxed ? kBar : ":");
    std::size_t behind = split + (boxed ? kBar.size() : 1);
    if (split == std::string_view::npos) behind = split = line.find("  "); // a report in columns
    if (split == std::string_view::npos) return {};
    Labelled out;
    out.name = name_of(line.substr(0, split), out.unit);
    if (boxed) out.name = std::string(kBar) + "_" + out.name;
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
    if (trimmed(line).starts_with("= REQUEST DETAILS")) return kTrtBench;
    if (line.find("AIPerf: Spec Decode") != std::string_view::npos) return "AIPerf";
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
    if (b.program == kTrtBench) {
        if (const auto each = value_of("tokens_each"), drafted = value_of("drafted_each"), accepted = value_of("accepted_each");
            answers && each && drafted && accepted)
            take(trt_bench(*answers, *each, *drafted, *accepted, b.line));
        return;
    }
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
    const bool sglang = b.program == "SGLang's bench_serving" || b.program == kDflash;
    Open o = entry_of(sglang ? ServerKind::sglang : b.program == "AIPerf" ? ServerKind::unknown : ServerKind::vllm, b.program, b.line);
    o.accepted = value_of("accepted");
    o.drafted = value_of("drafted");
    o.rounds = value_of("rounds");
    o.length = figure_of("length");
    if (const auto rate = figure_of("rate")) o.rate = rate;
    o.place_off = 0;
    for (const auto& [place, printed] : b.places) {
        if (place != static_cast<int>(o.places.size())) { // one is missing: the others would stand at wrong places
            o.places.clear();
            break;
        }
        const Printed share = b.percent ? of_percent(printed) : printed;
        o.places.push_back(share.value);
        o.place_off = std::max(o.place_off, share.off + 1e-9);
    }
    drop_undrafted_places(o);
    if (tokens) o.entry.text = WrittenText{.tokens = *tokens, .answers = answers};
    o.entry.tokens_per_second = value_of("speed");
    o.entry.remark = latencies_words(figure_of("chunk_ms"), figure_of("token_ms"));
    if (b.program == kDflash && o.rounds && *o.rounds > 0 && tokens && answers && o.length) { // its length is a mean over answers
        o.entry.remark = printed("%.6g rounds wrote %.2f tokens each; its accept length, %.3f, is a mean over answers", *o.rounds,
                                 (*tokens - *answers) / *o.rounds, o.length->value);
        o.length.reset();
    }
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
        block_->percent = line.find('%') != std::string_view::npos;
        return true;
    }
    if (block_ && line.starts_with("Backend:")) {
        if (line.find("sglang") != std::string_view::npos) block_->program = "SGLang's bench_serving";
        return true;
    }
    if (block_ && !line.empty() && line.find_first_not_of('=') == std::string_view::npos && line.size() > 8) { // its last line
        if (!block_->figures.empty() && block_->program != kTrtBench) close(take);
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
        const std::string_view name = label->name;
        block_->program = name == "rate" ? "vllm bench serve" : name == "answers" ? "a benchmark" : "vLLM's offline example";
    }
    if (!block_) return false;
    block_->unknown = 0;
    const auto as_share = [&](Printed value) { return found->unit == "%" || value.value > 1 ? of_percent(value) : value; };
    if (place) { // one that is above 1, or its heading, says of all of them that they are in per cent
        block_->percent |= found->unit == "%" || found->value.value > 1;
        block_->places.emplace(found->place, found->value);
        return true;
    }
    std::string name = label->name;
    if (block_->heading == "draft") name = name == "tokens" ? "draft_tokens_written" : "draft_" + name;
    if (found->name == "accept_length") block_->program = "SGLang's bench_serving";
    if (found->name == "spec_verify_ct") block_->program = kDflash;
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
    if (const auto block = after(text, "block_size="); block && *block > 1 && drafted->value <= (*block - 1) * *rounds)
        o.depth = *block - 1; // its first token is the one before
    if (emitted && *emitted > 0) o.entry.text = WrittenText{.tokens = *emitted, .answers = 1};
    return o;
}

// "DFlash generation complete: 64 tokens, 25.2 tok/s, acceptance=81.5%, cycles=7": what its acceptance divides is not said.
std::optional<Open> dflash_line(std::string_view text, int number) {
    const auto tokens = after(text, "DFlash generation complete:", " tok"), cycles = after(text, "cycles=");
    if (!tokens || !cycles || !(*cycles > 0)) return {};
    Open o = entry_of(ServerKind::mlx, "an answer of MLX", number);
    o.entry.remark = printed("%.6g tokens in %.6g rounds, %.2f a round", *tokens, *cycles, *tokens / *cycles);
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

} // namespace speclens
