// Starts the program in a process of its own, with exactly the environment, input and output a test asks for.
#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {

struct Outcome {
    int code = -1; // exit code; 128 + signal when a signal ended it
    std::string out, err;
};

struct Start {
    std::vector<std::string> arguments;
    std::string input;                              // standard input
    bool input_goes_on = false;                     // it has no end
    std::map<std::string, std::string> environment; // on top of PATH and HOME only: no display, no NO_COLOR
    std::string out_file;                           // standard output goes to this file instead of Outcome::out
    bool out_closed = false;                        // standard output is not open at all
    bool reader_gone = false;                       // standard output is a pipe that nobody reads
    long file_limit = 0;                            // bytes a file may have (a full disk); 0: no limit
    int interrupt_after_ms = 0;                     // SIGINT after so long; 0: never
    std::string interrupt_when;                     // SIGINT as soon as standard output says this; empty: never
    bool interrupt_when_read = false;               // with input_goes_on: SIGINT as soon as all of it was taken
    int signal = SIGINT;                            // sent instead
    std::string program = SPECLENS_PROGRAM;
};

[[nodiscard]] Outcome speclens(const Start& start);
[[nodiscard]] inline Outcome speclens(std::vector<std::string> arguments) {
    Start start;
    start.arguments = std::move(arguments);
    return speclens(start);
}

// The outcome of interrupting it later and later until it has got so far: how long that takes depends on the machine.
[[nodiscard]] Outcome interrupted_when(Start start, const std::function<bool(const Outcome&)>& far_enough);

void write_file(const std::filesystem::path& file, const std::string& text);
[[nodiscard]] std::string read_file(const std::filesystem::path& file);
[[nodiscard]] std::vector<Json> lines_of(const std::string& text); // of JSON Lines

[[nodiscard]] std::string table_file();  // a table model of six words, made for the tests
[[nodiscard]] std::string micro_model(); // a random Qwen3 checkpoint of a few kilobytes, with a tokenizer

} // namespace speclens::test
