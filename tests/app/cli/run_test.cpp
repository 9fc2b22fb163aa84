// `run`: the golden walk-through, the JSON Lines, prompts of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

namespace {

// The name of the processor is the only thing in the transcript that depends on the machine.
std::string without_machine(const std::string& text) { return std::regex_replace(text, std::regex("CPU · [^\n]*"), "CPU"); }

std::vector<std::string> micro(std::vector<std::string> more) {
    std::vector<std::string> words{"run", "--model", micro_model(), "--drafter", "lookup"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

} // namespace

TEST(Run, TellsTheWalkThroughOfTheGoldenFile) {
    const Outcome outcome = speclens({"run", "--model", table_file(), "--max-tokens", "16", "--seed", "3", "--no-timing"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::filesystem::path golden = SPEC_SOURCE_DIR "/tests/app/cli/golden/cli_run.txt";
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
            start.arguments = {"run",    "--model", table_file(),   "--verbose", "--no-timing",   "--drafter", "small_tree",
                               "--rule", rule,      "--tree-depth", "12",        "--tree-budget", "30"};
            const Outcome outcome = speclens(start);
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_NE(outcome.out.find("dropped, never judged"), std::string::npos) << rule;
            transcripts += outcome.out;
        }
        for (const char* rule : {"block", "lenience", "typical", "cascade_tokenV3", "cascade_opt"}) {
            start.arguments = {"run", "--model", table_file(), "--verbose", "--no-timing", "--rule", rule, "--temp", "1", "--k", "3"};
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
// Of a distribution only the likeliest tokens are told, and the one that the coin drew: whoever reads would look for
// it.
TEST(Run, TellsTheTokenThatWasDrawnWithItsChance) {
    int drawn = 0;
    for (const char* seed : {"7", "8", "9", "10", "11"}) {
        std::istringstream in(speclens({"run", "--seed", seed, "--temp", "0.9", "--verbose", "--no-timing", "--color", "never"}).out);
        const std::regex own("the target puts (\\S+) there, drawn with coin");
        std::smatch word;
        for (std::string line; std::getline(in, line);) {
            if (!std::regex_search(line, word, own)) continue;
            std::string distribution;
            std::getline(in, distribution);
            EXPECT_NE((distribution + " ").find(" " + word[1].str() + " "), std::string::npos) << line << "\n" << distribution;
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
    outcome =
        speclens({"run", "--model", table_file(), "--no-timing", "--temp", "0", "--rule", "cascade_chow", "--rule-param", "alpha=0.5"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("alpha=0.5"), std::string::npos) << "cascades mix at temperature 0 too";
    outcome = run({"--rule", "block", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\"joint\":"), std::string::npos);
    outcome = run({"--rule", "typical", "--rule-param", "epsilon=0.2", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\"rule_params\":{\"epsilon\":0.2,\"delta\":0.3}"), std::string::npos) << outcome.out.substr(0, 400);
    EXPECT_NE(outcome.out.find("\"limit\":"), std::string::npos);
}

TEST(Run, UsesColoursOnlyWhenAsked) {
    const std::string table = table_file();
    EXPECT_EQ(speclens({"run", "--model", table}).out.find('\x1b'), std::string::npos);
    EXPECT_NE(speclens({"run", "--model", table, "--color", "always"}).out.find("\x1b[32m"), std::string::npos);
    EXPECT_EQ(speclens({"run", "--model", table, "--color", "never"}).out.find('\x1b'), std::string::npos);
}

TEST(Run, WritesOneEventALine) {
    const Outcome outcome = speclens({"run", "--model", table_file(), "--json", "-", "--max-tokens", "12"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::vector<Json> events = lines_of(outcome.out);
    ASSERT_GT(events.size(), 6u);
    EXPECT_EQ(events[0]["schema"], "speclens-trace/1");
    EXPECT_EQ(events[0]["kind"], "header");
    for (const char* field : {"model", "drafter", "rule", "seed", "sampling", "machine", "prefill_boundary", "prompt"})
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
        const std::string& kind = events[i]["kind"].text();
        ++seen[kind];
        ASSERT_TRUE(least.count(kind)) << kind;
        for (const std::string& field : least.at(kind)) EXPECT_TRUE(events[i].contains(field)) << kind << " " << field;
    }
    for (const auto& [kind, fields] : least) EXPECT_GT(seen[kind], 0) << kind;
    EXPECT_EQ(events.back()["kind"], "stop");
}

TEST(Run, IsTheSameForTheSameSeedAndAnyThreadCount) {
    const auto hash = [](const std::string& seed, const std::string& threads) {
        const Outcome outcome = speclens(micro({"--prompt", "one two one two one", "--json", "-", "--no-timing", "--max-tokens", "12",
                                                "--temp", "1", "--seed", seed, "--threads", threads}));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return lines_of(outcome.out).back().value("hash", std::string());
    };
    EXPECT_EQ(hash("5", "1"), hash("5", "2"));
    EXPECT_NE(hash("5", "1"), hash("6", "1"));
}

TEST(Run, SaysItsPrecisionInTheFirstLine) {
    const auto header = [](std::vector<std::string> more) {
        std::vector<std::string> words{"--max-tokens", "4", "--no-timing", "--token-ids", "1,2,3", "--json", "-"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = speclens(micro(words));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return Json::parse(outcome.out.substr(0, outcome.out.find('\n')));
    };
    EXPECT_FALSE(header({"--precision", "f32"}).contains("precision"));
    EXPECT_EQ(header({"--precision", "bf16"})["precision"], "bf16");
    EXPECT_EQ(header({"--precision", "int8", "--weights", "q8"})["precision"], "int8");
    const Outcome refused = speclens(micro({"--precision", "int8", "--weights", "keep"}));
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("8-bit products need quantised matrices"), std::string::npos) << refused.err;
    const Outcome built_in = speclens({"run", "--max-tokens", "4", "--no-timing", "--json", "-"});
    EXPECT_EQ(built_in.out.find("precision"), std::string::npos) << built_in.out;
    const Outcome asked = speclens({"run", "--max-tokens", "4", "--no-timing", "--json", "-", "--precision", "bf16"});
    EXPECT_NE(asked.out.find("\"precision\":\"bf16\""), std::string::npos) << asked.out << asked.err;
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
    EXPECT_EQ(prompt_of(speclens(micro({"--prompt", "@" + file.string(), "--json", "-", "--max-tokens", "2"}))), "the same words");
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

TEST(Run, SaysOneOfOne) {
    const Outcome one = speclens({"run", "--model", table_file(), "--k", "1", "--max-tokens", "1", "--no-timing"});
    ASSERT_EQ(one.code, 0) << one.err;
    std::string words = one.out; // without its line breaks
    std::replace(words.begin(), words.end(), '\n', ' ');
    for (const char* part : {"a cheap drafter guesses one token (◇), then the target reads it in one pass", "over 1 token ", "+1 token ",
                             "1 new token in 1 round, "})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << one.out;
    const Outcome tree = speclens({"run", "--model", table_file(), "--drafter", "small_tree", "--tree-budget", "1", "--no-timing"});
    for (const char* part : {", at most 1 guess, ", "a tree of up to 1 token (◇)"})
        EXPECT_NE(tree.out.find(part), std::string::npos) << part << "\n" << tree.out;
    std::string ids = "5";
    for (int i = 1; i < 256; ++i) ids += ",5"; // its context, with no room for an answer
    const Outcome full = speclens({"run", "--model", micro_model(), "--token-ids", ids});
    EXPECT_EQ(full.code, 2);
    EXPECT_NE(full.err.find("by at least 1 token.\n"), std::string::npos) << full.err;
    const Outcome distribution = speclens({"lossless", "100", "--model", micro_model(), "--prompt", "one two", "--drafter", "lookup",
                                           "--rule", "token", "--max-tokens", "3"});
    EXPECT_NE(distribution.out.find(": a p-value below 0.001 counts as a difference"), std::string::npos)
        << distribution.out << distribution.err;
}

// A chat model takes a question without its frame for a text that is complete.
TEST(Run, AdvisesAChatWhereATextEndsAtOnce) {
    const std::string advice = "as a question in a chat, add --chat";
    const auto run = [](const char* prompt, std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "--prompt", prompt, "--seed", "7", "--no-timing", "--max-tokens", "4"});
        const Outcome out = speclens(more);
        EXPECT_EQ(out.code, 0) << out.err;
        return out;
    };
    const Outcome told = run("Tell me about Brazil.", {});
    ASSERT_NE(told.out.find("1 new token in 1 round, ended by: end of text"), std::string::npos) << "another prompt is needed";
    EXPECT_NE(told.out.find(advice), std::string::npos) << told.out;
    const Outcome text = run("Tell me about Brazil.", {"--text"});
    EXPECT_EQ(text.out.find(advice), std::string::npos) << text.out;
    EXPECT_NE(text.err.find(advice), std::string::npos) << text.err;
    for (const Outcome& silent : {run("Tell me about Brazil.", {"--chat"}), run("Tell me about", {})})
        EXPECT_EQ((silent.out + silent.err).find(advice), std::string::npos) << silent.out << silent.err;
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
    const Outcome zero = speclens({"run", "--model", table_file(), "--k", "0", "--max-tokens", "5", "--json", "-"});
    EXPECT_EQ(zero.code, 0) << zero.err;
    EXPECT_EQ(zero.out.find("\"draft\""), std::string::npos);
    const Outcome more = speclens({"run", "--model", table_file(), "--k", "64", "--max-tokens", "5", "--json", "-"});
    EXPECT_EQ(more.code, 0) << more.err;
    int tokens = 0;
    for (const Json& event : lines_of(more.out))
        if (event["kind"] == "commit") tokens += static_cast<int>(event["tokens"].size());
    EXPECT_EQ(tokens, 5);
}

// What was asked for by name drafts, or nothing runs; what nobody named may be another.
TEST(Run, RefusesADrafterThatCannotRun) {
    const std::string tree = "small_tree=" + micro_model(); // of another tokenizer
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "--drafter", tree, "--text"},
                                                  {"run", "--model", table_file(), "--drafter", "skip", "--text"},
                                                  {"run", "--model", micro_model(), "--prompt", "a", "--drafter", "eagle3"},
                                                  {"run", "--model", micro_model(), "--prompt", "a", "--tree-topk", "2"}}) {
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 3) << words.back() << "\n" << out.out;
        EXPECT_EQ(out.out, "");
        for (const char* part : {"cannot run: ", "These can: none, "}) EXPECT_NE(out.err.find(part), std::string::npos) << out.err;
    }
    EXPECT_EQ(speclens({"run", "--model", micro_model(), "--prompt", "one two", "--max-tokens", "3"}).code, 0);
    const Outcome off = speclens({"run", "--drafter", tree, "--k", "0", "--max-tokens", "3", "--text"});
    EXPECT_EQ(off.code, 0) << "no guesses were asked for\n" << off.err;
}

TEST(Run, TakesADraftModelWithAnotherTokenizer) {
    const std::vector<std::string> plain = {"run", "--drafter", "none", "--temp", "0", "--max-tokens", "12", "--text"};
    const std::string expected = speclens(plain).out;
    for (const bool by_text : {false, true}) {
        std::vector<std::string> words = plain;
        words[2] = "small=" + micro_model();
        if (by_text) words.emplace_back("--by-text");
        const Outcome out = speclens(words);
        EXPECT_EQ(out.code, 0) << out.err;
        EXPECT_EQ(out.out, expected);
        EXPECT_NE(out.err.find("another tokenizer"), std::string::npos) << out.err;
    }
    const Outcome same = speclens({"run", "--drafter", "small", "--by-text", "--max-tokens", "3"});
    EXPECT_EQ(same.code, 2);
    EXPECT_NE(same.err.find("has the target's tokens"), std::string::npos) << same.err;
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

// The relaxed rules are told from whole distributions, which cost nothing to record of a small vocabulary.
TEST(Describe, RelaxedRulesSeeWholeDistributions) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    std::vector<std::string> hot = {"describe", "relaxed", "--temp", "1.5", "--no-timing", "--max-tokens", "12"};
    const Outcome whole = speclens(hot);
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_NE(whole.out.find("Means over "), std::string::npos) << whole.out;
    EXPECT_EQ(whole.out.find("left out"), std::string::npos) << whole.out;
    hot.insert(hot.end(), {"--trace-top", "64"});
    const Outcome heads = speclens(hot);
    EXPECT_NE(heads.out.find("recorded heads leave out"), std::string::npos) << heads.out;
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
    EXPECT_NE(stepped.out.find("texts identical so far"), std::string::npos) << stepped.out;
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
    EXPECT_EQ(speclens({"describe", "failures", "--json", file}).code, 0);
    EXPECT_EQ(Json::parse(read_file(file))["schema"], "speclens-words/1") << "of a race the race, of all else the words";
}

// Behind a prompt of one token EAGLE-3 has no feature to begin with: the first look is at a round where it has.
TEST(Describe, ShowsAHeadWhereItHasAGuess) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const Outcome words = speclens({"describe", "eagle3:1", "--drafter", "small", "--prompt", "A", "--no-timing"});
    EXPECT_EQ(words.code, 0) << words.err;
    EXPECT_NE(words.out.find("instead of small in round 2"), std::string::npos) << words.out;
}

TEST(Describe, MeasuresWhatAPictureTells) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const auto told = [](const char* scene) {
        const Outcome words = speclens({"describe", scene, "--model", micro_model(), "--prompt", "one two one", "--max-tokens", "8"});
        EXPECT_EQ(words.code, 0) << words.err;
        return words.out;
    };
    const std::string failures = told("failures:3"), lossless = told("lossless:10");
    EXPECT_NE(failures.find("simulated from measured passes"), std::string::npos) << failures;
    EXPECT_NE(lossless.find("lookup: same "), std::string::npos) << lossless;
}

TEST(Run, KeepsTheTimeOfPlainDecodingInItsFile) {
    const std::filesystem::path file = fresh_folder() / "run.jsonl";
    const std::vector<std::string> run = micro({"--prompt", "one two one", "--max-tokens", "6", "--json"});
    std::vector<std::string> kept = run;
    kept.push_back(file.string());
    ASSERT_EQ(speclens(kept).code, 0);
    kept.back() = "-";
    const Outcome piped = speclens(kept);
    for (const std::string& text : {read_file(file), piped.out}) {
        const Json last = lines_of(text).back();
        EXPECT_EQ(last["kind"], "plain") << last.dump();
        EXPECT_GT(last.value("ms_per_token", 0.0), 0);
    }
    EXPECT_EQ(lines_of(speclens({"export", "jsonl", file.string(), "-o", "-"}).out).back(), lines_of(read_file(file)).back());
    kept.push_back("--no-timing");
    EXPECT_EQ(lines_of(speclens(kept).out).back()["kind"], "stop");
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const Outcome described = speclens({"describe", "loop", file.string()});
    EXPECT_EQ(described.code, 0) << described.err;
    EXPECT_EQ(described.out, speclens({"describe", "loop", "--session", file.string()}).out);
    EXPECT_NE(described.out.find("plain decoding"), std::string::npos) << described.out;
}

TEST(Run, KeepsItsFileWhenNobodyReadsOn) {
    const std::filesystem::path file = fresh_folder() / "run.jsonl";
    Start start;
    start.arguments = {"run", "--model", table_file(), "--json", file.string()};
    start.reader_gone = true;
    EXPECT_EQ(speclens(start).code, 0);
    EXPECT_NE(read_file(file).find("\"kind\":\"stop\""), std::string::npos);
}

} // namespace speclens::test
