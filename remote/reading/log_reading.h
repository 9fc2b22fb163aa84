// What a server wrote into its log about speculation, where its metrics cannot be reached (any more).
//
// vLLM and llama.cpp print drafted and accepted tokens, but rounds only through rounded quotients: the
// acceptance length 1 + accepted ÷ rounds to two decimals, and for every place the share of rounds that kept
// it to three. Each allows a range of rounds. With K places a round drafts K tokens at most, so drafted ÷ K
// is the least; it is exact where every round drafts K, and of vLLM taken wherever it is in the range: there the line
// cannot say better. Otherwise (drafts of different lengths, as llama.cpp's towards the end of a text) the length
// decides, if the range leaves 1 % at most. A line with length 1.00 allows any number of rounds; if drafted ÷ K is none, they are absent.
// Figures that no number of rounds fits contradict each other: then that is said, and none of them is told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "remote/reading/length_drift.h"
#include "remote/reading/server_reading.h"

namespace speclens {

// What one line tells, or several that belong together. What they do not say is absent or 0; so is what they
// call nan or inf, as a server does that divided by nothing.
struct LogEntry {
    // interval: vLLM, SGLang. request: also one whose rounds alone are told. start: since the server's start. run: of a
    // benchmark, a task of one, or an answer, as `method` says.
    enum class Span : std::uint8_t { interval, request, start, run } span = Span::interval;
    int line = 0; // from 1; of several the first
    ServerKind kind = ServerKind::unknown;
    std::string method;                  // llama.cpp's statistics: "draft-eagle3"
    std::string writer;                  // which of several programs (log_line.h)
    std::string task;                    // llama.cpp: "slot 1, task 21"
    std::optional<SpecCounts> counts;    // where the line has counts; rounds worked out as above
    bool listed = false;                 // rounds are counted one by one from lines of their own
    std::optional<double> length, rate;  // tokens per round; accepted ÷ drafted
    std::optional<double> reported_rate; // SGLang's "accept rate", which may be another (reported_rates.h)
    // vLLM up to 0.8 counts as accepted what would have been kept behind the first refusal, too.
    std::optional<double> reported_accepted;
    std::vector<double> per_position; // unconditional, as the line says
    std::vector<int> depths;          // llama.cpp's adaptive K: before the first of these lines, then behind each
    std::optional<double> tokens_per_second, running, waiting;
    std::optional<WrittenText> text; // of the counts; also where there are none
    std::optional<double> seconds;   // by the line's own clock, from any beginning
    std::string remark;              // what else it says of acceptance, in words
    std::vector<Said> left_out;      // what the line says and cannot be: "300 accepted of 259 drafted"

    [[nodiscard]] bool whole() const { return span == Span::start; }
};

struct LogReading {
    std::vector<LogEntry> entries;
    int lines = 0;
    ReportedRates reported;                   // of SGLang's entries
    DraftSettings drafting;                   // of SGLang, where a line shows them
    std::optional<DiffusionCounts> diffusion; // vLLM: of all lines that tell of one
    std::optional<LengthDrift> drift;         // where the entries last for hours
    // All of it, each token once: the last figures since the start, of every method and writer, where they hold
    // the single requests (aborted ones have no line of their own); else the sum of those.
    [[nodiscard]] SpecCounts sum() const;
    [[nodiscard]] bool sum_is_whole() const;
    [[nodiscard]] ServerKind kind() const; // of the first entry
};

// What stands out in a log, beside what does in its sum (findings in spec_counts.h): averages that accept nothing,
// one request repeated.
[[nodiscard]] std::vector<Said> log_findings(const LogReading& log);

// A log's entries from figures that came otherwise; `source` as of LogReader::finish.
[[nodiscard]] LogReading log_of_entries(std::vector<LogEntry> entries, int lines);

// Reads a log while it is written. Understands "SpecDecoding metrics:" and "Speculative metrics:" (vLLM),
// "Decode batch" with "accept len" (SGLang); of llama.cpp "draft acceptance =" with what follows on lines of its
// own, "statistics", "accepted A/ D draft tokens", "adaptive draft depth", and the totals of its examples; the tables
// of bench_output.h, "DiffusionDecoding metrics:" (vLLM), and lines of MLX servers.
class LogReader {
  public:
    LogReader();
    ~LogReader();
    // An entry is handed on once no line that may follow adds to it, or flush() comes.
    void on_entry(std::function<void(const LogEntry&)> reported);
    void push(std::string_view bytes);
    void flush(); // nothing more came for a while
    // Throws Error when no line speaks of acceptance.
    [[nodiscard]] LogReading finish(const std::string& source);

  private:
    struct State;
    std::unique_ptr<State> state_;
};
[[nodiscard]] LogReading parse_log(std::string_view text, const std::string& source); // throws as above

} // namespace speclens
