#include "remote/same/started_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "kernels/error.h"

namespace speclens {
namespace {

constexpr auto kGrace = std::chrono::seconds(5); // between the request to end and the order
constexpr off_t kKeptWords = 2000;

[[noreturn]] void cannot_start(const char* what) {
    throw Error(std::string("cannot start a server: ") + what + ": " + std::strerror(errno), "Close other programs.", Exit::device);
}

// One that is free now; whoever else asks the system for one meanwhile gets another.
int free_port() {
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool found = probe >= 0 && bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    const int reason = errno;
    if (probe >= 0) close(probe);
    errno = reason;
    if (!found) cannot_start("no port");
    return ntohs(address.sin_port);
}

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
    if (text.find(mark) == std::string::npos)
        throw Error("--command has no " + mark,
                    "For example: --command 'llama-server -m model.gguf -md draft.gguf --draft-max {k} --port {port}'", Exit::usage);
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) text.replace(at, mark.size(), value);
    return text;
}

} // namespace

struct StartedServer::State {
    Endpoint endpoint;
    std::string command;
    pid_t leader = -1;
    int input = -1; // held open: some servers end with their standard input
    int words = -1; // a file without a name

    ~State() {
        if (input >= 0) close(input);
        if (leader > 0) {
            kill(-leader, SIGTERM);
            const auto bound = std::chrono::steady_clock::now() + kGrace;
            while (!gone() && std::chrono::steady_clock::now() < bound) std::this_thread::sleep_for(std::chrono::milliseconds(10));
            kill(-leader, SIGKILL); // those of the group that went on
            while (waitpid(leader, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
        if (words >= 0) close(words);
    }
    // Its number stays taken until it is waited for, so that no group of somebody else can be hit.
    [[nodiscard]] bool gone() const {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
    }
};

StartedServer::StartedServer(const std::string& command, int k) : state_(std::make_unique<State>()) {
    State& s = *state_;
    const std::string with_k = replaced(command, "{k}", std::to_string(k)), port = std::to_string(free_port());
    s.command = replaced(with_k, "{port}", port);
    s.endpoint = parse_endpoint("127.0.0.1:" + port);
    if (std::FILE* file = std::tmpfile()) {
        s.words = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
        std::fclose(file);
    }
    std::array<int, 2> input{};
    if (s.words < 0 || pipe2(input.data(), O_CLOEXEC) != 0) cannot_start("no file for its words");
    s.input = input[1];
    const pid_t here = getpid();
    s.leader = fork();
    if (s.leader == 0) {
        setpgid(0, 0); // no Ctrl+C of the terminal's
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != here) _exit(127);
        std::signal(SIGPIPE, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        if (dup2(input[0], 0) == 0 && dup2(s.words, 1) == 1 && dup2(s.words, 2) == 2)
            execl("/bin/sh", "sh", "-c", s.command.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(input[0]);
    if (s.leader < 0) cannot_start("no process");
    setpgid(s.leader, s.leader); // here as well: whoever comes first
}

StartedServer::~StartedServer() = default;

const Endpoint& StartedServer::endpoint() const { return state_->endpoint; }
const std::string& StartedServer::command() const { return state_->command; }
bool StartedServer::ended() { return state_->gone(); }

std::string StartedServer::last_words() const {
    struct stat file {};
    const off_t size = fstat(state_->words, &file) == 0 ? file.st_size : 0;
    std::string text(static_cast<std::size_t>(std::min(size, kKeptWords)), '\0');
    const ssize_t got = size > 0 ? pread(state_->words, text.data(), text.size(), size - static_cast<off_t>(text.size())) : 0;
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return text;
}

} // namespace speclens
