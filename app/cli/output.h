// Where results go. Standard output is buffered and checked: a reader that went away ends the program quietly
// (exit 0: `speclens list drafters | head -1` is no failure), a full disk is an error. Files are written
// beside their final name and renamed, so that a failure leaves the old file intact.
#pragma once

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace speclens::cli {

struct ReaderGone {};  // standard output is a pipe that nobody reads any more
struct Interrupted {}; // Ctrl+C, after what was there has been saved

void print(std::string_view text); // standard output
void flush();                      // everything printed so far is out

// Once, at the start of main: closed descriptors, SIGPIPE, SIGINT and SIGTERM.
void prepare_process();
[[nodiscard]] const std::atomic<bool>& interrupted();
void stop_if_interrupted(); // throws Interrupted

// A result that is complete or not there. The name "-" is standard output.
class ResultFile {
  public:
    explicit ResultFile(std::filesystem::path file); // throws Error when it cannot be opened
    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;
    ~ResultFile(); // without commit(): the old file stays, the new one is dropped

    void write(std::string_view text);
    void flush();
    void commit();

  private:
    [[noreturn]] void fail(const char* doing);

    std::filesystem::path file_, written_;
    std::FILE* stream_ = nullptr; // nullptr: standard output
};

// A bar on a terminal, a plain line now and then elsewhere; on standard error.
class ProgressBar {
  public:
    ~ProgressBar();
    void show(const std::string& what, double done, double total, const std::string& unit);
    void clear();

  private:
    bool drawn_ = false;
    double first_ = 0, last_ = 0; // seconds, steady clock
    double begun_at_ = 0;         // of what is counted
    std::string what_;
};

// ", about 4 minutes left" after `seconds` for `done` of what is counted, with `left` to come; empty: soon, or not known yet.
[[nodiscard]] std::string time_left(double seconds, double done, double left);

// One line on standard error, "speclens: …".
void say(const std::string& text);

} // namespace speclens::cli
