// libspeclens.so as another program loads it: by dlopen, through the functions of its header alone.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/c/speclens.h"
#include "engine/base/json.h"
#include "tests/app/cli/support.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

#define SPEC_ENTRY(name) decltype(&speclens_##name) name = reinterpret_cast<decltype(&speclens_##name)>(dlsym(library, "speclens_" #name))
struct Library {
    void* library = dlopen(SPECLENS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    SPEC_ENTRY(abi);
    SPEC_ENTRY(version);
    SPEC_ENTRY(open);
    SPEC_ENTRY(close);
    SPEC_ENTRY(call);
    SPEC_ENTRY(result_text);
    SPEC_ENTRY(result_error);
    SPEC_ENTRY(result_remedy);
    SPEC_ENTRY(result_notices);
    SPEC_ENTRY(result_free);
};
#undef SPEC_ENTRY

const Library& lib() {
    static const Library library;
    return library;
}

struct Answer {
    speclens_kind kind = SPECLENS_OK;
    std::string text, error, remedy, notices;
};

Answer taken(speclens_kind kind, speclens_result* result) {
    Answer answer{kind, lib().result_text(result, nullptr), lib().result_error(result), lib().result_remedy(result),
                  lib().result_notices(result)};
    lib().result_free(result);
    return answer;
}

class Opened {
  public:
    explicit Opened(const std::string& json) {
        speclens_result* result = nullptr;
        const speclens_kind kind = lib().open(json.c_str(), nullptr, nullptr, &model, &result);
        answer = taken(kind, result);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { lib().close(model); }

    speclens_model* model = nullptr;
    Answer answer;
};

Answer call(speclens_model* model, const char* command, const std::string& json, speclens_callback callback = nullptr,
            void* user = nullptr) {
    speclens_result* result = nullptr;
    const speclens_kind kind = lib().call(model, command, json.c_str(), callback, user, &result);
    return taken(kind, result);
}

std::string hash_of(const std::string& trace) {
    const std::vector<Json> lines = lines_of(trace);
    for (const Json& line : lines)
        if (line.value("kind", "") == "stop") return line.at("hash").dump();
    return "no end in: " + trace.substr(0, 300);
}

const std::string kRun = R"({"prompt": "The capital of France is", "drafter": "small", "k": 4, "temp": 0.8, "seed": 9, "max_tokens": 24})";
const std::string kEndless = R"({"texts": 100000000})";

int stops(void* user, const speclens_progress*) {
    ++*static_cast<std::atomic<int>*>(user);
    return 1;
}
int stops_when_true(void* user, const speclens_progress*) { return static_cast<std::atomic<bool>*>(user)->load() ? 1 : 0; }

TEST(Library, ExportsItsFunctionsAndNothingElse) {
    ASSERT_TRUE(lib().library) << dlerror();
    const std::unique_ptr<FILE, int (*)(FILE*)> names(popen("nm -D --defined-only '" SPECLENS_LIBRARY "'", "r"), pclose);
    std::array<char, 512> line{};
    int functions = 0;
    while (fgets(line.data(), line.size(), names.get())) {
        const std::string text = line.data();
        const std::size_t name = text.rfind(' ') + 1;
        if (text.substr(name - 2, 1) == "A") continue; // the name of the version
        EXPECT_EQ(text.compare(name, 9, "speclens_"), 0) << text;
        ++functions;
    }
    EXPECT_EQ(functions, 10);
    EXPECT_EQ(lib().abi(), SPECLENS_ABI);
    EXPECT_STREQ(lib().version(), SPEC_VERSION);
}

TEST(Library, ItsHeaderIsC) {
    const std::string command = std::string("'") + SPEC_COMPILER +
                                "' -x c -std=c99 -Wall -Wextra -pedantic-errors -Werror -fsyntax-only '" + SPEC_SOURCE_DIR +
                                "/app/c/speclens.h'";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Library, RunsAsTheProgramDoes) {
    const Outcome program = speclens({"run", "--prompt", "The capital of France is", "--drafter", "small", "--k", "4", "--temp", "0.8",
                                      "--seed", "9", "--max-tokens", "24", "--json", "-"});
    ASSERT_EQ(program.code, 0) << program.err;
    const Opened opened(R"({"model": "tiny", "threads": 1})");
    ASSERT_EQ(opened.answer.kind, SPECLENS_OK) << opened.answer.error;
    const Answer run = call(opened.model, "run", kRun);
    ASSERT_EQ(run.kind, SPECLENS_OK) << run.error;
    EXPECT_EQ(lines_of(run.text).at(0).value("kind", ""), "header");
    EXPECT_EQ(hash_of(run.text), hash_of(program.out));
    EXPECT_EQ(hash_of(call(nullptr, "run", kRun).text), hash_of(program.out)) << "without a model that is open";
    // A prompt is a text whatever it begins with, a switch is true or false, null is nothing.
    const Answer at = call(opened.model, "run", R"({"prompt": "@nobody", "max_tokens": 2, "chat": false, "k": null, "timing": null})");
    ASSERT_EQ(at.kind, SPECLENS_OK) << at.error;
    EXPECT_EQ(lines_of(at.text).at(0).value("prompt_text", ""), "@nobody");
}

TEST(Library, ComparesSweepsAdvisesAndTests) {
    const Opened opened(R"({"model": "tiny"})");
    const auto json = [&](const char* command, const std::string& options) {
        const Answer answer = call(opened.model, command, options);
        EXPECT_TRUE(answer.kind == SPECLENS_OK || answer.kind == SPECLENS_FAILED) << command << ": " << answer.error;
        return Json::parse(answer.text);
    };
    const Json compared =
        json("compare", R"({"prompt": "One two three", "drafters": ["small", "lookup"], "k": [2, 4], "max_tokens": 8, "repeats": 1})");
    EXPECT_EQ(compared.at("schema"), "speclens-compare/2");
    EXPECT_EQ(compared.at("rows").size(), 5u) << "plain decoding, and two of each";
    EXPECT_EQ(json("sweep", R"({"drafters": "lookup", "concurrency": [1, 2], "for": 1, "max_tokens": 8})").at("schema"),
              "speclens-sweep/1");
    EXPECT_EQ(json("advise", R"({"drafters": "lookup", "k": 2, "for": 1, "max_tokens": 8})").at("schema"), "speclens-advice/1");
    const Json tested =
        json("lossless", R"({"texts": 200, "prompt": "The", "drafter": "small", "rule": "token", "top_k": 2, "max_tokens": 3, "k": 1})");
    EXPECT_EQ(tested.at("schema"), "speclens-lossless/1");
    EXPECT_EQ(tested.at("tests").size(), 1u);
    const Answer mistake = call(nullptr, "lossless", R"({"texts": 20000, "mistake": "bonus"})");
    EXPECT_EQ(mistake.kind, SPECLENS_FAILED);
    EXPECT_EQ(mistake.error, "");
    EXPECT_EQ(Json::parse(mistake.text).at("verdict"), "differs");
}

// A head that a call names is loaded for it and for those behind it; one that the models were opened with needs no folder again.
TEST(Library, LoadsHeadsOfYours) {
    const TempFolder folder;
    const std::filesystem::path head = folder.path() / "head";
    std::filesystem::copy(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models/eagle3", head);
    const Opened opened(R"({"model": "tiny", "drafters": {"eagle3": ")" + head.string() + R"("}})");
    ASSERT_EQ(opened.answer.kind, SPECLENS_OK) << opened.answer.error;
    const auto header = [&](const std::string& drafter) {
        const Answer run = call(opened.model, "run", R"({"prompt": "The", "max_tokens": 4, "drafter": ")" + drafter + R"("})");
        EXPECT_EQ(run.kind, SPECLENS_OK) << run.error;
        return run.text.empty() ? Json::object() : lines_of(run.text).at(0);
    };
    EXPECT_TRUE(header("eagle3").value("own_draft", false));
    const std::filesystem::path medusa = folder.path() / "medusa";
    std::filesystem::copy(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models/medusa", medusa);
    EXPECT_FALSE(header("medusa").value("own_draft", false));
    EXPECT_TRUE(header("medusa=" + medusa.string()).value("own_draft", false));
    EXPECT_TRUE(header("medusa").value("own_draft", false));
    EXPECT_TRUE(header("eagle3").value("own_draft", false));
}

TEST(Library, SaysWhatIsWrongAndWhatToTry) {
    const Opened opened(R"({"model": "tiny"})");
    struct Case {
        const char *command, *json, *error, *remedy;
    };
    for (const Case& c : {Case{"run", R"({"gamma": 4})", "--gamma", "--k"}, Case{"run", "[1]", "not a JSON object", "{\"prompt\""},
                          Case{"run", "{", "not a JSON object", "{\"prompt\""}, Case{"runn", "{}", "runn", "run"},
                          Case{"serve", "{}", "serve", "advise"}, Case{"run", R"({"json": "x.jsonl"})", "json", "Leave it out"},
                          Case{"run", R"({"threads": 2})", "threads", "Open them"}, Case{"run", R"({"k": true})", "k is neither", "--help"},
                          Case{"run", R"({"k": [[1]]})", "k: ", "[2, 4]"}, Case{"run", R"({"drafter": "smal"})", "smal", "small"},
                          Case{"lossless", "{}", "needs N", "--help"}, Case{"run", R"({"chat": 3})", "--chat takes no value", "alone"}}) {
        const Answer answer = call(opened.model, c.command, c.json);
        EXPECT_EQ(answer.kind, SPECLENS_USAGE) << c.command << c.json << answer.text;
        EXPECT_NE(answer.error.find(c.error), std::string::npos) << answer.error;
        EXPECT_NE(answer.remedy.find(c.remedy), std::string::npos) << answer.remedy;
    }
    EXPECT_EQ(Opened(R"({"model": "/no/such/model"})").answer.kind, SPECLENS_MODEL);
    EXPECT_EQ(Opened(R"({"k": 3})").answer.kind, SPECLENS_USAGE);
    EXPECT_EQ(Opened(R"({"modle": "tiny"})").answer.kind, SPECLENS_USAGE);
    EXPECT_EQ(call(nullptr, nullptr, "").kind, SPECLENS_USAGE);
    const Answer fine = call(opened.model, "run", kRun);
    EXPECT_EQ(fine.kind, SPECLENS_OK) << "behind all these: " << fine.error;
}

TEST(Library, ACallbackEndsACall) {
    const Opened opened(R"({"model": "tiny"})");
    std::atomic<int> asked = 0;
    const Answer answer = call(opened.model, "lossless", kEndless, stops, &asked);
    EXPECT_EQ(answer.kind, SPECLENS_STOPPED);
    EXPECT_EQ(answer.error, "interrupted");
    EXPECT_EQ(asked, 1) << "not again after it said so";
}

TEST(Library, ACallThatWaitsForItsTurnIsStoppedToo) {
    const Opened opened(R"({"model": "tiny"})");
    std::atomic<bool> enough = false;
    std::thread first([&] { EXPECT_EQ(call(opened.model, "lossless", kEndless, stops_when_true, &enough).kind, SPECLENS_STOPPED); });
    std::atomic<int> asked = 0;
    Answer second;
    do second = call(opened.model, "lossless", kEndless, stops, &asked); // one of them waits for the other
    while (asked == 0);
    EXPECT_EQ(second.kind, SPECLENS_STOPPED);
    enough = true;
    first.join();
}

TEST(Library, CallsOfSeveralThreadsTakeTurns) {
    const Opened opened(R"({"model": "tiny"})");
    const std::string expected = hash_of(call(opened.model, "run", kRun).text);
    std::vector<std::string> hashes(6);
    std::vector<std::thread> threads;
    for (std::string& hash : hashes)
        threads.emplace_back([&] {
            const Opened other(R"({"model": "tiny"})");
            hash = hash_of(call(&hash < &hashes[3] ? opened.model : other.model, "run", kRun).text);
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& hash : hashes) EXPECT_EQ(hash, expected);
}

TEST(Library, AResultOutlivesItsModelAndAClosedModelSaysSo) {
    speclens_model* model = nullptr;
    ASSERT_EQ(lib().open(R"({"model": "tiny"})", nullptr, nullptr, &model, nullptr), SPECLENS_OK);
    speclens_result* result = nullptr;
    ASSERT_EQ(lib().call(model, "run", kRun.c_str(), nullptr, nullptr, &result), SPECLENS_OK);
    lib().close(model);
    lib().close(model);
    lib().close(nullptr);
    const Answer later = call(model, "run", kRun);
    EXPECT_EQ(later.kind, SPECLENS_USAGE);
    EXPECT_NE(later.error.find("closed"), std::string::npos) << later.error;
    std::size_t bytes = 0;
    const std::string text = lib().result_text(result, &bytes);
    EXPECT_EQ(text.size(), bytes);
    EXPECT_EQ(hash_of(text).find("no end"), std::string::npos);
    lib().result_free(result);
    lib().result_free(nullptr);
    EXPECT_STREQ(lib().result_text(nullptr, nullptr), "");
}

TEST(Library, AForkedChildIsRefused) {
    const Opened opened(R"({"model": "tiny"})");
    const pid_t child = fork();
    if (child == 0) {
        speclens_result* result = nullptr;
        speclens_model* model = nullptr;
        const bool refused = lib().call(opened.model, "run", kRun.c_str(), nullptr, nullptr, &result) == SPECLENS_FORKED &&
                             *lib().result_error(result) != 0 && *lib().result_remedy(result) != 0 &&
                             lib().open("{}", nullptr, nullptr, &model, nullptr) == SPECLENS_FORKED;
        lib().close(opened.model);
        _exit(refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(call(opened.model, "run", kRun).kind, SPECLENS_OK) << "the parent goes on";
}

// In the place of the program, for as long as it lives.
class Program {
  public:
    explicit Program(const std::string& script) {
        const std::filesystem::path file = folder_.path() / "program";
        write_file(file, "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        setenv("SPECLENS_PROGRAM", file.c_str(), 1);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { unsetenv("SPECLENS_PROGRAM"); }

  private:
    TempFolder folder_;
};

// A pass may take long: the caller does not wait for it, the model's next call does.
TEST(Library, ACallIsLeftThatDoesNotHearOfTheStop) {
    const Program program(R"(while read -r name bytes; do
    head -c "$bytes" >/dev/null
    case $name in slow) sleep 2 ;; stop) continue ;; esac
    printf 't %d\n%s' ${#name} "$name"
    printf 'e 4\n0\000\000\000'
done
)");
    const Opened opened("{}");
    ASSERT_EQ(opened.answer.kind, SPECLENS_OK) << opened.answer.error;
    std::atomic<int> asked = 0;
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(call(opened.model, "slow", "{}", stops, &asked).kind, SPECLENS_STOPPED);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2)) << "which the program takes at least";
    EXPECT_EQ(call(opened.model, "never", "{}", stops, &asked).kind, SPECLENS_STOPPED) << "which waits for the first";
    const Answer next = call(opened.model, "run", "{}");
    EXPECT_EQ(next.kind, SPECLENS_OK);
    EXPECT_EQ(next.text, "run") << "and nothing of those that were left";
}

TEST(Library, AProcessThatEndsIsAnError) {
    {
        const Program program("read -r name bytes; head -c \"$bytes\" >/dev/null; printf 'e 4\\n0\\000\\000\\000'\n"
                              "read -r name; echo 'it hurts' >&2; kill -9 $$\n");
        const Opened opened("{}");
        ASSERT_EQ(opened.answer.kind, SPECLENS_OK) << opened.answer.error;
        const Answer killed = call(opened.model, "run", "{}");
        EXPECT_EQ(killed.kind, SPECLENS_ENDED);
        EXPECT_NE(killed.error.find("Killed): it hurts"), std::string::npos) << killed.error;
        EXPECT_EQ(call(opened.model, "run", "{}").kind, SPECLENS_ENDED) << "from then on";
    }
    {
        const Program older("echo 'speclens: unknown option' $1 >&2; exit 2\n");
        const Opened opened("{}");
        EXPECT_EQ(opened.answer.kind, SPECLENS_ENDED);
        EXPECT_NE(opened.answer.error.find("unknown option --calls="), std::string::npos) << opened.answer.error;
    }
    setenv("SPECLENS_PROGRAM", "/no/such/program", 1);
    const Opened opened("{}");
    unsetenv("SPECLENS_PROGRAM");
    EXPECT_EQ(opened.answer.kind, SPECLENS_MODEL);
    EXPECT_NE(opened.answer.error.find("/no/such/program"), std::string::npos) << opened.answer.error;
    EXPECT_NE(opened.answer.remedy.find("SPECLENS_PROGRAM"), std::string::npos);
}

TEST(Library, NothingIsWrittenToTheTerminal) {
    const TempFolder folder;
    const std::string out = folder.path() / "out", err = folder.path() / "err";
    std::fflush(stdout);
    std::fflush(stderr);
    const int kept_out = dup(1), kept_err = dup(2);
    const auto redirect = [](const std::string& file, int to) {
        const int fd = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
        dup2(fd, to);
        close(fd);
    };
    redirect(out, 1);
    redirect(err, 2);
    std::string notices;
    {
        const Opened opened(R"({"model": "tiny"})");
        (void)call(opened.model, "run", kRun);
        notices = call(opened.model, "run", R"({"prompt": "The", "drafter": "medusa", "k": 60, "max_tokens": 4})").notices;
        (void)call(opened.model, "run", R"({"gamma": 4})");
        (void)call(opened.model, "compare", R"({"prompt": "One", "drafters": "small", "max_tokens": 4, "repeats": 1})");
        (void)call(opened.model, "lossless", R"({"texts": 100, "prompt": "The", "drafter": "small", "max_tokens": 3, "k": 1})");
        std::fflush(stdout);
        std::fflush(stderr);
    }
    dup2(kept_out, 1);
    dup2(kept_err, 2);
    close(kept_out);
    close(kept_err);
    EXPECT_EQ(read_file(out), "");
    EXPECT_EQ(read_file(err), "");
    EXPECT_NE(notices.find("60"), std::string::npos) << "what the program says on standard error: " << notices;
}

} // namespace
} // namespace speclens::test
