#include "tests/app/cli/support.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "engine/base/json.h"

namespace speclens::test {

namespace {

using Clock = std::chrono::steady_clock;

// What the program is started with, made before the fork: a child of a process with threads must not
// allocate.
struct Words {
    std::string program;
    std::vector<std::string> environment, arguments;
    std::vector<char*> env, args;

    explicit Words(const Start& start) : program(start.program), arguments(start.arguments) {
        for (const char* name :
             {"PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "SPECLENS_ASSETS", "SPECLENS_CUDA_MODULE"})
            if (const char* value = std::getenv(name); value && !start.environment.contains(name))
                environment.push_back(std::string(name) + "=" + value);
        for (const auto& [name, value] : start.environment) environment.push_back(name + "=" + value);
        for (std::string& entry : environment) env.push_back(entry.data());
        env.push_back(nullptr);
        args.push_back(program.data());
        for (std::string& word : arguments) args.push_back(word.data());
        args.push_back(nullptr);
    }
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;
};

[[noreturn]] void become(const Start& start, const Words& words, int input, int output, int errors) {
    dup2(input, 0);
    dup2(errors, 2);
    if (start.out_closed)
        close(1);
    else
        dup2(output, 1);
    for (int fd = 3; fd < 64; ++fd) close(fd);
    if (start.file_limit > 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const auto bytes = static_cast<rlim_t>(start.file_limit);
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    execve(words.args[0], words.args.data(), words.env.data());
    _exit(127);
}

// Reads both ends until both are closed, so that neither pipe can fill up and block.
void collect(int in, int out, int err, const Start& start, pid_t child, Outcome& outcome) {
    const auto begun = Clock::now();
    bool interrupted = start.interrupt_after_ms == 0 && start.interrupt_when.empty() && !start.interrupt_when_read;
    pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        poll(ends, 2, 20);
        const bool late = start.interrupt_after_ms > 0 && Clock::now() - begun > std::chrono::milliseconds(start.interrupt_after_ms);
        const bool said = !start.interrupt_when.empty() && outcome.out.find(start.interrupt_when) != std::string::npos;
        int left = 1;
        const bool read_all = start.interrupt_when_read && ioctl(in, FIONREAD, &left) == 0 && left == 0;
        if (!interrupted && (late || said || read_all)) {
            kill(child, start.signal);
            interrupted = true;
        }
        for (int i = 0; i < 2; ++i) {
            if (ends[i].fd < 0 || ends[i].revents == 0) continue;
            char buffer[65536];
            const ssize_t got = read(ends[i].fd, buffer, sizeof buffer);
            if (got > 0)
                (i == 0 ? outcome.out : outcome.err).append(buffer, static_cast<std::size_t>(got));
            else
                ends[i].fd = -1;
        }
    }
}

} // namespace

Outcome speclens(const Start& start) {
    std::signal(SIGPIPE, SIG_IGN);
    int in[2], out[2], err[2];
    EXPECT_EQ(0, pipe(in) | pipe(out) | pipe(err));
    const int file = start.out_file.empty() ? -1 : open(start.out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (start.reader_gone) close(out[0]);
    const Words words(start);
    const pid_t child = fork();
    if (child == 0) become(start, words, in[0], file >= 0 ? file : out[1], err[1]);
    for (const int fd : {in[0], out[1], err[1], file})
        if (fd >= 0) close(fd);
    for (std::size_t at = 0; at < start.input.size();) {
        const ssize_t put = write(in[1], start.input.data() + at, start.input.size() - at);
        if (put <= 0) break;
        at += static_cast<std::size_t>(put);
    }
    if (!start.input_goes_on) close(in[1]);
    Outcome outcome;
    collect(in[1], start.reader_gone ? -1 : out[0], err[0], start, child, outcome);
    if (start.input_goes_on) close(in[1]);
    if (!start.reader_gone) close(out[0]);
    close(err[0]);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

Outcome interrupted_when(Start start, const std::function<bool(const Outcome&)>& far_enough) {
    Outcome outcome;
    for (start.interrupt_after_ms = 250; start.interrupt_after_ms <= 64000; start.interrupt_after_ms *= 2)
        if (outcome = speclens(start); far_enough(outcome)) break;
    return outcome;
}

void write_file(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
}

std::string table_file() {
    const std::filesystem::path file = fresh_folder() / "table.json";
    write_file(file,
               R"({"schema":"speclens-table/1","vocab":6,"texts":["The"," cat"," sat"," on"," the"," mat"],
"target":{"":[0.6,0.1,0.1,0.1,0.05,0.05],"0":[0.02,0.8,0.05,0.03,0.05,0.05],"1":[0.02,0.02,0.7,0.16,0.05,0.05],
          "2":[0.1,0.05,0.05,0.7,0.05,0.05],"3":[0.05,0.05,0.05,0.05,0.75,0.05],"4":[0.02,0.4,0.03,0.05,0.1,0.4],
          "5":[0.5,0.1,0.1,0.1,0.1,0.1]},
"draft":{"":[0.4,0.2,0.1,0.1,0.1,0.1],"0":[0.05,0.6,0.1,0.1,0.1,0.05],"1":[0.1,0.1,0.5,0.1,0.1,0.1],
         "2":[0.1,0.1,0.1,0.5,0.1,0.1],"3":[0.05,0.05,0.05,0.05,0.65,0.15],"4":[0.02,0.6,0.03,0.05,0.1,0.2],
         "5":[0.3,0.2,0.2,0.1,0.1,0.1]}})");
    return file.string();
}

std::string micro_model() { return SPEC_SOURCE_DIR "/tests/engine/golden/micro_qwen3"; }

} // namespace speclens::test
