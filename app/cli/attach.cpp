// `speclens attach`: another program's server, or what one left in a file.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "app/cli/attach_text.h"
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/server.h"
#include "app/cli/setup.h"
#include "engine/base/json_read.h"
#include "kernels/error.h"
#include "remote/client/answer_reader.h"
#include "remote/client/keep_rule.h"
#include "remote/client/served_json.h"
#include "remote/reading/bench_output.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr std::size_t kMostFileBytes = 512'000'000;

// A file is kept to its end though nobody reads on; else nothing is left to do then.
void tell(const std::string& text, bool keeps_file) {
    if (keeps_file) return print_results(text);
    print(text);
    flush();
}

// Of a file, or of whatever is piped in.
std::string text_of(const std::string& word) {
    std::string text;
    if (std::error_code ignored; std::filesystem::is_other(std::filesystem::status(word, ignored))) {
        std::ifstream in(word, std::ios::binary);
        if (!in) throw Error(word + ": cannot be opened", "Check the name and the permissions.");
        text = read_at_most(in, kMostFileBytes, word);
    } else {
        text = read_text_file(word, kMostFileBytes);
    }
    stop_if_interrupted(); // half of what was piped in is not the log
    return text;
}

Exit read_text_of(const Options& options, const std::string& text, const std::string& name) {
    const Terminal terminal = standard_terminal(options.color);
    const auto keep = [&](const auto& items, const auto& line_of) { // a line of JSON for each
        if (options.json.empty()) return;
        ResultFile file(options.json);
        for (const auto& item : items) file.write(line_of(item) + "\n");
        file.commit();
    };
    std::vector<MetricSample> samples;
    try {
        samples = parse_exposition(text, name);
    } catch (const Error&) { // no metrics: a log, or neither
    }
    const ServerReading reading = read_metrics(samples);
    if (reading.kind != ServerKind::unknown) {
        ServerFacts facts;
        facts.kind = reading.kind;
        facts.reading = reading;
        facts.missing = what_is_missing(reading);
        keep(std::array{reading}, [](const ServerReading& one) { return reading_json(one, 0, message, "RECORDED"); });
        if (options.json != "-")
            print(facts_text(name, facts, terminal, Source::recorded) + reading_text(reading, terminal, Source::recorded));
        return Exit::ok;
    }
    if (const auto answers = read_saved_answers(text)) {
        keep(*answers, [](const SavedAnswer& one) { return served_json(one.served, message, "RECORDED"); });
        if (options.json == "-") return Exit::ok;
        print(terminal.paint(Tone::strong, "SpecLens attach") + " · " + name + " · " +
              (answers->size() == 1 ? "an answer" : std::to_string(answers->size()) + " answers") + " of " +
              server_name(answers->front().kind) + " · [RECORDED]\n");
        for (const SavedAnswer& one : *answers) print(served_text(one.served, terminal, Source::recorded));
        return Exit::ok;
    }
    if (looks_like_bench_records(text)) {
        const BenchRecords records = parse_bench_records(text, name);
        std::vector<std::string> lines;
        for (const BenchRecord& record : records.answered) lines.push_back(bench_json(record, message));
        if (records.told() > 0) lines.push_back(bench_sum_json(records, message));
        keep(lines, [](const std::string& line) { return line; });
        if (options.json != "-") print(bench_text(name, records, terminal));
        return Exit::ok;
    }
    std::optional<std::vector<LogEntry>> results = read_bench_json(text);
    const LogReading log =
        results ? log_of_entries(std::move(*results), static_cast<int>(std::ranges::count(text, '\n') + 1)) : parse_log(text, name);
    std::vector<std::string> lines;
    for (const LogEntry& entry : log.entries) lines.push_back(log_json(entry, message));
    if (lines.size() != 1) lines.push_back(log_sum_json(log, message));
    keep(lines, [](const std::string& line) { return line; });
    if (options.json != "-") print(log_text(name, log, terminal));
    return Exit::ok;
}

Exit read_file_of(const Options& options, const std::string& word) { return read_text_of(options, text_of(word), word); }

// A log that a server still writes: a line as each request ends, the table when the pipe ends or Ctrl+C comes. What is
// no log (metrics, an answer) is read when it is whole. Nothing is told while input keeps coming: of a log that is only
// sent through a pipe the table says it all.
Exit follow_pipe(const Options& options) {
    constexpr int kPauseMs = 150;
    constexpr double kLongestWaitMs = 1000;
    const std::string name = "standard input";
    const bool walks = options.json != "-";
    LogReader reader;
    std::string text; // kept while it may be something else than a log
    std::vector<std::string> waiting;
    std::optional<ResultFile> file;
    std::size_t reported = 0, taken = 0, kept = 0;
    reader.on_entry([&](const LogEntry& entry) {
        waiting.push_back(walks ? log_row(entry) : std::string());
        if (!options.json.empty()) {
            if (!file) file.emplace(options.json);
            file->write(log_json(entry, message) + "\n");
            ++kept;
        }
    });
    double last = now_ms();
    const auto tell_waiting = [&] {
        last = now_ms();
        if (waiting.empty()) return;
        if (file) file->flush();
        if (walks && reported == 0) tell(log_heading(), file.has_value());
        for (const std::string& row : waiting)
            if (walks) tell(row, file.has_value());
        reported += waiting.size();
        waiting.clear();
    };
    std::streambuf& in = *std::cin.rdbuf();
    std::string block;
    while (in.sgetc() != std::streambuf::traits_type::eof()) {
        block.resize(static_cast<std::size_t>(std::max<std::streamsize>(1, in.in_avail())));
        block.resize(static_cast<std::size_t>(in.sgetn(block.data(), static_cast<std::streamsize>(block.size()))));
        reader.push(block);
        taken += block.size();
        if (reported + waiting.size() == 0)
            text += block;
        else
            text.clear();
        if (text.size() > kMostFileBytes)
            throw Error(name + ": more than " + std::to_string(kMostFileBytes >> 20) + " MB without a line that speaks of acceptance",
                        "Is this the right input?");
        const bool pauses = !input_comes(kPauseMs);
        if (pauses) reader.flush();
        if (pauses || now_ms() - last > kLongestWaitMs) tell_waiting();
    }
    const bool was_interrupted = interrupted().load();
    if (reported + waiting.size() == 0 && !text.empty()) {
        try {
            const Exit read = read_text_of(options, text, name);
            return was_interrupted ? Exit::interrupted : read;
        } catch (const Error&) {
            if (was_interrupted) return Exit::interrupted;
            throw;
        }
    }
    if (was_interrupted && taken == 0) return Exit::interrupted;
    const LogReading log = reader.finish(name);
    if (file) {
        if (kept > 1) file->write(log_sum_json(log, message) + "\n");
        file->commit();
    }
    if (walks) tell((reported > 0 ? "\n" : "") + log_text(name, log, standard_terminal(options.color)), file.has_value());
    return was_interrupted ? Exit::interrupted : Exit::ok;
}

Exit ask(const Options& options, const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& http) {
    const RequestSettings request = request_with(options, *options.prompt, options.run.prompt.system, options.run.prompt.chat);
    HttpSettings patient = http;
    patient.silence_seconds = 120; // a queue may be long
    const auto show = [&](const ServedText& served) {
        if (!options.json.empty()) { // first: nobody may read what is printed
            ResultFile file(options.json);
            file.write(served_json(served, message) + "\n");
            file.commit();
        }
        if (options.json != "-") print(served_text(served, standard_terminal(options.color)));
        flush();
    };
    ServedText so_far; // in case the answer breaks off
    ProgressBar bar;
    const auto follow = [&](const ServedText& grown) {
        so_far.pieces.insert(so_far.pieces.end(), grown.pieces.begin() + static_cast<std::ptrdiff_t>(so_far.pieces.size()),
                             grown.pieces.end());
        so_far.first_ms = grown.first_ms;
        if (!so_far.pieces.empty()) so_far.total_ms = so_far.pieces.back().ms;
        bar.show("answering", static_cast<double>(so_far.pieces.size()), request.max_tokens, "pieces");
    };
    try {
        ServedText served = send_request(endpoint, facts, request, patient, follow);
        tell_keep_rule(served, endpoint, facts, request, patient);
        show(served);
    } catch (const ReaderGone&) {
        throw;
    } catch (...) {
        if (so_far.pieces.empty()) throw;
        so_far.finish = "broken off";
        so_far.notes = {as_it_is("the answer broke off here: which pieces were guessed is told at the end only")};
        show(so_far);
        throw;
    }
    return Exit::ok;
}

Exit watch_server(const Options& options, const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& http) {
    const Terminal terminal = standard_terminal(options.color);
    const bool walks = options.json != "-";
    std::optional<ResultFile> file;
    if (!options.json.empty()) file.emplace(options.json);
    const double began = now_ms() / 1000;
    Watch watch;
    const auto keep = [&](const ServerReading& reading) {
        watch.add(now_ms() / 1000, reading);
        if (!file) return;
        file->write(reading_json(reading, now_ms() / 1000 - began, message) + "\n");
        file->flush();
    };
    keep(facts.reading);
    if (walks) tell(reading_text(facts.reading, terminal), file.has_value());
    const bool reported = facts.metrics || facts.reading.reported_length.has_value();
    if (!options.once && reported) {
        if (walks) tell(watch_heading(), file.has_value());
        int restarts = 0, silent = 0;
        const auto over = [&] { return options.for_seconds && now_ms() / 1000 - began + options.every > *options.for_seconds + 0.01; };
        while (!over() && pause(options.every)) {
            try {
                keep(scrape(endpoint, facts, http));
                silent = 0;
            } catch (const Error& error) {
                if (interrupted().load()) break;
                if (++silent >= 5) {
                    if (file) file->commit(); // what it told until then
                    throw;
                }
                say(std::string(error.what()) + ", trying again");
                continue;
            }
            if (!walks) continue;
            if (watch.restarts() > restarts) {
                restarts = watch.restarts();
                tell("  the server began anew: its counters fell\n", file.has_value());
            }
            if (watch.size() > 1) tell(watch_row(watch, began), file.has_value());
        }
        if (const WatchInterval whole = watch.whole(); walks && !whole.counts.empty()) {
            tell(counts_text(whole.counts, "while we watched, " + number(whole.seconds, 0) + " s, all requests", terminal),
                 file.has_value());
            if (const auto drift = watch.drift(); drift && !drift->words().empty())
                tell("  · " + wrap(message(drift->words()), std::max(standard_terminal(options.color).width - 4, 40), 4) + "\n",
                     file.has_value());
            if (watch.restarts() > 0)
                tell("  the server began anew " + (watch.restarts() == 1 ? "once" : std::to_string(watch.restarts()) + " times") +
                         ": what it did between its last reading and its end is not in these sums\n",
                     file.has_value());
        }
    }
    if (file) file->commit();
    return interrupted().load() ? Exit::interrupted : Exit::ok;
}

} // namespace

Exit command_attach(const Options& options) {
    const std::string& target = options.words[0];
    if (target == "-" || !looks_like_endpoint(target)) {
        std::error_code ignored;
        if (target != "-" && !std::filesystem::exists(target, ignored))
            throw Error("'" + target + "' does not exist, and is no address of a server",
                        "An address has a port or a scheme: 127.0.0.1:8000, http://host.");
        if (options.prompt)
            throw Error((target == "-" ? "standard input" : "'" + target + "' is a file") + std::string(": it cannot be asked anything"),
                        "--prompt needs the address of a server.", Exit::usage);
        for (const char* option : {"--key-from", "--every", "--for", "--same"})
            if (options.has(option)) throw Error(std::string(option) + " does nothing for a file", "Leave it out.", Exit::usage);
        if (target == "-" && isatty(STDIN_FILENO) == 1)
            throw Error("- is a log on standard input, and nothing is piped in", "For example: cat vllm.log | speclens attach -",
                        Exit::usage);
        return target == "-" ? follow_pipe(options) : read_file_of(options, target);
    }
    if (options.same) return command_same(options);
    const Endpoint endpoint = parse_endpoint(target);
    const HttpSettings http = http_settings(options);
    if (const std::string warning = caution(endpoint, !http.key.empty()); !warning.empty()) say(warning);
    const ServerFacts facts = when_loaded(endpoint, http, options.server_model);
    if (options.json != "-") tell(facts_text(endpoint.shown(), facts, standard_terminal(options.color)), !options.json.empty());
    return options.prompt ? ask(options, endpoint, facts, http) : watch_server(options, endpoint, facts, http);
}

} // namespace speclens::cli
