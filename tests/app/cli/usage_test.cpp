// Wrong words: exit code 2, the thing named, the nearest suggestion.
#include <gtest/gtest.h>

#include "tests/app/cli/support.h"

namespace speclens::test {

namespace {

void expect_usage(const std::vector<std::string>& arguments, const std::string& hint) {
    const Outcome outcome = speclens(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(hint), std::string::npos) << outcome.err;
}

} // namespace

TEST(Usage, SuggestsTheNearestName) {
    expect_usage({"comapre"}, "Did you mean 'compare'?");
    expect_usage({"run", "--promt", "x"}, "Did you mean --prompt?");
    expect_usage({"run", "--drafter", "lokup"}, "Did you mean 'lookup'?");
    expect_usage({"run", "--rule", "tokn"}, "Did you mean 'token'?");
    expect_usage({"list", "drafter"}, "Did you mean 'drafters'?");
    expect_usage({"render", "loop", "--theme", "drak", "-o", "x.png"}, "Did you mean 'dark'?");
    expect_usage({"run", "--backend", "gpu"}, "Known: auto, cpu, cuda");
    expect_usage({"bench", "--geometry", "qwen3-0.6"}, "qwen3-0.6b");
    expect_usage({"check", "--geometry", "qwen3-0.6"}, "qwen3-0.6b");
    expect_usage({"lossless", "many"}, "integer");
    expect_usage({"lossless", "100", "--drafter", "none"}, "nothing to test");
}

TEST(Usage, TakesNoOptionOfAServerForAFile) {
    expect_usage({"attach", SPEC_SOURCE_DIR "/README.md", "--for", "3"}, "does nothing for a file");
}

TEST(Usage, AsksForNoCopiesOfOneAnswer) {
    const Outcome copies = speclens({"train", "--temp", "0", "--texts", "2", "--steps", "1"});
    EXPECT_EQ(copies.code, 2) << copies.err;
    EXPECT_NE(copies.err.find("all the same"), std::string::npos) << copies.err;
}

// An unset variable in quotes.
TEST(Usage, TakesNoEmptyValueForOneThatIsLeftOut) {
    expect_usage({"run", "--model", ""}, "--model is empty");
    expect_usage({"compare", "--json="}, "--json is empty");
    expect_usage({"train", "-o", ""}, "-o is empty");
    expect_usage({"describe", "loop", "--session", ""}, "--session is empty");
    expect_usage({"describe", "loop", "--session", "a.jsonl", "--drafters", "eagle3"}, "exclude each other");
}

TEST(Usage, SaysWhereABeatStands) {
    expect_usage({"render", "mtp", "--beat", "3", "-o", "x.png"}, "speclens render loop:3");
    expect_usage({"describe", "mtp", "--beat=3"}, "speclens describe loop:3");
}

TEST(Usage, KnowsTheWordsOfOtherTools) {
    expect_usage({"run", "--num-speculative-tokens", "5"}, "Did you mean --k?");
    expect_usage({"run", "--gamma=5"}, "Did you mean --k?");
    expect_usage({"run", "-md", "folder"}, "Did you mean --drafter small=DIR?");
    expect_usage({"compare", "--draft-model", "folder"}, "Did you mean --drafters small=DIR?");
    expect_usage({"run", "-m", "folder"}, "Did you mean --model?");
    expect_usage({"run", "-p", "Hello"}, "Did you mean --prompt?");
    expect_usage({"run", "-f", "a.txt"}, "Did you mean --prompt @FILE?");
    expect_usage({"run", "-n", "9"}, "Did you mean --max-tokens?");
    expect_usage({"run", "--temperature", "1"}, "Did you mean --temp?");
    expect_usage({"bench", "--device", "cuda"}, "Did you mean --backend?");
    expect_usage({"run", "--random-seed", "1"}, "Did you mean --seed?");
}

TEST(Usage, SuggestsAnOtherToolsWordOnlyWhereItMeansSomething) {
    const Outcome outcome = speclens({"bench", "--temperature", "1"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.find("--temp?"), std::string::npos) << outcome.err;
    // One letter is near every other letter.
    EXPECT_EQ(speclens({"run", "-z", "1"}).err.find("Did you mean"), std::string::npos);
}

TEST(Usage, SuggestsTheNearestScene) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    expect_usage({"render", "lop", "-o", "x.png"}, "Did you mean 'loop'?");
    expect_usage({"render", "loop", "--output", "x.png"}, "Did you mean -o?");
    expect_usage({"render", "loop", "--dark"}, "Did you mean --theme dark?");
    expect_usage({"render", "loop", "--width", "800"}, "Did you mean --size WxH?");
    expect_usage({"describe", "accept"}, "accept-rule");
}

TEST(Usage, AnOptionOfOneLaneIsOneOfTheRace) {
    std::vector<std::string> race{"describe", "race", "--model", micro_model(),  "--prompt", "a",         "--max-tokens",
                                  "4",        "--k",  "3",       "--exit-layer", "1",        "--drafters"};
    const auto with = [&](const std::string& drafters) {
        std::vector<std::string> line = race;
        line.push_back(drafters);
        return line;
    };
    expect_usage(with("none,lookup"), "--exit-layer does nothing for these drafters");
    for (const std::string option : {"--tap-shift", "--context-last"})
        expect_usage({"run", "--drafter", "dflash", "--no-conditioning", option, "1"}, option + " does nothing with --no-conditioning");
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const Outcome out = speclens(with("none,skip"));
    EXPECT_EQ(out.code, 0) << out.err;
    EXPECT_NE(out.out.find("layer skip (3 guesses"), std::string::npos) << out.out;
}

TEST(Usage, RefusesAnOptionThatDoesNothing) {
    const std::string model = micro_model();
    expect_usage({"run", "--geometry", "qwen3-0.6b"}, "option of: bench");
    expect_usage({"list", "drafters", "--k", "3"}, "--k does nothing");
    expect_usage({"run", "--model", model, "--prompt", "a", "--drafter", "lookup", "--exit-layer", "1"}, "--exit-layer");
    expect_usage({"run", "--model", model, "--prompt", "a", "--drafter", "none", "--k", "4"}, "--k does nothing");
    expect_usage({"run", "--model", model, "--prompt", "a", "--drafter", "skip", "--ngram", "1,2"}, "--ngram");
    expect_usage({"run", "--model", model, "--prompt", "a", "--drafter", "lookup", "--tree-topk", "2"}, "--tree-topk");
    expect_usage({"run", "--drafter", "small_tree", "--k", "3", "--tree-depth", "3"}, "exclude each other");
    expect_usage({"run", "--drafter", "small_tree", "--rule", "tree_topk", "--temp", "1", "--draft-temp", "2"}, "chosen, not drawn");
    expect_usage({"run", "--drafter", "small_tree", "--temp", "0", "--draft-temp", "2"}, "chosen, not drawn");
    expect_usage({"run", "--drafter", "small_tree", "--rule", "token", "--temp", "1"}, "tree_wor");
    expect_usage({"run", "--prompt", "a", "--thinking"}, "--thinking does nothing without --chat");
    expect_usage({"run", "--drafter", "lookup=/tmp"}, "takes no folder");
    expect_usage({"run", "--rule-param", "alpha=0.5"}, "has no parameter");
    expect_usage({"run", "--rule", "cascade_chow", "--rule-param", "alpha=7"}, "0 … 1");
    expect_usage({"run", "--rule", "cascade_chow", "--rule-param", "alpha"}, "NAME=VALUE");
    expect_usage({"run", "--rule", "lenience", "--rule-param", "lenience=0.5", "--temp", "0"}, "does nothing at temperature 0");
    expect_usage({"render", "loop"}, "needs -o");
}

TEST(Usage, ARefusalNamesTheOptionThatDoesItHere) {
    expect_usage({"advise", "--drafter", "small"}, "--drafters");
    expect_usage({"compare", "--drafter", "small"}, "--drafters");
    expect_usage({"run", "--drafters", "small"}, "Use --drafter:");
    expect_usage({"advise", "--chat"}, "\"chat\": true");
    expect_usage({"advise", "--prompt", "x"}, "--prompts FILE.jsonl");
    expect_usage({"attach", "http://127.0.0.1:1", "--prompt", "x", "--once"}, "asks once, and reads before and after");
    EXPECT_NE(speclens({"lossless", "--help"}).out.find("100 or more"), std::string::npos);
}

TEST(Usage, HasOneSpellingPerOption) {
    expect_usage({"run", "--max", "3"}, "unknown option --max");
    expect_usage({"run", "--seed", "1", "--seed", "2"}, "given twice");
    expect_usage({"run", "--prompt"}, "needs a value");
    expect_usage({"render", "loop", "--share", "-o", "x.png"}, "--share needs a value");
    expect_usage({"render", "loop", "--share", "d", "--links-to", "example.org"}, "is no address of a page");
    expect_usage({"run", "--chat=yes"}, "takes no value");
    expect_usage({"run", "extra"}, "one word too many");
    expect_usage({"describe", "loop", "a.jsonl", "b.jsonl"}, "one word too many");
    expect_usage({"describe", "loop", "a.jsonl", "--session", "b.jsonl"}, "two saved runs");
    expect_usage({"describe", "loop", "a.jsonl", "--k", "3"}, "--k");
    expect_usage({"describe", "speclens://loop", "a.jsonl"}, "a link makes its own run");
}

TEST(Usage, ALinkBesideASavedRunNamesItsSceneOnly) {
    const std::string run = SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl",
                      lecture = SPEC_SOURCE_DIR "/assets/lectures/first-lesson.lec.toml";
    for (const char* link : {"speclens://accept-rule/2", "speclens://loop?at=9"}) {
        const Outcome out = speclens({run, link});
        EXPECT_EQ(out.code, 5) << "it lacks a display and nothing else: " << out.err;
    }
    expect_usage({run, "speclens://loop?drafter=small"}, "a link and a file");
    expect_usage({lecture, "speclens://loop"}, "a link and a file");
}

TEST(Usage, RefusesNumbersThatMeanNothing) {
    for (const char* t : {"nan", "-1", "inf", "warm"}) expect_usage({"run", "--temp", t}, "--temp");
    for (const char* p : {"0", "-0.5", "1.5", "nan"}) expect_usage({"run", "--top-p", p}, "--top-p");
    expect_usage({"run", "--k", "-1"}, "--k");
    expect_usage({"run", "--k", "1000"}, "--k");
    expect_usage({"run", "--max-tokens", "0"}, "--max-tokens");
    expect_usage({"run", "--model", micro_model(), "--prompt", "a", "--drafter", "lookup", "--rule", "greedy", "--temp", "1"},
                 "temperature 0");
}

TEST(Usage, ExplainsEveryCommand) {
    const Outcome overview = speclens({"--help"});
    EXPECT_EQ(overview.code, 0);
    for (const char* command :
         {"run", "compare", "render", "describe", "bench", "lossless", "oracle", "check", "list", "export", "train", "get"}) {
        EXPECT_NE(overview.out.find(std::string("\n  ") + command + " "), std::string::npos) << command;
        const Outcome help = speclens({command, "--help"});
        EXPECT_EQ(help.code, 0);
        EXPECT_NE(help.out.find("Examples:"), std::string::npos) << command;
        EXPECT_EQ(help.err, "");
    }
}

TEST(Usage, OpensNoWindowWithoutADisplay) {
    const Outcome outcome = speclens(std::vector<std::string>{});
    EXPECT_EQ(outcome.code, 5) << outcome.err;
    EXPECT_NE(outcome.err.find("speclens run"), std::string::npos) << outcome.err;
}

TEST(Usage, SaysWhatToDoWithTheFolderOfAModel) {
    for (const std::string& folder : {micro_model(), micro_model() + "/"}) {
        const Outcome outcome = speclens({folder});
        EXPECT_EQ(outcome.code, 3) << outcome.err;
        EXPECT_NE(outcome.err.find("is a folder with a model"), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find("speclens --model FOLDER"), std::string::npos) << outcome.err;
    }
    EXPECT_NE(speclens({std::string(SPEC_SOURCE_DIR) + "/assets"}).err.find("assets is a folder\n"), std::string::npos);
}

TEST(Usage, NamesAMissingSession) {
    const Outcome outcome = speclens({"nothing-here.jsonl"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("nothing-here.jsonl"), std::string::npos);
}

TEST(Usage, NamesWhatWasTypedWhereTwoExcludeEachOther) {
    expect_usage({"compare", "--domain", "math", "--prompt", "x"}, "--domain and --prompt exclude each other");
    expect_usage({"compare", "--domain", "math", "--token-ids", "1"}, "--domain and --token-ids exclude each other");
    for (const char* command : {"describe", "render"})
        expect_usage({command, "loop", "saved.jsonl", "--prompt", "x"}, "'saved.jsonl' and --prompt exclude each other");
    expect_usage({"describe", "loop", "--session", "saved.jsonl", "--prompt", "x"}, "--session and --prompt exclude each other");
    expect_usage({"run", "--rule", "lenience", "--rule-param", "lenience=.1,lenience=.2"}, "lenience was given twice");
    expect_usage({"compare", "--csv", "-", "--json", "-"}, "both name standard output");
}

TEST(Usage, RefusesABeatThatASceneDoesNotHave) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    for (const auto& [scene, range] :
         {std::pair<std::string, std::string>{"loop:99", "loop has no step 99\n          Its steps here are 1 to "},
          {"speclens://loop/99", "loop has no step 99\n          Its steps here are 1 to "},
          {"loop:0", "loop has no step 0\n          Its steps here are 1 to "},
          {"training:0", "training has no beat 0\n          Its beats here are 1 to "},
          {"numbers:0", "numbers has no beat 0\n          Its beats here are 1 to "}})
        expect_usage({"describe", scene, "--no-timing", "--max-tokens", "8"}, range);
    EXPECT_EQ(speclens({"describe", "loop:1", "--no-timing", "--max-tokens", "8"}).code, 0);
    const std::string picture = fresh_folder() / "none/x.png";
    const Outcome unwritten = speclens({"render", "loop", "--model", table_file(), "--no-timing", "-o", picture});
    EXPECT_EQ(unwritten.code, 3);
    EXPECT_NE(unwritten.err.find(picture), std::string::npos) << unwritten.err;
    EXPECT_EQ(unwritten.err.find(picture), unwritten.err.rfind(picture)) << "once\n" << unwritten.err;
}

TEST(Usage, TellsItsVersionAndTakesHelpAsAWord) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--version"}, {"run", "--version"}}) {
        const Outcome version = speclens(words);
        EXPECT_EQ(version.code, 0) << version.err;
        EXPECT_EQ(version.out.rfind("SpecLens ", 0), 0u) << version.out;
        for (const char* line : {"\nengine  CPU", "\nGPU     "}) EXPECT_NE(version.out.find(line), std::string::npos) << version.out;
    }
    EXPECT_EQ(speclens({"help"}).out, speclens({"--help"}).out);
    EXPECT_EQ(speclens({"help", "run"}).out, speclens({"run", "--help"}).out);
    EXPECT_EQ(speclens({"help", "run"}).code, 0);
    expect_usage({"help", "comapre"}, "Did you mean 'compare'?");
    expect_usage({"help", "run", "compare"}, "one word too many");
}

} // namespace speclens::test
