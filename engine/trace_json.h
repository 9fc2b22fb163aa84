// Traces as JSON Lines, schema "speclens-trace/1": one event a line (kinds and fields: design page, section 10).
// A file opens without the models: token texts travel with the events that first mention an id.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>

#include "engine/trace.h"

namespace speclens {

// Writes events as they come; remembers which token texts were already written.
class TraceWriter {
  public:
    explicit TraceWriter(const Trace& trace) : trace_(&trace) {}
    [[nodiscard]] std::string line(const Event& event);  // without the newline

  private:
    const Trace* trace_;
    std::set<int> named_;
};

// Whole trace to a file: written beside it and renamed, so a full disk leaves the old file intact. Throws Error.
void save_trace(const Trace& trace, const std::filesystem::path& file);

// Throws Error with the line number and what was expected. A file cut off in the middle of its last line
// (killed while writing) loads up to there; `notice` then says so. Tier becomes RECORDED.
[[nodiscard]] std::shared_ptr<Trace> load_trace(const std::filesystem::path& file, std::string* notice = nullptr);
[[nodiscard]] std::shared_ptr<Trace> read_trace(std::istream& in, const std::string& name, std::string* notice = nullptr);

}  // namespace speclens
