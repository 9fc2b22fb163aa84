// `speclens get`: public models onto this disk, or which there are. `--ask`: the question that ./run puts once before the window opens.
#include <cstdlib>
#include <fstream>

#include <poll.h>
#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/base/json.h"
#include "engine/fetch/fetch.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "files/atomic_file.h"

namespace speclens::cli {

namespace {

namespace fs = std::filesystem;

const Fetchable& asked_for(const Options& options) {
    if (options.words.empty()) throw Error("--ask wants the name of a model", "For example: speclens get smollm2 --ask.", Exit::usage);
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

std::string size_of(const Fetchable& what) { return number(static_cast<double>(bytes_with_draft(what)) / 1e6, 0) + " MB"; }

Exit ask(const Fetchable& what) {
    if (is_fetched(what) || was_declined(what.name) || default_model(assets_folder()) != kBuiltInModel) return Exit::failed;
    const std::string about = what.title + " (" + size_of(what) + " download, " + what.licence + ")";
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

Exit list_fetchables(const Options& options) {
    if (!options.json.empty()) {
        OrderedJson json = OrderedJson::array();
        for (const Fetchable& one : fetchables()) {
            const OpeningView opening = opening_view(one.name, assets_folder());
            json.push_back({{"name", one.name},
                            {"title", title_with_draft(one)},
                            {"bytes", bytes_with_draft(one)},
                            {"licence", one.licence},
                            {"opens_with", opening.drafter},
                            {"measured", opening.measured},
                            {"here", is_fetched(one)}});
        }
        print(json.dump(2, BadUtf8::replaced) + "\n");
        return Exit::ok;
    }
    for (const Fetchable& one : fetchables())
        print(pad(one.name, 11) + pad_left(size_of(one), 8) + "  " + one.licence + "  " + title_with_draft(one) +
              (is_fetched(one) ? " (is here)" : "") + "\n");
    print("Fetch one: speclens get NAME. Then: speclens run --model NAME\n");
    return Exit::ok;
}

FetchSettings settings_of(const Options& options) {
    std::error_code ignored;
    if (!options.ca.empty() && !fs::is_regular_file(options.ca, ignored))
        throw Error("--ca " + options.ca.string() + ": no such file", "Give a file of certificates in PEM.", Exit::usage);
    return {options.from, options.ca.string(), assets_folder() / "licences"};
}

OrderedJson json_of(const Fetchable& what, const Fetched& fetched) {
    OrderedJson json = {{"name", what.name},        {"path", fetched.file.string()}, {"bytes", fetched.bytes},
                        {"sha256", fetched.sha256}, {"licence", what.licence},       {"fetched", !fetched.from.empty()}};
    if (!fetched.from.empty()) json["from"] = fetched.from;
    return json;
}

} // namespace

Exit command_get(const Options& options) {
    if (options.words.empty() && !options.ask) return list_fetchables(options);
    const Fetchable& what = asked_for(options);
    if (options.ask) return ask(what);
    ProgressBar bar;
    const Progress progress{
        [&](const std::string& doing, double done, double total, const std::string& unit) { bar.show(doing, done, total, unit); },
        &interrupted()};
    const std::vector<const Fetchable*> files = with_draft(what); // the one that was asked for comes last
    const std::vector<Fetched> fetched =
        fetch_models(files, fetched_folder(), settings_of(options), progress, [&](const std::string& text) {
            bar.clear();
            say(printable(text));
        });
    bar.clear();
    if (!options.json.empty()) {
        OrderedJson json = json_of(what, fetched.back());
        if (files.size() > 1) json["draft"] = json_of(*files.front(), fetched.front());
        print(json.dump(2, BadUtf8::replaced) + "\n");
        return Exit::ok;
    }
    for (std::size_t i = 0; i < files.size(); ++i)
        print(files[i]->title + (fetched[i].from.empty() ? " is here already" : " was fetched") +
              ", checked: " + megabytes(static_cast<double>(fetched[i].bytes)) + ", " + files[i]->licence +
              (fetched[i].from.empty() ? "" : ", from " + fetched[i].from) + "\n" + printable(fetched[i].file.string()) + "\n");
    print("Try it: speclens run --model " + what.name + " --chat --prompt \"Explain why the sky is blue\"" +
          (what.draft.empty() ? " --drafter lookup" : "") + "\n");
    return Exit::ok;
}

} // namespace speclens::cli
