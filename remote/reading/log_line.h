// A line of a server's log without what terminals and collectors of logs put around it: colours, a carriage
// return, JSON of its own (llama-server --log-jsonl, Docker's json-file, journalctl -o json, loggers of
// Python). Prefixes such as Kubernetes' time stamps stay: readers look for words inside a line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace speclens {

// One log message may have several lines: `take` gets each, without its end.
void each_message(std::string_view line, const std::function<void(std::string_view)>& take);

// Which of several programs wrote it, as far as its prefix says: "[53409]" of llama-server's router,
// "llama-server[812]" of journald, "api-1" of Docker Compose, "[pod/llm-0/server]" of kubectl. Empty: not said.
[[nodiscard]] std::string writer_of(std::string_view line);

} // namespace speclens
