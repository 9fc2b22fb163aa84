#include "engine/fetch/child.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/error.h"

extern char** environ; // NOLINT: POSIX has it without a header

namespace speclens {

namespace {

constexpr std::size_t kKeptErrors = 16 << 10;
constexpr auto kTick = std::chrono::milliseconds(100);
constexpr auto kGrace = std::chrono::seconds(2); // between the request to end and the order

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw Error(std::string("no pipe for a program: ") + std::strerror(errno), "Close other programs.", Exit::device);
        read = ends[0], write = ends[1];
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_read();
        close_write();
    }
    void close_read() {
        if (read >= 0) close(read);
        read = -1;
    }
    void close_write() {
        if (write >= 0) close(write);
        write = -1;
    }
};

// What the program is started with, made before the fork: a child of a process with threads must not allocate.
struct Words {
    std::vector<std::string> arguments, environment;
    std::vector<char*> args, env;

    explicit Words(const ChildStart& start) : arguments(start.arguments) {
        for (char** entry = environ; *entry; ++entry) {
            const std::string text = *entry;
            if (!start.environment.contains(text.substr(0, text.find('=')))) environment.push_back(text);
        }
        for (const auto& [name, value] : start.environment) environment.push_back(name + "=" + value);
        for (std::string& word : arguments) args.push_back(word.data());
        for (std::string& entry : environment) env.push_back(entry.data());
        args.push_back(nullptr);
        env.push_back(nullptr);
    }
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;
};

// Not before it is guarded: whoever starts us may be killed at any time.
[[noreturn]] void become(const Words& words, const char* folder, int null, int errors, int failed, Pipe& guarded) {
    setpgid(0, 0);
    guarded.close_write();
    char word = 0;
    ssize_t got = 0;
    do got = read(guarded.read, &word, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1) _exit(127);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(errors, 2) == 2 && chdir(folder) == 0)
        execvpe(words.args[0], words.args.data(), words.env.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t sent = write(failed, &reason, sizeof reason);
    _exit(127);
}

// A process that ends a group when this one is gone without a word, as SIGKILL leaves it. It sleeps in read() and
// holds what was open here: so a lock of ours is free once the group has ended.
class Guard {
  public:
    Guard(pid_t group, const Pipe& here, Pipe& guarded) : here_(here), process_(fork()) {
        if (process_ != 0) return;
        setpgid(0, 0); // no Ctrl+C of the terminal's
        guarded.close_write();
        close(here.write);
        char word = 0;
        ssize_t got = 0;
        do got = read(here.read, &word, 1);
        while (got < 0 && errno == EINTR);
        if (got == 0) kill(-group, SIGKILL);
        _exit(0);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
        if (process_ <= 0) return;
        [[maybe_unused]] const ssize_t sent = write(here_.write, "", 1);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    [[nodiscard]] bool stands() const { return process_ > 0; }

  private:
    const Pipe& here_; // both ends are open here
    pid_t process_;
};

// A child that is ended with its whole group unless it ended by itself.
class Group {
  public:
    explicit Group(pid_t leader) : leader_(leader) {}
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() {
        if (leader_ <= 0) return;
        kill(-leader_, SIGTERM);
        const auto bound = std::chrono::steady_clock::now() + kGrace;
        while (!ended() && std::chrono::steady_clock::now() < bound) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        reap();
    }
    // Its number stays taken until reap(), so that no group of somebody else can be hit.
    [[nodiscard]] bool ended() const {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
    }
    int reap() {
        kill(-leader_, SIGKILL); // those of the group that went on
        int status = 0;
        while (waitpid(leader_, &status, 0) < 0 && errno == EINTR) {
        }
        leader_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

  private:
    pid_t leader_;
};

ssize_t read_some(int from, std::string& text) {
    std::array<char, 4096> block{};
    const ssize_t got = read(from, block.data(), block.size());
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > kKeptErrors) text.erase(0, text.size() - kKeptErrors);
    return got;
}

// errno of the child's exec, 0 when it runs.
int start_error(int from) {
    int reason = 0;
    ssize_t got = 0;
    do got = read(from, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == sizeof reason ? reason : 0;
}

} // namespace

ChildEnd run_child(const ChildStart& start, const std::function<void()>& tick) {
    CHECK(!start.arguments.empty(), "a program without a name");
    const Words words(start);
    const std::string folder = start.folder.string();
    Pipe errors, failed, here, guarded;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) become(words, folder.c_str(), null, errors.write, failed.write, guarded);
    if (null >= 0) close(null);
    if (child < 0) throw Error("cannot start " + start.arguments[0] + ": " + std::strerror(errno), "Close other programs.", Exit::device);
    setpgid(child, child); // here as well: whoever comes first
    errors.close_write();  // so that the guard holds none of the ends whose closing says something
    failed.close_write();
    const Guard guard(child, here, guarded); // before the group, so that it stands until the group has ended
    Group group(child);
    if (!guard.stands()) throw Error(std::string("cannot start a process: ") + std::strerror(errno), "Close other programs.", Exit::device);
    [[maybe_unused]] const ssize_t sent = write(guarded.write, "", 1);
    ChildEnd end;
    end.start_failed = start_error(failed.read);
    fcntl(errors.read, F_SETFL, O_NONBLOCK);

    using Clock = std::chrono::steady_clock;
    auto next = Clock::now() + kTick;
    for (bool open = true; !group.ended();) {
        if (Clock::now() >= next) {
            if (tick) tick();
            next = Clock::now() + kTick;
        }
        pollfd wait{open ? errors.read : -1, POLLIN, 0};
        if (poll(&wait, 1, 20) <= 0) continue;
        const ssize_t got = read_some(errors.read, end.errors);
        open = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
    }
    end.code = group.reap();
    constexpr int kBlocksOfAPipe = 16; // what it can hold; whoever left the group may write for ever
    for (int i = 0; i < kBlocksOfAPipe && read_some(errors.read, end.errors) > 0; ++i) {
    }
    return end;
}

} // namespace speclens
