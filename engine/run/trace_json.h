// Traces as JSON Lines, schema "speclens-trace/1": one event a line (kinds and fields are those of engine/run/trace.h).
// A file opens without the models: token texts travel with the events that first mention an id. Times are in ms and
// add up to the round: "ms" and "head_ms" of every "draft", "ms" and "draft_ms" of "verify" (the time of a draft that
// proposed nothing), "accept_ms" and "ms" of "commit". What is 0 or absent was not there or not timed. Where plain
// decoding was measured as well, a line of kind "plain" has its "ms_per_token". A run that was timed again and again has a
// line of kind "times" behind its events, for Trace::times(): "events", a list of [ms, the other time of the event] that take the place
// of those above, and how far they are known.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>

#include "engine/run/trace.h"

namespace speclens {

// Writes events as they come; remembers which token texts were already written.
class TraceWriter {
  public:
    explicit TraceWriter(const Trace& trace) : trace_(&trace) {}
    [[nodiscard]] std::string line(const Event& event); // without the newline
    // What is known behind the last event, a line each with its newline: Trace::plain_ms() and Trace::times().
    [[nodiscard]] std::string closing_lines() const;

  private:
    const Trace* trace_;
    std::set<int> named_;
};

// Whole trace to a file: written beside it and renamed, so a full disk leaves the old file intact. Throws Error.
void save_trace(const Trace& trace, const std::filesystem::path& file);

// Makes a trace of the lines of a file or a pipe, one after another. The trace may be read while it grows.
class TraceReader {
  public:
    explicit TraceReader(std::string name); // for messages
    // Throws Error with the line number and what was expected. `last`: nothing follows, so a line that breaks
    // off is left out, and notice() says so.
    void line(const std::string& text, bool last);
    [[nodiscard]] std::shared_ptr<Trace> trace() const { return trace_; }
    [[nodiscard]] const std::string& notice() const { return notice_; }

  private:
    struct Texts; // of token ids, as they were met
    std::string name_, notice_;
    int line_ = 0;
    std::shared_ptr<Texts> texts_;
    std::shared_ptr<Trace> trace_;
};

// Throws Error where a run was meant and a folder was given: what to do with one that holds a model.
void refuse_folder(const std::filesystem::path& file);
// Throws Error with the line number and what was expected. A file cut off in the middle of its last line
// (killed while writing) loads up to there; `notice` then says so. Tier becomes RECORDED. The file "-" is
// standard input.
[[nodiscard]] std::shared_ptr<Trace> load_trace(const std::filesystem::path& file, std::string* notice = nullptr);
[[nodiscard]] std::shared_ptr<Trace> read_trace(std::istream& in, const std::string& name, std::string* notice = nullptr);

} // namespace speclens
