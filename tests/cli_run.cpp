// `run` and what is made from its traces: the golden walk-through, the JSON Lines, exports, prompts of every
// kind.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/cli_support.h"

namespace speclens::test {

namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
}

// The name of the processor is the only thing in the transcript that depends on the machine.
std::string without_machine(const std::string& text) {
    return std::regex_replace(text, std::regex("CPU · [^\n]*"), "CPU");
}

std::vector<std::string> micro(std::vector<std::string> more) {
    std::vector<std::string> words{"run", "--model", micro_model(), "--drafter", "lookup"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

} // namespace

TEST(Run, TellsTheWalkThroughOfTheGoldenFile) {
    const Outcome outcome =
        speclens({"run", "--model", table_file(), "--max-tokens", "16", "--seed", "3", "--no-timing"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::filesystem::path golden = SPEC_SOURCE_DIR "/tests/golden/cli_run.txt";
    if (std::getenv("SPEC_UPDATE_GOLDEN")) write_file(golden, without_machine(outcome.out));
    EXPECT_EQ(without_machine(outcome.out), read_file(golden));
}

TEST(Run, StaysWithinTheWidthOfTheTerminal) {
    for (const char* width : {"64", "80", "100"}) {
        Start start;
        start.environment["COLUMNS"] = width;
        std::string transcripts;
        start.arguments = {"run", "--model", table_file(), "--verbose", "--no-timing", "--rule", "match"};
        transcripts += speclens(start).out;
        for (const char* rule : {"tree_topk", "tree_wor", "tree_wr", "greedy"}) {
            start.arguments = {"run",       "--model",       table_file(), "--verbose", "--no-timing",
                               "--drafter", "small_tree",    "--rule",     rule,        "--tree-depth",
                               "12",        "--tree-budget", "30"};
            const Outcome outcome = speclens(start);
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_NE(outcome.out.find("dropped, never judged"), std::string::npos) << rule;
            transcripts += outcome.out;
        }
        for (const char* rule : {"block", "lenience", "typical", "cascade_tokenV3", "cascade_opt"}) {
            start.arguments = {"run",    "--model", table_file(), "--verbose", "--no-timing", "--rule", rule,
                               "--temp", "1",       "--k",        "3"};
            const Outcome outcome = speclens(start);
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            transcripts += outcome.out;
        }
        std::istringstream in(transcripts);
        for (std::string line; std::getline(in, line);) {
            long wide = 0; // every character of this transcript is one column wide
            for (const char c : line) wide += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
            EXPECT_LE(wide, std::stol(width)) << line;
        }
    }
}

// A rule that is not lossless says so, and its numbers are in the transcript and in the saved trace.
// Of a law only the likeliest tokens are told, and the one that the coin drew: whoever reads would look for
// it.
TEST(Run, TellsTheTokenThatWasDrawnWithItsChance) {
    int drawn = 0;
    for (const char* seed : {"7", "8", "9", "10", "11"}) {
        std::istringstream in(
            speclens({"run", "--seed", seed, "--temp", "0.9", "--verbose", "--no-timing", "--color", "never"})
                .out);
        const std::regex own("the target puts (\\S+) there, drawn with coin");
        std::smatch word;
        for (std::string line; std::getline(in, line);) {
            if (!std::regex_search(line, word, own)) continue;
            std::string law;
            std::getline(in, law);
            EXPECT_NE((law + " ").find(" " + word[1].str() + " "), std::string::npos) << line << "\n" << law;
            ++drawn;
        }
    }
    EXPECT_GT(drawn, 5);
}

TEST(Run, SaysWhatARelaxedRuleGivesUp) {
    const std::vector<std::string> common = {"run", "--model", table_file(), "--no-timing", "--temp", "1"};
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> words = common;
        words.insert(words.end(), more.begin(), more.end());
        return speclens(words);
    };
    Outcome outcome = run({"--rule", "lenience", "--rule-param", "lenience=0.7"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("lenience=0.7"), std::string::npos);
    EXPECT_NE(outcome.out.find("not lossless"), std::string::npos);
    outcome = run({"--rule", "cascade_chow", "--rule-param", "alpha=1,verifier=block"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("alpha=1 verifier=block"), std::string::npos);
    EXPECT_NE(outcome.out.find("NOT the target"), std::string::npos);
    outcome = speclens({"run", "--model", table_file(), "--no-timing", "--temp", "0", "--rule",
                        "cascade_chow", "--rule-param", "alpha=0.5"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("alpha=0.5"), std::string::npos) << "cascades mix at temperature 0 too";
    outcome = run({"--rule", "block", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\"joint\":"), std::string::npos);
    outcome = run({"--rule", "typical", "--rule-param", "epsilon=0.2", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\"rule_params\":{\"epsilon\":0.2,\"delta\":0.3}"), std::string::npos)
        << outcome.out.substr(0, 400);
    EXPECT_NE(outcome.out.find("\"limit\":"), std::string::npos);
}

TEST(Run, UsesColoursOnlyWhenAsked) {
    const std::string table = table_file();
    EXPECT_EQ(speclens({"run", "--model", table}).out.find('\x1b'), std::string::npos);
    EXPECT_NE(speclens({"run", "--model", table, "--color", "always"}).out.find("\x1b[32m"),
              std::string::npos);
    EXPECT_EQ(speclens({"run", "--model", table, "--color", "never"}).out.find('\x1b'), std::string::npos);
}

TEST(Run, WritesOneEventALine) {
    const Outcome outcome = speclens({"run", "--model", table_file(), "--json", "-", "--max-tokens", "12"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::vector<Json> events = lines_of(outcome.out);
    ASSERT_GT(events.size(), 6u);
    EXPECT_EQ(events[0]["schema"], "speclens-trace/1");
    EXPECT_EQ(events[0]["kind"], "header");
    for (const char* field :
         {"model", "drafter", "rule", "seed", "sampling", "machine", "prefill_boundary", "prompt"})
        EXPECT_TRUE(events[0].contains(field)) << field;
    const std::map<std::string, std::vector<std::string>> least = {
        {"prefill", {"tokens", "ms"}},
        {"draft", {"cycle", "index", "parent", "token", "text", "q", "top", "ms"}},
        {"verify", {"cycle", "rows", "ms"}},
        {"check", {"cycle", "index", "token", "p", "q", "accepted", "top"}},
        {"resample", {"cycle", "from", "token", "top"}},
        {"commit", {"cycle", "accepted_drafts", "tokens", "kv_before", "kv_after", "ms"}},
        {"stop", {"reason", "hash"}}};
    std::map<std::string, int> seen;
    for (std::size_t i = 1; i < events.size(); ++i) {
        const std::string kind = events[i]["kind"];
        ++seen[kind];
        ASSERT_TRUE(least.count(kind)) << kind;
        for (const std::string& field : least.at(kind))
            EXPECT_TRUE(events[i].contains(field)) << kind << " " << field;
    }
    for (const auto& [kind, fields] : least) EXPECT_GT(seen[kind], 0) << kind;
    EXPECT_EQ(events.back()["kind"], "stop");
}

TEST(Run, IsTheSameForTheSameSeedAndAnyThreadCount) {
    const auto hash = [](const std::string& seed, const std::string& threads) {
        const Outcome outcome =
            speclens(micro({"--prompt", "one two one two one", "--json", "-", "--no-timing", "--max-tokens",
                            "12", "--temp", "1", "--seed", seed, "--threads", threads}));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return lines_of(outcome.out).back().value("hash", std::string());
    };
    EXPECT_EQ(hash("5", "1"), hash("5", "2"));
    EXPECT_NE(hash("5", "1"), hash("6", "1"));
}

TEST(Run, PrintsOnlyTheTextWhenAsked) {
    const Outcome all = speclens({"run", "--model", table_file(), "--text", "--max-tokens", "6"});
    EXPECT_EQ(all.code, 0) << all.err;
    EXPECT_EQ(all.out.find("round"), std::string::npos);
    EXPECT_EQ(all.out.back(), '\n');
    EXPECT_NE(all.out.find("cat"), std::string::npos) << all.out;
}

TEST(Run, TakesPromptsFromFilesAndFromStandardInput) {
    const std::filesystem::path file = fresh_folder() / "prompt.txt";
    write_file(file, "the same words\n");
    const auto prompt_of = [](const Outcome& outcome) {
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return lines_of(outcome.out)[0].value("prompt_text", std::string());
    };
    EXPECT_EQ(
        prompt_of(speclens(micro({"--prompt", "@" + file.string(), "--json", "-", "--max-tokens", "2"}))),
        "the same words");
    Start start;
    start.arguments = micro({"--prompt", "@-", "--json", "-", "--max-tokens", "2"});
    start.input = "the same words\n";
    EXPECT_EQ(prompt_of(speclens(start)), "the same words");
    EXPECT_EQ(speclens(micro({"--prompt", "@/nothing/here"})).code, 3);
}

TEST(Run, ExplainsPromptsThatCannotBeUsed) {
    const Outcome empty = speclens(micro({"--prompt", ""}));
    EXPECT_EQ(empty.code, 2);
    EXPECT_NE(empty.err.find("empty"), std::string::npos) << empty.err;
    Start start;
    start.arguments = micro({"--prompt", "@-"});
    for (int i = 0; i < 1 << 17; ++i) start.input += "all work"; // 1 MB
    const Outcome huge = speclens(start);
    EXPECT_EQ(huge.code, 2);
    EXPECT_NE(huge.err.find("context"), std::string::npos) << huge.err;
    EXPECT_EQ(speclens({"run", "--model", micro_model(), "--token-ids", "99999999"}).code, 2);
}

TEST(Run, SurvivesInvalidUtf8) {
    Start start;
    start.arguments = micro({"--prompt", "@-", "--json", "-", "--max-tokens", "3"});
    start.input = "one two\xc3 \xff\xfe!";
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NO_THROW((void)lines_of(outcome.out));
    EXPECT_EQ(speclens(micro({"--prompt", "one two \xc3", "--max-tokens", "3"})).code, 0);
}

TEST(Run, TakesAnyDraftLength) {
    const Outcome zero =
        speclens({"run", "--model", table_file(), "--k", "0", "--max-tokens", "5", "--json", "-"});
    EXPECT_EQ(zero.code, 0) << zero.err;
    EXPECT_EQ(zero.out.find("\"draft\""), std::string::npos);
    const Outcome more =
        speclens({"run", "--model", table_file(), "--k", "64", "--max-tokens", "5", "--json", "-"});
    EXPECT_EQ(more.code, 0) << more.err;
    int tokens = 0;
    for (const Json& event : lines_of(more.out))
        if (event["kind"] == "commit") tokens += static_cast<int>(event["tokens"].size());
    EXPECT_EQ(tokens, 5);
}

// What was asked for by name drafts, or nothing runs; what nobody named may be another.
TEST(Run, RefusesADrafterThatCannotRun) {
    const std::string small = "small=" + micro_model();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "--drafter", small, "--text"},
          {"run", "--model", table_file(), "--drafter", "skip", "--text"},
          {"run", "--model", micro_model(), "--prompt", "a", "--drafter", "eagle3"},
          {"run", "--model", micro_model(), "--prompt", "a", "--tree-topk", "2"}}) {
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 3) << words.back() << "\n" << out.out;
        EXPECT_EQ(out.out, "");
        for (const char* part : {"cannot run: ", "These can: none, "})
            EXPECT_NE(out.err.find(part), std::string::npos) << out.err;
    }
    EXPECT_EQ(speclens({"run", "--model", micro_model(), "--prompt", "one two", "--max-tokens", "3"}).code,
              0);
    const Outcome off = speclens({"run", "--drafter", small, "--k", "0", "--max-tokens", "3", "--text"});
    EXPECT_EQ(off.code, 0) << "no guesses were asked for\n" << off.err;
}

TEST(Run, RefusesATextForATable) {
    for (const char* command : {"run", "compare"}) {
        const Outcome out = speclens({command, "--model", table_file(), "--prompt", "xyz"});
        EXPECT_EQ(out.code, 2) << out.out;
        EXPECT_NE(out.err.find("Give --token-ids 0,1,2."), std::string::npos) << out.err;
    }
}

TEST(Run, WarnsWhenOthersUseTheMachine) {
    std::atomic<bool> over = false;
    std::thread other([&] {
        while (!over.load()) {
        }
    });
    const Outcome out = speclens(micro({"--prompt", "one two", "--max-tokens", "3"}));
    const Outcome untimed = speclens(micro({"--prompt", "one two", "--max-tokens", "3", "--no-timing"}));
    over = true;
    other.join();
    EXPECT_NE(out.err.find("other processes keep"), std::string::npos) << out.err;
    EXPECT_EQ(untimed.err, "") << "no times, no warning";
}

TEST(RaceFile, IsKeptAndDescribedWithoutTheModels) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const std::string file = folder / "race.json";
    std::vector<std::string> race = {"describe", "race",       "--model",     micro_model(),  "--token-ids",
                                     "5,6,7",    "--drafters", "lookup,skip", "--max-tokens", "6"};
    std::vector<std::string> kept = race;
    kept.insert(kept.end(), {"--json", file});
    const Outcome live = speclens(kept);
    ASSERT_EQ(live.code, 0) << live.err;
    EXPECT_EQ(Json::parse(read_file(file))["schema"], "speclens-race/1");
    const Outcome again = speclens({"describe", "race", "--session", file});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.out.find("Recorded "), std::string::npos) << again.out;
    for (const char* lane : {"Lane 1, plain", "Lane 2, lookup", "Lane 3, layer skip"})
        EXPECT_NE(again.out.find(lane), std::string::npos) << lane;
    EXPECT_EQ(speclens({"describe", "loop", "--session", file}).code, 2) << "a race is no run";
    EXPECT_EQ(speclens({"render", "race", "--session", folder / "none", "-o", folder / "x.png"}).code, 3);

    race.emplace_back("--stepped");
    const Outcome stepped = speclens(race);
    EXPECT_EQ(stepped.code, 0) << stepped.err;
    EXPECT_NE(stepped.out.find("not timed"), std::string::npos) << stepped.out;
    EXPECT_NE(stepped.out.find("Texts identical so far"), std::string::npos) << stepped.out;
    race.back() = "--no-timing";
    EXPECT_EQ(speclens(race).out, stepped.out) << "lanes without times go step by step";
    race[0] = "render";
    std::string drawn[2];
    for (std::string& bytes : drawn) {
        const std::filesystem::path picture = folder / "race.svg";
        std::vector<std::string> render = race;
        render.insert(render.end(), {"-o", picture.string()});
        const Outcome outcome = speclens(render);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        bytes = read_file(picture);
    }
    EXPECT_FALSE(drawn[0].empty());
    EXPECT_EQ(drawn[0], drawn[1]) << "the same input gives the same bytes";
    EXPECT_EQ(speclens({"describe", "loop", "--stepped"}).code, 2);
    EXPECT_EQ(speclens({"describe", "loop", "--json", file}).code, 2);
}

TEST(Run, KeepsItsFileWhenNobodyReadsOn) {
    const std::filesystem::path file = fresh_folder() / "run.jsonl";
    Start start;
    start.arguments = {"run", "--model", table_file(), "--json", file.string()};
    start.reader_gone = true;
    EXPECT_EQ(speclens(start).code, 0);
    EXPECT_NE(read_file(file).find("\"kind\":\"stop\""), std::string::npos);
}

// A round may keep more than the text took: what nobody wrote is marked.
TEST(Export, WritesAsManyTokensAsTheTextHas) {
    const std::filesystem::path folder = fresh_folder();
    int cut = 0;
    for (const char* drafter : {"small", "small_tree", "lookup"})
        for (const char* prompt : {"What is the capital of Japan?", "Repeat after me: Paris"}) {
            const std::string trace = folder / "run.jsonl";
            ASSERT_EQ(speclens({"run", "--drafter", drafter, "--k", "8", "--temp", "0", "--chat", "--prompt",
                                prompt, "--json", trace})
                          .code,
                      0);
            std::size_t written = 0, kept_rows = 0;
            for (const Json& event : lines_of(read_file(trace)))
                if (event["kind"] == "commit") written += event["tokens"].size();
            const Outcome outcome = speclens({"export", "csv", trace, "-o", "-"});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            std::istringstream lines(outcome.out);
            std::string line;
            ASSERT_TRUE(std::getline(lines, line));
            const int behind = line.ends_with(",parent") ? 3 : 2; // cells behind the verdict
            while (std::getline(lines, line)) {
                for (int i = 0; i < behind; ++i) line.resize(line.rfind(','));
                const std::string verdict = line.substr(line.rfind(',') + 1);
                for (const char* kept : {"accepted", "residual", "bonus", "target"})
                    kept_rows += verdict == kept;
                cut += verdict == "cut";
            }
            EXPECT_EQ(kept_rows, written) << drafter << "\n" << outcome.out;
        }
    EXPECT_GT(cut, 0) << "no round was cut: these prompts test nothing";
}

TEST(Export, WritesCsvPerfettoAndTheTraceAgain) {
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = folder / "run.jsonl";
    ASSERT_EQ(speclens({"run", "--model", table_file(), "--json", trace}).code, 0);
    const auto exported = [&](const char* format) {
        const std::string file = folder / (std::string("out.") + format);
        const Outcome outcome = speclens({"export", format, trace, "-o", file});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return read_file(file);
    };
    const std::string csv = exported("csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "cycle,index,role,token,text,q_draft,p_target,threshold,u,verdict,ms,head_ms");
    EXPECT_NE(csv.find(",rejected,"), std::string::npos);
    const std::string tree = folder / "tree.jsonl";
    ASSERT_EQ(speclens({"run", "--model", table_file(), "--drafter", "small_tree", "--json", tree}).code, 0);
    ASSERT_EQ(speclens({"export", "csv", tree, "-o", folder / "tree.csv"}).code, 0);
    const std::string nodes = read_file(folder / "tree.csv");
    EXPECT_NE(nodes.substr(0, nodes.find('\n')).find(",parent"), std::string::npos);
    const Json perfetto = Json::parse(exported("perfetto"));
    std::map<std::string, int> kinds;
    int fed = 0;
    for (const Json& event : lines_of(read_file(trace)))
        fed += event["kind"] == "prefill" ? event["tokens"].get<int>() : 0;
    for (const Json& event : perfetto["traceEvents"]) {
        ++kinds[event["ph"].get<std::string>()];
        if (event["name"] == "prefill") {
            EXPECT_EQ(event["args"]["tokens"], fed);
        }
    }
    for (const char* kind : {"X", "M", "C", "s", "f"}) EXPECT_GT(kinds[kind], 0) << kind;
    EXPECT_EQ(kinds["s"], kinds["f"]);
    EXPECT_EQ(lines_of(exported("jsonl")).size(), lines_of(read_file(trace)).size());
    EXPECT_EQ(speclens({"export", "excel", trace, "-o", "x"}).code, 2);
    Start piped;
    piped.arguments = {"export", "csv", "-", "-o", folder / "piped.csv"};
    piped.input = read_file(trace);
    const Outcome outcome = speclens(piped);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_file(folder / "piped.csv"), csv);
    piped.input = "hello\n";
    EXPECT_EQ(speclens(piped).code, 3);
    piped.input = "";
    EXPECT_EQ(speclens(piped).code, 3);
}

// Heads are part of drafting: what is exported of a round adds up to what the round took.
TEST(Export, KeepsTheTimeOfHeads) {
    const std::filesystem::path folder = fresh_folder();
    for (const auto& [drafter, more] : {std::pair<std::string, std::string>{"domino", "--k=7"},
                                        {"dart", "--k=5"},
                                        {"dspark", "--confidence=0.9"},
                                        {"small", "--k=3"}}) {
        const std::string trace = folder / (drafter + ".jsonl");
        ASSERT_EQ(speclens({"run", "--drafter", drafter, more, "--prompt", "Once upon a time", "--max-tokens",
                            "24", "--temp", "0.8", "--json", trace})
                      .code,
                  0);
        std::map<int, double> rounds;
        double heads = 0;
        for (const Json& event : lines_of(read_file(trace)))
            if (event.contains("cycle"))
                for (const char* part : {"ms", "head_ms", "draft_ms", "accept_ms"}) {
                    rounds[event["cycle"]] += event.value(part, 0.0);
                    heads += std::string(part) == "head_ms" ? event.value(part, 0.0) : 0;
                }
        ASSERT_GT(rounds.size(), 1u) << drafter;
        EXPECT_EQ(heads > 0, drafter != "small") << drafter;

        std::map<int, double> csv, spans;
        std::istringstream lines(speclens({"export", "csv", trace, "-o", "-"}).out);
        std::string line;
        std::getline(lines, line);
        const bool tree = line.ends_with(",parent");
        while (std::getline(lines, line)) {
            if (tree) line.resize(line.rfind(','));
            const std::size_t head = line.rfind(','), ms = line.rfind(',', head - 1);
            csv[std::stoi(line)] += std::stod(line.substr(ms + 1)) + std::stod(line.substr(head + 1));
        }
        double inside = 0, last_end = 0;
        const Json perfetto = Json::parse(speclens({"export", "perfetto", trace, "-o", "-"}).out);
        for (const Json& event : perfetto["traceEvents"]) {
            if (event["ph"] != "X" || !event["args"].contains("cycle")) continue;
            const double start = event["ts"], length = event["dur"];
            if (event["args"].contains("part")) {
                inside += length / 1000;
                EXPECT_LE(start + length, last_end + 1e-3) << drafter << ": inside its guess";
                continue;
            }
            spans[event["args"]["cycle"]] += length / 1000;
            last_end = start + length;
        }
        EXPECT_NEAR(inside, heads, 1e-6) << drafter;
        for (const auto& [cycle, ms] : rounds) {
            EXPECT_NEAR(csv[cycle], ms, 1e-6) << drafter << " round " << cycle;
            EXPECT_NEAR(spans[cycle], ms, 1e-6) << drafter << " round " << cycle;
        }
    }
}

TEST(Render, AnimatesARoundAsGif) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::string file = (fresh_folder() / "round.gif").string();
    const Outcome out = speclens({"render", "loop", "--frames", "2:4", "--frame-ms", "300", "--size",
                                  "640x400", "--no-timing", "-o", file});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(out.out, "");
    const std::string bytes = read_file(file);
    EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
    EXPECT_EQ(bytes.back(), ';'); // the trailer
    struct Case {
        std::vector<std::string> arguments;
        const char* word;
    };
    for (const Case& c : {Case{{"loop", "--frames", "4:2", "-o", file}, "--frames"},
                          Case{{"loop", "--frames", "1:999", "-o", file}, "the scene has "},
                          Case{{"loop:2", "-o", file}, "no beat of its own"},
                          Case{{"loop", "--frames", "all", "-o", "x.png"}, "FILE.gif"},
                          Case{{"loop", "--frame-ms", "5", "-o", file}, "--frame-ms"}}) {
        std::vector<std::string> arguments{"render", "--no-timing"};
        arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
        const Outcome wrong = speclens(arguments);
        EXPECT_EQ(wrong.code, 2) << wrong.err;
        EXPECT_NE(wrong.err.find(c.word), std::string::npos) << wrong.err;
    }
    EXPECT_EQ(read_file(file), bytes) << "a refusal leaves the old file";
}

TEST(Links, LeadToTheSameFrameWhereverTheyAreOpened) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::string link = "speclens://domino/"
                             "4?at=31&select=2.6&drafter=domino&k=7&temp=0&seed=7&rule=token&max-tokens=40&"
                             "prompt=Count%20to%20five.&chat";
    const Outcome words = speclens({"describe", link, "--no-timing"});
    ASSERT_EQ(words.code, 0) << words.err;
    EXPECT_EQ(words.out, speclens({"describe", link, "--no-timing", "--threads", "1"}).out);
    EXPECT_NE(words.out.find("Beat 4 of"), std::string::npos) << words.out;
    EXPECT_NE(words.out, speclens({"describe", link, "--no-timing", "--seed", "8", "--temp", "1"}).out);
    const Outcome text = speclens({"run", link, "--text"});
    EXPECT_EQ(text.out, speclens({"run", "--drafter", "domino", "--k", "7", "--temp", "0", "--max-tokens",
                                  "40", "--chat", "--prompt", "Count to five.", "--text"})
                            .out);
}

TEST(Lectures, BecomePicturesAndAHandout) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    write_file(folder / "two.lec.toml",
               "title = \"T <1>\"\n[[step]]\ntitle = \"One & only\"\nlink = "
               "\"speclens://loop?at=14&drafter=small\"\nminutes = 2\n"
               "notes = \"Say \\\"this\\\".\"\n[[step]]\ntitle = \"Two\"\nlink = \"speclens://S9/4\"\n");
    const std::string file = (folder / "two.lec.toml").string(), out = (folder / "out").string();
    const Outcome drawn = speclens({"render", file, "--all", out, "--size", "640x400"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_EQ(drawn.out, out + "/01-loop.png\n" + out + "/02-domino.png\n" + out + "/handout.html\n");
    const std::string page = read_file(std::filesystem::path(out) / "handout.html");
    for (const char* part : {"<h1>T &lt;1&gt;</h1>", "<h2>1. One &amp; only</h2>", "src=\"01-loop.png\"",
                             "Say &quot;this&quot;.", "2 minutes", "speclens://S9/4", "round 2, draft"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    const Outcome words = speclens({"describe", file});
    ASSERT_EQ(words.code, 0) << words.err;
    EXPECT_NE(words.out.find("── 2 of 2 · Two"), std::string::npos) << words.out;
    const Outcome list = speclens({"list", "lectures"});
    EXPECT_NE(list.out.find("first-lesson.lec.toml"), std::string::npos) << list.out;
    EXPECT_EQ(speclens({"list", "glossary", "tau"}).code, 0);
    EXPECT_EQ(speclens({"list", "glossary", "nonsense"}).code, 2);
    EXPECT_EQ(speclens({"list", "quiz", "--json"}).code, 0);
}

} // namespace speclens::test
