#include "app/window/file_dialog.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "kernels/error.h"

extern char** environ; // NOLINT: POSIX names it

namespace speclens {
namespace {

std::string found_on_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string_view left = path ? path : "";
    while (!left.empty()) {
        const std::size_t end = std::min(left.find(':'), left.size());
        const std::string file = std::string(left.substr(0, end)) + "/" + name;
        if (end > 0 && access(file.c_str(), X_OK) == 0) return file;
        left.remove_prefix(std::min(left.size(), end + 1));
    }
    return "";
}

bool is_kdialog(const std::string& program) {
    return program.ends_with("kdialog");
}

} // namespace

std::string FileDialog::program() {
    const char* desktop = std::getenv("XDG_CURRENT_DESKTOP");
    const bool kde = desktop && std::string_view(desktop).find("KDE") != std::string_view::npos;
    // Each desktop's own first.
    const std::array<const char*, 2> names = kde ? std::array{"kdialog", "zenity"} : std::array{"zenity", "kdialog"};
    for (const char* name : names)
        if (std::string file = found_on_path(name); !file.empty()) return file;
    return "";
}

std::vector<std::string> FileDialog::command(const std::string& program, const FileQuestion& question) {
    const bool save = question.what == FileQuestion::For::save;
    // A model may be a folder: neither program offers both, and a folder can still be typed.
    const std::string filter = question.what == FileQuestion::For::model ? "*.gguf *.json"
                               : save                                    ? "*.png *.svg"
                                                                         : "*.jsonl *.json *.toml *.gguf";
    if (is_kdialog(program)) {
        std::vector<std::string> words = {program, "--title", question.title, save ? "--getsavefilename" : "--getopenfilename",
                                          question.start.empty() ? "." : question.start, filter};
        return words;
    }
    std::vector<std::string> words = {program, "--file-selection", "--title=" + question.title};
    if (!question.start.empty()) words.push_back("--filename=" + question.start);
    if (save) {
        words.push_back("--save");
        words.push_back("--confirm-overwrite");
    }
    words.push_back("--file-filter=" + filter);
    words.push_back("--file-filter=*");
    return words;
}

// What the thread that waits for the program shares with the window.
struct FileDialog::Asked {
    pid_t pid = -1;
    int out = -1; // of the program's words
    std::thread thread;
    mutable std::mutex mutex;
    std::optional<FileAnswer> answer;
    std::atomic<bool> closed = false; // by the window

    void read(const std::string& name, const std::function<void()>& notify) {
        std::string words;
        std::array<char, 4096> some{};
        for (ssize_t n = 0; (n = ::read(out, some.data(), some.size())) > 0;)
            words.append(some.data(), static_cast<std::size_t>(n));
        siginfo_t ended{};
        while (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
        }
        FileAnswer got;
        while (!words.empty() && (words.back() == '\n' || words.back() == '\r')) words.pop_back();
        const int code = ended.si_code == CLD_EXITED ? ended.si_status : -1;
        if (code == 0)
            got.path = words;
        else if (code != 1) // 1: closed without a choice
            got.problem = name + " showed no dialog";
        {
            const std::lock_guard lock(mutex); // whoever closes it ends this process and no other of its number
            waitpid(pid, nullptr, 0);
            pid = -1;
            answer = std::move(got);
        }
        if (!closed) notify();
    }
};

FileDialog::FileDialog(const FileQuestion& question, std::function<void()> notify) : asked_(std::make_unique<Asked>()) {
    const std::string file = program();
    if (file.empty())
        throw Error("no file dialog was found", "Type the path, or install zenity or kdialog.");
    std::vector<std::string> words = command(file, question);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw Error("no pipe for the file dialog", "Close other programs, or type the path.");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(&asked_->pid, file.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe[1]);
    if (failed != 0) {
        close(pipe[0]);
        throw Error(file + " could not be started", "Type the path instead.");
    }
    asked_->out = pipe[0];
    const std::string name = file.substr(file.rfind('/') + 1);
    asked_->thread = std::thread([asked = asked_.get(), name, notify = std::move(notify)] { asked->read(name, notify); });
}

FileDialog::~FileDialog() {
    asked_->closed = true;
    {
        const std::lock_guard lock(asked_->mutex);
        if (asked_->pid > 0) kill(asked_->pid, SIGTERM);
    }
    if (asked_->thread.joinable()) asked_->thread.join();
    if (asked_->out >= 0) close(asked_->out);
}

std::optional<FileAnswer> FileDialog::answer() const {
    const std::lock_guard lock(asked_->mutex);
    return asked_->answer;
}

} // namespace speclens
