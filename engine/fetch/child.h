// Another program, started by its argument vector (never by a shell) in a process group of its own, so that ending it
// ends its children too. Its standard input is empty, its standard output is dropped, the end of its standard error
// is kept.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace speclens {

struct ChildStart {
    std::vector<std::string> arguments;             // [0]: the program, looked for in PATH
    std::filesystem::path folder;                   // where it runs
    std::map<std::string, std::string> environment; // on top of ours
};

struct ChildEnd {
    int code = 0;         // exit code; 128 + signal when a signal ended it
    int start_failed = 0; // errno of a program that could not be started, 0: it ran
    std::string errors;   // the last 16 KB of its standard error
};

// Returns when it has ended. `tick` is called ten times a second; what it throws ends the child and all of its group
// first. Should this process be killed, they are too. One at a time in a process.
[[nodiscard]] ChildEnd run_child(const ChildStart& start, const std::function<void()>& tick);

} // namespace speclens
