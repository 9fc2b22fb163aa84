#include "app/c/worker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "app/c/frames.h"

extern "C" char** environ;

namespace speclens::calls {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kAskEvery = 50ms;
// A call that was stopped is waited for so long; then it ends by itself, and the next one waits for that.
constexpr auto kPatience = 200ms;

// Beside the library (a build folder), or where a package has it: the archive's start script first.
fs::path program_file() {
    if (const char* named = std::getenv("SPECLENS_PROGRAM"); named && *named) return named;
    Dl_info library{};
    std::error_code ignored;
    if (dladdr(reinterpret_cast<const void*>(&speclens_abi), &library) == 0) return {};
    const fs::path here = fs::canonical(library.dli_fname, ignored).parent_path(), prefix = here.parent_path().parent_path();
    for (const fs::path& candidate : {here / "speclens", prefix / "speclens", prefix / "bin" / "speclens"})
        if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored)) return candidate;
    return {};
}

speclens_kind not_started(speclens_result& result, const std::string& why) {
    result.error = "the program speclens could not be started: " + why;
    result.remedy = "It stands beside the library, or set SPECLENS_PROGRAM to its file.";
    return SPECLENS_MODEL;
}

// What a process starts with that must not get anything else of this one.
class Start {
  public:
    Start(int in, int out, int err) {
        posix_spawn_file_actions_init(&files_);
        const std::array from{in, out, err};
        for (int fd = 0; fd < 3; ++fd) posix_spawn_file_actions_adddup2(&files_, from[static_cast<std::size_t>(fd)], fd);
        posix_spawn_file_actions_addclosefrom_np(&files_, 3);
        posix_spawnattr_init(&attributes_);
        // Ctrl+C on a terminal is for this process, which then stops the call.
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
    }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    ~Start() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }
    [[nodiscard]] int run(const fs::path& program, pid_t& process) const {
        std::string name = program.string(), argument = kArgument;
        const std::array<char*, 3> words{name.data(), argument.data(), nullptr};
        return posix_spawn(&process, name.c_str(), &files_, &attributes_, words.data(), environ);
    }

  private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

void close_all(std::initializer_list<int> fds) {
    for (const int fd : fds)
        if (fd >= 0) close(fd);
}

// Of parts that each end in a 0.
std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> list;
    for (std::size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
        list.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    list.resize(4);
    return list;
}

double number(const std::string& text) { // whatever the locale of this process
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

Worker::Worker() = default;

Worker::~Worker() {
    close_all({to_, from_, errors_});
    if (process_ < 0) return;
    kill(process_, SIGKILL); // it would leave by itself, as nobody can ask any more, but needs not be waited for
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void Worker::forget() {
    close_all({to_, from_, errors_});
    to_ = from_ = errors_ = -1;
    process_ = -1;
}

speclens_kind Worker::start(speclens_result& result) {
    const fs::path program = program_file();
    if (program.empty()) return not_started(result, "it was not found");
    std::array<int, 2> asks{-1, -1}, answers{-1, -1};
    // A socket, because writing to one whose other end is closed need not be a signal.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, asks.data()) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0) {
        const std::string why = std::strerror(errno);
        close_all({asks[0], asks[1]});
        return not_started(result, why);
    }
    to_ = asks[0];
    from_ = answers[0];
    errors_ = memfd_create("speclens", MFD_CLOEXEC);
    const int failed = errors_ < 0 ? errno : Start(asks[1], answers[1], errors_).run(program, process_);
    close_all({asks[1], answers[1]});
    if (failed == 0) return SPECLENS_OK;
    process_ = -1;
    return not_started(result, program.string() + ": " + std::strerror(failed));
}

bool Worker::send_request(const std::string& name, const std::string& options) const {
    const std::string request = name + " " + std::to_string(options.size()) + "\n" + options;
    for (std::size_t at = 0; at < request.size();) {
        const ssize_t sent = send(to_, request.data() + at, request.size() - at, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return false;
        if (sent > 0) at += static_cast<std::size_t>(sent);
    }
    return true;
}

bool Worker::read_more() {
    std::array<char, 1 << 16> block;
    const ssize_t got = read(from_, block.data(), block.size());
    if (got > 0) came_.append(block.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

bool Worker::take_frames(speclens_result& result, speclens_kind& kind) {
    std::size_t at = 0;
    bool last = false;
    while (!last) {
        const std::size_t line = came_.find('\n', at);
        if (line == std::string::npos) break;
        const std::size_t bytes = std::strtoull(came_.c_str() + at + 2, nullptr, 10);
        if (came_.size() - line - 1 < bytes) break;
        const std::string_view payload = std::string_view(came_).substr(line + 1, bytes);
        switch (came_[at]) {
        case kText: result.text += payload; break;
        case kNotice: result.notices += payload; break;
        case kProgress: {
            const std::vector<std::string> progress = parts(payload);
            done_ = number(progress[0]);
            total_ = number(progress[1]);
            unit_ = progress[2];
            what_ = progress[3];
            break;
        }
        case kEnd: {
            const std::vector<std::string> end = parts(payload);
            kind = static_cast<speclens_kind>(std::atoi(end[0].c_str()));
            result.error = end[1];
            result.remedy = end[2];
            last = true;
            break;
        }
        default: break;
        }
        at = line + 1 + bytes;
    }
    came_.erase(0, at);
    return last;
}

// Why its process is gone: the last line that it wrote on standard error, and how it ended.
speclens_kind Worker::ended(speclens_result& result) {
    int status = 0;
    const bool known = process_ > 0 && waitpid(process_, &status, 0) == process_;
    process_ = -1;
    result.error = "the process of the engine ended";
    if (known && WIFSIGNALED(status)) result.error += std::string(" (") + strsignal(WTERMSIG(status)) + ")";
    std::array<char, 2000> said{};
    const off_t size = lseek(errors_, 0, SEEK_END);
    const ssize_t got = pread(errors_, said.data(), said.size(), std::max<off_t>(0, size - static_cast<off_t>(said.size())));
    std::string words(said.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (!words.empty()) result.error += ": " + words;
    result.remedy = "Open the model again; where memory was short, a smaller one.";
    return SPECLENS_ENDED;
}

speclens_kind Worker::call(const std::string& name, const std::string& options, const GoOn& go_on, speclens_result& result) {
    if (process_ < 0) {
        result.error = "the process of this model has ended";
        result.remedy = "Open the model again.";
        return SPECLENS_ENDED;
    }
    speclens_kind kind = SPECLENS_OK;
    what_.clear();
    unit_.clear();
    done_ = total_ = 0;
    if (!behind_ && !send_request(name, options)) return ended(result);
    auto asked = Clock::now();
    Clock::time_point stopped_at{};
    bool stopped = false;
    for (;;) {
        pollfd from{from_, POLLIN, 0};
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(asked + kAskEvery - Clock::now());
        const bool comes = poll(&from, 1, std::max(0, static_cast<int>(wait.count()))) > 0;
        if (comes && !read_more()) return ended(result);
        if (comes && behind_) { // of the call before
            speclens_result left;
            if (!take_frames(left, kind)) continue;
            behind_ = false;
            if (!send_request(name, options)) return ended(result);
        }
        if (comes && !behind_ && take_frames(result, kind)) return kind;
        if (Clock::now() - asked < kAskEvery) continue;
        asked = Clock::now();
        if (stopped && asked - stopped_at >= kPatience) break;
        if (stopped || go_on({what_.c_str(), done_, total_, unit_.c_str()})) continue;
        stopped = true;
        stopped_at = asked;
        if (behind_) break; // it had not begun
        if (!send_request(kStop, "")) return ended(result);
    }
    behind_ = true;
    result.error = "interrupted";
    return SPECLENS_STOPPED;
}

} // namespace speclens::calls
