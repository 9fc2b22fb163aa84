#include "app/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>

#include "app/cli/calls/listener.h"
#include "engine/base/threads.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

std::atomic<bool> g_interrupted{false}; // the one thing a signal handler may touch
static_assert(std::atomic<bool>::is_always_lock_free);
Listener* g_listener = nullptr;
std::mutex g_bar_mutex;                   // is taken before that of the bar
std::atomic<ProgressBar*> g_bar{nullptr}; // the one that was shown last; written under the mutex

extern "C" void on_interrupt(int) { g_interrupted.store(true); }

[[noreturn]] void output_failed(int reason) {
    if (reason == EPIPE) throw ReaderGone{};
    throw Error(std::string("standard output: ") + std::strerror(reason), "Free some space or write somewhere else.", Exit::model);
}

// Of /dev/stdout, its like and /dev/fd/N: what is open there is written on, be it a file; a rename would
// put a file in the place of the name itself. -1: another name.
int descriptor_of(const std::filesystem::path& file) {
    const std::string name = file.lexically_normal().string();
    if (name == "/dev/stdin") return STDIN_FILENO;
    if (name == "/dev/stdout") return STDOUT_FILENO;
    if (name == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!name.starts_with(folder)) continue;
        int number = -1;
        const char* end = name.data() + name.size();
        return std::from_chars(name.data() + folder.size(), end, number).ptr == end ? number : -1;
    }
    return -1;
}

void clear_bar() {
    const std::lock_guard lock(g_bar_mutex);
    if (ProgressBar* bar = g_bar.load()) bar->clear();
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

} // namespace

void set_listener(Listener& listener) { g_listener = &listener; }
bool is_listened_to() { return g_listener != nullptr; }

void prepare_process() {
    // A closed descriptor would be given to the next file that is opened, and results would land in it.
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            const int opened = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); // using it still fails
            if (opened != fd && opened >= 0) close(opened);
        }
    std::signal(SIGPIPE, SIG_IGN);
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND); // a second Ctrl+C ends the process at once
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) // nohup goes on
        sigaction(SIGHUP, &action, nullptr);                                      // the terminal went away
}

const std::atomic<bool>& interrupted() { return g_listener ? g_listener->stop : g_interrupted; }

void stop_if_interrupted() {
    if (interrupted().load()) throw Interrupted{};
}

void print(std::string_view text) {
    if (g_listener) return g_listener->printed(text);
    clear_bar();
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_failed(errno);
}

void flush() {
    errno = 0;
    if (!g_listener && std::fflush(stdout) != 0) output_failed(errno);
}

ResultFile::ResultFile(std::filesystem::path file) : file_(std::move(file)) {
    if (file_ == "-") return;
    const int open_already = descriptor_of(file_);
    if (open_already < 0) file_ = behind_links(file_);
    std::error_code ignored;
    const bool special = std::filesystem::exists(file_, ignored) && !std::filesystem::is_regular_file(file_, ignored);
    written_ = file_;
    stream_ = open_already >= 0 ? fdopen(fcntl(open_already, F_DUPFD_CLOEXEC, 3), "wb")
              : special         ? std::fopen(written_.c_str(), "wb")
                                : create_beside(file_, written_);
    if (!stream_)
        throw Error(file_.string() + ": cannot be written: " + std::strerror(errno), "Does the folder exist, and may you write there?");
}

ResultFile::~ResultFile() {
    if (!stream_) return;
    std::fclose(stream_);
    std::error_code ignored;
    if (written_ != file_) std::filesystem::remove(written_, ignored);
}

void ResultFile::fail(const char* doing) {
    const int reason = errno;
    throw Error(file_.string() + ": " + doing + ": " + std::strerror(reason),
                written_ == file_ ? "Write somewhere else." : "Free some space; the old file, if there was one, is unchanged.");
}

void ResultFile::write(std::string_view text) {
    if (!stream_) {
        print(text);
        return;
    }
    if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail("cannot be written");
}

void ResultFile::flush() {
    if (!stream_) {
        cli::flush();
        return;
    }
    if (std::fflush(stream_) != 0) fail("cannot be written");
}

void ResultFile::commit() {
    flush();
    if (!stream_) return;
    const bool closed = std::fclose(stream_) == 0;
    stream_ = nullptr;
    if (!closed) {
        const int reason = errno;
        if (written_ != file_) std::remove(written_.c_str());
        errno = reason;
        fail("cannot be written");
    }
    if (written_ == file_) return;
    if (std::rename(written_.c_str(), file_.c_str()) == 0) return;
    const int reason = errno;
    std::remove(written_.c_str());
    errno = reason;
    fail("cannot be renamed");
}

ProgressBar::~ProgressBar() {
    {
        const std::lock_guard lock(g_bar_mutex);
        if (g_bar.load() == this) g_bar.store(nullptr);
    }
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    ending_.notify_one();
    if (drawing_.joinable()) drawing_.join();
    erase();
}

void ProgressBar::erase() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
    drawn_ = false;
}

void ProgressBar::clear() {
    const std::lock_guard lock(mutex_);
    erase();
    idle_ = true;
}

std::string time_left(double seconds, double done, double left, double since) {
    constexpr double kWorthSaying = 10, kKnownAfter = 3;
    if (seconds < kKnownAfter || done <= 0 || left <= 0) return "";
    // The unit under way is as long as the others; once it is longer, the others may be as well.
    const double rest = std::max((seconds - since) / done * left - since, seconds / (done + 1) * (left - 1));
    if (rest < kWorthSaying) return "";
    char text[48];
    if (rest < 90)
        std::snprintf(text, sizeof text, ", about %.0f s left", std::ceil(rest / 5) * 5);
    else if (rest < 5400)
        std::snprintf(text, sizeof text, ", about %.0f minutes left", std::ceil(rest / 60));
    else
        std::snprintf(text, sizeof text, ", about %.1f hours left", rest / 3600);
    return text;
}

void ProgressBar::show(const std::string& what, double done, double total, const std::string& unit) {
    if (g_listener) return g_listener->is_at(what, done, total, unit);
    {
        const std::lock_guard lock(g_bar_mutex);
        g_bar.store(this);
    }
    const std::lock_guard lock(mutex_);
    const double now = seconds();
    // One job goes on under several names: its percents do.
    if (what_.empty() || (what != what_ && (done < done_ || total != total_ || unit != unit_))) {
        first_ = last_ = changed_ = now;
        begun_at_ = done;
    } else if (done != done_) {
        changed_ = now;
    }
    what_ = what, done_ = done, total_ = total, unit_ = unit, idle_ = false;
    draw(false);
    if (drawing_.joinable() || !threads_possible()) return;
    drawing_ = std::thread([this] {
        std::unique_lock waiting(mutex_);
        while (!ending_.wait_for(waiting, std::chrono::milliseconds(100), [this] { return ends_; }))
            if (g_bar.load() == this) draw(true);
    });
}

void ProgressBar::draw(bool again) {
    constexpr double kSilent = 0.4; // short jobs
    const double now = seconds();
    if (idle_ || now - first_ < kSilent) return;
    const bool tty = isatty(STDERR_FILENO) == 1, told = last_ > first_;
    if (tty ? told && now - last_ < (again ? 1.0 : 0.1) : now - last_ < 10 || (again && told))
        return; // in a log what stands still is told once
    last_ = now;
    const double share = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0;
    char numbers[96] = "";
    if (total_ > 0)
        std::snprintf(numbers, sizeof numbers, "%.0f of %.0f %s%s", done_, total_, unit_.c_str(),
                      time_left(now - first_, done_ - begun_at_, total_ - done_, now - changed_).c_str());
    if (!tty) {
        std::fprintf(stderr, "speclens: %s%s%s\n", what_.c_str(), total_ > 0 ? ": " : "", numbers);
        return;
    }
    std::string bar;
    for (int i = 0; i < 24; ++i) bar += i < static_cast<int>(share * 24 + 0.5) ? "█" : "░";
    std::fprintf(stderr, "\r\x1b[K%s %s %s", what_.c_str(), bar.c_str(), numbers);
    std::fflush(stderr);
    drawn_ = true;
}

void say(const std::string& text) {
    if (g_listener) return g_listener->said(text);
    clear_bar();
    std::fprintf(stderr, "speclens: %s\n", text.c_str());
}

} // namespace speclens::cli
