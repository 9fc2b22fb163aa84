#include "tests/web/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ; // NOLINT: POSIX names it

namespace speclens::test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

} // namespace

std::string in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const std::string file = folder + "/" + program; access(file.c_str(), X_OK) == 0) return file;
    return "";
}

std::vector<std::string> own_environment() {
    std::vector<std::string> result;
    for (char** one = environ; *one != nullptr; ++one) result.emplace_back(*one);
    return result;
}

Child::Child(std::vector<std::string> arguments, std::vector<std::string> environment, int handed) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (handed >= 0) posix_spawn_file_actions_adddup2(&actions, handed, 3);
    const int failed =
        posix_spawnp(&pid_, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0) return;
    pid_ = 0;
    throw std::runtime_error(arguments.front() + " cannot be started");
}

Child::~Child() { stop(); }

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

Child& Child::operator=(Child&& other) noexcept {
    if (this == &other) return *this;
    stop();
    pid_ = std::exchange(other.pid_, 0);
    return *this;
}

bool Child::ended(int within_ms) {
    for (int waited = 0; pid_ > 0; waited += 20) {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
        if (pid_ == 0 || waited >= within_ms) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return pid_ == 0;
}

void Child::stop() {
    if (pid_ == 0) return;
    kill(pid_, SIGTERM);
    if (ended(10000)) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

} // namespace speclens::test
