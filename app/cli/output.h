// Where results go. Standard output is buffered and checked: a reader that went away ends the program quietly
// (exit 0: `speclens list drafters | head -1` is no failure), a full disk is an error. Files are written
// beside their final name and renamed, so that a failure leaves the old file intact.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

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

// A bar on a terminal, a plain line now and then elsewhere; on standard error. It goes on being drawn while nobody calls it, so that
// what takes minutes for one of its units is seen to go on from the first on; whatever is printed or said takes it away until it is shown
// again.
class ProgressBar {
  public:
    ProgressBar() = default;
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();
    // `total` 0: nobody knows how much there is.
    void show(const std::string& what, double done, double total, const std::string& unit);
    void clear();

  private:
    void draw(bool again); // mutex_ is held; again: nobody called
    void erase();

    std::mutex mutex_;
    bool drawn_ = false, idle_ = true;           // idle: cleared since it was shown
    double first_ = 0, last_ = 0, changed_ = 0;  // seconds, steady clock
    double begun_at_ = 0, done_ = 0, total_ = 0; // of what is counted
    std::string what_, unit_;
    bool ends_ = false;
    std::condition_variable ending_; // nobody must wait for the end of a sleep
    std::thread drawing_;            // last: it looks at all the others. Not a jthread, which the library of a page lacks
};

// ", about 4 minutes left" after `seconds` for `done` of what is counted, with `left` to come; empty: soon, or not known yet.
// `since`: how many of these seconds the unit that is under way has taken.
[[nodiscard]] std::string time_left(double seconds, double done, double left, double since = 0);

// One line on standard error, "speclens: …".
void say(const std::string& text);

} // namespace speclens::cli
