// What shells are offered, and the manual page: both from the tables of the parser.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>

#include "app/cli/options.h"
#include "tests/app/cli/support.h"

namespace speclens::test {
namespace {

std::string output_of(const std::string& command) {
    std::string out;
    FILE* pipe = ::popen(command.c_str(), "r");
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
    return ::pclose(pipe) == 0 ? out : "failed: " + out;
}

// What bash would offer behind these words, the last of which is being typed.
std::string bash_offers(const std::string& words) {
    const TempFolder folder;
    write_file(folder.path() / "script", speclens({"completion", "bash"}).out);
    write_file(folder.path() / "ask",
               "source \"$1\"\nCOMP_WORDS=(speclens " + words +
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\ncompopt() { :; }\n_speclens\necho \"${COMPREPLY[@]}\"\n");
    return " " + output_of("cd '" + folder.path().string() + "' && bash -u ask ./script 2>&1");
}

bool offers(const std::string& words, const std::string& word) {
    const std::string all = bash_offers(words);
    return all.find(" " + word + " ") != std::string::npos || all.find(" " + word + "\n") != std::string::npos;
}

TEST(Completion, BashOffersCommandsOptionsAndTheirValues) {
    EXPECT_TRUE(offers("re", "render"));
    EXPECT_FALSE(offers("re", "run")) << bash_offers("re");
    EXPECT_TRUE(offers("run --dr", "--drafter")) << bash_offers("run --dr");
    EXPECT_FALSE(offers("run --dr", "--drafters"));
    EXPECT_TRUE(offers("run --drafter do", "domino"));
    EXPECT_TRUE(offers("run --head", "--head-pool")) << "a setting of a drafter";
    EXPECT_TRUE(offers("compare --rule tree_w", "tree_wor"));
    EXPECT_TRUE(offers("render loop --theme l", "light"));
    EXPECT_TRUE(offers("list sc", "scenes"));
    EXPECT_TRUE(offers("get sm", "smollm2"));
    EXPECT_TRUE(offers("bench --backend c", "cuda"));
    EXPECT_TRUE(offers("completion f", "fish"));
}

TEST(Completion, BashOffersScenes) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    EXPECT_TRUE(offers("render do", "domino"));
}

TEST(Completion, EveryOptionOfACommandIsOfferedThereAndNoOther) {
    for (const cli::CommandRow& command : cli::command_rows()) {
        std::set<std::string> expected{"--help"};
        if (command.name[0] == '\0') expected.insert("--version");
        for (const cli::OptionRow& row : cli::option_rows())
            if (cli::applies(row, command.command) && std::string(row.name).starts_with("--")) expected.insert(row.name);
        std::istringstream words(bash_offers(std::string(command.name) + " --"));
        std::set<std::string> offered;
        for (std::string word; words >> word;) offered.insert(word);
        EXPECT_EQ(offered, expected) << command.name;
    }
}

TEST(Completion, TheOtherShellsGetEveryOptionToo) {
    const std::string zsh = speclens({"completion", "zsh"}).out, fish = speclens({"completion", "fish"}).out;
    EXPECT_TRUE(zsh.starts_with("#compdef speclens\n"));
    for (const cli::OptionRow& row : cli::option_rows()) {
        const std::string name = row.name;
        EXPECT_NE(zsh.find("'" + name + "["), std::string::npos) << name;
        EXPECT_NE(fish.find(name.starts_with("--") ? " -l " + name.substr(2) + " " : " -s " + name.substr(1) + " "), std::string::npos)
            << name;
    }
    const Outcome unknown = speclens({"completion", "tcsh"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("bash, zsh, fish"), std::string::npos) << unknown.err;
}

TEST(ManPage, HasEveryCommandAndOptionAndNoBrokenRequest) {
    const Outcome page = speclens({"man"});
    EXPECT_EQ(page.code, 0);
    std::istringstream lines(page.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] != '.') continue;
        const std::string request = line.substr(1, line.find(' ') - 1);
        const std::string known = " TH SH TP B I PP nf fi RS RE br \\\" ";
        EXPECT_NE(known.find(" " + request + " "), std::string::npos) << line;
    }
    const auto plain = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
        return text;
    };
    for (const cli::CommandRow& row : cli::command_rows())
        EXPECT_NE(page.out.find(row.name[0] ? ".SH \"speclens " + std::string(row.name) : ".SH \"THE WINDOW"), std::string::npos)
            << row.name;
    for (const cli::OptionRow& row : cli::option_rows()) EXPECT_NE(page.out.find(".B " + plain(row.name)), std::string::npos) << row.name;
}

} // namespace
} // namespace speclens::test
