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

#include "app/window/portal.h"
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

bool is_kdialog(const std::string& program) { return program.ends_with("kdialog"); }

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

bool FileDialog::possible() { return portal_there() || !program().empty(); }

std::vector<std::string> file_patterns(FileQuestion::For what) {
    if (what == FileQuestion::For::model) return {"*.gguf", "*.json"};
    if (what == FileQuestion::For::save) return {"*.png", "*.svg"};
    return {"*.jsonl", "*.json", "*.toml", "*.gguf"};
}

std::vector<std::string> FileDialog::command(const std::string& program, const FileQuestion& question) {
    const bool save = question.what == FileQuestion::For::save;
    // A model may be a folder: neither program offers both, and a folder can still be typed.
    std::string filter;
    for (const std::string& pattern : file_patterns(question.what)) filter += (filter.empty() ? "" : " ") + pattern;
    if (is_kdialog(program)) {
        std::vector<std::string> words = {program,
                                          "--title",
                                          question.title,
                                          save ? "--getsavefilename" : "--getopenfilename",
                                          question.start.empty() ? "." : question.start,
                                          filter};
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

// What the thread that waits for the dialog shares with the window.
struct FileDialog::Asked {
    pid_t pid = -1;
    int out = -1;                       // of the program's words
    std::array<int, 2> closing{-1, -1}; // the window writes into it to close the portal's dialog
    std::thread thread;
    mutable std::mutex mutex;
    std::optional<FileAnswer> answer;
    std::atomic<bool> closed = false; // by the window

    Asked() {
        if (pipe2(closing.data(), O_CLOEXEC) != 0) throw Error("no pipe for the file dialog", "Close other programs, or type the path.");
    }
    ~Asked() {
        for (const int end : {out, closing[0], closing[1]})
            if (end >= 0) close(end);
    }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;

    void start(const std::string& file, const FileQuestion& question);
    [[nodiscard]] FileAnswer read(const std::string& name);
    void give(FileAnswer got, const std::function<void()>& notify) {
        {
            const std::lock_guard lock(mutex);
            answer = std::move(got);
        }
        if (!closed) notify();
    }
};

void FileDialog::Asked::start(const std::string& file, const FileQuestion& question) {
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
    int failed = 0;
    {
        const std::lock_guard lock(mutex); // the window may close meanwhile
        failed = closed ? ECANCELED : posix_spawn(&pid, file.c_str(), &actions, nullptr, argv.data(), environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(pipe[1]);
    if (failed != 0) {
        close(pipe[0]);
        pid = -1;
        throw Error(file + " could not be started", "Type the path instead.");
    }
    out = pipe[0];
}

// What the program says until it ends.
FileAnswer FileDialog::Asked::read(const std::string& name) {
    std::string words;
    std::array<char, 4096> some{};
    for (ssize_t n = 0; (n = ::read(out, some.data(), some.size())) > 0;) words.append(some.data(), static_cast<std::size_t>(n));
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
    const std::lock_guard lock(mutex); // whoever closes it ends this process and no other of its number
    waitpid(pid, nullptr, 0);
    pid = -1;
    return got;
}

FileDialog::FileDialog(const FileQuestion& question, std::function<void()> notify) : asked_(std::make_unique<Asked>()) {
    const std::string file = program(), name = file.substr(file.rfind('/') + 1);
    Asked* asked = asked_.get();
    if (!portal_there()) {
        if (file.empty()) throw Error("no file dialog was found", "Type the path, or install zenity or kdialog.");
        asked->start(file, question);
        asked->thread = std::thread([asked, name, notify = std::move(notify)] { asked->give(asked->read(name), notify); });
        return;
    }
    asked->thread = std::thread([asked, file, name, question, notify = std::move(notify)] {
        FileAnswer answer = ask_portal(question, asked->closing[0]);
        if (!answer.problem.empty() && !file.empty() && !asked->closed) {
            try { // a portal without a desktop behind it
                asked->start(file, question);
                answer = asked->read(name);
            } catch (const Error& error) {
                answer.problem = error.what();
            }
        }
        asked->give(std::move(answer), notify);
    });
}

FileDialog::~FileDialog() {
    {
        const std::lock_guard lock(asked_->mutex);
        asked_->closed = true;
        if (asked_->pid > 0) kill(asked_->pid, SIGTERM);
    }
    const char word = 'x';
    (void)!write(asked_->closing[1], &word, 1);
    if (asked_->thread.joinable()) asked_->thread.join();
}

std::optional<FileAnswer> FileDialog::answer() const {
    const std::lock_guard lock(asked_->mutex);
    return asked_->answer;
}

} // namespace speclens
