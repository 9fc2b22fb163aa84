// What goes wrong outside: closed and full outputs, broken files, Ctrl+C. Nothing old is lost, nothing
// crashes.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

TEST(Failures, AClosedStandardOutputIsAnErrorAndNoCrash) {
    Start start;
    start.arguments = {"list", "drafters"};
    start.out_closed = true;
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
}

TEST(Failures, AReaderThatLeavesEndsTheProgramQuietly) {
    Start start;
    start.arguments = {"run", "--model", table_file(), "--max-tokens", "200", "--verbose"};
    start.reader_gone = true;
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
}

TEST(Failures, AFullDiskIsNamed) {
    Start start;
    start.arguments = {"list", "drafters"};
    start.out_file = "/dev/full";
    const Outcome printed = speclens(start);
    EXPECT_EQ(printed.code, 3);
    EXPECT_NE(printed.err.find("No space left"), std::string::npos) << printed.err;
    const Outcome written = speclens({"run", "--model", table_file(), "--json", "/dev/full"});
    EXPECT_EQ(written.code, 3);
    EXPECT_NE(written.err.find("/dev/full"), std::string::npos) << written.err;
}

TEST(Failures, AFullDiskLeavesTheOldFileAlone) {
    const std::filesystem::path folder = fresh_folder();
    const std::filesystem::path file = folder / "trace.jsonl";
    write_file(file, "old");
    Start start;
    start.arguments = {"run", "--model", table_file(), "--json", file.string()};
    start.file_limit = 2000;
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_NE(outcome.err.find("trace.jsonl"), std::string::npos) << outcome.err;
    EXPECT_EQ(read_file(file), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}),
              1); // and nothing else lies about
}

// What is being written lies beside the result under a name of its own.
TEST(Failures, NobodysUnfinishedFileIsOverwritten) {
    const std::filesystem::path folder = fresh_folder();
    const std::filesystem::path file = folder / "trace.jsonl", other = folder / "trace.jsonl.part";
    write_file(other, "not ours");
    const std::string model = table_file();
    std::vector<std::jthread> writers;
    for (const char* seed : {"1", "2", "3"})
        writers.emplace_back([&, seed] {
            EXPECT_EQ(speclens({"run", "--model", model, "--seed", seed, "--max-tokens", "200", "--json", file.string()}).code, 0);
        });
    writers.clear();
    EXPECT_EQ(read_file(other), "not ours");
    EXPECT_EQ(speclens({"export", "jsonl", file, "-o", "-"}).code, 0) << "one of them, and whole";
    EXPECT_NE(read_file(file).find("\"kind\":\"stop\""), std::string::npos);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

TEST(Failures, AFolderThatIsMissingIsNamed) {
    const Outcome outcome = speclens({"run", "--model", table_file(), "--json", "/nothing/here/x.jsonl"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("/nothing/here/x.jsonl"), std::string::npos);
    EXPECT_EQ(speclens({"run", "--model", "/nothing/here"}).code, 3);
    const Outcome name = speclens({"run", "--model", "smolm2"});
    EXPECT_EQ(name.code, 3);
    for (const char* part : {"there is no model 'smolm2'", "Did you mean 'smollm2'?", "speclens list models"})
        EXPECT_NE(name.err.find(part), std::string::npos) << part << "\n" << name.err;
    EXPECT_NE(speclens({"run", "--drafter", "small=nosuch"}).err.find("there is no model 'nosuch'"), std::string::npos);
    EXPECT_EQ(speclens({"oracle", "/nothing/here.json", "-o", "-"}).code, 3);
}

TEST(Failures, BrokenFilesAreNamed) {
    const std::filesystem::path folder = fresh_folder();
    write_file(folder / "bad.json", "{\"schema\":");
    write_file(folder / "bad.jsonl", "{\"kind\":\"draft\"}\n");
    write_file(folder / "prompts.jsonl", "{\"prompt\":\"a\"}\nnot json\n");
    const auto expect_named = [](const Outcome& outcome, const std::string& name) {
        EXPECT_EQ(outcome.code, 3) << outcome.err;
        EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    };
    expect_named(speclens({"run", "--model", folder / "bad.json"}), "bad.json");
    expect_named(speclens({"oracle", folder / "bad.json", "-o", "-"}), "bad.json");
    expect_named(speclens({"export", "csv", folder / "bad.jsonl", "-o", "-"}), "bad.jsonl");
    expect_named(speclens({"compare", "--model", micro_model(), "--prompts", folder / "prompts.jsonl"}), "line 2");
    for (const char* wrong : {R"("chat":"yes")", R"("chat":1)", R"("system":true)", R"("domain":[])"}) {
        write_file(folder / "prompts.jsonl", std::string("{\"prompt\":\"a\"}\n{\"prompt\":\"b\",") + wrong + "}\n");
        expect_named(speclens({"compare", "--model", micro_model(), "--prompts", folder / "prompts.jsonl"}), "line 2: \"");
    }
    // An empty prompt, a domain that the total is called by, and one that would break a table.
    for (const char* wrong : {R"({"prompt":""})", R"({"prompt":"b","domain":"all"})", R"({"prompt":"b","domain":"x\ny"})"}) {
        write_file(folder / "prompts.jsonl", std::string("{\"prompt\":\"a\"}\n") + wrong + "\n");
        expect_named(speclens({"compare", "--model", micro_model(), "--prompts", folder / "prompts.jsonl"}), "prompts.jsonl line 2: ");
    }
    write_file(folder / "race.json", "{\n \"schema\": \"speclens-race/1\"\n}\n");
    expect_named(speclens({"export", "csv", folder / "race.json", "-o", "-"}), "is a saved race");
    expect_named(speclens({"oracle", folder / "bad.json", "-o", "-"}), "docs/formats.md shows a table");
}

// A newer version may have saved it: every scene says what it can.
TEST(Failures, ASessionOfNamesThatNobodyKnowsIsDescribed) {
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = folder / "run.jsonl";
    ASSERT_EQ(
        speclens({"run", "--model", micro_model(), "--token-ids", "5,6,7", "--drafter", "lookup", "--max-tokens", "6", "--json", trace})
            .code,
        0);
    const std::string scenes = speclens({"list", "scenes"}).out;
    if (scenes.empty()) GTEST_SKIP() << "this build draws nothing";
    for (const auto& [known, unknown] : {std::pair<std::string, std::string>{"\"drafter\":\"lookup\"", "\"drafter\":\"future\""},
                                         {"\"rule\":\"token\"", "\"rule\":\"future\""}}) {
        std::string text = read_file(trace);
        const std::size_t at = text.find(known);
        ASSERT_NE(at, std::string::npos) << known;
        write_file(folder / "future.jsonl", text.replace(at, known.size(), unknown));
        std::istringstream list(scenes);
        for (std::string line; std::getline(list, line);) {
            const std::string scene = line.substr(0, line.find(' '));
            const Outcome outcome = speclens({"describe", scene, "--session", folder / "future.jsonl"});
            EXPECT_LT(outcome.code, 128) << scene << " of " << unknown;
        }
    }
}

// A misspelt key would change nothing without a word; those of the recipe's files and of HumanEval mean something elsewhere.
TEST(Failures, AKeyThatMeansNothingIsNamedOnce) {
    const std::filesystem::path file = fresh_folder() / "prompts.jsonl";
    const auto errors_with = [&](const std::string& keys) {
        write_file(file, "{\"prompt\":\"one two\"" + keys + "}\n{\"prompt\":\"two one\"" + keys + "}\n");
        const Outcome out = speclens({"compare", "--drafters", "lookup", // the built-in model knows chats
                                      "--prompts", file.string(), "--max-tokens", "2", "--repeats", "1"});
        EXPECT_EQ(out.code, 0) << out.err;
        return out.err;
    };
    const std::string told = errors_with(",\"tempp\":3");
    EXPECT_NE(told.find("line 1: \"tempp\""), std::string::npos) << told;
    EXPECT_EQ(told.find("line 2"), std::string::npos) << told;
    EXPECT_NE(errors_with(R"(,"system":"Be brief.")").find("without \"chat\""), std::string::npos);
    EXPECT_EQ(errors_with(R"(,"system":"Be brief.","chat":true)").find("without \"chat\""), std::string::npos);
    EXPECT_EQ(errors_with(R"(,"expect":"x","check":"y","held":true,"chat":false,"domain":"d")").find("means nothing"), std::string::npos);
    EXPECT_EQ(errors_with(R"(,"task_id":"HumanEval/0","entry_point":"f","canonical_solution":"x","test":"y")").find("means nothing"),
              std::string::npos);
}

// Ctrl+C, the terminal going away, and whoever ends a job.
TEST(Failures, InterruptingKeepsThePartialTrace) {
    for (const int signal : {SIGINT, SIGHUP, SIGTERM}) {
        SCOPED_TRACE(signal);
        const std::filesystem::path file = fresh_folder() / "trace.jsonl";
        Start start;
        start.signal = signal;
        // A table that never ends, told in full: seconds of work on any machine.
        start.arguments = {"run", "--model", table_file(), "--max-tokens", "4000", "--json", file.string(), "--verbose"};
        start.interrupt_when = "round 3";
        const Outcome outcome = speclens(start);
        if (outcome.code == 0) GTEST_SKIP() << "the run was over before the interrupt";
        EXPECT_EQ(outcome.code, 130) << outcome.err;
        const std::string trace = read_file(file);
        EXPECT_EQ(trace.rfind("{\"schema\":\"speclens-trace/1\"", 0), 0u);
        EXPECT_NE(trace.find("\"cancelled\""), std::string::npos);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1) << "nothing is left beside it";
    }
}

// Whoever reads a pipe gets the picture: a file in its place would be no use to them.
TEST(Failures, APictureGoesIntoAPipeAndDoesNotReplaceIt) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path pipe = fresh_folder() / "loop.png";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] { got = read_file(pipe); });
    const Outcome outcome = speclens({"render", "loop", "--model", table_file(), "-o", pipe});
    if (!std::filesystem::is_fifo(pipe)) { // it was replaced: let the reader go
        std::filesystem::remove(pipe);
        reader.detach();
        FAIL() << "the pipe became a file";
    }
    reader.join();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(got.substr(0, 4), "\x89PNG");
    EXPECT_EQ(got.substr(got.size() - 8, 4), "IEND");
}

// At temperature 0 no softmax would notice.
TEST(Failures, WeightsThatAreNoNumbersAreNoModel) {
    const std::filesystem::path folder = fresh_folder() / "model";
    std::filesystem::copy(micro_model(), folder, std::filesystem::copy_options::recursive);
    std::string text = read_file(folder / "model.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, text.data(), sizeof length);
    const auto range = Json::parse(text.substr(8, length))["model.norm.weight"]["data_offsets"];
    for (auto at = range[0].get<std::size_t>(); at < range[1].get<std::size_t>(); at += 2) text.replace(8 + length + at, 2, "\xC0\x7F");
    write_file(folder / "model.safetensors", text);
    for (const char* temperature : {"0", "0.8"}) {
        const Outcome outcome = speclens({"run", "--text", "--model", folder.string(), "--prompt", "a b", "--drafter", "none", "--temp",
                                          temperature, "--max-tokens", "4"});
        EXPECT_EQ(outcome.code, 3) << temperature << outcome.out;
        EXPECT_NE(outcome.err.find("not finite numbers"), std::string::npos) << outcome.err;
    }
}

// A link as the name of a result stays a link: what it leads to is replaced.
TEST(Failures, AResultGoesWhereALinkLeads) {
    const std::filesystem::path folder = fresh_folder();
    std::filesystem::create_directory(folder / "far");
    for (const char* name : {"trace.jsonl", "frame.svg"}) {
        write_file(folder / "far" / name, "old");
        std::filesystem::create_symlink(folder / "far" / name, folder / name);
    }
    const std::string trace = folder / "trace.jsonl", frame = folder / "frame.svg";
    ASSERT_EQ(
        speclens({"run", "--model", micro_model(), "--prompt", "a b", "--drafter", "none", "--max-tokens", "2", "--json", trace}).code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(trace));
    EXPECT_EQ(read_file(folder / "far" / "trace.jsonl").substr(0, 1), "{");
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build does not draw";
    ASSERT_EQ(speclens({"render", "loop", trace, "-o", frame}).code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(frame));
    EXPECT_EQ(read_file(folder / "far" / "frame.svg").substr(0, 5), "<?xml");
}

TEST(Failures, NoResultReplacesWhatItIsMadeFrom) {
    const std::filesystem::path folder = fresh_folder();
    std::filesystem::copy(micro_model(), folder / "model");
    std::filesystem::create_symlink(folder / "model", folder / "link");
    const std::string text = folder / "text.txt", prompts = folder / "prompts.jsonl", cases = folder / "cases.json",
                      table = folder / "table.json", run = folder / "run.jsonl", log = folder / "server.log", model = folder / "model",
                      q = folder / "q";
    write_file(text, "one two");
    write_file(prompts, "{\"prompt\":\"one two\"}\n");
    write_file(cases, read_file(SPEC_SOURCE_DIR "/tests/engine/golden/oracles_public.json"));
    write_file(table, read_file(table_file()));
    write_file(log, "slot print_timing: draft acceptance rate = 0.5 (    1 accepted /     2 generated)\n");
    ASSERT_EQ(speclens({"run", "--model", table, "--json", run}).code, 0);
    const auto bytes = [&] {
        std::string all;
        for (const std::string& file : {text, prompts, cases, table, run, log, model + "/config.json"}) all += read_file(file);
        return all;
    };
    const std::string before = bytes();
    const std::vector<std::string> ask = {"compare", "--model",      model, "--drafters", "none", "--prompts",
                                          prompts,   "--max-tokens", "2",   "--repeats",  "1"};
    const auto compare = [&](std::vector<std::string> more) {
        more.insert(more.begin(), ask.begin(), ask.end());
        return more;
    };
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"oracle", cases, "--samples", "100", "-o", folder / "model/../cases.json"},
          {"run", "--model", model, "--prompt", "@" + text, "--json", text},
          {"run", "--model", table, "--json", table},
          {"run", "--model", model, "--prompt", "a", "--json", model + "/config.json"},
          {"run", "--model", folder / "link", "--prompt", "a", "--json", model + "/config.json"},
          {"export", "csv", run, "-o", run},
          {"attach", log, "--json", log},
          {"train", "--model", model, "-o", model, "--steps", "1"},
          compare({"--json", prompts}),
          compare({"--csv", folder / "./prompts.jsonl"})}) {
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 2) << words.back() << "\n" << out.err;
        EXPECT_TRUE(out.err.find("would replace a file that is read") != std::string::npos ||
                    out.err.find("would replace a file of a model that is read") != std::string::npos)
            << words.back() << "\n"
            << out.err;
        EXPECT_EQ(out.out, "");
    }
    const Outcome both = speclens(compare({"--csv", q, "--json", folder / "./q"}));
    EXPECT_EQ(both.code, 2);
    EXPECT_NE(both.err.find("name one file"), std::string::npos) << both.err;
    EXPECT_EQ(bytes(), before);
    EXPECT_FALSE(std::filesystem::exists(q));

    // Nothing is replaced there, not even the name where it leads to a file.
    Start redirected;
    redirected.arguments = {"export", "csv", run, "-o", "/dev/fd/1"};
    redirected.out_file = folder / "rows.csv";
    const Outcome redirect = speclens(redirected);
    EXPECT_EQ(redirect.code, 0) << redirect.err;
    EXPECT_EQ(read_file(redirected.out_file).rfind("cycle,index,role,", 0), 0u) << redirect.err;
    for (const std::vector<std::string>& words : {compare({"--csv", "/dev/null", "--json", "/dev/null"}),
                                                  compare({"--csv", "/dev/stdout"}),
                                                  std::vector<std::string>{"export", "csv", run, "-o", "/dev/stdout"},
                                                  {"run", "--model", table, "--max-tokens", "2", "--json", "/dev/stdout"}}) {
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 0) << words.back() << "\n" << out.err;
        EXPECT_NE(out.out, "") << words[0];
    }
}

} // namespace speclens::test
